#include "devices/remote/group/member.h"

#include <algorithm>
#include <utility>

#include "devices/remote/group/roster.h"
#include "devices/remote/net/backoff.h"

namespace percale::remote {

class Member::Line final : public StreamEvents {
 public:
  explicit Line(std::weak_ptr<Member> member) : member_(std::move(member)) {}

  void on_message(Message message) override {
    if (const auto member = member_.lock()) member->on_message(read_control(std::move(message)));
  }
  void on_closed(const std::string& reason) override {
    if (const auto member = member_.lock()) member->on_closed(reason);
  }

 private:
  const std::weak_ptr<Member> member_;
};

Member::Member(Application application, const std::string& chief, const Credentials& credentials, OnFailing on_failing)
    : application_(std::move(application)),
      chief_(chief),
      on_failing_(std::move(on_failing)),
      connection_(chief, credentials) {}

Member::~Member() { pulse_.reset(); }

Roll Member::join(Clock::time_point deadline) {
  Backoff backoff;
  while (!try_to_join(deadline)) {
    if (!backoff.wait(deadline)) {
      throw plugin::Failure(PERCALE_UNAVAILABLE, "the chief at " + chief_ + " is not reached: " + closed_);
    }
  }
  pulse_.emplace(kBeatPause, [this] { beat(); });
  const std::lock_guard lock(mutex_);
  return *roll_;
}

bool Member::try_to_join(Clock::time_point deadline) {
  wire::HelloT hello;
  hello.protocol = kProtocol;
  hello.build = application_.build;
  hello.rank = application_.rank;
  hello.size = application_.size;
  hello.host = application_.address;
  hello.port = application_.port;
  std::unique_lock lock(mutex_);  // so that its end is not told before it is known
  const auto stream = connection_.open(kControlPurpose, std::make_shared<Line>(weak_from_this()));
  stream_ = stream;
  tell(*stream, std::move(hello));
  changed_.wait_until(lock, deadline, [&] { return roll_ || ended_ || stream_ == nullptr; });
  if (ended_) throw *ended_;
  if (roll_) return true;
  if (stream_ != nullptr) closed_ = "the group is not complete within the time limit";
  stream_ = nullptr;
  lock.unlock();
  stream->abort();
  return false;
}

void Member::on_message(const wire::BodyUnion& body) {
  std::string failing;
  {
    const std::lock_guard lock(mutex_);
    heard_ = Clock::now();
    if (const wire::WelcomeT* welcome = body.AsWelcome()) {
      if (welcome->addresses.size() == static_cast<size_t>(application_.size)) {
        roll_ = Roll{welcome->generation, welcome->addresses};
      }
    } else if (const wire::RefusalT* refusal = body.AsRefusal()) {
      failing = refusal->message;
      end(static_cast<percale_code>(refusal->code), failing);
    } else if (const wire::FailingT* message = body.AsFailing()) {
      failing = message->reason;
    } else if (const wire::LostT* message = body.AsLost()) {
      lost_ = message->ranks;
    } else if (body.AsLeave() != nullptr) {
      is_leaving_ = true;  // it has ended its work, and so has this rank, or will fail
    }
    changed_.notify_all();
    if (stream_ != nullptr) stream_->read_next();
  }
  if (!failing.empty()) on_failing_(failing);
}

void Member::on_closed(const std::string& reason) {
  bool fails = false;
  {
    const std::lock_guard lock(mutex_);
    stream_ = nullptr;
    closed_ = is_silent_       ? "nothing was heard of it for " + std::to_string(kSilence.count()) + " ms"
              : reason.empty() ? "it has ended the connection"
                               : reason;
    fails = roll_ && !is_leaving_;
    if (roll_) end(PERCALE_UNAVAILABLE, "the chief at " + chief_ + " is lost: " + closed_);
    changed_.notify_all();
  }
  if (fails) on_failing_("the chief at " + chief_ + " is lost");
}

void Member::end(percale_code code, const std::string& reason) {
  if (!ended_) ended_.emplace(code, reason);
}

void Member::beat() {
  std::shared_ptr<Stream> silent;
  {
    const std::lock_guard lock(mutex_);
    if (stream_ == nullptr) return;
    tell(*stream_, wire::BeatT());
    is_silent_ = Clock::now() - heard_ > kSilence;
    if (is_silent_) silent = stream_;
  }
  if (silent != nullptr) silent->abort();  // on_closed() tells the rest
}

std::vector<int32_t> Member::lost(int broken_peer) {
  std::unique_lock lock(mutex_);
  lost_.reset();
  wire::FailedT message;
  message.peer = broken_peer;
  if (stream_ != nullptr) tell(*stream_, std::move(message));
  changed_.wait(lock, [&] { return lost_ || ended_; });
  if (ended_) throw *ended_;
  return *lost_;
}

void Member::leave() {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
    stream = stream_;
  }
  pulse_.reset();
  if (stream == nullptr) return;
  tell(*stream, wire::LeaveT());
  stream->close();
}

}  // namespace percale::remote
