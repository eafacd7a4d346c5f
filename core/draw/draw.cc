#include "core/draw/draw.h"

namespace percale {

Result<std::string> draw(std::span<const Picture> pictures, std::string_view format) {
  if (format == "svg") return to_svg(pictures.front());
  if (format == "html") return to_html(pictures);
  return invalid_argument("'", format, "' is not a drawing format; wanted svg or html");
}

}  // namespace percale
