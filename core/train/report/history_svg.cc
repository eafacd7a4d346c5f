// The plot of a history: the loss of each step and its running mean over a logarithmic or linear axis on the left, the metrics
// of each epoch on the right.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/train/report/history.h"

namespace percale {
namespace {

constexpr double kWidth = 800, kHeight = 440, kLeft = 70, kRight = 730, kTop = 50, kBottom = 380;
constexpr size_t kMostPoints = 2000;
constexpr std::array<const char*, 4> kMetricColours = {"#c2410c", "#15803d", "#7e22ce", "#0e7490"};

std::string fixed(double v) {
  char text[40];
  snprintf(text, sizeof text, "%.1f", v);
  return text;
}
std::string label(double v) {
  char text[40];
  snprintf(text, sizeof text, "%.4g", v);
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// Maps [low, high] to [from, to].
struct Axis {
  double low = 0, high = 1, from = 0, to = 1;
  bool logarithmic = false;
  double operator()(double v) const {
    const double part =
        logarithmic ? (std::log(v) - std::log(low)) / (std::log(high) - std::log(low)) : (v - low) / (high - low);
    return from + std::clamp(part, 0.0, 1.0) * (to - from);
  }
  std::vector<double> ticks() const {
    std::vector<double> out;
    if (logarithmic) {
      for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
        for (double m : {1.0, 2.0, 5.0}) {
          if (m * decade >= low && m * decade <= high) out.push_back(m * decade);
        }
      }
      if (out.size() > 9)
        std::erase_if(out, [](double v) { return std::abs(std::remainder(std::log10(v), 1)) > 1e-9; });
      return out;
    }
    const double rough = (high - low) / 5, unit = std::pow(10, std::floor(std::log10(rough)));
    const double step = unit * (rough / unit < 1.5 ? 1 : rough / unit < 3.5 ? 2 : rough / unit < 7.5 ? 5 : 10);
    for (double v = std::ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) {
      out.push_back(std::abs(v) < step * 1e-9 ? 0 : v);
    }
    return out;
  }
};

std::string text(double x, double y, const std::string& anchor, const std::string& what, const char* extra = "") {
  return "<text x=\"" + fixed(x) + "\" y=\"" + fixed(y) + "\" text-anchor=\"" + anchor + "\"" + extra + ">" +
         escaped(what) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return "<line x1=\"" + fixed(x1) + "\" y1=\"" + fixed(y1) + "\" x2=\"" + fixed(x2) + "\" y2=\"" + fixed(y2) +
         "\" stroke=\"" + colour + "\"/>\n";
}

std::string polyline(const std::vector<std::pair<double, double>>& points, const char* colour, const char* width) {
  std::string out = str_cat("<polyline fill=\"none\" stroke=\"", colour, "\" stroke-width=\"", width, "\" points=\"");
  for (const auto& [x, y] : points) out += fixed(x) + "," + fixed(y) + " ";
  return out + "\"/>\n";
}

Axis loss_axis(const std::vector<History::Row>& rows) {
  Axis axis{0, 1, kBottom, kTop, false};
  bool any = false;
  for (const History::Row& row : rows) {
    if (!std::isfinite(row.loss)) continue;
    axis.low = any ? std::min(axis.low, row.loss) : row.loss;
    axis.high = any ? std::max(axis.high, row.loss) : row.loss;
    any = true;
  }
  axis.logarithmic = any && axis.low > 0 && axis.high / axis.low > 20;
  if (!axis.logarithmic) axis.low = any && axis.low > 0 ? 0 : axis.low;
  if (!(axis.high > axis.low)) axis.high = axis.low + 1;
  return axis;
}

}  // namespace

std::string History::to_svg() const {
  const int64_t last_step = rows.empty() ? 1 : std::max<int64_t>(2, rows.back().step);
  const Axis x{1, static_cast<double>(last_step), kLeft, kRight, false};
  const Axis y = loss_axis(rows);
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"440\" viewBox=\"0 0 800 440\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"800\" height=\"440\" fill=\"white\"/>\n";
  for (double tick : y.ticks()) {
    out += line(kLeft, y(tick), kRight, y(tick), "#e5e7eb") + text(kLeft - 8, y(tick) + 4, "end", label(tick));
  }
  for (double tick : x.ticks()) {
    if (tick < 1) continue;
    out += line(x(tick), kBottom, x(tick), kBottom + 5, "#374151") + text(x(tick), kBottom + 20, "middle", label(tick));
  }
  out += line(kLeft, kBottom, kRight, kBottom, "#374151") + line(kLeft, kTop, kLeft, kBottom, "#374151");
  out += text((kLeft + kRight) / 2, kHeight - 18, "middle", "step");
  out += text(18, (kTop + kBottom) / 2, "middle", y.logarithmic ? "loss (logarithmic)" : "loss",
              " transform=\"rotate(-90 18 215)\"");

  // Long runs are drawn through every so many-th step; the running mean goes over about a fiftieth of the run.
  const size_t stride = rows.size() / kMostPoints + 1;
  const double keep = 1 - 1 / std::max(1.0, static_cast<double>(rows.size()) / 50);
  std::vector<std::pair<double, double>> losses, means;
  double mean = 0, weight = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i].loss)) continue;
    mean = keep * mean + (1 - keep) * rows[i].loss;
    weight = keep * weight + (1 - keep);
    if (i % stride != 0 && i + 1 != rows.size()) continue;
    const double at = x(static_cast<double>(rows[i].step));
    losses.emplace_back(at, y(rows[i].loss));
    means.emplace_back(at, y(mean / weight));
  }
  out += polyline(losses, "#93c5fd", "1") + polyline(means, "#1d4ed8", "2");
  double legend = kLeft + 10;
  const auto add_legend = [&](const char* colour, const std::string& what) {
    out += str_cat("<rect x=\"", fixed(legend), "\" y=\"22\" width=\"14\" height=\"4\" fill=\"", colour, "\"/>\n");
    out += text(legend + 20, 28, "start", what);
    legend += 40 + 7.0 * static_cast<double>(what.size());
  };
  add_legend("#93c5fd", "loss of the batch");
  add_legend("#1d4ed8", "running mean");
  Axis right{0, 1, kBottom, kTop, false};
  for (const Row& row : rows) {
    for (double v : row.metrics) right.high = std::isfinite(v) ? std::max(right.high, v) : right.high;
  }
  if (!metric_names.empty()) {
    out += line(kRight, kTop, kRight, kBottom, "#374151");
    for (double tick : right.ticks()) out += text(kRight + 8, right(tick) + 4, "start", label(tick));
  }
  for (size_t m = 0; m < metric_names.size(); ++m) {
    const char* colour = kMetricColours[m % kMetricColours.size()];
    std::vector<std::pair<double, double>> points;
    for (const Row& row : rows) {
      if (m >= row.metrics.size() || !std::isfinite(row.metrics[m])) continue;
      points.emplace_back(x(static_cast<double>(row.step)), right(row.metrics[m]));
      out += str_cat("<circle cx=\"", fixed(points.back().first), "\" cy=\"", fixed(points.back().second),
                     "\" r=\"4\" fill=\"", colour, "\"><title>", escaped(metric_names[m]), " ", label(row.metrics[m]),
                     "</title></circle>\n");
    }
    out += polyline(points, colour, "1.5");
    add_legend(colour, metric_names[m] + (points.empty() ? "" : " (right)"));
  }
  return out + "</svg>\n";
}

}  // namespace percale
