// Declarations shared by the files of the control family.
#ifndef PERCALE_OPS_CONTROL_CONTROL_H_
#define PERCALE_OPS_CONTROL_CONTROL_H_

#include "core/graph/emit/gradient.h"

namespace percale {

// The gradient of Loop. The forward loop is extended to save the carried values of each trip, and a
// second loop runs the trips backwards.
Status loop_grad(GradContext& context);

}  // namespace percale

#endif  // PERCALE_OPS_CONTROL_CONTROL_H_
