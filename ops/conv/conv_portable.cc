// Portable kernels of the convolution family: plain loops that the compiler vectorises along the
// last spatial dim.
#include "ops/conv/conv_kernels.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

template <class T>
void run_forward(const ConvSizes& s, const T* x, const T* w, const T* bias, T* y, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), images = s.batch * s.out_c;
  if (images == 0 || out_size == 0) return;
  const int64_t pieces = piece_count(images, work_of(out_size, taps, per_group));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(images, pieces, piece);
    for (int64_t image = range.begin; image < range.end; ++image) {
      const int64_t n = image / s.out_c, o = image % s.out_c, group = o / s.out_per_group();
      T* to = y + image * out_size;
      std::fill_n(to, out_size, bias != nullptr ? bias[o] : T{0});
      for (int64_t c = 0; c < per_group; ++c) {
        const T* from = x + (n * s.in_c + group * per_group + c) * in_size;
        const T* filter = w + (o * per_group + c) * taps;
        for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
          const T weight = filter[tap];
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            const T* row = from + in_at;
            for (int64_t i = 0; i < count; ++i) to[out_at + i] += weight * row[i * step];
          });
        });
      }
    }
  });
}

template <class T>
void run_grad_input(const ConvSizes& s, const T* dy, const T* w, const T* bias, T* dx, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), out_per_group = s.out_per_group(), images = s.batch * s.in_c;
  if (images == 0 || in_size == 0) return;
  const int64_t pieces = piece_count(images, work_of(out_size, taps, out_per_group) + work_of(in_size));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(images, pieces, piece);
    for (int64_t image = range.begin; image < range.end; ++image) {
      const int64_t n = image / s.in_c, c = image % s.in_c, group = c / per_group;
      T* to = dx + image * in_size;
      std::fill_n(to, in_size, bias != nullptr ? bias[c] : T{0});
      for (int64_t o = group * out_per_group; o < (group + 1) * out_per_group; ++o) {
        const T* from = dy + (n * s.out_c + o) * out_size;
        const T* filter = w + (o * per_group + c % per_group) * taps;
        for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
          const T weight = filter[tap];
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            T* row = to + in_at;
            for (int64_t i = 0; i < count; ++i) row[i * step] += weight * from[out_at + i];
          });
        });
      }
    }
  });
}

template <class T>
void run_grad_weight(const ConvSizes& s, const T* x, const T* dy, T* dw, const ParallelFor& parallel) {
  const int64_t in_size = s.window.in_size(), out_size = s.window.out_size(), taps = s.window.kernel_size();
  const int64_t per_group = s.in_per_group(), filters = s.out_c * per_group;
  if (filters == 0) return;
  const int64_t pieces = piece_count(filters, work_of(out_size, taps, s.batch));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(filters, pieces, piece);
    for (int64_t f = range.begin; f < range.end; ++f) {
      const int64_t o = f / per_group, c = o / s.out_per_group() * per_group + f % per_group;
      for_taps(s.window, [&](int64_t tap, int64_t k0, int64_t k1, int64_t k2) {
        double sum = 0;
        for (int64_t n = 0; n < s.batch; ++n) {
          const T* from = x + (n * s.in_c + c) * in_size;
          const T* grad = dy + (n * s.out_c + o) * out_size;
          for_rows_of_tap(s.window, k0, k1, k2, [&](int64_t in_at, int64_t step, int64_t out_at, int64_t count) {
            for (int64_t i = 0; i < count; ++i) {
              sum += static_cast<double>(grad[out_at + i]) * static_cast<double>(from[in_at + i * step]);
            }
          });
        }
        dw[f * taps + tap] = static_cast<T>(sum);
      });
    }
  });
}

template <class T>
void run_grad_bias(const ConvSizes& s, const T* dy, T* db, const ParallelFor& parallel) {
  const int64_t out_size = s.window.out_size();
  const int64_t pieces = piece_count(s.out_c, work_of(out_size, s.batch));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(s.out_c, pieces, piece);
    for (int64_t o = range.begin; o < range.end; ++o) {
      double sum = 0;
      for (int64_t n = 0; n < s.batch; ++n) {
        const T* from = dy + (n * s.out_c + o) * out_size;
        for (int64_t i = 0; i < out_size; ++i) sum += static_cast<double>(from[i]);
      }
      db[o] = static_cast<T>(sum);
    }
  });
}

Result<ConvSizes> plan_conv(const NodeView& v, KernelPlan&) { return conv_sizes(v); }
Result<ConvSizes> plan_transpose(const NodeView& v, KernelPlan&) { return conv_transpose_sizes(v); }
Result<ConvSizes> plan_grad_input(const NodeView& v, KernelPlan&) { return conv_grad_input_sizes(v); }

struct GradWeightPlan {
  ConvSizes sizes;
  bool bias = false;
};
Result<GradWeightPlan> plan_grad_weight(const NodeView& v, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const ConvSizes sizes, conv_grad_weight_sizes(v));
  return GradWeightPlan{sizes, v.has_output(1)};
}

void conv_run(const ConvSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() {
    run_forward<T>(s, l.in<T>(0), l.in<T>(1), s.has_bias ? l.in<T>(2) : nullptr, l.out<T>(0), l.parallel());
  });
}
// ConvTranspose runs run_grad_input of the convolution that it reverses, and adds a bias.
void conv_transpose_run(const ConvSizes& s, const Launch& l) {
  with_float(s.dtype, [&]<class T>() {
    run_grad_input<T>(s, l.in<T>(0), l.in<T>(1), s.has_bias ? l.in<T>(2) : nullptr, l.out<T>(0), l.parallel());
  });
}
void conv_grad_input_run(const ConvSizes& s, const Launch& l) {
  with_float(s.dtype,
             [&]<class T>() { run_grad_input<T>(s, l.in<T>(0), l.in<T>(1), nullptr, l.out<T>(0), l.parallel()); });
}
void conv_grad_weight_run(const GradWeightPlan& p, const Launch& l) {
  with_float(p.sizes.dtype, [&]<class T>() {
    run_grad_weight<T>(p.sizes, l.in<T>(0), l.in<T>(1), l.out<T>(0), l.parallel());
    if (p.bias) run_grad_bias<T>(p.sizes, l.in<T>(1), l.out<T>(1), l.parallel());
  });
}

}  // namespace

Status register_conv_portable(Registry& registry) {
  PERCALE_RETURN_IF_ERROR(
      (add_float_kernels<&plan_conv, &conv_run>(registry, "Conv", "", "portable.conv", "portable.conv_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_transpose, &conv_transpose_run>(
      registry, "ConvTranspose", "", "portable.conv_transpose", "portable.conv_transpose_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_grad_input, &conv_grad_input_run>(
      registry, "ConvGradInput", "percale", "portable.conv_grad_input", "portable.conv_grad_input_widened")));
  return add_float_kernels<&plan_grad_weight, &conv_grad_weight_run>(
      registry, "ConvGradWeight", "percale", "portable.conv_grad_weight", "portable.conv_grad_weight_widened");
}

}  // namespace percale
