// Written by bindings/gen from the ops' schemas; changes belong there.
package org.percale;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One function per op, with ONNX's names in Java's spelling. Each starts a node of a {@link
 * GraphBuilder}. Set its attributes with {@link GraphBuilder.Node#set}, then add it to the graph
 * with {@link GraphBuilder.Node#finish()}. An optional input may be null.
 */
public final class Ops {
  private Ops() {}

  /** Starts a node with these inputs, without absent ones at the end. */
  private static GraphBuilder.Node node(GraphBuilder builder, String op, List<Value> inputs) {
    List<Value> all = new ArrayList<>();
    for (Value input : inputs) all.add(input == null ? Value.NONE : input);
    while (!all.isEmpty() && all.get(all.size() - 1).equals(Value.NONE)) all.remove(all.size() - 1);
    return builder.op(op).input(all.toArray(Value[]::new));
  }

  private static List<Value> list(Value[] first, Value... rest) {
    List<Value> out = new ArrayList<>(Arrays.asList(first));
    out.addAll(Arrays.asList(rest));
    return out;
  }

  /**
   * The absolute value of X; integers wrap.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node abs(GraphBuilder builder, Value x) {
    return node(builder, "Abs", list(new Value[] {x}));
  }

  /**
   * The inverse cosine of the input, in radians in [0, pi]; NaN outside [-1, 1].
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node acos(GraphBuilder builder, Value input) {
    return node(builder, "Acos", list(new Value[] {input}));
  }

  /**
   * The inverse hyperbolic cosine of the input, at least 0; NaN below 1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node acosh(GraphBuilder builder, Value input) {
    return node(builder, "Acosh", list(new Value[] {input}));
  }

  /**
   * A + B, broadcast; integers wrap.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node add(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Add", list(new Value[] {a, b}));
  }

  /**
   * The sampling grid theta times (x, y, 1) or (x, y, z, 1) for each element of images of {@code
   * size} [N,C,(D,)H,W]. x, y and z run from -1 to 1 between the centres of the first and last
   * elements (align_corners) or the outer edges.
   * <p>Attribute {@code align_corners}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param theta an input: f32 f16 f64 bf16
   * @param size an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node affineGrid(GraphBuilder builder, Value theta, Value size) {
    return node(builder, "AffineGrid", list(new Value[] {theta, size}));
  }

  /**
   * Logical and of A and B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: bool
   * @param b an input: bool
   * @return the started node
   */
  public static GraphBuilder.Node and(GraphBuilder builder, Value a, Value b) {
    return node(builder, "And", list(new Value[] {a, b}));
  }

  /**
   * s = s + g^2; param - learning_rate * g / (sqrt(s) + epsilon) (PyTorch's Adagrad).
   * <p>Attribute {@code epsilon}: double; default 1e-10, 0 or more.
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param square an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyAdagrad(GraphBuilder builder, Value param, Value grad, Value square, Value learningRate, Value gradScale) {
    return node(builder, "percale:ApplyAdagrad", list(new Value[] {param, grad, square, learningRate, gradScale}));
  }

  /**
   * m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 -
   * beta1^step) * m / (sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).
   * <p>Attribute {@code beta1}: double; default 0.9, 0 to 1.
   * <p>Attribute {@code beta2}: double; default 0.999, 0 to 1.
   * <p>Attribute {@code epsilon}: double; default 1e-08, 0 or more.
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param m an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param step an input: i64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyAdam(GraphBuilder builder, Value param, Value grad, Value m, Value v, Value learningRate, Value step, Value gradScale) {
    return node(builder, "percale:ApplyAdam", list(new Value[] {param, grad, m, v, learningRate, step, gradScale}));
  }

  /**
   * ApplyAdam applied to param * (1 - learning_rate * weight_decay); the decay does not enter g
   * (PyTorch's AdamW).
   * <p>Attribute {@code beta1}: double; default 0.9, 0 to 1.
   * <p>Attribute {@code beta2}: double; default 0.999, 0 to 1.
   * <p>Attribute {@code epsilon}: double; default 1e-08, 0 or more.
   * <p>Attribute {@code weight_decay}: double; default 0.01, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param m an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param step an input: i64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyAdamW(GraphBuilder builder, Value param, Value grad, Value m, Value v, Value learningRate, Value step, Value gradScale) {
    return node(builder, "percale:ApplyAdamW", list(new Value[] {param, grad, m, v, learningRate, step, gradScale}));
  }

  /**
   * FTRL-proximal (McMahan et al. 2013, as in TensorFlow and Keras): h = g + 2 l2_shrinkage param;
   * n' = n + g^2; z' = z + h - (n'^-p - n^-p) / learning_rate * param, p = learning_rate_power; the
   * new param is 0 where |z'| &lt;= l1, otherwise (sign(z') l1 - z') / ((n'^-p + beta) /
   * learning_rate + 2 l2). param, grad, accumulator (n) and linear (z) have the same shape and the
   * same dtype, one of f16, bf16, f32, f64; learning_rate is a scalar above 0.
   * <p>Attribute {@code learning_rate_power}: double; default -0.5, -1000000.0 to 0.
   * <p>Attribute {@code l1}: double; default 0, 0 or more.
   * <p>Attribute {@code l2}: double; default 0, 0 or more.
   * <p>Attribute {@code l2_shrinkage}: double; default 0, 0 or more.
   * <p>Attribute {@code beta}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param accumulator an input: f32 f16 f64 bf16
   * @param linear an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyFtrl(GraphBuilder builder, Value param, Value grad, Value accumulator, Value linear, Value learningRate, Value gradScale) {
    return node(builder, "percale:ApplyFtrl", list(new Value[] {param, grad, accumulator, linear, learningRate, gradScale}));
  }

  /**
   * LAMB (You et al. 2020, algorithm 2): m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2)
   * g^2; u = m' / (1 - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) + weight_decay param;
   * the new param is param - learning_rate |param| / |u| u. The norms are Euclidean norms of the
   * whole tensor; their ratio is 1 if either is 0. g is grad times grad_scale. param, grad, m and v
   * have the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate and step are
   * scalars.
   * <p>Attribute {@code beta1}: double; default 0.9, 0 to 1.
   * <p>Attribute {@code beta2}: double; default 0.999, 0 to 1.
   * <p>Attribute {@code epsilon}: double; default 1e-06, 0 or more.
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param m an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param step an input: i64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyLAMB(GraphBuilder builder, Value param, Value grad, Value m, Value v, Value learningRate, Value step, Value gradScale) {
    return node(builder, "percale:ApplyLAMB", list(new Value[] {param, grad, m, v, learningRate, step, gradScale}));
  }

  /**
   * Lion (Chen et al. 2023, algorithm 2): c = beta1 m + (1 - beta1) g; m' = beta2 m + (1 - beta2)
   * g; the new param is param (1 - learning_rate weight_decay) - learning_rate sign(c). param, grad
   * and m have the same shape and the same dtype, one of f16, bf16, f32, f64; learning_rate is a
   * scalar.
   * <p>Attribute {@code beta1}: double; default 0.9, 0 to 1.
   * <p>Attribute {@code beta2}: double; default 0.99, 0 to 1.
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param m an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyLion(GraphBuilder builder, Value param, Value grad, Value m, Value learningRate, Value gradScale) {
    return node(builder, "percale:ApplyLion", list(new Value[] {param, grad, m, learningRate, gradScale}));
  }

  /**
   * buffer = momentum * buffer + g; param - learning_rate * buffer, or with nesterov: param -
   * learning_rate * (g + momentum * buffer) (PyTorch's SGD).
   * <p>Attribute {@code momentum}: double; default 0.9, 0 or more.
   * <p>Attribute {@code nesterov}: long; default 0, 0 to 1.
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param buffer an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyMomentum(GraphBuilder builder, Value param, Value grad, Value buffer, Value learningRate, Value gradScale) {
    return node(builder, "percale:ApplyMomentum", list(new Value[] {param, grad, buffer, learningRate, gradScale}));
  }

  /**
   * s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + epsilon); param - learning_rate * d, or with
   * a buffer: buffer = momentum * buffer + d; param - learning_rate * buffer (PyTorch's RMSprop).
   * <p>Attribute {@code alpha}: double; default 0.99, 0 to 1.
   * <p>Attribute {@code epsilon}: double; default 1e-08, 0 or more.
   * <p>Attribute {@code momentum}: double; default 0, 0 or more.
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param square an input: f32 f16 f64 bf16
   * @param buffer an optional input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applyRMSProp(GraphBuilder builder, Value param, Value grad, Value square, Value buffer, Value learningRate, Value gradScale) {
    return node(builder, "percale:ApplyRMSProp", list(new Value[] {param, grad, square, buffer, learningRate, gradScale}));
  }

  /**
   * param - learning_rate * g (PyTorch's SGD).
   * <p>Attribute {@code weight_decay}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param grad an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node applySGD(GraphBuilder builder, Value param, Value grad, Value learningRate, Value gradScale) {
    return node(builder, "percale:ApplySGD", list(new Value[] {param, grad, learningRate, gradScale}));
  }

  /**
   * The index of the greatest element along {@code axis}: the first of equals, or the last with
   * select_last_index. NaN counts as greatest.
   * <p>Attribute {@code axis}: long; default 0.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code select_last_index}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node argMax(GraphBuilder builder, Value data) {
    return node(builder, "ArgMax", list(new Value[] {data}));
  }

  /**
   * The index of the least element along {@code axis}: the first of equals, or the last with
   * select_last_index. NaN counts as least.
   * <p>Attribute {@code axis}: long; default 0.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code select_last_index}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node argMin(GraphBuilder builder, Value data) {
    return node(builder, "ArgMin", list(new Value[] {data}));
  }

  /**
   * The inverse sine of the input, in radians in [-pi/2, pi/2]; NaN outside [-1, 1].
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node asin(GraphBuilder builder, Value input) {
    return node(builder, "Asin", list(new Value[] {input}));
  }

  /**
   * The inverse hyperbolic sine of the input.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node asinh(GraphBuilder builder, Value input) {
    return node(builder, "Asinh", list(new Value[] {input}));
  }

  /**
   * Returns X unchanged, if it is given, and fails the run with {@code message} unless every
   * element of the condition is true.
   * <p>Attribute {@code message}: String; default "".
   *
   * @param builder the builder that gets the node
   * @param condition an input: bool
   * @param x an optional input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node assert_(GraphBuilder builder, Value condition, Value x) {
    return node(builder, "percale:Assert", list(new Value[] {condition, x}));
  }

  /**
   * Assigns a new value to a variable.
   * <p>Attribute {@code variable}: String; required.
   *
   * @param builder the builder that gets the node
   * @param value an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node assign(GraphBuilder builder, Value value) {
    return node(builder, "percale:Assign", list(new Value[] {value}));
  }

  /**
   * Adds the input to the value of a variable.
   * <p>Attribute {@code variable}: String; required.
   *
   * @param builder the builder that gets the node
   * @param value an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node assignAdd(GraphBuilder builder, Value value) {
    return node(builder, "percale:AssignAdd", list(new Value[] {value}));
  }

  /**
   * The inverse tangent of the input, in radians in [-pi/2, pi/2].
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node atan(GraphBuilder builder, Value input) {
    return node(builder, "Atan", list(new Value[] {input}));
  }

  /**
   * The inverse hyperbolic tangent of the input; NaN outside [-1, 1].
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node atanh(GraphBuilder builder, Value input) {
    return node(builder, "Atanh", list(new Value[] {input}));
  }

  /**
   * Multi-head attention: softmax(scale Q K^T, softcapped, + mask) V per head (Vaswani et al.
   * 2017). Heads of Q may share heads of K and V (Ainslie et al. 2023). Past keys and values
   * precede the new ones. Each input is [batch, heads, sequence, size] or [batch, sequence, heads *
   * size]. A query without any key gives zeros.
   * <p>Attribute {@code is_causal}: long; default 0, 0 to 1.
   * <p>Attribute {@code kv_num_heads}: long; 1 or more.
   * <p>Attribute {@code left_window_size}: long; default -1, -1 or more.
   * <p>Attribute {@code q_num_heads}: long; 1 or more.
   * <p>Attribute {@code qk_matmul_output_mode}: long; default 0, 0 to 3.
   * <p>Attribute {@code right_window_size}: long; default -1, -1 or more.
   * <p>Attribute {@code scale}: double; 0 or more.
   * <p>Attribute {@code softcap}: double; default 0.
   * <p>Attribute {@code softmax_precision}: long.
   *
   * @param builder the builder that gets the node
   * @param q an input: f32 f16 f64 bf16
   * @param k an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param attnMask an optional input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param pastKey an optional input: f32 f16 f64 bf16
   * @param pastValue an optional input: f32 f16 f64 bf16
   * @param nonpadKvSeqlen an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node attention(GraphBuilder builder, Value q, Value k, Value v, Value attnMask, Value pastKey, Value pastValue, Value nonpadKvSeqlen) {
    return node(builder, "Attention", list(new Value[] {q, k, v, attnMask, pastKey, pastValue, nonpadKvSeqlen}));
  }

  /**
   * The mean under each position of a sliding window over X [N,C,D1,...]; with count_include_pad
   * the padding counts as zeros.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code ceil_mode}: long; default 0, 0 to 1.
   * <p>Attribute {@code count_include_pad}: long; default 0, 0 to 1.
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; required, 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node averagePool(GraphBuilder builder, Value x) {
    return node(builder, "AveragePool", list(new Value[] {x}));
  }

  /**
   * Gradient of AveragePool (of GlobalAveragePool with 'global') with respect to X. The spatial
   * dims of X come from the attribute 'spatial_shape' or from the input 'shape', the shape of X.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code ceil_mode}: long; default 0, 0 to 1.
   * <p>Attribute {@code count_include_pad}: long; default 0, 0 to 1.
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   * <p>Attribute {@code global}: long; default 0, 0 to 1.
   * <p>Attribute {@code spatial_shape}: long[]; 0 or more.
   *
   * @param builder the builder that gets the node
   * @param dY an input: f32 f16 f64 bf16
   * @param shape an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node averagePoolGrad(GraphBuilder builder, Value dY, Value shape) {
    return node(builder, "percale:AveragePoolGrad", list(new Value[] {dY, shape}));
  }

  /**
   * MatMul of operands of rank 2 or more, with the matrices of A or B transposed if the attributes
   * say so.
   * <p>Attribute {@code transA}: long; default 0, 0 to 1.
   * <p>Attribute {@code transB}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node batchMatMul(GraphBuilder builder, Value a, Value b) {
    return node(builder, "percale:BatchMatMul", list(new Value[] {a, b}));
  }

  /**
   * Y = (X - mean) / sqrt(var + epsilon) * scale + B per channel of X [N,C,...]. In training mode,
   * mean and (biased) variance are those of the batch, and running_x = input_x * momentum +
   * batch_x * (1 - momentum).
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   * <p>Attribute {@code momentum}: double; default 0.9.
   * <p>Attribute {@code training_mode}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @param b an input: f32 f16 f64 bf16
   * @param inputMean an input: f32 f16 f64 bf16
   * @param inputVar an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node batchNormalization(GraphBuilder builder, Value x, Value scale, Value b, Value inputMean, Value inputVar) {
    return node(builder, "BatchNormalization", list(new Value[] {x, scale, b, inputMean, inputVar}));
  }

  /**
   * Gradients of BatchNormalization with respect to X, scale and B. In training mode the statistics
   * of the batch are recomputed from X and the gradient flows through them; otherwise they are the
   * inputs mean and var.
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   * <p>Attribute {@code training_mode}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param dY an input: f32 f16 f64 bf16
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @param mean an optional input: f32 f16 f64 bf16
   * @param var an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node batchNormalizationGrad(GraphBuilder builder, Value dY, Value x, Value scale, Value mean, Value var) {
    return node(builder, "percale:BatchNormalizationGrad", list(new Value[] {dY, x, scale, mean, var}));
  }

  /**
   * 1 with the probability that the input holds, otherwise 0, in the dtype of the input unless
   * dtype is given.
   * <p>Attribute {@code dtype}: long.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code seed}: double; default 0.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node bernoulli(GraphBuilder builder, Value input) {
    return node(builder, "Bernoulli", list(new Value[] {input}));
  }

  /**
   * max(x, 0) - x * t + log(1 + exp(-|x|)) for logits x and targets t of the same shape, reduced by
   * {@code reduction}.
   * <p>Attribute {@code reduction}: String; default "mean".
   *
   * @param builder the builder that gets the node
   * @param logits an input: f32 f16 f64 bf16
   * @param targets an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node binaryCrossEntropyWithLogits(GraphBuilder builder, Value logits, Value targets) {
    return node(builder, "percale:BinaryCrossEntropyWithLogits", list(new Value[] {logits, targets}));
  }

  /**
   * Reinterprets the bits of each element as an element of dtype 'to', which must have the same
   * size.
   * <p>Attribute {@code to}: long; required.
   *
   * @param builder the builder that gets the node
   * @param input an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node bitCast(GraphBuilder builder, Value input) {
    return node(builder, "BitCast", list(new Value[] {input}));
  }

  /**
   * X shifted LEFT or RIGHT by Y bits, broadcast. Zeros are shifted in; a shift by the number of
   * bits or more gives 0.
   * <p>Attribute {@code direction}: String; required.
   *
   * @param builder the builder that gets the node
   * @param x an input: u8 u16 u32 u64
   * @param y an input: u8 u16 u32 u64
   * @return the started node
   */
  public static GraphBuilder.Node bitShift(GraphBuilder builder, Value x, Value y) {
    return node(builder, "BitShift", list(new Value[] {x, y}));
  }

  /**
   * Bitwise and of A and B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @param b an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @return the started node
   */
  public static GraphBuilder.Node bitwiseAnd(GraphBuilder builder, Value a, Value b) {
    return node(builder, "BitwiseAnd", list(new Value[] {a, b}));
  }

  /**
   * Inverts every bit of X.
   *
   * @param builder the builder that gets the node
   * @param x an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @return the started node
   */
  public static GraphBuilder.Node bitwiseNot(GraphBuilder builder, Value x) {
    return node(builder, "BitwiseNot", list(new Value[] {x}));
  }

  /**
   * Bitwise or of A and B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @param b an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @return the started node
   */
  public static GraphBuilder.Node bitwiseOr(GraphBuilder builder, Value a, Value b) {
    return node(builder, "BitwiseOr", list(new Value[] {a, b}));
  }

  /**
   * Bitwise exclusive or of A and B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @param b an input: u8 i8 u16 i16 i32 i64 u32 u64
   * @return the started node
   */
  public static GraphBuilder.Node bitwiseXor(GraphBuilder builder, Value a, Value b) {
    return node(builder, "BitwiseXor", list(new Value[] {a, b}));
  }

  /**
   * 0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N) for n below size; N is size if periodic, else
   * size - 1.
   * <p>Attribute {@code output_datatype}: long; default 1.
   * <p>Attribute {@code periodic}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param size an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node blackmanWindow(GraphBuilder builder, Value size) {
    return node(builder, "BlackmanWindow", list(new Value[] {size}));
  }

  /**
   * Calls a function of the graph with the given inputs; the outputs are those of the function.
   * <p>Attribute {@code function}: function; required.
   *
   * @param builder the builder that gets the node
   * @param inputs inputs, any number: 26 types
   * @return the started node
   */
  public static GraphBuilder.Node call(GraphBuilder builder, Value... inputs) {
    return node(builder, "percale:Call", list(new Value[] {}, inputs));
  }

  /**
   * Converts the input to dtype {@code to}. Floats round to nearest; to integers they truncate
   * towards zero and saturate (NaN gives 0). Integers, and floats converted to 4- and 2-bit
   * integers, wrap. To bool, the result is x != 0. saturate and round_mode apply to float8 as in
   * ONNX; values beyond the range of f4e2m1 saturate at 6.
   * <p>Attribute {@code to}: long; required.
   * <p>Attribute {@code saturate}: long; default 1, 0 to 1.
   * <p>Attribute {@code round_mode}: String; default "up".
   *
   * @param builder the builder that gets the node
   * @param input an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node cast(GraphBuilder builder, Value input) {
    return node(builder, "Cast", list(new Value[] {input}));
  }

  /**
   * Converts the input to the dtype of the second operand, as Cast does.
   * <p>Attribute {@code saturate}: long; default 1, 0 to 1.
   * <p>Attribute {@code round_mode}: String; default "up".
   *
   * @param builder the builder that gets the node
   * @param input an input: 23 types
   * @param targetType an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node castLike(GraphBuilder builder, Value input, Value targetType) {
    return node(builder, "CastLike", list(new Value[] {input, targetType}));
  }

  /**
   * The least integer not below X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node ceil(GraphBuilder builder, Value x) {
    return node(builder, "Ceil", list(new Value[] {x}));
  }

  /**
   * x where x &gt; 0, otherwise alpha (exp(x / alpha) - 1).
   * <p>Attribute {@code alpha}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node celu(GraphBuilder builder, Value x) {
    return node(builder, "Celu", list(new Value[] {x}));
  }

  /**
   * The centre of the input along axes (default: all), cropped or padded with zeros to the dims in
   * shape. If the difference is odd, the extra element is at the end.
   * <p>Attribute {@code axes}: long[].
   *
   * @param builder the builder that gets the node
   * @param inputData an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param shape an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node centerCropPad(GraphBuilder builder, Value inputData, Value shape) {
    return node(builder, "CenterCropPad", list(new Value[] {inputData, shape}));
  }

  /**
   * Returns X unchanged. An infinite or NaN element fails the run with {@code message}. The
   * gradient is checked in the same way.
   * <p>Attribute {@code message}: String; default "".
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node checkNumerics(GraphBuilder builder, Value x) {
    return node(builder, "percale:CheckNumerics", list(new Value[] {x}));
  }

  /**
   * The lower triangular L with L L^T = X for each symmetric matrix [..., n, n] of X. Only the
   * lower triangle of X is read. A matrix that is not positive definite fails the run.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node cholesky(GraphBuilder builder, Value x) {
    return node(builder, "percale:Cholesky", list(new Value[] {x}));
  }

  /**
   * min(max(X, min), max) with optional scalar limits; NaN stays NaN.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param min an optional input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param max an optional input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node clip(GraphBuilder builder, Value input, Value min, Value max) {
    return node(builder, "Clip", list(new Value[] {input, min, max}));
  }

  /**
   * The cofactors of each matrix [..., n, n] of X, which may be singular: Y[i, j] = (-1)^(i+j)
   * times the determinant of X without row i and column j. Its gradient fails the run for a
   * singular matrix.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node cofactors(GraphBuilder builder, Value x) {
    return node(builder, "percale:Cofactors", list(new Value[] {x}));
  }

  /**
   * Sums columns [N, C * block, L] into images [N,C,D1,...] of image_shape: each column goes where
   * a sliding window of block_shape took it from. Integers wrap; bools are combined by or.
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param imageShape an input: i64
   * @param blockShape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node col2Im(GraphBuilder builder, Value input, Value imageShape, Value blockShape) {
    return node(builder, "Col2Im", list(new Value[] {input, imageShape, blockShape}));
  }

  /**
   * The slices of the input along {@code axis}, or its elements without {@code axis}, where the
   * condition is true. The condition may be shorter than the axis.
   * <p>Attribute {@code axis}: long.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param condition an input: bool
   * @return the started node
   */
  public static GraphBuilder.Node compress(GraphBuilder builder, Value input, Value condition) {
    return node(builder, "Compress", list(new Value[] {input, condition}));
  }

  /**
   * The inputs concatenated along {@code axis}.
   * <p>Attribute {@code axis}: long; required.
   *
   * @param builder the builder that gets the node
   * @param inputs inputs, any number: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node concat(GraphBuilder builder, Value... inputs) {
    return node(builder, "Concat", list(new Value[] {}, inputs));
  }

  /**
   * The value of its only attribute.
   * <p>Attribute {@code value}: Tensor.
   * <p>Attribute {@code value_float}: double.
   * <p>Attribute {@code value_floats}: double[].
   * <p>Attribute {@code value_int}: long.
   * <p>Attribute {@code value_ints}: long[].
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node constant(GraphBuilder builder) {
    return node(builder, "Constant", list(new Value[] {}));
  }

  /**
   * A tensor of the given shape, filled with {@code value} (default: an f32 zero).
   * <p>Attribute {@code value}: Tensor.
   *
   * @param builder the builder that gets the node
   * @param input an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node constantOfShape(GraphBuilder builder, Value input) {
    return node(builder, "ConstantOfShape", list(new Value[] {input}));
  }

  /**
   * Convolution (cross-correlation) of images X [N,C,D1,...] with filters W [M,C/group,k1,...],
   * plus B [M] per output channel; 1 to 3 spatial dims.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code group}: long; default 1, 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node conv(GraphBuilder builder, Value x, Value w, Value b) {
    return node(builder, "Conv", list(new Value[] {x, w, b}));
  }

  /**
   * Gradient of Conv with respect to X, from dY and W. The spatial dims of X come from the
   * attribute 'spatial_shape' or from the input 'shape', the shape of X.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code group}: long; default 1, 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   * <p>Attribute {@code spatial_shape}: long[]; 0 or more.
   *
   * @param builder the builder that gets the node
   * @param dY an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param shape an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node convGradInput(GraphBuilder builder, Value dY, Value w, Value shape) {
    return node(builder, "percale:ConvGradInput", list(new Value[] {dY, w, shape}));
  }

  /**
   * Gradients of Conv with respect to W and B, from X and dY. The spatial dims of W come from the
   * attribute 'kernel_shape' or from the input 'shape', the shape of W.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code group}: long; default 1, 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param dY an input: f32 f16 f64 bf16
   * @param shape an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node convGradWeight(GraphBuilder builder, Value x, Value dY, Value shape) {
    return node(builder, "percale:ConvGradWeight", list(new Value[] {x, dY, shape}));
  }

  /**
   * Conv of x - x_zero_point and w - w_zero_point (one zero point, or one per filter), summed in
   * i32.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code group}: long; default 1, 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: u8 i8
   * @param w an input: u8 i8
   * @param xZeroPoint an optional input: u8 i8
   * @param wZeroPoint an optional input: u8 i8
   * @return the started node
   */
  public static GraphBuilder.Node convInteger(GraphBuilder builder, Value x, Value w, Value xZeroPoint, Value wZeroPoint) {
    return node(builder, "ConvInteger", list(new Value[] {x, w, xZeroPoint, wZeroPoint}));
  }

  /**
   * Transposed convolution of X [N,C,D1,...] with filters W [C,M/group,k1,...], plus B [M]. It is
   * the gradient of Conv with respect to its input; output dim = stride * (in - 1) +
   * output_padding + (k - 1) * dilation + 1 - pads.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code group}: long; default 1, 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code output_padding}: long[]; 0 or more.
   * <p>Attribute {@code output_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node convTranspose(GraphBuilder builder, Value x, Value w, Value b) {
    return node(builder, "ConvTranspose", list(new Value[] {x, w, b}));
  }

  /**
   * The cosine of X in radians.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node cos(GraphBuilder builder, Value x) {
    return node(builder, "Cos", list(new Value[] {x}));
  }

  /**
   * The hyperbolic cosine of the input.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node cosh(GraphBuilder builder, Value input) {
    return node(builder, "Cosh", list(new Value[] {input}));
  }

  /**
   * The product of the elements up to each element along an axis, including the element itself
   * unless exclusive is set.
   * <p>Attribute {@code exclusive}: long; default 0, 0 to 1.
   * <p>Attribute {@code reverse}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axis an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node cumProd(GraphBuilder builder, Value x, Value axis) {
    return node(builder, "CumProd", list(new Value[] {x, axis}));
  }

  /**
   * The gradient of CumProd with respect to x; correct if elements of x are 0, too.
   * <p>Attribute {@code exclusive}: long; default 0, 0 to 1.
   * <p>Attribute {@code reverse}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 f16 f64 bf16
   * @param x an input: f32 f16 f64 bf16
   * @param axis an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node cumProdGrad(GraphBuilder builder, Value grad, Value x, Value axis) {
    return node(builder, "percale:CumProdGrad", list(new Value[] {grad, x, axis}));
  }

  /**
   * The sum of the elements up to each element along an axis, including the element itself unless
   * exclusive is set.
   * <p>Attribute {@code exclusive}: long; default 0, 0 to 1.
   * <p>Attribute {@code reverse}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axis an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node cumSum(GraphBuilder builder, Value x, Value axis) {
    return node(builder, "CumSum", list(new Value[] {x, axis}));
  }

  /**
   * The discrete Fourier transform along an axis of [..., 1] real or [..., 2] complex numbers,
   * cropped or zero-padded to dft_length: sum of x[n] exp(-2 pi i k n / N). inverse: + in the
   * exponent, divided by N. onesided: the first half of the transform of a real input, or with
   * inverse the real output for such a half.
   * <p>Attribute {@code inverse}: long; default 0, 0 to 1.
   * <p>Attribute {@code onesided}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @param dftLength an optional input: i32 i64
   * @param axis an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node dft(GraphBuilder builder, Value input, Value dftLength, Value axis) {
    return node(builder, "DFT", list(new Value[] {input, dftLength, axis}));
  }

  /**
   * Moves channels of [N,C,H,W] into blocks of blocksize * blocksize pixels. The position in the
   * block is the outer part (mode DCR) or the inner part (CRD) of the channel index.
   * <p>Attribute {@code blocksize}: long; required, 1 to 2048.
   * <p>Attribute {@code mode}: String; default "DCR".
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node depthToSpace(GraphBuilder builder, Value input) {
    return node(builder, "DepthToSpace", list(new Value[] {input}));
  }

  /**
   * (x - x_zero_point) * x_scale. There is one scale and zero point for the whole tensor, one per
   * position along 'axis', or one per block of block_size along it.
   * <p>Attribute {@code axis}: long; default 1.
   * <p>Attribute {@code block_size}: long; default 0, 0 or more.
   * <p>Attribute {@code output_dtype}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param x an input: 14 types
   * @param xScale an input: f32 f16 f64 bf16 f8e8m0
   * @param xZeroPoint an optional input: 14 types
   * @return the started node
   */
  public static GraphBuilder.Node dequantizeLinear(GraphBuilder builder, Value x, Value xScale, Value xZeroPoint) {
    return node(builder, "DequantizeLinear", list(new Value[] {x, xScale, xZeroPoint}));
  }

  /**
   * The determinant of each matrix [..., n, n] of X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node det(GraphBuilder builder, Value x) {
    return node(builder, "Det", list(new Value[] {x}));
  }

  /**
   * The distinct slices of X as Unique orders them: the place of the first of each, then zeros; for
   * each slice of X the number of its group; the slices of each group, then zeros; the number of
   * groups.
   * <p>Attribute {@code axis}: long.
   * <p>Attribute {@code sorted}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node distinctSlices(GraphBuilder builder, Value x) {
    return node(builder, "percale:DistinctSlices", list(new Value[] {x}));
  }

  /**
   * A / B, broadcast; integers truncate towards zero, and an integer zero in B is an error.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node div(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Div", list(new Value[] {a, b}));
  }

  /**
   * In training mode, each element is kept with probability 1 - ratio and divided by it, otherwise
   * set to zero; mask says which. Outside training mode, the data unchanged. ratio is in [0, 1], by
   * default 0.5.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code seed}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @param ratio an optional input: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @param trainingMode an optional input: bool
   * @return the started node
   */
  public static GraphBuilder.Node dropout(GraphBuilder builder, Value data, Value ratio, Value trainingMode) {
    return node(builder, "Dropout", list(new Value[] {data, ratio, trainingMode}));
  }

  /**
   * x quantised to u8, with the scale and the zero point of its own value range, extended to
   * include 0.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32
   * @return the started node
   */
  public static GraphBuilder.Node dynamicQuantizeLinear(GraphBuilder builder, Value x) {
    return node(builder, "DynamicQuantizeLinear", list(new Value[] {x}));
  }

  /**
   * Multiplies the operands' elements and sums over all labels of 'equation' that the output does
   * not have, as numpy.einsum. An ellipsis stands for dims that broadcast.
   * <p>Attribute {@code equation}: String; required.
   *
   * @param builder the builder that gets the node
   * @param inputs inputs, any number: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node einsum(GraphBuilder builder, Value... inputs) {
    return node(builder, "Einsum", list(new Value[] {}, inputs));
  }

  /**
   * x where x &gt; 0, otherwise alpha (exp(x) - 1).
   * <p>Attribute {@code alpha}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node elu(GraphBuilder builder, Value x) {
    return node(builder, "Elu", list(new Value[] {x}));
  }

  /**
   * The sum, mean or maximum ({@code mode}) per bag of the rows of table [rows, width] that its
   * indices select: [bags, width], zeros for an empty bag (PyTorch's EmbeddingBag). Indices are
   * [bags, length], or [count] with the offset of the first index of each bag; with
   * include_last_offset the end of the last bag follows. With mode sum, each row is multiplied by
   * its weight. Indices equal to padding_idx are ignored (-1: none). Indices are in [0, rows).
   * <p>Attribute {@code mode}: String; default "mean".
   * <p>Attribute {@code padding_idx}: long; default -1, -1 or more.
   * <p>Attribute {@code include_last_offset}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param table an input: f32 f16 f64 bf16
   * @param indices an input: i32 i64
   * @param offsets an optional input: i32 i64
   * @param perSampleWeights an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node embeddingBag(GraphBuilder builder, Value table, Value indices, Value offsets, Value perSampleWeights) {
    return node(builder, "percale:EmbeddingBag", list(new Value[] {table, indices, offsets, perSampleWeights}));
  }

  /**
   * The gradient of EmbeddingBag with respect to the row that each index looked up: [count, width].
   * If rows tie for a maximum, the first receives the gradient. Padding receives zeros.
   * <p>Attribute {@code mode}: String; default "mean".
   * <p>Attribute {@code padding_idx}: long; default -1, -1 or more.
   * <p>Attribute {@code include_last_offset}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 f16 f64 bf16
   * @param table an input: f32 f16 f64 bf16
   * @param indices an input: i32 i64
   * @param offsets an optional input: i32 i64
   * @param perSampleWeights an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node embeddingBagRows(GraphBuilder builder, Value grad, Value table, Value indices, Value offsets, Value perSampleWeights) {
    return node(builder, "percale:EmbeddingBagRows", list(new Value[] {grad, table, indices, offsets, perSampleWeights}));
  }

  /**
   * A == B, broadcast; NaN is equal to nothing.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node equal(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Equal", list(new Value[] {a, b}));
  }

  /**
   * The error function of X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node erf(GraphBuilder builder, Value x) {
    return node(builder, "Erf", list(new Value[] {x}));
  }

  /**
   * e to the power X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node exp(GraphBuilder builder, Value x) {
    return node(builder, "Exp", list(new Value[] {x}));
  }

  /**
   * The input broadcast with {@code shape}.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node expand(GraphBuilder builder, Value input, Value shape) {
    return node(builder, "Expand", list(new Value[] {input, shape}));
  }

  /**
   * A matrix of the input's shape, with ones on diagonal k and zeros elsewhere.
   * <p>Attribute {@code dtype}: long.
   * <p>Attribute {@code k}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node eyeLike(GraphBuilder builder, Value input) {
    return node(builder, "EyeLike", list(new Value[] {input}));
  }

  /**
   * The input as a matrix: the dims before {@code axis} become its rows, the others its columns.
   * <p>Attribute {@code axis}: long; default 1.
   *
   * @param builder the builder that gets the node
   * @param input an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node flatten(GraphBuilder builder, Value input) {
    return node(builder, "Flatten", list(new Value[] {input}));
  }

  /**
   * The greatest integer not above X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node floor(GraphBuilder builder, Value x) {
    return node(builder, "Floor", list(new Value[] {x}));
  }

  /**
   * Calls its body, a function of plain ops, on the inputs. anchor names the op of the node that is
   * not elementwise, if there is one.
   * <p>Attribute {@code body}: function; required.
   * <p>Attribute {@code anchor}: String; default "".
   *
   * @param builder the builder that gets the node
   * @param inputs inputs, any number: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node fused(GraphBuilder builder, Value... inputs) {
    return node(builder, "percale:Fused", list(new Value[] {}, inputs));
  }

  /**
   * softmax(scale Q K^T + mask) V per head (Vaswani et al. 2017). Each of Q, K, V and Y is [batch,
   * heads, sequence, size] or, by row, [batch, sequence, heads, size]. Heads of Q may share heads
   * of K and V. With nan_is_zero, a NaN probability, as of a query without any key, becomes 0. The
   * softmax runs in the dtype of the mask. The statistics are, per query, the logarithm of the sum
   * of exp of its scores, in f32, or in f64 for f64 operands.
   * <p>Attribute {@code k_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code nan_is_zero}: long; default 0, 0 to 1.
   * <p>Attribute {@code q_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code scale}: double; default 1.
   * <p>Attribute {@code v_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code y_by_row}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param q an input: f32 f16 f64 bf16
   * @param k an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param mask an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node fusedAttention(GraphBuilder builder, Value q, Value k, Value v, Value mask) {
    return node(builder, "percale:FusedAttention", list(new Value[] {q, k, v, mask}));
  }

  /**
   * Gradients of FusedAttention with respect to Q, K and V, computed from the gradient of Y, from Y
   * and from the statistics (Dao et al. 2022). They have the layouts of Q, K and V. Shared heads
   * and nan_is_zero are not supported.
   * <p>Attribute {@code dy_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code k_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code q_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code scale}: double; default 1.
   * <p>Attribute {@code v_by_row}: long; default 0, 0 to 1.
   * <p>Attribute {@code y_by_row}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param dY an input: f32 f16 f64 bf16
   * @param q an input: f32 f16 f64 bf16
   * @param k an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param y an input: f32 f16 f64 bf16
   * @param statistics an input: f32 f16 f64 bf16
   * @param mask an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node fusedAttentionGrad(GraphBuilder builder, Value dY, Value q, Value k, Value v, Value y, Value statistics, Value mask) {
    return node(builder, "percale:FusedAttentionGrad", list(new Value[] {dY, q, k, v, y, statistics, mask}));
  }

  /**
   * Rotary embedding X cos + T sin, where T is X with the second half of its last dim negated and
   * moved before the first half: rotates pairs of elements that are half a row apart (Su et al.
   * 2021).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param cos an input: f32 f16 f64 bf16
   * @param sin an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node fusedRotary(GraphBuilder builder, Value x, Value cos, Value sin) {
    return node(builder, "percale:FusedRotary", list(new Value[] {x, cos, sin}));
  }

  /**
   * Gated recurrent unit over X [time,batch,input] (layout 1: batch first): z,r = f(X W^T + H R^T +
   * B), H = (1 - z) g(X W^T + (r H) R^T + B) + z H; with linear_before_reset, r (H R^T + B)
   * replaces (r H) R^T + B. W, R and B hold the gates in the order z,r,h.
   * <p>Attribute {@code activation_alpha}: double[].
   * <p>Attribute {@code activation_beta}: double[].
   * <p>Attribute {@code activations}: String[].
   * <p>Attribute {@code clip}: double; 0 or more.
   * <p>Attribute {@code direction}: String; default "forward".
   * <p>Attribute {@code hidden_size}: long; 1 or more.
   * <p>Attribute {@code layout}: long; default 0, 0 to 1.
   * <p>Attribute {@code linear_before_reset}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param r an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @param sequenceLens an optional input: i32
   * @param initialH an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node gru(GraphBuilder builder, Value x, Value w, Value r, Value b, Value sequenceLens, Value initialH) {
    return node(builder, "GRU", list(new Value[] {x, w, r, b, sequenceLens, initialH}));
  }

  /**
   * Gradients of GRU with respect to X, W, R, B and initial_h, from the inputs of GRU and the
   * gradients of its outputs. The forward pass is recomputed. The op has no gradient.
   * <p>Attribute {@code activation_alpha}: double[].
   * <p>Attribute {@code activation_beta}: double[].
   * <p>Attribute {@code activations}: String[].
   * <p>Attribute {@code clip}: double; 0 or more.
   * <p>Attribute {@code direction}: String; default "forward".
   * <p>Attribute {@code hidden_size}: long; 1 or more.
   * <p>Attribute {@code layout}: long; default 0, 0 to 1.
   * <p>Attribute {@code linear_before_reset}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param r an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @param sequenceLens an optional input: i32
   * @param initialH an optional input: f32 f16 f64 bf16
   * @param dY an optional input: f32 f16 f64 bf16
   * @param dYH an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node gruGrad(GraphBuilder builder, Value x, Value w, Value r, Value b, Value sequenceLens, Value initialH, Value dY, Value dYH) {
    return node(builder, "percale:GRUGrad", list(new Value[] {x, w, r, b, sequenceLens, initialH, dY, dYH}));
  }

  /**
   * The slices of data along {@code axis} that the indices select; negative indices count from the
   * end.
   * <p>Attribute {@code axis}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param indices an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node gather(GraphBuilder builder, Value data, Value indices) {
    return node(builder, "Gather", list(new Value[] {data, indices}));
  }

  /**
   * For each index, the element of data at the same position, with the coordinate along {@code
   * axis} replaced by the index.
   * <p>Attribute {@code axis}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param indices an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node gatherElements(GraphBuilder builder, Value data, Value indices) {
    return node(builder, "GatherElements", list(new Value[] {data, indices}));
  }

  /**
   * The gradient of Gather with respect to data, of shape {@code shape}: slices of grad are summed
   * at the positions they were gathered from.
   * <p>Attribute {@code axis}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param indices an input: i32 i64
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node gatherGrad(GraphBuilder builder, Value grad, Value indices, Value shape) {
    return node(builder, "percale:GatherGrad", list(new Value[] {grad, indices, shape}));
  }

  /**
   * The slices of data that tuples of indices select; the last dim of indices holds the tuples, and
   * negative indices count from the end.
   * <p>Attribute {@code batch_dims}: long; default 0, 0 to 8.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param indices an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node gatherND(GraphBuilder builder, Value data, Value indices) {
    return node(builder, "GatherND", list(new Value[] {data, indices}));
  }

  /**
   * x / 2 (1 + erf(x / sqrt(2))); with approximate 'tanh': x / 2 (1 + tanh(sqrt(2 / pi) (x +
   * 0.044715 x^3))) (Hendrycks and Gimpel 2016).
   * <p>Attribute {@code approximate}: String; default "none".
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node gelu(GraphBuilder builder, Value x) {
    return node(builder, "Gelu", list(new Value[] {x}));
  }

  /**
   * Y = alpha * A' * B' + beta * C for matrices; A' and B' are A and B, transposed if transA or
   * transB is set, and C broadcasts to Y.
   * <p>Attribute {@code alpha}: double; default 1.
   * <p>Attribute {@code beta}: double; default 1.
   * <p>Attribute {@code transA}: long; default 0.
   * <p>Attribute {@code transB}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param c an optional input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node gemm(GraphBuilder builder, Value a, Value b, Value c) {
    return node(builder, "Gemm", list(new Value[] {a, b, c}));
  }

  /**
   * The mean of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node globalAveragePool(GraphBuilder builder, Value x) {
    return node(builder, "GlobalAveragePool", list(new Value[] {x}));
  }

  /**
   * The p-norm of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
   * <p>Attribute {@code p}: long; default 2, 1 to 1048576.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node globalLpPool(GraphBuilder builder, Value x) {
    return node(builder, "GlobalLpPool", list(new Value[] {x}));
  }

  /**
   * The largest element of each channel of X [N,C,D1,...]; Y is [N,C,1,...].
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node globalMaxPool(GraphBuilder builder, Value x) {
    return node(builder, "GlobalMaxPool", list(new Value[] {x}));
  }

  /**
   * A &gt; B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node greater(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Greater", list(new Value[] {a, b}));
  }

  /**
   * A &gt;= B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node greaterOrEqual(GraphBuilder builder, Value a, Value b) {
    return node(builder, "GreaterOrEqual", list(new Value[] {a, b}));
  }

  /**
   * X [N,C,D1,...] sampled at the positions in grid [N,P1,...,rank], whose coordinates, last dim
   * first, run from -1 to 1 between the first and last elements (align_corners) or the edges.
   * Interpolation is nearest, linear or cubic (Keys 1981). Positions beyond the edges read zeros,
   * the edge or a reflection. 1 to 3 spatial dims.
   * <p>Attribute {@code align_corners}: long; default 0, 0 to 1.
   * <p>Attribute {@code mode}: String; default "linear".
   * <p>Attribute {@code padding_mode}: String; default "zeros".
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param grid an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node gridSample(GraphBuilder builder, Value x, Value grid) {
    return node(builder, "GridSample", list(new Value[] {x, grid}));
  }

  /**
   * The gradients of GridSample with respect to X and grid.
   * <p>Attribute {@code align_corners}: long; default 0, 0 to 1.
   * <p>Attribute {@code mode}: String; default "linear".
   * <p>Attribute {@code padding_mode}: String; default "zeros".
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 f16 f64 bf16
   * @param x an input: f32 f16 f64 bf16
   * @param grid an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node gridSampleGrad(GraphBuilder builder, Value grad, Value x, Value grid) {
    return node(builder, "percale:GridSampleGrad", list(new Value[] {grad, x, grid}));
  }

  /**
   * (X - mean) / sqrt(var + epsilon) * scale + bias, with mean and biased variance over each of
   * num_groups groups of channels, and one scale and bias per channel (Wu and He 2018). It is
   * computed in stash_type, or in f64 for f64 inputs.
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   * <p>Attribute {@code num_groups}: long; required, 1 or more.
   * <p>Attribute {@code stash_type}: long; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @param bias an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node groupNormalization(GraphBuilder builder, Value x, Value scale, Value bias) {
    return node(builder, "GroupNormalization", list(new Value[] {x, scale, bias}));
  }

  /**
   * 25/46 - 21/46 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
   * <p>Attribute {@code output_datatype}: long; default 1.
   * <p>Attribute {@code periodic}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param size an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node hammingWindow(GraphBuilder builder, Value size) {
    return node(builder, "HammingWindow", list(new Value[] {size}));
  }

  /**
   * 1/2 - 1/2 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.
   * <p>Attribute {@code output_datatype}: long; default 1.
   * <p>Attribute {@code periodic}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param size an input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node hannWindow(GraphBuilder builder, Value size) {
    return node(builder, "HannWindow", list(new Value[] {size}));
  }

  /**
   * max(0, min(1, alpha X + beta)).
   * <p>Attribute {@code alpha}: double; default 0.2.
   * <p>Attribute {@code beta}: double; default 0.5.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node hardSigmoid(GraphBuilder builder, Value x) {
    return node(builder, "HardSigmoid", list(new Value[] {x}));
  }

  /**
   * X max(0, min(1, X / 6 + 1/2)).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node hardSwish(GraphBuilder builder, Value x) {
    return node(builder, "HardSwish", list(new Value[] {x}));
  }

  /**
   * 1 at the first greatest element along {@code axis}, 0 elsewhere.
   * <p>Attribute {@code axis}: long; default -1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node hardmax(GraphBuilder builder, Value input) {
    return node(builder, "Hardmax", list(new Value[] {input}));
  }

  /**
   * With d = input - target, of the same shape: d^2 / 2 where |d| &lt;= delta, otherwise delta *
   * (|d| - delta / 2); reduced by {@code reduction}.
   * <p>Attribute {@code delta}: double; default 1, 0 or more.
   * <p>Attribute {@code reduction}: String; default "mean".
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @param target an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node huber(GraphBuilder builder, Value input, Value target) {
    return node(builder, "percale:Huber", list(new Value[] {input, target}));
  }

  /**
   * The input unchanged.
   *
   * @param builder the builder that gets the node
   * @param input an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node identity(GraphBuilder builder, Value input) {
    return node(builder, "Identity", list(new Value[] {input}));
  }

  /**
   * Runs then_branch if cond is true, otherwise else_branch, on the captures; the outputs are the
   * outputs of that branch.
   * <p>Attribute {@code then_branch}: function; required.
   * <p>Attribute {@code else_branch}: function; required.
   *
   * @param builder the builder that gets the node
   * @param cond an input: bool
   * @param captures inputs, any number: 26 types
   * @return the started node
   */
  public static GraphBuilder.Node if_(GraphBuilder builder, Value cond, Value... captures) {
    return node(builder, "If", list(new Value[] {cond}, captures));
  }

  /**
   * (input - mean) / sqrt(var + epsilon) * scale + B, with mean and biased variance over each
   * channel of each image (Ulyanov et al. 2016).
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @param b an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node instanceNormalization(GraphBuilder builder, Value input, Value scale, Value b) {
    return node(builder, "InstanceNormalization", list(new Value[] {input, scale, b}));
  }

  /**
   * True where X is infinite, with a sign that detect_positive or detect_negative selects.
   * <p>Attribute {@code detect_negative}: long; default 1, 0 to 1.
   * <p>Attribute {@code detect_positive}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @return the started node
   */
  public static GraphBuilder.Node isInf(GraphBuilder builder, Value x) {
    return node(builder, "IsInf", list(new Value[] {x}));
  }

  /**
   * True where X is NaN.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @return the started node
   */
  public static GraphBuilder.Node isNaN(GraphBuilder builder, Value x) {
    return node(builder, "IsNaN", list(new Value[] {x}));
  }

  /**
   * X / (bias + alpha / size * sum of squares over size neighbouring channels)^beta; channels
   * beyond the ends count as 0 (Krizhevsky et al. 2012).
   * <p>Attribute {@code alpha}: double; default 0.0001.
   * <p>Attribute {@code beta}: double; default 0.75.
   * <p>Attribute {@code bias}: double; default 1.
   * <p>Attribute {@code size}: long; required, 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node lrn(GraphBuilder builder, Value x) {
    return node(builder, "LRN", list(new Value[] {x}));
  }

  /**
   * Long short-term memory over X [time,batch,input] (layout 1: batch first): i,o,f = f(X W^T + H
   * R^T + B + P C), C = f C + i g(X W^T + H R^T + B), H = o h(C). W, R and B hold the gates in the
   * order i,o,f,c.
   * <p>Attribute {@code activation_alpha}: double[].
   * <p>Attribute {@code activation_beta}: double[].
   * <p>Attribute {@code activations}: String[].
   * <p>Attribute {@code clip}: double; 0 or more.
   * <p>Attribute {@code direction}: String; default "forward".
   * <p>Attribute {@code hidden_size}: long; 1 or more.
   * <p>Attribute {@code input_forget}: long; default 0, 0 to 1.
   * <p>Attribute {@code layout}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param r an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @param sequenceLens an optional input: i32
   * @param initialH an optional input: f32 f16 f64 bf16
   * @param initialC an optional input: f32 f16 f64 bf16
   * @param p an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node lstm(GraphBuilder builder, Value x, Value w, Value r, Value b, Value sequenceLens, Value initialH, Value initialC, Value p) {
    return node(builder, "LSTM", list(new Value[] {x, w, r, b, sequenceLens, initialH, initialC, p}));
  }

  /**
   * Gradients of LSTM with respect to X, W, R, B, initial_h, initial_c and P, from the inputs of
   * LSTM and the gradients of its outputs. The forward pass is recomputed. The op has no gradient.
   * <p>Attribute {@code activation_alpha}: double[].
   * <p>Attribute {@code activation_beta}: double[].
   * <p>Attribute {@code activations}: String[].
   * <p>Attribute {@code clip}: double; 0 or more.
   * <p>Attribute {@code direction}: String; default "forward".
   * <p>Attribute {@code hidden_size}: long; 1 or more.
   * <p>Attribute {@code input_forget}: long; default 0, 0 to 1.
   * <p>Attribute {@code layout}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param r an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @param sequenceLens an optional input: i32
   * @param initialH an optional input: f32 f16 f64 bf16
   * @param initialC an optional input: f32 f16 f64 bf16
   * @param p an optional input: f32 f16 f64 bf16
   * @param dY an optional input: f32 f16 f64 bf16
   * @param dYH an optional input: f32 f16 f64 bf16
   * @param dYC an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node lstmGrad(GraphBuilder builder, Value x, Value w, Value r, Value b, Value sequenceLens, Value initialH, Value initialC, Value p, Value dY, Value dYH, Value dYC) {
    return node(builder, "percale:LSTMGrad", list(new Value[] {x, w, r, b, sequenceLens, initialH, initialC, p, dY, dYH, dYC}));
  }

  /**
   * Y = (X - mean) / sqrt(var + epsilon) * Scale + B, with mean and biased variance over the dims
   * from 'axis' on. Mean and InvStdDev are f32, or f64 for f64 inputs.
   * <p>Attribute {@code axis}: long; default -1.
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   * <p>Attribute {@code stash_type}: long; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node layerNormalization(GraphBuilder builder, Value x, Value scale, Value b) {
    return node(builder, "LayerNormalization", list(new Value[] {x, scale, b}));
  }

  /**
   * Gradients of LayerNormalization with respect to X, Scale and B. The statistics are recomputed
   * from X.
   * <p>Attribute {@code axis}: long; default -1.
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param dY an input: f32 f16 f64 bf16
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node layerNormalizationGrad(GraphBuilder builder, Value dY, Value x, Value scale) {
    return node(builder, "percale:LayerNormalizationGrad", list(new Value[] {dY, x, scale}));
  }

  /**
   * X where X &gt;= 0, otherwise alpha X.
   * <p>Attribute {@code alpha}: double; default 0.01.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node leakyRelu(GraphBuilder builder, Value x) {
    return node(builder, "LeakyRelu", list(new Value[] {x}));
  }

  /**
   * A &lt; B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node less(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Less", list(new Value[] {a, b}));
  }

  /**
   * A &lt;= B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node lessOrEqual(GraphBuilder builder, Value a, Value b) {
    return node(builder, "LessOrEqual", list(new Value[] {a, b}));
  }

  /**
   * The natural logarithm of X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node log(GraphBuilder builder, Value x) {
    return node(builder, "Log", list(new Value[] {x}));
  }

  /**
   * x - log(sum of exp(x)) along {@code axis}.
   * <p>Attribute {@code axis}: long; default -1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node logSoftmax(GraphBuilder builder, Value input) {
    return node(builder, "LogSoftmax", list(new Value[] {input}));
  }

  /**
   * Runs body(trip, cond, carried..., captures...) -&gt; (cond, carried..., scan...) at most M
   * times and while cond is true. The outputs are the last carried values and the scan values of
   * all trips, stacked. More than trip_limit trips are an error.
   * <p>Attribute {@code body}: function; required.
   * <p>Attribute {@code num_carried}: long; required, 0 to 1000000.0.
   * <p>Attribute {@code trip_limit}: long; default 16777216, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param m an optional input: i64
   * @param cond an optional input: bool
   * @param carriedAndCaptures inputs, any number: 26 types
   * @return the started node
   */
  public static GraphBuilder.Node loop(GraphBuilder builder, Value m, Value cond, Value... carriedAndCaptures) {
    return node(builder, "Loop", list(new Value[] {m, cond}, carriedAndCaptures));
  }

  /**
   * The input divided by its norm along {@code axis}: the sum of magnitudes (p = 1) or the root of
   * the sum of squares (p = 2). The result is 0 where the norm is 0.
   * <p>Attribute {@code axis}: long; default -1.
   * <p>Attribute {@code p}: long; default 2, 1 to 2.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node lpNormalization(GraphBuilder builder, Value input) {
    return node(builder, "LpNormalization", list(new Value[] {input}));
  }

  /**
   * The p-norm of the elements under each position of a sliding window over X [N,C,D1,...].
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code ceil_mode}: long; default 0, 0 to 1.
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; required, 1 or more.
   * <p>Attribute {@code p}: long; default 2, 1 to 1048576.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node lpPool(GraphBuilder builder, Value x) {
    return node(builder, "LpPool", list(new Value[] {x}));
  }

  /**
   * Matrix product as numpy.matmul: the last two dims are matrices, and the others broadcast. A
   * rank-1 operand is a row on the left, a column on the right.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node matMul(GraphBuilder builder, Value a, Value b) {
    return node(builder, "MatMul", list(new Value[] {a, b}));
  }

  /**
   * MatMul of A - a_zero_point (one zero point, or one per row) and B - b_zero_point (one, or one
   * per column), summed in i32.
   *
   * @param builder the builder that gets the node
   * @param a an input: u8 i8
   * @param b an input: u8 i8
   * @param aZeroPoint an optional input: u8 i8
   * @param bZeroPoint an optional input: u8 i8
   * @return the started node
   */
  public static GraphBuilder.Node matMulInteger(GraphBuilder builder, Value a, Value b, Value aZeroPoint, Value bZeroPoint) {
    return node(builder, "MatMulInteger", list(new Value[] {a, b, aZeroPoint, bZeroPoint}));
  }

  /**
   * The inverse of each matrix [..., n, n] of X, transposed if {@code adjoint} is set. A matrix
   * with a pivot of exactly zero is singular and fails the run.
   * <p>Attribute {@code adjoint}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node matrixInverse(GraphBuilder builder, Value x) {
    return node(builder, "percale:MatrixInverse", list(new Value[] {x}));
  }

  /**
   * The greatest of the operands, broadcast; NaN if any operand is NaN.
   *
   * @param builder the builder that gets the node
   * @param data inputs, any number: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node max(GraphBuilder builder, Value... data) {
    return node(builder, "Max", list(new Value[] {}, data));
  }

  /**
   * The largest element under each position of a sliding window over X [N,C,D1,...]. Padding never
   * wins; NaN always wins. Indices are positions in X as a flat tensor, -1 where a window has no
   * element.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code ceil_mode}: long; default 0, 0 to 1.
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; required, 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code storage_order}: long; default 0, 0 to 1.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node maxPool(GraphBuilder builder, Value x) {
    return node(builder, "MaxPool", list(new Value[] {x}));
  }

  /**
   * Gradient of MaxPool (of GlobalMaxPool with 'global') with respect to X: each element of dY goes
   * to the first largest element of its window.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code ceil_mode}: long; default 0, 0 to 1.
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   * <p>Attribute {@code global}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param dY an input: f32 f16 f64 bf16
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node maxPoolGrad(GraphBuilder builder, Value dY, Value x) {
    return node(builder, "percale:MaxPoolGrad", list(new Value[] {dY, x}));
  }

  /**
   * The largest element in each bin of regions (image, x1, y1, x2, y2), whose corners times
   * spatial_scale are rounded to elements (Girshick 2015); 0 for an empty bin.
   * <p>Attribute {@code pooled_shape}: long[]; required.
   * <p>Attribute {@code spatial_scale}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param rois an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node maxRoiPool(GraphBuilder builder, Value x, Value rois) {
    return node(builder, "MaxRoiPool", list(new Value[] {x, rois}));
  }

  /**
   * Zeros, with each element of X at the position that I gives. I are the indices of a MaxPool.
   * output_shape may be larger than the shape that the window implies.
   * <p>Attribute {@code kernel_shape}: long[]; required, 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param i an input: i64
   * @param outputShape an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node maxUnpool(GraphBuilder builder, Value x, Value i, Value outputShape) {
    return node(builder, "MaxUnpool", list(new Value[] {x, i, outputShape}));
  }

  /**
   * The mean of the operands, broadcast; they are summed from left to right.
   *
   * @param builder the builder that gets the node
   * @param data inputs, any number: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node mean(GraphBuilder builder, Value... data) {
    return node(builder, "Mean", list(new Value[] {}, data));
  }

  /**
   * (X - mean) / (standard deviation + 1e-9) over axes, by default [0, 2, 3].
   * <p>Attribute {@code axes}: long[].
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node meanVarianceNormalization(GraphBuilder builder, Value x) {
    return node(builder, "MeanVarianceNormalization", list(new Value[] {x}));
  }

  /**
   * Triangular mel filters over the bins of a onesided DFT, one column per band: evenly spaced in
   * mel = 2595 log10(1 + f / 700), with peaks of 1.
   * <p>Attribute {@code output_datatype}: long; default 1, 1 to 27.
   *
   * @param builder the builder that gets the node
   * @param numMelBins an input: i32 i64
   * @param dftLength an input: i32 i64
   * @param sampleRate an input: i32 i64
   * @param lowerEdgeHertz an input: f32 f16 f64 bf16
   * @param upperEdgeHertz an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node melWeightMatrix(GraphBuilder builder, Value numMelBins, Value dftLength, Value sampleRate, Value lowerEdgeHertz, Value upperEdgeHertz) {
    return node(builder, "MelWeightMatrix", list(new Value[] {numMelBins, dftLength, sampleRate, lowerEdgeHertz, upperEdgeHertz}));
  }

  /**
   * The least of the operands, broadcast; NaN if any operand is NaN.
   *
   * @param builder the builder that gets the node
   * @param data inputs, any number: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node min(GraphBuilder builder, Value... data) {
    return node(builder, "Min", list(new Value[] {}, data));
  }

  /**
   * x tanh(log(1 + exp(x))) (Misra 2019).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node mish(GraphBuilder builder, Value x) {
    return node(builder, "Mish", list(new Value[] {x}));
  }

  /**
   * The remainder of A / B, broadcast. It has the sign of B, or with fmod = 1 the sign of A; floats
   * require fmod = 1.
   * <p>Attribute {@code fmod}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node mod(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Mod", list(new Value[] {a, b}));
  }

  /**
   * A * B, broadcast; integers wrap.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node mul(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Mul", list(new Value[] {a, b}));
  }

  /**
   * Draws sample_size classes for each row of [batch, classes], which holds unnormalised
   * log-probabilities.
   * <p>Attribute {@code dtype}: long; default 6.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code sample_size}: long; default 1, 1 or more.
   * <p>Attribute {@code seed}: double; default 0.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node multinomial(GraphBuilder builder, Value input) {
    return node(builder, "Multinomial", list(new Value[] {input}));
  }

  /**
   * Locks a mutex until the run ends, successfully or not; waits while another run holds it. Later
   * nodes see the variables as last published, so reading and assigning under one mutex loses no
   * update.
   * <p>Attribute {@code mutex}: String; required.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node mutexLock(GraphBuilder builder) {
    return node(builder, "percale:MutexLock", list(new Value[] {}));
  }

  /**
   * -X; integers wrap.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i8 i16 i32 i64 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node neg(GraphBuilder builder, Value x) {
    return node(builder, "Neg", list(new Value[] {x}));
  }

  /**
   * Gradient of NegativeLogLikelihoodLoss with respect to input: -dloss * weight[target] at the
   * target, zero elsewhere. It is divided by the sum of the weights used if the loss is a mean.
   * <p>Attribute {@code ignore_index}: long.
   * <p>Attribute {@code reduction}: String; default "mean".
   *
   * @param builder the builder that gets the node
   * @param dloss an input: f32 f16 f64 bf16
   * @param input an input: f32 f16 f64 bf16
   * @param target an input: i32 i64
   * @param weight an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node negativeLogLikelihoodGrad(GraphBuilder builder, Value dloss, Value input, Value target, Value weight) {
    return node(builder, "percale:NegativeLogLikelihoodGrad", list(new Value[] {dloss, input, target, weight}));
  }

  /**
   * -weight[target] * input[target] over axis 1 of input [N,C,D1,...], for target [N,D1,...]. The
   * mean divides by the sum of the weights used. Targets equal to ignore_index are ignored.
   * <p>Attribute {@code ignore_index}: long.
   * <p>Attribute {@code reduction}: String; default "mean".
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @param target an input: i32 i64
   * @param weight an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node negativeLogLikelihoodLoss(GraphBuilder builder, Value input, Value target, Value weight) {
    return node(builder, "NegativeLogLikelihoodLoss", list(new Value[] {input, target, weight}));
  }

  /**
   * Rows (batch, class, box) of the boxes with scores above score_threshold, by descending score in
   * each class. A box is dropped if its intersection over union with a better one is above
   * iou_threshold.
   * <p>Attribute {@code center_point_box}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param boxes an input: f32
   * @param scores an input: f32
   * @param maxOutputBoxesPerClass an optional input: i64
   * @param iouThreshold an optional input: f32
   * @param scoreThreshold an optional input: f32
   * @return the started node
   */
  public static GraphBuilder.Node nonMaxSuppression(GraphBuilder builder, Value boxes, Value scores, Value maxOutputBoxesPerClass, Value iouThreshold, Value scoreThreshold) {
    return node(builder, "NonMaxSuppression", list(new Value[] {boxes, scores, maxOutputBoxesPerClass, iouThreshold, scoreThreshold}));
  }

  /**
   * The coordinates of the n nonzero elements of X, in row-major order, as [rank, n]; NaN counts as
   * nonzero.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node nonZero(GraphBuilder builder, Value x) {
    return node(builder, "NonZero", list(new Value[] {x}));
  }

  /**
   * The places of the nonzero elements of X in row-major order, ascending and then zeros, and their
   * number.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node nonZeroPlaces(GraphBuilder builder, Value x) {
    return node(builder, "percale:NonZeroPlaces", list(new Value[] {x}));
  }

  /**
   * Logical not of X.
   *
   * @param builder the builder that gets the node
   * @param x an input: bool
   * @return the started node
   */
  public static GraphBuilder.Node not(GraphBuilder builder, Value x) {
    return node(builder, "Not", list(new Value[] {x}));
  }

  /**
   * One-hot vectors of size depth along a new dim {@code axis}: values[1] at the index (negative
   * indices count from the end), values[0] elsewhere. An index out of range gives values[0]
   * everywhere.
   * <p>Attribute {@code axis}: long; default -1.
   *
   * @param builder the builder that gets the node
   * @param indices an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param depth an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param values an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node oneHot(GraphBuilder builder, Value indices, Value depth, Value values) {
    return node(builder, "OneHot", list(new Value[] {indices, depth, values}));
  }

  /**
   * Logical or of A and B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: bool
   * @param b an input: bool
   * @return the started node
   */
  public static GraphBuilder.Node or(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Or", list(new Value[] {a, b}));
  }

  /**
   * X where X &gt;= 0, otherwise slope * X; slope broadcasts to X (He et al. 2015).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param slope an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node pRelu(GraphBuilder builder, Value x, Value slope) {
    return node(builder, "PRelu", list(new Value[] {x, slope}));
  }

  /**
   * Pads data before and after its dims, with a constant, reflected data, its edge, or data wrapped
   * around. Negative pads crop.
   * <p>Attribute {@code mode}: String; default "constant".
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @param pads an input: i64
   * @param constantValue an optional input: 23 types
   * @param axes an optional input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node pad(GraphBuilder builder, Value data, Value pads, Value constantValue, Value axes) {
    return node(builder, "Pad", list(new Value[] {data, pads, constantValue, axes}));
  }

  /**
   * The gradient of Pad with respect to data, of shape {@code shape}: each element of grad is added
   * to the element that Pad read.
   * <p>Attribute {@code mode}: String; default "constant".
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param pads an input: i64
   * @param shape an input: i64
   * @param axes an optional input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node padGrad(GraphBuilder builder, Value grad, Value pads, Value shape, Value axes) {
    return node(builder, "percale:PadGrad", list(new Value[] {grad, pads, shape, axes}));
  }

  /**
   * Normally distributed random numbers, of a given shape.
   * <p>Attribute {@code dtype}: long; default 1.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code mean}: double; default 0.
   * <p>Attribute {@code scale}: double; default 1.
   * <p>Attribute {@code seed}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node percaleRandomNormal(GraphBuilder builder, Value shape) {
    return node(builder, "percale:RandomNormal", list(new Value[] {shape}));
  }

  /**
   * Uniformly distributed random numbers in [low, high), of a given shape.
   * <p>Attribute {@code dtype}: long; default 1.
   * <p>Attribute {@code high}: double; default 1.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code low}: double; default 0.
   * <p>Attribute {@code seed}: long; default 0.
   *
   * @param builder the builder that gets the node
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node percaleRandomUniform(GraphBuilder builder, Value shape) {
    return node(builder, "percale:RandomUniform", list(new Value[] {shape}));
  }

  /**
   * X to the power Y, broadcast, in the dtype of X; integers wrap.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i32 i64 f16 f64 bf16
   * @param y an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node pow(GraphBuilder builder, Value x, Value y) {
    return node(builder, "Pow", list(new Value[] {x, y}));
  }

  /**
   * Returns X unchanged and logs its first {@code summarize} elements (-1: as many as fit on a
   * line), after {@code message}, through the engine's log callback at level info.
   * <p>Attribute {@code message}: String; default "".
   * <p>Attribute {@code summarize}: long; default 3, -1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node print(GraphBuilder builder, Value x) {
    return node(builder, "percale:Print", list(new Value[] {x}));
  }

  /**
   * Conv of quantised x and w plus B, quantised by y_scale and y_zero_point. Scales and zero points
   * are single values; those of w may be one per filter. B is i32 with the scale x_scale * w_scale.
   * <p>Attribute {@code auto_pad}: String; default "NOTSET".
   * <p>Attribute {@code dilations}: long[]; 1 or more.
   * <p>Attribute {@code group}: long; default 1, 1 or more.
   * <p>Attribute {@code kernel_shape}: long[]; 1 or more.
   * <p>Attribute {@code pads}: long[]; 0 or more.
   * <p>Attribute {@code strides}: long[]; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: u8 i8
   * @param xScale an input: f32
   * @param xZeroPoint an input: u8 i8
   * @param w an input: u8 i8
   * @param wScale an input: f32
   * @param wZeroPoint an input: u8 i8
   * @param yScale an input: f32
   * @param yZeroPoint an input: u8 i8
   * @param b an optional input: i32
   * @return the started node
   */
  public static GraphBuilder.Node qLinearConv(GraphBuilder builder, Value x, Value xScale, Value xZeroPoint, Value w, Value wScale, Value wZeroPoint, Value yScale, Value yZeroPoint, Value b) {
    return node(builder, "QLinearConv", list(new Value[] {x, xScale, xZeroPoint, w, wScale, wZeroPoint, yScale, yZeroPoint, b}));
  }

  /**
   * MatMul of quantised a and b, quantised by y_scale and y_zero_point. A vector of scales or zero
   * points holds one per row of a and y, or one per column of b.
   *
   * @param builder the builder that gets the node
   * @param a an input: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @param aScale an input: f32 f16 bf16
   * @param aZeroPoint an input: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @param b an input: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @param bScale an input: f32 f16 bf16
   * @param bZeroPoint an input: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @param yScale an input: f32 f16 bf16
   * @param yZeroPoint an input: u8 i8 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz
   * @return the started node
   */
  public static GraphBuilder.Node qLinearMatMul(GraphBuilder builder, Value a, Value aScale, Value aZeroPoint, Value b, Value bScale, Value bZeroPoint, Value yScale, Value yZeroPoint) {
    return node(builder, "QLinearMatMul", list(new Value[] {a, aScale, aZeroPoint, b, bScale, bZeroPoint, yScale, yZeroPoint}));
  }

  /**
   * x / y_scale rounded to nearest (ties to even) + y_zero_point, saturated to the range of the
   * dtype. Scale and zero point are as in DequantizeLinear; saturate applies to float8 as in Cast.
   * <p>Attribute {@code axis}: long; default 1.
   * <p>Attribute {@code block_size}: long; default 0, 0 or more.
   * <p>Attribute {@code output_dtype}: long; default 0.
   * <p>Attribute {@code precision}: long; default 0.
   * <p>Attribute {@code saturate}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i32 f16 f64 bf16
   * @param yScale an input: f32 i32 f16 f64 bf16 f8e8m0
   * @param yZeroPoint an optional input: u8 i8 u16 i16 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz u4 i4
   *     f4e2m1 u2 i2
   * @return the started node
   */
  public static GraphBuilder.Node quantizeLinear(GraphBuilder builder, Value x, Value yScale, Value yZeroPoint) {
    return node(builder, "QuantizeLinear", list(new Value[] {x, yScale, yZeroPoint}));
  }

  /**
   * Closes a queue at the end of this run; it then accepts no new elements. Enqueues that are
   * already waiting still complete, or fail with CANCELLED if cancel_pending_enqueues is 1.
   * Elements in the queue can still be dequeued.
   * <p>Attribute {@code queue}: String; required.
   * <p>Attribute {@code cancel_pending_enqueues}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node queueClose(GraphBuilder builder) {
    return node(builder, "percale:QueueClose", list(new Value[] {}));
  }

  /**
   * Removes and returns the first element of a queue. Waits while the queue is empty; fails with
   * OUT_OF_RANGE if it is empty and closed. Component i has dtype dtypes[i] and ranks[i] dims (-1:
   * any number). {@code dims} lists the dims of all components one after the other (-1: unknown). A
   * run that fails returns the elements that it took. Later nodes see the variables as last
   * published.
   * <p>Attribute {@code queue}: String; required.
   * <p>Attribute {@code capacity}: long; default 32, 1 or more.
   * <p>Attribute {@code dtypes}: long[]; required.
   * <p>Attribute {@code ranks}: long[]; required, -1 to 8.
   * <p>Attribute {@code dims}: long[]; -1 or more.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node queueDequeue(GraphBuilder builder) {
    return node(builder, "percale:QueueDequeue", list(new Value[] {}));
  }

  /**
   * Appends its inputs as one element to a queue of at most {@code capacity} elements. Waits while
   * the queue is full; fails with CANCELLED if the queue is closed. Other runs see the element when
   * this run has succeeded. A queue op runs only if it is a target of the run or its output is
   * needed; a control edge to a later node does not make it run.
   * <p>Attribute {@code queue}: String; required.
   * <p>Attribute {@code capacity}: long; default 32, 1 or more.
   *
   * @param builder the builder that gets the node
   * @param components inputs, any number: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node queueEnqueue(GraphBuilder builder, Value... components) {
    return node(builder, "percale:QueueEnqueue", list(new Value[] {}, components));
  }

  /**
   * The number of elements in a queue, as this run sees it, and whether the queue is closed.
   * <p>Attribute {@code queue}: String; required.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node queueSize(GraphBuilder builder) {
    return node(builder, "percale:QueueSize", list(new Value[] {}));
  }

  /**
   * X / sqrt(mean(X^2) + epsilon) * scale, with the mean over the dims from 'axis' on. It is
   * computed in stash_type (1: f32, 16: bf16), or in f64 for f64 inputs.
   * <p>Attribute {@code axis}: long; default -1.
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   * <p>Attribute {@code stash_type}: long; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node rmsNormalization(GraphBuilder builder, Value x, Value scale) {
    return node(builder, "RMSNormalization", list(new Value[] {x, scale}));
  }

  /**
   * Elman network over X [time,batch,input] (layout 1: batch first): H = f(X W^T + H R^T + B).
   * <p>Attribute {@code activation_alpha}: double[].
   * <p>Attribute {@code activation_beta}: double[].
   * <p>Attribute {@code activations}: String[].
   * <p>Attribute {@code clip}: double; 0 or more.
   * <p>Attribute {@code direction}: String; default "forward".
   * <p>Attribute {@code hidden_size}: long; 1 or more.
   * <p>Attribute {@code layout}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param r an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @param sequenceLens an optional input: i32
   * @param initialH an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node rnn(GraphBuilder builder, Value x, Value w, Value r, Value b, Value sequenceLens, Value initialH) {
    return node(builder, "RNN", list(new Value[] {x, w, r, b, sequenceLens, initialH}));
  }

  /**
   * Gradients of RNN with respect to X, W, R, B and initial_h, from the inputs of RNN and the
   * gradients of its outputs. The forward pass is recomputed. The op has no gradient.
   * <p>Attribute {@code activation_alpha}: double[].
   * <p>Attribute {@code activation_beta}: double[].
   * <p>Attribute {@code activations}: String[].
   * <p>Attribute {@code clip}: double; 0 or more.
   * <p>Attribute {@code direction}: String; default "forward".
   * <p>Attribute {@code hidden_size}: long; 1 or more.
   * <p>Attribute {@code layout}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param w an input: f32 f16 f64 bf16
   * @param r an input: f32 f16 f64 bf16
   * @param b an optional input: f32 f16 f64 bf16
   * @param sequenceLens an optional input: i32
   * @param initialH an optional input: f32 f16 f64 bf16
   * @param dY an optional input: f32 f16 f64 bf16
   * @param dYH an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node rnnGrad(GraphBuilder builder, Value x, Value w, Value r, Value b, Value sequenceLens, Value initialH, Value dY, Value dYH) {
    return node(builder, "percale:RNNGrad", list(new Value[] {x, w, r, b, sequenceLens, initialH, dY, dYH}));
  }

  /**
   * Normally distributed random numbers.
   * <p>Attribute {@code dtype}: long; default 1.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code mean}: double; default 0.
   * <p>Attribute {@code scale}: double; default 1.
   * <p>Attribute {@code seed}: double; default 0.
   * <p>Attribute {@code shape}: long[]; required, 0 or more.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node randomNormal(GraphBuilder builder) {
    return node(builder, "RandomNormal", list(new Value[] {}));
  }

  /**
   * Normally distributed random numbers, in the shape of the input and, unless dtype is given, its
   * dtype.
   * <p>Attribute {@code dtype}: long.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code mean}: double; default 0.
   * <p>Attribute {@code scale}: double; default 1.
   * <p>Attribute {@code seed}: double; default 0.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node randomNormalLike(GraphBuilder builder, Value input) {
    return node(builder, "RandomNormalLike", list(new Value[] {input}));
  }

  /**
   * Uniformly distributed random numbers in [low, high).
   * <p>Attribute {@code dtype}: long; default 1.
   * <p>Attribute {@code high}: double; default 1.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code low}: double; default 0.
   * <p>Attribute {@code seed}: double; default 0.
   * <p>Attribute {@code shape}: long[]; required, 0 or more.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node randomUniform(GraphBuilder builder) {
    return node(builder, "RandomUniform", list(new Value[] {}));
  }

  /**
   * Uniformly distributed random numbers in [low, high), in the shape of the input and, unless
   * dtype is given, its dtype.
   * <p>Attribute {@code dtype}: long.
   * <p>Attribute {@code high}: double; default 1.
   * <p>Attribute {@code id}: long; default 0, 0 or more.
   * <p>Attribute {@code low}: double; default 0.
   * <p>Attribute {@code seed}: double; default 0.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node randomUniformLike(GraphBuilder builder, Value input) {
    return node(builder, "RandomUniformLike", list(new Value[] {input}));
  }

  /**
   * start, start + delta, and so on, up to but not including limit.
   *
   * @param builder the builder that gets the node
   * @param start an input: f32 i16 i32 i64 f16 f64 bf16
   * @param limit an input: f32 i16 i32 i64 f16 f64 bf16
   * @param delta an input: f32 i16 i32 i64 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node range(GraphBuilder builder, Value start, Value limit, Value delta) {
    return node(builder, "Range", list(new Value[] {start, limit, delta}));
  }

  /**
   * The value of a variable as this run sees it.
   * <p>Attribute {@code variable}: String; required.
   * <p>Attribute {@code dtype}: long; required.
   * <p>Attribute {@code shape}: long[]; required, 0 or more.
   *
   * @param builder the builder that gets the node
   * @return the started node
   */
  public static GraphBuilder.Node readVariable(GraphBuilder builder) {
    return node(builder, "percale:ReadVariable", list(new Value[] {}));
  }

  /**
   * 1 / X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node reciprocal(GraphBuilder builder, Value x) {
    return node(builder, "Reciprocal", list(new Value[] {x}));
  }

  /**
   * The sum of absolute values over axes (default: all); 0 for no elements.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceL1(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceL1", list(new Value[] {data, axes}));
  }

  /**
   * The square root of the sum of squares over axes (default: all); integers truncate.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceL2(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceL2", list(new Value[] {data, axes}));
  }

  /**
   * The logarithm of the sum over axes (default: all); integers truncate.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceLogSum(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceLogSum", list(new Value[] {data, axes}));
  }

  /**
   * The logarithm of the sum of exp over axes (default: all), computed without overflow; integers
   * truncate.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceLogSumExp(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceLogSumExp", list(new Value[] {data, axes}));
  }

  /**
   * The greatest element over axes (default: all); NaN if any is NaN.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceMax(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceMax", list(new Value[] {data, axes}));
  }

  /**
   * The mean over axes (default: all); integers truncate towards zero.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceMean(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceMean", list(new Value[] {data, axes}));
  }

  /**
   * The least element over axes (default: all); NaN if any is NaN.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 i32 i64 bool f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceMin(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceMin", list(new Value[] {data, axes}));
  }

  /**
   * The product over axes (default: all); 1 for no elements.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceProd(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceProd", list(new Value[] {data, axes}));
  }

  /**
   * The sum over axes (default: all); 0 for no elements.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceSum(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceSum", list(new Value[] {data, axes}));
  }

  /**
   * The sum of squares over axes (default: all); integers wrap.
   * <p>Attribute {@code keepdims}: long; default 1, 0 to 1.
   * <p>Attribute {@code noop_with_empty_axes}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 i32 i64 f16 f64 u32 u64 bf16
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reduceSumSquare(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "ReduceSumSquare", list(new Value[] {data, axes}));
  }

  /**
   * max(X, 0); NaN stays NaN.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 i8 i16 i32 i64 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node relu(GraphBuilder builder, Value x) {
    return node(builder, "Relu", list(new Value[] {x}));
  }

  /**
   * The gradient of Relu, from the gradient and the value of its result: grad, or 0 where y &lt;=
   * 0.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 i8 i16 i32 i64 f16 f64 bf16
   * @param y an input: f32 i8 i16 i32 i64 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node reluGrad(GraphBuilder builder, Value grad, Value y) {
    return node(builder, "percale:ReluGrad", list(new Value[] {grad, y}));
  }

  /**
   * The tensor in another memory format. Formats exist only in plans; in a graph the op is a copy.
   *
   * @param builder the builder that gets the node
   * @param x an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node reorder(GraphBuilder builder, Value x) {
    return node(builder, "percale:Reorder", list(new Value[] {x}));
  }

  /**
   * data in another shape. -1 is inferred from the number of elements; 0 copies the dim of data
   * unless allowzero is set.
   * <p>Attribute {@code allowzero}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reshape(GraphBuilder builder, Value data, Value shape) {
    return node(builder, "Reshape", list(new Value[] {data, shape}));
  }

  /**
   * x resampled along its axes to scales * dims or to sizes, by nearest, linear or cubic
   * interpolation, with ONNX's coordinate modes (and tf_half_pixel_for_nn of opset 11). antialias
   * widens the filter where x shrinks.
   * <p>Attribute {@code antialias}: long; default 0, 0 to 1.
   * <p>Attribute {@code axes}: long[].
   * <p>Attribute {@code coordinate_transformation_mode}: String; default "half_pixel".
   * <p>Attribute {@code cubic_coeff_a}: double; default -0.75.
   * <p>Attribute {@code exclude_outside}: long; default 0, 0 to 1.
   * <p>Attribute {@code extrapolation_value}: double; default 0.
   * <p>Attribute {@code keep_aspect_ratio_policy}: String; default "stretch".
   * <p>Attribute {@code mode}: String; default "nearest".
   * <p>Attribute {@code nearest_mode}: String; default "round_prefer_floor".
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param roi an optional input: f32 f16 f64
   * @param scales an optional input: f32
   * @param sizes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node resize(GraphBuilder builder, Value x, Value roi, Value scales, Value sizes) {
    return node(builder, "Resize", list(new Value[] {x, roi, scales, sizes}));
  }

  /**
   * The gradient of Resize with respect to X, of shape {@code shape}: each element of grad is added
   * to the elements that Resize read, with the same weights.
   * <p>Attribute {@code antialias}: long; default 0, 0 to 1.
   * <p>Attribute {@code axes}: long[].
   * <p>Attribute {@code coordinate_transformation_mode}: String; default "half_pixel".
   * <p>Attribute {@code cubic_coeff_a}: double; default -0.75.
   * <p>Attribute {@code exclude_outside}: long; default 0, 0 to 1.
   * <p>Attribute {@code keep_aspect_ratio_policy}: String; default "stretch".
   * <p>Attribute {@code mode}: String; default "nearest".
   * <p>Attribute {@code nearest_mode}: String; default "round_prefer_floor".
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param shape an input: i64
   * @param roi an optional input: f32 f16 f64
   * @param scales an optional input: f32
   * @param sizes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node resizeGrad(GraphBuilder builder, Value grad, Value shape, Value roi, Value scales, Value sizes) {
    return node(builder, "percale:ResizeGrad", list(new Value[] {grad, shape, roi, scales, sizes}));
  }

  /**
   * The input, with the first sequence_lens[b] elements of sequence b reversed along time_axis.
   * <p>Attribute {@code batch_axis}: long; default 1, 0 to 1.
   * <p>Attribute {@code time_axis}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param sequenceLens an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node reverseSequence(GraphBuilder builder, Value input, Value sequenceLens) {
    return node(builder, "ReverseSequence", list(new Value[] {input, sequenceLens}));
  }

  /**
   * The mean or maximum of samples in each bin of regions (x1, y1, x2, y2) of X, with linear
   * interpolation (He et al. 2017). Each bin has sampling_ratio samples per dim (0: its length,
   * rounded up).
   * <p>Attribute {@code coordinate_transformation_mode}: String; default "half_pixel".
   * <p>Attribute {@code mode}: String; default "avg".
   * <p>Attribute {@code output_height}: long; default 1, 1 to 1048576.
   * <p>Attribute {@code output_width}: long; default 1, 1 to 1048576.
   * <p>Attribute {@code sampling_ratio}: long; default 0, 0 to 65536.
   * <p>Attribute {@code spatial_scale}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param rois an input: f32 f16 f64 bf16
   * @param batchIndices an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node roiAlign(GraphBuilder builder, Value x, Value rois, Value batchIndices) {
    return node(builder, "RoiAlign", list(new Value[] {x, rois, batchIndices}));
  }

  /**
   * The gradient of RoiAlign with mode avg with respect to X, of shape {@code shape}.
   * <p>Attribute {@code coordinate_transformation_mode}: String; default "half_pixel".
   * <p>Attribute {@code mode}: String; default "avg".
   * <p>Attribute {@code output_height}: long; default 1, 1 to 1048576.
   * <p>Attribute {@code output_width}: long; default 1, 1 to 1048576.
   * <p>Attribute {@code sampling_ratio}: long; default 0, 0 to 65536.
   * <p>Attribute {@code spatial_scale}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 f16 f64 bf16
   * @param rois an input: f32 f16 f64 bf16
   * @param batchIndices an input: i64
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node roiAlignGrad(GraphBuilder builder, Value grad, Value rois, Value batchIndices, Value shape) {
    return node(builder, "percale:RoiAlignGrad", list(new Value[] {grad, rois, batchIndices, shape}));
  }

  /**
   * Rotates pairs of elements of each head by the angles whose cosines and sines the caches hold,
   * looked up by position_ids if given (Su et al. 2021). Only the first rotary_embedding_dim
   * elements of each head are rotated (0: all).
   * <p>Attribute {@code interleaved}: long; default 0, 0 to 1.
   * <p>Attribute {@code num_heads}: long; default 0, 0 or more.
   * <p>Attribute {@code rotary_embedding_dim}: long; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param cosCache an input: f32 f16 f64 bf16
   * @param sinCache an input: f32 f16 f64 bf16
   * @param positionIds an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node rotaryEmbedding(GraphBuilder builder, Value x, Value cosCache, Value sinCache, Value positionIds) {
    return node(builder, "RotaryEmbedding", list(new Value[] {x, cosCache, sinCache, positionIds}));
  }

  /**
   * X rounded to the nearest integer, ties to even.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node round(GraphBuilder builder, Value x) {
    return node(builder, "Round", list(new Value[] {x}));
  }

  /**
   * The DFT of each frame of frame_length samples, frame_step apart, of a signal [batch, length, 1
   * or 2], multiplied by the window.
   * <p>Attribute {@code onesided}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param signal an input: f32 f16 f64 bf16
   * @param frameStep an input: i32 i64
   * @param window an optional input: f32 f16 f64 bf16
   * @param frameLength an optional input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node stft(GraphBuilder builder, Value signal, Value frameStep, Value window, Value frameLength) {
    return node(builder, "STFT", list(new Value[] {signal, frameStep, window, frameLength}));
  }

  /**
   * data with updates set, added, multiplied, or combined by max or min, in the order of the
   * indices, at the positions that GatherElements would read.
   * <p>Attribute {@code axis}: long; default 0.
   * <p>Attribute {@code reduction}: String; default "none".
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param indices an input: i32 i64
   * @param updates an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node scatterElements(GraphBuilder builder, Value data, Value indices, Value updates) {
    return node(builder, "ScatterElements", list(new Value[] {data, indices, updates}));
  }

  /**
   * data with updates set, added, multiplied, or combined by max or min, in the order of the
   * tuples, at the slices that tuples of indices select.
   * <p>Attribute {@code reduction}: String; default "none".
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param indices an input: i64
   * @param updates an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node scatterND(GraphBuilder builder, Value data, Value indices, Value updates) {
    return node(builder, "ScatterND", list(new Value[] {data, indices, updates}));
  }

  /**
   * gamma x where x &gt; 0, otherwise gamma alpha (exp(x) - 1) (Klambauer et al. 2017).
   * <p>Attribute {@code alpha}: double; default 1.6732631921768188.
   * <p>Attribute {@code gamma}: double; default 1.0507010221481323.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node selu(GraphBuilder builder, Value x) {
    return node(builder, "Selu", list(new Value[] {x}));
  }

  /**
   * The dims [start, end) of the input's shape; negative bounds count from the end.
   * <p>Attribute {@code start}: long; default 0.
   * <p>Attribute {@code end}: long.
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node shape(GraphBuilder builder, Value data) {
    return node(builder, "Shape", list(new Value[] {data}));
  }

  /**
   * In every shard, the sum of r_s X_s over the shards s of a batch, where r_s is the fraction of
   * the batch's rows in shard s. With {@code transposed}, r_s times the sum of all X_s, which is
   * the gradient of the former. It waits for all shards, which a trainer computes at the same time.
   * Without shards, as in a session's run, the output is X.
   * <p>Attribute {@code transposed}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node shardMean(GraphBuilder builder, Value x) {
    return node(builder, "percale:ShardMean", list(new Value[] {x}));
  }

  /**
   * x + bias where x &lt; -lambd, x - bias where x &gt; lambd, otherwise 0.
   * <p>Attribute {@code bias}: double; default 0.
   * <p>Attribute {@code lambd}: double; default 0.5.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node shrink(GraphBuilder builder, Value input) {
    return node(builder, "Shrink", list(new Value[] {input}));
  }

  /**
   * 1 / (1 + exp(-X)).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sigmoid(GraphBuilder builder, Value x) {
    return node(builder, "Sigmoid", list(new Value[] {x}));
  }

  /**
   * The sign of X: -1, 0 or 1; NaN stays NaN.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sign(GraphBuilder builder, Value x) {
    return node(builder, "Sign", list(new Value[] {x}));
  }

  /**
   * The sine of X in radians.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sin(GraphBuilder builder, Value x) {
    return node(builder, "Sin", list(new Value[] {x}));
  }

  /**
   * The hyperbolic sine of the input.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sinh(GraphBuilder builder, Value input) {
    return node(builder, "Sinh", list(new Value[] {input}));
  }

  /**
   * The number of elements of the input.
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node size(GraphBuilder builder, Value data) {
    return node(builder, "Size", list(new Value[] {data}));
  }

  /**
   * The elements from starts to before ends, by steps, along axes, as numpy's x[start:end:step].
   *
   * @param builder the builder that gets the node
   * @param data an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param starts an input: i32 i64
   * @param ends an input: i32 i64
   * @param axes an optional input: i32 i64
   * @param steps an optional input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node slice(GraphBuilder builder, Value data, Value starts, Value ends, Value axes, Value steps) {
    return node(builder, "Slice", list(new Value[] {data, starts, ends, axes, steps}));
  }

  /**
   * Zeros of shape {@code shape}, with grad at the positions that Slice reads.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param shape an input: i64
   * @param starts an input: i32 i64
   * @param ends an input: i32 i64
   * @param axes an optional input: i32 i64
   * @param steps an optional input: i32 i64
   * @return the started node
   */
  public static GraphBuilder.Node sliceGrad(GraphBuilder builder, Value grad, Value shape, Value starts, Value ends, Value axes, Value steps) {
    return node(builder, "percale:SliceGrad", list(new Value[] {grad, shape, starts, ends, axes, steps}));
  }

  /**
   * exp(x) / sum of exp(x) along {@code axis}.
   * <p>Attribute {@code axis}: long; default -1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node softmax(GraphBuilder builder, Value input) {
    return node(builder, "Softmax", list(new Value[] {input}));
  }

  /**
   * Gradient of SoftmaxCrossEntropyLoss with respect to scores: dloss * weights[label] *
   * (softmax(scores) - onehot(label)). It is divided by the sum of the weights used if the loss is
   * a mean.
   * <p>Attribute {@code ignore_index}: long.
   * <p>Attribute {@code reduction}: String; default "mean".
   *
   * @param builder the builder that gets the node
   * @param dloss an input: f32 f16 f64 bf16
   * @param scores an input: f32 f16 f64 bf16
   * @param labels an input: i32 i64
   * @param weights an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node softmaxCrossEntropyGrad(GraphBuilder builder, Value dloss, Value scores, Value labels, Value weights) {
    return node(builder, "percale:SoftmaxCrossEntropyGrad", list(new Value[] {dloss, scores, labels, weights}));
  }

  /**
   * -weights[label] * log_softmax(scores)[label] over axis 1 of scores [N,C,D1,...], for labels
   * [N,D1,...]. The mean divides by the sum of the weights used. Labels equal to ignore_index are
   * ignored.
   * <p>Attribute {@code ignore_index}: long.
   * <p>Attribute {@code reduction}: String; default "mean".
   *
   * @param builder the builder that gets the node
   * @param scores an input: f32 f16 f64 bf16
   * @param labels an input: i32 i64
   * @param weights an optional input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node softmaxCrossEntropyLoss(GraphBuilder builder, Value scores, Value labels, Value weights) {
    return node(builder, "SoftmaxCrossEntropyLoss", list(new Value[] {scores, labels, weights}));
  }

  /**
   * log(1 + exp(x)).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node softplus(GraphBuilder builder, Value x) {
    return node(builder, "Softplus", list(new Value[] {x}));
  }

  /**
   * x / (1 + |x|).
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node softsign(GraphBuilder builder, Value x) {
    return node(builder, "Softsign", list(new Value[] {x}));
  }

  /**
   * Moves blocks of blocksize * blocksize pixels of [N,C,H,W] into channels. The position in the
   * block is the outer part of the channel index.
   * <p>Attribute {@code blocksize}: long; required, 1 to 2048.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node spaceToDepth(GraphBuilder builder, Value input) {
    return node(builder, "SpaceToDepth", list(new Value[] {input}));
  }

  /**
   * ApplyAdagrad for the rows of param and square that {@code rows} lists, as SumRows returns them.
   * Other rows are neither read nor written. The result equals ApplyAdagrad with zero gradients for
   * the other rows.
   * <p>Attribute {@code epsilon}: double; default 1e-10, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param rows an input: i64
   * @param grad an input: f32 f16 f64 bf16
   * @param square an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node sparseApplyAdagrad(GraphBuilder builder, Value param, Value rows, Value grad, Value square, Value learningRate, Value gradScale) {
    return node(builder, "percale:SparseApplyAdagrad", list(new Value[] {param, rows, grad, square, learningRate, gradScale}));
  }

  /**
   * ApplyAdam for the rows of param, m and v that {@code rows} lists, as SumRows returns them
   * (PyTorch's SparseAdam). The moments of other rows do not decay; the step applies to all rows.
   * <p>Attribute {@code beta1}: double; default 0.9, 0 to 1.
   * <p>Attribute {@code beta2}: double; default 0.999, 0 to 1.
   * <p>Attribute {@code epsilon}: double; default 1e-08, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param rows an input: i64
   * @param grad an input: f32 f16 f64 bf16
   * @param m an input: f32 f16 f64 bf16
   * @param v an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param step an input: i64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node sparseApplyAdam(GraphBuilder builder, Value param, Value rows, Value grad, Value m, Value v, Value learningRate, Value step, Value gradScale) {
    return node(builder, "percale:SparseApplyAdam", list(new Value[] {param, rows, grad, m, v, learningRate, step, gradScale}));
  }

  /**
   * ApplyFtrl for the rows of param, accumulator and linear that {@code rows} lists, as SumRows
   * returns them (TensorFlow's SparseApplyFtrl).
   * <p>Attribute {@code learning_rate_power}: double; default -0.5, -1000000.0 to 0.
   * <p>Attribute {@code l1}: double; default 0, 0 or more.
   * <p>Attribute {@code l2}: double; default 0, 0 or more.
   * <p>Attribute {@code l2_shrinkage}: double; default 0, 0 or more.
   * <p>Attribute {@code beta}: double; default 0, 0 or more.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param rows an input: i64
   * @param grad an input: f32 f16 f64 bf16
   * @param accumulator an input: f32 f16 f64 bf16
   * @param linear an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node sparseApplyFtrl(GraphBuilder builder, Value param, Value rows, Value grad, Value accumulator, Value linear, Value learningRate, Value gradScale) {
    return node(builder, "percale:SparseApplyFtrl", list(new Value[] {param, rows, grad, accumulator, linear, learningRate, gradScale}));
  }

  /**
   * ApplyMomentum for the rows of param and buffer that {@code rows} lists, as SumRows returns them
   * (TensorFlow's SparseApplyMomentum). The momentum of other rows does not change.
   * <p>Attribute {@code momentum}: double; default 0.9, 0 or more.
   * <p>Attribute {@code nesterov}: long; default 0, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param rows an input: i64
   * @param grad an input: f32 f16 f64 bf16
   * @param buffer an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node sparseApplyMomentum(GraphBuilder builder, Value param, Value rows, Value grad, Value buffer, Value learningRate, Value gradScale) {
    return node(builder, "percale:SparseApplyMomentum", list(new Value[] {param, rows, grad, buffer, learningRate, gradScale}));
  }

  /**
   * ApplySGD for the rows of param that {@code rows} lists, as SumRows returns them. Other rows are
   * neither read nor written. The result equals ApplySGD with zero gradients for the other rows.
   *
   * @param builder the builder that gets the node
   * @param param an input: f32 f16 f64 bf16
   * @param rows an input: i64
   * @param grad an input: f32 f16 f64 bf16
   * @param learningRate an input: f32 f64
   * @param gradScale an optional input: f32 f64
   * @return the started node
   */
  public static GraphBuilder.Node sparseApplySGD(GraphBuilder builder, Value param, Value rows, Value grad, Value learningRate, Value gradScale) {
    return node(builder, "percale:SparseApplySGD", list(new Value[] {param, rows, grad, learningRate, gradScale}));
  }

  /**
   * Splits the input along {@code axis} into parts of the given sizes. Without sizes, the parts are
   * equal and the last may be smaller.
   * <p>Attribute {@code axis}: long; default 0.
   * <p>Attribute {@code num_outputs}: long; 1 or more.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param split an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node split(GraphBuilder builder, Value input, Value split) {
    return node(builder, "Split", list(new Value[] {input, split}));
  }

  /**
   * The square root of X; NaN for negative X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sqrt(GraphBuilder builder, Value x) {
    return node(builder, "Sqrt", list(new Value[] {x}));
  }

  /**
   * Removes dims of size 1: those in axes, or all without axes.
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @param axes an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node squeeze(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "Squeeze", list(new Value[] {data, axes}));
  }

  /**
   * A - B, broadcast; integers wrap.
   *
   * @param builder the builder that gets the node
   * @param a an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param b an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sub(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Sub", list(new Value[] {a, b}));
  }

  /**
   * The sum of the operands from left to right, broadcast.
   *
   * @param builder the builder that gets the node
   * @param data inputs, any number: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sum(GraphBuilder builder, Value... data) {
    return node(builder, "Sum", list(new Value[] {}, data));
  }

  /**
   * Sums values [count, ...] that have the same row number, in their order. The outputs are the
   * distinct row numbers in ascending order and their sums; unused rows at the end are -1 and
   * zeros. Negative row numbers are ignored.
   *
   * @param builder the builder that gets the node
   * @param rows an input: i64
   * @param values an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node sumRows(GraphBuilder builder, Value rows, Value values) {
    return node(builder, "percale:SumRows", list(new Value[] {rows, values}));
  }

  /**
   * Sums x to shape {@code shape}, over the dims that broadcasting {@code shape} to the shape of x
   * repeats: the transpose of Expand.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node sumToShape(GraphBuilder builder, Value x, Value shape) {
    return node(builder, "percale:SumToShape", list(new Value[] {x, shape}));
  }

  /**
   * x sigmoid(alpha x) (Ramachandran et al. 2017).
   * <p>Attribute {@code alpha}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node swish(GraphBuilder builder, Value x) {
    return node(builder, "Swish", list(new Value[] {x}));
  }

  /**
   * BatchNormalization in training mode with the statistics of all shards of the batch (see
   * ShardMean). The gradient flows through these statistics.
   * <p>Attribute {@code epsilon}: double; default 1e-05, 0 or more.
   * <p>Attribute {@code momentum}: double; default 0.9.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @param scale an input: f32 f16 f64 bf16
   * @param b an input: f32 f16 f64 bf16
   * @param inputMean an input: f32 f16 f64 bf16
   * @param inputVar an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node synchronizedBatchNormalization(GraphBuilder builder, Value x, Value scale, Value b, Value inputMean, Value inputVar) {
    return node(builder, "percale:SynchronizedBatchNormalization", list(new Value[] {x, scale, b, inputMean, inputVar}));
  }

  /**
   * The tangent of the input in radians.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node tan(GraphBuilder builder, Value input) {
    return node(builder, "Tan", list(new Value[] {input}));
  }

  /**
   * The hyperbolic tangent of X.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node tanh(GraphBuilder builder, Value x) {
    return node(builder, "Tanh", list(new Value[] {x}));
  }

  /**
   * past_cache with update written along {@code axis} at write_indices[b] (default 0) and the
   * positions after it. In circular mode, writing wraps around to the beginning.
   * <p>Attribute {@code axis}: long; default -2.
   * <p>Attribute {@code mode}: String; default "linear".
   *
   * @param builder the builder that gets the node
   * @param pastCache an input: 23 types
   * @param update an input: 23 types
   * @param writeIndices an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node tensorScatter(GraphBuilder builder, Value pastCache, Value update, Value writeIndices) {
    return node(builder, "TensorScatter", list(new Value[] {pastCache, update, writeIndices}));
  }

  /**
   * x where x &gt; alpha, otherwise 0.
   * <p>Attribute {@code alpha}: double; default 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 f16 f64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node thresholdedRelu(GraphBuilder builder, Value x) {
    return node(builder, "ThresholdedRelu", list(new Value[] {x}));
  }

  /**
   * The input repeated repeats[d] times along each dim d.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param repeats an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node tile(GraphBuilder builder, Value input, Value repeats) {
    return node(builder, "Tile", list(new Value[] {input, repeats}));
  }

  /**
   * The gradient of Tile, of shape {@code shape}: the sum over all repetitions.
   *
   * @param builder the builder that gets the node
   * @param grad an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param repeats an input: i64
   * @param shape an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node tileGrad(GraphBuilder builder, Value grad, Value repeats, Value shape) {
    return node(builder, "percale:TileGrad", list(new Value[] {grad, repeats, shape}));
  }

  /**
   * The K greatest (or least) elements along {@code axis}, and their indices; among equals, those
   * that come first. They are always sorted, even without {@code sorted}. NaN counts as greatest.
   * <p>Attribute {@code axis}: long; default -1.
   * <p>Attribute {@code largest}: long; default 1, 0 to 1.
   * <p>Attribute {@code sorted}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 f16 f64 u32 u64 bf16
   * @param k an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node topK(GraphBuilder builder, Value x, Value k) {
    return node(builder, "TopK", list(new Value[] {x, k}));
  }

  /**
   * The input with permuted dims: dim d of the result is dim perm[d] of the input. Without perm,
   * all dims are reversed.
   * <p>Attribute {@code perm}: long[]; 0 or more.
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @return the started node
   */
  public static GraphBuilder.Node transpose(GraphBuilder builder, Value data) {
    return node(builder, "Transpose", list(new Value[] {data}));
  }

  /**
   * The input's matrices with zeros below (upper) or above (lower) diagonal k.
   * <p>Attribute {@code upper}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param input an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param k an optional input: i64
   * @return the started node
   */
  public static GraphBuilder.Node trilu(GraphBuilder builder, Value input, Value k) {
    return node(builder, "Trilu", list(new Value[] {input, k}));
  }

  /**
   * The distinct slices of X along {@code axis}, or its distinct elements without {@code axis}, in
   * ascending order or (sorted 0) in order of first occurrence. Further outputs: the index of each
   * first occurrence, for each slice of X its index in Y, and the count of each.
   * <p>Attribute {@code axis}: long.
   * <p>Attribute {@code sorted}: long; default 1, 0 to 1.
   *
   * @param builder the builder that gets the node
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node unique(GraphBuilder builder, Value x) {
    return node(builder, "Unique", list(new Value[] {x}));
  }

  /**
   * Inserts dims of size 1 at the positions {@code axes} of the result.
   *
   * @param builder the builder that gets the node
   * @param data an input: 23 types
   * @param axes an input: i64
   * @return the started node
   */
  public static GraphBuilder.Node unsqueeze(GraphBuilder builder, Value data, Value axes) {
    return node(builder, "Unsqueeze", list(new Value[] {data, axes}));
  }

  /**
   * X where the condition is true, otherwise Y; all three broadcast.
   *
   * @param builder the builder that gets the node
   * @param condition an input: bool
   * @param x an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @param y an input: f32 u8 i8 u16 i16 i32 i64 bool f16 f64 u32 u64 bf16
   * @return the started node
   */
  public static GraphBuilder.Node where(GraphBuilder builder, Value condition, Value x, Value y) {
    return node(builder, "Where", list(new Value[] {condition, x, y}));
  }

  /**
   * Logical exclusive or of A and B, broadcast.
   *
   * @param builder the builder that gets the node
   * @param a an input: bool
   * @param b an input: bool
   * @return the started node
   */
  public static GraphBuilder.Node xor(GraphBuilder builder, Value a, Value b) {
    return node(builder, "Xor", list(new Value[] {a, b}));
  }
}
