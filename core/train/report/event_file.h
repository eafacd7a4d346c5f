// The history of a run in the form that TensorBoard reads: records of protocol buffers, each under two checksums.
#ifndef PERCALE_CORE_TRAIN_REPORT_EVENT_FILE_H_
#define PERCALE_CORE_TRAIN_REPORT_EVENT_FILE_H_

#include <string>

#include "core/train/report/history.h"

namespace percale {

// The bytes of a file events.out.tfevents.*: "loss", "learning_rate" and the metrics as scalars, by step. `started`: the time of
// the run's first second, in seconds since 1970. A history with more rows gives these bytes and more behind them, so a file that
// grows can be written by appending.
std::string event_file(const History& history, double started);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REPORT_EVENT_FILE_H_
