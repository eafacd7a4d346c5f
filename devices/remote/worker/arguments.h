// The command line of percale-worker.
#ifndef PERCALE_DEVICES_REMOTE_WORKER_ARGUMENTS_H_
#define PERCALE_DEVICES_REMOTE_WORKER_ARGUMENTS_H_

#include <string>
#include <utility>
#include <vector>

namespace percale::worker {

extern const char* const kUsage;

// A wrong command line; exit code 2.
struct UsageError {
  std::string message;
};

struct Arguments {
  bool help = false;
  std::string new_certificates;  // the folder to make
  std::string address;           // "host:port", "unix:path"; empty: that of the task
  std::string cluster, task;     // "FILE" or "env"; "JOB:N"
  std::string certificates;
  bool once = false;  // ends when clients have come and gone
  // Options of the engine, "memory_limit" and its value.
  std::vector<std::pair<std::string, std::string>> engine;
};

// Throws UsageError.
Arguments parse(const std::vector<std::string>& words);

}  // namespace percale::worker

#endif  // PERCALE_DEVICES_REMOTE_WORKER_ARGUMENTS_H_
