#include "core/train/option_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/train/trainer_keys.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

OptionSpec spec_of(std::string_view name) {
  for (OptionSpec& option : trainer_option_specs()) {
    if (option.key == name) return option;
  }
  FAIL("no option " << name);
  return {};
}

Spec applied(const OptionTexts& options, Spec spec = {}) {
  REQUIRE_OK(apply_options(options, &spec));
  return spec;
}

std::string refused(const OptionTexts& options) {
  Spec spec;
  return std::string(apply_options(options, &spec).message());
}

// The keys of a SPEC that `text` sets.
TrainerOptions from_spec(std::string_view text) {
  TrainerOptions out;
  REQUIRE_OK(read_trainer_keys(*Json::parse(text), &out));
  return out;
}

}  // namespace

TEST_CASE("options have unique names, and defaults that they accept") {
  std::set<std::string_view> names;
  OptionTexts defaults;
  for (const OptionSpec& option : trainer_option_specs()) {
    CAPTURE(option.key);
    CHECK(names.insert(option.key).second);
    CHECK(option.doc.ends_with("."));
    CHECK(checked_option(option, option.fallback).ok());
    // Some texts are empty by default, which is not a value of the key.
    if (!option.fallback.empty()) defaults.emplace(option.key, option.fallback);
  }
  CHECK(names.size() == 35);
  const Spec spec = applied(defaults), plain;
  CHECK(spec.trainer.optimizer.name() == "adam");
  CHECK(spec.trainer.epochs == plain.trainer.epochs);
  CHECK(spec.trainer.shards == plain.trainer.shards);
  CHECK(spec.trainer.mode == plain.trainer.mode);
  CHECK(spec.batch_size == plain.batch_size);
}

TEST_CASE("an option has type, range, default and doc of the key that it sets") {
  const OptionSpec epochs = spec_of("epochs");
  CHECK(epochs.type == OptionType::kInt);
  CHECK(epochs.fallback == "1");
  CHECK(epochs.min == 1);
  const OptionSpec clip = spec_of("clip_norm");
  CHECK(clip.type == OptionType::kFloat);
  CHECK(clip.doc == "Largest norm of all gradients together; 0: no limit. Not for a SPEC.");
  CHECK(spec_of("memory_limit").type == OptionType::kBytes);
  CHECK(spec_of("terminate_on_nan").type == OptionType::kSwitch);
  CHECK(spec_of("terminate_on_nan").fallback == "off");
  CHECK(spec_of("precision").type == OptionType::kChoice);
  CHECK(spec_of("precision").choices == "f32|f64|bf16");
  CHECK(spec_of("batch_size").fallback == "32");
  std::vector<KeyFacts> keys = spec_facts();
  for (const OptionSpec& option : trainer_option_specs()) {
    const auto key = std::ranges::find(keys, option.key, &KeyFacts::name);
    const bool own = option.doc.ends_with(" Not for a SPEC.");
    if (key != keys.end() && !own) CHECK(option.doc.starts_with(key->doc));
  }
}

TEST_CASE("an option sets what the same key of a SPEC sets") {
  CHECK(applied({{"accumulation", "3"}}).trainer.accumulation == 3);
  CHECK(applied({{"ema", "0.5"}}).trainer.optimizer.ema == 0.5);
  CHECK(applied({{"clip_each_norm", "2"}}).trainer.optimizer.clip_each_norm == 2);
  CHECK(applied({{"memory_limit", "2kB"}}).trainer.memory_limit == 2000);
  CHECK(applied({{"terminate_on_nan", "on"}}).trainer.terminate_on_nan);
  CHECK(applied({{"any_fingerprint", "true"}}).trainer.any_fingerprint);
  CHECK(applied({{"freeze", "a/*,,b,"}}).trainer.freeze == std::vector<std::string>{"a/*", "b"});
  CHECK(applied({{"freeze", ""}}).trainer.freeze.empty());
  CHECK(applied({{"devices", "cpu:1"}}).devices == "cpu:1");
  CHECK(applied({{"batch_size", "8"}}).batch_size == 8);
  CHECK(applied({{"precision", "bf16"}}).trainer.bf16);
  CHECK(applied({{"precision", "f64"}}).dtype == DType::kF64);
  CHECK(applied({{"schedule", "cosine"}}).trainer.schedule.kind == Schedule::Kind::kCosine);
  const TrainerOptions by_option = applied({{"groups", R"([{"pattern": "*/bias", "weight_decay": 0}])"},
                                            {"early_stopping", R"({"patience": 3})"},
                                            {"parameters", R"({"ps": "cpu:0", "min_shard_bytes": 512})"},
                                            {"parallel", R"({"stages": 2})"},
                                            {"recompute", "2kB"},
                                            {"publish", "5"},
                                            {"mode", "bounded:2"}})
                                       .trainer;
  const TrainerOptions by_key = from_spec(R"({"groups": [{"pattern": "*/bias", "weight_decay": 0}],
      "early_stopping": {"patience": 3}, "parameters": {"ps": "cpu:0", "min_shard_bytes": 512}, "parallel": {"stages": 2},
      "recompute": 2000, "publish": 5, "mode": "bounded:2"})");
  for (const TrainerOptions* options : {&by_option, &by_key}) {
    REQUIRE(options->optimizer.groups.size() == 1);
    CHECK(options->optimizer.groups[0].pattern == "*/bias");
    CHECK(options->optimizer.groups[0].weight_decay == 0);
    CHECK(options->early_stopping.on);
    CHECK(options->early_stopping.patience == 3);
    CHECK(options->parameters.where == ParameterSpec::Where::kPs);
    CHECK(options->parameters.min_shard_bytes == 512);
    CHECK(options->parallel.stages == 2);
    CHECK(options->recompute.bytes == 2000);
    CHECK(options->publishing.steps == 5);
    CHECK(options->mode == "bounded:2");
  }
}

TEST_CASE("the order in which options are set does not matter") {
  // Clipping is a part of the optimizer, which "optimizer" replaces.
  const Spec clipped = applied({{"clip_norm", "2"}, {"optimizer", "sgd"}});
  CHECK(clipped.trainer.optimizer.name() == "sgd");
  CHECK(clipped.trainer.optimizer.clip_norm == 2);
  const TrainerOptions preset = applied({{"strategy", "parameter_server"}}).trainer;
  CHECK(preset.mode == "async");
  CHECK(preset.parameters.where == ParameterSpec::Where::kPs);
  const TrainerOptions group = applied({{"strategy", "multi_worker_mirrored"}}).trainer;
  CHECK(group.mode == "sync");
  CHECK(group.parameters.where == ParameterSpec::Where::kHost);
  const TrainerOptions changed =
      applied({{"mode", "sync"}, {"parameters", "mirrored"}, {"strategy", "parameter_server"}}).trainer;
  CHECK(changed.mode == "sync");
  CHECK(changed.parameters.where == ParameterSpec::Where::kMirrored);
}

TEST_CASE("options change nothing but what they name") {
  Spec spec;
  spec.trainer.keep_best = 2;
  spec.trainer.keep_monitor = {"val_gain", true};
  spec.trainer.optimizer.ema = 0.5;
  const Spec kept = applied({{"keep_last", "3"}, {"epochs", "4"}}, spec);
  CHECK(kept.trainer.keep_last == 3);
  CHECK(kept.trainer.keep_best == 2);
  CHECK(kept.trainer.keep_monitor.name == "val_gain");
  CHECK(kept.trainer.keep_monitor.larger_is_better);
  CHECK(kept.trainer.optimizer.ema == 0.5);
  const Spec watched = applied({{"monitor", "val_accuracy"}}, spec);
  CHECK(watched.trainer.keep_monitor.name == "val_accuracy");
  CHECK(watched.trainer.keep_monitor.larger_is_better);
  CHECK_FALSE(applied({{"monitor", "val_loss"}}, spec).trainer.keep_monitor.larger_is_better);
}

TEST_CASE("a wrong option is refused by name; positions are those of its own text") {
  CHECK(refused({{"accumulation", "0"}}) == "option 'accumulation': 0, wanted 1 to 1073741824");
  CHECK(refused({{"seed", "-1"}}) == "option 'seed': -1, wanted at least 0");
  CHECK(refused({{"shards", "65537"}}) == "option 'shards': 65537, wanted 0 to 65536");
  CHECK(refused({{"mode", "sink"}}).find("sink") != std::string::npos);
  CHECK(
      refused({{"groups", R"([{"patern": "x"}])"}}).starts_with("line 1, column 13: 'patern': unknown key in groups"));
  CHECK(refused({{"recompute", "0"}}) == "line 1, column 1: 'recompute': 0 bytes is too small, wanted at least 1");
  CHECK(refused({{"strategy", "mirrored"}, {"parallel", R"({"stages": 2})"}}).find("give one of them") !=
        std::string::npos);
  // The text of one option cannot set another.
  CHECK(refused({{"groups", R"([], "epochs": 7)"}}) != "");
  Spec spec;
  CHECK_FALSE(apply_options({{"early_stopping", R"({}, "shards": 3)"}}, &spec).ok());
  CHECK(spec.trainer.shards == 0);
}

TEST_CASE("what a SPEC says itself cannot be set beside it") {
  for (const char* name : {"loss", "metrics", "optimizer", "schedule", "clip_norm", "clip_each_norm", "clip_value"}) {
    const Status status = check_options_beside_spec({{name, "1"}});
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() == str_cat("option '", name, "' stands in the SPEC and cannot be set beside it"));
  }
  CHECK(check_options_beside_spec({{"epochs", "1"}, {"ema", "0.5"}, {"monitor", "loss"}}).ok());
}

}  // namespace percale
