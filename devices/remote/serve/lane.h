// A stream of a client and the thread that handles its messages.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_LANE_H_
#define PERCALE_DEVICES_REMOTE_SERVE_LANE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "devices/remote/net/pulse.h"
#include "devices/remote/serve/handler.h"

namespace percale::remote {

// The next message is asked for when the last one was handled, so that a client that sends faster
// is held back by the stream and not by memory of this process.
class Lane final : public StreamEvents {
 public:
  using MakeHandler = std::function<std::unique_ptr<Handler>(Outlet& outlet)>;
  Lane(const std::shared_ptr<Stream>& stream, Checksum checksum, const MakeHandler& make_handler);
  ~Lane() override { join(); }

  void on_message(Message message) override;
  void on_sent() override { outlet_.on_sent(); }
  void on_closed(const std::string& reason) override;

  // Sends a heartbeat if one is due. Ends the stream of a client that was silent for longer than
  // `silence`. `excused`: this process may have missed its
  // messages.
  void beat(Clock::time_point now, std::chrono::milliseconds silence, bool excused);
  void abort() { outlet_.stream()->abort(); }
  // Waits for the thread, which ends after the stream and the command under way. One caller at a
  // time.
  void join();
  // True if join() need not wait.
  bool has_ended() const;

 private:
  void work();
  // Not set: the stream has ended.
  std::optional<Message> next();
  void handle(Message message);

  Outlet outlet_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::unique_ptr<Handler> handler_;  // null after the end. Only the thread calls on_message().
  std::optional<Message> message_;    // has arrived, and waits
  bool is_waiting_ = true;            // for a message of the client
  Clock::time_point waits_since_ = Clock::now();
  Clock::time_point beaten_{};
  bool is_closed_ = false, has_ended_ = false;
  std::thread thread_;  // declared last, so that it finds the rest
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_LANE_H_
