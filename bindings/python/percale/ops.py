# Written by bindings/gen; do not edit.
"""One function per op. It takes the builder and the inputs; attributes are keyword arguments."""
from __future__ import annotations

from typing import List, Optional, Sequence

from .graph import Builder, Value
from .graph import FunctionName as _Function
from .tensor import Tensor


def Abs(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The absolute value of X; integers wrap.
    Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Abs", [X], {}, outputs=1, name=name)[0]


def Acos(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The inverse cosine of the input, in radians in [0, pi]; NaN outside [-1, 1].
    Input input: f32 f16 f64 bf16."""
    return builder.node("Acos", [input], {}, outputs=1, name=name)[0]


def Acosh(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The inverse hyperbolic cosine of the input, at least 0; NaN below 1.
    Input input: f32 f16 f64 bf16."""
    return builder.node("Acosh", [input], {}, outputs=1, name=name)[0]


def Add(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A + B, broadcast; integers wrap.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Add", [A, B], {}, outputs=1, name=name)[0]


def AffineGrid(builder: Builder, theta: Value, size: Value, *, align_corners: Optional[int] = None,
        name: str = "") -> Value:
    """The sampling grid theta times (x, y, 1) or (x, y, z, 1) for each element of images of `size`
    [N,C,(D,)H,W]. x, y and z run from -1 to 1 between the centres of the first and last elements
    (align_corners) or the outer edges.
    Input theta: f32 f16 f64 bf16.
    Input size: i64.
    align_corners: default 0, 0 to 1."""
    return builder.node("AffineGrid", [theta, size], {"align_corners": align_corners}, outputs=1, name=name)[0]


def And(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Logical and of A and B, broadcast.
    Input A: bool.
    Input B: bool.
    The gradient is zero."""
    return builder.node("And", [A, B], {}, outputs=1, name=name)[0]


def ApplyAdagrad(builder: Builder, param: Value, grad: Value, square: Value, learning_rate: Value,
        grad_scale: Optional[Value] = None, *, epsilon: Optional[float] = None,
        weight_decay: Optional[float] = None, name: str = "") -> List[Value]:
    """s = s + g^2; param - learning_rate * g / (sqrt(s) + epsilon) (PyTorch's Adagrad).
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input square: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    epsilon: default 1e-10, 0 or more.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplyAdagrad", [param, grad, square, learning_rate, grad_scale], {"epsilon": epsilon,
        "weight_decay": weight_decay}, outputs=2, name=name)


def ApplyAdam(builder: Builder, param: Value, grad: Value, m: Value, v: Value, learning_rate: Value, step: Value,
        grad_scale: Optional[Value] = None, *, beta1: Optional[float] = None, beta2: Optional[float] = None,
        epsilon: Optional[float] = None, weight_decay: Optional[float] = None, name: str = "") -> List[Value]:
    """m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 -
    beta1^step) * m / (sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input m: f32 f16 f64 bf16.
    Input v: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input step: i64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    beta1: default 0.9, 0 to 1.
    beta2: default 0.999, 0 to 1.
    epsilon: default 1e-08, 0 or more.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplyAdam", [param, grad, m, v, learning_rate, step, grad_scale], {"beta1": beta1,
        "beta2": beta2, "epsilon": epsilon, "weight_decay": weight_decay}, outputs=3, name=name)


def ApplyAdamW(builder: Builder, param: Value, grad: Value, m: Value, v: Value, learning_rate: Value, step: Value,
        grad_scale: Optional[Value] = None, *, beta1: Optional[float] = None, beta2: Optional[float] = None,
        epsilon: Optional[float] = None, weight_decay: Optional[float] = None, name: str = "") -> List[Value]:
    """ApplyAdam applied to param * (1 - learning_rate * weight_decay); the decay does not enter g
    (PyTorch's AdamW).
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input m: f32 f16 f64 bf16.
    Input v: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input step: i64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    beta1: default 0.9, 0 to 1.
    beta2: default 0.999, 0 to 1.
    epsilon: default 1e-08, 0 or more.
    weight_decay: default 0.01, 0 or more."""
    return builder.node("percale:ApplyAdamW", [param, grad, m, v, learning_rate, step, grad_scale], {"beta1": beta1,
        "beta2": beta2, "epsilon": epsilon, "weight_decay": weight_decay}, outputs=3, name=name)


def ApplyFtrl(builder: Builder, param: Value, grad: Value, accumulator: Value, linear: Value, learning_rate: Value,
        grad_scale: Optional[Value] = None, *, learning_rate_power: Optional[float] = None,
        l1: Optional[float] = None, l2: Optional[float] = None, l2_shrinkage: Optional[float] = None,
        beta: Optional[float] = None, name: str = "") -> List[Value]:
    """FTRL-proximal (McMahan et al. 2013, as in TensorFlow and Keras): h = g + 2 l2_shrinkage
    param; n' = n + g^2; z' = z + h - (n'^-p - n^-p) / learning_rate * param, p =
    learning_rate_power; the new param is 0 where |z'| <= l1, otherwise (sign(z') l1 - z') /
    ((n'^-p + beta) / learning_rate + 2 l2). param, grad, accumulator (n) and linear (z) have the
    same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate is a scalar above 0.
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input accumulator: f32 f16 f64 bf16.
    Input linear: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    learning_rate_power: default -0.5, -1000000.0 to 0.
    l1: default 0, 0 or more.
    l2: default 0, 0 or more.
    l2_shrinkage: default 0, 0 or more.
    beta: default 0, 0 or more."""
    return builder.node("percale:ApplyFtrl", [param, grad, accumulator, linear, learning_rate, grad_scale],
        {"learning_rate_power": learning_rate_power, "l1": l1, "l2": l2, "l2_shrinkage": l2_shrinkage, "beta": beta},
        outputs=3, name=name)


def ApplyLAMB(builder: Builder, param: Value, grad: Value, m: Value, v: Value, learning_rate: Value, step: Value,
        grad_scale: Optional[Value] = None, *, beta1: Optional[float] = None, beta2: Optional[float] = None,
        epsilon: Optional[float] = None, weight_decay: Optional[float] = None, name: str = "") -> List[Value]:
    """LAMB (You et al. 2020, algorithm 2): m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2)
    g^2; u = m' / (1 - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) + weight_decay param;
    the new param is param - learning_rate |param| / |u| u. The norms are Euclidean norms of the
    whole tensor; their ratio is 1 if either is 0. g is grad times grad_scale. param, grad, m and v
    have the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate and step are
    scalars.
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input m: f32 f16 f64 bf16.
    Input v: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input step: i64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    beta1: default 0.9, 0 to 1.
    beta2: default 0.999, 0 to 1.
    epsilon: default 1e-06, 0 or more.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplyLAMB", [param, grad, m, v, learning_rate, step, grad_scale], {"beta1": beta1,
        "beta2": beta2, "epsilon": epsilon, "weight_decay": weight_decay}, outputs=3, name=name)


def ApplyLion(builder: Builder, param: Value, grad: Value, m: Value, learning_rate: Value,
        grad_scale: Optional[Value] = None, *, beta1: Optional[float] = None, beta2: Optional[float] = None,
        weight_decay: Optional[float] = None, name: str = "") -> List[Value]:
    """Lion (Chen et al. 2023, algorithm 2): c = beta1 m + (1 - beta1) g; m' = beta2 m + (1 - beta2)
    g; the new param is param (1 - learning_rate weight_decay) - learning_rate sign(c). param, grad
    and m have the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate is a
    scalar.
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input m: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    beta1: default 0.9, 0 to 1.
    beta2: default 0.99, 0 to 1.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplyLion", [param, grad, m, learning_rate, grad_scale], {"beta1": beta1, "beta2":
        beta2, "weight_decay": weight_decay}, outputs=2, name=name)


def ApplyMomentum(builder: Builder, param: Value, grad: Value, buffer: Value, learning_rate: Value,
        grad_scale: Optional[Value] = None, *, momentum: Optional[float] = None, nesterov: Optional[int] = None,
        weight_decay: Optional[float] = None, name: str = "") -> List[Value]:
    """buffer = momentum * buffer + g; param - learning_rate * buffer, or with nesterov: param -
    learning_rate * (g + momentum * buffer) (PyTorch's SGD).
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input buffer: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    momentum: default 0.9, 0 or more.
    nesterov: default 0, 0 to 1.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplyMomentum", [param, grad, buffer, learning_rate, grad_scale], {"momentum":
        momentum, "nesterov": nesterov, "weight_decay": weight_decay}, outputs=2, name=name)


def ApplyRMSProp(builder: Builder, param: Value, grad: Value, square: Value, buffer: Optional[Value] = None,
        learning_rate: Optional[Value] = None, grad_scale: Optional[Value] = None, *, alpha: Optional[float] = None,
        epsilon: Optional[float] = None, momentum: Optional[float] = None, weight_decay: Optional[float] = None,
        outputs: int = 2, name: str = "") -> List[Value]:
    """s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + epsilon); param - learning_rate * d, or
    with a buffer: buffer = momentum * buffer + d; param - learning_rate * buffer (PyTorch's
    RMSprop).
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input square: f32 f16 f64 bf16.
    Input buffer (optional): f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    alpha: default 0.99, 0 to 1.
    epsilon: default 1e-08, 0 or more.
    momentum: default 0, 0 or more.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplyRMSProp", [param, grad, square, buffer, learning_rate, grad_scale], {"alpha":
        alpha, "epsilon": epsilon, "momentum": momentum, "weight_decay": weight_decay}, outputs=outputs, name=name)


def ApplySGD(builder: Builder, param: Value, grad: Value, learning_rate: Value, grad_scale: Optional[Value] = None,
        *, weight_decay: Optional[float] = None, name: str = "") -> Value:
    """param - learning_rate * g (PyTorch's SGD).
    Input param: f32 f16 f64 bf16.
    Input grad: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    weight_decay: default 0, 0 or more."""
    return builder.node("percale:ApplySGD", [param, grad, learning_rate, grad_scale], {"weight_decay": weight_decay},
        outputs=1, name=name)[0]


def ArgMax(builder: Builder, data: Value, *, axis: Optional[int] = None, keepdims: Optional[int] = None,
        select_last_index: Optional[int] = None, name: str = "") -> Value:
    """The index of the greatest element along `axis`: the first of equals, or the last with
    select_last_index. NaN counts as greatest.
    Input data: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero.
    axis: default 0.
    keepdims: default 1, 0 to 1.
    select_last_index: default 0, 0 to 1."""
    return builder.node("ArgMax", [data], {"axis": axis, "keepdims": keepdims, "select_last_index":
        select_last_index}, outputs=1, name=name)[0]


def ArgMin(builder: Builder, data: Value, *, axis: Optional[int] = None, keepdims: Optional[int] = None,
        select_last_index: Optional[int] = None, name: str = "") -> Value:
    """The index of the least element along `axis`: the first of equals, or the last with
    select_last_index. NaN counts as least.
    Input data: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero.
    axis: default 0.
    keepdims: default 1, 0 to 1.
    select_last_index: default 0, 0 to 1."""
    return builder.node("ArgMin", [data], {"axis": axis, "keepdims": keepdims, "select_last_index":
        select_last_index}, outputs=1, name=name)[0]


def Asin(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The inverse sine of the input, in radians in [-pi/2, pi/2]; NaN outside [-1, 1].
    Input input: f32 f16 f64 bf16."""
    return builder.node("Asin", [input], {}, outputs=1, name=name)[0]


def Asinh(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The inverse hyperbolic sine of the input.
    Input input: f32 f16 f64 bf16."""
    return builder.node("Asinh", [input], {}, outputs=1, name=name)[0]


def Assert(builder: Builder, condition: Value, X: Optional[Value] = None, *, message: Optional[str] = None,
        name: str = "") -> Value:
    """Returns X unchanged, if it is given, and fails the run with `message` unless every element of
    the condition is true.
    Input condition: bool.
    Input X (optional): 23 types.
    message: default ""."""
    return builder.node("percale:Assert", [condition, X], {"message": message}, outputs=1, name=name)[0]


def Assign(builder: Builder, value: Value, *, variable: str, name: str = "") -> None:
    """Assigns a new value to a variable.
    Input value: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    No gradient.
    variable: required."""
    builder.node("percale:Assign", [value], {"variable": variable}, outputs=0, name=name)


def AssignAdd(builder: Builder, value: Value, *, variable: str, name: str = "") -> None:
    """Adds the input to the value of a variable.
    Input value: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    No gradient.
    variable: required."""
    builder.node("percale:AssignAdd", [value], {"variable": variable}, outputs=0, name=name)


def Atan(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The inverse tangent of the input, in radians in [-pi/2, pi/2].
    Input input: f32 f16 f64 bf16."""
    return builder.node("Atan", [input], {}, outputs=1, name=name)[0]


def Atanh(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The inverse hyperbolic tangent of the input; NaN outside [-1, 1].
    Input input: f32 f16 f64 bf16."""
    return builder.node("Atanh", [input], {}, outputs=1, name=name)[0]


def Attention(builder: Builder, Q: Value, K: Value, V: Value, attn_mask: Optional[Value] = None,
        past_key: Optional[Value] = None, past_value: Optional[Value] = None,
        nonpad_kv_seqlen: Optional[Value] = None, *, is_causal: Optional[int] = None,
        kv_num_heads: Optional[int] = None, left_window_size: Optional[int] = None,
        q_num_heads: Optional[int] = None, qk_matmul_output_mode: Optional[int] = None,
        right_window_size: Optional[int] = None, scale: Optional[float] = None, softcap: Optional[float] = None,
        softmax_precision: Optional[int] = None, outputs: int = 1, name: str = "") -> List[Value]:
    """Multi-head attention: softmax(scale Q K^T, softcapped, + mask) V per head (Vaswani et al.
    2017). Heads of Q may share heads of K and V (Ainslie et al. 2023). Past keys and values precede
    the new ones. Each input is [batch, heads, sequence, size] or [batch, sequence, heads * size]. A
    query without any key gives zeros.
    Input Q: f32 f16 f64 bf16.
    Input K: f32 f16 f64 bf16.
    Input V: f32 f16 f64 bf16.
    Input attn_mask (optional): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input past_key (optional): f32 f16 f64 bf16.
    Input past_value (optional): f32 f16 f64 bf16.
    Input nonpad_kv_seqlen (optional): i64.
    is_causal: default 0, 0 to 1.
    kv_num_heads: 1 or more.
    left_window_size: default -1, -1 or more.
    q_num_heads: 1 or more.
    qk_matmul_output_mode: default 0, 0 to 3.
    right_window_size: default -1, -1 or more.
    scale: 0 or more.
    softcap: default 0."""
    return builder.node("Attention", [Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen], {"is_causal":
        is_causal, "kv_num_heads": kv_num_heads, "left_window_size": left_window_size, "q_num_heads": q_num_heads,
        "qk_matmul_output_mode": qk_matmul_output_mode, "right_window_size": right_window_size, "scale": scale,
        "softcap": softcap, "softmax_precision": softmax_precision}, outputs=outputs, name=name)


def AveragePool(builder: Builder, X: Value, *, auto_pad: Optional[str] = None, ceil_mode: Optional[int] = None,
        count_include_pad: Optional[int] = None, dilations: Optional[Sequence[int]] = None,
        kernel_shape: Sequence[int], pads: Optional[Sequence[int]] = None, strides: Optional[Sequence[int]] = None,
        name: str = "") -> Value:
    """The mean under each position of a sliding window over X [N,C,D1,...]; with count_include_pad
    the padding counts as zeros.
    Input X: f32 f16 f64 bf16.
    auto_pad: default "NOTSET".
    ceil_mode: default 0, 0 to 1.
    count_include_pad: default 0, 0 to 1.
    dilations: 1 or more.
    kernel_shape: required, 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("AveragePool", [X], {"auto_pad": auto_pad, "ceil_mode": ceil_mode, "count_include_pad":
        count_include_pad, "dilations": dilations, "kernel_shape": kernel_shape, "pads": pads, "strides": strides},
        outputs=1, name=name)[0]


def AveragePoolGrad(builder: Builder, dY: Value, shape: Optional[Value] = None, *, auto_pad: Optional[str] = None,
        ceil_mode: Optional[int] = None, count_include_pad: Optional[int] = None,
        dilations: Optional[Sequence[int]] = None, kernel_shape: Optional[Sequence[int]] = None,
        pads: Optional[Sequence[int]] = None, strides: Optional[Sequence[int]] = None,
        global_: Optional[int] = None, spatial_shape: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """Gradient of AveragePool (of GlobalAveragePool with 'global') with respect to X. The spatial
    dims of X come from the attribute 'spatial_shape' or from the input 'shape', the shape of X.
    Input dY: f32 f16 f64 bf16.
    Input shape (optional): i64.
    auto_pad: default "NOTSET".
    ceil_mode: default 0, 0 to 1.
    count_include_pad: default 0, 0 to 1.
    dilations: 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more.
    global_: default 0, 0 to 1.
    spatial_shape: 0 or more."""
    return builder.node("percale:AveragePoolGrad", [dY, shape], {"auto_pad": auto_pad, "ceil_mode": ceil_mode,
        "count_include_pad": count_include_pad, "dilations": dilations, "kernel_shape": kernel_shape, "pads": pads,
        "strides": strides, "global": global_, "spatial_shape": spatial_shape}, outputs=1, name=name)[0]


def BatchMatMul(builder: Builder, A: Value, B: Value, *, transA: Optional[int] = None, transB: Optional[int] = None,
        name: str = "") -> Value:
    """MatMul of operands of rank 2 or more, with the matrices of A or B transposed if the
    attributes say so.
    Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
    transA: default 0, 0 to 1.
    transB: default 0, 0 to 1."""
    return builder.node("percale:BatchMatMul", [A, B], {"transA": transA, "transB": transB}, outputs=1, name=name)[0]


def BatchNormalization(builder: Builder, X: Value, scale: Value, B: Value, input_mean: Value, input_var: Value, *,
        epsilon: Optional[float] = None, momentum: Optional[float] = None, training_mode: Optional[int] = None,
        outputs: int = 1, name: str = "") -> List[Value]:
    """Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X [N,C,...]. In training
    mode, mean and (biased) variance are those of the batch, and running_x = input_x * momentum +
    batch_x * (1 - momentum).
    Input X: f32 f16 f64 bf16.
    Input scale: f32 f16 f64 bf16.
    Input B: f32 f16 f64 bf16.
    Input input_mean: f32 f16 f64 bf16.
    Input input_var: f32 f16 f64 bf16.
    epsilon: default 1e-05, 0 or more.
    momentum: default 0.9.
    training_mode: default 0, 0 to 1."""
    return builder.node("BatchNormalization", [X, scale, B, input_mean, input_var], {"epsilon": epsilon, "momentum":
        momentum, "training_mode": training_mode}, outputs=outputs, name=name)


def BatchNormalizationGrad(builder: Builder, dY: Value, X: Value, scale: Value, mean: Optional[Value] = None,
        var: Optional[Value] = None, *, epsilon: Optional[float] = None, training_mode: Optional[int] = None,
        name: str = "") -> List[Value]:
    """Gradients of BatchNormalization with respect to X, scale and B. In training mode the
    statistics of the batch are recomputed from X and the gradient flows through them; otherwise
    they are the inputs mean and var.
    Input dY: f32 f16 f64 bf16.
    Input X: f32 f16 f64 bf16.
    Input scale: f32 f16 f64 bf16.
    Input mean (optional): f32 f16 f64 bf16.
    Input var (optional): f32 f16 f64 bf16.
    No gradient.
    epsilon: default 1e-05, 0 or more.
    training_mode: default 0, 0 to 1."""
    return builder.node("percale:BatchNormalizationGrad", [dY, X, scale, mean, var], {"epsilon": epsilon,
        "training_mode": training_mode}, outputs=3, name=name)


def Bernoulli(builder: Builder, input: Value, *, dtype: Optional[int] = None, id: Optional[int] = None,
        seed: Optional[float] = None, name: str = "") -> Value:
    """1 with the probability that the input holds, otherwise 0, in the dtype of the input unless
    dtype is given.
    Input input: f32 f16 f64 bf16.
    The gradient is zero.
    id: default 0, 0 or more.
    seed: default 0."""
    return builder.node("Bernoulli", [input], {"dtype": dtype, "id": id, "seed": seed}, outputs=1, name=name)[0]


def BinaryCrossEntropyWithLogits(builder: Builder, logits: Value, targets: Value, *,
        reduction: Optional[str] = None, name: str = "") -> Value:
    """max(x, 0) - x * t + log(1 + exp(-|x|)) for logits x and targets t of the same shape, reduced
    by `reduction`.
    Input logits: f32 f16 f64 bf16.
    Input targets: f32 f16 f64 bf16.
    reduction: default "mean"."""
    return builder.node("percale:BinaryCrossEntropyWithLogits", [logits, targets], {"reduction": reduction},
        outputs=1, name=name)[0]


def BitCast(builder: Builder, input: Value, *, to: int, name: str = "") -> Value:
    """Reinterprets the bits of each element as an element of dtype 'to', which must have the same
    size.
    Input input: 23 types.
    No gradient.
    to: required."""
    return builder.node("BitCast", [input], {"to": to}, outputs=1, name=name)[0]


def BitShift(builder: Builder, X: Value, Y: Value, *, direction: str, name: str = "") -> Value:
    """X shifted LEFT or RIGHT by Y bits, broadcast. Zeros are shifted in; a shift by the number of
    bits or more gives 0.
    Input X: u8 u16 u32 u64.
    Input Y: u8 u16 u32 u64.
    No gradient.
    direction: required."""
    return builder.node("BitShift", [X, Y], {"direction": direction}, outputs=1, name=name)[0]


def BitwiseAnd(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Bitwise and of A and B, broadcast.
    Input A: u8 i8 u16 i16 i32 i64 u32 u64.
    Input B: u8 i8 u16 i16 i32 i64 u32 u64.
    No gradient."""
    return builder.node("BitwiseAnd", [A, B], {}, outputs=1, name=name)[0]


def BitwiseNot(builder: Builder, X: Value, *, name: str = "") -> Value:
    """Inverts every bit of X.
    Input X: u8 i8 u16 i16 i32 i64 u32 u64.
    No gradient."""
    return builder.node("BitwiseNot", [X], {}, outputs=1, name=name)[0]


def BitwiseOr(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Bitwise or of A and B, broadcast.
    Input A: u8 i8 u16 i16 i32 i64 u32 u64.
    Input B: u8 i8 u16 i16 i32 i64 u32 u64.
    No gradient."""
    return builder.node("BitwiseOr", [A, B], {}, outputs=1, name=name)[0]


def BitwiseXor(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Bitwise exclusive or of A and B, broadcast.
    Input A: u8 i8 u16 i16 i32 i64 u32 u64.
    Input B: u8 i8 u16 i16 i32 i64 u32 u64.
    No gradient."""
    return builder.node("BitwiseXor", [A, B], {}, outputs=1, name=name)[0]


def BlackmanWindow(builder: Builder, size: Value, *, output_datatype: Optional[int] = None,
        periodic: Optional[int] = None, name: str = "") -> Value:
    """0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N) for n below size; N is size if periodic,
    else size - 1.
    Input size: i32 i64.
    No gradient.
    output_datatype: default 1.
    periodic: default 1, 0 to 1."""
    return builder.node("BlackmanWindow", [size], {"output_datatype": output_datatype, "periodic": periodic},
        outputs=1, name=name)[0]


def Call(builder: Builder, inputs: Sequence[Value] = (), *, function: str, outputs: int = 1,
        name: str = "") -> List[Value]:
    """Calls a function of the graph with the given inputs; the outputs are those of the function.
    Input inputs (optional, any number): 26 types.
    function: required."""
    return builder.node("percale:Call", [*inputs], {"function": _Function(function)}, outputs=outputs, name=name)


def Cast(builder: Builder, input: Value, *, to: int, saturate: Optional[int] = None,
        round_mode: Optional[str] = None, name: str = "") -> Value:
    """Converts the input to dtype `to`. Floats round to nearest; to integers they truncate towards
    zero and saturate (NaN gives 0). Integers, and floats converted to 4- and 2-bit integers, wrap.
    To bool, the result is x != 0. saturate and round_mode apply to float8 as in ONNX; values beyond
    the range of f4e2m1 saturate at 6.
    Input input: 23 types.
    to: required.
    saturate: default 1, 0 to 1.
    round_mode: default "up"."""
    return builder.node("Cast", [input], {"to": to, "saturate": saturate, "round_mode": round_mode}, outputs=1,
        name=name)[0]


def CastLike(builder: Builder, input: Value, target_type: Value, *, saturate: Optional[int] = None,
        round_mode: Optional[str] = None, name: str = "") -> Value:
    """Converts the input to the dtype of the second operand, as Cast does.
    Input input: 23 types.
    Input target_type: 23 types.
    saturate: default 1, 0 to 1.
    round_mode: default "up"."""
    return builder.node("CastLike", [input, target_type], {"saturate": saturate, "round_mode": round_mode}, outputs=1,
        name=name)[0]


def Ceil(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The least integer not below X.
    Input X: f32 f16 f64 bf16.
    The gradient is zero."""
    return builder.node("Ceil", [X], {}, outputs=1, name=name)[0]


def Celu(builder: Builder, X: Value, *, alpha: Optional[float] = None, name: str = "") -> Value:
    """x where x > 0, otherwise alpha (exp(x / alpha) - 1).
    Input X: f32 f16 f64 bf16.
    alpha: default 1."""
    return builder.node("Celu", [X], {"alpha": alpha}, outputs=1, name=name)[0]


def CenterCropPad(builder: Builder, input_data: Value, shape: Value, *, axes: Optional[Sequence[int]] = None,
        name: str = "") -> Value:
    """The centre of the input along axes (default: all), cropped or padded with zeros to the dims
    in shape. If the difference is odd, the extra element is at the end.
    Input input_data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input shape: i32 i64."""
    return builder.node("CenterCropPad", [input_data, shape], {"axes": axes}, outputs=1, name=name)[0]


def CheckNumerics(builder: Builder, X: Value, *, message: Optional[str] = None, name: str = "") -> Value:
    """Returns X unchanged. An infinite or NaN element fails the run with `message`. The gradient is
    checked in the same way.
    Input X: f32 f16 f64 bf16.
    message: default ""."""
    return builder.node("percale:CheckNumerics", [X], {"message": message}, outputs=1, name=name)[0]


def Cholesky(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The lower triangular L with L L^T = X for each symmetric matrix [..., n, n] of X. Only the
    lower triangle of X is read. A matrix that is not positive definite fails the run.
    Input X: f32 f16 f64 bf16."""
    return builder.node("percale:Cholesky", [X], {}, outputs=1, name=name)[0]


def Clip(builder: Builder, input: Value, min: Optional[Value] = None, max: Optional[Value] = None, *,
        name: str = "") -> Value:
    """min(max(X, min), max) with optional scalar limits; NaN stays NaN.
    Input input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input min (optional): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input max (optional): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Clip", [input, min, max], {}, outputs=1, name=name)[0]


def Cofactors(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The cofactors of each matrix [..., n, n] of X, which may be singular: Y[i, j] = (-1)^(i+j)
    times the determinant of X without row i and column j. Its gradient fails the run for a singular
    matrix.
    Input X: f32 f16 f64 bf16."""
    return builder.node("percale:Cofactors", [X], {}, outputs=1, name=name)[0]


def Col2Im(builder: Builder, input: Value, image_shape: Value, block_shape: Value, *,
        dilations: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """Sums columns [N, C * block, L] into images [N,C,D1,...] of image_shape: each column goes
    where a sliding window of block_shape took it from. Integers wrap; bools are combined by or.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input image_shape: i64.
    Input block_shape: i64.
    No gradient.
    dilations: 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("Col2Im", [input, image_shape, block_shape], {"dilations": dilations, "pads": pads, "strides":
        strides}, outputs=1, name=name)[0]


def Compress(builder: Builder, input: Value, condition: Value, *, axis: Optional[int] = None,
        name: str = "") -> Value:
    """The slices of the input along `axis`, or its elements without `axis`, where the condition is
    true. The condition may be shorter than the axis.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input condition: bool."""
    return builder.node("Compress", [input, condition], {"axis": axis}, outputs=1, name=name)[0]


def Concat(builder: Builder, inputs: Sequence[Value], *, axis: int, name: str = "") -> Value:
    """The inputs concatenated along `axis`.
    Input inputs (any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    axis: required."""
    return builder.node("Concat", [*inputs], {"axis": axis}, outputs=1, name=name)[0]


def Constant(builder: Builder, *, value: Optional[Tensor] = None, value_float: Optional[float] = None,
        value_floats: Optional[Sequence[float]] = None, value_int: Optional[int] = None,
        value_ints: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """The value of its only attribute.
    The gradient is zero."""
    return builder.node("Constant", [], {"value": value, "value_float": value_float, "value_floats": value_floats,
        "value_int": value_int, "value_ints": value_ints}, outputs=1, name=name)[0]


def ConstantOfShape(builder: Builder, input: Value, *, value: Optional[Tensor] = None, name: str = "") -> Value:
    """A tensor of the given shape, filled with `value` (default: an f32 zero).
    Input input: i64.
    The gradient is zero."""
    return builder.node("ConstantOfShape", [input], {"value": value}, outputs=1, name=name)[0]


def Conv(builder: Builder, X: Value, W: Value, B: Optional[Value] = None, *, auto_pad: Optional[str] = None,
        dilations: Optional[Sequence[int]] = None, group: Optional[int] = None,
        kernel_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """Convolution (cross-correlation) of images X [N,C,D1,...] with filters W [M,C/group,k1,...],
    plus B [M] per output channel; 1 to 3 spatial dims.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    auto_pad: default "NOTSET".
    dilations: 1 or more.
    group: default 1, 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("Conv", [X, W, B], {"auto_pad": auto_pad, "dilations": dilations, "group": group,
        "kernel_shape": kernel_shape, "pads": pads, "strides": strides}, outputs=1, name=name)[0]


def ConvGradInput(builder: Builder, dY: Value, W: Value, shape: Optional[Value] = None, *,
        auto_pad: Optional[str] = None, dilations: Optional[Sequence[int]] = None, group: Optional[int] = None,
        kernel_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, spatial_shape: Optional[Sequence[int]] = None,
        name: str = "") -> Value:
    """Gradient of Conv with respect to X, from dY and W. The spatial dims of X come from the
    attribute 'spatial_shape' or from the input 'shape', the shape of X.
    Input dY: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input shape (optional): i64.
    auto_pad: default "NOTSET".
    dilations: 1 or more.
    group: default 1, 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more.
    spatial_shape: 0 or more."""
    return builder.node("percale:ConvGradInput", [dY, W, shape], {"auto_pad": auto_pad, "dilations": dilations,
        "group": group, "kernel_shape": kernel_shape, "pads": pads, "strides": strides, "spatial_shape":
        spatial_shape}, outputs=1, name=name)[0]


def ConvGradWeight(builder: Builder, X: Value, dY: Value, shape: Optional[Value] = None, *,
        auto_pad: Optional[str] = None, dilations: Optional[Sequence[int]] = None, group: Optional[int] = None,
        kernel_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, outputs: int = 1, name: str = "") -> List[Value]:
    """Gradients of Conv with respect to W and B, from X and dY. The spatial dims of W come from the
    attribute 'kernel_shape' or from the input 'shape', the shape of W.
    Input X: f32 f16 f64 bf16.
    Input dY: f32 f16 f64 bf16.
    Input shape (optional): i64.
    auto_pad: default "NOTSET".
    dilations: 1 or more.
    group: default 1, 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("percale:ConvGradWeight", [X, dY, shape], {"auto_pad": auto_pad, "dilations": dilations,
        "group": group, "kernel_shape": kernel_shape, "pads": pads, "strides": strides}, outputs=outputs, name=name)


def ConvInteger(builder: Builder, x: Value, w: Value, x_zero_point: Optional[Value] = None,
        w_zero_point: Optional[Value] = None, *, auto_pad: Optional[str] = None,
        dilations: Optional[Sequence[int]] = None, group: Optional[int] = None,
        kernel_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """Conv of x - x_zero_point and w - w_zero_point (one zero point, or one per filter), summed in
    i32.
    Input x: u8 i8.
    Input w: u8 i8.
    Input x_zero_point (optional): u8 i8.
    Input w_zero_point (optional): u8 i8.
    No gradient.
    auto_pad: default "NOTSET".
    dilations: 1 or more.
    group: default 1, 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("ConvInteger", [x, w, x_zero_point, w_zero_point], {"auto_pad": auto_pad, "dilations":
        dilations, "group": group, "kernel_shape": kernel_shape, "pads": pads, "strides": strides}, outputs=1,
        name=name)[0]


def ConvTranspose(builder: Builder, X: Value, W: Value, B: Optional[Value] = None, *,
        auto_pad: Optional[str] = None, dilations: Optional[Sequence[int]] = None, group: Optional[int] = None,
        kernel_shape: Optional[Sequence[int]] = None, output_padding: Optional[Sequence[int]] = None,
        output_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """Transposed convolution of X [N,C,D1,...] with filters W [C,M/group,k1,...], plus B [M]. It is
    the gradient of Conv with respect to its input; output dim = stride * (in - 1) +
    output_padding + (k - 1) * dilation + 1 - pads.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    auto_pad: default "NOTSET".
    dilations: 1 or more.
    group: default 1, 1 or more.
    kernel_shape: 1 or more.
    output_padding: 0 or more.
    output_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("ConvTranspose", [X, W, B], {"auto_pad": auto_pad, "dilations": dilations, "group": group,
        "kernel_shape": kernel_shape, "output_padding": output_padding, "output_shape": output_shape, "pads": pads,
        "strides": strides}, outputs=1, name=name)[0]


def Cos(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The cosine of X in radians.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Cos", [X], {}, outputs=1, name=name)[0]


def Cosh(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The hyperbolic cosine of the input.
    Input input: f32 f16 f64 bf16."""
    return builder.node("Cosh", [input], {}, outputs=1, name=name)[0]


def CumProd(builder: Builder, x: Value, axis: Value, *, exclusive: Optional[int] = None,
        reverse: Optional[int] = None, name: str = "") -> Value:
    """The product of the elements up to each element along an axis, including the element itself
    unless exclusive is set.
    Input x: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axis: i32 i64.
    exclusive: default 0, 0 to 1.
    reverse: default 0, 0 to 1."""
    return builder.node("CumProd", [x, axis], {"exclusive": exclusive, "reverse": reverse}, outputs=1, name=name)[0]


def CumProdGrad(builder: Builder, grad: Value, x: Value, axis: Value, *, exclusive: Optional[int] = None,
        reverse: Optional[int] = None, name: str = "") -> Value:
    """The gradient of CumProd with respect to x; correct if elements of x are 0, too.
    Input grad: f32 f16 f64 bf16.
    Input x: f32 f16 f64 bf16.
    Input axis: i32 i64.
    No gradient.
    exclusive: default 0, 0 to 1.
    reverse: default 0, 0 to 1."""
    return builder.node("percale:CumProdGrad", [grad, x, axis], {"exclusive": exclusive, "reverse": reverse},
        outputs=1, name=name)[0]


def CumSum(builder: Builder, x: Value, axis: Value, *, exclusive: Optional[int] = None,
        reverse: Optional[int] = None, name: str = "") -> Value:
    """The sum of the elements up to each element along an axis, including the element itself unless
    exclusive is set.
    Input x: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axis: i32 i64.
    exclusive: default 0, 0 to 1.
    reverse: default 0, 0 to 1."""
    return builder.node("CumSum", [x, axis], {"exclusive": exclusive, "reverse": reverse}, outputs=1, name=name)[0]


def DFT(builder: Builder, input: Value, dft_length: Optional[Value] = None, axis: Optional[Value] = None, *,
        inverse: Optional[int] = None, onesided: Optional[int] = None, name: str = "") -> Value:
    """The discrete Fourier transform along an axis of [..., 1] real or [..., 2] complex numbers,
    cropped or zero-padded to dft_length: sum of x[n] exp(-2 pi i k n / N). inverse: + in the
    exponent, divided by N. onesided: the first half of the transform of a real input, or with
    inverse the real output for such a half.
    Input input: f32 f16 f64 bf16.
    Input dft_length (optional): i32 i64.
    Input axis (optional): i64.
    inverse: default 0, 0 to 1.
    onesided: default 0, 0 to 1."""
    return builder.node("DFT", [input, dft_length, axis], {"inverse": inverse, "onesided": onesided}, outputs=1,
        name=name)[0]


def DepthToSpace(builder: Builder, input: Value, *, blocksize: int, mode: Optional[str] = None,
        name: str = "") -> Value:
    """Moves channels of [N,C,H,W] into blocks of blocksize * blocksize pixels. The position in the
    block is the outer part (mode DCR) or the inner part (CRD) of the channel index.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    blocksize: required, 1 to 2048.
    mode: default "DCR"."""
    return builder.node("DepthToSpace", [input], {"blocksize": blocksize, "mode": mode}, outputs=1, name=name)[0]


def DequantizeLinear(builder: Builder, x: Value, x_scale: Value, x_zero_point: Optional[Value] = None, *,
        axis: Optional[int] = None, block_size: Optional[int] = None, output_dtype: Optional[int] = None,
        name: str = "") -> Value:
    """(x - x_zero_point) * x_scale. There is one scale and zero point for the whole tensor, one per
    position along 'axis', or one per block of block_size along it.
    Input x: 14 types.
    Input x_scale: f32 f16 f64 bf16 f8e8m0.
    Input x_zero_point (optional): 14 types.
    axis: default 1.
    block_size: default 0, 0 or more.
    output_dtype: default 0."""
    return builder.node("DequantizeLinear", [x, x_scale, x_zero_point], {"axis": axis, "block_size": block_size,
        "output_dtype": output_dtype}, outputs=1, name=name)[0]


def Det(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The determinant of each matrix [..., n, n] of X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Det", [X], {}, outputs=1, name=name)[0]


def DistinctSlices(builder: Builder, X: Value, *, axis: Optional[int] = None, sorted: Optional[int] = None,
        name: str = "") -> List[Value]:
    """The distinct slices of X as Unique orders them: the place of the first of each, then zeros;
    for each slice of X the number of its group; the slices of each group, then zeros; the number of
    groups.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero.
    sorted: default 1, 0 to 1."""
    return builder.node("percale:DistinctSlices", [X], {"axis": axis, "sorted": sorted}, outputs=4, name=name)


def Div(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A / B, broadcast; integers truncate towards zero, and an integer zero in B is an error.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Div", [A, B], {}, outputs=1, name=name)[0]


def Dropout(builder: Builder, data: Value, ratio: Optional[Value] = None, training_mode: Optional[Value] = None, *,
        id: Optional[int] = None, seed: Optional[int] = None, outputs: int = 1, name: str = "") -> List[Value]:
    """In training mode, each element is kept with probability 1 - ratio and divided by it,
    otherwise set to zero; mask says which. Outside training mode, the data unchanged. ratio is in
    [0, 1], by default 0.5.
    Input data: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    Input ratio (optional): f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    Input training_mode (optional): bool.
    id: default 0, 0 or more.
    seed: default 0."""
    return builder.node("Dropout", [data, ratio, training_mode], {"id": id, "seed": seed}, outputs=outputs, name=name)


def DynamicQuantizeLinear(builder: Builder, x: Value, *, name: str = "") -> List[Value]:
    """x quantised to u8, with the scale and the zero point of its own value range, extended to
    include 0.
    Input x: f32.
    No gradient."""
    return builder.node("DynamicQuantizeLinear", [x], {}, outputs=3, name=name)


def Einsum(builder: Builder, Inputs: Sequence[Value], *, equation: str, name: str = "") -> Value:
    """Multiplies the operands' elements and sums over all labels of 'equation' that the output does
    not have, as numpy.einsum. An ellipsis stands for dims that broadcast.
    Input Inputs (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    equation: required."""
    return builder.node("Einsum", [*Inputs], {"equation": equation}, outputs=1, name=name)[0]


def Elu(builder: Builder, X: Value, *, alpha: Optional[float] = None, name: str = "") -> Value:
    """x where x > 0, otherwise alpha (exp(x) - 1).
    Input X: f32 f16 f64 bf16.
    alpha: default 1."""
    return builder.node("Elu", [X], {"alpha": alpha}, outputs=1, name=name)[0]


def EmbeddingBag(builder: Builder, table: Value, indices: Value, offsets: Optional[Value] = None,
        per_sample_weights: Optional[Value] = None, *, mode: Optional[str] = None,
        padding_idx: Optional[int] = None, include_last_offset: Optional[int] = None, name: str = "") -> Value:
    """The sum, mean or maximum (`mode`) per bag of the rows of table [rows, width] that its indices
    select: [bags, width], zeros for an empty bag (PyTorch's EmbeddingBag). Indices are [bags,
    length], or [count] with the offset of the first index of each bag; with include_last_offset the
    end of the last bag follows. With mode sum, each row is multiplied by its weight. Indices equal
    to padding_idx are ignored (-1: none). Indices are in [0, rows).
    Input table: f32 f16 f64 bf16.
    Input indices (indices): i32 i64.
    Input offsets (optional, indices): i32 i64.
    Input per_sample_weights (optional): f32 f16 f64 bf16.
    mode: default "mean".
    padding_idx: default -1, -1 or more.
    include_last_offset: default 0, 0 to 1."""
    return builder.node("percale:EmbeddingBag", [table, indices, offsets, per_sample_weights], {"mode": mode,
        "padding_idx": padding_idx, "include_last_offset": include_last_offset}, outputs=1, name=name)[0]


def EmbeddingBagRows(builder: Builder, grad: Value, table: Value, indices: Value, offsets: Optional[Value] = None,
        per_sample_weights: Optional[Value] = None, *, mode: Optional[str] = None,
        padding_idx: Optional[int] = None, include_last_offset: Optional[int] = None, name: str = "") -> Value:
    """The gradient of EmbeddingBag with respect to the row that each index looked up: [count,
    width]. If rows tie for a maximum, the first receives the gradient. Padding receives zeros.
    Input grad: f32 f16 f64 bf16.
    Input table: f32 f16 f64 bf16.
    Input indices (indices): i32 i64.
    Input offsets (optional, indices): i32 i64.
    Input per_sample_weights (optional): f32 f16 f64 bf16.
    mode: default "mean".
    padding_idx: default -1, -1 or more.
    include_last_offset: default 0, 0 to 1."""
    return builder.node("percale:EmbeddingBagRows", [grad, table, indices, offsets, per_sample_weights], {"mode":
        mode, "padding_idx": padding_idx, "include_last_offset": include_last_offset}, outputs=1, name=name)[0]


def Equal(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A == B, broadcast; NaN is equal to nothing.
    Input A: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("Equal", [A, B], {}, outputs=1, name=name)[0]


def Erf(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The error function of X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Erf", [X], {}, outputs=1, name=name)[0]


def Exp(builder: Builder, X: Value, *, name: str = "") -> Value:
    """e to the power X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Exp", [X], {}, outputs=1, name=name)[0]


def Expand(builder: Builder, input: Value, shape: Value, *, name: str = "") -> Value:
    """The input broadcast with `shape`.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input shape: i64."""
    return builder.node("Expand", [input, shape], {}, outputs=1, name=name)[0]


def EyeLike(builder: Builder, input: Value, *, dtype: Optional[int] = None, k: Optional[int] = None,
        name: str = "") -> Value:
    """A matrix of the input's shape, with ones on diagonal k and zeros elsewhere.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero.
    k: default 0."""
    return builder.node("EyeLike", [input], {"dtype": dtype, "k": k}, outputs=1, name=name)[0]


def Flatten(builder: Builder, input: Value, *, axis: Optional[int] = None, name: str = "") -> Value:
    """The input as a matrix: the dims before `axis` become its rows, the others its columns.
    Input input: 23 types.
    axis: default 1."""
    return builder.node("Flatten", [input], {"axis": axis}, outputs=1, name=name)[0]


def Floor(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The greatest integer not above X.
    Input X: f32 f16 f64 bf16.
    The gradient is zero."""
    return builder.node("Floor", [X], {}, outputs=1, name=name)[0]


def Fused(builder: Builder, inputs: Sequence[Value] = (), *, body: str, anchor: Optional[str] = None,
        outputs: int = 1, name: str = "") -> List[Value]:
    """Calls its body, a function of plain ops, on the inputs. anchor names the op of the node that
    is not elementwise, if there is one.
    Input inputs (optional, any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    No gradient.
    body: required.
    anchor: default ""."""
    return builder.node("percale:Fused", [*inputs], {"body": _Function(body), "anchor": anchor}, outputs=outputs,
        name=name)


def FusedAttention(builder: Builder, Q: Value, K: Value, V: Value, mask: Optional[Value] = None, *,
        k_by_row: Optional[int] = None, nan_is_zero: Optional[int] = None, q_by_row: Optional[int] = None,
        scale: Optional[float] = None, v_by_row: Optional[int] = None, y_by_row: Optional[int] = None,
        outputs: int = 1, name: str = "") -> List[Value]:
    """softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is
    [batch, heads, sequence, size] or, by row, [batch, sequence, heads, size]. Heads of Q may share
    heads of K and V. With nan_is_zero, a NaN probability, as of a query without any key, becomes 0.
    The softmax runs in the dtype of the mask. The statistics are, per query, the logarithm of the
    sum of exp of its scores, in f32, or in f64 for f64 operands.
    Input Q: f32 f16 f64 bf16.
    Input K: f32 f16 f64 bf16.
    Input V: f32 f16 f64 bf16.
    Input mask (optional): f32 f16 f64 bf16.
    k_by_row: default 0, 0 to 1.
    nan_is_zero: default 0, 0 to 1.
    q_by_row: default 0, 0 to 1.
    scale: default 1.
    v_by_row: default 0, 0 to 1.
    y_by_row: default 0, 0 to 1."""
    return builder.node("percale:FusedAttention", [Q, K, V, mask], {"k_by_row": k_by_row, "nan_is_zero": nan_is_zero,
        "q_by_row": q_by_row, "scale": scale, "v_by_row": v_by_row, "y_by_row": y_by_row}, outputs=outputs, name=name)


def FusedAttentionGrad(builder: Builder, dY: Value, Q: Value, K: Value, V: Value, Y: Value, statistics: Value,
        mask: Optional[Value] = None, *, dy_by_row: Optional[int] = None, k_by_row: Optional[int] = None,
        q_by_row: Optional[int] = None, scale: Optional[float] = None, v_by_row: Optional[int] = None,
        y_by_row: Optional[int] = None, name: str = "") -> List[Value]:
    """Gradients of FusedAttention with respect to Q, K and V, computed from the gradient of Y, from
    Y and from the statistics (Dao et al. 2022). They have the layouts of Q, K and V. Shared heads
    and nan_is_zero are not supported.
    Input dY: f32 f16 f64 bf16.
    Input Q: f32 f16 f64 bf16.
    Input K: f32 f16 f64 bf16.
    Input V: f32 f16 f64 bf16.
    Input Y: f32 f16 f64 bf16.
    Input statistics: f32 f16 f64 bf16.
    Input mask (optional): f32 f16 f64 bf16.
    No gradient.
    dy_by_row: default 0, 0 to 1.
    k_by_row: default 0, 0 to 1.
    q_by_row: default 0, 0 to 1.
    scale: default 1.
    v_by_row: default 0, 0 to 1.
    y_by_row: default 0, 0 to 1."""
    return builder.node("percale:FusedAttentionGrad", [dY, Q, K, V, Y, statistics, mask], {"dy_by_row": dy_by_row,
        "k_by_row": k_by_row, "q_by_row": q_by_row, "scale": scale, "v_by_row": v_by_row, "y_by_row": y_by_row},
        outputs=3, name=name)


def FusedRotary(builder: Builder, X: Value, cos: Value, sin: Value, *, name: str = "") -> Value:
    """Rotary embedding X cos + T sin, where T is X with the second half of its last dim negated and
    moved before the first half: rotates pairs of elements that are half a row apart (Su et al.
    2021).
    Input X: f32 f16 f64 bf16.
    Input cos: f32 f16 f64 bf16.
    Input sin: f32 f16 f64 bf16."""
    return builder.node("percale:FusedRotary", [X, cos, sin], {}, outputs=1, name=name)[0]


def GRU(builder: Builder, X: Value, W: Value, R: Value, B: Optional[Value] = None,
        sequence_lens: Optional[Value] = None, initial_h: Optional[Value] = None, *,
        activation_alpha: Optional[Sequence[float]] = None, activation_beta: Optional[Sequence[float]] = None,
        activations: Optional[Sequence[str]] = None, clip: Optional[float] = None, direction: Optional[str] = None,
        hidden_size: Optional[int] = None, layout: Optional[int] = None, linear_before_reset: Optional[int] = None,
        outputs: int = 2, name: str = "") -> List[Value]:
    """Gated recurrent unit over X [time,batch,input] (layout 1: batch first): z,r = f(X W^T + H
    R^T + B), H = (1 - z) g(X W^T + (r H) R^T + B) + z H; with linear_before_reset, r (H R^T + B)
    replaces (r H) R^T + B. W, R and B hold the gates in the order z,r,h.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input R: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    Input sequence_lens (optional, indices): i32.
    Input initial_h (optional): f32 f16 f64 bf16.
    clip: 0 or more.
    direction: default "forward".
    hidden_size: 1 or more.
    layout: default 0, 0 to 1.
    linear_before_reset: default 0."""
    return builder.node("GRU", [X, W, R, B, sequence_lens, initial_h], {"activation_alpha": activation_alpha,
        "activation_beta": activation_beta, "activations": activations, "clip": clip, "direction": direction,
        "hidden_size": hidden_size, "layout": layout, "linear_before_reset": linear_before_reset}, outputs=outputs,
        name=name)


def GRUGrad(builder: Builder, X: Value, W: Value, R: Value, B: Optional[Value] = None,
        sequence_lens: Optional[Value] = None, initial_h: Optional[Value] = None, dY: Optional[Value] = None,
        dY_h: Optional[Value] = None, *, activation_alpha: Optional[Sequence[float]] = None,
        activation_beta: Optional[Sequence[float]] = None, activations: Optional[Sequence[str]] = None,
        clip: Optional[float] = None, direction: Optional[str] = None, hidden_size: Optional[int] = None,
        layout: Optional[int] = None, linear_before_reset: Optional[int] = None, outputs: int = 5,
        name: str = "") -> List[Value]:
    """Gradients of GRU with respect to X, W, R, B and initial_h, from the inputs of GRU and the
    gradients of its outputs. The forward pass is recomputed. The op has no gradient.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input R: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    Input sequence_lens (optional, indices): i32.
    Input initial_h (optional): f32 f16 f64 bf16.
    Input dY (optional): f32 f16 f64 bf16.
    Input dY_h (optional): f32 f16 f64 bf16.
    No gradient.
    clip: 0 or more.
    direction: default "forward".
    hidden_size: 1 or more.
    layout: default 0, 0 to 1.
    linear_before_reset: default 0."""
    return builder.node("percale:GRUGrad", [X, W, R, B, sequence_lens, initial_h, dY, dY_h], {"activation_alpha":
        activation_alpha, "activation_beta": activation_beta, "activations": activations, "clip": clip, "direction":
        direction, "hidden_size": hidden_size, "layout": layout, "linear_before_reset": linear_before_reset},
        outputs=outputs, name=name)


def Gather(builder: Builder, data: Value, indices: Value, *, axis: Optional[int] = None, name: str = "") -> Value:
    """The slices of data along `axis` that the indices select; negative indices count from the end.
    Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input indices (indices): i32 i64.
    axis: default 0."""
    return builder.node("Gather", [data, indices], {"axis": axis}, outputs=1, name=name)[0]


def GatherElements(builder: Builder, data: Value, indices: Value, *, axis: Optional[int] = None,
        name: str = "") -> Value:
    """For each index, the element of data at the same position, with the coordinate along `axis`
    replaced by the index.
    Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input indices (indices): i32 i64.
    axis: default 0."""
    return builder.node("GatherElements", [data, indices], {"axis": axis}, outputs=1, name=name)[0]


def GatherGrad(builder: Builder, grad: Value, indices: Value, shape: Value, *, axis: Optional[int] = None,
        name: str = "") -> Value:
    """The gradient of Gather with respect to data, of shape `shape`: slices of grad are summed at
    the positions they were gathered from.
    Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input indices (indices): i32 i64.
    Input shape: i64.
    axis: default 0."""
    return builder.node("percale:GatherGrad", [grad, indices, shape], {"axis": axis}, outputs=1, name=name)[0]


def GatherND(builder: Builder, data: Value, indices: Value, *, batch_dims: Optional[int] = None,
        name: str = "") -> Value:
    """The slices of data that tuples of indices select; the last dim of indices holds the tuples,
    and negative indices count from the end.
    Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input indices (indices): i64.
    batch_dims: default 0, 0 to 8."""
    return builder.node("GatherND", [data, indices], {"batch_dims": batch_dims}, outputs=1, name=name)[0]


def Gelu(builder: Builder, X: Value, *, approximate: Optional[str] = None, name: str = "") -> Value:
    """x / 2 (1 + erf(x / sqrt(2))); with approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x +
    0.044715 x^3))) (Hendrycks and Gimpel 2016).
    Input X: f32 f16 f64 bf16.
    approximate: default "none"."""
    return builder.node("Gelu", [X], {"approximate": approximate}, outputs=1, name=name)[0]


def Gemm(builder: Builder, A: Value, B: Value, C: Optional[Value] = None, *, alpha: Optional[float] = None,
        beta: Optional[float] = None, transA: Optional[int] = None, transB: Optional[int] = None,
        name: str = "") -> Value:
    """Y = alpha * A' * B' + beta * C for matrices; A' and B' are A and B, transposed if transA or
    transB is set, and C broadcasts to Y.
    Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input C (optional): f32 i32 i64 f16 f64 u32 u64 bf16.
    alpha: default 1.
    beta: default 1.
    transA: default 0.
    transB: default 0."""
    return builder.node("Gemm", [A, B, C], {"alpha": alpha, "beta": beta, "transA": transA, "transB": transB},
        outputs=1, name=name)[0]


def GlobalAveragePool(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The mean of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
    Input X: f32 f16 f64 bf16."""
    return builder.node("GlobalAveragePool", [X], {}, outputs=1, name=name)[0]


def GlobalLpPool(builder: Builder, X: Value, *, p: Optional[int] = None, name: str = "") -> Value:
    """The p-norm of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
    Input X: f32 f16 f64 bf16.
    p: default 2, 1 to 1048576."""
    return builder.node("GlobalLpPool", [X], {"p": p}, outputs=1, name=name)[0]


def GlobalMaxPool(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The largest element of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
    Input X: f32 f16 f64 bf16."""
    return builder.node("GlobalMaxPool", [X], {}, outputs=1, name=name)[0]


def Greater(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A > B, broadcast.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("Greater", [A, B], {}, outputs=1, name=name)[0]


def GreaterOrEqual(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A >= B, broadcast.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("GreaterOrEqual", [A, B], {}, outputs=1, name=name)[0]


def GridSample(builder: Builder, X: Value, grid: Value, *, align_corners: Optional[int] = None,
        mode: Optional[str] = None, padding_mode: Optional[str] = None, name: str = "") -> Value:
    """X [N,C,D1,...] sampled at the positions in grid [N,P1,...,rank], whose coordinates, last dim
    first, run from -1 to 1 between the first and last elements (align_corners) or the edges.
    Interpolation is nearest, linear or cubic (Keys 1981). Positions beyond the edges read zeros,
    the edge or a reflection. 1 to 3 spatial dims.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input grid: f32 f16 f64 bf16.
    align_corners: default 0, 0 to 1.
    mode: default "linear".
    padding_mode: default "zeros"."""
    return builder.node("GridSample", [X, grid], {"align_corners": align_corners, "mode": mode, "padding_mode":
        padding_mode}, outputs=1, name=name)[0]


def GridSampleGrad(builder: Builder, grad: Value, X: Value, grid: Value, *, align_corners: Optional[int] = None,
        mode: Optional[str] = None, padding_mode: Optional[str] = None, name: str = "") -> List[Value]:
    """The gradients of GridSample with respect to X and grid.
    Input grad: f32 f16 f64 bf16.
    Input X: f32 f16 f64 bf16.
    Input grid: f32 f16 f64 bf16.
    No gradient.
    align_corners: default 0, 0 to 1.
    mode: default "linear".
    padding_mode: default "zeros"."""
    return builder.node("percale:GridSampleGrad", [grad, X, grid], {"align_corners": align_corners, "mode": mode,
        "padding_mode": padding_mode}, outputs=2, name=name)


def GroupNormalization(builder: Builder, X: Value, scale: Value, bias: Value, *, epsilon: Optional[float] = None,
        num_groups: int, stash_type: Optional[int] = None, name: str = "") -> Value:
    """(X - mean) / sqrt(var + epsilon) * scale + bias, with mean and biased variance over each of
    num_groups groups of channels, and one scale and bias per channel (Wu and He 2018). It is
    computed in stash_type, or in f64 for f64 inputs.
    Input X: f32 f16 f64 bf16.
    Input scale: f32 f16 f64 bf16.
    Input bias: f32 f16 f64 bf16.
    epsilon: default 1e-05, 0 or more.
    num_groups: required, 1 or more.
    stash_type: default 1."""
    return builder.node("GroupNormalization", [X, scale, bias], {"epsilon": epsilon, "num_groups": num_groups,
        "stash_type": stash_type}, outputs=1, name=name)[0]


def HammingWindow(builder: Builder, size: Value, *, output_datatype: Optional[int] = None,
        periodic: Optional[int] = None, name: str = "") -> Value:
    """25/46 - 21/46 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
    Input size: i32 i64.
    No gradient.
    output_datatype: default 1.
    periodic: default 1, 0 to 1."""
    return builder.node("HammingWindow", [size], {"output_datatype": output_datatype, "periodic": periodic},
        outputs=1, name=name)[0]


def HannWindow(builder: Builder, size: Value, *, output_datatype: Optional[int] = None,
        periodic: Optional[int] = None, name: str = "") -> Value:
    """1/2 - 1/2 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
    Input size: i32 i64.
    No gradient.
    output_datatype: default 1.
    periodic: default 1, 0 to 1."""
    return builder.node("HannWindow", [size], {"output_datatype": output_datatype, "periodic": periodic}, outputs=1,
        name=name)[0]


def HardSigmoid(builder: Builder, X: Value, *, alpha: Optional[float] = None, beta: Optional[float] = None,
        name: str = "") -> Value:
    """max(0, min(1, alpha X + beta)).
    Input X: f32 f16 f64 bf16.
    alpha: default 0.2.
    beta: default 0.5."""
    return builder.node("HardSigmoid", [X], {"alpha": alpha, "beta": beta}, outputs=1, name=name)[0]


def HardSwish(builder: Builder, X: Value, *, name: str = "") -> Value:
    """X max(0, min(1, X / 6 + 1/2)).
    Input X: f32 f16 f64 bf16."""
    return builder.node("HardSwish", [X], {}, outputs=1, name=name)[0]


def Hardmax(builder: Builder, input: Value, *, axis: Optional[int] = None, name: str = "") -> Value:
    """1 at the first greatest element along `axis`, 0 elsewhere.
    Input input: f32 f16 f64 bf16.
    The gradient is zero.
    axis: default -1."""
    return builder.node("Hardmax", [input], {"axis": axis}, outputs=1, name=name)[0]


def Huber(builder: Builder, input: Value, target: Value, *, delta: Optional[float] = None,
        reduction: Optional[str] = None, name: str = "") -> Value:
    """With d = input - target, of the same shape: d^2 / 2 where |d| <= delta, otherwise delta *
    (|d| - delta / 2); reduced by `reduction`.
    Input input: f32 f16 f64 bf16.
    Input target: f32 f16 f64 bf16.
    delta: default 1, 0 or more.
    reduction: default "mean"."""
    return builder.node("percale:Huber", [input, target], {"delta": delta, "reduction": reduction}, outputs=1,
        name=name)[0]


def Identity(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The input unchanged.
    Input input: 23 types."""
    return builder.node("Identity", [input], {}, outputs=1, name=name)[0]


def If(builder: Builder, cond: Value, captures: Sequence[Value] = (), *, then_branch: str, else_branch: str,
        outputs: int = 1, name: str = "") -> List[Value]:
    """Runs then_branch if cond is true, otherwise else_branch, on the captures; the outputs are the
    outputs of that branch.
    Input cond: bool.
    Input captures (optional, any number): 26 types.
    then_branch: required.
    else_branch: required."""
    return builder.node("If", [cond, *captures], {"then_branch": _Function(then_branch), "else_branch":
        _Function(else_branch)}, outputs=outputs, name=name)


def InstanceNormalization(builder: Builder, input: Value, scale: Value, B: Value, *,
        epsilon: Optional[float] = None, name: str = "") -> Value:
    """(input - mean) / sqrt(var + epsilon) * scale + B, with mean and biased variance over each
    channel of each image (Ulyanov et al. 2016).
    Input input: f32 f16 f64 bf16.
    Input scale: f32 f16 f64 bf16.
    Input B: f32 f16 f64 bf16.
    epsilon: default 1e-05, 0 or more."""
    return builder.node("InstanceNormalization", [input, scale, B], {"epsilon": epsilon}, outputs=1, name=name)[0]


def IsInf(builder: Builder, X: Value, *, detect_negative: Optional[int] = None,
        detect_positive: Optional[int] = None, name: str = "") -> Value:
    """True where X is infinite, with a sign that detect_positive or detect_negative selects.
    Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    The gradient is zero.
    detect_negative: default 1, 0 to 1.
    detect_positive: default 1, 0 to 1."""
    return builder.node("IsInf", [X], {"detect_negative": detect_negative, "detect_positive": detect_positive},
        outputs=1, name=name)[0]


def IsNaN(builder: Builder, X: Value, *, name: str = "") -> Value:
    """True where X is NaN.
    Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    The gradient is zero."""
    return builder.node("IsNaN", [X], {}, outputs=1, name=name)[0]


def LRN(builder: Builder, X: Value, *, alpha: Optional[float] = None, beta: Optional[float] = None,
        bias: Optional[float] = None, size: int, name: str = "") -> Value:
    """X / (bias + alpha / size * sum of squares over size neighbouring channels)^beta; channels
    beyond the ends count as 0 (Krizhevsky et al. 2012).
    Input X: f32 f16 f64 bf16.
    alpha: default 0.0001.
    beta: default 0.75.
    bias: default 1.
    size: required, 1 or more."""
    return builder.node("LRN", [X], {"alpha": alpha, "beta": beta, "bias": bias, "size": size}, outputs=1,
        name=name)[0]


def LSTM(builder: Builder, X: Value, W: Value, R: Value, B: Optional[Value] = None,
        sequence_lens: Optional[Value] = None, initial_h: Optional[Value] = None, initial_c: Optional[Value] = None,
        P: Optional[Value] = None, *, activation_alpha: Optional[Sequence[float]] = None,
        activation_beta: Optional[Sequence[float]] = None, activations: Optional[Sequence[str]] = None,
        clip: Optional[float] = None, direction: Optional[str] = None, hidden_size: Optional[int] = None,
        input_forget: Optional[int] = None, layout: Optional[int] = None, outputs: int = 3,
        name: str = "") -> List[Value]:
    """Long short-term memory over X [time,batch,input] (layout 1: batch first): i,o,f = f(X W^T + H
    R^T + B + P C), C = f C + i g(X W^T + H R^T + B), H = o h(C). W, R and B hold the gates in the
    order i,o,f,c.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input R: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    Input sequence_lens (optional, indices): i32.
    Input initial_h (optional): f32 f16 f64 bf16.
    Input initial_c (optional): f32 f16 f64 bf16.
    Input P (optional): f32 f16 f64 bf16.
    clip: 0 or more.
    direction: default "forward".
    hidden_size: 1 or more.
    input_forget: default 0, 0 to 1.
    layout: default 0, 0 to 1."""
    return builder.node("LSTM", [X, W, R, B, sequence_lens, initial_h, initial_c, P], {"activation_alpha":
        activation_alpha, "activation_beta": activation_beta, "activations": activations, "clip": clip, "direction":
        direction, "hidden_size": hidden_size, "input_forget": input_forget, "layout": layout}, outputs=outputs,
        name=name)


def LSTMGrad(builder: Builder, X: Value, W: Value, R: Value, B: Optional[Value] = None,
        sequence_lens: Optional[Value] = None, initial_h: Optional[Value] = None, initial_c: Optional[Value] = None,
        P: Optional[Value] = None, dY: Optional[Value] = None, dY_h: Optional[Value] = None,
        dY_c: Optional[Value] = None, *, activation_alpha: Optional[Sequence[float]] = None,
        activation_beta: Optional[Sequence[float]] = None, activations: Optional[Sequence[str]] = None,
        clip: Optional[float] = None, direction: Optional[str] = None, hidden_size: Optional[int] = None,
        input_forget: Optional[int] = None, layout: Optional[int] = None, outputs: int = 7,
        name: str = "") -> List[Value]:
    """Gradients of LSTM with respect to X, W, R, B, initial_h, initial_c and P, from the inputs of
    LSTM and the gradients of its outputs. The forward pass is recomputed. The op has no gradient.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input R: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    Input sequence_lens (optional, indices): i32.
    Input initial_h (optional): f32 f16 f64 bf16.
    Input initial_c (optional): f32 f16 f64 bf16.
    Input P (optional): f32 f16 f64 bf16.
    Input dY (optional): f32 f16 f64 bf16.
    Input dY_h (optional): f32 f16 f64 bf16.
    Input dY_c (optional): f32 f16 f64 bf16.
    No gradient.
    clip: 0 or more.
    direction: default "forward".
    hidden_size: 1 or more.
    input_forget: default 0, 0 to 1.
    layout: default 0, 0 to 1."""
    return builder.node("percale:LSTMGrad", [X, W, R, B, sequence_lens, initial_h, initial_c, P, dY, dY_h, dY_c],
        {"activation_alpha": activation_alpha, "activation_beta": activation_beta, "activations": activations, "clip":
        clip, "direction": direction, "hidden_size": hidden_size, "input_forget": input_forget, "layout": layout},
        outputs=outputs, name=name)


def LayerNormalization(builder: Builder, X: Value, Scale: Value, B: Optional[Value] = None, *,
        axis: Optional[int] = None, epsilon: Optional[float] = None, stash_type: Optional[int] = None,
        outputs: int = 1, name: str = "") -> List[Value]:
    """Y = (X - mean) / sqrt(var + epsilon) * Scale + B, with mean and biased variance over the dims
    from 'axis' on. Mean and InvStdDev are f32, or f64 for f64 inputs.
    Input X: f32 f16 f64 bf16.
    Input Scale: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    axis: default -1.
    epsilon: default 1e-05, 0 or more.
    stash_type: default 1."""
    return builder.node("LayerNormalization", [X, Scale, B], {"axis": axis, "epsilon": epsilon, "stash_type":
        stash_type}, outputs=outputs, name=name)


def LayerNormalizationGrad(builder: Builder, dY: Value, X: Value, Scale: Value, *, axis: Optional[int] = None,
        epsilon: Optional[float] = None, name: str = "") -> List[Value]:
    """Gradients of LayerNormalization with respect to X, Scale and B. The statistics are recomputed
    from X.
    Input dY: f32 f16 f64 bf16.
    Input X: f32 f16 f64 bf16.
    Input Scale: f32 f16 f64 bf16.
    No gradient.
    axis: default -1.
    epsilon: default 1e-05, 0 or more."""
    return builder.node("percale:LayerNormalizationGrad", [dY, X, Scale], {"axis": axis, "epsilon": epsilon},
        outputs=3, name=name)


def LeakyRelu(builder: Builder, X: Value, *, alpha: Optional[float] = None, name: str = "") -> Value:
    """X where X >= 0, otherwise alpha X.
    Input X: f32 f16 f64 bf16.
    alpha: default 0.01."""
    return builder.node("LeakyRelu", [X], {"alpha": alpha}, outputs=1, name=name)[0]


def Less(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A < B, broadcast.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("Less", [A, B], {}, outputs=1, name=name)[0]


def LessOrEqual(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A <= B, broadcast.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("LessOrEqual", [A, B], {}, outputs=1, name=name)[0]


def Log(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The natural logarithm of X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Log", [X], {}, outputs=1, name=name)[0]


def LogSoftmax(builder: Builder, input: Value, *, axis: Optional[int] = None, name: str = "") -> Value:
    """x - log(sum of exp(x)) along `axis`.
    Input input: f32 f16 f64 bf16.
    axis: default -1."""
    return builder.node("LogSoftmax", [input], {"axis": axis}, outputs=1, name=name)[0]


def Loop(builder: Builder, M: Optional[Value] = None, cond: Optional[Value] = None,
        carried_and_captures: Sequence[Value] = (), *, body: str, num_carried: int,
        trip_limit: Optional[int] = None, outputs: int = 1, name: str = "") -> List[Value]:
    """Runs body(trip, cond, carried..., captures...) -> (cond, carried..., scan...) at most M times
    and while cond is true. The outputs are the last carried values and the scan values of all
    trips, stacked. More than trip_limit trips are an error.
    Input M (optional): i64.
    Input cond (optional): bool.
    Input carried_and_captures (optional, any number): 26 types.
    body: required.
    num_carried: required, 0 to 1000000.0.
    trip_limit: default 16777216, 0 or more."""
    return builder.node("Loop", [M, cond, *carried_and_captures], {"body": _Function(body), "num_carried":
        num_carried, "trip_limit": trip_limit}, outputs=outputs, name=name)


def LpNormalization(builder: Builder, input: Value, *, axis: Optional[int] = None, p: Optional[int] = None,
        name: str = "") -> Value:
    """The input divided by its norm along `axis`: the sum of magnitudes (p = 1) or the root of the
    sum of squares (p = 2). The result is 0 where the norm is 0.
    Input input: f32 f16 f64 bf16.
    axis: default -1.
    p: default 2, 1 to 2."""
    return builder.node("LpNormalization", [input], {"axis": axis, "p": p}, outputs=1, name=name)[0]


def LpPool(builder: Builder, X: Value, *, auto_pad: Optional[str] = None, ceil_mode: Optional[int] = None,
        dilations: Optional[Sequence[int]] = None, kernel_shape: Sequence[int], p: Optional[int] = None,
        pads: Optional[Sequence[int]] = None, strides: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """The p-norm of the elements under each position of a sliding window over X [N,C,D1,...].
    Input X: f32 f16 f64 bf16.
    auto_pad: default "NOTSET".
    ceil_mode: default 0, 0 to 1.
    dilations: 1 or more.
    kernel_shape: required, 1 or more.
    p: default 2, 1 to 1048576.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("LpPool", [X], {"auto_pad": auto_pad, "ceil_mode": ceil_mode, "dilations": dilations,
        "kernel_shape": kernel_shape, "p": p, "pads": pads, "strides": strides}, outputs=1, name=name)[0]


def MatMul(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Matrix product as numpy.matmul: the last two dims are matrices, and the others broadcast. A
    rank-1 operand is a row on the left, a column on the right.
    Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("MatMul", [A, B], {}, outputs=1, name=name)[0]


def MatMulInteger(builder: Builder, A: Value, B: Value, a_zero_point: Optional[Value] = None,
        b_zero_point: Optional[Value] = None, *, name: str = "") -> Value:
    """MatMul of A - a_zero_point (one zero point, or one per row) and B - b_zero_point (one, or one
    per column), summed in i32.
    Input A: u8 i8.
    Input B: u8 i8.
    Input a_zero_point (optional): u8 i8.
    Input b_zero_point (optional): u8 i8.
    No gradient."""
    return builder.node("MatMulInteger", [A, B, a_zero_point, b_zero_point], {}, outputs=1, name=name)[0]


def MatrixInverse(builder: Builder, X: Value, *, adjoint: Optional[int] = None, name: str = "") -> Value:
    """The inverse of each matrix [..., n, n] of X, transposed if `adjoint` is set. A matrix with a
    pivot of exactly zero is singular and fails the run.
    Input X: f32 f16 f64 bf16.
    adjoint: default 0, 0 to 1."""
    return builder.node("percale:MatrixInverse", [X], {"adjoint": adjoint}, outputs=1, name=name)[0]


def Max(builder: Builder, data: Sequence[Value], *, name: str = "") -> Value:
    """The greatest of the operands, broadcast; NaN if any operand is NaN.
    Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Max", [*data], {}, outputs=1, name=name)[0]


def MaxPool(builder: Builder, X: Value, *, auto_pad: Optional[str] = None, ceil_mode: Optional[int] = None,
        dilations: Optional[Sequence[int]] = None, kernel_shape: Sequence[int],
        pads: Optional[Sequence[int]] = None, storage_order: Optional[int] = None,
        strides: Optional[Sequence[int]] = None, outputs: int = 1, name: str = "") -> List[Value]:
    """The largest element under each position of a sliding window over X [N,C,D1,...]. Padding
    never wins; NaN always wins. Indices are positions in X as a flat tensor, -1 where a window has
    no element.
    Input X: f32 u8 i8 f16 f64 bf16.
    auto_pad: default "NOTSET".
    ceil_mode: default 0, 0 to 1.
    dilations: 1 or more.
    kernel_shape: required, 1 or more.
    pads: 0 or more.
    storage_order: default 0, 0 to 1.
    strides: 1 or more."""
    return builder.node("MaxPool", [X], {"auto_pad": auto_pad, "ceil_mode": ceil_mode, "dilations": dilations,
        "kernel_shape": kernel_shape, "pads": pads, "storage_order": storage_order, "strides": strides},
        outputs=outputs, name=name)


def MaxPoolGrad(builder: Builder, dY: Value, X: Value, *, auto_pad: Optional[str] = None,
        ceil_mode: Optional[int] = None, dilations: Optional[Sequence[int]] = None,
        kernel_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, global_: Optional[int] = None, name: str = "") -> Value:
    """Gradient of MaxPool (of GlobalMaxPool with 'global') with respect to X: each element of dY
    goes to the first largest element of its window.
    Input dY: f32 f16 f64 bf16.
    Input X: f32 f16 f64 bf16.
    auto_pad: default "NOTSET".
    ceil_mode: default 0, 0 to 1.
    dilations: 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more.
    global_: default 0, 0 to 1."""
    return builder.node("percale:MaxPoolGrad", [dY, X], {"auto_pad": auto_pad, "ceil_mode": ceil_mode, "dilations":
        dilations, "kernel_shape": kernel_shape, "pads": pads, "strides": strides, "global": global_}, outputs=1,
        name=name)[0]


def MaxRoiPool(builder: Builder, X: Value, rois: Value, *, pooled_shape: Sequence[int],
        spatial_scale: Optional[float] = None, name: str = "") -> Value:
    """The largest element in each bin of regions (image, x1, y1, x2, y2), whose corners times
    spatial_scale are rounded to elements (Girshick 2015); 0 for an empty bin.
    Input X: f32 f16 f64 bf16.
    Input rois: f32 f16 f64 bf16.
    No gradient.
    pooled_shape: required.
    spatial_scale: default 1."""
    return builder.node("MaxRoiPool", [X, rois], {"pooled_shape": pooled_shape, "spatial_scale": spatial_scale},
        outputs=1, name=name)[0]


def MaxUnpool(builder: Builder, X: Value, I: Value, output_shape: Optional[Value] = None, *,
        kernel_shape: Sequence[int], pads: Optional[Sequence[int]] = None, strides: Optional[Sequence[int]] = None,
        name: str = "") -> Value:
    """Zeros, with each element of X at the position that I gives. I are the indices of a MaxPool.
    output_shape may be larger than the shape that the window implies.
    Input X: f32 f16 f64 bf16.
    Input I (indices): i64.
    Input output_shape (optional): i64.
    kernel_shape: required, 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("MaxUnpool", [X, I, output_shape], {"kernel_shape": kernel_shape, "pads": pads, "strides":
        strides}, outputs=1, name=name)[0]


def Mean(builder: Builder, data: Sequence[Value], *, name: str = "") -> Value:
    """The mean of the operands, broadcast; they are summed from left to right.
    Input data (any number): f32 f16 f64 bf16."""
    return builder.node("Mean", [*data], {}, outputs=1, name=name)[0]


def MeanVarianceNormalization(builder: Builder, X: Value, *, axes: Optional[Sequence[int]] = None,
        name: str = "") -> Value:
    """(X - mean) / (standard deviation + 1e-9) over axes, by default [0, 2, 3].
    Input X: f32 f16 f64 bf16."""
    return builder.node("MeanVarianceNormalization", [X], {"axes": axes}, outputs=1, name=name)[0]


def MelWeightMatrix(builder: Builder, num_mel_bins: Value, dft_length: Value, sample_rate: Value,
        lower_edge_hertz: Value, upper_edge_hertz: Value, *, output_datatype: Optional[int] = None,
        name: str = "") -> Value:
    """Triangular mel filters over the bins of a onesided DFT, one column per band: evenly spaced in
    mel = 2595 log10(1 + f / 700), with peaks of 1.
    Input num_mel_bins: i32 i64.
    Input dft_length: i32 i64.
    Input sample_rate: i32 i64.
    Input lower_edge_hertz: f32 f16 f64 bf16.
    Input upper_edge_hertz: f32 f16 f64 bf16.
    No gradient.
    output_datatype: default 1, 1 to 27."""
    return builder.node("MelWeightMatrix", [num_mel_bins, dft_length, sample_rate, lower_edge_hertz,
        upper_edge_hertz], {"output_datatype": output_datatype}, outputs=1, name=name)[0]


def Min(builder: Builder, data: Sequence[Value], *, name: str = "") -> Value:
    """The least of the operands, broadcast; NaN if any operand is NaN.
    Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Min", [*data], {}, outputs=1, name=name)[0]


def Mish(builder: Builder, X: Value, *, name: str = "") -> Value:
    """x tanh(log(1 + exp(x))) (Misra 2019).
    Input X: f32 f16 f64 bf16."""
    return builder.node("Mish", [X], {}, outputs=1, name=name)[0]


def Mod(builder: Builder, A: Value, B: Value, *, fmod: Optional[int] = None, name: str = "") -> Value:
    """The remainder of A / B, broadcast. It has the sign of B, or with fmod = 1 the sign of A;
    floats require fmod = 1.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    fmod: default 0, 0 to 1."""
    return builder.node("Mod", [A, B], {"fmod": fmod}, outputs=1, name=name)[0]


def Mul(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A * B, broadcast; integers wrap.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Mul", [A, B], {}, outputs=1, name=name)[0]


def Multinomial(builder: Builder, input: Value, *, dtype: Optional[int] = None, id: Optional[int] = None,
        sample_size: Optional[int] = None, seed: Optional[float] = None, name: str = "") -> Value:
    """Draws sample_size classes for each row of [batch, classes], which holds unnormalised
    log-probabilities.
    Input input: f32 f16 f64 bf16.
    The gradient is zero.
    dtype: default 6.
    id: default 0, 0 or more.
    sample_size: default 1, 1 or more.
    seed: default 0."""
    return builder.node("Multinomial", [input], {"dtype": dtype, "id": id, "sample_size": sample_size, "seed": seed},
        outputs=1, name=name)[0]


def MutexLock(builder: Builder, *, mutex: str, name: str = "") -> None:
    """Locks a mutex until the run ends, successfully or not; waits while another run holds it.
    Later nodes see the variables as last published, so reading and assigning under one mutex loses
    no update.
    No gradient.
    mutex: required."""
    builder.node("percale:MutexLock", [], {"mutex": mutex}, outputs=0, name=name)


def Neg(builder: Builder, X: Value, *, name: str = "") -> Value:
    """-X; integers wrap.
    Input X: f32 i8 i16 i32 i64 f16 f64 bf16."""
    return builder.node("Neg", [X], {}, outputs=1, name=name)[0]


def NegativeLogLikelihoodGrad(builder: Builder, dloss: Value, input: Value, target: Value,
        weight: Optional[Value] = None, *, ignore_index: Optional[int] = None, reduction: Optional[str] = None,
        name: str = "") -> Value:
    """Gradient of NegativeLogLikelihoodLoss with respect to input: -dloss * weight[target] at the
    target, zero elsewhere. It is divided by the sum of the weights used if the loss is a mean.
    Input dloss: f32 f16 f64 bf16.
    Input input: f32 f16 f64 bf16.
    Input target (indices): i32 i64.
    Input weight (optional): f32 f16 f64 bf16.
    No gradient.
    reduction: default "mean"."""
    return builder.node("percale:NegativeLogLikelihoodGrad", [dloss, input, target, weight], {"ignore_index":
        ignore_index, "reduction": reduction}, outputs=1, name=name)[0]


def NegativeLogLikelihoodLoss(builder: Builder, input: Value, target: Value, weight: Optional[Value] = None, *,
        ignore_index: Optional[int] = None, reduction: Optional[str] = None, name: str = "") -> Value:
    """-weight[target] * input[target] over axis 1 of input [N,C,D1,...], for target [N,D1,...]. The
    mean divides by the sum of the weights used. Targets equal to ignore_index are ignored.
    Input input: f32 f16 f64 bf16.
    Input target (indices): i32 i64.
    Input weight (optional): f32 f16 f64 bf16.
    reduction: default "mean"."""
    return builder.node("NegativeLogLikelihoodLoss", [input, target, weight], {"ignore_index": ignore_index,
        "reduction": reduction}, outputs=1, name=name)[0]


def NonMaxSuppression(builder: Builder, boxes: Value, scores: Value,
        max_output_boxes_per_class: Optional[Value] = None, iou_threshold: Optional[Value] = None,
        score_threshold: Optional[Value] = None, *, center_point_box: Optional[int] = None,
        name: str = "") -> Value:
    """Rows (batch, class, box) of the boxes with scores above score_threshold, by descending score
    in each class. A box is dropped if its intersection over union with a better one is above
    iou_threshold.
    Input boxes: f32.
    Input scores: f32.
    Input max_output_boxes_per_class (optional): i64.
    Input iou_threshold (optional): f32.
    Input score_threshold (optional): f32.
    No gradient.
    center_point_box: default 0, 0 to 1."""
    return builder.node("NonMaxSuppression", [boxes, scores, max_output_boxes_per_class, iou_threshold,
        score_threshold], {"center_point_box": center_point_box}, outputs=1, name=name)[0]


def NonZero(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The coordinates of the n nonzero elements of X, in row-major order, as [rank, n]; NaN counts
    as nonzero.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("NonZero", [X], {}, outputs=1, name=name)[0]


def NonZeroPlaces(builder: Builder, X: Value, *, name: str = "") -> List[Value]:
    """The places of the nonzero elements of X in row-major order, ascending and then zeros, and
    their number.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("percale:NonZeroPlaces", [X], {}, outputs=2, name=name)


def Not(builder: Builder, X: Value, *, name: str = "") -> Value:
    """Logical not of X.
    Input X: bool.
    The gradient is zero."""
    return builder.node("Not", [X], {}, outputs=1, name=name)[0]


def OneHot(builder: Builder, indices: Value, depth: Value, values: Value, *, axis: Optional[int] = None,
        name: str = "") -> Value:
    """One-hot vectors of size depth along a new dim `axis`: values[1] at the index (negative
    indices count from the end), values[0] elsewhere. An index out of range gives values[0]
    everywhere.
    Input indices (indices): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input depth: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input values: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero.
    axis: default -1."""
    return builder.node("OneHot", [indices, depth, values], {"axis": axis}, outputs=1, name=name)[0]


def Or(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Logical or of A and B, broadcast.
    Input A: bool.
    Input B: bool.
    The gradient is zero."""
    return builder.node("Or", [A, B], {}, outputs=1, name=name)[0]


def PRelu(builder: Builder, X: Value, slope: Value, *, name: str = "") -> Value:
    """X where X >= 0, otherwise slope * X; slope broadcasts to X (He et al. 2015).
    Input X: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input slope: f32 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("PRelu", [X, slope], {}, outputs=1, name=name)[0]


def Pad(builder: Builder, data: Value, pads: Value, constant_value: Optional[Value] = None,
        axes: Optional[Value] = None, *, mode: Optional[str] = None, name: str = "") -> Value:
    """Pads data before and after its dims, with a constant, reflected data, its edge, or data
    wrapped around. Negative pads crop.
    Input data: 23 types.
    Input pads: i64.
    Input constant_value (optional): 23 types.
    Input axes (optional): i32 i64.
    mode: default "constant"."""
    return builder.node("Pad", [data, pads, constant_value, axes], {"mode": mode}, outputs=1, name=name)[0]


def PadGrad(builder: Builder, grad: Value, pads: Value, shape: Value, axes: Optional[Value] = None, *,
        mode: Optional[str] = None, name: str = "") -> Value:
    """The gradient of Pad with respect to data, of shape `shape`: each element of grad is added to
    the element that Pad read.
    Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input pads: i64.
    Input shape: i64.
    Input axes (optional): i32 i64.
    mode: default "constant"."""
    return builder.node("percale:PadGrad", [grad, pads, shape, axes], {"mode": mode}, outputs=1, name=name)[0]


def PercaleRandomNormal(builder: Builder, shape: Value, *, dtype: Optional[int] = None, id: Optional[int] = None,
        mean: Optional[float] = None, scale: Optional[float] = None, seed: Optional[int] = None,
        name: str = "") -> Value:
    """Normally distributed random numbers, of a given shape.
    Input shape: i64.
    The gradient is zero.
    dtype: default 1.
    id: default 0, 0 or more.
    mean: default 0.
    scale: default 1.
    seed: default 0."""
    return builder.node("percale:RandomNormal", [shape], {"dtype": dtype, "id": id, "mean": mean, "scale": scale,
        "seed": seed}, outputs=1, name=name)[0]


def PercaleRandomUniform(builder: Builder, shape: Value, *, dtype: Optional[int] = None,
        high: Optional[float] = None, id: Optional[int] = None, low: Optional[float] = None,
        seed: Optional[int] = None, name: str = "") -> Value:
    """Uniformly distributed random numbers in [low, high), of a given shape.
    Input shape: i64.
    The gradient is zero.
    dtype: default 1.
    high: default 1.
    id: default 0, 0 or more.
    low: default 0.
    seed: default 0."""
    return builder.node("percale:RandomUniform", [shape], {"dtype": dtype, "high": high, "id": id, "low": low, "seed":
        seed}, outputs=1, name=name)[0]


def Pow(builder: Builder, X: Value, Y: Value, *, name: str = "") -> Value:
    """X to the power Y, broadcast, in the dtype of X; integers wrap.
    Input X: f32 i32 i64 f16 f64 bf16.
    Input Y: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Pow", [X, Y], {}, outputs=1, name=name)[0]


def Print(builder: Builder, X: Value, *, message: Optional[str] = None, summarize: Optional[int] = None,
        name: str = "") -> Value:
    """Returns X unchanged and logs its first `summarize` elements (-1: as many as fit on a line),
    after `message`, through the engine's log callback at level info.
    Input X: 23 types.
    message: default "".
    summarize: default 3, -1 or more."""
    return builder.node("percale:Print", [X], {"message": message, "summarize": summarize}, outputs=1, name=name)[0]


def QLinearConv(builder: Builder, x: Value, x_scale: Value, x_zero_point: Value, w: Value, w_scale: Value,
        w_zero_point: Value, y_scale: Value, y_zero_point: Value, B: Optional[Value] = None, *,
        auto_pad: Optional[str] = None, dilations: Optional[Sequence[int]] = None, group: Optional[int] = None,
        kernel_shape: Optional[Sequence[int]] = None, pads: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """Conv of quantised x and w plus B, quantised by y_scale and y_zero_point. Scales and zero
    points are single values; those of w may be one per filter. B is i32 with the scale x_scale *
    w_scale.
    Input x: u8 i8.
    Input x_scale: f32.
    Input x_zero_point: u8 i8.
    Input w: u8 i8.
    Input w_scale: f32.
    Input w_zero_point: u8 i8.
    Input y_scale: f32.
    Input y_zero_point: u8 i8.
    Input B (optional): i32.
    The gradient is zero.
    auto_pad: default "NOTSET".
    dilations: 1 or more.
    group: default 1, 1 or more.
    kernel_shape: 1 or more.
    pads: 0 or more.
    strides: 1 or more."""
    return builder.node("QLinearConv", [x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B],
        {"auto_pad": auto_pad, "dilations": dilations, "group": group, "kernel_shape": kernel_shape, "pads": pads,
        "strides": strides}, outputs=1, name=name)[0]


def QLinearMatMul(builder: Builder, a: Value, a_scale: Value, a_zero_point: Value, b: Value, b_scale: Value,
        b_zero_point: Value, y_scale: Value, y_zero_point: Value, *, name: str = "") -> Value:
    """MatMul of quantised a and b, quantised by y_scale and y_zero_point. A vector of scales or
    zero points holds one per row of a and y, or one per column of b.
    Input a: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    Input a_scale: f32 f16 bf16.
    Input a_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    Input b: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    Input b_scale: f32 f16 bf16.
    Input b_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    Input y_scale: f32 f16 bf16.
    Input y_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    The gradient is zero."""
    return builder.node("QLinearMatMul", [a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point],
        {}, outputs=1, name=name)[0]


def QuantizeLinear(builder: Builder, x: Value, y_scale: Value, y_zero_point: Optional[Value] = None, *,
        axis: Optional[int] = None, block_size: Optional[int] = None, output_dtype: Optional[int] = None,
        precision: Optional[int] = None, saturate: Optional[int] = None, name: str = "") -> Value:
    """x / y_scale rounded to nearest (ties to even) + y_zero_point, saturated to the range of the
    dtype. Scale and zero point are as in DequantizeLinear; saturate applies to float8 as in Cast.
    Input x: f32 i32 f16 f64 bf16.
    Input y_scale: f32 i32 f16 f64 bf16 f8e8m0.
    Input y_zero_point (optional): u8 i8 u16 i16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz u4 i4 f4e2m1
    u2 i2.
    The gradient is zero.
    axis: default 1.
    block_size: default 0, 0 or more.
    output_dtype: default 0.
    precision: default 0.
    saturate: default 1, 0 to 1."""
    return builder.node("QuantizeLinear", [x, y_scale, y_zero_point], {"axis": axis, "block_size": block_size,
        "output_dtype": output_dtype, "precision": precision, "saturate": saturate}, outputs=1, name=name)[0]


def QueueClose(builder: Builder, *, queue: str, cancel_pending_enqueues: Optional[int] = None,
        name: str = "") -> None:
    """Closes a queue at the end of this run; it then accepts no new elements. Enqueues that are
    already waiting still complete, or fail with CANCELLED if cancel_pending_enqueues is 1. Elements
    in the queue can still be dequeued.
    No gradient.
    queue: required.
    cancel_pending_enqueues: default 0, 0 to 1."""
    builder.node("percale:QueueClose", [], {"queue": queue, "cancel_pending_enqueues": cancel_pending_enqueues},
        outputs=0, name=name)


def QueueDequeue(builder: Builder, *, queue: str, capacity: Optional[int] = None, dtypes: Sequence[int],
        ranks: Sequence[int], dims: Optional[Sequence[int]] = None, outputs: int = 1,
        name: str = "") -> List[Value]:
    """Removes and returns the first element of a queue. Waits while the queue is empty; fails with
    OUT_OF_RANGE if it is empty and closed. Component i has dtype dtypes[i] and ranks[i] dims (-1:
    any number). `dims` lists the dims of all components one after the other (-1: unknown). A run
    that fails returns the elements that it took. Later nodes see the variables as last published.
    The gradient is zero.
    queue: required.
    capacity: default 32, 1 or more.
    dtypes: required.
    ranks: required, -1 to 8.
    dims: -1 or more."""
    return builder.node("percale:QueueDequeue", [], {"queue": queue, "capacity": capacity, "dtypes": dtypes, "ranks":
        ranks, "dims": dims}, outputs=outputs, name=name)


def QueueEnqueue(builder: Builder, components: Sequence[Value], *, queue: str, capacity: Optional[int] = None,
        name: str = "") -> None:
    """Appends its inputs as one element to a queue of at most `capacity` elements. Waits while the
    queue is full; fails with CANCELLED if the queue is closed. Other runs see the element when this
    run has succeeded. A queue op runs only if it is a target of the run or its output is needed; a
    control edge to a later node does not make it run.
    Input components (any number): 23 types.
    No gradient.
    queue: required.
    capacity: default 32, 1 or more."""
    builder.node("percale:QueueEnqueue", [*components], {"queue": queue, "capacity": capacity}, outputs=0, name=name)


def QueueSize(builder: Builder, *, queue: str, outputs: int = 1, name: str = "") -> List[Value]:
    """The number of elements in a queue, as this run sees it, and whether the queue is closed.
    The gradient is zero.
    queue: required."""
    return builder.node("percale:QueueSize", [], {"queue": queue}, outputs=outputs, name=name)


def RMSNormalization(builder: Builder, X: Value, scale: Value, *, axis: Optional[int] = None,
        epsilon: Optional[float] = None, stash_type: Optional[int] = None, name: str = "") -> Value:
    """X / sqrt(mean(X^2) + epsilon) * scale, with the mean over the dims from 'axis' on. It is
    computed in stash_type (1: f32, 16: bf16), or in f64 for f64 inputs.
    Input X: f32 f16 f64 bf16.
    Input scale: f32 f16 f64 bf16.
    axis: default -1.
    epsilon: default 1e-05, 0 or more.
    stash_type: default 1."""
    return builder.node("RMSNormalization", [X, scale], {"axis": axis, "epsilon": epsilon, "stash_type": stash_type},
        outputs=1, name=name)[0]


def RNN(builder: Builder, X: Value, W: Value, R: Value, B: Optional[Value] = None,
        sequence_lens: Optional[Value] = None, initial_h: Optional[Value] = None, *,
        activation_alpha: Optional[Sequence[float]] = None, activation_beta: Optional[Sequence[float]] = None,
        activations: Optional[Sequence[str]] = None, clip: Optional[float] = None, direction: Optional[str] = None,
        hidden_size: Optional[int] = None, layout: Optional[int] = None, outputs: int = 2,
        name: str = "") -> List[Value]:
    """Elman network over X [time,batch,input] (layout 1: batch first): H = f(X W^T + H R^T + B).
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input R: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    Input sequence_lens (optional, indices): i32.
    Input initial_h (optional): f32 f16 f64 bf16.
    clip: 0 or more.
    direction: default "forward".
    hidden_size: 1 or more.
    layout: default 0, 0 to 1."""
    return builder.node("RNN", [X, W, R, B, sequence_lens, initial_h], {"activation_alpha": activation_alpha,
        "activation_beta": activation_beta, "activations": activations, "clip": clip, "direction": direction,
        "hidden_size": hidden_size, "layout": layout}, outputs=outputs, name=name)


def RNNGrad(builder: Builder, X: Value, W: Value, R: Value, B: Optional[Value] = None,
        sequence_lens: Optional[Value] = None, initial_h: Optional[Value] = None, dY: Optional[Value] = None,
        dY_h: Optional[Value] = None, *, activation_alpha: Optional[Sequence[float]] = None,
        activation_beta: Optional[Sequence[float]] = None, activations: Optional[Sequence[str]] = None,
        clip: Optional[float] = None, direction: Optional[str] = None, hidden_size: Optional[int] = None,
        layout: Optional[int] = None, outputs: int = 5, name: str = "") -> List[Value]:
    """Gradients of RNN with respect to X, W, R, B and initial_h, from the inputs of RNN and the
    gradients of its outputs. The forward pass is recomputed. The op has no gradient.
    Input X: f32 f16 f64 bf16.
    Input W: f32 f16 f64 bf16.
    Input R: f32 f16 f64 bf16.
    Input B (optional): f32 f16 f64 bf16.
    Input sequence_lens (optional, indices): i32.
    Input initial_h (optional): f32 f16 f64 bf16.
    Input dY (optional): f32 f16 f64 bf16.
    Input dY_h (optional): f32 f16 f64 bf16.
    No gradient.
    clip: 0 or more.
    direction: default "forward".
    hidden_size: 1 or more.
    layout: default 0, 0 to 1."""
    return builder.node("percale:RNNGrad", [X, W, R, B, sequence_lens, initial_h, dY, dY_h], {"activation_alpha":
        activation_alpha, "activation_beta": activation_beta, "activations": activations, "clip": clip, "direction":
        direction, "hidden_size": hidden_size, "layout": layout}, outputs=outputs, name=name)


def RandomNormal(builder: Builder, *, dtype: Optional[int] = None, id: Optional[int] = None,
        mean: Optional[float] = None, scale: Optional[float] = None, seed: Optional[float] = None,
        shape: Sequence[int], name: str = "") -> Value:
    """Normally distributed random numbers.
    The gradient is zero.
    dtype: default 1.
    id: default 0, 0 or more.
    mean: default 0.
    scale: default 1.
    seed: default 0.
    shape: required, 0 or more."""
    return builder.node("RandomNormal", [], {"dtype": dtype, "id": id, "mean": mean, "scale": scale, "seed": seed,
        "shape": shape}, outputs=1, name=name)[0]


def RandomNormalLike(builder: Builder, input: Value, *, dtype: Optional[int] = None, id: Optional[int] = None,
        mean: Optional[float] = None, scale: Optional[float] = None, seed: Optional[float] = None,
        name: str = "") -> Value:
    """Normally distributed random numbers, in the shape of the input and, unless dtype is given,
    its dtype.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero.
    id: default 0, 0 or more.
    mean: default 0.
    scale: default 1.
    seed: default 0."""
    return builder.node("RandomNormalLike", [input], {"dtype": dtype, "id": id, "mean": mean, "scale": scale, "seed":
        seed}, outputs=1, name=name)[0]


def RandomUniform(builder: Builder, *, dtype: Optional[int] = None, high: Optional[float] = None,
        id: Optional[int] = None, low: Optional[float] = None, seed: Optional[float] = None, shape: Sequence[int],
        name: str = "") -> Value:
    """Uniformly distributed random numbers in [low, high).
    The gradient is zero.
    dtype: default 1.
    high: default 1.
    id: default 0, 0 or more.
    low: default 0.
    seed: default 0.
    shape: required, 0 or more."""
    return builder.node("RandomUniform", [], {"dtype": dtype, "high": high, "id": id, "low": low, "seed": seed,
        "shape": shape}, outputs=1, name=name)[0]


def RandomUniformLike(builder: Builder, input: Value, *, dtype: Optional[int] = None, high: Optional[float] = None,
        id: Optional[int] = None, low: Optional[float] = None, seed: Optional[float] = None,
        name: str = "") -> Value:
    """Uniformly distributed random numbers in [low, high), in the shape of the input and, unless
    dtype is given, its dtype.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    The gradient is zero.
    high: default 1.
    id: default 0, 0 or more.
    low: default 0.
    seed: default 0."""
    return builder.node("RandomUniformLike", [input], {"dtype": dtype, "high": high, "id": id, "low": low, "seed":
        seed}, outputs=1, name=name)[0]


def Range(builder: Builder, start: Value, limit: Value, delta: Value, *, name: str = "") -> Value:
    """start, start + delta, and so on, up to but not including limit.
    Input start: f32 i16 i32 i64 f16 f64 bf16.
    Input limit: f32 i16 i32 i64 f16 f64 bf16.
    Input delta: f32 i16 i32 i64 f16 f64 bf16.
    No gradient."""
    return builder.node("Range", [start, limit, delta], {}, outputs=1, name=name)[0]


def ReadVariable(builder: Builder, *, variable: str, dtype: int, shape: Sequence[int], name: str = "") -> Value:
    """The value of a variable as this run sees it.
    The gradient is zero.
    variable: required.
    dtype: required.
    shape: required, 0 or more."""
    return builder.node("percale:ReadVariable", [], {"variable": variable, "dtype": dtype, "shape": shape}, outputs=1,
        name=name)[0]


def Reciprocal(builder: Builder, X: Value, *, name: str = "") -> Value:
    """1 / X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Reciprocal", [X], {}, outputs=1, name=name)[0]


def ReduceL1(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The sum of absolute values over axes (default: all); 0 for no elements.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceL1", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceL2(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The square root of the sum of squares over axes (default: all); integers truncate.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceL2", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceLogSum(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The logarithm of the sum over axes (default: all); integers truncate.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceLogSum", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceLogSumExp(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The logarithm of the sum of exp over axes (default: all), computed without overflow; integers
    truncate.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceLogSumExp", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceMax(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The greatest element over axes (default: all); NaN if any is NaN.
    Input data: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceMax", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceMean(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The mean over axes (default: all); integers truncate towards zero.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceMean", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceMin(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The least element over axes (default: all); NaN if any is NaN.
    Input data: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceMin", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceProd(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The product over axes (default: all); 1 for no elements.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceProd", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceSum(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The sum over axes (default: all); 0 for no elements.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceSum", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def ReduceSumSquare(builder: Builder, data: Value, axes: Optional[Value] = None, *, keepdims: Optional[int] = None,
        noop_with_empty_axes: Optional[int] = None, name: str = "") -> Value:
    """The sum of squares over axes (default: all); integers wrap.
    Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    Input axes (optional): i64.
    keepdims: default 1, 0 to 1.
    noop_with_empty_axes: default 0, 0 to 1."""
    return builder.node("ReduceSumSquare", [data, axes], {"keepdims": keepdims, "noop_with_empty_axes":
        noop_with_empty_axes}, outputs=1, name=name)[0]


def Relu(builder: Builder, X: Value, *, name: str = "") -> Value:
    """max(X, 0); NaN stays NaN.
    Input X: f32 i8 i16 i32 i64 f16 f64 bf16."""
    return builder.node("Relu", [X], {}, outputs=1, name=name)[0]


def ReluGrad(builder: Builder, grad: Value, y: Value, *, name: str = "") -> Value:
    """The gradient of Relu, from the gradient and the value of its result: grad, or 0 where y <= 0.
    Input grad: f32 i8 i16 i32 i64 f16 f64 bf16.
    Input y: f32 i8 i16 i32 i64 f16 f64 bf16."""
    return builder.node("percale:ReluGrad", [grad, y], {}, outputs=1, name=name)[0]


def Reorder(builder: Builder, x: Value, *, name: str = "") -> Value:
    """The tensor in another memory format. Formats exist only in plans; in a graph the op is a
    copy.
    Input x: 23 types."""
    return builder.node("percale:Reorder", [x], {}, outputs=1, name=name)[0]


def Reshape(builder: Builder, data: Value, shape: Value, *, allowzero: Optional[int] = None,
        name: str = "") -> Value:
    """data in another shape. -1 is inferred from the number of elements; 0 copies the dim of data
    unless allowzero is set.
    Input data: 23 types.
    Input shape: i64.
    allowzero: default 0, 0 to 1."""
    return builder.node("Reshape", [data, shape], {"allowzero": allowzero}, outputs=1, name=name)[0]


def Resize(builder: Builder, X: Value, roi: Optional[Value] = None, scales: Optional[Value] = None,
        sizes: Optional[Value] = None, *, antialias: Optional[int] = None, axes: Optional[Sequence[int]] = None,
        coordinate_transformation_mode: Optional[str] = None, cubic_coeff_a: Optional[float] = None,
        exclude_outside: Optional[int] = None, extrapolation_value: Optional[float] = None,
        keep_aspect_ratio_policy: Optional[str] = None, mode: Optional[str] = None,
        nearest_mode: Optional[str] = None, name: str = "") -> Value:
    """x resampled along its axes to scales * dims or to sizes, by nearest, linear or cubic
    interpolation, with ONNX's coordinate modes (and tf_half_pixel_for_nn of opset 11). antialias
    widens the filter where x shrinks.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input roi (optional): f32 f16 f64.
    Input scales (optional): f32.
    Input sizes (optional): i64.
    antialias: default 0, 0 to 1.
    coordinate_transformation_mode: default "half_pixel".
    cubic_coeff_a: default -0.75.
    exclude_outside: default 0, 0 to 1.
    extrapolation_value: default 0.
    keep_aspect_ratio_policy: default "stretch".
    mode: default "nearest".
    nearest_mode: default "round_prefer_floor"."""
    return builder.node("Resize", [X, roi, scales, sizes], {"antialias": antialias, "axes": axes,
        "coordinate_transformation_mode": coordinate_transformation_mode, "cubic_coeff_a": cubic_coeff_a,
        "exclude_outside": exclude_outside, "extrapolation_value": extrapolation_value, "keep_aspect_ratio_policy":
        keep_aspect_ratio_policy, "mode": mode, "nearest_mode": nearest_mode}, outputs=1, name=name)[0]


def ResizeGrad(builder: Builder, grad: Value, shape: Value, roi: Optional[Value] = None,
        scales: Optional[Value] = None, sizes: Optional[Value] = None, *, antialias: Optional[int] = None,
        axes: Optional[Sequence[int]] = None, coordinate_transformation_mode: Optional[str] = None,
        cubic_coeff_a: Optional[float] = None, exclude_outside: Optional[int] = None,
        keep_aspect_ratio_policy: Optional[str] = None, mode: Optional[str] = None,
        nearest_mode: Optional[str] = None, name: str = "") -> Value:
    """The gradient of Resize with respect to X, of shape `shape`: each element of grad is added to
    the elements that Resize read, with the same weights.
    Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input shape: i64.
    Input roi (optional): f32 f16 f64.
    Input scales (optional): f32.
    Input sizes (optional): i64.
    antialias: default 0, 0 to 1.
    coordinate_transformation_mode: default "half_pixel".
    cubic_coeff_a: default -0.75.
    exclude_outside: default 0, 0 to 1.
    keep_aspect_ratio_policy: default "stretch".
    mode: default "nearest".
    nearest_mode: default "round_prefer_floor"."""
    return builder.node("percale:ResizeGrad", [grad, shape, roi, scales, sizes], {"antialias": antialias, "axes":
        axes, "coordinate_transformation_mode": coordinate_transformation_mode, "cubic_coeff_a": cubic_coeff_a,
        "exclude_outside": exclude_outside, "keep_aspect_ratio_policy": keep_aspect_ratio_policy, "mode": mode,
        "nearest_mode": nearest_mode}, outputs=1, name=name)[0]


def ReverseSequence(builder: Builder, input: Value, sequence_lens: Value, *, batch_axis: Optional[int] = None,
        time_axis: Optional[int] = None, name: str = "") -> Value:
    """The input, with the first sequence_lens[b] elements of sequence b reversed along time_axis.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input sequence_lens (indices): i64.
    batch_axis: default 1, 0 to 1.
    time_axis: default 0, 0 to 1."""
    return builder.node("ReverseSequence", [input, sequence_lens], {"batch_axis": batch_axis, "time_axis": time_axis},
        outputs=1, name=name)[0]


def RoiAlign(builder: Builder, X: Value, rois: Value, batch_indices: Value, *,
        coordinate_transformation_mode: Optional[str] = None, mode: Optional[str] = None,
        output_height: Optional[int] = None, output_width: Optional[int] = None,
        sampling_ratio: Optional[int] = None, spatial_scale: Optional[float] = None, name: str = "") -> Value:
    """The mean or maximum of samples in each bin of regions (x1, y1, x2, y2) of X, with linear
    interpolation (He et al. 2017). Each bin has sampling_ratio samples per dim (0: its length,
    rounded up).
    Input X: f32 f16 f64 bf16.
    Input rois: f32 f16 f64 bf16.
    Input batch_indices (indices): i64.
    coordinate_transformation_mode: default "half_pixel".
    mode: default "avg".
    output_height: default 1, 1 to 1048576.
    output_width: default 1, 1 to 1048576.
    sampling_ratio: default 0, 0 to 65536.
    spatial_scale: default 1."""
    return builder.node("RoiAlign", [X, rois, batch_indices], {"coordinate_transformation_mode":
        coordinate_transformation_mode, "mode": mode, "output_height": output_height, "output_width": output_width,
        "sampling_ratio": sampling_ratio, "spatial_scale": spatial_scale}, outputs=1, name=name)[0]


def RoiAlignGrad(builder: Builder, grad: Value, rois: Value, batch_indices: Value, shape: Value, *,
        coordinate_transformation_mode: Optional[str] = None, mode: Optional[str] = None,
        output_height: Optional[int] = None, output_width: Optional[int] = None,
        sampling_ratio: Optional[int] = None, spatial_scale: Optional[float] = None, name: str = "") -> Value:
    """The gradient of RoiAlign with mode avg with respect to X, of shape `shape`.
    Input grad: f32 f16 f64 bf16.
    Input rois: f32 f16 f64 bf16.
    Input batch_indices (indices): i64.
    Input shape: i64.
    No gradient.
    coordinate_transformation_mode: default "half_pixel".
    mode: default "avg".
    output_height: default 1, 1 to 1048576.
    output_width: default 1, 1 to 1048576.
    sampling_ratio: default 0, 0 to 65536.
    spatial_scale: default 1."""
    return builder.node("percale:RoiAlignGrad", [grad, rois, batch_indices, shape], {"coordinate_transformation_mode":
        coordinate_transformation_mode, "mode": mode, "output_height": output_height, "output_width": output_width,
        "sampling_ratio": sampling_ratio, "spatial_scale": spatial_scale}, outputs=1, name=name)[0]


def RotaryEmbedding(builder: Builder, X: Value, cos_cache: Value, sin_cache: Value,
        position_ids: Optional[Value] = None, *, interleaved: Optional[int] = None, num_heads: Optional[int] = None,
        rotary_embedding_dim: Optional[int] = None, name: str = "") -> Value:
    """Rotates pairs of elements of each head by the angles whose cosines and sines the caches hold,
    looked up by position_ids if given (Su et al. 2021). Only the first rotary_embedding_dim
    elements of each head are rotated (0: all).
    Input X: f32 f16 f64 bf16.
    Input cos_cache: f32 f16 f64 bf16.
    Input sin_cache: f32 f16 f64 bf16.
    Input position_ids (optional, indices): i64.
    interleaved: default 0, 0 to 1.
    num_heads: default 0, 0 or more.
    rotary_embedding_dim: default 0, 0 or more."""
    return builder.node("RotaryEmbedding", [X, cos_cache, sin_cache, position_ids], {"interleaved": interleaved,
        "num_heads": num_heads, "rotary_embedding_dim": rotary_embedding_dim}, outputs=1, name=name)[0]


def Round(builder: Builder, X: Value, *, name: str = "") -> Value:
    """X rounded to the nearest integer, ties to even.
    Input X: f32 f16 f64 bf16.
    The gradient is zero."""
    return builder.node("Round", [X], {}, outputs=1, name=name)[0]


def STFT(builder: Builder, signal: Value, frame_step: Value, window: Optional[Value] = None,
        frame_length: Optional[Value] = None, *, onesided: Optional[int] = None, name: str = "") -> Value:
    """The DFT of each frame of frame_length samples, frame_step apart, of a signal [batch, length,
    1 or 2], multiplied by the window.
    Input signal: f32 f16 f64 bf16.
    Input frame_step: i32 i64.
    Input window (optional): f32 f16 f64 bf16.
    Input frame_length (optional): i32 i64.
    onesided: default 1, 0 to 1."""
    return builder.node("STFT", [signal, frame_step, window, frame_length], {"onesided": onesided}, outputs=1,
        name=name)[0]


def ScatterElements(builder: Builder, data: Value, indices: Value, updates: Value, *, axis: Optional[int] = None,
        reduction: Optional[str] = None, name: str = "") -> Value:
    """data with updates set, added, multiplied, or combined by max or min, in the order of the
    indices, at the positions that GatherElements would read.
    Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input indices (indices): i32 i64.
    Input updates: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    axis: default 0.
    reduction: default "none"."""
    return builder.node("ScatterElements", [data, indices, updates], {"axis": axis, "reduction": reduction},
        outputs=1, name=name)[0]


def ScatterND(builder: Builder, data: Value, indices: Value, updates: Value, *, reduction: Optional[str] = None,
        name: str = "") -> Value:
    """data with updates set, added, multiplied, or combined by max or min, in the order of the
    tuples, at the slices that tuples of indices select.
    Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input indices (indices): i64.
    Input updates: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    reduction: default "none"."""
    return builder.node("ScatterND", [data, indices, updates], {"reduction": reduction}, outputs=1, name=name)[0]


def Selu(builder: Builder, X: Value, *, alpha: Optional[float] = None, gamma: Optional[float] = None,
        name: str = "") -> Value:
    """gamma x where x > 0, otherwise gamma alpha (exp(x) - 1) (Klambauer et al. 2017).
    Input X: f32 f16 f64 bf16.
    alpha: default 1.6732631921768188.
    gamma: default 1.0507010221481323."""
    return builder.node("Selu", [X], {"alpha": alpha, "gamma": gamma}, outputs=1, name=name)[0]


def Shape(builder: Builder, data: Value, *, start: Optional[int] = None, end: Optional[int] = None,
        name: str = "") -> Value:
    """The dims [start, end) of the input's shape; negative bounds count from the end.
    Input data: 23 types.
    The gradient is zero.
    start: default 0."""
    return builder.node("Shape", [data], {"start": start, "end": end}, outputs=1, name=name)[0]


def ShardMean(builder: Builder, X: Value, *, transposed: Optional[int] = None, name: str = "") -> Value:
    """In every shard, the sum of r_s X_s over the shards s of a batch, where r_s is the fraction of
    the batch's rows in shard s. With `transposed`, r_s times the sum of all X_s, which is the
    gradient of the former. It waits for all shards, which a trainer computes at the same time.
    Without shards, as in a session's run, the output is X.
    Input X: f32 f16 f64 bf16.
    transposed: default 0, 0 to 1."""
    return builder.node("percale:ShardMean", [X], {"transposed": transposed}, outputs=1, name=name)[0]


def Shrink(builder: Builder, input: Value, *, bias: Optional[float] = None, lambd: Optional[float] = None,
        name: str = "") -> Value:
    """x + bias where x < -lambd, x - bias where x > lambd, otherwise 0.
    Input input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    bias: default 0.
    lambd: default 0.5."""
    return builder.node("Shrink", [input], {"bias": bias, "lambd": lambd}, outputs=1, name=name)[0]


def Sigmoid(builder: Builder, X: Value, *, name: str = "") -> Value:
    """1 / (1 + exp(-X)).
    Input X: f32 f16 f64 bf16."""
    return builder.node("Sigmoid", [X], {}, outputs=1, name=name)[0]


def Sign(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The sign of X: -1, 0 or 1; NaN stays NaN.
    Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    The gradient is zero."""
    return builder.node("Sign", [X], {}, outputs=1, name=name)[0]


def Sin(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The sine of X in radians.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Sin", [X], {}, outputs=1, name=name)[0]


def Sinh(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The hyperbolic sine of the input.
    Input input: f32 f16 f64 bf16."""
    return builder.node("Sinh", [input], {}, outputs=1, name=name)[0]


def Size(builder: Builder, data: Value, *, name: str = "") -> Value:
    """The number of elements of the input.
    Input data: 23 types.
    The gradient is zero."""
    return builder.node("Size", [data], {}, outputs=1, name=name)[0]


def Slice(builder: Builder, data: Value, starts: Value, ends: Value, axes: Optional[Value] = None,
        steps: Optional[Value] = None, *, name: str = "") -> Value:
    """The elements from starts to before ends, by steps, along axes, as numpy's x[start:end:step].
    Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input starts: i32 i64.
    Input ends: i32 i64.
    Input axes (optional): i32 i64.
    Input steps (optional): i32 i64."""
    return builder.node("Slice", [data, starts, ends, axes, steps], {}, outputs=1, name=name)[0]


def SliceGrad(builder: Builder, grad: Value, shape: Value, starts: Value, ends: Value, axes: Optional[Value] = None,
        steps: Optional[Value] = None, *, name: str = "") -> Value:
    """Zeros of shape `shape`, with grad at the positions that Slice reads.
    Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input shape: i64.
    Input starts: i32 i64.
    Input ends: i32 i64.
    Input axes (optional): i32 i64.
    Input steps (optional): i32 i64."""
    return builder.node("percale:SliceGrad", [grad, shape, starts, ends, axes, steps], {}, outputs=1, name=name)[0]


def Softmax(builder: Builder, input: Value, *, axis: Optional[int] = None, name: str = "") -> Value:
    """exp(x) / sum of exp(x) along `axis`.
    Input input: f32 f16 f64 bf16.
    axis: default -1."""
    return builder.node("Softmax", [input], {"axis": axis}, outputs=1, name=name)[0]


def SoftmaxCrossEntropyGrad(builder: Builder, dloss: Value, scores: Value, labels: Value,
        weights: Optional[Value] = None, *, ignore_index: Optional[int] = None, reduction: Optional[str] = None,
        name: str = "") -> Value:
    """Gradient of SoftmaxCrossEntropyLoss with respect to scores: dloss * weights[label] *
    (softmax(scores) - onehot(label)). It is divided by the sum of the weights used if the loss is a
    mean.
    Input dloss: f32 f16 f64 bf16.
    Input scores: f32 f16 f64 bf16.
    Input labels (indices): i32 i64.
    Input weights (optional): f32 f16 f64 bf16.
    No gradient.
    reduction: default "mean"."""
    return builder.node("percale:SoftmaxCrossEntropyGrad", [dloss, scores, labels, weights], {"ignore_index":
        ignore_index, "reduction": reduction}, outputs=1, name=name)[0]


def SoftmaxCrossEntropyLoss(builder: Builder, scores: Value, labels: Value, weights: Optional[Value] = None, *,
        ignore_index: Optional[int] = None, reduction: Optional[str] = None, outputs: int = 1,
        name: str = "") -> List[Value]:
    """-weights[label] * log_softmax(scores)[label] over axis 1 of scores [N,C,D1,...], for labels
    [N,D1,...]. The mean divides by the sum of the weights used. Labels equal to ignore_index are
    ignored.
    Input scores: f32 f16 f64 bf16.
    Input labels (indices): i32 i64.
    Input weights (optional): f32 f16 f64 bf16.
    reduction: default "mean"."""
    return builder.node("SoftmaxCrossEntropyLoss", [scores, labels, weights], {"ignore_index": ignore_index,
        "reduction": reduction}, outputs=outputs, name=name)


def Softplus(builder: Builder, X: Value, *, name: str = "") -> Value:
    """log(1 + exp(x)).
    Input X: f32 f16 f64 bf16."""
    return builder.node("Softplus", [X], {}, outputs=1, name=name)[0]


def Softsign(builder: Builder, X: Value, *, name: str = "") -> Value:
    """x / (1 + |x|).
    Input X: f32 f16 f64 bf16."""
    return builder.node("Softsign", [X], {}, outputs=1, name=name)[0]


def SpaceToDepth(builder: Builder, input: Value, *, blocksize: int, name: str = "") -> Value:
    """Moves blocks of blocksize * blocksize pixels of [N,C,H,W] into channels. The position in the
    block is the outer part of the channel index.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    blocksize: required, 1 to 2048."""
    return builder.node("SpaceToDepth", [input], {"blocksize": blocksize}, outputs=1, name=name)[0]


def SparseApplyAdagrad(builder: Builder, param: Value, rows: Value, grad: Value, square: Value,
        learning_rate: Value, grad_scale: Optional[Value] = None, *, epsilon: Optional[float] = None,
        name: str = "") -> List[Value]:
    """ApplyAdagrad for the rows of param and square that `rows` lists, as SumRows returns them.
    Other rows are neither read nor written. The result equals ApplyAdagrad with zero gradients for
    the other rows.
    Input param: f32 f16 f64 bf16.
    Input rows: i64.
    Input grad: f32 f16 f64 bf16.
    Input square: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    epsilon: default 1e-10, 0 or more."""
    return builder.node("percale:SparseApplyAdagrad", [param, rows, grad, square, learning_rate, grad_scale],
        {"epsilon": epsilon}, outputs=2, name=name)


def SparseApplyAdam(builder: Builder, param: Value, rows: Value, grad: Value, m: Value, v: Value,
        learning_rate: Value, step: Value, grad_scale: Optional[Value] = None, *, beta1: Optional[float] = None,
        beta2: Optional[float] = None, epsilon: Optional[float] = None, name: str = "") -> List[Value]:
    """ApplyAdam for the rows of param, m and v that `rows` lists, as SumRows returns them
    (PyTorch's SparseAdam). The moments of other rows do not decay; the step applies to all rows.
    Input param: f32 f16 f64 bf16.
    Input rows: i64.
    Input grad: f32 f16 f64 bf16.
    Input m: f32 f16 f64 bf16.
    Input v: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input step: i64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    beta1: default 0.9, 0 to 1.
    beta2: default 0.999, 0 to 1.
    epsilon: default 1e-08, 0 or more."""
    return builder.node("percale:SparseApplyAdam", [param, rows, grad, m, v, learning_rate, step, grad_scale],
        {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}, outputs=3, name=name)


def SparseApplyFtrl(builder: Builder, param: Value, rows: Value, grad: Value, accumulator: Value, linear: Value,
        learning_rate: Value, grad_scale: Optional[Value] = None, *, learning_rate_power: Optional[float] = None,
        l1: Optional[float] = None, l2: Optional[float] = None, l2_shrinkage: Optional[float] = None,
        beta: Optional[float] = None, name: str = "") -> List[Value]:
    """ApplyFtrl for the rows of param, accumulator and linear that `rows` lists, as SumRows returns
    them (TensorFlow's SparseApplyFtrl).
    Input param: f32 f16 f64 bf16.
    Input rows: i64.
    Input grad: f32 f16 f64 bf16.
    Input accumulator: f32 f16 f64 bf16.
    Input linear: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    learning_rate_power: default -0.5, -1000000.0 to 0.
    l1: default 0, 0 or more.
    l2: default 0, 0 or more.
    l2_shrinkage: default 0, 0 or more.
    beta: default 0, 0 or more."""
    return builder.node("percale:SparseApplyFtrl", [param, rows, grad, accumulator, linear, learning_rate,
        grad_scale], {"learning_rate_power": learning_rate_power, "l1": l1, "l2": l2, "l2_shrinkage": l2_shrinkage,
        "beta": beta}, outputs=3, name=name)


def SparseApplyMomentum(builder: Builder, param: Value, rows: Value, grad: Value, buffer: Value,
        learning_rate: Value, grad_scale: Optional[Value] = None, *, momentum: Optional[float] = None,
        nesterov: Optional[int] = None, name: str = "") -> List[Value]:
    """ApplyMomentum for the rows of param and buffer that `rows` lists, as SumRows returns them
    (TensorFlow's SparseApplyMomentum). The momentum of other rows does not change.
    Input param: f32 f16 f64 bf16.
    Input rows: i64.
    Input grad: f32 f16 f64 bf16.
    Input buffer: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient.
    momentum: default 0.9, 0 or more.
    nesterov: default 0, 0 to 1."""
    return builder.node("percale:SparseApplyMomentum", [param, rows, grad, buffer, learning_rate, grad_scale],
        {"momentum": momentum, "nesterov": nesterov}, outputs=2, name=name)


def SparseApplySGD(builder: Builder, param: Value, rows: Value, grad: Value, learning_rate: Value,
        grad_scale: Optional[Value] = None, *, name: str = "") -> Value:
    """ApplySGD for the rows of param that `rows` lists, as SumRows returns them. Other rows are
    neither read nor written. The result equals ApplySGD with zero gradients for the other rows.
    Input param: f32 f16 f64 bf16.
    Input rows: i64.
    Input grad: f32 f16 f64 bf16.
    Input learning_rate: f32 f64.
    Input grad_scale (optional): f32 f64.
    No gradient."""
    return builder.node("percale:SparseApplySGD", [param, rows, grad, learning_rate, grad_scale], {}, outputs=1,
        name=name)[0]


def Split(builder: Builder, input: Value, split: Optional[Value] = None, *, axis: Optional[int] = None,
        num_outputs: Optional[int] = None, outputs: int = 1, name: str = "") -> List[Value]:
    """Splits the input along `axis` into parts of the given sizes. Without sizes, the parts are
    equal and the last may be smaller.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input split (optional): i64.
    axis: default 0.
    num_outputs: 1 or more."""
    return builder.node("Split", [input, split], {"axis": axis, "num_outputs": num_outputs}, outputs=outputs,
        name=name)


def Sqrt(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The square root of X; NaN for negative X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Sqrt", [X], {}, outputs=1, name=name)[0]


def Squeeze(builder: Builder, data: Value, axes: Optional[Value] = None, *, name: str = "") -> Value:
    """Removes dims of size 1: those in axes, or all without axes.
    Input data: 23 types.
    Input axes (optional): i64."""
    return builder.node("Squeeze", [data, axes], {}, outputs=1, name=name)[0]


def Sub(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """A - B, broadcast; integers wrap.
    Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16."""
    return builder.node("Sub", [A, B], {}, outputs=1, name=name)[0]


def Sum(builder: Builder, data: Sequence[Value], *, name: str = "") -> Value:
    """The sum of the operands from left to right, broadcast.
    Input data (any number): f32 f16 f64 bf16."""
    return builder.node("Sum", [*data], {}, outputs=1, name=name)[0]


def SumRows(builder: Builder, rows: Value, values: Value, *, name: str = "") -> List[Value]:
    """Sums values [count, ...] that have the same row number, in their order. The outputs are the
    distinct row numbers in ascending order and their sums; unused rows at the end are -1 and zeros.
    Negative row numbers are ignored.
    Input rows: i64.
    Input values: f32 f16 f64 bf16.
    No gradient."""
    return builder.node("percale:SumRows", [rows, values], {}, outputs=2, name=name)


def SumToShape(builder: Builder, x: Value, shape: Value, *, name: str = "") -> Value:
    """Sums x to shape `shape`, over the dims that broadcasting `shape` to the shape of x repeats:
    the transpose of Expand.
    Input x: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input shape: i64."""
    return builder.node("percale:SumToShape", [x, shape], {}, outputs=1, name=name)[0]


def Swish(builder: Builder, X: Value, *, alpha: Optional[float] = None, name: str = "") -> Value:
    """x sigmoid(alpha x) (Ramachandran et al. 2017).
    Input X: f32 f16 f64 bf16.
    alpha: default 1."""
    return builder.node("Swish", [X], {"alpha": alpha}, outputs=1, name=name)[0]


def SynchronizedBatchNormalization(builder: Builder, X: Value, scale: Value, B: Value, input_mean: Value,
        input_var: Value, *, epsilon: Optional[float] = None, momentum: Optional[float] = None, outputs: int = 1,
        name: str = "") -> List[Value]:
    """BatchNormalization in training mode with the statistics of all shards of the batch (see
    ShardMean). The gradient flows through these statistics.
    Input X: f32 f16 f64 bf16.
    Input scale: f32 f16 f64 bf16.
    Input B: f32 f16 f64 bf16.
    Input input_mean: f32 f16 f64 bf16.
    Input input_var: f32 f16 f64 bf16.
    epsilon: default 1e-05, 0 or more.
    momentum: default 0.9."""
    return builder.node("percale:SynchronizedBatchNormalization", [X, scale, B, input_mean, input_var], {"epsilon":
        epsilon, "momentum": momentum}, outputs=outputs, name=name)


def Tan(builder: Builder, input: Value, *, name: str = "") -> Value:
    """The tangent of the input in radians.
    Input input: f32 f16 f64 bf16."""
    return builder.node("Tan", [input], {}, outputs=1, name=name)[0]


def Tanh(builder: Builder, X: Value, *, name: str = "") -> Value:
    """The hyperbolic tangent of X.
    Input X: f32 f16 f64 bf16."""
    return builder.node("Tanh", [X], {}, outputs=1, name=name)[0]


def TensorScatter(builder: Builder, past_cache: Value, update: Value, write_indices: Optional[Value] = None, *,
        axis: Optional[int] = None, mode: Optional[str] = None, name: str = "") -> Value:
    """past_cache with update written along `axis` at write_indices[b] (default 0) and the positions
    after it. In circular mode, writing wraps around to the beginning.
    Input past_cache: 23 types.
    Input update: 23 types.
    Input write_indices (optional, indices): i64.
    No gradient.
    axis: default -2.
    mode: default "linear"."""
    return builder.node("TensorScatter", [past_cache, update, write_indices], {"axis": axis, "mode": mode}, outputs=1,
        name=name)[0]


def ThresholdedRelu(builder: Builder, X: Value, *, alpha: Optional[float] = None, name: str = "") -> Value:
    """x where x > alpha, otherwise 0.
    Input X: f32 f16 f64 bf16.
    alpha: default 1."""
    return builder.node("ThresholdedRelu", [X], {"alpha": alpha}, outputs=1, name=name)[0]


def Tile(builder: Builder, input: Value, repeats: Value, *, name: str = "") -> Value:
    """The input repeated repeats[d] times along each dim d.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input repeats: i64."""
    return builder.node("Tile", [input, repeats], {}, outputs=1, name=name)[0]


def TileGrad(builder: Builder, grad: Value, repeats: Value, shape: Value, *, name: str = "") -> Value:
    """The gradient of Tile, of shape `shape`: the sum over all repetitions.
    Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input repeats: i64.
    Input shape: i64."""
    return builder.node("percale:TileGrad", [grad, repeats, shape], {}, outputs=1, name=name)[0]


def TopK(builder: Builder, X: Value, K: Value, *, axis: Optional[int] = None, largest: Optional[int] = None,
        sorted: Optional[int] = None, name: str = "") -> List[Value]:
    """The K greatest (or least) elements along `axis`, and their indices; among equals, those that
    come first. They are always sorted, even without `sorted`. NaN counts as greatest.
    Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Input K: i64.
    axis: default -1.
    largest: default 1, 0 to 1.
    sorted: default 1, 0 to 1."""
    return builder.node("TopK", [X, K], {"axis": axis, "largest": largest, "sorted": sorted}, outputs=2, name=name)


def Transpose(builder: Builder, data: Value, *, perm: Optional[Sequence[int]] = None, name: str = "") -> Value:
    """The input with permuted dims: dim d of the result is dim perm[d] of the input. Without perm,
    all dims are reversed.
    Input data: 23 types.
    perm: 0 or more."""
    return builder.node("Transpose", [data], {"perm": perm}, outputs=1, name=name)[0]


def Trilu(builder: Builder, input: Value, k: Optional[Value] = None, *, upper: Optional[int] = None,
        name: str = "") -> Value:
    """The input's matrices with zeros below (upper) or above (lower) diagonal k.
    Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input k (optional): i64.
    upper: default 1, 0 to 1."""
    return builder.node("Trilu", [input, k], {"upper": upper}, outputs=1, name=name)[0]


def Unique(builder: Builder, X: Value, *, axis: Optional[int] = None, sorted: Optional[int] = None,
        outputs: int = 1, name: str = "") -> List[Value]:
    """The distinct slices of X along `axis`, or its distinct elements without `axis`, in ascending
    order or (sorted 0) in order of first occurrence. Further outputs: the index of each first
    occurrence, for each slice of X its index in Y, and the count of each.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    No gradient.
    sorted: default 1, 0 to 1."""
    return builder.node("Unique", [X], {"axis": axis, "sorted": sorted}, outputs=outputs, name=name)


def Unsqueeze(builder: Builder, data: Value, axes: Value, *, name: str = "") -> Value:
    """Inserts dims of size 1 at the positions `axes` of the result.
    Input data: 23 types.
    Input axes: i64."""
    return builder.node("Unsqueeze", [data, axes], {}, outputs=1, name=name)[0]


def Where(builder: Builder, condition: Value, X: Value, Y: Value, *, name: str = "") -> Value:
    """X where the condition is true, otherwise Y; all three broadcast.
    Input condition: bool.
    Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Input Y: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16."""
    return builder.node("Where", [condition, X, Y], {}, outputs=1, name=name)[0]


def Xor(builder: Builder, A: Value, B: Value, *, name: str = "") -> Value:
    """Logical exclusive or of A and B, broadcast.
    Input A: bool.
    Input B: bool.
    The gradient is zero."""
    return builder.node("Xor", [A, B], {}, outputs=1, name=name)[0]
