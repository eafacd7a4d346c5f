// A stream of commands: copies and runs, one after the other.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_QUEUE_HANDLER_H_
#define PERCALE_DEVICES_REMOTE_SERVE_QUEUE_HANDLER_H_

#include <atomic>
#include <memory>
#include <vector>

#include "devices/remote/serve/clients.h"
#include "devices/remote/serve/handler.h"

namespace percale::remote {

class QueueHandler final : public Handler {
 public:
  QueueHandler(std::shared_ptr<Clients> clients, Outlet& outlet) : clients_(std::move(clients)), outlet_(outlet) {}
  ~QueueHandler() override;

  void on_message(Message message) override;
  // Once it is open, the client's first stream tells whether the client is there.
  bool wants_beats() const override { return !is_open_; }

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
  std::atomic<bool> is_open_{false};
  // The first error, for which the commands behind it are skipped until a mark forgets it.
  Outcome error_;
  std::vector<std::byte> buffer_;  // at most kMaxRawBytes
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_QUEUE_HANDLER_H_
