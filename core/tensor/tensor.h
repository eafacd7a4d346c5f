// A tensor: dtype, shape and shared, contiguous, row-major memory.
#ifndef PERCALE_CORE_TENSOR_TENSOR_H_
#define PERCALE_CORE_TENSOR_TENSOR_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/tensor/shape.h"

namespace percale {

// A cheap value type: copies share the memory. Empty tensors have a non-null data pointer.
// Thread-compatible: a writer to the memory must be its only user at that time.
class Tensor {
 public:
  // An undefined tensor: dtype kInvalid, no memory.
  Tensor() = default;

  // Allocates memory from `pool`; contents are undefined.
  static Result<Tensor> allocate(const std::shared_ptr<MemoryPool>& pool, DType dtype, const Shape& shape);
  // Returns a view of `buffer` from byte `offset` on. An error if the tensor does not fit.
  static Result<Tensor> view(std::shared_ptr<Buffer> buffer, int64_t offset, DType dtype, const Shape& shape);
  // Create small tensors from elements. No pool counts their memory.
  template <class T>
  static Tensor scalar(T value) {
    return of<T>(Shape{}, std::span<const T>(&value, 1));
  }
  template <class T>
  static Tensor vector(std::span<const T> values) {
    return of<T>(Shape{static_cast<int64_t>(values.size())}, values);
  }
  // Precondition: shape.num_elements() == values.size().
  template <class T>
  static Tensor of(const Shape& shape, std::span<const T> values) {
    return copy_of(dtype_of<T>, shape, values.data(), static_cast<int64_t>(values.size_bytes()));
  }
  // Copies `bytes` bytes into memory that no pool counts.
  static Tensor copy_of(DType dtype, const Shape& shape, const void* data, int64_t bytes);

  bool defined() const { return buffer_ != nullptr; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return shape_.num_elements(); }
  int64_t bytes() const { return bytes_; }
  void* data() const { return data_; }
  // Precondition of both spans: dtype() == dtype_of<T>.
  template <class T>
  std::span<T> mutable_span() const {
    return {static_cast<T*>(data_), static_cast<size_t>(num_elements())};
  }
  template <class T>
  std::span<const T> span() const {
    return {static_cast<const T*>(data_), static_cast<size_t>(num_elements())};
  }
  // Returns a tensor with the same memory and another shape. Precondition: equal number of
  // elements.
  Tensor reshaped(const Shape& shape) const {
    Tensor out = *this;
    out.shape_ = shape;
    return out;
  }
  // Returns rows [begin, end) of the first dim, in the same memory. Precondition: 0 <= begin <= end
  // <= shape()[0].
  Tensor rows(int64_t begin, int64_t end) const;
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }

 private:
  DType dtype_ = DType::kInvalid;
  Shape shape_;
  std::shared_ptr<Buffer> buffer_;
  void* data_ = nullptr;
  int64_t bytes_ = 0;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Checks the elements of a tensor from an untrusted source: an error if a bool tensor contains a
// byte other than 0 and 1. Other dtypes accept every byte.
Status check_elements(const Tensor& tensor);

// Returns the elements of an i32 or i64 tensor as i64. Used for shapes, axes and indices.
std::vector<int64_t> to_int64s(const Tensor& tensor);

}  // namespace percale

#endif  // PERCALE_CORE_TENSOR_TENSOR_H_
