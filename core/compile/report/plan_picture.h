// A plan as a picture.
#ifndef PERCALE_CORE_COMPILE_REPORT_PLAN_PICTURE_H_
#define PERCALE_CORE_COMPILE_REPORT_PLAN_PICTURE_H_

#include "core/compile/plan.h"
#include "core/draw/picture/picture.h"

namespace percale {

// Every node that runs, with its device and kernel; values that pass between devices; and, without
// either, what can only be planned during a run.
Picture picture_of(const Plan& plan);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_REPORT_PLAN_PICTURE_H_
