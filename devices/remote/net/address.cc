#include "devices/remote/net/address.h"

#include <charconv>

namespace percale::remote {
namespace {

void replace(std::string& text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

std::string host_of_peer(std::string_view peer) {
  const size_t kind = peer.find(':');
  std::string address(kind == std::string_view::npos ? peer : peer.substr(kind + 1));
  replace(address, "%5B", "[");
  replace(address, "%5D", "]");
  const std::string_view host = host_of(address);
  return peer.starts_with("unix:") || host == "[::1]" ? "127.0.0.1" : std::string(host);
}

std::string join_address(std::string_view host, int port) { return std::string(host) + ":" + std::to_string(port); }

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

int port_of(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view text = address.substr(colon + 1);
  int port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port;
}

}  // namespace percale::remote
