// Short names for the nodes that gradient functions emit most often.
#ifndef PERCALE_OPS_SUPPORT_GRAD_UTIL_H_
#define PERCALE_OPS_SUPPORT_GRAD_UTIL_H_

#include "core/graph/emit/gradient.h"

namespace percale {

inline ValueId add(Emitter& e, ValueId a, ValueId b) { return e.emit("Add", {a, b}); }
inline ValueId sub(Emitter& e, ValueId a, ValueId b) { return e.emit("Sub", {a, b}); }
inline ValueId mul(Emitter& e, ValueId a, ValueId b) { return e.emit("Mul", {a, b}); }
inline ValueId div(Emitter& e, ValueId a, ValueId b) { return e.emit("Div", {a, b}); }
inline ValueId neg(Emitter& e, ValueId a) { return e.emit("Neg", {a}); }
inline ValueId shape_of(Emitter& e, ValueId a) { return e.emit("Shape", {a}); }
inline ValueId where(Emitter& e, ValueId condition, ValueId a, ValueId b) { return e.emit("Where", {condition, a, b}); }
inline ValueId cast(Emitter& e, ValueId a, DType to) {
  return e.dtype(a) == to ? a : e.emit("Cast", {a}, {{"to", to}});
}
// Returns a rank-0 constant of the dtype of `like`. It broadcasts to any shape.
inline ValueId scalar_like(Emitter& e, ValueId like, double value) { return e.scalar(e.dtype(like), value); }

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_GRAD_UTIL_H_
