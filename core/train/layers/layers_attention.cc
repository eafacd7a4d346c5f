// Embedding, EmbeddingBag, MultiHeadAttention.
#include <array>
#include <cmath>
#include <limits>

#include "core/train/layers/layer_attributes.h"
#include "core/train/layers/layers.h"

namespace percale {
namespace {

ValueId embeddings(LayerContext& l) {
  return l.parameter("embeddings", Shape{l.integer("input_dim"), l.integer("output_dim")},
                     l.text("embeddings_initializer"));
}

// Returns the input as indices. Floats are truncated to whole numbers, as in Keras.
ValueId indices(LayerContext& l) {
  const DType given = l.dtype(l.input());
  const bool index = given == DType::kI32 || given == DType::kI64;
  return index ? l.input() : l.emit("Cast", {l.input()}, {{"to", DType::kI64}});
}

ValueId embedding(LayerContext& l) {
  if (l.flag("mask_zero")) return l.refuse("mask_zero");
  const ValueId table = embeddings(l);
  return l.emit("Gather", {table, indices(l)}, {{"axis", 0}});
}

ValueId embedding_bag(LayerContext& l) {
  const Shape& s = l.shape(l.input());
  if (s.known_rank() && s.rank() != 2) return l.error("the input must be [batch, length], it has shape ", s);
  const std::string mode(l.text("combiner"));
  if (mode != "sum" && mode != "mean" && mode != "max") {
    return l.error("'combiner' is '", mode, "', wanted sum, mean or max");
  }
  Attributes attributes{{"mode", mode}};
  if (l.attributes().contains("padding_idx")) attributes.set("padding_idx", l.integer("padding_idx"));
  const ValueId table = embeddings(l);
  return l.emit("percale:EmbeddingBag", {table, indices(l)}, attributes);
}

// Returns the last dim of an input [batch, time, depth].
int64_t depth_of(LayerContext& l, ValueId x) {
  const Shape& s = l.shape(x);
  if (s.known_rank() && s.rank() == 3 && s[2] > 0) return s[2];
  l.error("the inputs must be [batch, time, depth] with known depth, got ", s);
  return 1;
}

// Multiplies x [batch, time, depth] by <leaf>/kernel [depth, heads, size] and adds the bias. The
// result is [batch, time, heads, size].
ValueId project(LayerContext& l, ValueId x, std::string_view leaf, int64_t heads, int64_t size) {
  const int64_t depth = depth_of(l, x), width = heads * size;
  const ValueId kernel = l.parameter(str_cat(leaf, "/kernel"), Shape{depth, heads, size}, l.text("kernel_initializer"));
  ValueId y = l.emit("MatMul", {x, l.emit("Reshape", {kernel, l.ints({depth, width})})});
  if (l.flag("use_bias")) {
    const ValueId bias = l.parameter(str_cat(leaf, "/bias"), Shape{heads, size}, l.text("bias_initializer"));
    y = l.emit("Add", {y, l.emit("Reshape", {bias, l.ints({width})})});
  }
  return l.emit("Reshape", {y, l.ints({0, 0, heads, size})});
}

// Returns the term added to scores [.., queries, keys] so that a query ignores later keys: 0, or
// minus infinity.
ValueId causal_mask(LayerContext& l, ValueId query, ValueId key, DType dtype) {
  const auto positions = [&](ValueId x) {
    const ValueId length = l.emit("Gather", {l.emit("Shape", {x}), l.scalar(DType::kI64, 1)});
    return l.emit("Range", {l.scalar(DType::kI64, 0), length, l.scalar(DType::kI64, 1)});
  };
  const ValueId rows = l.emit("Unsqueeze", {positions(query), l.ints({1})});
  return l.emit("Where", {l.emit("GreaterOrEqual", {rows, positions(key)}), l.scalar(dtype, 0),
                          l.scalar(dtype, -std::numeric_limits<double>::infinity())});
}

// Inputs: query, value, key. The value defaults to the query and the key to the value.
ValueId multi_head_attention(LayerContext& l) {
  if (!l.attributes().get_ints("attention_axes").empty()) return l.refuse("attention_axes");
  const auto& shape = l.attributes().get_ints("output_shape");
  if (shape.size() > 1) {
    return l.not_implemented(
        "an 'output_shape' with several dims is not implemented; give their product, and add a Reshape");
  }
  const auto& inputs = l.inputs();
  const ValueId query = inputs[0], value = inputs.size() > 1 ? inputs[1] : query,
                key = inputs.size() > 2 ? inputs[2] : value;
  const int64_t heads = l.integer("num_heads"), key_dim = l.integer("key_dim");
  const int64_t value_dim = l.attributes().contains("value_dim") ? l.integer("value_dim") : key_dim;
  const int64_t out = shape.empty() ? depth_of(l, query) : shape[0];
  const DType t = l.dtype(query);
  const ValueId q = l.emit(
      "Mul", {project(l, query, "query", heads, key_dim), l.scalar(t, 1 / std::sqrt(static_cast<double>(key_dim)))});
  const ValueId k = project(l, key, "key", heads, key_dim), v = project(l, value, "value", heads, value_dim);
  ValueId scores = l.emit("MatMul", {l.transpose(q, {0, 2, 1, 3}), l.transpose(k, {0, 2, 3, 1})});
  if (l.flag("use_causal_mask")) scores = l.emit("Add", {scores, causal_mask(l, query, key, t)});
  ValueId weights = l.emit("Softmax", {scores}, {{"axis", -1}});
  if (l.number("dropout") > 0) {
    weights = l.emit("Dropout", {weights, l.scalar(DType::kF32, l.number("dropout")), l.scalar(DType::kBool, 0)});
  }
  const ValueId mixed = l.transpose(l.emit("MatMul", {weights, l.transpose(v, {0, 2, 1, 3})}), {0, 2, 1, 3});
  const ValueId kernel =
      l.parameter("attention_output/kernel", Shape{heads, value_dim, out}, l.text("kernel_initializer"));
  const ValueId y = l.emit("MatMul", {l.emit("Reshape", {mixed, l.ints({0, 0, heads * value_dim})}),
                                      l.emit("Reshape", {kernel, l.ints({heads * value_dim, out})})});
  if (!l.flag("use_bias")) return y;
  return l.emit("Add", {y, l.parameter("attention_output/bias", Shape{out}, l.text("bias_initializer"))});
}

constexpr AttrSpec size(std::string_view name, bool required) {
  return {.name = name, .kind = AttrKind::kInt, .required = required, .min = 1, .max = 1 << 30};
}

constexpr std::array<LayerRow, 3> kAttentionLayers = {{
    {.name = "Embedding",
     .variable = "embedding",
     .doc = "Looks up the rows of a table by integer indices.",
     .takes_ids = true,
     .op = "Gather",
     .attributes = {size("input_dim", true), size("output_dim", true), attr_string("embeddings_initializer", "uniform"),
                    attr_int("mask_zero", 0, 0, 1)},
     .emit = embedding},
    {.name = "EmbeddingBag",
     .variable = "embedding_bag",
     .doc = "Looks up the rows of a table by the indices [batch, length] and returns their mean, sum or maximum per "
            "row of the batch.",
     .takes_ids = true,
     .op = "percale:EmbeddingBag",
     .attributes = {size("input_dim", true), size("output_dim", true), attr_string("embeddings_initializer", "uniform"),
                    attr_string("combiner", "mean"), AttrSpec{.name = "padding_idx", .kind = AttrKind::kInt, .min = 0}},
     .emit = embedding_bag},
    {.name = "MultiHeadAttention",
     .variable = "multi_head_attention",
     .doc = "Multi-head attention with the inputs query, value and key; with a single input, self-attention.",
     .max_inputs = 3,
     .op = "Softmax",
     .attributes = {size("num_heads", true), size("key_dim", true), size("value_dim", false),
                    attr_float("dropout", 0, 0, 0.999999), kUseBias, attr_int("use_causal_mask", 0, 0, 1),
                    AttrSpec{.name = "output_shape", .kind = AttrKind::kInts, .min = 1, .max = 1 << 30},
                    AttrSpec{.name = "attention_axes", .kind = AttrKind::kInts}, kKernelInit, kBiasInit},
     .emit = multi_head_attention},
}};

}  // namespace

std::span<const Layer> attention_layers() { return kLayerTable<kAttentionLayers>; }

}  // namespace percale
