#include "core/base/status.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <new>

#include "core/base/number_text.h"

namespace percale {

std::string_view code_name(Code code) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  const auto index = static_cast<size_t>(code);
  return index < kNames.size() ? kNames[index] : kNames[2];
}

struct Status::Rep {
  std::atomic<size_t> holders;
  Code code;
  std::string message;
};

Status::Status(Code code, std::string message) {
  if (code != Code::kOk) rep_ = new Rep{1, code, std::move(message)};
}

void Status::retain(Rep* rep) noexcept { rep->holders.fetch_add(1, std::memory_order_relaxed); }

void Status::release(Rep* rep) noexcept {
  if (rep->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete rep;
}

Status Status::out_of_memory() noexcept {
  // Never destroyed, because a thread may hold it when the process ends; the static variable holds
  // one reference itself. The text fits into the string's inline storage.
  alignas(Rep) static std::byte room[sizeof(Rep)];
  static Rep* const rep = new (room) Rep{1, Code::kResourceExhausted, "out of memory"};
  retain(rep);
  Status out;
  out.rep_ = rep;
  return out;
}

Code Status::code() const { return rep_ != nullptr ? rep_->code : Code::kOk; }

std::string_view Status::message() const {
  return rep_ != nullptr ? std::string_view(rep_->message) : std::string_view();
}

std::string Status::to_string() const {
  if (ok()) return "OK";
  return str_cat(code_name(code()), ": ", message());
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  return Status(code(), str_cat(context, ": ", message()));
}

void StrPart::append_to(std::string& out) const {
  std::array<char, 32> digits{};
  switch (kind_) {
    case Kind::kText: out.append(text_, size_); return;
    case Kind::kChar: out.push_back(static_cast<char>(int_)); return;
    case Kind::kInt: out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), int_).ptr); return;
    case Kind::kUint: out.append(digits.data(), std::to_chars(digits.begin(), digits.end(), uint_).ptr); return;
    case Kind::kDouble: out.append(general_text(double_, 9)); return;
  }
}

std::string str_join(std::initializer_list<StrPart> parts) {
  std::string out;
  for (const StrPart& part : parts) part.append_to(out);
  return out;
}

Status make_error(Code code, std::initializer_list<StrPart> parts) { return Status(code, str_join(parts)); }

}  // namespace percale
