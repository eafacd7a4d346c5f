// The IDX format of the MNIST files: big-endian tensors, plain or gzip-compressed.
#ifndef PERCALE_CORE_TRAIN_DATA_IDX_H_
#define PERCALE_CORE_TRAIN_DATA_IDX_H_

#include <memory>
#include <string_view>

#include "core/tensor/tensor.h"

namespace percale {

// True for bytes that begin like IDX.
bool looks_like_idx(std::string_view bytes);

// Parses the tensor that `bytes` holds: u8, i8, i16, i32, f32 or f64. The header is checked against
// the number of bytes before anything is allocated. INVALID_ARGUMENT says what is wrong; DATA_LOSS
// if compressed data is truncated or damaged.
Result<Tensor> parse_idx(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool);
// Does the same for a file in memory. Uncompressed one-byte elements are not copied: the tensor is
// a view.
Result<Tensor> parse_idx_file(const std::shared_ptr<Buffer>& file, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_IDX_H_
