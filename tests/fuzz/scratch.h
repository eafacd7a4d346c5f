// Files for fuzz targets that read files. They are kept in memory if the system has a folder for
// that.
#ifndef PERCALE_TESTS_FUZZ_SCRATCH_H_
#define PERCALE_TESTS_FUZZ_SCRATCH_H_

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "core/file/file.h"

namespace percale::fuzz {

// A private folder. It is removed with its contents when the process ends.
class ScratchFolder {
 public:
  ScratchFolder() {
    for (const char* pattern : {"/dev/shm/percale-fuzz-XXXXXX", "/tmp/percale-fuzz-XXXXXX"}) {
      path_ = pattern;
      if (mkdtemp(path_.data()) != nullptr) return;
    }
    std::fprintf(stderr, "no folder for scratch files could be made\n");
    std::abort();
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { static_cast<void>(remove_tree(path_)); }

  const std::string& path() const { return path_; }
  // Writes a new file in place of the previous one, because mappings of that file from an earlier
  // execution must keep their bytes. Returns its path.
  const std::string& write(const char* name, std::string_view bytes) {
    unlink(file_.c_str());
    file_ = path_ + "/" + name;
    std::FILE* const file = std::fopen(file_.c_str(), "wb");
    if (file == nullptr) std::abort();
    // An empty view may have a null address, which fwrite() does not allow.
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::abort();
    std::fclose(file);
    return file_;
  }

 private:
  std::string path_, file_;
};

}  // namespace percale::fuzz

#endif  // PERCALE_TESTS_FUZZ_SCRATCH_H_
