// A session runs functions of a graph: it plans what the fetches need, keeps the plans, and runs them.
#ifndef PERCALE_CORE_SESSION_SESSION_H_
#define PERCALE_CORE_SESSION_SESSION_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/compile/compile_options.h"
#include "core/compile/run_spec.h"
#include "core/engine/device_store.h"
#include "core/engine/engine.h"
#include "core/engine/resident_values.h"
#include "core/graph/graph.h"
#include "core/placement/measured.h"
#include "core/session/run_options.h"
#include "core/state/variables.h"

namespace percale {

struct Plan;  // core/compile/plan.h: programs per device and what a run of them needs

struct SessionOptions {
  CompileOptions compile = {};
  int64_t cache_size = 64;   // plans kept
  int64_t memory_limit = 0;  // bytes that runs, and plans for the next runs, may hold; 0: the engine's limit alone
  std::shared_ptr<MemoryPool> memory =
      nullptr;  // of the engine's, that they count in besides; null: the engine's alone
  // On several devices: times of nodes are kept, and a plan that is asked for is made anew after 8, 64, 512 ... uses, in case that
  // other devices of the same bits would do better.
  bool measures = false;
  MeasuredTimes costs = {};  // times that are known from the start
  // Queues and mutexes; null: those of the variables, or the session's own when it has none.
  std::shared_ptr<Resources> resources = nullptr;
};

struct SessionStats {
  // Plans that were made, moved ones too.
  int64_t plans = 0, cache_hits = 0, runs = 0;
  int64_t planned_peak_bytes = 0;   // of the largest plan, for one run at a time
  int64_t measured_peak_bytes = 0;  // the most that the session ever held
};

class Session;

// Thread-safe: any number of concurrent runs.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `variables` may be null when the graph has none, or when every run passes its state.
  static Result<std::shared_ptr<Session>> create(std::shared_ptr<Engine> engine, std::shared_ptr<const Graph> graph,
                                                 std::shared_ptr<Variables> variables, SessionOptions options = {});
  ~Session();

  // The plan for feeds of these types (from the cache when there is one). One element under any shape serves for a scalar.
  Result<std::shared_ptr<const Plan>> prepare(const RunSpec& spec, std::span<const ValueType> feed_types);
  // The types of a prepared plan's fetches, when they are known before the run; kInvalid entries where they are not.
  static std::vector<ValueType> fetch_types(const Plan& plan);

  // Runs a prepared plan. outputs[i] is written into when it is defined (and of the right type), else it becomes a new
  // tensor. Outputs never share memory with feeds or with the plan's arena. Nothing is assigned when it fails,
  // and queues are as if it had not been.
  Status run(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs,
             const RunOptions& options = {});
  // prepare() and run().
  Result<std::vector<Tensor>> run(const RunSpec& spec, std::span<const Tensor> feeds, const RunOptions& options = {});

  // Ends every run that is under way with CANCELLED.
  void cancel_all();
  // JSON: "plan", "kernels", "passes".
  Result<std::string> explain(const RunSpec& spec, std::span<const ValueType> feed_types, std::string_view what);
  // draw_plan() of the plan for feeds of these types.
  Result<std::string> draw(const RunSpec& spec, std::span<const ValueType> feed_types, std::string_view format,
                           std::string_view trace);
  SessionStats stats() const;
  // Values that stay on devices between runs.
  DeviceStore& device_store() const;
  // Holds one version of each key on the device. NOT_FOUND if the device no longer has it.
  Result<std::unique_ptr<const ResidentValues>> hold(const Device& device, std::span<const StoreKey> keys,
                                                     std::span<const int64_t> versions) const;

  const std::shared_ptr<Engine>& engine() const;
  const Graph& graph() const;
  const std::shared_ptr<Variables>& variables() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// First values of a graph's variables: their own tensors, and what the function "init" gives for `seed`.
Result<std::shared_ptr<Variables>> initialize_variables(const std::shared_ptr<Engine>& engine,
                                                        const std::shared_ptr<const Graph>& graph, int64_t seed);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_SESSION_H_
