// The settings of a trainer.
#ifndef PERCALE_CORE_TRAIN_TRAINER_OPTIONS_H_
#define PERCALE_CORE_TRAIN_TRAINER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/train/method/monitor.h"
#include "core/train/method/optimizer.h"
#include "core/train/method/schedule.h"
#include "core/train/parallel/parallel_spec.h"
#include "core/train/parallel/parameter_spec.h"
#include "core/train/parameters/publisher.h"
#include "core/train/rewrite/recompute.h"

namespace percale {

// A plain value.
struct TrainerOptions {
  Optimizer optimizer;
  Schedule schedule;
  int64_t shards = 0;                // 0: default_shards() of the first batch
  int64_t seed = 0;                  // of random operations
  int64_t epochs = 1;                // of fit() when the call gives none
  std::vector<std::string> devices;  // of the engine, that compute shards; empty: all
  std::string mode = "sync";         // parse_train_mode()
  ParallelSpec parallel;
  ParameterSpec parameters;
  Publishing publishing;
  bool any_fingerprint = false;          // restore what another numerics fingerprint computed
  bool bf16 = false;                     // mixed precision: SessionOptions::bf16
  int64_t accumulation = 1;              // batches of a step, whose gradients are added
  bool synchronized_batch_norm = false;  // statistics of the whole batch instead of a shard's
  std::vector<std::string> freeze;       // patterns of variables that keep their values
  Recompute recompute;                   // of activations in the backward pass
  // Bytes that the trainer may hold: working set, sums, runs, plans; neither data nor published
  // versions. 0: the engine's limit alone.
  int64_t memory_limit = 0;
  double collective_timeout = 60;  // seconds of an exchange of a group; 0: no limit
  // 1: two ranks of a group hold each part of the optimizer's state; 0: one; -1: 1 if the
  // collective reports losses.
  int64_t collective_redundancy = -1;
  // whole: every rank of a group can read all rows; parts: each has a part of the data.
  std::string collective_data = "whole";
  // Least bytes of gradients that a group exchanges at once; 0: all.
  int64_t collective_bucket = int64_t{4} << 20;
  bool has_parts() const { return collective_data == "parts"; }
  EarlyStopping early_stopping;
  bool terminate_on_nan = false;  // a loss that is not finite ends the training before the update
  // The checkpoints that save() leaves in the folder: the newest (0: all), and the best by
  // `keep_monitor`.
  int64_t keep_last = 0, keep_best = 0;
  Monitor keep_monitor;

  // True if the schedule, early stopping or checkpoints watch a number of the validation data.
  bool watches_validation() const;
};

// INVALID_ARGUMENT if the schedule, early stopping or checkpoints watch a number that is neither
// the loss nor one of `metrics`.
Status check_monitors(const TrainerOptions& options, const std::vector<std::string>& metrics);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_OPTIONS_H_
