// A plan as a picture.
#ifndef PERCALE_CORE_COMPILE_REPORT_PLAN_PICTURE_H_
#define PERCALE_CORE_COMPILE_REPORT_PLAN_PICTURE_H_

#include "core/compile/plan.h"
#include "core/draw/picture/picture.h"

namespace percale {

// Shows every node with its device and kernel, the values that pass between devices, and the nodes
// that are compiled during a run.
Picture picture_of(const Plan& plan);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_REPORT_PLAN_PICTURE_H_
