// Credentials of streams: certificates of a private cluster. Without them, streams stay within
// this machine.
#ifndef PERCALE_DEVICES_REMOTE_NET_CREDENTIALS_H_
#define PERCALE_DEVICES_REMOTE_NET_CREDENTIALS_H_

#include <string>
#include <string_view>

namespace percale::remote {

// The files of a folder of certificates, and the name in each certificate, whatever the machine.
inline constexpr const char* kAuthorityFile = "ca.pem";
inline constexpr const char* kCertificateFile = "node.pem";
inline constexpr const char* kKeyFile = "node.key";
inline constexpr const char* kCertificateName = "percale";

// PEM texts. Without them, messages are neither encrypted nor authenticated.
struct Credentials {
  std::string authority, certificate, key;
  bool secure() const { return !authority.empty(); }
};

// Reads the folder; "" makes credentials that are not secure. Throws Failure that names the file.
Credentials read_credentials(const std::string& folder);

// True for addresses that only processes of this machine reach: "localhost:PORT", "127.0.0.1:PORT",
// "[::1]:PORT", "unix:PATH".
bool is_local(std::string_view address);
// Throws Failure unless the credentials are secure or the address is local.
void check_may_reach(const Credentials& credentials, const std::string& address);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_CREDENTIALS_H_
