// Loads variables from another model by rules on names.
#ifndef PERCALE_CORE_CHECKPOINT_TRANSFER_H_
#define PERCALE_CORE_CHECKPOINT_TRANSFER_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/state/variables.h"

namespace percale {

// The variable `to` takes the value of the tensor `from`. Each may contain one '*', which matches
// the same characters in both: {"encoder/*", "backbone/*"}. With an empty `from`, the variable
// keeps its value.
struct NameRule {
  std::string from, to;
};

// Returns the name of the tensor that a variable is loaded from: by the first rule whose `to`
// matches, else the variable's own name. Returns "" if it is not loaded.
std::string source_name(const std::vector<NameRule>& rules, std::string_view variable);

// Publishes, as one version, the values that are found for variables in `path`: a safetensors file,
// a checkpoint step-N, or a folder, whose newest checkpoint is used. Returns the number of loaded
// variables. NOT_FOUND: a variable that a rule renames has no tensor, or, if `strict`, any other
// variable that is not a slot and not excluded by a rule has none. INVALID_ARGUMENT: a tensor has
// another dtype or shape, or a rule has several '*' or one on one side only. On an error nothing is
// changed.
Result<int64_t> load_variables(Variables& variables, const std::string& path, const std::vector<NameRule>& rules,
                               bool strict, const std::shared_ptr<MemoryPool>& pool = nullptr);

// The same, from the bytes of a safetensors file, without rules. Values lie in `bytes` if they are
// 64-byte aligned there. Returns the number of bytes that were copied.
Result<int64_t> load_variables(Variables& variables, const std::shared_ptr<Buffer>& bytes, bool strict);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_TRANSFER_H_
