#include "devices/remote/device/session.h"

#include <new>
#include <utility>

namespace percale::remote {
namespace {

constexpr std::chrono::seconds kFarewell(1);

}  // namespace

bool Session::open(const OpenStream& open_stream, wire::OpenT request, Clock::time_point deadline) {
  outlet_.attach([&] { return open_stream(kDevicePurpose, shared_from_this()); });
  outlet_.send(std::move(request));
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return welcome_ || refused_ || has_ended_; });
  if (refused_) throw *refused_;
  if (welcome_) return true;
  if (!has_ended_) reason_ = "it does not answer within the time limit";
  lock.unlock();
  outlet_.stream()->abort();
  return false;
}

std::string Session::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

Frame Session::call(const std::function<void(Outlet& outlet)>& send) {
  const std::lock_guard one_call(calling_);
  {
    const std::lock_guard lock(mutex_);
    answer_.reset();
  }
  if (is_lost_) throw failure();
  try {
    send(outlet_);
  } catch (...) {
    lose("this process has no memory for a call, of which a part is sent");
    throw;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return answer_ || has_ended_; });
  if (answer_) return *std::exchange(answer_, std::nullopt);
  lock.unlock();
  throw failure();
}

void Session::leave() noexcept {
  try {
    tell(wire::LeaveT());
  } catch (const std::bad_alloc&) {  // the process finds this one gone
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kFarewell, [this] { return has_ended_; });
}

void Session::add_stream(std::weak_ptr<DeviceStream> stream) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(streams_, [](const std::weak_ptr<DeviceStream>& one) { return one.expired(); });
    if (!has_ended_) return streams_.push_back(std::move(stream));
  }
  throw failure();
}

void Session::lose(const std::string& reason) noexcept {
  set_lost(reason);
  outlet_.stream()->abort();  // on_closed() tells the rest
}

void Session::set_lost(const std::string& reason) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (reason_.empty()) reason_ = reason.empty() ? "it has ended the connection" : reason;
  } catch (const std::bad_alloc&) {  // then there is no reason
  }
  is_lost_ = true;
}

plugin::Failure Session::failure() const {
  return {PERCALE_UNAVAILABLE, name_ + " is lost: " + reason() + "; open it again once the process answers", true};
}

void Session::beat(Clock::time_point now, bool excused) {
  if (excused) hear();
  if (is_lost_) return;
  outlet_.send(wire::BeatT());
  std::vector<std::weak_ptr<DeviceStream>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  for (const auto& one : streams) {
    if (const auto stream = one.lock()) stream->beat(now, excused);
  }
  if (now.time_since_epoch().count() - heard_ > std::chrono::duration_cast<Clock::duration>(kSilence).count()) {
    lose("nothing was heard of it for " + std::to_string(kSilence.count()) + " ms");
  }
}

void Session::on_message(Message message) {
  hear();
  take(outlet_.take(std::move(message)));
  outlet_.stream()->read_next();
}

void Session::take(Frame frame) {
  if (!frame.is_good()) return lose(kHarmed);
  if (frame.as<wire::Beat>() != nullptr) return;
  const wire::Refusal* const refusal = frame.as<wire::Refusal>();
  if (refusal != nullptr && welcome_) return lose(text_of(refusal->message()));
  const std::lock_guard lock(mutex_);
  if (refusal != nullptr) {
    refused_.emplace(error_of(refusal->code()), name_ + " is refused to this process: " + text_of(refusal->message()));
  } else {
    (welcome_ ? answer_ : welcome_).emplace(std::move(frame));
  }
  changed_.notify_all();
}

void Session::on_closed(const std::string& reason) {
  outlet_.on_closed();
  set_lost(reason);
  std::vector<std::weak_ptr<DeviceStream>> left;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    left.swap(streams_);
    changed_.notify_all();
  }
  for (const auto& one : left) {
    if (const auto stream = one.lock()) stream->abort();
  }
}

}  // namespace percale::remote
