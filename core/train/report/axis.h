// An axis of a plot: the positions of numbers, and the labelled ticks.
#ifndef PERCALE_CORE_TRAIN_REPORT_AXIS_H_
#define PERCALE_CORE_TRAIN_REPORT_AXIS_H_

#include <string>
#include <vector>

namespace percale {

// Maps [low, high] to [from, to] of the drawing. Both must be finite, with low < high.
struct Axis {
  struct Tick {
    double value;
    std::string label;
  };
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;  // only for positive numbers

  // Returns the position of a number. Numbers outside the range are placed at the ends.
  double operator()(double v) const;
  // Returns round numbers within the range, in order, whose positions are at least `distance`
  // apart.
  std::vector<Tick> ticks(double distance) const;
};

// Returns an axis for these numbers: from 0, or logarithmic if all are positive and the largest is
// more than 20 times the smallest. Numbers that are not finite are ignored.
Axis axis_of(const std::vector<double>& numbers, double from, double to);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REPORT_AXIS_H_
