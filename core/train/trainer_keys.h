// The keys of a SPEC that say how a trainer works; the trainer options of the C ABI are the same ones.
#ifndef PERCALE_CORE_TRAIN_TRAINER_KEYS_H_
#define PERCALE_CORE_TRAIN_TRAINER_KEYS_H_

#include "core/base/json.h"
#include "core/train/trainer.h"

namespace percale {

// Sets what the object says and leaves the rest: "clip" (a number: the norm of all gradients together; or {"global_norm", "norm",
// "value"}), "accumulation", "ema" (the decay), "groups" ([{"pattern", "learning_rate_factor", "weight_decay"}]), "freeze"
// ([patterns], or one), "recompute" (true, false, "auto", a number of bytes), "synchronized_batch_norm", "early_stopping", "terminate_on_nan", "checkpoints" ({"keep_last", "keep_best", "monitor", "mode"}), "publish", "parallel",
// "strategy" (core/train/rewrite/parallel_spec.h; a preset sets the parameters, and parameter_server the mode, unless the object has
// them) and "parameters" (core/train/rewrite/parameter_spec.h). Other keys are not looked at.
Status read_trainer_keys(const Json& object, TrainerOptions* out);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_KEYS_H_
