#include "devices/remote/group/chief.h"

#include <algorithm>
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
    if (chief != nullptr && rank_ >= 0) chief->on_closed(rank_, stream_.lock().get(), reason);
  }

 private:
  const std::weak_ptr<Chief> chief_;
  const std::weak_ptr<Stream> stream_;
  int rank_ = -1;  // until it has joined
};

Chief::Chief(Application application, OnFailing on_failing)
    : application_(std::move(application)),
      on_failing_(std::move(on_failing)),
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
  changed_.notify_all();
}

void Chief::on_message(int rank, const wire::BodyUnion& body) {
  const std::lock_guard lock(mutex_);
  roster_.hear(rank, Clock::now());
  if (const wire::FailedT* failed = body.AsFailed()) roster_.fail(rank, failed->peer);
  if (body.AsLeave() != nullptr) roster_.leave(rank);
  changed_.notify_all();
}

void Chief::on_closed(int rank, const Stream* stream, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  auto& own = streams_[static_cast<size_t>(rank)];
  if (own.get() != stream) return;
  own.reset();
  if (is_formed_) {
    roster_.lose(rank, "its connection is closed" + (reason.empty() ? "" : ": " + reason));
  } else {
    roster_.forget(rank);
  }
  changed_.notify_all();
}

Roll Chief::join(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  roster_.join(0, application_.address, Clock::now());
  if (!changed_.wait_until(lock, deadline, [&] { return roster_.is_complete(); })) {
    const std::string reason = "the group is not complete within the time limit; missing: rank " + roster_.missing() +
                               " of " + std::to_string(application_.size);
    for (int rank = 1; rank < roster_.size(); ++rank) dismiss(rank, reason);
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
    if (const auto& stream = streams_[static_cast<size_t>(rank)]) tell(*stream, std::move(welcome));
  }
  pulse_.emplace(kBeatPause, [this] { beat(); });
  return roll;
}

void Chief::beat() {
  const std::lock_guard lock(mutex_);
  roster_.check(Clock::now());
  for (const auto& stream : streams_) {
    if (stream != nullptr) tell(*stream, wire::BeatT());
  }
}

std::vector<int32_t> Chief::lost(int broken_peer) {
  std::unique_lock lock(mutex_);
  lost_.reset();
  roster_.fail(0, broken_peer);
  changed_.wait(lock, [&] { return lost_.has_value(); });
  return *lost_;
}

void Chief::leave() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    roster_.leave(0);
    streams.swap(streams_);
    streams_.resize(streams.size());
  }
  pulse_.reset();
  for (const auto& stream : streams) {
    if (stream == nullptr) continue;
    tell(*stream, wire::LeaveT());
    stream->close();
  }
}

void Chief::failing(int rank, const std::string& reason) {
  if (rank == 0) return on_failing_(reason);
  wire::FailingT message;
  message.reason = reason;
  if (const auto& stream = streams_[static_cast<size_t>(rank)]) tell(*stream, std::move(message));
}

void Chief::lost(int rank, const std::vector<int32_t>& ranks) {
  if (rank == 0) {
    lost_ = ranks;
    return changed_.notify_all();
  }
  wire::LostT message;
  message.ranks = ranks;
  if (const auto& stream = streams_[static_cast<size_t>(rank)]) tell(*stream, std::move(message));
}

void Chief::dismiss(int rank, const std::string& reason) {
  const auto stream = std::exchange(streams_[static_cast<size_t>(rank)], nullptr);
  if (stream == nullptr) return;
  wire::RefusalT message;
  message.code = PERCALE_UNAVAILABLE;
  message.message = reason;
  tell(*stream, std::move(message));
  stream->close();
}

}  // namespace percale::remote
