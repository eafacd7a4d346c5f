// The tables for ops: shape functions and gradients.
#include <algorithm>

#include "c_api/api.h"
#include "c_api/host/attributes.h"
#include "c_api/host/tables.h"
#include "c_api/host/types.h"
#include "core/graph/emit/gradient.h"
#include "core/registry/shape_context.h"

namespace percale::c_api {
namespace {

size_t shape_input_count(const percale_shape_context* context) { return context->inputs.size(); }
percale_dtype shape_input_dtype(const percale_shape_context* context, size_t i) { return dtype_at(context->inputs, i); }
const int64_t* shape_input_dims(const percale_shape_context* context, size_t i, size_t* out_rank) {
  return dims_at(context->inputs, i, out_rank);
}
const void* shape_input_constant(const percale_shape_context* context, size_t i) {
  return data_or_null(context->value(i));
}
const percale_attributes* shape_attributes(const percale_shape_context* context) {
  return view_of(context->attributes);
}
percale_status* set_output(percale_shape_context* context, size_t i, percale_dtype dtype, const int64_t* dims,
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

bool is_value(const percale_grad_context* context, int32_t value) {
  const auto count = static_cast<int64_t>(context->builder().function().values.size());
  return value == kNoValue || (value >= 0 && value < count);
}

// Runs f(), which adds to the gradient. An exception becomes the gradient's error.
template <class F>
auto emitting(percale_grad_context* context, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {  // bad_alloc: nothing else is thrown
    context->fail(Status::out_of_memory());
    return decltype(f())(kNoValue);
  }
}

const percale_attributes* grad_attributes(const percale_grad_context* context) {
  return view_of(context->attributes());
}
int32_t grad_input(const percale_grad_context* context, size_t i) { return context->input(i); }
int32_t grad_output(const percale_grad_context* context, size_t i) { return context->output(i); }
int32_t output_gradient(const percale_grad_context* context, size_t i) { return context->grad(i); }
int32_t grad_wants(const percale_grad_context* context, size_t i) { return context->wants(i); }

percale_dtype grad_dtype(const percale_grad_context* context, int32_t value) {
  return value >= 0 && is_value(context, value) ? static_cast<percale_dtype>(context->dtype(value))
                                                : PERCALE_DTYPE_INVALID;
}
void grad_dims(const percale_grad_context* context, int32_t value, int64_t* out_dims, size_t* out_rank) {
  *out_rank = SIZE_MAX;
  if (value < 0 || !is_value(context, value)) return;
  const Shape shape = context->shape(value);
  if (!shape.known_rank()) return;
  *out_rank = shape.rank();
  std::copy(shape.begin(), shape.end(), out_dims);
}

int32_t grad_scalar(percale_grad_context* context, percale_dtype dtype, double value) {
  return emitting(context, [&]() -> int32_t {
    const auto type = dtype_of_number("scalar", dtype);
    if (type.ok() && dtype_bits(*type) >= 8) return context->scalar(*type, value);
    context->fail(type.ok() ? invalid_argument("scalar: ", *type, " has less than 8 bits") : type.status());
    return kNoValue;
  });
}
int32_t grad_ints(percale_grad_context* context, const int64_t* values, size_t count) {
  return emitting(context, [&]() -> int32_t {
    if (values != nullptr || count == 0) return context->ints(std::vector<int64_t>(values, values + count));
    context->fail(invalid_argument("ints: 'values' is NULL"));
    return kNoValue;
  });
}

void emit_outputs(percale_grad_context* context, const char* op, const int32_t* inputs, size_t input_count,
                  const percale_attribute* attributes, size_t attribute_count, int32_t* out_values,
                  size_t output_count) {
  std::fill_n(out_values, output_count, kNoValue);
  emitting(context, [&]() -> int32_t {
    if (op == nullptr || (inputs == nullptr && input_count > 0)) {
      context->fail(invalid_argument("emit: 'op' or 'inputs' is NULL"));
      return kNoValue;
    }
    std::vector<ValueId> values(inputs, inputs + input_count);
    for (ValueId value : values) {
      if (!is_value(context, value)) context->fail(invalid_argument("emit: ", op, ": ", value, " is no value"));
    }
    auto given = attributes_of(attributes, attribute_count);
    if (!given.ok()) context->fail(given.status().with_context(str_cat("emit: ", op)));
    if (!context->status().ok()) return kNoValue;
    const auto made = context->emit_many(op, values, output_count, std::move(given).value());
    std::copy(made.begin(), made.end(), out_values);
    return kNoValue;
  });
}
int32_t grad_emit(percale_grad_context* context, const char* op, const int32_t* inputs, size_t input_count,
                  const percale_attribute* attributes, size_t attribute_count) {
  int32_t out = kNoValue;
  emit_outputs(context, op, inputs, input_count, attributes, attribute_count, &out, 1);
  return out;
}

void set_input_gradient(percale_grad_context* context, size_t i, int32_t value) {
  emitting(context, [&]() -> int32_t {
    if (i >= context->num_inputs()) {
      context->fail(invalid_argument("set_input_gradient: the op has ", static_cast<uint64_t>(context->num_inputs()),
                                     " inputs, there is none with the index ", static_cast<uint64_t>(i)));
    } else if (!is_value(context, value)) {
      context->fail(invalid_argument("set_input_gradient: ", value, " is no value"));
    } else {
      context->set(i, value);
    }
    return kNoValue;
  });
}

}  // namespace

constinit const percale_host_shape_api kHostShape = {
    .struct_size = sizeof(percale_host_shape_api),
    .input_count = shape_input_count,
    .input_dtype = shape_input_dtype,
    .input_dims = shape_input_dims,
    .input_constant = shape_input_constant,
    .attributes = shape_attributes,
    .set_output = set_output,
};

constinit const percale_host_grad_api kHostGrad = {
    .struct_size = sizeof(percale_host_grad_api),
    .attributes = grad_attributes,
    .input = grad_input,
    .output = grad_output,
    .output_gradient = output_gradient,
    .wants = grad_wants,
    .dtype = grad_dtype,
    .dims = grad_dims,
    .scalar = grad_scalar,
    .ints = grad_ints,
    .emit = grad_emit,
    .emit_outputs = emit_outputs,
    .set_input_gradient = set_input_gradient,
};

}  // namespace percale::c_api
