// Points the operands of a program at the memory of one run.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_OPERANDS_H_
#define PERCALE_CORE_SESSION_EXECUTOR_OPERANDS_H_

#include "core/session/executor/execution.h"

namespace percale {

void* operand_address(const Execution& run, const BoundProgram& p, const Operand& operand);
// The address of an output once it is ready.
void* output_address(const Execution& run, const BoundProgram& p, size_t output);

// Begins a run of the program: feeds, outputs, memory for assigned variables, operands, context.
Status begin_program(Execution& run, BoundProgram& p);

// Updates the operands that are inputs: all of them, or only `input`.
void patch_inputs(const Execution& run, BoundProgram& p);
void patch_input(BoundProgram& p, int32_t input, void* address);
// The same for an output.
void patch_output(BoundProgram& p, int32_t output, void* address);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_OPERANDS_H_
