// Limits of a process that serves devices. A client that exceeds one gets RESOURCE_EXHAUSTED.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_LIMITS_H_
#define PERCALE_DEVICES_REMOTE_SERVE_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace percale::remote {

struct Limits {
  size_t streams = 4096;  // of all clients; each has a thread
  size_t clients = 256;
  size_t queues = 1024;  // of one client, as are all that follow
  size_t blocks = size_t{1} << 20;
  size_t executables = size_t{1} << 14;
  uint64_t graph_bytes = uint64_t{1} << 30;      // of one compile
  uint64_t all_graph_bytes = uint64_t{4} << 30;  // of graphs on their way, of all clients
  // A client that is not heard of for so long is dropped. It gives a silent server up before.
  std::chrono::milliseconds silence{10'000};
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_LIMITS_H_
