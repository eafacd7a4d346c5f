// Texts of addresses: "host:port", "[::1]:port", "unix:path".
#ifndef PERCALE_DEVICES_REMOTE_NET_ADDRESS_H_
#define PERCALE_DEVICES_REMOTE_NET_ADDRESS_H_

#include <string>
#include <string_view>

namespace percale::remote {

// The host of a stream's peer: "10.0.0.2" of "ipv4:10.0.0.2:4711", "[fe80::1]" of
// "ipv6:%5Bfe80::1%5D:4711". All ways within this machine are "127.0.0.1".
std::string host_of_peer(std::string_view peer);
std::string join_address(std::string_view host, int port);
// "host" of "host:port".
std::string_view host_of(std::string_view address);
// 0: there is none.
int port_of(std::string_view address);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_ADDRESS_H_
