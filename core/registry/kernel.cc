#include "core/registry/kernel.h"

#include <algorithm>
#include <cstring>

void percale_run_context::fail_with(int32_t status_code, std::string_view message) {
  if (said_taken.exchange(true)) return;
  said_code = status_code;
  size_t size = std::min(message.size(), sizeof said_text - 1);
  // Not in the middle of a UTF-8 sequence.
  while (size > 0 && size < message.size() && (static_cast<unsigned char>(message[size]) & 0xC0) == 0x80) --size;
  std::memcpy(said_text, message.data(), size);
  said_text[size] = 0;
  fail(percale_run_error::kSaid, 0);
}

void percale_run_context::clear_error() {
  error = 0;
  error_message = nullptr;
  said_taken = false;
  mark = failed_mark = -1;
}
