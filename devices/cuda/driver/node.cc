#include "devices/cuda/driver/node.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace percale::cuda {
Dims channels_last(Dims dims, size_t rank) {
  if (dims.size() < rank) dims.insert(dims.begin(), rank - dims.size(), 1);
  std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return dims;
}

bool is_same_memory(const Dims& dims, size_t rank) {
  if (dims.size() < 2 || rank < 3) return true;
  const size_t lead = rank - dims.size();  // a dim d stands at lead + d
  if (lead > 1 || dims[1 - lead] == 1) return true;
  return std::all_of(dims.begin() + static_cast<ptrdiff_t>(2 - lead), dims.end(), [](int64_t d) { return d == 1; });
}

Dims Node::dims(size_t i) const {
  Dims dims = plugin::Node::dims(i);
  return i < images_ ? channels_last(std::move(dims), rank_) : dims;
}

Dims Node::output_dims(size_t k) const {
  Dims dims = plugin::Node::output_dims(k);
  return rank_ > 0 && dims.size() <= rank_ ? channels_last(std::move(dims), rank_) : dims;
}

namespace {

// Null is row-major. Nothing is known of other layouts.
bool is_channels_last(const char* layout) {
  refuse_if(layout != nullptr && std::strcmp(layout, kChannelsLast) != 0, "the format belongs to another plug-in");
  return layout != nullptr;
}

}  // namespace

bool Node::has_channels_last(size_t i) const { return has(i) && is_channels_last(layout(i)); }
bool Node::gives_channels_last(size_t k) const { return is_channels_last(output_layout(k)); }

Dims Node::known_ints(size_t i, const char* what) const {
  const void* values = constant(i);
  const auto count = static_cast<size_t>(elements(dims(i)));
  if (values == nullptr && count > 0) throw Refusal(std::string(what) + " must be known before the run");
  if (dtype(i) == PERCALE_DTYPE_I64) {
    const auto* wide = static_cast<const int64_t*>(values);
    return Dims(wide, wide + count);
  }
  if (dtype(i) != PERCALE_DTYPE_I32) throw Refusal(std::string(what) + " must be i64 or i32");
  const auto* narrow = static_cast<const int32_t*>(values);
  return Dims(narrow, narrow + count);
}

bool Node::has_int(const char* name) const {
  percale_attribute found;
  return host().attributes->get(host().node->attributes(view()), name, &found) != 0 &&
         found.kind == PERCALE_ATTRIBUTE_INT;
}

size_t normal_axis(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

int64_t item_bytes(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_U8:
    case PERCALE_DTYPE_I8:
    case PERCALE_DTYPE_BOOL:
    case PERCALE_DTYPE_F8E4M3FN:
    case PERCALE_DTYPE_F8E4M3FNUZ:
    case PERCALE_DTYPE_F8E5M2:
    case PERCALE_DTYPE_F8E5M2FNUZ:
    case PERCALE_DTYPE_F8E8M0: return 1;
    case PERCALE_DTYPE_U16:
    case PERCALE_DTYPE_I16:
    case PERCALE_DTYPE_F16:
    case PERCALE_DTYPE_BF16: return 2;
    case PERCALE_DTYPE_F32:
    case PERCALE_DTYPE_I32:
    case PERCALE_DTYPE_U32: return 4;
    case PERCALE_DTYPE_F64:
    case PERCALE_DTYPE_I64:
    case PERCALE_DTYPE_U64:
    case PERCALE_DTYPE_COMPLEX64: return 8;
    default: throw Refusal("does not support this element type");
  }
}

int64_t bytes_of(percale_dtype dtype, int64_t count) {
  switch (dtype) {
    case PERCALE_DTYPE_U4:
    case PERCALE_DTYPE_I4:
    case PERCALE_DTYPE_F4E2M1: return (count + 1) / 2;
    case PERCALE_DTYPE_U2:
    case PERCALE_DTYPE_I2: return (count + 3) / 4;
    default: return count * item_bytes(dtype);
  }
}

const char* suffix(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F32: return "f32";
    case PERCALE_DTYPE_F64: return "f64";
    case PERCALE_DTYPE_F16: return "f16";
    case PERCALE_DTYPE_BF16: return "bf16";
    case PERCALE_DTYPE_I8: return "i8";
    case PERCALE_DTYPE_I16: return "i16";
    case PERCALE_DTYPE_I32: return "i32";
    case PERCALE_DTYPE_I64: return "i64";
    case PERCALE_DTYPE_U8: return "u8";
    case PERCALE_DTYPE_U16: return "u16";
    case PERCALE_DTYPE_U32: return "u32";
    case PERCALE_DTYPE_U64: return "u64";
    case PERCALE_DTYPE_BOOL: return "bool";
    default: throw Refusal("does not support this element type");
  }
}

bool is_float(percale_dtype dtype) {
  return dtype == PERCALE_DTYPE_F32 || dtype == PERCALE_DTYPE_F64 || dtype == PERCALE_DTYPE_F16 ||
         dtype == PERCALE_DTYPE_BF16;
}

}  // namespace percale::cuda
