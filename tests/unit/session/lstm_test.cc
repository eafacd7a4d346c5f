// LSTM of one sequence. Weights that exist before the run are packed once, fed ones in the run; for
// few steps with fed weights another kernel is used. The results agree up to rounding.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "core/tensor/half.h"
#include "tests/support/engine.h"
#include "tests/support/get.h"

namespace percale {
namespace {

struct Case {
  int64_t steps, input, hidden;
  std::string_view direction;
  int64_t layout;
  bool bias, state;
};

constexpr int64_t kFloatInputs = 6;  // X W R B initial_h initial_c

class Model {
 public:
  explicit Model(const Case& c) : c_(c) {
    const int64_t d = c.direction == "bidirectional" ? 2 : 1;
    const auto rows = [&](int64_t n) { return c.layout == 0 ? Shape{n, 1, c.hidden} : Shape{1, n, c.hidden}; };
    const Shape x = c.layout == 0 ? Shape{c.steps, 1, c.input} : Shape{1, c.steps, c.input};
    const Shape shapes[kFloatInputs] = {
        x, {d, 4 * c.hidden, c.input}, {d, 4 * c.hidden, c.hidden}, {d, 8 * c.hidden}, rows(d), rows(d)};
    std::mt19937 engine(5);
    for (const Shape& shape : shapes) {
      std::vector<float> values(static_cast<size_t>(shape.num_elements()));
      for (float& v : values) v = std::uniform_real_distribution<float>(-0.3f, 0.3f)(engine);
      tensors_.push_back(Tensor::of<float>(shape, values));
    }
  }

  // Y, Y_h and Y_c concatenated, and the kernels that ran.
  struct Outcome {
    std::vector<float> values;
    std::string kernels;
  };
  Outcome run(const std::shared_ptr<Engine>& engine, bool fed, const SessionOptions& options = {}) const {
    Builder builder(engine->registry());
    Emitter e(builder.main());
    RunSpec spec{.feeds = {}, .fetches = {"y0", "y1", "y2"}};
    std::vector<Tensor> feeds;
    std::vector<ValueType> types;
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& t = tensors_[i];
      if ((i == 3 && !c_.bias) || (i > 3 && !c_.state)) {
        inputs.push_back(kNoValue);
      } else if (i == 0 || fed) {
        spec.feeds.push_back(str_cat("x", static_cast<uint64_t>(i)));
        inputs.push_back(get(builder.main().add_input(spec.feeds.back(), t.dtype(), t.shape())));
        feeds.push_back(t);
        types.push_back({t.dtype(), t.shape()});
      } else {
        inputs.push_back(e.constant(t));
      }
      if (i == 3) inputs.push_back(kNoValue);  // sequence_lens
    }
    Attributes attributes{{"hidden_size", c_.hidden}, {"direction", std::string(c_.direction)}, {"layout", c_.layout}};
    const auto outputs = e.emit_many("LSTM", inputs, 3, attributes);
    REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
    for (size_t i = 0; i < 3; ++i) REQUIRE(builder.main().rename(outputs[i], spec.fetches[i]).ok());
    REQUIRE(builder.main().set_outputs(outputs).ok());
    const std::shared_ptr<const Graph> graph = get(builder.finish());
    const auto session = get(Session::create(engine, graph, get(initialize_variables(engine, graph, 1)), options));
    Outcome out;
    for (const Tensor& t : get(session->run(spec, feeds))) {
      const auto span = t.span<float>();
      out.values.insert(out.values.end(), span.begin(), span.end());
    }
    out.kernels = get(session->explain(spec, types, "kernels"));
    return out;
  }

 private:
  Case c_;
  std::vector<Tensor> tensors_;
};

double worst(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(static_cast<double>(a[i] - b[i])));
  return most;
}

TEST_CASE("an LSTM of one sequence on constant weights gives what it gives on fed ones, in bf16 nearly so") {
  for (const Case& c : {Case{6, 5, 16, "forward", 0, true, true}, Case{4, 9, 20, "reverse", 1, true, false},
                        Case{7, 33, 31, "bidirectional", 0, false, true},
                        Case{3, 2, 64, "bidirectional", 1, true, true}, Case{1, 8, 7, "forward", 0, false, false}}) {
    CAPTURE(c.hidden);
    const Model model(c);
    for (const char* isa : {"auto", "avx2"}) {
      EngineOptions options;
      options.threads = 2;
      options.isa = isa;
      const auto engine = get(make_test_engine(options));
      if (engine->registry()->isa() == "none") continue;  // the kernel needs vector instructions
      const auto fed = model.run(engine, true), constant = model.run(engine, false);
      const char* const few = "\"kernel\":\"simd.lstm\",\"runs\"";  // few steps with fed weights
      CHECK((fed.kernels.find(few) != std::string::npos) == (c.steps < 4));
      CHECK(constant.kernels.find("\"kernel\":\"simd.lstm_row\",\"runs\"") != std::string::npos);
      CHECK(worst(constant.values, fed.values) < 1e-6);
      SessionOptions bf16;
      bf16.compile.bf16 = true;
      const auto narrow = model.run(engine, false, bf16);
      CHECK(narrow.kernels.find("\"kernel\":\"simd.lstm_row\",\"runs\"") != std::string::npos);
      const double off = worst(narrow.values, fed.values);
      CHECK((off > 0 && off < 8e-3));
    }
  }
}

}  // namespace
}  // namespace percale
