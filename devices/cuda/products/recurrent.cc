// LSTM, GRU, RNN and their gradients: products by cuBLASLt, and kernels for the elementwise work
// between them. The input's part of all steps is one product; the state's part is one product for
// each step. Operands of f16 and bf16 are converted to f32 first, as on the CPU, and the f32
// results are rounded once.
#include <algorithm>
#include <cctype>
#include <memory>
#include <numeric>
#include <optional>

#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/launch/kernels.h"
#include "devices/cuda/vendor/blas.h"

namespace percale::cuda {
namespace {

// The inputs of all three ops. LSTM has initial_c and P behind them. A gradient then has the
// gradients of Y, Y_h and Y_c.
enum Input : size_t { kX, kW, kR, kB, kLengths, kH0, kC0, kP };

// An activation, the parameters that it has, and their defaults.
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

// The activations of a node, in order. The values in activation_alpha and activation_beta go in
// order to the functions that have such a parameter.
class Activations {
 public:
  explicit Activations(const Node& node)
      : node_(node), alphas_(node.floats("activation_alpha")), betas_(node.floats("activation_beta")) {}

  // Returns activation i, or `otherwise` if the node names none.
  CellActivation next(size_t i, std::string_view otherwise) {
    const char* const given = node_.attribute_string("activations", i);
    std::string name(given != nullptr ? std::string_view(given) : otherwise);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const NamedFn& f : kFns) {
      if (f.name != name) continue;
      return {f.fn, 0, number(f.has_alpha, alphas_, &alpha_, f.alpha), number(f.has_beta, betas_, &beta_, f.beta)};
    }
    throw Refusal("this activation is not supported");
  }

 private:
  static double number(bool has, const std::vector<double>& given, size_t* at, double otherwise) {
    return has && *at < given.size() ? given[(*at)++] : otherwise;
  }

  const Node& node_;
  const std::vector<double> alphas_, betas_;
  size_t alpha_ = 0, beta_ = 0;
};

// The rows of W and R that form one product, and the location of their sums.
struct Part {
  int64_t first, width, sums;  // sums: offset in bytes from the first sum
};

// An operand of 16 bits, and its f32 copy in the scratch.
struct Widened {
  int64_t size, at;  // at: -1 if the operand is used as it is
};

// A planned node: the arguments of its kernels, its memory and its products.
class Recurrent {
 public:
  Recurrent(Plan& plan, bool gradient) : gradient_(gradient) {
    const Node& node = plan.node();
    read(node);
    book(plan, node);
    make_products();
    workspace_ = plan.book_workspace(workspace_bytes_);
  }

  void run(const Launch& launch) const {
    for (size_t i = 0; i < wide_in_.size(); ++i) {
      if (wide_in_[i].at >= 0) run_cast(launch, given_, dtype_, launch.in(i), in(launch, i), wide_in_[i].size);
    }
    for (int64_t d = 0; d < args_.directions; ++d) {
      RecurrentArgs a = args_;
      a.direction = d;
      a.reversed = reverse_ || d == 1;
      a.f = fns_[d][0], a.g = fns_[d][1], a.h_fn = fns_[d][2];
      a.errors = launch.errors();
      for (const auto& [to, at] : places_) a.*to = launch.scratch(at);
      if (!gradient_) a.gates = a.sums;
      a.lengths = input(launch, kLengths);
      a.peepholes = a.cell == Cell::kLstm ? input(launch, kP) : Ptr{0};
      forwards(launch, a);
      if (gradient_) backwards(launch, a);
    }
    for (size_t k = 0; k < wide_out_.size(); ++k) {
      if (wide_out_[k].at >= 0) run_cast(launch, dtype_, given_, out(launch, k), launch.out(k), wide_out_[k].size);
    }
  }

 private:
  struct Products {
    std::unique_ptr<PlannedProduct> of_x, of_h, back, dw, dr, dx;
  };

  void read(const Node& node) {
    const std::string_view op = node.op();
    RecurrentArgs& a = args_;
    a.cell = op.starts_with("LSTM") ? Cell::kLstm : op.starts_with("GRU") ? Cell::kGru : Cell::kRnn;
    given_ = node.dtype(kX);
    refuse_if(!is_float(given_), "requires f16, bf16, f32 or f64");
    dtype_ = given_ == PERCALE_DTYPE_F64 ? given_ : PERCALE_DTYPE_F32;
    item_ = item_bytes(dtype_);
    a.batch_first = node.attribute("layout", int64_t{0}) != 0;
    const Dims x = node.dims(kX), r = node.dims(kR);
    a.steps = x[a.batch_first ? 1 : 0], a.batch = x[a.batch_first ? 0 : 1], a.input = x[2];
    a.hidden = r[2], a.directions = r[0];
    refuse_if(elements(x) == 0 || elements(r) == 0, "an operand has no elements");
    const std::string_view direction = node.attribute("direction", std::string_view("forward"));
    reverse_ = direction == "reverse";
    a.input_forget = node.attribute("input_forget", int64_t{0}) != 0;
    a.linear_before_reset = a.cell == Cell::kGru && node.attribute("linear_before_reset", int64_t{0}) != 0;
    a.clip = node.attribute("clip", 0.0);
    a.keeps = gradient_;
    const size_t each = a.cell == Cell::kLstm ? 3 : a.cell == Cell::kGru ? 2 : 1;
    const std::string_view gate = a.cell == Cell::kRnn ? "tanh" : "sigmoid";
    Activations activations(node);
    for (size_t i = 0; i < static_cast<size_t>(a.directions) * each; ++i) {
      fns_[i / each][i % each] = activations.next(i, i % each == 0 ? gate : "tanh");
    }
    for (size_t i = 0; i < node.inputs(); ++i) has_.push_back(node.has(i));
    for (size_t k = 0; k < node.outputs(); ++k) gives_.push_back(node.gives(k));
    states_ = a.cell == Cell::kLstm ? 2 : 1;
    const int64_t rows = a.steps * a.batch;
    if (a.cell == Cell::kGru) {
      parts_ = {{0, 2 * a.hidden, 0}, {2 * a.hidden, a.hidden, rows * 2 * a.hidden * item_}};
    } else {
      parts_ = {{0, a.cell == Cell::kLstm ? 4 * a.hidden : a.hidden, 0}};
    }
    for (const Part& part : parts_) width_ += part.width;
  }

  void book(Plan& plan, const Node& node) {
    const RecurrentArgs& a = args_;
    const int64_t rows = a.steps * a.batch, row = a.batch * a.hidden * item_;
    const auto place = [&](Ptr RecurrentArgs::*to, int64_t bytes) { places_.push_back({to, plan.book(bytes)}); };
    place(&RecurrentArgs::sums, rows * width_ * item_);
    place(&RecurrentArgs::h, row * (a.steps + 1));
    if (a.cell == Cell::kLstm) place(&RecurrentArgs::c, row * (a.steps + 1));
    if (a.cell == Cell::kGru) place(&RecurrentArgs::extra, row * a.steps);
    const auto widen = [&](bool there, percale_dtype dtype, const auto& dims) {
      if (!there || dtype != given_ || given_ == dtype_) return Widened{0, -1};
      const int64_t size = elements(dims());
      return Widened{size, plan.book(size * item_)};
    };
    for (size_t i = 0; i < node.inputs(); ++i) {
      wide_in_.push_back(widen(has_[i], node.dtype(i), [&] { return node.dims(i); }));
    }
    for (size_t k = 0; k < node.outputs(); ++k) {
      wide_out_.push_back(widen(gives_[k], given_, [&] { return node.output_dims(k); }));
    }
    if (gathers(true) || (gradient_ && node.gives(0))) place(&RecurrentArgs::gathered, rows * a.input * item_);
    if (!gradient_) return;
    place(&RecurrentArgs::gates, rows * width_ * item_);
    for (Ptr RecurrentArgs::*to :
         {&RecurrentArgs::dh, &RecurrentArgs::dc, &RecurrentArgs::room, &RecurrentArgs::more}) {
      place(to, row);
    }
  }

  void make_products() {
    const RecurrentArgs& a = args_;
    const int64_t rows = a.steps * a.batch;
    const auto make = [&](int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b, bool adds) {
      Product p;
      p.dtype = dtype_;
      p.m = m, p.n = n, p.k = k;
      p.trans_a = trans_a, p.trans_b = trans_b;
      p.beta = adds ? 1 : 0;
      p.alignment = std::gcd(uint64_t{64}, static_cast<uint64_t>(a.hidden * item_));
      workspace_bytes_ = std::max(workspace_bytes_, workspace_for(p));
      return std::make_unique<PlannedProduct>(p);
    };
    for (size_t i = 0; i < parts_.size(); ++i) {
      const int64_t width = parts_[i].width;
      Products& p = products_.emplace_back();
      p.of_x = make(rows, width, a.input, false, true, true);
      p.of_h = make(a.batch, width, a.hidden, false, true, true);
      if (!gradient_) continue;
      const bool into_room = a.cell == Cell::kGru && (i == 0 || a.linear_before_reset);
      p.back = make(a.batch, a.hidden, width, false, false, into_room);
      p.dw = make(width, a.input, rows, true, false, false);
      p.dr = make(width, a.hidden, rows, true, false, false);
      p.dx = make(rows, a.input, width, false, false, i > 0);
    }
  }

  // True if the direction reads a copy of X in the order of its steps.
  bool gathers(bool reversed) const {
    return args_.batch_first || (reversed && (reverse_ || args_.directions == 2)) || (gradient_ && has_[kLengths]);
  }
  // The operands in the type of computing.
  Ptr in(const Launch& launch, size_t i) const {
    return wide_in_[i].at < 0 ? launch.in(i) : launch.scratch(wide_in_[i].at);
  }
  Ptr out(const Launch& launch, size_t k) const {
    return wide_out_[k].at < 0 ? launch.out(k) : launch.scratch(wide_out_[k].at);
  }
  // The same, or null if the operand is absent.
  Ptr input(const Launch& launch, size_t i) const { return i < has_.size() && has_[i] ? in(launch, i) : Ptr{0}; }
  Ptr output(const Launch& launch, size_t k) const { return k < gives_.size() && gives_[k] ? out(launch, k) : Ptr{0}; }
  Ptr weights(const Launch& launch, size_t i, const RecurrentArgs& a, const Part& part) const {
    return in(launch, i) + (a.direction * width_ + part.first) * columns(i) * item_;
  }
  Ptr weights_out(const Launch& launch, size_t k, const RecurrentArgs& a, const Part& part) const {
    return out(launch, k) + (a.direction * width_ + part.first) * columns(k) * item_;
  }
  int64_t columns(size_t weights) const { return weights == kW ? args_.input : args_.hidden; }
  Ptr state(Ptr states, int64_t step) const { return states + step * args_.batch * args_.hidden * item_; }
  Ptr sums(const RecurrentArgs& a, const Part& part, int64_t step) const {
    return a.sums + part.sums + step * a.batch * part.width * item_;
  }
  // GRU's candidate has its own product. Its rows of R multiply r * h, or, with
  // linear_before_reset, h before the reset gate is applied.
  bool is_candidate(size_t part) const { return part == 1; }

  void kernel(const Launch& launch, const char* part, int64_t size, const RecurrentArgs& a) const {
    launch.run({Family::recurrent, std::string("percale_cell_") + part + '_' + suffix(dtype_)}, grid_for(size), a);
  }
  void multiply(const Launch& launch, const PlannedProduct& product, Ptr a, Ptr b, Ptr d, bool adds) const {
    product.run(launch, a, b, adds ? d : Ptr{0}, d, {0}, launch.workspace(workspace_), workspace_bytes_);
  }

  void forwards(const Launch& launch, RecurrentArgs& a) const {
    const int64_t units = a.batch * a.hidden, rows = a.steps * a.batch;
    a.x = in(launch, kX);
    a.bias = input(launch, kB);
    a.h_given = input(launch, kH0);
    a.c_given = a.cell == Cell::kLstm ? input(launch, kC0) : Ptr{0};
    a.y = gradient_ ? Ptr{0} : output(launch, 0);
    const bool gathered = gathers(a.reversed);
    if (gathered) kernel(launch, "gather_x", rows * a.input, a);
    kernel(launch, "begin_sums", rows * width_, a);
    kernel(launch, "load_states", units, a);
    const Ptr x = gathered ? a.gathered : a.x;
    for (size_t i = 0; i < parts_.size(); ++i) {
      multiply(launch, *products_[i].of_x, x, weights(launch, kW, a, parts_[i]), sums(a, parts_[i], 0), true);
    }
    const auto of_h = [&](size_t i, Ptr from, Ptr to) {
      multiply(launch, *products_[i].of_h, from, weights(launch, kR, a, parts_[i]), to, true);
    };
    for (a.step = 0; a.step < a.steps; ++a.step) {
      const Ptr h = state(a.h, a.step), extra = state(a.extra, a.step);
      of_h(0, h, sums(a, parts_[0], a.step));
      if (a.linear_before_reset) of_h(1, h, extra);
      a.second = 0;
      kernel(launch, "step_forwards", units, a);
      if (a.cell != Cell::kGru) continue;
      if (!a.linear_before_reset) of_h(1, extra, sums(a, parts_[1], a.step));
      a.second = 1;
      kernel(launch, "step_forwards", units, a);
    }
    if (gradient_) return;
    a.h_out = output(launch, 1);
    a.c_out = states_ == 2 ? output(launch, 2) : Ptr{0};
    if (a.h_out.address != 0 || a.c_out.address != 0) kernel(launch, "store_states", units, a);
  }

  void backwards(const Launch& launch, RecurrentArgs& a) const {
    const int64_t units = a.batch * a.hidden, rows = a.steps * a.batch;
    const size_t first = a.cell == Cell::kLstm ? 8 : 6;
    RecurrentArgs last = a;
    last.h = a.dh, last.c = a.dc;
    last.h_given = input(launch, first + 1), last.c_given = states_ == 2 ? input(launch, first + 2) : Ptr{0};
    kernel(launch, "load_states", units, last);
    a.y = input(launch, first);
    const auto back = [&](size_t i, Ptr from, Ptr to, bool adds) {
      multiply(launch, *products_[i].back, from, weights(launch, kR, a, parts_[i]), to, adds);
    };
    for (a.step = a.steps - 1; a.step >= 0; --a.step) {
      a.second = 0;
      kernel(launch, "step_backwards", units, a);
      if (a.linear_before_reset) {
        back(1, state(a.extra, a.step), a.room, true);
      } else if (a.cell == Cell::kGru) {
        back(1, sums(a, parts_[1], a.step), a.more, false);
        a.second = 1;
        kernel(launch, "step_backwards", units, a);
      }
      back(0, sums(a, parts_[0], a.step), a.room, a.cell == Cell::kGru);
    }
    a.step = 0;
    a.h_out = output(launch, 4);
    a.c_out = states_ == 2 ? output(launch, 5) : Ptr{0};
    if (a.h_out.address != 0 || a.c_out.address != 0) kernel(launch, "store_gradients", units, a);
    const Ptr x = gathers(a.reversed) ? a.gathered : in(launch, kX), h = state(a.h, 0), extra = state(a.extra, 0);
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const bool linear = is_candidate(i) && a.linear_before_reset, reset = is_candidate(i) && !linear;
      if (output(launch, 1).address != 0) {
        multiply(launch, *products_[i].dw, sums(a, part, 0), x, weights_out(launch, kW, a, part), false);
      }
      if (output(launch, 2).address != 0) {
        multiply(launch, *products_[i].dr, linear ? extra : sums(a, part, 0), reset ? extra : h,
                 weights_out(launch, kR, a, part), false);
      }
    }
    a.y = output(launch, 3);
    if (a.y.address != 0) kernel(launch, "bias_gradient", width_ * kThreads, a);
    a.y = states_ == 2 ? output(launch, 6) : Ptr{0};
    if (a.y.address != 0) kernel(launch, "peephole_gradient", 3 * a.hidden * kThreads, a);
    a.x = output(launch, 0);
    if (a.x.address == 0) return;
    for (size_t i = 0; i < parts_.size(); ++i) {
      multiply(launch, *products_[i].dx, sums(a, parts_[i], 0), weights(launch, kW, a, parts_[i]), a.gathered, i > 0);
    }
    kernel(launch, "scatter_x", rows * a.input, a);
  }

  static constexpr int64_t kThreads = 256;

  const bool gradient_;
  // the types of the operands and of computing
  percale_dtype given_ = PERCALE_DTYPE_F32, dtype_ = PERCALE_DTYPE_F32;
  int64_t item_ = 4, width_ = 0, workspace_ = 0, workspace_bytes_ = 0;
  size_t states_ = 1;  // the states of a row: h, and c for LSTM
  bool reverse_ = false;
  RecurrentArgs args_{};
  CellActivation fns_[2][3] = {};
  std::vector<bool> has_, gives_;
  std::vector<Widened> wide_in_, wide_out_;
  std::vector<Part> parts_;
  std::vector<Products> products_;
  std::vector<std::pair<Ptr RecurrentArgs::*, int64_t>> places_;  // offsets in the scratch
};

template <bool kGradient>
Run prepare_recurrent(Plan& plan) {
  const auto made = std::make_shared<const Recurrent>(plan, kGradient);
  return [made](const Launch& launch) { made->run(launch); };
}

}  // namespace

void add_recurrent(Entries& entries) {
  entries.push_back({"cuda.lstm", "", "LSTM", prepare_recurrent<false>});
  entries.push_back({"cuda.gru", "", "GRU", prepare_recurrent<false>});
  entries.push_back({"cuda.rnn", "", "RNN", prepare_recurrent<false>});
  entries.push_back({"cuda.lstm_grad", "percale", "LSTMGrad", prepare_recurrent<true>});
  entries.push_back({"cuda.gru_grad", "percale", "GRUGrad", prepare_recurrent<true>});
  entries.push_back({"cuda.rnn_grad", "percale", "RNNGrad", prepare_recurrent<true>});
}

}  // namespace percale::cuda
