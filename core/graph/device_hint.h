// Device hints of nodes that do not ask for a device by name: for a place among the devices that a run is given, or for that of
// another node.
#ifndef PERCALE_CORE_GRAPH_DEVICE_HINT_H_
#define PERCALE_CORE_GRAPH_DEVICE_HINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace percale {

// "group:2" is the third device of the run's group (RunSpec::group). "group:2/host" is the same device where its memory is the
// host's, else the first device of the engine whose memory is: for what reads variables, so that only what it makes of them is sent.
struct GroupHint {
  int32_t place = 0;
  bool host = false;
};
std::string group_hint(int32_t place, bool host = false);
// Nothing for any other hint.
std::optional<GroupHint> parse_group_hint(std::string_view hint);

// "colocate:NAME": the node stands where the node NAME, or what reads and assigns the variable NAME, does. NAME, borrowed from the
// hint; nothing for any other hint.
std::optional<std::string_view> parse_colocation_hint(std::string_view hint);

// True for a hint that names a device, or a node to stand with, on which a node stands whatever a pass would rather have: passes
// that put other nodes in the place of a pattern leave it alone.
bool names_device(std::string_view hint);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_DEVICE_HINT_H_
