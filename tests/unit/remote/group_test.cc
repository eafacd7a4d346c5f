// Groups of ranks in threads of this process, connected over loopback.
#include "devices/remote/group/group.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/unit/remote/net/certificate_folder.h"
#include "tests/unit/remote/ranks.h"

namespace percale::remote {
namespace {

constexpr int64_t kLong = int64_t{60} * 1'000'000'000;

// A port that was free a moment ago, below those that systems choose themselves.
int free_port() {
  static int next = 10'000 + getpid() % 400 * 50;  // apart from those of other processes
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(handle >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  do {
    address.sin_port = htons(static_cast<uint16_t>(++next));
  } while (bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && next < 32'000);
  ::close(handle);
  return next;
}

std::string free_address(const char* host = "127.0.0.1") {
  return std::string(host) + ":" + std::to_string(free_port());
}

// A group that is to be: each rank joins by a call of its own.
struct Plan {
  std::vector<std::string> addresses;
  std::string certificates = "";
  std::string build = "percale x";
  int64_t timeout_ns = kLong;

  std::unique_ptr<Group> join(int rank) const {
    std::vector<const char*> texts;
    for (const std::string& address : addresses) texts.push_back(address.c_str());
    percale_group_place place{};
    place.struct_size = sizeof place;
    place.rank = rank;
    place.size = static_cast<int32_t>(addresses.size());
    place.addresses = texts.data();
    place.build = build.c_str();
    place.certificates = certificates.empty() ? nullptr : certificates.c_str();
    place.timeout_ns = timeout_ns;
    return std::make_unique<Group>(place, kChecksum);
  }
};

// Calls `f(rank)` for ranks `first` and up, each in a thread of its own, and waits for them.
template <class F>
void each_rank(int first, size_t end, F&& f) {
  std::vector<std::thread> threads;
  for (int rank = first; rank < static_cast<int>(end); ++rank) {
    threads.emplace_back([&f, rank] {
      const std::string failure = failure_of([&] { f(rank); });
      CHECK_MESSAGE(failure.empty(), failure);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// One exchange between the ranks for which `takes_part(rank)`. Throws as Group::exchange() does.
template <class F>
bool exchange(Group& group, int rank, int size, uint64_t tag, F&& takes_part) {
  std::vector<ByteVector> out(static_cast<size_t>(size)), in(static_cast<size_t>(size));
  std::vector<percale_bytes> sends, recvs;
  for (int peer = 0; peer < size; ++peer) {
    const bool used = peer != rank && takes_part(peer);
    const auto bytes = [&](int from, int to) {
      return used ? static_cast<size_t>(from * 1000 + to * 70) + tag * 300'000 : size_t{0};
    };
    out[static_cast<size_t>(peer)].assign(bytes(rank, peer), static_cast<std::byte>(rank * 16 + peer));
    in[static_cast<size_t>(peer)].resize(bytes(peer, rank));
    sends.push_back({out[static_cast<size_t>(peer)].data(), out[static_cast<size_t>(peer)].size()});
    recvs.push_back({in[static_cast<size_t>(peer)].data(), in[static_cast<size_t>(peer)].size()});
  }
  group.exchange(tag, sends, recvs, -1);
  for (int peer = 0; peer < size; ++peer) {
    for (const std::byte one : in[static_cast<size_t>(peer)]) {
      if (one != static_cast<std::byte>(peer * 16 + rank)) return false;
    }
  }
  return true;
}

bool all(int) { return true; }

// Joins all ranks, exchanges a few times, and leaves.
void check_group(const Plan& plan) {
  const int size = static_cast<int>(plan.addresses.size());
  std::atomic<int> right{0};
  std::atomic<uint64_t> generations{0};
  each_rank(0, plan.addresses.size(), [&](int rank) {
    const std::unique_ptr<Group> group = plan.join(rank);
    for (uint64_t tag = 1; tag <= 6; ++tag) right += exchange(*group, rank, size, tag, all);
    generations ^= group->generation();
  });
  CHECK(right == size * 6);
}

}  // namespace

TEST_CASE("ranks with known addresses form a group") {
  check_group({{free_address(), free_address(), free_address()}});
}

TEST_CASE("the address of the chief is enough") {
  check_group({{free_address(), "", ""}});
  check_group({{free_address("localhost"), "", ""}});
}

TEST_CASE("ranks with certificates form a group") {
  const CertificateFolder folder;
  check_group({{free_address(), free_address(), ""}, folder.path()});
}

TEST_CASE("ranks form a group over sockets of the file system") {
  const ScratchFolder folder;
  const std::string base = "unix:" + folder.path() + "/";
  check_group({{base + "0", base + "1", base + "2"}});
  check_group({{base + "3", "", base + "4"}});
}

TEST_CASE("after a rank has left, the others go on without it") {
  const Plan plan{{free_address(), "", ""}};
  std::atomic<int> right{0};
  each_rank(0, 3, [&](int rank) {
    const std::unique_ptr<Group> group = plan.join(rank);
    right += exchange(*group, rank, 3, 1, all);
    if (rank == 2) return;
    const std::string failure = failure_of([&] { exchange(*group, rank, 3, 2, all); });
    CHECK_MESSAGE(
        (contains(failure, "rank 2 has left the group") || contains(failure, "an exchange has failed on rank")),
        failure);
    CHECK(group->lost() == std::vector<int32_t>{2});
    right += exchange(*group, rank, 3, 3, [](int peer) { return peer != 2; });
  });
  CHECK(right == 5);
}

TEST_CASE("ranks may leave as soon as they have joined") {
  const Plan plan{{free_address(), "", "", ""}};
  std::atomic<int> joined{0};
  each_rank(0, 4, [&](int rank) { joined += failure_of([&] { plan.join(rank); }).empty(); });
  CHECK(joined == 4);
}

TEST_CASE("after the chief has left, the others exchange what does not need it") {
  const Plan plan{{free_address(), "", ""}};
  std::atomic<int> right{0};
  each_rank(0, 3, [&](int rank) {
    const std::unique_ptr<Group> group = plan.join(rank);
    right += exchange(*group, rank, 3, 1, all);
    if (rank == 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    right += exchange(*group, rank, 3, 2, [](int peer) { return peer != 0; });
    const std::string failure = failure_of([&] { exchange(*group, rank, 3, 3, all); });
    CHECK(failure == "rank 0 has left the group");
  });
  CHECK(right == 5);
}

TEST_CASE("another build is refused with both texts") {
  Plan plan{{free_address(), ""}};
  Plan other = plan;
  other.build = "percale y";
  std::thread chief([&] { CHECK(plan.join(0) != nullptr); });
  const std::string failure = failure_of([&] { other.join(1); });
  CHECK(contains(failure, "it has \"percale y\", the chief \"percale x\""));
  CHECK(plan.join(1) != nullptr);
  chief.join();
}

TEST_CASE("a rank that is missing is named at the time limit, on all ranks that wait") {
  Plan plan{{free_address(), "", "", ""}};
  Plan patient = plan;
  plan.timeout_ns = 600'000'000;
  std::atomic<int> told{0};
  each_rank(0, 3, [&](int rank) {
    const std::string failure = failure_of([&] { (rank == 0 ? plan : patient).join(rank); });
    const bool good = failure == "the group is not complete within the time limit; missing: rank 3 of 4";
    CHECK_MESSAGE(good, failure);
    told += good;
  });
  CHECK(told == 3);
}

TEST_CASE("a chief that is not there is named at the time limit") {
  Plan plan{{free_address(), ""}};
  plan.timeout_ns = 300'000'000;
  const std::string failure = failure_of([&] { plan.join(1); });
  CHECK(contains(failure, "the chief at " + plan.addresses[0] + " is not reached: "));
  CHECK(contains(failure, "Connection refused"));
}

TEST_CASE("a second process with the rank of another one is refused") {
  const Plan plan{{free_address(), "", ""}};
  std::atomic<int> joined{0}, refused{0};
  // Two processes claim rank 1. One of them is refused before rank 2 comes.
  std::vector<std::thread> threads;
  threads.emplace_back([&] { joined += plan.join(0) != nullptr; });
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      const std::string failure = failure_of([&] { joined += plan.join(1) != nullptr; });
      refused += contains(failure, "rank 1 has joined already, from 127.0.0.1:");
    });
  }
  while (refused == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  joined += plan.join(2) != nullptr;
  for (std::thread& thread : threads) thread.join();
  CHECK(joined == 3);
  CHECK(refused == 1);
  // A second chief finds the address taken.
  Plan taken{{free_address(), ""}};
  taken.timeout_ns = 1'000'000'000;
  std::thread first([&] { CHECK(contains(failure_of([&] { taken.join(0); }), "missing: rank 1 of 2")); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(contains(failure_of([&] { taken.join(0); }), "cannot listen at " + taken.addresses[0]));
  first.join();
}

TEST_CASE("a rank with certificates of another folder does not join, and the reason says so") {
  const CertificateFolder folder, other;
  Plan plan{{free_address(), ""}, folder.path()};
  plan.timeout_ns = 700'000'000;
  Plan foreign = plan;
  foreign.certificates = other.path();
  std::thread chief([&] { CHECK(contains(failure_of([&] { plan.join(0); }), "missing: rank 1 of 2")); });
  CHECK(contains(failure_of([&] { foreign.join(1); }), "other certificates"));
  chief.join();
}

TEST_CASE("addresses of other machines need certificates") {
  const Plan plan{{"10.255.0.1:4711", ""}};
  CHECK(contains(failure_of([&] { plan.join(1); }), "the address 10.255.0.1:4711 is not on this machine"));
}

}  // namespace percale::remote
