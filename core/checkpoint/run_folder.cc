#include "core/checkpoint/run_folder.h"

#include <algorithm>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/file/file.h"

namespace percale {

Result<FileLock> lock_run_folder(const std::string& folder, const std::string& run, bool overwrite) {
  PERCALE_RETURN_IF_ERROR(create_folders(folder));
  auto lock = FileLock::take(join_path(folder, ".percale.lock"));
  if (!lock.ok()) {
    if (lock.status().code() != Code::kUnavailable) return lock.status();
    return lock.status().with_context(str_cat("folder '", folder, "' is in use by another training"));
  }
  if (overwrite) {
    PERCALE_RETURN_IF_ERROR(remove_checkpoints(folder, run));
    return lock;
  }
  PERCALE_ASSIGN_OR_RETURN(const auto entries, list_checkpoints(folder));
  const auto other = std::ranges::find_if(entries, [&](const CheckpointEntry& e) { return e.head.run != run; });
  if (other == entries.end()) return lock;
  return Status(Code::kAlreadyExists,
                str_cat("folder '", folder, "' holds checkpoints of another run, such as '", other->path, "'"));
}

}  // namespace percale
