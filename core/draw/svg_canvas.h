// The shapes of a drawing as SVG elements.
#ifndef PERCALE_CORE_DRAW_SVG_CANVAS_H_
#define PERCALE_CORE_DRAW_SVG_CANVAS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/draw/layout/drawing.h"

namespace percale {

// Collects elements. `css` names classes of the style sheet that finish() writes before them.
class SvgCanvas {
 public:
  void text(int32_t x, int32_t y, std::string_view css, std::string_view words);
  void rectangle(int32_t x, int32_t y, int32_t width, int32_t height, std::string_view css,
                 std::string_view style = {});
  void path(std::string_view css, std::string_view way);
  // Draws a box at its anchor and middle with its chips: variables that it reads on the left, those
  // that it assigns on the right.
  void card(const Look& look, int32_t anchor, int32_t middle, std::string_view css, std::string_view style);
  // Groups the elements until end_group(). The group shows `title` as a tooltip.
  void begin_group(std::string_view css, std::string_view title);
  void end_group();
  // Returns the complete file.
  std::string finish(int32_t width, int32_t height) const;

 private:
  void chips(const Look& look, int32_t anchor, int32_t middle, bool assigned);

  std::string out_;
};

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_SVG_CANVAS_H_
