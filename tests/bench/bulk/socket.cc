#include "tests/bench/bulk/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace percale::bench {
namespace {

struct Address {
  explicit Address(const std::string& text) {
    if (text.starts_with("unix:")) {
      unix_address.sun_family = AF_UNIX;
      std::strncpy(unix_address.sun_path, text.c_str() + 5, sizeof unix_address.sun_path - 1);
      return;
    }
    is_unix = false;
    tcp_address.sin_family = AF_INET;
    tcp_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    tcp_address.sin_port = htons(static_cast<uint16_t>(std::atoi(text.c_str() + text.rfind(':') + 1)));
  }
  int make_socket() const {
    const int out = ::socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    if (!is_unix) setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (!is_unix) setsockopt(out, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return out;
  }
  const sockaddr* data() const {
    return is_unix ? reinterpret_cast<const sockaddr*>(&unix_address) : reinterpret_cast<const sockaddr*>(&tcp_address);
  }
  socklen_t size() const { return is_unix ? sizeof unix_address : sizeof tcp_address; }

  sockaddr_un unix_address{};
  sockaddr_in tcp_address{};
  bool is_unix = true;
};

}  // namespace

void fail(const std::string& what) {
  std::fprintf(stderr, "bulk: %s (%s)\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

struct Socket::Tls {
  SSL_CTX* context;
  SSL* session;
};

Socket::Socket(int handle, const std::string& certificates, bool is_server) : handle_(handle) {
  if (certificates.empty()) return;
  tls_ = new Tls{SSL_CTX_new(TLS_method()), nullptr};
  SSL_CTX* const context = tls_->context;
  const std::string own = certificates + "/node.pem", key = certificates + "/node.key", all = certificates + "/ca.pem";
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (SSL_CTX_use_certificate_chain_file(context, own.c_str()) != 1 ||
      SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_load_verify_locations(context, all.c_str(), nullptr) != 1) {
    fail("the certificates in " + certificates + " cannot be used");
  }
  tls_->session = SSL_new(context);
  SSL_set_fd(tls_->session, handle);
  if ((is_server ? SSL_accept(tls_->session) : SSL_connect(tls_->session)) != 1) fail("the TLS handshake has failed");
}

Socket::Socket(Socket&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)), tls_(std::exchange(other.tls_, nullptr)) {}

Socket::~Socket() {
  if (tls_ != nullptr) {
    SSL_free(tls_->session);
    SSL_CTX_free(tls_->context);
    delete tls_;
  }
  if (handle_ >= 0) close(handle_);
}

Socket Socket::listen(const std::string& address, const std::string& certificates) {
  const Address at(address);
  const int listening = at.make_socket();
  if (bind(listening, at.data(), at.size()) != 0 || ::listen(listening, 1) != 0) fail("cannot listen at " + address);
  const int handle = accept(listening, nullptr, nullptr);
  close(listening);
  return {handle, certificates, true};
}

Socket Socket::connect(const std::string& address, const std::string& certificates) {
  const Address at(address);
  for (int attempt = 0; attempt < 500; ++attempt) {
    const int handle = at.make_socket();
    if (::connect(handle, at.data(), at.size()) == 0) return {handle, certificates, false};
    close(handle);
    usleep(10'000);
  }
  fail("nothing answers at " + address);
}

void Socket::send(const void* from, size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const auto part = tls_ != nullptr ? static_cast<ssize_t>(SSL_write(tls_->session, at, static_cast<int>(bytes)))
                                      : write(handle_, at, bytes);
    if (part <= 0) fail("the connection has broken");
    at += part;
    bytes -= static_cast<size_t>(part);
  }
}

void Socket::receive(void* to, size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const auto part = tls_ != nullptr ? static_cast<ssize_t>(SSL_read(tls_->session, at, static_cast<int>(bytes)))
                                      : read(handle_, at, bytes);
    if (part <= 0) fail("the connection has broken");
    at += part;
    bytes -= static_cast<size_t>(part);
  }
}

}  // namespace percale::bench
