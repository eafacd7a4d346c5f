// The tasks of a cluster that do not train themselves: parameter servers and their workers serve
// devices to the chief, an evaluator follows the checkpoints.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_CLUSTER_TASKS_H_
#define PERCALE_BINDINGS_CLI_TRAINING_CLUSTER_TASKS_H_

#include "api.h"
#include "training/named_cluster.h"

namespace percale_cli {

// Serves the devices of this process, until the chief has ended or a signal comes. Returns the exit
// code.
int serve_chief(const Args& args, const NamedCluster& cluster);

// Evaluates each new checkpoint in the folder --out, until that of the last epoch or a signal.
// Returns the exit code.
int follow_checkpoints(const Args& args);

// Gives the engine of the chief the devices of all workers and parameter servers. Throws Failure if
// the SPEC names devices of this process alone.
void use_cluster_devices(Setup& setup, const Args& args, const Json& spec, const NamedCluster& cluster);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_CLUSTER_TASKS_H_
