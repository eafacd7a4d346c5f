#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "core/file/crc32c.h"
#include "core/file/sha256.h"

namespace percale {
namespace {

std::vector<unsigned char> noise(size_t bytes) {
  std::vector<unsigned char> out(bytes);
  uint32_t state = 1;
  for (auto& b : out) {
    state = state * 1664525 + 1013904223;
    b = static_cast<unsigned char>(state >> 24);
  }
  return out;
}

TEST_CASE("CRC-32C gives the values of RFC 3720") {
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc32c("") == 0);
  const std::array<unsigned char, 32> zeros{};
  CHECK(crc32c(zeros.data(), 32) == 0x8A9136AA);
  std::array<unsigned char, 32> ones;
  ones.fill(0xFF);
  CHECK(crc32c(ones.data(), 32) == 0x62A8AB43);
}

TEST_CASE("the processor's CRC-32C and the tables agree for every length, offset and cut") {
  const auto bytes = noise(40000);
  for (size_t size : {0, 1, 7, 8, 9, 63, 64, 65, 2047, 2048, 6143, 6144, 6145, 12288, 12301, 39990}) {
    for (size_t offset = 0; offset < 9; ++offset) {
      CHECK(crc32c(bytes.data() + offset, size) == crc32c_portable(bytes.data() + offset, size));
    }
  }
  const uint32_t whole = crc32c(bytes.data(), bytes.size());
  for (size_t cut : {size_t{1}, size_t{100}, size_t{6144}, size_t{39999}}) {
    CHECK(crc32c(bytes.data() + cut, bytes.size() - cut, crc32c(bytes.data(), cut)) == whole);
  }
}

TEST_CASE("SHA-256 gives the values of FIPS 180-4 and of the NIST examples") {
  CHECK(Sha256().hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256().update("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256().update("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Sha256().update(std::string(1000000, 'a')).hex() ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the message is cut, and its object may go on") {
  const auto bytes = noise(300);
  const auto* data = bytes.data();
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Sha256 pieces;
    pieces.update(data, cut);
    static_cast<void>(pieces.digest());
    pieces.update(data + cut, bytes.size() - cut);
    CHECK(pieces.digest() == Sha256().update(data, bytes.size()).digest());
  }
}

}  // namespace
}  // namespace percale
