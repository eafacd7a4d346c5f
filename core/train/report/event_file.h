// Writes the history of a run in TensorBoard's format: protocol buffer records, each with two
// checksums.
#ifndef PERCALE_CORE_TRAIN_REPORT_EVENT_FILE_H_
#define PERCALE_CORE_TRAIN_REPORT_EVENT_FILE_H_

#include <string>

#include "core/train/report/history.h"

namespace percale {

// Returns the bytes of a file events.out.tfevents.*: "loss", "learning_rate" and the metrics as
// scalars, by step. `started` is the start of the run in seconds since 1970. A history with more
// rows gives the same bytes followed by more, so a growing file can be written by appending.
std::string event_file(const History& history, double started);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REPORT_EVENT_FILE_H_
