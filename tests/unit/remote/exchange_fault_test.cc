// Exchanges that fail. The test plays the other ranks.
#include <doctest/doctest.h>

#include <functional>

#include "tests/unit/remote/ranks.h"

namespace percale::remote {
namespace {

// A chunk of bytes from rank 1, right unless the test changes it.
struct Chunk {
  explicit Chunk(size_t size) : body(size, std::byte{5}), total(size) {}
  Message message() const {
    const wire::Chunk head(generation, tag, offset, total, crc32c(body.data(), body.size()) ^ flipped, 0);
    return message_of(std::as_bytes(std::span(&head, 1)), body);
  }
  ByteVector body;
  uint64_t generation = kGeneration, tag = 1, offset = 0, total;
  uint32_t flipped = 0;
};

// Rank 0 of a group, with links that the test holds.
struct Rank0 {
  explicit Rank0(int size = 2) : exchange(0, size, kChecksum) {
    exchange.set_generation(kGeneration);
    for (int peer = 1; peer < size; ++peer) {
      links.push_back(std::make_shared<RecordingStream>());
      exchange.connect(peer, links.back());
    }
  }
  // Receives `bytes` bytes from rank 1. Returns the failure.
  std::string receive(size_t bytes, uint64_t tag = 1, Clock::time_point deadline = kNever) {
    Buffers buffers(0, static_cast<int>(links.size()) + 1, [&](int from, int) { return from == 1 ? bytes : 0; });
    return failure_of([&] { buffers.run(exchange, tag, deadline); });
  }
  Exchange exchange;
  std::vector<std::shared_ptr<RecordingStream>> links;
};

}  // namespace

TEST_CASE("a chunk that does not fit fails the exchange with the name of its rank") {
  struct Case {
    std::function<void(Chunk&)> change;
    const char* message;
  };
  const Case cases[] = {
      {[](Chunk& c) { c.total = 11; }, "rank 1 sends 11 bytes in an exchange, wanted 10"},
      {[](Chunk& c) { c.offset = 4; }, "rank 1 sends 10 bytes from byte 4 on, wanted those from byte 0 on of 10"},
      {[](Chunk& c) { c.offset = ~uint64_t{0}; }, "rank 1 sends 10 bytes from byte 18446744073709551615 on"},
      {[](Chunk& c) { c.body.resize(11); }, "rank 1 sends 11 bytes from byte 0 on, wanted those from byte 0 on of 10"},
      {[](Chunk& c) { c.flipped = 1; }, "bytes of rank 1 have changed on their way"},
  };
  for (const Case& one : cases) {
    Rank0 rank;
    Chunk chunk(10);
    one.change(chunk);
    rank.exchange.on_chunk(1, chunk.message());
    CHECK(contains(rank.receive(10), one.message));
    CHECK(rank.exchange.broken_peer() == -1);
    CHECK(rank.links[0]->aborts() == 0);
    // The link goes on.
    Chunk good(10);
    good.tag = 2;
    rank.exchange.on_chunk(1, good.message());
    CHECK(rank.receive(10, 2).empty());
  }
}

TEST_CASE("a message of another group or without a whole head breaks the link, and names its rank") {
  Chunk other(10);
  other.generation = kGeneration + 1;
  for (const bool is_short : {false, true}) {
    Rank0 rank(3);
    const ByteVector few(sizeof(wire::Chunk) - 1);
    rank.exchange.on_chunk(1, is_short ? message_of(few) : other.message());
    CHECK(rank.links[0]->aborts() == 1);
    rank.exchange.on_closed(1, "this process has ended it");
    CHECK(rank.receive(10) == "the connection to rank 1 is lost: it has sent a message that is none of this group");
    CHECK(rank.exchange.broken_peer() == 1);
  }
}

TEST_CASE("bytes that nothing waits for fail the exchange") {
  Rank0 rank;
  rank.exchange.on_chunk(1, Chunk(10).message());
  CHECK(rank.receive(0) == "rank 1 sends 10 bytes in an exchange, wanted 0");
  Rank0 waiting(3);
  waiting.exchange.on_chunk(2, Chunk(10).message());
  CHECK(waiting.receive(10) == "rank 2 sends 10 bytes in an exchange, wanted 0");
}

TEST_CASE("an exchange ends at its time limit, and what comes later touches no memory") {
  Rank0 rank;
  CHECK(rank.receive(10, 1, Clock::now()) == "the time limit of the exchange has passed");
  const int reads = rank.links[0]->reads();
  rank.exchange.on_chunk(1, Chunk(10).message());
  CHECK(rank.links[0]->reads() == reads + 1);
}

TEST_CASE("fail() ends the exchange under way and the next ones, until go_on()") {
  Rank0 rank;
  std::thread thread([&] { CHECK(rank.receive(10) == "rank 2 is lost"); });
  rank.exchange.fail("rank 2 is lost");
  rank.exchange.fail("and rank 3");
  thread.join();
  CHECK(rank.receive(0, 2) == "rank 2 is lost");
  rank.exchange.go_on({});
  CHECK(rank.receive(0, 3).empty());
}

TEST_CASE("after go_on() a lost rank takes no part") {
  Rank0 rank(3);
  rank.exchange.on_closed(2, "reset by peer");
  CHECK(rank.exchange.broken_peer() == 2);
  CHECK(rank.receive(0) == "the connection to rank 2 is lost: reset by peer");
  const std::vector<int32_t> lost = {1, 2};
  rank.exchange.go_on(lost);
  CHECK(rank.exchange.broken_peer() == -1);
  CHECK(rank.links[0]->aborts() == 1);
  rank.exchange.on_closed(1, "this process has ended it");
  CHECK(rank.receive(10, 2).empty());
}

TEST_CASE("of two links that have broken at a time, the second one is told after the first") {
  Rank0 rank(4);
  rank.exchange.on_closed(2, "a");
  rank.exchange.on_closed(3, "b");
  CHECK(rank.exchange.broken_peer() == 2);
  CHECK(contains(rank.receive(0), "rank 2 is lost: a"));
  const std::vector<int32_t> lost = {2};
  rank.exchange.go_on(lost);
  CHECK(rank.exchange.broken_peer() == 3);
  CHECK(contains(rank.receive(0, 2), "the connection to rank 3 is lost"));
}

TEST_CASE("a rank that leaves in order fails the exchanges that need it, and no others") {
  Rank0 rank(3);
  rank.exchange.on_closed(2, "");
  rank.exchange.on_chunk(1, Chunk(10).message());
  CHECK(rank.receive(10).empty());
  CHECK(rank.exchange.broken_peer() == -1);
  // While it is waited for.
  std::thread thread([&] { CHECK(rank.receive(10, 2) == "rank 1 has left the group"); });
  rank.exchange.on_closed(1, "");
  thread.join();
  // And before.
  CHECK(rank.receive(10, 3) == "rank 1 has left the group");
}

TEST_CASE("what a rank has sent before it left still counts") {
  Rank0 rank;
  rank.exchange.on_chunk(1, Chunk(10).message());
  rank.exchange.on_closed(1, "");
  CHECK(rank.receive(10).empty());
}

TEST_CASE("close() reads on to the end of a link that holds an early chunk") {
  Rank0 rank;
  rank.exchange.on_chunk(1, Chunk(10).message());
  const int reads = rank.links[0]->reads();
  rank.exchange.close(std::chrono::milliseconds(0));
  CHECK(rank.links[0]->reads() == reads + 1);
  CHECK(rank.links[0]->closes() == 1);
  CHECK(rank.links[0]->aborts() == 1);
  rank.exchange.on_chunk(1, Chunk(10).message());
  CHECK(rank.links[0]->reads() == reads + 2);
}

TEST_CASE("close() ends as soon as the other sides have closed") {
  Ranks ranks(3);
  ranks.each([&](int rank) {
    Buffers buffers(rank, 3, [](int, int) { return 100; });
    buffers.run(ranks[rank], 1);
    ranks[rank].close(std::chrono::hours(1));
  });
}

}  // namespace percale::remote
