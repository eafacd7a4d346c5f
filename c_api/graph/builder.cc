#include "c_api/graph/builder.h"

#include <algorithm>

#include "c_api/handles.h"
#include "core/autodiff/gradients.h"

using namespace percale;
using namespace percale::c_api;

percale_value percale_builder::give(ValueId id) {
  if (id == kNoValue) return PERCALE_NO_VALUE;
  values.push_back({&current(), id});
  return static_cast<percale_value>(values.size() - 1);
}

Result<ValueId> percale_builder::take(const char* function, percale_value value) {
  if (value < 0 || static_cast<size_t>(value) >= values.size()) {
    return invalid_argument(function, ": ", value, " is no value of this builder");
  }
  const Ref& ref = values[static_cast<size_t>(value)];
  if (ref.function != &current()) {
    return invalid_argument(function, ": value ", value, " ('", ref.function->function().value(ref.id).name,
                            "') belongs to function '", ref.function->function().name, "', not to '",
                            current().function().name, "'; functions are closed: make it an input");
  }
  return ref.id;
}

Result<std::vector<ValueId>> percale_builder::take(const char* function, const char* argument,
                                                   const percale_value* from, size_t count) {
  if (from == nullptr && count > 0) return invalid_argument(function, ": '", argument, "' is NULL");
  std::vector<ValueId> out(count);
  for (size_t i = 0; i < count; ++i) {
    PERCALE_ASSIGN_OR_RETURN(out[i], take(function, from[i]));
  }
  return out;
}

Status percale_builder::check_no_pending(const char* function) const {
  if (!pending) return {};
  return failed_precondition(function, ": ", pending->op, " '", pending->name,
                             "' was begun and must be finished first");
}

percale_status* percale_builder_create(percale_engine* engine, percale_builder** out_builder) {
  clear(out_builder);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_builder)}, [&]() -> Status {
    *out_builder = new percale_builder(engine, std::make_unique<Builder>(engine->engine->registry()));
    return {};
  });
}

percale_status* percale_builder_from_graph(percale_engine* engine, const percale_graph* graph,
                                           percale_builder** out_builder) {
  clear(out_builder);
  return guarded(__func__, {NEEDS(engine), NEEDS(graph), NEEDS(out_builder)}, [&]() -> Status {
    *out_builder = new percale_builder(engine, std::make_unique<Builder>(*graph->graph));
    return {};
  });
}

void percale_builder_release(percale_builder* builder) { delete builder; }

percale_status* percale_builder_find_value(percale_builder* builder, const char* name, percale_value* out_value) {
  if (out_value != nullptr) *out_value = PERCALE_NO_VALUE;
  return guarded(__func__, {ALONE(builder), NEEDS(name), NEEDS(out_value)}, [&, function = __func__]() -> Status {
    const Function& f = builder->current().function();
    const ValueId id = f.find_value(name);
    if (id == kNoValue) return not_found(function, ": function '", f.name, "' has no value '", name, "'");
    *out_value = builder->give(id);
    return {};
  });
}

percale_status* percale_builder_input(percale_builder* builder, const char* name, percale_dtype dtype,
                                      const int64_t* dims, size_t rank, percale_value* out_value) {
  if (out_value != nullptr) *out_value = PERCALE_NO_VALUE;
  return guarded(__func__, {ALONE(builder), NEEDS(name), NEEDS(out_value)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, shape_of(function, dims, rank));
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->current().add_input(name, type, shape));
    *out_value = builder->give(id);
    return {};
  });
}

percale_status* percale_builder_constant(percale_builder* builder, const char* name, percale_tensor* tensor,
                                         percale_value* out_value) {
  if (out_value != nullptr) *out_value = PERCALE_NO_VALUE;
  return guarded(__func__, {ALONE(builder), NEEDS(tensor), NEEDS(out_value)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->current().add_constant(tensor->tensor, text_or_empty(name)));
    *out_value = builder->give(id);
    return {};
  });
}

percale_status* percale_builder_begin_function(percale_builder* builder, const char* name) {
  return guarded(__func__, {ALONE(builder), NEEDS(name)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(builder->check_no_pending(function));
    builder->open.reserve(builder->open.size() + 1);
    PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * added, builder->builder->add_function(name));
    builder->open.push_back(added);
    return {};
  });
}

percale_status* percale_builder_end_function(percale_builder* builder) {
  return guarded(__func__, {ALONE(builder)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(builder->check_no_pending(function));
    if (builder->open.size() == 1) return failed_precondition(function, ": no function was begun");
    builder->open.pop_back();
    return {};
  });
}

percale_status* percale_builder_set_outputs(percale_builder* builder, const percale_value* values, size_t count) {
  return guarded(__func__, {ALONE(builder)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto ids, builder->take(function, "values", values, count));
    return builder->current().set_outputs(std::move(ids));
  });
}

percale_status* percale_builder_rename(percale_builder* builder, percale_value value, const char* name) {
  return guarded(__func__, {ALONE(builder), NEEDS(name)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->take(function, value));
    return builder->current().rename(id, name);
  });
}

percale_status* percale_builder_value_type(const percale_builder* builder, percale_value value,
                                           percale_dtype* out_dtype, int64_t* out_dims, size_t* out_rank) {
  clear(out_dtype);
  clear(out_rank);
  return guarded(__func__, {ALONE(builder), NEEDS(out_dtype), NEEDS(out_dims), NEEDS(out_rank)},
                 [&, function = __func__]() -> Status {
                   if (value < 0 || static_cast<size_t>(value) >= builder->values.size()) {
                     return invalid_argument(function, ": ", value, " is no value of this builder");
                   }
                   const auto& ref = builder->values[static_cast<size_t>(value)];
                   const ValueType& type = ref.function->type(ref.id);
                   *out_dtype = static_cast<percale_dtype>(type.dtype);
                   write_shape(type.shape, out_dims, out_rank);
                   return {};
                 });
}

percale_status* percale_builder_set_device(percale_builder* builder, const char* device) {
  return guarded(__func__, {ALONE(builder), NEEDS(device)}, [&]() -> Status {
    builder->current().set_device(device);
    return {};
  });
}

percale_status* percale_builder_control_dependency(percale_builder* builder, percale_value before,
                                                   percale_value after) {
  return guarded(__func__, {ALONE(builder)}, [&, function = __func__]() -> Status {
    const percale_value given[] = {before, after};
    NodeId nodes[2];
    for (size_t i = 0; i < 2; ++i) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->take(function, given[i]));
      const Value& value = builder->current().function().value(id);
      if (value.kind != ValueKind::kNode) {
        return invalid_argument(function, ": '", value.name, "' comes from no node, so nothing can wait for it");
      }
      nodes[i] = value.def;
    }
    return builder->current().add_control(nodes[0], nodes[1]);
  });
}

percale_status* percale_builder_gradients(percale_builder* builder, const percale_value* ys, size_t y_count,
                                          const percale_value* xs, size_t x_count, percale_value* out_gradients) {
  if (out_gradients != nullptr) std::fill_n(out_gradients, x_count, PERCALE_NO_VALUE);
  return guarded(__func__, {ALONE(builder), NEEDS(out_gradients)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(builder->check_no_pending(function));
    PERCALE_ASSIGN_OR_RETURN(const auto y_ids, builder->take(function, "ys", ys, y_count));
    PERCALE_ASSIGN_OR_RETURN(const auto x_ids, builder->take(function, "xs", xs, x_count));
    PERCALE_ASSIGN_OR_RETURN(const auto grads, gradients(builder->current(), y_ids, x_ids));
    for (size_t i = 0; i < grads.size(); ++i) out_gradients[i] = builder->give(grads[i]);
    return {};
  });
}

percale_status* percale_builder_finish(percale_builder* builder, percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {ALONE(builder), NEEDS(out_graph)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(builder->check_no_pending(function));
    if (builder->open.size() > 1) {
      return failed_precondition(function, ": function '", builder->current().function().name, "' was not ended");
    }
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph, builder->builder->finish());
    builder->values.clear();
    builder->open[0] = &builder->builder->main();
    *out_graph = handle.release();
    return {};
  });
}
