#include "core/train/step/batch_binding.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace percale {
namespace {

template <class T>
Status widen(const Tensor& from, std::span<int64_t> to) {
  const auto values = from.span<T>();
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEnd = T{1} * (int64_t{1} << 62);
    for (const T value : values) {
      if (!(std::abs(value) < kEnd && std::trunc(value) == value)) {
        return invalid_argument("wanted whole numbers, the data has ", value);
      }
    }
  }
  std::ranges::transform(values, to.begin(), [](T value) { return static_cast<int64_t>(value); });
  return {};
}

// Converts class numbers and ids to i64. A tensor of another type stays as it is.
Result<Tensor> as_whole_numbers(const Tensor& from, const std::shared_ptr<MemoryPool>& memory) {
  using Widen = Status (*)(const Tensor&, std::span<int64_t>);
  const auto function = [&]() -> Widen {
    switch (from.dtype()) {
      case DType::kI32: return widen<int32_t>;
      case DType::kI16: return widen<int16_t>;
      case DType::kI8: return widen<int8_t>;
      case DType::kU32: return widen<uint32_t>;
      case DType::kU16: return widen<uint16_t>;
      case DType::kU8: return widen<uint8_t>;
      case DType::kF32: return widen<float>;
      case DType::kF64: return widen<double>;
      default: return nullptr;
    }
  }();
  if (function == nullptr) return from;
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(memory, DType::kI64, from.shape()));
  PERCALE_RETURN_IF_ERROR(function(from, {static_cast<int64_t*>(out.data()), static_cast<size_t>(out.num_elements())}));
  return out;
}

// The dims of a row of a batch that are not 1.
std::vector<int64_t> row_dims(const Shape& batch) {
  std::vector<int64_t> out;
  for (size_t i = 1; i < batch.rank(); ++i) {
    if (batch[i] != 1) out.push_back(batch[i]);
  }
  return out;
}

// True if numbers in row-major order mean the same in both: dims of 1 do not count, and a flat row
// fits any dims. Rows of [28, 28, 3] do not agree with [3, 28, 28], although they have as many
// numbers.
bool rows_agree(const Shape& a, const Shape& b) {
  const std::vector<int64_t> one = row_dims(a), other = row_dims(b);
  return one == other || one.size() < 2 || other.size() < 2;
}

// The end of a message: how to make a batch of this shape fit.
std::string remedy_for(const Shape& want, const Shape& batch) {
  if (!want.known_rank() || want.rank() != batch.rank()) return "";
  if (want[0] >= 0 && want[0] != batch[0] &&
      compatible(Shape{std::span(want.begin(), want.end()).subspan(1)},
                 Shape{std::span(batch.begin(), batch.end()).subspan(1)})) {
    return str_cat("; the model is made for batches of ", want[0],
                   ": free its batch dim with 'batch=?' ('with dims' of the graph, or 'percale import --dim batch=?')");
  }
  std::vector<int64_t> one = row_dims(want), other = row_dims(batch);
  std::ranges::sort(one);
  std::ranges::sort(other);
  return one == other ? "; map the data through a graph with a Transpose that puts its dims in this order" : "";
}

std::string list_of(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += str_cat(out.empty() ? "" : ", ", "'", n, "'");
  return out.empty() ? "nothing" : out;
}

// The tensor as the input wants it: its dtype, and its shape with the rows of the tensor.
Result<Tensor> fit(const std::string& input, const ValueType& want, Tensor tensor,
                   const std::shared_ptr<MemoryPool>& memory) {
  if (tensor.defined() && want.dtype == DType::kI64) {
    auto whole = as_whole_numbers(tensor, memory);
    if (!whole.ok()) return whole.status().with_context(str_cat("input '", input, "' (i64)"));
    tensor = *std::move(whole);
  }
  if (!tensor.defined() || tensor.dtype() != want.dtype) {
    return invalid_argument("input '", input, "' is ", want.dtype, ", the data ", tensor.dtype(),
                            "; a graph with a Cast, which the data set is mapped through, converts it");
  }
  if (tensor.shape().rank() == 0) return invalid_argument("input '", input, "': the data has no rows");
  return tensor;
}

Result<Tensor> reshape(const std::string& input, const ValueType& want, const Tensor& tensor) {
  if (compatible(want.shape, tensor.shape())) return tensor;
  const int64_t rows = tensor.shape()[0];
  Shape shape = want.shape;
  if (shape.known_rank() && shape.rank() > 0 && (shape[0] < 0 || shape[0] == rows)) shape[0] = rows;
  if (!shape.is_static() || !byte_size(want.dtype, shape).ok() || shape.num_elements() != tensor.num_elements() ||
      !rows_agree(shape, tensor.shape())) {
    return invalid_argument("input '", input, "' has shape ", want.shape, ", the data ", tensor.shape(),
                            remedy_for(want.shape, tensor.shape()));
  }
  return tensor.reshaped(shape);
}

}  // namespace

Result<BoundBatch> bind_batch(const Function& f, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                              const std::shared_ptr<MemoryPool>& memory) {
  BoundBatch out;
  // A missing column is reported before another column's wrong dtype: it says more.
  for (const std::string& input : inputs) {
    if (std::ranges::find(names, input) != names.end()) continue;
    return invalid_argument("the model needs an input '", input, "', which the data lacks: it has ", list_of(names));
  }
  for (const std::string& input : inputs) {
    const auto at = static_cast<size_t>(std::ranges::find(names, input) - names.begin());
    const ValueType& want = f.type(f.find_value(input));
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, fit(input, want, batch[at], memory));
    const int64_t rows = tensor.shape()[0];
    if (out.feeds.empty()) out.rows = rows;
    if (rows != out.rows) {
      return invalid_argument("input '", input, "' has ", rows, " rows, '", inputs[0], "' ", out.rows);
    }
    PERCALE_ASSIGN_OR_RETURN(out.feeds.emplace_back(), reshape(input, want, tensor));
  }
  return out;
}

Result<Tensor> rows_of(const Tensor& tensor, const ShardRows& rows, const std::shared_ptr<MemoryPool>& memory) {
  Shape shape = tensor.shape();
  const int64_t all = shape[0];
  if (rows.begin == 0 && rows.end == all) return tensor;
  const int64_t row_bytes = tensor.bytes() / all;
  shape[0] = rows.end - rows.begin;
  const auto* from = static_cast<const char*>(tensor.data()) + rows.begin * row_bytes;
  if (reinterpret_cast<uintptr_t>(from) % kAlignment == 0) {
    return Tensor::view(tensor.buffer(), from - static_cast<const char*>(tensor.buffer()->data()), tensor.dtype(),
                        shape);
  }
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::allocate(memory, tensor.dtype(), shape));
  std::memcpy(out.data(), from, static_cast<size_t>(out.bytes()));
  return out;
}

}  // namespace percale
