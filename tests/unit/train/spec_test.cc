#include "core/train/spec.h"

#include <doctest/doctest.h>

#include <map>
#include <optional>

#include "core/checkpoint/npy.h"
#include "core/file/file.h"
#include "core/train/shards/device_choice.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kRest = R"("loss": "sparse_categorical_crossentropy", "optimizer": "adam")";

Status parse_with(const std::string& more) {
  return parse_spec(str_cat("{\"model\": [{\"layer\": \"Flatten\"}], ", kRest, more, "}")).status();
}

// Writes images of 3x4 bytes and labels 0 to 2 into the files of a SPEC.
void write_data(const TempFolder& folder) {
  std::string images("\0\0\x08\x03\0\0\0\x1e\0\0\0\x03\0\0\0\x04", 16), labels("\0\0\x08\x01\0\0\0\x1e", 8);
  for (int i = 0; i < 30; ++i) {
    labels += static_cast<char>(i % 3);
    for (int k = 0; k < 12; ++k) images += static_cast<char>(k / 4 == i % 3 ? 200 + i : i);
  }
  REQUIRE_OK(write_file(folder / "images", images));
  REQUIRE_OK(write_file(folder / "labels", labels));
}

const std::string kJob = R"({
  "model": [{"layer": "Conv2D", "filters": 4, "kernel_size": 3, "padding": "same", "activation": "relu", "name": "c"},
            {"layer": "MaxPooling2D", "pool_size": [3, 2], "name": "p"},
            {"layer": "AveragePooling2D", "pool_size": [3, 2], "inputs": ["c"], "name": "q"},
            {"layer": "Concatenate", "inputs": ["p", "q"]},
            {"layer": "Flatten"}, {"layer": "Dense", "units": 3}],
  "input_shape": [3, 4, 1],
  "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
  "optimizer": {"name": "adam", "learning_rate": 0.01},
  "data": {"train": {"x": "images.gz", "y": "labels", "scale": 0.00392156862745098},
           "test": {"x": "images", "y": "labels", "scale": 0.00392156862745098}},
  "batch_size": 8, "shards": 2, "epochs": 20, "seed": 3, "devices": "cpu:0"})";

}  // namespace

TEST_CASE("a SPEC alone trains a model with branches on IDX files to their labels") {
  const TempFolder folder;
  write_data(folder);
  const auto engine = engine_of(2);
  auto trainer = trainer_from_spec(engine, kJob, folder.path(), "");
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
  CHECK((*trainer)->steps() == 80);
  const auto result = (*trainer)->evaluate(nullptr);
  REQUIRE(result.ok());
  CHECK(result->at(1).second == 1);
  for (const char* name : {"c/kernel", "c/bias", "dense/kernel", "dense/bias"}) {
    CHECK((*trainer)->variables()->find(name) >= 0);
  }
  const auto facts = Json::parse((*trainer)->describe());
  REQUIRE(facts.ok());
  CHECK(*facts->find("parameters")->as_int("") == 3 * 3 * 4 + 4 + 16 * 3 + 3);
  CHECK(*facts->find("shards")->as_int("") == 2);
}

TEST_CASE("the devices of a SPEC compute shards, and no others; a caller may say others") {
  const TempFolder folder;
  write_data(folder);
  const auto engine = engine_of(2, "cpu=3");
  const auto trained_on = [&](const std::string& key, const std::optional<std::string>& said) {
    std::string job = kJob;
    job.replace(job.find("\"cpu:0\""), 7, key);
    job.replace(job.find("\"shards\": 2"), 11, "\"shards\": 4");
    SpecOverrides overrides;
    if (said) overrides.options["devices"] = *said;
    auto trainer = trainer_from_spec(engine, job, folder.path(), "", overrides);
    REQUIRE_OK(trainer.status());
    REQUIRE_OK((*trainer)->fit(nullptr, 1, nullptr));
    const auto facts = Json::parse((*trainer)->describe());
    REQUIRE_OK(facts.status());
    std::string out;
    const Json& devices = *facts->find("run")->find("devices");
    for (size_t i = 0; i < devices.size(); ++i) out += *devices.item(i).find("name")->as_string("name") + ";";
    return out;
  };
  CHECK(trained_on("\"cpu:1\"", std::nullopt) == "cpu:1;");
  CHECK(trained_on("\"cpu:2,cpu:0\"", std::nullopt) == "cpu:0;cpu:2;");
  CHECK(trained_on("\"cpu=2x1\"", std::nullopt) == "cpu:0;cpu:1;");
  CHECK(trained_on("\"all\"", std::nullopt) == "cpu:0;cpu:1;cpu:2;");
  CHECK(trained_on("\"cpu:1\"", "all") == "cpu:0;cpu:1;cpu:2;");
  CHECK(trained_on("\"cpu:1\"", "cpu:2") == "cpu:2;");

  for (const auto& [list, says] : {std::pair{"cpu:7", "'cpu:7', which this engine lacks: it has cpu:0, cpu:1, cpu:2"},
                                   {"cpu=4", "'cpu=4', this engine has cpu:0, cpu:1, cpu:2"},
                                   {"cpu=no", "'cpu=no', wanted KIND=NUMBER"}}) {
    CAPTURE(list);
    const auto chosen = choose_devices(*engine, list);
    CHECK(!chosen.ok());
    CHECK(chosen.status().message().find(says) != std::string::npos);
  }
}

TEST_CASE("what a caller says counts more than the SPEC") {
  const TempFolder folder;
  write_data(folder);
  SpecOverrides overrides;
  overrides.options = {{"epochs", "1"}, {"batch_size", "30"}, {"shards", "1"}};
  auto trainer = trainer_from_spec(engine_of(1), kJob, "", folder.path(), overrides);
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
  CHECK((*trainer)->steps() == 1);
  CHECK((*trainer)->shards() == 1);
}

TEST_CASE("numbers in .npy files train a linear model; f64 and integers become the model's dtype") {
  const TempFolder folder;
  const Tensor x = formula(DType::kF64, Shape{40, 2}, 0);
  std::vector<double> y;
  for (size_t i = 0; i < 40; ++i) y.push_back(3 * x.span<double>()[2 * i] - x.span<double>()[2 * i + 1] + 0.5);
  REQUIRE_OK(write_npy(folder / "x.npy", x));
  REQUIRE_OK(write_npy(folder / "y.npy", Tensor::vector(std::span<const double>(y))));
  auto trainer = trainer_from_spec(engine_of(1), R"({"model": [{"layer": "Dense", "units": 1}], "loss": "mse_",
      "optimizer": "sgd", "data": {"train": {"x": "x.npy", "y": "y.npy"}}})",
                                   folder.path(), "");
  CHECK(trainer.status().code() == Code::kInvalidArgument);
  trainer = trainer_from_spec(engine_of(1), R"({"model": [{"layer": "Dense", "units": 1}], "loss": "mean_squared_error",
      "optimizer": {"name": "sgd", "learning_rate": 0.3}, "epochs": 200, "batch_size": 40,
      "data": {"train": {"x": "x.npy", "y": "y.npy"}}})",
                              folder.path(), "");
  REQUIRE_MESSAGE(trainer.ok(), trainer.status().to_string());
  REQUIRE_OK((*trainer)->fit(nullptr, 0, nullptr));
  CHECK((*trainer)->history().rows.back().loss < 1e-6);
  // No test data
  CHECK((*trainer)->evaluate(nullptr).status().code() == Code::kFailedPrecondition);
}

TEST_CASE("an Embedding takes ids of any integer type, and floats that are whole numbers") {
  const std::string job = R"("model": [{"layer": "Embedding", "input_dim": 9, "output_dim": 4}, {"layer": "Flatten"},
      {"layer": "Dense", "units": 3}], "loss": "sparse_categorical_crossentropy", "from_logits": true,
      "optimizer": "sgd", "batch_size": 4, "epochs": 2, "seed": 5)";
  const TempFolder folder;
  const auto engine = engine_of(1);
  std::vector<int64_t> ids;
  std::string csv = "a,b,y\n";
  for (int64_t i = 0; i < 16; ++i) ids.push_back(i * i % 9);
  const auto of_type = [&]<class T>(T) {
    const std::vector<T> values(ids.begin(), ids.end());
    return Tensor::of(Shape{8, 2}, std::span<const T>(values));
  };
  const std::vector<int64_t> classes = class_numbers(8, 3);
  const Tensor y = Tensor::vector(std::span<const int64_t>(classes));
  for (size_t i = 0; i < 8; ++i) csv += str_cat(ids[2 * i], ",", ids[2 * i + 1], ",", classes[i], "\n");
  REQUIRE_OK(write_file(folder / "rows.csv", csv));
  REQUIRE_OK(write_npy(folder / "y.npy", y));
  const auto fitted = [&](const std::string& keys, const std::shared_ptr<Dataset>& data) -> Result<std::string> {
    PERCALE_ASSIGN_OR_RETURN(auto trainer, trainer_from_spec(engine, "{" + job + keys + "}", folder.path(), ""));
    PERCALE_ASSIGN_OR_RETURN(const auto model, trainer->inference_model());
    CHECK(model->main().type(model->main().inputs[0]).dtype == DType::kI64);
    PERCALE_RETURN_IF_ERROR(trainer->fit(data, 0, nullptr));
    return trainer->variables()->digest();
  };
  const auto as_data_set = [&](const Tensor& x) -> Result<std::string> {
    PERCALE_ASSIGN_OR_RETURN(auto data,
                             Dataset::create({{"x", x, x.dtype(), 1}, {"y", y, DType::kI64, 1}}, engine->memory()));
    PERCALE_RETURN_IF_ERROR(data->configure({.batch_size = 4}));
    return fitted(R"(, "input_shape": [2])", data);
  };
  const auto wanted = as_data_set(of_type(int64_t{}));
  REQUIRE_OK(wanted.status());
  for (const Tensor& x :
       {of_type(int32_t{}), of_type(int16_t{}), of_type(uint8_t{}), of_type(float{}), of_type(double{})}) {
    CAPTURE(x.dtype());
    const auto digest = as_data_set(x);
    REQUIRE_OK(digest.status());
    CHECK(*digest == *wanted);
    REQUIRE_OK(write_npy(folder / "x.npy", x));
    const auto of_file = fitted(R"(, "shuffle": false, "data": {"train": {"x": "x.npy", "y": "y.npy"}})", nullptr);
    REQUIRE_OK(of_file.status());
    CHECK(*of_file == *wanted);
  }
  const auto of_csv = fitted(R"(, "shuffle": false, "data": {"train": {"x": "rows.csv", "y": "rows.csv"}})", nullptr);
  REQUIRE_OK(of_csv.status());
  CHECK(*of_csv == *wanted);
  const std::vector<float> halves(16, 0.5F);
  const auto half = as_data_set(Tensor::of(Shape{8, 2}, std::span<const float>(halves)));
  CHECK(half.status().message() == "input 'x' (i64): wanted whole numbers, the data has 0.5");
  const auto precise =
      trainer_from_spec(engine, "{" + job + R"(, "input_shape": [2], "precision": "f64"})", folder.path(), "");
  REQUIRE_OK(precise.status());
  for (const Tensor& value : (*precise)->variables()->current()->values) {
    if (value.shape().rank() > 0) CHECK(value.dtype() != DType::kF32);
  }
}

TEST_CASE(
    "in bf16 parameters and optimizer stay f32, and the loss is that of f32 but for rounding; its checkpoints are its "
    "own") {
  const TempFolder folder;
  write_data(folder);
  std::map<std::string, std::unique_ptr<Trainer>> trainers;
  const auto engine = engine_of(1);
  const auto with = [&](const std::string& key) {
    std::string job = kJob;
    if (!key.empty()) job.insert(job.find('{') + 1, "\"precision\": \"" + key + "\", ");
    return job;
  };
  for (const std::string precision : {"f32", "bf16", "f64"}) {
    auto trainer = trainer_from_spec(engine, with(precision), folder.path(), "");
    REQUIRE_OK(trainer.status());
    REQUIRE_OK((*trainer)->fit(nullptr, 1, nullptr));
    for (const Tensor& value : (*trainer)->variables()->current()->values) {
      CHECK((!is_float(value.dtype()) || value.dtype() == (precision == "f64" ? DType::kF64 : DType::kF32)));
    }
    trainers[precision] = std::move(trainer).value();
  }
  const auto loss = [&](const char* precision) { return trainers[precision]->history().rows.back().loss; };
  CHECK(loss("bf16") == doctest::Approx(loss("f32")).epsilon(0.02));

  // The caller's override takes precedence over the SPEC.
  SpecOverrides overrides;
  overrides.options["precision"] = "bf16";
  auto said = trainer_from_spec(engine, with("f32"), folder.path(), "", overrides);
  REQUIRE_OK(said.status());
  CHECK((*said)->options().bf16);
  CHECK((*said)->fingerprint() == trainers["bf16"]->fingerprint());
  REQUIRE_OK(trainers["f32"]->save(folder / "saved"));
  const Status other = (*said)->restore(folder / "saved");
  CHECK(other.code() == Code::kFailedPrecondition);
  CHECK(other.message().find("precision=bf16") != std::string::npos);

  const auto wrong = trainer_from_spec(engine, with("f8"), folder.path(), "");
  CHECK(wrong.status().message().find("'precision' is 'f8', wanted f32, f64 or bf16") != std::string::npos);
}

TEST_CASE("unknown keys name the nearest key and their place") {
  CHECK(
      parse_with(", \"batchsize\": 3")
          .message()
          .starts_with("line 1, column 112: 'batchsize': unknown key in SPEC, did you mean 'batch_size'? There are "));
  CHECK(parse_with(", \"data\": {\"train\": {\"x\": \"a\", \"y\": \"b\", \"skale\": 1}}").message().find("'scale'") !=
        std::string_view::npos);
  CHECK(parse_spec("{\"model\": [{\"Layer\": \"Dense\"}]}").status().code() == Code::kInvalidArgument);
  CHECK(parse_spec("[]").status().code() == Code::kInvalidArgument);
  CHECK(parse_with(", \"epochs\": 0").code() == Code::kOutOfRange);
  CHECK(parse_with(", \"epochs\": \"two\"").code() == Code::kInvalidArgument);
  CHECK(parse_with(", \"metrics\": [\"acuracy\"]").message().find("'accuracy'") != std::string_view::npos);
}

TEST_CASE("what is not there yet is named") {
  for (const char* more : {R"(, "validation_split": 0.1)", R"(, "metrics": ["mean_io_u"])"}) {
    const Status status = parse_with(more);
    CAPTURE(status.to_string());
    CHECK(status.code() == Code::kUnimplemented);
  }
  CHECK(parse_with(R"(, "validation_split": 0.1)")
            .message()
            .ends_with("'validation_split' of SPEC is not implemented; give the rows as 'validation' of 'data'"));
  CHECK(parse_with(R"(, "sample_weight": null, "parameters": "host")").ok());
}

TEST_CASE("data that is missing, or does not fit the model, says which and where") {
  const TempFolder folder;
  const auto engine = engine_of(1);
  const auto status = trainer_from_spec(engine, kJob, folder.path(), "").status();
  CHECK(status.code() == Code::kNotFound);
  CHECK(status.message().find("images.gz") != std::string_view::npos);
  CHECK(status.message().find(folder.path()) != std::string_view::npos);
  write_data(folder);
  std::string other = kJob;
  other.replace(other.find("[3, 4, 1]"), 9, "[4, 4, 1]");
  CHECK(trainer_from_spec(engine, other, folder.path(), "").status().code() == Code::kInvalidArgument);
  other = kJob;
  other.replace(other.find("cpu:0"), 5, "cuda:0");
  CHECK(trainer_from_spec(engine, other, folder.path(), "").status().code() == Code::kFailedPrecondition);
}

}  // namespace percale
