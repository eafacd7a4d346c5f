// Binds a function to the names and types of a request, and runs the passes that know no device.
#ifndef PERCALE_CORE_COMPILE_BIND_H_
#define PERCALE_CORE_COMPILE_BIND_H_

#include "core/compile/compilation.h"

namespace percale {

// Makes feeds the inputs and fetches the outputs of `f`, and removes what the run does not need.
Status bind_function(Compilation& c, Function& f);

Status run_passes(Compilation& c, Function& f);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_BIND_H_
