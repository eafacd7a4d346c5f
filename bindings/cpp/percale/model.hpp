/// Models with the names of the Keras API: layers, a strategy, compile, fit.
#ifndef PERCALE_CPP_MODEL_HPP_
#define PERCALE_CPP_MODEL_HPP_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "percale/trainer.hpp"

namespace percale {

/// Returns `text` as a JSON string, for writing a SPEC.
inline std::string quoted(const std::string& text) {
  std::string out;
  detail::add_json(out, text);
  return out;
}

/// A layer by its Keras name, with Keras arguments as attributes: Layer("LSTM", {{"units", 32}}).
/// As in Keras, the first layer of a model may have the argument "input_shape".
struct Layer {
  /// Creates a layer from its name and arguments.
  Layer(std::string name, Attributes words = {}) : type(std::move(name)), attributes(std::move(words)) {}
  std::string type;       ///< Keras class name: "Dense", ...
  Attributes attributes;  ///< Keras arguments
};

/// The most common layers. All other layers of share/doc/percale/SPEC.md are a Layer by name.
namespace layers {

namespace detail {
inline Layer with(Layer layer, Attributes more) {
  for (Attribute& attribute : more) layer.attributes.push_back(std::move(attribute));
  return layer;
}
}  // namespace detail

/// A fully connected layer.
inline Layer Dense(int64_t units, Attributes more = {}) {
  return detail::with({"Dense", {{"units", units}}}, std::move(more));
}
/// A 2D convolution over images in NHWC.
inline Layer Conv2D(int64_t filters, int64_t kernel_size, Attributes more = {}) {
  return detail::with({"Conv2D", {{"filters", filters}, {"kernel_size", kernel_size}}}, std::move(more));
}
/// Takes the maximum of each window.
inline Layer MaxPooling2D(int64_t pool_size = 2, Attributes more = {}) {
  return detail::with({"MaxPooling2D", {{"pool_size", pool_size}}}, std::move(more));
}
/// Flattens all dims but the batch.
inline Layer Flatten(Attributes more = {}) { return {"Flatten", std::move(more)}; }
/// Sets a fraction of the elements to zero in training.
inline Layer Dropout(double rate, Attributes more = {}) {
  return detail::with({"Dropout", {{"rate", rate}}}, std::move(more));
}
/// Normalizes over the batch, then applies a scale and an offset.
inline Layer BatchNormalization(Attributes more = {}) { return {"BatchNormalization", std::move(more)}; }
/// Normalizes each row, then applies a scale and an offset.
inline Layer LayerNormalization(Attributes more = {}) { return {"LayerNormalization", std::move(more)}; }
/// Applies an activation by its name: "relu", "softmax", ...
inline Layer Activation(std::string activation) { return {"Activation", {{"activation", std::move(activation)}}}; }
/// Maps ids to rows of a trainable table.
inline Layer Embedding(int64_t input_dim, int64_t output_dim, Attributes more = {}) {
  return detail::with({"Embedding", {{"input_dim", input_dim}, {"output_dim", output_dim}}}, std::move(more));
}
/// An LSTM layer with the gate order i, f, c, o.
inline Layer LSTM(int64_t units, Attributes more = {}) {
  return detail::with({"LSTM", {{"units", units}}}, std::move(more));
}
/// A GRU layer with the gates z and r.
inline Layer GRU(int64_t units, Attributes more = {}) {
  return detail::with({"GRU", {{"units", units}}}, std::move(more));
}

}  // namespace layers

/// Devices that compute the shards of each batch; the gradients are added in a fixed order. The
/// number of shards depends on the size of the model, not on the devices, so results do not depend
/// on the devices. A device gets work only if there are enough shards: a small model has one shard,
/// and trains on one device. To use more devices, set Training::more = "\"shards\": 4" to at least
/// their number. Trainer::describe() has the number of "replicas" with work, and the
/// "idle_devices".
struct MirroredStrategy {
  std::string devices = "all";  ///< names separated by commas, "cpu:0,cpu:1", or "all"
};

/// A name, "adam"; a name with its keys, {{"name", "adam"}, {"learning_rate", 0.01}}; or the same
/// as JSON text that begins with '{'.
class Named {
 public:
  /// Creates it from a name or JSON.
  Named(const char* text) : Named(std::string(text)) {}
  Named(const std::string& text) : json_(!text.empty() && text.front() == '{' ? text : quoted(text)) {}
  /// Creates it from a name and its keys.
  Named(std::initializer_list<Attribute> keys) {
    for (const Attribute& key : keys) detail::add_json_member(json_, key);
    json_ = '{' + json_.substr(1) + '}';
  }
  /// The JSON for a SPEC.
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

/// Configures how a model is trained.
struct Training {
  Named optimizer = "adam";          ///< "sgd", "adam", "adamw", ...
  Named loss = "";                   ///< "sparse_categorical_crossentropy", "huber", ...
  std::vector<Named> metrics = {};   ///< "accuracy", ...
  std::vector<Named> schedule = {};  ///< learning rate schedules, run in turn; none: constant
  bool from_logits = false;          ///< the model outputs logits, not probabilities
  int64_t seed = 0;                  ///< for initial weights, shuffling and Dropout
  /// Model with weights that the layers, if any, are appended to: .percale, or .onnx with its
  /// plug-in. Without layers (`Sequential whole = {}`) the loss is that of the file's outputs
  std::string model_file = {};
  Trainer* weights_of = nullptr;  ///< trainer whose weights, but not optimizer state, are taken
  std::string more = {};          ///< further keys of the SPEC: "\"clip\": 1, \"shards\": 4"
};

/// A list of layers, applied in order. The data must have the columns "x" and "y" (the labels).
class Sequential {
 public:
  /// Creates a model of these layers.
  Sequential(std::initializer_list<Layer> layers) : layers_(layers) {}
  explicit Sequential(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  /// Appends a layer.
  void add(Layer layer) { layers_.push_back(std::move(layer)); }

  /// Creates a trainer with new variables. If Training::weights_of is set, variables with the same
  /// name and shape take their values from it. Without a strategy, the devices of the engine share
  /// the shards of a batch. The epochs of Trainer::fit() count all epochs of the trainer: after
  /// fit(data, 1), fit(data, 2) trains one more. A trainer keeps the layers that it was compiled
  /// with, so call compile() again after add().
  Result<Trainer> compile(const Engine& engine, const Training& training) const {
    return compile(engine, spec(training, nullptr), training.weights_of);
  }
  Result<Trainer> compile(const Engine& engine, const MirroredStrategy& strategy, const Training& training) const {
    return compile(engine, spec(training, &strategy), training.weights_of);
  }
  /// Returns the SPEC that compile() passes to the library, as JSON.
  std::string spec(const Training& training, const MirroredStrategy* strategy) const {
    using percale::detail::add_json;
    std::string layers, input_shape;
    for (const Layer& layer : layers_) {
      layers += layers.empty() ? "{\"layer\":" : ",{\"layer\":";
      add_json(layers, layer.type);
      for (const Attribute& attribute : layer.attributes) {
        percale::detail::add_json_member(attribute.name() == "input_shape" ? input_shape : layers, attribute);
      }
      layers += '}';
    }
    std::string out = "{\"model\":" + (training.model_file.empty() ? '[' + layers + ']' : quoted(training.model_file));
    if (!training.model_file.empty() && !layers.empty()) out += ",\"head\":[" + layers + ']';
    out += input_shape + ",\"loss\":" + training.loss.json() + ",\"optimizer\":" + training.optimizer.json();
    out += std::string(",\"from_logits\":") + (training.from_logits ? "true" : "false");
    out += ",\"metrics\":" + list(training.metrics) + ",\"seed\":" + std::to_string(training.seed);
    if (!training.schedule.empty()) out += ",\"schedule\":" + list(training.schedule);
    if (strategy != nullptr) out += ",\"strategy\":\"mirrored\",\"devices\":" + quoted(strategy->devices);
    if (!training.more.empty()) out += ',' + training.more;
    return out + '}';
  }

 private:
  static Result<Trainer> compile(const Engine& engine, const std::string& spec, Trainer* before) {
    auto trainer = Trainer::from_spec(engine, spec);
    if (!trainer || before == nullptr) return trainer;
    if (Status failed = trainer->take_weights(*before); !failed) return failed;
    return trainer;
  }
  static std::string list(const std::vector<Named>& all) {
    std::string out;
    for (const Named& one : all) out += (out.empty() ? "" : ",") + one.json();
    return '[' + out + ']';
  }

  std::vector<Layer> layers_;
};

}  // namespace percale

#endif  // PERCALE_CPP_MODEL_HPP_
