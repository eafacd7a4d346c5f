// A session compiles functions of a graph, keeps the plans, and runs them.
#ifndef PERCALE_CORE_SESSION_SESSION_H_
#define PERCALE_CORE_SESSION_SESSION_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compile/compile_options.h"
#include "core/compile/run_spec.h"
#include "core/engine/device_store.h"
#include "core/engine/engine.h"
#include "core/engine/resident_values.h"
#include "core/graph/graph.h"
#include "core/placement/measured.h"
#include "core/session/context/run_options.h"
#include "core/state/variables.h"

namespace percale {

struct Plan;          // core/compile/plan.h
struct SessionState;  // core/session/session_state.h

struct SessionOptions {
  CompileOptions compile = {};
  int64_t cache_size = 64;   // plans that are kept
  int64_t memory_limit = 0;  // bytes; 0: the engine's limit alone
  // A pool below the engine's that accounts for the session's memory too. Null: the engine's pool.
  std::shared_ptr<MemoryPool> memory = nullptr;
  // Measures nodes if the engine has several devices. A plan is compiled again after 8, 64, 512,
  // ... uses, in case other devices of the same bits are faster.
  bool measures = false;
  MeasuredTimes costs = {};  // times that are known from the start
  // Queues and mutexes. Null: those of the variables, or the session's own if it has no variables.
  std::shared_ptr<Resources> resources = nullptr;
  bool is_hosts = false;  // made for the host, which reads counts of its runs (EngineUsers)
};

struct SessionStats {
  int64_t plans = 0;  // that were compiled, again ones included
  int64_t cache_hits = 0, runs = 0;
  int64_t planned_peak_bytes = 0;   // of the largest plan, for one run at a time
  int64_t measured_peak_bytes = 0;  // the most that the session ever held
};

// Thread-safe, and runs may be concurrent.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `variables` may be null if the graph has none, or if every run passes them
  // (RunValues::of_caller()).
  static Result<std::shared_ptr<Session>> create(std::shared_ptr<Engine> engine, std::shared_ptr<const Graph> graph,
                                                 std::shared_ptr<Variables> variables, SessionOptions options = {});
  ~Session();

  // The plan for feeds of these types, compiled unless the cache has it. A tensor of one element
  // and any shape may be fed for a scalar.
  Result<std::shared_ptr<const Plan>> prepare(const RunSpec& spec, std::span<const ValueType> feed_types);
  // The types of the plan's fetches; kInvalid where a type is known only after the run.
  static std::vector<ValueType> fetch_types(const Plan& plan);

  // Runs a plan of this session. Writes into outputs[i] if it is defined, and else makes a new
  // tensor. Outputs never share memory with feeds. If the run fails, nothing is assigned and queues
  // are as before.
  Status run(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs,
             const RunOptions& options = {});
  // prepare() and run().
  Result<std::vector<Tensor>> run(const RunSpec& spec, std::span<const Tensor> feeds, const RunOptions& options = {});

  // Ends all runs under way with CANCELLED.
  void cancel_all();
  // JSON; `what` is "plan", "kernels" or "passes".
  Result<std::string> explain(const RunSpec& spec, std::span<const ValueType> feed_types, std::string_view what);
  // draw_plan() of the plan for feeds of these types.
  Result<std::string> draw(const RunSpec& spec, std::span<const ValueType> feed_types, std::string_view format,
                           std::string_view trace);
  SessionStats stats() const;
  // The values that stay on devices between runs.
  DeviceStore& device_store() const;
  // Holds one version of each key on the device. NOT_FOUND if the device no longer has it.
  Result<std::unique_ptr<const ResidentValues>> hold(const Device& device, std::span<const StoreKey> keys,
                                                     std::span<const int64_t> versions) const;

  const std::shared_ptr<Engine>& engine() const;
  const Graph& graph() const;
  const std::shared_ptr<Variables>& variables() const;

 private:
  explicit Session(std::unique_ptr<SessionState> state);
  Status run_uncounted(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs,
                       const RunOptions& options);
  const std::unique_ptr<SessionState> state_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_SESSION_H_
