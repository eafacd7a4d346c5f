// Control messages of a group as bytes.
#include "devices/remote/group/wire.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/unit/remote/fake_link.h"

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

}  // namespace

TEST_CASE("a message that would unpack to more bytes than it has is none") {
  CHECK(read_control(welcome(1)).AsWelcome() != nullptr);
  CHECK(read_control(welcome(100)).AsWelcome() == nullptr);
}

}  // namespace percale::remote
