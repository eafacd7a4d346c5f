// MatMul, Gemm and BatchMatMul.
#include <algorithm>
#include <memory>
#include <numeric>

#include "devices/cuda/blas.h"
#include "devices/cuda/kernels.h"
#include "devices/cuda/walk.h"

namespace percale::cuda {
namespace {

// Products of batches one after the other, where their operands do not lie in equal steps.
struct Part {
  int64_t a, b, d;  // offsets in bytes
};

// How batches of `a` and `b` make those of `y`: as many as can be in one call, the others call by call.
std::vector<Part> split_batches(Product& p, const Dims& a, const Dims& b, const Dims& y) {
  const Dims a_steps = broadcast_strides(a, y), b_steps = broadcast_strides(b, y);
  const int64_t bytes = item_bytes(p.dtype);
  const int64_t a_matrix = p.m * p.k, b_matrix = p.k * p.n, d_matrix = p.m * p.n;
  const auto walk = make_walk<2>(y, {a_steps, b_steps});
  // The innermost walk is one call.
  p.batch = walk.rank == 0 ? 1 : walk.dims[walk.rank - 1];
  if (walk.rank > 0) {
    p.a_step = walk.strides[0][walk.rank - 1] * a_matrix;
    p.b_step = walk.strides[1][walk.rank - 1] * b_matrix;
    p.d_step = d_matrix;
  }
  refuse_if(p.batch > INT32_MAX, "more than 2^31 matrices");
  int64_t calls = 1;
  for (int d = 0; d + 1 < walk.rank; ++d) calls *= walk.dims[d];
  refuse_if(calls > 1024, "batches that broadcast in more than 1,024 pieces");
  std::vector<Part> out;
  for (int64_t i = 0; i < calls; ++i) {
    Part part{0, 0, i * p.batch * d_matrix * bytes};
    int64_t rest = i;
    for (int d = walk.rank - 2; d >= 0; --d) {
      const int64_t place = rest % walk.dims[d];
      rest /= walk.dims[d];
      part.a += place * walk.strides[0][d] * a_matrix * bytes;
      part.b += place * walk.strides[1][d] * b_matrix * bytes;
    }
    for (int64_t offset : {part.a, part.b, part.d}) {
      p.alignment = std::gcd(p.alignment, static_cast<uint64_t>(offset));
    }
    out.push_back(part);
  }
  for (int64_t step : {p.a_step, p.b_step, p.d_step}) {
    p.alignment = std::gcd(p.alignment, static_cast<uint64_t>(step * bytes));
  }
  return out;
}

Run run_zeros(int64_t bytes) {
  return [=](const Launch& launch) {
    if (bytes > 0) launch.queue().clear(launch.out(0).address, static_cast<uint64_t>(bytes));
  };
}

// MatMul and BatchMatMul.
Run prepare_matmul(Plan& plan) {
  const Node& node = plan.node();
  Product p;
  p.dtype = node.dtype(0);
  refuse_if(!is_float(p.dtype), "cuBLASLt multiplies floats alone");
  MatMulDims dims(node);
  p.trans_a = dims.trans_a, p.trans_b = dims.trans_b;
  p.m = dims.m, p.k = dims.k, p.n = dims.n;
  const int64_t y_bytes = elements(node.output_dims()) * item_bytes(p.dtype);
  if (y_bytes == 0 || p.k == 0) return run_zeros(y_bytes);
  // One matrix for all batches: they are rows of one product.
  if (elements(dims.b_batch) == 1 && !p.trans_a) {
    p.m *= elements(dims.a_batch);
    dims.a_batch.assign(dims.a_batch.size(), 1);
    dims.y_batch.assign(dims.y_batch.size(), 1);
  }
  const std::vector<Part> parts = split_batches(p, dims.a_batch, dims.b_batch, dims.y_batch);
  const int64_t workspace = workspace_for(p), at = plan.book_workspace(workspace);
  const auto product = std::make_shared<PlannedProduct>(p);
  return [=](const Launch& launch) {
    for (const Part& part : parts) {
      product->run(launch, launch.in(0) + part.a, launch.in(1) + part.b, {0}, launch.out(0) + part.d, {0},
                   launch.workspace(at), workspace);
    }
  };
}

Run prepare_gemm(Plan& plan) {
  const Node& node = plan.node();
  const Dims a = node.dims(0), b = node.dims(1), y = node.output_dims();
  Product p;
  p.dtype = node.dtype(0);
  refuse_if(!is_float(p.dtype), "cuBLASLt multiplies floats alone");
  p.trans_a = node.attribute("transA", int64_t{0}) != 0;
  p.trans_b = node.attribute("transB", int64_t{0}) != 0;
  p.m = y[0];
  p.n = y[1];
  p.k = a[p.trans_a ? 0 : 1];
  p.alpha = node.attribute("alpha", 1.0);
  const double beta = node.attribute("beta", 1.0);
  const int64_t bytes = item_bytes(p.dtype), y_bytes = elements(y) * bytes;
  const bool adds = node.has(2) && beta != 0;
  refuse_if(p.k == 0 && adds, "an inner size of 0");
  if (y_bytes == 0 || p.k == 0) return run_zeros(y_bytes);
  // C: a bias for every column goes into the epilogue; a whole matrix is taken as it is; anything else is first repeated into Y.
  const Dims c = adds ? node.dims(2) : Dims();
  const bool row = adds && elements(c) == p.n && !c.empty() && c.back() == p.n;
  const bool bias = row && beta == 1 && p.dtype != PERCALE_DTYPE_F64;
  const bool whole = adds && !bias && elements(c) == p.m * p.n;
  const bool repeated = adds && !bias && !whole;
  if (bias) p.epilogue = abi::kEpilogueBias;
  if (adds && !bias) p.beta = beta;
  CopyArgs repeat{};
  repeat.size = elements(y);
  if (repeated) repeat.walk = make_walk<2>(y, {broadcast_strides(c, y), row_major(y)});
  const int64_t workspace = workspace_for(p), at = plan.book_workspace(workspace);
  const auto product = std::make_shared<PlannedProduct>(p);
  return [=](const Launch& launch) {
    if (repeated) {
      CopyArgs now = repeat;
      now.x = launch.in(2);
      now.y = launch.out(0);
      run_copy(launch, bytes, now);
    }
    product->run(launch, launch.in(0), launch.in(1), whole ? launch.in(2) : Ptr{0}, launch.out(0),
                 bias ? launch.in(2) : Ptr{0}, launch.workspace(at), workspace);
  };
}

}  // namespace

void add_matmul(Entries& entries) {
  entries.push_back({"cuda.matmul", "", "MatMul", prepare_matmul});
  entries.push_back({"cuda.matmul", "percale", "BatchMatMul", prepare_matmul});
  entries.push_back({"cuda.gemm", "", "Gemm", prepare_gemm});
}

}  // namespace percale::cuda
