// The description of a training job in a checkpoint: the settings that determine what is trained.
#ifndef PERCALE_CORE_CHECKPOINT_JOB_H_
#define PERCALE_CORE_CHECKPOINT_JOB_H_

#include <string>
#include <utility>
#include <vector>

namespace percale {

// Pairs of a setting, such as "optimizer.learning_rate", and its value as canonical JSON.
// Differences are reported in this order.
using JobParts = std::vector<std::pair<std::string, std::string>>;

// Returns "sha256:" and a hash over names and values.
std::string job_digest(const JobParts& job);

// Describes the first setting that differs, as in "optimizer.learning_rate: the checkpoint has
// 0.001, this job 0.01". Returns "" if none differs.
std::string first_difference(const JobParts& saved, const JobParts& own);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_JOB_H_
