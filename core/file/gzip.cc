#include "core/file/gzip.h"

#include <algorithm>
#include <vector>

namespace percale {
namespace {

constexpr std::string_view kMagic = "\x1f\x8b";
constexpr int64_t kStep = int64_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

bool looks_like_gzip(std::string_view bytes) { return bytes.starts_with(kMagic); }

GzipReader::GzipReader(std::string_view bytes) : rest_(bytes.size()) {
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  ready_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK;
}

GzipReader::~GzipReader() {
  if (ready_) inflateEnd(&stream_);
}

Result<int64_t> GzipReader::read(void* out, int64_t bytes) {
  if (!ready_) return resource_exhausted("gzip: out of memory");
  int64_t done = 0;
  while (done < bytes && !ended_) {
    const auto room = static_cast<uInt>(std::min(bytes - done, kStep));
    if (stream_.avail_in == 0) {
      stream_.avail_in = static_cast<uInt>(std::min<size_t>(rest_, static_cast<size_t>(kStep)));
      rest_ -= stream_.avail_in;
    }
    stream_.next_out = static_cast<Bytef*>(out) + done;
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    done += room - stream_.avail_out;
    if (code == Z_STREAM_END) {
      PERCALE_RETURN_IF_ERROR(next_member());
    } else if (code != Z_OK) {
      return data_loss("gzip: the compressed data is ", code == Z_BUF_ERROR ? "truncated" : "damaged");
    }
  }
  return done;
}

// A file may hold several members; their contents are concatenated.
Status GzipReader::next_member() {
  const size_t left = rest_ + stream_.avail_in;
  ended_ = left == 0;
  if (ended_) return {};
  if (!looks_like_gzip({reinterpret_cast<const char*>(stream_.next_in), left})) {
    return invalid_argument("gzip: unexpected bytes follow the compressed data");
  }
  return inflateReset(&stream_) == Z_OK ? Status() : resource_exhausted("gzip: out of memory");
}

// Inflates twice. The first pass finds the size, so that memory is allocated once and exactly.
Result<std::shared_ptr<Buffer>> inflate_all(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool) {
  std::vector<char> scratch(size_t{1} << 16);
  const auto part = static_cast<int64_t>(scratch.size());
  int64_t size = 0, got = part;
  for (GzipReader reader(bytes); got == part; size += got) {
    PERCALE_ASSIGN_OR_RETURN(got, reader.read(scratch.data(), part));
  }
  PERCALE_ASSIGN_OR_RETURN(auto out, Buffer::allocate(pool, size));
  PERCALE_ASSIGN_OR_RETURN(got, GzipReader(bytes).read(out->data(), size));
  if (got != size) return data_loss("gzip: the compressed data changed while it was read");
  return out;
}

}  // namespace percale
