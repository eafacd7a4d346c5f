// Helpers for writing SVG.
#ifndef PERCALE_CORE_TEXT_SVG_H_
#define PERCALE_CORE_TEXT_SVG_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace percale {

// Escapes `text` for XML and replaces control characters with spaces. A text of more than `most`
// code points is cut after `most` and ends in an ellipsis. Invalid UTF-8 bytes become U+FFFD.
std::string svg_escaped(std::string_view text, size_t most = static_cast<size_t>(-1));

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_SVG_H_
