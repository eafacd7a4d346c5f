// Element types and dims of lists of values, as tables of the host give them.
#ifndef PERCALE_C_API_HOST_TYPES_H_
#define PERCALE_C_API_HOST_TYPES_H_

#include <vector>

#include "c_api/include/percale.h"
#include "core/registry/shape_context.h"

namespace percale::c_api {

// PERCALE_DTYPE_INVALID past the end.
inline percale_dtype dtype_at(const std::vector<ValueType>& types, size_t i) {
  return i < types.size() ? static_cast<percale_dtype>(types[i].dtype) : PERCALE_DTYPE_INVALID;
}

// Never null. Rank 0 past the end, SIZE_MAX if it is unknown.
inline const int64_t* dims_at(const std::vector<ValueType>& types, size_t i, size_t* out_rank) {
  static constexpr int64_t kNone[kMaxRank] = {};
  const bool there = i < types.size();
  if (out_rank != nullptr) *out_rank = !there ? 0 : types[i].shape.known_rank() ? types[i].shape.rank() : SIZE_MAX;
  return there ? types[i].shape.begin() : kNone;
}

inline const void* data_or_null(const Tensor* tensor) { return tensor == nullptr ? nullptr : tensor->data(); }

}  // namespace percale::c_api

#endif  // PERCALE_C_API_HOST_TYPES_H_
