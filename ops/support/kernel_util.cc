#include "ops/support/kernel_util.h"

#include <cstring>

namespace percale {
namespace {

template <class T>
void copy_row_of(const Row& row) {
  const T* x = row.x<T>(0);
  T* y = row.y<T>();
  const int64_t stride = row.stride[0] / static_cast<int64_t>(sizeof(T));
  if (stride == 1) {
    if (x != y) std::memmove(y, x, static_cast<size_t>(row.n) * sizeof(T));
  } else if (stride == 0) {
    const T value = *x;
    for (int64_t i = 0; i < row.n; ++i) y[i] = value;
  } else {
    for (int64_t i = 0; i < row.n; ++i) y[i] = x[i * stride];
  }
}

}  // namespace

std::array<int64_t, kMaxRank> contiguous_strides(const Shape& shape, int64_t item) {
  std::array<int64_t, kMaxRank> out{};
  int64_t stride = item;
  for (size_t d = shape.rank(); d-- > 0;) {
    out[d] = stride;
    if (shape[d] > 0) stride *= shape[d];
  }
  return out;
}

std::array<int64_t, kMaxRank> broadcast_strides(const Shape& shape, const Shape& out, int64_t item) {
  const auto own = contiguous_strides(shape, item);
  std::array<int64_t, kMaxRank> strides{};
  const size_t shift = out.rank() - shape.rank();
  for (size_t d = 0; d < shape.rank(); ++d) strides[d + shift] = shape[d] == 1 ? 0 : own[d];
  return strides;
}

StridedLoop StridedLoop::make(const Shape& shape, std::span<const std::array<int64_t, kMaxRank>> given) {
  StridedLoop loop;
  loop.operands = given.size();
  loop.total = shape.num_elements();
  size_t rank = 0;
  for (size_t d = 0; d < shape.rank(); ++d) {
    if (shape[d] == 1) continue;
    // Merge a dim into the previous one if every operand steps over both as over one dim.
    bool joins = rank > 0;
    for (size_t k = 0; joins && k < given.size(); ++k) {
      joins = loop.strides[rank - 1][k] == given[k][d] * shape[d];
    }
    if (joins) {
      loop.dims[rank - 1] *= shape[d];
    } else {
      loop.dims[rank++] = shape[d];
    }
    for (size_t k = 0; k < given.size(); ++k) loop.strides[rank - 1][k] = given[k][d];
  }
  loop.rank = rank > 0 ? rank : 1;  // dims[0] is initialised to 1
  return loop;
}

StridedLoop StridedLoop::broadcast(const Shape& out, std::span<const Shape> inputs, std::span<const int64_t> items) {
  std::array<std::array<int64_t, kMaxRank>, kMaxLoopOperands> strides;
  strides[0] = contiguous_strides(out, items[0]);
  for (size_t i = 0; i < inputs.size(); ++i) strides[i + 1] = broadcast_strides(inputs[i], out, items[i + 1]);
  return make(out, std::span(strides).first(inputs.size() + 1));
}

MapPlan make_map(const NodeView& node, size_t num_inputs, RowFn row, std::array<double, 4> params) {
  std::array<Shape, 4> shapes;
  std::array<int64_t, kMaxLoopOperands> items{};
  items[0] = item_bytes(node.outputs[0].dtype);
  for (size_t i = 0; i < num_inputs; ++i) {
    shapes[i] = node.shape(i);
    items[i + 1] = item_bytes(node.dtype(i));
  }
  return {StridedLoop::broadcast(node.output_shape(0), std::span(shapes).first(num_inputs), items), row, params,
          &node.numerics.functions(), num_inputs};
}

void run_map(const MapPlan& plan, const Launch& launch) {
  plan.loop.run_parallel(launch.parallel(), [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t first) {
    Row row;
    row.n = n;
    row.first = first;
    for (size_t i = 0; i < plan.num_inputs; ++i) {
      row.in[i] = launch.in<char>(i) + offsets[i + 1];
      row.stride[i] = plan.loop.strides[plan.loop.rank - 1][i + 1];
    }
    row.out = launch.out<char>(0) + offsets[0];
    row.params = plan.params.data();
    row.functions = plan.functions;
    row.launch = &launch;
    plan.row(row);
  });
}

Status add_cpu_kernels(Registry& registry, std::initializer_list<Kernel> kernels) {
  for (const Kernel& kernel : kernels) PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", kernel));
  return {};
}

RowFn copy_row(int64_t item) {
  switch (item) {
    case 1: return copy_row_of<uint8_t>;
    case 2: return copy_row_of<uint16_t>;
    case 4: return copy_row_of<uint32_t>;
    case 8: return copy_row_of<uint64_t>;
    default: return nullptr;
  }
}

}  // namespace percale
