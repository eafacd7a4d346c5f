// The entry point: the transport that joins groups.
#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/group/group.h"

namespace percale::remote {
namespace {

class RemotePlugin : public plugin::Plugin {
 public:
  static constexpr const char* kName = "remote";
  explicit RemotePlugin(const percale_host_api& host) : Plugin(host, kName, PERCALE_REMOTE_VERSION) {
    percale_transport transport{};
    transport.struct_size = sizeof transport;
    transport.name = "grpc";
    transport.user = this;
    transport.join = [](void* user, const percale_group_place* place, percale_collective* out_collective,
                        percale_destroy* out_destroy) {
      const percale_host_api& functions = static_cast<RemotePlugin*>(user)->host();
      return plugin::guarded(functions, [&] { join(functions, *place, *out_collective, *out_destroy); });
    };
    add(transport);
  }

 private:
  // A group, and the functions that make statuses of its errors.
  struct Membership {
    Membership(const percale_host_api& functions, const percale_group_place& place)
        : host(functions), size(static_cast<size_t>(place.size)), group(place, functions.tensor->crc32c) {}
    const percale_host_api& host;
    const size_t size;
    Group group;
  };

  static void join(const percale_host_api& host, const percale_group_place& place, percale_collective& table,
                   percale_destroy& destroy) {
    auto made = std::make_unique<Membership>(host, place);
    table.rank = place.rank;
    table.size = place.size;
    table.generation = made->group.generation();
    table.exchange = &exchange;
    table.lost = &lost;
    table.user = made.release();
    destroy = [](void* user) { delete static_cast<Membership*>(user); };
  }

  static percale_status* exchange(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs,
                                  int64_t timeout_ns) {
    auto& own = *static_cast<Membership*>(user);
    return plugin::guarded(own.host, [&] {
      own.group.exchange(tag, {sends, own.size}, {recvs, own.size}, timeout_ns);
    });
  }

  static percale_status* lost(void* user, int32_t* out_ranks, size_t* inout_count) {
    auto& own = *static_cast<Membership*>(user);
    return plugin::guarded(own.host, [&] {
      const std::vector<int32_t> ranks = own.group.lost();
      for (size_t i = 0; i < ranks.size() && i < *inout_count; ++i) out_ranks[i] = ranks[i];
      *inout_count = ranks.size();
    });
  }
};

}  // namespace
}  // namespace percale::remote

PERCALE_PLUGIN(percale::remote::RemotePlugin)
