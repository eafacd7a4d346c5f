// A fresh folder of certificates that goes away with its object.
#ifndef PERCALE_TESTS_UNIT_REMOTE_NET_CERTIFICATE_FOLDER_H_
#define PERCALE_TESTS_UNIT_REMOTE_NET_CERTIFICATE_FOLDER_H_

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "devices/remote/net/certificates.h"

namespace percale::remote {

// A fresh folder, empty at first.
class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "percale-test-XXXXXX").string()) {
    REQUIRE(mkdtemp(path_.data()) != nullptr);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class CertificateFolder : public ScratchFolder {
 public:
  CertificateFolder() { make_certificates(path()); }
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_NET_CERTIFICATE_FOLDER_H_
