// Written by bindings/gen from the ops' schemas; changes belong there.

//! One function per op, with ONNX's names in Rust's spelling. Each starts a node of a [`Builder`].
//! Set its attributes, then add it to the graph with `finish`:
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
#![allow(clippy::too_many_arguments, clippy::needless_lifetimes)]
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

        #[doc = concat!("A started node of `", $key, "`.")]
        #[must_use = "finish() adds the node to the graph"]
        pub struct $type<'b>(Node<'b>);

        impl $type<'_> {
            /// Sets the name of the node. Without one, the library chooses a name.
            pub fn name(self, name: &str) -> Self {
                Self(self.0.name(name))
            }

            $($(#[$about])*
            pub fn $attribute(self, value: $value) -> Self {
                Self(self.0.set($name, value))
            })*

            /// Adds the node and returns its first output; [`Value::NONE`] if the op has no output.
            pub fn finish(self) -> Result<Value> {
                Ok(self.0.finish_vec($outputs)?.first().copied().unwrap_or(Value::NONE))
            }

            /// Adds the node and returns its first `N` outputs.
            pub fn finish_many<const N: usize>(self) -> Result<[Value; N]> {
                self.0.finish_many()
            }

            /// Adds the node and returns its first `count` outputs.
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
    /// The inverse cosine of the input, in radians in \[0, pi\]; NaN outside \[-1, 1\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Acos acos "Acos" (input: one)
    {
    } 1
}

op! {
    /// The inverse hyperbolic cosine of the input, at least 0; NaN below 1.
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
    /// The sampling grid theta times (x, y, 1) or (x, y, z, 1) for each element of images of `size`
    /// \[N,C,(D,)H,W\]. x, y and z run from -1 to 1 between the centres of the first and last
    /// elements (align_corners) or the outer edges.
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
    /// Logical and of A and B, broadcast.
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
    /// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 -
    /// beta1^step) * m / (sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).
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
    /// ApplyAdam applied to param * (1 - learning_rate * weight_decay); the decay does not enter g
    /// (PyTorch's AdamW).
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
    /// FTRL-proximal (McMahan et al. 2013, as in TensorFlow and Keras): h = g + 2 l2_shrinkage
    /// param; n' = n + g^2; z' = z + h - (n'^-p - n^-p) / learning_rate * param, p =
    /// learning_rate_power; the new param is 0 where |z'| \<= l1, otherwise (sign(z') l1 - z') /
    /// ((n'^-p + beta) / learning_rate + 2 l2). param, grad, accumulator (n) and linear (z) have
    /// the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate is a scalar
    /// above 0.
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
    /// LAMB (You et al. 2020, algorithm 2): m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 -
    /// beta2) g^2; u = m' / (1 - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) +
    /// weight_decay param; the new param is param - learning_rate |param| / |u| u. The norms are
    /// Euclidean norms of the whole tensor; their ratio is 1 if either is 0. g is grad times
    /// grad_scale. param, grad, m and v have the same shape and the same dtype, one of f16, bf16,
    /// f32, f64; learning_rate and step are scalars.
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
    /// Lion (Chen et al. 2023, algorithm 2): c = beta1 m + (1 - beta1) g; m' = beta2 m + (1 -
    /// beta2) g; the new param is param (1 - learning_rate weight_decay) - learning_rate sign(c).
    /// param, grad and m have the same shape and the same dtype, one of f16, bf16, f32, f64;
    /// learning_rate is a scalar.
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
    /// buffer = momentum * buffer + g; param - learning_rate * buffer, or with nesterov: param -
    /// learning_rate * (g + momentum * buffer) (PyTorch's SGD).
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
    /// s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + epsilon); param - learning_rate * d, or
    /// with a buffer: buffer = momentum * buffer + d; param - learning_rate * buffer (PyTorch's
    /// RMSprop).
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
    /// The index of the greatest element along `axis`: the first of equals, or the last with
    /// select_last_index. NaN counts as greatest.
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
    /// The index of the least element along `axis`: the first of equals, or the last with
    /// select_last_index. NaN counts as least.
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
    /// The inverse sine of the input, in radians in \[-pi/2, pi/2\]; NaN outside \[-1, 1\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Asin asin "Asin" (input: one)
    {
    } 1
}

op! {
    /// The inverse hyperbolic sine of the input.
    ///
    /// Input input: f32 f16 f64 bf16.
    Asinh asinh "Asinh" (input: one)
    {
    } 1
}

op! {
    /// Returns X unchanged, if it is given, and fails the run with `message` unless every element
    /// of the condition is true.
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
    /// Assigns a new value to a variable.
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
    /// Adds the input to the value of a variable.
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
    /// The inverse tangent of the input, in radians in \[-pi/2, pi/2\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Atan atan "Atan" (input: one)
    {
    } 1
}

op! {
    /// The inverse hyperbolic tangent of the input; NaN outside \[-1, 1\].
    ///
    /// Input input: f32 f16 f64 bf16.
    Atanh atanh "Atanh" (input: one)
    {
    } 1
}

op! {
    /// Multi-head attention: softmax(scale Q K^T, softcapped, + mask) V per head (Vaswani et al.
    /// 2017). Heads of Q may share heads of K and V (Ainslie et al. 2023). Past keys and values
    /// precede the new ones. Each input is \[batch, heads, sequence, size\] or \[batch, sequence,
    /// heads * size\]. A query without any key gives zeros.
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
    /// The mean under each position of a sliding window over X \[N,C,D1,...\]; with
    /// count_include_pad the padding counts as zeros.
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
    /// Gradient of AveragePool (of GlobalAveragePool with 'global') with respect to X. The spatial
    /// dims of X come from the attribute 'spatial_shape' or from the input 'shape', the shape of X.
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
    /// MatMul of operands of rank 2 or more, with the matrices of A or B transposed if the
    /// attributes say so.
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
    /// Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X \[N,C,...\]. In training
    /// mode, mean and (biased) variance are those of the batch, and running_x = input_x *
    /// momentum + batch_x * (1 - momentum).
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
    /// Gradients of BatchNormalization with respect to X, scale and B. In training mode the
    /// statistics of the batch are recomputed from X and the gradient flows through them; otherwise
    /// they are the inputs mean and var.
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
    /// 1 with the probability that the input holds, otherwise 0, in the dtype of the input unless
    /// dtype is given.
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
    /// max(x, 0) - x * t + log(1 + exp(-|x|)) for logits x and targets t of the same shape, reduced
    /// by `reduction`.
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
    /// Reinterprets the bits of each element as an element of dtype 'to', which must have the same
    /// size.
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
    /// X shifted LEFT or RIGHT by Y bits, broadcast. Zeros are shifted in; a shift by the number of
    /// bits or more gives 0.
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
    /// Bitwise and of A and B, broadcast.
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
    /// Inverts every bit of X.
    ///
    /// Input X: u8 i8 u16 i16 i32 i64 u32 u64.
    ///
    /// No gradient.
    BitwiseNot bitwise_not "BitwiseNot" (x: one)
    {
    } 1
}

op! {
    /// Bitwise or of A and B, broadcast.
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
    /// Bitwise exclusive or of A and B, broadcast.
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
    /// 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N) for n below size; N is size if periodic,
    /// else size - 1.
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
    /// Calls a function of the graph with the given inputs; the outputs are those of the function.
    ///
    /// Input inputs (optional, any number): 26 types.
    Call call "percale:Call" (inputs: many)
    {
        /// The attribute `function`: required.
        function "function": Function<'_>;
    } 1
}

op! {
    /// Converts the input to dtype `to`. Floats round to nearest; to integers they truncate towards
    /// zero and saturate (NaN gives 0). Integers, and floats converted to 4- and 2-bit integers,
    /// wrap. To bool, the result is x != 0. saturate and round_mode apply to float8 as in ONNX;
    /// values beyond the range of f4e2m1 saturate at 6.
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
    /// Converts the input to the dtype of the second operand, as Cast does.
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
    /// The least integer not below X.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Ceil ceil "Ceil" (x: one)
    {
    } 1
}

op! {
    /// x where x \> 0, otherwise alpha (exp(x / alpha) - 1).
    ///
    /// Input X: f32 f16 f64 bf16.
    Celu celu "Celu" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// The centre of the input along axes (default: all), cropped or padded with zeros to the dims
    /// in shape. If the difference is odd, the extra element is at the end.
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
    /// Returns X unchanged. An infinite or NaN element fails the run with `message`. The gradient
    /// is checked in the same way.
    ///
    /// Input X: f32 f16 f64 bf16.
    CheckNumerics check_numerics "percale:CheckNumerics" (x: one)
    {
        /// The attribute `message`: default "".
        message "message": &str;
    } 1
}

op! {
    /// The lower triangular L with L L^T = X for each symmetric matrix \[..., n, n\] of X. Only the
    /// lower triangle of X is read. A matrix that is not positive definite fails the run.
    ///
    /// Input X: f32 f16 f64 bf16.
    Cholesky cholesky "percale:Cholesky" (x: one)
    {
    } 1
}

op! {
    /// min(max(X, min), max) with optional scalar limits; NaN stays NaN.
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
    /// The cofactors of each matrix \[..., n, n\] of X, which may be singular: Y\[i, j\] =
    /// (-1)^(i+j) times the determinant of X without row i and column j. Its gradient fails the run
    /// for a singular matrix.
    ///
    /// Input X: f32 f16 f64 bf16.
    Cofactors cofactors "percale:Cofactors" (x: one)
    {
    } 1
}

op! {
    /// Sums columns \[N, C * block, L\] into images \[N,C,D1,...\] of image_shape: each column goes
    /// where a sliding window of block_shape took it from. Integers wrap; bools are combined by or.
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
    /// The slices of the input along `axis`, or its elements without `axis`, where the condition is
    /// true. The condition may be shorter than the axis.
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
    /// The inputs concatenated along `axis`.
    ///
    /// Input inputs (any number): f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    Concat concat "Concat" (inputs: many)
    {
        /// The attribute `axis`: required.
        axis "axis": i64;
    } 1
}

op! {
    /// The value of its only attribute.
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
    /// A tensor of the given shape, filled with `value` (default: an f32 zero).
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
    /// Convolution (cross-correlation) of images X \[N,C,D1,...\] with filters W
    /// \[M,C/group,k1,...\], plus B \[M\] per output channel; 1 to 3 spatial dims.
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
    /// Gradient of Conv with respect to X, from dY and W. The spatial dims of X come from the
    /// attribute 'spatial_shape' or from the input 'shape', the shape of X.
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
    /// Gradients of Conv with respect to W and B, from X and dY. The spatial dims of W come from
    /// the attribute 'kernel_shape' or from the input 'shape', the shape of W.
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
    /// Conv of x - x_zero_point and w - w_zero_point (one zero point, or one per filter), summed in
    /// i32.
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
    /// Transposed convolution of X \[N,C,D1,...\] with filters W \[C,M/group,k1,...\], plus B
    /// \[M\]. It is the gradient of Conv with respect to its input; output dim = stride * (in -
    /// 1) + output_padding + (k - 1) * dilation + 1 - pads.
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
    /// The hyperbolic cosine of the input.
    ///
    /// Input input: f32 f16 f64 bf16.
    Cosh cosh "Cosh" (input: one)
    {
    } 1
}

op! {
    /// The product of the elements up to each element along an axis, including the element itself
    /// unless exclusive is set.
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
    /// The gradient of CumProd with respect to x; correct if elements of x are 0, too.
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
    /// The sum of the elements up to each element along an axis, including the element itself
    /// unless exclusive is set.
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
    /// The discrete Fourier transform along an axis of \[..., 1\] real or \[..., 2\] complex
    /// numbers, cropped or zero-padded to dft_length: sum of x\[n\] exp(-2 pi i k n / N).
    /// inverse: + in the exponent, divided by N. onesided: the first half of the transform of a
    /// real input, or with inverse the real output for such a half.
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
    /// Moves channels of \[N,C,H,W\] into blocks of blocksize * blocksize pixels. The position in
    /// the block is the outer part (mode DCR) or the inner part (CRD) of the channel index.
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
    /// (x - x_zero_point) * x_scale. There is one scale and zero point for the whole tensor, one
    /// per position along 'axis', or one per block of block_size along it.
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
    /// The determinant of each matrix \[..., n, n\] of X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Det det "Det" (x: one)
    {
    } 1
}

op! {
    /// The distinct slices of X as Unique orders them: the place of the first of each, then zeros;
    /// for each slice of X the number of its group; the slices of each group, then zeros; the
    /// number of groups.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    DistinctSlices distinct_slices "percale:DistinctSlices" (x: one)
    {
        /// The attribute `axis`.
        axis "axis": i64;
        /// The attribute `sorted`: default 1, 0 to 1.
        sorted "sorted": i64;
    } 4
}

op! {
    /// A / B, broadcast; integers truncate towards zero, and an integer zero in B is an error.
    ///
    /// Input A: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Div div "Div" (a: one, b: one)
    {
    } 1
}

op! {
    /// In training mode, each element is kept with probability 1 - ratio and divided by it,
    /// otherwise set to zero; mask says which. Outside training mode, the data unchanged. ratio is
    /// in \[0, 1\], by default 0.5.
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
    /// x quantised to u8, with the scale and the zero point of its own value range, extended to
    /// include 0.
    ///
    /// Input x: f32.
    ///
    /// No gradient.
    DynamicQuantizeLinear dynamic_quantize_linear "DynamicQuantizeLinear" (x: one)
    {
    } 3
}

op! {
    /// Multiplies the operands' elements and sums over all labels of 'equation' that the output
    /// does not have, as numpy.einsum. An ellipsis stands for dims that broadcast.
    ///
    /// Input Inputs (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Einsum einsum "Einsum" (inputs: many)
    {
        /// The attribute `equation`: required.
        equation "equation": &str;
    } 1
}

op! {
    /// x where x \> 0, otherwise alpha (exp(x) - 1).
    ///
    /// Input X: f32 f16 f64 bf16.
    Elu elu "Elu" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// The sum, mean or maximum (`mode`) per bag of the rows of table \[rows, width\] that its
    /// indices select: \[bags, width\], zeros for an empty bag (PyTorch's EmbeddingBag). Indices
    /// are \[bags, length\], or \[count\] with the offset of the first index of each bag; with
    /// include_last_offset the end of the last bag follows. With mode sum, each row is multiplied
    /// by its weight. Indices equal to padding_idx are ignored (-1: none). Indices are in \[0,
    /// rows).
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
    /// The gradient of EmbeddingBag with respect to the row that each index looked up: \[count,
    /// width\]. If rows tie for a maximum, the first receives the gradient. Padding receives zeros.
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
    /// A == B, broadcast; NaN is equal to nothing.
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
    /// The input broadcast with `shape`.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// Input shape: i64.
    Expand expand "Expand" (input: one, shape: one)
    {
    } 1
}

op! {
    /// A matrix of the input's shape, with ones on diagonal k and zeros elsewhere.
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
    /// The input as a matrix: the dims before `axis` become its rows, the others its columns.
    ///
    /// Input input: 23 types.
    Flatten flatten "Flatten" (input: one)
    {
        /// The attribute `axis`: default 1.
        axis "axis": i64;
    } 1
}

op! {
    /// The greatest integer not above X.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Floor floor "Floor" (x: one)
    {
    } 1
}

op! {
    /// Calls its body, a function of plain ops, on the inputs. anchor names the op of the node that
    /// is not elementwise, if there is one.
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
    /// softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is
    /// \[batch, heads, sequence, size\] or, by row, \[batch, sequence, heads, size\]. Heads of Q
    /// may share heads of K and V. With nan_is_zero, a NaN probability, as of a query without any
    /// key, becomes 0. The softmax runs in the dtype of the mask. The statistics are, per query,
    /// the logarithm of the sum of exp of its scores, in f32, or in f64 for f64 operands.
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
    /// Gradients of FusedAttention with respect to Q, K and V, computed from the gradient of Y,
    /// from Y and from the statistics (Dao et al. 2022). They have the layouts of Q, K and V.
    /// Shared heads and nan_is_zero are not supported.
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
    /// Rotary embedding X cos + T sin, where T is X with the second half of its last dim negated
    /// and moved before the first half: rotates pairs of elements that are half a row apart (Su et
    /// al. 2021).
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
    /// Gated recurrent unit over X \[time,batch,input\] (layout 1: batch first): z,r = f(X W^T + H
    /// R^T + B), H = (1 - z) g(X W^T + (r H) R^T + B) + z H; with linear_before_reset, r (H R^T +
    /// B) replaces (r H) R^T + B. W, R and B hold the gates in the order z,r,h.
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
    /// Gradients of GRU with respect to X, W, R, B and initial_h, from the inputs of GRU and the
    /// gradients of its outputs. The forward pass is recomputed. The op has no gradient.
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
    /// The slices of data along `axis` that the indices select; negative indices count from the
    /// end.
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
    /// For each index, the element of data at the same position, with the coordinate along `axis`
    /// replaced by the index.
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
    /// The gradient of Gather with respect to data, of shape `shape`: slices of grad are summed at
    /// the positions they were gathered from.
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
    /// The slices of data that tuples of indices select; the last dim of indices holds the tuples,
    /// and negative indices count from the end.
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
    /// x / 2 (1 + erf(x / sqrt(2))); with approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x +
    /// 0.044715 x^3))) (Hendrycks and Gimpel 2016).
    ///
    /// Input X: f32 f16 f64 bf16.
    Gelu gelu "Gelu" (x: one)
    {
        /// The attribute `approximate`: default "none".
        approximate "approximate": &str;
    } 1
}

op! {
    /// Y = alpha * A' * B' + beta * C for matrices; A' and B' are A and B, transposed if transA or
    /// transB is set, and C broadcasts to Y.
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
    /// The mean of each channel of X \[N,C,D1,...\]; Y is \[N,C,1,...\].
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
    /// The largest element of each channel of X \[N,C,D1,...\]; Y is \[N,C,1,...\].
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
    /// X \[N,C,D1,...\] sampled at the positions in grid \[N,P1,...,rank\], whose coordinates, last
    /// dim first, run from -1 to 1 between the first and last elements (align_corners) or the
    /// edges. Interpolation is nearest, linear or cubic (Keys 1981). Positions beyond the edges
    /// read zeros, the edge or a reflection. 1 to 3 spatial dims.
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
    /// (X - mean) / sqrt(var + epsilon) * scale + bias, with mean and biased variance over each of
    /// num_groups groups of channels, and one scale and bias per channel (Wu and He 2018). It is
    /// computed in stash_type, or in f64 for f64 inputs.
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
    /// 1 at the first greatest element along `axis`, 0 elsewhere.
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
    /// With d = input - target, of the same shape: d^2 / 2 where |d| \<= delta, otherwise delta *
    /// (|d| - delta / 2); reduced by `reduction`.
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
    /// The input unchanged.
    ///
    /// Input input: 23 types.
    Identity identity "Identity" (input: one)
    {
    } 1
}

op! {
    /// Runs then_branch if cond is true, otherwise else_branch, on the captures; the outputs are
    /// the outputs of that branch.
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
    /// (input - mean) / sqrt(var + epsilon) * scale + B, with mean and biased variance over each
    /// channel of each image (Ulyanov et al. 2016).
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
    /// True where X is infinite, with a sign that detect_positive or detect_negative selects.
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
    /// True where X is NaN.
    ///
    /// Input X: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz.
    ///
    /// The gradient is zero.
    IsNaN is_na_n "IsNaN" (x: one)
    {
    } 1
}

op! {
    /// X / (bias + alpha / size * sum of squares over size neighbouring channels)^beta; channels
    /// beyond the ends count as 0 (Krizhevsky et al. 2012).
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
    /// Long short-term memory over X \[time,batch,input\] (layout 1: batch first): i,o,f = f(X
    /// W^T + H R^T + B + P C), C = f C + i g(X W^T + H R^T + B), H = o h(C). W, R and B hold the
    /// gates in the order i,o,f,c.
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
    /// Gradients of LSTM with respect to X, W, R, B, initial_h, initial_c and P, from the inputs of
    /// LSTM and the gradients of its outputs. The forward pass is recomputed. The op has no
    /// gradient.
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
    /// Y = (X - mean) / sqrt(var + epsilon) * Scale + B, with mean and biased variance over the
    /// dims from 'axis' on. Mean and InvStdDev are f32, or f64 for f64 inputs.
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
    /// Gradients of LayerNormalization with respect to X, Scale and B. The statistics are
    /// recomputed from X.
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
    /// X where X \>= 0, otherwise alpha X.
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
    /// x - log(sum of exp(x)) along `axis`.
    ///
    /// Input input: f32 f16 f64 bf16.
    LogSoftmax log_softmax "LogSoftmax" (input: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
    } 1
}

op! {
    /// Runs body(trip, cond, carried..., captures...) -\> (cond, carried..., scan...) at most M
    /// times and while cond is true. The outputs are the last carried values and the scan values of
    /// all trips, stacked. More than trip_limit trips are an error.
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
    /// The input divided by its norm along `axis`: the sum of magnitudes (p = 1) or the root of the
    /// sum of squares (p = 2). The result is 0 where the norm is 0.
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
    /// The p-norm of the elements under each position of a sliding window over X \[N,C,D1,...\].
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
    /// Matrix product as numpy.matmul: the last two dims are matrices, and the others broadcast. A
    /// rank-1 operand is a row on the left, a column on the right.
    ///
    /// Input A: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input B: f32 i32 i64 f16 f64 u32 u64 bf16.
    MatMul mat_mul "MatMul" (a: one, b: one)
    {
    } 1
}

op! {
    /// MatMul of A - a_zero_point (one zero point, or one per row) and B - b_zero_point (one, or
    /// one per column), summed in i32.
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
    /// The inverse of each matrix \[..., n, n\] of X, transposed if `adjoint` is set. A matrix with
    /// a pivot of exactly zero is singular and fails the run.
    ///
    /// Input X: f32 f16 f64 bf16.
    MatrixInverse matrix_inverse "percale:MatrixInverse" (x: one)
    {
        /// The attribute `adjoint`: default 0, 0 to 1.
        adjoint "adjoint": i64;
    } 1
}

op! {
    /// The greatest of the operands, broadcast; NaN if any operand is NaN.
    ///
    /// Input data (any number): f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16.
    Max max "Max" (data: many)
    {
    } 1
}

op! {
    /// The largest element under each position of a sliding window over X \[N,C,D1,...\]. Padding
    /// never wins; NaN always wins. Indices are positions in X as a flat tensor, -1 where a window
    /// has no element.
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
    /// Gradient of MaxPool (of GlobalMaxPool with 'global') with respect to X: each element of dY
    /// goes to the first largest element of its window.
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
    /// The largest element in each bin of regions (image, x1, y1, x2, y2), whose corners times
    /// spatial_scale are rounded to elements (Girshick 2015); 0 for an empty bin.
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
    /// Zeros, with each element of X at the position that I gives. I are the indices of a MaxPool.
    /// output_shape may be larger than the shape that the window implies.
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
    /// The mean of the operands, broadcast; they are summed from left to right.
    ///
    /// Input data (any number): f32 f16 f64 bf16.
    Mean mean "Mean" (data: many)
    {
    } 1
}

op! {
    /// (X - mean) / (standard deviation + 1e-9) over axes, by default \[0, 2, 3\].
    ///
    /// Input X: f32 f16 f64 bf16.
    MeanVarianceNormalization mean_variance_normalization "MeanVarianceNormalization" (x: one)
    {
        /// The attribute `axes`.
        axes "axes": &[i64];
    } 1
}

op! {
    /// Triangular mel filters over the bins of a onesided DFT, one column per band: evenly spaced
    /// in mel = 2595 log10(1 + f / 700), with peaks of 1.
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
    /// The least of the operands, broadcast; NaN if any operand is NaN.
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
    /// The remainder of A / B, broadcast. It has the sign of B, or with fmod = 1 the sign of A;
    /// floats require fmod = 1.
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
    /// Draws sample_size classes for each row of \[batch, classes\], which holds unnormalised
    /// log-probabilities.
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
    /// Locks a mutex until the run ends, successfully or not; waits while another run holds it.
    /// Later nodes see the variables as last published, so reading and assigning under one mutex
    /// loses no update.
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
    /// Gradient of NegativeLogLikelihoodLoss with respect to input: -dloss * weight\[target\] at
    /// the target, zero elsewhere. It is divided by the sum of the weights used if the loss is a
    /// mean.
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
    /// -weight\[target\] * input\[target\] over axis 1 of input \[N,C,D1,...\], for target
    /// \[N,D1,...\]. The mean divides by the sum of the weights used. Targets equal to ignore_index
    /// are ignored.
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
    /// Rows (batch, class, box) of the boxes with scores above score_threshold, by descending score
    /// in each class. A box is dropped if its intersection over union with a better one is above
    /// iou_threshold.
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
    /// The coordinates of the n nonzero elements of X, in row-major order, as \[rank, n\]; NaN
    /// counts as nonzero.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    NonZero non_zero "NonZero" (x: one)
    {
    } 1
}

op! {
    /// The places of the nonzero elements of X in row-major order, ascending and then zeros, and
    /// their number.
    ///
    /// Input X: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    ///
    /// The gradient is zero.
    NonZeroPlaces non_zero_places "percale:NonZeroPlaces" (x: one)
    {
    } 2
}

op! {
    /// Logical not of X.
    ///
    /// Input X: bool.
    ///
    /// The gradient is zero.
    Not not "Not" (x: one)
    {
    } 1
}

op! {
    /// One-hot vectors of size depth along a new dim `axis`: values\[1\] at the index (negative
    /// indices count from the end), values\[0\] elsewhere. An index out of range gives values\[0\]
    /// everywhere.
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
    /// Logical or of A and B, broadcast.
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
    /// X where X \>= 0, otherwise slope * X; slope broadcasts to X (He et al. 2015).
    ///
    /// Input X: f32 i32 i64 f16 f64 u32 u64 bf16.
    ///
    /// Input slope: f32 i32 i64 f16 f64 u32 u64 bf16.
    PRelu p_relu "PRelu" (x: one, slope: one)
    {
    } 1
}

op! {
    /// Pads data before and after its dims, with a constant, reflected data, its edge, or data
    /// wrapped around. Negative pads crop.
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
    /// The gradient of Pad with respect to data, of shape `shape`: each element of grad is added to
    /// the element that Pad read.
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
    /// Normally distributed random numbers, of a given shape.
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
    /// Uniformly distributed random numbers in \[low, high), of a given shape.
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
    /// Returns X unchanged and logs its first `summarize` elements (-1: as many as fit on a line),
    /// after `message`, through the engine's log callback at level info.
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
    /// Conv of quantised x and w plus B, quantised by y_scale and y_zero_point. Scales and zero
    /// points are single values; those of w may be one per filter. B is i32 with the scale
    /// x_scale * w_scale.
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
    /// MatMul of quantised a and b, quantised by y_scale and y_zero_point. A vector of scales or
    /// zero points holds one per row of a and y, or one per column of b.
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
    /// x / y_scale rounded to nearest (ties to even) + y_zero_point, saturated to the range of the
    /// dtype. Scale and zero point are as in DequantizeLinear; saturate applies to float8 as in
    /// Cast.
    ///
    /// Input x: f32 i32 f16 f64 bf16.
    ///
    /// Input y_scale: f32 i32 f16 f64 bf16 f8e8m0.
    ///
    /// Input y_zero_point (optional): u8 i8 u16 i16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz u4 i4
    /// f4e2m1 u2 i2.
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
    /// Closes a queue at the end of this run; it then accepts no new elements. Enqueues that are
    /// already waiting still complete, or fail with CANCELLED if cancel_pending_enqueues is 1.
    /// Elements in the queue can still be dequeued.
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
    /// Removes and returns the first element of a queue. Waits while the queue is empty; fails with
    /// OUT_OF_RANGE if it is empty and closed. Component i has dtype dtypes\[i\] and ranks\[i\]
    /// dims (-1: any number). `dims` lists the dims of all components one after the other (-1:
    /// unknown). A run that fails returns the elements that it took. Later nodes see the variables
    /// as last published.
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
    /// Appends its inputs as one element to a queue of at most `capacity` elements. Waits while the
    /// queue is full; fails with CANCELLED if the queue is closed. Other runs see the element when
    /// this run has succeeded. A queue op runs only if it is a target of the run or its output is
    /// needed; a control edge to a later node does not make it run.
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
    /// The number of elements in a queue, as this run sees it, and whether the queue is closed.
    ///
    /// The gradient is zero.
    QueueSize queue_size "percale:QueueSize" ()
    {
        /// The attribute `queue`: required.
        queue "queue": &str;
    } 1
}

op! {
    /// X / sqrt(mean(X^2) + epsilon) * scale, with the mean over the dims from 'axis' on. It is
    /// computed in stash_type (1: f32, 16: bf16), or in f64 for f64 inputs.
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
    /// Gradients of RNN with respect to X, W, R, B and initial_h, from the inputs of RNN and the
    /// gradients of its outputs. The forward pass is recomputed. The op has no gradient.
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
    /// Normally distributed random numbers.
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
    /// Normally distributed random numbers, in the shape of the input and, unless dtype is given,
    /// its dtype.
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
    /// Uniformly distributed random numbers in \[low, high).
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
    /// Uniformly distributed random numbers in \[low, high), in the shape of the input and, unless
    /// dtype is given, its dtype.
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
    /// start, start + delta, and so on, up to but not including limit.
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
    /// The sum of absolute values over axes (default: all); 0 for no elements.
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
    /// The square root of the sum of squares over axes (default: all); integers truncate.
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
    /// The logarithm of the sum over axes (default: all); integers truncate.
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
    /// The logarithm of the sum of exp over axes (default: all), computed without overflow;
    /// integers truncate.
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
    /// The greatest element over axes (default: all); NaN if any is NaN.
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
    /// The mean over axes (default: all); integers truncate towards zero.
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
    /// The least element over axes (default: all); NaN if any is NaN.
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
    /// The product over axes (default: all); 1 for no elements.
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
    /// The sum over axes (default: all); 0 for no elements.
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
    /// The sum of squares over axes (default: all); integers wrap.
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
    /// The gradient of Relu, from the gradient and the value of its result: grad, or 0 where y \<=
    /// 0.
    ///
    /// Input grad: f32 i8 i16 i32 i64 f16 f64 bf16.
    ///
    /// Input y: f32 i8 i16 i32 i64 f16 f64 bf16.
    ReluGrad relu_grad "percale:ReluGrad" (grad: one, y: one)
    {
    } 1
}

op! {
    /// The tensor in another memory format. Formats exist only in plans; in a graph the op is a
    /// copy.
    ///
    /// Input x: 23 types.
    Reorder reorder "percale:Reorder" (x: one)
    {
    } 1
}

op! {
    /// data in another shape. -1 is inferred from the number of elements; 0 copies the dim of data
    /// unless allowzero is set.
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
    /// x resampled along its axes to scales * dims or to sizes, by nearest, linear or cubic
    /// interpolation, with ONNX's coordinate modes (and tf_half_pixel_for_nn of opset 11).
    /// antialias widens the filter where x shrinks.
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
    /// The gradient of Resize with respect to X, of shape `shape`: each element of grad is added to
    /// the elements that Resize read, with the same weights.
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
    /// The input, with the first sequence_lens\[b\] elements of sequence b reversed along
    /// time_axis.
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
    /// The mean or maximum of samples in each bin of regions (x1, y1, x2, y2) of X, with linear
    /// interpolation (He et al. 2017). Each bin has sampling_ratio samples per dim (0: its length,
    /// rounded up).
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
    /// The gradient of RoiAlign with mode avg with respect to X, of shape `shape`.
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
    /// Rotates pairs of elements of each head by the angles whose cosines and sines the caches
    /// hold, looked up by position_ids if given (Su et al. 2021). Only the first
    /// rotary_embedding_dim elements of each head are rotated (0: all).
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
    /// X rounded to the nearest integer, ties to even.
    ///
    /// Input X: f32 f16 f64 bf16.
    ///
    /// The gradient is zero.
    Round round "Round" (x: one)
    {
    } 1
}

op! {
    /// The DFT of each frame of frame_length samples, frame_step apart, of a signal \[batch,
    /// length, 1 or 2\], multiplied by the window.
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
    /// data with updates set, added, multiplied, or combined by max or min, in the order of the
    /// indices, at the positions that GatherElements would read.
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
    /// data with updates set, added, multiplied, or combined by max or min, in the order of the
    /// tuples, at the slices that tuples of indices select.
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
    /// gamma x where x \> 0, otherwise gamma alpha (exp(x) - 1) (Klambauer et al. 2017).
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
    /// The dims \[start, end) of the input's shape; negative bounds count from the end.
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
    /// In every shard, the sum of r_s X_s over the shards s of a batch, where r_s is the fraction
    /// of the batch's rows in shard s. With `transposed`, r_s times the sum of all X_s, which is
    /// the gradient of the former. It waits for all shards, which a trainer computes at the same
    /// time. Without shards, as in a session's run, the output is X.
    ///
    /// Input X: f32 f16 f64 bf16.
    ShardMean shard_mean "percale:ShardMean" (x: one)
    {
        /// The attribute `transposed`: default 0, 0 to 1.
        transposed "transposed": i64;
    } 1
}

op! {
    /// x + bias where x \< -lambd, x - bias where x \> lambd, otherwise 0.
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
    /// The sign of X: -1, 0 or 1; NaN stays NaN.
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
    /// The hyperbolic sine of the input.
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
    /// The elements from starts to before ends, by steps, along axes, as numpy's
    /// x\[start:end:step\].
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
    /// Zeros of shape `shape`, with grad at the positions that Slice reads.
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
    /// exp(x) / sum of exp(x) along `axis`.
    ///
    /// Input input: f32 f16 f64 bf16.
    Softmax softmax "Softmax" (input: one)
    {
        /// The attribute `axis`: default -1.
        axis "axis": i64;
    } 1
}

op! {
    /// Gradient of SoftmaxCrossEntropyLoss with respect to scores: dloss * weights\[label\] *
    /// (softmax(scores) - onehot(label)). It is divided by the sum of the weights used if the loss
    /// is a mean.
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
    /// -weights\[label\] * log_softmax(scores)\[label\] over axis 1 of scores \[N,C,D1,...\], for
    /// labels \[N,D1,...\]. The mean divides by the sum of the weights used. Labels equal to
    /// ignore_index are ignored.
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
    /// Moves blocks of blocksize * blocksize pixels of \[N,C,H,W\] into channels. The position in
    /// the block is the outer part of the channel index.
    ///
    /// Input input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16.
    SpaceToDepth space_to_depth "SpaceToDepth" (input: one)
    {
        /// The attribute `blocksize`: required, 1 to 2048.
        blocksize "blocksize": i64;
    } 1
}

op! {
    /// ApplyAdagrad for the rows of param and square that `rows` lists, as SumRows returns them.
    /// Other rows are neither read nor written. The result equals ApplyAdagrad with zero gradients
    /// for the other rows.
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
    /// ApplyAdam for the rows of param, m and v that `rows` lists, as SumRows returns them
    /// (PyTorch's SparseAdam). The moments of other rows do not decay; the step applies to all
    /// rows.
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
    /// ApplyFtrl for the rows of param, accumulator and linear that `rows` lists, as SumRows
    /// returns them (TensorFlow's SparseApplyFtrl).
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
    /// ApplyMomentum for the rows of param and buffer that `rows` lists, as SumRows returns them
    /// (TensorFlow's SparseApplyMomentum). The momentum of other rows does not change.
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
    /// ApplySGD for the rows of param that `rows` lists, as SumRows returns them. Other rows are
    /// neither read nor written. The result equals ApplySGD with zero gradients for the other rows.
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
    /// Splits the input along `axis` into parts of the given sizes. Without sizes, the parts are
    /// equal and the last may be smaller.
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
    /// The square root of X; NaN for negative X.
    ///
    /// Input X: f32 f16 f64 bf16.
    Sqrt sqrt "Sqrt" (x: one)
    {
    } 1
}

op! {
    /// Removes dims of size 1: those in axes, or all without axes.
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
    /// Sums values \[count, ...\] that have the same row number, in their order. The outputs are
    /// the distinct row numbers in ascending order and their sums; unused rows at the end are -1
    /// and zeros. Negative row numbers are ignored.
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
    /// Sums x to shape `shape`, over the dims that broadcasting `shape` to the shape of x repeats:
    /// the transpose of Expand.
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
    /// BatchNormalization in training mode with the statistics of all shards of the batch (see
    /// ShardMean). The gradient flows through these statistics.
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
    /// The tangent of the input in radians.
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
    /// past_cache with update written along `axis` at write_indices\[b\] (default 0) and the
    /// positions after it. In circular mode, writing wraps around to the beginning.
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
    /// x where x \> alpha, otherwise 0.
    ///
    /// Input X: f32 f16 f64 bf16.
    ThresholdedRelu thresholded_relu "ThresholdedRelu" (x: one)
    {
        /// The attribute `alpha`: default 1.
        alpha "alpha": f64;
    } 1
}

op! {
    /// The input repeated repeats\[d\] times along each dim d.
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
    /// The K greatest (or least) elements along `axis`, and their indices; among equals, those that
    /// come first. They are always sorted, even without `sorted`. NaN counts as greatest.
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
    /// The input with permuted dims: dim d of the result is dim perm\[d\] of the input. Without
    /// perm, all dims are reversed.
    ///
    /// Input data: 23 types.
    Transpose transpose "Transpose" (data: one)
    {
        /// The attribute `perm`: 0 or more.
        perm "perm": &[i64];
    } 1
}

op! {
    /// The input's matrices with zeros below (upper) or above (lower) diagonal k.
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
    /// The distinct slices of X along `axis`, or its distinct elements without `axis`, in ascending
    /// order or (sorted 0) in order of first occurrence. Further outputs: the index of each first
    /// occurrence, for each slice of X its index in Y, and the count of each.
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
    /// Inserts dims of size 1 at the positions `axes` of the result.
    ///
    /// Input data: 23 types.
    ///
    /// Input axes: i64.
    Unsqueeze unsqueeze "Unsqueeze" (data: one, axes: one)
    {
    } 1
}

op! {
    /// X where the condition is true, otherwise Y; all three broadcast.
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
    /// Logical exclusive or of A and B, broadcast.
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
