// Derives the sizes and the scratch layout of a recurrent node from its attributes and shapes.
#include <algorithm>
#include <cctype>

#include "core/base/checked.h"
#include "ops/recurrent/recurrent.h"

namespace percale {
namespace {

constexpr RecurrentCellKind kKinds[] = {
    {RecurrentCell::kRnn, 1, 1, 6, 2}, {RecurrentCell::kGru, 3, 2, 6, 2}, {RecurrentCell::kLstm, 4, 3, 8, 3}};

// The defaults of alpha and beta are those of ONNX's operators of the same name. A function without
// alpha or beta takes nothing from the lists.
struct NamedFn {
  std::string_view name;
  CellFn fn;
  bool has_alpha = false, has_beta = false;
  double alpha = 0, beta = 0;
};
constexpr NamedFn kFns[] = {{"affine", CellFn::kAffine, true, true, 1, 0},
                            {"elu", CellFn::kElu, true, false, 1},
                            {"hardsigmoid", CellFn::kHardSigmoid, true, true, 0.2, 0.5},
                            {"leakyrelu", CellFn::kLeakyRelu, true, false, 0.01},
                            {"relu", CellFn::kRelu},
                            {"scaledtanh", CellFn::kScaledTanh, true, true, 1, 1},
                            {"sigmoid", CellFn::kSigmoid},
                            {"softplus", CellFn::kSoftplus},
                            {"softsign", CellFn::kSoftsign},
                            {"tanh", CellFn::kTanh},
                            {"thresholdedrelu", CellFn::kThresholdedRelu, true, false, 1}};

const NamedFn* find_fn(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const NamedFn& f : kFns) {
    if (f.name == lower) return &f;
  }
  return nullptr;
}

// Reserves consecutive blocks of scratch, each aligned to 64 bytes.
class Places {
 public:
  explicit Places(int64_t item) : item_(item) {}
  int64_t book(CheckedSize elements) {
    const int64_t at = bytes_.valid() ? bytes_.value() / item_ : 0;
    bytes_ = bytes_ + elements * item_ + 63;
    if (bytes_.valid()) bytes_ = bytes_.value() & ~int64_t{63};
    return at;
  }
  int64_t book_bytes(int64_t bytes) { return book((bytes + item_ - 1) / item_); }
  CheckedSize bytes() const { return bytes_; }

 private:
  int64_t item_;
  CheckedSize bytes_ = 0;
};

// Returns the scratch of the largest product. Only sizes and flags matter.
template <class T>
int64_t gemm_bytes(const RecurrentPlan& p, const simd::GemmFnsOf<T>& fns) {
  const auto bytes = [&](int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b, bool packed) {
    simd::Gemm<T> g;
    g.m = m;
    g.n = n;
    g.k = k;
    g.trans_a = trans_a;
    g.trans_b = trans_b;
    g.row_invariant = p.numerics.batch_invariant;
    static constexpr T kSome{};
    if (packed) g.packed_b = &kSome;
    return fns.scratch_bytes(g);
  };
  const int64_t rows = p.steps * p.batch, width = p.width();
  int64_t most = bytes(rows, width, p.input, false, true, false);
  for (bool packed : {false, true}) most = std::max(most, bytes(p.batch, width, p.hidden, false, true, packed));
  if (!p.gradient) return most;
  most = std::max(most, bytes(rows, p.input, width, false, false, false));
  // GRU computes products with parts of its gates
  for (int64_t part : {p.hidden, 2 * p.hidden, width}) {
    most = std::max(most, bytes(p.batch, p.hidden, part, false, false, false));
    most = std::max(most, bytes(part, p.hidden, rows, true, false, false));
  }
  return std::max(most, bytes(width, p.input, rows, true, false, false));
}

template <class T>
Status book(RecurrentPlan& p, KernelPlan& plan) {
  Places places(sizeof(T));
  CellScratch& s = p.scratch;
  const CheckedSize rows = CheckedSize(p.steps) * p.batch, width = CheckedSize(p.gates) * p.hidden;
  const CheckedSize states = (CheckedSize(p.steps) + 1) * p.batch * p.hidden;
  if (!(rows * width * 8).valid() || !(states * 8).valid() || !(rows * p.input * 8).valid()) {
    return resource_exhausted("the scratch memory exceeds 2^63 bytes");
  }
  if (p.gathers()) s.x = places.book(rows * p.input);
  s.pre = places.book(rows * width);
  s.gate = p.gradient ? places.book(rows * width) : s.pre;
  s.h = places.book(states);
  if (p.cell == RecurrentCell::kLstm) s.c = places.book(states);
  if (p.cell == RecurrentCell::kGru) s.extra = places.book(rows * p.hidden);
  s.bias = places.book(width + p.hidden);
  s.row = places.book(CheckedSize(4) * p.batch * p.hidden);
  if (p.gradient) {
    s.sums = places.book((width + p.hidden) * static_cast<int64_t>(8 / sizeof(T)));
    if (p.gathers()) s.dx = places.book(rows * p.input);
  }
  if (p.simd != nullptr) {
    const simd::GemmFnsOf<T>* fns = nullptr;
    if constexpr (std::is_same_v<T, double>) {
      fns = &p.simd->gemm->f64;
    } else {
      fns = &p.simd->gemm->f32;
    }
    constexpr int64_t kWorthPacking = 4;  // steps
    p.pack = p.steps >= kWorthPacking;
    if (p.pack) {
      const int64_t first = p.cell == RecurrentCell::kGru ? 2 * p.hidden : p.width();
      s.packed = places.book_bytes(fns->packed_b_bytes(p.hidden, first));
      if (p.cell == RecurrentCell::kGru)
        s.packed_candidate = places.book_bytes(fns->packed_b_bytes(p.hidden, p.hidden));
    }
    s.gemm = places.book_bytes(gemm_bytes<T>(p, *fns));
  }
  const CheckedSize all = places.bytes() * p.directions;
  if (!all.valid()) return resource_exhausted("the scratch memory exceeds 2^63 bytes");
  s.size = places.bytes().value() / static_cast<int64_t>(sizeof(T));
  plan.scratch_bytes = all.value();
  return {};
}

}  // namespace

const RecurrentCellKind& cell_kind(std::string_view op) {
  return kKinds[op.starts_with("LSTM") ? 2 : op.starts_with("GRU") ? 1 : 0];
}

Result<int64_t> direction_count(const Attributes& attributes) {
  const std::string_view direction = attributes.get_string("direction", "forward");
  if (direction == "bidirectional") return int64_t{2};
  if (direction == "forward" || direction == "reverse") return int64_t{1};
  return invalid_argument("attribute 'direction' is '", direction, "', wanted forward, reverse or bidirectional");
}

Result<CellActivations> cell_activations(const Attributes& attributes, const RecurrentCellKind& kind,
                                         int64_t directions) {
  const std::vector<std::string>& names = attributes.get_strings("activations");
  const std::vector<double>&alphas = attributes.get_floats("activation_alpha"),
        &betas = attributes.get_floats("activation_beta");
  const size_t per = kind.activations, count = per * static_cast<size_t>(directions);
  if (!names.empty() && names.size() != count) {
    return invalid_argument("attribute 'activations' has ", static_cast<uint64_t>(names.size()), " names, wanted ",
                            static_cast<uint64_t>(count));
  }
  CellActivations out;
  size_t alpha = 0, beta = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool gate = i % per == 0 && kind.cell != RecurrentCell::kRnn;
    const std::string_view name = names.empty() ? (gate ? "Sigmoid" : "Tanh") : std::string_view(names[i]);
    const NamedFn* found = find_fn(name);
    if (found == nullptr) return invalid_argument("attribute 'activations': no activation '", name, "'");
    CellActivation& a = out[i / per][i % per];
    a = {found->fn, found->alpha, found->beta};
    if (found->has_alpha && alpha < alphas.size()) a.alpha = alphas[alpha++];
    if (found->has_beta && beta < betas.size()) a.beta = betas[beta++];
  }
  return out;
}

Result<RecurrentPlan> read_recurrent(const NodeView& v) {
  const RecurrentCellKind& kind = cell_kind(v.schema.name);
  RecurrentPlan p;
  p.cell = kind.cell;
  p.gates = kind.gates;
  p.dtype = v.dtype(0);
  p.numerics = v.numerics;
  p.gradient = v.schema.name.ends_with("Grad");
  p.num_inputs = v.inputs.size();
  p.num_outputs = v.outputs.size();
  for (size_t i = 0; i < p.has_input.size(); ++i) {
    p.has_input[i] = v.has_input(i);
    p.has_output[i] = v.has_output(i);
  }
  p.batch_first = v.attributes.get_int("layout") != 0;
  p.reverse = v.attributes.get_string("direction") == "reverse";
  p.input_forget = v.attributes.get_int("input_forget") != 0;
  p.linear_before_reset = v.attributes.get_int("linear_before_reset") != 0;
  p.clip = v.attributes.get_float("clip");
  PERCALE_ASSIGN_OR_RETURN(p.directions, direction_count(v.attributes));
  PERCALE_ASSIGN_OR_RETURN(p.activations, cell_activations(v.attributes, kind, p.directions));
  const Shape& x = v.shape(0);
  p.steps = x[p.batch_first ? 1 : 0];
  p.batch = x[p.batch_first ? 0 : 1];
  p.input = x[2];
  p.hidden = v.shape(2)[2];
  return p;
}

Result<RecurrentPlan> plan_recurrent(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(RecurrentPlan p, read_recurrent(v));
  p.simd = static_cast<const simd::SimdTable*>(plan.user);
  PERCALE_RETURN_IF_ERROR(p.dtype == DType::kF64 ? book<double>(p, plan) : book<float>(p, plan));
  return p;
}

}  // namespace percale
