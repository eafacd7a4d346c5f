// Pieces of SVG that every drawing needs.
#ifndef PERCALE_CORE_TEXT_SVG_H_
#define PERCALE_CORE_TEXT_SVG_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace percale {

// The text with XML's own characters escaped and control characters as spaces; of more than `most` code points the first ones and
// an ellipsis. Bytes that are no UTF-8 become U+FFFD.
std::string svg_escaped(std::string_view text, size_t most = static_cast<size_t>(-1));

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_SVG_H_
