// Parameter updates fused over spans, in place, and related arithmetic. simd.h documents the rules
// for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_OPTIMIZER_H_
#define PERCALE_DEVICES_CPU_SIMD_OPTIMIZER_H_

#include <cstdint>

#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// The formulas are those of PyTorch's torch.optim (epsilon is added outside the root). States start
// as zeros. In all of them, g = gradient * grad_scale (averaging, clipping), then g += weight_decay
// * p, unless stated otherwise. p, the state spans and g must not overlap; g is not modified.

// p -= lr g
struct Sgd {
  float lr = 0, weight_decay = 0, grad_scale = 1;
};
// m = momentum m + (1 - dampening) g;  p -= lr (nesterov ? g + momentum m : m)
// PyTorch's first step ignores dampening; pass 0 for it.
struct Momentum {
  float lr = 0, momentum = 0, dampening = 0, weight_decay = 0, grad_scale = 1;
  bool nesterov = false;
};
// m += (1 - beta1)(g - m);  v = beta2 v + (1 - beta2) g^2
// p -= lr / correction1 * m / (sqrt(v) / sqrt(correction2) + epsilon)
// The caller computes correction = 1 - beta^step.
// With `decoupled` (AdamW), p *= 1 - lr weight_decay comes first, and g gets no decay.
// The factors are computed once per call in double and rounded to float.
struct Adam {
  double lr = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0, correction1 = 1, correction2 = 1;
  float grad_scale = 1;
  bool decoupled = false;
};
// v = alpha v + (1 - alpha) g^2
// If `mean` is not null (centered): mean += (1 - alpha)(g - mean), and v - mean^2 replaces v below.
// u = g / (sqrt(v) + epsilon);  if `m` is not null: m = momentum m + u, u = m;  p -= lr u
struct Rmsprop {
  float lr = 0, alpha = 0.99f, epsilon = 1e-8f, momentum = 0, weight_decay = 0, grad_scale = 1;
};
// v += g^2;  p -= lr g / (sqrt(v) + epsilon). The caller has already applied the decay of lr.
struct Adagrad {
  float lr = 0, epsilon = 1e-10f, weight_decay = 0, grad_scale = 1;
};

// n += g^2;  z += g + 2 l2_shrinkage p - (sqrt(n) - sqrt(old n)) / lr * p
// p = 0 if |z| <= l1, else (sign(z) l1 - z) / ((sqrt(n) + beta) / lr + 2 l2)
// No weight_decay; lr > 0. This is TensorFlow's FTRL-proximal with learning_rate_power -0.5.
struct Ftrl {
  double lr = 0, l1 = 0, l2 = 0, l2_shrinkage = 0, beta = 0;
  float grad_scale = 1;
};
// p = p (1 - lr weight_decay) - lr sign(beta1 m + (1 - beta1) g);  m = beta2 m + (1 - beta2) g
// (Chen et al. 2023); g gets no decay.
struct Lion {
  double lr = 0, beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
  float grad_scale = 1;
};
// u = m / correction1 / (sqrt(v / correction2) + epsilon) + weight_decay p, with Adam's m and v; g
// gets no decay (You et al. 2020). The caller passes the learning rate times |p| / |u| as `step`.
struct Lamb {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, weight_decay = 0, correction1 = 1, correction2 = 1, step = 0;
  float grad_scale = 1;
};

struct OptimizerFns {
  void (*sgd)(const Sgd& o, float* p, const float* g, int64_t count);
  void (*momentum)(const Momentum& o, float* p, const float* g, float* m, int64_t count);
  void (*adam)(const Adam& o, float* p, const float* g, float* m, float* v, int64_t count);
  void (*rmsprop)(const Rmsprop& o, float* p, const float* g, float* v, float* mean, float* m, int64_t count);
  void (*adagrad)(const Adagrad& o, float* p, const float* g, float* v, int64_t count);
  void (*ftrl)(const Ftrl& o, float* p, const float* g, float* n, float* z, int64_t count);
  void (*lion)(const Lion& o, float* p, const float* g, float* m, int64_t count);
  // Updates m and v. Returns the sum of p^2 in sums[0] and of u^2 in sums[1], in the order of
  // along_rows in reduce.h.
  void (*lamb_moments)(const Lamb& o, const float* p, const float* g, float* m, float* v, int64_t count, double* sums);
  // p -= step u
  void (*lamb_step)(const Lamb& o, float* p, const float* m, const float* v, int64_t count);

  // to += from
  void (*accumulate)(float* to, const float* from, int64_t count);
  // y = fma(a, x, y)
  void (*axpy)(float a, const float* x, float* y, int64_t count);
  // x *= a
  void (*scale)(float a, float* x, int64_t count);
};
extern const OptimizerFns kOptimizerFns[kIsaCount], kPortableOptimizerFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_OPTIMIZER_H_
