// Reduction of an angle to [-pi/4, pi/4].
#ifndef PERCALE_CORE_MATHS_REDUCTION_H_
#define PERCALE_CORE_MATHS_REDUCTION_H_

#include "core/maths/double_double.h"

namespace percale::maths {

// x = (4 n + quadrant) pi / 2 + rest for some whole n. The relative error of rest is below 2^-60.
struct Angle {
  int quadrant;
  DoubleDouble rest;
};
// x must be finite.
Angle reduce_angle(double x);

}  // namespace percale::maths

#endif  // PERCALE_CORE_MATHS_REDUCTION_H_
