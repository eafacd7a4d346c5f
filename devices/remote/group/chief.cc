#include "devices/remote/group/chief.h"

#include <new>
#include <utility>

#include "devices/remote/net/address.h"

namespace percale::remote {

// The control stream of another rank. The chief may be gone before the stream is.
class Chief::Visitor final : public StreamEvents {
 public:
  Visitor(std::weak_ptr<Chief> chief, std::weak_ptr<Stream> stream)
      : chief_(std::move(chief)), stream_(std::move(stream)) {}

  void on_message(Message message) override {
    const auto chief = chief_.lock();
    const auto stream = stream_.lock();
    if (chief == nullptr || stream == nullptr) return;
    const wire::BodyUnion body = read_control(std::move(message));
    if (rank_ >= 0) {
      chief->on_message(rank_, body);
    } else if (const wire::HelloT* hello = body.AsHello()) {
      chief->on_hello(stream, *hello, rank_);
    } else {
      return stream->abort();
    }
    stream->read_next();
  }

  void on_closed(const std::string& reason) override {
    const auto chief = chief_.lock();
    if (chief != nullptr && rank_ >= 0) chief->on_closed(rank_, stream_.lock(), reason);
  }

 private:
  const std::weak_ptr<Chief> chief_;
  const std::weak_ptr<Stream> stream_;
  int rank_ = -1;  // until it has joined
};

Chief::Chief(Application application, std::shared_ptr<Exchange> exchange)
    : application_(std::move(application)),
      exchange_(std::move(exchange)),
      roster_(application_.size, *this),
      streams_(static_cast<size_t>(application_.size)) {}

Chief::~Chief() { pulse_.reset(); }

std::shared_ptr<StreamEvents> Chief::accept(const std::shared_ptr<Stream>& stream) {
  return std::make_shared<Visitor>(weak_from_this(), stream);
}

std::string Chief::check(const wire::HelloT& hello) const {
  if (hello.protocol != kProtocol) {
    return "it speaks protocol " + std::to_string(hello.protocol) + ", the chief " + std::to_string(kProtocol) +
           "; all processes need the same version of Percale";
  }
  if (hello.build != application_.build) {
    return "it has \"" + hello.build + "\", the chief \"" + application_.build +
           "\"; all processes need the same version, plug-ins and instruction set (option \"isa\")";
  }
  if (hello.size != application_.size || hello.rank < 1 || hello.rank >= application_.size) {
    return "it is rank " + std::to_string(hello.rank) + " of " + std::to_string(hello.size) + ", the chief expects " +
           std::to_string(application_.size) + " ranks";
  }
  return "";
}

void Chief::on_hello(const std::shared_ptr<Stream>& stream, const wire::HelloT& hello, int& rank) {
  const std::string address = hello.host.empty() ? join_address(host_of_peer(stream->peer()), hello.port) : hello.host;
  std::string refusal = check(hello);
  const std::lock_guard lock(mutex_);
  if (refusal.empty()) refusal = roster_.join(hello.rank, address, Clock::now());
  if (!refusal.empty()) {
    wire::RefusalT answer;
    answer.code = PERCALE_FAILED_PRECONDITION;
    answer.message = "the chief refuses this process: " + refusal;
    tell(*stream, std::move(answer));
    return stream->close();
  }
  rank = hello.rank;
  streams_[static_cast<size_t>(rank)] = stream;
  ++open_;
  changed_.notify_all();
}

void Chief::on_message(int rank, const wire::BodyUnion& body) {
  const std::lock_guard lock(mutex_);
  roster_.hear(rank, Clock::now());
  if (const wire::FailedT* failed = body.AsFailed()) {
    roster_.fail(rank, {failed->harmed, failed->unreached, failed->stuck});
  }
  if (body.AsLeave() != nullptr) roster_.leave(rank);
  changed_.notify_all();
}

void Chief::on_closed(int rank, const std::shared_ptr<Stream>& stream, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  --open_;
  changed_.notify_all();
  auto& own = streams_[static_cast<size_t>(rank)];
  if (own != stream) return;
  own.reset();
  if (is_leaving_) return;
  if (is_formed_) {
    roster_.lose(rank, "its connection is closed" + (reason.empty() ? "" : ": " + reason));
  } else {
    roster_.forget(rank);
  }
}

Roll Chief::join(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  roster_.join(0, application_.address, Clock::now());
  if (!changed_.wait_until(lock, deadline, [&] { return roster_.is_complete(); })) {
    const std::string reason = "the group is not complete within the time limit; missing: rank " + roster_.missing() +
                               " of " + std::to_string(application_.size);
    for (int rank = 1; rank < roster_.size(); ++rank) dismiss(rank, reason);
    settle(lock);
    throw plugin::Failure(PERCALE_DEADLINE_EXCEEDED, reason);
  }
  is_formed_ = true;
  Roll roll;
  roll.generation = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  for (int rank = 0; rank < roster_.size(); ++rank) roll.addresses.push_back(roster_.address(rank));
  for (int rank = 1; rank < roster_.size(); ++rank) {
    roster_.hear(rank, Clock::now());
    wire::WelcomeT welcome;
    welcome.generation = roll.generation;
    welcome.addresses = roll.addresses;
    order(rank, [&](Stream& stream) { tell(stream, std::move(welcome)); });
  }
  pulse_.emplace(kBeatPause, [this](Clock::time_point now, bool excused) { beat(now, excused); });
  return roll;
}

void Chief::beat(Clock::time_point now, bool excused) {
  exchange_->beat(now, excused);
  const std::lock_guard lock(mutex_);
  roster_.check(now);
  for (int rank = 1; rank < roster_.size(); ++rank) {
    order(rank, [](Stream& stream) { tell(stream, wire::BeatT()); });
  }
}

// A rank that cannot be told is lost as soon as its stream has closed.
template <class F>
void Chief::order(int rank, F&& send) {
  const auto& stream = streams_[static_cast<size_t>(rank)];
  if (stream == nullptr) return;
  try {
    send(*stream);
  } catch (const std::bad_alloc&) {
    stream->abort();
  }
}

std::vector<int32_t> Chief::lost(const LinkReport& report) {
  std::unique_lock lock(mutex_);
  lost_.reset();
  roster_.fail(0, report);
  changed_.wait(lock, [&] { return lost_.has_value(); });
  return *lost_;
}

void Chief::leave() {
  pulse_.reset();
  std::unique_lock lock(mutex_);
  is_leaving_ = true;
  roster_.leave(0);
  for (int rank = 1; rank < roster_.size(); ++rank) {
    order(rank, [](Stream& stream) {
      tell(stream, wire::LeaveT());
      stream.close();
    });
  }
  settle(lock);
}

void Chief::settle(std::unique_lock<std::mutex>& lock) {
  changed_.wait_for(lock, kControlFarewell, [&] { return open_ == 0; });
}

void Chief::failing(int rank, const std::string& reason) {
  if (rank == 0) return exchange_->fail(reason);
  order(rank, [&](Stream& stream) {
    wire::FailingT message;
    message.reason = reason;
    tell(stream, std::move(message));
  });
}

void Chief::lost(int rank, const std::vector<int32_t>& ranks, const std::vector<int32_t>& again) {
  if (rank == 0) {
    exchange_->go_on(ranks, again);
    lost_ = ranks;
    return changed_.notify_all();
  }
  order(rank, [&](Stream& stream) {
    wire::LostT message;
    message.ranks = ranks;
    message.again = again;
    tell(stream, std::move(message));
  });
}

void Chief::dismiss(int rank, const std::string& reason) {
  order(rank, [&](Stream& stream) {
    wire::RefusalT message;
    message.code = PERCALE_UNAVAILABLE;
    message.message = reason;
    tell(stream, std::move(message));
    stream.close();
  });
  streams_[static_cast<size_t>(rank)].reset();
}

}  // namespace percale::remote
