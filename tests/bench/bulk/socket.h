// One direction of bytes between two processes over a stream socket, in plain text or by TLS: what
// the machine can do without Percale.
#ifndef PERCALE_TESTS_BENCH_BULK_SOCKET_H_
#define PERCALE_TESTS_BENCH_BULK_SOCKET_H_

#include <cstddef>
#include <string>

namespace percale::bench {

// One end. Plain text if `certificates` is empty; else the folder of a cluster. Errors end the
// program.
class Socket {
 public:
  static Socket listen(const std::string& address, const std::string& certificates);
  static Socket connect(const std::string& address, const std::string& certificates);
  Socket(Socket&& other) noexcept;
  ~Socket();

  // All of these bytes.
  void send(const void* from, size_t bytes);
  void receive(void* to, size_t bytes);

 private:
  Socket(int handle, const std::string& certificates, bool is_server);

  int handle_;
  struct Tls;
  Tls* tls_ = nullptr;
};

[[noreturn]] void fail(const std::string& what);

}  // namespace percale::bench

#endif  // PERCALE_TESTS_BENCH_BULK_SOCKET_H_
