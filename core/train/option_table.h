// The options of a trainer, as the C ABI has them: names with texts. Most of them set a key of a
// SPEC, and its row gives type, range, default and doc.
#ifndef PERCALE_CORE_TRAIN_OPTION_TABLE_H_
#define PERCALE_CORE_TRAIN_OPTION_TABLE_H_

#include <vector>

#include "core/text/option.h"
#include "core/train/spec.h"

namespace percale {

std::vector<OptionSpec> trainer_option_specs();

// INVALID_ARGUMENT if one of the options stands for a key that a SPEC has itself.
Status check_options_beside_spec(const OptionTexts& options);

// Sets what the options set, in the order of the table. Options that are absent change nothing.
// Errors are those of checked_option(), or of the key that an option sets. The caller reads "loss"
// and "metrics", which the model of a graph needs.
Status apply_options(const OptionTexts& options, Spec* out);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_OPTION_TABLE_H_
