// Text in drawings. The writer does not know the reader's fonts, so widths are upper estimates.
#ifndef PERCALE_CORE_DRAW_LAYOUT_TEXT_H_
#define PERCALE_CORE_DRAW_LAYOUT_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace percale {

inline constexpr int32_t kTitleSize = 12, kTextSize = 10;  // px

// Width in px at a font size in px.
int32_t text_width(std::string_view text, int32_t size);

// The end of a text that is wider than `most` px, behind an ellipsis: names differ at their end.
std::string shortened(std::string_view text, int32_t most, int32_t size);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_TEXT_H_
