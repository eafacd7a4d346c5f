#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstring>
#include <new>

namespace percale {

Result<Tensor> Tensor::allocate(const std::shared_ptr<MemoryPool>& pool, DType dtype, const Shape& shape) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(dtype, shape));
  PERCALE_ASSIGN_OR_RETURN(auto buffer, Buffer::allocate(pool, bytes));
  return view(std::move(buffer), 0, dtype, shape);
}

Tensor Tensor::rows(int64_t begin, int64_t end) const {
  Tensor out = *this;
  const int64_t row_bytes = shape_[0] == 0 ? 0 : bytes_ / shape_[0];
  out.shape_[0] = end - begin;
  out.data_ = static_cast<char*>(data_) + begin * row_bytes;
  out.bytes_ = (end - begin) * row_bytes;
  return out;
}

Result<Tensor> Tensor::view(std::shared_ptr<Buffer> buffer, int64_t offset, DType dtype, const Shape& shape) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(dtype, shape));
  if (offset < 0 || offset > buffer->bytes() || bytes > buffer->bytes() - offset) {
    return invalid_argument("a ", dtype, " tensor of shape ", shape, " needs ", bytes, " bytes, but the buffer has ",
                            buffer->bytes() - offset);
  }
  Tensor out;
  out.dtype_ = dtype;
  out.shape_ = shape;
  out.data_ = static_cast<std::byte*>(buffer->data()) + offset;
  out.bytes_ = bytes;
  out.buffer_ = std::move(buffer);
  return out;
}

Tensor Tensor::copy_of(DType dtype, const Shape& shape, const void* data, int64_t bytes) {
  Tensor out;
  out.dtype_ = dtype;
  out.shape_ = shape;
  out.buffer_ = Buffer::allocate_uncounted(bytes);
  out.data_ = out.buffer_->data();
  out.bytes_ = bytes;
  if (bytes > 0) std::memcpy(out.data_, data, static_cast<size_t>(bytes));
  return out;
}

Status check_elements(const Tensor& tensor) {
  if (tensor.dtype() != DType::kBool) return {};
  const auto* bytes = static_cast<const unsigned char*>(tensor.data());
  for (int64_t i = 0; i < tensor.bytes(); ++i) {
    if (bytes[i] > 1) return invalid_argument("element ", i, " must be 0 or 1, got ", static_cast<int32_t>(bytes[i]));
  }
  return {};
}

std::vector<int64_t> to_int64s(const Tensor& tensor) {
  if (tensor.dtype() == DType::kI32) {
    const auto values = tensor.span<int32_t>();
    return {values.begin(), values.end()};
  }
  const auto values = tensor.span<int64_t>();
  return {values.begin(), values.end()};
}

}  // namespace percale
