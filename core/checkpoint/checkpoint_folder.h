// Manages the checkpoints of a folder: finds the newest and removes old ones.
#ifndef PERCALE_CORE_CHECKPOINT_CHECKPOINT_FOLDER_H_
#define PERCALE_CORE_CHECKPOINT_CHECKPOINT_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/manifest.h"

namespace percale {

// The folder of a checkpoint is named step-N. A save of the same step replaces it: the earlier one
// is named step-N.old until the new one is complete. NAME.tmp is written or removed.
inline constexpr std::string_view kStepPrefix = "step-", kReplacedSuffix = ".old", kTemporarySuffix = ".tmp";

struct CheckpointEntry {
  std::string path;
  int64_t step = 0;
  ManifestHead head;
  bool complete = false;  // all its files exist
};

// Returns the checkpoints of the folder, the latest save first. Returns none if the folder does not
// exist. Incomplete saves are not listed.
Result<std::vector<CheckpointEntry>> list_checkpoints(const std::string& folder);

// True for the folder of one checkpoint, false for a folder that contains checkpoints.
bool is_checkpoint(const std::string& path);
// The same for a path that may be one of the host (core/file/host_files.h), where the name decides.
bool is_checkpoint(const std::string& path, const MemoryPool* pool);

// Returns the path of the latest save. NOT_FOUND: there is none, or no folder.
Result<std::string> newest_checkpoint(const std::string& folder);

struct NewestCheckpoint {
  Checkpoint checkpoint;
  std::string path;
  // Reasons why later checkpoints, which are damaged, were skipped.
  std::vector<std::string> skipped;
};
// Reads the latest intact save as read_checkpoint() does. NOT_FOUND: there is no checkpoint. If all
// are damaged, returns the DATA_LOSS of the latest one.
Result<NewestCheckpoint> read_newest_checkpoint(const std::string& folder,
                                                const std::shared_ptr<MemoryPool>& pool = nullptr);

// Removes the run's checkpoints in the folder except the `last` latest saves (0: all) and the
// `best` ones by score. Does nothing if both are 0. Never removes the latest checkpoint or one of
// another run. A damaged checkpoint counts as having no score.
Status keep_checkpoints(const std::string& folder, const std::string& run, int64_t last, int64_t best);

// Removes the checkpoints of all runs but `run`, and incomplete saves. FAILED_PRECONDITION, before
// anything is removed, if one of them contains a file that a save does not write.
Status remove_checkpoints(const std::string& folder, const std::string& run);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_CHECKPOINT_FOLDER_H_
