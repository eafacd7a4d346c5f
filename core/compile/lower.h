// Lowers the parts of a cut function to programs.
#ifndef PERCALE_CORE_COMPILE_LOWER_H_
#define PERCALE_CORE_COMPILE_LOWER_H_

#include "core/compile/compilation.h"

namespace percale {

// Runs the device passes and makes a program of each part. `num_feeds`: the inputs of the function
// that was cut.
Status lower_parts(Compilation& c, Cut cut, size_t num_feeds);
// Lets results and feeds stay in the memory of their devices until the rest of the function has
// run, where only the rest reads them.
void hand_to_rest(Compilation& c);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_LOWER_H_
