// Tests the texts of oneDNN's memory descriptors.
#include "devices/onednn/support/format.h"

#include <doctest/doctest.h>

namespace percale::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

TEST_CASE("a format comes back from its text") {
  for (const Tag tag : {Tag::nChw16c, Tag::nhwc, Tag::OIhw4i16o4i}) {
    const Format format{{{1, 20, 3, 1}, DataType::f32, tag}, row_major({1, 20, 3, 1}, DataType::f32)};
    const Format back = decode(encode(format).c_str());
    CHECK(back.in_format == format.in_format);
    CHECK(back.in_format.get_strides() == format.in_format.get_strides());
    CHECK(back.in_format.get_size() == format.in_format.get_size());
    CHECK(back.row_major == format.row_major);
  }
}

TEST_CASE("equal descriptors have equal texts, whatever the bytes that do not belong to them") {
  MemoryDesc desc({1, 20, 3, 1}, DataType::f32, Tag::nChw16c);
  const std::string text = encode({desc, desc});
  const std::vector<uint8_t> blob = desc.get_blob();
  int unused = 0;
  for (size_t i = 0; i < blob.size(); ++i) {
    std::vector<uint8_t> changed = blob;
    changed[i] ^= 0x5A;
    const MemoryDesc other(changed);
    if (!(other == desc) || other.get_strides() != desc.get_strides()) continue;
    CAPTURE(i);
    CHECK(encode({other, desc}) == text);
    ++unused;
  }
  CHECK(unused > 0);
}

}  // namespace
}  // namespace percale::onednn
