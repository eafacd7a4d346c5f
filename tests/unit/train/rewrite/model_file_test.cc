// Training that continues from a model in a file.
#include "core/train/rewrite/model_file.h"

#include <cstring>

#include "core/checkpoint/graph_files.h"
#include "core/checkpoint/npy.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr int64_t kRows = 40;
constexpr const char* kBody = R"({"layer": "Dense", "units": 8, "activation": "tanh"}, {"layer": "BatchNormalization"},
  {"layer": "Dense", "units": 6, "activation": "relu"})";

void write_data(const std::string& folder) {
  const std::vector<int64_t> numbers = class_numbers(kRows, 3);
  REQUIRE_OK(write_npy(join_path(folder, "x.npy"), formula(DType::kF32, Shape{kRows, 5}, 9)));
  REQUIRE_OK(write_npy(join_path(folder, "y.npy"), Tensor::vector(std::span<const int64_t>(numbers))));
}

// Makes a SPEC with this `model`, further keys `more`, and all keys that it needs.
std::string spec_of(const std::string& model, const std::string& more = "") {
  return str_cat("{\"model\": ", model, more, R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true,
    "optimizer": "adam", "batch_size": 8, "epochs": 2, "seed": 3, "shards": 1, "metrics": ["accuracy"],
    "data": {"train": {"x": "x.npy", "y": "y.npy"}}})");
}

std::unique_ptr<Trainer> trainer_of(const std::string& folder, const std::string& spec) {
  auto out = trainer_from_spec(engine_of(1), spec, folder, "");
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return std::move(*out);
}

Status refused(const std::string& folder, const std::string& spec) {
  return trainer_from_spec(engine_of(1), spec, folder, "").status();
}

// Saves the trainer's model with its trained values.
void save_model(const Trainer& trainer, const std::string& path) {
  const auto model = trainer.inference_model();
  REQUIRE_MESSAGE(model.ok(), model.status().to_string());
  Graph whole = **model;
  const auto version = trainer.variables()->current();
  for (Variable& v : whole.variables) {
    v.initial = version->values[static_cast<size_t>(trainer.variables()->find(v.name))];
  }
  std::erase_if(whole.functions, [](const Function& f) { return f.name == kInitFunction; });
  REQUIRE_OK(save_graph(whole, path));
}

Tensor value_of(const Trainer& trainer, std::string_view name) {
  const int32_t at = trainer.variables()->find(name);
  REQUIRE(at >= 0);
  return trainer.variables()->current()->values[static_cast<size_t>(at)];
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

}  // namespace

TEST_CASE("a head on a model from a file trains as the same layers with the same first values do") {
  const TempFolder folder;
  write_data(folder.path());
  const auto first = trainer_of(folder.path(), spec_of(str_cat("[", kBody, R"(, {"layer": "Dense", "units": 4}])")));
  // Its own labels use 3 classes of 4. The values that it learns do not matter.
  REQUIRE_OK(first->fit(nullptr, 1, nullptr));
  save_model(*first, folder / "first.percale");

  const char* freeze = R"(, "freeze": ["dense/*", "batch_normalization/*"])";
  const auto from_file = trainer_of(
      folder.path(),
      spec_of("\"first.percale\"", str_cat(R"(, "outputs": "dense_1", "head": [{"layer": "Dropout", "rate": 0.2},
                                                                {"layer": "Dense", "units": 3, "name": "new"}])",
                                           freeze)));
  const auto built = trainer_of(
      folder.path(),
      spec_of(
          str_cat("[", kBody, R"(, {"layer": "Dropout", "rate": 0.2}, {"layer": "Dense", "units": 3, "name": "new"}])"),
          freeze));
  // The old head is removed, the new one is initialised, the rest has the file's values.
  CHECK(from_file->variables()->find("dense_2/kernel") < 0);
  std::vector<std::pair<int32_t, Tensor>> values;
  const auto& variables = built->variables()->variables();
  REQUIRE(from_file->variables()->variables().size() == variables.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].name.starts_with("new/")) {
      CHECK(same_bytes(value_of(*from_file, variables[i].name), value_of(*first, variables[i].name)));
    }
    values.emplace_back(static_cast<int32_t>(i), value_of(*from_file, variables[i].name));
  }
  REQUIRE_OK(built->variables()->publish(values).status());
  const auto before = value_of(*from_file, "dense_1/kernel");
  REQUIRE_OK(from_file->fit(nullptr, 0, nullptr));
  REQUIRE_OK(built->fit(nullptr, 0, nullptr));
  CHECK(same_bytes(value_of(*from_file, "dense/kernel"), value_of(*first, "dense/kernel")));
  CHECK(same_bytes(value_of(*from_file, "batch_normalization/moving_mean"),
                   value_of(*first, "batch_normalization/moving_mean")));
  CHECK_FALSE(same_bytes(value_of(*from_file, "dense_1/kernel"), before));
  CHECK(from_file->history().rows.size() == 10);
  CHECK(std::isfinite(from_file->history().rows.back().loss));
}

TEST_CASE("freeze: model is all of the file, and names that the head left behind are no mistake") {
  const TempFolder folder;
  write_data(folder.path());
  const auto first = trainer_of(folder.path(), spec_of(str_cat("[", kBody, R"(, {"layer": "Dense", "units": 4}])")));
  save_model(*first, folder / "first.percale");
  const auto head = [&](const char* freeze) {
    return spec_of("\"first.percale\"", str_cat(R"(, "outputs": "dense_1", "head": [{"layer": "Dense", "units": 3,
                                                 "name": "new"}], "freeze": )",
                                                freeze));
  };
  const auto trainer = trainer_of(folder.path(), head(R"(["model", "dense_2/*"])"));
  const auto before = value_of(*trainer, "new/kernel");
  REQUIRE_OK(trainer->fit(nullptr, 1, nullptr));
  for (const Variable& v : trainer->variables()->variables()) {
    if (v.slot || v.name.starts_with("new/")) continue;
    CHECK_MESSAGE(same_bytes(value_of(*trainer, v.name), value_of(*first, v.name)), v.name);
  }
  CHECK_FALSE(same_bytes(value_of(*trainer, "new/kernel"), before));
  const auto wrong = trainer_from_spec(engine_of(1), head(R"("dens_2/*")"), folder.path(), "");
  CHECK(wrong.status().message().find("dens_2/*") != std::string_view::npos);
}

TEST_CASE("without random layers the bits are the same, frozen or not, and the model is saved and taken up again") {
  const TempFolder folder;
  write_data(folder.path());
  const auto first = trainer_of(folder.path(), spec_of(str_cat("[", kBody, "]")));
  save_model(*first, folder / "body.percale");
  for (const char* freeze : {"", R"(, "freeze": "dense/*")"}) {
    CAPTURE(freeze);
    const auto from_file = trainer_of(
        folder.path(), spec_of("\"body.percale\"", str_cat(R"(, "head": [{"layer": "Dense", "units": 3}])", freeze)));
    const auto built =
        trainer_of(folder.path(), spec_of(str_cat("[", kBody, R"(, {"layer": "Dense", "units": 3}])"), freeze));
    std::vector<std::pair<int32_t, Tensor>> values;
    for (const Variable& v : built->variables()->variables()) {
      values.emplace_back(built->variables()->find(v.name), value_of(*from_file, v.name));
    }
    REQUIRE_OK(built->variables()->publish(values).status());
    REQUIRE_OK(from_file->fit(nullptr, 0, nullptr));
    REQUIRE_OK(built->fit(nullptr, 0, nullptr));
    CHECK(from_file->variables()->digest() == built->variables()->digest());
    for (size_t i = 0; i < built->history().rows.size(); ++i) {
      CHECK(from_file->history().rows[i].loss == built->history().rows[i].loss);
    }
    // The whole model as a file again, trained further without a head.
    save_model(*from_file, folder / "whole.percale");
    const auto on = trainer_of(folder.path(), spec_of("\"whole.percale\""));
    CHECK(on->variables()->digest() == from_file->variables()->digest());
    REQUIRE_OK(on->fit(nullptr, 1, nullptr));
    CHECK(on->history().rows.back().loss < from_file->history().rows.front().loss);
  }
}

TEST_CASE("a head takes several outputs by name") {
  const TempFolder folder;
  write_data(folder.path());
  const auto first = trainer_of(folder.path(), spec_of(str_cat("[", kBody, "]")));
  save_model(*first, folder / "body.percale");
  const auto two = trainer_of(folder.path(), spec_of("\"body.percale\"", R"(, "outputs": ["dense", "dense_1"], "head": [
        {"layer": "Concatenate", "inputs": ["dense", "dense_1"]}, {"layer": "Dense", "units": 3}])"));
  CHECK(value_of(*two, "dense_2/kernel").shape() == Shape{14, 3});
  REQUIRE_OK(two->fit(nullptr, 1, nullptr));
  const std::string outputs = R"(, "outputs": ["dense", "dense_1"])";
  CHECK(refused(folder.path(), spec_of("\"body.percale\"", outputs)).message().find("several values") !=
        std::string_view::npos);
  CHECK(refused(folder.path(), spec_of("\"body.percale\"", outputs + R"(, "head": [{"layer": "Dense", "units": 3}])"))
            .message()
            .find("several values") != std::string_view::npos);
}

TEST_CASE("a model whose values are called like the data's columns, and whose input is called otherwise, fits") {
  const TempFolder folder;
  write_data(folder.path());
  const auto engine = engine_of(1);
  Builder b(engine->registry());
  const auto input = b.main().add_input("image", DType::kF32, Shape{kUnknownDim, 5});
  REQUIRE(input.ok());
  Variable v;
  v.name = "w";
  v.dtype = DType::kF32;
  v.shape = Shape{5, 3};
  v.initial = formula(DType::kF32, Shape{5, 3}, 1);
  REQUIRE_OK(b.add_variable(v));
  Emitter e(b.main());
  const ValueId w = e.emit("percale:ReadVariable", {},
                           {{"variable", "w"}, {"dtype", DType::kF32}, {"shape", std::vector<int64_t>{5, 3}}}, "x");
  REQUIRE_OK(b.main().set_outputs({e.emit("MatMul", {*input, w}, {}, "y")}));
  REQUIRE_OK(e.status());
  auto graph = b.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  REQUIRE_OK(save_graph(**graph, folder / "plain.percale"));
  const auto trainer = trainer_of(folder.path(), spec_of("\"plain.percale\"", R"(, "outputs": "y")"));
  REQUIRE_OK(trainer->fit(nullptr, 2, nullptr));
  CHECK_FALSE(same_bytes(value_of(*trainer, "w"), v.initial));
}

TEST_CASE("what a SPEC asks of a model file in vain is named") {
  const TempFolder folder;
  write_data(folder.path());
  save_model(*trainer_of(folder.path(), spec_of(str_cat("[", kBody, "]"))), folder / "body.percale");
  const auto says = [&](const std::string& spec, Code code, std::string_view words) {
    const Status status = refused(folder.path(), spec);
    CAPTURE(status.to_string());
    CHECK(status.code() == code);
    CHECK(status.message().find(words) != std::string_view::npos);
  };
  says(spec_of("\"nothing.percale\""), Code::kNotFound, "nothing.percale");
  says(spec_of("\"x.npy\""), Code::kUnimplemented, "importer");
  says(spec_of("\"body.percale\"", R"(, "outputs": "dens")"), Code::kNotFound, "'dense'");
  says(spec_of("\"body.percale\"", R"(, "outputs": ["dense", "dense"])"), Code::kInvalidArgument, "twice");
  says(spec_of("\"body.percale\"", R"(, "input_shape": [5])"), Code::kInvalidArgument, "'input_shape'");
  says(spec_of("\"body.percale\"", R"(, "freeze": "conv*")"), Code::kInvalidArgument, "'conv*'");
  says(spec_of("[{\"layer\": \"Flatten\"}]", R"(, "head": [{"layer": "Flatten"}])"), Code::kInvalidArgument, "'head'");
  says(spec_of("\"body.percale\"", R"(, "head": [{"layer": "Dense", "units": 3, "name": "dense"}])"),
       Code::kAlreadyExists, "taken");
  REQUIRE_OK(write_npy(folder / "x.npy", formula(DType::kF32, Shape{kRows, 7}, 9)));
  says(spec_of("\"body.percale\""), Code::kInvalidArgument, "takes rows of");
}

}  // namespace percale
