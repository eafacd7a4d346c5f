#include "devices/remote/group/member.h"

#include <algorithm>
#include <utility>

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

Member::Member(Application application, std::string chief, Open open, std::shared_ptr<Exchange> exchange)
    : application_(std::move(application)),
      chief_(std::move(chief)),
      open_(std::move(open)),
      exchange_(std::move(exchange)) {}

Member::~Member() {
  pulse_.reset();
  if (stream_ != nullptr) stream_->abort();
}

Roll Member::join(Clock::time_point deadline) {
  Backoff backoff;
  while (!try_to_join(deadline)) {
    if (backoff.wait(deadline)) continue;
    const std::lock_guard lock(mutex_);
    throw plugin::Failure(PERCALE_UNAVAILABLE, "the chief at " + chief_ + " is not reached: " + closed_);
  }
  const std::lock_guard lock(mutex_);
  beaten_ = Clock::now();
  pulse_.emplace(kBeatPause, [this](Clock::time_point now, bool excused) { beat(now, excused); });
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
  const auto stream = open_(std::make_shared<Line>(weak_from_this()));
  stream_ = stream;
  tell(*stream, std::move(hello));
  changed_.wait_until(lock, deadline, [&] { return roll_ || ended_ || stream_ == nullptr; });
  if (ended_) throw *ended_;
  if (roll_) return true;
  if (stream_ != nullptr) closed_ = "it does not answer within the time limit, or other ranks are missing";
  stream_ = nullptr;
  lock.unlock();
  stream->abort();
  return false;
}

// The next message comes when this one has had its effect on the exchange.
void Member::on_message(const wire::BodyUnion& body) {
  if (const wire::LostT* message = body.AsLost()) on_lost(*message);
  if (const std::string reason = take(body); !reason.empty()) exchange_->fail(reason);
  const std::lock_guard lock(mutex_);
  if (stream_ != nullptr) stream_->read_next();
}

std::string Member::take(const wire::BodyUnion& body) {
  const std::lock_guard lock(mutex_);
  heard_ = Clock::now();
  changed_.notify_all();
  if (const wire::RefusalT* refusal = body.AsRefusal()) return refused(*refusal);
  if (const wire::FailingT* failing = body.AsFailing()) return failing->reason;
  if (body.AsLeave() != nullptr) is_leaving_ = true;  // its end is no loss
  const wire::WelcomeT* welcome = body.AsWelcome();
  if (welcome == nullptr || roll_) return "";
  if (welcome->addresses.size() == static_cast<size_t>(application_.size)) {
    roll_ = Roll{welcome->generation, welcome->addresses};
  } else {
    end(PERCALE_INTERNAL, "the chief at " + chief_ + " knows " + std::to_string(welcome->addresses.size()) +
                              " addresses, wanted " + std::to_string(application_.size));
  }
  return "";
}

void Member::on_lost(const wire::LostT& message) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_asking_) return;
  }
  const auto exist = [&](const std::vector<int32_t>& ranks) {
    return std::ranges::all_of(ranks, [&](int32_t rank) { return rank >= 0 && rank < application_.size; });
  };
  const bool good = exist(message.ranks) && exist(message.again);
  if (good) exchange_->go_on(message.ranks, message.again);
  const std::lock_guard lock(mutex_);
  is_asking_ = false;
  if (good) lost_ = message.ranks;
  if (!good) end(PERCALE_INTERNAL, "the chief at " + chief_ + " has lost ranks that do not exist");
  changed_.notify_all();
}

std::string Member::refused(const wire::RefusalT& refusal) {
  const std::string reason = roll_ ? "this process is no longer one of the group: " + refusal.message +
                                         "; restart the training from its last checkpoint"
                                   : refusal.message;
  end(roll_ ? PERCALE_ABORTED : error_of(refusal.code), reason);
  return reason;
}

void Member::on_closed(const std::string& reason) {
  std::string failing;
  {
    const std::lock_guard lock(mutex_);
    stream_ = nullptr;
    changed_.notify_all();
    closed_ = reason.empty() ? "it has ended the connection" : reason;
    if (const auto stopped = std::max(standstill(), stopped_); stopped > stopped.zero()) {
      closed_ += "; this process did not run for " + std::to_string(stopped.count()) + " ms, and was given up";
    }
    if (is_silent_) closed_ = "nothing was heard of it for " + std::to_string(kSilence.count()) + " ms";
    if (roll_ && !is_leaving_) failing = "the chief at " + chief_ + " is lost: " + closed_;
    if (roll_) end(PERCALE_UNAVAILABLE, "the chief at " + chief_ + " is lost: " + closed_);
  }
  if (!failing.empty()) exchange_->fail(failing);
}

void Member::end(percale_code code, const std::string& reason) {
  if (!ended_) ended_.emplace(code, reason);
}

void Member::beat(Clock::time_point now, bool excused) {
  std::shared_ptr<Stream> silent;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = standstill();
    beaten_ = now;
    exchange_->beat(now, excused);
    if (stream_ == nullptr) return;
    if (excused) {
      // The chief's last words may not be read yet. A write to one that has gone would lose them.
      heard_ = now;
      return;
    }
    tell(*stream_, wire::BeatT());
    if (now - heard_ > kSilence) silent = stream_;
    is_silent_ = silent != nullptr;
  }
  if (silent != nullptr) silent->abort();  // on_closed() tells the rest
}

std::chrono::milliseconds Member::standstill() const {
  if (beaten_ == Clock::time_point()) return {};
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - beaten_);
  return pause > kSilence ? pause : pause.zero();
}

std::vector<int32_t> Member::lost(const LinkReport& report) {
  std::unique_lock lock(mutex_);
  lost_.reset();
  is_asking_ = true;
  wire::FailedT message;
  message.harmed = report.harmed;
  message.unreached = report.unreached;
  message.stuck = report.is_stuck;
  if (stream_ != nullptr) tell(*stream_, std::move(message));
  changed_.wait(lock, [&] { return lost_ || ended_; });
  if (ended_) throw *ended_;
  return *lost_;
}

void Member::leave() {
  pulse_.reset();
  std::unique_lock lock(mutex_);
  is_leaving_ = true;
  if (stream_ == nullptr) return;
  tell(*stream_, wire::LeaveT());
  stream_->close();
  changed_.wait_for(lock, kControlFarewell, [&] { return stream_ == nullptr; });
}

}  // namespace percale::remote
