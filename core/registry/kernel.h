// Kernels as C++ sees them. The table entry itself is percale_kernel of percale_plugin.h, so that our own kernels and a
// stranger's go the same road; make_kernel() below turns three C++ functions into such an entry.
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
#include "core/registry/format.h"
#include "core/registry/op_schema.h"
#include "core/registry/shape_context.h"
#include "core/registry/shard_meeting.h"

namespace percale {
struct Function;  // core/graph/graph.h
}

// The node that a kernel may run. Everything is known: static shapes, attributes with defaults filled in.
struct percale_node_view {
  const percale::OpSchema& schema;
  std::string_view name;
  const percale::Attributes& attributes;
  std::vector<percale::ValueType> inputs;      // dtype kInvalid: absent
  std::vector<percale::ValueType> outputs;     // dtype kInvalid: not asked for
  std::vector<const percale::Tensor*> values;  // per input: its value where it is known before the run, else null
  const percale::Function* body = nullptr;     // of a fused node
  // How inputs lie, and how the output of a Reorder shall lie; null, or no entry: row-major.
  std::vector<const percale::Format*> input_formats = {}, output_formats = {};
  std::vector<bool> prepared = {};  // per input: the same in all runs, until a variable changes
  const char* isa = "";             // Registry::isa()
  // Views of the nodes of `body`, made when a plug-in asks for them. A view belongs to one thread.
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
  bool is_prepared(size_t i) const { return i < prepared.size() && prepared[i]; }
};

// What plan() of a kernel asks of the planner.
struct percale_kernel_plan {
  int64_t scratch_bytes = 0;
  // Whether the planner can give operands another form than row-major. Then these are the ones that the kernel wants, by the
  // number of the operand: inputs, then outputs.
  bool grants_formats = false;
  std::vector<std::pair<size_t, percale::Format>> formats = {};
  // Outputs that the kernel can write over inputs, besides those that the schema names.
  std::vector<percale::InPlace> in_place = {};
  const void* user = nullptr;  // the kernel's own, as given to make_kernel()
};

namespace percale {

// Reason for the failure of a run after it has started: the numbers of percale_run_error and some of
// the core's own. The first failure wins.
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

// One run of one program. Shared by all kernels that run in it, on any thread.
struct percale_run_context {
  percale::ParallelFor parallel;
  std::atomic<int32_t> error{0};  // percale::RunError
  std::atomic<int64_t> error_detail{0};
  std::atomic<const char*> error_message{
      nullptr};  // of the node, ahead of what the error says; of a plan that outlives the run
  std::atomic<bool> cancelled{false};
  int64_t seed = 0;       // random ops: the key is (seed, id of the node)
  int64_t step = 0;       // random ops: the step of the trainer, the counter of the session's run otherwise
  int64_t first_row = 0;  // random ops: number of the batch's first row within the global batch
  const percale::LogSink* log = nullptr;     // where Print writes; null: nowhere
  percale::ShardMeeting* meeting = nullptr;  // with the other shards of the batch; null: this run is alone
  int64_t shard = 0;                         // its number there
  bool again = false;  // set by a kernel that waits for other shards: it is called again after a wake-up

  // On a device's queue: the instruction that is being enqueued, and the one that failed; -1: not known.
  int64_t mark = -1;
  std::atomic<int64_t> failed_mark{-1};

  // The first caller of fail_with() claims the two that follow, writes them, and then sets `error`.
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

  // Fails the run with a status that the kernel words. The message is cut to the size of `status_text`.
  void fail_with(int32_t code, std::string_view message);
  // Called before each run.
  void clear_error();
};

namespace percale {

using NodeView = ::percale_node_view;
using KernelPlan = ::percale_kernel_plan;
using RunContext = ::percale_run_context;
using Kernel = ::percale_kernel;

// What run() of a C++ kernel gets: percale_launch with typed accessors.
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

// Makes a kernel of
//   Status accepts(const NodeView&)                    success, or the reason why not
//   Result<State> plan(const NodeView&, KernelPlan&)   State: a movable plain value, shared by concurrent runs
//   void run(const State&, const Launch&)              must not throw
// `name` and `op` must be literals; `user` reaches plan() as KernelPlan::user, such as the SIMD table. A node never has more operands than the view that was planned.
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
}  // namespace kernel_detail

template <auto Accepts, auto Plan, auto Run>
Kernel make_kernel(const char* name, const char* op, const char* domain = "", const void* user = nullptr) {
  using State = typename kernel_detail::ResultOf<decltype(Plan(std::declval<const NodeView&>(),
                                                               std::declval<KernelPlan&>()))>::Type;
  using Planned = kernel_detail::Planned<State>;
  Kernel kernel{};
  kernel.struct_size = sizeof(Kernel);
  kernel.name = name;
  kernel.device_kind = "cpu";
  kernel.domain = domain;
  kernel.op = op;
  kernel.user = const_cast<void*>(user);
  kernel.accepts = [](void*, const percale_node_view* node) -> percale_status* {
    return catch_to_c([&] { return Accepts(*node); });
  };
  kernel.plan = [](void* user, const percale_node_view* node, percale_kernel_plan* plan,
                   void** out_state) -> percale_status* {
    return catch_to_c([&]() -> Status {
      plan->user = user;
      auto state = Plan(*node, *plan);
      if (!state.ok()) return state.status();
      *out_state = new Planned{node->inputs.size(), std::move(state).value()};
      return {};
    });
  };
  kernel.run = [](const void* state, const percale_launch* launch) {
    const auto& planned = *static_cast<const Planned*>(state);
    Run(planned.state, Launch(*launch, planned.num_inputs));
  };
  kernel.destroy = [](void* state) { delete static_cast<Planned*>(state); };
  return kernel;
}

// An Accepts that takes every node.
inline Status accepts_all(const NodeView&) { return {}; }

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_KERNEL_H_
