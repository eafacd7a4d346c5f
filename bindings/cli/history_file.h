// A file with the history of a training that grows with it.
#ifndef PERCALE_BINDINGS_CLI_HISTORY_FILE_H_
#define PERCALE_BINDINGS_CLI_HISTORY_FILE_H_

#include <percale.h>

#include <cstdio>
#include <string>

namespace percale_cli {

class HistoryFile {
 public:
  // `format`: "csv", or "events" for TensorBoard. Empties the file. Throws Failure when it cannot be written.
  HistoryFile(std::string path, const char* format);
  ~HistoryFile();
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;

  // Appends what is new; what is there is never written again. The newest step may still get its epoch's metrics unless
  // `settled`: then a CSV file leaves this step out, and events wait. False, for good, when the file cannot be written. Throws
  // nothing: it is called from within the library.
  bool update(percale_trainer* trainer, bool settled);
  // Throws Failure when an update has failed.
  void check_written() const;

 private:
  const std::string path_;
  const char* const format_;
  std::FILE* file_ = nullptr;
  size_t written_ = 0;
  int error_ = 0;  // errno of what failed; 0: all is well
};

// The history as text: "csv" or "svg".
std::string history_text(percale_trainer* trainer, const char* format);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_HISTORY_FILE_H_
