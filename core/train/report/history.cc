#include "core/train/report/history.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/base/number_text.h"

namespace percale {
namespace {

constexpr size_t kFixedColumns = 5;

std::string csv_number(double v) { return general_text(v, 9); }

}  // namespace

std::string History::to_csv() const {
  std::string out = "epoch,step,loss,learning_rate,seconds";
  for (const std::string& name : metric_names) out += "," + name;
  out += "\n";
  for (const Row& row : rows) {
    out += str_cat(row.epoch, ",", row.step, ",", csv_number(row.loss), ",", csv_number(row.learning_rate), ",",
                   csv_number(row.seconds));
    for (size_t i = 0; i < metric_names.size(); ++i) {
      out += ",";
      if (i < row.metrics.size()) out += csv_number(row.metrics[i]);
    }
    out += "\n";
  }
  return out;
}

Tensor History::to_tensor() const {
  const size_t width = kFixedColumns + metric_names.size();
  std::vector<double> values;
  values.reserve(rows.size() * width);
  for (const Row& row : rows) {
    values.insert(values.end(), {static_cast<double>(row.epoch), static_cast<double>(row.step), row.loss,
                                 row.learning_rate, row.seconds});
    for (size_t i = 0; i < metric_names.size(); ++i) {
      values.push_back(i < row.metrics.size() ? row.metrics[i] : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return Tensor::of(Shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)},
                    std::span<const double>(values));
}

Status History::from_tensor(const Tensor& tensor, const std::vector<std::string>& names) {
  const size_t width = kFixedColumns + names.size();
  if (tensor.dtype() != DType::kF64 || tensor.shape().rank() != 2 || tensor.shape()[1] != static_cast<int64_t>(width)) {
    return invalid_argument("the history is ", tensor.dtype(), " ", tensor.shape(), ", wanted f64 with ",
                            static_cast<uint64_t>(width), " columns");
  }
  std::vector<size_t> columns;  // of this history's metrics; `width`: not in the matrix
  for (const std::string& name : metric_names) {
    const auto found = std::find(names.begin(), names.end(), name);
    columns.push_back(found == names.end() ? width : kFixedColumns + static_cast<size_t>(found - names.begin()));
  }
  rows.clear();
  const auto values = tensor.span<double>();
  for (size_t at = 0; at + width <= values.size(); at += width) {
    const double* v = values.data() + at;
    const auto epoch = checked_int(v[0]), step = checked_int(v[1]);
    if (!epoch || !step) return invalid_argument("the history has an invalid row: epoch ", v[0], ", step ", v[1]);
    Row row{*epoch, *step, v[2], v[3], v[4], {}};
    // A row without metrics has NaN in all of their columns.
    const bool has_metrics = std::any_of(v + kFixedColumns, v + width, [](double m) { return !std::isnan(m); });
    for (size_t i = 0; i < columns.size() && has_metrics; ++i) {
      row.metrics.push_back(columns[i] < width ? v[columns[i]] : std::numeric_limits<double>::quiet_NaN());
    }
    rows.push_back(std::move(row));
  }
  return {};
}

}  // namespace percale
