// The C++ view of kernels. The table entry is percale_kernel of percale_plugin.h, so that built-in
// kernels and those of plug-ins use the same interface. make_kernel() below builds such an entry
// from three C++ functions.
#ifndef PERCALE_CORE_REGISTRY_KERNEL_H_
#define PERCALE_CORE_REGISTRY_KERNEL_H_

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/c_status.h"
#include "core/base/log.h"
#include "core/base/parallel.h"
#include "core/base/status.h"
#include "core/registry/built_ops.h"
#include "core/registry/format.h"
#include "core/registry/numerics.h"
#include "core/registry/op_schema.h"
#include "core/registry/shape_context.h"
#include "core/registry/shard_barrier.h"

namespace percale {
struct Function;  // core/graph/graph.h
}

// The node that a kernel may run. Everything is known: static shapes, and attributes with defaults
// filled in.
struct percale_node_view {
  const percale::OpSchema& schema;
  std::string_view name;
  const percale::Attributes& attributes;
  std::vector<percale::ValueType> inputs;   // dtype kInvalid: absent
  std::vector<percale::ValueType> outputs;  // dtype kInvalid: not requested
  // Per input: its value if known before the run, else null.
  std::vector<const percale::Tensor*> values;
  const percale::Function* body = nullptr;  // body of a fused node
  // Layouts of the inputs, and the layout that the output of a Reorder must get. Null, or no entry:
  // row-major.
  std::vector<const percale::Format*> input_formats = {}, output_formats = {};
  // Per input: true if it is the same in all runs until a variable changes, so that work on it can
  // be precomputed.
  std::vector<bool> precomputed = {};
  const char* isa = "";             // Registry::isa()
  percale::Numerics numerics = {};  // Registry::numerics()
  // Views of the nodes of `body`, created when a plug-in asks for them. Each node view is used by
  // one thread.
  mutable std::vector<std::shared_ptr<const percale_node_view>> body_views = {};

  bool has_input(size_t i) const { return i < inputs.size() && inputs[i].dtype != percale::DType::kInvalid; }
  bool has_output(size_t i) const { return i < outputs.size() && outputs[i].dtype != percale::DType::kInvalid; }
  percale::DType dtype(size_t i) const { return inputs[i].dtype; }
  const percale::Shape& shape(size_t i) const { return inputs[i].shape; }
  const percale::Shape& output_shape(size_t i) const { return outputs[i].shape; }
  const percale::Tensor* value(size_t i) const { return i < values.size() ? values[i] : nullptr; }
  const percale::Format* input_format(size_t i) const { return i < input_formats.size() ? input_formats[i] : nullptr; }
  const percale::Format* output_format(size_t i) const {
    return i < output_formats.size() ? output_formats[i] : nullptr;
  }
  bool is_precomputed(size_t i) const { return i < precomputed.size() && precomputed[i]; }
};

// The requests of a kernel's plan() to the planner.
struct percale_kernel_plan {
  int64_t scratch_bytes = 0;
  // True if the planner can provide operands in layouts other than row-major. The kernel then lists
  // the layouts that it wants by operand number: inputs first, then outputs.
  bool grants_formats = false;
  std::vector<std::pair<size_t, percale::Format>> formats = {};
  // Outputs that may share the memory of inputs, in addition to those that the schema names.
  std::vector<percale::InPlace> in_place = {};
  const void* user = nullptr;  // user data of the kernel, as passed to make_kernel()
};

namespace percale {

// Reason for the failure of a run after it has started: the numbers of percale_run_error and some
// of the core's own. The first failure wins.
enum class RunError : int32_t {
  kNone = 0,
  kKernelFailed = PERCALE_RUN_ERROR_KERNEL_FAILED,
  kIndexOutOfRange = PERCALE_RUN_ERROR_INDEX_OUT_OF_RANGE,
  kDivisionByZero = PERCALE_RUN_ERROR_DIVISION_BY_ZERO,
  kBadSize = PERCALE_RUN_ERROR_BAD_SIZE,
  kNotPositive = PERCALE_RUN_ERROR_NOT_POSITIVE,
  kNotFinite = PERCALE_RUN_ERROR_NOT_FINITE,
  kSingular = PERCALE_RUN_ERROR_SINGULAR,
  kNotPositiveDefinite = PERCALE_RUN_ERROR_NOT_POSITIVE_DEFINITE,
  kAssertionFailed = PERCALE_RUN_ERROR_ASSERTION_FAILED,
  kOutOfMemory = PERCALE_RUN_ERROR_OUT_OF_MEMORY,
  kKernelStatus = 201,  // `status_code` and `status_text` are the status
  kUnknownError = 202,  // detail: a number of a plug-in that is no percale_run_error
};

}  // namespace percale

// State of one run of one program. Shared by all kernels that run in it, on any thread.
struct percale_run_context {
  percale::ParallelFor parallel;
  std::atomic<int32_t> error{0};  // percale::RunError
  std::atomic<int64_t> error_detail{0};
  std::atomic<const char*> error_message{
      nullptr};  // Prefix of the error message that names the node. The plan outlives the run.
  std::atomic<bool> cancelled{false};
  int64_t seed = 0;  // random ops: the key is (seed, id of the node)
  int64_t step = 0;  // Random ops: the step of the trainer, or else the run counter of the session.
  // Random ops: index of the batch's first row within the global batch.
  int64_t first_row = 0;
  // Output of Print; null: dropped.
  const percale::LogSink* log = nullptr;
  // Barrier with the other shards of the batch; null: there is only one.
  percale::ShardBarrier* barrier = nullptr;
  int64_t shard = 0;  // index among the shards
  // Set by a kernel that waits for other shards: it is called again after a wake-up.
  bool again = false;

  // On a device with streams: the instruction that is being enqueued, and the one that failed; -1
  // if unknown.
  int64_t mark = -1;
  std::atomic<int64_t> failed_mark{-1};

  // The first caller of fail_with() claims the two fields below, writes them, and then sets
  // `error`.
  std::atomic<bool> status_claimed{false};
  int32_t status_code = 0;
  char status_text[512] = {};

  void fail(percale::RunError code, int64_t detail, const char* message = nullptr, int64_t at = -1) {
    int32_t none = 0;
    if (!error.compare_exchange_strong(none, static_cast<int32_t>(code))) return;
    error_detail = detail;
    error_message = message;
    failed_mark = at;
  }

  // Fails the run with a status worded by the kernel. The message is cut to the size of
  // `status_text`.
  void fail_with(int32_t code, std::string_view message);
  // Called before each run.
  void clear_error();
};

namespace percale {

using NodeView = ::percale_node_view;
using KernelPlan = ::percale_kernel_plan;
using RunContext = ::percale_run_context;
using Kernel = ::percale_kernel;

// The argument of a C++ kernel's run(): percale_launch with typed accessors.
class Launch {
 public:
  Launch(const percale_launch& launch, size_t num_inputs) : launch_(launch), num_inputs_(num_inputs) {}
  template <class T>
  const T* in(size_t i) const {
    return static_cast<const T*>(launch_.operands[i]);
  }
  template <class T>
  T* out(size_t i) const {
    return static_cast<T*>(launch_.operands[num_inputs_ + i]);
  }
  template <class T>
  T* scratch() const {
    return static_cast<T*>(launch_.scratch);
  }
  RunContext& run() const { return *launch_.run; }
  const ParallelFor& parallel() const { return launch_.run->parallel; }
  bool cancelled() const { return launch_.run->cancelled.load(std::memory_order_relaxed); }
  void fail(RunError code, int64_t detail) const { launch_.run->fail(code, detail); }

 private:
  const percale_launch& launch_;
  size_t num_inputs_;
};

// Makes a kernel from three functions:
//   Status accepts(const NodeView&)                    success, or the reason why not
//   Result<State> plan(const NodeView&, KernelPlan&)   State: movable, shared by concurrent runs
//   void run(const State&, const Launch&)              must not throw
// `name` and `op` must be literals. plan() receives `user` (such as the SIMD table) as
// KernelPlan::user. A launch never has more operands than the planned view.
namespace kernel_detail {
template <class T>
struct ResultOf;
template <class T>
struct ResultOf<Result<T>> {
  using Type = T;
};
template <class State>
struct Planned {
  size_t num_inputs;
  State state;
};

// Convert what the function returns or throws to a C status.
percale_status* call_accepts(Status (*accepts)(const NodeView&), const NodeView& node) noexcept;
percale_status* call_plan(Status (*plan)(const NodeView&, KernelPlan&, void** out_state), const NodeView& node,
                          KernelPlan& out_plan, void** out_state) noexcept;

// The functions of the table entry. Each is a template of no more than it needs, so that kernels
// share them.
template <auto Accepts>
percale_status* accepts(void*, const percale_node_view* node) {
  return call_accepts(Accepts, *node);
}
template <auto Plan, class State>
Status plan_state(const NodeView& node, KernelPlan& out_plan, void** out_state) {
  auto state = Plan(node, out_plan);
  if (!state.ok()) return state.status();
  *out_state = new Planned<State>{node.inputs.size(), std::move(state).value()};
  return {};
}
template <auto Plan, class State>
percale_status* plan(void* user, const percale_node_view* node, percale_kernel_plan* out_plan, void** out_state) {
  out_plan->user = user;
  return call_plan(plan_state<Plan, State>, *node, *out_plan, out_state);
}
template <auto Run, class State>
void run(const void* state, const percale_launch* launch) {
  const auto& planned = *static_cast<const Planned<State>*>(state);
  Run(planned.state, Launch(*launch, planned.num_inputs));
}
template <class State>
void destroy(void* state) {
  delete static_cast<Planned<State>*>(state);
}

template <auto Accepts, auto Plan, auto Run>
Kernel table_entry(const char* name, const char* op, const char* domain, const void* user) {
  using State = typename ResultOf<decltype(Plan(std::declval<const NodeView&>(), std::declval<KernelPlan&>()))>::Type;
  Kernel kernel{};
  kernel.struct_size = sizeof(Kernel);
  kernel.name = name;
  kernel.device_kind = "cpu";
  kernel.domain = domain;
  kernel.op = op;
  kernel.user = const_cast<void*>(user);
  kernel.accepts = accepts<Accepts>;
  kernel.plan = plan<Plan, State>;
  kernel.run = run<Run, State>;
  kernel.destroy = destroy<State>;
  return kernel;
}
}  // namespace kernel_detail

template <auto Accepts, auto Plan, auto Run>
[[gnu::always_inline]] inline Kernel make_kernel(const char* name, OpName op, const char* domain = "",
                                                 const void* user = nullptr) {
  if (!op.built()) return {};
  return kernel_detail::table_entry<Accepts, Plan, Run>(name, op.text(), domain, user);
}

// An `Accepts` function that accepts every node.
inline Status accepts_all(const NodeView&) { return {}; }

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_KERNEL_H_
