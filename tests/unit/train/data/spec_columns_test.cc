// SPECs with several inputs and outputs.
#include <cmath>

#include "core/checkpoint/graph_files.h"
#include "core/file/file.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

// Writes rows with kind = (a + b > 1) and size = a - 2 b.
void write_rows(const std::string& folder) {
  std::string text = "a,b,kind,size\n";
  for (int i = 0; i < 200; ++i) {
    const double a = std::abs(std::sin(i)), b = std::abs(std::cos(3.0 * i));
    text += str_cat(a, ",", b, ",", a + b > 1 ? "large" : "small", ",", a - 2 * b, "\n");
  }
  REQUIRE_OK(write_file(join_path(folder, "rows.csv"), text));
}

constexpr const char* kLayers =
    R"([{"layer": "Dense", "units": 8, "activation": "tanh", "inputs": ["a"], "name": "from_a"},
   {"layer": "Dense", "units": 8, "activation": "tanh", "inputs": ["b"], "name": "from_b"},
   {"layer": "Concatenate", "inputs": ["from_a", "from_b"], "name": "both"},
   {"layer": "Dense", "units": 2, "name": "kind"},
   {"layer": "Dense", "units": 1, "inputs": ["both"], "name": "size"}])";
constexpr const char* kData = R"("data": {"train": {"x": {"a": "rows.csv", "b": "rows.csv"},
   "y": {"kind": "rows.csv", "size": "rows.csv"}}, "test": {"x": {"a": "rows.csv", "b": "rows.csv"},
   "y": {"kind": "rows.csv", "size": "rows.csv"}}})";

std::string spec_of(std::string_view loss, std::string_view more = {}) {
  return str_cat(R"({"model": )", kLayers, R"(, "loss": )", loss,
                 R"(, "optimizer": {"name": "adam", "learning_rate": 0.02}, "epochs": 20, "batch_size": 20, )", kData,
                 more, "}");
}

Result<std::unique_ptr<Trainer>> open(const std::string& folder, const std::string& spec) {
  return trainer_from_spec(engine_of(1), spec, folder, "");
}

double number(const NamedNumbers& all, std::string_view name) {
  for (const auto& [key, value] : all) {
    if (key == name) return value;
  }
  FAIL(name);
  return 0;
}

}  // namespace

TEST_CASE("several inputs and outputs, by their names, with a loss and metrics for each") {
  const TempFolder folder;
  write_rows(folder.path());
  const auto trainer = open(folder.path(), spec_of(R"({"kind": {"name": "sparse_categorical_crossentropy",
      "from_logits": true}, "size": {"name": "mse", "weight": 0.5}})",
                                                   R"(, "metrics": {"kind": ["accuracy"], "size": ["mae"]})"));
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  REQUIRE_OK((*trainer)->fit(nullptr, -1, {}));
  const auto result = (*trainer)->evaluate(nullptr);
  REQUIRE_MESSAGE(result.ok(), result.status().to_string());
  CHECK(number(*result, "kind_accuracy") > 0.95);
  CHECK(number(*result, "size_mae") < 0.1);
  CHECK(number(*result, "loss") ==
        doctest::Approx(number(*result, "kind_loss") + 0.5 * number(*result, "size_loss")).epsilon(1e-5));
  const auto model = (*trainer)->inference_model();
  REQUIRE(model.ok());
  const Function& main = (*model)->main();
  REQUIRE(main.inputs.size() == 2);
  REQUIRE(main.outputs.size() == 2);
  CHECK(main.value(main.outputs[0]).name == "kind");
  CHECK((*model)->metadata.at("percale.csv").find("\"y/kind\"") != std::string::npos);
}

TEST_CASE("a loss of weight 0 leaves its output's layers where they were") {
  const TempFolder folder;
  write_rows(folder.path());
  auto trainer =
      open(folder.path(), spec_of(R"({"kind": {"name": "sparse_categorical_crossentropy", "from_logits": true},
                                                "size": {"name": "mse", "weight": 0}})"));
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  const auto value = [&](std::string_view name) {
    const auto version = (*trainer)->variables()->current();
    return version->values[static_cast<size_t>((*trainer)->variables()->find(name))];
  };
  const Tensor size = value("size/kernel"), kind = value("kind/kernel");
  REQUIRE_OK((*trainer)->fit(nullptr, 1, {}));
  CHECK(std::ranges::equal(value("size/kernel").span<float>(), size.span<float>()));
  CHECK_FALSE(std::ranges::equal(value("kind/kernel").span<float>(), kind.span<float>()));
}

TEST_CASE("what does not fit together is named") {
  const TempFolder folder;
  write_rows(folder.path());
  for (const auto& [loss, wrong] : {std::pair{R"({"kind": "mse", "sise": "mse"})", "did you mean 'y/sise'?"},
                                    {R"({"kind": "mse"})", "labels 'y/size' that 'loss' does not name"},
                                    {R"("mse")", "that 'loss' does not name"},
                                    {R"({"kind": {"name": "mse", "wait": 2}, "size": "mse"})", "wait"}}) {
    const auto trainer = open(folder.path(), spec_of(loss));
    REQUIRE_FALSE(trainer.ok());
    CHECK_MESSAGE(trainer.status().message().find(wrong) != std::string_view::npos, trainer.status().to_string());
  }
  const auto metrics = open(folder.path(), spec_of(R"({"kind": "mse", "size": "mse"})", R"(, "metrics": ["mae"])"));
  CHECK(metrics.status().message().find("by the names of the outputs") != std::string_view::npos);
}

TEST_CASE("a model of several inputs in a file takes a head, and data by their names") {
  const TempFolder folder;
  write_rows(folder.path());
  const auto first =
      open(folder.path(), spec_of(R"({"kind": {"name": "sparse_categorical_crossentropy", "from_logits": true},
                                                    "size": "mse"})"));
  REQUIRE_MESSAGE(first.ok(), first.status().to_string());
  const auto model = (*first)->inference_model();
  REQUIRE(model.ok());
  auto graph = std::make_shared<Graph>(**model);
  for (Variable& v : graph->variables) {
    const int32_t index = (*first)->variables()->find(v.name);
    v.initial = (*first)->variables()->current()->values[static_cast<size_t>(index)];
  }
  std::erase_if(graph->functions, [](const Function& f) { return f.name == kInitFunction; });
  REQUIRE_OK(save_graph(*graph, folder / "two.percale"));
  const auto second = open(
      folder.path(),
      str_cat(
          R"({"model": "two.percale", "outputs": "both", "freeze": "model", "head": [{"layer": "Dense", "units": 1, "name": "new"}],
          "loss": "mse", "optimizer": "sgd", "epochs": 2, "data": {"train": {"x": {"a": "rows.csv", "b": "rows.csv"},
          "y": "rows.csv#size"}}})"));
  REQUIRE_MESSAGE(second.ok(), second.status().to_string());
  REQUIRE_OK((*second)->fit(nullptr, -1, {}));
  CHECK((*second)->history().rows.back().loss < (*second)->history().rows.front().loss);
}

}  // namespace percale
