// Elementary functions that are chosen at run time.
#ifndef PERCALE_CORE_MATHS_FUNCTIONS_H_
#define PERCALE_CORE_MATHS_FUNCTIONS_H_

namespace percale::maths {

// A function with a version for each type.
struct Unary {
  double (*of_double)(double);
  float (*of_float)(float);

  double operator()(double x) const { return of_double(x); }
  float operator()(float x) const { return of_float(x); }
};
struct Binary {
  double (*of_double)(double, double);
  float (*of_float)(float, float);

  double operator()(double x, double y) const { return of_double(x, y); }
  float operator()(float x, float y) const { return of_float(x, y); }
};
// A function that computes in double for both types.
struct Wide {
  double (*of_double)(double);

  double operator()(double x) const { return of_double(x); }
  float operator()(float x) const { return static_cast<float>(of_double(static_cast<double>(x))); }
};

struct Functions {
  Unary exp, expm1, log, log1p, sin, cos, tanh, erf;
  Binary pow;
  Wide log10, tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh;
};

// Those of the C library: faster, but their last bits differ by library and processor.
extern const Functions kNative;
// Those of maths.h: the same bits everywhere.
extern const Functions kPortable;

}  // namespace percale::maths

#endif  // PERCALE_CORE_MATHS_FUNCTIONS_H_
