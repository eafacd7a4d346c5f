// Describes a training job, for the identity that its checkpoints carry (core/checkpoint/job.h).
#ifndef PERCALE_CORE_TRAIN_JOB_PARTS_H_
#define PERCALE_CORE_TRAIN_JOB_PARTS_H_

#include "core/checkpoint/job.h"
#include "core/train/data/dataset.h"
#include "core/train/method/losses.h"
#include "core/train/method/optimizer.h"
#include "core/train/method/schedule.h"
#include "core/train/rewrite/objective.h"

namespace percale {

struct TrainerOptions;

// The parts of the model that decide predictions and loss: inputs, constants, nodes, variables, and
// the rules by which first values are drawn. First values that are given as tensors are left out,
// since a checkpoint replaces them. So are metrics.
JobParts model_parts(const Model& model);
// `output`: the output that the loss belongs to; "" for the only one.
JobParts loss_parts(const LossOptions& loss, const std::string& output = "", double weight = 1);
JobParts optimizer_parts(const Optimizer& optimizer);
// Names begin with `prefix`; those of a part of a sequence also have the part's number.
JobParts schedule_parts(const Schedule& schedule, const std::string& prefix = "schedule.");
// Rows, columns and batches; not where they come from. `of_rank`: the data is one rank's part of
// it: columns alone.
JobParts data_parts(const Dataset& data, bool of_rank);
// Seed and `shards`, batches of a step, frozen variables.
JobParts step_parts(const TrainerOptions& options, int64_t shards);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_JOB_PARTS_H_
