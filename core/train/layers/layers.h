// Layers as composites: each is a function that emits ops of the registry, with Keras 3's names and
// defaults.
//
// Layers emit the inference form; core/train/rewrite/training_form.h rewrites Dropout and
// BatchNormalization to their training form. Data is channels-last. ONNX's channels-first ops are
// wrapped in Transposes; those of neighbouring layers cancel.
#ifndef PERCALE_CORE_TRAIN_LAYERS_LAYERS_H_
#define PERCALE_CORE_TRAIN_LAYERS_LAYERS_H_

#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/builder.h"
#include "core/registry/built_ops.h"

namespace percale {

class LayerContext;

// One layer of the table. The list is stored in a row and referred to by a Layer.
template <template <class, size_t> class ListOf>
struct LayerFields {
  std::string_view name;      // "Conv2D"
  std::string_view variable;  // prefix of its default name: "conv2d"
  std::string_view doc;       // describes the output
  size_t min_inputs = 1, max_inputs = 1;
  bool takes_ids = false;  // the input holds row numbers of a table, i32 or i64
  // An op that the layer cannot do without, as Emitter::emit() names it; "": there is none.
  std::string_view op = {};
  ListOf<AttrSpec, kMaxAttributes> attributes = {};
  ValueId (*emit)(LayerContext& layer) = nullptr;
};
using LayerRow = LayerFields<List>;
using Layer = LayerFields<View>;

// Emits a layer whose op is not built: fails with UNIMPLEMENTED, which names the op.
ValueId emit_absent(LayerContext& layer);

constexpr bool is_built(const LayerRow& row) { return row.op.empty() || is_built(row.op.substr(row.op.find(':') + 1)); }

// The layers of a table of rows.
template <const auto& kRows>
inline constexpr auto kLayerTable = []<size_t... kRow>(std::index_sequence<kRow...>) {
  return std::array{Layer{kRows[kRow].name, kRows[kRow].variable, kRows[kRow].doc, kRows[kRow].min_inputs,
                          kRows[kRow].max_inputs, kRows[kRow].takes_ids, kRows[kRow].op,
                          JoinedLists<kRows, &LayerRow::attributes>::of(kRow),
                          is_built(kRows[kRow]) ? kRows[kRow].emit : emit_absent}...};
}
(std::make_index_sequence<std::size(kRows)>());

// Returns null if there is no layer of that name.
const Layer* find_layer(std::string_view name);
// Returns the names in ascending order.
std::vector<std::string> layer_names();
// Returns a sentence that explains a layer attribute. An attribute name means the same in all
// layers. "" for an unknown one.
std::string layer_word(std::string_view attribute);

// Appends a layer to `f` and returns its output, which gets the layer's name. Parameters become
// variables `name`/kernel, `name`/bias, ... of the graph; their first values are computed in its
// function "init". If `name` is "", the next free default name is used. An attribute may be an int
// where ints or a float are expected. Parameters have the dtype of the first input, or `floats` if
// that is an integer type. UNIMPLEMENTED names a layer or attribute of Keras that is not supported,
// and what to use instead; INVALID_ARGUMENT names the nearest one to an unknown attribute.
Result<ValueId> add_layer(FunctionBuilder& f, std::string_view layer, std::string_view name,
                          const std::vector<ValueId>& inputs, const Attributes& attributes, DType floats = DType::kF32);

// Returns the attributes as the layer's schema expects them: checked, converted, defaults filled
// in.
Result<Attributes> layer_attributes(const Layer& layer, std::string_view name, const Attributes& given);

// Adds a variable to the graph of `f`, initialised by `initializer` in "init", and a node that
// reads it.
Result<ValueId> add_parameter(FunctionBuilder& f, std::string_view name, DType dtype, const Shape& shape,
                              std::string_view initializer, bool trainable = true);

// Passed to a layer's emit function: an emitter that knows the layer's name, inputs and attributes.
class LayerContext : public Emitter {
 public:
  LayerContext(FunctionBuilder& builder, const Layer& layer, std::string_view name, std::vector<ValueId> inputs,
               const Attributes& attributes, DType floats)
      : Emitter(builder),
        layer_(layer),
        name_(name),
        inputs_(std::move(inputs)),
        attributes_(attributes),
        floats_(floats) {}

  const Layer& layer() const { return layer_; }
  const std::string& name() const { return name_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  ValueId input() const { return inputs_.front(); }
  const Attributes& attributes() const { return attributes_; }
  int64_t integer(std::string_view key) const { return attributes_.get_int(key); }
  bool flag(std::string_view key) const { return attributes_.get_int(key) != 0; }
  double number(std::string_view key) const { return attributes_.get_float(key); }
  std::string_view text(std::string_view key) const { return attributes_.get_string(key); }
  // Returns `count` sizes: the attribute's, with a single one repeated; `fallback` if it is absent.
  std::vector<int64_t> sizes(std::string_view key, size_t count, int64_t fallback = 1);

  // Returns true if `data_format` is channels_last; otherwise fails.
  bool check_channels_last();
  // Returns dim `axis` of the input (negative: from the end). Fails unless the input has this rank
  // and the dim is known.
  int64_t known_dim(size_t rank, int64_t axis);
  // Adds the parameter `name`/`leaf`. Its dtype is that of the input, or the `floats` of
  // add_layer() if the input is not a float.
  ValueId parameter(std::string_view leaf, const Shape& shape, std::string_view initializer, bool trainable = true);
  // Transposes [N, spatial..., C] to [N, C, spatial...], and back.
  ValueId to_channels_first(ValueId x);
  ValueId to_channels_last(ValueId x);
  ValueId transpose(ValueId x, const std::vector<int64_t>& permutation);
  // Emits a layer for which the order of dims does not matter, except for one axis. `emit` gets the
  // inputs and the position of `axis` in them. If all inputs are Transposes of the same kind,
  // `emit` gets their operands and its result is transposed instead. The Transpose then meets that
  // of the next layer and cancels.
  ValueId before_transposes(int64_t axis,
                            const std::function<ValueId(const std::vector<ValueId>& inputs, int64_t axis)>& emit);
  // Emits an activation by Keras' name. `channel_axis` is the axis for softmax.
  ValueId activate(ValueId x, std::string_view activation, int64_t channel_axis = -1);
  // Sets ONNX's `pads` in `attributes` for windows over the spatial dims of the input, according to
  // `padding`.
  void set_padding(Attributes& attributes, const std::vector<int64_t>& window, const std::vector<int64_t>& strides,
                   const std::vector<int64_t>& dilations);
  template <class... Parts>
  ValueId error(const Parts&... parts) {
    fail(invalid_argument(layer_.name, " '", name_, "': ", parts...));
    return kNoValue;
  }
  // Fails for an attribute that disabled_attribute() knows, and says what to use instead.
  ValueId refuse(std::string_view attribute);
  // Fails with UNIMPLEMENTED. The message says what to use instead.
  template <class... Parts>
  ValueId not_implemented(const Parts&... parts) {
    fail(unimplemented(layer_.name, " '", name_, "': ", parts...));
    return kNoValue;
  }

 private:
  const Layer& layer_;
  std::string name_;
  std::vector<ValueId> inputs_;
  const Attributes& attributes_;
  const DType floats_;
};

// The families of the table, one file each.
std::span<const Layer> core_layers();
std::span<const Layer> conv_layers();
std::span<const Layer> pool_layers();
std::span<const Layer> norm_layers();
std::span<const Layer> recurrent_layers();
std::span<const Layer> attention_layers();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_LAYERS_H_
