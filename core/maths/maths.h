// Elementary functions that give the same bits on every processor and with every C library. NaN
// gives NaN; other special cases follow C99's annex F. Pure and thread-safe.
#ifndef PERCALE_CORE_MATHS_MATHS_H_
#define PERCALE_CORE_MATHS_MATHS_H_

namespace percale::maths {

double exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double log10(double x);
double pow(double x, double y);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double erf(double x);

// For float: as exact as the type allows, and faster.
float exp(float x);
float log(float x);
float sin(float x);
float cos(float x);
float pow(float x, float y);
inline float expm1(float x) { return static_cast<float>(expm1(static_cast<double>(x))); }
inline float log1p(float x) { return static_cast<float>(log1p(static_cast<double>(x))); }
inline float tanh(float x) { return static_cast<float>(tanh(static_cast<double>(x))); }
inline float erf(float x) { return static_cast<float>(erf(static_cast<double>(x))); }

}  // namespace percale::maths

#endif  // PERCALE_CORE_MATHS_MATHS_H_
