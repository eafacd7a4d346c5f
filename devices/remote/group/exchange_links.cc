// The links of an exchange: how they come, break and close.
#include <algorithm>
#include <utility>

#include "devices/remote/group/exchange.h"

namespace percale::remote {

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
      const Peer& peer = peers_[static_cast<size_t>(i)];
      if (i != rank_ && peer.link == nullptr && !peer.has_left) names += (names.empty() ? "" : ", ") + rank_name(i);
    }
    return names;
  };
  changed_.wait_until(lock, deadline, [&] { return missing().empty() || !failing_.empty(); });
  if (!failing_.empty()) throw plugin::Failure(PERCALE_UNAVAILABLE, failing_);
  if (const std::string names = missing(); !names.empty()) {
    throw plugin::Failure(PERCALE_UNAVAILABLE, "no connection between " + rank_name(rank_) + " and " + names);
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
    // The chief was told of one broken link. Any other one comes next.
    for (int i = 0; i < static_cast<int>(peers_.size()); ++i) {
      const Peer& peer = peers_[static_cast<size_t>(i)];
      if (i != rank_ && peer.link == nullptr && !peer.is_gone && !peer.has_left) break_link(i, "it was closed before");
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
  break_link(peer, reason);
}

void Exchange::break_link(int peer, const std::string& reason) {
  if (broken_peer_ < 0) broken_peer_ = peer;
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
