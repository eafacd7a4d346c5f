// Text in drawings. The reader's fonts are unknown, so widths are upper estimates.
#ifndef PERCALE_CORE_DRAW_LAYOUT_TEXT_H_
#define PERCALE_CORE_DRAW_LAYOUT_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace percale {

inline constexpr int32_t kTitleSize = 12, kTextSize = 10;  // px

// Returns the width of `text` in px; `size` is the font size in px.
int32_t text_width(std::string_view text, int32_t size);

// Returns `text`, or an ellipsis and its end if it is wider than `most` px. The end is kept because
// that is where names differ.
std::string shortened(std::string_view text, int32_t most, int32_t size);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_TEXT_H_
