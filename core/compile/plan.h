// What a session keeps of a plan: programs per device, how values pass between them, and what can only be planned later.
#ifndef PERCALE_CORE_COMPILE_PLAN_H_
#define PERCALE_CORE_COMPILE_PLAN_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/compile/executable.h"
#include "core/engine/idle_pool.h"
#include "core/compile/run_spec.h"
#include "core/engine/engine.h"
#include "core/graph/graph.h"
#include "core/placement/partition.h"
#include "core/placement/place.h"
#include "core/plan/program.h"

namespace percale {

// Where the rest of a plan, or a fetch, takes a value from.
struct ValueSource {
  enum class Kind : uint8_t { kFeed, kResult, kControl, kRest };
  Kind kind = Kind::kFeed;
  int32_t index = 0;   // feed; result of the programs; control node; fetch of the rest
  int32_t output = 0;  // kControl: which output of the node
};

// How a body of a control node runs, as a function of the session's graph.
struct BodyCall {
  RunSpec spec;  // fed with all inputs of the body
  // The same where the body reads the variables that it would be given, so that what depends on them alone is precomputed; without
  // RunSpec::reads where there are none.
  RunSpec reading;
  std::vector<size_t> fed;  // inputs of the body that `reading` is fed with
};

// If, Loop, and what may wait for other runs: carried out between programs.
struct ControlNode {
  Node node;
  std::vector<ValueSource> inputs;
  std::vector<ValueType> input_types;
  std::map<std::string, BodyCall, std::less<>> bodies = {};  // by function
};

// A program with the device that runs it.
struct PlacedProgram {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Executable> executable = nullptr;  // of a device that takes partitions whole, else null
  const Device* device = nullptr;
  Part part;
  // Per input: the key of the value if the device keeps copies of it. Per output: the key under which
  // the value stays on the device. Undefined keys on a device that shares the host's memory.
  std::vector<StoreKey> input_keys = {}, output_keys = {};
};
};

// A result that no program computes: a feed, or a constant.
struct PassedThrough {
  int32_t result = 0;
  int32_t feed = -1;
  Tensor constant;
};

// A result that is a feed, or a variable as it was before the run, without a change: a run may hand out its memory, where the next
// to read it is the run itself.
struct ShownResult {
  int32_t result = 0;
  int32_t feed = -1, variable = -1;  // one of them
  bool fetched = false;              // it is an output of the function as it stands
};

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

// The tensors that one run reads and gives.
struct RunLists {
  std::vector<Tensor> feeds, results;

  void clear() {
    feeds.clear();
    results.clear();
  }
};

// The memory and the operand tables of a finished run, kept for the next one. Executors define them.
class IdleRun {
 public:
  virtual ~IdleRun() = default;
};

// Immutable but for the pool of run memory. Shared by concurrent runs.
struct Plan {
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  RunSpec spec;
  int64_t id = 0;  // unique within the session: tells the rests of different plans apart
  std::vector<ValueType> feed_types;
  // The shapes that feeds have inside: their own, but for one element that stands for a scalar.
  std::vector<Shape> bound_shapes;
  bool reshapes_feeds = false;
  std::shared_ptr<const Graph> graph;  // the working copy: bodies of fused nodes, kernels borrow from it

  // What depends on variables and constants alone, each value with a plan of its own; they are feeds of the programs behind the
  // run's own, and kept for the version of the variables that they were computed from.
  struct PrecomputeStep {
    std::string form;  // precomputed_form()
    bool of_variables = true;
    std::shared_ptr<const Plan> plan;  // of one program without feeds
  };
  std::vector<PrecomputeStep> precompute_steps;
  struct Precomputed {
    int64_t version = -1;
    std::vector<Tensor> values;
    std::vector<std::shared_ptr<const Tensor>> shared;  // the same, as PrecomputedStore knows them
  };
  mutable std::mutex precomputed_mutex;
  mutable std::shared_ptr<const Precomputed> precomputed;

  bool captures_work = true;  // devices that can may keep segments of their programs
  std::vector<PlacedProgram> programs;
  std::vector<Transfer> transfers;
  std::vector<ValueType> results;  // what the programs hand out, by PartOutput::results
  std::vector<bool> stays;         // results that are not handed out, because devices keep them
  std::vector<PassedThrough> passed_through;
  std::vector<ShownResult> shown;
  std::vector<PlacedNode> placement;  // for explanations
  double expected_seconds = 0;        // by placement's cost model
  std::string placement_summary;

  // What could not be planned before those results are known: control nodes first, then a function over feeds, results
  // and control outputs.
  std::vector<ControlNode> control;
  std::shared_ptr<const Graph> rest;  // null when nothing is left; its main is what remains
  RunSpec rest_spec;                  // how `rest` runs
  std::vector<ValueSource> rest_inputs;
  std::vector<bool> rest_by_value;  // inputs whose contents the shapes depend on

  std::vector<ValueSource> fetches;
  std::vector<ValueType> fetch_types;                      // kInvalid where it is known only after the run
  std::vector<std::pair<std::string, size_t>> pass_sizes;  // nodes after each pass
  std::vector<RefusedGroup> refused_groups;                // what inline_fused put back
  int64_t peak_bytes = 0;

  // Memory and lists of finished runs for the next ones: a warm run allocates nothing but results that nobody has given.
  mutable IdlePool<IdleRun> idle;
  mutable IdlePool<RunLists> lists;
};

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_PLAN_H_
