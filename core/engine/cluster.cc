#include "core/engine/cluster.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/text/json.h"

namespace percale {
namespace {

constexpr std::string_view kWorker = "worker";
constexpr int64_t kDefaultPort = 8888;

std::optional<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Status check_address(std::string_view address) {
  const size_t colon = address.rfind(':');
  const int64_t port = colon == std::string_view::npos ? 0 : parse_int(address.substr(colon + 1)).value_or(0);
  const bool blank =
      std::any_of(address.begin(), address.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  if (colon == 0 || blank || port < 1 || port > 65535) {
    return invalid_argument("'", address, "' is no address, wanted host:port");
  }
  return {};
}

using Get = const char* (*)(const char* name);

// The value of a variable that must be an integer in [min, max].
Result<int64_t> int_variable(Get get, const char* name, int64_t min, int64_t max) {
  const char* text = get(name);
  if (text == nullptr) return not_found("the environment has no ", name);
  const auto value = parse_int(text);
  if (!value || *value < min || *value > max) {
    return invalid_argument("the environment's ", name, " is '", text, "', wanted ", min, " to ", max);
  }
  return *value;
}

Result<int64_t> base_port(Get get) {
  return get("MASTER_PORT") == nullptr ? Result<int64_t>(kDefaultPort) : int_variable(get, "MASTER_PORT", 1, 65535);
}

// One job of `size` tasks, of which the address of task 0 is told at most.
Result<Cluster> ranked(Get get, const char* rank_name, const char* size_name) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t size, int_variable(get, size_name, 1, kMaxTasks));
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, int_variable(get, rank_name, 0, size - 1));
  PERCALE_ASSIGN_OR_RETURN(const int64_t port, base_port(get));
  Cluster out;
  const char* master = get("MASTER_ADDR");
  for (int64_t i = 0; i < size; ++i) {
    const std::string address = i == 0 && master != nullptr ? str_cat(master, ":", port) : std::string();
    PERCALE_RETURN_IF_ERROR(out.add_task(kWorker, i, address));
  }
  PERCALE_RETURN_IF_ERROR(out.set_role(kWorker, rank));
  return out;
}

// "2(x3),1": the tasks of each node.
Result<std::vector<int64_t>> tasks_per_node(std::string_view text, size_t nodes) {
  std::vector<int64_t> out;
  const std::string_view whole = text;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    int64_t repeat = 1;
    if (const size_t times = part.find("(x"); times != std::string_view::npos && part.ends_with(')')) {
      repeat = parse_int(part.substr(times + 2, part.size() - times - 3)).value_or(0);
      part = part.substr(0, times);
    }
    const auto count = parse_int(part);
    if (!count || *count < 1 || *count > kMaxTasks || repeat < 1 || repeat > kMaxTasks) {
      return invalid_argument("the environment's SLURM_TASKS_PER_NODE is '", whole, "'");
    }
    out.insert(out.end(), static_cast<size_t>(repeat), *count);
    if (out.size() > nodes) break;
  }
  out.resize(nodes, out.empty() ? 1 : out.back());
  return out;
}

Result<Cluster> from_slurm(Get get) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t size, int_variable(get, "SLURM_NTASKS", 1, kMaxTasks));
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, int_variable(get, "SLURM_PROCID", 0, size - 1));
  PERCALE_ASSIGN_OR_RETURN(const int64_t port, base_port(get));
  const char* list = get("SLURM_STEP_NODELIST");
  if (list == nullptr) list = get("SLURM_JOB_NODELIST");
  if (list == nullptr) list = get("SLURM_NODELIST");
  if (list == nullptr) return not_found("the environment has SLURM_PROCID but no SLURM_STEP_NODELIST");
  PERCALE_ASSIGN_OR_RETURN(const auto hosts, expand_node_list(list));
  const char* counts = get("SLURM_STEP_TASKS_PER_NODE");
  if (counts == nullptr) counts = get("SLURM_TASKS_PER_NODE");
  const int64_t spread = (size + static_cast<int64_t>(hosts.size()) - 1) / static_cast<int64_t>(hosts.size());
  PERCALE_ASSIGN_OR_RETURN(const auto per_node,
                           tasks_per_node(counts == nullptr ? str_cat(spread) : std::string(counts), hosts.size()));
  Cluster out;
  int64_t task = 0;
  for (size_t host = 0; host < hosts.size(); ++host) {
    for (int64_t i = 0; i < per_node[host] && task < size; ++i, ++task) {
      PERCALE_RETURN_IF_ERROR(out.add_task(kWorker, task, str_cat(hosts[host], ":", port + i)));
    }
  }
  if (task < size) {
    return invalid_argument("the environment's SLURM_NTASKS is ", size, ", but its nodes hold ", task, " tasks");
  }
  PERCALE_RETURN_IF_ERROR(out.set_role(kWorker, rank));
  return out;
}

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

Result<Cluster> Cluster::from_environment(const char* (*get)(const char* name)) {
  if (const char* config = get("TF_CONFIG")) {
    auto out = from_json(config);
    return out.ok() ? out : Result<Cluster>(out.status().with_context("the environment's TF_CONFIG"));
  }
  if (get("SLURM_PROCID") != nullptr) return from_slurm(get);
  if (get("RANK") != nullptr && get("WORLD_SIZE") != nullptr) return ranked(get, "RANK", "WORLD_SIZE");
  if (get("OMPI_COMM_WORLD_RANK") != nullptr) return ranked(get, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
  return not_found(
      "the environment describes no cluster: none of TF_CONFIG, SLURM_PROCID, RANK, OMPI_COMM_WORLD_RANK is set");
}

Status Cluster::add_task(std::string_view job, int64_t task, std::string_view address) {
  if (job.empty()) return invalid_argument("a job needs a name");
  if (task < 0 || task >= kMaxTasks)
    return out_of_range("task ", task, " of job '", job, "', wanted 0 to ", kMaxTasks - 1);
  if (!address.empty()) PERCALE_RETURN_IF_ERROR(check_address(address));
  auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return j.name == job; });
  if (found == jobs_.end()) {
    if (jobs_.size() == kMaxJobs) return resource_exhausted("a cluster has at most ", uint64_t{kMaxJobs}, " jobs");
    found = jobs_.insert(found, Job{std::string(job), {}});
  }
  if (!found->tasks.emplace(task, address).second) {
    return Status(Code::kAlreadyExists, str_cat("task ", task, " of job '", job, "' is there"));
  }
  return {};
}

Status Cluster::set_role(std::string_view job, int64_t task) {
  if (job.empty()) return invalid_argument("a role needs the name of a job");
  if (task < 0 || task >= kMaxTasks)
    return out_of_range("task ", task, " of job '", job, "', wanted 0 to ", kMaxTasks - 1);
  own_job_ = job;
  own_task_ = task;
  return {};
}

const Cluster::Job* Cluster::find_job(std::string_view name) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return j.name == name; });
  return found == jobs_.end() ? nullptr : &*found;
}

Result<std::vector<std::string>> expand_node_list(std::string_view list) {
  std::vector<std::string> out;
  const auto bad = [&](std::string_view why) { return invalid_argument("node list '", list, "': ", why); };
  size_t at = 0;
  while (at < list.size()) {
    const size_t end = std::min(list.find_first_of(",[", at), list.size());
    const std::string prefix(list.substr(at, end - at));
    if (end == list.size() || list[end] == ',') {
      if (prefix.empty()) return bad("an entry is empty");
      out.push_back(prefix);
      at = end + 1;
      continue;
    }
    const size_t close = list.find(']', end);
    if (close == std::string_view::npos) return bad("'[' is not closed");
    std::string_view ranges = list.substr(end + 1, close - end - 1);
    at = std::min(list.find(',', close), list.size());
    const std::string suffix(list.substr(close + 1, at - close - 1));
    ++at;
    if (suffix.find('[') != std::string::npos) return bad("two ranges in one name");
    while (!ranges.empty()) {
      const size_t comma = ranges.find(',');
      const std::string_view range = ranges.substr(0, comma);
      ranges.remove_prefix(comma == std::string_view::npos ? ranges.size() : comma + 1);
      const size_t dash = range.find('-');
      const std::string_view first_text = range.substr(0, dash);
      const auto first = parse_int(first_text);
      const auto last = dash == std::string_view::npos ? first : parse_int(range.substr(dash + 1));
      if (!first || !last || *first < 0 || *last < *first || *last - *first >= kMaxTasks)
        return bad("a range is no range");
      for (int64_t i = *first; i <= *last; ++i) {
        std::string number = str_cat(i);
        // "[01-10]": as many digits as the first has.
        if (number.size() < first_text.size()) number.insert(0, first_text.size() - number.size(), '0');
        out.push_back(str_cat(prefix, number, suffix));
        if (out.size() > static_cast<size_t>(kMaxTasks)) return bad("too many nodes");
      }
    }
  }
  if (out.empty()) return bad("no node");
  return out;
}

}  // namespace percale
