// Checkpoints: folders that are there whole or not at all, from which a run goes on with the same bits.
//
// `folder`/step-N/ holds state.safetensors and MANIFEST (JSON: what is below, the size of the file, a CRC32C per tensor). It is
// written as step-N.tmp, flushed to the disk, then renamed.
#ifndef PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_
#define PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/tensor/tensor.h"

namespace percale {

// All that a trainer needs to go on. A plain value.
struct Checkpoint {
  int64_t step = 0;              // completed
  int64_t seed = 0;              // with the step, the state of all random ops
  int64_t epoch = 0, batch = 0;  // of the data: what comes next
  int64_t shards = 0;
  double seconds = 0;
  std::string fingerprint;                              // of the engine that computed it
  std::vector<double> sums;                             // totals of the epoch under way
  std::vector<std::pair<std::string, double>> numbers;  // what else the trainer remembers, by name
  std::optional<double> score;                          // by which keep_checkpoints() finds the best; smaller is better
  std::vector<std::pair<std::string, Tensor>> tensors;  // parameters, moving statistics, slots, in any order
};

// Writes `folder`/step-N, which replaces one of the same step.
Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

// The path of the newest checkpoint of the folder that was written whole. NOT_FOUND without one, or without the folder.
Result<std::string> newest_checkpoint(const std::string& folder);

// Removes the folder's checkpoints but the `last` newest (0: all) and the `best` ones by score; nothing when both are 0. The
// newest is never removed. What is damaged counts as having no score.
Status keep_checkpoints(const std::string& folder, int64_t last, int64_t best);

// Reads the folder step-N. Sizes and checksums of the manifest and of all tensors are compared before any is handed out:
// DATA_LOSS names the file and the tensor. Tensors lie in the file's mapping.
Result<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_CHECKPOINT_H_
