// The result of compiling a function: programs per device, and what surrounds them.
#ifndef PERCALE_CORE_COMPILE_PLAN_H_
#define PERCALE_CORE_COMPILE_PLAN_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/compile/executable.h"
#include "core/compile/run_spec.h"
#include "core/engine/engine.h"
#include "core/engine/idle_pool.h"
#include "core/graph/graph.h"
#include "core/placement/partition.h"
#include "core/placement/place.h"
#include "core/plan/program.h"

namespace percale {

// The source of an input of a control node or of the rest, or of a fetch.
struct ValueSource {
  enum class Kind : uint8_t { kFeed, kResult, kControl, kRest };
  Kind kind = Kind::kFeed;
  int32_t index = 0;   // feed; result of the programs; control node; fetch of the rest
  int32_t output = 0;  // kControl: which output of the node
};

// Describes how a body of a control node runs, as a function of the session's graph.
struct BodyCall {
  RunSpec spec;  // feeds all inputs of the body
  // The same, but the body reads the variables that the node would hand to it, so that values that
  // depend on them are precomputed. RunSpec::reads is empty if there are none.
  RunSpec reading;
  std::vector<size_t> fed;  // the inputs of the body that `reading` feeds
};

// If, Loop, Call, and the ops that may wait for other runs. They are carried out between programs.
struct ControlNode {
  Node node;
  std::vector<ValueSource> inputs;
  std::vector<ValueType> input_types;
  std::map<std::string, BodyCall, std::less<>> bodies = {};  // by function
};

// A program with the device that runs it.
struct PlacedProgram {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Executable> executable = nullptr;  // null: the device runs kernels
  const Device* device = nullptr;
  Part part;
  // Per input: the key of the value if the device keeps copies of it. Per output: the key under
  // which the value stays on the device. Undefined keys on a device that shares the host's memory.
  std::vector<StoreKey> input_keys = {}, output_keys = {};
  // Per output: the input whose copy it changes in place; -1: none.
  std::vector<int32_t> output_over = {};
};

// A result that no program computes: a feed, or a constant.
struct PassedThrough {
  int32_t result = 0;
  int32_t feed = -1;
  Tensor constant;
};

// A result that is a feed, or a variable as it was before the run, without a change. A run may hand
// out that memory if only the run itself reads the result.
struct ShownResult {
  int32_t result = 0;
  int32_t feed = -1, variable = -1;  // one of them
  bool fetched = false;              // the caller gets it too
};

// The device of a node, and why.
struct PlacedNode {
  std::string node;
  int32_t device = 0;
  std::string reason;
  std::vector<Forecast> forecasts = {};
};

// A group of nodes that no kernel of its device takes as one, and why.
struct RefusedGroup {
  std::string node, reason;
};

// Explains how the plan was made. Runs do not read it.
struct PlanReport {
  std::vector<PlacedNode> placement;
  double expected_seconds = 0;  // by placement's cost model
  std::string placement_summary;
  std::vector<std::pair<std::string, size_t>> pass_sizes;  // the number of nodes after each pass
  std::vector<RefusedGroup> refused_groups;
};

// The tensors that one run reads and gives.
struct RunLists {
  std::vector<Tensor> feeds, results;

  void clear() {
    feeds.clear();
    results.clear();
  }
};

// The memory and the operand tables of a finished run, kept for the next one. Executors define
// them.
class IdleRun {
 public:
  virtual ~IdleRun() = default;
};

// Immutable except for what runs leave for later runs. Shared by concurrent runs.
struct Plan {
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // The computation of one value that depends on variables and constants alone.
  struct PrecomputeStep {
    std::string form;  // precomputed_form()
    bool of_variables = true;
    std::shared_ptr<const Plan> plan;  // of one program without feeds
  };
  // The values of all steps for one version of the variables.
  struct Precomputed {
    int64_t version = -1;
    std::vector<Tensor> values;
    std::vector<std::shared_ptr<const Tensor>> shared;  // the same, as PrecomputedStore knows them
  };
  // Precomputed values are feeds of the programs, behind the feeds of the run.
  struct Precompute {
    std::vector<PrecomputeStep> steps;
    mutable std::mutex mutex;  // guards `values`
    mutable std::shared_ptr<const Precomputed> values;
  };
  // The function that is compiled once results and control outputs are known.
  struct Rest {
    std::shared_ptr<const Graph> graph;  // null: nothing is left; its main is the function
    RunSpec spec;                        // feed_homes: where values are that the host does not get
    std::vector<ValueSource> inputs;
    std::vector<bool> by_value;  // inputs whose contents shapes depend on
  };

  int64_t id = 0;  // unique within the session
  RunSpec spec;
  std::vector<ValueType> feed_types;
  // The shapes that feeds have inside the plan. Empty if all keep their own; else one element of
  // any shape stands for a scalar.
  std::vector<Shape> inner_shapes;
  std::shared_ptr<const Graph> graph;  // the working copy: it has the bodies of fused nodes
  Precompute precompute;

  std::vector<PlacedProgram> programs;
  std::vector<Transfer> transfers;
  bool captures_work = true;       // stream programs may capture segments
  std::vector<ValueType> results;  // of the programs, by PartOutput::results
  std::vector<bool> stays;         // results that stay on their device
  // Per feed: true if it has a home (RunSpec::feed_homes) and only programs there and the rest read
  // it. Its tensor is then undefined.
  std::vector<bool> feed_stays;
  std::vector<PassedThrough> passed_through;
  std::vector<ShownResult> shown;

  std::vector<ControlNode> control;  // carried out after the programs, in this order
  Rest rest;                         // runs last
  std::vector<ValueSource> fetches;
  std::vector<ValueType> fetch_types;  // kInvalid where the type is known only after the run

  int64_t peak_bytes = 0;  // as run_bytes() tells
  PlanReport report;
  // Memory of finished runs: a warm run allocates only results that the caller has not given.
  mutable IdlePool<IdleRun> idle;
  mutable IdlePool<RunLists> lists;
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_PLAN_H_
