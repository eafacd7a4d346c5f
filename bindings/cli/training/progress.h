// The progress of a training on stderr: a bar on a terminal, and a line per epoch.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_PROGRESS_H_
#define PERCALE_BINDINGS_CLI_TRAINING_PROGRESS_H_

#include <percale.h>

#include <chrono>
#include <string>

namespace percale_cli {

class ProgressBar {
 public:
  // `rows`: what a row of the data is called, such as "images".
  explicit ProgressBar(std::string rows);
  void show(const percale_progress& progress);
  // Removes the bar, so that other text can be written.
  void clear();

 private:
  void draw(const std::string& line);
  void print_epoch(const percale_progress& progress);

  const std::string rows_;
  const bool terminal_;
  size_t drawn_ = 0;  // columns of the drawn bar
  std::chrono::steady_clock::time_point last_{};
  double epoch_begin_ = -1;  // in seconds of the run; negative: not known yet
};

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_PROGRESS_H_
