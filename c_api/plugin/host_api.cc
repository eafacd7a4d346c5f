#include "c_api/plugin/host_api.h"

#include "c_api/api.h"
#include "c_api/graph/builder.h"
#include "c_api/handles.h"
#include "c_api/plugin/fused_view.h"
#include "c_api/plugin/host_graph.h"
#include "core/graph/gradient.h"
#include "core/graph/upgrade.h"
#include "core/registry/kernel.h"
#include "core/registry/shape_context.h"

namespace percale::c_api {
namespace {

percale_status* status_create(int32_t code, const char* message, size_t size) {
  return guarded(__func__, {NEEDS(message)}, [&]() -> Status {
    const bool known = code > 0 && code <= PERCALE_UNAUTHENTICATED;
    return Status(known ? static_cast<Code>(code) : Code::kUnknown, std::string(text_of(message, size)));
  });
}

// Names stand in strings and literals, which end with NUL.
const char* node_op(const percale_node_view* node) { return node->schema.name.data(); }
const char* node_name(const percale_node_view* node) { return node->name.data(); }
size_t node_input_count(const percale_node_view* node) { return node->inputs.size(); }
size_t node_output_count(const percale_node_view* node) { return node->outputs.size(); }

percale_dtype dtype_at(const std::vector<ValueType>& types, size_t i) {
  return i < types.size() ? static_cast<percale_dtype>(types[i].dtype) : PERCALE_DTYPE_INVALID;
}
const int64_t* dims_at(const std::vector<ValueType>& types, size_t i, size_t* out_rank) {
  static constexpr int64_t kNone[kMaxRank] = {};
  const bool there = i < types.size();
  if (out_rank != nullptr) *out_rank = !there ? 0 : types[i].shape.known_rank() ? types[i].shape.rank() : SIZE_MAX;
  return there ? types[i].shape.begin() : kNone;
}

percale_dtype node_input_dtype(const percale_node_view* node, size_t i) { return dtype_at(node->inputs, i); }
percale_dtype node_output_dtype(const percale_node_view* node, size_t i) { return dtype_at(node->outputs, i); }
const int64_t* node_input_dims(const percale_node_view* node, size_t i, size_t* out_rank) {
  return dims_at(node->inputs, i, out_rank);
}
const int64_t* node_output_dims(const percale_node_view* node, size_t i, size_t* out_rank) {
  return dims_at(node->outputs, i, out_rank);
}
const void* node_input_constant(const percale_node_view* node, size_t i) {
  const Tensor* value = node->value(i);
  return value == nullptr ? nullptr : value->data();
}

// Null when the attribute is absent or of another type.
template <class T>
const T* attribute(const Attributes& attributes, const char* name) {
  const AttrValue* value = attributes.find(text_or_empty(name));
  return value == nullptr ? nullptr : value->get_if<T>();
}

int32_t node_attribute_int(const percale_node_view* node, const char* name, int64_t* out) {
  const int64_t* value = attribute<int64_t>(node->attributes, name);
  if (value != nullptr) *out = *value;
  return value != nullptr;
}
int32_t node_attribute_float(const percale_node_view* node, const char* name, double* out) {
  const double* value = attribute<double>(node->attributes, name);
  if (value != nullptr) *out = *value;
  return value != nullptr;
}
int32_t node_attribute_string(const percale_node_view* node, const char* name, const char** out, size_t* out_size) {
  const std::string* value = attribute<std::string>(node->attributes, name);
  if (value == nullptr) return 0;
  *out = value->c_str();
  if (out_size != nullptr) *out_size = value->size();
  return 1;
}
int32_t node_attribute_ints(const percale_node_view* node, const char* name, const int64_t** out, size_t* out_count) {
  const auto* value = attribute<std::vector<int64_t>>(node->attributes, name);
  if (value == nullptr) return 0;
  *out = value->data();
  *out_count = value->size();
  return 1;
}

int32_t node_attribute_floats(const percale_node_view* node, const char* name, const double** out, size_t* out_count) {
  const auto* value = attribute<std::vector<double>>(node->attributes, name);
  if (value == nullptr) return 0;
  *out = value->data();
  *out_count = value->size();
  return 1;
}

const char* node_attribute_strings(const percale_node_view* node, const char* name, size_t index) {
  const auto* value = attribute<std::vector<std::string>>(node->attributes, name);
  return value == nullptr || index >= value->size() ? nullptr : (*value)[index].c_str();
}

const char* key_or_null(const Format* format) { return format == nullptr ? nullptr : format->key.c_str(); }
const char* node_input_format(const percale_node_view* node, size_t i) { return key_or_null(node->input_format(i)); }
const char* node_output_format(const percale_node_view* node, size_t i) { return key_or_null(node->output_format(i)); }
int32_t node_input_prepared(const percale_node_view* node, size_t i) { return node->is_precomputed(i); }

const char* node_isa(const percale_node_view* node) { return node->isa; }

int32_t kernel_plan_set_format(percale_kernel_plan* plan, size_t operand, const char* format, uint64_t bytes) {
  if (!plan->grants_formats) return 0;
  plan->formats.emplace_back(operand, Format{std::string(text_or_empty(format)), static_cast<int64_t>(bytes)});
  return 1;
}

void kernel_plan_set_in_place(percale_kernel_plan* plan, size_t output, size_t input) {
  plan->in_place.push_back({output, input});
}

void kernel_plan_set_scratch(percale_kernel_plan* plan, uint64_t bytes) {
  // A size that no machine has is refused by whoever allocates it.
  plan->scratch_bytes = bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes);
}

void parallel_for(percale_run_context* run, int64_t pieces, void (*body)(void* arg, int64_t piece), void* arg) {
  try {
    run->parallel.call(run->parallel.pool, pieces, body, arg);
  } catch (const std::bad_alloc&) {
    run->fail(RunError::kOutOfMemory, 0);
  }
}
int32_t run_cancelled(percale_run_context* run) { return run->cancelled.load(std::memory_order_relaxed); }
void run_random(const percale_run_context* run, int64_t* seed, int64_t* step, int64_t* first_row) {
  *seed = run->seed;
  *step = run->step;
  *first_row = run->first_row;
}
int64_t run_mark(const percale_run_context* run) { return run->mark; }
void run_fail_at(percale_run_context* run, int64_t mark, int32_t code, int64_t detail) {
  run->fail(static_cast<RunError>(code), detail, nullptr, mark);
}
void run_fail(percale_run_context* run, int32_t code, int64_t detail) {
  run->fail(code == PERCALE_OUT_OF_RANGE ? RunError::kIndexOutOfRange : RunError::kKernelFailed, detail);
}
void run_fail_with(percale_run_context* run, int32_t code, const char* message, size_t size) {
  run->fail_with(code, message == nullptr ? std::string_view() : text_of(message, size));
}

size_t shape_input_count(const percale_shape_context* context) { return context->inputs.size(); }
percale_dtype shape_input_dtype(const percale_shape_context* context, size_t i) { return dtype_at(context->inputs, i); }
const int64_t* shape_input_dims(const percale_shape_context* context, size_t i, size_t* out_rank) {
  return dims_at(context->inputs, i, out_rank);
}
percale_status* shape_set_output(percale_shape_context* context, size_t i, percale_dtype dtype, const int64_t* dims,
                                 size_t rank) {
  return guarded(__func__, {NEEDS(context)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
    if (rank == SIZE_MAX) {
      context->set_output(i, type, Shape::unranked());
      return {};
    }
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, shape_of(function, dims, rank));
    context->set_output(i, type, shape);
    return {};
  });
}
int32_t shape_attribute_int(const percale_shape_context* context, const char* name, int64_t* out) {
  const int64_t* value = attribute<int64_t>(context->attributes, name);
  if (value != nullptr) *out = *value;
  return value != nullptr;
}

int32_t grad_input(const percale_grad_context* context, size_t i) { return context->input(i); }
int32_t grad_output(const percale_grad_context* context, size_t i) { return context->output(i); }
int32_t grad_of_output(const percale_grad_context* context, size_t i) { return context->grad(i); }
int32_t grad_emit(percale_grad_context* context, const char* op, const int32_t* inputs, size_t input_count) {
  try {
    if (op == nullptr || (inputs == nullptr && input_count > 0)) {
      context->fail(invalid_argument("grad_emit: 'op' or 'inputs' is NULL"));
      return kNoValue;
    }
    return context->emit(op, std::vector<ValueId>(inputs, inputs + input_count));
  } catch (...) {
    return kNoValue;
  }
}
void grad_set(percale_grad_context* context, size_t i, int32_t value) {
  try {
    const auto values = static_cast<int64_t>(context->builder().function().values.size());
    if (i >= context->num_inputs()) {
      context->fail(invalid_argument("grad_set: the op has ", static_cast<uint64_t>(context->num_inputs()),
                                     " inputs, there is none with the number ", static_cast<uint64_t>(i)));
    } else if (value != kNoValue && (value < 0 || value >= values)) {
      context->fail(invalid_argument("grad_set: ", value, " is no value that grad_input(), grad_output(), ",
                                     "grad_of_output() or grad_emit() gave"));
    } else {
      context->set(i, value);
    }
  } catch (...) {  // memory is short, and so is that of whatever comes next
  }
}

percale_engine* builder_engine(percale_builder* builder) { return builder->engine.get(); }

int32_t builder_knows_op(const percale_builder* builder, const char* op, int32_t version) {
  return guarded_value(int32_t{0}, [&]() -> int32_t {
    return op != nullptr && knows_op(builder->builder->registry(), op, version) ? 1 : 0;
  });
}

percale_status* builder_reserve_name(percale_builder* builder, const char* name) {
  return guarded(__func__, {NEEDS(builder), NEEDS(name)}, [&]() -> Status {
    builder->current().reserve_name(name);
    return {};
  });
}

percale_status* builder_input(percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims,
                              size_t rank, percale_value* out_value) {
  if (rank != SIZE_MAX) return percale_builder_input(builder, name, dtype, dims, rank, out_value);
  return guarded(__func__, {NEEDS(builder), NEEDS(name), NEEDS(out_value)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->current().add_input(name, type, Shape::unranked()));
    *out_value = builder->give(id);
    return {};
  });
}

percale_status* builder_variable(percale_builder* builder, const char* name, percale_tensor* initial, int32_t trainable,
                                 percale_value* out_value) {
  return guarded(__func__, {NEEDS(builder), NEEDS(name), NEEDS(initial), NEEDS(out_value)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(*out_value, builder->variable(name, initial->tensor, trainable != 0));
    return {};
  });
}

percale_status* builder_node(percale_builder* builder, const char* op, int32_t version, const char* name) {
  percale_status* status = percale_builder_node(builder, op, name);
  if (status == nullptr) builder->pending->version = version;
  return status;
}

percale_status* builder_set_metadata(percale_builder* builder, const char* key, const char* value) {
  return guarded(__func__, {NEEDS(builder), NEEDS(key), NEEDS(value)}, [&]() -> Status {
    builder->builder->set_metadata(key, value);
    return {};
  });
}

constexpr percale_host_api kHostApi = {
    .struct_size = sizeof(percale_host_api),
    .status_create = status_create,
    .node_op = node_op,
    .node_name = node_name,
    .node_input_count = node_input_count,
    .node_output_count = node_output_count,
    .node_input_dtype = node_input_dtype,
    .node_output_dtype = node_output_dtype,
    .node_input_dims = node_input_dims,
    .node_output_dims = node_output_dims,
    .node_input_constant = node_input_constant,
    .node_attribute_int = node_attribute_int,
    .node_attribute_float = node_attribute_float,
    .node_attribute_string = node_attribute_string,
    .node_attribute_ints = node_attribute_ints,
    .kernel_plan_set_scratch = kernel_plan_set_scratch,
    .parallel_for = parallel_for,
    .run_cancelled = run_cancelled,
    .run_fail = run_fail,
    .shape_input_count = shape_input_count,
    .shape_input_dtype = shape_input_dtype,
    .shape_input_dims = shape_input_dims,
    .shape_set_output = shape_set_output,
    .shape_attribute_int = shape_attribute_int,
    .grad_input = grad_input,
    .grad_output = grad_output,
    .grad_of_output = grad_of_output,
    .grad_emit = grad_emit,
    .grad_set = grad_set,
    .status_code = percale_status_code,
    .status_message = percale_status_message,
    .status_release = percale_status_release,
    .tensor_create = percale_tensor_create,
    .tensor_get_data = percale_tensor_get_data,
    .tensor_bytes = percale_tensor_bytes,
    .tensor_retain = percale_tensor_retain,
    .tensor_release = percale_tensor_release,
    .builder_engine = builder_engine,
    .builder_knows_op = builder_knows_op,
    .builder_reserve_name = builder_reserve_name,
    .builder_input = builder_input,
    .builder_constant = percale_builder_constant,
    .builder_variable = builder_variable,
    .builder_node = builder_node,
    .builder_add_input = percale_builder_add_input,
    .builder_set_int = percale_builder_set_int,
    .builder_set_float = percale_builder_set_float,
    .builder_set_string = percale_builder_set_string,
    .builder_set_ints = percale_builder_set_ints,
    .builder_set_floats = percale_builder_set_floats,
    .builder_set_strings = percale_builder_set_strings,
    .builder_set_tensor = percale_builder_set_tensor,
    .builder_set_function = percale_builder_set_function,
    .builder_finish_node = percale_builder_finish_node,
    .builder_begin_function = percale_builder_begin_function,
    .builder_end_function = percale_builder_end_function,
    .builder_set_outputs = percale_builder_set_outputs,
    .builder_rename = percale_builder_rename,
    .builder_value_type = percale_builder_value_type,
    .builder_set_metadata = builder_set_metadata,
    .graph_function = graph_function,
    .graph_value = graph_value,
    .graph_node = graph_node,
    .graph_attribute = graph_attribute,
    .graph_attribute_string = graph_attribute_string,
    .graph_variable = graph_variable,
    .graph_metadata = graph_metadata,
    .graph_inference = graph_inference,
    .graph_release = percale_graph_release,
    .node_input_format = node_input_format,
    .node_output_format = node_output_format,
    .node_input_prepared = node_input_prepared,
    .kernel_plan_set_format = kernel_plan_set_format,
    .node_isa = node_isa,
    .fused_node_count = fused_node_count,
    .fused_node = fused_node,
    .fused_node_input = fused_node_input,
    .fused_node_output = fused_node_output,
    .run_random = run_random,
    .run_mark = run_mark,
    .run_fail_at = run_fail_at,
    .kernel_plan_set_in_place = kernel_plan_set_in_place,
    .node_attribute_strings = node_attribute_strings,
    .node_attribute_floats = node_attribute_floats,
    .run_fail_with = run_fail_with,
};

}  // namespace

const percale_host_api& host_api() { return kHostApi; }

}  // namespace percale::c_api
