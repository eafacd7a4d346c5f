#include "c_api/graph/variables.h"

#include <algorithm>
#include <numeric>

#include "c_api/handles.h"
#include "core/base/similar_name.h"
#include "core/session/initialize.h"

using namespace percale;
using namespace percale::c_api;

percale_variables::percale_variables(percale_engine* e, std::shared_ptr<Variables> v)
    : engine(e), variables(std::move(v)), by_name(variables->variables().size()) {
  std::iota(by_name.begin(), by_name.end(), size_t{0});
  const auto& all = variables->variables();
  std::sort(by_name.begin(), by_name.end(), [&](size_t a, size_t b) { return all[a].name < all[b].name; });
}

namespace {

Result<int32_t> require(const char* function, const percale_variables& variables, const char* name) {
  const int32_t index = variables.variables->find(name);
  if (index >= 0) return index;
  std::vector<std::string> names;
  for (const Variable& variable : variables.variables->variables()) names.push_back(variable.name);
  return not_found(function, ": no variable is called '", name, "'", did_you_mean(name, names));
}

}  // namespace

percale_status* percale_variables_create(percale_engine* engine, const percale_graph* graph, int64_t seed,
                                         percale_variables** out_variables) {
  clear(out_variables);
  return guarded(__func__, {NEEDS(engine), NEEDS(graph), NEEDS(out_variables)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto variables, initialize_variables(engine->engine, graph->graph, seed));
    *out_variables = new percale_variables(engine, std::move(variables));
    return {};
  });
}

percale_variables* percale_variables_retain(percale_variables* variables) { return retain(variables); }

void percale_variables_release(percale_variables* variables) { release(variables); }

size_t percale_variables_count(const percale_variables* variables) {
  return variables == nullptr ? 0 : variables->by_name.size();
}

const char* percale_variables_get_name(const percale_variables* variables, size_t index) {
  if (variables == nullptr || index >= variables->by_name.size()) return nullptr;
  return variables->variables->variables()[variables->by_name[index]].name.c_str();
}

percale_status* percale_variables_value(const percale_variables* variables, const char* name,
                                        percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(variables), NEEDS(name), NEEDS(out_tensor)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const int32_t index, require(function, *variables, name));
    *out_tensor = new percale_tensor(variables->variables->current()->values[static_cast<size_t>(index)]);
    return {};
  });
}

percale_status* percale_variables_assign(percale_variables* variables, const char* name, const percale_tensor* value) {
  return guarded(__func__, {NEEDS(variables), NEEDS(name), NEEDS(value)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const int32_t index, require(function, *variables, name));
    // A copy: the caller may go on writing to his tensor.
    const Tensor& given = value->tensor;
    PERCALE_ASSIGN_OR_RETURN(Tensor own,
                             Tensor::allocate(variables->engine->engine->memory(), given.dtype(), given.shape()));
    std::copy_n(static_cast<const char*>(given.data()), given.bytes(), static_cast<char*>(own.data()));
    return variables->variables->publish({{index, std::move(own)}}).status();
  });
}

int64_t percale_variables_version(const percale_variables* variables) {
  return variables == nullptr ? 0 : variables->variables->current()->number;
}

percale_status* percale_variables_digest(const percale_variables* variables, percale_text** out_digest) {
  clear(out_digest);
  return guarded(__func__, {NEEDS(variables), NEEDS(out_digest)}, [&]() -> Status {
    *out_digest = make_text(variables->variables->digest());
    return {};
  });
}
