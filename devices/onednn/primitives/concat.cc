// Concatenation.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

// Tensors whose elements are contiguous along the axis. Each result row consists of one row of each
// input.
struct Rows {
  int64_t count;
  std::vector<size_t> bytes;  // of a row, for each input

  size_t width() const { return std::accumulate(bytes.begin(), bytes.end(), size_t{0}); }

  void run(const percale_host_api& host, const percale_launch& launch) const {
    const int64_t most = std::max(int64_t{1}, (int64_t{1} << 15) / static_cast<int64_t>(width()));
    in_parallel(host, launch.run, (count + most - 1) / most,
                [&](int64_t piece) { copy(launch, piece * most, std::min(count, (piece + 1) * most)); });
  }

 private:
  // Copies narrow rows in steps of a fixed size. Bytes written beyond a part are overwritten by the
  // next part or the next row, and bytes read beyond it belong to the same input. The last rows are
  // copied exactly.
  void copy(const percale_launch& launch, int64_t first, int64_t last) const {
    constexpr size_t kStep = 32, kWide = 256;
    const size_t row = width();
    const auto exact = static_cast<int64_t>(kStep / *std::min_element(bytes.begin(), bytes.end()) + 1);
    auto* to = static_cast<char*>(launch.operands[bytes.size()]) + static_cast<size_t>(first) * row;
    for (int64_t r = first; r < last; ++r) {
      const bool inside = r + exact < last;
      for (size_t i = 0; i < bytes.size(); ++i) {
        const size_t n = bytes[i];
        const char* from = static_cast<const char*>(launch.operands[i]) + static_cast<size_t>(r) * n;
        if (inside && n <= kWide) {
          for (size_t at = 0; at < n; at += kStep) std::memcpy(to + at, from + at, kStep);
        } else {
          std::memcpy(to, from, n);
        }
        to += n;
      }
    }
  }
};

}  // namespace

void prepare_concat(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const Dims y = node.output_dims();
  const char* model = nullptr;  // the format for all tensors
  for (size_t i = 0; i < node.inputs(); ++i) {
    refuse_if(is_empty(node.dims(i)), "an operand has no elements");
    if (model == nullptr) model = node.layout(i);
  }
  const DataType type = model != nullptr ? data_type(node.dtype(0)) : float_type(node.dtype(0));
  refuse_if(model == nullptr && type == DataType::f32,
            "the inputs are row-major, where the core's own kernel is as fast");
  const MemoryDesc like = model != nullptr ? decode(model).in_format : row_major(y, type);
  refuse_if(!is_strided(like) || like.get_ndims() != static_cast<int>(y.size()), "the format has inner blocks");
  int64_t axis = node.attribute("axis", int64_t{0});
  if (axis < 0) axis += static_cast<int64_t>(y.size());
  const auto along = static_cast<size_t>(axis);
  if (model != nullptr && ordered_like(like, y, type).get_strides()[along] == 1) {
    if (!plan.is_taken()) return;
    const auto ask = [&](size_t operand, const Dims& dims) {
      const MemoryDesc desc = ordered_like(like, dims, type), plain = row_major(dims, type);
      if (!same_bytes(desc, plain)) plan.require_format(operand, encode({desc, plain}), desc.get_size());
    };
    Rows rows{elements(y) / y[along], {}};
    for (size_t i = 0; i < node.inputs(); ++i) {
      ask(i, node.dims(i));
      rows.bytes.push_back(static_cast<size_t>(node.dims(i)[along]) * dnnl::memory::data_type_size(type));
    }
    ask(node.inputs(), y);
    steps.function = [&host = node.host(), rows](const percale_launch& launch) { rows.run(host, launch); };
    return;
  }
  plan.add(steps, pieces_for(32.0 * static_cast<double>(elements(y))), [&](bool formats) {
    const auto desc = [&](const Dims& dims) {
      return formats ? ordered_like(like, dims, type) : row_major(dims, type);
    };
    std::vector<MemoryDesc> from;
    for (size_t i = 0; i < node.inputs(); ++i) from.push_back(desc(node.dims(i)));
    const dnnl::concat::primitive_desc primitive(cpu_engine(), desc(y), static_cast<int>(axis), from, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return dnnl::concat(primitive); }, primitive.scratchpad_desc(), {}};
    for (size_t i = 0; i < from.size(); ++i) {
      made.add(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), static_cast<int>(i), from[i], node.dims(i));
    }
    made.add(DNNL_ARG_DST, static_cast<int>(node.inputs()), primitive.dst_desc(), y);
    return made;
  });
}

}  // namespace percale::onednn
