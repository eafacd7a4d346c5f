#include "core/base/status.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <new>

namespace percale {

std::string_view code_name(Code code) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "OK",         "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED", "NOT_FOUND",
      "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
      "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL",         "UNAVAILABLE",        "DATA_LOSS",         "UNAUTHENTICATED"};
  const auto index = static_cast<size_t>(code);
  return index < kNames.size() ? kNames[index] : kNames[2];
}

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) rep_ = std::make_shared<const Rep>(Rep{code, std::move(message)});
}

Status Status::out_of_memory() noexcept {
  // Never destroyed: a thread may hold it when the process ends. The text is short enough to lie within the string.
  alignas(Rep) static std::byte room[sizeof(Rep)];
  static const Rep* const rep = new (room) Rep{Code::kResourceExhausted, "out of memory"};
  Status out;
  out.rep_ = std::shared_ptr<const Rep>(std::shared_ptr<const Rep>(), rep);
  return out;
}

std::string Status::to_string() const {
  if (ok()) return "OK";
  return str_cat(code_name(code()), ": ", message());
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return Status(code(), str_cat(context, ": ", message()));
}

std::string str_part(std::string_view text) { return std::string(text); }
std::string str_part(const char* text) { return text; }
std::string str_part(int64_t number) { return std::to_string(number); }
std::string str_part(int32_t number) { return std::to_string(number); }
std::string str_part(uint64_t number) { return std::to_string(number); }
std::string str_part(uint32_t number) { return std::to_string(number); }
std::string str_part(bool value) { return value ? "true" : "false"; }
std::string str_part(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", number);
  return text.data();
}

}  // namespace percale
