#include "c_api/train/collective.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "c_api/api.h"
#include "c_api/engine.h"
#include "c_api/plugin/plugin.h"
#include "c_api/run/cluster.h"

namespace percale::c_api {
namespace {

class HostCollective final : public Collective {
 public:
  explicit HostCollective(const percale_collective& table) : table_(table) { user_.user = table.user; }

  int32_t rank() const override { return table_.rank; }
  int32_t size() const override { return table_.size; }
  uint64_t generation() const override { return table_.generation; }

  Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                  int64_t timeout_ns) override {
    std::vector<percale_bytes> to, from;
    for (const ByteSpan& bytes : sends) to.push_back({bytes.data, bytes.size});
    for (const ByteSpan& bytes : recvs) from.push_back({bytes.data, bytes.size});
    return from_c(table_.exchange(table_.user, tag, to.data(), from.data(), timeout_ns));
  }

  bool reports_losses() const override { return table_.lost != nullptr; }
  Result<std::vector<int32_t>> lost() override {
    std::vector<int32_t> out(static_cast<size_t>(table_.size));
    size_t count = out.size();
    PERCALE_RETURN_IF_ERROR(from_c(table_.lost(table_.user, out.data(), &count)));
    if (count > out.size()) return internal_error("the collective has lost ", count, " of ", out.size(), " ranks");
    out.resize(count);
    return out;
  }

  void own_user(percale_destroy destroy) { user_.destroy = destroy; }

 private:
  const percale_collective table_;
  HostUser user_;
};

}  // namespace

Result<std::shared_ptr<Collective>> host_collective(const char* function, const percale_collective& table) {
  percale_collective whole{};
  if (table.struct_size < offsetof(percale_collective, lost)) {
    return invalid_argument(function, ": 'struct_size' is ", table.struct_size, ", wanted ", sizeof whole);
  }
  std::memcpy(&whole, &table, std::min<size_t>(table.struct_size, sizeof whole));
  if (whole.exchange == nullptr) return invalid_argument(function, ": 'exchange' is NULL");
  return std::shared_ptr<Collective>(std::make_shared<HostCollective>(whole));
}

void own_user(Collective& collective, percale_destroy destroy) {
  static_cast<HostCollective&>(collective).own_user(destroy);
}

Result<std::shared_ptr<Collective>> join_cluster(const char* function, const percale_engine& engine,
                                                 const percale_cluster& cluster, int64_t timeout_ns) {
  const Cluster& tasks = cluster.cluster;
  if (tasks.rank() < 0) {
    return failed_precondition(function, ": this process is not one that trains, which are the chief and the workers; ",
                               "its job is '", tasks.own_job(), "'");
  }
  const percale_transport* transport = engine.plugins->find_transport();
  if (transport == nullptr) {
    return unimplemented(
        function, ": no plug-in connects processes; libpercale_remote.so does, which is built if ",
        "gRPC is there (`sh subprojects/setup --remote`); without it, a host can supply an exchange of its ",
        "own to join a group");
  }
  std::vector<const char*> addresses;
  for (int64_t rank = 0; rank < tasks.size(); ++rank) addresses.push_back(tasks.address_of_rank(rank).c_str());
  const std::string build = engine.engine->fingerprint();
  percale_group_place place{};
  place.struct_size = sizeof place;
  place.rank = static_cast<int32_t>(tasks.rank());
  place.size = static_cast<int32_t>(tasks.size());
  place.addresses = addresses.data();
  place.build = build.c_str();
  place.certificates = cluster.certificates.empty() ? nullptr : cluster.certificates.c_str();
  place.timeout_ns = timeout_ns;
  percale_collective table{};
  table.struct_size = sizeof table;
  percale_destroy destroy = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(transport->join(transport->user, &place, &table, &destroy)));
  auto out = host_collective(function, table);
  if (out.ok()) own_user(**out, destroy);
  return out;
}

}  // namespace percale::c_api
