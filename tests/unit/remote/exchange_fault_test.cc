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
    const uint32_t crc = crc32c(body.data(), body.size()) ^ flipped;
    const wire::Chunk head = chunk_head(generation, tag, offset, total, crc, number, kChecksum);
    return message_of(std::as_bytes(std::span(&head, 1)), body);
  }
  ByteVector body;
  uint64_t generation = kGeneration, tag = 1, offset = 0, total;
  uint32_t flipped = 0, number = 0;
};

// A report as text, such as "harmed 1 2 unreached 3".
std::string text_of(const LinkReport& report) {
  std::string out = report.harmed.empty() ? "" : "harmed";
  for (const int32_t peer : report.harmed) out += " " + std::to_string(peer);
  if (!report.unreached.empty()) out += " unreached";
  for (const int32_t peer : report.unreached) out += " " + std::to_string(peer);
  return out + (report.is_stuck ? " stuck" : "");
}

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
    bool harmed = false;
  };
  const Case cases[] = {
      {[](Chunk& c) { c.total = 11; }, "rank 1 sends 11 bytes in an exchange, wanted 10"},
      {[](Chunk& c) { c.offset = 4; }, "rank 1 sends bytes from byte 4 on, wanted those from byte 0 on of 10"},
      {[](Chunk& c) { c.offset = ~uint64_t{0}; }, "rank 1 sends bytes from byte 18446744073709551615 on"},
      {[](Chunk& c) { c.body.resize(11); }, "bytes of rank 1 have changed on their way", true},
      {[](Chunk& c) { c.flipped = 1; }, "bytes of rank 1 have changed on their way", true},
  };
  for (const Case& one : cases) {
    Rank0 rank;
    Chunk chunk(10);
    one.change(chunk);
    rank.exchange.on_chunk(1, chunk.message());
    CHECK(contains(rank.receive(10), one.message));
    CHECK(text_of(rank.exchange.report()) == (one.harmed ? "harmed 1" : ""));
    CHECK(rank.links[0]->aborts() == 0);
    // The link goes on.
    Chunk good(10);
    good.tag = 2;
    good.number = 1;
    rank.exchange.on_chunk(1, good.message());
    CHECK(rank.receive(10, 2).empty());
  }
}

TEST_CASE("a message of another group, without a whole head, or out of turn breaks the link, and names its rank") {
  Chunk other(10), missing(10);
  other.generation = kGeneration + 1;
  missing.number = 1;
  ByteVector changed(sizeof(wire::Chunk) + 10);
  Message good = Chunk(10).message();
  good.read(changed.data(), changed.size());
  changed[8] ^= std::byte{1};  // of the tag
  const ByteVector few(sizeof(wire::Chunk) - 1);
  const char* const bad = "it has sent a message that is none of this group, or has changed on its way";
  const std::function<Message()> messages[] = {[&] { return other.message(); }, [&] { return message_of(few); },
                                               [&] { return message_of(changed); }, [&] { return missing.message(); }};
  for (size_t i = 0; i < std::size(messages); ++i) {
    Rank0 rank(3);
    rank.exchange.on_chunk(1, messages[i]());
    CHECK(rank.links[0]->aborts() == 1);
    rank.exchange.on_closed(1, "this process has ended it");
    CHECK(rank.receive(10) ==
          std::string("the connection to rank 1 is lost: ") + (i < 3 ? bad : "a message of it has not arrived"));
    CHECK(text_of(rank.exchange.report()) == "harmed 1");
  }
}

TEST_CASE("a message that did not arrive is missed at the next heartbeat of the link") {
  Rank0 rank;
  const wire::Chunk beats[] = {chunk_head(kGeneration, 0, 0, 0, 0, 0, kChecksum),
                               chunk_head(kGeneration, 0, 0, 0, 0, 2, kChecksum)};
  rank.exchange.on_chunk(1, message_of(std::as_bytes(std::span(&beats[0], 1))));
  CHECK(rank.links[0]->reads() == 1);
  rank.exchange.on_chunk(1, message_of(std::as_bytes(std::span(&beats[1], 1))));
  CHECK(rank.links[0]->aborts() == 1);
  CHECK(rank.receive(0) == "the connection to rank 1 is lost: a message of it has not arrived");
}

TEST_CASE("a rank says every second on each link that it is here, and breaks a link that is silent for long") {
  Rank0 rank(3);
  const Clock::time_point now = Clock::now();
  const auto after = [&](int seconds) { return now + std::chrono::seconds(seconds); };
  for (int i = 0; i < 9; ++i) rank.exchange.beat(now + i * std::chrono::milliseconds(250), false);
  CHECK(rank.links[0]->sent() == 3);
  std::optional<wire::Chunk> last;
  Message beat = message_of(rank.links[1]->message(2));
  last = read_chunk(beat, kChecksum);
  REQUIRE(last);
  CHECK(last->total() == 0);
  CHECK(last->number() == 2);
  rank.exchange.beat(after(60), true);  // this process has stood still
  Chunk early(10);
  early.tag = 9;
  rank.exchange.on_chunk(2, early.message());  // stays unread, so that nothing more is heard
  rank.exchange.beat(after(69), false);
  CHECK(rank.links[0]->aborts() == 0);
  rank.exchange.beat(after(71), false);
  CHECK(rank.links[0]->aborts() == 1);
  CHECK(rank.links[1]->aborts() == 0);
  CHECK(rank.receive(10) == "the connection to rank 1 is lost: nothing was heard over it for 10000 ms");
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
  rank.exchange.go_on({}, {});
  CHECK(rank.receive(0, 3).empty());
}

TEST_CASE("after go_on() a lost rank takes no part") {
  Rank0 rank(3);
  rank.exchange.on_closed(2, "reset by peer");
  CHECK(rank.receive(0) == "the connection to rank 2 is lost: reset by peer");
  CHECK(text_of(rank.exchange.report()) == "harmed 2");
  const std::vector<int32_t> lost = {1, 2};
  rank.exchange.go_on(lost, {});
  CHECK(text_of(rank.exchange.report()) == " stuck");
  CHECK(rank.links[0]->aborts() == 1);
  rank.exchange.on_closed(1, "this process has ended it");
  CHECK(rank.receive(10, 2).empty());
}

TEST_CASE("all links that have broken are told, and one that breaks before the answer comes next") {
  Rank0 rank(4);
  rank.exchange.on_closed(2, "a");
  CHECK(contains(rank.receive(0), "rank 2 is lost: a"));
  CHECK(text_of(rank.exchange.report()) == "harmed 2");
  rank.exchange.on_closed(3, "b");
  const std::vector<int32_t> again = {2};
  rank.exchange.go_on({}, again);
  CHECK(contains(rank.receive(0, 2), "the connection to rank 3 is lost: it was closed before"));
  CHECK(text_of(rank.exchange.report()) == "harmed 2 3");
}

TEST_CASE("a harmed link is replaced, and the old one has no effect any more") {
  Rank0 rank;
  Chunk chunk(10);
  chunk.flipped = 1;
  rank.exchange.on_chunk(1, chunk.message());
  CHECK(contains(rank.receive(10), "have changed on their way"));
  CHECK_FALSE(rank.exchange.missing_link(1));
  const std::vector<int32_t> again = {1};
  rank.exchange.go_on({}, again);
  CHECK(rank.links[0]->aborts() == 1);
  CHECK(rank.exchange.missing_link(1) == 1U);
  // Neither an older attempt nor a second one takes its place.
  const auto link = std::make_shared<RecordingStream>(), other = std::make_shared<RecordingStream>();
  CHECK_FALSE(rank.exchange.connect({1, 0}, other));
  CHECK(rank.exchange.connect({1, 1}, link));
  CHECK_FALSE(rank.exchange.connect({1, 1}, other));
  rank.exchange.await_links(kNever);
  rank.exchange.on_chunk(1, Chunk(10).message());
  rank.exchange.on_sent(1);
  rank.exchange.on_closed(1, "this process has ended it");
  CHECK(link->reads() == 0);
  Chunk good(10);
  good.tag = 2;
  rank.exchange.on_chunk({1, 1}, good.message());
  CHECK(rank.receive(10, 2).empty());
  CHECK(text_of(rank.exchange.report()).empty());
}

TEST_CASE("a link that is not made again in time fails the next exchange, and its rank is told as unreached") {
  Rank0 rank(3);
  rank.exchange.on_closed(1, "reset");
  CHECK_FALSE(rank.receive(0).empty());
  const std::vector<int32_t> again = {1};
  rank.exchange.go_on({}, again);
  rank.exchange.await_links(Clock::now());
  CHECK(rank.receive(0, 2) == "the connection to rank 1 is lost: it cannot be made again");
  CHECK(text_of(rank.exchange.report()) == " unreached 1");
  // If the chief has begun another round, there was no time for it.
  rank.exchange.go_on({}, again);
  rank.exchange.fail("an exchange has failed on rank 2");
  rank.exchange.await_links(kNever);
  CHECK(rank.receive(0, 3) == "an exchange has failed on rank 2");
  CHECK(text_of(rank.exchange.report()) == "harmed 1");
}

TEST_CASE("the links of an exchange whose time limit has passed are made again") {
  Rank0 rank(3);
  CHECK(rank.receive(10, 1, Clock::now()) == "the time limit of the exchange has passed");
  CHECK(text_of(rank.exchange.report()) == "harmed 1");
}

TEST_CASE("a rank that leaves in order fails the exchanges that need it, and no others") {
  Rank0 rank(3);
  rank.exchange.on_closed(2, "");
  rank.exchange.on_chunk(1, Chunk(10).message());
  CHECK(rank.receive(10).empty());
  // While it is waited for.
  std::thread thread([&] { CHECK(rank.receive(10, 2) == "rank 1 has left the group"); });
  rank.exchange.on_closed(1, "");
  thread.join();
  // And before.
  CHECK(rank.receive(10, 3) == "rank 1 has left the group");
}

TEST_CASE("a link that is closed in order though its rank has not left is made again") {
  Rank0 rank;
  rank.exchange.on_closed(1, "");
  CHECK(rank.receive(10) == "rank 1 has left the group");
  CHECK(text_of(rank.exchange.report()) == "harmed 1");
  const std::vector<int32_t> again = {1};
  rank.exchange.go_on({}, again);
  CHECK(rank.exchange.connect({1, 1}, rank.links[0]));
  Chunk chunk(10);
  chunk.tag = 2;
  rank.exchange.on_chunk({1, 1}, chunk.message());
  CHECK(rank.receive(10, 2).empty());
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
  Chunk next(10);
  next.number = 1;
  rank.exchange.on_chunk(1, next.message());
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
