#include "devices/remote/group/exchange.h"

#include <algorithm>
#include <utility>

namespace percale::remote {
namespace {

bool is_beat(const wire::Chunk& head) { return head.total() == 0; }

}  // namespace

// While it lives, memory of the exchange is in use and the mutex is not held.
class Exchange::Busy {
 public:
  Busy(Exchange& exchange, Lock& lock) : exchange_(exchange), lock_(lock) {
    ++exchange_.busy_;
    lock_.unlock();
  }
  ~Busy() {
    lock_.lock();
    --exchange_.busy_;
    exchange_.changed_.notify_all();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Exchange& exchange_;
  Lock& lock_;
};

Exchange::Exchange(int rank, int size, Checksum checksum)
    : rank_(rank), checksum_(checksum), peers_(static_cast<size_t>(size)) {}

void Exchange::set_generation(uint64_t generation) {
  const std::lock_guard lock(mutex_);
  generation_ = generation;
}

void Exchange::run(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs,
                   Clock::time_point deadline) {
  Lock lock(mutex_);
  has_run_ = true;
  if (!failing_.empty()) throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
  begin(tag, sends, recvs);
  try {
    take_early(lock);
    for (Peer& peer : peers_) send_chunks(lock, peer);
    check_left();
  } catch (...) {
    stop(lock);
    throw;
  }
  const auto ended = [&] { return failure_ || !failing_.empty() || is_complete(); };
  if (deadline == Clock::time_point::max()) {
    changed_.wait(lock, ended);
  } else if (!changed_.wait_until(lock, deadline, ended)) {
    set_failure(PERCALE_UNAVAILABLE, "the time limit of the exchange has passed");
    for (Peer& peer : peers_) peer.is_harmed |= peer.received < peer.to.size;  // its link may be
  }
  const bool good = is_complete() && !failure_;
  stop(lock);
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

void Exchange::stop(Lock& lock) {
  is_active_ = false;
  changed_.wait(lock, [&] { return busy_ == 0; });
}

// Sorts the chunks that have come before the exchange.
void Exchange::take_early(Lock& lock) {
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    Peer& peer = peers_[static_cast<size_t>(i)];
    if (!peer.early) continue;
    auto [head, message] = *std::exchange(peer.early, std::nullopt);
    peer.heard = Clock::now();  // it was not listened to
    const std::shared_ptr<Stream> link = peer.link;
    if (sort(lock, i, head, std::move(message)) && link != nullptr) link->read_next();
  }
}

bool Exchange::is_complete() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.is_done(); });
}

void Exchange::set_failure(percale_code code, std::string message) {
  if (!failure_) failure_.emplace(code, std::move(message));
  changed_.notify_all();
}

// One thread at a time sends for a peer. The mutex is not held while bytes are read.
void Exchange::send_chunks(Lock& lock, Peer& peer) {
  if (peer.is_sending || peer.link == nullptr) return;
  const struct Sending {
    explicit Sending(bool& flag) : is_sending(flag) { is_sending = true; }
    ~Sending() { is_sending = false; }
    bool& is_sending;
  } sending(peer.is_sending);
  while (is_active_ && peer.in_flight < kMaxInFlight && peer.sent < peer.from.size) {
    const size_t bytes = std::min(kChunkBytes, peer.from.size - peer.sent);
    const auto* data = static_cast<const std::byte*>(peer.from.data) + peer.sent;
    const uint64_t offset = peer.sent, total = peer.from.size, tag = *tag_;
    const std::shared_ptr<Stream> link = peer.link;
    const uint32_t number = peer.sends++;
    peer.sent += bytes;
    ++peer.in_flight;
    try {
      const Busy busy(*this, lock);
      const wire::Chunk head =
          chunk_head(generation_, tag, offset, total, checksum_(data, bytes, 0), number, checksum_);
      link->send(std::as_bytes(std::span(&head, 1)), {data, bytes});
    } catch (...) {
      --peer.in_flight;
      --peer.sends;
      throw;
    }
  }
}

void Exchange::on_sent(LinkId id) {
  Lock lock(mutex_);
  Peer* const peer = find(id);
  if (peer == nullptr) return;
  if (peer->in_flight > 0) --peer->in_flight;
  send_chunks(lock, *peer);
}

void Exchange::on_chunk(LinkId id, Message message) {
  const std::optional<wire::Chunk> head = read_chunk(message, checksum_);
  Lock lock(mutex_);
  Peer* const peer = find(id);
  if (peer == nullptr || peer->link == nullptr) return;
  const std::shared_ptr<Stream> link = peer->link;
  if (const std::string wrong = check_head(*peer, head); !wrong.empty()) {
    break_link(id.peer, wrong);
    lock.unlock();
    return link->abort();
  }
  peer->heard = Clock::now();
  if (is_beat(*head) || sort(lock, id.peer, *head, std::move(message))) {
    lock.unlock();
    link->read_next();
  }
}

std::string Exchange::check_head(Peer& peer, const std::optional<wire::Chunk>& head) {
  if (!head || head->generation() != generation_) {
    return "it has sent a message that is none of this group, or has changed on its way";
  }
  if (head->number() != peer.takes++) return "a message of it has not arrived";
  return "";
}

bool Exchange::sort(Lock& lock, int number, const wire::Chunk& head, Message message) {
  if (is_closing_) return true;  // read to the end, where the link closes
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
  if (head.total() != peer.to.size) {
    return set_failure(PERCALE_INTERNAL, rank_name(number) + " sends " + std::to_string(head.total()) +
                                             " bytes in an exchange, wanted " + std::to_string(peer.to.size));
  }
  if (head.offset() != peer.received) {
    return set_failure(PERCALE_INTERNAL, rank_name(number) + " sends bytes from byte " + std::to_string(head.offset()) +
                                             " on, wanted those from byte " + std::to_string(peer.received) +
                                             " on of " + std::to_string(peer.to.size));
  }
  auto* to = static_cast<std::byte*>(peer.to.data) + peer.received;
  // The head has its own checksum. So if there are too many bytes, the length of the message has
  // changed on its way.
  bool intact = bytes <= peer.to.size - peer.received;
  if (intact) {
    const Busy busy(*this, lock);
    message.read(to, bytes);
    intact = checksum_(to, bytes, 0) == head.crc();
  }
  if (intact) {
    peer.received += bytes;
  } else {
    peer.is_harmed = true;
    set_failure(PERCALE_UNAVAILABLE, "bytes of " + rank_name(number) + " have changed on their way");
  }
  changed_.notify_all();
}

}  // namespace percale::remote
