#include "c_api/api.h"

#include <algorithm>

namespace percale::c_api {

Status in_shared_words(const char* function, Status status) {
  constexpr std::string_view kPrefix = "percale_";
  const std::string_view name = function;
  if (status.ok() || !status.message().starts_with(name)) return status;
  std::string words(name.substr(kPrefix.size()));
  std::ranges::replace(words, '_', ' ');
  return Status(status.code(), words.append(status.message().substr(name.size())));
}

Result<std::vector<std::string>> names_of(const char* function, const char* argument, const char* const* names,
                                          size_t count) {
  PERCALE_RETURN_IF_ERROR(check_array(function, argument, names, count));
  return count == 0 ? std::vector<std::string>() : std::vector<std::string>(names, names + count);
}

Result<DType> dtype_of_number(const char* function, percale_dtype dtype) {
  if (!is_valid_dtype(dtype)) return invalid_argument(function, ": ", dtype, " is no dtype");
  return static_cast<DType>(dtype);
}

Result<Shape> shape_of(const char* function, const int64_t* dims, size_t rank) {
  if (dims == nullptr && rank > 0) return invalid_argument(function, ": 'dims' is NULL");
  if (rank > kMaxRank) {
    return invalid_argument(function, ": rank ", uint64_t{rank}, " exceeds ", uint64_t{kMaxRank});
  }
  auto shape = rank == 0 ? Result<Shape>(Shape{}) : Shape::make({dims, rank});
  if (!shape.ok()) return shape.status().with_context(function);
  return shape;
}

void write_shape(const Shape& shape, int64_t* out_dims, size_t* out_rank) {
  *out_rank = shape.known_rank() ? shape.rank() : SIZE_MAX;
  std::copy(shape.begin(), shape.end(), out_dims);
}

}  // namespace percale::c_api
