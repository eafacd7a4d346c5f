// With batch_invariant=on, a row gives the same bits alone, in batches of every size, and at every
// position.
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/initialize.h"
#include "core/session/session.h"
#include "core/train/layers/layers.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

constexpr int64_t kRows = 9;

struct Model {
  std::string name;
  Shape row;
  std::function<ValueId(FunctionBuilder&, Emitter&, ValueId x)> build;
  // True if rows differ without the option, on every instruction set.
  bool varies = false;
};

ValueId layer(FunctionBuilder& f, std::string_view name, ValueId x, const Attributes& attributes) {
  const auto out = add_layer(f, name, "", {x}, attributes);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return *out;
}

std::vector<float> floats(int64_t count, uint32_t seed) {
  std::vector<float> out;
  uint32_t state = seed;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    out.push_back(static_cast<float>(state >> 8) / 8388608.0f - 1);
  }
  return out;
}

// x times the transpose of a matrix, as other frameworks store weights.
ValueId transposed_product(FunctionBuilder& f, Emitter& e, ValueId x, int64_t from, int64_t to) {
  const auto w = f.add_constant(Tensor::of<float>({to, from}, floats(to * from, 3)));
  REQUIRE(w.ok());
  return e.emit("Gemm", {x, *w}, {{"transB", 1}});
}

ValueId mlp(FunctionBuilder& f, Emitter& e, ValueId x) {
  const ValueId hidden = e.emit("Relu", {transposed_product(f, e, x, 60, 70)});
  return e.emit("Softmax", {transposed_product(f, e, hidden, 70, 10)});
}

ValueId lenet(FunctionBuilder& f, Emitter&, ValueId x) {
  x = layer(f, "Conv2D", x, {{"filters", 6}, {"kernel_size", 5}, {"padding", "same"}, {"activation", "relu"}});
  x = layer(f, "MaxPooling2D", x, {{"pool_size", 2}});
  x = layer(f, "Conv2D", x, {{"filters", 16}, {"kernel_size", 5}, {"activation", "tanh"}});
  x = layer(f, "BatchNormalization", x, {});
  x = layer(f, "Flatten", layer(f, "AveragePooling2D", x, {{"pool_size", 2}}), {});
  return layer(f, "Dense", layer(f, "Dense", x, {{"units", 64}, {"activation", "gelu"}}), {{"units", 10}});
}

ValueId lstm(FunctionBuilder& f, Emitter&, ValueId x) {
  x = layer(f, "LSTM", x, {{"units", 24}, {"return_sequences", 1}});
  return layer(f, "Dense", layer(f, "LSTM", x, {{"units", 19}}), {{"units", 5}});
}

ValueId gru(FunctionBuilder& f, Emitter&, ValueId x) { return layer(f, "GRU", x, {{"units", 33}}); }

ValueId transformer(FunctionBuilder& f, Emitter& e, ValueId x) {
  const ValueId attended = layer(f, "MultiHeadAttention", x, {{"num_heads", 4}, {"key_dim", 8}});
  x = layer(f, "LayerNormalization", e.emit("Add", {x, attended}), {});
  const ValueId wide = layer(f, "Dense", x, {{"units", 64}, {"activation", "gelu"}});
  return layer(f, "LayerNormalization", e.emit("Add", {x, layer(f, "Dense", wide, {{"units", 32}})}), {});
}

// Sums over all of a row, over its columns and over every other dim.
ValueId sums(FunctionBuilder&, Emitter& e, ValueId x) {
  const ValueId all = e.emit("ReduceSum", {x, e.ints({1, 2, 3})}, {{"keepdims", 0}});
  const ValueId columns = e.emit("ReduceMean", {x, e.ints({2})}, {{"keepdims", 1}});
  const ValueId others = e.emit("ReduceSum", {x, e.ints({1, 3})}, {{"keepdims", 0}});
  const ValueId of_columns = e.emit("ReduceSum", {columns, e.ints({1, 2, 3})}, {{"keepdims", 0}});
  const ValueId of_others = e.emit("ReduceSum", {others, e.ints({1})}, {{"keepdims", 0}});
  const ValueId total = e.emit("Add", {all, e.emit("Add", {of_columns, of_others})});
  return e.emit("Unsqueeze", {total, e.ints({1})});
}

// The batch is the second dim inside: rows are added over the first one.
ValueId time_major(FunctionBuilder&, Emitter& e, ValueId x) {
  const ValueId turned = e.emit("Transpose", {x}, {{"perm", std::vector<int64_t>{1, 0, 2}}});
  return e.emit("ReduceSum", {turned, e.ints({0})}, {{"keepdims", 0}});
}

std::vector<Model> models() {
  return {{"mlp", {60}, mlp, true},
          {"lenet", {28, 28, 1}, lenet},
          {"lstm", {12, 8}, lstm, true},
          {"gru", {3, 40}, gru, true},
          {"transformer", {11, 32}, transformer},
          {"sums", {3, 4000, 7}, sums},
          {"time-major sums", {3000, 64}, time_major}};
}

class Runner {
 public:
  Runner(const Model& model, Numerics numerics) : model_(model) {
    EngineOptions options;
    options.threads = 2;
    options.numerics = numerics;
    const auto engine = make_test_engine(options);
    REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
    Builder builder((*engine)->registry());
    FunctionBuilder& f = builder.main();
    Emitter e(f);
    Shape shape{kUnknownDim};
    for (const int64_t dim : model.row) shape.push_back(dim);
    const ValueId out = model.build(f, e, f.add_input("x", DType::kF32, shape).value());
    REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
    REQUIRE(f.rename(out, "y").ok());
    REQUIRE(f.set_outputs({out}).ok());
    const auto graph = builder.finish();
    REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
    const auto variables = initialize_variables(*engine, *graph, 7);
    REQUIRE_MESSAGE(variables.ok(), variables.status().to_string());
    session_ = Session::create(*engine, *graph, *variables).value();
  }

  // The results of rows of `all`, in this order.
  std::vector<std::vector<float>> run(const std::vector<float>& all, const std::vector<int64_t>& rows) const {
    const int64_t size = model_.row.num_elements();
    std::vector<float> x;
    for (const int64_t row : rows) x.insert(x.end(), all.begin() + row * size, all.begin() + (row + 1) * size);
    Shape shape{static_cast<int64_t>(rows.size())};
    for (const int64_t dim : model_.row) shape.push_back(dim);
    RunSpec spec;
    spec.feeds = {"x"};
    spec.fetches = {"y"};
    const auto out = session_->run(spec, std::vector<Tensor>{Tensor::of<float>(shape, x)});
    REQUIRE_MESSAGE(out.ok(), out.status().to_string());
    const auto values = (*out)[0].span<float>();
    const size_t each = values.size() / rows.size();
    std::vector<std::vector<float>> results;
    for (size_t i = 0; i < rows.size(); ++i) {
      results.emplace_back(values.begin() + static_cast<ptrdiff_t>(i * each),
                           values.begin() + static_cast<ptrdiff_t>((i + 1) * each));
    }
    return results;
  }

 private:
  const Model& model_;
  std::shared_ptr<Session> session_;
};

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Returns a batch in which a row differs from the row within the batch of all rows; "" if none
// does.
std::string find_difference(const Model& model, Numerics numerics) {
  const Runner runner(model, numerics);
  const auto all = floats(kRows * model.row.num_elements(), 1);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t size = 1; size < kRows; ++size) {
    for (const int64_t first : {int64_t{0}, int64_t{4}, kRows - 1}) {
      auto& batch = batches.emplace_back();
      for (int64_t i = 0; i < size; ++i) batch.push_back((first + i) % kRows);
    }
  }
  std::vector<int64_t> whole;
  for (int64_t i = 0; i < kRows; ++i) whole.push_back(i);
  const auto wanted = runner.run(all, whole);
  for (const auto& batch : batches) {
    const auto got = runner.run(all, batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      if (same(got[i], wanted[static_cast<size_t>(batch[i])])) continue;
      return str_cat("row ", batch[i], " at position ", static_cast<uint64_t>(i), " of a batch of ",
                     static_cast<uint64_t>(batch.size()));
    }
  }
  return "";
}

}  // namespace

TEST_CASE("with batch_invariant=on, a row's bits do not depend on its batch, with either numerics") {
  for (const Model& model : models()) {
    for (const bool portable : {false, true}) {
      CAPTURE(model.name);
      CAPTURE(portable);
      if (portable && make_test_ops()->isa == "none") continue;
      CHECK(find_difference(model, {.portable = portable, .batch_invariant = true}) == "");
    }
  }
}

TEST_CASE("without the option, small batches are computed faster in another order") {
  if (make_test_ops()->isa == "none") return;
  for (const Model& model : models()) {
    CAPTURE(model.name);
    if (model.varies) CHECK(find_difference(model, {}) != "");
  }
}

}  // namespace percale
