// What the files of the control family share.
#ifndef PERCALE_OPS_CONTROL_CONTROL_H_
#define PERCALE_OPS_CONTROL_CONTROL_H_

#include "core/graph/gradient.h"

namespace percale {

// The gradient of Loop: the loop is made to save what its trips carried, and a second one runs the trips backwards.
Status loop_grad(GradContext& context);

}  // namespace percale

#endif  // PERCALE_OPS_CONTROL_CONTROL_H_
