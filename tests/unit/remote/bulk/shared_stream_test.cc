// Streams with shared memory, above links within this process.
#include "devices/remote/bulk/shared_stream.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <new>

#include "devices/remote/bulk/ring.h"
#include "tests/unit/remote/device_calls.h"
#include "tests/unit/remote/ranks.h"

namespace percale::remote {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr Sharing kSharing{kChecksum, 3 * kMiB};
const ByteVector kHead = pattern(40, 1);

// Counts the bytes that go through the stream below.
class Meter final : public Stream {
 public:
  explicit Meter(std::shared_ptr<Stream> below) : below_(std::move(below)) {}
  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    bytes_ += head.size() + body.size();
    below_->send(head, body);
  }
  void read_next() override { below_->read_next(); }
  void close() override { below_->close(); }
  void abort() override { below_->abort(); }
  const std::string& peer() const override { return below_->peer(); }
  size_t bytes() const { return bytes_; }

 private:
  const std::shared_ptr<Stream> below_;
  std::atomic<size_t> bytes_{0};
};

// Keeps the messages that arrive, and reads on if it is told to.
class Inbox final : public StreamEvents {
 public:
  void on_message(Message message) override {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    changed_.notify_all();
  }
  void on_sent() override {
    const std::lock_guard lock(mutex_);
    ++sent_;
    changed_.notify_all();
    if (throws) throw std::bad_alloc();
  }
  void on_closed(const std::string&) override {
    const std::lock_guard lock(mutex_);
    ++closings_;
    changed_.notify_all();
  }

  Message next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !messages_.empty(); });
    Message out = std::move(messages_.front());
    messages_.pop_front();
    return out;
  }
  void wait_for_sent(int count) {
    wait_until([&] { return sent_ >= count; });
  }
  void wait_for_end() {
    wait_until([&] { return closings_ > 0; });
  }
  int sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }

  std::atomic<bool> throws{false};

 private:
  template <class F>
  void wait_until(F&& f) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, f);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> messages_;
  int sent_ = 0, closings_ = 0;
};

ByteVector bytes_of(Message message) {
  ByteVector out(message.left());
  const size_t first = out.size() / 3;
  message.read(out.data(), first);
  message.read(out.data() + first, out.size() - first);
  return out;
}

// Two ends of a stream.
class Pair {
 public:
  explicit Pair(const Sharing& sharing = kSharing) {
    const auto near = std::make_shared<FakeEnd>(network_), far = std::make_shared<FakeEnd>(network_);
    meter = std::make_shared<Meter>(near);
    std::shared_ptr<StreamEvents> events;
    const auto open = [&](std::shared_ptr<StreamEvents> own) {
      events = std::move(own);
      return meter;
    };
    a = open_shared(open, in_a, sharing);
    const auto accept = [&](const std::shared_ptr<Stream>& stream) {
      b = stream;
      return in_b;
    };
    const auto far_events = accept_shared(far, accept, sharing);
    FakeEnd::connect(near, events, far, far_events);
  }
  ~Pair() {
    a->abort();
    in_a->wait_for_end();
    in_b->wait_for_end();
    network_.stop();
  }
  // Sends a message from `a`, and returns what arrives at `b`.
  ByteVector pass(const ByteVector& body) {
    a->send(kHead, body);
    ByteVector out = bytes_of(in_b->next());
    b->read_next();
    return out;
  }

  const std::shared_ptr<Inbox> in_a = std::make_shared<Inbox>(), in_b = std::make_shared<Inbox>();
  std::shared_ptr<Meter> meter;
  std::shared_ptr<Stream> a, b;

 private:
  FakeNetwork network_;
};

// One end whose other end and stream the test plays.
struct End {
  explicit End(const Sharing& sharing = kSharing) {
    const auto open = [this](std::shared_ptr<StreamEvents> own) {
      events = std::move(own);
      return below;
    };
    stream = open_shared(open, inbox, sharing);
  }
  ~End() {
    events->on_closed("");
    CHECK(inbox.use_count() == 1);
  }
  template <class T>
  void receive(wire::ParcelKind kind, uint32_t bytes, const T& rest, uint32_t flipped = 0) {
    const wire::Parcel draft(kind, bytes, 0);
    const wire::Parcel front(kind, bytes, crc32c(&draft, 8) ^ flipped);
    events->on_message(message_of(join(std::as_bytes(std::span(&front, 1)), std::as_bytes(std::span(rest)))));
  }
  // The ring that the other side takes and that this end writes into.
  wire::RingOffer offer_after_a_large_body() {
    stream->send(kHead, pattern(kMiB));
    const ByteVector message = below->message(0);
    wire::RingOffer out;
    REQUIRE(message.size() == 12 + sizeof out);
    std::memcpy(&out, message.data() + 12, sizeof out);
    return out;
  }

  const std::shared_ptr<RecordingStream> below = std::make_shared<RecordingStream>();
  std::shared_ptr<Inbox> inbox = std::make_shared<Inbox>();
  std::shared_ptr<StreamEvents> events;
  std::shared_ptr<Stream> stream;
};

}  // namespace

TEST_CASE("messages of all sizes arrive as they were sent, large ones beside the stream") {
  Pair pair;
  for (const size_t size : {size_t{0}, size_t{1}, kLeastSharedBytes - 1})
    CHECK(pair.pass(pattern(size)) == join(kHead, pattern(size)));
  CHECK(pair.pass(pattern(kMiB)) == join(kHead, pattern(kMiB)));  // with the offer
  const size_t before = pair.meter->bytes();
  for (size_t i = 0; i < 50; ++i) {
    const ByteVector body = pattern(kLeastSharedBytes + i * 19'997, i);
    CHECK(pair.pass(body) == join(kHead, body));
  }
  CHECK(pair.meter->bytes() - before == 50 * (12 + kHead.size()));
  pair.in_a->wait_for_sent(54);
  CHECK(pair.in_a->sent() == 54);
}

TEST_CASE("both directions have a ring each") {
  Pair pair;
  for (size_t i = 0; i < 20; ++i) {
    const ByteVector there = pattern(kMiB, i), back = pattern(kMiB - i, i + 1);
    pair.a->send(kHead, there);
    pair.b->send({}, back);
    CHECK(bytes_of(pair.in_b->next()) == join(kHead, there));
    CHECK(bytes_of(pair.in_a->next()) == back);
    pair.a->read_next();
    pair.b->read_next();
  }
  CHECK(pair.meter->bytes() < 3 * kMiB);
}

TEST_CASE("a body in shared memory counts as sent when it is read or dropped, and not before") {
  Pair pair;
  pair.pass(pattern(kMiB));
  pair.in_a->wait_for_sent(1);
  for (const bool reads : {true, false}) {
    const int before = pair.in_a->sent();
    pair.a->send(kHead, pattern(kMiB));
    {
      Message held = pair.in_b->next();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      CHECK(pair.in_a->sent() == before);
      if (reads) CHECK(bytes_of(std::move(held)).size() == kHead.size() + kMiB);
    }
    pair.in_a->wait_for_sent(before + 1);
    pair.b->read_next();
  }
}

TEST_CASE("bodies beyond the ring go through the stream, in their order") {
  Pair pair;
  pair.pass(pattern(kMiB));
  const size_t before = pair.meter->bytes();
  for (size_t i = 0; i < 5; ++i) pair.a->send(kHead, pattern(kMiB, i));
  CHECK(pair.meter->bytes() - before == 5 * (12 + kHead.size()) + 2 * kMiB);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(bytes_of(pair.in_b->next()) == join(kHead, pattern(kMiB, i)));
    pair.b->read_next();
  }
}

TEST_CASE("without shared memory the stream carries all") {
  // Rings of all other streams leave nothing to this one.
  std::vector<std::unique_ptr<RingWriter>> rings;
  while (auto one = RingWriter::make(kMaxRingBytes)) rings.push_back(std::move(one));
  Pair pair;
  for (size_t i = 0; i < 3; ++i) CHECK(pair.pass(pattern(kMiB, i)) == join(kHead, pattern(kMiB, i)));
  CHECK(pair.meter->bytes() > 3 * kMiB);
  pair.in_a->wait_for_sent(3);
}

TEST_CASE("an offer that cannot be taken is no message, and nothing follows from it") {
  End end;
  const wire::RingOffer elsewhere(1, 2, 0xFFFFFFF0, 3, 1000, 0);
  end.receive(wire::ParcelKind_Offer, 0, std::span(&elsewhere, 1));
  CHECK(end.below->reads() == 1);
  end.receive(wire::ParcelKind_Whole, 0, kHead);
  CHECK(bytes_of(end.inbox->next()) == kHead);
}

TEST_CASE("parcels that cannot be are handed on as a message of nothing") {
  const auto writer = RingWriter::make(kMiB);
  End end;
  const auto is_refused = [&] { return end.inbox->next().left() == 0; };
  end.events->on_message(message_of(pattern(11)));
  CHECK(is_refused());
  end.receive(wire::ParcelKind_Whole, 0, kHead, 1);
  CHECK(is_refused());
  end.receive(static_cast<wire::ParcelKind>(7), 0, kHead);
  CHECK(is_refused());
  end.receive(wire::ParcelKind_Headed, 100, kHead);  // without a ring
  CHECK(is_refused());
  end.receive(wire::ParcelKind_Offer, 0, pattern(sizeof(wire::RingOffer) - 1));
  CHECK(is_refused());
  end.receive(wire::ParcelKind_Offer, 0, std::span(&writer->offer(), 1));
  CHECK(writer->is_taken());
  end.receive(wire::ParcelKind_Offer, 0, std::span(&writer->offer(), 1));
  CHECK(is_refused());
  for (const uint32_t bytes : {0u, static_cast<uint32_t>(kMiB + 1), 0xFFFFFFFFu}) {
    end.receive(wire::ParcelKind_Headed, bytes, kHead);
    CHECK(is_refused());
  }
  REQUIRE(writer->put(pattern(1000)));
  end.receive(wire::ParcelKind_Headed, 1000, kHead);
  CHECK(bytes_of(end.inbox->next()) == join(kHead, pattern(1000)));
}

TEST_CASE("a reader that releases what was not sent ends the stream") {
  End end;
  const wire::RingOffer offer = end.offer_after_a_large_body();
  const auto memory = SharedMemory::open(offer.process(), offer.handle(), 4096 + offer.bytes());
  const auto reader = RingReader::open(offer);
  REQUIRE(reader != nullptr);
  const uint64_t claim = 9 * kMiB;
  std::memcpy(memory->data() + 64, &claim, sizeof claim);
  end.stream->send(kHead, pattern(kMiB));
  while (end.below->aborts() == 0) std::this_thread::yield();
  CHECK(end.inbox->sent() == 0);
}

TEST_CASE("a process that says nothing in the memory gets all by the stream") {
  End end;
  end.offer_after_a_large_body();
  for (int i = 0; i < 3; ++i) end.stream->send(kHead, pattern(kMiB));
  CHECK(end.below->sent() == 5);
  CHECK(end.below->message(4).size() == 12 + kHead.size() + kMiB);
  for (int i = 0; i < 5; ++i) end.events->on_sent();
  CHECK(end.inbox->sent() == 4);  // the offer is none
}

TEST_CASE("an exception of the events ends the stream, and so does its end the watch") {
  Pair pair;
  pair.pass(pattern(kMiB));
  pair.in_a->wait_for_sent(1);
  pair.in_a->throws = true;
  pair.pass(pattern(kMiB));
  pair.in_a->wait_for_end();
  pair.in_b->wait_for_end();
  pair.a->send(kHead, pattern(kMiB));  // nothing happens
}

TEST_CASE("ranks exchange bytes through shared memory") {
  Ranks ranks(3, true);
  std::atomic<int> right{0};
  ranks.each([&](int rank) {
    for (size_t round = 0; round < 6; ++round) {
      Buffers buffers(
          rank, 3, [&](int from, int to) { return (static_cast<size_t>(from * 3 + to) + round) % 6 * 700'001; },
          static_cast<int>(round));
      buffers.run(ranks[rank], round + 1);
      right += buffers.are_right();
    }
  });
  CHECK(right == 18);
}

}  // namespace percale::remote
