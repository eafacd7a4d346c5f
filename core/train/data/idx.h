// The IDX format of the MNIST files: big-endian tensors, plain or compressed with gzip.
#ifndef PERCALE_CORE_TRAIN_DATA_IDX_H_
#define PERCALE_CORE_TRAIN_DATA_IDX_H_

#include <memory>
#include <string_view>

#include "core/tensor/tensor.h"

namespace percale {

// True for bytes that begin like IDX.
bool looks_like_idx(std::string_view bytes);

// The tensor that the whole of `bytes` holds: u8, i8, i16, i32, f32 or f64. Header and size are checked against the bytes
// before anything is allocated: INVALID_ARGUMENT says what is wrong; DATA_LOSS where compressed data is cut or damaged.
Result<Tensor> parse_idx(std::string_view bytes, const std::shared_ptr<MemoryPool>& pool);
// The same of a file in memory: elements of one byte that are not compressed stay there, wherever they lie.
Result<Tensor> parse_idx_file(const std::shared_ptr<Buffer>& file, const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_IDX_H_
