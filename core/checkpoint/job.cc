#include "core/checkpoint/job.h"

#include <map>

#include "core/base/status.h"
#include "core/file/sha256.h"

namespace percale {
namespace {

std::map<std::string_view, std::string_view> by_name(const JobParts& job) { return {job.begin(), job.end()}; }

}  // namespace

std::string job_digest(const JobParts& job) {
  Sha256 sum;
  for (const auto& [name, value] : job) sum.update(str_cat(name.size(), ":", name, value.size(), ":", value));
  return "sha256:" + sum.hex();
}

std::string first_difference(const JobParts& saved, const JobParts& own) {
  const auto in_saved = by_name(saved), in_own = by_name(own);
  for (const auto& [name, value] : own) {
    const auto found = in_saved.find(name);
    if (found == in_saved.end()) return str_cat(name, ": the checkpoint has none, but this job has ", value);
    if (found->second != value) return str_cat(name, ": the checkpoint has ", found->second, ", but this job ", value);
  }
  for (const auto& [name, value] : saved) {
    if (!in_own.contains(name)) return str_cat(name, ": the checkpoint has ", value, ", but this job has none");
  }
  return {};
}

}  // namespace percale
