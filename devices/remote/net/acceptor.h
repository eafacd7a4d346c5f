// Accepts connections at an address, and never more at once than a process can bear. gRPC hands
// its servers no such limit, and its listener stops for good when the process has no handle left.
#ifndef PERCALE_DEVICES_REMOTE_NET_ACCEPTOR_H_
#define PERCALE_DEVICES_REMOTE_NET_ACCEPTOR_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace percale::remote {

// A file descriptor that is closed with this object.
class Handle {
 public:
  explicit Handle(int fd = -1) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle();
  int fd() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// Connections that come while others fill the limit wait in the queue of the kernel.
class Acceptor {
 public:
  // Takes ownership of a connected socket, which does not block. Must not throw.
  using Take = std::function<void(int fd)>;

  // Throws Failure, UNAVAILABLE if the address is taken. Port 0: any free one.
  explicit Acceptor(const std::string& address);
  ~Acceptor();
  // Accepts from now on, in a thread of its own. Called once.
  void start(Take take);
  int port() const { return port_; }  // 0: a Unix socket

 private:
  void listen_at_path(const std::string& address);
  void listen_at_port(const std::string& address);
  int listen_at_host(const std::string& host);
  void work();
  void accept_one(int listener);
  bool is_full();

  Take take_;
  std::vector<Handle> listeners_;
  std::string path_;  // of a Unix socket
  int port_ = 0;
  size_t limit_;
  // Inode numbers by file descriptor, of the sockets that were handed on. An entry whose descriptor
  // now has another inode, or none, is a connection that has ended.
  std::unordered_map<int, ino_t> taken_;
  Handle wake_;  // readable when the thread must end
  std::thread thread_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_ACCEPTOR_H_
