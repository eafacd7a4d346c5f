// Options of losses: loss_options_reference.py writes loss_options.inc.
#include <algorithm>

#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

struct Reference {
  const char* keys;
  std::vector<double> losses;
};

const std::vector<Reference>& references() {
  static const std::vector<Reference> kReferences = {
#include "tests/unit/train/method/loss_options.inc"
  };
  return kReferences;
}

constexpr const char* kSgd = R"(, "optimizer": {"name": "sgd", "learning_rate": 0.2}, )";

// Returns the loss of these rows with the job's first weights.
double loss_of(const std::vector<int64_t>& labels, const std::vector<int64_t>& rows, const std::string& loss) {
  const auto engine = engine_of(1);
  const auto spec =
      parse_spec(str_cat("{\"model\": ", job_of("linear").layers, R"(, "optimizer": "sgd", "loss": )", loss, "}"));
  REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
  const Tensor all = formula(DType::kF32, Shape{12, 5}, 9);
  std::vector<float> x;
  std::vector<int64_t> y;
  for (int64_t r : rows) {
    for (int64_t k = 0; k < 5; ++k) x.push_back(all.span<float>()[static_cast<size_t>(5 * r + k)]);
    y.push_back(labels[static_cast<size_t>(r)]);
  }
  const auto count = static_cast<int64_t>(rows.size());
  const auto data = Dataset::create({{"x", Tensor::of(Shape{count, 5}, std::span<const float>(x)), DType::kF32, 1},
                                     {"y", Tensor::vector(std::span<const int64_t>(y)), DType::kI64, 1}},
                                    engine->memory());
  REQUIRE_MESSAGE(data.ok(), data.status().to_string());
  REQUIRE_OK((*data)->configure({.batch_size = 5}));
  const auto model = build_model(*spec, engine->registry(), (*data)->types()[0].shape, (*data)->types()[1]);
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  const auto trainer = Trainer::create(engine, *model, nullptr, spec->trainer);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  REQUIRE_OK((*trainer)->variables()->publish({{0, formula(DType::kF32, Shape{5, 3}, 1)}}).status());
  const auto numbers = (*trainer)->evaluate(*data);
  REQUIRE_MESSAGE(numbers.ok(), numbers.status().to_string());
  return numbers->at(0).second;
}

TEST_CASE("losses have Keras' short names, too") {
  for (const auto& [given, name] : {std::pair("mse", "mean_squared_error"), std::pair("mae", "mean_absolute_error")}) {
    const auto spec = parse_spec(
        str_cat(R"({"model": [{"layer": "Dense", "units": 1}], "optimizer": "sgd", "loss": ")", given, "\"}"));
    REQUIRE_MESSAGE(spec.ok(), spec.status().to_string());
    CHECK(spec->targets[0].loss.name == name);
  }
}

}  // namespace

TEST_CASE("smoothed labels and ignored classes train as in PyTorch, whole and in shards") {
  REQUIRE(references().size() == 10);
  for (const Reference& want : references()) {
    for (const char* shards : {"1", "3"}) {
      CAPTURE(want.keys);
      CAPTURE(shards);
      const auto trainer = make_job(engine_of(2), "mlp", str_cat(kSgd, want.keys, ", \"shards\": ", shards),
                                    DType::kF64, {.batch_size = 13}, 26);
      REQUIRE_OK(trainer->fit(nullptr, 4, nullptr));
      const auto& rows = trainer->history().rows;
      REQUIRE(rows.size() == want.losses.size());
      double worst = 0;
      for (size_t i = 0; i < rows.size(); ++i) worst = std::max(worst, std::fabs(rows[i].loss - want.losses[i]));
      CHECK(worst < 1e-9);
    }
  }
}

TEST_CASE("rows of an ignored label, which need be no class, are as if they were not there") {
  for (const int64_t ignored : {int64_t{-1}, int64_t{255}, int64_t{-100}}) {
    for (const char* more : {"", ", \"label_smoothing\": 0.25"}) {
      std::vector<int64_t> labels = class_numbers(12, 3), rows, all;
      for (int64_t i = 0; i < 12; ++i) {
        all.push_back(i);
        if (i % 4 == 1) {
          labels[static_cast<size_t>(i)] = ignored;
        } else {
          rows.push_back(i);
        }
      }
      const std::string head = R"({"name": "sparse_categorical_crossentropy", "from_logits": true)";
      const double with = loss_of(labels, all, str_cat(head, more, ", \"ignore_class\": ", ignored, "}"));
      CHECK(with == doctest::Approx(loss_of(labels, rows, str_cat(head, more, "}"))).epsilon(1e-6));
    }
  }
}

TEST_CASE("an option of a loss that has no meaning for it is refused") {
  const auto refused = [](const char* loss, const char* metrics = "[]") {
    auto spec = parse_spec(str_cat(R"({"model": [{"layer": "Dense", "units": 3}], "optimizer": "sgd", "loss": )", loss,
                                   ", \"metrics\": ", metrics, "}"));
    if (!spec.ok()) return spec.status();
    return build_model(*spec, engine_of(1)->registry(), Shape{kUnknownDim, 5},
                       ValueType{DType::kI64, Shape{kUnknownDim}})
        .status();
  };
  for (const char* loss :
       {R"({"name": "huber", "label_smoothing": 0.1})", R"({"name": "binary_crossentropy", "ignore_class": 1})",
        R"({"name": "mean_squared_error", "ignore_class": 1})"}) {
    CHECK(refused(loss).code() == Code::kInvalidArgument);
    CHECK(refused(loss).message().find("cannot be used") != std::string_view::npos);
  }
  CHECK(refused(R"({"name": "categorical_crossentropy", "label_smoothing": 1})").code() == Code::kOutOfRange);
  const char* ignoring = R"({"name": "sparse_categorical_crossentropy", "ignore_class": 255})";
  CHECK(refused(ignoring, R"(["accuracy", "perplexity"])").ok());
  CHECK(refused(ignoring, R"(["auc"])").code() == Code::kUnimplemented);
  CHECK(refused(ignoring, R"(["auc"])").message().find("use 'accuracy', or compute it from the predictions") !=
        std::string_view::npos);
  CHECK(refused(R"("log_cosh")").message() ==
        "loss 'log_cosh' is not implemented; use huber, or train a graph that has the loss as an output");
  CHECK(refused(ignoring, R"(["sparse_top_k_categorical_accuracy"])").code() == Code::kUnimplemented);
}

}  // namespace percale
