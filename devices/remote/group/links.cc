#include "devices/remote/group/links.h"

#include <atomic>
#include <utility>

#include "devices/remote/net/backoff.h"

namespace percale::remote {

// One end of a link. It carries chunks once both sides have greeted.
class Links::Link final : public StreamEvents {
 public:
  // `wanted`: the rank to which this side has opened the link; -1: the other side has opened it.
  Link(const std::shared_ptr<Links>& links, int wanted) : links_(links), wanted_(wanted) {}

  void on_message(Message message) override {
    const auto links = links_.lock();
    if (links == nullptr) return;
    if (const int peer = peer_.load(); peer >= 0) return links->exchange_.on_chunk(peer, std::move(message));
    const wire::BodyUnion body = read_control(std::move(message));
    const std::lock_guard lock(links->mutex_);
    if (body.AsGreeting() == nullptr || !greet(*links, *body.AsGreeting())) return stream->abort();
    stream->read_next();
  }

  void on_sent() override {
    const auto links = links_.lock();
    if (const int peer = peer_.load(); links != nullptr && peer >= 0) links->exchange_.on_sent(peer);
  }

  void on_closed(const std::string& reason) override {
    const auto links = links_.lock();
    if (links == nullptr) return;
    if (const int peer = peer_.load(); peer >= 0) links->exchange_.on_closed(peer, reason);
    const std::lock_guard lock(links->mutex_);
    ended = reason.empty() ? "it has closed the connection" : reason;
    stream.reset();
    links->changed_.notify_all();
  }

  // Guarded by the mutex of the links.
  std::shared_ptr<Stream> stream;
  std::string ended;  // why; "": it has not
  bool has_greeted() const { return peer_.load() >= 0; }

 private:
  // False: the other process is not of this group, or comes before this one knows of the group. It
  // may try again.
  bool greet(Links& links, const wire::GreetingT& greeting) {
    const int rank = greeting.rank;
    if (links.generation_ == 0 || greeting.generation != links.generation_) return false;
    const bool fits = wanted_ >= 0 ? rank == wanted_ : rank > links.rank_ && rank < links.size_;
    if (!fits || links.taken_[static_cast<size_t>(rank)]) return false;
    if (wanted_ < 0) tell(*stream, links.greeting());
    links.taken_[static_cast<size_t>(rank)] = true;
    peer_ = rank;
    links.exchange_.connect(rank, stream);
    links.changed_.notify_all();
    return true;
  }

  const std::weak_ptr<Links> links_;
  const int wanted_;
  std::atomic<int> peer_{-1};  // once both sides have greeted
};

wire::GreetingT Links::greeting() const {
  wire::GreetingT out;
  out.generation = generation_;
  out.rank = rank_;
  return out;
}

std::shared_ptr<StreamEvents> Links::accept(const std::shared_ptr<Stream>& stream) {
  const auto take = [this](const std::shared_ptr<Stream>& shared) {
    auto link = std::make_shared<Link>(shared_from_this(), -1);
    link->stream = shared;
    return link;
  };
  return accept_shared(stream, take, sharing());
}

void Links::connect(const Roll& roll, const Credentials& credentials, Clock::time_point deadline) {
  exchange_.set_generation(roll.generation);
  {
    const std::lock_guard lock(mutex_);
    generation_ = roll.generation;
  }
  for (int peer = 0; peer < rank_; ++peer) {
    reach(peer, roll.addresses[static_cast<size_t>(peer)], credentials, deadline);
  }
  exchange_.wait_for_links(deadline);
}

void Links::close(std::chrono::milliseconds limit) {
  exchange_.close(limit);
  connections_.clear();
}

void Links::reach(int peer, const std::string& address, const Credentials& credentials, Clock::time_point deadline) {
  check_may_reach(credentials, address);
  Connection& connection = *connections_.emplace_back(std::make_unique<Connection>(address, credentials));
  for (Backoff backoff;;) {
    const auto link = std::make_shared<Link>(shared_from_this(), peer);
    std::unique_lock lock(mutex_);  // so that events find the stream
    const auto open = [&](std::shared_ptr<StreamEvents> events) {
      return connection.open(kLinkPurpose, std::move(events));
    };
    link->stream = open_shared(open, link, sharing());
    tell(*link->stream, greeting());
    changed_.wait_until(lock, deadline, [&] { return link->has_greeted() || !link->ended.empty(); });
    if (link->has_greeted()) return;
    const std::string reason = link->ended.empty() ? "it does not answer" : link->ended;
    const auto stream = link->stream;
    lock.unlock();
    if (stream != nullptr) stream->abort();
    exchange_.check();  // the chief may have given that rank up
    if (backoff.wait(deadline)) continue;
    throw plugin::Failure(PERCALE_UNAVAILABLE,
                          "rank " + std::to_string(peer) + " at " + address + " is not reached: " + reason);
  }
}

}  // namespace percale::remote
