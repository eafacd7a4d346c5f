#include "core/train/data/idx.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/base/checked.h"
#include "core/file/gzip.h"

namespace percale {
namespace {

// Deflate expands a byte to at most 1032 bytes.
constexpr int64_t kMaxInflation = 1032;

struct Header {
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;  // size of the header
};

uint32_t big_endian(const unsigned char* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | uint32_t{p[3]};
}

std::optional<DType> idx_dtype(unsigned char code) {
  switch (code) {
    case 0x08: return DType::kU8;
    case 0x09: return DType::kI8;
    case 0x0B: return DType::kI16;
    case 0x0C: return DType::kI32;
    case 0x0D: return DType::kF32;
    case 0x0E: return DType::kF64;
    default: return std::nullopt;
  }
}

// Parses a header from the first `have` bytes of the data.
Result<Header> parse_header(const unsigned char* p, size_t have) {
  if (have < 4 || p[0] != 0 || p[1] != 0) return invalid_argument("IDX: the magic number is missing");
  const auto dtype = idx_dtype(p[2]);
  if (!dtype) return invalid_argument("IDX: unknown element type ", uint32_t{p[2]});
  const size_t rank = p[3];
  if (rank == 0 || rank > kMaxRank)
    return invalid_argument("IDX: rank ", static_cast<uint64_t>(rank), ", wanted 1 to 8");
  if (have < 4 + 4 * rank) return invalid_argument("IDX: the header is truncated");
  Header out;
  out.dtype = *dtype;
  std::array<int64_t, kMaxRank> dims{};
  for (size_t i = 0; i < rank; ++i) dims[i] = big_endian(p + 4 + 4 * i);
  PERCALE_ASSIGN_OR_RETURN(out.shape, Shape::make(std::span<const int64_t>(dims.data(), rank)));
  out.bytes = static_cast<int64_t>(4 + 4 * rank);
  return out;
}

void swap_elements(const Tensor& tensor) {
  const size_t size = static_cast<size_t>(dtype_bits(tensor.dtype()) / 8);
  auto* p = static_cast<unsigned char*>(tensor.data());
  for (int64_t i = 0; size > 1 && i < tensor.num_elements(); ++i, p += size) std::reverse(p, p + size);
}

Status size_error(const Header& header, int64_t wanted, int64_t have) {
  return invalid_argument("IDX: ", header.dtype, " ", header.shape, " needs ", wanted, " bytes, but there are ", have);
}

// Parses the header of a whole file. Fails unless exactly the declared elements follow it.
Result<Header> parse_plain_header(std::string_view bytes) {
  PERCALE_ASSIGN_OR_RETURN(const Header header,
                           parse_header(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
  PERCALE_ASSIGN_OR_RETURN(const int64_t wanted, byte_size(header.dtype, header.shape));
  const int64_t have = static_cast<int64_t>(bytes.size()) - header.bytes;
  if (wanted != have) return size_error(header, wanted, have);
  return header;
}

Result<Tensor> parse_compressed(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool) {
  GzipReader inflater(bytes);
  std::array<unsigned char, 4 + 4 * kMaxRank> head{};
  PERCALE_ASSIGN_OR_RETURN(const int64_t first, inflater.read(head.data(), 4));
  int64_t have = first;
  if (first == 4 && head[3] <= kMaxRank) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t more, inflater.read(head.data() + 4, 4 * int64_t{head[3]}));
    have += more;
  }
  PERCALE_ASSIGN_OR_RETURN(const Header header, parse_header(head.data(), static_cast<size_t>(have)));
  PERCALE_ASSIGN_OR_RETURN(const int64_t wanted, byte_size(header.dtype, header.shape));
  if (wanted / kMaxInflation > static_cast<int64_t>(bytes.size())) {
    return size_error(header, wanted, static_cast<int64_t>(bytes.size()) * kMaxInflation);
  }
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, header.dtype, header.shape));
  PERCALE_ASSIGN_OR_RETURN(const int64_t read, inflater.read(out.data(), wanted));
  if (read < wanted) return size_error(header, wanted, read);
  char surplus = 0;
  PERCALE_ASSIGN_OR_RETURN(const int64_t behind, inflater.read(&surplus, 1));
  if (behind > 0)
    return invalid_argument("IDX: ", header.dtype, " ", header.shape, ": unexpected bytes follow the data");
  swap_elements(out);
  return out;
}

}  // namespace

bool looks_like_idx(std::string_view bytes) { return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0; }

Result<Tensor> parse_idx(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool) {
  if (looks_like_gzip(bytes)) return parse_compressed(bytes, pool);
  PERCALE_ASSIGN_OR_RETURN(const Header header, parse_plain_header(bytes));
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(pool, header.dtype, header.shape));
  if (out.bytes() > 0) std::memcpy(out.data(), bytes.data() + header.bytes, static_cast<size_t>(out.bytes()));
  swap_elements(out);
  return out;
}

Result<Tensor> parse_idx_file(const std::shared_ptr<Buffer>& file, const std::shared_ptr<MemoryPool>& pool) {
  const std::string_view bytes(static_cast<const char*>(file->data()), static_cast<size_t>(file->bytes()));
  if (!looks_like_gzip(bytes)) {
    PERCALE_ASSIGN_OR_RETURN(const Header header, parse_plain_header(bytes));
    if (dtype_bits(header.dtype) == 8) return Tensor::view(file, header.bytes, header.dtype, header.shape);
  }
  return parse_idx(bytes, pool);
}

}  // namespace percale
