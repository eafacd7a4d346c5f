// Checkpoints: folders that exist completely or not at all, and from which a run resumes with the
// same bits.
//
// `folder`/step-N/ holds state.safetensors and MANIFEST. MANIFEST is JSON: the fields below, the
// size of the state file, a CRC32C per tensor, and a number that counts the saves of the folder.
// The folder is written as step-N.tmp, flushed to disk, then renamed.
#ifndef PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_
#define PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/checkpoint/job.h"
#include "core/tensor/tensor.h"

namespace percale {

inline constexpr int64_t kMaxShards = 65536;

// All state that a trainer needs to resume. A plain value.
struct Checkpoint {
  int64_t step = 0;              // completed
  int64_t seed = 0;              // together with the step, the state of all random ops
  int64_t epoch = 0, batch = 0;  // position in the data: the next batch
  int64_t shards = 0;            // shards per batch
  double seconds = 0;
  std::string run;                                      // the id of the run that saved it
  JobParts job;                                         // the training job; empty if not known
  std::string fingerprint;                              // of the engine that computed it
  std::vector<double> sums;                             // totals of the current epoch
  std::vector<std::pair<std::string, double>> numbers;  // further numbers of the trainer, by name
  std::optional<double> score;                          // for keep_checkpoints(); smaller is better
  // Parameters, moving statistics, slots, in any order.
  std::vector<std::pair<std::string, Tensor>> tensors;
};

// Writes `folder`/step-N. It replaces an existing checkpoint of the same step and becomes the
// newest of the folder.
Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

// Reads the folder step-N. Verifies sizes and checksums of the manifest and of all tensors before
// it returns any. DATA_LOSS names the file and the tensor, and is also the error for a missing
// file. NOT_FOUND: there is no such folder. The tensors are views of the file, which is mapped or
// read into memory of the pool (load_file()).
Result<Checkpoint> read_checkpoint(const std::string& path, const std::shared_ptr<MemoryPool>& pool = nullptr);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_
