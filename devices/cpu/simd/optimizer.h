// Parameter updates fused over spans, in place, and the arithmetic around them. See simd.h for what holds for
// every
// function of this folder.
#ifndef PERCALE_DEVICES_CPU_SIMD_OPTIMIZER_H_
#define PERCALE_DEVICES_CPU_SIMD_OPTIMIZER_H_

#include <cstdint>

#include "devices/cpu/simd/isa.h"

namespace percale::simd {

// The formulas are those of PyTorch's torch.optim (epsilon is added outside the root); states begin as zeros.
// In all of them g = gradient * grad_scale (averaging, clipping), then g += weight_decay * p unless said
// otherwise.
// p, the state spans and g must not overlap each other; g is not written.

// p -= lr g
struct Sgd {
  float lr = 0, weight_decay = 0, grad_scale = 1;
};
// m = momentum m + (1 - dampening) g;  p -= lr (nesterov ? g + momentum m : m)
// (torch's first step ignores dampening; give 0 for it.)
struct Momentum {
  float lr = 0, momentum = 0, dampening = 0, weight_decay = 0, grad_scale = 1;
  bool nesterov = false;
};
// m += (1 - beta1)(g - m);  v = beta2 v + (1 - beta2) g^2
// p -= lr / correction1 * m / (sqrt(v) / sqrt(correction2) + epsilon), correction = 1 - beta^step
// by the caller.
// decoupled (AdamW): p *= 1 - lr weight_decay first, and g gets no decay.
// The factors are computed once per call in double and rounded to float.
struct Adam {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0, correction1 = 1,
         correction2 = 1;
  float grad_scale = 1;
  bool decoupled = false;
};
// v = alpha v + (1 - alpha) g^2;  with mean (centered, else null): mean += (1 - alpha)(g - mean),
// and v - mean^2 stands for v below
// u = g / (sqrt(v) + epsilon);  with m (else null): m = momentum m + u, u = m;  p -= lr u
struct Rmsprop {
  float lr = 0, alpha = 0.99f, epsilon = 1e-8f, momentum = 0, weight_decay = 0, grad_scale = 1;
};
// v += g^2;  p -= lr g / (sqrt(v) + epsilon); lr already decayed by the caller.
struct Adagrad {
  float lr = 0, epsilon = 1e-10f, weight_decay = 0, grad_scale = 1;
};

struct OptimizerFns {
  void (*sgd)(const Sgd& o, float* p, const float* g, int64_t count);
  void (*momentum)(const Momentum& o, float* p, const float* g, float* m, int64_t count);
  void (*adam)(const Adam& o, float* p, const float* g, float* m, float* v, int64_t count);
  void (*rmsprop)(const Rmsprop& o, float* p, const float* g, float* v, float* mean, float* m, int64_t count);
  void (*adagrad)(const Adagrad& o, float* p, const float* g, float* v, int64_t count);

  // to += from
  void (*accumulate)(float* to, const float* from, int64_t count);
  // y = fma(a, x, y)
  void (*axpy)(float a, const float* x, float* y, int64_t count);
  // x *= a
  void (*scale)(float a, float* x, int64_t count);
};
extern const OptimizerFns kOptimizerFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_OPTIMIZER_H_
