// The order in which the tasks of a cluster train.
#include "core/engine/cluster/cluster.h"

#include <doctest/doctest.h>

#include <string>

using percale::Cluster;

namespace {

struct Case {
  const char* what;
  const char* cluster;    // of TF_CONFIG
  const char* addresses;  // by rank
};

const Case kCases[] = {
    {"chief, then workers", R"({"worker": ["b:1", "c:1"], "ps": ["d:1"], "chief": ["a:1"]})", "a:1 b:1 c:1 "},
    {"the chief's older name", R"({"worker": ["b:1"], "master": ["a:1"]})", "a:1 b:1 "},
    {"worker 0 is the chief", R"({"evaluator": ["e:1"], "worker": ["a:1", "b:1"], "ps": ["c:1"]})", "a:1 b:1 "},
    {"workers by number", R"({"worker": {"10": "c:1", "2": "b:1", "0": "a:1"}})", "a:1 b:1 c:1 "},
    {"no task trains", R"({"ps": ["a:1"], "evaluator": ["b:1"]})", ""},
    {"no task at all", "{}", ""},
};

Cluster cluster_of(const std::string& jobs, const std::string& task = "{\"type\": \"none\"}") {
  auto cluster = Cluster::from_json("{\"cluster\": " + jobs + ", \"task\": " + task + "}");
  REQUIRE(cluster.ok());
  return *cluster;
}

}  // namespace

TEST_CASE("ranks are the chief, then the workers by number") {
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    const Cluster cluster = cluster_of(c.cluster);
    std::string by_rank, in_order;
    for (int64_t rank = 0; rank < cluster.size(); ++rank) by_rank += cluster.address_of_rank(rank) + " ";
    for (const Cluster::TrainingTask& task : cluster.training_tasks()) in_order += *task.address + " ";
    CHECK(by_rank == c.addresses);
    CHECK(in_order == c.addresses);
  }
}

TEST_CASE("a task that trains knows its rank, and the others have none") {
  const std::string jobs = R"({"worker": {"0": "b:1", "3": "c:1"}, "chief": ["a:1"], "ps": ["d:1"]})";
  const struct {
    const char* task;
    int64_t rank;
  } roles[] = {{R"({"type": "chief", "index": 0})", 0},  {R"({"type": "worker", "index": 0})", 1},
               {R"({"type": "worker", "index": 3})", 2}, {R"({"type": "worker", "index": 1})", -1},
               {R"({"type": "ps", "index": 0})", -1},    {R"({"type": "evaluator", "index": 0})", -1},
               {R"({"type": "chief", "index": 1})", -1}};
  for (const auto& [task, rank] : roles) {
    CAPTURE(task);
    CHECK(cluster_of(jobs, task).rank() == rank);
  }
  CHECK(Cluster().rank() == -1);
  CHECK(Cluster().size() == 0);
}

TEST_CASE("training tasks tell their job and number") {
  const Cluster cluster = cluster_of(R"({"worker": {"5": "b:1"}, "chief": ["a:1"]})");
  const auto tasks = cluster.training_tasks();
  REQUIRE(tasks.size() == 2);
  CHECK(*tasks[0].job == "chief");
  CHECK(tasks[0].task == 0);
  CHECK(*tasks[1].job == "worker");
  CHECK(tasks[1].task == 5);
}
