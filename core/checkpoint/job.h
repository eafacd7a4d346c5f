// The description of a training job that a checkpoint carries: which settings decided what was trained.
#ifndef PERCALE_CORE_CHECKPOINT_JOB_H_
#define PERCALE_CORE_CHECKPOINT_JOB_H_

#include <string>
#include <utility>
#include <vector>

namespace percale {

// Settings by name, "optimizer.learning_rate", each with its value as canonical JSON. They stand in the order in which
// differences are reported.
using JobParts = std::vector<std::pair<std::string, std::string>>;

// "sha256:" over names and values.
std::string job_digest(const JobParts& job);

// "optimizer.learning_rate: the checkpoint has 0.001, this job 0.01" for the first part that differs; "" when none does.
std::string first_difference(const JobParts& saved, const JobParts& own);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_JOB_H_
