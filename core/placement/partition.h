// Cuts a placed function into closed functions, each for one device.
#ifndef PERCALE_CORE_PLACEMENT_PARTITION_H_
#define PERCALE_CORE_PLACEMENT_PARTITION_H_

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Where an input of a part comes from.
struct PartInput {
  enum class Kind : uint8_t { kFeed, kTransfer };
  Kind kind = Kind::kFeed;
  int32_t index = 0;  // input of the whole function, or number of the transfer
};

// Where an output of a part goes; one output may go to several places.
struct PartOutput {
  std::vector<int32_t> results;    // outputs of the whole function
  std::vector<int32_t> transfers;  // numbers of transfers
};

// What one device does.
struct Part {
  int32_t device = 0;
  Function function;
  std::vector<PartInput> inputs;
  std::vector<PartOutput> outputs;
};

// A send and its receive: a value, or, with `bytes` 0 and no input, only an order (a control edge).
struct Transfer {
  std::string value;
  int32_t from_part = 0, from_output = -1;
  int32_t to_part = 0, to_input = -1;
  int32_t after_node = -1, before_node = -1;  // nodes of the two parts, where it is only an order
  int64_t bytes = 0;
};

struct Cut {
  std::vector<Part> parts;  // by the first node of each
  std::vector<Transfer> transfers;
  // Outputs of the function that are inputs or constants of it and so belong to no part: output -> value.
  std::vector<std::pair<int32_t, ValueId>> passed_through;
};

// `device_of[node]` numbers devices. A value that several nodes of another part need crosses once; views stand wherever they are
// read, so that what crosses was computed, or is a variable. A device has one part, which others may take from before its end; but
// of those in `whole` (by number; those behind its end are not) a part runs at once, from its inputs to its outputs, and there are as
// many as it takes for none to wait for itself.
Cut partition(const Function& function, const std::vector<int32_t>& device_of, const std::vector<bool>& whole = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_PARTITION_H_
