// Variables in safetensors files.
#include "c_api/graph/variables.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/transfer.h"

using namespace percale;
using namespace percale::c_api;

namespace {

const std::shared_ptr<MemoryPool>& memory_of(const percale_variables& variables) {
  return variables.engine->engine->memory();
}

}  // namespace

percale_status* percale_variables_load(percale_variables* variables, const char* path, int32_t strict) {
  return guarded(__func__, {NEEDS(variables), NEEDS(path)}, [&] {
    return load_variables(*variables->variables, path, {}, strict != 0, memory_of(*variables)).status();
  });
}

percale_status* percale_variables_load_memory(percale_variables* variables, void* data, size_t bytes,
                                              percale_deleter deleter, void* user, int32_t strict,
                                              int64_t* out_copied) {
  clear(out_copied);
  return guarded(__func__, {NEEDS(variables), NEEDS(data)}, [&, function = __func__]() -> Status {
    if (bytes > INT64_MAX) return invalid_argument(function, ": ", uint64_t{bytes}, " bytes");
    HostMemory memory(data, static_cast<int64_t>(bytes), deleter, user);
    auto copied = load_variables(*variables->variables, memory.buffer(), strict != 0);
    if (!copied.ok()) return copied.status().with_context(function);
    if (out_copied != nullptr) *out_copied = *copied;
    memory.take_over();
    return {};
  });
}

percale_status* percale_variables_load_mapped(percale_variables* variables, const char* path, const char* const* from,
                                              const char* const* to, size_t count, int32_t strict,
                                              int64_t* out_loaded) {
  clear(out_loaded);
  return guarded(__func__, {NEEDS(variables), NEEDS(path)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto sources, names_of(function, "from", from, count));
    PERCALE_ASSIGN_OR_RETURN(auto targets, names_of(function, "to", to, count));
    std::vector<NameRule> rules;
    for (size_t i = 0; i < count; ++i) rules.push_back({std::move(sources[i]), std::move(targets[i])});
    PERCALE_ASSIGN_OR_RETURN(const int64_t loaded,
                             load_variables(*variables->variables, path, rules, strict != 0, memory_of(*variables)));
    if (out_loaded != nullptr) *out_loaded = loaded;
    return {};
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
