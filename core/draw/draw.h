// Drawings of graphs and plans as files for people.
#ifndef PERCALE_CORE_DRAW_DRAW_H_
#define PERCALE_CORE_DRAW_DRAW_H_

#include <span>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/draw/picture/picture.h"

namespace percale {

// Draws pictures. "svg": the first picture, at most kMaxHeight px high. "html": one self-contained
// page that shows all pictures and lets the reader pan, search and fold them. INVALID_ARGUMENT for
// another format. Precondition: at least one picture.
Result<std::string> draw(std::span<const Picture> pictures, std::string_view format);

std::string to_svg(const Picture& picture);
std::string to_html(std::span<const Picture> pictures);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_DRAW_H_
