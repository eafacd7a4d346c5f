// Values of another model's variables, by name.
#ifndef PERCALE_CORE_CHECKPOINT_TRANSFER_H_
#define PERCALE_CORE_CHECKPOINT_TRANSFER_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/state/variables.h"

namespace percale {

// The variable called `to` takes the value of the tensor called `from`. Each may hold one '*', which stands for the same
// characters in both: {"encoder/*", "backbone/*"}. An empty `from`: the variable keeps its value.
struct NameRule {
  std::string from, to;
};

// The tensor that a variable takes its value from: as the first rule says whose `to` is its name, else of its own name; "" for none.
std::string source_name(const std::vector<NameRule>& rules, std::string_view variable);

// Publishes, as one version, the values that variables find in `path`: a safetensors file, a checkpoint step-N, or a folder whose
// newest checkpoint is taken. Returns how many. NOT_FOUND when `strict` and a variable that is no slot, and that no rule leaves
// alone, finds none, or when a rule's own name finds none; INVALID_ARGUMENT names a tensor of another dtype or shape, and a rule
// with several '*' or one on one side alone. Nothing is changed then.
Result<int64_t> load_variables(Variables& variables, const std::string& path, const std::vector<NameRule>& rules,
                               bool strict, const std::shared_ptr<MemoryPool>& pool = nullptr);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_TRANSFER_H_
