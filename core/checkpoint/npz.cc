#include "core/checkpoint/npz.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/similar_name.h"
#include "core/checkpoint/npy.h"
#include "core/file/file.h"
#include "core/registry/registry.h"

namespace percale {
namespace {

// From PKWARE's APPNOTE: signatures, and the lengths of the fixed parts of the records.
constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kMaxComment = 65535;
constexpr uint32_t kIn64 = 0xffffffff;  // the value is in extra field 1
constexpr uint16_t kStored = 0, kDeflated = 8;
// Maximum compression ratio of deflate.
constexpr uint64_t kMaxInflation = 1032;

struct Member {
  std::string name;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

class Archive {
 public:
  explicit Archive(std::shared_ptr<Buffer> file)
      : file_(std::move(file)), bytes_(static_cast<const char*>(file_->data()), static_cast<size_t>(file_->bytes())) {}

  Status find_members(std::vector<Member>* out) const {
    const size_t end = find_end();
    if (end == std::string_view::npos)
      return invalid_argument("this is not a .npz file: the end record of a zip archive is missing");
    const uint64_t count = number(end + 10, 2);
    uint64_t at = number(end + 16, 4);
    for (uint64_t i = 0; i < count; ++i) {
      if (at > bytes_.size() || bytes_.size() - at < kCentralSize || number(at, 4) != kCentral) {
        return data_loss("the archive's directory is damaged");
      }
      const auto name_size = number(at + 28, 2), extra_size = number(at + 30, 2), comment_size = number(at + 32, 2);
      if (bytes_.size() - at - kCentralSize < name_size + extra_size + comment_size) {
        return data_loss("the archive's directory is truncated");
      }
      Member m;
      m.method = static_cast<uint16_t>(number(at + 10, 2));
      m.crc = static_cast<uint32_t>(number(at + 16, 4));
      m.packed = number(at + 20, 4);
      m.size = number(at + 24, 4);
      m.offset = number(at + 42, 4);
      m.name = bytes_.substr(at + kCentralSize, name_size);
      read_wide(at + kCentralSize + name_size, extra_size, m);
      out->push_back(std::move(m));
      at += kCentralSize + name_size + extra_size + comment_size;
    }
    return {};
  }

  Result<std::shared_ptr<Buffer>> read(const Member& m, const std::shared_ptr<MemoryPool>& pool) const {
    if (m.offset > bytes_.size() || bytes_.size() - m.offset < kLocalSize || number(m.offset, 4) != kLocal) {
      return data_loss("'", m.name, "' does not begin where the archive says");
    }
    const uint64_t skip = kLocalSize + number(m.offset + 26, 2) + number(m.offset + 28, 2);
    const uint64_t rest = bytes_.size() - m.offset;
    if (skip > rest || m.packed > rest - skip) return data_loss("'", m.name, "' is truncated");
    const char* from = bytes_.data() + m.offset + skip;
    std::shared_ptr<Buffer> out;
    if (m.method == kStored) {
      if (m.size != m.packed) return data_loss("'", m.name, "' is stored uncompressed, but its two sizes differ");
      out = Buffer::part(file_, static_cast<int64_t>(m.offset + skip), static_cast<int64_t>(m.size));
    } else if (m.method == kDeflated) {
      if (m.size / kMaxInflation > m.packed) return data_loss("'", m.name, "' claims to expand to ", m.size, " bytes");
      PERCALE_ASSIGN_OR_RETURN(out, Buffer::allocate(pool, static_cast<int64_t>(m.size)));
      PERCALE_RETURN_IF_ERROR(inflate_into(m, from, *out));
    } else {
      return unimplemented("'", m.name, "' is compressed by the unsupported method ", static_cast<uint64_t>(m.method));
    }
    const auto crc = crc32_z(0, static_cast<const Bytef*>(out->data()), static_cast<size_t>(m.size));
    if (crc != m.crc) return data_loss("'", m.name, "': the checksum is wrong");
    return out;
  }

 private:
  // Reads a little-endian number. The caller has checked that it lies within the file.
  uint64_t number(size_t at, size_t size) const {
    uint64_t out = 0;
    for (size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes_[at + i]);
    return out;
  }

  size_t find_end() const {
    if (bytes_.size() < kEndSize) return std::string_view::npos;
    const size_t last = bytes_.size() - kEndSize, first = last > kMaxComment ? last - kMaxComment : 0;
    for (size_t at = last + 1; at-- > first;) {
      if (number(at, 4) == kEnd) return at;
    }
    return std::string_view::npos;
  }

  // Extra field 1 holds, in this order, the numbers that do not fit in 32 bits.
  void read_wide(size_t at, size_t size, Member& m) const {
    while (size >= 4) {
      const uint64_t id = number(at, 2), own = number(at + 2, 2);
      if (own > size - 4) return;
      if (id == 1) {
        size_t from = at + 4;
        const size_t end = from + own;
        for (uint64_t* field : {&m.size, &m.packed, &m.offset}) {
          if (*field != kIn64 || end - from < 8) continue;
          *field = number(from, 8);
          from += 8;
        }
        return;
      }
      at += 4 + own;
      size -= 4 + own;
    }
  }

  static Status inflate_into(const Member& m, const char* from, Buffer& out) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return resource_exhausted("'", m.name, "': out of memory");
    constexpr uint64_t kStep = uint64_t{1} << 30;  // zlib counts in 32 bits
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from));
    stream.next_out = static_cast<Bytef*>(out.data());
    uint64_t in = m.packed, room = m.size;
    int code = Z_OK;
    while (code == Z_OK) {
      if (stream.avail_in == 0) {
        stream.avail_in = static_cast<uInt>(std::min(in, kStep));
        in -= stream.avail_in;
      }
      if (stream.avail_out == 0) {
        stream.avail_out = static_cast<uInt>(std::min(room, kStep));
        room -= stream.avail_out;
      }
      code = inflate(&stream, Z_NO_FLUSH);
    }
    const bool whole = code == Z_STREAM_END && room == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    return whole ? Status() : data_loss("'", m.name, "': the compressed data is damaged");
  }

  std::shared_ptr<Buffer> file_;
  std::string_view bytes_;
};

Result<Tensor> read_member(const std::string& path, std::string_view name, const std::shared_ptr<MemoryPool>& pool,
                           bool aligned) {
  PERCALE_ASSIGN_OR_RETURN(auto file, load_file(path, pool));
  const Archive archive(std::move(file));
  std::vector<Member> members;
  PERCALE_RETURN_IF_ERROR(archive.find_members(&members));
  std::vector<std::string> names;
  for (const Member& m : members) {
    if (!m.name.ends_with(".npy")) continue;
    names.push_back(m.name.substr(0, m.name.size() - 4));
    if (names.back() != name) continue;
    PERCALE_ASSIGN_OR_RETURN(const auto bytes, archive.read(m, pool));
    return parse_npy(bytes, aligned);
  }
  return not_found("there is no tensor '", name, "'", did_you_mean(name, names));
}

Status check_members(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  PERCALE_ASSIGN_OR_RETURN(auto file, load_file(path, pool));
  const Archive archive(std::move(file));
  std::vector<Member> members;
  PERCALE_RETURN_IF_ERROR(archive.find_members(&members));
  for (const Member& m : members) {
    PERCALE_ASSIGN_OR_RETURN(const auto bytes, archive.read(m, pool));
    if (!m.name.ends_with(".npy")) continue;
    const Status status = parse_npy(bytes, /*aligned=*/false).status();
    if (!status.ok()) return status.with_context(str_cat("'", m.name, "'"));
  }
  return {};
}

Status with_path(const std::string& path, Status status) {
  return status.ok() || status.message().find(path) != std::string_view::npos ? status : status.with_context(path);
}

}  // namespace

Result<Tensor> read_npz(const std::string& path, std::string_view name, const std::shared_ptr<MemoryPool>& pool,
                        bool aligned) {
  auto out = read_member(path, name, pool, aligned);
  if (out.ok()) return out;
  return with_path(path, out.status());
}

Status check_npz(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  return with_path(path, check_members(path, pool));
}

}  // namespace percale
