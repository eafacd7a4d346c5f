// NumPy's .npy format (versions 1 to 3): a dtype, an order, a shape, the elements.
#ifndef PERCALE_CORE_CHECKPOINT_NPY_H_
#define PERCALE_CORE_CHECKPOINT_NPY_H_

#include <memory>
#include <string>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/tensor/tensor.h"

namespace percale {

// The tensor of a whole .npy file in memory, which is not trusted. Little-endian elements in C order that are 64-byte
// aligned, as NumPy writes them, stay where they are and keep `bytes` alive; all others are copied outside every pool. Without
// `aligned` the first ones stay wherever they lie, for those who copy them by the byte.
// INVALID_ARGUMENT for what is no such file, UNIMPLEMENTED for dtypes of text, time, objects and records, DATA_LOSS for a
// file that is cut short.
Result<Tensor> parse_npy(const std::shared_ptr<Buffer>& bytes, bool aligned = true);
// The same of a file, which is mapped; errors begin with the path.
Result<Tensor> read_npy(const std::string& path, bool aligned = true,
                        const std::shared_ptr<MemoryPool>& pool = nullptr);

// What stands before the elements: version 1, little-endian, C order, a multiple of 64 bytes. UNIMPLEMENTED for a dtype that
// NumPy does not have (bf16, 8-bit floats, packed integers, strings).
Result<std::string> npy_header(const Tensor& tensor);
// Replaces the file atomically.
Status write_npy(const std::string& path, const Tensor& tensor);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_NPY_H_
