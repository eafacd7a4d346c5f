// The links of an exchange: how they come, break and close.
#include <algorithm>
#include <utility>

#include "devices/remote/group/exchange.h"
#include "devices/remote/net/pulse.h"

namespace percale::remote {

Exchange::Peer* Exchange::find(LinkId id) {
  Peer& peer = peers_[static_cast<size_t>(id.peer)];
  return peer.round == id.round ? &peer : nullptr;
}

std::optional<uint32_t> Exchange::missing_link(int peer) const {
  const std::lock_guard lock(mutex_);
  const Peer& p = peers_[static_cast<size_t>(peer)];
  return p.lacks_link() ? std::optional(p.round) : std::nullopt;
}

bool Exchange::connect(LinkId id, std::shared_ptr<Stream> link) {
  const std::lock_guard lock(mutex_);
  Peer* const peer = find(id);
  if (peer == nullptr || !peer->lacks_link()) return false;
  peer->link = std::move(link);
  peer->heard = Clock::now();
  peer->sends = peer->takes = 0;
  peer->in_flight = 0;
  changed_.notify_all();
  return true;
}

std::string Exchange::missing_names() const {
  std::string names;
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    if (i != rank_ && peers_[static_cast<size_t>(i)].lacks_link()) names += (names.empty() ? "" : ", ") + rank_name(i);
  }
  return names;
}

void Exchange::wait_for_links(Clock::time_point deadline) {
  Lock lock(mutex_);
  changed_.wait_until(lock, deadline, [&] { return missing_names().empty() || !failing_.empty(); });
  if (!failing_.empty()) throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
  if (const std::string names = missing_names(); !names.empty()) {
    throw plugin::Failure(PERCALE_UNAVAILABLE, "no connection between " + rank_name(rank_) + " and " + names);
  }
}

void Exchange::await_links(Clock::time_point deadline) {
  Lock lock(mutex_);
  const bool in_time =
      changed_.wait_until(lock, deadline, [&] { return missing_names().empty() || !failing_.empty(); });
  for (int i = 0; !in_time && i < static_cast<int>(peers_.size()); ++i) {
    Peer& peer = peers_[static_cast<size_t>(i)];
    if (i == rank_ || !peer.lacks_link()) continue;
    peer.is_unreached = true;
    break_link(i, "it cannot be made again");
  }
}

void Exchange::check() const {
  const std::lock_guard lock(mutex_);
  if (!failing_.empty()) throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
}

void Exchange::check_left() {
  for (int i = 0; is_active_ && i < static_cast<int>(peers_.size()); ++i) {
    const Peer& peer = peers_[static_cast<size_t>(i)];
    if (peer.has_left && !peer.is_done()) set_failure(PERCALE_UNAVAILABLE, rank_name(i) + " has left the group");
  }
}

void Exchange::fail(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failing_.empty()) failing_ = reason;
  changed_.notify_all();
}

LinkReport Exchange::report() const {
  LinkReport out;
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
    const Peer& peer = peers_[static_cast<size_t>(i)];
    if (i == rank_ || peer.is_gone) continue;
    if (peer.is_unreached) {
      out.unreached.push_back(i);
    } else if (peer.is_harmed || peer.link == nullptr) {
      out.harmed.push_back(i);  // the chief knows better whether a rank has left
    }
  }
  out.is_stuck = !has_run_;
  return out;
}

void Exchange::go_on(std::span<const int32_t> lost, std::span<const int32_t> again) {
  std::vector<std::shared_ptr<Stream>> dropped;
  {
    const std::lock_guard lock(mutex_);
    failing_.clear();
    has_run_ = false;
    ++round_;
    const auto drop = [&](Peer& peer) {
      peer.early.reset();
      if (peer.link != nullptr) dropped.push_back(std::exchange(peer.link, nullptr));
    };
    for (Peer& peer : peers_) peer.is_harmed = peer.is_unreached = false;
    for (const int32_t number : lost) {
      Peer& peer = peers_[static_cast<size_t>(number)];
      peer.is_gone = true;
      drop(peer);
    }
    for (const int32_t number : again) {
      Peer& peer = peers_[static_cast<size_t>(number)];
      peer.round = round_;
      peer.has_left = false;
      drop(peer);
    }
    // The chief was not told of a link that has broken since.
    for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
      const Peer& peer = peers_[static_cast<size_t>(i)];
      if (i != rank_ && peer.lacks_link() && peer.round != round_) break_link(i, "it was closed before");
    }
  }
  for (const auto& link : dropped) link->abort();
}

void Exchange::beat(Clock::time_point now, bool excused) {
  std::vector<std::shared_ptr<Stream>> silent;
  {
    const std::lock_guard lock(mutex_);
    const bool says = now - beaten_ >= kStreamBeatPause;
    if (says) beaten_ = now;
    for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
      Peer& peer = peers_[static_cast<size_t>(i)];
      if (peer.link == nullptr || is_closing_) continue;
      if (excused) peer.heard = now;
      if (!peer.early && now - peer.heard > kStreamSilence) {
        break_link(i, "nothing was heard over it for " + std::to_string(kStreamSilence.count()) + " ms");
        silent.push_back(peer.link);
      } else if (says && !peer.is_sending) {
        const wire::Chunk head = chunk_head(generation_, 0, 0, 0, 0, peer.sends, checksum_);
        peer.link->send(std::as_bytes(std::span(&head, 1)), {});
        ++peer.sends;
      }
    }
  }
  for (const auto& link : silent) link->abort();
}

void Exchange::on_closed(LinkId id, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  Peer* const peer = find(id);
  if (peer == nullptr) return;
  peer->link.reset();
  changed_.notify_all();
  if (is_closing_ || peer->is_gone) return;
  if (reason.empty()) {
    peer->has_left = true;
    return check_left();
  }
  break_link(id.peer, reason);
}

void Exchange::break_link(int peer, const std::string& reason) {
  peers_[static_cast<size_t>(peer)].is_harmed = true;
  if (failing_.empty()) failing_ = "the connection to " + rank_name(peer) + " is lost: " + reason;
  changed_.notify_all();
}

void Exchange::close(std::chrono::milliseconds limit) {
  std::vector<std::shared_ptr<Stream>> links, unread;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (Peer& peer : peers_) {
      if (peer.link == nullptr) continue;
      links.push_back(peer.link);
      if (peer.early) unread.push_back(peer.link);
      peer.early.reset();
    }
  }
  for (const auto& link : unread) link->read_next();  // until the link says that it is closed
  for (const auto& link : links) link->close();
  {
    Lock lock(mutex_);
    changed_.wait_for(lock, limit, [&] {
      return std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.link == nullptr; });
    });
  }
  for (const auto& link : links) link->abort();  // those of ranks that do not answer
}

}  // namespace percale::remote
