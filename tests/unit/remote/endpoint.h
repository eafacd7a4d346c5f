// Both ends of streams over loopback, which write down what happens to them.
#ifndef PERCALE_TESTS_UNIT_REMOTE_ENDPOINT_H_
#define PERCALE_TESTS_UNIT_REMOTE_ENDPOINT_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/remote/net/stream.h"

namespace percale::remote {

using ByteVector = std::vector<std::byte>;

// Collects messages until the stream is closed.
class Endpoint : public StreamEvents {
 public:
  void attach(const std::shared_ptr<Stream>& stream) {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
    changed_.notify_all();
  }
  void on_message(Message message) override {
    ByteVector bytes(message.left());
    message.read(bytes.data(), bytes.size());
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stream_ != nullptr; });
    const auto stream = stream_;
    messages_.push_back(std::move(bytes));
    changed_.notify_all();
    lock.unlock();
    stream->read_next();
  }
  void on_closed(const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    ++closings_;
    reason_ = reason;
    changed_.notify_all();
  }

  ByteVector message(size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return messages_.size() > number; });
    return messages_[number];
  }
  // Waits for the end, and returns its reason.
  std::string reason() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closings_ > 0; });
    return reason_;
  }
  int closings() {
    const std::lock_guard lock(mutex_);
    return closings_;
  }
  // Lives on after the stream has ended.
  std::shared_ptr<Stream> stream() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stream_ != nullptr; });
    return stream_;
  }
  void forget_stream() {
    const std::lock_guard lock(mutex_);
    stream_ = nullptr;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Stream> stream_;
  std::vector<ByteVector> messages_;
  int closings_ = 0;
  std::string reason_;
};

// A process that listens at a free port of this machine, and keeps the ends of all streams.
class Endpoints {
 public:
  explicit Endpoints(const Credentials& credentials = {})
      : listener_("127.0.0.1:0", credentials,
                  [this](const std::string& purpose, const std::shared_ptr<Stream>& stream) {
                    return accept(purpose, stream);
                  }) {}
  std::string address() const { return "127.0.0.1:" + std::to_string(listener_.port()); }
  // The end of the stream that was opened as the one of that number.
  std::shared_ptr<Endpoint> end(size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_.size() > number; });
    return ends_[number];
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return ends_.size();
  }

 private:
  std::shared_ptr<StreamEvents> accept(const std::string& purpose, const std::shared_ptr<Stream>& stream) {
    if (purpose != "/test/Collect") return nullptr;
    const auto end = std::make_shared<Endpoint>();
    end->attach(stream);
    const std::lock_guard lock(mutex_);
    ends_.push_back(end);
    changed_.notify_all();
    return end;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Endpoint>> ends_;
  Listener listener_;  // declared last, so that its threads find the rest
};

// A stream of this process to an address.
struct Opened {
  explicit Opened(const std::string& address, const Credentials& credentials = {},
                  const char* purpose = "/test/Collect")
      : connection(address, credentials), stream(connection.open(purpose, end)) {
    end->attach(stream);
  }
  ~Opened() {
    stream->abort();
    end->forget_stream();
  }
  void send(const ByteVector& bytes) { stream->send(bytes, {}); }

  const std::shared_ptr<Endpoint> end = std::make_shared<Endpoint>();
  Connection connection;
  std::shared_ptr<Stream> stream;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_ENDPOINT_H_
