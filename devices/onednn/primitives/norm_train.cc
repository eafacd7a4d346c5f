// Batch normalisation in training and the gradients of normalisations. The ops store no statistics,
// so the gradients recompute them: a forward primitive runs first and writes its result into the
// memory of dX.
#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

using dnnl::batch_normalization_backward;
using dnnl::batch_normalization_forward;
using dnnl::layer_normalization_backward;
using dnnl::layer_normalization_forward;
using dnnl::normalization_flags;

enum Slot { kMean, kVariance };
const auto kScaleAndShift = normalization_flags::use_scale | normalization_flags::use_shift;
constexpr auto kTraining = dnnl::prop_kind::forward_training;

// Returns the format of `a`, else that of `b`. Throws a Refusal if the core's own kernel is as
// fast.
const char* format_of(const Node& node, size_t a, size_t b) {
  const char* format = node.layout(a) != nullptr ? node.layout(a) : node.layout(b);
  refuse_if(format == nullptr && node.dtype(a) == PERCALE_DTYPE_F32,
            "the input is row-major, where the core's own kernel is as fast");
  return format;
}

MemoryDesc describe(const char* format, bool formats, const Dims& dims, DataType type) {
  return lying_in(formats ? format : nullptr, dims, type);
}

void check_channels(const Node& node, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) {
    refuse_if(node.has(i) && node.dtype(i) != PERCALE_DTYPE_F32, "values per channel must be f32");
  }
  refuse_if(node.attribute("training_mode", int64_t{0}) == 0, "requires training_mode");
}

// Computes kept = given * momentum + batch * (1 - momentum).
Made moving(float momentum, int64_t channels, Slot slot, int given, int kept) {
  const MemoryDesc desc = row_major({channels}, DataType::f32);
  const dnnl::sum::primitive_desc primitive(cpu_engine(), desc, {momentum, 1 - momentum}, {desc, desc}, attributes());
  Made made{[primitive] { return dnnl::sum(primitive); }, primitive.scratchpad_desc(), {}};
  made.add(DNNL_ARG_MULTIPLE_SRC, given, desc, {channels});
  made.add_scratch(DNNL_ARG_MULTIPLE_SRC + 1, slot, desc);
  made.add(DNNL_ARG_DST, kept, desc, {channels});
  return made;
}

}  // namespace

void prepare_batch_norm(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const DataType type = float_type(node.dtype(0));
  check_channels(node, 1, 5);
  const char* const format = format_of(node, 0, 0);
  const Dims x = node.dims(0);
  refuse_if(is_empty(x), "an operand has no elements");
  const int64_t channels = x[1];
  const auto epsilon = static_cast<float>(node.attribute("epsilon", 1e-5));
  const auto momentum = static_cast<float>(node.attribute("momentum", 0.9));
  const int first = static_cast<int>(node.inputs());
  plan.add_all(steps, pieces_for(16.0 * static_cast<double>(elements(x))), [&](bool formats) {
    const MemoryDesc desc = describe(format, formats, x, type);
    const batch_normalization_forward::primitive_desc primitive(cpu_engine(), kTraining, desc, desc, epsilon,
                                                                kScaleAndShift, attributes());
    refuse_reference(primitive);
    Made made{[primitive] { return batch_normalization_forward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_SRC, 0, desc, x);
    made.add(DNNL_ARG_SCALE, 1, primitive.weights_desc(), {channels});
    made.add(DNNL_ARG_SHIFT, 2, primitive.weights_desc(), {channels});
    made.add(DNNL_ARG_DST, first, desc, x);
    made.add_scratch(DNNL_ARG_MEAN, kMean, primitive.mean_desc());
    made.add_scratch(DNNL_ARG_VARIANCE, kVariance, primitive.variance_desc());
    std::vector all{made};
    if (node.gives(1)) all.push_back(moving(momentum, channels, kMean, 3, first + 1));
    if (node.gives(2)) all.push_back(moving(momentum, channels, kVariance, 4, first + 2));
    return all;
  });
}

void prepare_batch_norm_grad(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  const DataType type = float_type(node.dtype(1));
  check_channels(node, 2, 3);
  const char* const format = format_of(node, 1, 0);
  const Dims x = node.dims(1), channels{x[1]};
  refuse_if(is_empty(x), "an operand has no elements");
  const auto epsilon = static_cast<float>(node.attribute("epsilon", 1e-5));
  const int first = static_cast<int>(node.inputs());
  plan.add_all(steps, pieces_for(32.0 * static_cast<double>(elements(x))), [&](bool formats) {
    const MemoryDesc desc = describe(format, formats, x, type);
    const batch_normalization_forward::primitive_desc forward(cpu_engine(), kTraining, desc, desc, epsilon,
                                                              normalization_flags::none, attributes());
    const batch_normalization_forward::primitive_desc hint(cpu_engine(), kTraining, desc, desc, epsilon,
                                                           kScaleAndShift);
    const batch_normalization_backward::primitive_desc primitive(cpu_engine(), dnnl::prop_kind::backward, desc, desc,
                                                                 desc, epsilon, kScaleAndShift, hint, attributes());
    refuse_reference(forward);
    refuse_reference(primitive);
    Made again{[forward] { return batch_normalization_forward(forward); }, forward.scratchpad_desc(), {}};
    again.add(DNNL_ARG_SRC, 1, desc, x);
    again.add(DNNL_ARG_DST, first, desc, x);
    Made made{[primitive] { return batch_normalization_backward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_DIFF_DST, 0, desc, x);
    made.add(DNNL_ARG_SRC, 1, desc, x);
    made.add(DNNL_ARG_SCALE, 2, primitive.weights_desc(), channels);
    made.add(DNNL_ARG_DIFF_SRC, first, desc, x);
    made.add(DNNL_ARG_DIFF_SCALE, first + 1, primitive.diff_weights_desc(), channels);
    made.add(DNNL_ARG_DIFF_SHIFT, first + 2, primitive.diff_weights_desc(), channels);
    for (Made* each : {&again, &made}) {
      each->add_scratch(DNNL_ARG_MEAN, kMean, forward.mean_desc());
      each->add_scratch(DNNL_ARG_VARIANCE, kVariance, forward.variance_desc());
    }
    return std::vector{again, made};
  });
}

void prepare_layer_norm_grad(Plan& plan, Steps& steps) {
  const Node& node = plan.node();
  refuse_if(node.dtype(1) != PERCALE_DTYPE_F32, "supports only f32");
  const Dims given = node.dims(1);
  const auto rank = static_cast<int64_t>(given.size());
  int64_t axis = node.attribute("axis", int64_t{-1});
  if (axis < 0) axis += rank;
  refuse_if(is_empty(given), "an operand has no elements");
  const int64_t size = elements(Dims(given.begin() + axis, given.end()));
  const Dims x{elements(given) / size, size}, scale{size};
  const auto epsilon = static_cast<float>(node.attribute("epsilon", 1e-5));
  const int first = static_cast<int>(node.inputs());
  plan.add_all(steps, std::min(pieces_for(32.0 * static_cast<double>(elements(x))), 16), [&](bool) {
    const MemoryDesc desc = row_major(x, DataType::f32), moments = row_major({x[0]}, DataType::f32);
    const layer_normalization_forward::primitive_desc forward(cpu_engine(), kTraining, desc, desc, moments, epsilon,
                                                              normalization_flags::none, attributes());
    const layer_normalization_forward::primitive_desc hint(cpu_engine(), kTraining, desc, desc, moments, epsilon,
                                                           kScaleAndShift);
    const layer_normalization_backward::primitive_desc primitive(cpu_engine(), dnnl::prop_kind::backward, desc, desc,
                                                                 desc, moments, epsilon, kScaleAndShift, hint,
                                                                 attributes());
    refuse_reference(forward);
    refuse_reference(primitive);
    Made again{[forward] { return layer_normalization_forward(forward); }, forward.scratchpad_desc(), {}};
    again.add(DNNL_ARG_SRC, 1, desc, x);
    again.add(DNNL_ARG_DST, first, desc, x);
    Made made{[primitive] { return layer_normalization_backward(primitive); }, primitive.scratchpad_desc(), {}};
    made.add(DNNL_ARG_DIFF_DST, 0, desc, x);
    made.add(DNNL_ARG_SRC, 1, desc, x);
    made.add(DNNL_ARG_SCALE, 2, primitive.weights_desc(), scale);
    // oneDNN requires the shift but never reads it.
    made.add(DNNL_ARG_SHIFT, 2, primitive.weights_desc(), scale);
    made.add(DNNL_ARG_DIFF_SRC, first, desc, x);
    made.add(DNNL_ARG_DIFF_SCALE, first + 1, primitive.diff_weights_desc(), scale);
    made.add(DNNL_ARG_DIFF_SHIFT, first + 2, primitive.diff_weights_desc(), scale);
    for (Made* each : {&again, &made}) {
      each->add_scratch(DNNL_ARG_MEAN, kMean, moments);
      each->add_scratch(DNNL_ARG_VARIANCE, kVariance, moments);
    }
    return std::vector{again, made};
  });
}

}  // namespace percale::onednn
