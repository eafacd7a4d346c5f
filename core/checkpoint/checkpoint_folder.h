// The checkpoints of a folder: which is the newest, which stay.
#ifndef PERCALE_CORE_CHECKPOINT_CHECKPOINT_FOLDER_H_
#define PERCALE_CORE_CHECKPOINT_CHECKPOINT_FOLDER_H_

#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/manifest.h"

namespace percale {

struct CheckpointEntry {
  std::string path;
  int64_t step = 0;
  ManifestHead head;
  bool complete = false;  // all its files are there
};

// The checkpoints of the folder, the latest save first; none without the folder. What a save left half-written is not listed.
Result<std::vector<CheckpointEntry>> list_checkpoints(const std::string& folder);

// True for the folder of one checkpoint, false for a folder that checkpoints lie in.
bool is_checkpoint(const std::string& path);

// The path of the latest save. NOT_FOUND without one, or without the folder.
Result<std::string> newest_checkpoint(const std::string& folder);

struct NewestCheckpoint {
  Checkpoint checkpoint;
  std::string path;
  std::vector<std::string> skipped;  // why later ones, which are damaged, were not taken
};
// The latest save that is whole. NOT_FOUND without any checkpoint; the latest one's DATA_LOSS when all are damaged.
Result<NewestCheckpoint> read_newest_checkpoint(const std::string& folder);

// Removes the run's checkpoints in the folder but the `last` latest saves (0: all) and the `best` ones by score; nothing when both
// are 0. The latest is never removed, nor is a checkpoint of another run. A damaged one counts as having no score.
Status keep_checkpoints(const std::string& folder, const std::string& run, int64_t last, int64_t best);

// Removes the checkpoints of all runs but `run`, and what saves left half-written. FAILED_PRECONDITION, before anything is removed,
// when one of them holds a file that no save has written.
Status remove_checkpoints(const std::string& folder, const std::string& run);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_CHECKPOINT_FOLDER_H_
