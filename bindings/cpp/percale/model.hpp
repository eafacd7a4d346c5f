/// Models in Keras' words: layers one after the other, a strategy, compile, fit.
#ifndef PERCALE_CPP_MODEL_HPP_
#define PERCALE_CPP_MODEL_HPP_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "percale/trainer.hpp"

namespace percale {

/// `text` as JSON, for those who write a SPEC.
inline std::string quoted(const std::string& text) {
  std::string out;
  detail::add_json(out, text);
  return out;
}

/// A layer by its Keras name, with Keras' words as attributes: Layer("LSTM", {{"units", 32}}). The first layer of a model may
/// say its "input_shape", as in Keras.
struct Layer {
  /// A layer and its words.
  Layer(std::string name, Attributes words = {}) : type(std::move(name)), attributes(std::move(words)) {}
  std::string type;       ///< "Dense", ...
  Attributes attributes;  ///< Keras' words
};

/// Those of every day; any other layer of share/doc/percale/SPEC.md is a Layer by name.
namespace layers {

namespace detail {
inline Layer with(Layer layer, Attributes more) {
  for (Attribute& attribute : more) layer.attributes.push_back(std::move(attribute));
  return layer;
}
}  // namespace detail

/// A product with weights, plus a bias.
inline Layer Dense(int64_t units, Attributes more = {}) {
  return detail::with({"Dense", {{"units", units}}}, std::move(more));
}
/// A convolution over images in NHWC.
inline Layer Conv2D(int64_t filters, int64_t kernel_size, Attributes more = {}) {
  return detail::with({"Conv2D", {{"filters", filters}, {"kernel_size", kernel_size}}}, std::move(more));
}
/// The largest of each window.
inline Layer MaxPooling2D(int64_t pool_size = 2, Attributes more = {}) {
  return detail::with({"MaxPooling2D", {{"pool_size", pool_size}}}, std::move(more));
}
/// Each row as a vector.
inline Layer Flatten(Attributes more = {}) { return {"Flatten", std::move(more)}; }
/// Zeros for a part of the elements while it trains.
inline Layer Dropout(double rate, Attributes more = {}) {
  return detail::with({"Dropout", {{"rate", rate}}}, std::move(more));
}
/// Mean 0 and variance 1 over the batch, then a scale and an offset.
inline Layer BatchNormalization(Attributes more = {}) { return {"BatchNormalization", std::move(more)}; }
/// The same over each row.
inline Layer LayerNormalization(Attributes more = {}) { return {"LayerNormalization", std::move(more)}; }
/// A function by its name: "relu", "softmax", ...
inline Layer Activation(std::string activation) { return {"Activation", {{"activation", std::move(activation)}}}; }
/// A row of a table for each number.
inline Layer Embedding(int64_t input_dim, int64_t output_dim, Attributes more = {}) {
  return detail::with({"Embedding", {{"input_dim", input_dim}, {"output_dim", output_dim}}}, std::move(more));
}
/// A recurrent layer with a cell and gates i, f, c, o.
inline Layer LSTM(int64_t units, Attributes more = {}) {
  return detail::with({"LSTM", {{"units", units}}}, std::move(more));
}
/// A recurrent layer with gates z and r.
inline Layer GRU(int64_t units, Attributes more = {}) {
  return detail::with({"GRU", {{"units", units}}}, std::move(more));
}

}  // namespace layers

/// These devices compute the shards of each batch, whose gradients are added in a fixed order. How many shards a batch has follows
/// from the model's size and not from the devices, so that results do not depend on these; a device gets work only where there are
/// as many: a small model has one shard, and trains on one device. Training::more = "\"shards\": 4" says another number, at least
/// one for each device. Trainer::describe() tells how many "replicas" have work, and the "idle_devices".
struct MirroredStrategy {
  std::string devices = "all";  ///< "all", or names with commas: "cpu:0,cpu:1"
};

/// A name, "adam", or a name with its keys, {{"name", "adam"}, {"learning_rate", 0.01}}, also as
/// JSON that begins with '{'.
class Named {
 public:
  /// A name, or JSON.
  Named(const char* text) : Named(std::string(text)) {}
  Named(const std::string& text) : json_(!text.empty() && text.front() == '{' ? text : quoted(text)) {}
  /// A name and its keys.
  Named(std::initializer_list<Attribute> keys) {
    for (const Attribute& key : keys) detail::add_json_member(json_, key);
    json_ = '{' + json_.substr(1) + '}';
  }
  /// As it stands in a SPEC.
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

/// How a model is trained.
struct Training {
  Named optimizer = "adam";          ///< "sgd", "adam", "adamw", ...
  Named loss = "";                   ///< "sparse_categorical_crossentropy", "mean_squared_error", ...
  std::vector<Named> metrics = {};   ///< "accuracy", ...
  std::vector<Named> schedule = {};  ///< of the learning rate, one after the other; none: constant
  bool from_logits = false;          ///< the model's output is not a probability yet
  int64_t seed = 0;                  ///< of first weights, shuffling and Dropout
  std::string model_file = {};       ///< a file whose model, with its weights, the layers follow: its head, or none
  Trainer* weights_of = nullptr;     ///< begins with its weights, as Keras' compile() after fit() does
  std::string more = {};  ///< further keys of a SPEC: "\"clip\": 1, \"shards\": 4"
};

/// Layers one after the other. The data's columns are "x" and the label "y".
class Sequential {
 public:
  /// Of these layers.
  Sequential(std::initializer_list<Layer> layers) : layers_(layers) {}
  explicit Sequential(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  /// One layer more, behind the others.
  void add(Layer layer) { layers_.push_back(std::move(layer)); }

  /// A trainer with new variables, which take the weights of Training::weights_of where both have
  /// one of that name and shape. Without a strategy the engine's devices share the shards of a
  /// batch. The epochs of Trainer::fit() count all of the trainer so far: after fit(data, 1),
  /// fit(data, 2) trains one more. A trainer keeps the layers that it was compiled with: after
  /// add() compile again.
  Result<Trainer> compile(const Engine& engine, const Training& training) const {
    return compile(engine, spec(training, nullptr), training.weights_of);
  }
  Result<Trainer> compile(const Engine& engine, const MirroredStrategy& strategy, const Training& training) const {
    return compile(engine, spec(training, &strategy), training.weights_of);
  }
  /// The SPEC that compile() hands over.
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
