#include "core/train/group/group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/text/json.h"

namespace percale {
namespace {

constexpr int32_t kMaxRanks = 65536;
// So many exchanges in a row fail without progress before the host must give a rank up.
constexpr int kMostFruitless = 8;
constexpr uint64_t kMaxGathered = uint64_t{64} << 20;  // bytes of one rank

ByteSpan memory_of_text(std::string& text) { return {text.data(), text.size()}; }

std::string as_text(const std::vector<GroupFact>& facts) {
  JsonWriter w;
  w.begin_object();
  for (const auto& [name, value] : facts) w.key(name).value(value);
  return w.end_object().text();
}

}  // namespace

ByteSpan memory_of(std::span<const Tensor> tensors) {
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

Group::Group(std::shared_ptr<Collective> collective, int64_t timeout_ns, bool twice)
    : collective_(std::move(collective)),
      timeout_ns_(timeout_ns),
      members_(static_cast<size_t>(collective_->size())),
      rank_(static_cast<size_t>(collective_->rank())),
      holders_(members_.size(), twice) {
  std::iota(members_.begin(), members_.end(), size_t{0});
}

Result<std::unique_ptr<Group>> Group::create(std::shared_ptr<Collective> collective, int64_t timeout_ns,
                                             int64_t redundancy) {
  const int32_t rank = collective->rank(), size = collective->size();
  if (size < 1 || size > kMaxRanks) {
    return invalid_argument("the group has ", size, " ranks, wanted 1 to ", kMaxRanks);
  }
  if (rank < 0 || rank >= size) {
    return invalid_argument("the rank is ", rank, ", wanted 0 to ", size - 1, " in a group of ", size);
  }
  const bool twice = redundancy < 0 ? collective->reports_losses() : redundancy > 0;
  return std::unique_ptr<Group>(new Group(std::move(collective), timeout_ns, twice));
}

size_t Group::rank_of(size_t origin) const {
  return static_cast<size_t>(std::ranges::find(members_, origin) - members_.begin());
}

ShardRange Group::shards_of(size_t rank, int64_t shards) const {
  const auto bound = [&](size_t r) { return static_cast<int64_t>(r) * shards / static_cast<int64_t>(size()); };
  return {bound(rank), bound(rank + 1)};
}

// Tags grow on every rank, also when the group is formed anew: how often it was, then the number of
// the exchange. A rank that learns of two losses at once has counted as far as one that learns of
// them one after the other.
Status Group::exchange(std::string_view what, std::vector<ByteSpan> sends, std::vector<ByteSpan> recvs) {
  const uint64_t tag = (uint64_t{reforms()} << 40) + exchanges_++;
  if (broken()) return failure_.with_context("the group has ended");
  if (size() == 1) return {};
  std::vector<ByteSpan> to(holders_.segments()), from(holders_.segments());
  for (size_t r = 0; r < size(); ++r) {
    if (r == rank_) continue;
    to[members_[r]] = sends[r];
    from[members_[r]] = recvs[r];
    facts_.bytes_sent += static_cast<int64_t>(sends[r].size);
  }
  ++facts_.exchanges;
  failure_ = collective_->exchange(tag, to, from, timeout_ns_)
                 .with_context(str_cat("rank ", origin(), " of ", holders_.segments(), ", exchange of ", what));
  return failure_;
}

// In as many rounds as a rank leads segments.
Status Group::exchange_segments(std::string_view what, const std::function<ByteSpan(size_t segment)>& memory) {
  std::vector<std::vector<size_t>> led;
  size_t rounds = 0;
  for (size_t r = 0; r < size(); ++r) rounds = std::max(rounds, led.emplace_back(holders_.led_by(origin(r))).size());
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<ByteSpan> sends(size()), recvs(size());
    for (size_t r = 0; r < size(); ++r) {
      if (round >= led[r].size()) continue;
      const ByteSpan bytes = memory(led[r][round]);
      if (r == rank_) sends.assign(size(), bytes);
      recvs[r] = bytes;
    }
    PERCALE_RETURN_IF_ERROR(exchange(what, std::move(sends), std::move(recvs)));
  }
  return {};
}

Status Group::reform() {
  if (ended_ || !collective_->reports_losses()) return failure_;
  PERCALE_ASSIGN_OR_RETURN(bool is_smaller, drop_lost());
  if (!is_smaller && failure_.code() != Code::kUnavailable) return failure_;
  // Asked once more without an exchange, the host gives a rank up.
  if (!is_smaller && ++fruitless_ > kMostFruitless) {
    PERCALE_ASSIGN_OR_RETURN(is_smaller, drop_lost());
    if (!is_smaller) {
      end(failure_.with_context(str_cat(fruitless_, " exchanges in a row have failed, though no rank is lost")));
      return failure_;
    }
  }
  if (is_smaller) fruitless_ = 0;
  exchanges_ = 0;
  failure_ = {};
  return {};
}

// True if the group has become smaller, false if all ranks are to go on.
Result<bool> Group::drop_lost() {
  PERCALE_ASSIGN_OR_RETURN(const std::vector<int32_t> lost, collective_->lost());
  std::vector<size_t> left;
  for (const size_t member : members_) {
    if (std::ranges::find(lost, static_cast<int32_t>(member)) == lost.end()) left.push_back(member);
  }
  if (left.size() == members_.size()) {
    ++repeats_;
    return false;
  }
  const size_t own = origin();
  if (std::ranges::find(left, own) == left.end()) {
    return Status(Code::kAborted, str_cat("the group goes on without rank ", own)).with_context(failure_.message());
  }
  members_ = std::move(left);
  rank_ = rank_of(own);
  return true;
}

Result<std::vector<std::string>> Group::gather(std::string_view what, std::string own) {
  std::vector<uint64_t> sizes(size(), own.size());
  std::vector<ByteSpan> sends(size(), {&sizes[rank_], sizeof(uint64_t)}), recvs;
  for (uint64_t& size : sizes) recvs.push_back({&size, sizeof size});
  PERCALE_RETURN_IF_ERROR(exchange(str_cat("sizes of ", what), std::move(sends), std::move(recvs)));
  std::vector<std::string> out(size());
  recvs.clear();
  for (size_t r = 0; r < size(); ++r) {
    if (sizes[r] > kMaxGathered) {
      return data_loss("rank ", r, " announces ", sizes[r], " bytes of ", what, ", wanted ", kMaxGathered, " at most");
    }
    if (r != rank_) out[r].resize(sizes[r]);
    recvs.push_back(memory_of_text(out[r]));
  }
  PERCALE_RETURN_IF_ERROR(exchange(what, std::vector<ByteSpan>(size(), memory_of_text(own)), std::move(recvs)));
  out[rank_] = std::move(own);
  return out;
}

// Each rank's message: its error, then its numbers.
Status Group::exchange_numbers(std::string_view what, const Status& own, std::vector<std::vector<double>>& all) {
  std::vector<std::vector<uint8_t>> messages;
  std::vector<ByteSpan> recvs;
  for (const std::vector<double>& numbers : all) {
    auto& message = messages.emplace_back(kErrorBytes + numbers.size() * sizeof(double));
    recvs.push_back({message.data(), message.size()});
  }
  const auto copy = [&](size_t r, bool out) {
    uint8_t* const bytes = messages[r].data() + kErrorBytes;
    const size_t size = messages[r].size() - kErrorBytes;
    if (size > 0) out ? std::memcpy(bytes, all[r].data(), size) : std::memcpy(all[r].data(), bytes, size);
  };
  write_error(own, messages[rank_].data());
  copy(rank_, true);
  std::vector<ByteSpan> sends(size(), recvs[rank_]);
  PERCALE_RETURN_IF_ERROR(exchange(what, std::move(sends), std::move(recvs)));
  PERCALE_RETURN_IF_ERROR(own);
  for (size_t r = 0; r < size(); ++r) {
    PERCALE_RETURN_IF_ERROR(read_error(messages[r].data()).with_context(str_cat("rank ", r)));
    copy(r, false);
  }
  return {};
}

Status Group::count_devices(int64_t own) {
  std::vector<int64_t> all(size(), own);
  std::vector<ByteSpan> recvs;
  for (int64_t& number : all) recvs.push_back({&number, sizeof number});
  PERCALE_RETURN_IF_ERROR(exchange("devices", std::vector<ByteSpan>(size(), {&own, sizeof own}), std::move(recvs)));
  devices_ = std::accumulate(all.begin(), all.end(), int64_t{0});
  return {};
}

Status Group::agree(const std::vector<GroupFact>& facts, const Status& own) {
  std::string message(kErrorBytes, '\0');
  write_error(own, reinterpret_cast<uint8_t*>(message.data()));
  PERCALE_ASSIGN_OR_RETURN(auto texts, gather("the job", message + as_text(facts)));
  PERCALE_RETURN_IF_ERROR(own);
  for (size_t r = 0; r < size(); ++r) {
    if (texts[r].size() < kErrorBytes) return data_loss("rank ", r, " sent ", texts[r].size(), " bytes of its job");
    PERCALE_RETURN_IF_ERROR(
        read_error(reinterpret_cast<const uint8_t*>(texts[r].data())).with_context(str_cat("rank ", r)));
    texts[r].erase(0, kErrorBytes);
  }
  for (size_t r = 1; r < size(); ++r) {
    if (texts[r] == texts[0]) continue;
    PERCALE_ASSIGN_OR_RETURN(const Json first, Json::parse(texts[0]));
    PERCALE_ASSIGN_OR_RETURN(const Json other, Json::parse(texts[r]));
    for (const auto& [name, value] : facts) {
      const Json *a = first.find(name), *b = other.find(name);
      if (a == nullptr || b == nullptr) {
        const size_t without = a == nullptr ? 0 : r;
        return failed_precondition("rank ", without, " has no ", name, ", which rank ", r - without,
                                   " has; all ranks train one job, on data with the same columns");
      }
      PERCALE_ASSIGN_OR_RETURN(const std::string wanted, a->as_string(name));
      PERCALE_ASSIGN_OR_RETURN(const std::string found, b->as_string(name));
      if (wanted == found) continue;
      return failed_precondition("the ranks differ in ", name, ": rank ", r, " has '", found, "', rank 0 '", wanted,
                                 "'; all ranks train one job on the same first values");
    }
    return failed_precondition("rank ", r,
                               " has facts of the job that rank 0 has not, or in another order, such as the ",
                               "columns of its data; all ranks train one job, by one version of Percale");
  }
  return {};
}

}  // namespace percale
