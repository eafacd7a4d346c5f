// The progress of a training on stderr: a bar on a terminal, a line per epoch everywhere.
#ifndef PERCALE_BINDINGS_CLI_PROGRESS_H_
#define PERCALE_BINDINGS_CLI_PROGRESS_H_

#include <percale.h>

#include <chrono>
#include <string>

namespace percale_cli {

class ProgressBar {
 public:
  // `rows`: what a row of the data is called, "images".
  explicit ProgressBar(std::string rows);
  void show(const percale_progress& progress);
  // Takes the bar away, so that something else can be written.
  void clear();

 private:
  void draw_bar(const percale_progress& progress);
  void print_epoch(const percale_progress& progress);

  const std::string rows_;
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
  double epoch_loss_ = 0, epoch_begin_ = 0;
  int64_t epoch_steps_ = 0;
};

// "1:05" or "1:00:05"
std::string clock_text(double seconds);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_PROGRESS_H_
