// The chief and a member, with control streams that the test holds.
#include <doctest/doctest.h>

#include <thread>

#include "devices/remote/group/chief.h"
#include "devices/remote/group/member.h"
#include "tests/unit/remote/ranks.h"

namespace percale::remote {
namespace {

// The bytes of a control message.
template <class T>
Message control(T body) {
  RecordingStream stream;
  tell(stream, std::move(body));
  return message_of(stream.message(0));
}

wire::BodyUnion read(const ByteVector& bytes) { return read_control(message_of(bytes)); }

wire::HelloT hello(int rank, int size = 2) {
  wire::HelloT out;
  out.protocol = kProtocol;
  out.build = "percale x";
  out.rank = rank;
  out.size = size;
  out.port = 99;
  return out;
}

wire::WelcomeT welcome(size_t addresses) {
  wire::WelcomeT out;
  out.generation = kGeneration;
  out.addresses.resize(addresses, "localhost:1");
  return out;
}

wire::RefusalT refusal(const char* message) {
  wire::RefusalT out;
  out.code = PERCALE_UNAVAILABLE;
  out.message = message;
  return out;
}

wire::LostT lost(std::vector<int32_t> ranks) {
  wire::LostT out;
  out.ranks = std::move(ranks);
  return out;
}

Application application(int rank, int size = 2) { return {rank, size, "percale x", "localhost:1", 99}; }

// A member of a group of two, whose chief is the test.
struct MemberTest {
  MemberTest()
      : exchange(std::make_shared<Exchange>(1, 2, kChecksum)),
        member(std::make_shared<Member>(
            application(1), "chief:1",
            [this](std::shared_ptr<StreamEvents> opened) {
              events = std::move(opened);
              return stream;
            },
            exchange)) {}
  // Answers the member's Hello.
  std::string join(Message answer) {
    std::string failure;
    std::thread joins([&] { failure = failure_of([&] { member->join(kNever); }); });
    stream->message(0);
    events->on_message(std::move(answer));
    joins.join();
    return failure;
  }
  void wait_until_asked() {
    for (size_t i = 0;; ++i) {
      if (read(stream->message(i)).AsFailed() != nullptr) return;
    }
  }
  // The failure of the next exchange.
  std::string run() {
    Buffers buffers(1, 2, [](int, int) { return 0; });
    return failure_of([&] { buffers.run(*exchange, ++tag); });
  }

  const std::shared_ptr<RecordingStream> stream = std::make_shared<RecordingStream>();
  const std::shared_ptr<Exchange> exchange;
  std::shared_ptr<StreamEvents> events;
  const std::shared_ptr<Member> member;
  uint64_t tag = 0;
};

// The chief of a group of two, whose member is the test.
struct ChiefTest {
  explicit ChiefTest(int size = 2)
      : exchange(std::make_shared<Exchange>(0, size, kChecksum)),
        chief(std::make_shared<Chief>(application(0, size), exchange)) {}
  // A process opens a control stream and says `body`.
  template <class T>
  std::shared_ptr<RecordingStream> open(T body) {
    streams.push_back(std::make_shared<RecordingStream>());
    events.push_back(chief->accept(streams.back()));
    events.back()->on_message(control(std::move(body)));
    return streams.back();
  }
  const std::shared_ptr<Exchange> exchange;
  const std::shared_ptr<Chief> chief;
  std::vector<std::shared_ptr<RecordingStream>> streams;
  std::vector<std::shared_ptr<StreamEvents>> events;
};

std::string refusal_of(RecordingStream& stream) {
  const wire::BodyUnion body = read(stream.message(0));
  return body.AsRefusal() == nullptr ? "" : body.AsRefusal()->message;
}

}  // namespace

TEST_CASE("a control message has its body after its way, and other bytes have none") {
  wire::BodyUnion body = read_control(control(hello(3, 9)));
  REQUIRE(body.AsHello() != nullptr);
  CHECK(body.AsHello()->rank == 3);
  CHECK(body.AsHello()->size == 9);
  CHECK(read({}).type == wire::Body_NONE);
  CHECK(read(ByteVector(64, std::byte{0xFF})).type == wire::Body_NONE);
  RecordingStream stream;
  tell(stream, hello(1));
  for (size_t size = 0; size < stream.message(0).size(); ++size) {
    ByteVector cut = stream.message(0);
    cut.resize(size);
    CHECK(read(cut).AsWelcome() == nullptr);
  }
}

TEST_CASE("the chief refuses processes that do not fit, and says why") {
  ChiefTest test(3);
  wire::HelloT other = hello(1, 3);
  other.build = "percale y";
  CHECK(contains(refusal_of(*test.open(other)), "it has \"percale y\", the chief \"percale x\""));
  other = hello(1, 3);
  other.protocol = 0;
  CHECK(contains(refusal_of(*test.open(other)), "it speaks protocol 0, the chief " + std::to_string(kProtocol)));
  for (const int rank : {-1, 0, 3})
    CHECK(contains(refusal_of(*test.open(hello(rank, 3))), "the chief expects 3 ranks"));
  CHECK(contains(refusal_of(*test.open(hello(1, 2))), "it is rank 1 of 2, the chief expects 3 ranks"));
  test.open(hello(1, 3));
  const auto twice = test.open(hello(1, 3));
  CHECK(contains(refusal_of(*twice), "rank 1 has joined already, from 127.0.0.1:99"));
  CHECK(twice->closes() == 1);
}

TEST_CASE("the chief ends a control stream whose first message is no greeting") {
  ChiefTest test;
  CHECK(test.open(wire::BeatT())->aborts() == 1);
  CHECK(test.open(wire::LeaveT())->aborts() == 1);
}

TEST_CASE("the chief names the ranks that are missing at the time limit, to all that wait") {
  ChiefTest test(4);
  const auto stream = test.open(hello(2, 4));
  std::thread closes([&] {
    stream->message(0);
    test.events[0]->on_closed("");
  });
  const std::string failure = failure_of([&] { test.chief->join(Clock::now()); });
  closes.join();
  CHECK(failure == "the group is not complete within the time limit; missing: rank 1, 3 of 4");
  CHECK(refusal_of(*stream) == failure);
}

TEST_CASE("a rank that has gone before the group is complete may come again") {
  ChiefTest test;
  test.open(hello(1));
  test.events[0]->on_closed("reset");
  const auto stream = test.open(hello(1));
  const Roll roll = test.chief->join(kNever);
  CHECK(roll.addresses == std::vector<std::string>{"localhost:1", "127.0.0.1:99"});
  const wire::BodyUnion body = read(stream->message(0));
  REQUIRE(body.AsWelcome() != nullptr);
  CHECK(body.AsWelcome()->generation == roll.generation);
  // The end of the old stream is no loss.
  CHECK(failure_of([&] {
          Buffers buffers(0, 2, [](int, int) { return 0; });
          buffers.run(*test.exchange, 1);
        }).empty());
}

TEST_CASE("a rank whose control stream breaks is lost, and the chief's own exchanges fail and go on") {
  ChiefTest test;
  test.exchange->connect(1, std::make_shared<RecordingStream>());
  test.open(hello(1));
  test.chief->join(kNever);
  test.events[0]->on_closed("reset by peer");
  Buffers buffers(0, 2, [](int, int) { return 0; });
  CHECK(failure_of([&] { buffers.run(*test.exchange, 1); }) ==
        "rank 1 is lost: its connection is closed: reset by peer");
  CHECK(test.chief->lost({}) == std::vector<int32_t>{1});
  CHECK(failure_of([&] { buffers.run(*test.exchange, 2); }).empty());
}

TEST_CASE("a silent rank is dismissed with the reason") {
  ChiefTest test;
  const auto stream = test.open(hello(1));
  test.chief->join(kNever);
  Buffers buffers(0, 2, [](int from, int) { return from; });
  CHECK(contains(failure_of([&] { buffers.run(*test.exchange, 1); }), "nothing was heard of it for 2500 ms"));
  std::string reason;
  for (size_t i = 0; reason.empty() && i < stream->sent(); ++i) {
    if (const wire::BodyUnion body = read(stream->message(i)); body.AsRefusal() != nullptr)
      reason = body.AsRefusal()->message;
  }
  CHECK(reason == "nothing was heard of it for 2500 ms");
  CHECK(stream->closes() == 1);
}

TEST_CASE("a member that is refused fails with the chief's words") {
  MemberTest test;
  CHECK(test.join(control(refusal("the chief refuses this process: why"))) == "the chief refuses this process: why");
}

TEST_CASE("a member whose chief knows another number of ranks does not join") {
  MemberTest test;
  CHECK(test.join(control(welcome(3))) == "the chief at chief:1 knows 3 addresses, wanted 2");
}

TEST_CASE("a member that is dismissed says why, and what to do") {
  MemberTest test;
  CHECK(test.join(control(welcome(2))).empty());
  test.events->on_message(control(refusal("nothing was heard of it for 2500 ms")));
  const std::string wanted =
      "this process is no longer one of the group: nothing was heard of it for 2500 ms; restart the training from its "
      "last checkpoint";
  CHECK(test.run() == wanted);
  CHECK(failure_of([&] { test.member->lost({}); }) == wanted);
  test.events->on_closed("");
  CHECK(failure_of([&] { test.member->lost({}); }) == wanted);
}

TEST_CASE("a member whose chief is lost says so") {
  MemberTest test;
  CHECK(test.join(control(welcome(2))).empty());
  test.events->on_closed("reset by peer");
  CHECK(test.run() == "the chief at chief:1 is lost: reset by peer");
  CHECK(failure_of([&] { test.member->lost({}); }) == "the chief at chief:1 is lost: reset by peer");
}

TEST_CASE("a member whose chief is silent ends the connection and says why") {
  MemberTest test;
  CHECK(test.join(control(welcome(2))).empty());
  while (test.stream->aborts() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  test.events->on_closed("this process has ended it");
  CHECK(test.run() == "the chief at chief:1 is lost: nothing was heard of it for 2500 ms");
}

TEST_CASE("the chief's next decision is not undone by the answer to the last one") {
  MemberTest test;
  CHECK(test.join(control(welcome(2))).empty());
  test.exchange->connect(0, std::make_shared<RecordingStream>());
  wire::FailingT failing;
  failing.reason = "once more";
  std::vector<int32_t> ranks = {9};
  std::thread asks([&] { ranks = test.member->lost({}); });
  test.wait_until_asked();
  // Both come before the thread that waits has woken.
  test.events->on_message(control(lost({})));
  test.events->on_message(control(failing));
  asks.join();
  CHECK(ranks.empty());
  CHECK(test.run() == "once more");
}

TEST_CASE("a list of lost ranks that do not exist ends the membership") {
  for (const int rank : {-1, 2}) {
    MemberTest test;
    CHECK(test.join(control(welcome(2))).empty());
    test.events->on_message(control(lost({rank})));  // was not asked for
    CHECK(test.run().empty());
    std::string failure;
    std::thread asks([&] { failure = failure_of([&] { test.member->lost({}); }); });
    test.wait_until_asked();
    test.events->on_message(control(lost({rank})));
    asks.join();
    CHECK(failure == "the chief at chief:1 has lost ranks that do not exist");
  }
}

}  // namespace percale::remote
