#include "devices/onednn/support/format.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "oneapi/dnnl/dnnl_debug.h"

namespace percale::onednn {
namespace {

constexpr std::string_view kPrefix = "onednn:";
constexpr char kHex[] = "0123456789abcdef";

// Appends bytes in hexadecimal. A run of zero bytes becomes 'z' and its length, because a
// descriptor is mostly zeros.
void append_bytes(std::string& out, const std::vector<uint8_t>& bytes) {
  for (size_t i = 0; i < bytes.size();) {
    size_t zeros = 0;
    while (i + zeros < bytes.size() && bytes[i + zeros] == 0) ++zeros;
    if (zeros > 2) {
      out += 'z' + std::to_string(zeros) + '.';
      i += zeros;
    } else {
      out += {kHex[bytes[i] >> 4], kHex[bytes[i] & 15]};
      ++i;
    }
  }
}

std::vector<uint8_t> read_bytes(std::string_view text) {
  std::vector<uint8_t> out;
  const auto digit = [](char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  for (size_t i = 0; i + 1 < text.size();) {
    if (text[i] == 'z') {
      size_t zeros = 0;
      const size_t end = text.find('.', i);
      std::from_chars(text.data() + i + 1, text.data() + end, zeros);
      out.insert(out.end(), zeros, 0);
      i = end + 1;
    } else {
      out.push_back(static_cast<uint8_t>(digit(text[i]) << 4 | digit(text[i + 1])));
      i += 2;
    }
  }
  return out;
}

const char* name_of(DataType type) { return dnnl_dt2str(static_cast<dnnl_data_type_t>(type)); }

// A dim of the memory as a loop: the outer part of a dim, or one of its inner blocks.
struct Loop {
  size_t dim;
  int64_t size, stride;
};

// Returns the loops from the outermost to the innermost, without those of size one. Meaningful for
// blocked descriptors only.
std::vector<Loop> loops_of(const MemoryDesc& desc) {
  const Dims padded = desc.get_padded_dims(), strides = desc.get_strides();
  const Dims blocks = desc.get_inner_blks(), block_dims = desc.get_inner_idxs();
  std::vector<Loop> loops;
  Dims outer = padded;
  for (size_t b = 0; b < blocks.size(); ++b) outer[static_cast<size_t>(block_dims[b])] /= blocks[b];
  for (size_t d = 0; d < padded.size(); ++d) loops.push_back({d, outer[d], strides[d]});
  std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.stride > b.stride; });
  int64_t stride = 1;
  std::vector<Loop> inner;
  for (size_t b = blocks.size(); b-- > 0;) {
    inner.push_back({static_cast<size_t>(block_dims[b]), blocks[b], stride});
    stride *= blocks[b];
  }
  loops.insert(loops.end(), inner.rbegin(), inner.rend());
  std::erase_if(loops, [](const Loop& loop) { return loop.size == 1; });
  return loops;
}

// Returns oneDNN's name of a blocked format: a letter for each outer dim from the outermost, in
// upper case if the dim is blocked, then the inner blocks.
std::string tag_of(const MemoryDesc& desc) {
  const Dims strides = desc.get_strides(), blocks = desc.get_inner_blks(), block_dims = desc.get_inner_idxs();
  std::vector<size_t> order(strides.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  std::string tag;
  for (size_t d : order) {
    const bool blocked = std::find(block_dims.begin(), block_dims.end(), static_cast<int64_t>(d)) != block_dims.end();
    tag += static_cast<char>((blocked ? 'A' : 'a') + static_cast<int>(d));
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    tag += std::to_string(blocks[b]) + static_cast<char>('a' + static_cast<int>(block_dims[b]));
  }
  return tag;
}

// oneDNN's comparison ignores the strides of dims of size one, which a primitive may read.
bool same_desc(const MemoryDesc& a, const MemoryDesc& b) { return a == b && a.get_strides() == b.get_strides(); }

// Zeroes those bytes from `first` to `last` that do not affect the descriptor.
void clear_unused(std::vector<uint8_t>& blob, size_t first, size_t last, const MemoryDesc& desc) {
  const auto begin = blob.begin() + static_cast<ptrdiff_t>(first), end = blob.begin() + static_cast<ptrdiff_t>(last);
  const std::vector<uint8_t> before(begin, end);
  std::fill(begin, end, uint8_t{0});
  if (same_desc(MemoryDesc(blob), desc)) return;
  std::copy(before.begin(), before.end(), begin);
  if (before.size() == 1) return;
  const size_t middle = first + before.size() / 2;
  clear_unused(blob, first, middle, desc);
  clear_unused(blob, middle, last, desc);
}

// Returns the bytes of a descriptor. oneDNN does not initialise the padding of its struct and the
// end of a union, so equal blocked descriptors could have different bytes. oneDNN's comparison does
// not cover descriptors that are not blocked, so these are left unchanged.
std::vector<uint8_t> bytes_of(MemoryDesc desc) {
  std::vector<uint8_t> blob = desc.get_blob();
  if (desc.get_format_kind() == dnnl::memory::format_kind::blocked) clear_unused(blob, 0, blob.size(), desc);
  return blob;
}

// Equal descriptors must give equal texts.
void append_desc(std::string& out, const MemoryDesc& desc) {
  if (!is_strided(desc)) {
    out += ";b";
    return append_bytes(out, bytes_of(desc));
  }
  out += ";s" + std::to_string(static_cast<int>(desc.get_data_type()));
  for (const Dims& numbers : {desc.get_dims(), desc.get_strides()}) {
    for (int64_t n : numbers) out += ',' + std::to_string(n);
  }
}

MemoryDesc read_desc(std::string_view text) {
  if (text.starts_with('b')) return MemoryDesc(read_bytes(text.substr(1)));
  Dims numbers;
  for (size_t at = 0; at < text.size();) {
    int64_t n = 0;
    const char* const end = std::from_chars(text.data() + at + 1, text.data() + text.size(), n).ptr;
    numbers.push_back(n);
    at = static_cast<size_t>(end - text.data());
  }
  const auto middle = numbers.begin() + 1 + static_cast<ptrdiff_t>(numbers.size() / 2);
  return MemoryDesc(Dims(numbers.begin() + 1, middle), static_cast<DataType>(numbers[0]), Dims(middle, numbers.end()));
}

}  // namespace

Format with_dims(Format format, const Dims& dims) {
  Dims turned = format.row_major.get_dims();
  if (turned.size() != 4 || turned == dims || format.in_format.get_dims() != turned) return format;
  std::swap(turned[2], turned[3]);
  if (turned != dims) return format;
  const std::vector<int> order{0, 1, 3, 2};
  return {format.in_format.permute_axes(order), row_major(dims, format.row_major.get_data_type())};
}

std::string encode(const Format& format) {
  std::string out(kPrefix);
  out += name_of(format.in_format.get_data_type());
  out += ' ';
  out += format.in_format.get_format_kind() == dnnl::memory::format_kind::blocked ? tag_of(format.in_format) : "packed";
  for (const MemoryDesc* desc : {&format.in_format, &format.row_major}) append_desc(out, *desc);
  return out;
}

Format decode(const char* text) {
  std::string_view rest(text);
  if (!rest.starts_with(kPrefix)) throw Refusal("the format is not a oneDNN format");
  rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  Format out;
  for (MemoryDesc* desc : {&out.in_format, &out.row_major}) {
    if (rest.empty()) throw Refusal("the format text is truncated");
    const size_t end = std::min(rest.find(';', 1), rest.size());
    *desc = read_desc(rest.substr(1, end - 1));
    rest.remove_prefix(end);
  }
  return out;
}

MemoryDesc lying_in(const char* format, const Dims& dims, DataType type) {
  if (format == nullptr) return row_major(dims, type);
  const MemoryDesc given = decode(format).in_format;
  return given.get_dims() == dims ? given : row_major(dims, type);
}

bool is_strided(const MemoryDesc& desc) {
  return desc.get_format_kind() == dnnl::memory::format_kind::blocked && desc.get_inner_nblks() == 0 &&
         desc == MemoryDesc(desc.get_dims(), desc.get_data_type(), desc.get_strides());
}

MemoryDesc ordered_like(const MemoryDesc& model, const Dims& dims, DataType type) {
  const Dims given = model.get_strides();
  std::vector<size_t> order(dims.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return given[a] > given[b]; });
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= dims[order[i]];
  }
  return MemoryDesc(dims, type, strides);
}

Dims strides_of(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(dims[d], 1);
  }
  return strides;
}

bool same_bytes(const MemoryDesc& desc, const MemoryDesc& row_major) {
  if (desc == row_major) return true;
  if (desc.get_format_kind() != dnnl::memory::format_kind::blocked ||
      desc.get_data_type() != row_major.get_data_type() || desc.get_size() != row_major.get_size() ||
      desc.get_padded_dims() != row_major.get_padded_dims()) {
    return false;
  }
  const std::vector<Loop> a = loops_of(desc), b = loops_of(row_major);
  // Consecutive blocks of one dim form a single loop.
  std::vector<Loop> joined;
  for (const Loop& loop : a) {
    if (!joined.empty() && joined.back().dim == loop.dim && joined.back().stride == loop.stride * loop.size) {
      joined.back() = {loop.dim, joined.back().size * loop.size, loop.stride};
    } else {
      joined.push_back(loop);
    }
  }
  return std::equal(joined.begin(), joined.end(), b.begin(), b.end(), [](const Loop& x, const Loop& y) {
    return x.dim == y.dim && x.size == y.size && x.stride == y.stride;
  });
}

DataType data_type(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F32: return DataType::f32;
    case PERCALE_DTYPE_BF16: return DataType::bf16;
    case PERCALE_DTYPE_F16: return DataType::f16;
    case PERCALE_DTYPE_I8: return DataType::s8;
    case PERCALE_DTYPE_U8: return DataType::u8;
    case PERCALE_DTYPE_I32: return DataType::s32;
    default: throw Refusal("oneDNN does not support this dtype");
  }
}

}  // namespace percale::onednn
