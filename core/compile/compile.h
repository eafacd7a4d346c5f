// Compiles a function to a plan: bind, passes, segments, placement, cut, lowering.
#ifndef PERCALE_CORE_COMPILE_COMPILE_H_
#define PERCALE_CORE_COMPILE_COMPILE_H_

#include <memory>
#include <span>

#include "core/compile/compile_options.h"
#include "core/compile/plan.h"
#include "core/engine/device_store.h"

namespace percale {

struct CompileRequest {
  const Graph& graph;
  const RunSpec& spec;
  std::span<const ValueType> feed_types;
  // Per feed: its contents if they are to be part of the plan, because shapes depend on them. May
  // be empty.
  std::span<const Tensor> contents = {};
  int64_t id = 0;                           // Plan::id
  const MeasuredTimes* measured = nullptr;  // for placement; may be null
  DeviceStore* store = nullptr;             // of the session; null: none
};

// The types of feeds must be static. INVALID_ARGUMENT, NOT_FOUND and UNIMPLEMENTED name the value
// or the node.
Result<std::shared_ptr<const Plan>> compile(const Engine& engine, const CompileOptions& options,
                                            const CompileRequest& request);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_COMPILE_H_
