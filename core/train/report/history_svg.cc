// The plot of a history: over the steps, on the left axis the loss of each step with its running mean and the validation loss of
// each epoch, on the right axis the metrics of each epoch.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/number_text.h"
#include "core/text/svg.h"
#include "core/train/report/axis.h"
#include "core/train/report/history.h"

namespace percale {
namespace {

using Points = std::vector<std::pair<double, double>>;

constexpr double kWidth = 800, kLeft = 70, kRight = 730, kPlotHeight = 330;
constexpr double kLegendLine = 20, kBelow = 60;  // height of a line of the legend, and of what is below the plot
constexpr size_t kMostPoints = 2000, kLongestName = 40;
constexpr const char *kLossColour = "#93c5fd", *kMeanColour = "#1d4ed8", *kBrokenColour = "#dc2626",
                     *kValidationColour = "#b45309";
constexpr std::array<const char*, 4> kMetricColours = {"#15803d", "#7e22ce", "#0e7490", "#be185d"};
constexpr std::array<const char*, 3> kDashes = {"", "6 3", "2 3"};  // for more metrics than colours

std::string fixed(double v) { return fixed_text(v, 1); }
std::string number(double v) { return general_text(v, 4); }

std::string text(double x, double y, const char* anchor, const std::string& what, const std::string& more = "") {
  return str_cat("<text x=\"", fixed(x), "\" y=\"", fixed(y), "\" text-anchor=\"", anchor, "\"", more, ">",
                 svg_escaped(what), "</text>\n");
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return str_cat("<line x1=\"", fixed(x1), "\" y1=\"", fixed(y1), "\" x2=\"", fixed(x2), "\" y2=\"", fixed(y2),
                 "\" stroke=\"", colour, "\"/>\n");
}

std::string polyline(const Points& points, const char* colour, const char* width, const std::string& dash = "") {
  std::string out = str_cat("<polyline fill=\"none\" stroke=\"", colour, "\" stroke-width=\"", width, "\"");
  if (!dash.empty()) out += str_cat(" stroke-dasharray=\"", dash, "\"");
  out += " points=\"";
  for (const auto& [x, y] : points) out += fixed(x) + "," + fixed(y) + " ";
  return out + "\"/>\n";
}

// One curve, and what the legend says of it.
struct Series {
  std::string name, dash;
  const char* colour;
};

// The number of a metric at the end of each epoch that has it, by step.
std::vector<std::pair<int64_t, double>> at_epochs(const std::vector<History::Row>& rows, size_t metric) {
  std::vector<std::pair<int64_t, double>> out;
  for (const History::Row& row : rows) {
    if (metric < row.metrics.size() && std::isfinite(row.metrics[metric]))
      out.emplace_back(row.step, row.metrics[metric]);
  }
  return out;
}

// Means over windows of about a fiftieth of the run with the step in their middle, so that the curve lies on the losses
// instead of behind them. Of steps whose loss is finite.
std::vector<double> running_means(const std::vector<double>& losses) {
  std::vector<double> sums(losses.size() + 1, 0), out;
  for (size_t i = 0; i < losses.size(); ++i) sums[i + 1] = sums[i] + losses[i];
  const size_t half = losses.size() / 100 + 1;
  for (size_t i = 0; i < losses.size(); ++i) {
    const size_t reach = std::min({half, i, losses.size() - 1 - i});
    out.push_back((sums[i + reach + 1] - sums[i - reach]) / static_cast<double>(2 * reach + 1));
  }
  return out;
}

// Of a long curve the lowest and the highest point of each pixel's width.
Points thinned(Points points) {
  if (points.size() <= kMostPoints) return points;
  Points out;
  for (size_t begin = 0, end; begin < points.size(); begin = end) {
    for (end = begin; end < points.size() && std::floor(points[end].first) == std::floor(points[begin].first);) ++end;
    auto [low, high] = std::minmax_element(points.begin() + static_cast<ptrdiff_t>(begin),
                                           points.begin() + static_cast<ptrdiff_t>(end),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
    if (high < low) std::swap(low, high);
    out.push_back(*low);
    if (high != low) out.push_back(*high);
  }
  return out;
}

// Where the loss was not finite: a band from the first to the last step of each stretch.
std::string broken_bands(const std::vector<History::Row>& rows, const Axis& x, double top, double bottom) {
  std::string out;
  double drawn_to = -1;
  for (size_t begin = 0, end; begin < rows.size(); begin = std::max(end, begin + 1)) {
    for (end = begin; end < rows.size() && !std::isfinite(rows[end].loss);) ++end;
    if (end == begin) continue;
    const double left = x(static_cast<double>(rows[begin].step)) - 1,
                 right = x(static_cast<double>(rows[end - 1].step)) + 1;
    if (right < drawn_to + 1) continue;
    drawn_to = right;
    out +=
        str_cat("<rect x=\"", fixed(left), "\" y=\"", fixed(top), "\" width=\"", fixed(right - left), "\" height=\"",
                fixed(bottom - top), "\" fill=\"", kBrokenColour, "\" fill-opacity=\"0.35\"><title>the loss of step ",
                rows[begin].step, " is ", number(rows[begin].loss), "</title></rect>\n");
  }
  return out;
}

// The names of the curves in as many lines as they need; `*bottom` is where they end.
std::string legend(const std::vector<Series>& series, double top, double* bottom) {
  std::string out;
  double x = kLeft, y = top;
  for (const Series& s : series) {
    const double width = 50 + 7.2 * static_cast<double>(std::min(s.name.size(), kLongestName));
    if (x > kLeft && x + width > kWidth) {
      x = kLeft;
      y += kLegendLine;
    }
    out += polyline({{x, y - 4}, {x + 22, y - 4}}, s.colour, "3", s.dash);
    out += str_cat("<text x=\"", fixed(x + 28), "\" y=\"", fixed(y), "\">", svg_escaped(s.name, kLongestName),
                   "</text>\n");
    x += width;
  }
  *bottom = y;
  return out;
}

}  // namespace

std::string History::to_svg() const {
  // What is drawn on which axis.
  std::vector<double> losses, on_left, on_right;
  for (const Row& row : rows) {
    if (std::isfinite(row.loss)) losses.push_back(row.loss);
  }
  on_left = losses;
  std::vector<Series> series = {{"loss of the batch", "", kLossColour}, {"running mean", "", kMeanColour}};
  struct Metric {
    std::vector<std::pair<int64_t, double>> values;
    Series series;
    bool left;
  };
  std::vector<Metric> metrics;
  size_t others = 0;
  for (size_t m = 0; m < metric_names.size(); ++m) {
    Metric metric{at_epochs(rows, m), {metric_names[m], "", kValidationColour}, metric_names[m] == "val_loss"};
    if (!metric.left) {
      metric.series.colour = kMetricColours[others % kMetricColours.size()];
      metric.series.dash = kDashes[others / kMetricColours.size() % kDashes.size()];
      metric.series.name += " (right)";
      ++others;
    }
    for (const auto& [step, value] : metric.values) (metric.left ? on_left : on_right).push_back(value);
    series.push_back(metric.series);
    metrics.push_back(std::move(metric));
  }
  if (losses.size() < rows.size()) series.push_back({"loss is not finite", "", kBrokenColour});

  double top = 0;
  const std::string names = legend(series, 52, &top);
  top += 14;
  const double bottom = top + kPlotHeight, height = bottom + kBelow;
  const int64_t last_step = rows.empty() ? 2 : std::max<int64_t>(2, rows.back().step);
  const Axis x{1, static_cast<double>(last_step), kLeft, kRight, false};
  const Axis y = axis_of(on_left, bottom, top);
  const auto place = [&](int64_t step) { return x(static_cast<double>(step)); };

  const std::string title = rows.empty() ? "No training steps"
                                         : str_cat("Training: ", rows.back().step, " steps, ", rows.back().epoch,
                                                   rows.back().epoch == 1 ? " epoch" : " epochs");
  std::string out = str_cat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"", fixed(height), "\" viewBox=\"0 0 800 ",
      fixed(height), "\" style=\"max-width:100%;height:auto\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
      title, "</title>\n<rect width=\"800\" height=\"", fixed(height), "\" fill=\"white\"/>\n");
  out += text(kLeft, 26, "start", title, " font-size=\"16\" font-weight=\"bold\"") + names;
  for (const Axis::Tick& tick : y.ticks(24)) {
    out += line(kLeft, y(tick.value), kRight, y(tick.value), "#e5e7eb");
    out += text(kLeft - 8, y(tick.value) + 4, "end", tick.label);
  }
  for (const Axis::Tick& tick : x.ticks(80)) {
    if (tick.value < 1 || tick.value != std::floor(tick.value)) continue;
    out += line(x(tick.value), bottom, x(tick.value), bottom + 5, "#374151");
    out += text(x(tick.value), bottom + 20, "middle", tick.label);
  }
  out += line(kLeft, bottom, kRight, bottom, "#374151") + line(kLeft, top, kLeft, bottom, "#374151");
  out += text((kLeft + kRight) / 2, bottom + 44, "middle", "step");
  const std::string middle = fixed((top + bottom) / 2);
  out += text(16, (top + bottom) / 2, "middle", y.logarithmic ? "loss (logarithmic)" : "loss",
              str_cat(" transform=\"rotate(-90 16 ", middle, ")\""));

  out += broken_bands(rows, x, top, bottom);
  const std::vector<double> means = running_means(losses);
  Points of_batches, of_means;
  for (const Row& row : rows) {
    if (!std::isfinite(row.loss)) continue;
    of_means.emplace_back(place(row.step), y(means[of_batches.size()]));
    of_batches.emplace_back(place(row.step), y(row.loss));
  }
  out += polyline(thinned(std::move(of_batches)), kLossColour, "1");
  out += polyline(thinned(std::move(of_means)), kMeanColour, "2");

  Axis right = axis_of(on_right, bottom, top);
  if (right.logarithmic) right.low = 0;
  right.logarithmic = false;
  if (right.low >= 0) right.high = std::max(right.high, 1.0);
  if (others > 0) {
    out += line(kRight, top, kRight, bottom, "#374151");
    for (const Axis::Tick& tick : right.ticks(24)) out += text(kRight + 8, right(tick.value) + 4, "start", tick.label);
  }
  for (const Metric& metric : metrics) {
    Points points;
    const bool dots = metric.values.size() <= kMostPoints / 10;
    for (const auto& [step, value] : metric.values) {
      points.emplace_back(place(step), metric.left ? y(value) : right(value));
      if (!dots) continue;
      out += str_cat("<circle cx=\"", fixed(points.back().first), "\" cy=\"", fixed(points.back().second),
                     "\" r=\"3.5\" fill=\"", metric.series.colour, "\"><title>", svg_escaped(metric.series.name), " ",
                     number(value), " after step ", step, "</title></circle>\n");
    }
    out += polyline(thinned(std::move(points)), metric.series.colour, "1.5", metric.series.dash);
  }
  return out + "</svg>\n";
}

}  // namespace percale
