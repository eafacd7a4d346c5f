#include "devices/remote/net/credentials.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/net/address.h"

namespace percale::remote {
namespace {

constexpr const char* kRemedy = "`percale-worker --make-certificates DIR` makes one";

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) {
    const char* const reason = errno == 0 ? "it is empty" : std::strerror(errno);
    throw plugin::Failure(PERCALE_NOT_FOUND, "the certificates: " + path + " cannot be read (" + reason +
                                                 "); a folder of certificates has " + kAuthorityFile + ", " +
                                                 kCertificateFile + " and " + kKeyFile + "; " + kRemedy);
  }
  return text.str();
}

// A group may read it: that is how Kubernetes hands a secret to a process.
void check_key_is_private(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) == 0 && (found.st_mode & S_IRWXO) != 0) {
    throw plugin::Failure(PERCALE_FAILED_PRECONDITION, "the certificates: every user may read " + path +
                                                           ", and whoever has it can join; remedy: chmod 600 " + path);
  }
}

}  // namespace

Credentials read_credentials(const std::string& folder) {
  if (folder.empty()) return {};
  const std::string base = folder + "/";
  Credentials out{read_file(base + kAuthorityFile), read_file(base + kCertificateFile), read_file(base + kKeyFile)};
  check_key_is_private(base + kKeyFile);
  return out;
}

bool is_local(std::string_view address) {
  if (address.starts_with("unix:")) return true;
  std::string_view host = address.substr(0, address.rfind(':'));
  return host == "localhost" || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

void check_may_reach(const Credentials& credentials, const std::string& address) {
  if (credentials.secure() || is_local(address)) return;
  throw plugin::Failure(
      PERCALE_FAILED_PRECONDITION,
      "the address " + address +
          " is not on this machine, and there are no certificates: messages to it would be neither encrypted nor "
          "authenticated; set PERCALE_CERTIFICATES to a folder of certificates, the same on all machines; " +
          kRemedy);
}

}  // namespace percale::remote
