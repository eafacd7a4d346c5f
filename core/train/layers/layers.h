// Layers as composites: each is a function that emits ops of the registry, with Keras 3's words and defaults.
//
// Layers emit the form for inference; core/train/rewrite/minimize.h turns Dropout and BatchNormalization into their form for
// training. Data is channels-last; around ONNX's channels-first ops stand Transposes that neighbours cancel.
#ifndef PERCALE_CORE_TRAIN_LAYERS_LAYERS_H_
#define PERCALE_CORE_TRAIN_LAYERS_LAYERS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

class LayerContext;

// One layer of the table.
struct Layer {
  std::string_view name;      // "Conv2D"
  std::string_view variable;  // what its default name begins with: "conv2d"
  std::string_view doc;       // what it gives
  size_t min_inputs = 1, max_inputs = 1;
  bool takes_ids = false;  // its input holds numbers of rows of a table, i32 or i64
  List<AttrSpec, kMaxAttributes> attributes = {};
  ValueId (*emit)(LayerContext& layer) = nullptr;
};

// Null when there is none of that name.
const Layer* find_layer(std::string_view name);
// Names in ascending order.
std::vector<std::string> layer_names();
// What an attribute of layers means, a sentence: a word means the same in all of them. "" for a word that none has.
std::string_view layer_word(std::string_view attribute);

// Appends a layer to `f` and returns its output, which gets the layer's name. Parameters become variables `name`/kernel,
// `name`/bias, ... of the graph, first values nodes of its function "init". `name` "" takes the next free default name.
// An attribute may be an int where ints or a float are wanted. UNIMPLEMENTED names a layer or a word of Keras that is not there
// yet; INVALID_ARGUMENT names the nearest word for an unknown one. Parameters have the dtype of the
// first input, or `floats` where that is one of integers.
Result<ValueId> add_layer(FunctionBuilder& f, std::string_view layer, std::string_view name,
                          const std::vector<ValueId>& inputs, const Attributes& attributes, DType floats = DType::kF32);

// The attributes as the layer's schema wants them: checked, converted, defaults filled in.
Result<Attributes> layer_attributes(const Layer& layer, std::string_view name, const Attributes& given);

// Adds a variable to the graph of `f`, drawn by `initializer` in "init", and a node that reads it.
Result<ValueId> add_parameter(FunctionBuilder& f, std::string_view name, DType dtype, const Shape& shape,
                              std::string_view initializer, bool trainable = true);

// What a layer's emit function works with: an emitter that knows the layer's name, inputs and attributes.
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

  const std::string& name() const { return name_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  ValueId input() const { return inputs_.front(); }
  const Attributes& attributes() const { return attributes_; }
  int64_t integer(std::string_view key) const { return attributes_.get_int(key); }
  bool flag(std::string_view key) const { return attributes_.get_int(key) != 0; }
  double number(std::string_view key) const { return attributes_.get_float(key); }
  std::string_view text(std::string_view key) const { return attributes_.get_string(key); }
  // `count` sizes: what was given, a single one repeated; `fallback` when absent.
  std::vector<int64_t> sizes(std::string_view key, size_t count, int64_t fallback = 1);

  // Fails unless the input has this rank and dim `axis` (negative: from the end) is known; that dim.
  int64_t known_dim(size_t rank, int64_t axis);
  // `name`/`leaf`: of the input's dtype, or of what add_layer() was told where that is no float.
  ValueId parameter(std::string_view leaf, const Shape& shape, std::string_view initializer, bool trainable = true);
  // [N, spatial..., C] to [N, C, spatial...], and back.
  ValueId to_channels_first(ValueId x);
  ValueId to_channels_last(ValueId x);
  ValueId transpose(ValueId x, const std::vector<int64_t>& permutation);
  // A layer that looks at no order of dims but for one axis: `emit` is given the inputs and that axis, counted as in `axis`. Where all inputs are
  // Transposes of one kind it is given what they transpose, and its result is transposed, so that Transposes of the layers around it meet.
  ValueId before_transposes(int64_t axis,
                            const std::function<ValueId(const std::vector<ValueId>& inputs, int64_t axis)>& emit);
  // An activation by Keras' name; `channel_axis` is the axis that softmax works along.
  ValueId activate(ValueId x, std::string_view activation, int64_t channel_axis = -1);
  // Pads of ONNX's `pads` for windows over the spatial dims of the input, in `attributes`, as `padding` says.
  void set_padding(Attributes& attributes, const std::vector<int64_t>& window, const std::vector<int64_t>& strides,
                   const std::vector<int64_t>& dilations);
  template <class... Parts>
  ValueId error(const Parts&... parts) {
    fail(invalid_argument(layer_.name, " '", name_, "': ", parts...));
    return kNoValue;
  }
  template <class... Parts>
  ValueId not_yet(const Parts&... parts) {
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

// The families of the table, each in its file.
std::span<const Layer> core_layers();
std::span<const Layer> conv_layers();
std::span<const Layer> pool_layers();
std::span<const Layer> norm_layers();
std::span<const Layer> recurrent_layers();
std::span<const Layer> attention_layers();

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_LAYERS_H_
