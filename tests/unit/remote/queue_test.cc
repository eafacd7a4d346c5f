// A client whose server is played by the test: bytes that have changed, and messages that no server
// of ours sends.
#include "devices/remote/device/queue.h"

#include <doctest/doctest.h>

#include <thread>
#include <utility>

#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/raw_client.h"

namespace percale::remote {
namespace {

// The server's side of one stream.
struct Played {
  OpenStream opener() {
    return [this](const std::string&, std::shared_ptr<StreamEvents> taken) {
      events = std::move(taken);
      return stream;
    };
  }
  // Calls f(), which opens the stream and waits for the answer to its first message.
  template <class F, class T>
  void open(F&& f, T answer) {
    std::thread thread(f);
    stream->message(0);
    tell(std::move(answer));
    thread.join();
  }
  template <class T>
  void tell(T body, std::span<const std::byte> raw = {}) {
    send(frame_bytes(std::move(body), raw, told));
  }
  void send(const ByteVector& bytes) {
    ++told;
    events->on_message(message_of(bytes));
    for (; acknowledged < stream->sent(); ++acknowledged) events->on_sent();
  }

  std::shared_ptr<RecordingStream> stream = std::make_shared<RecordingStream>();
  std::shared_ptr<StreamEvents> events;
  size_t acknowledged = 0;
  uint32_t told = 0;  // messages
};

// A session and a queue that are open.
class Client {
 public:
  Client() {
    device.open([&] { CHECK(session->open(device.opener(), wire::OpenT(), Clock::time_point::max())); },
                wire::OpenedT());
    stream.open([&] { queue->open(stream.opener(), 7); }, wire::AnswerT());
  }
  ~Client() { end(); }
  void end() {
    stream.events->on_closed("reset by peer");
    device.events->on_closed("reset by peer");
  }
  // The error of synchronize(), when the server answers that mark in this way.
  std::string synchronize(percale_code code = PERCALE_OK, const char* message = "") {
    std::string out;
    const size_t mark = stream.stream->sent();
    std::thread thread([&] { out = failure_of([&] { queue->synchronize(); }); });
    stream.stream->message(mark);
    tell_done(code, message);
    thread.join();
    return out;
  }
  void tell_done(percale_code code = PERCALE_OK, const char* message = "") {
    wire::DoneT done;
    done.code = static_cast<uint32_t>(code);
    done.message = message;
    stream.tell(std::move(done));
  }

  Played device, stream;
  const std::shared_ptr<Session> session = std::make_shared<Session>("the device", checksum());
  const std::shared_ptr<Queue> queue = std::make_shared<Queue>(session, checksum());
};

// The checksum of a stream whose session beats as soon as the stream packs a message.
Session* beating = nullptr;
uint32_t beating_checksum(const void* data, size_t bytes, uint32_t crc) {
  if (Session* const session = std::exchange(beating, nullptr)) session->beat(Clock::now(), false);
  return checksum()(data, bytes, crc);
}

// The reason for which a device is lost when this happens to a stream with a read of 10 bytes.
template <class F>
std::string loss_by(F&& f) {
  Client client;
  ByteVector to(10);
  client.queue->read(to.data(), 64, to.size());
  f(client);
  CHECK(client.session->is_lost());
  CHECK(client.stream.stream->aborts() + client.device.stream->aborts() > 0);
  return client.session->failure().what();
}

}  // namespace

TEST_CASE("a message that has changed on its way, is missing or comes twice loses the device") {
  const std::string lost = std::string("the device is lost: ") + kHarmed;
  CHECK(contains(loss_by([](Client& c) { c.stream.send(ByteVector(5)); }), lost));
  CHECK(contains(loss_by([](Client& c) { c.device.send(ByteVector(5)); }), lost));
  for (const uint32_t number : {0U, 2U}) {
    const ByteVector beat = frame_bytes(wire::BeatT(), {}, number);
    CHECK(contains(loss_by([&](Client& c) { c.stream.send(beat); }), lost));
    CHECK(contains(loss_by([&](Client& c) { c.device.send(beat); }), lost));
  }
  ByteVector data = frame_bytes(wire::DataT(), ByteVector(10), 1);
  data.back() ^= std::byte{1};
  CHECK(contains(loss_by([&](Client& c) { c.stream.send(data); }), lost));
}

TEST_CASE("a signal behind bytes that have changed on their way is reached with an error") {
  Client client;
  ByteVector to(10);
  client.queue->read(to.data(), 64, to.size());
  std::vector<percale_code> codes;
  const auto reached = [](void* event, uint64_t, percale_code code) {
    static_cast<std::vector<percale_code>*>(event)->push_back(code);
  };
  client.queue->signal(reached, &codes, 1);
  ByteVector data = frame_bytes(wire::DataT(), ByteVector(10), 1);
  data.back() ^= std::byte{1};
  client.stream.send(data);
  client.end();
  CHECK(codes == std::vector<percale_code>{PERCALE_UNAVAILABLE});
}

TEST_CASE("a heartbeat while a stream is opened does not come before its first message") {
  Client client;
  Played other;
  const auto queue = std::make_shared<Queue>(client.session, beating_checksum);
  beating = client.session.get();
  other.open([&] { queue->open(other.opener(), 7); }, wire::AnswerT());
  CHECK(beating == nullptr);
  CHECK(frame_of(other.stream->message(0)).as<wire::OpenQueue>() != nullptr);
  other.events->on_closed("reset by peer");
}

TEST_CASE("a stream says every second that this process is here, and loses a device that is silent on it") {
  Client client;
  const Clock::time_point now = Clock::now();
  const size_t before = client.stream.stream->sent();
  for (int i = 0; i < 9; ++i) client.queue->beat(now + i * std::chrono::milliseconds(250), false);
  CHECK(client.stream.stream->sent() == before + 1);  // the first one waits to be sent
  client.stream.tell(wire::BeatT());
  for (int i = 9; i < 14; ++i) client.queue->beat(now + i * std::chrono::milliseconds(250), false);
  CHECK(client.stream.stream->sent() == before + 2);
  CHECK(frame_of(client.stream.stream->message(before + 1), static_cast<uint32_t>(before + 1)).as<wire::Beat>() !=
        nullptr);
  client.queue->beat(now + std::chrono::seconds(60), true);
  client.queue->beat(now + std::chrono::seconds(70), false);
  CHECK_FALSE(client.session->is_lost());
  client.queue->beat(now + std::chrono::seconds(71), false);
  CHECK(contains(client.session->failure().what(), "nothing was heard over one of its streams for 10000 ms"));
}

TEST_CASE("a read that was skipped in its middle is dropped by the error") {
  Client client;
  ByteVector to(10), next(3);
  client.queue->read(to.data(), 64, to.size());
  client.queue->read(next.data(), 64, next.size());
  client.stream.tell(wire::DataT(), ByteVector(4));
  CHECK(client.synchronize(PERCALE_NOT_FOUND, "a reason") == "the device: a reason");
  client.queue->read(next.data(), 64, next.size());
  client.stream.tell(wire::DataT(), ByteVector(3, std::byte{5}));
  CHECK(client.synchronize().empty());
  CHECK(next == ByteVector(3, std::byte{5}));
}

TEST_CASE("messages that no command asks for lose the device") {
  const auto says = [](const std::string& reason, const char* name) {
    return contains(reason, std::string("the device is lost: it has sent the message ") + name);
  };
  CHECK(says(loss_by([](Client& c) { c.stream.tell(wire::DataT(), ByteVector(11)); }), "Data"));
  CHECK(says(loss_by([](Client& c) { c.stream.tell(wire::DataT()); }), "Data"));
  CHECK(says(loss_by([](Client& c) { c.tell_done(); }), "Done"));
  CHECK(says(loss_by([](Client& c) { c.stream.tell(wire::AllocateT()); }), "Allocate"));
  CHECK(says(loss_by([](Client& c) {
               c.queue->signal([](void*, uint64_t, percale_code) {}, nullptr, 1);
               c.tell_done();  // without the bytes of the read
             }),
             "Done"));
  wire::RefusalT refusal;
  refusal.code = PERCALE_INTERNAL;
  refusal.message = "a reason";
  CHECK(contains(loss_by([&](Client& c) { c.device.tell(refusal); }), "the device is lost: a reason"));
  CHECK(contains(loss_by([&](Client& c) {
                   c.stream.tell(refusal);
                   c.stream.events->on_closed("");
                 }),
                 "a reason"));
}

TEST_CASE("a signal is reached once, also when the stream breaks while it waits") {
  int reached = 0;
  {
    Client client;
    client.queue->signal([](void* event, uint64_t,
                            percale_code code) { *static_cast<int*>(event) += code == PERCALE_UNAVAILABLE ? 1 : 100; },
                         &reached, 1);
    client.stream.events->on_closed("reset by peer");
    CHECK(reached == 1);
    CHECK(client.session->is_lost());
    CHECK(contains(failure_of([&] { client.queue->signal(nullptr, nullptr, 2); }), "is lost: reset by peer"));
  }
  CHECK(reached == 1);
}

}  // namespace percale::remote
