// The run that a trainer is in, and the job that it trains. Checkpoints carry both, and restoring
// one compares them.
#ifndef PERCALE_CORE_TRAIN_RUN_IDENTITY_H_
#define PERCALE_CORE_TRAIN_RUN_IDENTITY_H_

#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/run_folder.h"
#include "core/text/json.h"
#include "core/train/job_parts.h"

namespace percale {

// A run begins with a new trainer and goes on in every trainer that restores one of its
// checkpoints. Thread-compatible.
class RunIdentity {
 public:
  // Settings that neither the model nor the options say, such as the loss of a SPEC. Before the
  // first save or restore.
  void add(JobParts parts);
  // The data_parts() of the data that is trained on from now on. FAILED_PRECONDITION names the
  // first difference to the data of the checkpoint that was restored last, unless training has gone
  // on since.
  Status take_data(JobParts data);

  // The id of the run, 32 hexadecimal digits, drawn when it is first asked for.
  Result<std::string> id();
  // core/checkpoint/run_folder.h, for this run. Another folder takes the place of the one before;
  // without success none is locked.
  Status lock_folder(const std::string& folder, bool overwrite);
  // Writes the run and the job of a checkpoint. `shards`: of a batch, 0 if that is not decided yet.
  // `data`: data_parts() of the data that is trained on if take_data() was not called; may be
  // empty.
  Status write(const Model& model, const TrainerOptions& options, int64_t shards, const JobParts& data,
               Checkpoint* out);
  // FAILED_PRECONDITION names the first difference between the checkpoint's job and this one.
  // Shards that are still open, and data that is not known yet, are taken to be those of the
  // checkpoint.
  Status check(const Model& model, const TrainerOptions& options, int64_t shards, const JobParts& data,
               const Checkpoint& saved);
  // Model and settings, without the data.
  JobParts job(const Model& model, const TrainerOptions& options, int64_t shards) {
    return job(model, options, shards, {});
  }
  // Goes on with the run of a checkpoint that check() has accepted.
  void adopt(const NewestCheckpoint& restored);

  // The keys "run_id", "restored_from" and "skipped_checkpoints".
  void describe(JsonWriter& w) const;

 private:
  JobParts job(const Model& model, const TrainerOptions& options, int64_t shards, const JobParts& data);

  std::string id_;              // "" before it is asked for
  JobParts added_, model_;      // model_: empty before it is asked for
  JobParts data_;               // of the last fit, or of the checkpoint; empty when not known
  bool data_restored_ = false;  // data_ is a checkpoint's, and no fit has used it yet
  std::string restored_from_;
  std::vector<std::string> skipped_;
  std::optional<FileLock> folder_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_RUN_IDENTITY_H_
