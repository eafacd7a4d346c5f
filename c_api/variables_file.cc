// Variables in safetensors files.
#include "c_api/session.h"
#include "core/checkpoint/safetensors.h"

using namespace percale;
using namespace percale::c_api;

percale_status* percale_variables_load(percale_variables* variables, const char* path, int32_t strict) {
  return guarded(__func__, {NEEDS(variables), NEEDS(path)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto file, Safetensors::open(path));
    const auto& all = variables->variables->variables();
    std::vector<std::pair<int32_t, Tensor>> changes;
    for (size_t i = 0; i < all.size(); ++i) {
      const Safetensors::Entry* entry = file->find(all[i].name);
      if (entry == nullptr) {
        if (strict != 0 && !all[i].slot) return file->tensor(all[i].name).status().with_context(path);
        continue;
      }
      if (entry->dtype != all[i].dtype || !(entry->shape == all[i].shape)) {
        return invalid_argument(path, ": '", all[i].name, "' is ", entry->dtype, " ", entry->shape, ", wanted ",
                                all[i].dtype, " ", all[i].shape);
      }
      PERCALE_ASSIGN_OR_RETURN(Tensor value, file->tensor(all[i].name));
      changes.emplace_back(static_cast<int32_t>(i), std::move(value));
    }
    return variables->variables->publish(changes).status();
  });
}

percale_status* percale_variables_save(const percale_variables* variables, const char* path) {
  return guarded(__func__, {NEEDS(variables), NEEDS(path)}, [&]() -> Status {
    const auto& all = variables->variables->variables();
    const auto version = variables->variables->current();
    std::vector<NamedTensor> tensors;
    for (size_t i = 0; i < all.size(); ++i) tensors.push_back({all[i].name, version->values[i]});
    return write_safetensors(path, tensors);
  });
}
