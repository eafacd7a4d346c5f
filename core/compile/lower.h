// Lowers the parts of a cut function to programs.
#ifndef PERCALE_CORE_COMPILE_LOWER_H_
#define PERCALE_CORE_COMPILE_LOWER_H_

#include "core/compile/compilation.h"

namespace percale {

// Runs the device passes and makes a program of each part. `num_feeds`: the inputs of the function
// that was cut.
Status lower_parts(Compilation& c, Cut cut, size_t num_feeds);
// Decides which results and feeds stay on their devices until the rest of the function has run:
// those in the memory of such a device that only the rest reads.
void hand_to_rest(Compilation& c);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_LOWER_H_
