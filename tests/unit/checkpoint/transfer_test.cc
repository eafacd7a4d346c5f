#include "core/checkpoint/transfer.h"

#include <doctest/doctest.h>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/safetensors.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

Tensor numbers(std::initializer_list<float> values) {
  const std::vector<float> list(values);
  return Tensor::vector(std::span<const float>(list));
}

std::shared_ptr<Variables> table() {
  std::vector<Variable> variables;
  for (const char* name : {"backbone/a/kernel", "backbone/a/bias", "head/kernel"}) {
    Variable& v = variables.emplace_back();
    v.name = name;
    v.dtype = DType::kF32;
    v.shape = Shape{2};
  }
  return *Variables::create(variables, {numbers({0, 0}), numbers({0, 0}), numbers({0, 0})});
}

float first(const Variables& variables, size_t i) { return variables.current()->values[i].span<float>()[0]; }

}  // namespace

TEST_CASE("variables take values by rules, else by their own names") {
  const std::vector<NameRule> rules = {{"encoder/*/w", "backbone/*/kernel"}, {"", "head/*"}};
  CHECK(source_name(rules, "backbone/x/y/kernel") == "encoder/x/y/w");
  CHECK(source_name(rules, "head/kernel").empty());
  CHECK(source_name(rules, "other") == "other");
}

TEST_CASE("another model's values come from a file, from a checkpoint, and from a folder of checkpoints") {
  const TempFolder folder;
  const std::vector<std::pair<std::string, Tensor>> tensors = {
      {"encoder/a/w", numbers({1, 2})}, {"backbone/a/bias", numbers({3, 4})}, {"head/kernel", numbers({5, 6, 7})}};
  std::vector<NamedTensor> named;
  for (const auto& [name, tensor] : tensors) named.push_back({name, tensor});
  REQUIRE(write_safetensors(folder / "m.safetensors", named).ok());
  Checkpoint checkpoint;
  checkpoint.step = 3;
  checkpoint.tensors = tensors;
  REQUIRE(write_checkpoint(folder / "run", checkpoint).ok());
  const std::vector<NameRule> rules = {{"encoder/*/w", "backbone/*/kernel"}, {"", "head/*"}};
  for (const std::string& path : {folder / "m.safetensors", folder / "run/step-3", folder / "run"}) {
    CAPTURE(path);
    const auto variables = table();
    const auto loaded = load_variables(*variables, path, rules, true);
    REQUIRE_MESSAGE(loaded.ok(), loaded.status().to_string());
    CHECK(*loaded == 2);
    CHECK(first(*variables, 0) == 1);
    CHECK(first(*variables, 1) == 3);
    CHECK(first(*variables, 2) == 0);
    CHECK(variables->current()->number == 2);

    // The head has another shape.
    CHECK(load_variables(*variables, path, {}, false).status().code() == Code::kInvalidArgument);
    CHECK(load_variables(*variables, path, {{"", "head/*"}}, true).status().code() == Code::kNotFound);
    CHECK(*load_variables(*variables, path, {{"", "head/*"}}, false) == 1);
    CHECK(load_variables(*variables, path, {{"encoder/b", "backbone/a/bias"}}, false).status().message() ==
          path + ": no tensor 'encoder/b' in the file, did you mean 'encoder/a/w'?");
    CHECK(load_variables(*variables, path, {{"a/*", "b"}}, false).status().code() == Code::kInvalidArgument);
  }
  CHECK(load_variables(*table(), folder / "nothing", {}, false).status().code() == Code::kNotFound);
}

}  // namespace percale
