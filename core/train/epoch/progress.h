// The report of a fit to its caller after each step.
#ifndef PERCALE_CORE_TRAIN_EPOCH_PROGRESS_H_
#define PERCALE_CORE_TRAIN_EPOCH_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace percale {

// Borrowed for the call.
struct Progress {
  int64_t epoch = 0, epochs = 0;  // from 1
  int64_t step = 0, steps = 0;    // over the whole run, from 1; steps 0: unknown
  int64_t step_in_epoch = 0, steps_in_epoch = 0;
  double loss = 0, learning_rate = 0;
  double epoch_loss = 0;  // mean over the epoch's rows so far, each before its update
  double rows_per_second = 0, seconds = 0, eta_seconds = 0;
  bool epoch_ended = false;
  const std::vector<std::string>* metric_names = nullptr;
  const std::vector<double>* metrics = nullptr;  // empty unless the epoch has ended
};
// False ends the training after this step. It may save the trainer.
using ProgressFunction = std::function<bool(const Progress&)>;

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_PROGRESS_H_
