// Ops computed over all shards of a batch, which run at the same time.
#include <cstring>
#include <memory>
#include <string>

#include "core/graph/emit/composite.h"
#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

Status grad_shard_mean(GradContext& g) {
  if (!g.wants(0)) return {};
  const int64_t transposed = 1 - g.attributes().get_int("transposed");
  g.set(0, g.emit("percale:ShardMean", {g.grad(0)}, {{"transposed", transposed}}));
  return g.status();
}

Status shape_synchronized_norm(ShapeContext& c) {
  const Shape& x = c.shape(0);
  if (x.known_rank() && x.rank() < 2) return c.error("wanted X [N,C,...], got ", x);
  const int64_t channels = x.known_rank() ? x[1] : kUnknownDim;
  for (size_t i = 1; i < 5; ++i) {
    if (!compatible(c.shape(i), Shape{channels})) {
      return c.error(c.schema.input(i).name, " has shape ", c.shape(i), ", wanted ", Shape{channels}, " for X ", x);
    }
  }
  c.set_output(0, c.dtype(0), x);
  for (size_t i = 1; i < 3; ++i) c.set_output(i, c.dtype(3), c.shape(3));
  return {};
}

// BatchNormalization with given statistics, so that the gradient flows through them. The variance
// is computed from the differences to the mean of all shards, which avoids cancellation.
Status synchronized_norm(BodyContext& c) {
  const ValueId x = c.input(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, rank_of(c, x));
  std::vector<int64_t> axes = {0};
  for (size_t d = 2; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  const auto mean_of_all = [&](ValueId v, int64_t keepdims) {
    const ValueId own = c.emit("ReduceMean", {v, c.ints(axes)}, {{"keepdims", keepdims}});
    return c.emit("percale:ShardMean", {own});
  };
  const ValueId wide = cast(c, x, compute_type(c.dtype(x)));
  const ValueId kept = mean_of_all(wide, 1), centred = sub(c, wide, kept);
  const ValueId variance = mean_of_all(mul(c, centred, centred), 0);
  const ValueId mean = c.emit("Reshape", {kept, c.ints({-1})});
  const DType stored = c.dtype(c.input(3));
  const ValueId used[] = {cast(c, mean, stored), cast(c, variance, stored)};
  c.set(0, c.emit("BatchNormalization", {x, c.input(1), c.input(2), used[0], used[1]},
                  {{"epsilon", c.attributes().get_float("epsilon")}}));
  const double momentum = c.attributes().get_float("momentum");
  for (size_t i = 0; i < 2; ++i) {
    const ValueId old = mul(c, c.input(3 + i), c.scalar(stored, momentum));
    c.set(1 + i, add(c, old, mul(c, used[i], c.scalar(stored, 1 - momentum))));
  }
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "ShardMean",
     .doc = "In every shard, the sum of r_s X_s over the shards s of a batch, where r_s is the fraction of the batch's "
            "rows in shard s. With `transposed`, r_s times the sum of all X_s, which is the gradient of the former. It "
            "waits for all shards, which a trainer computes at the same time. Without shards, as in a session's run, "
            "the output is X.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {attr_int("transposed", 0, 0, 1)},
     .outputs = {out("Y", 'T')},
     .flags = kWaitsForShards,
     .shape = shape_same,
     .grad = grad_shard_mean},
    {.domain = "percale",
     .name = "SynchronizedBatchNormalization",
     .doc = "BatchNormalization in training mode with the statistics of all shards of the batch (see ShardMean). The "
            "gradient flows through these statistics.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("scale", 'S', dtypes::kFloat), in("B", 'S', dtypes::kFloat),
                in("input_mean", 'U', dtypes::kFloat), in("input_var", 'U', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0), attr_float("momentum", 0.9)},
     .outputs = {out("Y", 'T'), out_opt("running_mean", 'U'), out_opt("running_var", 'U')},
     .shape = shape_synchronized_norm,
     .grad = grad::body,
     .body = synchronized_norm},
};

struct MeanPlan {
  DType dtype = DType::kInvalid;
  int64_t count = 0, bytes = 0;
  bool transposed = false;
  std::unique_ptr<std::string> node = nullptr;
};

Status accepts_wide(const NodeView& v) {
  if (v.dtype(0) == DType::kF32 || v.dtype(0) == DType::kF64) return {};
  return unimplemented("requires f32 or f64, got ", v.dtype(0));
}

Result<MeanPlan> plan_mean(const NodeView& v, KernelPlan&) {
  MeanPlan p{.dtype = v.dtype(0), .count = v.shape(0).num_elements()};
  PERCALE_ASSIGN_OR_RETURN(p.bytes, byte_size(v.dtype(0), v.shape(0)));
  p.transposed = v.attributes.get_int("transposed") != 0;
  p.node = std::make_unique<std::string>(v.name);
  return p;
}

void run_mean(const MeanPlan& p, const Launch& l) {
  if (p.count == 0) return;
  RunContext& run = l.run();
  if (run.barrier == nullptr) {
    std::memcpy(l.out<void>(0), l.in<void>(0), static_cast<size_t>(p.bytes));
    return;
  }
  run.again = !run.barrier->mean({*p.node, run.shard, p.dtype, p.count, l.in<void>(0)}, p.transposed, l.out<void>(0));
}

}  // namespace

Status register_shard_batch(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {make_kernel<accepts_wide, plan_mean, run_mean>("portable.ShardMean", "ShardMean", "percale")});
}

}  // namespace percale
