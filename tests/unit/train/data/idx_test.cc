#include "core/train/data/idx.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "core/train/data/data_files.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

std::string header(unsigned char type, const std::vector<uint32_t>& dims) {
  std::string out = {'\0', '\0', static_cast<char>(type), static_cast<char>(dims.size())};
  for (uint32_t d : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(d >> shift);
  }
  return out;
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(compressBound(bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

const auto kPool = std::make_shared<MemoryPool>(int64_t{1} << 20);

}  // namespace

TEST_CASE("an IDX file of bytes becomes a u8 tensor, plain or compressed") {
  const std::string bytes = header(0x08, {2, 3}) + "abcdef";
  for (const std::string& file : {bytes, gzip(bytes)}) {
    const auto t = parse_idx(file, kPool);
    REQUIRE_MESSAGE(t.ok(), t.status().to_string());
    CHECK(t->dtype() == DType::kU8);
    CHECK(t->shape() == Shape{2, 3});
    CHECK(t->span<uint8_t>()[5] == 'f');
  }
}

TEST_CASE("a file of rows without numbers is refused, however many there are") {
  const TempFolder folder;
  const std::string path = folder / "rows.idx";
  for (const std::vector<uint32_t>& dims : {std::vector<uint32_t>{4000000000, 0}, {3, 2, 0}}) {
    REQUIRE(write_file(path, header(0x08, dims)).ok());
    const auto t = load_tensor_file(path, "x", kPool);
    CHECK(t.status().code() == Code::kInvalidArgument);
    CHECK(t.status().message().find("has rows without elements") != std::string::npos);
  }
  REQUIRE(write_file(path, header(0x08, {0, 3})).ok());
  CHECK(load_tensor_file(path, "x", kPool).ok());
}

TEST_CASE("a format that is not supported says what to convert the file to") {
  CHECK(load_tensor_file("rows.parquet", "x", kPool).status().message() ==
        "'rows.parquet': data sets of this format are not supported; convert it to .npz, .safetensors or .csv");
}

TEST_CASE("wider IDX elements are big-endian") {
  const auto t = parse_idx(header(0x0C, {2}) + std::string("\0\0\1\2\xff\xff\xff\xfe", 8), kPool);
  REQUIRE(t.ok());
  CHECK(t->span<int32_t>()[0] == 258);
  CHECK(t->span<int32_t>()[1] == -2);
  const auto d = parse_idx(header(0x0D, {1}) + std::string("\x3f\x80\0\0", 4), kPool);
  REQUIRE(d.ok());
  CHECK(d->span<float>()[0] == 1.0F);
}

TEST_CASE("a size that the bytes do not have is refused before memory is asked for") {
  const int64_t before = kPool->peak();
  for (const auto& dims : {std::vector<uint32_t>{3, 3}, {1}, {0xffffffff, 0xffffffff, 0xffffffff}, {1U << 30}}) {
    const std::string bytes = header(0x08, dims) + "abcdef";
    CHECK(parse_idx(bytes, kPool).status().code() == Code::kInvalidArgument);
  }
  CHECK(kPool->peak() == before);
  CHECK(parse_idx(gzip(header(0x08, {1U << 30}) + "abcdef"), kPool).status().code() == Code::kInvalidArgument);
  CHECK(kPool->peak() == before);
}

TEST_CASE("what is no IDX file says what is wrong") {
  CHECK(parse_idx("", kPool).status().code() == Code::kInvalidArgument);
  CHECK(parse_idx(header(0x07, {1}) + "a", kPool).status().message() == "IDX: unknown element type 7");
  CHECK(parse_idx(header(0x08, {}) + "a", kPool).status().message() == "IDX: rank 0, wanted 1 to 8");
  CHECK(parse_idx(header(0x08, {9, 9}).substr(0, 9), kPool).status().message() == "IDX: the header is truncated");
}

TEST_CASE("compressed data that is cut, damaged or followed by something is refused") {
  const std::string good = gzip(header(0x08, {6}) + "abcdef");
  CHECK(parse_idx(good.substr(0, good.size() - 6), kPool).status().code() == Code::kDataLoss);
  std::string flipped = good;
  flipped[flipped.size() - 7] = static_cast<char>(flipped[flipped.size() - 7] ^ 1);
  CHECK(parse_idx(flipped, kPool).status().code() == Code::kDataLoss);
  CHECK(parse_idx(good + "x", kPool).status().code() == Code::kInvalidArgument);
  CHECK(parse_idx(gzip(header(0x08, {5}) + "abcdef"), kPool).status().code() == Code::kInvalidArgument);
}

}  // namespace percale
