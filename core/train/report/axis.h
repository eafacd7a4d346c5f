// An axis of a plot: where numbers lie, and which of them are written beside it.
#ifndef PERCALE_CORE_TRAIN_REPORT_AXIS_H_
#define PERCALE_CORE_TRAIN_REPORT_AXIS_H_

#include <string>
#include <vector>

namespace percale {

// Maps [low, high], which are finite and in this order, to [from, to] of the drawing.
struct Axis {
  struct Tick {
    double value;
    std::string label;
  };
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;  // only of positive numbers

  // Numbers outside lie at the ends.
  double operator()(double v) const;
  // Round numbers within the range whose places are at least `distance` apart, in their order.
  std::vector<Tick> ticks(double distance) const;
};

// The axis that shows these numbers: from 0 on, or logarithmic where the largest is more than 20 times the smallest and all are
// positive. Numbers that are not finite are left out.
Axis axis_of(const std::vector<double>& numbers, double from, double to);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REPORT_AXIS_H_
