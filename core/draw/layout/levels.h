// The cells and wires inside each block.
#ifndef PERCALE_CORE_DRAW_LAYOUT_LEVELS_H_
#define PERCALE_CORE_DRAW_LAYOUT_LEVELS_H_

#include <vector>

#include "core/draw/layout/drawing.h"

namespace percale {

// Returns the levels by block, without rows and columns. A link passes through every block around
// its two ends.
std::vector<Level> make_levels(const Drawing& drawing);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_LEVELS_H_
