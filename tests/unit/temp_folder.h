// A fresh folder that goes away with its object.
#ifndef PERCALE_TESTS_UNIT_TEMP_FOLDER_H_
#define PERCALE_TESTS_UNIT_TEMP_FOLDER_H_

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/file/file.h"
#include "core/system/process.h"

namespace percale {

class TempFolder {
 public:
  TempFolder() {
    const char* base = std::getenv("TMPDIR");
    uint64_t number = 0;
    REQUIRE(os::random_bytes(&number, sizeof number) == 0);
    path_ = join_path(base != nullptr ? base : "/tmp", str_cat("percale-test-", static_cast<int64_t>(number >> 1)));
    REQUIRE(create_folders(path_).ok());
  }
  ~TempFolder() { static_cast<void>(remove_tree(path_)); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return join_path(path_, name); }

 private:
  std::string path_;
};

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TEMP_FOLDER_H_
