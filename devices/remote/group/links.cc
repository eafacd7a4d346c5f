#include "devices/remote/group/links.h"

#include <atomic>
#include <optional>
#include <utility>

#include "devices/remote/net/backoff.h"

namespace percale::remote {
namespace {

// A harmed link is made again within this time, or not at all.
constexpr std::chrono::seconds kRenewal(2);

}  // namespace

// One end of a link. It carries chunks once both sides have greeted.
class Links::Link final : public StreamEvents {
 public:
  // `wanted`: the rank to which this side has opened the link; none: the other side has opened it.
  Link(const std::shared_ptr<Links>& links, std::optional<LinkId> wanted) : links_(links), wanted_(wanted) {}

  void on_message(Message message) override {
    const auto links = links_.lock();
    if (links == nullptr) return;
    if (has_greeted()) return links->exchange_.on_chunk(*id_, std::move(message));
    const wire::BodyUnion body = read_control(std::move(message));
    const std::lock_guard lock(links->mutex_);
    if (body.AsGreeting() == nullptr || !greet(*links, *body.AsGreeting())) return stream->abort();
    stream->read_next();
  }

  void on_sent() override {
    const auto links = links_.lock();
    if (links != nullptr && has_greeted()) links->exchange_.on_sent(*id_);
  }

  void on_closed(const std::string& reason) override {
    const auto links = links_.lock();
    if (links == nullptr) return;
    if (has_greeted()) links->exchange_.on_closed(*id_, reason);
    const std::lock_guard lock(links->mutex_);
    ended = reason.empty() ? "it has closed the connection" : reason;
    stream.reset();
    links->changed_.notify_all();
  }

  // Guarded by the mutex of the links.
  std::shared_ptr<Stream> stream;
  std::string ended;  // why; "": it has not
  bool has_greeted() const { return has_greeted_.load(); }

 private:
  // False: the other process is not of this group, or comes before this one knows of the group. It
  // may try again.
  bool greet(Links& links, const wire::GreetingT& greeting) {
    const LinkId id(greeting.rank, greeting.round);
    if (links.generation_ == 0 || greeting.generation != links.generation_) return false;
    const bool fits = wanted_ ? id.peer == wanted_->peer && id.round == wanted_->round
                              : id.peer > links.rank_ && id.peer < links.size_;
    if (!fits || links.exchange_.missing_link(id.peer) != id.round) return false;
    if (!wanted_) tell(*stream, links.greeting(id.round));
    id_ = id;
    has_greeted_ = true;  // before a chunk is sent, whose event must find it
    has_greeted_ = links.exchange_.connect(id, stream);
    links.changed_.notify_all();
    return has_greeted_;
  }

  const std::weak_ptr<Links> links_;
  const std::optional<LinkId> wanted_;
  std::optional<LinkId> id_;  // does not change once both sides have greeted
  std::atomic<bool> has_greeted_{false};
};

wire::GreetingT Links::greeting(uint32_t round) const {
  wire::GreetingT out;
  out.generation = generation_;
  out.rank = rank_;
  out.round = round;
  return out;
}

std::shared_ptr<StreamEvents> Links::accept(const std::shared_ptr<Stream>& stream) {
  const auto take = [this](const std::shared_ptr<Stream>& shared) {
    auto link = std::make_shared<Link>(shared_from_this(), std::nullopt);
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
  addresses_ = roll.addresses;
  credentials_ = credentials;
  for (int peer = 0; peer < rank_; ++peer) reach(peer, deadline);
  exchange_.wait_for_links(deadline);
}

void Links::renew() {
  const Clock::time_point deadline = Clock::now() + kRenewal;
  try {
    for (int peer = 0; peer < rank_; ++peer) reach(peer, deadline);
  } catch (const plugin::Failure&) {  // the next exchange fails, too
  }
  exchange_.await_links(deadline);
}

void Links::close(std::chrono::milliseconds limit) {
  exchange_.close(limit);
  connections_.clear();
}

void Links::reach(int peer, Clock::time_point deadline) {
  const std::optional<uint32_t> round = exchange_.missing_link(peer);
  if (!round) return;
  const std::string& address = addresses_[static_cast<size_t>(peer)];
  check_may_reach(credentials_, address);
  auto& connection = connections_[static_cast<size_t>(peer)];
  connection = std::make_unique<Connection>(address, credentials_);
  for (Backoff backoff;;) {
    const auto link = std::make_shared<Link>(shared_from_this(), LinkId(peer, *round));
    std::unique_lock lock(mutex_);  // so that events find the stream
    const auto open = [&](std::shared_ptr<StreamEvents> events) {
      return connection->open(kLinkPurpose, std::move(events));
    };
    link->stream = open_shared(open, link, sharing());
    tell(*link->stream, greeting(*round));
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
