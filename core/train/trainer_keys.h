// The keys of a SPEC that say how a trainer works.
#ifndef PERCALE_CORE_TRAIN_TRAINER_KEYS_H_
#define PERCALE_CORE_TRAIN_TRAINER_KEYS_H_

#include <span>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "core/train/method/key_table.h"
#include "core/train/trainer_options.h"

namespace percale {

// The tables. Their rows also say which keys are options of the C ABI (core/train/option_table.h).
std::span<const Key<Optimizer>> update_keys();  // clip, groups, ema
std::span<const Key<Optimizer>> clip_keys();    // of the object 'clip'
std::span<const Key<TrainerOptions>> trainer_keys();
std::span<const Key<TrainerOptions>> checkpoint_keys();  // of the object 'checkpoints'

// Sets the options whose keys the object has. Ignores other keys. The preset 'strategy' sets the
// parameters, and parameter_server the mode, unless the object has keys for them.
Status read_trainer_keys(const Json& object, TrainerOptions* out);
// INVALID_ARGUMENT for a 'strategy' beside the key 'parallel'.
Status strategy_beside_parallel(const Json& strategy);
void add_trainer_key_names(std::vector<std::string>* out);
std::vector<KeyFacts> trainer_key_facts();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_KEYS_H_
