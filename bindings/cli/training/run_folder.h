// The folders of a training: the one it resumes from and the one it writes to.
#ifndef PERCALE_BINDINGS_CLI_TRAINING_RUN_FOLDER_H_
#define PERCALE_BINDINGS_CLI_TRAINING_RUN_FOLDER_H_

#include <percale.h>

#include <string>

#include "json.h"

namespace percale_cli {

// Returns the facts that the trainer reports.
Json describe(percale_trainer* trainer);

// Restores a checkpoint, or the newest complete one of a folder, and prints which. Returns its
// folder. A folder without checkpoints is returned as it is, and the training starts at step 0.
// Throws Failure if `path` does not exist.
std::string resume(percale_trainer* trainer, const std::string& path);

// Locks the folder for the training. Throws Failure if it has checkpoints of another run, unless
// `overwrite` is set: then they are removed, together with the files that the run has written
// beside them.
void lock_folder(percale_trainer* trainer, const std::string& folder, bool overwrite);

// Returns the number of complete epochs: "epoch" of describe() is the next one.
int64_t epochs_done(const Json& facts);
// Returns the checkpoint that the training was restored from; "" if it started at step 0.
std::string restored_from(percale_trainer* trainer);

// The names of the files that a training writes beside its checkpoints.
inline constexpr const char* kModelFile = "model.percale";
inline constexpr const char* kHistoryFile = "history.csv";
inline constexpr const char* kPlotFile = "loss.svg";

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_TRAINING_RUN_FOLDER_H_
