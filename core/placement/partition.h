// Cuts a placed function into closed functions, one or more per device.
#ifndef PERCALE_CORE_PLACEMENT_PARTITION_H_
#define PERCALE_CORE_PLACEMENT_PARTITION_H_

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// The source of an input of a part.
struct PartInput {
  enum class Kind : uint8_t { kFeed, kTransfer };
  Kind kind = Kind::kFeed;
  int32_t index = 0;  // input of the whole function, or number of the transfer
};

// The destinations of an output of a part; there may be several.
struct PartOutput {
  std::vector<int32_t> results;    // outputs of the whole function
  std::vector<int32_t> transfers;  // numbers of transfers
};

// The work of one device.
struct Part {
  int32_t device = 0;
  Function function;
  std::vector<PartInput> inputs;
  std::vector<PartOutput> outputs;
};

// A send and its receive. It carries a value, or only an order (a control edge); then `bytes` is 0
// and there is no input.
struct Transfer {
  std::string value;
  int32_t from_part = 0, from_output = -1;
  int32_t to_part = 0, to_input = -1;
  int32_t after_node = -1, before_node = -1;  // nodes of the two parts, if it is only an order
  int64_t bytes = 0;
};

struct Cut {
  std::vector<Part> parts;  // ordered by the first node of each
  std::vector<Transfer> transfers;
  // Outputs of the function that are its inputs or constants, and so belong to no part: output ->
  // value.
  std::vector<std::pair<int32_t, ValueId>> passed_through;
};

// Cuts `function`; `device_of[node]` is a device number. A value that several nodes of another part
// read is transferred once. Views are copied into every part that reads them, so a transferred
// value was computed or is a variable. A device has one part, and others may read its results
// before it ends. Devices marked in `whole` (by number; missing entries count as false) run a part
// as a unit, from its inputs to its outputs. They get as many parts as are needed so that no part
// waits for itself.
Cut partition(const Function& function, const std::vector<int32_t>& device_of, const std::vector<bool>& whole = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_PARTITION_H_
