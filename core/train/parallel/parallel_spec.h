// The division of a training job over the devices of an engine: replicas x stages x splits, as a
// SPEC states it.
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

// The form of a product that is cut into parts. kColumn: the weight is cut by columns, and each
// part computes some of the outputs. kRow: the weight is cut by rows, each part takes some of the
// inputs, and the parts are added in order.
enum class SplitForm : uint8_t { kColumn, kRow };
std::string_view split_form_name(SplitForm form);

// A replica is a group of stages x splits devices: the parts of the first stage, then those of the
// second, and so on. A plain value.
struct ParallelSpec {
  enum class Schedule : uint8_t {
    kOneForwardOneBackward,  // at most as many shards of a replica run at once as it has stages
    kGPipe,                  // all shards of a replica may run at once
  };
  struct SplitRule {
    std::string pattern;
    SplitForm form = SplitForm::kColumn;
  };

  int64_t replicas = 0;  // 0: as many as the devices allow
  int64_t stages = 1;
  std::vector<std::vector<std::string>> layers;  // per stage, name patterns; empty: cut by cost
  // Shards of a replica; 0: given by the trainer's `shards`
  int64_t micro_batches = 0;
  int64_t splits = 1;
  std::vector<SplitRule> split_layers;  // empty: all products that are large enough
  Schedule schedule = Schedule::kOneForwardOneBackward;
  int64_t device_memory = 0;  // limit of planned bytes per device; 0: none
  std::string strategy;       // name of the preset that it was made from; ""

  int64_t group_size() const { return stages * splits; }
  bool says_devices() const { return replicas > 0 || group_size() > 1; }
};

// Parses the key 'parallel': {"replicas", "stages", "micro_batches", "splits", "schedule",
// "device_memory"}. Unknown keys are errors.
Result<ParallelSpec> parse_parallel(const Json& json);
std::vector<KeyFacts> parallel_facts();
// Parses the key 'strategy'. INVALID_ARGUMENT names the presets; UNIMPLEMENTED for
// multi_worker_mirrored.
Result<ParallelSpec> parse_strategy(const Json& json);

// Divides the engine's devices (those named in `wanted`, or all) in the engine's order into the
// groups of replicas. Returns more groups than `replicas` if there are more devices. NOT_FOUND for
// a name that the engine lacks. INVALID_ARGUMENT if there are too few devices; it lists them and
// says how many are needed.
Result<std::vector<std::vector<int32_t>>> device_groups(const Engine& engine, const std::vector<std::string>& wanted,
                                                        const ParallelSpec& spec);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_PARALLEL_SPEC_H_
