#include "devices/remote/net/acceptor.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/net/address.h"

namespace percale::remote {
namespace {

constexpr size_t kMaxConnections = 4096;
constexpr int kPauseMs = 50;  // until the next look for connections that have ended

// Half of the process's handles are left to the host and to calls of this process.
size_t connection_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kMaxConnections;
  return static_cast<size_t>(std::clamp<rlim_t>(files.rlim_cur / 2, 1, kMaxConnections));
}

[[noreturn]] void fail(const std::string& address, const std::string& reason) {
  throw plugin::Failure(
      PERCALE_UNAVAILABLE,
      "cannot listen at " + address + ": another process does, or it is no address of this machine (" + reason + ")");
}

// 0: there is no such file.
ino_t inode_of(int fd) {
  struct stat found {};
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

void set_option(int fd, int level, int name, int value) { setsockopt(fd, level, name, &value, sizeof value); }

// Without a socket errno says why.
Handle listen_at(const sockaddr* address, socklen_t bytes) {
  Handle out(socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (out.fd() < 0) return out;
  if (address->sa_family != AF_UNIX) {
    set_option(out.fd(), SOL_SOCKET, SO_REUSEADDR, 1);
    set_option(out.fd(), IPPROTO_TCP, TCP_NODELAY, 1);  // connections inherit it
  }
  // "::" also takes connections of IPv4; for any other address that changes nothing.
  if (address->sa_family == AF_INET6) set_option(out.fd(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  const bool listens = bind(out.fd(), address, bytes) == 0 && listen(out.fd(), SOMAXCONN) == 0;
  return listens ? std::move(out) : Handle();
}

int port_of_socket(int fd) {
  sockaddr_in6 found{};  // sockaddr_in has its port at the same place
  socklen_t bytes = sizeof found;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&found), &bytes) == 0 ? ntohs(found.sin6_port) : 0;
}

void set_port(sockaddr& address, int port) {
  const uint16_t number = htons(static_cast<uint16_t>(port));
  if (address.sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = number;
  } else {
    reinterpret_cast<sockaddr_in&>(address).sin_port = number;
  }
}

bool is_socket(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode);
}

// "::1" of "[::1]:4711".
std::string host_to_bind(const std::string& address) {
  std::string host(host_of(address));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;
AddressList resolve(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), "0", &wanted, &found);
  return {code == 0 ? found : nullptr, &freeaddrinfo};
}

}  // namespace

Handle::~Handle() {
  if (fd_ >= 0) close(fd_);
}

Acceptor::Acceptor(const std::string& address)
    : limit_(connection_limit()), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_.fd() < 0) fail(address, std::strerror(errno));
  if (address.starts_with("unix:")) {
    listen_at_path(address);
  } else {
    listen_at_port(address);
  }
}

Acceptor::~Acceptor() {
  if (thread_.joinable()) {
    eventfd_write(wake_.fd(), 1);
    thread_.join();
  }
  if (!path_.empty() && is_socket(path_)) unlink(path_.c_str());
}

void Acceptor::listen_at_path(const std::string& address) {
  const std::string path = address.substr(std::strlen("unix:"));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof at.sun_path) fail(address, "its path is empty or too long");
  path.copy(at.sun_path, path.size());
  // A process that was killed has left its socket there.
  if (is_socket(path)) unlink(path.c_str());
  Handle made = listen_at(reinterpret_cast<const sockaddr*>(&at), sizeof at);
  if (made.fd() < 0) fail(address, std::strerror(errno));
  listeners_.push_back(std::move(made));
  path_ = path;
}

void Acceptor::listen_at_port(const std::string& address) {
  const std::string host = host_to_bind(address);
  port_ = port_of(address);
  int reason = EADDRNOTAVAIL;
  // "::" is all addresses of both protocols, if the machine has IPv6.
  if (host == "0.0.0.0") reason = listen_at_host("::");
  if (listeners_.empty()) reason = listen_at_host(host);
  // A name may stand for addresses of a protocol that this machine lacks.
  if (listeners_.empty() || reason == EADDRINUSE) fail(address, std::strerror(reason));
}

// Returns the last error; 0: none.
int Acceptor::listen_at_host(const std::string& host) {
  int reason = 0;
  const AddressList found = resolve(host);
  if (found == nullptr) return EADDRNOTAVAIL;
  for (addrinfo* each = found.get(); each != nullptr && reason != EADDRINUSE; each = each->ai_next) {
    set_port(*each->ai_addr, port_);
    Handle made = listen_at(each->ai_addr, each->ai_addrlen);
    if (made.fd() < 0) {
      reason = errno;
      continue;
    }
    port_ = port_of_socket(made.fd());
    listeners_.push_back(std::move(made));
  }
  return reason;
}

void Acceptor::start(Take take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { work(); });
}

void Acceptor::work() {
  std::vector<pollfd> watched{{wake_.fd(), POLLIN, 0}};
  for (const Handle& each : listeners_) watched.push_back({each.fd(), POLLIN, 0});
  while (true) {
    const bool full = is_full();
    poll(watched.data(), full ? 1 : watched.size(), full ? kPauseMs : -1);
    if (watched.front().revents != 0) return;
    for (size_t i = 1; i < watched.size() && !full; ++i) {
      if (watched[i].revents != 0) accept_one(watched[i].fd);
    }
  }
}

void Acceptor::accept_one(int listener) {
  Handle connection(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection.fd() < 0) {
    // The process has no handle left, or no memory. The host may close some.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      pollfd wake{wake_.fd(), POLLIN, 0};
      poll(&wake, 1, kPauseMs);
    }
    return;
  }
  try {
    taken_[connection.fd()] = inode_of(connection.fd());
  } catch (...) {  // no memory: the peer tries again
    return;
  }
  take_(connection.release());
}

bool Acceptor::is_full() {
  if (taken_.size() < limit_) return false;
  std::erase_if(taken_, [](const auto& entry) { return inode_of(entry.first) != entry.second; });
  return taken_.size() >= limit_;
}

}  // namespace percale::remote
