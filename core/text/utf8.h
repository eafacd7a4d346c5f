// UTF-8 (RFC 3629).
#ifndef PERCALE_CORE_TEXT_UTF8_H_
#define PERCALE_CORE_TEXT_UTF8_H_

#include <cstddef>
#include <string_view>

namespace percale {

// Returns the length in bytes of the UTF-8 sequence at the start of `text`, or 0 if it is invalid.
// Overlong forms and surrogates are invalid.
size_t utf8_length(std::string_view text);
// True if the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

// U+FFFD, written in place of invalid bytes.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_UTF8_H_
