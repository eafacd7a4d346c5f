// A fresh folder that goes away with its object.
#ifndef PERCALE_TESTS_UNIT_TEMP_FOLDER_H_
#define PERCALE_TESTS_UNIT_TEMP_FOLDER_H_

#include <doctest/doctest.h>
#include <stdlib.h>

#include <string>
#include <string_view>

#include "core/file/file.h"

namespace percale {

class TempFolder {
 public:
  TempFolder() {
    const char* base = getenv("TMPDIR");
    path_ = join_path(base != nullptr ? base : "/tmp", "percale-test-XXXXXX");
    REQUIRE(mkdtemp(path_.data()) != nullptr);
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
