#include "training/history_file.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include "api.h"
#include "system/system.h"

namespace percale_cli {
namespace {

// Returns the length of a CSV text without its last line.
size_t without_last_line(std::string_view text) {
  if (text.empty()) return 0;
  const size_t end = text.rfind('\n', text.size() - 2);
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

HistoryFile::HistoryFile(std::string path, const char* format)
    : path_(std::move(path)), format_(format), file_(open_file(path_, "wb")) {
  if (file_ == nullptr) throw Failure{path_ + ": cannot be written: " + std::strerror(errno)};
}

HistoryFile::~HistoryFile() { std::fclose(file_); }

bool HistoryFile::update(percale_trainer* trainer, bool settled) {
  const bool csv = std::string_view(format_) == "csv";
  if (error_ != 0) return false;
  if (!settled && !csv) return true;
  percale_text* text = nullptr;
  if (percale_status* status = percale_trainer_history(trainer, format_, &text); status != nullptr) {
    percale_status_release(status);
    error_ = ENOMEM;
    return false;
  }
  size_t size = 0;
  const char* bytes = percale_text_data(text, &size);
  if (!settled) size = without_last_line({bytes, size});
  if (size > written_) {
    const size_t more = size - written_;
    errno = 0;
    if (std::fwrite(bytes + written_, 1, more, file_) != more || std::fflush(file_) != 0) {
      error_ = errno != 0 ? errno : EIO;
    }
    written_ = size;
  }
  percale_text_release(text);
  return error_ == 0;
}

void HistoryFile::check_written() const {
  if (error_ != 0) throw Failure{path_ + ": cannot be written: " + std::strerror(error_)};
}

std::string history_text(percale_trainer* trainer, const char* format) {
  percale_text* text = nullptr;
  check(percale_trainer_history(trainer, format, &text));
  return take_text(text);
}

}  // namespace percale_cli
