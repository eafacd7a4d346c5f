// UTF-8 (RFC 3629).
#ifndef PERCALE_CORE_TEXT_UTF8_H_
#define PERCALE_CORE_TEXT_UTF8_H_

#include <cstddef>
#include <string_view>

namespace percale {

// Bytes of the sequence at the front of `text`, 0 where there is none: shortest form, no surrogates.
size_t utf8_length(std::string_view text);
// Whether all of the text is UTF-8.
bool is_utf8(std::string_view text);

// What stands for bytes that are no UTF-8: U+FFFD.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_UTF8_H_
