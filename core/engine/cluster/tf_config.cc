#include "core/engine/cluster/cluster.h"
#include "core/engine/cluster/parse_int.h"
#include "core/text/json.h"

namespace percale {
namespace {

Status read_job(const std::string& name, const Json& tasks, Cluster* out) {
  if (!tasks.is_object()) PERCALE_RETURN_IF_ERROR(tasks.expect(Json::Kind::kArray, name));
  for (size_t i = 0; i < tasks.size(); ++i) {
    const auto number = tasks.is_array() ? static_cast<int64_t>(i) : parse_int(tasks.key(i));
    if (!number) return tasks.item(i).error(name, "'", tasks.key(i), "' is no number of a task");
    PERCALE_ASSIGN_OR_RETURN(const std::string address, tasks.item(i).as_string(name));
    if (address.empty()) return tasks.item(i).error(name, "an address is empty");
    const Status status = out->add_task(name, *number, address);
    if (!status.ok()) return tasks.item(i).error(name, status.message());
  }
  return {};
}

}  // namespace

Result<Cluster> Cluster::from_json(std::string_view json) {
  PERCALE_ASSIGN_OR_RETURN(const Json root, Json::parse(json, {.bytes = size_t{16} << 20}));
  PERCALE_RETURN_IF_ERROR(root.expect(Json::Kind::kObject, "TF_CONFIG"));
  Cluster out;
  if (const Json* jobs = root.find("cluster")) {
    PERCALE_RETURN_IF_ERROR(jobs->expect(Json::Kind::kObject, "cluster"));
    for (size_t i = 0; i < jobs->size(); ++i) {
      if (jobs->key(i).empty()) return jobs->item(i).error("cluster", "a job has no name");
      PERCALE_RETURN_IF_ERROR(read_job(jobs->key(i), jobs->item(i), &out));
    }
  }
  if (const Json* task = root.find("task")) {
    PERCALE_RETURN_IF_ERROR(task->expect(Json::Kind::kObject, "task"));
    const Json* type = task->find("type");
    const Json* index = task->find("index");
    if (type == nullptr) return task->error("task", "has no 'type'");
    PERCALE_ASSIGN_OR_RETURN(const std::string job, type->as_string("type"));
    int64_t number = 0;
    if (index != nullptr) {
      PERCALE_ASSIGN_OR_RETURN(number, index->as_int("index"));
    }
    const Status status = out.set_role(job, number);
    if (!status.ok()) return task->error("task", status.message());
  }
  return out;
}

}  // namespace percale
