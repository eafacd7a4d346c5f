// The orthogonal initializer compared with Gram-Schmidt.
#include <cmath>

#include "core/train/layers/initializers.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

struct Drawn {
  Tensor value, normal;  // the variable's first value, and the normal matrix it is made of
};

Drawn draw(const Shape& shape, DType dtype, int64_t seed, int32_t threads) {
  const auto engine = engine_of(threads);
  Builder b(engine->registry());
  Variable v;
  v.name = "w";
  v.dtype = dtype;
  v.shape = shape;
  REQUIRE_OK(add_initializer(b, v, "orthogonal"));
  REQUIRE_OK(b.add_variable(v));
  const auto x = b.main().add_input("x", DType::kF32, Shape{1});
  REQUIRE_OK(b.main().set_outputs({*x}));
  const auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  RunSpec spec;
  spec.function = kInitFunction;
  spec.fetches = {"w"};
  const Function& init = *(*graph)->find_function(kInitFunction);
  for (const Node& node : init.nodes) {
    if (op_name(*node.op) == "RandomNormal") spec.fetches.push_back(init.value(node.outputs[0]).name);
  }
  REQUIRE(spec.fetches.size() == 2);
  const auto session = Session::create(engine, *graph, nullptr);
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  RunOptions options;
  options.seed = seed;
  options.step = 0;
  const std::vector<Tensor> none((*graph)->variables.size());
  options.values = RunValues::of_caller(none);
  const auto out = (*session)->run(spec, {}, options);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return {(*out)[0], (*out)[1]};
}

std::vector<double> doubles(const Tensor& t) {
  if (t.dtype() == DType::kF64) return {t.span<double>().begin(), t.span<double>().end()};
  return {t.span<float>().begin(), t.span<float>().end()};
}

}  // namespace

TEST_CASE("an orthogonal first value is the Q of a normal matrix whose R has a positive diagonal") {
  for (const Shape& shape :
       {Shape{6, 4}, Shape{4, 6}, Shape{5, 5}, Shape{3, 2, 4, 5}, Shape{2, 3, 20}, Shape{64, 64}, Shape{7, 1}}) {
    for (DType dtype : {DType::kF64, DType::kF32}) {
      CAPTURE(shape.to_string());
      const Drawn d = draw(shape, dtype, 3, 1);
      REQUIRE(d.value.shape() == shape);
      REQUIRE(d.value.dtype() == dtype);
      const int64_t columns = shape.back(), rows = d.value.num_elements() / columns;
      const auto m = static_cast<size_t>(std::max(rows, columns)), n = static_cast<size_t>(std::min(rows, columns));
      REQUIRE(d.normal.shape() == Shape{static_cast<int64_t>(m), static_cast<int64_t>(n)});
      // Column by column: subtract the projections on earlier columns, twice, and divide by the
      // length, which is R's diagonal.
      std::vector<double> q = doubles(d.normal);
      for (size_t j = 0; j < n; ++j) {
        for (int again = 0; again < 2; ++again) {
          for (size_t k = 0; k < j; ++k) {
            double dot = 0;
            for (size_t i = 0; i < m; ++i) dot += q[i * n + k] * q[i * n + j];
            for (size_t i = 0; i < m; ++i) q[i * n + j] -= dot * q[i * n + k];
          }
        }
        double square = 0;
        for (size_t i = 0; i < m; ++i) square += q[i * n + j] * q[i * n + j];
        for (size_t i = 0; i < m; ++i) q[i * n + j] /= std::sqrt(square);
      }
      const std::vector<double> got = doubles(d.value);
      double worst = 0;
      for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < n; ++j) {
          const double own = rows < columns ? got[j * m + i] : got[i * n + j];
          worst = std::max(worst, std::fabs(own - q[i * n + j]));
        }
      }
      CHECK(worst < (dtype == DType::kF64 ? 1e-10 : 1e-6));
    }
  }
}

TEST_CASE("orthogonal first values depend on the seed alone, not on the threads") {
  const Drawn one = draw(Shape{40, 30}, DType::kF32, 8, 1), three = draw(Shape{40, 30}, DType::kF32, 8, 3);
  const Drawn other = draw(Shape{40, 30}, DType::kF32, 9, 1);
  CHECK(doubles(one.value) == doubles(three.value));
  CHECK(doubles(one.value) != doubles(other.value));
  const std::vector<double> w = doubles(one.value);
  double worst = 0;
  for (size_t a = 0; a < 30; ++a) {
    for (size_t b = 0; b < 30; ++b) {
      double dot = 0;
      for (size_t i = 0; i < 40; ++i) dot += w[i * 30 + a] * w[i * 30 + b];
      worst = std::max(worst, std::fabs(dot - (a == b ? 1 : 0)));
    }
  }
  CHECK(worst < 1e-6);
}

}  // namespace percale
