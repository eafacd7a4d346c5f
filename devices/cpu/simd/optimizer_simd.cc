#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/optimizer_simd.cc"
#include <hwy/foreach_target.h>

#include <cmath>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/reduce-inl.h"
#include "devices/cpu/simd/optimizer.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

using VF = Vec<float>;

// A position in a span that is processed vector by vector; the last vector may be partial.
struct At {
  int64_t i, n;
  HWY_INLINE VF get(const float* p) const { return n == kL ? load<float>(p + i) : load_n<float>(p + i, n); }
  HWY_INLINE void put(VF v, float* p) const { store_n<float>(v, p + i, n); }
};
template <class F>
HWY_INLINE void for_vectors(int64_t count, F&& f) {
  int64_t i = 0;
  for (; i + kL <= count; i += kL) f(At{i, kL});
  if (i < count) f(At{i, count - i});
}

void sgd(const Sgd& o, float* p, const float* g, int64_t count) {
  const VF lr = set<float>(o.lr), decay = set<float>(o.weight_decay), scale = set<float>(o.grad_scale);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = at.get(p), gv = mul_add(decay, pv, hn::Mul(at.get(g), scale));
    at.put(neg_mul_add(lr, gv, pv), p);
  });
}

void momentum(const Momentum& o, float* p, const float* g, float* m, int64_t count) {
  const VF lr = set<float>(o.lr), decay = set<float>(o.weight_decay), scale = set<float>(o.grad_scale);
  const VF mu = set<float>(o.momentum), fresh = set<float>(1.0f - o.dampening);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = at.get(p), gv = mul_add(decay, pv, hn::Mul(at.get(g), scale));
    const VF mv = mul_add(mu, at.get(m), hn::Mul(fresh, gv));
    at.put(mv, m);
    at.put(neg_mul_add(lr, o.nesterov ? mul_add(mu, mv, gv) : mv, pv), p);
  });
}

void adam(const Adam& o, float* p, const float* g, float* m, float* v, int64_t count) {
  const auto f = [](double x) HWY_ATTR { return set<float>(static_cast<float>(x)); };
  const VF step = f(o.lr / o.correction1), root = f(1.0 / std::sqrt(o.correction2)), epsilon = f(o.epsilon);
  const VF fresh1 = f(1.0 - o.beta1), fresh2 = f(1.0 - o.beta2), beta2 = f(o.beta2);
  const VF keep = f(o.decoupled ? 1.0 - o.lr * o.weight_decay : 1.0);
  const VF decay = f(o.decoupled ? 0.0 : o.weight_decay), scale = set<float>(o.grad_scale);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = hn::Mul(at.get(p), keep), gv = mul_add(decay, pv, hn::Mul(at.get(g), scale));
    const VF m0 = at.get(m), mv = mul_add(fresh1, hn::Sub(gv, m0), m0);
    const VF vv = mul_add(beta2, at.get(v), hn::Mul(fresh2, hn::Mul(gv, gv)));
    at.put(mv, m);
    at.put(vv, v);
    const VF denominator = mul_add(hn::Sqrt(vv), root, epsilon);
    at.put(neg_mul_add(step, hn::Div(mv, denominator), pv), p);
  });
}

void rmsprop(const Rmsprop& o, float* p, const float* g, float* v, float* mean, float* m, int64_t count) {
  const VF lr = set<float>(o.lr), decay = set<float>(o.weight_decay), scale = set<float>(o.grad_scale);
  const VF alpha = set<float>(o.alpha), fresh = set<float>(1.0f - o.alpha), epsilon = set<float>(o.epsilon);
  const VF mu = set<float>(o.momentum);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = at.get(p), gv = mul_add(decay, pv, hn::Mul(at.get(g), scale));
    VF vv = mul_add(alpha, at.get(v), hn::Mul(fresh, hn::Mul(gv, gv)));
    at.put(vv, v);
    if (mean) {
      const VF old = at.get(mean), now = mul_add(fresh, hn::Sub(gv, old), old);
      at.put(now, mean);
      vv = neg_mul_add(now, now, vv);
    }
    VF u = hn::Div(gv, hn::Add(hn::Sqrt(vv), epsilon));
    if (m) {
      u = mul_add(mu, at.get(m), u);
      at.put(u, m);
    }
    at.put(neg_mul_add(lr, u, pv), p);
  });
}

void adagrad(const Adagrad& o, float* p, const float* g, float* v, int64_t count) {
  const VF lr = set<float>(o.lr), decay = set<float>(o.weight_decay), scale = set<float>(o.grad_scale);
  const VF epsilon = set<float>(o.epsilon);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = at.get(p), gv = mul_add(decay, pv, hn::Mul(at.get(g), scale));
    const VF vv = mul_add(gv, gv, at.get(v));
    at.put(vv, v);
    at.put(neg_mul_add(lr, hn::Div(gv, hn::Add(hn::Sqrt(vv), epsilon)), pv), p);
  });
}

void ftrl(const Ftrl& o, float* p, const float* g, float* n, float* z, int64_t count) {
  const auto f = [](double x) HWY_ATTR { return set<float>(static_cast<float>(x)); };
  const VF lr = f(o.lr), l1 = f(o.l1), shrinkage = f(2 * o.l2_shrinkage), ridge = f(o.beta / o.lr + 2 * o.l2);
  const VF scale = set<float>(o.grad_scale), zero = set<float>(0);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = at.get(p), gv = hn::Mul(at.get(g), scale), n0 = at.get(n);
    const VF nv = mul_add(gv, gv, n0), root = hn::Sqrt(nv);
    const VF sigma = hn::Div(hn::Sub(root, hn::Sqrt(n0)), lr);
    const VF zv = neg_mul_add(sigma, pv, hn::Add(at.get(z), mul_add(shrinkage, pv, gv)));
    const VF moved = hn::Div(hn::Sub(hn::CopySign(l1, zv), zv), hn::Add(hn::Div(root, lr), ridge));
    at.put(nv, n);
    at.put(zv, z);
    at.put(hn::IfThenElse(hn::Le(hn::Abs(zv), l1), zero, moved), p);
  });
}

void lion(const Lion& o, float* p, const float* g, float* m, int64_t count) {
  const auto f = [](double x) HWY_ATTR { return set<float>(static_cast<float>(x)); };
  const VF lr = f(o.lr), keep = f(1.0 - o.lr * o.weight_decay), scale = set<float>(o.grad_scale), zero = set<float>(0);
  const VF beta1 = f(o.beta1), fresh1 = f(1.0 - o.beta1), beta2 = f(o.beta2), fresh2 = f(1.0 - o.beta2);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF gv = hn::Mul(at.get(g), scale), m0 = at.get(m);
    const VF c = mul_add(beta1, m0, hn::Mul(fresh1, gv));
    // lr sign(c): 0 if c is 0, NaN if it is NaN.
    const VF moved = hn::IfThenElse(hn::Eq(c, zero), zero, hn::CopySign(lr, c));
    const VF step = hn::IfThenElse(hn::IsNaN(c), c, moved);
    at.put(mul_add(beta2, m0, hn::Mul(fresh2, gv)), m);
    at.put(hn::Sub(hn::Mul(at.get(p), keep), step), p);
  });
}

// Computes LAMB's u from p and the updated m and v.
struct LambDirection {
  VF mean, root, epsilon, decay;
  explicit HWY_INLINE LambDirection(const Lamb& o)
      : mean(set<float>(static_cast<float>(1.0 / o.correction1))),
        root(set<float>(static_cast<float>(1.0 / std::sqrt(o.correction2)))),
        epsilon(set<float>(static_cast<float>(o.epsilon))),
        decay(set<float>(static_cast<float>(o.weight_decay))) {}
  HWY_INLINE VF operator()(VF p, VF m, VF v) const {
    return mul_add(decay, p, hn::Div(hn::Mul(m, mean), mul_add(hn::Sqrt(v), root, epsilon)));
  }
};

void lamb_moments(const Lamb& o, const float* p, const float* g, float* m, float* v, int64_t count, double* sums) {
  const auto f = [](double x) HWY_ATTR { return set<float>(static_cast<float>(x)); };
  const VF fresh1 = f(1.0 - o.beta1), fresh2 = f(1.0 - o.beta2), beta2 = f(o.beta2), scale = set<float>(o.grad_scale);
  const LambDirection direction(o);
  // The reduction loads every element exactly once, so m and v are updated in it.
  sums[1] = static_cast<double>(reduce_span<float, SumSquaresOf<float>>(count, [&](int64_t i, int64_t n) HWY_ATTR {
    const At at{i, n};
    const VF gv = hn::Mul(at.get(g), scale), m0 = at.get(m), mv = mul_add(fresh1, hn::Sub(gv, m0), m0);
    const VF vv = mul_add(beta2, at.get(v), hn::Mul(fresh2, hn::Mul(gv, gv)));
    at.put(mv, m);
    at.put(vv, v);
    return direction(at.get(p), mv, vv);
  }));
  sums[0] = static_cast<double>(reduce_row<float, SumSquaresOf<float>>(p, count));
}

void lamb_step(const Lamb& o, float* p, const float* m, const float* v, int64_t count) {
  const VF step = set<float>(static_cast<float>(o.step));
  const LambDirection direction(o);
  for_vectors(count, [&](At at) HWY_ATTR {
    const VF pv = at.get(p);
    at.put(neg_mul_add(step, direction(pv, at.get(m), at.get(v)), pv), p);
  });
}

void accumulate(float* to, const float* from, int64_t count) {
  for_vectors(count, [&](At at) HWY_ATTR { at.put(hn::Add(at.get(to), at.get(from)), to); });
}

void axpy(float a, const float* x, float* y, int64_t count) {
  const VF va = set<float>(a);
  for_vectors(count, [&](At at) HWY_ATTR { at.put(mul_add(va, at.get(x), at.get(y)), y); });
}

void scale(float a, float* x, int64_t count) {
  const VF va = set<float>(a);
  for_vectors(count, [&](At at) HWY_ATTR { at.put(hn::Mul(va, at.get(x)), x); });
}

}  // namespace

constexpr OptimizerFns kFns = {sgd,  momentum,     adam,      rmsprop,    adagrad, ftrl,
                               lion, lamb_moments, lamb_step, accumulate, axpy,    scale};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(OptimizerFns);
}  // namespace percale::simd
#endif
