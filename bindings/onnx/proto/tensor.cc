#include "bindings/onnx/proto/tensor.h"

#include <charconv>
#include <cstring>

#include "bindings/onnx/proto/wire.h"

namespace percale_onnx {
namespace {

constexpr size_t kMaxRank = 8;
constexpr int64_t kMaxDim = int64_t{1} << 40;

// Returns the bits of an element; 0 if it has no fixed size.
int64_t element_bits(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_COMPLEX128: return 128;
    case PERCALE_DTYPE_F64:
    case PERCALE_DTYPE_I64:
    case PERCALE_DTYPE_U64:
    case PERCALE_DTYPE_COMPLEX64: return 64;
    case PERCALE_DTYPE_F32:
    case PERCALE_DTYPE_I32:
    case PERCALE_DTYPE_U32: return 32;
    case PERCALE_DTYPE_F16:
    case PERCALE_DTYPE_BF16:
    case PERCALE_DTYPE_I16:
    case PERCALE_DTYPE_U16: return 16;
    case PERCALE_DTYPE_U4:
    case PERCALE_DTYPE_I4:
    case PERCALE_DTYPE_F4E2M1: return 4;
    case PERCALE_DTYPE_U2:
    case PERCALE_DTYPE_I2: return 2;
    case PERCALE_DTYPE_STRING:
    case PERCALE_DTYPE_INVALID: return 0;
    default: return 8;
  }
}

Status parse_location(std::string_view bytes, ExternalData* out) {
  Message message(bytes);
  std::string_view key, value;
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::kBytes)) key = field.bytes;
    if (field.is(2, Wire::kBytes)) value = field.bytes;
  }
  if (!message.ok()) return bad("the bytes are not a StringStringEntryProto");
  if (key == "location") out->location = value;
  if (key != "offset" && key != "length") return {};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number > INT64_MAX) {
    return bad("external data: ", key, " is ", quoted(value));
  }
  (key == "offset" ? out->offset : out->length) = number;
  out->has_length = out->has_length || key == "length";
  return {};
}

Status check(const TensorProto& t) {
  if (t.dims.size() > kMaxRank) return bad("rank ", uint64_t{t.dims.size()}, " exceeds 8");
  int64_t count = 1;
  for (int64_t dim : t.dims) {
    if (dim < 0 || dim > kMaxDim) return bad("dim ", dim, " is not in [0, 2^40]");
    // 2^59 elements of at most 16 bytes fit.
    if (dim != 0 && count > (int64_t{1} << 59) / dim) return bad("the dims multiply to more than 2^59 elements");
    count *= dim;
  }
  return {};
}

// The field of TensorProto that holds elements of a type if raw_data does not.
struct Storage {
  uint32_t field;
  Wire wire;             // the wire type of one number
  int64_t number_bytes;  // bytes of the tensor that one number fills
};
Storage storage_of(percale_dtype dtype) {
  switch (dtype) {
    case PERCALE_DTYPE_F32:
    case PERCALE_DTYPE_COMPLEX64: return {4, Wire::kFixed32, 4};
    case PERCALE_DTYPE_F64:
    case PERCALE_DTYPE_COMPLEX128: return {10, Wire::kFixed64, 8};
    case PERCALE_DTYPE_I64: return {7, Wire::kVarint, 8};
    case PERCALE_DTYPE_U32: return {11, Wire::kVarint, 4};
    case PERCALE_DTYPE_U64: return {11, Wire::kVarint, 8};
    default: return {5, Wire::kVarint, element_bits(dtype) < 8 ? 1 : element_bits(dtype) / 8};
  }
}

// Visits the numbers of the typed field, and writes them as little-endian unless `to` is null.
// Returns the number of bytes that they fill, or -1 if the message is invalid.
int64_t walk_numbers(std::string_view message_bytes, const Storage& storage, char* to) {
  int64_t bytes = 0;
  Message message(message_bytes);
  const auto put = [&](uint64_t bits) {
    if (to != nullptr) std::memcpy(to + bytes, &bits, static_cast<size_t>(storage.number_bytes));
    bytes += storage.number_bytes;
  };
  for (Field field; message.next(field);) {
    if (field.number != storage.field) continue;
    if (field.wire == storage.wire) {
      put(field.bits);
    } else if (field.wire != Wire::kBytes) {
      return -1;
    } else if (storage.wire == Wire::kVarint) {
      Varints numbers(field.bytes);
      for (uint64_t value = 0; numbers.next(value);) put(value);
      if (!numbers.ok()) return -1;
    } else {
      if (field.bytes.size() % static_cast<size_t>(storage.number_bytes) != 0) return -1;
      if (to != nullptr && !field.bytes.empty()) std::memcpy(to + bytes, field.bytes.data(), field.bytes.size());
      bytes += static_cast<int64_t>(field.bytes.size());
    }
  }
  return message.ok() ? bytes : -1;
}

Status lacks(const TensorProto& t, int64_t have) {
  return bad("the dims require ", byte_count(t), " bytes, but there are ", have);
}

}  // namespace

int64_t element_count(const TensorProto& tensor) {
  int64_t count = 1;
  for (int64_t dim : tensor.dims) count *= dim;
  return count;
}

int64_t byte_count(const TensorProto& tensor) {
  const int64_t bits = element_bits(tensor.dtype), count = element_count(tensor);
  return bits >= 8 ? count * (bits / 8) : (count * bits + 7) / 8;
}

Status parse(std::string_view bytes, TensorProto* out) {
  out->message = bytes;
  Message message(bytes);
  bool dims = true;
  int64_t dtype = 0;
  for (Field field; message.next(field) && dims;) {
    switch (field.number) {
      case 1: dims = append_integers(field, out->dims) && out->dims.size() <= 1024; break;
      case 2: dtype = field.integer(); break;
      case 8: out->name = field.bytes; break;
      case 9:
        out->has_raw = field.wire == Wire::kBytes;
        out->raw = field.bytes;
        break;
      case 13: ONNX_TRY(parse_location(field.bytes, &out->data).within(text("tensor ", quoted(out->name)))); break;
      case 14: out->external = field.bits == 1; break;
      default: break;
    }
  }
  const std::string place = text("tensor ", quoted(out->name));
  if (!message.ok() || !dims) return bad(place, ": the bytes are not a TensorProto");
  if (dtype <= 0 || dtype > PERCALE_DTYPE_I2) return bad(place, ": ", dtype, " is not an element type");
  out->dtype = static_cast<percale_dtype>(dtype);
  return check(*out).within(place);
}

Status load_tensor(const Host& host, percale_engine* engine, const TensorProto& proto, const char* folder,
                   TensorPtr* out) {
  const std::string place = text("tensor ", quoted(proto.name));
  if (element_bits(proto.dtype) == 0) return unsupported(place, ": tensors of strings are not supported");
  const int64_t needed = byte_count(proto);
  const Storage storage = storage_of(proto.dtype);
  // The bytes are counted first; the tensor is allocated only if they suffice.
  if (proto.external) {
    if (folder == nullptr) return bad(place, ": its data is in a file, but the model was loaded without a folder");
    uint64_t have = 0;
    ONNX_TRY(external_bytes({host, engine, folder}, proto.data, &have).within(place));
    if (have < static_cast<uint64_t>(needed)) return lacks(proto, static_cast<int64_t>(have)).within(place);
    if (proto.data.has_length && proto.data.length != static_cast<uint64_t>(needed)) {
      return lacks(proto, static_cast<int64_t>(proto.data.length)).within(place);
    }
  } else {
    const int64_t have =
        proto.has_raw ? static_cast<int64_t>(proto.raw.size()) : walk_numbers(proto.message, storage, nullptr);
    if (have < 0) return bad(place, ": its data is missing or of another element type");
    if (have != needed) return lacks(proto, have).within(place);
  }
  TensorPtr made;
  ONNX_TRY(host.make_tensor(engine, proto.dtype, proto.dims.data(), proto.dims.size(), &made).within(place));
  auto* data = static_cast<char*>(host->tensor->get_data(made.get()));
  if (proto.external) {
    ONNX_TRY(read_external({host, engine, folder}, proto.data, data, static_cast<uint64_t>(needed)).within(place));
  } else if (proto.has_raw) {
    if (needed > 0) std::memcpy(data, proto.raw.data(), static_cast<size_t>(needed));
  } else {
    walk_numbers(proto.message, storage, data);
  }
  if (proto.dtype == PERCALE_DTYPE_BOOL) {  // a C++ bool must be 0 or 1
    for (int64_t i = 0; i < needed; ++i) data[i] = data[i] != 0;
  }
  *out = std::move(made);
  return {};
}

}  // namespace percale_onnx
