// Borrows values from the DeviceStore for the programs of a run, and gives them back.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_STORE_ACCESS_H_
#define PERCALE_CORE_SESSION_EXECUTOR_STORE_ACCESS_H_

#include "core/session/executor/execution.h"

namespace percale {

// Borrows the value of input `input`, which has a key. Copies `bytes` of `contents` to the device
// if it lacks the version that the run reads. `owner`: as StoreVersion::owner for variables.
Status borrow_input(const Execution& run, BoundProgram& p, size_t input, const void* contents, const void* owner,
                    int64_t bytes);
// Borrows the value of a feed, which may be undefined if the device has it.
Status borrow_feed(const Execution& run, BoundProgram& p, size_t input, const Tensor& feed);
// Borrows memory for an output that stays on the device, unless it takes that of an input.
Status borrow_output(const Execution& run, BoundProgram& p, size_t output);

// Borrows the variables that the device of a stream program has already, so that the program does
// not wait for them. Sets StreamProgram::has_variables if it has all of them.
Status borrow_variables(const Execution& run, BoundProgram& p);

// Ends all loans of the run. Values that it has computed get their versions if it succeeded.
void return_copies(Execution& run);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_STORE_ACCESS_H_
