// A client's first stream: it opens a device, allocates and compiles.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_DEVICE_HANDLER_H_
#define PERCALE_DEVICES_REMOTE_SERVE_DEVICE_HANDLER_H_

#include <memory>
#include <vector>

#include "devices/remote/serve/clients.h"
#include "devices/remote/serve/handler.h"

namespace percale::remote {

class DeviceHandler final : public Handler {
 public:
  DeviceHandler(std::shared_ptr<Clients> clients, Outlet& outlet) : clients_(std::move(clients)), outlet_(outlet) {}
  // The client ends with this stream.
  ~DeviceHandler() override;

  void on_message(Message message) override;
  std::chrono::milliseconds beat_pause() const override { return {}; }  // at each beat

 private:
  void open(const wire::Open& open);
  void call(Frame& frame);
  void allocate(uint64_t bytes);
  void upload(Frame& frame);
  void compile();

  const std::shared_ptr<Clients> clients_;
  Outlet& outlet_;
  std::shared_ptr<Client> client_;  // null until it has opened a device
  uint64_t secret_ = 0;
  bool has_left_ = false;         // in order
  std::vector<std::byte> graph_;  // what was uploaded
  Outcome upload_;                // the first error of the upload
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_DEVICE_HANDLER_H_
