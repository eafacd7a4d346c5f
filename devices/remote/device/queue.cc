#include "devices/remote/device/queue.h"

#include <algorithm>
#include <new>
#include <utility>

namespace percale::remote {

void Queue::open(const OpenStream& open_stream, uint64_t secret) {
  outlet_.attach([&] { return open_stream(kQueuePurpose, shared_from_this()); });
  wire::OpenQueueT request;
  request.client = secret;
  outlet_.send(std::move(request));
  // Heartbeats begin here, and the request must be the first message.
  session_->add_stream(weak_from_this());
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_open_ || has_ended_; });
  if (is_open_) return;
  if (refused_) throw *refused_;
  throw session_->failure();
}

void Queue::wait_for_room() {
  if (!outlet_.wait_for_room() || session_->is_lost()) throw session_->failure();
}

// Sends a command that will be answered.
template <class T>
void Queue::ask(Pending pending, T command) {
  wait_for_room();
  std::list<Pending> one;
  one.push_back(std::move(pending));
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) throw session_->failure();
    pending_.splice(pending_.end(), one);
  }
  try {
    outlet_.send(std::move(command));
  } catch (const std::bad_alloc&) {
    outlet_.stream()->abort();  // its end answers all that is pending
  }
}

void Queue::write(uint64_t address, const void* from, uint64_t bytes) {
  const auto* data = static_cast<const std::byte*>(from);
  for (uint64_t at = 0; at < bytes; at += kMaxRawBytes) {
    wait_for_room();
    wire::WriteT command;
    command.address = address + at;
    outlet_.send(std::move(command), {data + at, static_cast<size_t>(std::min<uint64_t>(kMaxRawBytes, bytes - at))});
  }
}

void Queue::read(void* to, uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  wire::ReadT command;
  command.address = address;
  command.bytes = bytes;
  ask({static_cast<std::byte*>(to), bytes, false, {}}, std::move(command));
}

void Queue::execute(uint64_t executable, std::span<void* const> inputs, std::span<void* const> outputs) {
  wire::ExecuteT command;
  command.executable = executable;
  for (void* const one : inputs) command.inputs.push_back(reinterpret_cast<uintptr_t>(one));
  for (void* const one : outputs) command.outputs.push_back(reinterpret_cast<uintptr_t>(one));
  wait_for_room();
  outlet_.send(std::move(command));
}

void Queue::signal(Reached reached, void* event, uint64_t value) {
  ask({nullptr, 0, false, [=](const Error& error) { reached(event, value, error.code); }}, wire::MarkT());
}

void Queue::synchronize() {
  bool is_reached = false;
  Error result;
  const auto reach = [&](Error error) {
    const std::lock_guard lock(mutex_);
    result = std::move(error);
    is_reached = true;
    changed_.notify_all();
  };
  wire::MarkT command;
  command.forgets_error = true;
  ask({nullptr, 0, true, reach}, std::move(command));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_reached; });
  lock.unlock();
  if (result.code == PERCALE_OK) return;
  if (result.message.empty()) throw session_->failure();
  throw plugin::Failure(result.code, session_->name() + ": " + result.message);
}

void Queue::close() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  outlet_.stream()->close();
}

void Queue::beat(Clock::time_point now, bool excused) {
  if (excused) heard_ = now;
  if (now - heard_.load() > kStreamSilence) {
    session_->lose("nothing was heard over one of its streams for " + std::to_string(kStreamSilence.count()) + " ms");
  }
  if (now - beaten_ < kStreamBeatPause) return;
  beaten_ = now;
  outlet_.beat();
}

void Queue::on_message(Message message) {
  session_->hear();
  heard_ = Clock::now();
  Frame frame = outlet_.take(std::move(message));
  const bool is_asked = take(frame);
  if (is_asked && !frame.is_harmed()) return outlet_.stream()->read_next();
  session_->lose(frame.is_harmed()
                     ? kHarmed
                     : std::string("it has sent the message ") + frame.name() + ", which no command asks for");
  outlet_.stream()->abort();
}

bool Queue::take(Frame& frame) {
  if (frame.as<wire::Beat>() != nullptr) return true;
  if (const auto* const done = frame.as<wire::Done>()) return take_done(*done);
  if (frame.as<wire::Data>() != nullptr) return take_data(frame);
  const auto* const refusal = frame.as<wire::Refusal>();
  if (refusal == nullptr && frame.as<wire::Answer>() == nullptr) return false;
  const std::lock_guard lock(mutex_);
  if (refusal == nullptr) {
    is_open_ = true;
  } else {
    refused_.emplace(error_of(refusal->code()), session_->name() + " refuses a stream: " + text_of(refusal->message()));
  }
  changed_.notify_all();
  return true;
}

bool Queue::take_data(Frame& frame) {
  const size_t bytes = frame.raw_bytes();
  Pending* first = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!pending_.empty()) first = &pending_.front();
  }
  if (first == nullptr || first->to == nullptr || bytes == 0 || bytes > first->left) return false;
  if (!frame.read_raw(first->to)) return false;
  first->to += bytes;
  first->left -= bytes;
  if (first->left > 0) return true;
  const std::lock_guard lock(mutex_);
  pending_.pop_front();
  return true;
}

// Reads that are still pending were skipped.
bool Queue::take_done(const wire::Done& done) {
  Error error;
  if (done.code() != PERCALE_OK) error = {error_of(done.code()), text_of(done.message())};
  if (error.code != PERCALE_OK && error.message.empty()) error.message = "a command has failed";
  std::list<Pending> reached;
  {
    const std::lock_guard lock(mutex_);
    const auto mark = std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return p.to == nullptr; });
    if (mark == pending_.end() || (mark != pending_.begin() && error.code == PERCALE_OK)) return false;
    pending_.erase(pending_.begin(), mark);
    reached.splice(reached.end(), pending_, mark);
  }
  reached.front().mark(std::move(error));
  return true;
}

void Queue::on_closed(const std::string& reason) {
  outlet_.on_closed();
  std::list<Pending> left;
  bool is_expected = false;
  {
    const std::lock_guard lock(mutex_);
    is_expected = is_closing_ || (refused_ && !is_open_);
  }
  // The device is lost before calls and signals say so.
  if (!is_expected) session_->lose(refused_ ? refused_->what() : reason);
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    left.swap(pending_);
  }
  for (const Pending& one : left) {
    if (one.mark) one.mark({PERCALE_UNAVAILABLE, {}});
  }
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace percale::remote
