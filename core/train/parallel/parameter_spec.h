// Where parameters and what the optimizer keeps of them lie, as a SPEC says it, and how several devices share them.
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
    kPs,        // in parts on `devices`, each of which commits its own
    kMirrored,  // on every device that computes shards, each of which commits what the host commits
    kDevice,    // on the one device that computes, which commits; the host takes them when somebody asks for them
  };
  Where where = Where::kHost;
  std::string devices;  // of kPs, as choose_devices() takes them; "": those in the host's memory that compute
  int64_t min_shard_bytes = 256 * 1024;  // of kPs: a part has so many bytes, but for one that is a whole parameter
};
std::string_view parameters_name(ParameterSpec::Where where);

// Of the key 'parameters': "host", "ps", "mirrored", "device", or {"ps": devices, "min_shard_bytes"}. Strict.
Result<ParameterSpec> parse_parameters(const Json& json);
std::vector<KeyFacts> parameter_facts();

// A parameter, or some rows of it, with its slots.
struct ParameterPart {
  size_t parameter = 0;         // place in the list
  int64_t begin = 0, end = -1;  // rows; -1: it is the whole parameter
  size_t device = 0;            // place among the devices
  int64_t bytes = 0;            // of the value and the slots

  bool whole() const { return end < 0; }
};

// The parts, in the order of the parameters and of their rows. A parameter is cut by rows into as many parts as there are devices, or
// fewer, so that each has `min_shard_bytes`; one that the optimizer sees as a whole (LAMB), or trains by rows (`by_rows`, places in
// the list), is never cut. From the largest on each part goes to the device that has the fewest bytes. Rows begin where kernels can
// read them. Precondition: devices > 0.
std::vector<ParameterPart> lay_out_parameters(const std::vector<Variable>& parameters,
                                              const std::vector<size_t>& by_rows, const Optimizer& optimizer,
                                              size_t devices, int64_t min_shard_bytes);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_PARAMETER_SPEC_H_
