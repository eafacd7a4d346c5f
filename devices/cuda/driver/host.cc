#include "devices/cuda/driver/host.h"

#include <algorithm>
#include <cstring>

namespace percale::cuda {
namespace {

Dims to_dims(const int64_t* dims, size_t rank) { return Dims(dims, dims + rank); }

}  // namespace

percale_status* to_status(const percale_host_api& host, percale_code code, std::string_view message) {
  return host.status_create(code, message.data(), message.size());
}

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
  size_t rank = 0;
  const int64_t* dims = host_->node_input_dims(view_, i, &rank);
  return i < images_ ? channels_last(to_dims(dims, rank), rank_) : to_dims(dims, rank);
}

Dims Node::output_dims(size_t k) const {
  size_t rank = 0;
  const int64_t* dims = host_->node_output_dims(view_, k, &rank);
  return rank_ > 0 && rank <= rank_ ? channels_last(to_dims(dims, rank), rank_) : to_dims(dims, rank);
}

namespace {

// Row-major where it is null. Of other formats nothing is known.
bool is_channels_last(const char* format) {
  refuse_if(format != nullptr && std::strcmp(format, kChannelsLast) != 0, "the format belongs to another plug-in");
  return format != nullptr;
}

}  // namespace

bool Node::has_channels_last(size_t i) const { return has(i) && is_channels_last(host_->node_input_format(view_, i)); }
bool Node::gives_channels_last(size_t k) const { return is_channels_last(host_->node_output_format(view_, k)); }

Dims Node::known_ints(size_t i, const char* what) const {
  const void* values = constant(i);
  const auto count = static_cast<size_t>(elements(dims(i)));
  if (values == nullptr && count > 0) throw Refusal(std::string(what) + " must be known before the run");
  if (dtype(i) == PERCALE_DTYPE_I64) return to_dims(static_cast<const int64_t*>(values), count);
  if (dtype(i) != PERCALE_DTYPE_I32) throw Refusal(std::string(what) + " must be i64 or i32");
  const auto* narrow = static_cast<const int32_t*>(values);
  return Dims(narrow, narrow + count);
}

int64_t Node::attribute(const char* name, int64_t otherwise) const {
  host_->node_attribute_int(view_, name, &otherwise);
  return otherwise;
}

double Node::attribute(const char* name, double otherwise) const {
  host_->node_attribute_float(view_, name, &otherwise);
  return otherwise;
}

std::string_view Node::attribute(const char* name, std::string_view otherwise) const {
  const char* text = nullptr;
  size_t size = 0;
  return host_->node_attribute_string(view_, name, &text, &size) != 0 ? std::string_view(text, size) : otherwise;
}

Dims Node::attribute(const char* name, const Dims& otherwise) const {
  const int64_t* values = nullptr;
  size_t count = 0;
  return host_->node_attribute_ints(view_, name, &values, &count) != 0 ? to_dims(values, count) : otherwise;
}

std::vector<double> Node::floats(const char* name) const {
  const double* values = nullptr;
  size_t count = 0;
  if (host_->node_attribute_floats(view_, name, &values, &count) == 0) return {};
  return {values, values + count};
}

bool Node::has_int(const char* name) const {
  int64_t value = 0;
  return host_->node_attribute_int(view_, name, &value) != 0;
}

int64_t elements(const Dims& dims) {
  int64_t out = 1;
  for (int64_t d : dims) out *= d;
  return out;
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
