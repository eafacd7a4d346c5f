// Checkpoints: folders that are there whole or not at all, from which a run goes on with the same bits.
//
// `folder`/step-N/ holds state.safetensors and MANIFEST (JSON: the fields below, the size of the file, a CRC32C per tensor, and a
// number that counts the saves of the folder). It is written as step-N.tmp, flushed to the disk, then renamed.
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

// All that a trainer needs to go on. A plain value.
struct Checkpoint {
  int64_t step = 0;              // completed
  int64_t seed = 0;              // with the step, the state of all random ops
  int64_t epoch = 0, batch = 0;  // of the data: what comes next
  int64_t shards = 0;            // of a batch
  double seconds = 0;
  std::string run;                                      // the id of the run that saved it
  JobParts job;                                         // what it trains; empty when not known
  std::string fingerprint;                              // of the engine that computed it
  std::vector<double> sums;                             // totals of the epoch under way
  std::vector<std::pair<std::string, double>> numbers;  // what else the trainer remembers, by name
  std::optional<double> score;                          // by which keep_checkpoints() finds the best; smaller is better
  std::vector<std::pair<std::string, Tensor>> tensors;  // parameters, moving statistics, slots, in any order
};

// Writes `folder`/step-N, which replaces one of the same step, and is the newest of the folder from then on.
Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

// Reads the folder step-N. Sizes and checksums of the manifest and of all tensors are compared before any is handed out:
// DATA_LOSS names the file and the tensor, and stands for a file that is missing too. NOT_FOUND where no such folder is. Tensors lie
// in the file's mapping.
Result<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_
