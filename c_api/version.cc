#include "c_api/include/percale.h"
#include "core/base/version_number.h"

namespace {

// Reads the number that starts at `text` and leaves `text` behind the dot that ends it.
constexpr uint32_t take_number(const char*& text) {
  uint32_t value = 0;
  while (*text >= '0' && *text <= '9') value = value * 10 + static_cast<uint32_t>(*text++ - '0');
  if (*text == '.') ++text;
  return value;
}

constexpr uint32_t abi_version(const char* text) {
  const uint32_t major = take_number(text);
  return major * 1000 + take_number(text);
}

}  // namespace

const char* percale_version(void) { return PERCALE_VERSION_STRING; }

uint32_t percale_abi_version(void) { return abi_version(PERCALE_VERSION_STRING); }
