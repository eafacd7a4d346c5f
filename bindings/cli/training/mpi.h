// A group whose ranks are the processes of an MPI job.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_MPI_H_
#define PERCALE_BINDINGS_CLI_TRAINING_MPI_H_

#include <percale.h>

#include <memory>

#include "training/process_group.h"

namespace percale_cli {

struct MpiFunctions;

// Exchanges bytes over the standard ABI of MPI 5.0, whose library is opened when the program needs
// it. One object per process.
class MpiGroup final : public ProcessGroup {
 public:
  // Begins MPI. Throws Failure if there is no such library, or if it is for one thread alone.
  MpiGroup();
  // Ends MPI, unless an exchange or the command has failed: then the launcher ends the whole job
  // when this process ends.
  ~MpiGroup() override;
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;

  int rank() const override { return rank_; }
  void join(percale_trainer* trainer) override;

 private:
  percale_collective table();
  percale_status* exchange(uint64_t tag, const percale_bytes* sends, const percale_bytes* recvs, int64_t timeout_ns);

  const std::unique_ptr<MpiFunctions> mpi_;
  int rank_ = 0, size_ = 1;
  bool failed_ = false;
};

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_MPI_H_
