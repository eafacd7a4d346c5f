// Where parameters and optimizer slots are stored, as a SPEC states it, and how several devices
// share them.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_PARAMETER_SPEC_H_
#define PERCALE_CORE_TRAIN_PARALLEL_PARAMETER_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/json.h"
#include "core/train/method/key_table.h"
#include "core/train/method/optimizer.h"

namespace percale {

// A plain value.
struct ParameterSpec {
  enum class Where : uint8_t {
    kHost,      // on the host, which commits
    kPs,        // in parts on `devices`, each of which commits its own parts
    kMirrored,  // on every device that computes shards; each commits everything, as the host does
    kDevice,    // on the devices that compute, which commit; the host fetches them on demand
  };
  Where where = Where::kHost;
  // For kPs, in the form of choose_devices(); "": the parameter servers, else the computing devices
  // in the host's memory
  std::string devices;
  // For kPs: least bytes of a part, unless it is a whole parameter
  int64_t min_shard_bytes = 256 * 1024;
};
std::string_view parameters_name(ParameterSpec::Where where);

// Parses the key 'parameters': "host", "ps", "mirrored", "device", or {"ps": devices,
// "min_shard_bytes"}. Unknown keys are errors.
Result<ParameterSpec> parse_parameters(const Json& json);
std::vector<KeyFacts> parameter_facts();

// A parameter, or some of its rows, with its slots.
struct ParameterPart {
  size_t parameter = 0;         // index in the list
  int64_t begin = 0, end = -1;  // rows; end -1: the whole parameter
  size_t device = 0;            // index of the device
  int64_t bytes = 0;            // size of the value and the slots

  bool whole() const { return end < 0; }
};

// The values that are kept for a parameter: itself, its slots and its average.
int64_t values_per_parameter(const Optimizer& optimizer);

// Divides parameters over devices. Returns the parts in the order of the parameters and their rows.
//
// A parameter is cut by rows into one part per device, or fewer so that each has `min_shard_bytes`.
// Never cut are parameters that the optimizer needs as a whole (LAMB). Starting with the largest,
// each part goes to the device with the fewest bytes. Cuts are at aligned addresses. Precondition:
// devices > 0.
std::vector<ParameterPart> lay_out_parameters(const std::vector<Variable>& parameters, const Optimizer& optimizer,
                                              size_t devices, int64_t min_shard_bytes);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_PARAMETER_SPEC_H_
