#include "core/text/option.h"

#include <doctest/doctest.h>

namespace percale {
namespace {

const OptionSpec kThreads = {
    .key = "threads", .type = OptionType::kInt, .fallback = "0", .doc = "", .min = 0, .max = 8};
const OptionSpec kEpochs = {.key = "epochs", .type = OptionType::kInt, .fallback = "1", .doc = "", .min = 1};

std::string message(const OptionSpec& option, std::string_view text) {
  const auto checked = checked_option(option, text);
  return checked.ok() ? "stored as " + *checked : std::string(checked.status().message());
}

}  // namespace

TEST_CASE("a number lies in its range, and the message names the range") {
  CHECK(message(kThreads, "8") == "stored as 8");
  CHECK(message(kThreads, "9") == "option 'threads': 9, wanted 0 to 8");
  CHECK(message(kThreads, "2.5") == "option 'threads': '2.5' is no integer");
  CHECK(message(kEpochs, "0") == "option 'epochs': 0, wanted at least 1");
  OptionSpec many = kEpochs;
  many.max = 1099511627776;
  CHECK(message(many, "0") == "option 'epochs': 0, wanted 1 to 1099511627776");
  CHECK(checked_option(kThreads, "9").status().code() == Code::kOutOfRange);
  CHECK(checked_option(kThreads, "two").status().code() == Code::kInvalidArgument);
  const OptionSpec rate = {.key = "ema", .type = OptionType::kFloat, .fallback = "0", .doc = "", .min = 0, .max = 0.5};
  CHECK(message(rate, "0.25") == "stored as 0.25");
  CHECK(message(rate, "0.75") == "option 'ema': 0.75, wanted 0 to 0.5");
  CHECK(message(rate, "much") == "option 'ema': 'much' is no number");
  CHECK(checked_option(rate, "nan").status().code() == Code::kOutOfRange);
}

TEST_CASE("sizes, switches and choices have one stored form each") {
  const OptionSpec limit = {.key = "limit", .type = OptionType::kBytes, .fallback = "0", .doc = "", .min = 0};
  CHECK(message(limit, "2kB") == "stored as 2000");
  CHECK(message(limit, "2XB").starts_with("option 'limit': "));
  const OptionSpec map = {.key = "map", .type = OptionType::kSwitch, .fallback = "on", .doc = ""};
  for (const char* on : {"on", "1", "true"}) CHECK(message(map, on) == "stored as on");
  for (const char* off : {"off", "0", "false"}) CHECK(message(map, off) == "stored as off");
  CHECK(message(map, "maybe") == "option 'map': 'maybe', wanted on or off");
  const OptionSpec isa = {
      .key = "isa", .type = OptionType::kChoice, .fallback = "auto", .doc = "", .choices = "auto|sse4"};
  CHECK(message(isa, "sse4") == "stored as sse4");
  CHECK(message(isa, "sse") == "option 'isa': 'sse', wanted one of auto|sse4");
}

TEST_CASE("a text may have a condition of its own") {
  const OptionSpec mode = {.key = "mode",
                           .type = OptionType::kText,
                           .fallback = "",
                           .doc = "",
                           .check = [](std::string_view text) -> Status {
                             return text == "sync" ? Status() : invalid_argument("no mode '", text, "'");
                           }};
  CHECK(message(mode, "sync") == "stored as sync");
  CHECK(message(mode, "sink") == "no mode 'sink'");
}

}  // namespace percale
