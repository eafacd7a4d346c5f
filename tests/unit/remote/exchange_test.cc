// Exchanges that go well, and those that wait or are ahead.
#include "devices/remote/group/exchange.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>

#include "tests/unit/remote/ranks.h"

namespace percale::remote {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr std::array<size_t, 6> kSizes = {0, 1, kMiB - 1, kMiB, kMiB + 1, 5 * kMiB};

}  // namespace

TEST_CASE("ranks exchange bytes of all sizes around that of a chunk") {
  for (const int size : {2, 3}) {
    Ranks ranks(size);
    std::atomic<int> right{0};
    ranks.each([&](int rank) {
      for (size_t round = 0; round < kSizes.size(); ++round) {
        // The buffers go away at once: a thread that still touches them is found by ASan.
        Buffers buffers(
            rank, size,
            [&](int from, int to) { return kSizes[(static_cast<size_t>(from * 3 + to) + round) % kSizes.size()]; },
            static_cast<int>(round));
        buffers.run(ranks[rank], round + 1);
        right += buffers.are_right();
      }
    });
    CHECK(right == size * static_cast<int>(kSizes.size()));
  }
}

TEST_CASE("an exchange of nothing ends at once, and one of a single rank as well") {
  Ranks ranks(2);
  Buffers buffers(0, 2, [](int, int) { return 0; });
  CHECK(failure_of([&] { buffers.run(ranks[0], 1); }).empty());
  Exchange alone(0, 1, kChecksum);
  Buffers none(0, 1, [](int, int) { return 9; });
  CHECK(failure_of([&] { none.run(alone, 1); }).empty());
}

TEST_CASE("the chunk of a rank that is ahead stays until its exchange, and the next ones unread") {
  Ranks ranks(2);
  const auto one_way = [](int from, int) { return from == 1 ? 2 * kMiB : 0; };
  std::thread ahead([&] {
    for (uint64_t tag = 1; tag <= 3; ++tag) {
      Buffers buffers(1, 2, one_way, static_cast<int>(tag));
      buffers.run(ranks[1], tag);
    }
  });
  while (ranks.end(0, 1).unread() < 2) std::this_thread::yield();
  int right = 0;
  for (uint64_t tag = 1; tag <= 3; ++tag) {
    Buffers buffers(0, 2, one_way, static_cast<int>(tag));
    buffers.run(ranks[0], tag);
    right += buffers.are_right();
  }
  ahead.join();
  CHECK(right == 3);
}

TEST_CASE("at most three chunks of a link are on their way at a time") {
  Exchange exchange(0, 2, kChecksum);
  exchange.set_generation(kGeneration);
  const auto link = std::make_shared<RecordingStream>();
  exchange.connect(1, link);
  std::thread thread([&] {
    Buffers buffers(0, 2, [](int from, int) { return from == 0 ? 5 * kMiB : 0; });
    buffers.run(exchange, 1);
  });
  link->message(2);
  CHECK(link->sent() == 3);
  exchange.on_sent(1);
  link->message(3);
  CHECK(link->sent() == 4);
  exchange.on_sent(1);
  thread.join();
  CHECK(link->sent() == 5);
}

TEST_CASE("after a failed exchange, chunks of older tags are dropped") {
  Ranks ranks(2);
  const auto both = [](int, int) { return 3 * kMiB; };
  // Rank 1 sends all it can, and gives up at its time limit.
  {
    Buffers buffers(1, 2, both, 1);
    const std::string failure = failure_of([&] { buffers.run(ranks[1], 1, Clock::now()); });
    CHECK(failure == "the time limit of the exchange has passed");
  }
  std::atomic<int> right{0};
  ranks.each([&](int rank) {
    Buffers buffers(rank, 2, both, 2);
    buffers.run(ranks[rank], 2);
    right += buffers.are_right();
  });
  CHECK(right == 2);
}

TEST_CASE("a rank that begins the next exchange early has given the one under way up") {
  Ranks ranks(2);
  const auto both = [](int, int) { return 10; };
  std::thread other([&] {
    Buffers buffers(1, 2, both, 2);
    buffers.run(ranks[1], 2);
    CHECK(buffers.are_right());
  });
  Buffers given_up(0, 2, both, 1);
  CHECK(failure_of([&] { given_up.run(ranks[0], 1); }) == "rank 1 has given this exchange up");
  Buffers buffers(0, 2, both, 2);
  buffers.run(ranks[0], 2);
  CHECK(buffers.are_right());
  other.join();
}

TEST_CASE("links are waited for, and the ranks without one are named") {
  Exchange exchange(1, 4, kChecksum);
  exchange.connect(2, std::make_shared<RecordingStream>());
  CHECK(failure_of([&] { exchange.wait_for_links(Clock::now()); }) ==
        "no connection between rank 1 and rank 0, rank 3");
  exchange.connect(0, std::make_shared<RecordingStream>());
  std::thread later([&] { exchange.connect(3, std::make_shared<RecordingStream>()); });
  CHECK(failure_of([&] { exchange.wait_for_links(kNever); }).empty());
  later.join();
  exchange.on_closed(3, "");
  CHECK(failure_of([&] { exchange.wait_for_links(kNever); }).empty());
  exchange.fail("the chief has gone");
  CHECK(failure_of([&] { exchange.wait_for_links(kNever); }) == "the chief has gone");
}

}  // namespace percale::remote
