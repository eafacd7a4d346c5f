// Tensors over other people's memory: a pointer with a deleter, and DLPack in both directions.
#include <array>

#include "c_api/handles.h"
#include "core/tensor/dlpack.h"

using namespace percale;
using namespace percale::c_api;

namespace percale::c_api {

struct HostMemory::Lease {
  percale_deleter deleter;
  void* user;
  bool armed = false;

  static void end(void* self, void* data) {
    auto* lease = static_cast<Lease*>(self);
    if (lease->armed && lease->deleter != nullptr) {
      const CallbackScope scope(Callback::kClosed);
      lease->deleter(lease->user, data);
    }
    delete lease;
  }
};

HostMemory::HostMemory(void* data, int64_t bytes, percale_deleter deleter, void* user) {
  auto lease = std::make_unique<Lease>(Lease{deleter, user});
  buffer_ = Buffer::wrap(data, bytes, &Lease::end, lease.get());
  lease_ = lease.release();
}

void HostMemory::take_over() { lease_->armed = true; }

Status borrow(const char* function, DType dtype, const Shape& shape, void* data, percale_deleter deleter, void* user,
              percale_tensor** out_tensor) {
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  const int64_t bits = dtype_bits(dtype), alignment = bits < 8 ? 1 : bits / (complex ? 16 : 8);
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(alignment) != 0) {
    return invalid_argument(function, ": the memory is not aligned to the ", alignment, " bytes of ", dtype);
  }
  PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(dtype, shape));
  auto handle = std::make_unique<percale_tensor>(Tensor{});
  HostMemory memory(data, bytes, deleter, user);
  PERCALE_ASSIGN_OR_RETURN(handle->tensor, Tensor::view(memory.buffer(), 0, dtype, shape));
  memory.take_over();
  *out_tensor = handle.release();
  return {};
}

namespace {

// The owner of a DLManagedTensorVersioned that was given to a host.
struct Lent {
  dlpack::DLManagedTensorVersioned managed;
  percale_tensor* tensor;
  std::array<int64_t, kMaxRank> dims, strides;
};

bool is_row_major(const dlpack::DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t stride = 1;  // does not overflow: the size in bytes was checked
  for (int32_t i = tensor.ndim; i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

}  // namespace
}  // namespace percale::c_api

percale_status* percale_tensor_to_dlpack(percale_tensor* tensor, void** out_managed) {
  clear(out_managed);
  return guarded(__func__, {NEEDS(tensor), NEEDS(out_managed)}, [&, function = __func__]() -> Status {
    const Shape& shape = tensor->tensor.shape();
    const auto type = dlpack::to_dlpack(tensor->tensor.dtype());
    if (!type) return unimplemented(function, ": DLPack has no ", tensor->tensor.dtype());
    auto* lent = new Lent{};
    lent->tensor = retain(tensor);
    std::copy(shape.begin(), shape.end(), lent->dims.begin());
    int64_t stride = 1;
    for (size_t i = shape.rank(); i-- > 0;) {
      lent->strides[i] = stride;
      if (tensor->tensor.bytes() > 0) stride *= shape[i];
    }
    lent->managed.version = {dlpack::kMajor, dlpack::kMinor};
    lent->managed.manager_ctx = lent;
    lent->managed.deleter = [](dlpack::DLManagedTensorVersioned* self) {
      auto* mine = static_cast<Lent*>(self->manager_ctx);
      release(mine->tensor);
      delete mine;
    };
    lent->managed.dl_tensor = {tensor->tensor.data(),
                               {dlpack::kCpu, 0},
                               static_cast<int32_t>(shape.rank()),
                               *type,
                               lent->dims.data(),
                               lent->strides.data(),
                               0};
    *out_managed = &lent->managed;
    return {};
  });
}

percale_status* percale_tensor_from_dlpack(void* managed, percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(managed), NEEDS(out_tensor)}, [&, function = __func__]() -> Status {
    auto* lent = static_cast<dlpack::DLManagedTensorVersioned*>(managed);
    if (lent->version.major != dlpack::kMajor) {
      return unimplemented(function, ": DLPack version ", lent->version.major, ", wanted ", dlpack::kMajor);
    }
    const dlpack::DLTensor& from = lent->dl_tensor;
    if (from.device.device_type != dlpack::kCpu) {
      return unimplemented(function, ": a tensor of device type ", from.device.device_type,
                           "; only host memory (1) can be taken over");
    }
    const auto dtype = dlpack::from_dlpack(from.dtype);
    if (!dtype) {
      return unimplemented(function, ": DLPack type code ", int32_t{from.dtype.code}, " of ", int32_t{from.dtype.bits},
                           " bits and ", int32_t{from.dtype.lanes}, " lanes");
    }
    if (from.ndim < 0) return invalid_argument(function, ": rank ", from.ndim);
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, shape_of(function, from.shape, static_cast<size_t>(from.ndim)));
    if (!shape.is_static()) return invalid_argument(function, ": a tensor needs known dims, got ", shape);
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(*dtype, shape));
    if (bytes > 0 && !is_row_major(from)) {
      return unimplemented(function, ": strides that are not row-major, of shape ", shape);
    }
    if (from.data == nullptr && bytes > 0) return invalid_argument(function, ": the tensor has no data");
    // An empty tensor's pointer is never read, but must not be null.
    void* data = from.data == nullptr ? static_cast<void*>(lent) : static_cast<char*>(from.data) + from.byte_offset;
    return borrow(
        function, *dtype, shape, data,
        [](void* user, void*) {
          auto* self = static_cast<dlpack::DLManagedTensorVersioned*>(user);
          if (self->deleter != nullptr) self->deleter(self);
        },
        lent, out_tensor);
  });
}
