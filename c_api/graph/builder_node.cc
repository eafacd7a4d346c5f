// Nodes, layers and variables of a graph under construction.
#include <algorithm>

#include "c_api/graph/builder.h"
#include "c_api/handles.h"
#include "core/graph/emit/upgrade.h"
#include "core/train/layers/layers.h"
#include "core/train/layers/state_ops.h"
#include "core/train/rewrite/minimize.h"

using namespace percale;
using namespace percale::c_api;

namespace {

// More outputs than any op makes sense of, and few enough to book.
constexpr size_t kMaxNodeOutputs = 65536;

percale_status* begin(const char* function, bool layer, percale_builder* builder, const char* op, const char* name) {
  return guarded(function, {ALONE(builder), {op != nullptr, layer ? "layer" : "op"}}, [&]() -> Status {
    PERCALE_RETURN_IF_ERROR(builder->check_no_pending(function));
    builder->pending = percale_builder::Pending();
    builder->pending->layer = layer;
    builder->pending->op = op;
    builder->pending->name = text_or_empty(name);
    return {};
  });
}

// Something for the node that was begun: what goes wrong is told now and again when the node is
// finished.
template <class Body>
percale_status* amend(const char* function, percale_builder* builder, std::initializer_list<Argument> arguments,
                      Body&& body) {
  return guarded(function, {ALONE(builder)}, [&]() -> Status {
    if (!builder->pending) return failed_precondition(function, ": no node was begun");
    percale_builder::Pending& pending = *builder->pending;
    Status status;
    for (const Argument& argument : arguments) {
      if (!argument.present && status.ok()) {
        status = invalid_argument(function, ": '", argument.name, "' is NULL");
      }
    }
    if (status.ok()) status = body(pending);
    if (!status.ok() && pending.error.ok()) pending.error = in_shared_words(function, status);
    return status;
  });
}

template <class Make>
percale_status* set_attribute(const char* function, percale_builder* builder, const char* attribute, bool has_value,
                              Make&& make) {
  return amend(function, builder, {NEEDS(attribute), {has_value, "value"}},
               [&](percale_builder::Pending& pending) -> Status {
                 pending.attributes.set(attribute, AttrValue(make()));
                 return {};
               });
}

Result<std::vector<ValueId>> emit(percale_builder& builder, const percale_builder::Pending& pending,
                                  size_t output_count) {
  FunctionBuilder& f = builder.current();
  if (pending.layer) {
    if (output_count != 1)
      return invalid_argument("layer ", pending.op, " has one output, not ", uint64_t{output_count});
    PERCALE_ASSIGN_OR_RETURN(const ValueId id,
                             add_layer(f, pending.op, pending.name, pending.inputs, pending.attributes));
    return std::vector<ValueId>{id};
  }
  return add_node_of_version(f, pending.op, pending.version, pending.inputs, pending.attributes, output_count,
                             pending.name);
}

}  // namespace

percale_status* percale_builder_node(percale_builder* builder, const char* op, const char* name) {
  return begin(__func__, false, builder, op, name);
}

percale_status* percale_builder_layer(percale_builder* builder, const char* layer, const char* name) {
  return begin(__func__, true, builder, layer, name);
}

percale_status* percale_builder_add_input(percale_builder* builder, percale_value value) {
  return amend(__func__, builder, {}, [&, function = __func__](percale_builder::Pending& pending) -> Status {
    ValueId id = kNoValue;
    if (value != PERCALE_NO_VALUE) {
      PERCALE_ASSIGN_OR_RETURN(id, builder->take(function, value));
    }
    pending.inputs.push_back(id);
    return {};
  });
}

percale_status* percale_builder_set_int(percale_builder* builder, const char* attribute, int64_t value) {
  return set_attribute(__func__, builder, attribute, true, [&] { return value; });
}

percale_status* percale_builder_set_float(percale_builder* builder, const char* attribute, double value) {
  return set_attribute(__func__, builder, attribute, true, [&] { return value; });
}

percale_status* percale_builder_set_string(percale_builder* builder, const char* attribute, const char* value) {
  return set_attribute(__func__, builder, attribute, value != nullptr, [&] { return std::string(value); });
}

percale_status* percale_builder_set_ints(percale_builder* builder, const char* attribute, const int64_t* values,
                                         size_t count) {
  return set_attribute(__func__, builder, attribute, values != nullptr || count == 0,
                       [&] { return std::vector<int64_t>(values, values + count); });
}

percale_status* percale_builder_set_floats(percale_builder* builder, const char* attribute, const double* values,
                                           size_t count) {
  return set_attribute(__func__, builder, attribute, values != nullptr || count == 0,
                       [&] { return std::vector<double>(values, values + count); });
}

percale_status* percale_builder_set_strings(percale_builder* builder, const char* attribute, const char* const* values,
                                            size_t count) {
  bool whole = values != nullptr || count == 0;
  for (size_t i = 0; whole && i < count; ++i) whole = values[i] != nullptr;
  return set_attribute(__func__, builder, attribute, whole,
                       [&] { return std::vector<std::string>(values, values + count); });
}

percale_status* percale_builder_set_tensor(percale_builder* builder, const char* attribute, percale_tensor* value) {
  return set_attribute(__func__, builder, attribute, value != nullptr, [&] { return value->tensor; });
}

percale_status* percale_builder_set_function(percale_builder* builder, const char* attribute, const char* function) {
  return set_attribute(__func__, builder, attribute, function != nullptr,
                       [&] { return FunctionRef{std::string(function)}; });
}

percale_status* percale_builder_finish_node(percale_builder* builder, size_t output_count, percale_value* out_values) {
  if (out_values != nullptr && output_count <= kMaxNodeOutputs) std::fill_n(out_values, output_count, PERCALE_NO_VALUE);
  return guarded(__func__, {ALONE(builder)}, [&, function = __func__]() -> Status {
    if (!builder->pending) return failed_precondition(function, ": no node was begun");
    // Whatever happens from here on, the node is no longer pending.
    const percale_builder::Pending pending = std::move(*builder->pending);
    builder->pending.reset();
    PERCALE_RETURN_IF_ERROR(pending.error);
    if (output_count > kMaxNodeOutputs) return invalid_argument(function, ": ", uint64_t{output_count}, " outputs");
    if (out_values == nullptr && output_count > 0) return invalid_argument(function, ": 'out_values' is NULL");
    PERCALE_ASSIGN_OR_RETURN(const auto ids, emit(*builder, pending, output_count));
    for (size_t i = 0; i < ids.size() && i < output_count; ++i) out_values[i] = builder->give(ids[i]);
    return {};
  });
}

Result<percale_value> percale_builder::variable(std::string_view name, const Tensor& initial, bool trainable) {
  const Variable added{.name = std::string(name),
                       .dtype = initial.dtype(),
                       .shape = initial.shape(),
                       .trainable = trainable,
                       .initial = initial};
  PERCALE_RETURN_IF_ERROR(builder->add_variable(added));
  Emitter emitter(current());
  const ValueId id = read_variable(emitter, added);
  PERCALE_RETURN_IF_ERROR(emitter.status());
  return give(id);
}

percale_status* percale_builder_variable(percale_builder* builder, const char* name, percale_tensor* initial,
                                         percale_value* out_value) {
  if (out_value != nullptr) *out_value = PERCALE_NO_VALUE;
  return guarded(__func__, {ALONE(builder), NEEDS(name), NEEDS(initial), NEEDS(out_value)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(*out_value, builder->variable(name, initial->tensor, true));
    return {};
  });
}

percale_status* percale_builder_variable_initialized(percale_builder* builder, const char* name, percale_dtype dtype,
                                                     const int64_t* dims, size_t rank, const char* initializer,
                                                     percale_value* out_value) {
  if (out_value != nullptr) *out_value = PERCALE_NO_VALUE;
  return guarded(__func__, {ALONE(builder), NEEDS(name), NEEDS(initializer), NEEDS(out_value)},
                 [&, function = __func__]() -> Status {
                   PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
                   PERCALE_ASSIGN_OR_RETURN(const Shape shape, shape_of(function, dims, rank));
                   PERCALE_ASSIGN_OR_RETURN(const ValueId id,
                                            add_parameter(builder->current(), name, type, shape, initializer));
                   *out_value = builder->give(id);
                   return {};
                 });
}

percale_status* percale_builder_minimize(percale_builder* builder, percale_value loss, const char* optimizer,
                                         const char** out_target_name) {
  clear(out_target_name);
  return guarded(__func__, {ALONE(builder), NEEDS(optimizer), NEEDS(out_target_name)},
                 [&, function = __func__]() -> Status {
                   PERCALE_RETURN_IF_ERROR(builder->check_no_pending(function));
                   PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->take(function, loss));
                   PERCALE_ASSIGN_OR_RETURN(const Optimizer parsed, parse_optimizer(std::string_view(optimizer)));
                   PERCALE_ASSIGN_OR_RETURN(builder->target, add_train_step(builder->current(), id, parsed));
                   *out_target_name = builder->target.c_str();
                   return {};
                 });
}
