// Device hints that do not name a device: they refer to a position in the device group of a run, or
// to the placement of another node.
#ifndef PERCALE_CORE_GRAPH_DEVICE_HINT_H_
#define PERCALE_CORE_GRAPH_DEVICE_HINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace percale {

// "group:2" is the third device of the run's group (RunSpec::group). "group:2/host" is the same
// device if it uses host memory, else the first device of the engine that does. The host form is
// for nodes that read variables, so that only their results are transferred.
struct GroupHint {
  int32_t place = 0;
  bool host = false;
};
std::string group_hint(int32_t place, bool host = false);
// Returns nullopt for any other hint.
std::optional<GroupHint> parse_group_hint(std::string_view hint);

// Parses "colocate:NAME": the node is placed with the node NAME, or with the readers and writers of
// the variable NAME. Returns NAME, borrowed from the hint, or nullopt for any other hint.
std::optional<std::string_view> parse_colocation_hint(std::string_view hint);

// True for a hint that fixes the placement of a node: the name of a device, or a colocation. Passes
// that replace patterns of nodes leave such nodes alone.
bool names_device(std::string_view hint);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_DEVICE_HINT_H_
