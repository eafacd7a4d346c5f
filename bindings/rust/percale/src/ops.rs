// Written by bindings/gen from the ops' schemas; changes belong there.

//! A function per op, under ONNX's names in Rust's letters. Each begins a node of a [`Builder`]; attributes follow, then `finish`:
//!
//! ```
//! use percale::{ops, Builder, DType, Engine};
//! let engine = Engine::new()?;
//! let mut builder = Builder::new(&engine)?;
//! let x = builder.input("x", DType::F32, &[-1, 3])?;
//! let y = ops::softmax(&mut builder, x).axis(-1).name("y").finish()?;
//! # let _ = y;
//! # Ok::<(), percale::Error>(())
//! ```
#![allow(clippy::too_many_arguments)]
use crate::builder::{Attribute, Builder, Node, Value};
use crate::error::Result;
use crate::tensor::Tensor;

macro_rules! op {
    ($(#[$doc:meta])* $type:ident $function:ident $key:literal ($($input:ident: $kind:ident),*)
     {$($(#[$about:meta])* $attribute:ident $name:literal: $value:ty;)*} $outputs:literal) => {
        $(#[$doc])*
        pub fn $function<'b>(builder: &'b mut Builder, $($input: op!(@ $kind)),*) -> $type<'b> {
            let inputs: Vec<Value> = Vec::new();
            $(let inputs = op!(@ $kind inputs $input);)*
            $type(builder.op($key).trimmed_inputs(inputs))
        }

        #[doc = concat!("A node of `", $key, "` that was begun.")]
        #[must_use = "a node is made by finish()"]
        pub struct $type<'b>(Node<'b>);

        impl $type<'_> {
            /// Its name; without one the library finds one.
            pub fn name(self, name: &str) -> Self {
                Self(self.0.name(name))
            }

            $($(#[$about])*
            pub fn $attribute(self, value: $value) -> Self {
                Self(self.0.set($name, value))
            })*

            /// Its first output; [`Value::NONE`] of an op that has none.
            pub fn finish(self) -> Result<Value> {
                Ok(self.0.finish_vec($outputs)?.first().copied().unwrap_or(Value::NONE))
            }

            /// Its first `N` outputs.
            pub fn finish_many<const N: usize>(self) -> Result<[Value; N]> {
                self.0.finish_many()
            }

            /// Its first `count` outputs.
            pub fn finish_vec(self, count: usize) -> Result<Vec<Value>> {
                self.0.finish_vec(count)
            }
        }
    };
    (@ one) => { Value };
    (@ optional) => { Option<Value> };
    (@ many) => { &[Value] };
    (@ one $inputs:ident $input:ident) => { op!(@push $inputs, $input) };
    (@ optional $inputs:ident $input:ident) => { op!(@push $inputs, $input.unwrap_or(Value::NONE)) };
    (@ many $inputs:ident $input:ident) => { $inputs.into_iter().chain($input.iter().copied()).collect::<Vec<Value>>() };
    (@push $inputs:ident, $value:expr) => { $inputs.into_iter().chain([$value]).collect::<Vec<Value>>() };
}

/// The name of a function of the graph: a branch of If, the body of Loop.
pub struct Function<'a>(pub &'a str);

impl From<Function<'_>> for Attribute {
    fn from(function: Function<'_>) -> Attribute {
        Attribute::Function(function.0.into())
    }
}

op! {
    /// The absolute value of X; integers wrap.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Abs abs "Abs" (x: one)
    {
    } 1
}

op! {
    /// The angle in \[0, pi\] whose cosine the input is; NaN outside \[-1, 1\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Acos acos "Acos" (input: one)
    {
    } 1
}

op! {
    /// The number from 0 on whose hyperbolic cosine the input is; NaN below 1.
    ///
    /// Input input: f32 f16 f64 bf16.
    Acosh acosh "Acosh" (input: one)
    {
    } 1
}

op! {
    /// A + B, broadcast; integers wrap.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Add add "Add" (a: one, b: one)
    {
    } 1
}

op! {
    /// theta times (x, y, 1) or (x, y, z, 1) for each element of pictures of `size` \[N,C,(D,)H,W\], with x, y and z
    /// from -1 to 1 between the first and the last element (align_corners) or edge.
    ///
    /// Input theta: f32 f16 f64 bf16.
    ///
    /// Input size: i64.
    AffineGrid affine_grid "AffineGrid" (theta: one, size: one)
    {
        /// The attribute `align_corners`: default 0, 0 to 1.
        align_corners "align_corners": i64;
    } 1
}

op! {
    /// A and B, broadcast.
    ///
    /// Input A: bool.
    ///
    /// Input B: bool.
    ///
    /// The gradient is zero.
    And and "And" (a: one, b: one)
    {
    } 1
}

op! {
    /// s = s + g^2; param - learning_rate * g / (sqrt(s) + epsilon) (PyTorch's Adagrad).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input square: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyAdagrad apply_adagrad "percale:ApplyAdagrad" (param: one, grad: one, square: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `epsilon`: default 1e-10, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 2
}

op! {
    /// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 - beta1^step) * m /
    /// (sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input m: f32 f16 f64 bf16.
    ///
    /// Input v: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input step: i64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyAdam apply_adam "percale:ApplyAdam" (param: one, grad: one, m: one, v: one, learning_rate: one, step: one, grad_scale: optional)
    {
        /// The attribute `beta1`: default 0.9, 0 to 1.
        beta1 "beta1": f64;
        /// The attribute `beta2`: default 0.999, 0 to 1.
        beta2 "beta2": f64;
        /// The attribute `epsilon`: default 1e-08, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 3
}

op! {
    /// ApplyAdam on param * (1 - learning_rate * weight_decay), which g does not see (PyTorch's AdamW).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input m: f32 f16 f64 bf16.
    ///
    /// Input v: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input step: i64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyAdamW apply_adam_w "percale:ApplyAdamW" (param: one, grad: one, m: one, v: one, learning_rate: one, step: one, grad_scale: optional)
    {
        /// The attribute `beta1`: default 0.9, 0 to 1.
        beta1 "beta1": f64;
        /// The attribute `beta2`: default 0.999, 0 to 1.
        beta2 "beta2": f64;
        /// The attribute `epsilon`: default 1e-08, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `weight_decay`: default 0.01, 0 or more.
        weight_decay "weight_decay": f64;
    } 3
}

op! {
    /// FTRL-proximal (McMahan et al. 2013, as TensorFlow and Keras): h = g + 2 l2_shrinkage param; n' = n + g^2; z' =
    /// z + h - (n'^-p - n^-p) / learning_rate * param, p = learning_rate_power; the new param is 0 where |z'| \<= l1,
    /// else (sign(z') l1 - z') / ((n'^-p + beta) / learning_rate + 2 l2). param, grad, accumulator (n) and linear (z)
    /// share one shape and one of f16, bf16, f32, f64; learning_rate is a scalar above 0.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input accumulator: f32 f16 f64 bf16.
    ///
    /// Input linear: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyFtrl apply_ftrl "percale:ApplyFtrl" (param: one, grad: one, accumulator: one, linear: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `learning_rate_power`: default -0.5, -1000000.0 to 0.
        learning_rate_power "learning_rate_power": f64;
        /// The attribute `l1`: default 0, 0 or more.
        l1 "l1": f64;
        /// The attribute `l2`: default 0, 0 or more.
        l2 "l2": f64;
        /// The attribute `l2_shrinkage`: default 0, 0 or more.
        l2_shrinkage "l2_shrinkage": f64;
        /// The attribute `beta`: default 0, 0 or more.
        beta "beta": f64;
    } 3
}

op! {
    /// LAMB (You et al. 2020, algorithm 2): m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2) g^2; u = m' / (1
    /// - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) + weight_decay param; the new param is param -
    /// learning_rate |param| / |u| u, with Euclidean norms of the whole tensor, their ratio 1 where one is 0. g is
    /// grad times grad_scale; param, grad, m and v share one shape and one of f16, bf16, f32, f64; learning_rate and
    /// step are scalars.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input m: f32 f16 f64 bf16.
    ///
    /// Input v: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input step: i64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyLAMB apply_lamb "percale:ApplyLAMB" (param: one, grad: one, m: one, v: one, learning_rate: one, step: one, grad_scale: optional)
    {
        /// The attribute `beta1`: default 0.9, 0 to 1.
        beta1 "beta1": f64;
        /// The attribute `beta2`: default 0.999, 0 to 1.
        beta2 "beta2": f64;
        /// The attribute `epsilon`: default 1e-06, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 3
}

op! {
    /// Lion (Chen et al. 2023, algorithm 2): c = beta1 m + (1 - beta1) g; m' = beta2 m + (1 - beta2) g; the new param
    /// is param (1 - learning_rate weight_decay) - learning_rate sign(c). param, grad and m share one shape and one
    /// of f16, bf16, f32, f64; learning_rate is a scalar.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input m: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyLion apply_lion "percale:ApplyLion" (param: one, grad: one, m: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `beta1`: default 0.9, 0 to 1.
        beta1 "beta1": f64;
        /// The attribute `beta2`: default 0.99, 0 to 1.
        beta2 "beta2": f64;
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 2
}

op! {
    /// buffer = momentum * buffer + g; param - learning_rate * buffer, with nesterov * (g + momentum * buffer)
    /// (PyTorch's SGD).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input buffer: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyMomentum apply_momentum "percale:ApplyMomentum" (param: one, grad: one, buffer: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `momentum`: default 0.9, 0 or more.
        momentum "momentum": f64;
        /// The attribute `nesterov`: default 0, 0 to 1.
        nesterov "nesterov": i64;
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 2
}

op! {
    /// s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + epsilon); param - learning_rate * d, or with a buffer:
    /// buffer = momentum * buffer + d; param - learning_rate * buffer (PyTorch's RMSprop).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input square: f32 f16 f64 bf16.
    ///
    /// Input buffer (optional): f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplyRMSProp apply_rms_prop "percale:ApplyRMSProp" (param: one, grad: one, square: one, buffer: optional, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `alpha`: default 0.99, 0 to 1.
        alpha "alpha": f64;
        /// The attribute `epsilon`: default 1e-08, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `momentum`: default 0, 0 or more.
        momentum "momentum": f64;
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 2
}

op! {
    /// param - learning_rate * g (PyTorch's SGD).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    ApplySGD apply_sgd "percale:ApplySGD" (param: one, grad: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `weight_decay`: default 0, 0 or more.
        weight_decay "weight_decay": f64;
    } 1
}

op! {
    /// The place of the greatest along `axis`, of equals the first (or last); NaN counts as greatest.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    ArgMax arg_max "ArgMax" (data: one)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `select_last_index`: default 0, 0 to 1.
        select_last_index "select_last_index": i64;
    } 1
}

op! {
    /// The place of the least along `axis`, of equals the first (or last); NaN counts as least.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    ArgMin arg_min "ArgMin" (data: one)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `select_last_index`: default 0, 0 to 1.
        select_last_index "select_last_index": i64;
    } 1
}

op! {
    /// The angle in \[-pi/2, pi/2\] whose sine the input is; NaN outside \[-1, 1\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Asin asin "Asin" (input: one)
    {
    } 1
}

op! {
    /// The number whose hyperbolic sine the input is.
    ///
    /// Input input: f32 f16 f64 bf16.
    Asinh asinh "Asinh" (input: one)
    {
    } 1
}

op! {
    /// X where there is one, and a failed run with `message` unless every element of the condition holds.
    ///
    /// Input condition: bool.
    ///
    /// Input X (optional): 23 types.
    Assert assert "percale:Assert" (condition: one, x: optional)
    {
        /// The attribute `message`: default "".
        message "message": &str;
    } 1
}

op! {
    /// Gives a variable a new value.
    ///
    /// Input value: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// No gradient.
    Assign assign "percale:Assign" (value: one)
    {
        /// The attribute `variable`: required.
        variable "variable": &str;
    } 0
}

op! {
    /// Adds to the value of a variable.
    ///
    /// Input value: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// No gradient.
    AssignAdd assign_add "percale:AssignAdd" (value: one)
    {
        /// The attribute `variable`: required.
        variable "variable": &str;
    } 0
}

op! {
    /// The angle in \[-pi/2, pi/2\] whose tangent the input is.
    ///
    /// Input input: f32 f16 f64 bf16.
    Atan atan "Atan" (input: one)
    {
    } 1
}

op! {
    /// The number whose hyperbolic tangent the input is; NaN outside \[-1, 1\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Atanh atanh "Atanh" (input: one)
    {
    } 1
}

op! {
    /// softmax(scale Q K^T, capped, + mask) V per head (Vaswani et al. 2017); heads of Q may share those of K and V
    /// (Ainslie et al. 2023), past keys and values stand before the new ones. X is \[batch, heads, sequence, size\]
    /// or \[batch, sequence, heads * size\]. A query without a key gives zeros.
    ///
    /// Input Q: f32 f16 f64 bf16.
    ///
    /// Input K: f32 f16 f64 bf16.
    ///
    /// Input V: f32 f16 f64 bf16.
    ///
    /// Input attn_mask (optional): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input past_key (optional): f32 f16 f64 bf16.
    ///
    /// Input past_value (optional): f32 f16 f64 bf16.
    ///
    /// Input nonpad_kv_seqlen (optional): i64.
    Attention attention "Attention" (q: one, k: one, v: one, attn_mask: optional, past_key: optional, past_value: optional, nonpad_kv_seqlen: optional)
    {
        /// The attribute `is_causal`: default 0, 0 to 1.
        is_causal "is_causal": i64;
        /// The attribute `kv_num_heads`: 1 or more.
        kv_num_heads "kv_num_heads": i64;
        /// The attribute `left_window_size`: default -1, -1 or more.
        left_window_size "left_window_size": i64;
        /// The attribute `q_num_heads`: 1 or more.
        q_num_heads "q_num_heads": i64;
        /// The attribute `qk_matmul_output_mode`: default 0, 0 to 3.
        qk_matmul_output_mode "qk_matmul_output_mode": i64;
        /// The attribute `right_window_size`: default -1, -1 or more.
        right_window_size "right_window_size": i64;
        /// The attribute `scale`: 0 or more.
        scale "scale": f64;
        /// The attribute `softcap`: default 0.
        softcap "softcap": f64;
        /// The attribute `softmax_precision`.
        softmax_precision "softmax_precision": i64;
    } 1
}

op! {
    /// Mean under each position of a window over X \[N,C,D1,...\]; with count_include_pad the pads count as zeros.
    ///
    /// Input X: f32 f16 f64 bf16.
    AveragePool average_pool "AveragePool" (x: one)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `ceil_mode`: default 0, 0 to 1.
        ceil_mode "ceil_mode": i64;
        /// The attribute `count_include_pad`: default 0, 0 to 1.
        count_include_pad "count_include_pad": i64;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `kernel_shape`: required, 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// Gradient of AveragePool (of GlobalAveragePool with 'global') with respect to X, whose spatial dims are given
    /// by the attribute 'spatial_shape' or by the input 'shape', the shape of X.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input shape (optional): i64.
    AveragePoolGrad average_pool_grad "percale:AveragePoolGrad" (d_y: one, shape: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `ceil_mode`: default 0, 0 to 1.
        ceil_mode "ceil_mode": i64;
        /// The attribute `count_include_pad`: default 0, 0 to 1.
        count_include_pad "count_include_pad": i64;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
        /// The attribute `global`: default 0, 0 to 1.
        global "global": i64;
        /// The attribute `spatial_shape`: 0 or more.
        spatial_shape "spatial_shape": &[i64];
    } 1
}

op! {
    /// MatMul of operands of rank 2 and more, the matrices of either transposed where asked for.
    ///
    /// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
    BatchMatMul batch_mat_mul "percale:BatchMatMul" (a: one, b: one)
    {
        /// The attribute `transA`: default 0, 0 to 1.
        trans_a "transA": i64;
        /// The attribute `transB`: default 0, 0 to 1.
        trans_b "transB": i64;
    } 1
}

op! {
    /// Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X \[N,C,...\]. In training mode mean and
    /// (biased) variance are the batch's, and running_x = input_x * momentum + batch_x * (1 - momentum).
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input scale: f32 f16 f64 bf16.
    ///
    /// Input B: f32 f16 f64 bf16.
    ///
    /// Input input_mean: f32 f16 f64 bf16.
    ///
    /// Input input_var: f32 f16 f64 bf16.
    BatchNormalization batch_normalization "BatchNormalization" (x: one, scale: one, b: one, input_mean: one, input_var: one)
    {
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `momentum`: default 0.9.
        momentum "momentum": f64;
        /// The attribute `training_mode`: default 0, 0 to 1.
        training_mode "training_mode": i64;
    } 1
}

op! {
    /// Gradients of BatchNormalization for X, scale and B. In training mode the batch's statistics are computed again
    /// from X and the gradient runs through them; else they are the inputs mean and var.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input scale: f32 f16 f64 bf16.
    ///
    /// Input mean (optional): f32 f16 f64 bf16.
    ///
    /// Input var (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    BatchNormalizationGrad batch_normalization_grad "percale:BatchNormalizationGrad" (d_y: one, x: one, scale: one, mean: optional, var: optional)
    {
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `training_mode`: default 0, 0 to 1.
        training_mode "training_mode": i64;
    } 3
}

op! {
    /// 1 with the probability that the input says, else 0, in the dtype of the input unless one is given.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Bernoulli bernoulli "Bernoulli" (input: one)
    {
        /// The attribute `dtype`.
        dtype "dtype": i64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `seed`: default 0.
        seed "seed": f64;
    } 1
}

op! {
    /// max(x, 0) - x * t + log(1 + exp(-|x|)) for logits x and targets t of one shape, reduced as asked.
    ///
    /// Input logits: f32 f16 f64 bf16.
    ///
    /// Input targets: f32 f16 f64 bf16.
    BinaryCrossEntropyWithLogits binary_cross_entropy_with_logits "percale:BinaryCrossEntropyWithLogits" (logits: one, targets: one)
    {
        /// The attribute `reduction`: default "mean".
        reduction "reduction": &str;
    } 1
}

op! {
    /// The bits of each element taken for an element of the type 'to', which has as many.
    ///
    /// Input input: 23 types.
    ///
    /// No gradient.
    BitCast bit_cast "BitCast" (input: one)
    {
        /// The attribute `to`: required.
        to "to": i64;
    } 1
}

op! {
    /// X with its bits moved LEFT or RIGHT by Y places, broadcast; zeros move in, and nothing is left from the number
    /// of bits on.
    ///
    /// Input X: u8 u16 u32 u64.
    ///
    /// Input Y: u8 u16 u32 u64.
    ///
    /// No gradient.
    BitShift bit_shift "BitShift" (x: one, y: one)
    {
        /// The attribute `direction`: required.
        direction "direction": &str;
    } 1
}

op! {
    /// The bits that are set in A and in B, broadcast.
    ///
    /// Input A: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// Input B: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// No gradient.
    BitwiseAnd bitwise_and "BitwiseAnd" (a: one, b: one)
    {
    } 1
}

op! {
    /// Every bit turned over.
    ///
    /// Input X: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// No gradient.
    BitwiseNot bitwise_not "BitwiseNot" (x: one)
    {
    } 1
}

op! {
    /// The bits that are set in A or in B, broadcast.
    ///
    /// Input A: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// Input B: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// No gradient.
    BitwiseOr bitwise_or "BitwiseOr" (a: one, b: one)
    {
    } 1
}

op! {
    /// The bits that are set in A or in B but not in both, broadcast.
    ///
    /// Input A: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// Input B: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// No gradient.
    BitwiseXor bitwise_xor "BitwiseXor" (a: one, b: one)
    {
    } 1
}

op! {
    /// 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N) for n below size; N is size if periodic, else size - 1.
    ///
    /// Input size: i32 i64.
    ///
    /// No gradient.
    BlackmanWindow blackman_window "BlackmanWindow" (size: one)
    {
        /// The attribute `output_datatype`: default 1.
        output_datatype "output_datatype": i64;
        /// The attribute `periodic`: default 1, 0 to 1.
        periodic "periodic": i64;
    } 1
}

op! {
    /// The outputs of a function of the graph for the given inputs.
    ///
    /// Input inputs (optional, any number): 26 types.
    Call call "percale:Call" (inputs: many)
    {
        /// The attribute `function`: required.
        function "function": Function<'_>;
    } 1
}

op! {
    /// The input in dtype `to`: floats round to nearest, are cut towards zero to integers and held at the ends of
    /// their range (NaN gives 0); integers, and floats as integers of 4 and 2 bits, wrap; bool is != 0. saturate and
    /// round_mode are of float8 as ONNX has them; beyond its range f4e2m1 is held at 6.
    ///
    /// Input input: 23 types.
    Cast cast "Cast" (input: one)
    {
        /// The attribute `to`: required.
        to "to": i64;
        /// The attribute `saturate`: default 1, 0 to 1.
        saturate "saturate": i64;
        /// The attribute `round_mode`: default "up".
        round_mode "round_mode": &str;
    } 1
}

op! {
    /// The input in the dtype of the second operand, converted as Cast does.
    ///
    /// Input input: 23 types.
    ///
    /// Input target_type: 23 types.
    CastLike cast_like "CastLike" (input: one, target_type: one)
    {
        /// The attribute `saturate`: default 1, 0 to 1.
        saturate "saturate": i64;
        /// The attribute `round_mode`: default "up".
        round_mode "round_mode": &str;
    } 1
}

op! {
    /// The least whole number not below X.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Ceil ceil "Ceil" (x: one)
    {
    } 1
}

op! {
    /// x above 0, else alpha (exp(x / alpha) - 1).
    ///
    /// Input X: f32 f16 f64 bf16.
    Celu celu "Celu" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// The middle of the input along axes (all without any), cut or padded with zeros to the dims of shape; an odd
    /// element goes at the end.
    ///
    /// Input input_data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input shape: i32 i64.
    CenterCropPad center_crop_pad "CenterCropPad" (input_data: one, shape: one)
    {
        /// The attribute `axes`.
        axes "axes": &[i64];
    } 1
}

op! {
    /// X, and a failed run with `message` where an element is infinite or NaN. Its gradient is checked too.
    ///
    /// Input X: f32 f16 f64 bf16.
    CheckNumerics check_numerics "percale:CheckNumerics" (x: one)
    {
        /// The attribute `message`: default "".
        message "message": &str;
    } 1
}

op! {
    /// The lower triangular L with L L^T = X, of every symmetric matrix \[..., n, n\] of X, whose lower triangle
    /// alone is read. A matrix that is not positive definite fails the run.
    ///
    /// Input X: f32 f16 f64 bf16.
    Cholesky cholesky "percale:Cholesky" (x: one)
    {
    } 1
}

op! {
    /// min(max(X, min), max) with scalar limits that may be absent; NaN stays NaN.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input min (optional): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input max (optional): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Clip clip "Clip" (input: one, min: optional, max: optional)
    {
    } 1
}

op! {
    /// The cofactors of every matrix \[..., n, n\] of X, singular or not: Y\[i, j\] = (-1)^(i+j) times the
    /// determinant of X without row i and column j. Its gradient fails the run on a singular matrix.
    ///
    /// Input X: f32 f16 f64 bf16.
    Cofactors cofactors "percale:Cofactors" (x: one)
    {
    } 1
}

op! {
    /// Columns \[N, C * block, L\] summed into images \[N,C,D1,...\] of image_shape at the places where a window of
    /// block_shape had them; integers wrap, of bools one is enough.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input image_shape: i64.
    ///
    /// Input block_shape: i64.
    ///
    /// No gradient.
    Col2Im col2_im "Col2Im" (input: one, image_shape: one, block_shape: one)
    {
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// The slices of the input along `axis`, without it the elements, for which the condition holds; it may be
    /// shorter than the axis.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input condition: bool.
    Compress compress "Compress" (input: one, condition: one)
    {
        /// The attribute `axis`.
        axis "axis": i64;
    } 1
}

op! {
    /// The inputs one behind the other along `axis`.
    ///
    /// Input inputs (any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Concat concat "Concat" (inputs: many)
    {
        /// The attribute `axis`: required.
        axis "axis": i64;
    } 1
}

op! {
    /// The value of its one attribute.
    ///
    /// The gradient is zero.
    Constant constant "Constant" ()
    {
        /// The attribute `value`.
        value "value": &Tensor;
        /// The attribute `value_float`.
        value_float "value_float": f64;
        /// The attribute `value_floats`.
        value_floats "value_floats": &[f64];
        /// The attribute `value_int`.
        value_int "value_int": i64;
        /// The attribute `value_ints`.
        value_ints "value_ints": &[i64];
    } 1
}

op! {
    /// A tensor of the given shape whose every element is `value`, by default an f32 zero.
    ///
    /// Input input: i64.
    ///
    /// The gradient is zero.
    ConstantOfShape constant_of_shape "ConstantOfShape" (input: one)
    {
        /// The attribute `value`.
        value "value": &Tensor;
    } 1
}

op! {
    /// Convolution (cross-correlation) of images X \[N,C,D1,...\] with filters W \[M,C/group,k1,...\], plus B \[M\]
    /// per output channel; 1 to 3 spatial dims.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    Conv conv "Conv" (x: one, w: one, b: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `group`: default 1, 1 or more.
        group "group": i64;
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// Gradient of Conv with respect to X, from dY and W; X's spatial dims are given by the attribute 'spatial_shape'
    /// or by the input 'shape', the shape of X.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input shape (optional): i64.
    ConvGradInput conv_grad_input "percale:ConvGradInput" (d_y: one, w: one, shape: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `group`: default 1, 1 or more.
        group "group": i64;
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
        /// The attribute `spatial_shape`: 0 or more.
        spatial_shape "spatial_shape": &[i64];
    } 1
}

op! {
    /// Gradients of Conv with respect to W and B, from X and dY; W's spatial dims are given by the attribute
    /// 'kernel_shape' or by the input 'shape', the shape of W.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input shape (optional): i64.
    ConvGradWeight conv_grad_weight "percale:ConvGradWeight" (x: one, d_y: one, shape: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `group`: default 1, 1 or more.
        group "group": i64;
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// Conv of x - x_zero_point and w - w_zero_point (one, or one per filter) with sums of i32.
    ///
    /// Input x: u8 i8.
    ///
    /// Input w: u8 i8.
    ///
    /// Input x_zero_point (optional): u8 i8.
    ///
    /// Input w_zero_point (optional): u8 i8.
    ///
    /// No gradient.
    ConvInteger conv_integer "ConvInteger" (x: one, w: one, x_zero_point: optional, w_zero_point: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `group`: default 1, 1 or more.
        group "group": i64;
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// Transposed convolution of X \[N,C,D1,...\] with filters W \[C,M/group,k1,...\], plus B \[M\]: the gradient of
    /// Conv with respect to its input, output dim = stride * (in - 1) + output_padding + (k - 1) * dilation + 1 -
    /// pads.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ConvTranspose conv_transpose "ConvTranspose" (x: one, w: one, b: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `group`: default 1, 1 or more.
        group "group": i64;
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `output_padding`: 0 or more.
        output_padding "output_padding": &[i64];
        /// The attribute `output_shape`: 1 or more.
        output_shape "output_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// The cosine of X in radians.
    ///
    /// Input X: f32 f16 f64 bf16.
    Cos cos "Cos" (x: one)
    {
    } 1
}

op! {
    /// The hyperbolic cosine.
    ///
    /// Input input: f32 f16 f64 bf16.
    Cosh cosh "Cosh" (input: one)
    {
    } 1
}

op! {
    /// The product of the elements so far along an axis, with (or exclusive: without) the element itself.
    ///
    /// Input x: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axis: i32 i64.
    CumProd cum_prod "CumProd" (x: one, axis: one)
    {
        /// The attribute `exclusive`: default 0, 0 to 1.
        exclusive "exclusive": i64;
        /// The attribute `reverse`: default 0, 0 to 1.
        reverse "reverse": i64;
    } 1
}

op! {
    /// The gradient of CumProd with respect to x, right where elements of x are 0 as well.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input x: f32 f16 f64 bf16.
    ///
    /// Input axis: i32 i64.
    ///
    /// No gradient.
    CumProdGrad cum_prod_grad "percale:CumProdGrad" (grad: one, x: one, axis: one)
    {
        /// The attribute `exclusive`: default 0, 0 to 1.
        exclusive "exclusive": i64;
        /// The attribute `reverse`: default 0, 0 to 1.
        reverse "reverse": i64;
    } 1
}

op! {
    /// The sum of the elements so far along an axis, with (or exclusive: without) the element itself.
    ///
    /// Input x: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axis: i32 i64.
    CumSum cum_sum "CumSum" (x: one, axis: one)
    {
        /// The attribute `exclusive`: default 0, 0 to 1.
        exclusive "exclusive": i64;
        /// The attribute `reverse`: default 0, 0 to 1.
        reverse "reverse": i64;
    } 1
}

op! {
    /// The discrete Fourier transform along an axis of \[..., 1\] real or \[..., 2\] complex numbers, cut or filled
    /// with zeros to dft_length: sum of x\[n\] exp(-2 pi i k n / N), inverse: with + and divided by N. onesided: the
    /// first half of a real input's, or the real output of such a half.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// Input dft_length (optional): i32 i64.
    ///
    /// Input axis (optional): i64.
    DFT dft "DFT" (input: one, dft_length: optional, axis: optional)
    {
        /// The attribute `inverse`: default 0, 0 to 1.
        inverse "inverse": i64;
        /// The attribute `onesided`: default 0, 0 to 1.
        onesided "onesided": i64;
    } 1
}

op! {
    /// Channels of \[N,C,H,W\] as blocks of blocksize * blocksize pixels; the place in the block is the outer part of
    /// the channel's number (mode DCR) or the inner (CRD).
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    DepthToSpace depth_to_space "DepthToSpace" (input: one)
    {
        /// The attribute `blocksize`: required, 1 to 2048.
        blocksize "blocksize": i64;
        /// The attribute `mode`: default "DCR".
        mode "mode": &str;
    } 1
}

op! {
    /// (x - x_zero_point) * x_scale; scale and zero point are one for all, one per place along 'axis', or one per
    /// block of block_size along it.
    ///
    /// Input x: 14 types.
    ///
    /// Input x_scale: f32 f16 f64 bf16 f8e8m0.
    ///
    /// Input x_zero_point (optional): 14 types.
    DequantizeLinear dequantize_linear "DequantizeLinear" (x: one, x_scale: one, x_zero_point: optional)
    {
        /// The attribute `axis`: default 1.
        axis "axis": i64;
        /// The attribute `block_size`: default 0, 0 or more.
        block_size "block_size": i64;
        /// The attribute `output_dtype`: default 0.
        output_dtype "output_dtype": i64;
    } 1
}

op! {
    /// The determinant of every matrix \[..., n, n\] of X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Det det "Det" (x: one)
    {
    } 1
}

op! {
    /// A / B, broadcast; integers are cut towards zero, and an integer zero in B is an error.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Div div "Div" (a: one, b: one)
    {
    } 1
}

op! {
    /// In training mode each element is kept with probability 1 - ratio and divided by it, else zero; mask says
    /// which. Otherwise the data as it is. Ratio (default 0.5) is in \[0, 1\].
    ///
    /// Input data: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// Input ratio (optional): f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// Input training_mode (optional): bool.
    Dropout dropout "Dropout" (data: one, ratio: optional, training_mode: optional)
    {
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `seed`: default 0.
        seed "seed": i64;
    } 1
}

op! {
    /// x as u8, with the scale and the zero point that its own range, widened to hold 0, asks for.
    ///
    /// Input x: f32.
    ///
    /// No gradient.
    DynamicQuantizeLinear dynamic_quantize_linear "DynamicQuantizeLinear" (x: one)
    {
    } 3
}

op! {
    /// The sum over all labels that 'equation' does not give the output of the products of the operands' elements, as
    /// numpy.einsum; an ellipsis stands for dims that broadcast.
    ///
    /// Input Inputs (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Einsum einsum "Einsum" (inputs: many)
    {
        /// The attribute `equation`: required.
        equation "equation": &str;
    } 1
}

op! {
    /// x above 0, else alpha (exp(x) - 1).
    ///
    /// Input X: f32 f16 f64 bf16.
    Elu elu "Elu" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// Per bag the sum, the mean or the maximum (`mode`) of the rows of table \[rows, width\] that its indices name:
    /// \[bags, width\], zeros for an empty bag (PyTorch's EmbeddingBag). Indices are \[bags, length\], or \[count\]
    /// with the offset of the first index of each bag, and behind them the end of the last one with
    /// include_last_offset. With mode sum each row is multiplied by its weight. Indices equal to padding_idx count
    /// nothing; -1: there are none such. Indices are in \[0, rows).
    ///
    /// Input table: f32 f16 f64 bf16.
    ///
    /// Input indices (indices): i32 i64.
    ///
    /// Input offsets (optional, indices): i32 i64.
    ///
    /// Input per_sample_weights (optional): f32 f16 f64 bf16.
    EmbeddingBag embedding_bag "percale:EmbeddingBag" (table: one, indices: one, offsets: optional, per_sample_weights: optional)
    {
        /// The attribute `mode`: default "mean".
        mode "mode": &str;
        /// The attribute `padding_idx`: default -1, -1 or more.
        padding_idx "padding_idx": i64;
        /// The attribute `include_last_offset`: default 0, 0 to 1.
        include_last_offset "include_last_offset": i64;
    } 1
}

op! {
    /// The gradient of EmbeddingBag with respect to the row that each index looked up: \[count, width\]. Of rows that
    /// tie for a maximum the first has the gradient; padding has zeros.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input table: f32 f16 f64 bf16.
    ///
    /// Input indices (indices): i32 i64.
    ///
    /// Input offsets (optional, indices): i32 i64.
    ///
    /// Input per_sample_weights (optional): f32 f16 f64 bf16.
    EmbeddingBagRows embedding_bag_rows "percale:EmbeddingBagRows" (grad: one, table: one, indices: one, offsets: optional, per_sample_weights: optional)
    {
        /// The attribute `mode`: default "mean".
        mode "mode": &str;
        /// The attribute `padding_idx`: default -1, -1 or more.
        padding_idx "padding_idx": i64;
        /// The attribute `include_last_offset`: default 0, 0 to 1.
        include_last_offset "include_last_offset": i64;
    } 1
}

op! {
    /// A == B, broadcast; NaN equals nothing.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    Equal equal "Equal" (a: one, b: one)
    {
    } 1
}

op! {
    /// The error function of X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Erf erf "Erf" (x: one)
    {
    } 1
}

op! {
    /// e to the power X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Exp exp "Exp" (x: one)
    {
    } 1
}

op! {
    /// The input repeated to the broadcast of its shape and `shape`.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input shape: i64.
    Expand expand "Expand" (input: one, shape: one)
    {
    } 1
}

op! {
    /// A matrix of the input's shape with ones on its diagonal number k, zeros elsewhere.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    EyeLike eye_like "EyeLike" (input: one)
    {
        /// The attribute `dtype`.
        dtype "dtype": i64;
        /// The attribute `k`: default 0.
        k "k": i64;
    } 1
}

op! {
    /// A matrix: the dims before `axis` become its rows, the others its columns.
    ///
    /// Input input: 23 types.
    Flatten flatten "Flatten" (input: one)
    {
        /// The attribute `axis`: default 1.
        axis "axis": i64;
    } 1
}

op! {
    /// The greatest whole number not above X.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Floor floor "Floor" (x: one)
    {
    } 1
}

op! {
    /// What its body, a function of plain ops, gives for the inputs; anchor names the node that is not elementwise,
    /// if any.
    ///
    /// Input inputs (optional, any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// No gradient.
    Fused fused "percale:Fused" (inputs: many)
    {
        /// The attribute `body`: required.
        body "body": Function<'_>;
        /// The attribute `anchor`: default "".
        anchor "anchor": &str;
    } 1
}

op! {
    /// softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is \[batch, heads,
    /// sequence, size\] or, by row, \[batch, sequence, heads, size\]. Heads of Q may share those of K and V. With
    /// nan_is_zero a probability that is NaN, as without any key, is 0. The softmax runs in the type of the mask. The
    /// statistics are, for each query, the logarithm of the sum of exp of its scores; f32, f64 for f64 operands.
    ///
    /// Input Q: f32 f16 f64 bf16.
    ///
    /// Input K: f32 f16 f64 bf16.
    ///
    /// Input V: f32 f16 f64 bf16.
    ///
    /// Input mask (optional): f32 f16 f64 bf16.
    FusedAttention fused_attention "percale:FusedAttention" (q: one, k: one, v: one, mask: optional)
    {
        /// The attribute `k_by_row`: default 0, 0 to 1.
        k_by_row "k_by_row": i64;
        /// The attribute `nan_is_zero`: default 0, 0 to 1.
        nan_is_zero "nan_is_zero": i64;
        /// The attribute `q_by_row`: default 0, 0 to 1.
        q_by_row "q_by_row": i64;
        /// The attribute `scale`: default 1.
        scale "scale": f64;
        /// The attribute `v_by_row`: default 0, 0 to 1.
        v_by_row "v_by_row": i64;
        /// The attribute `y_by_row`: default 0, 0 to 1.
        y_by_row "y_by_row": i64;
    } 1
}

op! {
    /// The gradients of FusedAttention with respect to Q, K and V, from that of Y, from Y and from the statistics
    /// (Dao et al. 2022). They lie as Q, K and V do. Heads are not shared, nor is NaN 0.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input Q: f32 f16 f64 bf16.
    ///
    /// Input K: f32 f16 f64 bf16.
    ///
    /// Input V: f32 f16 f64 bf16.
    ///
    /// Input Y: f32 f16 f64 bf16.
    ///
    /// Input statistics: f32 f16 f64 bf16.
    ///
    /// Input mask (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    FusedAttentionGrad fused_attention_grad "percale:FusedAttentionGrad" (d_y: one, q: one, k: one, v: one, y: one, statistics: one, mask: optional)
    {
        /// The attribute `dy_by_row`: default 0, 0 to 1.
        dy_by_row "dy_by_row": i64;
        /// The attribute `k_by_row`: default 0, 0 to 1.
        k_by_row "k_by_row": i64;
        /// The attribute `q_by_row`: default 0, 0 to 1.
        q_by_row "q_by_row": i64;
        /// The attribute `scale`: default 1.
        scale "scale": f64;
        /// The attribute `v_by_row`: default 0, 0 to 1.
        v_by_row "v_by_row": i64;
        /// The attribute `y_by_row`: default 0, 0 to 1.
        y_by_row "y_by_row": i64;
    } 3
}

op! {
    /// X cos + T sin, T being X with the second half of its last dim negated and put before the first: a rotation of
    /// pairs that are half a row apart (Su et al. 2021).
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input cos: f32 f16 f64 bf16.
    ///
    /// Input sin: f32 f16 f64 bf16.
    FusedRotary fused_rotary "percale:FusedRotary" (x: one, cos: one, sin: one)
    {
    } 1
}

op! {
    /// Gated recurrent unit over X \[time,batch,input\] (layout 1: batch first): z,r = f(X W^T + H R^T + B), H = (1 -
    /// z) g(X W^T + (r H) R^T + B) + z H, or r (H R^T + B) with linear_before_reset; gates in the order z,r,h.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input R: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ///
    /// Input sequence_lens (optional, indices): i32.
    ///
    /// Input initial_h (optional): f32 f16 f64 bf16.
    GRU gru "GRU" (x: one, w: one, r: one, b: optional, sequence_lens: optional, initial_h: optional)
    {
        /// The attribute `activation_alpha`.
        activation_alpha "activation_alpha": &[f64];
        /// The attribute `activation_beta`.
        activation_beta "activation_beta": &[f64];
        /// The attribute `activations`.
        activations "activations": &[&str];
        /// The attribute `clip`: 0 or more.
        clip "clip": f64;
        /// The attribute `direction`: default "forward".
        direction "direction": &str;
        /// The attribute `hidden_size`: 1 or more.
        hidden_size "hidden_size": i64;
        /// The attribute `layout`: default 0, 0 to 1.
        layout "layout": i64;
        /// The attribute `linear_before_reset`: default 0.
        linear_before_reset "linear_before_reset": i64;
    } 2
}

op! {
    /// Gradients of GRU with respect to X, W, R, B and initial_h, from its inputs, which it runs through again, and
    /// those of its outputs; it has no gradient of its own.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input R: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ///
    /// Input sequence_lens (optional, indices): i32.
    ///
    /// Input initial_h (optional): f32 f16 f64 bf16.
    ///
    /// Input dY (optional): f32 f16 f64 bf16.
    ///
    /// Input dY_h (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    GRUGrad gru_grad "percale:GRUGrad" (x: one, w: one, r: one, b: optional, sequence_lens: optional, initial_h: optional, d_y: optional, d_y_h: optional)
    {
        /// The attribute `activation_alpha`.
        activation_alpha "activation_alpha": &[f64];
        /// The attribute `activation_beta`.
        activation_beta "activation_beta": &[f64];
        /// The attribute `activations`.
        activations "activations": &[&str];
        /// The attribute `clip`: 0 or more.
        clip "clip": f64;
        /// The attribute `direction`: default "forward".
        direction "direction": &str;
        /// The attribute `hidden_size`: 1 or more.
        hidden_size "hidden_size": i64;
        /// The attribute `layout`: default 0, 0 to 1.
        layout "layout": i64;
        /// The attribute `linear_before_reset`: default 0.
        linear_before_reset "linear_before_reset": i64;
    } 5
}

op! {
    /// The slices of data along `axis` that the indices name; negative ones count from the end.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input indices (indices): i32 i64.
    Gather gather "Gather" (data: one, indices: one)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
    } 1
}

op! {
    /// For each index the element of data at its place, but for `axis`, where the index says.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input indices (indices): i32 i64.
    GatherElements gather_elements "GatherElements" (data: one, indices: one)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
    } 1
}

op! {
    /// The gradient of Gather with respect to its data, of shape `shape`: slices of grad summed where they came from.
    ///
    /// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input indices (indices): i32 i64.
    ///
    /// Input shape: i64.
    GatherGrad gather_grad "percale:GatherGrad" (grad: one, indices: one, shape: one)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
    } 1
}

op! {
    /// The slices of data that tuples of indices, the last dim of indices, name; negative ones count from the end.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input indices (indices): i64.
    GatherND gather_nd "GatherND" (data: one, indices: one)
    {
        /// The attribute `batch_dims`: default 0, 0 to 8.
        batch_dims "batch_dims": i64;
    } 1
}

op! {
    /// x / 2 (1 + erf(x / sqrt(2))); approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks
    /// and Gimpel 2016).
    ///
    /// Input X: f32 f16 f64 bf16.
    Gelu gelu "Gelu" (x: one)
    {
        /// The attribute `approximate`: default "none".
        approximate "approximate": &str;
    } 1
}

op! {
    /// Y = alpha * A' * B' + beta * C for matrices, A' and B' transposed where asked for, C broadcast to Y.
    ///
    /// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input C (optional): f32 i32 i64 f16 f64 u32 u64 bf16.
    Gemm gemm "Gemm" (a: one, b: one, c: optional)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
        /// The attribute `beta`: default 1.
        beta "beta": f64;
        /// The attribute `transA`: default 0.
        trans_a "transA": i64;
        /// The attribute `transB`: default 0.
        trans_b "transB": i64;
    } 1
}

op! {
    /// Mean of each channel of X \[N,C,D1,...\]; Y is \[N,C,1,...\].
    ///
    /// Input X: f32 f16 f64 bf16.
    GlobalAveragePool global_average_pool "GlobalAveragePool" (x: one)
    {
    } 1
}

op! {
    /// The p-norm of each channel of X \[N,C,D1,...\]; Y is \[N,C,1,...\].
    ///
    /// Input X: f32 f16 f64 bf16.
    GlobalLpPool global_lp_pool "GlobalLpPool" (x: one)
    {
        /// The attribute `p`: default 2, 1 to 1048576.
        p "p": i64;
    } 1
}

op! {
    /// Largest element of each channel of X \[N,C,D1,...\]; Y is \[N,C,1,...\].
    ///
    /// Input X: f32 f16 f64 bf16.
    GlobalMaxPool global_max_pool "GlobalMaxPool" (x: one)
    {
    } 1
}

op! {
    /// A \> B, broadcast.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    Greater greater "Greater" (a: one, b: one)
    {
    } 1
}

op! {
    /// A \>= B, broadcast.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    GreaterOrEqual greater_or_equal "GreaterOrEqual" (a: one, b: one)
    {
    } 1
}

op! {
    /// X \[N,C,D1,...\] at the places of grid \[N,P1,...,rank\], whose numbers from -1 to 1 go from the first to the
    /// last element (align_corners) or edge, the last dim first; nearest, linear or cubic (Keys 1981), beyond the
    /// edges zeros, the edge or a reflection. 1 to 3 spatial dims.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input grid: f32 f16 f64 bf16.
    GridSample grid_sample "GridSample" (x: one, grid: one)
    {
        /// The attribute `align_corners`: default 0, 0 to 1.
        align_corners "align_corners": i64;
        /// The attribute `mode`: default "linear".
        mode "mode": &str;
        /// The attribute `padding_mode`: default "zeros".
        padding_mode "padding_mode": &str;
    } 1
}

op! {
    /// The gradients of GridSample with respect to X and grid.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input grid: f32 f16 f64 bf16.
    ///
    /// No gradient.
    GridSampleGrad grid_sample_grad "percale:GridSampleGrad" (grad: one, x: one, grid: one)
    {
        /// The attribute `align_corners`: default 0, 0 to 1.
        align_corners "align_corners": i64;
        /// The attribute `mode`: default "linear".
        mode "mode": &str;
        /// The attribute `padding_mode`: default "zeros".
        padding_mode "padding_mode": &str;
    } 2
}

op! {
    /// (X - mean) / sqrt(var + epsilon) * scale + bias, mean and biased variance over each of num_groups groups of
    /// channels, one scale and bias per channel; in stash_type, in f64 for f64 inputs (Wu and He 2018).
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input scale: f32 f16 f64 bf16.
    ///
    /// Input bias: f32 f16 f64 bf16.
    GroupNormalization group_normalization "GroupNormalization" (x: one, scale: one, bias: one)
    {
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `num_groups`: required, 1 or more.
        num_groups "num_groups": i64;
        /// The attribute `stash_type`: default 1.
        stash_type "stash_type": i64;
    } 1
}

op! {
    /// 25/46 - 21/46 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
    ///
    /// Input size: i32 i64.
    ///
    /// No gradient.
    HammingWindow hamming_window "HammingWindow" (size: one)
    {
        /// The attribute `output_datatype`: default 1.
        output_datatype "output_datatype": i64;
        /// The attribute `periodic`: default 1, 0 to 1.
        periodic "periodic": i64;
    } 1
}

op! {
    /// 1/2 - 1/2 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
    ///
    /// Input size: i32 i64.
    ///
    /// No gradient.
    HannWindow hann_window "HannWindow" (size: one)
    {
        /// The attribute `output_datatype`: default 1.
        output_datatype "output_datatype": i64;
        /// The attribute `periodic`: default 1, 0 to 1.
        periodic "periodic": i64;
    } 1
}

op! {
    /// max(0, min(1, alpha X + beta)).
    ///
    /// Input X: f32 f16 f64 bf16.
    HardSigmoid hard_sigmoid "HardSigmoid" (x: one)
    {
        /// The attribute `alpha`: default 0.2.
        alpha "alpha": f64;
        /// The attribute `beta`: default 0.5.
        beta "beta": f64;
    } 1
}

op! {
    /// X max(0, min(1, X / 6 + 1/2)).
    ///
    /// Input X: f32 f16 f64 bf16.
    HardSwish hard_swish "HardSwish" (x: one)
    {
    } 1
}

op! {
    /// 1 at the first greatest element along `axis`, else 0.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Hardmax hardmax "Hardmax" (input: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
    } 1
}

op! {
    /// With d = input - target of one shape: d^2 / 2 where |d| \<= delta, else delta * (|d| - delta / 2); reduced as
    /// asked.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// Input target: f32 f16 f64 bf16.
    Huber huber "percale:Huber" (input: one, target: one)
    {
        /// The attribute `delta`: default 1, 0 or more.
        delta "delta": f64;
        /// The attribute `reduction`: default "mean".
        reduction "reduction": &str;
    } 1
}

op! {
    /// The input.
    ///
    /// Input input: 23 types.
    Identity identity "Identity" (input: one)
    {
    } 1
}

op! {
    /// Runs then_branch where cond is true, else else_branch, on the captures; outputs are what the branch gives.
    ///
    /// Input cond: bool.
    ///
    /// Input captures (optional, any number): 26 types.
    If if_ "If" (cond: one, captures: many)
    {
        /// The attribute `then_branch`: required.
        then_branch "then_branch": Function<'_>;
        /// The attribute `else_branch`: required.
        else_branch "else_branch": Function<'_>;
    } 1
}

op! {
    /// (input - mean) / sqrt(var + epsilon) * scale + B, mean and biased variance over each channel of each image
    /// (Ulyanov et al. 2016).
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// Input scale: f32 f16 f64 bf16.
    ///
    /// Input B: f32 f16 f64 bf16.
    InstanceNormalization instance_normalization "InstanceNormalization" (input: one, scale: one, b: one)
    {
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
    } 1
}

op! {
    /// Whether X is infinite, of the signs that are looked for.
    ///
    /// Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// The gradient is zero.
    IsInf is_inf "IsInf" (x: one)
    {
        /// The attribute `detect_negative`: default 1, 0 to 1.
        detect_negative "detect_negative": i64;
        /// The attribute `detect_positive`: default 1, 0 to 1.
        detect_positive "detect_positive": i64;
    } 1
}

op! {
    /// Whether X is not a number.
    ///
    /// Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// The gradient is zero.
    IsNaN is_na_n "IsNaN" (x: one)
    {
    } 1
}

op! {
    /// X / (bias + alpha / size * sum of squares over size neighbouring channels)^beta, channels beyond the ends
    /// counting as 0 (Krizhevsky et al. 2012).
    ///
    /// Input X: f32 f16 f64 bf16.
    LRN lrn "LRN" (x: one)
    {
        /// The attribute `alpha`: default 0.0001.
        alpha "alpha": f64;
        /// The attribute `beta`: default 0.75.
        beta "beta": f64;
        /// The attribute `bias`: default 1.
        bias "bias": f64;
        /// The attribute `size`: required, 1 or more.
        size "size": i64;
    } 1
}

op! {
    /// Long short-term memory over X \[time,batch,input\] (layout 1: batch first): i,o,f = f(X W^T + H R^T + B + P
    /// C), C = f C + i g(X W^T + H R^T + B), H = o h(C); W, R and B hold the gates in the order i,o,f,c.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input R: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ///
    /// Input sequence_lens (optional, indices): i32.
    ///
    /// Input initial_h (optional): f32 f16 f64 bf16.
    ///
    /// Input initial_c (optional): f32 f16 f64 bf16.
    ///
    /// Input P (optional): f32 f16 f64 bf16.
    LSTM lstm "LSTM" (x: one, w: one, r: one, b: optional, sequence_lens: optional, initial_h: optional, initial_c: optional, p: optional)
    {
        /// The attribute `activation_alpha`.
        activation_alpha "activation_alpha": &[f64];
        /// The attribute `activation_beta`.
        activation_beta "activation_beta": &[f64];
        /// The attribute `activations`.
        activations "activations": &[&str];
        /// The attribute `clip`: 0 or more.
        clip "clip": f64;
        /// The attribute `direction`: default "forward".
        direction "direction": &str;
        /// The attribute `hidden_size`: 1 or more.
        hidden_size "hidden_size": i64;
        /// The attribute `input_forget`: default 0, 0 to 1.
        input_forget "input_forget": i64;
        /// The attribute `layout`: default 0, 0 to 1.
        layout "layout": i64;
    } 3
}

op! {
    /// Gradients of LSTM with respect to X, W, R, B, initial_h, initial_c and P, from its inputs, which it runs
    /// through again, and those of its outputs; it has no gradient of its own.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input R: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ///
    /// Input sequence_lens (optional, indices): i32.
    ///
    /// Input initial_h (optional): f32 f16 f64 bf16.
    ///
    /// Input initial_c (optional): f32 f16 f64 bf16.
    ///
    /// Input P (optional): f32 f16 f64 bf16.
    ///
    /// Input dY (optional): f32 f16 f64 bf16.
    ///
    /// Input dY_h (optional): f32 f16 f64 bf16.
    ///
    /// Input dY_c (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    LSTMGrad lstm_grad "percale:LSTMGrad" (x: one, w: one, r: one, b: optional, sequence_lens: optional, initial_h: optional, initial_c: optional, p: optional, d_y: optional, d_y_h: optional, d_y_c: optional)
    {
        /// The attribute `activation_alpha`.
        activation_alpha "activation_alpha": &[f64];
        /// The attribute `activation_beta`.
        activation_beta "activation_beta": &[f64];
        /// The attribute `activations`.
        activations "activations": &[&str];
        /// The attribute `clip`: 0 or more.
        clip "clip": f64;
        /// The attribute `direction`: default "forward".
        direction "direction": &str;
        /// The attribute `hidden_size`: 1 or more.
        hidden_size "hidden_size": i64;
        /// The attribute `input_forget`: default 0, 0 to 1.
        input_forget "input_forget": i64;
        /// The attribute `layout`: default 0, 0 to 1.
        layout "layout": i64;
    } 7
}

op! {
    /// Y = (X - mean) / sqrt(var + epsilon) * Scale + B, mean and biased variance over the dims from 'axis' on; Mean
    /// and InvStdDev are f32, f64 for f64 inputs.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input Scale: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    LayerNormalization layer_normalization "LayerNormalization" (x: one, scale: one, b: optional)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `stash_type`: default 1.
        stash_type "stash_type": i64;
    } 1
}

op! {
    /// Gradients of LayerNormalization for X, Scale and B; the statistics are computed again from X.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input Scale: f32 f16 f64 bf16.
    ///
    /// No gradient.
    LayerNormalizationGrad layer_normalization_grad "percale:LayerNormalizationGrad" (d_y: one, x: one, scale: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
    } 3
}

op! {
    /// X where X \>= 0, else alpha X.
    ///
    /// Input X: f32 f16 f64 bf16.
    LeakyRelu leaky_relu "LeakyRelu" (x: one)
    {
        /// The attribute `alpha`: default 0.01.
        alpha "alpha": f64;
    } 1
}

op! {
    /// A \< B, broadcast.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    Less less "Less" (a: one, b: one)
    {
    } 1
}

op! {
    /// A \<= B, broadcast.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    LessOrEqual less_or_equal "LessOrEqual" (a: one, b: one)
    {
    } 1
}

op! {
    /// The natural logarithm of X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Log log "Log" (x: one)
    {
    } 1
}

op! {
    /// x - log(sum of exp(x)) along one axis.
    ///
    /// Input input: f32 f16 f64 bf16.
    LogSoftmax log_softmax "LogSoftmax" (input: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
    } 1
}

op! {
    /// Runs body(trip, cond, carried..., captures...) -\> (cond, carried..., scan...) at most M times and while cond
    /// holds; gives the last carried values and the scan values of all trips, stacked. More than trip_limit trips are
    /// an error.
    ///
    /// Input M (optional): i64.
    ///
    /// Input cond (optional): bool.
    ///
    /// Input carried_and_captures (optional, any number): 26 types.
    Loop loop_ "Loop" (m: optional, cond: optional, carried_and_captures: many)
    {
        /// The attribute `body`: required.
        body "body": Function<'_>;
        /// The attribute `num_carried`: required, 0 to 1000000.0.
        num_carried "num_carried": i64;
        /// The attribute `trip_limit`: default 16777216, 0 or more.
        trip_limit "trip_limit": i64;
    } 1
}

op! {
    /// The input over its norm along `axis`: the sum of magnitudes (p = 1) or the root of the sum of squares (2); 0
    /// where that is 0.
    ///
    /// Input input: f32 f16 f64 bf16.
    LpNormalization lp_normalization "LpNormalization" (input: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
        /// The attribute `p`: default 2, 1 to 2.
        p "p": i64;
    } 1
}

op! {
    /// The p-norm of the elements under each position of a window over X \[N,C,D1,...\].
    ///
    /// Input X: f32 f16 f64 bf16.
    LpPool lp_pool "LpPool" (x: one)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `ceil_mode`: default 0, 0 to 1.
        ceil_mode "ceil_mode": i64;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `kernel_shape`: required, 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `p`: default 2, 1 to 1048576.
        p "p": i64;
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// Matrix product as numpy.matmul: the last two dims are matrices, the others broadcast; a rank-1 operand is a
    /// row on the left, a column on the right.
    ///
    /// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
    MatMul mat_mul "MatMul" (a: one, b: one)
    {
    } 1
}

op! {
    /// MatMul of A - a_zero_point (one, or one per row) and B - b_zero_point (one, or one per column) with sums of
    /// i32.
    ///
    /// Input A: u8 i8.
    ///
    /// Input B: u8 i8.
    ///
    /// Input a_zero_point (optional): u8 i8.
    ///
    /// Input b_zero_point (optional): u8 i8.
    ///
    /// No gradient.
    MatMulInteger mat_mul_integer "MatMulInteger" (a: one, b: one, a_zero_point: optional, b_zero_point: optional)
    {
    } 1
}

op! {
    /// The inverse of every matrix \[..., n, n\] of X, transposed with `adjoint`. A matrix that has a pivot of
    /// exactly zero is singular and fails the run.
    ///
    /// Input X: f32 f16 f64 bf16.
    MatrixInverse matrix_inverse "percale:MatrixInverse" (x: one)
    {
        /// The attribute `adjoint`: default 0, 0 to 1.
        adjoint "adjoint": i64;
    } 1
}

op! {
    /// The greatest of the operands, broadcast; NaN where one is NaN.
    ///
    /// Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Max max "Max" (data: many)
    {
    } 1
}

op! {
    /// Largest element under each position of a window over X \[N,C,D1,...\]; pads never win, NaN always does.
    /// Indices number X's elements as a flat tensor, -1 where a window has none.
    ///
    /// Input X: f32 u8 i8 f16 f64 bf16.
    MaxPool max_pool "MaxPool" (x: one)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `ceil_mode`: default 0, 0 to 1.
        ceil_mode "ceil_mode": i64;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `kernel_shape`: required, 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `storage_order`: default 0, 0 to 1.
        storage_order "storage_order": i64;
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// Gradient of MaxPool (of GlobalMaxPool with 'global') with respect to X: each element of dY goes to the first
    /// largest element of its window.
    ///
    /// Input dY: f32 f16 f64 bf16.
    ///
    /// Input X: f32 f16 f64 bf16.
    MaxPoolGrad max_pool_grad "percale:MaxPoolGrad" (d_y: one, x: one)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `ceil_mode`: default 0, 0 to 1.
        ceil_mode "ceil_mode": i64;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
        /// The attribute `global`: default 0, 0 to 1.
        global "global": i64;
    } 1
}

op! {
    /// The largest element of each bin of regions (image, x1, y1, x2, y2), whose corners times spatial_scale are
    /// rounded to elements (Girshick 2015); 0 where a bin has none.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input rois: f32 f16 f64 bf16.
    ///
    /// No gradient.
    MaxRoiPool max_roi_pool "MaxRoiPool" (x: one, rois: one)
    {
        /// The attribute `pooled_shape`: required.
        pooled_shape "pooled_shape": &[i64];
        /// The attribute `spatial_scale`: default 1.
        spatial_scale "spatial_scale": f64;
    } 1
}

op! {
    /// Zeros with the elements of X where I says they were before a MaxPool, whose indices these are; output_shape
    /// may be larger than what the window tells.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input I (indices): i64.
    ///
    /// Input output_shape (optional): i64.
    MaxUnpool max_unpool "MaxUnpool" (x: one, i: one, output_shape: optional)
    {
        /// The attribute `kernel_shape`: required, 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// The sum of the operands from left to right over their number, broadcast.
    ///
    /// Input data (any number): f32 f16 f64 bf16.
    Mean mean "Mean" (data: many)
    {
    } 1
}

op! {
    /// (X - mean) / (standard deviation + 1e-9) over axes, \[0, 2, 3\] without any.
    ///
    /// Input X: f32 f16 f64 bf16.
    MeanVarianceNormalization mean_variance_normalization "MeanVarianceNormalization" (x: one)
    {
        /// The attribute `axes`.
        axes "axes": &[i64];
    } 1
}

op! {
    /// Triangles over the bins of a onesided DFT, one column per band: evenly spaced in mel = 2595 log10(1 + f /
    /// 700), 1 at their peaks.
    ///
    /// Input num_mel_bins: i32 i64.
    ///
    /// Input dft_length: i32 i64.
    ///
    /// Input sample_rate: i32 i64.
    ///
    /// Input lower_edge_hertz: f32 f16 f64 bf16.
    ///
    /// Input upper_edge_hertz: f32 f16 f64 bf16.
    ///
    /// No gradient.
    MelWeightMatrix mel_weight_matrix "MelWeightMatrix" (num_mel_bins: one, dft_length: one, sample_rate: one, lower_edge_hertz: one, upper_edge_hertz: one)
    {
        /// The attribute `output_datatype`: default 1, 1 to 27.
        output_datatype "output_datatype": i64;
    } 1
}

op! {
    /// The least of the operands, broadcast; NaN where one is NaN.
    ///
    /// Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Min min "Min" (data: many)
    {
    } 1
}

op! {
    /// x tanh(log(1 + exp(x))) (Misra 2019).
    ///
    /// Input X: f32 f16 f64 bf16.
    Mish mish "Mish" (x: one)
    {
    } 1
}

op! {
    /// The remainder of A / B, broadcast: with the sign of B, or with fmod = 1 the sign of A (which floats need).
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Mod mod_ "Mod" (a: one, b: one)
    {
        /// The attribute `fmod`: default 0, 0 to 1.
        fmod "fmod": i64;
    } 1
}

op! {
    /// A * B, broadcast; integers wrap.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Mul mul "Mul" (a: one, b: one)
    {
    } 1
}

op! {
    /// sample_size classes drawn for each row of \[batch, classes\], which holds logarithms of probabilities but for
    /// a number that all of a row share.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Multinomial multinomial "Multinomial" (input: one)
    {
        /// The attribute `dtype`: default 6.
        dtype "dtype": i64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `sample_size`: default 1, 1 or more.
        sample_size "sample_size": i64;
        /// The attribute `seed`: default 0.
        seed "seed": f64;
    } 1
}

op! {
    /// Takes a mutex and holds it until the run ends, however it ends; waits while another run holds it. What follows
    /// sees the variables as last published, so that reading and assigning under one mutex loses no update.
    ///
    /// No gradient.
    MutexLock mutex_lock "percale:MutexLock" ()
    {
        /// The attribute `mutex`: required.
        mutex "mutex": &str;
    } 0
}

op! {
    /// -X; integers wrap.
    ///
    /// Input X: f32 i8 i16 i32 i64 f16 f64 bf16.
    Neg neg "Neg" (x: one)
    {
    } 1
}

op! {
    /// Gradient of NegativeLogLikelihoodLoss with respect to input: -dloss * weight\[target\] at the target, zero
    /// elsewhere, divided by the sum of the weights used where the loss is a mean.
    ///
    /// Input dloss: f32 f16 f64 bf16.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// Input target (indices): i32 i64.
    ///
    /// Input weight (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    NegativeLogLikelihoodGrad negative_log_likelihood_grad "percale:NegativeLogLikelihoodGrad" (dloss: one, input: one, target: one, weight: optional)
    {
        /// The attribute `ignore_index`.
        ignore_index "ignore_index": i64;
        /// The attribute `reduction`: default "mean".
        reduction "reduction": &str;
    } 1
}

op! {
    /// -weight\[target\] * input\[target\] over axis 1 of input \[N,C,D1,...\] for target \[N,D1,...\]; the mean is
    /// over the sum of the weights used. Targets equal to ignore_index count nothing.
    ///
    /// Input input: f32 f16 f64 bf16.
    ///
    /// Input target (indices): i32 i64.
    ///
    /// Input weight (optional): f32 f16 f64 bf16.
    NegativeLogLikelihoodLoss negative_log_likelihood_loss "NegativeLogLikelihoodLoss" (input: one, target: one, weight: optional)
    {
        /// The attribute `ignore_index`.
        ignore_index "ignore_index": i64;
        /// The attribute `reduction`: default "mean".
        reduction "reduction": &str;
    } 1
}

op! {
    /// Rows (batch, class, box) of the boxes above score_threshold, the best of a class first, without those whose
    /// intersection over union with a better one is above iou_threshold.
    ///
    /// Input boxes: f32.
    ///
    /// Input scores: f32.
    ///
    /// Input max_output_boxes_per_class (optional): i64.
    ///
    /// Input iou_threshold (optional): f32.
    ///
    /// Input score_threshold (optional): f32.
    ///
    /// No gradient.
    NonMaxSuppression non_max_suppression "NonMaxSuppression" (boxes: one, scores: one, max_output_boxes_per_class: optional, iou_threshold: optional, score_threshold: optional)
    {
        /// The attribute `center_point_box`: default 0, 0 to 1.
        center_point_box "center_point_box": i64;
    } 1
}

op! {
    /// \[rank, n\]: the coordinates of the n elements of X that are not zero, in the order of memory; NaN is not
    /// zero.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    NonZero non_zero "NonZero" (x: one)
    {
    } 1
}

op! {
    /// Not X.
    ///
    /// Input X: bool.
    ///
    /// The gradient is zero.
    Not not "Not" (x: one)
    {
    } 1
}

op! {
    /// Along a new dim `axis` of size depth: values\[1\] where the index says (negative ones from the end), else
    /// values\[0\], which also stands for indices out of range.
    ///
    /// Input indices (indices): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input depth: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input values: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    OneHot one_hot "OneHot" (indices: one, depth: one, values: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
    } 1
}

op! {
    /// A or B, broadcast.
    ///
    /// Input A: bool.
    ///
    /// Input B: bool.
    ///
    /// The gradient is zero.
    Or or "Or" (a: one, b: one)
    {
    } 1
}

op! {
    /// slope * X below 0, else X; slope broadcasts to X (He et al. 2015).
    ///
    /// Input X: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input slope: f32 i32 i64 f16 f64 u32 u64 bf16.
    PRelu p_relu "PRelu" (x: one, slope: one)
    {
    } 1
}

op! {
    /// Elements put before and after the dims of data: a constant, or data mirrored, its edge, or data again;
    /// negative pads take away.
    ///
    /// Input data: 23 types.
    ///
    /// Input pads: i64.
    ///
    /// Input constant_value (optional): 23 types.
    ///
    /// Input axes (optional): i32 i64.
    Pad pad "Pad" (data: one, pads: one, constant_value: optional, axes: optional)
    {
        /// The attribute `mode`: default "constant".
        mode "mode": &str;
    } 1
}

op! {
    /// The gradient of Pad with respect to its data, of shape `shape`: each element of grad goes where Pad took it.
    ///
    /// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input pads: i64.
    ///
    /// Input shape: i64.
    ///
    /// Input axes (optional): i32 i64.
    PadGrad pad_grad "percale:PadGrad" (grad: one, pads: one, shape: one, axes: optional)
    {
        /// The attribute `mode`: default "constant".
        mode "mode": &str;
    } 1
}

op! {
    /// Numbers of the normal distribution of a given shape.
    ///
    /// Input shape: i64.
    ///
    /// The gradient is zero.
    PercaleRandomNormal percale_random_normal "percale:RandomNormal" (shape: one)
    {
        /// The attribute `dtype`: default 1.
        dtype "dtype": i64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `mean`: default 0.
        mean "mean": f64;
        /// The attribute `scale`: default 1.
        scale "scale": f64;
        /// The attribute `seed`: default 0.
        seed "seed": i64;
    } 1
}

op! {
    /// Numbers uniform in \[low, high) of a given shape.
    ///
    /// Input shape: i64.
    ///
    /// The gradient is zero.
    PercaleRandomUniform percale_random_uniform "percale:RandomUniform" (shape: one)
    {
        /// The attribute `dtype`: default 1.
        dtype "dtype": i64;
        /// The attribute `high`: default 1.
        high "high": f64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `low`: default 0.
        low "low": f64;
        /// The attribute `seed`: default 0.
        seed "seed": i64;
    } 1
}

op! {
    /// X to the power Y, broadcast, in the dtype of X; integers wrap.
    ///
    /// Input X: f32 i32 i64 f16 f64 bf16.
    ///
    /// Input Y: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Pow pow "Pow" (x: one, y: one)
    {
    } 1
}

op! {
    /// X, and its first `summarize` elements (-1: as many as fit a line) behind `message`, given to the engine's log
    /// callback at the level info.
    ///
    /// Input X: 23 types.
    Print print "percale:Print" (x: one)
    {
        /// The attribute `message`: default "".
        message "message": &str;
        /// The attribute `summarize`: default 3, -1 or more.
        summarize "summarize": i64;
    } 1
}

op! {
    /// Conv of quantised x and w (scale and zero point one for all, of w also one per filter) plus B, an i32 of scale
    /// x_scale * w_scale, quantised by y_scale and y_zero_point.
    ///
    /// Input x: u8 i8.
    ///
    /// Input x_scale: f32.
    ///
    /// Input x_zero_point: u8 i8.
    ///
    /// Input w: u8 i8.
    ///
    /// Input w_scale: f32.
    ///
    /// Input w_zero_point: u8 i8.
    ///
    /// Input y_scale: f32.
    ///
    /// Input y_zero_point: u8 i8.
    ///
    /// Input B (optional): i32.
    ///
    /// The gradient is zero.
    QLinearConv q_linear_conv "QLinearConv" (x: one, x_scale: one, x_zero_point: one, w: one, w_scale: one, w_zero_point: one, y_scale: one, y_zero_point: one, b: optional)
    {
        /// The attribute `auto_pad`: default "NOTSET".
        auto_pad "auto_pad": &str;
        /// The attribute `dilations`: 1 or more.
        dilations "dilations": &[i64];
        /// The attribute `group`: default 1, 1 or more.
        group "group": i64;
        /// The attribute `kernel_shape`: 1 or more.
        kernel_shape "kernel_shape": &[i64];
        /// The attribute `pads`: 0 or more.
        pads "pads": &[i64];
        /// The attribute `strides`: 1 or more.
        strides "strides": &[i64];
    } 1
}

op! {
    /// MatMul of quantised a and b, quantised by y_scale and y_zero_point; a vector of scales or zero points is one
    /// per row of a and y, one per column of b.
    ///
    /// Input a: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// Input a_scale: f32 f16 bf16.
    ///
    /// Input a_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// Input b: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// Input b_scale: f32 f16 bf16.
    ///
    /// Input b_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// Input y_scale: f32 f16 bf16.
    ///
    /// Input y_zero_point: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// The gradient is zero.
    QLinearMatMul q_linear_mat_mul "QLinearMatMul" (a: one, a_scale: one, a_zero_point: one, b: one, b_scale: one, b_zero_point: one, y_scale: one, y_zero_point: one)
    {
    } 1
}

op! {
    /// x / y_scale rounded to nearest (ties to even) + y_zero_point, held at the ends of the type; scale and zero
    /// point as in DequantizeLinear. saturate is of float8, as in Cast.
    ///
    /// Input x: f32 i32 f16 f64 bf16.
    ///
    /// Input y_scale: f32 i32 f16 f64 bf16 f8e8m0.
    ///
    /// Input y_zero_point (optional): u8 i8 u16 i16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz u4 i4 f4e2m1 u2 i2.
    ///
    /// The gradient is zero.
    QuantizeLinear quantize_linear "QuantizeLinear" (x: one, y_scale: one, y_zero_point: optional)
    {
        /// The attribute `axis`: default 1.
        axis "axis": i64;
        /// The attribute `block_size`: default 0, 0 or more.
        block_size "block_size": i64;
        /// The attribute `output_dtype`: default 0.
        output_dtype "output_dtype": i64;
        /// The attribute `precision`: default 0.
        precision "precision": i64;
        /// The attribute `saturate`: default 1, 0 to 1.
        saturate "saturate": i64;
    } 1
}

op! {
    /// From the end of this run on a queue takes no more elements. Those that runs wait to put in still pass, or are
    /// turned away with CANCELLED where cancel_pending_enqueues is 1; those that are in it can be taken.
    ///
    /// No gradient.
    QueueClose queue_close "percale:QueueClose" ()
    {
        /// The attribute `queue`: required.
        queue "queue": &str;
        /// The attribute `cancel_pending_enqueues`: default 0, 0 to 1.
        cancel_pending_enqueues "cancel_pending_enqueues": i64;
    } 0
}

op! {
    /// The first element of a queue; waits while it is empty, OUT_OF_RANGE when it is closed as well. Component i has
    /// dtypes\[i\] and ranks\[i\] dims (-1: any number), which stand in `dims` one component after the other (-1:
    /// unknown). A run that fails gives back what it took. What follows sees the variables as last published.
    ///
    /// The gradient is zero.
    QueueDequeue queue_dequeue "percale:QueueDequeue" ()
    {
        /// The attribute `queue`: required.
        queue "queue": &str;
        /// The attribute `capacity`: default 32, 1 or more.
        capacity "capacity": i64;
        /// The attribute `dtypes`: required.
        dtypes "dtypes": &[i64];
        /// The attribute `ranks`: required, -1 to 8.
        ranks "ranks": &[i64];
        /// The attribute `dims`: -1 or more.
        dims "dims": &[i64];
    } 1
}

op! {
    /// Puts its inputs, as one element, at the end of a queue that holds at most `capacity` of them; waits while it
    /// is full. CANCELLED when it is closed. Other runs see the element when the run has succeeded. An op on a queue
    /// runs where its output is needed or it is a target: that a later node stands after it does not make it run.
    ///
    /// Input components (any number): 23 types.
    ///
    /// No gradient.
    QueueEnqueue queue_enqueue "percale:QueueEnqueue" (components: many)
    {
        /// The attribute `queue`: required.
        queue "queue": &str;
        /// The attribute `capacity`: default 32, 1 or more.
        capacity "capacity": i64;
    } 0
}

op! {
    /// How many elements a queue holds, as this run sees it, and whether it is closed.
    ///
    /// The gradient is zero.
    QueueSize queue_size "percale:QueueSize" ()
    {
        /// The attribute `queue`: required.
        queue "queue": &str;
    } 1
}

op! {
    /// X / sqrt(mean(X^2) + epsilon) * scale, the mean over the dims from 'axis' on; in stash_type (1: f32, 16:
    /// bf16), in f64 for f64 inputs.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input scale: f32 f16 f64 bf16.
    RMSNormalization rms_normalization "RMSNormalization" (x: one, scale: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `stash_type`: default 1.
        stash_type "stash_type": i64;
    } 1
}

op! {
    /// Elman network over X \[time,batch,input\] (layout 1: batch first): H = f(X W^T + H R^T + B).
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input R: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ///
    /// Input sequence_lens (optional, indices): i32.
    ///
    /// Input initial_h (optional): f32 f16 f64 bf16.
    RNN rnn "RNN" (x: one, w: one, r: one, b: optional, sequence_lens: optional, initial_h: optional)
    {
        /// The attribute `activation_alpha`.
        activation_alpha "activation_alpha": &[f64];
        /// The attribute `activation_beta`.
        activation_beta "activation_beta": &[f64];
        /// The attribute `activations`.
        activations "activations": &[&str];
        /// The attribute `clip`: 0 or more.
        clip "clip": f64;
        /// The attribute `direction`: default "forward".
        direction "direction": &str;
        /// The attribute `hidden_size`: 1 or more.
        hidden_size "hidden_size": i64;
        /// The attribute `layout`: default 0, 0 to 1.
        layout "layout": i64;
    } 2
}

op! {
    /// Gradients of RNN with respect to X, W, R, B and initial_h, from its inputs, which it runs through again, and
    /// those of its outputs; it has no gradient of its own.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input W: f32 f16 f64 bf16.
    ///
    /// Input R: f32 f16 f64 bf16.
    ///
    /// Input B (optional): f32 f16 f64 bf16.
    ///
    /// Input sequence_lens (optional, indices): i32.
    ///
    /// Input initial_h (optional): f32 f16 f64 bf16.
    ///
    /// Input dY (optional): f32 f16 f64 bf16.
    ///
    /// Input dY_h (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    RNNGrad rnn_grad "percale:RNNGrad" (x: one, w: one, r: one, b: optional, sequence_lens: optional, initial_h: optional, d_y: optional, d_y_h: optional)
    {
        /// The attribute `activation_alpha`.
        activation_alpha "activation_alpha": &[f64];
        /// The attribute `activation_beta`.
        activation_beta "activation_beta": &[f64];
        /// The attribute `activations`.
        activations "activations": &[&str];
        /// The attribute `clip`: 0 or more.
        clip "clip": f64;
        /// The attribute `direction`: default "forward".
        direction "direction": &str;
        /// The attribute `hidden_size`: 1 or more.
        hidden_size "hidden_size": i64;
        /// The attribute `layout`: default 0, 0 to 1.
        layout "layout": i64;
    } 5
}

op! {
    /// Numbers of the normal distribution.
    ///
    /// The gradient is zero.
    RandomNormal random_normal "RandomNormal" ()
    {
        /// The attribute `dtype`: default 1.
        dtype "dtype": i64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `mean`: default 0.
        mean "mean": f64;
        /// The attribute `scale`: default 1.
        scale "scale": f64;
        /// The attribute `seed`: default 0.
        seed "seed": f64;
        /// The attribute `shape`: required, 0 or more.
        shape "shape": &[i64];
    } 1
}

op! {
    /// Numbers of the normal distribution in the shape, and the dtype unless one is given, of the input.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    RandomNormalLike random_normal_like "RandomNormalLike" (input: one)
    {
        /// The attribute `dtype`.
        dtype "dtype": i64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `mean`: default 0.
        mean "mean": f64;
        /// The attribute `scale`: default 1.
        scale "scale": f64;
        /// The attribute `seed`: default 0.
        seed "seed": f64;
    } 1
}

op! {
    /// Numbers uniform in \[low, high).
    ///
    /// The gradient is zero.
    RandomUniform random_uniform "RandomUniform" ()
    {
        /// The attribute `dtype`: default 1.
        dtype "dtype": i64;
        /// The attribute `high`: default 1.
        high "high": f64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `low`: default 0.
        low "low": f64;
        /// The attribute `seed`: default 0.
        seed "seed": f64;
        /// The attribute `shape`: required, 0 or more.
        shape "shape": &[i64];
    } 1
}

op! {
    /// Numbers uniform in \[low, high) in the shape, and the dtype unless one is given, of the input.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    RandomUniformLike random_uniform_like "RandomUniformLike" (input: one)
    {
        /// The attribute `dtype`.
        dtype "dtype": i64;
        /// The attribute `high`: default 1.
        high "high": f64;
        /// The attribute `id`: default 0, 0 or more.
        id "id": i64;
        /// The attribute `low`: default 0.
        low "low": f64;
        /// The attribute `seed`: default 0.
        seed "seed": f64;
    } 1
}

op! {
    /// start, start + delta, ... up to before limit.
    ///
    /// Input start: f32 i16 i32 i64 f16 f64 bf16.
    ///
    /// Input limit: f32 i16 i32 i64 f16 f64 bf16.
    ///
    /// Input delta: f32 i16 i32 i64 f16 f64 bf16.
    ///
    /// No gradient.
    Range range "Range" (start: one, limit: one, delta: one)
    {
    } 1
}

op! {
    /// The value of a variable as this run sees it.
    ///
    /// The gradient is zero.
    ReadVariable read_variable "percale:ReadVariable" ()
    {
        /// The attribute `variable`: required.
        variable "variable": &str;
        /// The attribute `dtype`: required.
        dtype "dtype": i64;
        /// The attribute `shape`: required, 0 or more.
        shape "shape": &[i64];
    } 1
}

op! {
    /// 1 / X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Reciprocal reciprocal "Reciprocal" (x: one)
    {
    } 1
}

op! {
    /// The sum of absolute values over axes (all without axes); 0 of nothing.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceL1 reduce_l1 "ReduceL1" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The square root of the sum of squares over axes (all without axes); integers are cut.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceL2 reduce_l2 "ReduceL2" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The logarithm of the sum over axes (all without axes); integers are cut.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceLogSum reduce_log_sum "ReduceLogSum" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The logarithm of the sum of exp over axes (all without axes), which does not overflow; integers are cut.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceLogSumExp reduce_log_sum_exp "ReduceLogSumExp" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The greatest over axes (all without axes); NaN where one is NaN.
    ///
    /// Input data: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceMax reduce_max "ReduceMax" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The mean over axes (all without axes); integers are cut towards zero.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceMean reduce_mean "ReduceMean" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The least over axes (all without axes); NaN where one is NaN.
    ///
    /// Input data: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceMin reduce_min "ReduceMin" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The product over axes (all without axes); 1 of nothing.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceProd reduce_prod "ReduceProd" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The sum over axes (all without axes); 0 of nothing.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceSum reduce_sum "ReduceSum" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// The sum of squares over axes (all without axes); integers wrap.
    ///
    /// Input data: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input axes (optional): i64.
    ReduceSumSquare reduce_sum_square "ReduceSumSquare" (data: one, axes: optional)
    {
        /// The attribute `keepdims`: default 1, 0 to 1.
        keepdims "keepdims": i64;
        /// The attribute `noop_with_empty_axes`: default 0, 0 to 1.
        noop_with_empty_axes "noop_with_empty_axes": i64;
    } 1
}

op! {
    /// max(X, 0); NaN stays NaN.
    ///
    /// Input X: f32 i8 i16 i32 i64 f16 f64 bf16.
    Relu relu "Relu" (x: one)
    {
    } 1
}

op! {
    /// The gradient of Relu from that of its result and the result: grad, 0 where y \<= 0.
    ///
    /// Input grad: f32 i8 i16 i32 i64 f16 f64 bf16.
    ///
    /// Input y: f32 i8 i16 i32 i64 f16 f64 bf16.
    ReluGrad relu_grad "percale:ReluGrad" (grad: one, y: one)
    {
    } 1
}

op! {
    /// The tensor in another format in memory, which only plans know; a copy in a graph.
    ///
    /// Input x: 23 types.
    Reorder reorder "percale:Reorder" (x: one)
    {
    } 1
}

op! {
    /// The elements of data in another shape: -1 is what remains, 0 copies the dim of data unless allowzero.
    ///
    /// Input data: 23 types.
    ///
    /// Input shape: i64.
    Reshape reshape "Reshape" (data: one, shape: one)
    {
        /// The attribute `allowzero`: default 0, 0 to 1.
        allowzero "allowzero": i64;
    } 1
}

op! {
    /// x resampled along its axes to scales * dims or to sizes: nearest, linear or cubic, with ONNX's coordinate
    /// modes (and tf_half_pixel_for_nn of opset 11); antialias stretches the filter where x shrinks.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input roi (optional): f32 f16 f64.
    ///
    /// Input scales (optional): f32.
    ///
    /// Input sizes (optional): i64.
    Resize resize "Resize" (x: one, roi: optional, scales: optional, sizes: optional)
    {
        /// The attribute `antialias`: default 0, 0 to 1.
        antialias "antialias": i64;
        /// The attribute `axes`.
        axes "axes": &[i64];
        /// The attribute `coordinate_transformation_mode`: default "half_pixel".
        coordinate_transformation_mode "coordinate_transformation_mode": &str;
        /// The attribute `cubic_coeff_a`: default -0.75.
        cubic_coeff_a "cubic_coeff_a": f64;
        /// The attribute `exclude_outside`: default 0, 0 to 1.
        exclude_outside "exclude_outside": i64;
        /// The attribute `extrapolation_value`: default 0.
        extrapolation_value "extrapolation_value": f64;
        /// The attribute `keep_aspect_ratio_policy`: default "stretch".
        keep_aspect_ratio_policy "keep_aspect_ratio_policy": &str;
        /// The attribute `mode`: default "nearest".
        mode "mode": &str;
        /// The attribute `nearest_mode`: default "round_prefer_floor".
        nearest_mode "nearest_mode": &str;
    } 1
}

op! {
    /// The gradient of Resize with respect to X, of shape `shape`: each element of grad goes to where Resize took it
    /// from, by the same weights.
    ///
    /// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input shape: i64.
    ///
    /// Input roi (optional): f32 f16 f64.
    ///
    /// Input scales (optional): f32.
    ///
    /// Input sizes (optional): i64.
    ResizeGrad resize_grad "percale:ResizeGrad" (grad: one, shape: one, roi: optional, scales: optional, sizes: optional)
    {
        /// The attribute `antialias`: default 0, 0 to 1.
        antialias "antialias": i64;
        /// The attribute `axes`.
        axes "axes": &[i64];
        /// The attribute `coordinate_transformation_mode`: default "half_pixel".
        coordinate_transformation_mode "coordinate_transformation_mode": &str;
        /// The attribute `cubic_coeff_a`: default -0.75.
        cubic_coeff_a "cubic_coeff_a": f64;
        /// The attribute `exclude_outside`: default 0, 0 to 1.
        exclude_outside "exclude_outside": i64;
        /// The attribute `keep_aspect_ratio_policy`: default "stretch".
        keep_aspect_ratio_policy "keep_aspect_ratio_policy": &str;
        /// The attribute `mode`: default "nearest".
        mode "mode": &str;
        /// The attribute `nearest_mode`: default "round_prefer_floor".
        nearest_mode "nearest_mode": &str;
    } 1
}

op! {
    /// The input with the first sequence_lens\[b\] elements of sequence b along time_axis in reverse order.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input sequence_lens (indices): i64.
    ReverseSequence reverse_sequence "ReverseSequence" (input: one, sequence_lens: one)
    {
        /// The attribute `batch_axis`: default 1, 0 to 1.
        batch_axis "batch_axis": i64;
        /// The attribute `time_axis`: default 0, 0 to 1.
        time_axis "time_axis": i64;
    } 1
}

op! {
    /// Mean or max of samples in each bin of regions (x1, y1, x2, y2) of X, linear between elements (He et al. 2017);
    /// sampling_ratio samples along a bin, 0: as many as it is long.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input rois: f32 f16 f64 bf16.
    ///
    /// Input batch_indices (indices): i64.
    RoiAlign roi_align "RoiAlign" (x: one, rois: one, batch_indices: one)
    {
        /// The attribute `coordinate_transformation_mode`: default "half_pixel".
        coordinate_transformation_mode "coordinate_transformation_mode": &str;
        /// The attribute `mode`: default "avg".
        mode "mode": &str;
        /// The attribute `output_height`: default 1, 1 to 1048576.
        output_height "output_height": i64;
        /// The attribute `output_width`: default 1, 1 to 1048576.
        output_width "output_width": i64;
        /// The attribute `sampling_ratio`: default 0, 0 to 65536.
        sampling_ratio "sampling_ratio": i64;
        /// The attribute `spatial_scale`: default 1.
        spatial_scale "spatial_scale": f64;
    } 1
}

op! {
    /// The gradient of RoiAlign of mode avg with respect to X, of shape `shape`.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input rois: f32 f16 f64 bf16.
    ///
    /// Input batch_indices (indices): i64.
    ///
    /// Input shape: i64.
    ///
    /// No gradient.
    RoiAlignGrad roi_align_grad "percale:RoiAlignGrad" (grad: one, rois: one, batch_indices: one, shape: one)
    {
        /// The attribute `coordinate_transformation_mode`: default "half_pixel".
        coordinate_transformation_mode "coordinate_transformation_mode": &str;
        /// The attribute `mode`: default "avg".
        mode "mode": &str;
        /// The attribute `output_height`: default 1, 1 to 1048576.
        output_height "output_height": i64;
        /// The attribute `output_width`: default 1, 1 to 1048576.
        output_width "output_width": i64;
        /// The attribute `sampling_ratio`: default 0, 0 to 65536.
        sampling_ratio "sampling_ratio": i64;
        /// The attribute `spatial_scale`: default 1.
        spatial_scale "spatial_scale": f64;
    } 1
}

op! {
    /// Turns pairs of elements of each head by the angles whose cosines and sines the caches hold, at position_ids
    /// where they are there (Su et al. 2021); of a head the first rotary_embedding_dim elements, 0: all.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input cos_cache: f32 f16 f64 bf16.
    ///
    /// Input sin_cache: f32 f16 f64 bf16.
    ///
    /// Input position_ids (optional, indices): i64.
    RotaryEmbedding rotary_embedding "RotaryEmbedding" (x: one, cos_cache: one, sin_cache: one, position_ids: optional)
    {
        /// The attribute `interleaved`: default 0, 0 to 1.
        interleaved "interleaved": i64;
        /// The attribute `num_heads`: default 0, 0 or more.
        num_heads "num_heads": i64;
        /// The attribute `rotary_embedding_dim`: default 0, 0 or more.
        rotary_embedding_dim "rotary_embedding_dim": i64;
    } 1
}

op! {
    /// X rounded to the nearest whole number, ties to even.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Round round "Round" (x: one)
    {
    } 1
}

op! {
    /// The DFT of frames of frame_length numbers, frame_step apart, of a signal \[batch, length, 1 or 2\], each times
    /// the window.
    ///
    /// Input signal: f32 f16 f64 bf16.
    ///
    /// Input frame_step: i32 i64.
    ///
    /// Input window (optional): f32 f16 f64 bf16.
    ///
    /// Input frame_length (optional): i32 i64.
    STFT stft "STFT" (signal: one, frame_step: one, window: optional, frame_length: optional)
    {
        /// The attribute `onesided`: default 1, 0 to 1.
        onesided "onesided": i64;
    } 1
}

op! {
    /// data with updates put, added, multiplied, or joined by max or min, at the places that GatherElements would
    /// read, in the order of the indices.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input indices (indices): i32 i64.
    ///
    /// Input updates: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ScatterElements scatter_elements "ScatterElements" (data: one, indices: one, updates: one)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
        /// The attribute `reduction`: default "none".
        reduction "reduction": &str;
    } 1
}

op! {
    /// data with updates put, added, multiplied, or joined by max or min, at the slices that tuples of indices name,
    /// in the order of the tuples.
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input indices (indices): i64.
    ///
    /// Input updates: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ScatterND scatter_nd "ScatterND" (data: one, indices: one, updates: one)
    {
        /// The attribute `reduction`: default "none".
        reduction "reduction": &str;
    } 1
}

op! {
    /// gamma x above 0, else gamma alpha (exp(x) - 1) (Klambauer et al. 2017).
    ///
    /// Input X: f32 f16 f64 bf16.
    Selu selu "Selu" (x: one)
    {
        /// The attribute `alpha`: default 1.6732631921768188.
        alpha "alpha": f64;
        /// The attribute `gamma`: default 1.0507010221481323.
        gamma "gamma": f64;
    } 1
}

op! {
    /// The dims \[start, end) of the input; negative ones count from the end.
    ///
    /// Input data: 23 types.
    ///
    /// The gradient is zero.
    Shape shape "Shape" (data: one)
    {
        /// The attribute `start`: default 0.
        start "start": i64;
        /// The attribute `end`.
        end "end": i64;
    } 1
}

op! {
    /// The sum of r_s X_s over the shards s of a batch, r_s being the shard's part of its rows, in every shard; with
    /// `transposed` r_s times the sum of X_s, which is the gradient of the other. It waits for all shards, which a
    /// trainer computes at the same time; X where there are no shards, as in a session's run.
    ///
    /// Input X: f32 f16 f64 bf16.
    ShardMean shard_mean "percale:ShardMean" (x: one)
    {
        /// The attribute `transposed`: default 0, 0 to 1.
        transposed "transposed": i64;
    } 1
}

op! {
    /// x + bias below -lambd, x - bias above lambd, else 0.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Shrink shrink "Shrink" (input: one)
    {
        /// The attribute `bias`: default 0.
        bias "bias": f64;
        /// The attribute `lambd`: default 0.5.
        lambd "lambd": f64;
    } 1
}

op! {
    /// 1 / (1 + exp(-X)).
    ///
    /// Input X: f32 f16 f64 bf16.
    Sigmoid sigmoid "Sigmoid" (x: one)
    {
    } 1
}

op! {
    /// -1, 0 or 1 as X is negative, zero or positive; NaN stays NaN.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    Sign sign "Sign" (x: one)
    {
    } 1
}

op! {
    /// The sine of X in radians.
    ///
    /// Input X: f32 f16 f64 bf16.
    Sin sin "Sin" (x: one)
    {
    } 1
}

op! {
    /// The hyperbolic sine.
    ///
    /// Input input: f32 f16 f64 bf16.
    Sinh sinh "Sinh" (input: one)
    {
    } 1
}

op! {
    /// The number of elements of the input.
    ///
    /// Input data: 23 types.
    ///
    /// The gradient is zero.
    Size size "Size" (data: one)
    {
    } 1
}

op! {
    /// Elements from starts to before ends by steps along axes, as numpy's x\[start:end:step\].
    ///
    /// Input data: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input starts: i32 i64.
    ///
    /// Input ends: i32 i64.
    ///
    /// Input axes (optional): i32 i64.
    ///
    /// Input steps (optional): i32 i64.
    Slice slice "Slice" (data: one, starts: one, ends: one, axes: optional, steps: optional)
    {
    } 1
}

op! {
    /// Zeros of `shape` with grad where Slice takes its elements from.
    ///
    /// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input shape: i64.
    ///
    /// Input starts: i32 i64.
    ///
    /// Input ends: i32 i64.
    ///
    /// Input axes (optional): i32 i64.
    ///
    /// Input steps (optional): i32 i64.
    SliceGrad slice_grad "percale:SliceGrad" (grad: one, shape: one, starts: one, ends: one, axes: optional, steps: optional)
    {
    } 1
}

op! {
    /// exp(x) / sum of exp(x) along one axis.
    ///
    /// Input input: f32 f16 f64 bf16.
    Softmax softmax "Softmax" (input: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
    } 1
}

op! {
    /// Gradient of SoftmaxCrossEntropyLoss with respect to scores: dloss * weights\[label\] * (softmax(scores) -
    /// onehot(label)), divided by the sum of the weights used where the loss is a mean.
    ///
    /// Input dloss: f32 f16 f64 bf16.
    ///
    /// Input scores: f32 f16 f64 bf16.
    ///
    /// Input labels (indices): i32 i64.
    ///
    /// Input weights (optional): f32 f16 f64 bf16.
    ///
    /// No gradient.
    SoftmaxCrossEntropyGrad softmax_cross_entropy_grad "percale:SoftmaxCrossEntropyGrad" (dloss: one, scores: one, labels: one, weights: optional)
    {
        /// The attribute `ignore_index`.
        ignore_index "ignore_index": i64;
        /// The attribute `reduction`: default "mean".
        reduction "reduction": &str;
    } 1
}

op! {
    /// -weights\[label\] * log_softmax(scores)\[label\] over axis 1 of scores \[N,C,D1,...\] for labels \[N,D1,...\];
    /// the mean is over the sum of the weights used. Labels equal to ignore_index count nothing.
    ///
    /// Input scores: f32 f16 f64 bf16.
    ///
    /// Input labels (indices): i32 i64.
    ///
    /// Input weights (optional): f32 f16 f64 bf16.
    SoftmaxCrossEntropyLoss softmax_cross_entropy_loss "SoftmaxCrossEntropyLoss" (scores: one, labels: one, weights: optional)
    {
        /// The attribute `ignore_index`.
        ignore_index "ignore_index": i64;
        /// The attribute `reduction`: default "mean".
        reduction "reduction": &str;
    } 1
}

op! {
    /// log(1 + exp(x)).
    ///
    /// Input X: f32 f16 f64 bf16.
    Softplus softplus "Softplus" (x: one)
    {
    } 1
}

op! {
    /// x / (1 + |x|).
    ///
    /// Input X: f32 f16 f64 bf16.
    Softsign softsign "Softsign" (x: one)
    {
    } 1
}

op! {
    /// Blocks of blocksize * blocksize pixels of \[N,C,H,W\] as channels; the place in the block is the outer part of
    /// the channel's number.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    SpaceToDepth space_to_depth "SpaceToDepth" (input: one)
    {
        /// The attribute `blocksize`: required, 1 to 2048.
        blocksize "blocksize": i64;
    } 1
}

op! {
    /// ApplyAdagrad for the rows of param and square that `rows` names, as SumRows gives them; other rows are neither
    /// read nor written. The same as ApplyAdagrad with zeros for the others.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input rows: i64.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input square: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    SparseApplyAdagrad sparse_apply_adagrad "percale:SparseApplyAdagrad" (param: one, rows: one, grad: one, square: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `epsilon`: default 1e-10, 0 or more.
        epsilon "epsilon": f64;
    } 2
}

op! {
    /// ApplyAdam for the rows of param, m and v that `rows` names, as SumRows gives them (PyTorch's SparseAdam): the
    /// moments of other rows do not decay; the step counts for all.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input rows: i64.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input m: f32 f16 f64 bf16.
    ///
    /// Input v: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input step: i64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    SparseApplyAdam sparse_apply_adam "percale:SparseApplyAdam" (param: one, rows: one, grad: one, m: one, v: one, learning_rate: one, step: one, grad_scale: optional)
    {
        /// The attribute `beta1`: default 0.9, 0 to 1.
        beta1 "beta1": f64;
        /// The attribute `beta2`: default 0.999, 0 to 1.
        beta2 "beta2": f64;
        /// The attribute `epsilon`: default 1e-08, 0 or more.
        epsilon "epsilon": f64;
    } 3
}

op! {
    /// ApplyFtrl for the rows of param, accumulator and linear that `rows` names, as SumRows gives them (TensorFlow's
    /// SparseApplyFtrl).
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input rows: i64.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input accumulator: f32 f16 f64 bf16.
    ///
    /// Input linear: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    SparseApplyFtrl sparse_apply_ftrl "percale:SparseApplyFtrl" (param: one, rows: one, grad: one, accumulator: one, linear: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `learning_rate_power`: default -0.5, -1000000.0 to 0.
        learning_rate_power "learning_rate_power": f64;
        /// The attribute `l1`: default 0, 0 or more.
        l1 "l1": f64;
        /// The attribute `l2`: default 0, 0 or more.
        l2 "l2": f64;
        /// The attribute `l2_shrinkage`: default 0, 0 or more.
        l2_shrinkage "l2_shrinkage": f64;
        /// The attribute `beta`: default 0, 0 or more.
        beta "beta": f64;
    } 3
}

op! {
    /// ApplyMomentum for the rows of param and buffer that `rows` names, as SumRows gives them (TensorFlow's
    /// SparseApplyMomentum): the momentum of other rows waits.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input rows: i64.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input buffer: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    SparseApplyMomentum sparse_apply_momentum "percale:SparseApplyMomentum" (param: one, rows: one, grad: one, buffer: one, learning_rate: one, grad_scale: optional)
    {
        /// The attribute `momentum`: default 0.9, 0 or more.
        momentum "momentum": f64;
        /// The attribute `nesterov`: default 0, 0 to 1.
        nesterov "nesterov": i64;
    } 2
}

op! {
    /// ApplySGD for the rows of param that `rows` names, as SumRows gives them; other rows are neither read nor
    /// written. The same as ApplySGD with zeros for the others.
    ///
    /// Input param: f32 f16 f64 bf16.
    ///
    /// Input rows: i64.
    ///
    /// Input grad: f32 f16 f64 bf16.
    ///
    /// Input learning_rate: f32 f64.
    ///
    /// Input grad_scale (optional): f32 f64.
    ///
    /// No gradient.
    SparseApplySGD sparse_apply_sgd "percale:SparseApplySGD" (param: one, rows: one, grad: one, learning_rate: one, grad_scale: optional)
    {
    } 1
}

op! {
    /// The input cut along `axis` into parts of the given sizes, else into equal ones of which the last may be
    /// smaller.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input split (optional): i64.
    Split split "Split" (input: one, split: optional)
    {
        /// The attribute `axis`: default 0.
        axis "axis": i64;
        /// The attribute `num_outputs`: 1 or more.
        num_outputs "num_outputs": i64;
    } 1
}

op! {
    /// The square root of X, NaN below zero.
    ///
    /// Input X: f32 f16 f64 bf16.
    Sqrt sqrt "Sqrt" (x: one)
    {
    } 1
}

op! {
    /// Takes away dims of 1: those of axes, without axes all.
    ///
    /// Input data: 23 types.
    ///
    /// Input axes (optional): i64.
    Squeeze squeeze "Squeeze" (data: one, axes: optional)
    {
    } 1
}

op! {
    /// A - B, broadcast; integers wrap.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Sub sub "Sub" (a: one, b: one)
    {
    } 1
}

op! {
    /// The sum of the operands from left to right, broadcast.
    ///
    /// Input data (any number): f32 f16 f64 bf16.
    Sum sum "Sum" (data: many)
    {
    } 1
}

op! {
    /// Values \[count, ...\] of equal row numbers summed in their order: the numbers from the least one up, each
    /// once, and their sums; what is left over is filled with rows of -1 and zeros. Negative numbers stand for no
    /// row.
    ///
    /// Input rows: i64.
    ///
    /// Input values: f32 f16 f64 bf16.
    ///
    /// No gradient.
    SumRows sum_rows "percale:SumRows" (rows: one, values: one)
    {
    } 2
}

op! {
    /// Sums x over the dims that broadcasting `shape` to the shape of x repeats: the transpose of Expand.
    ///
    /// Input x: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input shape: i64.
    SumToShape sum_to_shape "percale:SumToShape" (x: one, shape: one)
    {
    } 1
}

op! {
    /// x sigmoid(alpha x) (Ramachandran et al. 2017).
    ///
    /// Input X: f32 f16 f64 bf16.
    Swish swish "Swish" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// BatchNormalization in training mode whose statistics are those of all shards of the batch (see ShardMean), and
    /// the gradient runs through them.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// Input scale: f32 f16 f64 bf16.
    ///
    /// Input B: f32 f16 f64 bf16.
    ///
    /// Input input_mean: f32 f16 f64 bf16.
    ///
    /// Input input_var: f32 f16 f64 bf16.
    SynchronizedBatchNormalization synchronized_batch_normalization "percale:SynchronizedBatchNormalization" (x: one, scale: one, b: one, input_mean: one, input_var: one)
    {
        /// The attribute `epsilon`: default 1e-05, 0 or more.
        epsilon "epsilon": f64;
        /// The attribute `momentum`: default 0.9.
        momentum "momentum": f64;
    } 1
}

op! {
    /// The tangent of an angle in radians.
    ///
    /// Input input: f32 f16 f64 bf16.
    Tan tan "Tan" (input: one)
    {
    } 1
}

op! {
    /// The hyperbolic tangent of X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Tanh tanh "Tanh" (x: one)
    {
    } 1
}

op! {
    /// past_cache with update written along `axis` from write_indices\[b\] on (0 without them); circular mode goes on
    /// at the beginning.
    ///
    /// Input past_cache: 23 types.
    ///
    /// Input update: 23 types.
    ///
    /// Input write_indices (optional, indices): i64.
    ///
    /// No gradient.
    TensorScatter tensor_scatter "TensorScatter" (past_cache: one, update: one, write_indices: optional)
    {
        /// The attribute `axis`: default -2.
        axis "axis": i64;
        /// The attribute `mode`: default "linear".
        mode "mode": &str;
    } 1
}

op! {
    /// x above alpha, else 0.
    ///
    /// Input X: f32 f16 f64 bf16.
    ThresholdedRelu thresholded_relu "ThresholdedRelu" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// The input repeats\[d\] times along each dim d.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input repeats: i64.
    Tile tile "Tile" (input: one, repeats: one)
    {
    } 1
}

op! {
    /// The gradient of Tile, of shape `shape`: the sum over all repetitions.
    ///
    /// Input grad: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input repeats: i64.
    ///
    /// Input shape: i64.
    TileGrad tile_grad "percale:TileGrad" (grad: one, repeats: one, shape: one)
    {
    } 1
}

op! {
    /// The K greatest (or least) elements along `axis`, of equals those that come first, and where they were; in
    /// order, without `sorted` as well. NaN counts as greatest.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input K: i64.
    TopK top_k "TopK" (x: one, k: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
        /// The attribute `largest`: default 1, 0 to 1.
        largest "largest": i64;
        /// The attribute `sorted`: default 1, 0 to 1.
        sorted "sorted": i64;
    } 2
}

op! {
    /// Dim d of the result is dim perm\[d\] of the input; without perm all dims are reversed.
    ///
    /// Input data: 23 types.
    Transpose transpose "Transpose" (data: one)
    {
        /// The attribute `perm`: 0 or more.
        perm "perm": &[i64];
    } 1
}

op! {
    /// Matrices with zeros below (upper) or above (lower) their diagonal number k.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input k (optional): i64.
    Trilu trilu "Trilu" (input: one, k: optional)
    {
        /// The attribute `upper`: default 1, 0 to 1.
        upper "upper": i64;
    } 1
}

op! {
    /// The distinct slices of X along `axis`, without it the elements, ascending or (sorted 0) as they first come;
    /// where each first was, which of them each slice of X is, and how often it comes.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// No gradient.
    Unique unique "Unique" (x: one)
    {
        /// The attribute `axis`.
        axis "axis": i64;
        /// The attribute `sorted`: default 1, 0 to 1.
        sorted "sorted": i64;
    } 1
}

op! {
    /// Puts in dims of 1 so that they stand at `axes` of the result.
    ///
    /// Input data: 23 types.
    ///
    /// Input axes: i64.
    Unsqueeze unsqueeze "Unsqueeze" (data: one, axes: one)
    {
    } 1
}

op! {
    /// X where the condition holds, else Y; all three broadcast.
    ///
    /// Input condition: bool.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input Y: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Where where_ "Where" (condition: one, x: one, y: one)
    {
    } 1
}

op! {
    /// A or B but not both, broadcast.
    ///
    /// Input A: bool.
    ///
    /// Input B: bool.
    ///
    /// The gradient is zero.
    Xor xor "Xor" (a: one, b: one)
    {
    } 1
}
