// The tables of the keys of a SPEC, except those of the trainer (core/train/trainer_keys.h).
#ifndef PERCALE_CORE_TRAIN_SPEC_KEYS_H_
#define PERCALE_CORE_TRAIN_SPEC_KEYS_H_

#include <span>

#include "core/train/method/key_table.h"
#include "core/train/spec.h"

namespace percale {

std::span<const Key<Spec>> spec_keys();
std::span<const Key<Spec>> weights_keys();   // of the object 'weights'
std::span<const Key<Spec>> data_set_keys();  // of the object 'data'
std::span<const Key<DataSpec>> data_keys();  // of its objects 'train', 'validation' and 'test'

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SPEC_KEYS_H_
