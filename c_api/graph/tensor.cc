#include <cstring>

#include "c_api/engine.h"
#include "c_api/handles.h"

using namespace percale;
using namespace percale::c_api;

namespace {

// The shape of a tensor that has memory: every dim known, elements of a fixed size.
Result<Shape> memory_shape(const char* function, DType dtype, const int64_t* dims, size_t rank) {
  PERCALE_ASSIGN_OR_RETURN(Shape shape, shape_of(function, dims, rank));
  if (!shape.is_static()) return invalid_argument(function, ": a tensor needs known dims, got ", shape);
  if (dtype_bits(dtype) == 0) return unimplemented(function, ": tensors of ", dtype);
  return shape;
}

}  // namespace

percale_status* percale_tensor_create(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank,
                                      percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_tensor)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, memory_shape(function, type, dims, rank));
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(engine->engine->memory(), type, shape));
    populate(tensor.data(), tensor.bytes());
    std::memset(tensor.data(), 0, static_cast<size_t>(tensor.bytes()));
    *out_tensor = new percale_tensor(std::move(tensor));
    return {};
  });
}

percale_status* percale_tensor_from_memory(percale_dtype dtype, const int64_t* dims, size_t rank, void* data,
                                           size_t bytes, percale_deleter deleter, void* user,
                                           percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(data), NEEDS(out_tensor)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, memory_shape(function, type, dims, rank));
    PERCALE_ASSIGN_OR_RETURN(const int64_t needed, byte_size(type, shape));
    if (static_cast<uint64_t>(needed) > bytes) {
      return invalid_argument(function, ": a ", type, " tensor of shape ", shape, " needs ", needed,
                              " bytes, the memory has ", uint64_t{bytes});
    }
    return borrow(function, type, shape, data, deleter, user, out_tensor);
  });
}

percale_tensor* percale_tensor_retain(percale_tensor* tensor) { return retain(tensor); }

void percale_tensor_release(percale_tensor* tensor) { release(tensor); }

percale_dtype percale_tensor_dtype(const percale_tensor* tensor) {
  return tensor == nullptr ? PERCALE_DTYPE_INVALID : static_cast<percale_dtype>(tensor->tensor.dtype());
}

size_t percale_tensor_rank(const percale_tensor* tensor) {
  return tensor == nullptr ? 0 : tensor->tensor.shape().rank();
}

const int64_t* percale_tensor_get_dims(const percale_tensor* tensor) {
  static constexpr int64_t kNoDims[kMaxRank] = {};
  return tensor == nullptr ? kNoDims : tensor->tensor.shape().begin();
}

size_t percale_tensor_bytes(const percale_tensor* tensor) {
  return tensor == nullptr ? 0 : static_cast<size_t>(tensor->tensor.bytes());
}

int64_t percale_tensor_element_count(const percale_tensor* tensor) {
  return tensor == nullptr ? 0 : tensor->tensor.num_elements();
}

void* percale_tensor_get_data(const percale_tensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->tensor.data();
}
