#include "devices/remote/join.h"

#include <memory>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/group/group.h"

namespace percale::remote {
namespace {

// A group, and the functions that make statuses of its errors.
struct Membership {
  Membership(const percale_host_api& functions, const percale_group_place& place)
      : host(functions), size(static_cast<size_t>(place.size)), group(place, functions.tensor->crc32c) {}
  const percale_host_api& host;
  const size_t size;
  Group group;
};

percale_status* exchange(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs,
                         int64_t timeout_ns) {
  auto& own = *static_cast<Membership*>(user);
  return plugin::guarded(own.host, [&] { own.group.exchange(tag, {sends, own.size}, {recvs, own.size}, timeout_ns); });
}

percale_status* lost(void* user, int32_t* out_ranks, size_t* inout_count) {
  auto& own = *static_cast<Membership*>(user);
  return plugin::guarded(own.host, [&] {
    const std::vector<int32_t> ranks = own.group.lost();
    for (size_t i = 0; i < ranks.size() && i < *inout_count; ++i) out_ranks[i] = ranks[i];
    *inout_count = ranks.size();
  });
}

}  // namespace

void join_group(const percale_host_api& host, const percale_group_place& place, percale_collective* out_collective,
                percale_destroy* out_destroy) {
  auto made = std::make_unique<Membership>(host, place);
  out_collective->rank = place.rank;
  out_collective->size = place.size;
  out_collective->generation = made->group.generation();
  out_collective->exchange = &exchange;
  out_collective->lost = &lost;
  out_collective->user = made.release();
  *out_destroy = [](void* user) { delete static_cast<Membership*>(user); };
}

}  // namespace percale::remote
