// The job of a SPEC, for the commands that train and evaluate it.
#ifndef PERCALE_BINDINGS_CLI_JOB_H_
#define PERCALE_BINDINGS_CLI_JOB_H_

#include <string>
#include <string_view>

#include "api.h"

namespace percale_cli {

// The trainer of a SPEC, by default the one that the first argument names, with the flags --devices
// and --data. Makes the engine of `setup`; its options for trainers must be set before.
struct Job {
  Job(Setup& setup, const Args& args) : Job(setup, args, args.positional()[0]) {}
  Job(Setup& setup, const Args& args, const std::string& path);
  Json spec;
  Trainer trainer;
  Variables variables;
};

// Prints "test  loss 0.25  accuracy 0.9" to stdout.
void print_numbers(std::string_view title, const Json& numbers);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_JOB_H_
