// gzip files (RFC 1952), of one member or several.
#ifndef PERCALE_CORE_TRAIN_DATA_GZIP_H_
#define PERCALE_CORE_TRAIN_DATA_GZIP_H_

#include <zlib.h>

#include <memory>
#include <string_view>

#include "core/base/memory.h"

namespace percale {

bool looks_like_gzip(std::string_view bytes);

// Inflates bytes from the front. Thread-compatible.
class GzipReader {
 public:
  // `bytes` must outlive the reader.
  explicit GzipReader(std::string_view bytes);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // The next bytes, at most `bytes`; fewer at the end alone. DATA_LOSS where the data is cut or damaged,
  // INVALID_ARGUMENT where something else stands behind it.
  Result<int64_t> read(void* out, int64_t bytes);

 private:
  Status next_member();

  z_stream stream_{};
  size_t rest_ = 0;  // bytes that the stream has not been given yet
  bool ready_ = false, ended_ = false;
};

// All that the bytes hold, in memory of the pool. Errors as GzipReader::read() has them, and
// RESOURCE_EXHAUSTED where the pool has no room.
Result<std::shared_ptr<Buffer>> inflate_all(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_GZIP_H_
