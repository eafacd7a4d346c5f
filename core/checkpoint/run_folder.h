// One run at a time in a folder of checkpoints.
#ifndef PERCALE_CORE_CHECKPOINT_RUN_FOLDER_H_
#define PERCALE_CORE_CHECKPOINT_RUN_FOLDER_H_

#include <string>

#include "core/file/file_lock.h"

namespace percale {

// Makes the folder where it is missing and locks it for a run, until the lock is destroyed or the process ends. UNAVAILABLE names the
// process that has locked it. ALREADY_EXISTS when it holds checkpoints of another run; with `overwrite` those are removed
// instead, and nothing else.
Result<FileLock> lock_run_folder(const std::string& folder, const std::string& run, bool overwrite);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_RUN_FOLDER_H_
