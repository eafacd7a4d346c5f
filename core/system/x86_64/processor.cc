#include "core/system/processor.h"

#include <cpuid.h>
#include <immintrin.h>

#include <cstring>

namespace percale::os {

void pause_processor() { _mm_pause(); }

uint32_t set_float_mode() {
  const uint32_t saved = _mm_getcsr();
  _mm_setcsr(0x1F80);
  return saved;
}

void restore_float_mode(uint32_t saved) { _mm_setcsr(saved); }

// Reads the brand string from CPUID leaves 0x80000002 to 0x80000004: 48 characters, padded with
// blanks or NUL.
std::string processor_name() {
  uint32_t words[12] = {};
  if (__get_cpuid_max(0x80000000U, nullptr) < 0x80000004U) return {};
  for (uint32_t leaf = 0; leaf < 3; ++leaf) {
    uint32_t* w = words + 4 * leaf;
    __get_cpuid(0x80000002U + leaf, w, w + 1, w + 2, w + 3);
  }
  char text[sizeof words + 1] = {};
  std::memcpy(text, words, sizeof words);
  std::string name(text);
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

}  // namespace percale::os
