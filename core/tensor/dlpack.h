// The structs of DLPack 1.x, written from its public ABI. They exchange tensors with other
// libraries without a copy. The names are DLPack's.
#ifndef PERCALE_CORE_TENSOR_DLPACK_H_
#define PERCALE_CORE_TENSOR_DLPACK_H_

#include <cstdint>
#include <optional>

#include "core/tensor/dtype.h"

namespace percale::dlpack {

inline constexpr uint32_t kMajor = 1, kMinor = 0;
inline constexpr int32_t kCpu = 1;        // DLDeviceType
inline constexpr uint64_t kReadOnly = 1;  // flags of a managed tensor

enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

extern "C" {
struct DLPackVersion {
  uint32_t major, minor;
};
struct DLDevice {
  int32_t device_type, device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
};
}

// Convert between element types and DLPack's types. nullopt for types without a counterpart:
// strings, packed and 8-bit floating-point types.
std::optional<DLDataType> to_dlpack(DType dtype);
std::optional<DType> from_dlpack(DLDataType type);

}  // namespace percale::dlpack

#endif  // PERCALE_CORE_TENSOR_DLPACK_H_
