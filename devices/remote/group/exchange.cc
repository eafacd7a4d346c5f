#include "devices/remote/group/exchange.h"

#include <algorithm>
#include <utility>

namespace percale::remote {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr int kMaxInFlight = 3;  // chunks per link: one is sent while the next ones are copied

std::string rank_name(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

Exchange::Exchange(int rank, int size, Checksum checksum)
    : rank_(rank), checksum_(checksum), peers_(static_cast<size_t>(size)) {}

void Exchange::set_generation(uint64_t generation) {
  const std::lock_guard lock(mutex_);
  generation_ = generation;
}

void Exchange::connect(int peer, std::shared_ptr<Stream> link) {
  const std::lock_guard lock(mutex_);
  peers_[static_cast<size_t>(peer)].link = std::move(link);
  changed_.notify_all();
}

void Exchange::wait_for_links(Clock::time_point deadline) {
  Lock lock(mutex_);
  const auto missing = [&] {
    std::string names;
    for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
      if (i != rank_ && peers_[static_cast<size_t>(i)].link == nullptr)
        names += (names.empty() ? "" : ", ") + rank_name(i);
    }
    return names;
  };
  changed_.wait_until(lock, deadline, [&] { return missing().empty() || !failing_.empty(); });
  if (!failing_.empty()) throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
  if (const std::string names = missing(); !names.empty()) {
    throw plugin::Failure(PERCALE_UNAVAILABLE, "no connection between " + rank_name(rank_) + " and " + names);
  }
}

void Exchange::run(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs,
                   Clock::time_point deadline) {
  Lock lock(mutex_);
  if (!failing_.empty()) throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
  begin(tag, sends, recvs);
  take_early(lock);
  for (Peer& peer : peers_) send_chunks(lock, peer);
  check_left();
  const auto ended = [&] { return failure_ || !failing_.empty() || is_complete(); };
  if (deadline == Clock::time_point::max()) {
    changed_.wait(lock, ended);
  } else if (!changed_.wait_until(lock, deadline, ended)) {
    set_failure(PERCALE_UNAVAILABLE, "the time limit of the exchange has passed");
  }
  const bool good = is_complete() && !failure_;
  is_active_ = false;
  changed_.wait(lock, [&] { return busy_ == 0; });
  if (good) return;
  if (failure_) throw *failure_;
  throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
}

void Exchange::begin(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs) {
  tag_ = tag;
  is_active_ = true;
  failure_.reset();
  for (size_t i = 0; i < peers_.size(); ++i) {
    Peer& peer = peers_[i];
    const bool takes_part = static_cast<int>(i) != rank_ && !peer.is_gone;
    peer.from = takes_part ? sends[i] : percale_bytes{};
    peer.to = takes_part ? recvs[i] : percale_bytes{};
    peer.sent = peer.received = 0;
  }
}

// Sorts the chunks that have come before the exchange.
void Exchange::take_early(Lock& lock) {
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    Peer& peer = peers_[static_cast<size_t>(i)];
    if (!peer.early) continue;
    auto [head, message] = *std::exchange(peer.early, std::nullopt);
    const std::shared_ptr<Stream> link = peer.link;
    if (sort(lock, i, head, std::move(message)) && link != nullptr) link->read_next();
  }
}

bool Exchange::is_complete() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.is_done(); });
}

void Exchange::check_left() {
  for (int i = 0; is_active_ && i < static_cast<int>(peers_.size()); ++i) {
    const Peer& peer = peers_[static_cast<size_t>(i)];
    if (peer.has_left && !peer.is_done()) set_failure(PERCALE_UNAVAILABLE, rank_name(i) + " has left the group");
  }
}

void Exchange::set_failure(percale_code code, std::string message) {
  if (!failure_) failure_.emplace(code, std::move(message));
  changed_.notify_all();
}

// One thread at a time sends for a peer. The mutex is not held while bytes are read.
void Exchange::send_chunks(Lock& lock, Peer& peer) {
  if (peer.is_sending || peer.link == nullptr) return;
  peer.is_sending = true;
  while (is_active_ && peer.in_flight < kMaxInFlight && peer.sent < peer.from.size) {
    const size_t bytes = std::min(kChunkBytes, peer.from.size - peer.sent);
    const auto* data = static_cast<const std::byte*>(peer.from.data) + peer.sent;
    const uint64_t offset = peer.sent, total = peer.from.size, tag = *tag_;
    const std::shared_ptr<Stream> link = peer.link;
    peer.sent += bytes;
    ++peer.in_flight;
    ++busy_;
    lock.unlock();
    const wire::Chunk head(generation_, tag, offset, total, checksum_(data, bytes, 0), 0);
    link->send(std::as_bytes(std::span(&head, 1)), {data, bytes});
    lock.lock();
    --busy_;
  }
  peer.is_sending = false;
  changed_.notify_all();
}

void Exchange::on_sent(int peer) {
  Lock lock(mutex_);
  Peer& p = peers_[static_cast<size_t>(peer)];
  if (p.in_flight > 0) --p.in_flight;
  send_chunks(lock, p);
}

void Exchange::on_chunk(int peer, Message message) {
  const std::optional<wire::Chunk> head = read_chunk(message);
  Lock lock(mutex_);
  const std::shared_ptr<Stream> link = peers_[static_cast<size_t>(peer)].link;
  if (link == nullptr) return;
  if (!head || head->generation() != generation_) {
    lock.unlock();
    return link->abort();
  }
  if (sort(lock, peer, *head, std::move(message))) {
    lock.unlock();
    link->read_next();
  }
}

bool Exchange::sort(Lock& lock, int number, const wire::Chunk& head, Message message) {
  if (is_active_ && head.tag() == *tag_) {
    take(lock, number, head, std::move(message));
    return true;
  }
  if (tag_ && head.tag() <= *tag_) return true;  // of an exchange that has failed: dropped
  Peer& peer = peers_[static_cast<size_t>(number)];
  peer.early.emplace(head, std::move(message));
  // A rank that has sent everything may be ahead.
  if (is_active_ && peer.received < peer.to.size) {
    set_failure(PERCALE_UNAVAILABLE, rank_name(number) + " has given this exchange up");
  }
  return false;
}

void Exchange::take(Lock& lock, int number, const wire::Chunk& head, Message message) {
  Peer& peer = peers_[static_cast<size_t>(number)];
  const size_t bytes = message.left();
  if (head.total() != peer.to.size || head.offset() != peer.received || bytes > peer.to.size - peer.received) {
    return set_failure(PERCALE_INTERNAL, rank_name(number) + " sends " + std::to_string(head.total()) +
                                             " bytes in an exchange, wanted " + std::to_string(peer.to.size));
  }
  auto* to = static_cast<std::byte*>(peer.to.data) + peer.received;
  ++busy_;
  lock.unlock();
  message.read(to, bytes);
  const bool intact = checksum_(to, bytes, 0) == head.crc();
  lock.lock();
  --busy_;
  if (!intact) set_failure(PERCALE_UNAVAILABLE, "bytes of " + rank_name(number) + " have changed on their way");
  if (intact) peer.received += bytes;
  changed_.notify_all();
}

void Exchange::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failing_.empty()) failing_ = reason;
  changed_.notify_all();
}

int Exchange::broken_peer() const {
  const std::lock_guard lock(mutex_);
  return broken_peer_;
}

void Exchange::go_on(std::span<const int32_t> lost) {
  std::vector<std::shared_ptr<Stream>> dropped;
  {
    const std::lock_guard lock(mutex_);
    failing_.clear();
    broken_peer_ = -1;
    for (const int32_t number : lost) {
      Peer& peer = peers_[static_cast<size_t>(number)];
      peer.is_gone = true;
      peer.early.reset();
      if (peer.link != nullptr) dropped.push_back(std::exchange(peer.link, nullptr));
    }
  }
  for (const auto& link : dropped) link->abort();
}

void Exchange::on_closed(int peer, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  Peer& p = peers_[static_cast<size_t>(peer)];
  p.link.reset();
  changed_.notify_all();
  if (is_closing_ || p.is_gone) return;
  if (reason.empty()) {
    p.has_left = true;
    return check_left();
  }
  if (broken_peer_ < 0) broken_peer_ = peer;
  if (failing_.empty()) failing_ = "the connection to " + rank_name(peer) + " is lost: " + reason;
}

void Exchange::close(std::chrono::milliseconds limit) {
  std::vector<std::shared_ptr<Stream>> links;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (Peer& peer : peers_) {
      if (peer.early && peer.link != nullptr) peer.early.reset();
      if (peer.link != nullptr) links.push_back(peer.link);
    }
  }
  for (const auto& link : links) link->close();
  Lock lock(mutex_);
  const auto all_closed = [&] {
    return std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.link == nullptr; });
  };
  changed_.wait_for(lock, limit, all_closed);
}

}  // namespace percale::remote
