// The environments of launchers, good and wrong.
#include "core/engine/cluster/launchers.h"

#include <doctest/doctest.h>

#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using percale::Cluster;
using percale::Code;
using percale::Result;
using percale::str_cat;

namespace {

using Variables = std::map<std::string, std::string>;

Result<Cluster> read(const Variables& variables) {
  return Cluster::from_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

// "chief=a:1; worker=,; worker 1": the addresses of each job, and the role.
std::string text_of(const Result<Cluster>& cluster) {
  if (!cluster.ok()) return cluster.status().to_string();
  std::string out;
  for (const Cluster::Job& job : cluster->jobs()) {
    out += job.name;
    for (const auto& [task, address] : job.tasks) out += str_cat(task == 0 ? "=" : ",", address);
    out += "; ";
  }
  return str_cat(out, cluster->own_job(), " ", cluster->own_task());
}

struct Good {
  const char* what;
  Variables variables;
  const char* cluster;
  std::vector<const char*> required;  // besides the first one of the launcher
};

const Good kGood[] = {
    {"TensorFlow",
     {{"TF_CONFIG", R"({"cluster": {"chief": ["a:1"], "worker": ["b:2"]}, "task": {"type": "worker", "index": 0}})"}},
     "chief=a:1; worker=b:2; worker 0",
     {}},
    {"torchrun",
     {{"RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "head"}, {"MASTER_PORT", "29400"}},
     "worker=head:29400,,; worker 1",
     {"WORLD_SIZE"}},
    {"Kubeflow",
     {{"PET_NNODES", "2"},
      {"PET_NODE_RANK", "1"},
      {"PET_MASTER_ADDR", "head"},
      {"PET_MASTER_PORT", "7000"},
      {"PET_NPROC_PER_NODE", "auto"}},
     "worker=head:7000,; worker 1",
     {"PET_NNODES", "PET_NODE_RANK"}},
    {"scheduler of ps-lite",
     {{"DMLC_ROLE", "scheduler"},
      {"DMLC_NUM_WORKER", "2"},
      {"DMLC_NUM_SERVER", "1"},
      {"DMLC_PS_ROOT_URI", "head"},
      {"DMLC_PS_ROOT_PORT", "9000"}},
     "chief=head:9000; ps=; worker=,; chief 0",
     {"DMLC_NUM_WORKER", "DMLC_NUM_SERVER", "DMLC_PS_ROOT_URI", "DMLC_PS_ROOT_PORT"}},
    {"server of ps-lite",
     {{"DMLC_ROLE", "server"},
      {"DMLC_NUM_WORKER", "1"},
      {"DMLC_NUM_SERVER", "2"},
      {"DMLC_SERVER_ID", "1"},
      {"DMLC_PS_ROOT_URI", "10.0.0.1"},
      {"DMLC_PS_ROOT_PORT", "9000"}},
     "chief=10.0.0.1:9000; ps=,; worker=; ps 1",
     {"DMLC_SERVER_ID"}},
    {"worker of ps-lite",
     {{"DMLC_ROLE", "worker"},
      {"DMLC_NUM_WORKER", "3"},
      {"DMLC_NUM_SERVER", "0"},
      {"DMLC_WORKER_ID", "2"},
      {"DMLC_PS_ROOT_URI", "head"},
      {"DMLC_PS_ROOT_PORT", "9000"}},
     "chief=head:9000; worker=,,; worker 2",
     {"DMLC_WORKER_ID"}},
    {"Open MPI",
     {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}},
     "worker=,; worker 0",
     {"OMPI_COMM_WORLD_SIZE"}},
    {"MPICH",
     {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MASTER_ADDR", "fe80::1"}},
     "worker=[fe80::1]:8888,; worker 1",
     {"PMI_SIZE"}},
    {"PMIx", {{"PMIX_RANK", "1"}, {"PERCALE_TASKS", "2"}}, "worker=,; worker 1", {"PERCALE_TASKS"}},
    {"Slurm",
     {{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "3"}, {"SLURM_STEP_NODELIST", "n[1-2]"}},
     "worker=n1:8888,n1:8889,n2:8888; worker 2",
     {"SLURM_NTASKS", "SLURM_STEP_NODELIST"}},
    {"Slurm with counts and a port",
     {{"SLURM_PROCID", "3"},
      {"SLURM_NTASKS", "4"},
      {"SLURM_STEP_NODELIST", "n[08-09],login"},
      {"SLURM_STEP_TASKS_PER_NODE", "1(x2),2"},
      {"MASTER_PORT", "7000"}},
     "worker=n08:7000,n09:7000,login:7000,login:7001; worker 3",
     {"SLURM_NTASKS", "SLURM_STEP_NODELIST"}},
    {"Kubernetes",
     {{"JOB_COMPLETION_INDEX", "1"}, {"PERCALE_TASKS", "2"}, {"MASTER_ADDR", "job-0.net"}, {"MASTER_PORT", "80"}},
     "worker=job-0.net:80,; worker 1",
     {"PERCALE_TASKS"}},
};

// Checks that the environment is refused with all the words.
void check_refused(const Variables& variables, const std::vector<std::string>& words) {
  const auto cluster = read(variables);
  REQUIRE_FALSE(cluster.ok());
  CHECK(cluster.status().code() == Code::kInvalidArgument);
  const std::string message(cluster.status().message());
  CAPTURE(message);
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(message.find(word) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("the environment of every launcher is understood") {
  for (const Good& good : kGood) {
    CAPTURE(good.what);
    CHECK(text_of(read(good.variables)) == good.cluster);
  }
}

TEST_CASE("a variable without which the cluster is not known is named when it is missing") {
  for (const Good& good : kGood) {
    CAPTURE(good.what);
    for (const char* name : good.required) {
      CAPTURE(name);
      Variables without = good.variables;
      without.erase(name);
      check_refused(without, {name, "wanted"});
    }
  }
}

TEST_CASE("a variable with a wrong value is named with the value, also one that need not be set") {
  for (const Good& good : kGood) {
    CAPTURE(good.what);
    for (const auto& [name, value] : good.variables) {
      for (const char* wrong : {"", "-1 x", "[1", "0:2"}) {
        CAPTURE(name);
        CAPTURE(wrong);
        Variables other = good.variables;
        other[name] = wrong;
        if (name == "TF_CONFIG") {
          check_refused(other, {"TF_CONFIG", "line 1"});
        } else if (name != "SLURM_STEP_NODELIST" || wrong != std::string("0:2")) {
          check_refused(other, {name, str_cat("'", wrong, "'")});
        }
      }
    }
  }
}

TEST_CASE("numbers out of range are refused with the range") {
  const Variables torchrun = {{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "head"}, {"MASTER_PORT", "1"}};
  const struct {
    const char* name;
    const char* value;
    const char* range;
  } wrong[] = {{"RANK", "4", "0 to 3"},
               {"RANK", "-1", "0 to 3"},
               {"WORLD_SIZE", "0", "1 to 65536"},
               {"WORLD_SIZE", "65537", "1 to 65536"},
               {"WORLD_SIZE", "99999999999999999999", "1 to 65536"},
               {"MASTER_PORT", "0", "1 to 65535"},
               {"MASTER_PORT", "65536", "1 to 65535"},
               {"MASTER_ADDR", "head:80", "a host without a port"}};
  for (const auto& [name, value, range] : wrong) {
    Variables other = torchrun;
    other[name] = value;
    check_refused(other, {"torchrun (RANK is set)", str_cat(name, " is '", value, "'"), range});
  }
}

TEST_CASE("a node of torchrun runs one process, and the number of nodes is fixed") {
  Variables variables = {{"PET_NNODES", "2:2"}, {"PET_NODE_RANK", "0"}, {"PET_MASTER_ADDR", "head"}};
  CHECK(text_of(read(variables)) == "worker=head:29500,; worker 0");
  for (const char* elastic : {"1:2", "2:1", "2:", ":2", "2:2:2", "0:0", "65537:65537"}) {
    variables["PET_NNODES"] = elastic;
    check_refused(variables, {str_cat("PET_NNODES is '", elastic, "'"), "the number of nodes is fixed"});
  }
  variables["PET_NNODES"] = "1";
  for (const char* one : {"1", "auto", "cpu"}) {
    variables["PET_NPROC_PER_NODE"] = one;
    CHECK(text_of(read(variables)) == "worker=head:29500; worker 0");
  }
  for (const char* several : {"2", "gpu"}) {
    variables["PET_NPROC_PER_NODE"] = several;
    check_refused(variables, {str_cat("PET_NPROC_PER_NODE is '", several, "'"), "wanted 1, auto or cpu"});
  }
}

TEST_CASE("roles of ps-lite that cannot be are refused") {
  Variables variables = {{"DMLC_ROLE", "joint"},
                         {"DMLC_NUM_WORKER", "1"},
                         {"DMLC_NUM_SERVER", "0"},
                         {"DMLC_PS_ROOT_URI", "head"},
                         {"DMLC_PS_ROOT_PORT", "9000"}};
  check_refused(variables, {"DMLC_ROLE is 'joint'", "scheduler, server or worker"});
  variables["DMLC_ROLE"] = "server";
  check_refused(variables, {"DMLC_NUM_SERVER is '0'", "at least 1"});
  variables["DMLC_ROLE"] = "worker";  // the only one, which needs no number
  CHECK(text_of(read(variables)) == "chief=head:9000; worker=; worker 0");
}

TEST_CASE("PMIx takes the number of tasks from Open MPI, from Percale's variable, or from srun") {
  Variables variables = {{"PMIX_RANK", "1"}};
  check_refused(variables, {"PMIx (PMIX_RANK is set)", "OMPI_COMM_WORLD_SIZE", "PERCALE_TASKS"});
  variables["OMPI_COMM_WORLD_SIZE"] = "3";
  CHECK(text_of(read(variables)) == "worker=,,; worker 1");
  variables = {{"PMIX_RANK", "1"},          {"PMIX_NAMESPACE", "slurm.pmix.77.0"},
               {"SLURM_PROCID", "1"},       {"SLURM_NTASKS", "2"},
               {"SLURM_JOB_ID", "77"},      {"SLURM_STEP_ID", "0"},
               {"SLURM_NODELIST", "n[1-2]"}};
  CHECK(text_of(read(variables)) == "worker=n1:8888,n2:8888; worker 1");
}

TEST_CASE("mpiexec in an allocation of Slurm counts, and srun with PMI gives all addresses") {
  const Variables srun = {{"PMI_RANK", "1"},      {"PMI_SIZE", "2"},           {"PMI_JOBID", "77.3"},
                          {"SLURM_PROCID", "1"},  {"SLURM_NTASKS", "2"},       {"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "3"}, {"SLURM_NODELIST", "n[1-2]"}};
  CHECK(text_of(read(srun)) == "worker=n1:8888,n2:8888; worker 1");
  // Each of these tells that SLURM_* belong to a process around mpiexec.
  const std::pair<const char*, const char*> others[] = {{"PMI_JOBID", "hydra"},
                                                        {"SLURM_PROCID", "0"},
                                                        {"SLURM_NTASKS", "1"},
                                                        {"SLURM_STEP_ID", "4"},
                                                        {"SLURM_JOB_ID", "770"}};
  for (const auto& [name, value] : others) {
    CAPTURE(name);
    Variables mpiexec = srun;
    mpiexec[name] = value;
    CHECK(text_of(read(mpiexec)) == "worker=,; worker 1");
    mpiexec.erase(name);
    CHECK(text_of(read(mpiexec)) == "worker=,; worker 1");
  }
}

TEST_CASE("the launcher that is tried first counts, in this order") {
  // Each one tells another number of tasks.
  const std::pair<Variables, const char*> order[] = {
      {{{"TF_CONFIG", "{}"}}, " 0"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "1"}}, "worker=; worker 0"},
      {{{"PET_NODE_RANK", "0"}, {"PET_NNODES", "2"}}, "worker=,; worker 0"},
      {{{"DMLC_ROLE", "worker"},
        {"DMLC_NUM_WORKER", "1"},
        {"DMLC_NUM_SERVER", "0"},
        {"DMLC_PS_ROOT_URI", "head"},
        {"DMLC_PS_ROOT_PORT", "1"}},
       "chief=head:1; worker=; worker 0"},
      {{{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}}, "worker=,,,; worker 0"},
      {{{"PMI_RANK", "0"}, {"PMI_SIZE", "5"}}, "worker=,,,,; worker 0"},
      {{{"PMIX_RANK", "6"}, {"PERCALE_TASKS", "7"}}, "worker=,,,,,,; worker 6"},
      {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}, {"SLURM_JOB_NODELIST", "n"}}, "worker=n:8888; worker 0"},
      {{{"JOB_COMPLETION_INDEX", "5"}, {"PERCALE_TASKS", "7"}}, "worker=,,,,,,; worker 5"},
  };
  Variables all;
  for (auto launcher = std::rbegin(order); launcher != std::rend(order); ++launcher) {
    all.insert(launcher->first.begin(), launcher->first.end());
    Variables seen = all;
    if (!launcher->first.contains("PERCALE_TASKS")) seen.erase("PERCALE_TASKS");
    CHECK(text_of(read(seen)) == launcher->second);
  }
}

TEST_CASE("Slurm's tasks are distributed over the nodes as srun was told") {
  Variables variables = {{"SLURM_PROCID", "0"},
                         {"SLURM_NTASKS", "5"},
                         {"SLURM_STEP_NODELIST", "a,b,c"},
                         {"SLURM_STEP_TASKS_PER_NODE", "1,3,1"}};
  const char* const block = "worker=a:8888,b:8888,b:8889,b:8890,c:8888; worker 0";
  for (const char* distribution : {"block", "block:cyclic", "block,Pack", "unknown"}) {
    variables["SLURM_DISTRIBUTION"] = distribution;
    CHECK(text_of(read(variables)) == block);
  }
  variables["SLURM_DISTRIBUTION"] = "cyclic:block";
  CHECK(text_of(read(variables)) == "worker=a:8888,b:8888,c:8888,b:8889,b:8890; worker 0");
  variables["SLURM_DISTRIBUTION"] = "plane=2";
  check_refused(variables, {"SLURM_DISTRIBUTION is 'plane=2'", "wanted block or cyclic"});
  variables["SLURM_NTASKS"] = "3";
  variables["SLURM_STEP_TASKS_PER_NODE"] = "1(x3)";
  CHECK(text_of(read(variables)) == "worker=a:8888,b:8888,c:8888; worker 0");
}

TEST_CASE("an environment of no launcher is not found, and the message lists their variables") {
  const auto cluster = read({{"WORLD_SIZE", "2"}, {"MASTER_ADDR", "head"}, {"PERCALE_TASKS", "2"}});
  CHECK(cluster.status().code() == Code::kNotFound);
  for (const char* name : {"TF_CONFIG", "RANK", "PET_NNODES", "PET_NODE_RANK", "DMLC_ROLE", "OMPI_COMM_WORLD_RANK",
                           "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX"}) {
    CHECK(cluster.status().message().find(str_cat(" ", name)) != std::string_view::npos);
  }
}

TEST_CASE("lists of Slurm that do not describe its tasks are refused") {
  const Variables slurm = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "3"}, {"SLURM_STEP_NODELIST", "n[1-3]"}};
  const struct {
    const char* name;
    const char* value;
    std::vector<std::string> words;
  } wrong[] = {
      {"SLURM_STEP_NODELIST", "n[1-2", {"SLURM_STEP_NODELIST", "not closed"}},
      {"SLURM_STEP_NODELIST", "n[2-1]", {"SLURM_STEP_NODELIST", "'n[2-1]'", "range"}},
      {"SLURM_STEP_NODELIST", "n[x]", {"SLURM_STEP_NODELIST", "range"}},
      {"SLURM_STEP_NODELIST", "n[1-70000]", {"SLURM_STEP_NODELIST", "range"}},
      {"SLURM_STEP_NODELIST", "a[1]b[2]", {"SLURM_STEP_NODELIST", "two ranges"}},
      {"SLURM_STEP_NODELIST", "a,,b", {"SLURM_STEP_NODELIST", "empty"}},
      {"SLURM_TASKS_PER_NODE", "2(x", {"SLURM_TASKS_PER_NODE", "'2(x'"}},
      {"SLURM_TASKS_PER_NODE", "0", {"SLURM_TASKS_PER_NODE", "'0'"}},
      {"SLURM_TASKS_PER_NODE", "1(x0)", {"SLURM_TASKS_PER_NODE", "'1(x0)'"}},
      {"SLURM_NTASKS", "4", {"SLURM_NTASKS is '4'", "hold 3 tasks"}},
      {"MASTER_PORT", "65535", {"MASTER_PORT is '65535'", "at most 65534", "2 tasks of a node"}},
  };
  for (const auto& [name, value, words] : wrong) {
    CAPTURE(value);
    Variables other = slurm;
    if (name == std::string("SLURM_NTASKS")) other["SLURM_TASKS_PER_NODE"] = "1(x3)";
    if (name == std::string("MASTER_PORT")) other["SLURM_TASKS_PER_NODE"] = "2,1(x2)";
    other[name] = value;
    check_refused(other, words);
  }
}
