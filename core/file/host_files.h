// Files that the host reads for the library. Their paths begin with "host:".
#ifndef PERCALE_CORE_FILE_HOST_FILES_H_
#define PERCALE_CORE_FILE_HOST_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/base/status.h"

namespace percale {

inline constexpr std::string_view kHostScheme = "host:";

// Thread-safe. Names are paths without "host:".
class HostFiles {
 public:
  virtual ~HostFiles() = default;
  // Returns at least 0.
  virtual Result<int64_t> size(const std::string& name) const = 0;
  // Reads all of the bytes, which lie within the size of the file.
  virtual Status read(const std::string& name, int64_t offset, void* to, int64_t bytes) const = 0;
};

// True if the host of the pool's engine reads this path. The pool may be null.
bool is_host_path(std::string_view path, const MemoryPool* pool);

// Precondition of what follows: is_host_path(). Errors begin with the path.
Result<int64_t> host_file_size(const std::string& path, const MemoryPool& pool);
// The bytes must lie within the size of the file.
Status read_host_file(const std::string& path, const MemoryPool& pool, int64_t offset, void* to, int64_t bytes);
// The whole file, in memory of the pool.
Result<std::shared_ptr<Buffer>> load_host_file(const std::string& path, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_HOST_FILES_H_
