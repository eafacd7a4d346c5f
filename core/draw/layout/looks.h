// The text and size of boxes.
#ifndef PERCALE_CORE_DRAW_LAYOUT_LOOKS_H_
#define PERCALE_CORE_DRAW_LAYOUT_LOOKS_H_

#include "core/draw/layout/drawing.h"

namespace percale {

Look look_of(const Box& box, const std::string& name);
Look look_of(const Block& block, double microseconds);
// Returns "↑ conv1", the text of the tag for a distant box.
std::string tag_text(const Box& box);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_LOOKS_H_
