#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/engine/cluster/launchers.h"

namespace percale {
namespace {

struct PsLiteRole {
  std::string_view role;
  std::string_view job;
  const char* number;  // the variable that numbers the tasks of the job, or null
  int64_t tasks;
  std::string address;  // of each task
};

// ps-lite itself numbers its tasks only after they have found each other, so a job of one task
// needs no number.
Result<int64_t> own_number(const Environment& environment, const PsLiteRole& role) {
  if (role.number == nullptr) return int64_t{0};
  if (role.tasks == 1 && environment.find(role.number) == nullptr) return int64_t{0};
  return environment.integer(role.number, 0, role.tasks - 1);
}

}  // namespace

Result<Cluster> read_ps_lite(const Environment& environment, const RankVariables&) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t workers, environment.integer("DMLC_NUM_WORKER", 1, kMaxTasks));
  PERCALE_ASSIGN_OR_RETURN(const int64_t servers, environment.integer("DMLC_NUM_SERVER", 0, kMaxTasks));
  PERCALE_ASSIGN_OR_RETURN(const std::string host, environment.host("DMLC_PS_ROOT_URI"));
  PERCALE_ASSIGN_OR_RETURN(const int64_t port, environment.integer("DMLC_PS_ROOT_PORT", 1, 65535));
  const PsLiteRole roles[] = {{"scheduler", "chief", nullptr, 1, str_cat(host, ":", port)},
                              {"server", "ps", "DMLC_SERVER_ID", servers, ""},
                              {"worker", "worker", "DMLC_WORKER_ID", workers, ""}};
  const std::string_view role = environment.find("DMLC_ROLE");
  const auto own =
      std::find_if(std::begin(roles), std::end(roles), [&](const PsLiteRole& r) { return r.role == role; });
  if (own == std::end(roles)) {
    return invalid_argument("DMLC_ROLE is '", role, "', wanted scheduler, server or worker");
  }
  if (own->tasks == 0) return invalid_argument("DMLC_NUM_SERVER is '0', wanted at least 1, as DMLC_ROLE is 'server'");
  PERCALE_ASSIGN_OR_RETURN(const int64_t number, own_number(environment, *own));
  Cluster out;
  for (const PsLiteRole& job : roles) {
    for (int64_t i = 0; i < job.tasks; ++i) PERCALE_RETURN_IF_ERROR(out.add_task(job.job, i, job.address));
  }
  PERCALE_RETURN_IF_ERROR(out.set_role(own->job, number));
  return out;
}

}  // namespace percale
