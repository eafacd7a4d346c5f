// Reads and writes NumPy's .npy format (versions 1 to 3): a dtype, an order, a shape and the
// elements.
#ifndef PERCALE_CORE_CHECKPOINT_NPY_H_
#define PERCALE_CORE_CHECKPOINT_NPY_H_

#include <memory>
#include <string>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/tensor/tensor.h"

namespace percale {

// Returns the tensor of a complete .npy file in memory, which is not trusted. The tensor refers to
// `bytes`, and keeps it alive, if the elements are little-endian, in C order and 64-byte aligned,
// as NumPy writes them. Otherwise they are copied outside of any pool. Without `aligned`, alignment
// is not required, for callers that copy bytes. INVALID_ARGUMENT: not an .npy file. UNIMPLEMENTED:
// a dtype of text, time, objects or records. DATA_LOSS: the file is cut short.
Result<Tensor> parse_npy(const std::shared_ptr<Buffer>& bytes, bool aligned = true);
// The same for a file, which is mapped. Errors begin with the path.
Result<Tensor> read_npy(const std::string& path, bool aligned = true,
                        const std::shared_ptr<MemoryPool>& pool = nullptr);

// Returns the header of a .npy file: version 1, little-endian, C order, a multiple of 64 bytes
// long. UNIMPLEMENTED: a dtype that NumPy does not have (bf16, 8-bit floats, packed integers,
// strings).
Result<std::string> npy_header(const Tensor& tensor);
// Replaces the file atomically.
Status write_npy(const std::string& path, const Tensor& tensor);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_NPY_H_
