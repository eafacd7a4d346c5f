// The keys of a SPEC that say how a trainer works; the trainer options of the C ABI are the same
// ones.
#ifndef PERCALE_CORE_TRAIN_TRAINER_KEYS_H_
#define PERCALE_CORE_TRAIN_TRAINER_KEYS_H_

#include "core/text/json.h"
#include "core/train/method/key_table.h"
#include "core/train/trainer_options.h"

namespace percale {

// Sets the options whose keys the object has. Ignores other keys. The preset 'strategy' sets the
// parameters, and parameter_server the mode, unless the object has keys for them.
Status read_trainer_keys(const Json& object, TrainerOptions* out);
void add_trainer_key_names(std::vector<std::string>* out);
std::vector<KeyFacts> trainer_key_facts();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_KEYS_H_
