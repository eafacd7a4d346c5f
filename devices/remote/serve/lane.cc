#include "devices/remote/serve/lane.h"

#include <utility>

namespace percale::remote {

Lane::Lane(const std::shared_ptr<Stream>& stream, Checksum checksum, const MakeHandler& make_handler)
    : outlet_(checksum) {
  outlet_.attach([&] { return stream; });
  handler_ = make_handler(outlet_);
  thread_ = std::thread([this] { work(); });
}

void Lane::join() {
  if (thread_.joinable()) thread_.join();
}

void Lane::on_message(Message message) {
  const std::lock_guard lock(mutex_);
  message_.emplace(std::move(message));
  is_waiting_ = false;
  changed_.notify_all();
}

void Lane::on_closed(const std::string&) {
  outlet_.on_closed();
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

void Lane::work() {
  while (std::optional<Message> message = next()) handle(std::move(*message));
  std::unique_ptr<Handler> last;
  {
    const std::lock_guard lock(mutex_);
    last = std::move(handler_);
  }
  last.reset();  // may free the memory of the client
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
}

std::optional<Message> Lane::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return message_ || is_closed_; });
  if (is_closed_) return std::nullopt;
  return std::exchange(message_, std::nullopt);
}

void Lane::handle(Message message) {
  try {
    // A client that reads no answers is not served on.
    if (outlet_.wait_for_room()) handler_->on_message(std::move(message));
  } catch (...) {  // no memory for an answer, without which the client would wait
    abort();
  }
  {
    const std::lock_guard lock(mutex_);
    is_waiting_ = true;
    waits_since_ = Clock::now();
  }
  outlet_.stream()->read_next();
}

void Lane::beat(Clock::time_point now, std::chrono::milliseconds silence, bool excused) {
  const std::lock_guard lock(mutex_);
  if (handler_ == nullptr) return;
  if (excused) waits_since_ = now;
  if (is_waiting_ && now - waits_since_ > silence) return abort();
  if (now - beaten_ < handler_->beat_pause()) return;
  beaten_ = now;
  outlet_.beat();
}

bool Lane::has_ended() const {
  const std::lock_guard lock(mutex_);
  return has_ended_;
}

}  // namespace percale::remote
