// Ensures that only one run at a time uses a folder of checkpoints.
#ifndef PERCALE_CORE_CHECKPOINT_RUN_FOLDER_H_
#define PERCALE_CORE_CHECKPOINT_RUN_FOLDER_H_

#include <string>

#include "core/file/file_lock.h"

namespace percale {

// Creates the folder if it is missing and locks it for a run, until the lock is destroyed or the
// process ends. UNAVAILABLE names the process that holds the lock. ALREADY_EXISTS: the folder
// contains checkpoints of another run. With `overwrite` these are removed instead, and nothing
// else.
Result<FileLock> lock_run_folder(const std::string& folder, const std::string& run, bool overwrite);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_RUN_FOLDER_H_
