/// Tensors: memory of the engine, or memory of the host without a copy.
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

/// The DType of a C++ type. Specialize it for your own half type.
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

/// The dims of a shape, with -1 for an unknown dim: {32, 10}, a vector or a span.
class Dims {
 public:
  /// The dims are borrowed for the call.
  Dims(std::initializer_list<int64_t> dims) : dims_(dims.begin(), dims.size()) {}
  Dims(std::span<const int64_t> dims) : dims_(dims) {}
  Dims(const std::vector<int64_t>& dims) : dims_(dims) {}
  /// The dims in the form of the C ABI.
  const int64_t* data() const { return dims_.data(); }
  /// The rank.
  size_t size() const { return dims_.size(); }

 private:
  std::span<const int64_t> dims_;  // owned by the caller's arguments
};

/// Memory with a dtype and a shape. Thread-safe as a handle. While a thread writes to the memory,
/// no other may use the tensor.
class Tensor : public Handle<percale_tensor, percale_tensor_release> {
 public:
  using Handle::Handle;

  /// Creates a tensor of zeros in memory of the engine, aligned to 64 bytes.
  static Result<Tensor> create(const Engine& engine, DType dtype, Dims dims) {
    return detail::made<Tensor, percale_tensor>([&](percale_tensor** out) {
      return percale_tensor_create(engine.get(), static_cast<percale_dtype>(dtype), dims.data(), dims.size(), out);
    });
  }
  /// Creates a tensor over elements of the caller, without a copy. The elements must outlive the
  /// tensor and all objects that keep it, and must not change while they are read.
  template <class T>
  static Result<Tensor> borrow(std::span<T> data, Dims dims) {
    static_assert(kDTypeOf<T> != DType::kInvalid, "no DType is known for this type");
    return detail::made<Tensor, percale_tensor>([&](percale_tensor** out) {
      return percale_tensor_from_memory(static_cast<percale_dtype>(kDTypeOf<T>), dims.data(), dims.size(),
                                        const_cast<void*>(static_cast<const void*>(data.data())), data.size_bytes(),
                                        nullptr, nullptr, out);
    });
  }
  /// Creates a tensor that takes ownership of a vector, without a copy of its elements.
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
  /// Reads a NumPy .npy file.
  static Result<Tensor> load(const Engine& engine, Text path) {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_tensor_load(engine.get(), path.c_str(), out); });
  }
  /// Reads the bytes of a foreign format ("onnx": a TensorProto) through an importer plug-in.
  static Result<Tensor> import(const Engine& engine, Text format, std::span<const std::byte> bytes) {
    return detail::made<Tensor, percale_tensor>([&](percale_tensor** out) {
      return percale_tensor_import(engine.get(), format.c_str(), bytes.data(), bytes.size(), out);
    });
  }
  /// Takes ownership of a DLManagedTensorVersioned*. On failure the caller keeps it.
  static Result<Tensor> from_dlpack(void* managed) {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_tensor_from_dlpack(managed, out); });
  }
  /// Returns a DLManagedTensorVersioned* over the memory, which it keeps alive.
  Result<void*> to_dlpack() const {
    void* out = nullptr;
    if (percale_status* status = percale_tensor_to_dlpack(get(), &out)) return Status(status);
    return out;
  }
  /// Returns another owner of the same memory.
  Tensor share() const { return Tensor(percale_tensor_retain(get())); }
  /// Writes a NumPy .npy file.
  Status save(Text path) const { return Status(percale_tensor_save(get(), path.c_str())); }

  /// The type of the elements.
  DType dtype() const { return static_cast<DType>(percale_tensor_dtype(get())); }
  /// The number of dims.
  size_t rank() const { return percale_tensor_rank(get()); }
  /// The dims, borrowed from the tensor.
  std::span<const int64_t> dims() const { return {percale_tensor_get_dims(get()), rank()}; }
  /// The number of elements.
  int64_t size() const { return percale_tensor_element_count(get()); }
  /// The size of the memory in bytes.
  size_t bytes() const { return percale_tensor_bytes(get()); }
  /// The memory, row-major, borrowed.
  void* data() const { return percale_tensor_get_data(get()); }
  /// Returns the elements, borrowed. INVALID_ARGUMENT if the tensor has another dtype.
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
  /// Creates a tensor of zeros.
  static Result<TensorOf> create(const Engine& engine, Dims dims) {
    return from(Tensor::create(engine, kDTypeOf<T>, dims));
  }
  /// Like Tensor::borrow().
  static Result<TensorOf> borrow(std::span<T> data, Dims dims) { return from(Tensor::borrow(data, dims)); }
  /// Like Tensor::adopt().
  static Result<TensorOf> adopt(std::vector<T> data, Dims dims) { return from(Tensor::adopt(std::move(data), dims)); }
  /// Converts a tensor. INVALID_ARGUMENT if it has another dtype.
  static Result<TensorOf> from(Result<Tensor> tensor) {
    if (!tensor) return std::move(tensor).error();
    if (auto typed = tensor->template as<T>(); !typed) return std::move(typed).error();
    TensorOf out;
    out.reset(tensor->release());
    return out;
  }

  /// All elements, row-major, borrowed.
  std::span<T> span() const { return {static_cast<T*>(data()), static_cast<size_t>(size())}; }
  /// An element by its row-major index.
  T& operator[](size_t i) const { return span()[i]; }
  /// The first element.
  auto begin() const { return span().begin(); }
  /// Past the last element.
  auto end() const { return span().end(); }
};

}  // namespace percale

#endif  // PERCALE_CPP_TENSOR_HPP_
