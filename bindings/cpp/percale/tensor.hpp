/// Tensors: memory of the engine, or the host's own without a copy.
#ifndef PERCALE_CPP_TENSOR_HPP_
#define PERCALE_CPP_TENSOR_HPP_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/engine.hpp"

namespace percale {

/// The DType of a C++ type; specialise it for a half type of your own.
template <class T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <>
inline constexpr DType kDTypeOf<float> = DType::kF32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kF64;
template <>
inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kI8;
template <>
inline constexpr DType kDTypeOf<int16_t> = DType::kI16;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kI32;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kI64;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kU8;
template <>
inline constexpr DType kDTypeOf<uint16_t> = DType::kU16;
template <>
inline constexpr DType kDTypeOf<uint32_t> = DType::kU32;
template <>
inline constexpr DType kDTypeOf<uint64_t> = DType::kU64;
template <class T>
inline constexpr DType kDTypeOf<const T> = kDTypeOf<T>;

/// dims of a shape, -1 = unknown: {32, 10}, a vector or a span.
class Dims {
 public:
  /// Borrowed for the call.
  Dims(std::initializer_list<int64_t> dims) : dims_(dims.begin(), dims.size()) {}
  Dims(std::span<const int64_t> dims) : dims_(dims) {}
  Dims(const std::vector<int64_t>& dims) : dims_(dims) {}
  /// For calls of the C ABI.
  const int64_t* data() const { return dims_.data(); }
  /// The rank.
  size_t size() const { return dims_.size(); }

 private:
  std::span<const int64_t> dims_;  // of the call's arguments
};

/// thread-safe as a handle; whoever writes to its memory must be its only user at that time.
class Tensor : public Handle<percale_tensor, percale_tensor_release> {
 public:
  using Handle::Handle;

  /// Zeros in the engine's memory, 64-byte aligned.
  static Result<Tensor> create(const Engine& engine, DType dtype, Dims dims) {
    return detail::made<Tensor, percale_tensor>([&](percale_tensor** out) {
      return percale_tensor_create(engine.get(), static_cast<percale_dtype>(dtype), dims.data(), dims.size(), out);
    });
  }
  /// Over the caller's elements, without a copy: they must outlive the tensor and all that keeps it, and stay as they are
  /// while somebody reads it.
  template <class T>
  static Result<Tensor> borrow(std::span<T> data, Dims dims) {
    static_assert(kDTypeOf<T> != DType::kInvalid, "no DType is known for this type");
    return detail::made<Tensor, percale_tensor>([&](percale_tensor** out) {
      return percale_tensor_from_memory(static_cast<percale_dtype>(kDTypeOf<T>), dims.data(), dims.size(),
                                        const_cast<void*>(static_cast<const void*>(data.data())), data.size_bytes(),
                                        nullptr, nullptr, out);
    });
  }
  /// Over a vector that the tensor owns from now on, without a copy of its elements.
  template <class T>
  static Result<Tensor> adopt(std::vector<T> data, Dims dims) {
    auto kept = std::make_unique<std::vector<T>>(std::move(data));
    const std::span<T> elements(*kept);
    auto out = detail::made<Tensor, percale_tensor>([&](percale_tensor** tensor) {
      return percale_tensor_from_memory(
          static_cast<percale_dtype>(kDTypeOf<T>), dims.data(), dims.size(), elements.data(), elements.size_bytes(),
          [](void* user, void*) { delete static_cast<std::vector<T>*>(user); }, kept.get(), tensor);
    });
    if (out) (void)kept.release();
    return out;
  }
  /// A NumPy .npy file.
  static Result<Tensor> load(const Engine& engine, Text path) {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_tensor_load(engine.get(), path.c_str(), out); });
  }
  /// Bytes of a foreign format ("onnx": a TensorProto) through an importer plug-in.
  static Result<Tensor> import(const Engine& engine, Text format, std::span<const std::byte> bytes) {
    return detail::made<Tensor, percale_tensor>([&](percale_tensor** out) {
      return percale_tensor_import(engine.get(), format.c_str(), bytes.data(), bytes.size(), out);
    });
  }
  /// Takes a DLManagedTensorVersioned* over; on failure the caller keeps it.
  static Result<Tensor> from_dlpack(void* managed) {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_tensor_from_dlpack(managed, out); });
  }
  /// A DLManagedTensorVersioned* over the memory, which it keeps alive.
  Result<void*> to_dlpack() const {
    void* out = nullptr;
    if (percale_status* status = percale_tensor_to_dlpack(get(), &out)) return Status(status);
    return out;
  }
  /// One more owner of the same memory.
  Tensor share() const { return Tensor(percale_tensor_retain(get())); }
  /// Writes a NumPy .npy file.
  Status save(Text path) const { return Status(percale_tensor_save(get(), path.c_str())); }

  /// Of the elements.
  DType dtype() const { return static_cast<DType>(percale_tensor_dtype(get())); }
  /// How many dims there are.
  size_t rank() const { return percale_tensor_rank(get()); }
  /// Borrowed from the tensor.
  std::span<const int64_t> dims() const { return {percale_tensor_get_dims(get()), rank()}; }
  /// How many elements there are.
  int64_t size() const { return percale_tensor_element_count(get()); }
  /// How much memory they take.
  size_t bytes() const { return percale_tensor_bytes(get()); }
  /// Row-major memory, borrowed.
  void* data() const { return percale_tensor_get_data(get()); }
  /// The elements, borrowed; INVALID_ARGUMENT when the tensor has another dtype.
  template <class T>
  Result<std::span<T>> as() const {
    static_assert(kDTypeOf<T> != DType::kInvalid, "no DType is known for this type");
    if (dtype() != kDTypeOf<T>) {
      return Status(Code::kInvalidArgument, std::string("the tensor is ") + std::string(name_of(dtype())) +
                                                ", wanted are elements of " + std::string(name_of(kDTypeOf<T>)));
    }
    return std::span<T>(static_cast<T*>(data()), static_cast<size_t>(size()));
  }
};

/// A tensor whose element type is known at compile time.
template <class T>
class TensorOf : public Tensor {
  static_assert(kDTypeOf<T> != DType::kInvalid, "no DType is known for this type");

 public:
  TensorOf() = default;
  /// Zeros.
  static Result<TensorOf> create(const Engine& engine, Dims dims) {
    return from(Tensor::create(engine, kDTypeOf<T>, dims));
  }
  /// As Tensor::borrow().
  static Result<TensorOf> borrow(std::span<T> data, Dims dims) { return from(Tensor::borrow(data, dims)); }
  /// As Tensor::adopt().
  static Result<TensorOf> adopt(std::vector<T> data, Dims dims) { return from(Tensor::adopt(std::move(data), dims)); }
  /// INVALID_ARGUMENT when the tensor has another dtype.
  static Result<TensorOf> from(Result<Tensor> tensor) {
    if (!tensor) return std::move(tensor).error();
    if (auto typed = tensor->template as<T>(); !typed) return std::move(typed).error();
    TensorOf out;
    out.reset(tensor->release());
    return out;
  }

  /// All elements, row-major; borrowed.
  std::span<T> span() const { return {static_cast<T*>(data()), static_cast<size_t>(size())}; }
  /// Row-major.
  T& operator[](size_t i) const { return span()[i]; }
  /// The first element.
  auto begin() const { return span().begin(); }
  /// Behind the last one.
  auto end() const { return span().end(); }
};

}  // namespace percale

#endif  // PERCALE_CPP_TENSOR_HPP_
