#include "core/checkpoint/npy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/file/file.h"
#include "core/registry/attributes.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

Result<Tensor> parse(const std::string& file) {
  const auto size = static_cast<int64_t>(file.size());
  return parse_npy(Tensor::copy_of(DType::kU8, Shape{size}, file.data(), size).buffer());
}

std::string npy(std::string_view dictionary, std::string_view elements, char version = 1) {
  std::string header(dictionary);
  const size_t used = 8 + (version == 1 ? 2 : 4);
  while ((used + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY");
  out += version;
  out += '\0';
  for (size_t i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(header.size() >> (8 * i) & 255);
  return out + header + std::string(elements);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> values_of(const Tensor& t) {
  REQUIRE(t.dtype() == dtype_of<T>);
  return {t.span<T>().begin(), t.span<T>().end()};
}

TEST_CASE("the header is the one that NumPy writes") {
  const std::string header = *npy_header(Tensor::of<float>(Shape{2, 3}, std::vector<float>(6)));
  CHECK(header.size() == 128);
  CHECK(header.substr(0, 10) == std::string("\x93NUMPY\1\0\x76\0", 10));
  CHECK(header.substr(10).starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  "));
  CHECK(header.back() == '\n');
  CHECK(npy_header(Tensor::scalar<int8_t>(1))->find("'descr': '|i1', 'fortran_order': False, 'shape': (), }") !=
        std::string::npos);
  CHECK(npy_header(Tensor::of<bool>(Shape{0}, {}))->find("'descr': '|b1', 'fortran_order': False, 'shape': (0,), }") !=
        std::string::npos);
}

TEST_CASE("every dtype and rank is written and read back, mapped in place") {
  const TempFolder folder;
  const std::string noise(8 * 24 * 2, '\1');
  for (DType dtype :
       {DType::kBool, DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32, DType::kU32, DType::kI64,
        DType::kU64, DType::kF16, DType::kF32, DType::kF64, DType::kComplex64, DType::kComplex128}) {
    for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3}, Shape{0, 3}, Shape{1, 2, 1, 3, 1, 2, 1, 2}}) {
      CAPTURE(dtype_name(dtype));
      CAPTURE(shape.to_string());
      const Tensor t = Tensor::copy_of(dtype, shape, noise.data(), *byte_size(dtype, shape));
      REQUIRE(write_npy(folder / "t.npy", t).ok());
      const auto read = read_npy(folder / "t.npy");
      REQUIRE(read.ok());
      CHECK(AttrValue(*read) == AttrValue(t));
      CHECK(reinterpret_cast<uintptr_t>(read->data()) % 64 == 0);
    }
  }
}

TEST_CASE("Fortran order is turned into C order, for any rank") {
  // Element [i,j] of a 2x3 matrix is 10 i + j.
  const auto t = parse(npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }",
                           bytes_of(std::vector<int32_t>{0, 10, 1, 11, 2, 12})));
  REQUIRE(t.ok());
  CHECK(values_of<int32_t>(*t) == std::vector<int32_t>{0, 1, 2, 10, 11, 12});
  std::vector<int16_t> fortran, c;
  for (int16_t k = 0; k < 4; ++k) {
    for (int16_t j = 0; j < 3; ++j) {
      for (int16_t i = 0; i < 2; ++i) fortran.push_back(static_cast<int16_t>(100 * i + 10 * j + k));
    }
  }
  for (int16_t i = 0; i < 2; ++i) {
    for (int16_t j = 0; j < 3; ++j) {
      for (int16_t k = 0; k < 4; ++k) c.push_back(static_cast<int16_t>(100 * i + 10 * j + k));
    }
  }
  const auto cube = parse(npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4)}", bytes_of(fortran)));
  REQUIRE(cube.ok());
  CHECK(values_of<int16_t>(*cube) == c);
}

TEST_CASE("big-endian elements are turned round, each half of a complex number by itself") {
  const auto t = parse(npy("{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", std::string("\1\2\0\5", 4)));
  REQUIRE(t.ok());
  CHECK(values_of<uint16_t>(*t) == std::vector<uint16_t>{0x0102, 5});
  std::string swapped = bytes_of(std::vector<float>{1.5F, -2.0F});
  for (size_t i : {0, 4})
    std::reverse(swapped.begin() + static_cast<long>(i), swapped.begin() + static_cast<long>(i) + 4);
  const auto z = parse(npy("{'descr': '>c8', 'fortran_order': False, 'shape': ()}", swapped));
  REQUIRE(z.ok());
  CHECK(z->dtype() == DType::kComplex64);
  CHECK(static_cast<const float*>(z->data())[0] == 1.5F);
  CHECK(static_cast<const float*>(z->data())[1] == -2.0F);
}

TEST_CASE("versions 2 and 3, keys in any order, double quotes and Python 2's long integers are read") {
  const std::string elements = bytes_of(std::vector<int64_t>{1, 2});
  for (char version : {1, 2, 3}) {
    const auto t = parse(npy("{\"shape\": (2L,), 'fortran_order': False, 'descr': '<i8'}", elements, version));
    REQUIRE(t.ok());
    CHECK(values_of<int64_t>(*t) == std::vector<int64_t>{1, 2});
  }
  CHECK(parse(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", elements, 4)).status().code() ==
        Code::kUnimplemented);
}

TEST_CASE("what is no .npy file, or not all of one, is refused") {
  const std::string good = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", std::string(16, '\0'));
  REQUIRE(parse(good).ok());
  for (size_t size = 0; size < good.size(); ++size) CHECK_FALSE(parse(good.substr(0, size)).ok());
  CHECK_FALSE(parse(good + "x").ok());
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 2}", "{'descr': '<f8', 'fortran_order': False, 'shape': (2}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (a,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 1099511627776)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", "{'descr: '<f8'}"}) {
    CAPTURE(header);
    CHECK_FALSE(parse(npy(header, std::string(16, '\0'))).ok());
  }
  for (const char* type : {"", "<", "|O", "<U3", "|S2", "<M8[ns]", "<f16", "|f4", "!f4", "|V2", "x"}) {
    CAPTURE(type);
    const auto t = parse(npy(str_cat("{'descr': '", type, "', 'fortran_order': False, 'shape': (0,)}"), ""));
    CHECK(t.status().code() == Code::kUnimplemented);
  }
  CHECK(parse(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,)}", "")).status().code() ==
        Code::kUnimplemented);
  CHECK_FALSE(parse(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\1\2")).ok());
}

TEST_CASE("changed headers end in a tensor or an error") {
  const std::string good = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", std::string(24, '\0'));
  uint32_t random = 7;
  for (int round = 0; round < 20000; ++round) {
    std::string changed = good;
    for (int i = 0; i < 3; ++i) {
      random = random * 1664525 + 1013904223;
      const size_t at = (random >> 16) % 75;
      random = random * 1664525 + 1013904223;
      changed[at] = (random & 256) != 0 ? good[(random >> 16) % 75] : static_cast<char>(random >> 24);
    }
    static_cast<void>(parse(changed));
  }
}

TEST_CASE("dtypes that NumPy lacks are not written") {
  const uint16_t bits[] = {0x3F80};
  CHECK(npy_header(Tensor::copy_of(DType::kBF16, Shape{1}, bits, 2)).status().code() == Code::kUnimplemented);
}

}  // namespace
}  // namespace percale
