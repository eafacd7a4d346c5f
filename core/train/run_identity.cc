#include "core/train/run_identity.h"

#include <array>

#include "core/system/error.h"
#include "core/system/process.h"
#include "core/train/trainer_options.h"

namespace percale {
namespace {

constexpr std::string_view kDataPrefix = "data.";

void append(JobParts& out, const JobParts& more) { out.insert(out.end(), more.begin(), more.end()); }

JobParts data_of_job(const JobParts& job) {
  JobParts out;
  for (const auto& part : job) {
    if (part.first.starts_with(kDataPrefix)) out.push_back(part);
  }
  return out;
}

}  // namespace

void RunIdentity::add(JobParts parts) { append(added_, parts); }

Result<std::string> RunIdentity::id() {
  if (!id_.empty()) return id_;
  std::array<uint8_t, 16> bytes{};
  if (const int error = os::random_bytes(bytes.data(), bytes.size()); error != 0) {
    return Status(Code::kUnavailable,
                  str_cat("the system gives no random numbers for the id of a run: ", os::error_text(error)));
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const uint8_t byte : bytes) {
    id_ += kDigits[byte >> 4];
    id_ += kDigits[byte & 15];
  }
  return id_;
}

JobParts RunIdentity::job(const Model& model, const TrainerOptions& options, int64_t shards, const JobParts& data) {
  if (model_.empty()) model_ = model_parts(model);
  JobParts out = added_;
  append(out, optimizer_parts(options.optimizer));
  append(out, schedule_parts(options.schedule));
  append(out, step_parts(options, shards));
  append(out, data);
  append(out, model_);
  return out;
}

Status RunIdentity::take_data(JobParts data) {
  if (data_restored_ && !data_.empty()) {
    if (const std::string difference = first_difference(data_, data); !difference.empty()) {
      return failed_precondition("the training goes on from '", restored_from_,
                                 "', which is of another job: ", difference);
    }
  }
  data_ = std::move(data);
  data_restored_ = false;
  return {};
}

Status RunIdentity::lock_folder(const std::string& folder, bool overwrite) {
  PERCALE_ASSIGN_OR_RETURN(const std::string run, id());
  folder_.reset();
  PERCALE_ASSIGN_OR_RETURN(folder_, lock_run_folder(folder, run, overwrite));
  return {};
}

Status RunIdentity::write(const Model& model, const TrainerOptions& options, int64_t shards, const JobParts& data,
                          Checkpoint* out) {
  PERCALE_ASSIGN_OR_RETURN(out->run, id());
  out->job = job(model, options, shards, data_.empty() ? data : data_);
  return {};
}

Status RunIdentity::check(const Model& model, const TrainerOptions& options, int64_t shards, const JobParts& data,
                          const Checkpoint& saved) {
  if (saved.job.empty()) return {};
  const JobParts saved_data = data_of_job(saved.job);
  const JobParts own_data = data.empty() || saved_data.empty() ? saved_data : data;
  const int64_t compared = shards == 0 || saved.shards == 0 ? saved.shards : shards;
  const std::string difference = first_difference(saved.job, job(model, options, compared, own_data));
  return difference.empty() ? Status() : failed_precondition("it is of another job: ", difference);
}

void RunIdentity::adopt(const NewestCheckpoint& restored) {
  id_ = restored.checkpoint.run;
  data_ = data_of_job(restored.checkpoint.job);
  data_restored_ = true;
  restored_from_ = restored.path;
  skipped_ = restored.skipped;
}

void RunIdentity::describe(JsonWriter& w) const {
  const auto text = [&](std::string_view key, const std::string& value) {
    w.key(key);
    if (value.empty()) {
      w.null();
    } else {
      w.value(value);
    }
  };
  text("run_id", id_);
  text("restored_from", restored_from_);
  w.key("skipped_checkpoints").begin_array();
  for (const std::string& why : skipped_) w.value(why);
  w.end_array();
}

}  // namespace percale
