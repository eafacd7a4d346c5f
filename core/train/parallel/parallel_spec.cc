#include "core/train/parallel/parallel_spec.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/checkpoint/checkpoint.h"
#include "core/engine/device_list.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

using ParallelKey = Key<ParallelSpec>;
constexpr ParallelKey kSplitKeys[] = {
    {.name = "n",
     .value = &ParallelSpec::splits,
     .doc = "Number of parts.",
     .low = 1,
     .high = kMaxDevices,
     .required = true},
    {.name = "layers",
     .value = ByHand{"object"},
     .doc = "Maps patterns of layers or variables to \"column\" or \"row\"; the first match applies."}};
constexpr ParallelKey kParallelKeys[] = {
    {"replicas", &ParallelSpec::replicas, "Number of device groups that compute shards.", 1, kMaxDevices,
     "as many as the devices allow"},
    {.name = "stages",
     .value = ByHand{"int or list"},
     .doc = "Number of pipeline stages, cut by cost, or a list with the layer patterns of each stage.",
     .low = 1,
     .high = kMaxDevices,
     .fallback = "1"},
    {"micro_batches", &ParallelSpec::micro_batches, "Number of shards per replica.", 1, kMaxShards,
     "derived from 'shards'"},
    {.name = "splits",
     .value = ByHand{"int or object"},
     .doc = "Number of parts into which large products and tables are cut, or an object with the number and the form "
            "per layer.",
     .low = 1,
     .high = kMaxDevices,
     .fallback = "1"},
    {.name = "schedule",
     .value = ByHand{"text"},
     .doc = "Order of the shards in a replica's pipeline. 1f1b: as many shards are in progress as there are stages; "
            "gpipe: all of them.",
     .fallback = "1f1b",
     .choices = "gpipe|1f1b"},
    {.name = "device_memory",
     .value = Bytes<ParallelSpec>{&ParallelSpec::device_memory},
     .doc = "Limit in bytes for the memory planned per device.",
     .low = 1,
     .fallback = "no limit"}};

// Reads a number, or the layers of each stage.
Status read_stages(const Json& object, ParallelSpec* out) {
  const Json* stages = present(object, "stages");
  if (stages == nullptr || !stages->is_array()) return read_integer(object, "stages", 1, kMaxDevices, &out->stages);
  if (stages->size() == 0)
    return stages->error("stages", "the list is empty, wanted an entry with layers for each stage");
  for (size_t i = 0; i < stages->size(); ++i) {
    const Json& stage = stages->item(i);
    auto& patterns = out->layers.emplace_back();
    if (stage.is_string()) {
      PERCALE_ASSIGN_OR_RETURN(patterns.emplace_back(), stage.as_string("stages"));
      continue;
    }
    PERCALE_RETURN_IF_ERROR(stage.expect(Json::Kind::kArray, "stages"));
    for (size_t k = 0; k < stage.size(); ++k) {
      PERCALE_ASSIGN_OR_RETURN(patterns.emplace_back(), stage.item(k).as_string("stages"));
    }
    if (patterns.empty()) {
      return stage.error("stages", "stage ", static_cast<uint64_t>(i + 1), " names no layers");
    }
  }
  out->stages = static_cast<int64_t>(out->layers.size());
  return {};
}

// Reads a number, or {"n", "layers": {"pattern": "column" | "row"}}.
Status read_splits(const Json& object, ParallelSpec* out) {
  const Json* splits = present(object, "splits");
  if (splits == nullptr || !splits->is_object()) return read_integer(object, "splits", 1, kMaxDevices, &out->splits);
  PERCALE_RETURN_IF_ERROR(read_object<ParallelSpec>(*splits, "splits", kSplitKeys, out));
  const Json* layers = present(*splits, "layers");
  if (layers == nullptr) return {};
  PERCALE_RETURN_IF_ERROR(layers->expect(Json::Kind::kObject, "layers"));
  for (size_t i = 0; i < layers->size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const std::string form, layers->item(i).as_string("layers"));
    if (form != "column" && form != "row") {
      return layers->item(i).error("layers", "'", layers->key(i), "' is '", form, "', wanted column or row");
    }
    out->split_layers.push_back({layers->key(i), form == "row" ? SplitForm::kRow : SplitForm::kColumn});
  }
  return {};
}

std::string names_of(const Engine& engine, const std::vector<int32_t>& devices) {
  std::string out;
  for (const int32_t d : devices)
    out += str_cat(out.empty() ? "" : ", ", engine.devices()[static_cast<size_t>(d)]->name());
  return out.empty() ? "none" : out;
}

}  // namespace

std::string_view split_form_name(SplitForm form) { return form == SplitForm::kRow ? "row" : "column"; }

Result<ParallelSpec> parse_parallel(const Json& json) {
  ParallelSpec out;
  PERCALE_RETURN_IF_ERROR(read_object<ParallelSpec>(json, "parallel", kParallelKeys, &out));
  PERCALE_RETURN_IF_ERROR(read_stages(json, &out));
  PERCALE_RETURN_IF_ERROR(read_splits(json, &out));
  std::string schedule = "1f1b";
  PERCALE_RETURN_IF_ERROR(read_text(json, "schedule", &schedule));
  if (schedule == "gpipe") {
    out.schedule = ParallelSpec::Schedule::kGPipe;
  } else if (schedule != "1f1b") {
    return json.find("schedule")->error("schedule", "it is '", schedule, "', wanted gpipe or 1f1b");
  }
  return out;
}

std::vector<KeyFacts> parallel_facts() {
  std::vector<KeyFacts> out = key_facts<ParallelSpec>(kParallelKeys);
  for (KeyFacts& key : out) {
    if (key.name == "splits") key.keys = key_facts<ParallelSpec>(kSplitKeys);
  }
  return out;
}

Result<ParallelSpec> parse_strategy(const Json& json) {
  ParallelSpec out;
  PERCALE_ASSIGN_OR_RETURN(out.strategy, json.as_string("strategy"));
  const std::vector<std::string> all = {"mirrored", "multi_worker_mirrored", "parameter_server"};
  if (std::find(all.begin(), all.end(), out.strategy) != all.end()) return out;
  return json.error("strategy", "no strategy '", out.strategy, "'", did_you_mean(out.strategy, all));
}

Result<std::vector<std::vector<int32_t>>> device_groups(const Engine& engine, const std::vector<std::string>& wanted,
                                                        const ParallelSpec& spec) {
  const auto& devices = engine.devices();
  std::vector<int32_t> own;
  for (size_t i = 0; i < devices.size(); ++i) {
    const bool chosen = std::find(wanted.begin(), wanted.end(), devices[i]->name()) != wanted.end();
    if (wanted.empty() || chosen) own.push_back(static_cast<int32_t>(i));
  }
  for (const std::string& name : wanted) {
    if (engine.find_device(name) == nullptr) return not_found("devices: the engine has no device '", name, "'");
  }
  const auto size = static_cast<size_t>(spec.group_size());
  std::vector<std::vector<int32_t>> out;
  for (size_t at = 0; at + size <= own.size(); at += size) {
    out.emplace_back(own.begin() + static_cast<ptrdiff_t>(at), own.begin() + static_cast<ptrdiff_t>(at + size));
  }
  const int64_t least = std::max<int64_t>(spec.replicas, 1);
  if (static_cast<int64_t>(out.size()) < least) {
    return invalid_argument("'parallel': ", least, " replicas x ", spec.stages, " stages x ", spec.splits,
                            " splits require ", least * spec.group_size(), " devices, but there are ",
                            static_cast<uint64_t>(own.size()), ": ", names_of(engine, own));
  }
  return out;
}

}  // namespace percale
