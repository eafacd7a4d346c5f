#include "progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "api.h"

namespace percale_cli {

ProgressBar::ProgressBar(std::string rows) : rows_(std::move(rows)), terminal_(stderr_is_terminal()) {}

void ProgressBar::show(const percale_progress& progress) {
  epoch_loss_ += progress.loss;
  ++epoch_steps_;
  if (progress.epoch_ended != 0) {
    clear();
    print_epoch(progress);
    epoch_loss_ = 0;
    epoch_steps_ = 0;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  draw_bar(progress);
}

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressBar::draw_bar(const percale_progress& progress) {
  constexpr int64_t kCells = 24;
  const int64_t steps = std::max<int64_t>(progress.steps_in_epoch, 1);
  const int64_t full = std::clamp<int64_t>(kCells * progress.step_in_epoch / steps, 0, kCells);
  const std::string bar =
      std::string(static_cast<size_t>(full), '#') + std::string(static_cast<size_t>(kCells - full), '.');
  std::fprintf(stderr, "\r\033[Kepoch %lld/%lld [%s] %lld/%lld  loss %.4f  %.0f %s/s  ETA %s",
               static_cast<long long>(progress.epoch), static_cast<long long>(progress.epochs), bar.c_str(),
               static_cast<long long>(progress.step_in_epoch), static_cast<long long>(progress.steps_in_epoch),
               progress.loss, progress.rows_per_second, rows_.c_str(), clock_text(progress.eta_seconds).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::print_epoch(const percale_progress& progress) {
  std::fprintf(stderr, "epoch %lld/%lld  loss %.4f", static_cast<long long>(progress.epoch),
               static_cast<long long>(progress.epochs),
               epoch_loss_ / static_cast<double>(std::max<int64_t>(epoch_steps_, 1)));
  for (size_t i = 0; i < progress.metric_count; ++i) {
    std::fprintf(stderr, "  %s %.4f", progress.metric_names[i], progress.metric_values[i]);
  }
  std::fprintf(stderr, "  %.0f %s/s  %s\n", progress.rows_per_second, rows_.c_str(),
               clock_text(progress.seconds - epoch_begin_).c_str());
  epoch_begin_ = progress.seconds;
}

std::string clock_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = static_cast<long long>(std::llround(seconds));
  char text[32];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  }
  return text;
}

}  // namespace percale_cli
