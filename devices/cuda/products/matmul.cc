// MatMul, Gemm and BatchMatMul, with the epilogues of cuBLASLt.
#include <algorithm>
#include <memory>
#include <numeric>

#include "devices/cuda/elementwise/fused.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/launch/walk.h"
#include "devices/cuda/vendor/blas.h"

namespace percale::cuda {
namespace {

// True if `dims` is a row with one number for each of the `n` columns of the product.
bool is_row(const Dims& dims, int64_t n) { return !dims.empty() && dims.back() == n && elements(dims) == n; }

// One call of several, for operands whose batches are not equally spaced.
struct Part {
  int64_t a, b, d;  // offsets in bytes
};

// Splits the batches of `y`, made from those of `a` and `b`. Each call computes as many matrices as
// possible.
std::vector<Part> split_batches(Product& p, const Dims& a, const Dims& b, const Dims& y) {
  const Dims a_steps = broadcast_strides(a, y), b_steps = broadcast_strides(b, y);
  const int64_t bytes = item_bytes(p.dtype);
  const int64_t a_matrix = p.m * p.k, b_matrix = p.k * p.n, d_matrix = p.m * p.n;
  const auto walk = make_walk<2>(y, {a_steps, b_steps});
  // The innermost dim of the walk is one call.
  p.batch = walk.rank == 0 ? 1 : walk.dims[walk.rank - 1];
  if (walk.rank > 0) {
    p.a_step = walk.strides[0][walk.rank - 1] * a_matrix;
    p.b_step = walk.strides[1][walk.rank - 1] * b_matrix;
    p.d_step = d_matrix;
  }
  refuse_if(p.batch > INT32_MAX, "more than 2^31 matrices are not supported");
  int64_t calls = 1;
  for (int d = 0; d + 1 < walk.rank; ++d) calls *= walk.dims[d];
  refuse_if(calls > 1024, "the batches broadcast in more than 1,024 pieces");
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
    if (bytes > 0) launch.stream().clear(launch.out(0).address, static_cast<uint64_t>(bytes));
  };
}

// MatMul and BatchMatMul.
Run prepare_matmul(Plan& plan) {
  const Node& node = plan.node();
  Product p;
  p.dtype = node.dtype(0);
  refuse_if(!is_float(p.dtype), "cuBLASLt supports only floating-point types");
  MatMulDims dims(node);
  p.trans_a = dims.trans_a, p.trans_b = dims.trans_b;
  p.m = dims.m, p.k = dims.k, p.n = dims.n;
  const int64_t y_bytes = elements(node.output_dims()) * item_bytes(p.dtype);
  if (y_bytes == 0 || p.k == 0) return run_zeros(y_bytes);
  // If all batches share one B, their rows form a single product.
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
  refuse_if(!is_float(p.dtype), "cuBLASLt supports only floating-point types");
  p.trans_a = node.attribute("transA", int64_t{0}) != 0;
  p.trans_b = node.attribute("transB", int64_t{0}) != 0;
  p.m = y[0];
  p.n = y[1];
  p.k = a[p.trans_a ? 0 : 1];
  p.alpha = node.attribute("alpha", 1.0);
  const double beta = node.attribute("beta", 1.0);
  const int64_t bytes = item_bytes(p.dtype), y_bytes = elements(y) * bytes;
  const bool adds = node.has(2) && beta != 0;
  refuse_if(p.k == 0 && adds, "the inner size is 0");
  if (y_bytes == 0 || p.k == 0) return run_zeros(y_bytes);
  // C is a bias in the epilogue if it has one number per column. A whole matrix is passed as it is.
  // Any other shape is first broadcast into Y.
  const Dims c = adds ? node.dims(2) : Dims();
  const bool bias = adds && is_row(c, p.n) && beta == 1 && p.dtype != PERCALE_DTYPE_F64;
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

// A MatMul by one matrix, or a Gemm, with an epilogue of cuBLASLt: a bias row, then Relu or, in 16
// bits, Gelu by tanh. The remaining nodes of the group run as one kernel.
class FusedProduct {
 public:
  explicit FusedProduct(const Node& node) : node_(node), first_(node.body_node(0)) {
    p_.dtype = node.output_dtype();
    refuse_if(p_.dtype == PERCALE_DTYPE_F64 || !is_float(p_.dtype), "requires f32 or a narrower floating-point type");
    refuse_if(first_.dtype(0) != p_.dtype || first_.dtype(1) != p_.dtype, "the operands differ in dtype");
    a_ = node.outer_input(0, 0);
    b_ = node.outer_input(0, 1);
    if (first_.op() == "Gemm") {
      take_gemm();
    } else {
      refuse_if(first_.op() != "MatMul", "requires a group with the anchor MatMul or Gemm");
      const MatMulDims dims(first_);
      refuse_if(elements(dims.b_batch) != 1 || dims.trans_a,
                "the product has several right matrices or a transposed left operand");
      p_.trans_b = dims.trans_b;
      p_.m = dims.m * elements(dims.a_batch), p_.k = dims.k, p_.n = dims.n;
    }
    refuse_if(p_.m * p_.n * p_.k == 0, "the product has no elements");
    take_bias();
    take_activation();
    refuse_if(next_ == 1, "the epilogue contains nothing that the product can fuse");
    // The remaining nodes may read the result of the last node in the epilogue, but no earlier one.
    for (size_t i = next_; i < node.body_size(); ++i) {
      for (size_t j = 0; j < node.body_node(i).inputs(); ++j) {
        for (size_t taken = 0; taken + 1 < next_; ++taken) {
          refuse_if(node.body_input(i, j) == node.body_output(taken), "another node reads the product");
        }
      }
    }
  }

  const Product& product() const { return p_; }
  size_t a() const { return a_; }
  size_t b() const { return b_; }
  int bias() const { return bias_; }     // an input of the node; -1: none
  size_t next() const { return next_; }  // the first node of the body after the epilogue

 private:
  void take_gemm() {
    p_.trans_a = first_.attribute("transA", int64_t{0}) != 0;
    p_.trans_b = first_.attribute("transB", int64_t{0}) != 0;
    const Dims y = node_.output_dims();
    p_.m = y[0], p_.n = y[1], p_.k = first_.dims(0)[p_.trans_a ? 0 : 1];
    p_.alpha = first_.attribute("alpha", 1.0);
    if (!first_.has(2) || first_.attribute("beta", 1.0) == 0) return;
    refuse_if(!is_row(first_.dims(2), p_.n) || first_.attribute("beta", 1.0) != 1, "C is not a row or beta is not 1");
    bias_ = static_cast<int>(node_.outer_input(0, 2));
    p_.epilogue = abi::kEpilogueBias;
  }
  void take_bias() {
    if (bias_ >= 0 || next_ >= node_.body_size() || node_.body_node(next_).op() != "Add") return;
    const int before = node_.body_output(0);
    const size_t other = node_.body_input(next_, 0) == before ? 1 : 0;
    const int value = node_.body_input(next_, other);
    if (node_.body_input(next_, 1 - other) != before || value < 0 || static_cast<size_t>(value) >= node_.inputs())
      return;
    const auto input = static_cast<size_t>(value);
    if (!is_row(node_.dims(input), p_.n) || node_.dtype(input) != p_.dtype) return;
    bias_ = value;
    p_.epilogue = abi::kEpilogueBias;
    ++next_;
  }
  void take_activation() {
    if (next_ >= node_.body_size() || node_.body_input(next_, 0) != node_.body_output(next_ - 1)) return;
    const auto code = unary_code(node_.body_node(next_));
    const bool relu = code && code->op == UnaryOp::kRelu;
    if (!relu && !(code && code->op == UnaryOp::kGeluTanh && p_.dtype != PERCALE_DTYPE_F32)) return;
    const int end = relu ? abi::kEpilogueRelu : abi::kEpilogueGelu;
    p_.epilogue = bias_ >= 0 ? end | abi::kEpilogueBias : end;
    ++next_;
  }

  const Node& node_;
  const Node first_;
  Product p_;
  size_t a_ = 0, b_ = 0, next_ = 1;
  int bias_ = -1;
};

Run prepare_fused_product(Plan& plan) {
  const Node& node = plan.node();
  const std::string_view anchor = node.attribute("anchor", std::string_view());
  refuse_if(anchor != "MatMul" && anchor != "Gemm", "requires a group with the anchor MatMul or Gemm");
  const FusedProduct fused(node);
  const int64_t workspace = workspace_for(fused.product()), at = plan.book_workspace(workspace);
  const auto product = std::make_shared<PlannedProduct>(fused.product());
  const auto rest = fused.next() < node.body_size() ? std::make_shared<const Chain>(plan, fused.next()) : nullptr;
  return [=, a = fused.a(), b = fused.b(), bias = fused.bias()](const Launch& launch) {
    product->run(launch, launch.in(a), launch.in(b), {0}, launch.out(0),
                 bias < 0 ? Ptr{0} : launch.in(static_cast<size_t>(bias)), launch.workspace(at), workspace);
    if (rest != nullptr) rest->run(launch);
  };
}

}  // namespace

void add_matmul(Entries& entries) {
  entries.push_back({"cuda.matmul", "", "MatMul", prepare_matmul});
  entries.push_back({"cuda.matmul", "percale", "BatchMatMul", prepare_matmul});
  entries.push_back({"cuda.gemm", "", "Gemm", prepare_gemm});
  entries.push_back({"cuda.product", "percale", "Fused", prepare_fused_product});
}

}  // namespace percale::cuda
