// A file with the history of a training, which grows with it.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_HISTORY_FILE_H_
#define PERCALE_BINDINGS_CLI_TRAINING_HISTORY_FILE_H_

#include <percale.h>

#include <cstdio>
#include <string>

namespace percale_cli {

class HistoryFile {
 public:
  // `format`: "csv", or "events" for TensorBoard. Truncates the file. Throws Failure if it cannot
  // be written.
  HistoryFile(std::string path, const char* format);
  ~HistoryFile();
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;

  // Appends new rows; existing ones are never rewritten. Unless `settled`, the newest step may
  // still get its epoch's metrics: a CSV file then leaves this step out, and events are not
  // written. Returns false, now and later, after a write error. Does not throw, because the library
  // calls it.
  bool update(percale_trainer* trainer, bool settled);
  // Throws Failure if an update has failed.
  void check_written() const;

 private:
  const std::string path_;
  const char* const format_;
  std::FILE* file_ = nullptr;
  size_t written_ = 0;
  int error_ = 0;  // errno of the failure; 0: none
};

// Returns the history as text: "csv" or "svg".
std::string history_text(percale_trainer* trainer, const char* format);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_HISTORY_FILE_H_
