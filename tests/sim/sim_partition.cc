#include "tests/sim/sim_partition.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "tests/sim/sim_system.h"

namespace percale_sim {
namespace {

// The library functions in use, found by name. A plug-in must not refer to symbols of the library
// that opened it.
struct Library {
#define PERCALE_SIM_FUNCTIONS(F) \
  F(status_code)                 \
  F(status_message)              \
  F(status_release)              \
  F(options_create)              \
  F(options_set)                 \
  F(options_release)             \
  F(engine_create)               \
  F(graph_load)                  \
  F(graph_release)               \
  F(graph_get_input_name)        \
  F(graph_get_output_name)       \
  F(builder_from_graph)          \
  F(builder_find_value)          \
  F(builder_value_type)          \
  F(builder_release)             \
  F(session_create)              \
  F(session_release)             \
  F(call_create)                 \
  F(call_run)                    \
  F(call_release)                \
  F(tensor_create)               \
  F(tensor_bytes)                \
  F(tensor_from_memory)          \
  F(tensor_release)
#define PERCALE_SIM_MEMBER(name) decltype(&percale_##name) name = nullptr;
  PERCALE_SIM_FUNCTIONS(PERCALE_SIM_MEMBER)
#undef PERCALE_SIM_MEMBER
  percale_engine* engine = nullptr;
  std::string error;  // the reason if there is no engine
};

// Sets options from a text such as "onednn=off,isa=avx2".
percale_status* set_options(const Library& library, percale_options* options, std::string_view text) {
  percale_status* status = nullptr;
  while (!text.empty() && status == nullptr) {
    const std::string item(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    status = library.options_set(options, item.substr(0, equals).c_str(), item.c_str() + equals + 1);
  }
  return status;
}

// Opens the library that PERCALE_SIM_LIBRARY names, or the program's own if that is not set.
// PERCALE_SIM_ENGINE holds options of its engine.
Library open_library() {
  Library out;
  const char* path = std::getenv("PERCALE_SIM_LIBRARY");
  void* handle = open_shared_library(path, &out.error);
  if (handle == nullptr) return out;
#define PERCALE_SIM_FIND(name)                                                            \
  out.name = reinterpret_cast<decltype(out.name)>(find_symbol(handle, "percale_" #name)); \
  if (out.name == nullptr) {                                                              \
    out.error = "PERCALE_SIM_LIBRARY must name the library: there is no percale_" #name;  \
    return out;                                                                           \
  }
  PERCALE_SIM_FUNCTIONS(PERCALE_SIM_FIND)
#undef PERCALE_SIM_FIND
  percale_options* options = nullptr;
  percale_status* status = out.options_create("engine", &options);
  if (status == nullptr) status = out.options_set(options, "threads", "1");
  if (status == nullptr) status = out.options_set(options, "devices", "cpu:0");
  const char* more = std::getenv("PERCALE_SIM_ENGINE");
  if (status == nullptr && more != nullptr) status = set_options(out, options, more);
  if (status == nullptr) status = out.engine_create(options, &out.engine);
  if (status != nullptr) out.error = out.status_message(status, nullptr);
  out.status_release(status);
  out.options_release(options);
  return out;
}

const Library& library() {
  static const Library only = open_library();
  return only;
}

}  // namespace

std::unique_ptr<Partition> Partition::compile(const void* graph, uint64_t bytes, int32_t* out_code,
                                              std::string* out_error) {
  const Library& l = library();
  if (l.engine == nullptr) {
    *out_code = PERCALE_FAILED_PRECONDITION;
    *out_error = l.error;
    return nullptr;
  }
  std::unique_ptr<Partition> out(new Partition);
  percale_builder* builder = nullptr;
  percale_status* status = l.graph_load(l.engine, graph, bytes, &out->graph_);
  if (status == nullptr) status = l.builder_from_graph(l.engine, out->graph_, &builder);
  if (status == nullptr) status = out->describe(builder, true, out->inputs_);
  if (status == nullptr) status = out->describe(builder, false, out->outputs_);
  l.builder_release(builder);
  if (status == nullptr) status = l.session_create(l.engine, out->graph_, nullptr, nullptr, &out->session_);
  if (status == nullptr) {
    std::vector<const char*> names;
    for (const std::string& name : out->names_) names.push_back(name.c_str());
    std::vector<percale_dtype> dtypes;
    std::vector<const int64_t*> dims;
    std::vector<size_t> ranks;
    for (const Type& t : out->inputs_) {
      dtypes.push_back(t.dtype);
      dims.push_back(t.dims.data());
      ranks.push_back(t.dims.size());
    }
    const size_t count = out->inputs_.size();
    status = l.call_create(out->session_, names.data(), dtypes.data(), dims.data(), ranks.data(), count,
                           names.data() + count, out->outputs_.size(), &out->call_);
  }
  if (status == nullptr) return out;
  *out_code = l.status_code(status);
  *out_error = l.status_message(status, nullptr);
  l.status_release(status);
  return nullptr;
}

Partition::~Partition() {
  const Library& l = library();
  l.call_release(call_);
  l.session_release(session_);
  l.graph_release(graph_);
}

percale_status* Partition::describe(percale_builder* builder, bool input, std::vector<Type>& out) {
  const Library& l = library();
  for (size_t i = 0;; ++i) {
    const char* name = input ? l.graph_get_input_name(graph_, i) : l.graph_get_output_name(graph_, i);
    if (name == nullptr) return nullptr;
    percale_value value = 0;
    Type type{};
    int64_t dims[8];
    size_t rank = 0;
    percale_status* status = l.builder_find_value(builder, name, &value);
    if (status == nullptr) status = l.builder_value_type(builder, value, &type.dtype, dims, &rank);
    if (status != nullptr) return status;
    type.dims.assign(dims, dims + rank);
    percale_tensor* sample = nullptr;  // a tensor of that type, only to ask for its size
    status = l.tensor_create(l.engine, type.dtype, dims, rank, &sample);
    if (status != nullptr) return status;
    type.bytes = l.tensor_bytes(sample);
    l.tensor_release(sample);
    names_.emplace_back(name);
    out.push_back(std::move(type));
  }
}

percale_status* Partition::make_tensors(const std::vector<Type>& types, void* const* data,
                                        std::vector<percale_tensor*>& out) const {
  for (size_t i = 0; i < types.size(); ++i) {
    percale_tensor* tensor = nullptr;
    percale_status* status = library().tensor_from_memory(types[i].dtype, types[i].dims.data(), types[i].dims.size(),
                                                          data[i], types[i].bytes, nullptr, nullptr, &tensor);
    if (status != nullptr) return status;
    out.push_back(tensor);
  }
  return nullptr;
}

Error Partition::run(void* const* inputs, void* const* outputs) {
  const Library& l = library();
  std::vector<percale_tensor*> feeds, results;
  percale_status* status = make_tensors(inputs_, inputs, feeds);
  if (status == nullptr) status = make_tensors(outputs_, outputs, results);
  if (status == nullptr) status = l.call_run(call_, feeds.data(), results.data());
  for (percale_tensor* t : feeds) l.tensor_release(t);
  for (percale_tensor* t : results) l.tensor_release(t);
  if (status == nullptr) return {};
  message_ = l.status_message(status, nullptr);
  const Error out{l.status_code(status), message_.c_str()};
  l.status_release(status);
  return out;
}

}  // namespace percale_sim
