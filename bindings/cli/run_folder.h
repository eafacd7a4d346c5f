// The folders of a training: what it goes on from, and where it writes.
#ifndef PERCALE_BINDINGS_CLI_RUN_FOLDER_H_
#define PERCALE_BINDINGS_CLI_RUN_FOLDER_H_

#include <percale.h>

#include <string>

#include "json.h"

namespace percale_cli {

// The facts that the trainer tells of itself.
Json describe(percale_trainer* trainer);

// Takes up a checkpoint, or the newest whole one of a folder, and says which. Returns the folder that it lies in; a folder without
// checkpoints is returned as it is, and the training starts at step 0. Throws Failure when `path` does not exist.
std::string resume(percale_trainer* trainer, const std::string& path);

// Locks the folder for the training. Throws Failure when another run's checkpoints lie there, unless `overwrite` is set: then they
// are removed, with the files that the run has written beside them.
void take_folder(percale_trainer* trainer, const std::string& folder, bool overwrite);

// Epochs that are complete: "epoch" of describe() is the one that comes next.
int64_t epochs_done(const Json& facts);
// The checkpoint that the training has gone on from; "" when it has started at step 0.
std::string restored_from(percale_trainer* trainer);

// The names of the files that a training writes beside its checkpoints.
inline constexpr const char* kModelFile = "model.percale";
inline constexpr const char* kHistoryFile = "history.csv";
inline constexpr const char* kPlotFile = "loss.svg";

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_RUN_FOLDER_H_
