#include "core/train/report/event_file.h"

#include <doctest/doctest.h>

namespace percale {
namespace {

// Written by event_file_reference.py.
constexpr const char* kWanted =
    "1800000000000000a37f4b22090000000000448f401a0d627261696e2e4576656e743a32aba33345300000000000000095f5"
    "d05f090000000000488f4010012a230a0b0a046c6f737315000020400a140a0d6c6561726e696e675f72617465150ad7233c"
    "e7d22533420000000000000079f36eaa090000000000548f4010ac022a340a0b0a046c6f737315000080bf0a140a0d6c6561"
    "726e696e675f72617465150ad7a33b0a0f0a086163637572616379150000403f8edb2b8f";

std::string hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

}  // namespace

TEST_CASE("a history as an event file has the bytes that the formats prescribe") {
  History history;
  history.metric_names = {"accuracy"};
  history.rows = {{1, 1, 2.5, 0.01, 0.5, {}}, {1, 300, -1, 0.005, 2, {0.75}}};
  CHECK(hex(event_file(history, 1000.5)) == kWanted);
}

TEST_CASE("what was written of a shorter history stays as it is when it grows") {
  History history;
  history.rows = {{1, 1, 2.5, 0.01, 0.5, {}}};
  const std::string before = event_file(history, 7);
  history.rows.push_back({1, 2, 2, 0.01, 0.75, {}});
  const std::string after = event_file(history, 7);
  CHECK(after.size() > before.size());
  CHECK(after.starts_with(before));
}

}  // namespace percale
