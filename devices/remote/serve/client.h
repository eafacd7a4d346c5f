// A client of this process: what it has on the device that it has opened.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_CLIENT_H_
#define PERCALE_DEVICES_REMOTE_SERVE_CLIENT_H_

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "devices/remote/net/stream.h"
#include "devices/remote/serve/client_memory.h"
#include "devices/remote/serve/limits.h"

namespace percale::remote {

// Owned by the streams of the client, so that its memory and executables last until their commands
// are done. Thread-safe. Functions throw Failure.
class Client {
 public:
  // `memory_limit`: see ClientMemory.
  Client(const ServedDevice& device, const Limits& limits, uint64_t memory_limit)
      : device_(device), limits_(limits), memory_(device, memory_limit, limits.blocks) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const ServedDevice& device() const { return device_; }
  ClientMemory& memory() { return memory_; }

  struct Compiled {
    uint64_t number;
    size_t inputs, outputs;
  };
  Compiled compile(std::span<const std::byte> graph);
  void discard(uint64_t executable);
  // Runs an executable, after a check of its operands, which are addresses.
  void execute(uint64_t executable, std::span<const uint64_t> inputs, std::span<const uint64_t> outputs) const;

  // A stream of the client, its first one or one for commands, ends when end() is called.
  void enter(const std::shared_ptr<Stream>& stream);
  void leave(const Stream* stream);
  // Ends all streams of the client, now and in the future.
  void end();

 private:
  class Executable;

  const ServedDevice& device_;
  const Limits& limits_;
  ClientMemory memory_;
  mutable std::mutex mutex_;  // guards what follows
  uint64_t next_ = 1;
  std::map<uint64_t, std::shared_ptr<const Executable>> executables_;
  std::map<const Stream*, std::shared_ptr<Stream>> streams_;
  bool has_ended_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_CLIENT_H_
