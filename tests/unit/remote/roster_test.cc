#include "devices/remote/group/roster.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

namespace percale::remote {
namespace {

// Writes down the orders as texts, such as "lost 2: 1 3 again 0".
class Orders final : public Roster::Orders {
 public:
  void failing(int rank, const std::string& reason) override {
    log_.push_back("failing " + std::to_string(rank) + ": " + reason);
  }
  void lost(int rank, const std::vector<int32_t>& ranks, const std::vector<int32_t>& again) override {
    std::string text = "lost " + std::to_string(rank) + ":";
    for (const int32_t gone : ranks) text += " " + std::to_string(gone);
    for (const int32_t peer : again) text += " again " + std::to_string(peer);
    log_.push_back(text);
  }
  void dismiss(int rank, const std::string& reason) override {
    log_.push_back("dismiss " + std::to_string(rank) + ": " + reason);
  }
  // The orders since the last call.
  std::vector<std::string> take() { return std::exchange(log_, {}); }

 private:
  std::vector<std::string> log_;
};

using Log = std::vector<std::string>;
const LinkReport kNothing;
const LinkReport kStuck = {{}, {}, true};

LinkReport harmed(std::vector<int32_t> peers) { return {std::move(peers), {}, false}; }
LinkReport unreached(std::vector<int32_t> peers) { return {{}, std::move(peers), false}; }

constexpr Clock::time_point kStart{};

// A complete group.
struct Complete {
  explicit Complete(int size) : roster(size, orders) {
    for (int rank = 0; rank < size; ++rank) {
      REQUIRE(roster.join(rank, "host" + std::to_string(rank) + ":1", kStart).empty());
    }
  }
  Orders orders;
  Roster roster;
};

}  // namespace

TEST_CASE("a roster is complete when each rank has joined") {
  Orders orders;
  Roster roster(3, orders);
  CHECK(roster.missing() == "0, 1, 2");
  CHECK(roster.join(0, "a:1", kStart).empty());
  CHECK(roster.join(2, "c:3", kStart).empty());
  CHECK_FALSE(roster.is_complete());
  CHECK(roster.missing() == "1");
  CHECK(roster.join(1, "b:2", kStart).empty());
  CHECK(roster.is_complete());
  CHECK(roster.missing().empty());
  CHECK(roster.address(2) == "c:3");
  CHECK(orders.take().empty());
}

TEST_CASE("a rank joins once, and again after it was forgotten") {
  Orders orders;
  Roster roster(3, orders);
  CHECK(roster.join(1, "b:2", kStart).empty());
  CHECK(roster.join(1, "x:9", kStart) == "rank 1 has joined already, from b:2");
  CHECK(roster.address(1) == "b:2");
  roster.forget(1);
  CHECK(roster.missing() == "0, 1, 2");
  CHECK(roster.join(1, "x:9", kStart).empty());
  CHECK(roster.address(1) == "x:9");
}

TEST_CASE("nothing joins a complete group, also in place of a lost rank") {
  Complete group(2);
  group.roster.lose(1, "gone");
  CHECK(group.roster.join(1, "b:2", kStart).find("complete and trains already") != std::string::npos);
}

TEST_CASE("a loss is told to all others once, and the round ends when all of them have failed") {
  Complete group(4);
  group.roster.lose(2, "its cable is cut");
  CHECK(group.orders.take() == Log{"dismiss 2: its cable is cut", "failing 0: rank 2 is lost: its cable is cut",
                                   "failing 1: rank 2 is lost: its cable is cut",
                                   "failing 3: rank 2 is lost: its cable is cut"});
  group.roster.lose(2, "again");
  group.roster.fail(0, kNothing);
  group.roster.fail(3, kNothing);
  CHECK(group.orders.take().empty());
  group.roster.fail(1, kNothing);
  CHECK(group.orders.take() == Log{"lost 0: 2", "lost 1: 2", "lost 3: 2"});
}

TEST_CASE("two losses in one round end in one list, in ascending order") {
  Complete group(4);
  group.roster.lose(3, "a");
  group.roster.fail(0, kNothing);
  group.orders.take();
  group.roster.lose(1, "b");
  CHECK(group.orders.take() == Log{"dismiss 1: b"});
  group.roster.fail(2, kNothing);
  CHECK(group.orders.take() == Log{"lost 0: 1 3", "lost 2: 1 3"});
}

TEST_CASE("the loss of the last rank that a round waits for ends it") {
  Complete group(3);
  group.roster.fail(0, kNothing);
  group.roster.fail(1, kNothing);
  CHECK(group.orders.take() ==
        Log{"failing 1: an exchange has failed on rank 0", "failing 2: an exchange has failed on rank 0"});
  group.roster.lose(2, "c");
  CHECK(group.orders.take() == Log{"dismiss 2: c", "lost 0: 2", "lost 1: 2"});
}

TEST_CASE("a rank that leaves counts as gone in the next list, and ends a round that waits for it") {
  Complete group(3);
  group.roster.leave(1);
  CHECK(group.orders.take().empty());
  group.roster.fail(0, kNothing);
  CHECK(group.orders.take() == Log{"failing 2: an exchange has failed on rank 0"});
  group.roster.leave(2);
  CHECK(group.orders.take() == Log{"lost 0: 1 2"});
  group.roster.lose(1, "its connection is closed");
  CHECK(group.orders.take().empty());
}

TEST_CASE("a rank is lost when nothing was heard of it for longer than kSilence") {
  Complete group(3);
  group.roster.hear(1, kStart + std::chrono::milliseconds(1));
  group.roster.check(kStart + kSilence);
  CHECK(group.orders.take().empty());
  group.roster.check(kStart + kSilence + std::chrono::milliseconds(1));
  CHECK(group.orders.take() == Log{"dismiss 2: nothing was heard of it for 2500 ms",
                                   "failing 0: rank 2 is lost: nothing was heard of it for 2500 ms",
                                   "failing 1: rank 2 is lost: nothing was heard of it for 2500 ms"});
  CHECK(group.roster.is_present(1));
  group.roster.hear(1, kStart + 2 * kSilence);
  group.roster.check(kStart + 3 * kSilence);
  CHECK(group.orders.take().empty());
}

TEST_CASE("the chief is never lost") {
  Complete group(2);
  group.roster.lose(0, "silence");
  group.roster.hear(1, kStart + 9 * kSilence);
  group.roster.check(kStart + 9 * kSilence);
  CHECK(group.roster.is_present(0));
  CHECK(group.orders.take().empty());
}

TEST_CASE("a harmed link costs no rank: both ends make it again, whichever of the two tells") {
  for (const bool lower_tells : {true, false}) {
    Complete group(4);
    group.roster.fail(1, lower_tells ? harmed({3}) : kNothing);
    group.roster.fail(3, lower_tells ? kNothing : harmed({1}));
    group.roster.fail(0, kNothing);
    group.orders.take();
    group.roster.fail(2, kNothing);
    CHECK(group.orders.take() == Log{"lost 0:", "lost 1: again 3", "lost 2:", "lost 3: again 1"});
  }
}

TEST_CASE("several harmed links of one rank are all made again, but those to lost ranks") {
  Complete group(4);
  group.roster.fail(0, harmed({1, 2, 3}));
  group.roster.fail(1, harmed({0, 3}));
  group.roster.lose(3, "killed");
  group.orders.take();
  group.roster.fail(2, kNothing);
  CHECK(group.orders.take() == Log{"lost 0: 3 again 1 again 2", "lost 1: 3 again 0", "lost 2: 3 again 0"});
}

TEST_CASE("of two ranks whose link cannot be made again, the higher one is given up at the end of the round") {
  Complete group(4);
  group.roster.fail(1, unreached({3}));
  group.roster.fail(3, unreached({1}));
  group.roster.fail(0, kNothing);
  group.orders.take();
  group.roster.fail(2, kNothing);
  CHECK(group.orders.take() == Log{"dismiss 3: its connection to rank 1 is broken, and cannot be made again",
                                   "lost 0: 3", "lost 1: 3", "lost 2: 3"});
}

TEST_CASE("a rank that the chief does not reach is given up, whichever of the two tells") {
  for (const bool chief_tells : {true, false}) {
    Complete group(3);
    group.roster.fail(0, chief_tells ? unreached({1}) : kNothing);
    group.roster.fail(1, chief_tells ? kNothing : unreached({0}));
    group.orders.take();
    group.roster.fail(2, kNothing);
    CHECK(group.orders.take() ==
          Log{"dismiss 1: its connection to rank 0 is broken, and cannot be made again", "lost 0: 1", "lost 2: 1"});
  }
}

TEST_CASE("a link to a rank that is lost anyhow costs no other rank") {
  Complete group(3);
  group.roster.lose(1, "killed");
  group.roster.fail(0, unreached({1}));
  group.orders.take();
  group.roster.fail(2, unreached({1}));
  CHECK(group.orders.take() == Log{"lost 0: 1", "lost 2: 1"});
}

TEST_CASE("when a rank is stuck, the higher rank of the link that was harmed most often is given up") {
  Complete group(3);
  for (int round = 0; round < 9; ++round) {
    group.roster.fail(0, round % 3 == 0 ? harmed({1}) : kNothing);
    group.roster.fail(1, round % 3 == 0 ? kNothing : harmed({2}));
    group.roster.fail(2, kNothing);
  }
  group.orders.take();
  group.roster.fail(1, kStuck);
  group.roster.fail(0, kNothing);
  group.roster.fail(2, kNothing);
  const Log log = group.orders.take();
  CHECK(Log(log.begin() + 2, log.end()) ==
        Log{"dismiss 2: its connection to rank 1 was harmed in 6 exchanges in a row, and nothing was done between them",
            "lost 0: 2", "lost 1: 2"});
  // Older harm counts no more.
  group.roster.fail(0, kStuck);
  group.roster.fail(1, kNothing);
  CHECK(group.orders.take() == Log{"failing 1: an exchange has failed on rank 0", "lost 0: 2", "lost 1: 2"});
}

TEST_CASE("harm of long ago is not held against a link") {
  Complete group(3);
  for (int round = 0; round < 30; ++round) {
    group.roster.fail(0, round < 20 ? harmed({2}) : harmed({1}));
    group.roster.fail(1, kNothing);
    group.roster.fail(2, kNothing);
  }
  for (int rank = 0; rank < 3; ++rank) group.roster.fail(rank, kStuck);
  CHECK_FALSE(group.roster.is_present(1));
  CHECK(group.roster.is_present(2));
}

TEST_CASE("a round without a loss ends with an empty list, and another one may follow") {
  Complete group(2);
  for (int round = 0; round < 2; ++round) {
    group.roster.fail(1, kNothing);
    CHECK(group.orders.take() == Log{"failing 0: an exchange has failed on rank 1"});
    group.roster.fail(0, kNothing);
    CHECK(group.orders.take() == Log{"lost 0:", "lost 1:"});
  }
}

TEST_CASE("the orders of a round do not depend on the order of its events") {
  // Rank 3 is lost, the link of 0 and 2 is harmed, that of 1 and 4 is gone.
  const std::vector<std::function<void(Roster&)>> events = {
      [](Roster& r) { r.fail(0, harmed({2})); }, [](Roster& r) { r.fail(1, unreached({4})); },
      [](Roster& r) {
        r.fail(2, harmed({0, 3}));
      },
      [](Roster& r) { r.lose(3, "killed"); }, [](Roster& r) { r.fail(4, kNothing); }};
  std::vector<size_t> order = {0, 1, 2, 3, 4};
  do {
    Complete group(5);
    for (const size_t event : order) events[event](group.roster);
    Log ends;
    for (const std::string& line : group.orders.take()) {
      if (line.starts_with("lost")) ends.push_back(line);
    }
    CHECK(ends == Log{"lost 0: 3 4 again 2", "lost 1: 3 4", "lost 2: 3 4 again 0"});
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("peers that do not exist break no link") {
  Complete group(2);
  group.roster.fail(0, {{7, 0, -1}, {2}, false});
  group.roster.fail(1, {{1}, {-5, 1}, false});
  CHECK(group.orders.take() == Log{"failing 1: an exchange has failed on rank 0", "lost 0:", "lost 1:"});
}

}  // namespace percale::remote
