// Layers compared with Keras' own: layers_reference.py writes layers.inc.
#include "core/train/layers/layers.h"

#include "core/plan/evaluate.h"
#include "core/session/initialize.h"
#include "core/train/rewrite/training_form.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

struct Case {
  std::string layer, attributes;
  std::vector<std::vector<int64_t>> inputs;
  std::vector<std::string> weights;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
#include "tests/unit/train/layers/layers.inc"
  };
  return kCases;
}

Tensor number_of(const Shape& shape, const std::string& name, double salt) {
  Tensor out = formula(DType::kF64, shape, salt, 0.5);
  if (name.find("variance") != std::string::npos) {
    for (double& v : out.mutable_span<double>()) v = v * v + 0.5;
  }
  return out;
}

// Makes a graph of the layer alone. Attributes are as in a SPEC; the batch size is unknown.
Result<std::shared_ptr<const Graph>> graph_of(const Case& c, const std::shared_ptr<const Registry>& registry) {
  const std::string inside = c.attributes.substr(1, c.attributes.size() - 2);
  PERCALE_ASSIGN_OR_RETURN(
      const Spec spec, parse_spec(str_cat("{\"model\": [{\"layer\": \"", c.layer, "\"", inside.empty() ? "" : ", ",
                                          inside, "}], \"loss\": \"mean_squared_error\", \"optimizer\": \"sgd\"}")));
  Builder b(registry);
  std::vector<ValueId> inputs;
  for (const auto& dims : c.inputs) {
    Shape shape{std::span<const int64_t>(dims)};
    shape[0] = kUnknownDim;
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, b.main().add_input("", DType::kF64, shape));
    inputs.push_back(id);
  }
  PERCALE_ASSIGN_OR_RETURN(const ValueId out, add_layer(b.main(), c.layer, "", inputs, spec.layers[0].attributes));
  PERCALE_RETURN_IF_ERROR(b.main().set_outputs({out}));
  return b.finish();
}

std::shared_ptr<const Registry> registry() {
  static const auto kOps = make_test_ops();
  REQUIRE(kOps.ok());
  return kOps->registry;
}

Status build(const std::string& layer, const Attributes& attributes, const Shape& shape = {2, 6, 6, 3}) {
  Builder b(registry());
  const auto x = b.main().add_input("x", DType::kF32, shape);
  return add_layer(b.main(), layer, "", {*x}, attributes).status();
}

}  // namespace

TEST_CASE(
    "layers compute what Keras' layers (EmbeddingBag: PyTorch's) compute, with parameters of the same names and "
    "shapes") {
  for (const Case& c : cases()) {
    CAPTURE(c.layer);
    CAPTURE(c.attributes);
    const auto graph = graph_of(c, registry());
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    std::map<std::string, Tensor> variables;
    REQUIRE((*graph)->variables.size() == c.weights.size());
    for (size_t k = 0; k < c.weights.size(); ++k) {
      const Variable& v = (*graph)->variables[k];
      CHECK(v.name.ends_with("/" + c.weights[k]));
      variables[v.name] = number_of(v.shape, v.name, 10 + static_cast<double>(k));
    }
    std::vector<Tensor> inputs;
    for (size_t k = 0; k < c.inputs.size(); ++k) {
      inputs.push_back(number_of(Shape{std::span<const int64_t>(c.inputs[k])}, "", static_cast<double>(k)));
    }
    if (c.layer.starts_with("Embedding")) {  // tables of 5 rows
      for (double& v : inputs[0].mutable_span<double>()) v = std::floor((v + 0.5) * 5);
    }
    const auto out =
        evaluate_function(**graph, "cpu", (*graph)->main(), inputs, std::make_shared<MemoryPool>(), variables);
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    REQUIRE((*out)[0].shape() == Shape{std::span<const int64_t>(c.shape)});
    const auto values = (*out)[0].span<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      CAPTURE(i);
      // Keras' backend does some of its steps in f32
      REQUIRE(std::abs(values[i] - c.values[i]) < 1e-6);
    }
  }
}

TEST_CASE("every layer of the table is compared with Keras") {
  for (const std::string& name : layer_names()) {
    const bool found = std::any_of(cases().begin(), cases().end(), [&](const Case& c) { return c.layer == name; });
    CAPTURE(name);
    CHECK(found);
  }
}

TEST_CASE("a layer always emits the op that its row names, so that no small build lacks a layer that it can run") {
  const auto emits_its_op = [](const Case& c) {
    const auto graph = graph_of(c, registry());
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    const std::string_view op = find_layer(c.layer)->op;
    const auto& nodes = (*graph)->main().nodes;
    return op.empty() || std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) { return op_name(*n.op) == op; });
  };
  for (const Case& c : cases()) {
    CAPTURE(c.layer);
    CAPTURE(c.attributes);
    CHECK(emits_its_op(c));
  }
  CHECK(emits_its_op({"Dropout", R"({"rate": 0})", {{2, 3}}, {}, {}, {}}));
}

TEST_CASE("default names are Keras', counted per kind") {
  Builder b(registry());
  FunctionBuilder& f = b.main();
  const ValueId x = *f.add_input("x", DType::kF32, Shape{2, 8, 8, 1});
  const Attributes conv{{"filters", 2}, {"kernel_size", 3}};
  const auto name = [&](const Result<ValueId>& v) {
    REQUIRE_MESSAGE(v.ok(), v.status().to_string());
    return f.function().value(*v).name;
  };
  const auto first = add_layer(f, "Conv2D", "", {x}, conv);
  CHECK(name(first) == "conv2d");
  CHECK(name(add_layer(f, "Conv2D", "", {*first}, conv)) == "conv2d_1");
  CHECK(name(add_layer(f, "MaxPooling2D", "", {*first}, {})) == "max_pooling2d");
  CHECK(name(add_layer(f, "Conv2D", "mine", {*first}, conv)) == "mine");
  CHECK(b.graph().find_variable("mine/kernel") != nullptr);
  CHECK(add_layer(f, "Conv2D", "mine", {*first}, conv).status().code() == Code::kAlreadyExists);
}

TEST_CASE("mistakes name the layer, the word and the nearest; what is not implemented says what to use instead") {
  CHECK(build("Conv2d", {}).message() == "no layer 'Conv2d', did you mean 'Conv2D'?");
  CHECK(build("Bidirectional", {}).message() ==
        "layer Bidirectional is not implemented; use two recurrent layers, one of them with 'go_backwards', and "
        "Concatenate");
  const Shape series{2, 6, 3};
  CHECK(build("LSTM", {{"units", 3}, {"recurrent_dropout", 0.5}}, series).message() ==
        "LSTM 'lstm': 'recurrent_dropout' is not implemented; 'dropout' drops the inputs of a step; there is no "
        "substitute for dropping the state");
  CHECK(build("GRU", {{"units", 3}, {"stateful", 1}}, series).message() ==
        "GRU 'gru': 'stateful' is not implemented; use 'return_state' and pass the states to the next run as inputs");
  CHECK(build("Embedding", {{"input_dim", 3}, {"output_dim", 2}, {"mask_zero", 1}}, series).message() ==
        "Embedding 'embedding': 'mask_zero' is not implemented; padded steps are processed like all others; "
        "EmbeddingBag skips its 'padding_idx', and the loss skips labels of its 'ignore_class'");
  CHECK(build("MultiHeadAttention", {{"num_heads", 1}, {"key_dim", 2}, {"attention_axes", 1}}, series).message() ==
        "MultiHeadAttention 'multi_head_attention': 'attention_axes' is not implemented; attention is along axis 1; to "
        "attend over several axes, merge them with Reshape first");
  CHECK(
      build("LSTM", {{"units", 3}, {"activation", "gelu"}}, series).message() ==
      "LSTM 'lstm': activation 'gelu' is not implemented in recurrent layers; use one of tanh, sigmoid, relu, linear, "
      "hard_sigmoid, elu, leaky_relu, softplus, softsign");
  CHECK(build("LSTM", {{"units", 3}, {"bias_initializer", "ones"}}, series).message() ==
        "LSTM 'lstm': 'unit_forget_bias' with bias_initializer 'ones' is not implemented; set 'unit_forget_bias' to "
        "false");
  CHECK(build("Dense", {{"unit", 3}}).message() ==
        "Dense 'dense': no attribute 'unit', did you mean 'units'? There are units, activation, use_bias, "
        "kernel_initializer, bias_initializer");
  CHECK(build("Dense", {}).message() == "Dense 'dense': 'units' is missing");
  CHECK(build("Dense", {{"units", 0}}).code() == Code::kOutOfRange);
  CHECK(build("Dense", {{"units", "many"}}).code() == Code::kInvalidArgument);
  CHECK(build("Dense", {{"units", 3}, {"stateful", 1}}).code() == Code::kInvalidArgument);
  const Status regularizer = build("Dense", {{"units", 3}, {"kernel_regularizer", "l2"}});
  CHECK(regularizer.code() == Code::kUnimplemented);
  CHECK(regularizer.message() ==
        "Dense 'dense': 'kernel_regularizer' is not implemented; for L2 use 'weight_decay' of the optimizer or of "
        "'groups'");
  CHECK(build("Dense", {{"units", 3}, {"activation", "rely"}}).message().find("'relu'") != std::string_view::npos);
  const Status initializer = build("Dense", {{"units", 3}, {"kernel_initializer", "identity"}});
  CHECK(initializer.code() == Code::kUnimplemented);
  CHECK(initializer.message().find("use orthogonal, or assign the variable") != std::string_view::npos);
  CHECK(build("Dense", {{"units", 3}, {"bias_initializer", "orthogonal"}}).code() == Code::kInvalidArgument);
  CHECK(build("Dense", {{"units", 3}, {"kernel_initializer", "he_norml"}}).message().find("'he_normal'") !=
        std::string_view::npos);
  CHECK(build("Conv2D", {{"filters", 3}, {"kernel_size", 3}}, {2, 6, 3}).code() == Code::kInvalidArgument);
  CHECK(build("Conv2D", {{"filters", 3}, {"kernel_size", std::vector<int64_t>{3, 3, 3}}}).code() ==
        Code::kInvalidArgument);
  CHECK(build("Conv2D", {{"filters", 3}, {"kernel_size", 3}, {"padding", "full"}}).code() == Code::kInvalidArgument);
  for (const Status& status : {build("Conv2D", {{"filters", 3}, {"kernel_size", 3}, {"data_format", "channels_first"}}),
                               build("MaxPooling2D", {{"data_format", "channels_first"}}),
                               build("GlobalMaxPooling2D", {{"data_format", "channels_first"}})}) {
    CHECK(status.code() == Code::kUnimplemented);
    CHECK(status.message().find("give the data as channels_last, [batch, ..., channels]") != std::string_view::npos);
  }
  const Status axis = build("LayerNormalization", {{"axis", 1}});
  CHECK(axis.code() == Code::kUnimplemented);
  CHECK(axis.message().find("the op Transpose around the layer") != std::string_view::npos);
}

TEST_CASE("initializers draw with Keras' spread, the same for the same seed, other numbers for each variable") {
  struct Want {
    const char* name;
    double mean, deviation, most;
  };
  // A kernel [3, 3, 10, 40] has the fans 90 and 360.
  const double glorot = std::sqrt(2.0 / 450), he = std::sqrt(2.0 / 90), lecun = std::sqrt(1.0 / 90);
  const std::vector<Want> wanted = {
      {"zeros", 0, 0, 0},
      {"ones", 1, 0, 1},
      {"glorot_uniform", 0, glorot, glorot * std::sqrt(3)},
      {"glorot_normal", 0, glorot, 2 * glorot / 0.8796},
      {"he_uniform", 0, he, he * std::sqrt(3)},
      {"he_normal", 0, he, 2 * he / 0.8796},
      {"lecun_normal", 0, lecun, 2 * lecun / 0.8796},
      {"random_uniform", 0, 0.05 / std::sqrt(3), 0.05},
      {"random_normal", 0, 0.05, 0.05 * 5},
      {"truncated_normal", 0, 0.05 * 0.8796, 0.1},
  };
  const auto engine = engine_of(1);
  Builder b(engine->registry());
  for (const Want& w : wanted) {
    REQUIRE(add_parameter(b.main(), w.name, DType::kF32, Shape{3, 3, 10, 40}, w.name).ok());
  }
  REQUIRE(add_parameter(b.main(), "again", DType::kF32, Shape{3, 3, 10, 40}, "he_normal").ok());
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto table = initialize_variables(engine, *graph, 5);
  REQUIRE_MESSAGE(table.ok(), table.status().to_string());
  const auto value = [](const std::shared_ptr<Variables>& t, std::string_view name) {
    return t->current()->values[static_cast<size_t>(t->find(name))].span<float>();
  };
  for (const Want& w : wanted) {
    const std::string name = w.name;
    CAPTURE(name);
    double sum = 0, squares = 0, most = 0;
    const auto v = value(*table, w.name);
    for (float x : v) {
      sum += x;
      squares += static_cast<double>(x) * x;
      most = std::max(most, std::abs(static_cast<double>(x)));
    }
    const double n = static_cast<double>(v.size()), mean = sum / n;
    const double deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
    CHECK(std::abs(mean - w.mean) <= 5 * w.deviation / std::sqrt(n));
    CHECK(deviation == doctest::Approx(w.deviation).epsilon(0.05));
    CHECK(most <= w.most * 1.0001);
  }
  const auto first = value(*table, "he_normal"), again = value(*table, "again");
  CHECK_FALSE(std::equal(first.begin(), first.end(), again.begin()));
  const auto same = *initialize_variables(engine, *graph, 5), other = *initialize_variables(engine, *graph, 6);
  CHECK(same->digest() == (*table)->digest());
  CHECK(other->digest() != (*table)->digest());
}

TEST_CASE("a recurrent layer drops inputs of a row at all times or at none, in training alone") {
  Builder b(registry());
  const ValueId x = *b.main().add_input("x", DType::kF64, Shape{kUnknownDim, 4, 3});
  const Attributes words{
      {"units", 3}, {"dropout", 0.5}, {"activation", "linear"}, {"use_bias", 0}, {"return_sequences", 1}};
  const auto out = add_layer(b.main(), "SimpleRNN", "", {x}, words);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  REQUIRE(b.main().set_outputs({*out}).ok());
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const std::vector<double> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1}, nothing(9, 0.0), ones(50 * 12, 1.0);
  const std::map<std::string, Tensor> variables = {
      {"simple_rnn/kernel", Tensor::of<double>(Shape{3, 3}, identity)},
      {"simple_rnn/recurrent_kernel", Tensor::of<double>(Shape{3, 3}, nothing)}};
  const auto run = [&](const Function& f) {
    const auto y = evaluate_function(**graph, "cpu", f, {Tensor::of<double>(Shape{50, 4, 3}, ones)},
                                     std::make_shared<MemoryPool>(), variables);
    REQUIRE_MESSAGE(y.ok(), y.status().to_string());
    return (*y)[0];
  };
  const Tensor trained = run(training_form(**graph, (*graph)->main()).function);
  size_t dropped = 0;
  for (size_t i = 0; i < 600; ++i) {
    const double v = trained.span<double>()[i];
    CHECK((v == 0 || v == 2));
    CHECK(v == trained.span<double>()[i / 12 * 12 + i % 3]);
    dropped += v == 0;
  }
  CHECK(dropped > 150);
  CHECK(dropped < 450);
  const Tensor served = run((*graph)->main());
  for (double v : served.span<double>()) CHECK(v == 1);
}

TEST_CASE(
    "an LSTM begins with ones in the forget gate's part of the bias and orthonormal rows in its recurrent kernel") {
  const auto engine = engine_of(1);
  Builder b(engine->registry());
  const ValueId x = *b.main().add_input("x", DType::kF32, Shape{2, 6, 3});
  REQUIRE(add_layer(b.main(), "LSTM", "", {x}, {{"units", 5}}).ok());
  REQUIRE(add_layer(b.main(), "LSTM", "", {x}, {{"units", 5}, {"unit_forget_bias", 0}}).ok());
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto table = initialize_variables(engine, *graph, 5);
  REQUIRE_MESSAGE(table.ok(), table.status().to_string());
  const auto value = [&](std::string_view name) {
    return (*table)->current()->values[static_cast<size_t>((*table)->find(name))].span<float>();
  };
  const auto bias = value("lstm/bias"), plain = value("lstm_1/bias"), kernel = value("lstm/recurrent_kernel");
  REQUIRE(bias.size() == 20);
  for (size_t i = 0; i < bias.size(); ++i) {
    CHECK(bias[i] == (i / 5 == 1 ? 1.0f : 0.0f));  // gates i, f, c, o
    CHECK(plain[i] == 0.0f);
  }
  REQUIRE(kernel.size() == 100);
  for (size_t i = 0; i < 5; ++i) {
    for (size_t k = 0; k < 5; ++k) {
      double dot = 0;
      for (size_t c = 0; c < 20; ++c)
        dot += static_cast<double>(kernel[i * 20 + c]) * static_cast<double>(kernel[k * 20 + c]);
      CHECK(dot == doctest::Approx(i == k ? 1 : 0).epsilon(1e-5));
    }
  }
}

TEST_CASE("every layer and every word of layers says what it means") {
  REQUIRE(layer_names().size() > 20);
  for (const std::string& name : layer_names()) {
    CAPTURE(name);
    const Layer& layer = *find_layer(name);
    CHECK(layer.doc.ends_with('.'));
    for (const AttrSpec& attribute : layer.attributes) {
      CAPTURE(attribute.name);
      CHECK(layer_word(attribute.name).ends_with('.'));
      CHECK(layer_word(attribute.name).find("yet") == std::string::npos);
    }
  }
  CHECK(layer_word("stateful") == "Not implemented; use 'return_state' and pass the states to the next run as inputs.");
  CHECK(layer_word("mask_zero").starts_with("Not implemented; padded steps are processed like all others;"));
  CHECK(layer_word("unit") == "");
  CHECK(layer_word("zzz") == "");
}

}  // namespace percale
