// Clusters, and trainers that join the group of one.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "bindings/cpp/tests/good.h"
#include "bindings/cpp/tests/line.h"

using namespace percale;
using namespace std::chrono_literals;

namespace {

// A cluster in which this process has this role.
Cluster in_cluster(const std::string& tasks, const char* job, int64_t task) {
  Cluster out = good(Cluster::from_json("{\"cluster\": {" + tasks + "}}"));
  good(out.set_role(job, task));
  return out;
}

const std::string kThree = R"("worker": ["b:2", "c:3"], "chief": ["a:1"], "evaluator": ["d:4"])";

// A socket at a port that was free. The port is free again when it is closed.
class FreePort {
 public:
  FreePort() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    CHECK(bind(socket_, raw, size) == 0);
    CHECK(getsockname(socket_, raw, &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  FreePort(const FreePort&) = delete;
  FreePort& operator=(const FreePort&) = delete;
  ~FreePort() { close(socket_); }
  const std::string& address() const { return address_; }

 private:
  const int socket_;
  std::string address_;
};

// The tasks of a chief and a worker on this machine.
std::string two_tasks() {
  const FreePort chief, worker;
  return "\"chief\": [\"" + chief.address() + "\"], \"worker\": [\"" + worker.address() + "\"]";
}

}  // namespace

TEST_CASE("ranks are those of the chief and the workers") {
  const auto has_rank = [](const char* job, int64_t task, int64_t rank) {
    const Cluster cluster = in_cluster(kThree, job, task);
    CHECK(cluster.rank() == rank);
    CHECK(cluster.size() == 3);
  };
  has_rank("chief", 0, 0);
  has_rank("worker", 0, 1);
  has_rank("worker", 1, 2);
  has_rank("evaluator", 0, -1);
}

TEST_CASE("certificates are a folder or none") {
  Cluster cluster = good(Cluster::create());
  good(cluster.set_certificates("certificates"));
  good(cluster.set_certificates(""));
}

TEST_CASE("a process that does not train cannot join") {
  const Engine engine = one_thread();
  Trainer trainer = two_shards(engine);
  const Status status = trainer.join_cluster(in_cluster(kThree, "evaluator", 0), 1s);
  CHECK(status.code() == Code::kFailedPrecondition);
  CHECK_MESSAGE(status.message().find("its job is 'evaluator'") != std::string::npos, status.message());
}

TEST_CASE("a chief and a worker compute the bits of one trainer, if a plug-in connects them") {
  const std::string tasks = two_tasks();
  std::array<std::string, 2> digests;
  std::array<Status, 2> joined;
  const auto train = [&](size_t rank) {
    const Engine engine = one_thread();
    Trainer trainer = two_shards(engine);
    joined[rank] = trainer.join_cluster(in_cluster(tasks, rank == 0 ? "chief" : "worker", 0), 60s);
    if (!joined[rank]) return;
    good(trainer.fit(line(engine), 3));
    digests[rank] = digest_of(trainer);
  };
  std::thread worker(train, 1);
  train(0);
  worker.join();
  if (joined[0].code() == Code::kUnimplemented) {
    MESSAGE("skipped: ", joined[0].message());
    return;
  }
  good(joined[0]);
  good(joined[1]);
  const Engine engine = one_thread();
  Trainer alone = two_shards(engine);
  good(alone.fit(line(engine), 3));
  CHECK(digests[0] == digest_of(alone));
  CHECK(digests[1] == digest_of(alone));
}
