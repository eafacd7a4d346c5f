// Attributes of the core as plug-ins see them, and back.
#ifndef PERCALE_C_API_HOST_ATTRIBUTES_H_
#define PERCALE_C_API_HOST_ATTRIBUTES_H_

#include "c_api/include/percale_plugin.h"
#include "core/registry/attributes.h"
#include "core/tensor/shape.h"

namespace percale::c_api {

// A percale_attributes is an Attributes under an opaque name.
inline const percale_attributes* view_of(const Attributes& attributes) {
  return reinterpret_cast<const percale_attributes*>(&attributes);
}

// Attributes that a plug-in gives. INVALID_ARGUMENT for an attribute without name or value, and for
// the kinds TENSOR and FUNCTION.
Result<Attributes> attributes_of(const percale_attribute* attributes, size_t count);

// Sets `dims` and `rank` of a struct of the interface. `shape` must outlive it.
template <class Info>
void set_dims(const Shape& shape, Info& info) {
  info.dims = shape.begin();
  info.rank = shape.known_rank() ? shape.rank() : SIZE_MAX;
}
template <class Info>
void set_tensor(const Tensor& tensor, Info& info) {
  info.dtype = static_cast<percale_dtype>(tensor.dtype());
  set_dims(tensor.shape(), info);
  info.data = tensor.data();
  info.bytes = static_cast<uint64_t>(tensor.bytes());
}

}  // namespace percale::c_api

#endif  // PERCALE_C_API_HOST_ATTRIBUTES_H_
