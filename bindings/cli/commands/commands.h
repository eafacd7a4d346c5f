// The commands of the program, one file each.
#ifndef PERCALE_BINDINGS_CLI_COMMANDS_COMMANDS_H_
#define PERCALE_BINDINGS_CLI_COMMANDS_COMMANDS_H_

#include "args.h"

namespace percale_cli {

extern const Command kInfo, kList, kOps, kShow, kPlan, kKernels, kRun, kBench, kTest, kTrain, kEvaluate, kPredict,
    kTrace, kCheck, kImport, kExport;

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_COMMANDS_COMMANDS_H_
