// TensorProto: initializers, attributes and files of tensors.
#ifndef PERCALE_BINDINGS_ONNX_PROTO_TENSOR_H_
#define PERCALE_BINDINGS_ONNX_PROTO_TENSOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "bindings/onnx/host.h"

namespace percale_onnx {

// Where the data of a tensor lies: `location` within the model's folder.
struct ExternalData {
  std::string_view location;
  uint64_t offset = 0, length = 0;
  bool has_length = false;
};

struct TensorProto {
  std::string_view name;
  percale_dtype dtype = PERCALE_DTYPE_INVALID;
  std::vector<int64_t> dims;
  bool has_raw = false, external = false;
  std::string_view raw;      // raw_data
  std::string_view message;  // the whole, for the typed data in it
  ExternalData data;
};

// Checks dtype and dims, too: what passes has a rank of at most 8 and a number of bytes that fits
// an int64_t.
Status parse(std::string_view bytes, TensorProto* out);
int64_t element_count(const TensorProto& tensor);
// Elements in raw_data: those of 4 and 2 bits lie packed.
int64_t byte_count(const TensorProto& tensor);

// The tensor in the engine's memory. Nothing is allocated before as much data is there. `folder`:
// of external data, null where there is none.
Status load_tensor(const Host& host, percale_engine* engine, const TensorProto& proto, const char* folder,
                   TensorPtr* out);

// Reads `bytes` bytes of external data into `to`. `folder` holds the file: no absolute path, no
// "..", no link on the way.
Status read_external(const char* folder, const ExternalData& data, void* to, uint64_t bytes);
// The bytes that the file has from the offset on, checked as read_external() does.
Status external_bytes(const char* folder, const ExternalData& data, uint64_t* out);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_TENSOR_H_
