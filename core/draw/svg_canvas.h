// The shapes of a drawing as SVG elements.
#ifndef PERCALE_CORE_DRAW_SVG_CANVAS_H_
#define PERCALE_CORE_DRAW_SVG_CANVAS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/draw/layout/drawing.h"

namespace percale {

// Collects elements. `css`: classes of the style that finish() puts before them.
class SvgCanvas {
 public:
  void text(int32_t x, int32_t y, std::string_view css, std::string_view words);
  void rectangle(int32_t x, int32_t y, int32_t width, int32_t height, std::string_view css,
                 std::string_view style = {});
  void path(std::string_view css, std::string_view way);
  // A box around its anchor and middle, with its chips: what it reads on the left, what it assigns on the right.
  void card(const Look& look, int32_t anchor, int32_t middle, std::string_view css, std::string_view style);
  // Elements until end_group() belong together and show `title` under the pointer.
  void begin_group(std::string_view css, std::string_view title);
  void end_group();
  // The whole file.
  std::string finish(int32_t width, int32_t height) const;

 private:
  void chips(const Look& look, int32_t anchor, int32_t middle, bool assigned);

  std::string out_;
};

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_SVG_CANVAS_H_
