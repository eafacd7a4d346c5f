// Reads TensorProto, the form of initializers, attributes and files of tensors.
#ifndef PERCALE_BINDINGS_ONNX_PROTO_TENSOR_H_
#define PERCALE_BINDINGS_ONNX_PROTO_TENSOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "bindings/onnx/host.h"

namespace percale_onnx {

// The elements of a tensor in another file. `location` is a path within the model's folder.
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
  std::string_view message;  // the whole message, which may have the elements in a typed field
  ExternalData data;
};

// Also checks dtype and dims: the rank is at most 8, and the number of bytes fits an int64_t.
Status parse(std::string_view bytes, TensorProto* out);
int64_t element_count(const TensorProto& tensor);
// Returns the size of raw_data. Elements of 4 and 2 bits are packed.
int64_t byte_count(const TensorProto& tensor);

// Creates the tensor in the engine's memory, after a check that the data has enough bytes. `folder`
// holds external data; null if the model came without a folder.
Status load_tensor(const Host& host, percale_engine* engine, const TensorProto& proto, const char* folder,
                   TensorPtr* out);

// The folder of a model, which may be one of the host (percale_host_builder_api::read_file).
struct ModelFolder {
  const Host& host;
  percale_engine* engine;
  const char* path;
};
// Reads `bytes` bytes of external data into `to`. The file must be in or below `folder`, reached
// without an absolute path, ".." or a link.
Status read_external(const ModelFolder& folder, const ExternalData& data, void* to, uint64_t bytes);
// Returns the number of bytes in the file after the offset. Checks the path like read_external().
Status external_bytes(const ModelFolder& folder, const ExternalData& data, uint64_t* out);

}  // namespace percale_onnx

#endif  // PERCALE_BINDINGS_ONNX_PROTO_TENSOR_H_
