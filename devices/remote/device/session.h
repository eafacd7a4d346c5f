// The first stream to a process that serves devices: it opens one, and carries its calls.
#ifndef PERCALE_DEVICES_REMOTE_DEVICE_SESSION_H_
#define PERCALE_DEVICES_REMOTE_DEVICE_SESSION_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/frame/outlet.h"
#include "devices/remote/net/pulse.h"

namespace percale::remote {

// Opens a stream to the process, see Connection::open(). Calls no event itself.
using OpenStream =
    std::function<std::shared_ptr<Stream>(const std::string& purpose, std::shared_ptr<StreamEvents> events)>;

// A further stream of a device.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  // See Session::beat().
  virtual void beat(Clock::time_point now, bool excused) = 0;
  virtual void abort() = 0;
};

// Thread-safe. Functions throw Failure.
class Session final : public StreamEvents, public std::enable_shared_from_this<Session> {
 public:
  // `name`: of the device and its process, for errors.
  Session(std::string name, Checksum checksum) : name_(std::move(name)), outlet_(checksum) {}

  // Opens the stream and waits for the answer, which welcome() returns. False: the process was not
  // reached, and reason() says why. Throws if the process refuses the request.
  bool open(const OpenStream& open_stream, wire::OpenT request, Clock::time_point deadline);
  const Frame& welcome() const { return *welcome_; }
  std::string reason() const;

  // Sends a call by `send(outlet)` and waits for its answer. One call at a time is under way.
  Frame call(const std::function<void(Outlet& outlet)>& send);
  // Sends a message that is not answered.
  template <class T>
  void tell(T message) {
    if (outlet_.wait_for_room()) outlet_.send(std::move(message));
  }

  // Leaves the process, and waits a moment until it has closed the stream.
  void leave() noexcept;

  // The stream ends with this session. Throws if it has ended already.
  void add_stream(std::weak_ptr<DeviceStream> stream);

  // The device is lost: this session and all of its streams end. Never throws.
  void lose(const std::string& reason) noexcept;
  bool is_lost() const { return is_lost_; }
  // The error of all calls after that.
  plugin::Failure failure() const;
  const std::string& name() const { return name_; }

  // A message has arrived, on this stream or on another one of the device.
  void hear() { heard_ = Clock::now().time_since_epoch().count(); }
  // Sends heartbeats on all streams, and loses a device that is silent on one. `excused`: this
  // process may have missed its messages.
  void beat(Clock::time_point now, bool excused);

  void on_message(Message message) override;
  void on_sent() override { outlet_.on_sent(); }
  void on_closed(const std::string& reason) override;

 private:
  void take(Frame frame);
  // The first reason counts.
  void set_lost(const std::string& reason) noexcept;

  const std::string name_;
  Outlet outlet_;
  std::atomic<bool> is_lost_{false};
  std::atomic<Clock::rep> heard_{0};
  std::mutex calling_;        // held during a call
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<Frame> welcome_, answer_;
  std::optional<plugin::Failure> refused_;
  std::string reason_;  // of the loss, or of the end
  bool has_ended_ = false;
  std::vector<std::weak_ptr<DeviceStream>> streams_;  // of the device, that end with this one
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_DEVICE_SESSION_H_
