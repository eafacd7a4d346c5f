#include "core/session/executor/execution.h"

#include <algorithm>

namespace percale {

Execution::Execution(const Plan& of_plan, Engine& on_engine, RunFrame& in_frame, BoundRun& with_memory,
                     std::span<const Tensor> run_feeds, std::span<const Tensor> run_results)
    : plan(of_plan),
      engine(on_engine),
      frame(in_frame),
      bound(with_memory),
      feeds(run_feeds),
      results(run_results),
      has_streams_(std::any_of(with_memory.programs.begin(), with_memory.programs.end(),
                               [](const auto& p) { return p->has_stream(); })) {}

void Execution::fail(Status status) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = std::move(status);
  signal.fail();
}

}  // namespace percale
