#include "core/checkpoint/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/checked.h"
#include "core/file/file.h"

namespace percale {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 1 << 20;

constexpr std::array<std::pair<std::string_view, DType>, 14> kTypes = {{
    {"b1", DType::kBool},
    {"i1", DType::kI8},
    {"u1", DType::kU8},
    {"i2", DType::kI16},
    {"u2", DType::kU16},
    {"i4", DType::kI32},
    {"u4", DType::kU32},
    {"i8", DType::kI64},
    {"u8", DType::kU64},
    {"f2", DType::kF16},
    {"f4", DType::kF32},
    {"f8", DType::kF64},
    {"c8", DType::kComplex64},
    {"c16", DType::kComplex128},
}};

struct Header {
  DType dtype = DType::kInvalid;
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;
};

// Parses the Python dictionary of a header: three known keys with a string, a boolean and a tuple
// of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Result<Header> run() {
    Header out;
    bool descr = false, order = false, shape = false;
    if (!take('{')) return bad("'{'");
    while (!take('}')) {
      const auto key = quoted();
      if (!key || !take(':')) return bad("a key and ':'");
      if (*key == "descr" && !descr) {
        descr = true;
        PERCALE_RETURN_IF_ERROR(read_descr(out));
      } else if (*key == "fortran_order" && !order) {
        order = true;
        out.fortran_order = word("True");
        if (!out.fortran_order && !word("False")) return bad("True or False");
      } else if (*key == "shape" && !shape) {
        shape = true;
        PERCALE_RETURN_IF_ERROR(read_shape(out));
      } else {
        return invalid_argument("the header has the unknown key '", *key, "'");
      }
      if (!take(',') && peek() != '}') return bad("',' or '}'");
    }
    if (!descr || !order || !shape) return invalid_argument("the header lacks descr, fortran_order or shape");
    if (peek() != '\0' || at_ != text_.size()) return bad("the end of the header");
    return out;
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    peek();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  std::optional<std::string_view> quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view out = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return out;
  }
  Status bad(const char* wanted) const {
    return invalid_argument("byte ", static_cast<uint64_t>(at_), " of the header: wanted ", wanted);
  }

  Status read_descr(Header& out) {
    if (peek() == '[') return unimplemented("arrays of records are not supported");
    const auto descr = quoted();
    if (!descr) return bad("the dtype as a string");
    if (!descr->empty()) {
      const char order = (*descr)[0];
      for (const auto& [name, dtype] : kTypes) {
        if (descr->substr(1) != name) continue;
        const bool one_byte = dtype_bits(dtype) == 8;
        if (order == '>') out.big_endian = !one_byte;
        if (order != '<' && order != '>' && order != '=' && !(order == '|' && one_byte)) break;
        out.dtype = dtype;
        return {};
      }
    }
    return unimplemented("arrays of dtype '", *descr, "' are not supported");
  }

  Status read_shape(Header& out) {
    std::array<int64_t, kMaxRank> dims{};
    size_t rank = 0;
    if (!take('(')) return bad("'('");
    while (!take(')')) {
      peek();
      int64_t dim = -1;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), dim);
      if (error != std::errc() || dim < 0) return bad("a dim of the shape");
      at_ += static_cast<size_t>(end - begin);
      take('L');  // Python 2's suffix of long integers
      if (rank == kMaxRank) return invalid_argument("the rank exceeds the limit of ", static_cast<uint64_t>(kMaxRank));
      dims[rank++] = dim;
      if (!take(',') && peek() != ')') return bad("',' or ')'");
    }
    PERCALE_ASSIGN_OR_RETURN(out.shape, Shape::make(std::span<const int64_t>(dims.data(), rank)));
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Copies the elements of a Fortran-ordered array, whose first dim varies fastest, into C order.
void to_c_order(const char* from, char* to, const Shape& shape, size_t bytes) {
  std::array<int64_t, kMaxRank> stride{}, index{};
  int64_t step = 1;
  for (size_t i = 0; i < shape.rank(); ++i) {
    stride[i] = step;
    step *= shape[i];
  }
  const int64_t count = shape.num_elements();
  int64_t source = 0;
  for (int64_t n = 0; n < count; ++n) {
    std::memcpy(to + n * static_cast<int64_t>(bytes), from + source * static_cast<int64_t>(bytes), bytes);
    for (size_t i = shape.rank(); i-- > 0;) {
      source += stride[i];
      if (++index[i] < shape[i]) break;
      source -= stride[i] * shape[i];
      index[i] = 0;
    }
  }
}

Result<Tensor> with_elements(const Header& header, const std::shared_ptr<Buffer>& bytes, int64_t begin, int64_t size,
                             bool aligned) {
  PERCALE_ASSIGN_OR_RETURN(Tensor view, Tensor::view(bytes, begin, header.dtype, header.shape));
  PERCALE_RETURN_IF_ERROR(check_elements(view));
  const bool reorder = header.fortran_order && header.shape.rank() > 1;
  const bool fits = !aligned || reinterpret_cast<uintptr_t>(view.data()) % static_cast<uintptr_t>(kAlignment) == 0;
  if (!reorder && !header.big_endian && fits) return view;
  Tensor out = Tensor::copy_of(header.dtype, header.shape, view.data(), size);
  auto* to = static_cast<char*>(out.data());
  if (reorder) {
    to_c_order(static_cast<const char*>(view.data()), to, header.shape,
               static_cast<size_t>(dtype_bits(header.dtype) / 8));
  }
  if (header.big_endian) {
    const bool complex = header.dtype == DType::kComplex64 || header.dtype == DType::kComplex128;
    const int64_t word = dtype_bits(header.dtype) / (complex ? 16 : 8);
    for (int64_t i = 0; i + word <= size; i += word) std::reverse(to + i, to + i + word);
  }
  return out;
}

}  // namespace

Result<Tensor> parse_npy(const std::shared_ptr<Buffer>& bytes, bool aligned) {
  const std::string_view file(static_cast<const char*>(bytes->data()), static_cast<size_t>(bytes->bytes()));
  if (!file.starts_with(kMagic)) return invalid_argument("not a .npy file: it does not begin with \\x93NUMPY");
  const auto byte = [&](size_t at) { return at < file.size() ? static_cast<unsigned char>(file[at]) : 0U; };
  const unsigned version = byte(6);
  if (version < 1 || version > 3) return unimplemented("version ", version, " of the .npy format is not supported");
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t header_begin = kMagic.size() + 2 + length_bytes;
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= size_t{byte(8 + i)} << (8 * i);
  if (header_begin > file.size() || length > file.size() - header_begin) return data_loss("the header is truncated");
  if (length > kMaxHeader)
    return invalid_argument("the header has ", static_cast<uint64_t>(length), " bytes, which is too large");
  PERCALE_ASSIGN_OR_RETURN(const Header header, HeaderParser(file.substr(header_begin, length)).run());
  PERCALE_ASSIGN_OR_RETURN(const int64_t size, byte_size(header.dtype, header.shape));
  const auto begin = static_cast<int64_t>(header_begin + length);
  const int64_t have = bytes->bytes() - begin;
  if (size > have) {
    return data_loss("the file is truncated: ", header.dtype, " ", header.shape, " needs ", size, " bytes, but it has ",
                     have);
  }
  if (size < have) return invalid_argument(have - size, " unexpected bytes follow the elements");
  return with_elements(header, bytes, begin, size, aligned);
}

Result<Tensor> read_npy(const std::string& path, bool aligned, const std::shared_ptr<MemoryPool>& pool) {
  PERCALE_ASSIGN_OR_RETURN(const auto bytes, load_file(path, pool));
  auto out = parse_npy(bytes, aligned);
  if (!out.ok()) return out.status().with_context(path);
  return out;
}

Result<std::string> npy_header(const Tensor& tensor) {
  std::string_view type;
  for (const auto& [name, dtype] : kTypes) {
    if (dtype == tensor.dtype()) type = name;
  }
  if (type.empty()) return unimplemented(".npy cannot store dtype ", tensor.dtype());
  std::string header = str_cat("{'descr': '", dtype_bits(tensor.dtype()) == 8 ? '|' : '<', type,
                               "', 'fortran_order': False, 'shape': (");
  for (size_t i = 0; i < tensor.shape().rank(); ++i) {
    header += str_cat(i == 0 ? "" : " ", tensor.shape()[i], i == 0 || i + 1 < tensor.shape().rank() ? "," : "");
  }
  header += "), }";
  const auto used = static_cast<int64_t>(kMagic.size() + 4 + header.size() + 1);
  header.append(static_cast<size_t>(round_up(used, kAlignment) - used), ' ');
  header += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return out + header;
}

Status write_npy(const std::string& path, const Tensor& tensor) {
  PERCALE_ASSIGN_OR_RETURN(const std::string header, npy_header(tensor));
  PERCALE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  PERCALE_RETURN_IF_ERROR(file.write(header));
  PERCALE_RETURN_IF_ERROR(file.write(tensor.data(), tensor.bytes()));
  return file.commit();
}

}  // namespace percale
