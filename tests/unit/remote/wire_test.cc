// Control messages of a group as bytes, which may change, be missing or come twice.
#include "devices/remote/group/wire.h"

#include <doctest/doctest.h>

#include <vector>

#include "devices/remote/group/sealed_stream.h"
#include "tests/unit/remote/ranks.h"

namespace percale::remote {
namespace {

// A Welcome with so many addresses, which are one and the same text in the message.
Message welcome(size_t count) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<flatbuffers::Offset<flatbuffers::String>> same(count, builder.CreateString(std::string(500, 'a')));
  const auto body = wire::CreateWelcome(builder, 7, builder.CreateVector(same));
  builder.Finish(wire::CreateControl(builder, wire::Body_Welcome, body.Union()));
  return message_of(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
}

class Kept final : public StreamEvents {
 public:
  void on_message(Message message) override { types.push_back(read_control(std::move(message)).type); }
  void on_sent() override { ++sent; }
  void on_closed(const std::string& reason) override { reasons.push_back(reason); }

  std::vector<wire::Body> types;
  int sent = 0;
  std::vector<std::string> reasons;
};

// One side of a control stream.
struct Side {
  Side() {
    sealed->attach(events, [this] { return stream; });
  }
  // The message of that number, as it goes over the network.
  template <class T>
  ByteVector say(T body) {
    tell(*sealed, std::move(body));
    return stream->message(stream->sent() - 1);
  }

  const std::shared_ptr<SealedStream> sealed = std::make_shared<SealedStream>(kChecksum);
  const std::shared_ptr<Kept> events = std::make_shared<Kept>();
  const std::shared_ptr<RecordingStream> stream = std::make_shared<RecordingStream>();
};

wire::HelloT hello(uint32_t protocol) {
  wire::HelloT out;
  out.protocol = protocol;
  return out;
}

}  // namespace

TEST_CASE("a message that would unpack to more bytes than it has is none") {
  CHECK(read_control(welcome(1)).AsWelcome() != nullptr);
  CHECK(read_control(welcome(100)).AsWelcome() == nullptr);
}

TEST_CASE("messages arrive as they were sent, and so do the other events") {
  Side a, b;
  b.sealed->on_message(message_of(a.say(hello(kProtocol))));
  b.sealed->on_message(message_of(a.say(wire::BeatT())));
  b.sealed->on_message(message_of(a.say(wire::LeaveT())));
  CHECK(b.events->types == std::vector<wire::Body>{wire::Body_Hello, wire::Body_Beat, wire::Body_Leave});
  b.sealed->on_sent();
  b.sealed->on_closed("reset");
  CHECK(b.events->sent == 1);
  CHECK(b.events->reasons == std::vector<std::string>{"reset"});
  CHECK(b.stream->aborts() == 0);
}

TEST_CASE("a message that has changed in any bit ends the stream") {
  const ByteVector good = Side().say(wire::BeatT());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    ByteVector changed = good;
    changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    Side side;
    side.sealed->on_message(message_of(changed));
    CHECK(side.stream->aborts() == 1);
    CHECK(side.events->types.empty());
  }
  for (size_t size = 0; size < good.size(); ++size) {
    Side side;
    side.sealed->on_message(message_of(std::span(good).first(size)));
    CHECK(side.stream->aborts() == 1);
  }
}

TEST_CASE("a message that is missing or comes twice ends the stream") {
  for (const bool twice : {true, false}) {
    Side a, b;
    const ByteVector first = a.say(wire::BeatT()), second = a.say(wire::BeatT()), third = a.say(wire::BeatT());
    b.sealed->on_message(message_of(first));
    b.sealed->on_message(message_of(twice ? first : third));
    CHECK(b.events->types.size() == 1);
    CHECK(b.stream->aborts() == 1);
  }
}

TEST_CASE("another version, which has no checksum, is still understood when it joins or refuses") {
  RecordingStream plain;
  tell(plain, hello(kProtocol + 1));
  tell(plain, wire::RefusalT());
  tell(plain, hello(kProtocol));
  Side side;
  side.sealed->on_message(message_of(plain.message(0)));
  side.sealed->on_message(message_of(plain.message(1)));
  CHECK(side.events->types == std::vector<wire::Body>{wire::Body_Hello, wire::Body_Refusal});
  CHECK(side.stream->aborts() == 0);
  side.sealed->on_message(message_of(plain.message(2)));
  CHECK(side.stream->aborts() == 1);
}

}  // namespace percale::remote
