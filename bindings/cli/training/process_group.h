// The group of processes that train together, if this process is one of them.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_PROCESS_GROUP_H_
#define PERCALE_BINDINGS_CLI_TRAINING_PROCESS_GROUP_H_

#include <percale.h>

#include <memory>
#include <optional>

#include "args.h"
#include "training/named_cluster.h"

namespace percale_cli {

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  // The rank of this process; rank 0 speaks for all.
  virtual int rank() const = 0;
  // Returns when all processes have joined. The group must outlive the trainer.
  virtual void join(percale_trainer* trainer) = 0;
};

// The group of --collective, or of the cluster; null if there is none.
std::unique_ptr<ProcessGroup> open_group(const Args& args, std::optional<NamedCluster> cluster);
// The group that the launcher's environment describes; null if this process was started alone.
std::unique_ptr<ProcessGroup> open_launched_group();

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_PROCESS_GROUP_H_
