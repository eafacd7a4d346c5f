#include "training/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "api.h"

namespace percale_cli {
namespace {

// "1:05" or "1:00:05"
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

std::string number(double value, int digits) {
  if (std::isnan(value)) return "nan";  // of either sign
  char text[64];
  std::snprintf(text, sizeof text, std::abs(value) < 1e9 ? "%.*f" : "%.*g", digits, value);
  return text;
}

// Returns the line of a step in at most `columns` columns. The bar takes the remaining space. If
// there is too little, speed, steps, the remaining time and the loss are dropped, in this order.
std::string progress_line(const percale_progress& progress, const std::string& rows, size_t columns) {
  constexpr size_t kMostCells = 24, kFewestCells = 6;
  const auto count_of = [](int64_t count, int64_t all) { return std::to_string(count) + "/" + std::to_string(all); };
  const std::string epoch = "epoch " + count_of(progress.epoch, progress.epochs);
  std::string steps = " " + count_of(progress.step_in_epoch, progress.steps_in_epoch);
  std::string loss = "  loss " + number(progress.loss, 4);
  std::string speed = "  " + number(progress.rows_per_second, 0) + " " + rows + "/s";
  std::string rest = "  ETA " + clock_text(progress.eta_seconds);
  const auto width = [&] { return epoch.size() + steps.size() + loss.size() + speed.size() + rest.size(); };
  for (std::string* part : {&speed, &steps, &rest, &loss}) {
    if (width() > columns) part->clear();
  }
  std::string bar;
  if (const size_t frame = 3; width() + frame + kFewestCells <= columns) {
    const size_t cells = std::min(kMostCells, columns - width() - frame);
    const int64_t all = std::max<int64_t>(progress.steps_in_epoch, 1);
    const auto full = static_cast<size_t>(std::clamp<int64_t>(
        static_cast<int64_t>(cells) * progress.step_in_epoch / all, 0, static_cast<int64_t>(cells)));
    bar = " [" + std::string(full, '#') + std::string(cells - full, '.') + "]";
  }
  return (epoch + bar + steps + loss + speed + rest).substr(0, columns);
}

}  // namespace

ProgressBar::ProgressBar(std::string rows) : rows_(std::move(rows)), terminal_(stderr_is_terminal()) {}

void ProgressBar::show(const percale_progress& progress) {
  // A resumed run starts with the seconds of its earlier parts.
  if (epoch_begin_ < 0) epoch_begin_ = progress.step == 1 ? 0 : progress.seconds;
  if (progress.epoch_ended != 0) {
    clear();
    print_epoch(progress);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  // The last column stays free: some terminals wrap a line that fills it.
  draw(progress_line(progress, rows_, static_cast<size_t>(stderr_columns()) - 1));
}

// A terminal that has become narrower has wrapped the bar over several lines.
void ProgressBar::clear() {
  if (drawn_ == 0) return;
  const size_t lines = (drawn_ - 1) / static_cast<size_t>(stderr_columns());
  if (lines > 0) std::fprintf(stderr, "\033[%zuA", lines);
  std::fputs("\r\033[J", stderr);
  drawn_ = 0;
}

void ProgressBar::draw(const std::string& line) {
  clear();
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = line.size();
}

void ProgressBar::print_epoch(const percale_progress& progress) {
  std::string line = "epoch " + std::to_string(progress.epoch) + "/" + std::to_string(progress.epochs) + "  loss " +
                     number(progress.epoch_loss, 4);
  for (size_t i = 0; i < progress.metric_count; ++i) {
    line += "  " + std::string(progress.metric_names[i]) + " " + number(progress.metric_values[i], 4);
  }
  line +=
      "  " + number(progress.rows_per_second, 0) + " " + rows_ + "/s  " + clock_text(progress.seconds - epoch_begin_);
  print(stderr, "%s\n", line.c_str());
  epoch_begin_ = progress.seconds;
}

}  // namespace percale_cli
