// What happened in each step of a run.
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
    int64_t epoch = 0, step = 0;  // from 1; steps over the whole run
    double loss = 0;              // mean of the batch before the update
    double learning_rate = 0;
    double seconds = 0;           // since the start of the run, pauses between resumed parts left out
    std::vector<double> metrics;  // on an epoch's last row: means over the epoch; else empty
  };
  std::vector<std::string> metric_names;
  std::vector<Row> rows;

  // Takes the memory for a row more, so that adding it cannot fail.
  void make_room() {
    if (rows.size() == rows.capacity()) rows.reserve(2 * rows.size() + 16);
  }

  // "epoch,step,loss,learning_rate,seconds,accuracy\n" and a line per row; numbers with nine digits.
  std::string to_csv() const;
  // A drawing of loss and metrics over the steps.
  std::string to_svg() const;

  // The rows as one f64 matrix, for checkpoints, and back. `names`: the metrics of its last columns; those that this history does not have
  // are dropped, those that they lack are NaN. INVALID_ARGUMENT for a matrix that is none.
  Tensor to_tensor() const;
  Status from_tensor(const Tensor& tensor, const std::vector<std::string>& names);
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REPORT_HISTORY_H_
