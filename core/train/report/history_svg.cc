// Plots a history over the steps. Left axis: the loss of each step, its running mean, and the
// validation loss of each epoch. Right axis: the metrics of each epoch.
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
// Heights of a legend line and of the space below the plot
constexpr double kLegendLine = 20, kBelow = 60;
constexpr size_t kMostPoints = 2000, kLongestName = 40;
constexpr const char *kLossColour = "#93c5fd", *kMeanColour = "#1d4ed8", *kBrokenColour = "#dc2626",
                     *kValidationColour = "#b45309";
constexpr std::array<const char*, 4> kMetricColours = {"#15803d", "#7e22ce", "#0e7490", "#be185d"};
constexpr std::array<const char*, 3> kDashes = {"", "6 3", "2 3"};  // for more metrics than colours

std::string fixed(double v) { return fixed_text(v, 1); }
std::string label_number(double v) { return general_text(v, 4); }

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

// A curve and its entry in the legend.
struct Series {
  std::string name, dash;
  const char* colour;
};

// Returns the values of a metric at the ends of epochs, by step.
std::vector<std::pair<int64_t, double>> at_epochs(const std::vector<History::Row>& rows, size_t metric) {
  std::vector<std::pair<int64_t, double>> out;
  for (const History::Row& row : rows) {
    if (metric < row.metrics.size() && std::isfinite(row.metrics[metric]))
      out.emplace_back(row.step, row.metrics[metric]);
  }
  return out;
}

// Returns means over windows of about a fiftieth of the run, centred on the step so that the curve
// does not lag. The losses must be finite.
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

// Keeps only the lowest and the highest point per pixel column of a long curve.
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

// Draws bands over runs of steps whose loss is not finite.
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
                rows[begin].step, " is ", label_number(rows[begin].loss), "</title></rect>\n");
  }
  return out;
}

// Draws the names of the curves in as many lines as needed. `*bottom` receives the lower end.
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

// One plot of one history.
class Plot {
 public:
  explicit Plot(const History& history) : rows_(history.rows) {
    for (const History::Row& row : rows_) {
      if (std::isfinite(row.loss)) losses_.push_back(row.loss);
    }
    for (size_t m = 0; m < history.metric_names.size(); ++m) add_metric(history.metric_names[m], at_epochs(rows_, m));
    names_ = legend(series(), 52, &top_);
    top_ += 14;
    bottom_ = top_ + kPlotHeight;
    const int64_t last_step = rows_.empty() ? 2 : std::max<int64_t>(2, rows_.back().step);
    x_ = {1, static_cast<double>(last_step), kLeft, kRight, false};
    y_ = axis_of(values(true), bottom_, top_);
    right_ = axis_of(values(false), bottom_, top_);
    if (right_.logarithmic) right_.low = 0;
    right_.logarithmic = false;
    if (right_.low >= 0) right_.high = std::max(right_.high, 1.0);
  }

  std::string svg() const {
    return head() + axes() + broken_bands(rows_, x_, top_, bottom_) + loss_curves() + right_axis() + metric_curves() +
           "</svg>\n";
  }

 private:
  struct Metric {
    std::vector<std::pair<int64_t, double>> values;
    Series series;
    bool left;  // drawn on the axis of the loss
  };

  void add_metric(const std::string& name, std::vector<std::pair<int64_t, double>> values) {
    Metric metric{std::move(values), {name, "", kValidationColour}, name == "val_loss"};
    if (!metric.left) {
      metric.series.colour = kMetricColours[on_right_ % kMetricColours.size()];
      metric.series.dash = kDashes[on_right_ / kMetricColours.size() % kDashes.size()];
      metric.series.name += " (right)";
      ++on_right_;
    }
    metrics_.push_back(std::move(metric));
  }

  std::vector<Series> series() const {
    std::vector<Series> out = {{"loss of the batch", "", kLossColour}, {"running mean", "", kMeanColour}};
    for (const Metric& metric : metrics_) out.push_back(metric.series);
    if (losses_.size() < rows_.size()) out.push_back({"loss is not finite", "", kBrokenColour});
    return out;
  }

  // Returns the numbers on the left or the right axis.
  std::vector<double> values(bool left) const {
    std::vector<double> out;
    if (left) out = losses_;
    for (const Metric& metric : metrics_) {
      if (metric.left != left) continue;
      for (const auto& [step, value] : metric.values) out.push_back(value);
    }
    return out;
  }

  double place(int64_t step) const { return x_(static_cast<double>(step)); }

  std::string head() const {
    const std::string title = rows_.empty() ? "No training steps"
                                            : str_cat("Training: ", rows_.back().step, " steps, ", rows_.back().epoch,
                                                      rows_.back().epoch == 1 ? " epoch" : " epochs");
    const std::string height = fixed(bottom_ + kBelow);
    return str_cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"", height, "\" viewBox=\"0 0 800 ",
                   height,
                   "\" style=\"max-width:100%;height:auto\" font-family=\"sans-serif\" font-size=\"12\">\n<title>",
                   title, "</title>\n<rect width=\"800\" height=\"", height, "\" fill=\"white\"/>\n") +
           text(kLeft, 26, "start", title, " font-size=\"16\" font-weight=\"bold\"") + names_;
  }

  std::string axes() const {
    std::string out;
    for (const Axis::Tick& tick : y_.ticks(24)) {
      out += line(kLeft, y_(tick.value), kRight, y_(tick.value), "#e5e7eb");
      out += text(kLeft - 8, y_(tick.value) + 4, "end", tick.label);
    }
    for (const Axis::Tick& tick : x_.ticks(80)) {
      if (tick.value < 1 || tick.value != std::floor(tick.value)) continue;
      out += line(x_(tick.value), bottom_, x_(tick.value), bottom_ + 5, "#374151");
      out += text(x_(tick.value), bottom_ + 20, "middle", tick.label);
    }
    out += line(kLeft, bottom_, kRight, bottom_, "#374151") + line(kLeft, top_, kLeft, bottom_, "#374151");
    out += text((kLeft + kRight) / 2, bottom_ + 44, "middle", "step");
    const double middle = (top_ + bottom_) / 2;
    return out + text(16, middle, "middle", y_.logarithmic ? "loss (logarithmic)" : "loss",
                      str_cat(" transform=\"rotate(-90 16 ", fixed(middle), ")\""));
  }

  std::string loss_curves() const {
    const std::vector<double> means = running_means(losses_);
    Points of_batches, of_means;
    for (const History::Row& row : rows_) {
      if (!std::isfinite(row.loss)) continue;
      of_means.emplace_back(place(row.step), y_(means[of_batches.size()]));
      of_batches.emplace_back(place(row.step), y_(row.loss));
    }
    return polyline(thinned(std::move(of_batches)), kLossColour, "1") +
           polyline(thinned(std::move(of_means)), kMeanColour, "2");
  }

  std::string right_axis() const {
    if (on_right_ == 0) return "";
    std::string out = line(kRight, top_, kRight, bottom_, "#374151");
    for (const Axis::Tick& tick : right_.ticks(24)) {
      out += text(kRight + 8, right_(tick.value) + 4, "start", tick.label);
    }
    return out;
  }

  std::string metric_curves() const {
    std::string out;
    for (const Metric& metric : metrics_) {
      Points points;
      const bool dots = metric.values.size() <= kMostPoints / 10;
      for (const auto& [step, value] : metric.values) {
        points.emplace_back(place(step), metric.left ? y_(value) : right_(value));
        if (!dots) continue;
        out += str_cat("<circle cx=\"", fixed(points.back().first), "\" cy=\"", fixed(points.back().second),
                       "\" r=\"3.5\" fill=\"", metric.series.colour, "\"><title>", svg_escaped(metric.series.name), " ",
                       label_number(value), " after step ", step, "</title></circle>\n");
      }
      out += polyline(thinned(std::move(points)), metric.series.colour, "1.5", metric.series.dash);
    }
    return out;
  }

  const std::vector<History::Row>& rows_;
  std::vector<double> losses_;  // finite ones
  std::vector<Metric> metrics_;
  size_t on_right_ = 0;  // metrics on the right axis
  std::string names_;    // the legend
  double top_ = 0, bottom_ = 0;
  Axis x_, y_, right_;
};

}  // namespace

std::string History::to_svg() const { return Plot(*this).svg(); }

}  // namespace percale
