// A stream of a remote device: commands that its process executes in order.
#ifndef PERCALE_DEVICES_REMOTE_DEVICE_QUEUE_H_
#define PERCALE_DEVICES_REMOTE_DEVICE_QUEUE_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "devices/remote/device/session.h"

namespace percale::remote {

// One caller at a time. Functions throw Failure. An error of a command skips those behind it until
// synchronize(), which throws it. If this stream breaks, the device is lost.
class Queue final : public StreamEvents, public DeviceStream, public std::enable_shared_from_this<Queue> {
 public:
  Queue(std::shared_ptr<Session> session, Checksum checksum) : session_(std::move(session)), outlet_(checksum) {}

  // Opens the stream and waits until the process has taken it. `secret`: see Opened.
  void open(const OpenStream& open_stream, uint64_t secret);
  // Commands. `from` is not needed after the return, `to` until the next mark is reached.
  void write(uint64_t address, const void* from, uint64_t bytes);
  void read(void* to, uint64_t address, uint64_t bytes);
  void execute(uint64_t executable, std::span<void* const> inputs, std::span<void* const> outputs);
  using Reached = void (*)(void* event, uint64_t value, percale_code code);
  void signal(Reached reached, void* event, uint64_t value);
  void synchronize();
  // There are no more commands.
  void close();

  void beat(Clock::time_point now, bool excused) override;
  void abort() override { outlet_.stream()->abort(); }

  void on_message(Message message) override;
  void on_sent() override { outlet_.on_sent(); }
  void on_closed(const std::string& reason) override;

 private:
  // An error that marks report; code 0: none.
  struct Error {
    percale_code code = PERCALE_OK;
    std::string message;
  };
  // A command that is answered: a read, if `to` is set, or a mark.
  struct Pending {
    std::byte* to = nullptr;
    uint64_t left = 0;
    bool forgets_error = false;
    // Must not throw. The message is empty if the device is lost.
    std::function<void(Error error)> mark;
  };

  // Throws if the device is lost.
  void wait_for_room();
  template <class T>
  void ask(Pending pending, T command);
  // False: the message is not what the commands ask for.
  bool take(Frame& frame);
  bool take_data(Frame& frame);
  bool take_done(const wire::Done& done);

  const std::shared_ptr<Session> session_;
  Outlet outlet_;
  Clock::time_point beaten_{};                          // only for beat()
  std::atomic<Clock::time_point> heard_{Clock::now()};  // when the last message came
  std::mutex mutex_;                                    // guards what follows
  std::condition_variable changed_;
  std::list<Pending> pending_;  // grows at its end; events alone change and remove the first one
  std::optional<plugin::Failure> refused_;
  bool is_open_ = false, is_closing_ = false, has_ended_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_DEVICE_QUEUE_H_
