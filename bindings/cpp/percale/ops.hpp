// Written by bindings/gen; do not edit.
/// One function per op, with ONNX's names. The builder keeps the first error.
#ifndef PERCALE_CPP_OPS_HPP_
#define PERCALE_CPP_OPS_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "percale/builder.hpp"

namespace percale::ops {

namespace detail {

/// Removes absent optional inputs from the end.
inline void trim(std::vector<Value>& inputs) {
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
}

}  // namespace detail

/// The absolute value of X; integers wrap.
/// Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Abs(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Abs", all, {}, 1, name)[0];
}

/// The inverse cosine of the input, in radians in [0, pi]; NaN outside [-1, 1].
/// Input input: f32 f16 f64 bf16.
inline Value Acos(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Acos", all, {}, 1, name)[0];
}

/// The inverse hyperbolic cosine of the input, at least 0; NaN below 1.
/// Input input: f32 f16 f64 bf16.
inline Value Acosh(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Acosh", all, {}, 1, name)[0];
}

/// A + B, broadcast; integers wrap.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Add(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Add", all, {}, 1, name)[0];
}

/// The attributes of AffineGrid().
struct AffineGridAttributes {
  std::optional<int64_t> align_corners = {};  ///< default 0, 0 to 1
};
/// The sampling grid theta times (x, y, 1) or (x, y, z, 1) for each element of images of `size`
/// [N,C,(D,)H,W]. x, y and z run from -1 to 1 between the centres of the first and last elements
/// (align_corners) or the outer edges.
/// Input theta: f32 f16 f64 bf16.
/// Input size: i64.
inline Value AffineGrid(Builder& builder, Value theta, Value size, const AffineGridAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{theta, size};
  Attributes given;
  if (attributes.align_corners) given.emplace_back("align_corners", *attributes.align_corners);
  return builder.node("AffineGrid", all, given, 1, name)[0];
}

/// Logical and of A and B, broadcast.
/// Input A: bool.
/// Input B: bool.
/// The gradient is zero.
inline Value And(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("And", all, {}, 1, name)[0];
}

/// The attributes of ApplyAdagrad().
struct ApplyAdagradAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-10, 0 or more
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
};
/// The outputs of ApplyAdagrad(). Those that are not computed are empty.
struct ApplyAdagradOutputs {
  Value new_param, new_square;  ///< in the op's order
};
/// s = s + g^2; param - learning_rate * g / (sqrt(s) + epsilon) (PyTorch's Adagrad).
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input square: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyAdagradOutputs ApplyAdagrad(Builder& builder, Value param, Value grad, Value square, Value learning_rate, Value grad_scale = {}, const ApplyAdagradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, square, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyAdagrad", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of ApplyAdam().
struct ApplyAdamAttributes {
  std::optional<double> beta1 = {};  ///< default 0.9, 0 to 1
  std::optional<double> beta2 = {};  ///< default 0.999, 0 to 1
  std::optional<double> epsilon = {};  ///< default 1e-08, 0 or more
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
};
/// The outputs of ApplyAdam(). Those that are not computed are empty.
struct ApplyAdamOutputs {
  Value new_param, new_m, new_v;  ///< in the op's order
};
/// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 -
/// beta1^step) * m / (sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input m: f32 f16 f64 bf16.
/// Input v: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input step: i64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyAdamOutputs ApplyAdam(Builder& builder, Value param, Value grad, Value m, Value v, Value learning_rate, Value step, Value grad_scale = {}, const ApplyAdamAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, m, v, learning_rate, step, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.beta1) given.emplace_back("beta1", *attributes.beta1);
  if (attributes.beta2) given.emplace_back("beta2", *attributes.beta2);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyAdam", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of ApplyAdamW().
struct ApplyAdamWAttributes {
  std::optional<double> beta1 = {};  ///< default 0.9, 0 to 1
  std::optional<double> beta2 = {};  ///< default 0.999, 0 to 1
  std::optional<double> epsilon = {};  ///< default 1e-08, 0 or more
  std::optional<double> weight_decay = {};  ///< default 0.01, 0 or more
};
/// The outputs of ApplyAdamW(). Those that are not computed are empty.
struct ApplyAdamWOutputs {
  Value new_param, new_m, new_v;  ///< in the op's order
};
/// ApplyAdam applied to param * (1 - learning_rate * weight_decay); the decay does not enter g
/// (PyTorch's AdamW).
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input m: f32 f16 f64 bf16.
/// Input v: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input step: i64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyAdamWOutputs ApplyAdamW(Builder& builder, Value param, Value grad, Value m, Value v, Value learning_rate, Value step, Value grad_scale = {}, const ApplyAdamWAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, m, v, learning_rate, step, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.beta1) given.emplace_back("beta1", *attributes.beta1);
  if (attributes.beta2) given.emplace_back("beta2", *attributes.beta2);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyAdamW", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of ApplyFtrl().
struct ApplyFtrlAttributes {
  std::optional<double> learning_rate_power = {};  ///< default -0.5, -1000000.0 to 0
  std::optional<double> l1 = {};  ///< default 0, 0 or more
  std::optional<double> l2 = {};  ///< default 0, 0 or more
  std::optional<double> l2_shrinkage = {};  ///< default 0, 0 or more
  std::optional<double> beta = {};  ///< default 0, 0 or more
};
/// The outputs of ApplyFtrl(). Those that are not computed are empty.
struct ApplyFtrlOutputs {
  Value new_param, new_accumulator, new_linear;  ///< in the op's order
};
/// FTRL-proximal (McMahan et al. 2013, as in TensorFlow and Keras): h = g + 2 l2_shrinkage param;
/// n' = n + g^2; z' = z + h - (n'^-p - n^-p) / learning_rate * param, p = learning_rate_power; the
/// new param is 0 where |z'| <= l1, otherwise (sign(z') l1 - z') / ((n'^-p + beta) /
/// learning_rate + 2 l2). param, grad, accumulator (n) and linear (z) have the same shape and the
/// same dtype, one of f16, bf16, f32, f64; learning_rate is a scalar above 0.
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input accumulator: f32 f16 f64 bf16.
/// Input linear: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyFtrlOutputs ApplyFtrl(Builder& builder, Value param, Value grad, Value accumulator, Value linear, Value learning_rate, Value grad_scale = {}, const ApplyFtrlAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, accumulator, linear, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.learning_rate_power) given.emplace_back("learning_rate_power", *attributes.learning_rate_power);
  if (attributes.l1) given.emplace_back("l1", *attributes.l1);
  if (attributes.l2) given.emplace_back("l2", *attributes.l2);
  if (attributes.l2_shrinkage) given.emplace_back("l2_shrinkage", *attributes.l2_shrinkage);
  if (attributes.beta) given.emplace_back("beta", *attributes.beta);
  std::vector<Value> out = builder.node("percale:ApplyFtrl", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of ApplyLAMB().
struct ApplyLAMBAttributes {
  std::optional<double> beta1 = {};  ///< default 0.9, 0 to 1
  std::optional<double> beta2 = {};  ///< default 0.999, 0 to 1
  std::optional<double> epsilon = {};  ///< default 1e-06, 0 or more
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
};
/// The outputs of ApplyLAMB(). Those that are not computed are empty.
struct ApplyLAMBOutputs {
  Value new_param, new_m, new_v;  ///< in the op's order
};
/// LAMB (You et al. 2020, algorithm 2): m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2)
/// g^2; u = m' / (1 - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) + weight_decay param;
/// the new param is param - learning_rate |param| / |u| u. The norms are Euclidean norms of the
/// whole tensor; their ratio is 1 if either is 0. g is grad times grad_scale. param, grad, m and v
/// have the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate and step are
/// scalars.
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input m: f32 f16 f64 bf16.
/// Input v: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input step: i64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyLAMBOutputs ApplyLAMB(Builder& builder, Value param, Value grad, Value m, Value v, Value learning_rate, Value step, Value grad_scale = {}, const ApplyLAMBAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, m, v, learning_rate, step, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.beta1) given.emplace_back("beta1", *attributes.beta1);
  if (attributes.beta2) given.emplace_back("beta2", *attributes.beta2);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyLAMB", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of ApplyLion().
struct ApplyLionAttributes {
  std::optional<double> beta1 = {};  ///< default 0.9, 0 to 1
  std::optional<double> beta2 = {};  ///< default 0.99, 0 to 1
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
};
/// The outputs of ApplyLion(). Those that are not computed are empty.
struct ApplyLionOutputs {
  Value new_param, new_m;  ///< in the op's order
};
/// Lion (Chen et al. 2023, algorithm 2): c = beta1 m + (1 - beta1) g; m' = beta2 m + (1 - beta2) g;
/// the new param is param (1 - learning_rate weight_decay) - learning_rate sign(c). param, grad and
/// m have the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate is a scalar.
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input m: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyLionOutputs ApplyLion(Builder& builder, Value param, Value grad, Value m, Value learning_rate, Value grad_scale = {}, const ApplyLionAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, m, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.beta1) given.emplace_back("beta1", *attributes.beta1);
  if (attributes.beta2) given.emplace_back("beta2", *attributes.beta2);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyLion", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of ApplyMomentum().
struct ApplyMomentumAttributes {
  std::optional<double> momentum = {};  ///< default 0.9, 0 or more
  std::optional<int64_t> nesterov = {};  ///< default 0, 0 to 1
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
};
/// The outputs of ApplyMomentum(). Those that are not computed are empty.
struct ApplyMomentumOutputs {
  Value new_param, new_buffer;  ///< in the op's order
};
/// buffer = momentum * buffer + g; param - learning_rate * buffer, or with nesterov: param -
/// learning_rate * (g + momentum * buffer) (PyTorch's SGD).
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input buffer: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyMomentumOutputs ApplyMomentum(Builder& builder, Value param, Value grad, Value buffer, Value learning_rate, Value grad_scale = {}, const ApplyMomentumAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, buffer, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.momentum) given.emplace_back("momentum", *attributes.momentum);
  if (attributes.nesterov) given.emplace_back("nesterov", *attributes.nesterov);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyMomentum", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of ApplyRMSProp().
struct ApplyRMSPropAttributes {
  std::optional<double> alpha = {};  ///< default 0.99, 0 to 1
  std::optional<double> epsilon = {};  ///< default 1e-08, 0 or more
  std::optional<double> momentum = {};  ///< default 0, 0 or more
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
  size_t outputs = 2;  ///< the number of outputs to compute
};
/// The outputs of ApplyRMSProp(). Those that are not computed are empty.
struct ApplyRMSPropOutputs {
  Value new_param, new_square, new_buffer;  ///< in the op's order
};
/// s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + epsilon); param - learning_rate * d, or with a
/// buffer: buffer = momentum * buffer + d; param - learning_rate * buffer (PyTorch's RMSprop).
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input square: f32 f16 f64 bf16.
/// Input buffer (optional): f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline ApplyRMSPropOutputs ApplyRMSProp(Builder& builder, Value param, Value grad, Value square, Value buffer, Value learning_rate, Value grad_scale = {}, const ApplyRMSPropAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, square, buffer, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.momentum) given.emplace_back("momentum", *attributes.momentum);
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  std::vector<Value> out = builder.node("percale:ApplyRMSProp", all, given, attributes.outputs, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of ApplySGD().
struct ApplySGDAttributes {
  std::optional<double> weight_decay = {};  ///< default 0, 0 or more
};
/// param - learning_rate * g (PyTorch's SGD).
/// Input param: f32 f16 f64 bf16.
/// Input grad: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline Value ApplySGD(Builder& builder, Value param, Value grad, Value learning_rate, Value grad_scale = {}, const ApplySGDAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, grad, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.weight_decay) given.emplace_back("weight_decay", *attributes.weight_decay);
  return builder.node("percale:ApplySGD", all, given, 1, name)[0];
}

/// The attributes of ArgMax().
struct ArgMaxAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> select_last_index = {};  ///< default 0, 0 to 1
};
/// The index of the greatest element along `axis`: the first of equals, or the last with
/// select_last_index. NaN counts as greatest.
/// Input data: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value ArgMax(Builder& builder, Value data, const ArgMaxAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.select_last_index) given.emplace_back("select_last_index", *attributes.select_last_index);
  return builder.node("ArgMax", all, given, 1, name)[0];
}

/// The attributes of ArgMin().
struct ArgMinAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> select_last_index = {};  ///< default 0, 0 to 1
};
/// The index of the least element along `axis`: the first of equals, or the last with
/// select_last_index. NaN counts as least.
/// Input data: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value ArgMin(Builder& builder, Value data, const ArgMinAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.select_last_index) given.emplace_back("select_last_index", *attributes.select_last_index);
  return builder.node("ArgMin", all, given, 1, name)[0];
}

/// The inverse sine of the input, in radians in [-pi/2, pi/2]; NaN outside [-1, 1].
/// Input input: f32 f16 f64 bf16.
inline Value Asin(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Asin", all, {}, 1, name)[0];
}

/// The inverse hyperbolic sine of the input.
/// Input input: f32 f16 f64 bf16.
inline Value Asinh(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Asinh", all, {}, 1, name)[0];
}

/// The attributes of Assert().
struct AssertAttributes {
  std::optional<std::string> message = {};  ///< default ""
};
/// Returns X unchanged, if it is given, and fails the run with `message` unless every element of
/// the condition is true.
/// Input condition: bool.
/// Input X (optional): 23 types.
inline Value Assert(Builder& builder, Value condition, Value X = {}, const AssertAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{condition, X};
  detail::trim(all);
  Attributes given;
  if (attributes.message) given.emplace_back("message", *attributes.message);
  return builder.node("percale:Assert", all, given, 1, name)[0];
}

/// The attributes of Assign().
struct AssignAttributes {
  std::optional<std::string> variable = {};  ///< required
};
/// Assigns a new value to a variable.
/// Input value: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// No gradient.
inline void Assign(Builder& builder, Value value, const AssignAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{value};
  Attributes given;
  if (attributes.variable) given.emplace_back("variable", *attributes.variable);
  builder.node("percale:Assign", all, given, 0, name);
}

/// The attributes of AssignAdd().
struct AssignAddAttributes {
  std::optional<std::string> variable = {};  ///< required
};
/// Adds the input to the value of a variable.
/// Input value: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// No gradient.
inline void AssignAdd(Builder& builder, Value value, const AssignAddAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{value};
  Attributes given;
  if (attributes.variable) given.emplace_back("variable", *attributes.variable);
  builder.node("percale:AssignAdd", all, given, 0, name);
}

/// The inverse tangent of the input, in radians in [-pi/2, pi/2].
/// Input input: f32 f16 f64 bf16.
inline Value Atan(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Atan", all, {}, 1, name)[0];
}

/// The inverse hyperbolic tangent of the input; NaN outside [-1, 1].
/// Input input: f32 f16 f64 bf16.
inline Value Atanh(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Atanh", all, {}, 1, name)[0];
}

/// The attributes of Attention().
struct AttentionAttributes {
  std::optional<int64_t> is_causal = {};  ///< default 0, 0 to 1
  std::optional<int64_t> kv_num_heads = {};  ///< 1 or more
  std::optional<int64_t> left_window_size = {};  ///< default -1, -1 or more
  std::optional<int64_t> q_num_heads = {};  ///< 1 or more
  std::optional<int64_t> qk_matmul_output_mode = {};  ///< default 0, 0 to 3
  std::optional<int64_t> right_window_size = {};  ///< default -1, -1 or more
  std::optional<double> scale = {};  ///< 0 or more
  std::optional<double> softcap = {};  ///< default 0
  std::optional<int64_t> softmax_precision = {};  ///< optional
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of Attention(). Those that are not computed are empty.
struct AttentionOutputs {
  Value Y, present_key, present_value, qk_matmul_output;  ///< in the op's order
};
/// Multi-head attention: softmax(scale Q K^T, softcapped, + mask) V per head (Vaswani et al. 2017).
/// Heads of Q may share heads of K and V (Ainslie et al. 2023). Past keys and values precede the
/// new ones. Each input is [batch, heads, sequence, size] or [batch, sequence, heads * size]. A
/// query without any key gives zeros.
/// Input Q: f32 f16 f64 bf16.
/// Input K: f32 f16 f64 bf16.
/// Input V: f32 f16 f64 bf16.
/// Input attn_mask (optional): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input past_key (optional): f32 f16 f64 bf16.
/// Input past_value (optional): f32 f16 f64 bf16.
/// Input nonpad_kv_seqlen (optional): i64.
inline AttentionOutputs Attention(Builder& builder, Value Q, Value K, Value V, Value attn_mask = {}, Value past_key = {}, Value past_value = {}, Value nonpad_kv_seqlen = {}, const AttentionAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen};
  detail::trim(all);
  Attributes given;
  if (attributes.is_causal) given.emplace_back("is_causal", *attributes.is_causal);
  if (attributes.kv_num_heads) given.emplace_back("kv_num_heads", *attributes.kv_num_heads);
  if (attributes.left_window_size) given.emplace_back("left_window_size", *attributes.left_window_size);
  if (attributes.q_num_heads) given.emplace_back("q_num_heads", *attributes.q_num_heads);
  if (attributes.qk_matmul_output_mode) given.emplace_back("qk_matmul_output_mode", *attributes.qk_matmul_output_mode);
  if (attributes.right_window_size) given.emplace_back("right_window_size", *attributes.right_window_size);
  if (attributes.scale) given.emplace_back("scale", *attributes.scale);
  if (attributes.softcap) given.emplace_back("softcap", *attributes.softcap);
  if (attributes.softmax_precision) given.emplace_back("softmax_precision", *attributes.softmax_precision);
  std::vector<Value> out = builder.node("Attention", all, given, attributes.outputs, name);
  out.resize(4);
  return {out[0], out[1], out[2], out[3]};
}

/// The attributes of AveragePool().
struct AveragePoolAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<int64_t> ceil_mode = {};  ///< default 0, 0 to 1
  std::optional<int64_t> count_include_pad = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< required, 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// The mean under each position of a sliding window over X [N,C,D1,...]; with count_include_pad the
/// padding counts as zeros.
/// Input X: f32 f16 f64 bf16.
inline Value AveragePool(Builder& builder, Value X, const AveragePoolAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.ceil_mode) given.emplace_back("ceil_mode", *attributes.ceil_mode);
  if (attributes.count_include_pad) given.emplace_back("count_include_pad", *attributes.count_include_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("AveragePool", all, given, 1, name)[0];
}

/// The attributes of AveragePoolGrad().
struct AveragePoolGradAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<int64_t> ceil_mode = {};  ///< default 0, 0 to 1
  std::optional<int64_t> count_include_pad = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
  std::optional<int64_t> global = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> spatial_shape = {};  ///< 0 or more
};
/// Gradient of AveragePool (of GlobalAveragePool with 'global') with respect to X. The spatial dims
/// of X come from the attribute 'spatial_shape' or from the input 'shape', the shape of X.
/// Input dY: f32 f16 f64 bf16.
/// Input shape (optional): i64.
inline Value AveragePoolGrad(Builder& builder, Value dY, Value shape = {}, const AveragePoolGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dY, shape};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.ceil_mode) given.emplace_back("ceil_mode", *attributes.ceil_mode);
  if (attributes.count_include_pad) given.emplace_back("count_include_pad", *attributes.count_include_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  if (attributes.global) given.emplace_back("global", *attributes.global);
  if (attributes.spatial_shape) given.emplace_back("spatial_shape", *attributes.spatial_shape);
  return builder.node("percale:AveragePoolGrad", all, given, 1, name)[0];
}

/// The attributes of BatchMatMul().
struct BatchMatMulAttributes {
  std::optional<int64_t> transA = {};  ///< default 0, 0 to 1
  std::optional<int64_t> transB = {};  ///< default 0, 0 to 1
};
/// MatMul of operands of rank 2 or more, with the matrices of A or B transposed if the attributes
/// say so.
/// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
inline Value BatchMatMul(Builder& builder, Value A, Value B, const BatchMatMulAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  Attributes given;
  if (attributes.transA) given.emplace_back("transA", *attributes.transA);
  if (attributes.transB) given.emplace_back("transB", *attributes.transB);
  return builder.node("percale:BatchMatMul", all, given, 1, name)[0];
}

/// The attributes of BatchNormalization().
struct BatchNormalizationAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
  std::optional<double> momentum = {};  ///< default 0.9
  std::optional<int64_t> training_mode = {};  ///< default 0, 0 to 1
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of BatchNormalization(). Those that are not computed are empty.
struct BatchNormalizationOutputs {
  Value Y, running_mean, running_var;  ///< in the op's order
};
/// Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X [N,C,...]. In training mode,
/// mean and (biased) variance are those of the batch, and running_x = input_x * momentum +
/// batch_x * (1 - momentum).
/// Input X: f32 f16 f64 bf16.
/// Input scale: f32 f16 f64 bf16.
/// Input B: f32 f16 f64 bf16.
/// Input input_mean: f32 f16 f64 bf16.
/// Input input_var: f32 f16 f64 bf16.
inline BatchNormalizationOutputs BatchNormalization(Builder& builder, Value X, Value scale, Value B, Value input_mean, Value input_var, const BatchNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, scale, B, input_mean, input_var};
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.momentum) given.emplace_back("momentum", *attributes.momentum);
  if (attributes.training_mode) given.emplace_back("training_mode", *attributes.training_mode);
  std::vector<Value> out = builder.node("BatchNormalization", all, given, attributes.outputs, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of BatchNormalizationGrad().
struct BatchNormalizationGradAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
  std::optional<int64_t> training_mode = {};  ///< default 0, 0 to 1
};
/// The outputs of BatchNormalizationGrad(). Those that are not computed are empty.
struct BatchNormalizationGradOutputs {
  Value dX, dscale, dB;  ///< in the op's order
};
/// Gradients of BatchNormalization with respect to X, scale and B. In training mode the statistics
/// of the batch are recomputed from X and the gradient flows through them; otherwise they are the
/// inputs mean and var.
/// Input dY: f32 f16 f64 bf16.
/// Input X: f32 f16 f64 bf16.
/// Input scale: f32 f16 f64 bf16.
/// Input mean (optional): f32 f16 f64 bf16.
/// Input var (optional): f32 f16 f64 bf16.
/// No gradient.
inline BatchNormalizationGradOutputs BatchNormalizationGrad(Builder& builder, Value dY, Value X, Value scale, Value mean = {}, Value var = {}, const BatchNormalizationGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dY, X, scale, mean, var};
  detail::trim(all);
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.training_mode) given.emplace_back("training_mode", *attributes.training_mode);
  std::vector<Value> out = builder.node("percale:BatchNormalizationGrad", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of Bernoulli().
struct BernoulliAttributes {
  std::optional<int64_t> dtype = {};  ///< optional
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> seed = {};  ///< default 0
};
/// 1 with the probability that the input holds, otherwise 0, in the dtype of the input unless dtype
/// is given.
/// Input input: f32 f16 f64 bf16.
/// The gradient is zero.
inline Value Bernoulli(Builder& builder, Value input, const BernoulliAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  return builder.node("Bernoulli", all, given, 1, name)[0];
}

/// The attributes of BinaryCrossEntropyWithLogits().
struct BinaryCrossEntropyWithLogitsAttributes {
  std::optional<std::string> reduction = {};  ///< default "mean"
};
/// max(x, 0) - x * t + log(1 + exp(-|x|)) for logits x and targets t of the same shape, reduced by
/// `reduction`.
/// Input logits: f32 f16 f64 bf16.
/// Input targets: f32 f16 f64 bf16.
inline Value BinaryCrossEntropyWithLogits(Builder& builder, Value logits, Value targets, const BinaryCrossEntropyWithLogitsAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{logits, targets};
  Attributes given;
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("percale:BinaryCrossEntropyWithLogits", all, given, 1, name)[0];
}

/// The attributes of BitCast().
struct BitCastAttributes {
  std::optional<int64_t> to = {};  ///< required
};
/// Reinterprets the bits of each element as an element of dtype 'to', which must have the same
/// size.
/// Input input: 23 types.
/// No gradient.
inline Value BitCast(Builder& builder, Value input, const BitCastAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.to) given.emplace_back("to", *attributes.to);
  return builder.node("BitCast", all, given, 1, name)[0];
}

/// The attributes of BitShift().
struct BitShiftAttributes {
  std::optional<std::string> direction = {};  ///< required
};
/// X shifted LEFT or RIGHT by Y bits, broadcast. Zeros are shifted in; a shift by the number of
/// bits or more gives 0.
/// Input X: u8 u16 u32 u64.
/// Input Y: u8 u16 u32 u64.
/// No gradient.
inline Value BitShift(Builder& builder, Value X, Value Y, const BitShiftAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, Y};
  Attributes given;
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  return builder.node("BitShift", all, given, 1, name)[0];
}

/// Bitwise and of A and B, broadcast.
/// Input A: u8 i8 u16 i16 i32 i64 u32 u64.
/// Input B: u8 i8 u16 i16 i32 i64 u32 u64.
/// No gradient.
inline Value BitwiseAnd(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("BitwiseAnd", all, {}, 1, name)[0];
}

/// Inverts every bit of X.
/// Input X: u8 i8 u16 i16 i32 i64 u32 u64.
/// No gradient.
inline Value BitwiseNot(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("BitwiseNot", all, {}, 1, name)[0];
}

/// Bitwise or of A and B, broadcast.
/// Input A: u8 i8 u16 i16 i32 i64 u32 u64.
/// Input B: u8 i8 u16 i16 i32 i64 u32 u64.
/// No gradient.
inline Value BitwiseOr(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("BitwiseOr", all, {}, 1, name)[0];
}

/// Bitwise exclusive or of A and B, broadcast.
/// Input A: u8 i8 u16 i16 i32 i64 u32 u64.
/// Input B: u8 i8 u16 i16 i32 i64 u32 u64.
/// No gradient.
inline Value BitwiseXor(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("BitwiseXor", all, {}, 1, name)[0];
}

/// The attributes of BlackmanWindow().
struct BlackmanWindowAttributes {
  std::optional<int64_t> output_datatype = {};  ///< default 1
  std::optional<int64_t> periodic = {};  ///< default 1, 0 to 1
};
/// 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N) for n below size; N is size if periodic, else
/// size - 1.
/// Input size: i32 i64.
/// No gradient.
inline Value BlackmanWindow(Builder& builder, Value size, const BlackmanWindowAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{size};
  Attributes given;
  if (attributes.output_datatype) given.emplace_back("output_datatype", *attributes.output_datatype);
  if (attributes.periodic) given.emplace_back("periodic", *attributes.periodic);
  return builder.node("BlackmanWindow", all, given, 1, name)[0];
}

/// The attributes of Call().
struct CallAttributes {
  std::optional<std::string> function = {};  ///< required
};
/// Calls a function of the graph with the given inputs; the outputs are those of the function.
/// Input inputs (optional, any number): 26 types.
inline std::vector<Value> Call(Builder& builder, size_t outputs, Values inputs, const CallAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), inputs.begin(), inputs.end());
  Attributes given;
  if (attributes.function) given.emplace_back("function", FunctionName{*attributes.function});
  return builder.node("percale:Call", all, given, outputs, name);
}

/// The attributes of Cast().
struct CastAttributes {
  std::optional<int64_t> to = {};  ///< required
  std::optional<int64_t> saturate = {};  ///< default 1, 0 to 1
  std::optional<std::string> round_mode = {};  ///< default "up"
};
/// Converts the input to dtype `to`. Floats round to nearest; to integers they truncate towards
/// zero and saturate (NaN gives 0). Integers, and floats converted to 4- and 2-bit integers, wrap.
/// To bool, the result is x != 0. saturate and round_mode apply to float8 as in ONNX; values beyond
/// the range of f4e2m1 saturate at 6.
/// Input input: 23 types.
inline Value Cast(Builder& builder, Value input, const CastAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.to) given.emplace_back("to", *attributes.to);
  if (attributes.saturate) given.emplace_back("saturate", *attributes.saturate);
  if (attributes.round_mode) given.emplace_back("round_mode", *attributes.round_mode);
  return builder.node("Cast", all, given, 1, name)[0];
}

/// The attributes of CastLike().
struct CastLikeAttributes {
  std::optional<int64_t> saturate = {};  ///< default 1, 0 to 1
  std::optional<std::string> round_mode = {};  ///< default "up"
};
/// Converts the input to the dtype of the second operand, as Cast does.
/// Input input: 23 types.
/// Input target_type: 23 types.
inline Value CastLike(Builder& builder, Value input, Value target_type, const CastLikeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, target_type};
  Attributes given;
  if (attributes.saturate) given.emplace_back("saturate", *attributes.saturate);
  if (attributes.round_mode) given.emplace_back("round_mode", *attributes.round_mode);
  return builder.node("CastLike", all, given, 1, name)[0];
}

/// The least integer not below X.
/// Input X: f32 f16 f64 bf16.
/// The gradient is zero.
inline Value Ceil(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Ceil", all, {}, 1, name)[0];
}

/// The attributes of Celu().
struct CeluAttributes {
  std::optional<double> alpha = {};  ///< default 1
};
/// x where x > 0, otherwise alpha (exp(x / alpha) - 1).
/// Input X: f32 f16 f64 bf16.
inline Value Celu(Builder& builder, Value X, const CeluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  return builder.node("Celu", all, given, 1, name)[0];
}

/// The attributes of CenterCropPad().
struct CenterCropPadAttributes {
  std::optional<std::vector<int64_t>> axes = {};  ///< optional
};
/// The centre of the input along axes (default: all), cropped or padded with zeros to the dims in
/// shape. If the difference is odd, the extra element is at the end.
/// Input input_data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input shape: i32 i64.
inline Value CenterCropPad(Builder& builder, Value input_data, Value shape, const CenterCropPadAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input_data, shape};
  Attributes given;
  if (attributes.axes) given.emplace_back("axes", *attributes.axes);
  return builder.node("CenterCropPad", all, given, 1, name)[0];
}

/// The attributes of CheckNumerics().
struct CheckNumericsAttributes {
  std::optional<std::string> message = {};  ///< default ""
};
/// Returns X unchanged. An infinite or NaN element fails the run with `message`. The gradient is
/// checked in the same way.
/// Input X: f32 f16 f64 bf16.
inline Value CheckNumerics(Builder& builder, Value X, const CheckNumericsAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.message) given.emplace_back("message", *attributes.message);
  return builder.node("percale:CheckNumerics", all, given, 1, name)[0];
}

/// The lower triangular L with L L^T = X for each symmetric matrix [..., n, n] of X. Only the lower
/// triangle of X is read. A matrix that is not positive definite fails the run.
/// Input X: f32 f16 f64 bf16.
inline Value Cholesky(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("percale:Cholesky", all, {}, 1, name)[0];
}

/// min(max(X, min), max) with optional scalar limits; NaN stays NaN.
/// Input input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input min (optional): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input max (optional): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Clip(Builder& builder, Value input, Value min = {}, Value max = {}, const char* name = nullptr) {
  std::vector<Value> all{input, min, max};
  detail::trim(all);
  return builder.node("Clip", all, {}, 1, name)[0];
}

/// The cofactors of each matrix [..., n, n] of X, which may be singular: Y[i, j] = (-1)^(i+j) times
/// the determinant of X without row i and column j. Its gradient fails the run for a singular
/// matrix.
/// Input X: f32 f16 f64 bf16.
inline Value Cofactors(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("percale:Cofactors", all, {}, 1, name)[0];
}

/// The attributes of Col2Im().
struct Col2ImAttributes {
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// Sums columns [N, C * block, L] into images [N,C,D1,...] of image_shape: each column goes where a
/// sliding window of block_shape took it from. Integers wrap; bools are combined by or.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input image_shape: i64.
/// Input block_shape: i64.
/// No gradient.
inline Value Col2Im(Builder& builder, Value input, Value image_shape, Value block_shape, const Col2ImAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, image_shape, block_shape};
  Attributes given;
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("Col2Im", all, given, 1, name)[0];
}

/// The attributes of Compress().
struct CompressAttributes {
  std::optional<int64_t> axis = {};  ///< optional
};
/// The slices of the input along `axis`, or its elements without `axis`, where the condition is
/// true. The condition may be shorter than the axis.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input condition: bool.
inline Value Compress(Builder& builder, Value input, Value condition, const CompressAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, condition};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("Compress", all, given, 1, name)[0];
}

/// The attributes of Concat().
struct ConcatAttributes {
  std::optional<int64_t> axis = {};  ///< required
};
/// The inputs concatenated along `axis`.
/// Input inputs (any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
inline Value Concat(Builder& builder, Values inputs, const ConcatAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), inputs.begin(), inputs.end());
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("Concat", all, given, 1, name)[0];
}

/// The attributes of Constant().
struct ConstantAttributes {
  const Tensor* value = nullptr;  ///< optional
  std::optional<double> value_float = {};  ///< optional
  std::optional<std::vector<double>> value_floats = {};  ///< optional
  std::optional<int64_t> value_int = {};  ///< optional
  std::optional<std::vector<int64_t>> value_ints = {};  ///< optional
};
/// The value of its only attribute.
/// The gradient is zero.
inline Value Constant(Builder& builder, const ConstantAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.value) given.emplace_back("value", attributes.value);
  if (attributes.value_float) given.emplace_back("value_float", *attributes.value_float);
  if (attributes.value_floats) given.emplace_back("value_floats", *attributes.value_floats);
  if (attributes.value_int) given.emplace_back("value_int", *attributes.value_int);
  if (attributes.value_ints) given.emplace_back("value_ints", *attributes.value_ints);
  return builder.node("Constant", all, given, 1, name)[0];
}

/// The attributes of ConstantOfShape().
struct ConstantOfShapeAttributes {
  const Tensor* value = nullptr;  ///< optional
};
/// A tensor of the given shape, filled with `value` (default: an f32 zero).
/// Input input: i64.
/// The gradient is zero.
inline Value ConstantOfShape(Builder& builder, Value input, const ConstantOfShapeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.value) given.emplace_back("value", attributes.value);
  return builder.node("ConstantOfShape", all, given, 1, name)[0];
}

/// The attributes of Conv().
struct ConvAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<int64_t> group = {};  ///< default 1, 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// Convolution (cross-correlation) of images X [N,C,D1,...] with filters W [M,C/group,k1,...], plus
/// B [M] per output channel; 1 to 3 spatial dims.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
inline Value Conv(Builder& builder, Value X, Value W, Value B = {}, const ConvAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, B};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.group) given.emplace_back("group", *attributes.group);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("Conv", all, given, 1, name)[0];
}

/// The attributes of ConvGradInput().
struct ConvGradInputAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<int64_t> group = {};  ///< default 1, 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> spatial_shape = {};  ///< 0 or more
};
/// Gradient of Conv with respect to X, from dY and W. The spatial dims of X come from the attribute
/// 'spatial_shape' or from the input 'shape', the shape of X.
/// Input dY: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input shape (optional): i64.
inline Value ConvGradInput(Builder& builder, Value dY, Value W, Value shape = {}, const ConvGradInputAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dY, W, shape};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.group) given.emplace_back("group", *attributes.group);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  if (attributes.spatial_shape) given.emplace_back("spatial_shape", *attributes.spatial_shape);
  return builder.node("percale:ConvGradInput", all, given, 1, name)[0];
}

/// The attributes of ConvGradWeight().
struct ConvGradWeightAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<int64_t> group = {};  ///< default 1, 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of ConvGradWeight(). Those that are not computed are empty.
struct ConvGradWeightOutputs {
  Value dW, dB;  ///< in the op's order
};
/// Gradients of Conv with respect to W and B, from X and dY. The spatial dims of W come from the
/// attribute 'kernel_shape' or from the input 'shape', the shape of W.
/// Input X: f32 f16 f64 bf16.
/// Input dY: f32 f16 f64 bf16.
/// Input shape (optional): i64.
inline ConvGradWeightOutputs ConvGradWeight(Builder& builder, Value X, Value dY, Value shape = {}, const ConvGradWeightAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, dY, shape};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.group) given.emplace_back("group", *attributes.group);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  std::vector<Value> out = builder.node("percale:ConvGradWeight", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of ConvInteger().
struct ConvIntegerAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<int64_t> group = {};  ///< default 1, 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// Conv of x - x_zero_point and w - w_zero_point (one zero point, or one per filter), summed in
/// i32.
/// Input x: u8 i8.
/// Input w: u8 i8.
/// Input x_zero_point (optional): u8 i8.
/// Input w_zero_point (optional): u8 i8.
/// No gradient.
inline Value ConvInteger(Builder& builder, Value x, Value w, Value x_zero_point = {}, Value w_zero_point = {}, const ConvIntegerAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{x, w, x_zero_point, w_zero_point};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.group) given.emplace_back("group", *attributes.group);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("ConvInteger", all, given, 1, name)[0];
}

/// The attributes of ConvTranspose().
struct ConvTransposeAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<int64_t> group = {};  ///< default 1, 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> output_padding = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> output_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// Transposed convolution of X [N,C,D1,...] with filters W [C,M/group,k1,...], plus B [M]. It is
/// the gradient of Conv with respect to its input; output dim = stride * (in - 1) +
/// output_padding + (k - 1) * dilation + 1 - pads.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
inline Value ConvTranspose(Builder& builder, Value X, Value W, Value B = {}, const ConvTransposeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, B};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.group) given.emplace_back("group", *attributes.group);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.output_padding) given.emplace_back("output_padding", *attributes.output_padding);
  if (attributes.output_shape) given.emplace_back("output_shape", *attributes.output_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("ConvTranspose", all, given, 1, name)[0];
}

/// The cosine of X in radians.
/// Input X: f32 f16 f64 bf16.
inline Value Cos(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Cos", all, {}, 1, name)[0];
}

/// The hyperbolic cosine of the input.
/// Input input: f32 f16 f64 bf16.
inline Value Cosh(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Cosh", all, {}, 1, name)[0];
}

/// The attributes of CumProd().
struct CumProdAttributes {
  std::optional<int64_t> exclusive = {};  ///< default 0, 0 to 1
  std::optional<int64_t> reverse = {};  ///< default 0, 0 to 1
};
/// The product of the elements up to each element along an axis, including the element itself
/// unless exclusive is set.
/// Input x: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axis: i32 i64.
inline Value CumProd(Builder& builder, Value x, Value axis, const CumProdAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{x, axis};
  Attributes given;
  if (attributes.exclusive) given.emplace_back("exclusive", *attributes.exclusive);
  if (attributes.reverse) given.emplace_back("reverse", *attributes.reverse);
  return builder.node("CumProd", all, given, 1, name)[0];
}

/// The attributes of CumProdGrad().
struct CumProdGradAttributes {
  std::optional<int64_t> exclusive = {};  ///< default 0, 0 to 1
  std::optional<int64_t> reverse = {};  ///< default 0, 0 to 1
};
/// The gradient of CumProd with respect to x; correct if elements of x are 0, too.
/// Input grad: f32 f16 f64 bf16.
/// Input x: f32 f16 f64 bf16.
/// Input axis: i32 i64.
/// No gradient.
inline Value CumProdGrad(Builder& builder, Value grad, Value x, Value axis, const CumProdGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, x, axis};
  Attributes given;
  if (attributes.exclusive) given.emplace_back("exclusive", *attributes.exclusive);
  if (attributes.reverse) given.emplace_back("reverse", *attributes.reverse);
  return builder.node("percale:CumProdGrad", all, given, 1, name)[0];
}

/// The attributes of CumSum().
struct CumSumAttributes {
  std::optional<int64_t> exclusive = {};  ///< default 0, 0 to 1
  std::optional<int64_t> reverse = {};  ///< default 0, 0 to 1
};
/// The sum of the elements up to each element along an axis, including the element itself unless
/// exclusive is set.
/// Input x: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axis: i32 i64.
inline Value CumSum(Builder& builder, Value x, Value axis, const CumSumAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{x, axis};
  Attributes given;
  if (attributes.exclusive) given.emplace_back("exclusive", *attributes.exclusive);
  if (attributes.reverse) given.emplace_back("reverse", *attributes.reverse);
  return builder.node("CumSum", all, given, 1, name)[0];
}

/// The attributes of DFT().
struct DFTAttributes {
  std::optional<int64_t> inverse = {};  ///< default 0, 0 to 1
  std::optional<int64_t> onesided = {};  ///< default 0, 0 to 1
};
/// The discrete Fourier transform along an axis of [..., 1] real or [..., 2] complex numbers,
/// cropped or zero-padded to dft_length: sum of x[n] exp(-2 pi i k n / N). inverse: + in the
/// exponent, divided by N. onesided: the first half of the transform of a real input, or with
/// inverse the real output for such a half.
/// Input input: f32 f16 f64 bf16.
/// Input dft_length (optional): i32 i64.
/// Input axis (optional): i64.
inline Value DFT(Builder& builder, Value input, Value dft_length = {}, Value axis = {}, const DFTAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, dft_length, axis};
  detail::trim(all);
  Attributes given;
  if (attributes.inverse) given.emplace_back("inverse", *attributes.inverse);
  if (attributes.onesided) given.emplace_back("onesided", *attributes.onesided);
  return builder.node("DFT", all, given, 1, name)[0];
}

/// The attributes of DepthToSpace().
struct DepthToSpaceAttributes {
  std::optional<int64_t> blocksize = {};  ///< required, 1 to 2048
  std::optional<std::string> mode = {};  ///< default "DCR"
};
/// Moves channels of [N,C,H,W] into blocks of blocksize * blocksize pixels. The position in the
/// block is the outer part (mode DCR) or the inner part (CRD) of the channel index.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
inline Value DepthToSpace(Builder& builder, Value input, const DepthToSpaceAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.blocksize) given.emplace_back("blocksize", *attributes.blocksize);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  return builder.node("DepthToSpace", all, given, 1, name)[0];
}

/// The attributes of DequantizeLinear().
struct DequantizeLinearAttributes {
  std::optional<int64_t> axis = {};  ///< default 1
  std::optional<int64_t> block_size = {};  ///< default 0, 0 or more
  std::optional<int64_t> output_dtype = {};  ///< default 0
};
/// (x - x_zero_point) * x_scale. There is one scale and zero point for the whole tensor, one per
/// position along 'axis', or one per block of block_size along it.
/// Input x: 14 types.
/// Input x_scale: f32 f16 f64 bf16 f8e8m0.
/// Input x_zero_point (optional): 14 types.
inline Value DequantizeLinear(Builder& builder, Value x, Value x_scale, Value x_zero_point = {}, const DequantizeLinearAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{x, x_scale, x_zero_point};
  detail::trim(all);
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.block_size) given.emplace_back("block_size", *attributes.block_size);
  if (attributes.output_dtype) given.emplace_back("output_dtype", *attributes.output_dtype);
  return builder.node("DequantizeLinear", all, given, 1, name)[0];
}

/// The determinant of each matrix [..., n, n] of X.
/// Input X: f32 f16 f64 bf16.
inline Value Det(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Det", all, {}, 1, name)[0];
}

/// The attributes of DistinctSlices().
struct DistinctSlicesAttributes {
  std::optional<int64_t> axis = {};  ///< optional
  std::optional<int64_t> sorted = {};  ///< default 1, 0 to 1
};
/// The outputs of DistinctSlices(). Those that are not computed are empty.
struct DistinctSlicesOutputs {
  Value first, inverse, counts, number;  ///< in the op's order
};
/// The distinct slices of X as Unique orders them: the place of the first of each, then zeros; for
/// each slice of X the number of its group; the slices of each group, then zeros; the number of
/// groups.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline DistinctSlicesOutputs DistinctSlices(Builder& builder, Value X, const DistinctSlicesAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.sorted) given.emplace_back("sorted", *attributes.sorted);
  std::vector<Value> out = builder.node("percale:DistinctSlices", all, given, 4, name);
  out.resize(4);
  return {out[0], out[1], out[2], out[3]};
}

/// A / B, broadcast; integers truncate towards zero, and an integer zero in B is an error.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Div(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Div", all, {}, 1, name)[0];
}

/// The attributes of Dropout().
struct DropoutAttributes {
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<int64_t> seed = {};  ///< default 0
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of Dropout(). Those that are not computed are empty.
struct DropoutOutputs {
  Value output, mask;  ///< in the op's order
};
/// In training mode, each element is kept with probability 1 - ratio and divided by it, otherwise
/// set to zero; mask says which. Outside training mode, the data unchanged. ratio is in [0, 1], by
/// default 0.5.
/// Input data: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// Input ratio (optional): f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// Input training_mode (optional): bool.
inline DropoutOutputs Dropout(Builder& builder, Value data, Value ratio = {}, Value training_mode = {}, const DropoutAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, ratio, training_mode};
  detail::trim(all);
  Attributes given;
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  std::vector<Value> out = builder.node("Dropout", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The outputs of DynamicQuantizeLinear(). Those that are not computed are empty.
struct DynamicQuantizeLinearOutputs {
  Value y, y_scale, y_zero_point;  ///< in the op's order
};
/// x quantised to u8, with the scale and the zero point of its own value range, extended to include
/// 0.
/// Input x: f32.
/// No gradient.
inline DynamicQuantizeLinearOutputs DynamicQuantizeLinear(Builder& builder, Value x, const char* name = nullptr) {
  std::vector<Value> all{x};
  std::vector<Value> out = builder.node("DynamicQuantizeLinear", all, {}, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of Einsum().
struct EinsumAttributes {
  std::optional<std::string> equation = {};  ///< required
};
/// Multiplies the operands' elements and sums over all labels of 'equation' that the output does
/// not have, as numpy.einsum. An ellipsis stands for dims that broadcast.
/// Input Inputs (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Einsum(Builder& builder, Values Inputs, const EinsumAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), Inputs.begin(), Inputs.end());
  Attributes given;
  if (attributes.equation) given.emplace_back("equation", *attributes.equation);
  return builder.node("Einsum", all, given, 1, name)[0];
}

/// The attributes of Elu().
struct EluAttributes {
  std::optional<double> alpha = {};  ///< default 1
};
/// x where x > 0, otherwise alpha (exp(x) - 1).
/// Input X: f32 f16 f64 bf16.
inline Value Elu(Builder& builder, Value X, const EluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  return builder.node("Elu", all, given, 1, name)[0];
}

/// The attributes of EmbeddingBag().
struct EmbeddingBagAttributes {
  std::optional<std::string> mode = {};  ///< default "mean"
  std::optional<int64_t> padding_idx = {};  ///< default -1, -1 or more
  std::optional<int64_t> include_last_offset = {};  ///< default 0, 0 to 1
};
/// The sum, mean or maximum (`mode`) per bag of the rows of table [rows, width] that its indices
/// select: [bags, width], zeros for an empty bag (PyTorch's EmbeddingBag). Indices are [bags,
/// length], or [count] with the offset of the first index of each bag; with include_last_offset the
/// end of the last bag follows. With mode sum, each row is multiplied by its weight. Indices equal
/// to padding_idx are ignored (-1: none). Indices are in [0, rows).
/// Input table: f32 f16 f64 bf16.
/// Input indices (indices): i32 i64.
/// Input offsets (optional, indices): i32 i64.
/// Input per_sample_weights (optional): f32 f16 f64 bf16.
inline Value EmbeddingBag(Builder& builder, Value table, Value indices, Value offsets = {}, Value per_sample_weights = {}, const EmbeddingBagAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{table, indices, offsets, per_sample_weights};
  detail::trim(all);
  Attributes given;
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.padding_idx) given.emplace_back("padding_idx", *attributes.padding_idx);
  if (attributes.include_last_offset) given.emplace_back("include_last_offset", *attributes.include_last_offset);
  return builder.node("percale:EmbeddingBag", all, given, 1, name)[0];
}

/// The attributes of EmbeddingBagRows().
struct EmbeddingBagRowsAttributes {
  std::optional<std::string> mode = {};  ///< default "mean"
  std::optional<int64_t> padding_idx = {};  ///< default -1, -1 or more
  std::optional<int64_t> include_last_offset = {};  ///< default 0, 0 to 1
};
/// The gradient of EmbeddingBag with respect to the row that each index looked up: [count, width].
/// If rows tie for a maximum, the first receives the gradient. Padding receives zeros.
/// Input grad: f32 f16 f64 bf16.
/// Input table: f32 f16 f64 bf16.
/// Input indices (indices): i32 i64.
/// Input offsets (optional, indices): i32 i64.
/// Input per_sample_weights (optional): f32 f16 f64 bf16.
inline Value EmbeddingBagRows(Builder& builder, Value grad, Value table, Value indices, Value offsets = {}, Value per_sample_weights = {}, const EmbeddingBagRowsAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, table, indices, offsets, per_sample_weights};
  detail::trim(all);
  Attributes given;
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.padding_idx) given.emplace_back("padding_idx", *attributes.padding_idx);
  if (attributes.include_last_offset) given.emplace_back("include_last_offset", *attributes.include_last_offset);
  return builder.node("percale:EmbeddingBagRows", all, given, 1, name)[0];
}

/// A == B, broadcast; NaN is equal to nothing.
/// Input A: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value Equal(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Equal", all, {}, 1, name)[0];
}

/// The error function of X.
/// Input X: f32 f16 f64 bf16.
inline Value Erf(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Erf", all, {}, 1, name)[0];
}

/// e to the power X.
/// Input X: f32 f16 f64 bf16.
inline Value Exp(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Exp", all, {}, 1, name)[0];
}

/// The input broadcast with `shape`.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input shape: i64.
inline Value Expand(Builder& builder, Value input, Value shape, const char* name = nullptr) {
  std::vector<Value> all{input, shape};
  return builder.node("Expand", all, {}, 1, name)[0];
}

/// The attributes of EyeLike().
struct EyeLikeAttributes {
  std::optional<int64_t> dtype = {};  ///< optional
  std::optional<int64_t> k = {};  ///< default 0
};
/// A matrix of the input's shape, with ones on diagonal k and zeros elsewhere.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value EyeLike(Builder& builder, Value input, const EyeLikeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.k) given.emplace_back("k", *attributes.k);
  return builder.node("EyeLike", all, given, 1, name)[0];
}

/// The attributes of Flatten().
struct FlattenAttributes {
  std::optional<int64_t> axis = {};  ///< default 1
};
/// The input as a matrix: the dims before `axis` become its rows, the others its columns.
/// Input input: 23 types.
inline Value Flatten(Builder& builder, Value input, const FlattenAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("Flatten", all, given, 1, name)[0];
}

/// The greatest integer not above X.
/// Input X: f32 f16 f64 bf16.
/// The gradient is zero.
inline Value Floor(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Floor", all, {}, 1, name)[0];
}

/// The attributes of Fused().
struct FusedAttributes {
  std::optional<std::string> body = {};  ///< required
  std::optional<std::string> anchor = {};  ///< default ""
};
/// Calls its body, a function of plain ops, on the inputs. anchor names the op of the node that is
/// not elementwise, if there is one.
/// Input inputs (optional, any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// No gradient.
inline std::vector<Value> Fused(Builder& builder, size_t outputs, Values inputs, const FusedAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), inputs.begin(), inputs.end());
  Attributes given;
  if (attributes.body) given.emplace_back("body", FunctionName{*attributes.body});
  if (attributes.anchor) given.emplace_back("anchor", *attributes.anchor);
  return builder.node("percale:Fused", all, given, outputs, name);
}

/// The attributes of FusedAttention().
struct FusedAttentionAttributes {
  std::optional<int64_t> k_by_row = {};  ///< default 0, 0 to 1
  std::optional<int64_t> nan_is_zero = {};  ///< default 0, 0 to 1
  std::optional<int64_t> q_by_row = {};  ///< default 0, 0 to 1
  std::optional<double> scale = {};  ///< default 1
  std::optional<int64_t> v_by_row = {};  ///< default 0, 0 to 1
  std::optional<int64_t> y_by_row = {};  ///< default 0, 0 to 1
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of FusedAttention(). Those that are not computed are empty.
struct FusedAttentionOutputs {
  Value Y, statistics;  ///< in the op's order
};
/// softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is [batch,
/// heads, sequence, size] or, by row, [batch, sequence, heads, size]. Heads of Q may share heads of
/// K and V. With nan_is_zero, a NaN probability, as of a query without any key, becomes 0. The
/// softmax runs in the dtype of the mask. The statistics are, per query, the logarithm of the sum
/// of exp of its scores, in f32, or in f64 for f64 operands.
/// Input Q: f32 f16 f64 bf16.
/// Input K: f32 f16 f64 bf16.
/// Input V: f32 f16 f64 bf16.
/// Input mask (optional): f32 f16 f64 bf16.
inline FusedAttentionOutputs FusedAttention(Builder& builder, Value Q, Value K, Value V, Value mask = {}, const FusedAttentionAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{Q, K, V, mask};
  detail::trim(all);
  Attributes given;
  if (attributes.k_by_row) given.emplace_back("k_by_row", *attributes.k_by_row);
  if (attributes.nan_is_zero) given.emplace_back("nan_is_zero", *attributes.nan_is_zero);
  if (attributes.q_by_row) given.emplace_back("q_by_row", *attributes.q_by_row);
  if (attributes.scale) given.emplace_back("scale", *attributes.scale);
  if (attributes.v_by_row) given.emplace_back("v_by_row", *attributes.v_by_row);
  if (attributes.y_by_row) given.emplace_back("y_by_row", *attributes.y_by_row);
  std::vector<Value> out = builder.node("percale:FusedAttention", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of FusedAttentionGrad().
struct FusedAttentionGradAttributes {
  std::optional<int64_t> dy_by_row = {};  ///< default 0, 0 to 1
  std::optional<int64_t> k_by_row = {};  ///< default 0, 0 to 1
  std::optional<int64_t> q_by_row = {};  ///< default 0, 0 to 1
  std::optional<double> scale = {};  ///< default 1
  std::optional<int64_t> v_by_row = {};  ///< default 0, 0 to 1
  std::optional<int64_t> y_by_row = {};  ///< default 0, 0 to 1
};
/// The outputs of FusedAttentionGrad(). Those that are not computed are empty.
struct FusedAttentionGradOutputs {
  Value dQ, dK, dV;  ///< in the op's order
};
/// Gradients of FusedAttention with respect to Q, K and V, computed from the gradient of Y, from Y
/// and from the statistics (Dao et al. 2022). They have the layouts of Q, K and V. Shared heads and
/// nan_is_zero are not supported.
/// Input dY: f32 f16 f64 bf16.
/// Input Q: f32 f16 f64 bf16.
/// Input K: f32 f16 f64 bf16.
/// Input V: f32 f16 f64 bf16.
/// Input Y: f32 f16 f64 bf16.
/// Input statistics: f32 f16 f64 bf16.
/// Input mask (optional): f32 f16 f64 bf16.
/// No gradient.
inline FusedAttentionGradOutputs FusedAttentionGrad(Builder& builder, Value dY, Value Q, Value K, Value V, Value Y, Value statistics, Value mask = {}, const FusedAttentionGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dY, Q, K, V, Y, statistics, mask};
  detail::trim(all);
  Attributes given;
  if (attributes.dy_by_row) given.emplace_back("dy_by_row", *attributes.dy_by_row);
  if (attributes.k_by_row) given.emplace_back("k_by_row", *attributes.k_by_row);
  if (attributes.q_by_row) given.emplace_back("q_by_row", *attributes.q_by_row);
  if (attributes.scale) given.emplace_back("scale", *attributes.scale);
  if (attributes.v_by_row) given.emplace_back("v_by_row", *attributes.v_by_row);
  if (attributes.y_by_row) given.emplace_back("y_by_row", *attributes.y_by_row);
  std::vector<Value> out = builder.node("percale:FusedAttentionGrad", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// Rotary embedding X cos + T sin, where T is X with the second half of its last dim negated and
/// moved before the first half: rotates pairs of elements that are half a row apart (Su et al.
/// 2021).
/// Input X: f32 f16 f64 bf16.
/// Input cos: f32 f16 f64 bf16.
/// Input sin: f32 f16 f64 bf16.
inline Value FusedRotary(Builder& builder, Value X, Value cos, Value sin, const char* name = nullptr) {
  std::vector<Value> all{X, cos, sin};
  return builder.node("percale:FusedRotary", all, {}, 1, name)[0];
}

/// The attributes of GRU().
struct GRUAttributes {
  std::optional<std::vector<double>> activation_alpha = {};  ///< optional
  std::optional<std::vector<double>> activation_beta = {};  ///< optional
  std::optional<std::vector<std::string>> activations = {};  ///< optional
  std::optional<double> clip = {};  ///< 0 or more
  std::optional<std::string> direction = {};  ///< default "forward"
  std::optional<int64_t> hidden_size = {};  ///< 1 or more
  std::optional<int64_t> layout = {};  ///< default 0, 0 to 1
  std::optional<int64_t> linear_before_reset = {};  ///< default 0
  size_t outputs = 2;  ///< the number of outputs to compute
};
/// The outputs of GRU(). Those that are not computed are empty.
struct GRUOutputs {
  Value Y, Y_h;  ///< in the op's order
};
/// Gated recurrent unit over X [time,batch,input] (layout 1: batch first): z,r = f(X W^T + H R^T +
/// B), H = (1 - z) g(X W^T + (r H) R^T + B) + z H; with linear_before_reset, r (H R^T + B) replaces
/// (r H) R^T + B. W, R and B hold the gates in the order z,r,h.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input R: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
/// Input sequence_lens (optional, indices): i32.
/// Input initial_h (optional): f32 f16 f64 bf16.
inline GRUOutputs GRU(Builder& builder, Value X, Value W, Value R, Value B = {}, Value sequence_lens = {}, Value initial_h = {}, const GRUAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, R, B, sequence_lens, initial_h};
  detail::trim(all);
  Attributes given;
  if (attributes.activation_alpha) given.emplace_back("activation_alpha", *attributes.activation_alpha);
  if (attributes.activation_beta) given.emplace_back("activation_beta", *attributes.activation_beta);
  if (attributes.activations) given.emplace_back("activations", *attributes.activations);
  if (attributes.clip) given.emplace_back("clip", *attributes.clip);
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  if (attributes.hidden_size) given.emplace_back("hidden_size", *attributes.hidden_size);
  if (attributes.layout) given.emplace_back("layout", *attributes.layout);
  if (attributes.linear_before_reset) given.emplace_back("linear_before_reset", *attributes.linear_before_reset);
  std::vector<Value> out = builder.node("GRU", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of GRUGrad().
struct GRUGradAttributes {
  std::optional<std::vector<double>> activation_alpha = {};  ///< optional
  std::optional<std::vector<double>> activation_beta = {};  ///< optional
  std::optional<std::vector<std::string>> activations = {};  ///< optional
  std::optional<double> clip = {};  ///< 0 or more
  std::optional<std::string> direction = {};  ///< default "forward"
  std::optional<int64_t> hidden_size = {};  ///< 1 or more
  std::optional<int64_t> layout = {};  ///< default 0, 0 to 1
  std::optional<int64_t> linear_before_reset = {};  ///< default 0
  size_t outputs = 5;  ///< the number of outputs to compute
};
/// The outputs of GRUGrad(). Those that are not computed are empty.
struct GRUGradOutputs {
  Value dX, dW, dR, dB, dinitial_h;  ///< in the op's order
};
/// Gradients of GRU with respect to X, W, R, B and initial_h, from the inputs of GRU and the
/// gradients of its outputs. The forward pass is recomputed. The op has no gradient.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input R: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
/// Input sequence_lens (optional, indices): i32.
/// Input initial_h (optional): f32 f16 f64 bf16.
/// Input dY (optional): f32 f16 f64 bf16.
/// Input dY_h (optional): f32 f16 f64 bf16.
/// No gradient.
inline GRUGradOutputs GRUGrad(Builder& builder, Value X, Value W, Value R, Value B = {}, Value sequence_lens = {}, Value initial_h = {}, Value dY = {}, Value dY_h = {}, const GRUGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, R, B, sequence_lens, initial_h, dY, dY_h};
  detail::trim(all);
  Attributes given;
  if (attributes.activation_alpha) given.emplace_back("activation_alpha", *attributes.activation_alpha);
  if (attributes.activation_beta) given.emplace_back("activation_beta", *attributes.activation_beta);
  if (attributes.activations) given.emplace_back("activations", *attributes.activations);
  if (attributes.clip) given.emplace_back("clip", *attributes.clip);
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  if (attributes.hidden_size) given.emplace_back("hidden_size", *attributes.hidden_size);
  if (attributes.layout) given.emplace_back("layout", *attributes.layout);
  if (attributes.linear_before_reset) given.emplace_back("linear_before_reset", *attributes.linear_before_reset);
  std::vector<Value> out = builder.node("percale:GRUGrad", all, given, attributes.outputs, name);
  out.resize(5);
  return {out[0], out[1], out[2], out[3], out[4]};
}

/// The attributes of Gather().
struct GatherAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
};
/// The slices of data along `axis` that the indices select; negative indices count from the end.
/// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input indices (indices): i32 i64.
inline Value Gather(Builder& builder, Value data, Value indices, const GatherAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, indices};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("Gather", all, given, 1, name)[0];
}

/// The attributes of GatherElements().
struct GatherElementsAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
};
/// For each index, the element of data at the same position, with the coordinate along `axis`
/// replaced by the index.
/// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input indices (indices): i32 i64.
inline Value GatherElements(Builder& builder, Value data, Value indices, const GatherElementsAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, indices};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("GatherElements", all, given, 1, name)[0];
}

/// The attributes of GatherGrad().
struct GatherGradAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
};
/// The gradient of Gather with respect to data, of shape `shape`: slices of grad are summed at the
/// positions they were gathered from.
/// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input indices (indices): i32 i64.
/// Input shape: i64.
inline Value GatherGrad(Builder& builder, Value grad, Value indices, Value shape, const GatherGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, indices, shape};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("percale:GatherGrad", all, given, 1, name)[0];
}

/// The attributes of GatherND().
struct GatherNDAttributes {
  std::optional<int64_t> batch_dims = {};  ///< default 0, 0 to 8
};
/// The slices of data that tuples of indices select; the last dim of indices holds the tuples, and
/// negative indices count from the end.
/// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input indices (indices): i64.
inline Value GatherND(Builder& builder, Value data, Value indices, const GatherNDAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, indices};
  Attributes given;
  if (attributes.batch_dims) given.emplace_back("batch_dims", *attributes.batch_dims);
  return builder.node("GatherND", all, given, 1, name)[0];
}

/// The attributes of Gelu().
struct GeluAttributes {
  std::optional<std::string> approximate = {};  ///< default "none"
};
/// x / 2 (1 + erf(x / sqrt(2))); with approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x +
/// 0.044715 x^3))) (Hendrycks and Gimpel 2016).
/// Input X: f32 f16 f64 bf16.
inline Value Gelu(Builder& builder, Value X, const GeluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.approximate) given.emplace_back("approximate", *attributes.approximate);
  return builder.node("Gelu", all, given, 1, name)[0];
}

/// The attributes of Gemm().
struct GemmAttributes {
  std::optional<double> alpha = {};  ///< default 1
  std::optional<double> beta = {};  ///< default 1
  std::optional<int64_t> transA = {};  ///< default 0
  std::optional<int64_t> transB = {};  ///< default 0
};
/// Y = alpha * A' * B' + beta * C for matrices; A' and B' are A and B, transposed if transA or
/// transB is set, and C broadcasts to Y.
/// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input C (optional): f32 i32 i64 f16 f64 u32 u64 bf16.
inline Value Gemm(Builder& builder, Value A, Value B, Value C = {}, const GemmAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{A, B, C};
  detail::trim(all);
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  if (attributes.beta) given.emplace_back("beta", *attributes.beta);
  if (attributes.transA) given.emplace_back("transA", *attributes.transA);
  if (attributes.transB) given.emplace_back("transB", *attributes.transB);
  return builder.node("Gemm", all, given, 1, name)[0];
}

/// The mean of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
/// Input X: f32 f16 f64 bf16.
inline Value GlobalAveragePool(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("GlobalAveragePool", all, {}, 1, name)[0];
}

/// The attributes of GlobalLpPool().
struct GlobalLpPoolAttributes {
  std::optional<int64_t> p = {};  ///< default 2, 1 to 1048576
};
/// The p-norm of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
/// Input X: f32 f16 f64 bf16.
inline Value GlobalLpPool(Builder& builder, Value X, const GlobalLpPoolAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.p) given.emplace_back("p", *attributes.p);
  return builder.node("GlobalLpPool", all, given, 1, name)[0];
}

/// The largest element of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
/// Input X: f32 f16 f64 bf16.
inline Value GlobalMaxPool(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("GlobalMaxPool", all, {}, 1, name)[0];
}

/// A > B, broadcast.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value Greater(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Greater", all, {}, 1, name)[0];
}

/// A >= B, broadcast.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value GreaterOrEqual(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("GreaterOrEqual", all, {}, 1, name)[0];
}

/// The attributes of GridSample().
struct GridSampleAttributes {
  std::optional<int64_t> align_corners = {};  ///< default 0, 0 to 1
  std::optional<std::string> mode = {};  ///< default "linear"
  std::optional<std::string> padding_mode = {};  ///< default "zeros"
};
/// X [N,C,D1,...] sampled at the positions in grid [N,P1,...,rank], whose coordinates, last dim
/// first, run from -1 to 1 between the first and last elements (align_corners) or the edges.
/// Interpolation is nearest, linear or cubic (Keys 1981). Positions beyond the edges read zeros,
/// the edge or a reflection. 1 to 3 spatial dims.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input grid: f32 f16 f64 bf16.
inline Value GridSample(Builder& builder, Value X, Value grid, const GridSampleAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, grid};
  Attributes given;
  if (attributes.align_corners) given.emplace_back("align_corners", *attributes.align_corners);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.padding_mode) given.emplace_back("padding_mode", *attributes.padding_mode);
  return builder.node("GridSample", all, given, 1, name)[0];
}

/// The attributes of GridSampleGrad().
struct GridSampleGradAttributes {
  std::optional<int64_t> align_corners = {};  ///< default 0, 0 to 1
  std::optional<std::string> mode = {};  ///< default "linear"
  std::optional<std::string> padding_mode = {};  ///< default "zeros"
};
/// The outputs of GridSampleGrad(). Those that are not computed are empty.
struct GridSampleGradOutputs {
  Value dX, dgrid;  ///< in the op's order
};
/// The gradients of GridSample with respect to X and grid.
/// Input grad: f32 f16 f64 bf16.
/// Input X: f32 f16 f64 bf16.
/// Input grid: f32 f16 f64 bf16.
/// No gradient.
inline GridSampleGradOutputs GridSampleGrad(Builder& builder, Value grad, Value X, Value grid, const GridSampleGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, X, grid};
  Attributes given;
  if (attributes.align_corners) given.emplace_back("align_corners", *attributes.align_corners);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.padding_mode) given.emplace_back("padding_mode", *attributes.padding_mode);
  std::vector<Value> out = builder.node("percale:GridSampleGrad", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of GroupNormalization().
struct GroupNormalizationAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
  std::optional<int64_t> num_groups = {};  ///< required, 1 or more
  std::optional<int64_t> stash_type = {};  ///< default 1
};
/// (X - mean) / sqrt(var + epsilon) * scale + bias, with mean and biased variance over each of
/// num_groups groups of channels, and one scale and bias per channel (Wu and He 2018). It is
/// computed in stash_type, or in f64 for f64 inputs.
/// Input X: f32 f16 f64 bf16.
/// Input scale: f32 f16 f64 bf16.
/// Input bias: f32 f16 f64 bf16.
inline Value GroupNormalization(Builder& builder, Value X, Value scale, Value bias, const GroupNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, scale, bias};
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.num_groups) given.emplace_back("num_groups", *attributes.num_groups);
  if (attributes.stash_type) given.emplace_back("stash_type", *attributes.stash_type);
  return builder.node("GroupNormalization", all, given, 1, name)[0];
}

/// The attributes of HammingWindow().
struct HammingWindowAttributes {
  std::optional<int64_t> output_datatype = {};  ///< default 1
  std::optional<int64_t> periodic = {};  ///< default 1, 0 to 1
};
/// 25/46 - 21/46 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
/// Input size: i32 i64.
/// No gradient.
inline Value HammingWindow(Builder& builder, Value size, const HammingWindowAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{size};
  Attributes given;
  if (attributes.output_datatype) given.emplace_back("output_datatype", *attributes.output_datatype);
  if (attributes.periodic) given.emplace_back("periodic", *attributes.periodic);
  return builder.node("HammingWindow", all, given, 1, name)[0];
}

/// The attributes of HannWindow().
struct HannWindowAttributes {
  std::optional<int64_t> output_datatype = {};  ///< default 1
  std::optional<int64_t> periodic = {};  ///< default 1, 0 to 1
};
/// 1/2 - 1/2 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
/// Input size: i32 i64.
/// No gradient.
inline Value HannWindow(Builder& builder, Value size, const HannWindowAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{size};
  Attributes given;
  if (attributes.output_datatype) given.emplace_back("output_datatype", *attributes.output_datatype);
  if (attributes.periodic) given.emplace_back("periodic", *attributes.periodic);
  return builder.node("HannWindow", all, given, 1, name)[0];
}

/// The attributes of HardSigmoid().
struct HardSigmoidAttributes {
  std::optional<double> alpha = {};  ///< default 0.2
  std::optional<double> beta = {};  ///< default 0.5
};
/// max(0, min(1, alpha X + beta)).
/// Input X: f32 f16 f64 bf16.
inline Value HardSigmoid(Builder& builder, Value X, const HardSigmoidAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  if (attributes.beta) given.emplace_back("beta", *attributes.beta);
  return builder.node("HardSigmoid", all, given, 1, name)[0];
}

/// X max(0, min(1, X / 6 + 1/2)).
/// Input X: f32 f16 f64 bf16.
inline Value HardSwish(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("HardSwish", all, {}, 1, name)[0];
}

/// The attributes of Hardmax().
struct HardmaxAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
};
/// 1 at the first greatest element along `axis`, 0 elsewhere.
/// Input input: f32 f16 f64 bf16.
/// The gradient is zero.
inline Value Hardmax(Builder& builder, Value input, const HardmaxAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("Hardmax", all, given, 1, name)[0];
}

/// The attributes of Huber().
struct HuberAttributes {
  std::optional<double> delta = {};  ///< default 1, 0 or more
  std::optional<std::string> reduction = {};  ///< default "mean"
};
/// With d = input - target, of the same shape: d^2 / 2 where |d| <= delta, otherwise delta * (|d| -
/// delta / 2); reduced by `reduction`.
/// Input input: f32 f16 f64 bf16.
/// Input target: f32 f16 f64 bf16.
inline Value Huber(Builder& builder, Value input, Value target, const HuberAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, target};
  Attributes given;
  if (attributes.delta) given.emplace_back("delta", *attributes.delta);
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("percale:Huber", all, given, 1, name)[0];
}

/// The input unchanged.
/// Input input: 23 types.
inline Value Identity(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Identity", all, {}, 1, name)[0];
}

/// The attributes of If().
struct IfAttributes {
  std::optional<std::string> then_branch = {};  ///< required
  std::optional<std::string> else_branch = {};  ///< required
};
/// Runs then_branch if cond is true, otherwise else_branch, on the captures; the outputs are the
/// outputs of that branch.
/// Input cond: bool.
/// Input captures (optional, any number): 26 types.
inline std::vector<Value> If(Builder& builder, size_t outputs, Value cond, Values captures, const IfAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{cond};
  all.insert(all.end(), captures.begin(), captures.end());
  Attributes given;
  if (attributes.then_branch) given.emplace_back("then_branch", FunctionName{*attributes.then_branch});
  if (attributes.else_branch) given.emplace_back("else_branch", FunctionName{*attributes.else_branch});
  return builder.node("If", all, given, outputs, name);
}

/// The attributes of InstanceNormalization().
struct InstanceNormalizationAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
};
/// (input - mean) / sqrt(var + epsilon) * scale + B, with mean and biased variance over each
/// channel of each image (Ulyanov et al. 2016).
/// Input input: f32 f16 f64 bf16.
/// Input scale: f32 f16 f64 bf16.
/// Input B: f32 f16 f64 bf16.
inline Value InstanceNormalization(Builder& builder, Value input, Value scale, Value B, const InstanceNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, scale, B};
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  return builder.node("InstanceNormalization", all, given, 1, name)[0];
}

/// The attributes of IsInf().
struct IsInfAttributes {
  std::optional<int64_t> detect_negative = {};  ///< default 1, 0 to 1
  std::optional<int64_t> detect_positive = {};  ///< default 1, 0 to 1
};
/// True where X is infinite, with a sign that detect_positive or detect_negative selects.
/// Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// The gradient is zero.
inline Value IsInf(Builder& builder, Value X, const IsInfAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.detect_negative) given.emplace_back("detect_negative", *attributes.detect_negative);
  if (attributes.detect_positive) given.emplace_back("detect_positive", *attributes.detect_positive);
  return builder.node("IsInf", all, given, 1, name)[0];
}

/// True where X is NaN.
/// Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// The gradient is zero.
inline Value IsNaN(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("IsNaN", all, {}, 1, name)[0];
}

/// The attributes of LRN().
struct LRNAttributes {
  std::optional<double> alpha = {};  ///< default 0.0001
  std::optional<double> beta = {};  ///< default 0.75
  std::optional<double> bias = {};  ///< default 1
  std::optional<int64_t> size = {};  ///< required, 1 or more
};
/// X / (bias + alpha / size * sum of squares over size neighbouring channels)^beta; channels beyond
/// the ends count as 0 (Krizhevsky et al. 2012).
/// Input X: f32 f16 f64 bf16.
inline Value LRN(Builder& builder, Value X, const LRNAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  if (attributes.beta) given.emplace_back("beta", *attributes.beta);
  if (attributes.bias) given.emplace_back("bias", *attributes.bias);
  if (attributes.size) given.emplace_back("size", *attributes.size);
  return builder.node("LRN", all, given, 1, name)[0];
}

/// The attributes of LSTM().
struct LSTMAttributes {
  std::optional<std::vector<double>> activation_alpha = {};  ///< optional
  std::optional<std::vector<double>> activation_beta = {};  ///< optional
  std::optional<std::vector<std::string>> activations = {};  ///< optional
  std::optional<double> clip = {};  ///< 0 or more
  std::optional<std::string> direction = {};  ///< default "forward"
  std::optional<int64_t> hidden_size = {};  ///< 1 or more
  std::optional<int64_t> input_forget = {};  ///< default 0, 0 to 1
  std::optional<int64_t> layout = {};  ///< default 0, 0 to 1
  size_t outputs = 3;  ///< the number of outputs to compute
};
/// The outputs of LSTM(). Those that are not computed are empty.
struct LSTMOutputs {
  Value Y, Y_h, Y_c;  ///< in the op's order
};
/// Long short-term memory over X [time,batch,input] (layout 1: batch first): i,o,f = f(X W^T + H
/// R^T + B + P C), C = f C + i g(X W^T + H R^T + B), H = o h(C). W, R and B hold the gates in the
/// order i,o,f,c.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input R: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
/// Input sequence_lens (optional, indices): i32.
/// Input initial_h (optional): f32 f16 f64 bf16.
/// Input initial_c (optional): f32 f16 f64 bf16.
/// Input P (optional): f32 f16 f64 bf16.
inline LSTMOutputs LSTM(Builder& builder, Value X, Value W, Value R, Value B = {}, Value sequence_lens = {}, Value initial_h = {}, Value initial_c = {}, Value P = {}, const LSTMAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, R, B, sequence_lens, initial_h, initial_c, P};
  detail::trim(all);
  Attributes given;
  if (attributes.activation_alpha) given.emplace_back("activation_alpha", *attributes.activation_alpha);
  if (attributes.activation_beta) given.emplace_back("activation_beta", *attributes.activation_beta);
  if (attributes.activations) given.emplace_back("activations", *attributes.activations);
  if (attributes.clip) given.emplace_back("clip", *attributes.clip);
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  if (attributes.hidden_size) given.emplace_back("hidden_size", *attributes.hidden_size);
  if (attributes.input_forget) given.emplace_back("input_forget", *attributes.input_forget);
  if (attributes.layout) given.emplace_back("layout", *attributes.layout);
  std::vector<Value> out = builder.node("LSTM", all, given, attributes.outputs, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of LSTMGrad().
struct LSTMGradAttributes {
  std::optional<std::vector<double>> activation_alpha = {};  ///< optional
  std::optional<std::vector<double>> activation_beta = {};  ///< optional
  std::optional<std::vector<std::string>> activations = {};  ///< optional
  std::optional<double> clip = {};  ///< 0 or more
  std::optional<std::string> direction = {};  ///< default "forward"
  std::optional<int64_t> hidden_size = {};  ///< 1 or more
  std::optional<int64_t> input_forget = {};  ///< default 0, 0 to 1
  std::optional<int64_t> layout = {};  ///< default 0, 0 to 1
  size_t outputs = 7;  ///< the number of outputs to compute
};
/// The outputs of LSTMGrad(). Those that are not computed are empty.
struct LSTMGradOutputs {
  Value dX, dW, dR, dB, dinitial_h, dinitial_c, dP;  ///< in the op's order
};
/// Gradients of LSTM with respect to X, W, R, B, initial_h, initial_c and P, from the inputs of
/// LSTM and the gradients of its outputs. The forward pass is recomputed. The op has no gradient.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input R: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
/// Input sequence_lens (optional, indices): i32.
/// Input initial_h (optional): f32 f16 f64 bf16.
/// Input initial_c (optional): f32 f16 f64 bf16.
/// Input P (optional): f32 f16 f64 bf16.
/// Input dY (optional): f32 f16 f64 bf16.
/// Input dY_h (optional): f32 f16 f64 bf16.
/// Input dY_c (optional): f32 f16 f64 bf16.
/// No gradient.
inline LSTMGradOutputs LSTMGrad(Builder& builder, Value X, Value W, Value R, Value B = {}, Value sequence_lens = {}, Value initial_h = {}, Value initial_c = {}, Value P = {}, Value dY = {}, Value dY_h = {}, Value dY_c = {}, const LSTMGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, R, B, sequence_lens, initial_h, initial_c, P, dY, dY_h, dY_c};
  detail::trim(all);
  Attributes given;
  if (attributes.activation_alpha) given.emplace_back("activation_alpha", *attributes.activation_alpha);
  if (attributes.activation_beta) given.emplace_back("activation_beta", *attributes.activation_beta);
  if (attributes.activations) given.emplace_back("activations", *attributes.activations);
  if (attributes.clip) given.emplace_back("clip", *attributes.clip);
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  if (attributes.hidden_size) given.emplace_back("hidden_size", *attributes.hidden_size);
  if (attributes.input_forget) given.emplace_back("input_forget", *attributes.input_forget);
  if (attributes.layout) given.emplace_back("layout", *attributes.layout);
  std::vector<Value> out = builder.node("percale:LSTMGrad", all, given, attributes.outputs, name);
  out.resize(7);
  return {out[0], out[1], out[2], out[3], out[4], out[5], out[6]};
}

/// The attributes of LayerNormalization().
struct LayerNormalizationAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
  std::optional<int64_t> stash_type = {};  ///< default 1
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of LayerNormalization(). Those that are not computed are empty.
struct LayerNormalizationOutputs {
  Value Y, Mean, InvStdDev;  ///< in the op's order
};
/// Y = (X - mean) / sqrt(var + epsilon) * Scale + B, with mean and biased variance over the dims
/// from 'axis' on. Mean and InvStdDev are f32, or f64 for f64 inputs.
/// Input X: f32 f16 f64 bf16.
/// Input Scale: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
inline LayerNormalizationOutputs LayerNormalization(Builder& builder, Value X, Value Scale, Value B = {}, const LayerNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, Scale, B};
  detail::trim(all);
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.stash_type) given.emplace_back("stash_type", *attributes.stash_type);
  std::vector<Value> out = builder.node("LayerNormalization", all, given, attributes.outputs, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of LayerNormalizationGrad().
struct LayerNormalizationGradAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
};
/// The outputs of LayerNormalizationGrad(). Those that are not computed are empty.
struct LayerNormalizationGradOutputs {
  Value dX, dScale, dB;  ///< in the op's order
};
/// Gradients of LayerNormalization with respect to X, Scale and B. The statistics are recomputed
/// from X.
/// Input dY: f32 f16 f64 bf16.
/// Input X: f32 f16 f64 bf16.
/// Input Scale: f32 f16 f64 bf16.
/// No gradient.
inline LayerNormalizationGradOutputs LayerNormalizationGrad(Builder& builder, Value dY, Value X, Value Scale, const LayerNormalizationGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dY, X, Scale};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  std::vector<Value> out = builder.node("percale:LayerNormalizationGrad", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of LeakyRelu().
struct LeakyReluAttributes {
  std::optional<double> alpha = {};  ///< default 0.01
};
/// X where X >= 0, otherwise alpha X.
/// Input X: f32 f16 f64 bf16.
inline Value LeakyRelu(Builder& builder, Value X, const LeakyReluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  return builder.node("LeakyRelu", all, given, 1, name)[0];
}

/// A < B, broadcast.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value Less(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Less", all, {}, 1, name)[0];
}

/// A <= B, broadcast.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value LessOrEqual(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("LessOrEqual", all, {}, 1, name)[0];
}

/// The natural logarithm of X.
/// Input X: f32 f16 f64 bf16.
inline Value Log(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Log", all, {}, 1, name)[0];
}

/// The attributes of LogSoftmax().
struct LogSoftmaxAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
};
/// x - log(sum of exp(x)) along `axis`.
/// Input input: f32 f16 f64 bf16.
inline Value LogSoftmax(Builder& builder, Value input, const LogSoftmaxAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("LogSoftmax", all, given, 1, name)[0];
}

/// The attributes of Loop().
struct LoopAttributes {
  std::optional<std::string> body = {};  ///< required
  std::optional<int64_t> num_carried = {};  ///< required, 0 to 1000000.0
  std::optional<int64_t> trip_limit = {};  ///< default 16777216, 0 or more
};
/// Runs body(trip, cond, carried..., captures...) -> (cond, carried..., scan...) at most M times
/// and while cond is true. The outputs are the last carried values and the scan values of all
/// trips, stacked. More than trip_limit trips are an error.
/// Input M (optional): i64.
/// Input cond (optional): bool.
/// Input carried_and_captures (optional, any number): 26 types.
inline std::vector<Value> Loop(Builder& builder, size_t outputs, Value M, Value cond, Values carried_and_captures, const LoopAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{M, cond};
  all.insert(all.end(), carried_and_captures.begin(), carried_and_captures.end());
  detail::trim(all);
  Attributes given;
  if (attributes.body) given.emplace_back("body", FunctionName{*attributes.body});
  if (attributes.num_carried) given.emplace_back("num_carried", *attributes.num_carried);
  if (attributes.trip_limit) given.emplace_back("trip_limit", *attributes.trip_limit);
  return builder.node("Loop", all, given, outputs, name);
}

/// The attributes of LpNormalization().
struct LpNormalizationAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
  std::optional<int64_t> p = {};  ///< default 2, 1 to 2
};
/// The input divided by its norm along `axis`: the sum of magnitudes (p = 1) or the root of the sum
/// of squares (p = 2). The result is 0 where the norm is 0.
/// Input input: f32 f16 f64 bf16.
inline Value LpNormalization(Builder& builder, Value input, const LpNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.p) given.emplace_back("p", *attributes.p);
  return builder.node("LpNormalization", all, given, 1, name)[0];
}

/// The attributes of LpPool().
struct LpPoolAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<int64_t> ceil_mode = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< required, 1 or more
  std::optional<int64_t> p = {};  ///< default 2, 1 to 1048576
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// The p-norm of the elements under each position of a sliding window over X [N,C,D1,...].
/// Input X: f32 f16 f64 bf16.
inline Value LpPool(Builder& builder, Value X, const LpPoolAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.ceil_mode) given.emplace_back("ceil_mode", *attributes.ceil_mode);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.p) given.emplace_back("p", *attributes.p);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("LpPool", all, given, 1, name)[0];
}

/// Matrix product as numpy.matmul: the last two dims are matrices, and the others broadcast. A
/// rank-1 operand is a row on the left, a column on the right.
/// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
inline Value MatMul(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("MatMul", all, {}, 1, name)[0];
}

/// MatMul of A - a_zero_point (one zero point, or one per row) and B - b_zero_point (one, or one
/// per column), summed in i32.
/// Input A: u8 i8.
/// Input B: u8 i8.
/// Input a_zero_point (optional): u8 i8.
/// Input b_zero_point (optional): u8 i8.
/// No gradient.
inline Value MatMulInteger(Builder& builder, Value A, Value B, Value a_zero_point = {}, Value b_zero_point = {}, const char* name = nullptr) {
  std::vector<Value> all{A, B, a_zero_point, b_zero_point};
  detail::trim(all);
  return builder.node("MatMulInteger", all, {}, 1, name)[0];
}

/// The attributes of MatrixInverse().
struct MatrixInverseAttributes {
  std::optional<int64_t> adjoint = {};  ///< default 0, 0 to 1
};
/// The inverse of each matrix [..., n, n] of X, transposed if `adjoint` is set. A matrix with a
/// pivot of exactly zero is singular and fails the run.
/// Input X: f32 f16 f64 bf16.
inline Value MatrixInverse(Builder& builder, Value X, const MatrixInverseAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.adjoint) given.emplace_back("adjoint", *attributes.adjoint);
  return builder.node("percale:MatrixInverse", all, given, 1, name)[0];
}

/// The greatest of the operands, broadcast; NaN if any operand is NaN.
/// Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Max(Builder& builder, Values data, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), data.begin(), data.end());
  return builder.node("Max", all, {}, 1, name)[0];
}

/// The attributes of MaxPool().
struct MaxPoolAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<int64_t> ceil_mode = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< required, 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<int64_t> storage_order = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of MaxPool(). Those that are not computed are empty.
struct MaxPoolOutputs {
  Value Y, Indices;  ///< in the op's order
};
/// The largest element under each position of a sliding window over X [N,C,D1,...]. Padding never
/// wins; NaN always wins. Indices are positions in X as a flat tensor, -1 where a window has no
/// element.
/// Input X: f32 u8 i8 f16 f64 bf16.
inline MaxPoolOutputs MaxPool(Builder& builder, Value X, const MaxPoolAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.ceil_mode) given.emplace_back("ceil_mode", *attributes.ceil_mode);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.storage_order) given.emplace_back("storage_order", *attributes.storage_order);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  std::vector<Value> out = builder.node("MaxPool", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of MaxPoolGrad().
struct MaxPoolGradAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<int64_t> ceil_mode = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
  std::optional<int64_t> global = {};  ///< default 0, 0 to 1
};
/// Gradient of MaxPool (of GlobalMaxPool with 'global') with respect to X: each element of dY goes
/// to the first largest element of its window.
/// Input dY: f32 f16 f64 bf16.
/// Input X: f32 f16 f64 bf16.
inline Value MaxPoolGrad(Builder& builder, Value dY, Value X, const MaxPoolGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dY, X};
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.ceil_mode) given.emplace_back("ceil_mode", *attributes.ceil_mode);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  if (attributes.global) given.emplace_back("global", *attributes.global);
  return builder.node("percale:MaxPoolGrad", all, given, 1, name)[0];
}

/// The attributes of MaxRoiPool().
struct MaxRoiPoolAttributes {
  std::optional<std::vector<int64_t>> pooled_shape = {};  ///< required
  std::optional<double> spatial_scale = {};  ///< default 1
};
/// The largest element in each bin of regions (image, x1, y1, x2, y2), whose corners times
/// spatial_scale are rounded to elements (Girshick 2015); 0 for an empty bin.
/// Input X: f32 f16 f64 bf16.
/// Input rois: f32 f16 f64 bf16.
/// No gradient.
inline Value MaxRoiPool(Builder& builder, Value X, Value rois, const MaxRoiPoolAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, rois};
  Attributes given;
  if (attributes.pooled_shape) given.emplace_back("pooled_shape", *attributes.pooled_shape);
  if (attributes.spatial_scale) given.emplace_back("spatial_scale", *attributes.spatial_scale);
  return builder.node("MaxRoiPool", all, given, 1, name)[0];
}

/// The attributes of MaxUnpool().
struct MaxUnpoolAttributes {
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< required, 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// Zeros, with each element of X at the position that I gives. I are the indices of a MaxPool.
/// output_shape may be larger than the shape that the window implies.
/// Input X: f32 f16 f64 bf16.
/// Input I (indices): i64.
/// Input output_shape (optional): i64.
inline Value MaxUnpool(Builder& builder, Value X, Value I_, Value output_shape = {}, const MaxUnpoolAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, I_, output_shape};
  detail::trim(all);
  Attributes given;
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("MaxUnpool", all, given, 1, name)[0];
}

/// The mean of the operands, broadcast; they are summed from left to right.
/// Input data (any number): f32 f16 f64 bf16.
inline Value Mean(Builder& builder, Values data, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), data.begin(), data.end());
  return builder.node("Mean", all, {}, 1, name)[0];
}

/// The attributes of MeanVarianceNormalization().
struct MeanVarianceNormalizationAttributes {
  std::optional<std::vector<int64_t>> axes = {};  ///< optional
};
/// (X - mean) / (standard deviation + 1e-9) over axes, by default [0, 2, 3].
/// Input X: f32 f16 f64 bf16.
inline Value MeanVarianceNormalization(Builder& builder, Value X, const MeanVarianceNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.axes) given.emplace_back("axes", *attributes.axes);
  return builder.node("MeanVarianceNormalization", all, given, 1, name)[0];
}

/// The attributes of MelWeightMatrix().
struct MelWeightMatrixAttributes {
  std::optional<int64_t> output_datatype = {};  ///< default 1, 1 to 27
};
/// Triangular mel filters over the bins of a onesided DFT, one column per band: evenly spaced in
/// mel = 2595 log10(1 + f / 700), with peaks of 1.
/// Input num_mel_bins: i32 i64.
/// Input dft_length: i32 i64.
/// Input sample_rate: i32 i64.
/// Input lower_edge_hertz: f32 f16 f64 bf16.
/// Input upper_edge_hertz: f32 f16 f64 bf16.
/// No gradient.
inline Value MelWeightMatrix(Builder& builder, Value num_mel_bins, Value dft_length, Value sample_rate, Value lower_edge_hertz, Value upper_edge_hertz, const MelWeightMatrixAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz};
  Attributes given;
  if (attributes.output_datatype) given.emplace_back("output_datatype", *attributes.output_datatype);
  return builder.node("MelWeightMatrix", all, given, 1, name)[0];
}

/// The least of the operands, broadcast; NaN if any operand is NaN.
/// Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Min(Builder& builder, Values data, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), data.begin(), data.end());
  return builder.node("Min", all, {}, 1, name)[0];
}

/// x tanh(log(1 + exp(x))) (Misra 2019).
/// Input X: f32 f16 f64 bf16.
inline Value Mish(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Mish", all, {}, 1, name)[0];
}

/// The attributes of Mod().
struct ModAttributes {
  std::optional<int64_t> fmod = {};  ///< default 0, 0 to 1
};
/// The remainder of A / B, broadcast. It has the sign of B, or with fmod = 1 the sign of A; floats
/// require fmod = 1.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Mod(Builder& builder, Value A, Value B, const ModAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  Attributes given;
  if (attributes.fmod) given.emplace_back("fmod", *attributes.fmod);
  return builder.node("Mod", all, given, 1, name)[0];
}

/// A * B, broadcast; integers wrap.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Mul(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Mul", all, {}, 1, name)[0];
}

/// The attributes of Multinomial().
struct MultinomialAttributes {
  std::optional<int64_t> dtype = {};  ///< default 6
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<int64_t> sample_size = {};  ///< default 1, 1 or more
  std::optional<double> seed = {};  ///< default 0
};
/// Draws sample_size classes for each row of [batch, classes], which holds unnormalised
/// log-probabilities.
/// Input input: f32 f16 f64 bf16.
/// The gradient is zero.
inline Value Multinomial(Builder& builder, Value input, const MultinomialAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.sample_size) given.emplace_back("sample_size", *attributes.sample_size);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  return builder.node("Multinomial", all, given, 1, name)[0];
}

/// The attributes of MutexLock().
struct MutexLockAttributes {
  std::optional<std::string> mutex = {};  ///< required
};
/// Locks a mutex until the run ends, successfully or not; waits while another run holds it. Later
/// nodes see the variables as last published, so reading and assigning under one mutex loses no
/// update.
/// No gradient.
inline void MutexLock(Builder& builder, const MutexLockAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.mutex) given.emplace_back("mutex", *attributes.mutex);
  builder.node("percale:MutexLock", all, given, 0, name);
}

/// -X; integers wrap.
/// Input X: f32 i8 i16 i32 i64 f16 f64 bf16.
inline Value Neg(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Neg", all, {}, 1, name)[0];
}

/// The attributes of NegativeLogLikelihoodGrad().
struct NegativeLogLikelihoodGradAttributes {
  std::optional<int64_t> ignore_index = {};  ///< optional
  std::optional<std::string> reduction = {};  ///< default "mean"
};
/// Gradient of NegativeLogLikelihoodLoss with respect to input: -dloss * weight[target] at the
/// target, zero elsewhere. It is divided by the sum of the weights used if the loss is a mean.
/// Input dloss: f32 f16 f64 bf16.
/// Input input: f32 f16 f64 bf16.
/// Input target (indices): i32 i64.
/// Input weight (optional): f32 f16 f64 bf16.
/// No gradient.
inline Value NegativeLogLikelihoodGrad(Builder& builder, Value dloss, Value input, Value target, Value weight = {}, const NegativeLogLikelihoodGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dloss, input, target, weight};
  detail::trim(all);
  Attributes given;
  if (attributes.ignore_index) given.emplace_back("ignore_index", *attributes.ignore_index);
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("percale:NegativeLogLikelihoodGrad", all, given, 1, name)[0];
}

/// The attributes of NegativeLogLikelihoodLoss().
struct NegativeLogLikelihoodLossAttributes {
  std::optional<int64_t> ignore_index = {};  ///< optional
  std::optional<std::string> reduction = {};  ///< default "mean"
};
/// -weight[target] * input[target] over axis 1 of input [N,C,D1,...], for target [N,D1,...]. The
/// mean divides by the sum of the weights used. Targets equal to ignore_index are ignored.
/// Input input: f32 f16 f64 bf16.
/// Input target (indices): i32 i64.
/// Input weight (optional): f32 f16 f64 bf16.
inline Value NegativeLogLikelihoodLoss(Builder& builder, Value input, Value target, Value weight = {}, const NegativeLogLikelihoodLossAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, target, weight};
  detail::trim(all);
  Attributes given;
  if (attributes.ignore_index) given.emplace_back("ignore_index", *attributes.ignore_index);
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("NegativeLogLikelihoodLoss", all, given, 1, name)[0];
}

/// The attributes of NonMaxSuppression().
struct NonMaxSuppressionAttributes {
  std::optional<int64_t> center_point_box = {};  ///< default 0, 0 to 1
};
/// Rows (batch, class, box) of the boxes with scores above score_threshold, by descending score in
/// each class. A box is dropped if its intersection over union with a better one is above
/// iou_threshold.
/// Input boxes: f32.
/// Input scores: f32.
/// Input max_output_boxes_per_class (optional): i64.
/// Input iou_threshold (optional): f32.
/// Input score_threshold (optional): f32.
/// No gradient.
inline Value NonMaxSuppression(Builder& builder, Value boxes, Value scores, Value max_output_boxes_per_class = {}, Value iou_threshold = {}, Value score_threshold = {}, const NonMaxSuppressionAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold};
  detail::trim(all);
  Attributes given;
  if (attributes.center_point_box) given.emplace_back("center_point_box", *attributes.center_point_box);
  return builder.node("NonMaxSuppression", all, given, 1, name)[0];
}

/// The coordinates of the n nonzero elements of X, in row-major order, as [rank, n]; NaN counts as
/// nonzero.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value NonZero(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("NonZero", all, {}, 1, name)[0];
}

/// The outputs of NonZeroPlaces(). Those that are not computed are empty.
struct NonZeroPlacesOutputs {
  Value places, number;  ///< in the op's order
};
/// The places of the nonzero elements of X in row-major order, ascending and then zeros, and their
/// number.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline NonZeroPlacesOutputs NonZeroPlaces(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  std::vector<Value> out = builder.node("percale:NonZeroPlaces", all, {}, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// Logical not of X.
/// Input X: bool.
/// The gradient is zero.
inline Value Not(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Not", all, {}, 1, name)[0];
}

/// The attributes of OneHot().
struct OneHotAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
};
/// One-hot vectors of size depth along a new dim `axis`: values[1] at the index (negative indices
/// count from the end), values[0] elsewhere. An index out of range gives values[0] everywhere.
/// Input indices (indices): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input depth: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input values: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value OneHot(Builder& builder, Value indices, Value depth, Value values, const OneHotAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{indices, depth, values};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("OneHot", all, given, 1, name)[0];
}

/// Logical or of A and B, broadcast.
/// Input A: bool.
/// Input B: bool.
/// The gradient is zero.
inline Value Or(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Or", all, {}, 1, name)[0];
}

/// X where X >= 0, otherwise slope * X; slope broadcasts to X (He et al. 2015).
/// Input X: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input slope: f32 i32 i64 f16 f64 u32 u64 bf16.
inline Value PRelu(Builder& builder, Value X, Value slope, const char* name = nullptr) {
  std::vector<Value> all{X, slope};
  return builder.node("PRelu", all, {}, 1, name)[0];
}

/// The attributes of Pad().
struct PadAttributes {
  std::optional<std::string> mode = {};  ///< default "constant"
};
/// Pads data before and after its dims, with a constant, reflected data, its edge, or data wrapped
/// around. Negative pads crop.
/// Input data: 23 types.
/// Input pads: i64.
/// Input constant_value (optional): 23 types.
/// Input axes (optional): i32 i64.
inline Value Pad(Builder& builder, Value data, Value pads, Value constant_value = {}, Value axes = {}, const PadAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, pads, constant_value, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  return builder.node("Pad", all, given, 1, name)[0];
}

/// The attributes of PadGrad().
struct PadGradAttributes {
  std::optional<std::string> mode = {};  ///< default "constant"
};
/// The gradient of Pad with respect to data, of shape `shape`: each element of grad is added to the
/// element that Pad read.
/// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input pads: i64.
/// Input shape: i64.
/// Input axes (optional): i32 i64.
inline Value PadGrad(Builder& builder, Value grad, Value pads, Value shape, Value axes = {}, const PadGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, pads, shape, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  return builder.node("percale:PadGrad", all, given, 1, name)[0];
}

/// The attributes of PercaleRandomNormal().
struct PercaleRandomNormalAttributes {
  std::optional<int64_t> dtype = {};  ///< default 1
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> mean = {};  ///< default 0
  std::optional<double> scale = {};  ///< default 1
  std::optional<int64_t> seed = {};  ///< default 0
};
/// Normally distributed random numbers, of a given shape.
/// Input shape: i64.
/// The gradient is zero.
inline Value PercaleRandomNormal(Builder& builder, Value shape, const PercaleRandomNormalAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{shape};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.mean) given.emplace_back("mean", *attributes.mean);
  if (attributes.scale) given.emplace_back("scale", *attributes.scale);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  return builder.node("percale:RandomNormal", all, given, 1, name)[0];
}

/// The attributes of PercaleRandomUniform().
struct PercaleRandomUniformAttributes {
  std::optional<int64_t> dtype = {};  ///< default 1
  std::optional<double> high = {};  ///< default 1
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> low = {};  ///< default 0
  std::optional<int64_t> seed = {};  ///< default 0
};
/// Uniformly distributed random numbers in [low, high), of a given shape.
/// Input shape: i64.
/// The gradient is zero.
inline Value PercaleRandomUniform(Builder& builder, Value shape, const PercaleRandomUniformAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{shape};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.high) given.emplace_back("high", *attributes.high);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.low) given.emplace_back("low", *attributes.low);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  return builder.node("percale:RandomUniform", all, given, 1, name)[0];
}

/// X to the power Y, broadcast, in the dtype of X; integers wrap.
/// Input X: f32 i32 i64 f16 f64 bf16.
/// Input Y: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Pow(Builder& builder, Value X, Value Y, const char* name = nullptr) {
  std::vector<Value> all{X, Y};
  return builder.node("Pow", all, {}, 1, name)[0];
}

/// The attributes of Print().
struct PrintAttributes {
  std::optional<std::string> message = {};  ///< default ""
  std::optional<int64_t> summarize = {};  ///< default 3, -1 or more
};
/// Returns X unchanged and logs its first `summarize` elements (-1: as many as fit on a line),
/// after `message`, through the engine's log callback at level info.
/// Input X: 23 types.
inline Value Print(Builder& builder, Value X, const PrintAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.message) given.emplace_back("message", *attributes.message);
  if (attributes.summarize) given.emplace_back("summarize", *attributes.summarize);
  return builder.node("percale:Print", all, given, 1, name)[0];
}

/// The attributes of QLinearConv().
struct QLinearConvAttributes {
  std::optional<std::string> auto_pad = {};  ///< default "NOTSET"
  std::optional<std::vector<int64_t>> dilations = {};  ///< 1 or more
  std::optional<int64_t> group = {};  ///< default 1, 1 or more
  std::optional<std::vector<int64_t>> kernel_shape = {};  ///< 1 or more
  std::optional<std::vector<int64_t>> pads = {};  ///< 0 or more
  std::optional<std::vector<int64_t>> strides = {};  ///< 1 or more
};
/// Conv of quantised x and w plus B, quantised by y_scale and y_zero_point. Scales and zero points
/// are single values; those of w may be one per filter. B is i32 with the scale x_scale * w_scale.
/// Input x: u8 i8.
/// Input x_scale: f32.
/// Input x_zero_point: u8 i8.
/// Input w: u8 i8.
/// Input w_scale: f32.
/// Input w_zero_point: u8 i8.
/// Input y_scale: f32.
/// Input y_zero_point: u8 i8.
/// Input B (optional): i32.
/// The gradient is zero.
inline Value QLinearConv(Builder& builder, Value x, Value x_scale, Value x_zero_point, Value w, Value w_scale, Value w_zero_point, Value y_scale, Value y_zero_point, Value B = {}, const QLinearConvAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B};
  detail::trim(all);
  Attributes given;
  if (attributes.auto_pad) given.emplace_back("auto_pad", *attributes.auto_pad);
  if (attributes.dilations) given.emplace_back("dilations", *attributes.dilations);
  if (attributes.group) given.emplace_back("group", *attributes.group);
  if (attributes.kernel_shape) given.emplace_back("kernel_shape", *attributes.kernel_shape);
  if (attributes.pads) given.emplace_back("pads", *attributes.pads);
  if (attributes.strides) given.emplace_back("strides", *attributes.strides);
  return builder.node("QLinearConv", all, given, 1, name)[0];
}

/// MatMul of quantised a and b, quantised by y_scale and y_zero_point. A vector of scales or zero
/// points holds one per row of a and y, or one per column of b.
/// Input a: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// Input a_scale: f32 f16 bf16.
/// Input a_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// Input b: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// Input b_scale: f32 f16 bf16.
/// Input b_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// Input y_scale: f32 f16 bf16.
/// Input y_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
/// The gradient is zero.
inline Value QLinearMatMul(Builder& builder, Value a, Value a_scale, Value a_zero_point, Value b, Value b_scale, Value b_zero_point, Value y_scale, Value y_zero_point, const char* name = nullptr) {
  std::vector<Value> all{a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point};
  return builder.node("QLinearMatMul", all, {}, 1, name)[0];
}

/// The attributes of QuantizeLinear().
struct QuantizeLinearAttributes {
  std::optional<int64_t> axis = {};  ///< default 1
  std::optional<int64_t> block_size = {};  ///< default 0, 0 or more
  std::optional<int64_t> output_dtype = {};  ///< default 0
  std::optional<int64_t> precision = {};  ///< default 0
  std::optional<int64_t> saturate = {};  ///< default 1, 0 to 1
};
/// x / y_scale rounded to nearest (ties to even) + y_zero_point, saturated to the range of the
/// dtype. Scale and zero point are as in DequantizeLinear; saturate applies to float8 as in Cast.
/// Input x: f32 i32 f16 f64 bf16.
/// Input y_scale: f32 i32 f16 f64 bf16 f8e8m0.
/// Input y_zero_point (optional): u8 i8 u16 i16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz u4 i4 f4e2m1
/// u2 i2.
/// The gradient is zero.
inline Value QuantizeLinear(Builder& builder, Value x, Value y_scale, Value y_zero_point = {}, const QuantizeLinearAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{x, y_scale, y_zero_point};
  detail::trim(all);
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.block_size) given.emplace_back("block_size", *attributes.block_size);
  if (attributes.output_dtype) given.emplace_back("output_dtype", *attributes.output_dtype);
  if (attributes.precision) given.emplace_back("precision", *attributes.precision);
  if (attributes.saturate) given.emplace_back("saturate", *attributes.saturate);
  return builder.node("QuantizeLinear", all, given, 1, name)[0];
}

/// The attributes of QueueClose().
struct QueueCloseAttributes {
  std::optional<std::string> queue = {};  ///< required
  std::optional<int64_t> cancel_pending_enqueues = {};  ///< default 0, 0 to 1
};
/// Closes a queue at the end of this run; it then accepts no new elements. Enqueues that are
/// already waiting still complete, or fail with CANCELLED if cancel_pending_enqueues is 1. Elements
/// in the queue can still be dequeued.
/// No gradient.
inline void QueueClose(Builder& builder, const QueueCloseAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.queue) given.emplace_back("queue", *attributes.queue);
  if (attributes.cancel_pending_enqueues) given.emplace_back("cancel_pending_enqueues", *attributes.cancel_pending_enqueues);
  builder.node("percale:QueueClose", all, given, 0, name);
}

/// The attributes of QueueDequeue().
struct QueueDequeueAttributes {
  std::optional<std::string> queue = {};  ///< required
  std::optional<int64_t> capacity = {};  ///< default 32, 1 or more
  std::optional<std::vector<int64_t>> dtypes = {};  ///< required
  std::optional<std::vector<int64_t>> ranks = {};  ///< required, -1 to 8
  std::optional<std::vector<int64_t>> dims = {};  ///< -1 or more
};
/// Removes and returns the first element of a queue. Waits while the queue is empty; fails with
/// OUT_OF_RANGE if it is empty and closed. Component i has dtype dtypes[i] and ranks[i] dims (-1:
/// any number). `dims` lists the dims of all components one after the other (-1: unknown). A run
/// that fails returns the elements that it took. Later nodes see the variables as last published.
/// The gradient is zero.
inline std::vector<Value> QueueDequeue(Builder& builder, size_t outputs, const QueueDequeueAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.queue) given.emplace_back("queue", *attributes.queue);
  if (attributes.capacity) given.emplace_back("capacity", *attributes.capacity);
  if (attributes.dtypes) given.emplace_back("dtypes", *attributes.dtypes);
  if (attributes.ranks) given.emplace_back("ranks", *attributes.ranks);
  if (attributes.dims) given.emplace_back("dims", *attributes.dims);
  return builder.node("percale:QueueDequeue", all, given, outputs, name);
}

/// The attributes of QueueEnqueue().
struct QueueEnqueueAttributes {
  std::optional<std::string> queue = {};  ///< required
  std::optional<int64_t> capacity = {};  ///< default 32, 1 or more
};
/// Appends its inputs as one element to a queue of at most `capacity` elements. Waits while the
/// queue is full; fails with CANCELLED if the queue is closed. Other runs see the element when this
/// run has succeeded. A queue op runs only if it is a target of the run or its output is needed; a
/// control edge to a later node does not make it run.
/// Input components (any number): 23 types.
/// No gradient.
inline void QueueEnqueue(Builder& builder, Values components, const QueueEnqueueAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), components.begin(), components.end());
  Attributes given;
  if (attributes.queue) given.emplace_back("queue", *attributes.queue);
  if (attributes.capacity) given.emplace_back("capacity", *attributes.capacity);
  builder.node("percale:QueueEnqueue", all, given, 0, name);
}

/// The attributes of QueueSize().
struct QueueSizeAttributes {
  std::optional<std::string> queue = {};  ///< required
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of QueueSize(). Those that are not computed are empty.
struct QueueSizeOutputs {
  Value size, closed;  ///< in the op's order
};
/// The number of elements in a queue, as this run sees it, and whether the queue is closed.
/// The gradient is zero.
inline QueueSizeOutputs QueueSize(Builder& builder, const QueueSizeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.queue) given.emplace_back("queue", *attributes.queue);
  std::vector<Value> out = builder.node("percale:QueueSize", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of RMSNormalization().
struct RMSNormalizationAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
  std::optional<int64_t> stash_type = {};  ///< default 1
};
/// X / sqrt(mean(X^2) + epsilon) * scale, with the mean over the dims from 'axis' on. It is
/// computed in stash_type (1: f32, 16: bf16), or in f64 for f64 inputs.
/// Input X: f32 f16 f64 bf16.
/// Input scale: f32 f16 f64 bf16.
inline Value RMSNormalization(Builder& builder, Value X, Value scale, const RMSNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, scale};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.stash_type) given.emplace_back("stash_type", *attributes.stash_type);
  return builder.node("RMSNormalization", all, given, 1, name)[0];
}

/// The attributes of RNN().
struct RNNAttributes {
  std::optional<std::vector<double>> activation_alpha = {};  ///< optional
  std::optional<std::vector<double>> activation_beta = {};  ///< optional
  std::optional<std::vector<std::string>> activations = {};  ///< optional
  std::optional<double> clip = {};  ///< 0 or more
  std::optional<std::string> direction = {};  ///< default "forward"
  std::optional<int64_t> hidden_size = {};  ///< 1 or more
  std::optional<int64_t> layout = {};  ///< default 0, 0 to 1
  size_t outputs = 2;  ///< the number of outputs to compute
};
/// The outputs of RNN(). Those that are not computed are empty.
struct RNNOutputs {
  Value Y, Y_h;  ///< in the op's order
};
/// Elman network over X [time,batch,input] (layout 1: batch first): H = f(X W^T + H R^T + B).
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input R: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
/// Input sequence_lens (optional, indices): i32.
/// Input initial_h (optional): f32 f16 f64 bf16.
inline RNNOutputs RNN(Builder& builder, Value X, Value W, Value R, Value B = {}, Value sequence_lens = {}, Value initial_h = {}, const RNNAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, R, B, sequence_lens, initial_h};
  detail::trim(all);
  Attributes given;
  if (attributes.activation_alpha) given.emplace_back("activation_alpha", *attributes.activation_alpha);
  if (attributes.activation_beta) given.emplace_back("activation_beta", *attributes.activation_beta);
  if (attributes.activations) given.emplace_back("activations", *attributes.activations);
  if (attributes.clip) given.emplace_back("clip", *attributes.clip);
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  if (attributes.hidden_size) given.emplace_back("hidden_size", *attributes.hidden_size);
  if (attributes.layout) given.emplace_back("layout", *attributes.layout);
  std::vector<Value> out = builder.node("RNN", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of RNNGrad().
struct RNNGradAttributes {
  std::optional<std::vector<double>> activation_alpha = {};  ///< optional
  std::optional<std::vector<double>> activation_beta = {};  ///< optional
  std::optional<std::vector<std::string>> activations = {};  ///< optional
  std::optional<double> clip = {};  ///< 0 or more
  std::optional<std::string> direction = {};  ///< default "forward"
  std::optional<int64_t> hidden_size = {};  ///< 1 or more
  std::optional<int64_t> layout = {};  ///< default 0, 0 to 1
  size_t outputs = 5;  ///< the number of outputs to compute
};
/// The outputs of RNNGrad(). Those that are not computed are empty.
struct RNNGradOutputs {
  Value dX, dW, dR, dB, dinitial_h;  ///< in the op's order
};
/// Gradients of RNN with respect to X, W, R, B and initial_h, from the inputs of RNN and the
/// gradients of its outputs. The forward pass is recomputed. The op has no gradient.
/// Input X: f32 f16 f64 bf16.
/// Input W: f32 f16 f64 bf16.
/// Input R: f32 f16 f64 bf16.
/// Input B (optional): f32 f16 f64 bf16.
/// Input sequence_lens (optional, indices): i32.
/// Input initial_h (optional): f32 f16 f64 bf16.
/// Input dY (optional): f32 f16 f64 bf16.
/// Input dY_h (optional): f32 f16 f64 bf16.
/// No gradient.
inline RNNGradOutputs RNNGrad(Builder& builder, Value X, Value W, Value R, Value B = {}, Value sequence_lens = {}, Value initial_h = {}, Value dY = {}, Value dY_h = {}, const RNNGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, W, R, B, sequence_lens, initial_h, dY, dY_h};
  detail::trim(all);
  Attributes given;
  if (attributes.activation_alpha) given.emplace_back("activation_alpha", *attributes.activation_alpha);
  if (attributes.activation_beta) given.emplace_back("activation_beta", *attributes.activation_beta);
  if (attributes.activations) given.emplace_back("activations", *attributes.activations);
  if (attributes.clip) given.emplace_back("clip", *attributes.clip);
  if (attributes.direction) given.emplace_back("direction", *attributes.direction);
  if (attributes.hidden_size) given.emplace_back("hidden_size", *attributes.hidden_size);
  if (attributes.layout) given.emplace_back("layout", *attributes.layout);
  std::vector<Value> out = builder.node("percale:RNNGrad", all, given, attributes.outputs, name);
  out.resize(5);
  return {out[0], out[1], out[2], out[3], out[4]};
}

/// The attributes of RandomNormal().
struct RandomNormalAttributes {
  std::optional<int64_t> dtype = {};  ///< default 1
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> mean = {};  ///< default 0
  std::optional<double> scale = {};  ///< default 1
  std::optional<double> seed = {};  ///< default 0
  std::optional<std::vector<int64_t>> shape = {};  ///< required, 0 or more
};
/// Normally distributed random numbers.
/// The gradient is zero.
inline Value RandomNormal(Builder& builder, const RandomNormalAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.mean) given.emplace_back("mean", *attributes.mean);
  if (attributes.scale) given.emplace_back("scale", *attributes.scale);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  if (attributes.shape) given.emplace_back("shape", *attributes.shape);
  return builder.node("RandomNormal", all, given, 1, name)[0];
}

/// The attributes of RandomNormalLike().
struct RandomNormalLikeAttributes {
  std::optional<int64_t> dtype = {};  ///< optional
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> mean = {};  ///< default 0
  std::optional<double> scale = {};  ///< default 1
  std::optional<double> seed = {};  ///< default 0
};
/// Normally distributed random numbers, in the shape of the input and, unless dtype is given, its
/// dtype.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value RandomNormalLike(Builder& builder, Value input, const RandomNormalLikeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.mean) given.emplace_back("mean", *attributes.mean);
  if (attributes.scale) given.emplace_back("scale", *attributes.scale);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  return builder.node("RandomNormalLike", all, given, 1, name)[0];
}

/// The attributes of RandomUniform().
struct RandomUniformAttributes {
  std::optional<int64_t> dtype = {};  ///< default 1
  std::optional<double> high = {};  ///< default 1
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> low = {};  ///< default 0
  std::optional<double> seed = {};  ///< default 0
  std::optional<std::vector<int64_t>> shape = {};  ///< required, 0 or more
};
/// Uniformly distributed random numbers in [low, high).
/// The gradient is zero.
inline Value RandomUniform(Builder& builder, const RandomUniformAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.high) given.emplace_back("high", *attributes.high);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.low) given.emplace_back("low", *attributes.low);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  if (attributes.shape) given.emplace_back("shape", *attributes.shape);
  return builder.node("RandomUniform", all, given, 1, name)[0];
}

/// The attributes of RandomUniformLike().
struct RandomUniformLikeAttributes {
  std::optional<int64_t> dtype = {};  ///< optional
  std::optional<double> high = {};  ///< default 1
  std::optional<int64_t> id = {};  ///< default 0, 0 or more
  std::optional<double> low = {};  ///< default 0
  std::optional<double> seed = {};  ///< default 0
};
/// Uniformly distributed random numbers in [low, high), in the shape of the input and, unless dtype
/// is given, its dtype.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value RandomUniformLike(Builder& builder, Value input, const RandomUniformLikeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.high) given.emplace_back("high", *attributes.high);
  if (attributes.id) given.emplace_back("id", *attributes.id);
  if (attributes.low) given.emplace_back("low", *attributes.low);
  if (attributes.seed) given.emplace_back("seed", *attributes.seed);
  return builder.node("RandomUniformLike", all, given, 1, name)[0];
}

/// start, start + delta, and so on, up to but not including limit.
/// Input start: f32 i16 i32 i64 f16 f64 bf16.
/// Input limit: f32 i16 i32 i64 f16 f64 bf16.
/// Input delta: f32 i16 i32 i64 f16 f64 bf16.
/// No gradient.
inline Value Range(Builder& builder, Value start, Value limit, Value delta, const char* name = nullptr) {
  std::vector<Value> all{start, limit, delta};
  return builder.node("Range", all, {}, 1, name)[0];
}

/// The attributes of ReadVariable().
struct ReadVariableAttributes {
  std::optional<std::string> variable = {};  ///< required
  std::optional<int64_t> dtype = {};  ///< required
  std::optional<std::vector<int64_t>> shape = {};  ///< required, 0 or more
};
/// The value of a variable as this run sees it.
/// The gradient is zero.
inline Value ReadVariable(Builder& builder, const ReadVariableAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{};
  Attributes given;
  if (attributes.variable) given.emplace_back("variable", *attributes.variable);
  if (attributes.dtype) given.emplace_back("dtype", *attributes.dtype);
  if (attributes.shape) given.emplace_back("shape", *attributes.shape);
  return builder.node("percale:ReadVariable", all, given, 1, name)[0];
}

/// 1 / X.
/// Input X: f32 f16 f64 bf16.
inline Value Reciprocal(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Reciprocal", all, {}, 1, name)[0];
}

/// The attributes of ReduceL1().
struct ReduceL1Attributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The sum of absolute values over axes (default: all); 0 for no elements.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceL1(Builder& builder, Value data, Value axes = {}, const ReduceL1Attributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceL1", all, given, 1, name)[0];
}

/// The attributes of ReduceL2().
struct ReduceL2Attributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The square root of the sum of squares over axes (default: all); integers truncate.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceL2(Builder& builder, Value data, Value axes = {}, const ReduceL2Attributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceL2", all, given, 1, name)[0];
}

/// The attributes of ReduceLogSum().
struct ReduceLogSumAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The logarithm of the sum over axes (default: all); integers truncate.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceLogSum(Builder& builder, Value data, Value axes = {}, const ReduceLogSumAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceLogSum", all, given, 1, name)[0];
}

/// The attributes of ReduceLogSumExp().
struct ReduceLogSumExpAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The logarithm of the sum of exp over axes (default: all), computed without overflow; integers
/// truncate.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceLogSumExp(Builder& builder, Value data, Value axes = {}, const ReduceLogSumExpAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceLogSumExp", all, given, 1, name)[0];
}

/// The attributes of ReduceMax().
struct ReduceMaxAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The greatest element over axes (default: all); NaN if any is NaN.
/// Input data: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceMax(Builder& builder, Value data, Value axes = {}, const ReduceMaxAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceMax", all, given, 1, name)[0];
}

/// The attributes of ReduceMean().
struct ReduceMeanAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The mean over axes (default: all); integers truncate towards zero.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceMean(Builder& builder, Value data, Value axes = {}, const ReduceMeanAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceMean", all, given, 1, name)[0];
}

/// The attributes of ReduceMin().
struct ReduceMinAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The least element over axes (default: all); NaN if any is NaN.
/// Input data: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceMin(Builder& builder, Value data, Value axes = {}, const ReduceMinAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceMin", all, given, 1, name)[0];
}

/// The attributes of ReduceProd().
struct ReduceProdAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The product over axes (default: all); 1 for no elements.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceProd(Builder& builder, Value data, Value axes = {}, const ReduceProdAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceProd", all, given, 1, name)[0];
}

/// The attributes of ReduceSum().
struct ReduceSumAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The sum over axes (default: all); 0 for no elements.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceSum(Builder& builder, Value data, Value axes = {}, const ReduceSumAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceSum", all, given, 1, name)[0];
}

/// The attributes of ReduceSumSquare().
struct ReduceSumSquareAttributes {
  std::optional<int64_t> keepdims = {};  ///< default 1, 0 to 1
  std::optional<int64_t> noop_with_empty_axes = {};  ///< default 0, 0 to 1
};
/// The sum of squares over axes (default: all); integers wrap.
/// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
/// Input axes (optional): i64.
inline Value ReduceSumSquare(Builder& builder, Value data, Value axes = {}, const ReduceSumSquareAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  Attributes given;
  if (attributes.keepdims) given.emplace_back("keepdims", *attributes.keepdims);
  if (attributes.noop_with_empty_axes) given.emplace_back("noop_with_empty_axes", *attributes.noop_with_empty_axes);
  return builder.node("ReduceSumSquare", all, given, 1, name)[0];
}

/// max(X, 0); NaN stays NaN.
/// Input X: f32 i8 i16 i32 i64 f16 f64 bf16.
inline Value Relu(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Relu", all, {}, 1, name)[0];
}

/// The gradient of Relu, from the gradient and the value of its result: grad, or 0 where y <= 0.
/// Input grad: f32 i8 i16 i32 i64 f16 f64 bf16.
/// Input y: f32 i8 i16 i32 i64 f16 f64 bf16.
inline Value ReluGrad(Builder& builder, Value grad, Value y, const char* name = nullptr) {
  std::vector<Value> all{grad, y};
  return builder.node("percale:ReluGrad", all, {}, 1, name)[0];
}

/// The tensor in another memory format. Formats exist only in plans; in a graph the op is a copy.
/// Input x: 23 types.
inline Value Reorder(Builder& builder, Value x, const char* name = nullptr) {
  std::vector<Value> all{x};
  return builder.node("percale:Reorder", all, {}, 1, name)[0];
}

/// The attributes of Reshape().
struct ReshapeAttributes {
  std::optional<int64_t> allowzero = {};  ///< default 0, 0 to 1
};
/// data in another shape. -1 is inferred from the number of elements; 0 copies the dim of data
/// unless allowzero is set.
/// Input data: 23 types.
/// Input shape: i64.
inline Value Reshape(Builder& builder, Value data, Value shape, const ReshapeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, shape};
  Attributes given;
  if (attributes.allowzero) given.emplace_back("allowzero", *attributes.allowzero);
  return builder.node("Reshape", all, given, 1, name)[0];
}

/// The attributes of Resize().
struct ResizeAttributes {
  std::optional<int64_t> antialias = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> axes = {};  ///< optional
  std::optional<std::string> coordinate_transformation_mode = {};  ///< default "half_pixel"
  std::optional<double> cubic_coeff_a = {};  ///< default -0.75
  std::optional<int64_t> exclude_outside = {};  ///< default 0, 0 to 1
  std::optional<double> extrapolation_value = {};  ///< default 0
  std::optional<std::string> keep_aspect_ratio_policy = {};  ///< default "stretch"
  std::optional<std::string> mode = {};  ///< default "nearest"
  std::optional<std::string> nearest_mode = {};  ///< default "round_prefer_floor"
};
/// x resampled along its axes to scales * dims or to sizes, by nearest, linear or cubic
/// interpolation, with ONNX's coordinate modes (and tf_half_pixel_for_nn of opset 11). antialias
/// widens the filter where x shrinks.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input roi (optional): f32 f16 f64.
/// Input scales (optional): f32.
/// Input sizes (optional): i64.
inline Value Resize(Builder& builder, Value X, Value roi = {}, Value scales = {}, Value sizes = {}, const ResizeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, roi, scales, sizes};
  detail::trim(all);
  Attributes given;
  if (attributes.antialias) given.emplace_back("antialias", *attributes.antialias);
  if (attributes.axes) given.emplace_back("axes", *attributes.axes);
  if (attributes.coordinate_transformation_mode) given.emplace_back("coordinate_transformation_mode", *attributes.coordinate_transformation_mode);
  if (attributes.cubic_coeff_a) given.emplace_back("cubic_coeff_a", *attributes.cubic_coeff_a);
  if (attributes.exclude_outside) given.emplace_back("exclude_outside", *attributes.exclude_outside);
  if (attributes.extrapolation_value) given.emplace_back("extrapolation_value", *attributes.extrapolation_value);
  if (attributes.keep_aspect_ratio_policy) given.emplace_back("keep_aspect_ratio_policy", *attributes.keep_aspect_ratio_policy);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.nearest_mode) given.emplace_back("nearest_mode", *attributes.nearest_mode);
  return builder.node("Resize", all, given, 1, name)[0];
}

/// The attributes of ResizeGrad().
struct ResizeGradAttributes {
  std::optional<int64_t> antialias = {};  ///< default 0, 0 to 1
  std::optional<std::vector<int64_t>> axes = {};  ///< optional
  std::optional<std::string> coordinate_transformation_mode = {};  ///< default "half_pixel"
  std::optional<double> cubic_coeff_a = {};  ///< default -0.75
  std::optional<int64_t> exclude_outside = {};  ///< default 0, 0 to 1
  std::optional<std::string> keep_aspect_ratio_policy = {};  ///< default "stretch"
  std::optional<std::string> mode = {};  ///< default "nearest"
  std::optional<std::string> nearest_mode = {};  ///< default "round_prefer_floor"
};
/// The gradient of Resize with respect to X, of shape `shape`: each element of grad is added to the
/// elements that Resize read, with the same weights.
/// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input shape: i64.
/// Input roi (optional): f32 f16 f64.
/// Input scales (optional): f32.
/// Input sizes (optional): i64.
inline Value ResizeGrad(Builder& builder, Value grad, Value shape, Value roi = {}, Value scales = {}, Value sizes = {}, const ResizeGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, shape, roi, scales, sizes};
  detail::trim(all);
  Attributes given;
  if (attributes.antialias) given.emplace_back("antialias", *attributes.antialias);
  if (attributes.axes) given.emplace_back("axes", *attributes.axes);
  if (attributes.coordinate_transformation_mode) given.emplace_back("coordinate_transformation_mode", *attributes.coordinate_transformation_mode);
  if (attributes.cubic_coeff_a) given.emplace_back("cubic_coeff_a", *attributes.cubic_coeff_a);
  if (attributes.exclude_outside) given.emplace_back("exclude_outside", *attributes.exclude_outside);
  if (attributes.keep_aspect_ratio_policy) given.emplace_back("keep_aspect_ratio_policy", *attributes.keep_aspect_ratio_policy);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.nearest_mode) given.emplace_back("nearest_mode", *attributes.nearest_mode);
  return builder.node("percale:ResizeGrad", all, given, 1, name)[0];
}

/// The attributes of ReverseSequence().
struct ReverseSequenceAttributes {
  std::optional<int64_t> batch_axis = {};  ///< default 1, 0 to 1
  std::optional<int64_t> time_axis = {};  ///< default 0, 0 to 1
};
/// The input, with the first sequence_lens[b] elements of sequence b reversed along time_axis.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input sequence_lens (indices): i64.
inline Value ReverseSequence(Builder& builder, Value input, Value sequence_lens, const ReverseSequenceAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, sequence_lens};
  Attributes given;
  if (attributes.batch_axis) given.emplace_back("batch_axis", *attributes.batch_axis);
  if (attributes.time_axis) given.emplace_back("time_axis", *attributes.time_axis);
  return builder.node("ReverseSequence", all, given, 1, name)[0];
}

/// The attributes of RoiAlign().
struct RoiAlignAttributes {
  std::optional<std::string> coordinate_transformation_mode = {};  ///< default "half_pixel"
  std::optional<std::string> mode = {};  ///< default "avg"
  std::optional<int64_t> output_height = {};  ///< default 1, 1 to 1048576
  std::optional<int64_t> output_width = {};  ///< default 1, 1 to 1048576
  std::optional<int64_t> sampling_ratio = {};  ///< default 0, 0 to 65536
  std::optional<double> spatial_scale = {};  ///< default 1
};
/// The mean or maximum of samples in each bin of regions (x1, y1, x2, y2) of X, with linear
/// interpolation (He et al. 2017). Each bin has sampling_ratio samples per dim (0: its length,
/// rounded up).
/// Input X: f32 f16 f64 bf16.
/// Input rois: f32 f16 f64 bf16.
/// Input batch_indices (indices): i64.
inline Value RoiAlign(Builder& builder, Value X, Value rois, Value batch_indices, const RoiAlignAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, rois, batch_indices};
  Attributes given;
  if (attributes.coordinate_transformation_mode) given.emplace_back("coordinate_transformation_mode", *attributes.coordinate_transformation_mode);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.output_height) given.emplace_back("output_height", *attributes.output_height);
  if (attributes.output_width) given.emplace_back("output_width", *attributes.output_width);
  if (attributes.sampling_ratio) given.emplace_back("sampling_ratio", *attributes.sampling_ratio);
  if (attributes.spatial_scale) given.emplace_back("spatial_scale", *attributes.spatial_scale);
  return builder.node("RoiAlign", all, given, 1, name)[0];
}

/// The attributes of RoiAlignGrad().
struct RoiAlignGradAttributes {
  std::optional<std::string> coordinate_transformation_mode = {};  ///< default "half_pixel"
  std::optional<std::string> mode = {};  ///< default "avg"
  std::optional<int64_t> output_height = {};  ///< default 1, 1 to 1048576
  std::optional<int64_t> output_width = {};  ///< default 1, 1 to 1048576
  std::optional<int64_t> sampling_ratio = {};  ///< default 0, 0 to 65536
  std::optional<double> spatial_scale = {};  ///< default 1
};
/// The gradient of RoiAlign with mode avg with respect to X, of shape `shape`.
/// Input grad: f32 f16 f64 bf16.
/// Input rois: f32 f16 f64 bf16.
/// Input batch_indices (indices): i64.
/// Input shape: i64.
/// No gradient.
inline Value RoiAlignGrad(Builder& builder, Value grad, Value rois, Value batch_indices, Value shape, const RoiAlignGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, rois, batch_indices, shape};
  Attributes given;
  if (attributes.coordinate_transformation_mode) given.emplace_back("coordinate_transformation_mode", *attributes.coordinate_transformation_mode);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  if (attributes.output_height) given.emplace_back("output_height", *attributes.output_height);
  if (attributes.output_width) given.emplace_back("output_width", *attributes.output_width);
  if (attributes.sampling_ratio) given.emplace_back("sampling_ratio", *attributes.sampling_ratio);
  if (attributes.spatial_scale) given.emplace_back("spatial_scale", *attributes.spatial_scale);
  return builder.node("percale:RoiAlignGrad", all, given, 1, name)[0];
}

/// The attributes of RotaryEmbedding().
struct RotaryEmbeddingAttributes {
  std::optional<int64_t> interleaved = {};  ///< default 0, 0 to 1
  std::optional<int64_t> num_heads = {};  ///< default 0, 0 or more
  std::optional<int64_t> rotary_embedding_dim = {};  ///< default 0, 0 or more
};
/// Rotates pairs of elements of each head by the angles whose cosines and sines the caches hold,
/// looked up by position_ids if given (Su et al. 2021). Only the first rotary_embedding_dim
/// elements of each head are rotated (0: all).
/// Input X: f32 f16 f64 bf16.
/// Input cos_cache: f32 f16 f64 bf16.
/// Input sin_cache: f32 f16 f64 bf16.
/// Input position_ids (optional, indices): i64.
inline Value RotaryEmbedding(Builder& builder, Value X, Value cos_cache, Value sin_cache, Value position_ids = {}, const RotaryEmbeddingAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, cos_cache, sin_cache, position_ids};
  detail::trim(all);
  Attributes given;
  if (attributes.interleaved) given.emplace_back("interleaved", *attributes.interleaved);
  if (attributes.num_heads) given.emplace_back("num_heads", *attributes.num_heads);
  if (attributes.rotary_embedding_dim) given.emplace_back("rotary_embedding_dim", *attributes.rotary_embedding_dim);
  return builder.node("RotaryEmbedding", all, given, 1, name)[0];
}

/// X rounded to the nearest integer, ties to even.
/// Input X: f32 f16 f64 bf16.
/// The gradient is zero.
inline Value Round(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Round", all, {}, 1, name)[0];
}

/// The attributes of STFT().
struct STFTAttributes {
  std::optional<int64_t> onesided = {};  ///< default 1, 0 to 1
};
/// The DFT of each frame of frame_length samples, frame_step apart, of a signal [batch, length, 1
/// or 2], multiplied by the window.
/// Input signal: f32 f16 f64 bf16.
/// Input frame_step: i32 i64.
/// Input window (optional): f32 f16 f64 bf16.
/// Input frame_length (optional): i32 i64.
inline Value STFT(Builder& builder, Value signal, Value frame_step, Value window = {}, Value frame_length = {}, const STFTAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{signal, frame_step, window, frame_length};
  detail::trim(all);
  Attributes given;
  if (attributes.onesided) given.emplace_back("onesided", *attributes.onesided);
  return builder.node("STFT", all, given, 1, name)[0];
}

/// The attributes of ScatterElements().
struct ScatterElementsAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
  std::optional<std::string> reduction = {};  ///< default "none"
};
/// data with updates set, added, multiplied, or combined by max or min, in the order of the
/// indices, at the positions that GatherElements would read.
/// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input indices (indices): i32 i64.
/// Input updates: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
inline Value ScatterElements(Builder& builder, Value data, Value indices, Value updates, const ScatterElementsAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, indices, updates};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("ScatterElements", all, given, 1, name)[0];
}

/// The attributes of ScatterND().
struct ScatterNDAttributes {
  std::optional<std::string> reduction = {};  ///< default "none"
};
/// data with updates set, added, multiplied, or combined by max or min, in the order of the tuples,
/// at the slices that tuples of indices select.
/// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input indices (indices): i64.
/// Input updates: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
inline Value ScatterND(Builder& builder, Value data, Value indices, Value updates, const ScatterNDAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, indices, updates};
  Attributes given;
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("ScatterND", all, given, 1, name)[0];
}

/// The attributes of Selu().
struct SeluAttributes {
  std::optional<double> alpha = {};  ///< default 1.6732631921768188
  std::optional<double> gamma = {};  ///< default 1.0507010221481323
};
/// gamma x where x > 0, otherwise gamma alpha (exp(x) - 1) (Klambauer et al. 2017).
/// Input X: f32 f16 f64 bf16.
inline Value Selu(Builder& builder, Value X, const SeluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  if (attributes.gamma) given.emplace_back("gamma", *attributes.gamma);
  return builder.node("Selu", all, given, 1, name)[0];
}

/// The attributes of Shape().
struct ShapeAttributes {
  std::optional<int64_t> start = {};  ///< default 0
  std::optional<int64_t> end = {};  ///< optional
};
/// The dims [start, end) of the input's shape; negative bounds count from the end.
/// Input data: 23 types.
/// The gradient is zero.
inline Value Shape(Builder& builder, Value data, const ShapeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data};
  Attributes given;
  if (attributes.start) given.emplace_back("start", *attributes.start);
  if (attributes.end) given.emplace_back("end", *attributes.end);
  return builder.node("Shape", all, given, 1, name)[0];
}

/// The attributes of ShardMean().
struct ShardMeanAttributes {
  std::optional<int64_t> transposed = {};  ///< default 0, 0 to 1
};
/// In every shard, the sum of r_s X_s over the shards s of a batch, where r_s is the fraction of
/// the batch's rows in shard s. With `transposed`, r_s times the sum of all X_s, which is the
/// gradient of the former. It waits for all shards, which a trainer computes at the same time.
/// Without shards, as in a session's run, the output is X.
/// Input X: f32 f16 f64 bf16.
inline Value ShardMean(Builder& builder, Value X, const ShardMeanAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.transposed) given.emplace_back("transposed", *attributes.transposed);
  return builder.node("percale:ShardMean", all, given, 1, name)[0];
}

/// The attributes of Shrink().
struct ShrinkAttributes {
  std::optional<double> bias = {};  ///< default 0
  std::optional<double> lambd = {};  ///< default 0.5
};
/// x + bias where x < -lambd, x - bias where x > lambd, otherwise 0.
/// Input input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Shrink(Builder& builder, Value input, const ShrinkAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.bias) given.emplace_back("bias", *attributes.bias);
  if (attributes.lambd) given.emplace_back("lambd", *attributes.lambd);
  return builder.node("Shrink", all, given, 1, name)[0];
}

/// 1 / (1 + exp(-X)).
/// Input X: f32 f16 f64 bf16.
inline Value Sigmoid(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Sigmoid", all, {}, 1, name)[0];
}

/// The sign of X: -1, 0 or 1; NaN stays NaN.
/// Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// The gradient is zero.
inline Value Sign(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Sign", all, {}, 1, name)[0];
}

/// The sine of X in radians.
/// Input X: f32 f16 f64 bf16.
inline Value Sin(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Sin", all, {}, 1, name)[0];
}

/// The hyperbolic sine of the input.
/// Input input: f32 f16 f64 bf16.
inline Value Sinh(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Sinh", all, {}, 1, name)[0];
}

/// The number of elements of the input.
/// Input data: 23 types.
/// The gradient is zero.
inline Value Size(Builder& builder, Value data, const char* name = nullptr) {
  std::vector<Value> all{data};
  return builder.node("Size", all, {}, 1, name)[0];
}

/// The elements from starts to before ends, by steps, along axes, as numpy's x[start:end:step].
/// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input starts: i32 i64.
/// Input ends: i32 i64.
/// Input axes (optional): i32 i64.
/// Input steps (optional): i32 i64.
inline Value Slice(Builder& builder, Value data, Value starts, Value ends, Value axes = {}, Value steps = {}, const char* name = nullptr) {
  std::vector<Value> all{data, starts, ends, axes, steps};
  detail::trim(all);
  return builder.node("Slice", all, {}, 1, name)[0];
}

/// Zeros of shape `shape`, with grad at the positions that Slice reads.
/// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input shape: i64.
/// Input starts: i32 i64.
/// Input ends: i32 i64.
/// Input axes (optional): i32 i64.
/// Input steps (optional): i32 i64.
inline Value SliceGrad(Builder& builder, Value grad, Value shape, Value starts, Value ends, Value axes = {}, Value steps = {}, const char* name = nullptr) {
  std::vector<Value> all{grad, shape, starts, ends, axes, steps};
  detail::trim(all);
  return builder.node("percale:SliceGrad", all, {}, 1, name)[0];
}

/// The attributes of Softmax().
struct SoftmaxAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
};
/// exp(x) / sum of exp(x) along `axis`.
/// Input input: f32 f16 f64 bf16.
inline Value Softmax(Builder& builder, Value input, const SoftmaxAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  return builder.node("Softmax", all, given, 1, name)[0];
}

/// The attributes of SoftmaxCrossEntropyGrad().
struct SoftmaxCrossEntropyGradAttributes {
  std::optional<int64_t> ignore_index = {};  ///< optional
  std::optional<std::string> reduction = {};  ///< default "mean"
};
/// Gradient of SoftmaxCrossEntropyLoss with respect to scores: dloss * weights[label] *
/// (softmax(scores) - onehot(label)). It is divided by the sum of the weights used if the loss is a
/// mean.
/// Input dloss: f32 f16 f64 bf16.
/// Input scores: f32 f16 f64 bf16.
/// Input labels (indices): i32 i64.
/// Input weights (optional): f32 f16 f64 bf16.
/// No gradient.
inline Value SoftmaxCrossEntropyGrad(Builder& builder, Value dloss, Value scores, Value labels, Value weights = {}, const SoftmaxCrossEntropyGradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{dloss, scores, labels, weights};
  detail::trim(all);
  Attributes given;
  if (attributes.ignore_index) given.emplace_back("ignore_index", *attributes.ignore_index);
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  return builder.node("percale:SoftmaxCrossEntropyGrad", all, given, 1, name)[0];
}

/// The attributes of SoftmaxCrossEntropyLoss().
struct SoftmaxCrossEntropyLossAttributes {
  std::optional<int64_t> ignore_index = {};  ///< optional
  std::optional<std::string> reduction = {};  ///< default "mean"
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of SoftmaxCrossEntropyLoss(). Those that are not computed are empty.
struct SoftmaxCrossEntropyLossOutputs {
  Value output, log_prob;  ///< in the op's order
};
/// -weights[label] * log_softmax(scores)[label] over axis 1 of scores [N,C,D1,...], for labels
/// [N,D1,...]. The mean divides by the sum of the weights used. Labels equal to ignore_index are
/// ignored.
/// Input scores: f32 f16 f64 bf16.
/// Input labels (indices): i32 i64.
/// Input weights (optional): f32 f16 f64 bf16.
inline SoftmaxCrossEntropyLossOutputs SoftmaxCrossEntropyLoss(Builder& builder, Value scores, Value labels, Value weights = {}, const SoftmaxCrossEntropyLossAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{scores, labels, weights};
  detail::trim(all);
  Attributes given;
  if (attributes.ignore_index) given.emplace_back("ignore_index", *attributes.ignore_index);
  if (attributes.reduction) given.emplace_back("reduction", *attributes.reduction);
  std::vector<Value> out = builder.node("SoftmaxCrossEntropyLoss", all, given, attributes.outputs, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// log(1 + exp(x)).
/// Input X: f32 f16 f64 bf16.
inline Value Softplus(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Softplus", all, {}, 1, name)[0];
}

/// x / (1 + |x|).
/// Input X: f32 f16 f64 bf16.
inline Value Softsign(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Softsign", all, {}, 1, name)[0];
}

/// The attributes of SpaceToDepth().
struct SpaceToDepthAttributes {
  std::optional<int64_t> blocksize = {};  ///< required, 1 to 2048
};
/// Moves blocks of blocksize * blocksize pixels of [N,C,H,W] into channels. The position in the
/// block is the outer part of the channel index.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
inline Value SpaceToDepth(Builder& builder, Value input, const SpaceToDepthAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input};
  Attributes given;
  if (attributes.blocksize) given.emplace_back("blocksize", *attributes.blocksize);
  return builder.node("SpaceToDepth", all, given, 1, name)[0];
}

/// The attributes of SparseApplyAdagrad().
struct SparseApplyAdagradAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-10, 0 or more
};
/// The outputs of SparseApplyAdagrad(). Those that are not computed are empty.
struct SparseApplyAdagradOutputs {
  Value new_param, new_square;  ///< in the op's order
};
/// ApplyAdagrad for the rows of param and square that `rows` lists, as SumRows returns them. Other
/// rows are neither read nor written. The result equals ApplyAdagrad with zero gradients for the
/// other rows.
/// Input param: f32 f16 f64 bf16.
/// Input rows: i64.
/// Input grad: f32 f16 f64 bf16.
/// Input square: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline SparseApplyAdagradOutputs SparseApplyAdagrad(Builder& builder, Value param, Value rows, Value grad, Value square, Value learning_rate, Value grad_scale = {}, const SparseApplyAdagradAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, rows, grad, square, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  std::vector<Value> out = builder.node("percale:SparseApplyAdagrad", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of SparseApplyAdam().
struct SparseApplyAdamAttributes {
  std::optional<double> beta1 = {};  ///< default 0.9, 0 to 1
  std::optional<double> beta2 = {};  ///< default 0.999, 0 to 1
  std::optional<double> epsilon = {};  ///< default 1e-08, 0 or more
};
/// The outputs of SparseApplyAdam(). Those that are not computed are empty.
struct SparseApplyAdamOutputs {
  Value new_param, new_m, new_v;  ///< in the op's order
};
/// ApplyAdam for the rows of param, m and v that `rows` lists, as SumRows returns them (PyTorch's
/// SparseAdam). The moments of other rows do not decay; the step applies to all rows.
/// Input param: f32 f16 f64 bf16.
/// Input rows: i64.
/// Input grad: f32 f16 f64 bf16.
/// Input m: f32 f16 f64 bf16.
/// Input v: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input step: i64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline SparseApplyAdamOutputs SparseApplyAdam(Builder& builder, Value param, Value rows, Value grad, Value m, Value v, Value learning_rate, Value step, Value grad_scale = {}, const SparseApplyAdamAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, rows, grad, m, v, learning_rate, step, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.beta1) given.emplace_back("beta1", *attributes.beta1);
  if (attributes.beta2) given.emplace_back("beta2", *attributes.beta2);
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  std::vector<Value> out = builder.node("percale:SparseApplyAdam", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of SparseApplyFtrl().
struct SparseApplyFtrlAttributes {
  std::optional<double> learning_rate_power = {};  ///< default -0.5, -1000000.0 to 0
  std::optional<double> l1 = {};  ///< default 0, 0 or more
  std::optional<double> l2 = {};  ///< default 0, 0 or more
  std::optional<double> l2_shrinkage = {};  ///< default 0, 0 or more
  std::optional<double> beta = {};  ///< default 0, 0 or more
};
/// The outputs of SparseApplyFtrl(). Those that are not computed are empty.
struct SparseApplyFtrlOutputs {
  Value new_param, new_accumulator, new_linear;  ///< in the op's order
};
/// ApplyFtrl for the rows of param, accumulator and linear that `rows` lists, as SumRows returns
/// them (TensorFlow's SparseApplyFtrl).
/// Input param: f32 f16 f64 bf16.
/// Input rows: i64.
/// Input grad: f32 f16 f64 bf16.
/// Input accumulator: f32 f16 f64 bf16.
/// Input linear: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline SparseApplyFtrlOutputs SparseApplyFtrl(Builder& builder, Value param, Value rows, Value grad, Value accumulator, Value linear, Value learning_rate, Value grad_scale = {}, const SparseApplyFtrlAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, rows, grad, accumulator, linear, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.learning_rate_power) given.emplace_back("learning_rate_power", *attributes.learning_rate_power);
  if (attributes.l1) given.emplace_back("l1", *attributes.l1);
  if (attributes.l2) given.emplace_back("l2", *attributes.l2);
  if (attributes.l2_shrinkage) given.emplace_back("l2_shrinkage", *attributes.l2_shrinkage);
  if (attributes.beta) given.emplace_back("beta", *attributes.beta);
  std::vector<Value> out = builder.node("percale:SparseApplyFtrl", all, given, 3, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The attributes of SparseApplyMomentum().
struct SparseApplyMomentumAttributes {
  std::optional<double> momentum = {};  ///< default 0.9, 0 or more
  std::optional<int64_t> nesterov = {};  ///< default 0, 0 to 1
};
/// The outputs of SparseApplyMomentum(). Those that are not computed are empty.
struct SparseApplyMomentumOutputs {
  Value new_param, new_buffer;  ///< in the op's order
};
/// ApplyMomentum for the rows of param and buffer that `rows` lists, as SumRows returns them
/// (TensorFlow's SparseApplyMomentum). The momentum of other rows does not change.
/// Input param: f32 f16 f64 bf16.
/// Input rows: i64.
/// Input grad: f32 f16 f64 bf16.
/// Input buffer: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline SparseApplyMomentumOutputs SparseApplyMomentum(Builder& builder, Value param, Value rows, Value grad, Value buffer, Value learning_rate, Value grad_scale = {}, const SparseApplyMomentumAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{param, rows, grad, buffer, learning_rate, grad_scale};
  detail::trim(all);
  Attributes given;
  if (attributes.momentum) given.emplace_back("momentum", *attributes.momentum);
  if (attributes.nesterov) given.emplace_back("nesterov", *attributes.nesterov);
  std::vector<Value> out = builder.node("percale:SparseApplyMomentum", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// ApplySGD for the rows of param that `rows` lists, as SumRows returns them. Other rows are
/// neither read nor written. The result equals ApplySGD with zero gradients for the other rows.
/// Input param: f32 f16 f64 bf16.
/// Input rows: i64.
/// Input grad: f32 f16 f64 bf16.
/// Input learning_rate: f32 f64.
/// Input grad_scale (optional): f32 f64.
/// No gradient.
inline Value SparseApplySGD(Builder& builder, Value param, Value rows, Value grad, Value learning_rate, Value grad_scale = {}, const char* name = nullptr) {
  std::vector<Value> all{param, rows, grad, learning_rate, grad_scale};
  detail::trim(all);
  return builder.node("percale:SparseApplySGD", all, {}, 1, name)[0];
}

/// The attributes of Split().
struct SplitAttributes {
  std::optional<int64_t> axis = {};  ///< default 0
  std::optional<int64_t> num_outputs = {};  ///< 1 or more
};
/// Splits the input along `axis` into parts of the given sizes. Without sizes, the parts are equal
/// and the last may be smaller.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input split (optional): i64.
inline std::vector<Value> Split(Builder& builder, size_t outputs, Value input, Value split = {}, const SplitAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, split};
  detail::trim(all);
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.num_outputs) given.emplace_back("num_outputs", *attributes.num_outputs);
  return builder.node("Split", all, given, outputs, name);
}

/// The square root of X; NaN for negative X.
/// Input X: f32 f16 f64 bf16.
inline Value Sqrt(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Sqrt", all, {}, 1, name)[0];
}

/// Removes dims of size 1: those in axes, or all without axes.
/// Input data: 23 types.
/// Input axes (optional): i64.
inline Value Squeeze(Builder& builder, Value data, Value axes = {}, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  detail::trim(all);
  return builder.node("Squeeze", all, {}, 1, name)[0];
}

/// A - B, broadcast; integers wrap.
/// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
inline Value Sub(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Sub", all, {}, 1, name)[0];
}

/// The sum of the operands from left to right, broadcast.
/// Input data (any number): f32 f16 f64 bf16.
inline Value Sum(Builder& builder, Values data, const char* name = nullptr) {
  std::vector<Value> all{};
  all.insert(all.end(), data.begin(), data.end());
  return builder.node("Sum", all, {}, 1, name)[0];
}

/// The outputs of SumRows(). Those that are not computed are empty.
struct SumRowsOutputs {
  Value unique, sums;  ///< in the op's order
};
/// Sums values [count, ...] that have the same row number, in their order. The outputs are the
/// distinct row numbers in ascending order and their sums; unused rows at the end are -1 and zeros.
/// Negative row numbers are ignored.
/// Input rows: i64.
/// Input values: f32 f16 f64 bf16.
/// No gradient.
inline SumRowsOutputs SumRows(Builder& builder, Value rows, Value values, const char* name = nullptr) {
  std::vector<Value> all{rows, values};
  std::vector<Value> out = builder.node("percale:SumRows", all, {}, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// Sums x to shape `shape`, over the dims that broadcasting `shape` to the shape of x repeats: the
/// transpose of Expand.
/// Input x: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input shape: i64.
inline Value SumToShape(Builder& builder, Value x, Value shape, const char* name = nullptr) {
  std::vector<Value> all{x, shape};
  return builder.node("percale:SumToShape", all, {}, 1, name)[0];
}

/// The attributes of Swish().
struct SwishAttributes {
  std::optional<double> alpha = {};  ///< default 1
};
/// x sigmoid(alpha x) (Ramachandran et al. 2017).
/// Input X: f32 f16 f64 bf16.
inline Value Swish(Builder& builder, Value X, const SwishAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  return builder.node("Swish", all, given, 1, name)[0];
}

/// The attributes of SynchronizedBatchNormalization().
struct SynchronizedBatchNormalizationAttributes {
  std::optional<double> epsilon = {};  ///< default 1e-05, 0 or more
  std::optional<double> momentum = {};  ///< default 0.9
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of SynchronizedBatchNormalization(). Those that are not computed are empty.
struct SynchronizedBatchNormalizationOutputs {
  Value Y, running_mean, running_var;  ///< in the op's order
};
/// BatchNormalization in training mode with the statistics of all shards of the batch (see
/// ShardMean). The gradient flows through these statistics.
/// Input X: f32 f16 f64 bf16.
/// Input scale: f32 f16 f64 bf16.
/// Input B: f32 f16 f64 bf16.
/// Input input_mean: f32 f16 f64 bf16.
/// Input input_var: f32 f16 f64 bf16.
inline SynchronizedBatchNormalizationOutputs SynchronizedBatchNormalization(Builder& builder, Value X, Value scale, Value B, Value input_mean, Value input_var, const SynchronizedBatchNormalizationAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, scale, B, input_mean, input_var};
  Attributes given;
  if (attributes.epsilon) given.emplace_back("epsilon", *attributes.epsilon);
  if (attributes.momentum) given.emplace_back("momentum", *attributes.momentum);
  std::vector<Value> out = builder.node("percale:SynchronizedBatchNormalization", all, given, attributes.outputs, name);
  out.resize(3);
  return {out[0], out[1], out[2]};
}

/// The tangent of the input in radians.
/// Input input: f32 f16 f64 bf16.
inline Value Tan(Builder& builder, Value input, const char* name = nullptr) {
  std::vector<Value> all{input};
  return builder.node("Tan", all, {}, 1, name)[0];
}

/// The hyperbolic tangent of X.
/// Input X: f32 f16 f64 bf16.
inline Value Tanh(Builder& builder, Value X, const char* name = nullptr) {
  std::vector<Value> all{X};
  return builder.node("Tanh", all, {}, 1, name)[0];
}

/// The attributes of TensorScatter().
struct TensorScatterAttributes {
  std::optional<int64_t> axis = {};  ///< default -2
  std::optional<std::string> mode = {};  ///< default "linear"
};
/// past_cache with update written along `axis` at write_indices[b] (default 0) and the positions
/// after it. In circular mode, writing wraps around to the beginning.
/// Input past_cache: 23 types.
/// Input update: 23 types.
/// Input write_indices (optional, indices): i64.
/// No gradient.
inline Value TensorScatter(Builder& builder, Value past_cache, Value update, Value write_indices = {}, const TensorScatterAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{past_cache, update, write_indices};
  detail::trim(all);
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.mode) given.emplace_back("mode", *attributes.mode);
  return builder.node("TensorScatter", all, given, 1, name)[0];
}

/// The attributes of ThresholdedRelu().
struct ThresholdedReluAttributes {
  std::optional<double> alpha = {};  ///< default 1
};
/// x where x > alpha, otherwise 0.
/// Input X: f32 f16 f64 bf16.
inline Value ThresholdedRelu(Builder& builder, Value X, const ThresholdedReluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.alpha) given.emplace_back("alpha", *attributes.alpha);
  return builder.node("ThresholdedRelu", all, given, 1, name)[0];
}

/// The input repeated repeats[d] times along each dim d.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input repeats: i64.
inline Value Tile(Builder& builder, Value input, Value repeats, const char* name = nullptr) {
  std::vector<Value> all{input, repeats};
  return builder.node("Tile", all, {}, 1, name)[0];
}

/// The gradient of Tile, of shape `shape`: the sum over all repetitions.
/// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input repeats: i64.
/// Input shape: i64.
inline Value TileGrad(Builder& builder, Value grad, Value repeats, Value shape, const char* name = nullptr) {
  std::vector<Value> all{grad, repeats, shape};
  return builder.node("percale:TileGrad", all, {}, 1, name)[0];
}

/// The attributes of TopK().
struct TopKAttributes {
  std::optional<int64_t> axis = {};  ///< default -1
  std::optional<int64_t> largest = {};  ///< default 1, 0 to 1
  std::optional<int64_t> sorted = {};  ///< default 1, 0 to 1
};
/// The outputs of TopK(). Those that are not computed are empty.
struct TopKOutputs {
  Value Values, Indices;  ///< in the op's order
};
/// The K greatest (or least) elements along `axis`, and their indices; among equals, those that
/// come first. They are always sorted, even without `sorted`. NaN counts as greatest.
/// Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
/// Input K: i64.
inline TopKOutputs TopK(Builder& builder, Value X, Value K, const TopKAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X, K};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.largest) given.emplace_back("largest", *attributes.largest);
  if (attributes.sorted) given.emplace_back("sorted", *attributes.sorted);
  std::vector<Value> out = builder.node("TopK", all, given, 2, name);
  out.resize(2);
  return {out[0], out[1]};
}

/// The attributes of Transpose().
struct TransposeAttributes {
  std::optional<std::vector<int64_t>> perm = {};  ///< 0 or more
};
/// The input with permuted dims: dim d of the result is dim perm[d] of the input. Without perm, all
/// dims are reversed.
/// Input data: 23 types.
inline Value Transpose(Builder& builder, Value data, const TransposeAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{data};
  Attributes given;
  if (attributes.perm) given.emplace_back("perm", *attributes.perm);
  return builder.node("Transpose", all, given, 1, name)[0];
}

/// The attributes of Trilu().
struct TriluAttributes {
  std::optional<int64_t> upper = {};  ///< default 1, 0 to 1
};
/// The input's matrices with zeros below (upper) or above (lower) diagonal k.
/// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input k (optional): i64.
inline Value Trilu(Builder& builder, Value input, Value k = {}, const TriluAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{input, k};
  detail::trim(all);
  Attributes given;
  if (attributes.upper) given.emplace_back("upper", *attributes.upper);
  return builder.node("Trilu", all, given, 1, name)[0];
}

/// The attributes of Unique().
struct UniqueAttributes {
  std::optional<int64_t> axis = {};  ///< optional
  std::optional<int64_t> sorted = {};  ///< default 1, 0 to 1
  size_t outputs = 1;  ///< the number of outputs to compute
};
/// The outputs of Unique(). Those that are not computed are empty.
struct UniqueOutputs {
  Value Y, indices, inverse_indices, counts;  ///< in the op's order
};
/// The distinct slices of X along `axis`, or its distinct elements without `axis`, in ascending
/// order or (sorted 0) in order of first occurrence. Further outputs: the index of each first
/// occurrence, for each slice of X its index in Y, and the count of each.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// No gradient.
inline UniqueOutputs Unique(Builder& builder, Value X, const UniqueAttributes& attributes = {}, const char* name = nullptr) {
  std::vector<Value> all{X};
  Attributes given;
  if (attributes.axis) given.emplace_back("axis", *attributes.axis);
  if (attributes.sorted) given.emplace_back("sorted", *attributes.sorted);
  std::vector<Value> out = builder.node("Unique", all, given, attributes.outputs, name);
  out.resize(4);
  return {out[0], out[1], out[2], out[3]};
}

/// Inserts dims of size 1 at the positions `axes` of the result.
/// Input data: 23 types.
/// Input axes: i64.
inline Value Unsqueeze(Builder& builder, Value data, Value axes, const char* name = nullptr) {
  std::vector<Value> all{data, axes};
  return builder.node("Unsqueeze", all, {}, 1, name)[0];
}

/// X where the condition is true, otherwise Y; all three broadcast.
/// Input condition: bool.
/// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
/// Input Y: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
inline Value Where(Builder& builder, Value condition, Value X, Value Y, const char* name = nullptr) {
  std::vector<Value> all{condition, X, Y};
  return builder.node("Where", all, {}, 1, name)[0];
}

/// Logical exclusive or of A and B, broadcast.
/// Input A: bool.
/// Input B: bool.
/// The gradient is zero.
inline Value Xor(Builder& builder, Value A, Value B, const char* name = nullptr) {
  std::vector<Value> all{A, B};
  return builder.node("Xor", all, {}, 1, name)[0];
}

}  // namespace percale::ops

#endif  // PERCALE_CPP_OPS_HPP_
