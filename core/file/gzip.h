// Reads gzip files (RFC 1952) with one or several members.
#ifndef PERCALE_CORE_FILE_GZIP_H_
#define PERCALE_CORE_FILE_GZIP_H_

#include <zlib.h>

#include <memory>
#include <string_view>

#include "core/base/memory.h"

namespace percale {

bool looks_like_gzip(std::string_view bytes);

// Inflates bytes from front to back. Thread-compatible.
class GzipReader {
 public:
  // `bytes` must outlive the reader.
  explicit GzipReader(std::string_view bytes);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Reads the next bytes into `out`, at most `bytes` of them; fewer only at the end. DATA_LOSS if
  // the data is truncated or damaged, INVALID_ARGUMENT if other bytes follow it.
  Result<int64_t> read(void* out, int64_t bytes);

 private:
  Status next_member();

  z_stream stream_{};
  size_t rest_ = 0;  // bytes not yet passed to the stream
  bool ready_ = false, ended_ = false;
};

// Inflates all of `bytes` into memory of the pool. Has the errors of GzipReader::read(), and
// RESOURCE_EXHAUSTED if the pool has too little memory.
Result<std::shared_ptr<Buffer>> inflate_all(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_GZIP_H_
