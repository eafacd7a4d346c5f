// How a training job lies on the devices of an engine: replicas x stages x splits, as a SPEC says it.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_PARALLEL_SPEC_H_
#define PERCALE_CORE_TRAIN_PARALLEL_PARALLEL_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/engine.h"
#include "core/text/json.h"
#include "core/train/method/key_table.h"

namespace percale {

// How a product is cut into parts: its weight by columns, so that each part gives some of the outputs; or by rows, so that each
// part takes some of the inputs and the parts are added, in their order.
enum class SplitForm : uint8_t { kColumn, kRow };
std::string_view split_form_name(SplitForm form);

// A plain value. A replica is a group of stages x splits devices: the parts of the first stage, then those of the second, ...
struct ParallelSpec {
  enum class Schedule : uint8_t {
    kOneForwardOneBackward,  // as many shards of a replica are under way as it has stages
    kGPipe,                  // all shards of a replica may be
  };
  struct SplitRule {
    std::string pattern;
    SplitForm form = SplitForm::kColumn;
  };

  int64_t replicas = 0;  // 0: as many as the devices give
  int64_t stages = 1;
  std::vector<std::vector<std::string>> layers;  // per stage, patterns of names; empty: cut by cost
  int64_t micro_batches = 0;                     // shards of a replica; 0: as the trainer's `shards` say
  int64_t splits = 1;
  std::vector<SplitRule> split_layers;  // empty: all large enough products
  Schedule schedule = Schedule::kOneForwardOneBackward;
  int64_t device_memory = 0;  // bytes that may be planned for a device; 0: any
  std::string strategy;       // the preset that it comes from; ""

  int64_t group_size() const { return stages * splits; }
  bool says_devices() const { return replicas > 0 || group_size() > 1; }
};

// Of the key 'parallel': {"replicas", "stages", "micro_batches", "splits", "schedule", "device_memory"}. Strict.
Result<ParallelSpec> parse_parallel(const Json& json);
std::vector<KeyFacts> parallel_facts();
// Of the key 'strategy'. INVALID_ARGUMENT names the presets; UNIMPLEMENTED for multi_worker_mirrored.
Result<ParallelSpec> parse_strategy(const Json& json);

// The devices of the engine that compute shards, those that are `wanted` or all, in the engine's order, cut into the groups of
// replicas; more of them than `replicas` where there are more devices. NOT_FOUND for a name that the engine lacks,
// INVALID_ARGUMENT, with how many are wanted and which there are, where they do not suffice.
Result<std::vector<std::vector<int32_t>>> device_groups(const Engine& engine, const std::vector<std::string>& wanted,
                                                        const ParallelSpec& spec);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_PARALLEL_SPEC_H_
