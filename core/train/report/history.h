// Records what happened in each step of a run.
#ifndef PERCALE_CORE_TRAIN_REPORT_HISTORY_H_
#define PERCALE_CORE_TRAIN_REPORT_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

// A plain value.
struct History {
  struct Row {
    int64_t epoch = 0, step = 0;  // counted from 1; steps over the whole run
    double loss = 0;              // mean over the batch before the update
    double learning_rate = 0;
    double seconds = 0;           // since the start of the run, without pauses before a resume
    std::vector<double> metrics;  // on the last row of an epoch: means over the epoch; else empty
  };
  std::vector<std::string> metric_names;
  std::vector<Row> rows;

  // Reserves memory for one more row, so that adding it cannot fail.
  void make_room() {
    if (rows.size() == rows.capacity()) rows.reserve(2 * rows.size() + 16);
  }

  // Returns "epoch,step,loss,learning_rate,seconds,accuracy\n" and a line per row. Numbers have
  // nine digits.
  std::string to_csv() const;
  // Returns a plot of loss and metrics over the steps.
  std::string to_svg() const;

  // Converts the rows to one f64 matrix for checkpoints, and back. `names` are the metrics in the
  // last columns. Metrics that this history lacks are dropped; those missing in `names` become NaN.
  // INVALID_ARGUMENT for a matrix of another form.
  Tensor to_tensor() const;
  Status from_tensor(const Tensor& tensor, const std::vector<std::string>& names);
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REPORT_HISTORY_H_
