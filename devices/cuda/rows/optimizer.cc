// The steps of the optimizers, for all elements or for the rows that have a gradient.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

// Operands: the parameter, the rows (sparse ops only), the gradient, the slots, then scalars:
// learning_rate, step (if the rule uses it), grad_scale.
struct RuleEntry {
  const char* op;
  StepRule rule;
  size_t slots;  // the number of slot inputs, including absent ones
  bool has_step;
};
constexpr RuleEntry kRules[] = {
    {"ApplySGD", StepRule::kSgd, 0, false},         {"ApplyMomentum", StepRule::kMomentum, 1, false},
    {"ApplyAdam", StepRule::kAdam, 2, true},        {"ApplyAdamW", StepRule::kAdamW, 2, true},
    {"ApplyRMSProp", StepRule::kRmsProp, 2, false}, {"ApplyAdagrad", StepRule::kAdagrad, 1, false},
    {"ApplyFtrl", StepRule::kFtrl, 2, false},       {"ApplyLion", StepRule::kLion, 1, false},
    {"ApplyLAMB", StepRule::kLamb, 2, true},
};

constexpr std::string_view kSparse = "Sparse";
constexpr const char* kSparseOps[] = {"SparseApplySGD", "SparseApplyMomentum", "SparseApplyAdam", "SparseApplyAdagrad",
                                      "SparseApplyFtrl"};

const RuleEntry& rule_of(std::string_view op) {
  if (op.starts_with(kSparse)) op.remove_prefix(kSparse.size());
  for (const RuleEntry& rule : kRules) {
    if (op == rule.op) return rule;
  }
  throw Refusal("unknown update rule");
}

StepArgs step_args(const Node& node, StepRule rule) {
  StepArgs args{};
  args.rule = rule;
  args.size = elements(node.dims(0));
  args.nesterov = node.attribute("nesterov", int64_t{0}) != 0;
  args.weight_decay = node.attribute("weight_decay", 0.0);
  args.momentum = node.attribute("momentum", 0.0);
  args.beta1 = node.attribute("beta1", 0.0);
  args.beta2 = node.attribute("beta2", 0.0);
  args.epsilon = node.attribute("epsilon", 0.0);
  args.alpha = node.attribute("alpha", 0.0);
  args.power = -node.attribute("learning_rate_power", 0.0);
  args.l1 = node.attribute("l1", 0.0);
  args.l2 = node.attribute("l2", 0.0);
  args.l2_shrinkage = node.attribute("l2_shrinkage", 0.0);
  args.beta = node.attribute("beta", 0.0);
  return args;
}

// Returns the arguments with the operands of a run.
using Bind = std::function<StepArgs(const Launch& launch)>;
Bind bind_step(const Node& node, const RuleEntry& entry) {
  StepArgs args = step_args(node, entry.rule);
  const bool sparse = node.op().starts_with(kSparse);
  const size_t grad = sparse ? 2 : 1, slot = grad + 1;
  const size_t rate = slot + entry.slots, step = rate + 1, scale = rate + (entry.has_step ? 2 : 1);
  args.rate_input = static_cast<int32_t>(rate);
  args.wide_rate = node.dtype(rate) == PERCALE_DTYPE_F64;
  const bool has_step = entry.has_step, scaled = node.has(scale);
  args.wide_scale = scaled && node.dtype(scale) == PERCALE_DTYPE_F64;
  const bool slot0 = entry.slots > 0, slot1 = entry.slots > 1 && node.has(slot + 1), gives1 = slot1 && node.gives(2);
  if (sparse) {
    args.most = node.dims(0)[0];
    args.row_count = elements(node.dims(1));
    args.width = args.most > 0 ? args.size / args.most : 0;
  }
  return [=](const Launch& launch) {
    StepArgs now = args;
    now.param = launch.in(0);
    if (sparse) now.rows = launch.in(1);
    now.grad = launch.in(grad);
    now.new_param = launch.out(0);
    if (slot0) {
      now.slot0 = launch.in(slot);
      now.new_slot0 = launch.out(1);
    }
    if (slot1) now.slot1 = launch.in(slot + 1);
    if (gives1) now.new_slot1 = launch.out(2);
    now.rate = launch.in(rate);
    if (has_step) now.step = launch.in(step);
    if (scaled) now.scale = launch.in(scale);
    now.errors = launch.errors();
    return now;
  };
}

// Consecutive steps of parameters that differ in their tensors only, as one kernel. A network has a
// hundred parameters, most of them too small to fill a GPU.
class WaitingSteps final : public Waiting {
 public:
  WaitingSteps(abi::Function function, const StepArgs& first) : function_(function) { args_.step = shared(first); }

  // Adds a step. Returns false if it is of another kind, if there is no space left, or if it reads
  // or writes a tensor that a waiting step writes, or writes one that a waiting step reads.
  bool add(abi::Function function, const StepArgs& step, int64_t bytes) {
    const StepArgs common = shared(step);
    if (function != function_ || step.errors.run != args_.step.errors.run || args_.count == kMostSteps ||
        std::memcmp(&common, &args_.step, sizeof common) != 0) {
      return false;
    }
    const Touched of_it{
        {step.new_param, step.new_slot0, step.new_slot1}, {step.param, step.grad, step.slot0, step.slot1}, bytes};
    for (const Touched& before : touched_) {
      if (before.meets(of_it)) return false;
    }
    touched_.push_back(of_it);
    StepItem& item = args_.items[args_.count++];
    item = {step.param,     step.grad,      step.slot0, step.slot1,  step.new_param,
            step.new_slot0, step.new_slot1, step.size,  args_.pieces};
    args_.pieces += (step.size + kStepPiece - 1) / kStepPiece;
    return true;
  }

  void enqueue(Stream& stream) override {
    constexpr int64_t kMostBlocks = 4096;
    stream.launch(function_, static_cast<unsigned>(std::min(args_.pieces, kMostBlocks)), 1, 256, 1, 0, &args_);
  }

 private:
  // The tensors of a step, all of one size.
  struct Touched {
    Ptr written[3], read[4];
    int64_t bytes;

    bool meets(const Touched& other) const {
      return any(written, bytes, other.written, other.bytes) || any(written, bytes, other.read, other.bytes) ||
             any(read, bytes, other.written, other.bytes);
    }
    template <size_t kA, size_t kB>
    static bool any(const Ptr (&a)[kA], int64_t a_bytes, const Ptr (&b)[kB], int64_t b_bytes) {
      for (const Ptr p : a) {
        for (const Ptr q : b) {
          if (p.address != 0 && q.address != 0 && p.address < (q + b_bytes).address &&
              q.address < (p + a_bytes).address) {
            return true;
          }
        }
      }
      return false;
    }
  };

  // Returns the arguments that all steps share. An error in a scalar names the instruction of the
  // first step.
  StepArgs shared(StepArgs step) const {
    step.param = step.grad = step.slot0 = step.slot1 = {0};
    step.new_param = step.new_slot0 = step.new_slot1 = {0};
    step.size = 0;
    if (args_.count > 0) step.errors = args_.step.errors;
    return step;
  }

  const abi::Function function_;
  StepsArgs args_{};
  std::vector<Touched> touched_;
};

Run prepare_step(Plan& plan) {
  const Node& node = plan.node();
  const Bind bind = bind_step(node, rule_of(node.op()));
  const std::string kernel = std::string("percale_steps_") + suffix(node.dtype(0));
  const int64_t size = elements(node.dims(0)), bytes = size * item_bytes(node.dtype(0));
  return [=](const Launch& launch) {
    if (size == 0) return;
    Stream& stream = launch.stream();
    const abi::Function function = stream.device().function(Family::optimizer, kernel, sizeof(StepsArgs));
    const StepArgs step = bind(launch);
    stream.wait_with(
        [&](Waiting& waiting) {
          auto* const steps = dynamic_cast<WaitingSteps*>(&waiting);
          return steps != nullptr && steps->add(function, step, bytes);
        },
        [&] {
          auto steps = std::make_unique<WaitingSteps>(function, step);
          steps->add(function, step, bytes);
          return steps;
        });
  };
}

// Rows without a gradient are copied unchanged.
Run prepare_sparse_step(Plan& plan) {
  const Node& node = plan.node();
  const Bind bind = bind_step(node, rule_of(node.op()));
  const DeviceKernel kernel{Family::optimizer, std::string("percale_step_rows_") + suffix(node.dtype(0))};
  const int64_t bytes = elements(node.dims(0)) * item_bytes(node.dtype(0));
  return [=](const Launch& launch) {
    const StepArgs now = bind(launch);
    run_move(launch, now.new_param, now.param, bytes);
    if (now.slot0.address != 0) run_move(launch, now.new_slot0, now.slot0, bytes);
    if (now.slot1.address != 0) run_move(launch, now.new_slot1, now.slot1, bytes);
    if (now.row_count * now.width > 0) launch.run(kernel, grid_for(now.row_count * now.width), now);
  };
}

// Each piece of at least kPiece elements has its own sum of squares.
constexpr int64_t kPiece = 2048, kMostPieces = 512;

Run prepare_lamb(Plan& plan) {
  const Node& node = plan.node();
  const Bind bind = bind_step(node, rule_of(node.op()));
  const std::string name = suffix(node.dtype(0));
  const DeviceKernel moments{Family::optimizer, "percale_lamb_moments_" + name},
      step{Family::optimizer, "percale_lamb_step_" + name};
  const int64_t size = elements(node.dims(0)), pieces = std::clamp<int64_t>(size / kPiece, 1, kMostPieces);
  const int64_t sums = plan.book(pieces * 16);
  Grid grid;
  grid.blocks = static_cast<unsigned>(pieces);
  return [=](const Launch& launch) {
    if (size == 0) return;
    StepArgs now = bind(launch);
    now.sums = launch.scratch(sums);
    now.pieces = pieces;
    launch.run(moments, grid, now);
    launch.run(step, grid_for(size), now);
  };
}

}  // namespace

void add_optimizer(Entries& entries) {
  for (const RuleEntry& rule : kRules) {
    const bool lamb = rule.rule == StepRule::kLamb;
    entries.push_back({lamb ? "cuda.lamb" : "cuda.step", "percale", rule.op, lamb ? prepare_lamb : prepare_step});
  }
  for (const char* op : kSparseOps) entries.push_back({"cuda.sparse_step", "percale", op, prepare_sparse_step});
}

}  // namespace percale::cuda
