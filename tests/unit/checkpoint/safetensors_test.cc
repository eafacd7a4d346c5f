#include "core/checkpoint/safetensors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "core/file/file.h"
#include "core/registry/attributes.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

// Returns a file with this header and `data_bytes` data bytes that count up.
std::shared_ptr<Buffer> file_of(const std::string& header, size_t data_bytes) {
  std::string file;
  for (size_t i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 255);
  file += header;
  for (size_t i = 0; i < data_bytes; ++i) file += static_cast<char>(i);
  const auto size = static_cast<int64_t>(file.size());
  return Tensor::copy_of(DType::kU8, Shape{size}, file.data(), size).buffer();
}

Status status_of(const std::string& header, size_t data_bytes) {
  return Safetensors::parse(file_of(header, data_bytes)).status();
}

std::vector<NamedTensor> sample() {
  std::vector<float> big(64);
  for (size_t i = 0; i < big.size(); ++i) big[i] = static_cast<float>(i) / 4;
  const uint16_t half[] = {0x3C00, 0xC000, 1};
  return {{"z/kernel", Tensor::of<float>(Shape{8, 8}, big)},
          {"bias", Tensor::of<double>(Shape{3}, std::vector<double>{1, -0.0, 3})},
          {"half \"quoted\"", Tensor::copy_of(DType::kF16, Shape{3}, half, 6)},
          {"step", Tensor::scalar<int64_t>(-7)},
          {"empty", Tensor::of<int32_t>(Shape{0, 3}, {})},
          {"mask", Tensor::of<bool>(Shape{2}, std::span<const bool>(std::initializer_list<bool>{true, false}))}};
}

TEST_CASE("what is written is read back, whatever the order it was given in, to the byte") {
  const TempFolder folder;
  auto tensors = sample();
  REQUIRE(write_safetensors(folder / "a", tensors, {{"format", "pt"}}).ok());
  std::reverse(tensors.begin(), tensors.end());
  REQUIRE(write_safetensors(folder / "b", tensors, {{"format", "pt"}}).ok());
  CHECK(*read_file(folder / "a") == *read_file(folder / "b"));
  const auto file = Safetensors::open(folder / "a");
  REQUIRE(file.ok());
  CHECK(file.value()->entries().size() == tensors.size());
  CHECK(file.value()->metadata().at("format") == "pt");
  for (const auto& [name, tensor] : tensors) {
    CAPTURE(name);
    const auto read = file.value()->tensor(name);
    REQUIRE(read.ok());
    CHECK(AttrValue(*read) == AttrValue(tensor));
    CHECK(reinterpret_cast<uintptr_t>(read->data()) % 64 == 0);
  }
}

TEST_CASE("tensors of whole 64-byte blocks are mapped, not copied") {
  const TempFolder folder;
  REQUIRE(write_safetensors(folder / "a", sample()).ok());
  const auto file = Safetensors::open(folder / "a");
  REQUIRE(file.ok());
  const auto once = file.value()->tensor("z/kernel"), again = file.value()->tensor("z/kernel");
  CHECK(once->data() == again->data());
  CHECK(file.value()->entries()[0].offset % 64 == 0);
}

TEST_CASE("a file of the reference implementation is read: members in any order, a padded header") {
  const auto file = Safetensors::parse(file_of(
      R"({"__metadata__":{"a":"b"},"t":{"shape":[2,2],"data_offsets":[2,10],"dtype":"BF16"},"s":{"dtype":"U8","shape":[2],)"
      R"("data_offsets":[0,2]}}  )",
      10));
  REQUIRE(file.ok());
  const auto t = file.value()->tensor("t");
  REQUIRE(t.ok());
  CHECK(t->dtype() == DType::kBF16);
  CHECK(t->shape() == Shape{2, 2});
  CHECK(static_cast<const unsigned char*>(t->data())[0] == 2);
  CHECK(file.value()->tensor("u").status().code() == Code::kNotFound);
}

TEST_CASE("an empty file is no safetensors file, one without tensors is") {
  CHECK(Safetensors::parse(Tensor::of<uint8_t>(Shape{0}, {}).buffer()).status().code() == Code::kDataLoss);
  CHECK(status_of("{}", 0).ok());
}

TEST_CASE("headers that do not fit the bytes, the dtypes or each other are refused") {
  const auto one = [](const char* dtype, const char* shape, const char* offsets) {
    return str_cat(R"({"t":{"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":)", offsets, "}}");
  };
  CHECK(status_of(one("F32", "[2]", "[0,8]"), 8).ok());
  const std::pair<const char*, const char*> bad[] = {{"[2]", "[0,9]"},
                                                     {"[2]", "[0,4]"},
                                                     {"[2]", "[8,16]"},
                                                     {"[2]", "[4,12]"},
                                                     {"[2]", "[8,0]"},
                                                     {"[2]", "[-8,0]"},
                                                     {"[2]", "[0]"},
                                                     {"[2]", "[0,8,8]"},
                                                     {"[2]", "[0.0,8]"},
                                                     {"[2]", "[0,1e1]"},
                                                     {"[-2]", "[0,8]"},
                                                     {"[2.0]", "[0,8]"},
                                                     {"2", "[0,8]"},
                                                     {"[2]", "8"},
                                                     {"[3]", "[0,8]"},
                                                     {"[2]", "[0,18446744073709551624]"},
                                                     {"[1099511627777]", "[0,8]"},
                                                     {"[1099511627776,1099511627776]", "[0,8]"},
                                                     {"[4611686018427387904,2]", "[0,8]"},
                                                     {"[1,1,1,1,1,1,1,1,2]", "[0,8]"}};
  for (const auto& [shape, offsets] : bad) {
    CAPTURE(shape);
    CAPTURE(offsets);
    CHECK_FALSE(status_of(one("F32", shape, offsets), 8).ok());
  }
  CHECK(status_of(one("F33", "[2]", "[0,8]"), 8).code() == Code::kUnimplemented);
  CHECK_FALSE(status_of(one("F32", "[2]", "[0,8]"), 12).ok());
  CHECK_FALSE(status_of(one("F32", "[2]", "[0,8]"), 4).ok());
  CHECK_FALSE(status_of(R"({"t":{"dtype":"F32","shape":[2]}})", 8).ok());
  CHECK_FALSE(status_of(R"({"t":[]})", 0).ok());
  CHECK_FALSE(status_of(R"({"__metadata__":{"a":1}})", 0).ok());
  CHECK_FALSE(status_of("[]", 0).ok());
  CHECK_FALSE(status_of("{", 0).ok());
  // An overlap, a gap, and a duplicate name.
  CHECK_FALSE(
      status_of(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
          6)
          .ok());
  CHECK_FALSE(
      status_of(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[5,7]}})",
          7)
          .ok());
  CHECK_FALSE(
      status_of(
          R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})",
          4)
          .ok());
}

TEST_CASE("a header length beyond the file or beyond reason is refused before anything is read") {
  for (uint64_t length : {uint64_t{3}, uint64_t{100000001}, uint64_t{1} << 63, UINT64_MAX}) {
    char file[10] = {};
    std::memcpy(file, &length, 8);
    file[8] = '{';
    file[9] = '}';
    CHECK_FALSE(Safetensors::parse(Tensor::copy_of(DType::kU8, Shape{10}, file, 10).buffer()).ok());
  }
}

TEST_CASE("a file cut short at any byte is refused, and none of its changed header bytes crashes") {
  const TempFolder folder;
  REQUIRE(write_safetensors(folder / "a", sample()).ok());
  const std::string bytes = *read_file(folder / "a");
  const auto parse = [](const std::string& text) {
    const auto size = static_cast<int64_t>(text.size());
    return Safetensors::parse(Tensor::copy_of(DType::kU8, Shape{size}, text.data(), size).buffer());
  };
  for (size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(parse(bytes.substr(0, size)).ok());
  uint32_t random = 1;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    random = random * 1664525 + 1013904223;
    changed[at] = static_cast<char>(random >> 24);
    const auto file = parse(changed);
    if (!file.ok()) continue;
    for (const auto& entry : file.value()->entries()) static_cast<void>(file.value()->tensor(entry.name));
  }
}

TEST_CASE("a bool that is neither 0 nor 1 is refused when its tensor is asked for") {
  const auto file = Safetensors::parse(file_of(R"({"m":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})", 3));
  REQUIRE(file.ok());
  CHECK(file.value()->tensor("m").status().code() == Code::kInvalidArgument);
}

TEST_CASE("names that stand twice or are not possible, and dtypes that the format lacks, are refused") {
  const Tensor one = Tensor::scalar(1.0F);
  const NamedTensor twice[] = {{"a", one}, {"a", one}};
  CHECK(make_safetensors_image(twice).status().code() == Code::kInvalidArgument);
  const NamedTensor nameless[] = {{"", one}};
  CHECK_FALSE(make_safetensors_image(nameless).ok());
  const NamedTensor reserved[] = {{"__metadata__", one}};
  CHECK_FALSE(make_safetensors_image(reserved).ok());
  const unsigned char packed[] = {0x21};
  const NamedTensor packed_tensor[] = {{"p", Tensor::copy_of(DType::kI4, Shape{2}, packed, 1)}};
  CHECK(make_safetensors_image(packed_tensor).status().code() == Code::kUnimplemented);
}

}  // namespace
}  // namespace percale
