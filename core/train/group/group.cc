#include "core/train/group/group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/text/json.h"

namespace percale {
namespace {

constexpr int32_t kMaxRanks = 65536;
constexpr uint64_t kMaxGathered = uint64_t{64} << 20;  // bytes of one rank

ByteSpan memory_of_text(std::string& text) { return {text.data(), text.size()}; }

std::string as_text(const std::vector<GroupFact>& facts) {
  JsonWriter w;
  w.begin_object();
  for (const auto& [name, value] : facts) w.key(name).value(value);
  return w.end_object().text();
}

}  // namespace

ByteSpan memory_of(const std::vector<Tensor>& tensors) {
  if (tensors.empty()) return {};
  auto* const begin = static_cast<char*>(tensors.front().data());
  const char* const end = static_cast<const char*>(tensors.back().data()) + tensors.back().bytes();
  return {begin, static_cast<size_t>(end - begin)};
}

void write_error(const Status& error, uint8_t* to) {
  std::fill_n(to, kErrorBytes, uint8_t{0});
  if (error.ok()) return;
  to[0] = static_cast<uint8_t>(error.code());
  std::copy_n(error.message().begin(), std::min(error.message().size(), kErrorBytes - 2), to + 1);
}

Status read_error(const uint8_t* from) {
  if (from[0] == 0) return {};
  if (from[0] > static_cast<uint8_t>(Code::kUnauthenticated)) {
    return data_loss("its message begins with ", int32_t{from[0]});
  }
  const auto* const text = reinterpret_cast<const char*>(from) + 1;
  return Status(static_cast<Code>(from[0]), std::string(text, strnlen(text, kErrorBytes - 1)));
}

Result<std::unique_ptr<Group>> Group::create(std::shared_ptr<Collective> collective, int64_t timeout_ns) {
  const int32_t rank = collective->rank(), size = collective->size();
  if (size < 1 || size > kMaxRanks) {
    return invalid_argument("the group has ", size, " ranks, wanted 1 to ", kMaxRanks);
  }
  if (rank < 0 || rank >= size) {
    return invalid_argument("the rank is ", rank, ", wanted 0 to ", size - 1, " in a group of ", size);
  }
  return std::unique_ptr<Group>(new Group(std::move(collective), timeout_ns));
}

ShardRange Group::shards_of(size_t rank, int64_t shards) const {
  const auto bound = [&](size_t r) { return static_cast<int64_t>(r) * shards / static_cast<int64_t>(size_); };
  return {bound(rank), bound(rank + 1)};
}

Status Group::exchange(std::string_view what, std::vector<ByteSpan> sends, std::vector<ByteSpan> recvs) {
  sends[rank_] = recvs[rank_] = {};
  const uint64_t tag = exchanges_++;
  if (size_ == 1) return {};
  if (broken()) return failure_.with_context("the group has ended");
  failure_ = collective_->exchange(tag, sends, recvs, timeout_ns_)
                 .with_context(str_cat("rank ", rank_, " of ", size_, ", exchange of ", what));
  return failure_;
}

Result<std::vector<std::string>> Group::gather(std::string_view what, std::string own) {
  std::vector<uint64_t> sizes(size_, own.size());
  std::vector<ByteSpan> sends(size_, {&sizes[rank_], sizeof(uint64_t)}), recvs;
  for (uint64_t& size : sizes) recvs.push_back({&size, sizeof size});
  PERCALE_RETURN_IF_ERROR(exchange(str_cat("sizes of ", what), std::move(sends), std::move(recvs)));
  std::vector<std::string> out(size_);
  recvs.clear();
  for (size_t r = 0; r < size_; ++r) {
    if (sizes[r] > kMaxGathered) {
      return data_loss("rank ", r, " announces ", sizes[r], " bytes of ", what, ", wanted ", kMaxGathered, " at most");
    }
    if (r != rank_) out[r].resize(sizes[r]);
    recvs.push_back(memory_of_text(out[r]));
  }
  PERCALE_RETURN_IF_ERROR(exchange(what, std::vector<ByteSpan>(size_, memory_of_text(own)), std::move(recvs)));
  out[rank_] = std::move(own);
  return out;
}

Status Group::count_devices(int64_t own) {
  std::vector<int64_t> all(size_, own);
  std::vector<ByteSpan> recvs;
  for (int64_t& number : all) recvs.push_back({&number, sizeof number});
  PERCALE_RETURN_IF_ERROR(exchange("devices", std::vector<ByteSpan>(size_, {&own, sizeof own}), std::move(recvs)));
  devices_ = std::accumulate(all.begin(), all.end(), int64_t{0});
  return {};
}

Status Group::agree(const std::vector<GroupFact>& facts) {
  PERCALE_ASSIGN_OR_RETURN(const auto texts, gather("the job", as_text(facts)));
  for (size_t r = 1; r < size_; ++r) {
    if (texts[r] == texts[0]) continue;
    PERCALE_ASSIGN_OR_RETURN(const Json first, Json::parse(texts[0]));
    PERCALE_ASSIGN_OR_RETURN(const Json other, Json::parse(texts[r]));
    for (const auto& [name, value] : facts) {
      const Json *a = first.find(name), *b = other.find(name);
      if (a == nullptr || b == nullptr) return failed_precondition("rank ", r, " runs another version of Percale");
      PERCALE_ASSIGN_OR_RETURN(const std::string wanted, a->as_string(name));
      PERCALE_ASSIGN_OR_RETURN(const std::string found, b->as_string(name));
      if (wanted == found) continue;
      return failed_precondition("the ranks differ in ", name, ": rank ", r, " has '", found, "', rank 0 '", wanted,
                                 "'; all ranks train one job on the same first values");
    }
    return failed_precondition("rank ", r, " runs another version of Percale");
  }
  return {};
}

}  // namespace percale
