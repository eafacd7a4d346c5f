// A stream of commands: copies and runs, one after the other.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_QUEUE_HANDLER_H_
#define PERCALE_DEVICES_REMOTE_SERVE_QUEUE_HANDLER_H_

#include <memory>
#include <vector>

#include "devices/remote/net/pulse.h"
#include "devices/remote/serve/clients.h"
#include "devices/remote/serve/handler.h"

namespace percale::remote {

class QueueHandler final : public Handler {
 public:
  QueueHandler(std::shared_ptr<Clients> clients, Outlet& outlet) : clients_(std::move(clients)), outlet_(outlet) {}
  ~QueueHandler() override;

  void on_message(Message message) override;
  std::chrono::milliseconds beat_pause() const override { return kStreamBeatPause; }

 private:
  void open(const Frame& frame);
  void mark(const wire::Mark& mark);
  // False: the message is no command.
  bool run(Frame& frame);
  void write(uint64_t address, Frame& frame);
  void read(uint64_t address, uint64_t bytes);
  void execute(const wire::Execute& command);

  const std::shared_ptr<Clients> clients_;
  Outlet& outlet_;
  std::shared_ptr<Client> client_;  // null until it is open
  // The first error, for which the commands behind it are skipped until a mark forgets it.
  Outcome error_;
  std::vector<std::byte> buffer_;  // at most kMaxRawBytes
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_QUEUE_HANDLER_H_
