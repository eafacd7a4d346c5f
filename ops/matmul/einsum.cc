// Einsum: sums of products over labelled dims. A composite op: operands are multiplied from left to
// right, as a matrix product if labels are summed, else element by element.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/graph/emit/composite.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// A label is a letter. The dims of an ellipsis are kDots + their position, counted from the last
// one.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label kDots = 256, kAllDots = -1;

struct Equation {
  std::vector<Labels> terms;  // per operand; kAllDots stands for the ellipsis
  Labels output;
};

bool holds(const Labels& labels, Label label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

Result<Labels> read_term(std::string_view text) {
  Labels out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      out.push_back(c);
    } else if (text.substr(i, 3) == "..." && !holds(out, kAllDots)) {
      out.push_back(kAllDots);
      i += 2;
    } else {
      return invalid_argument("the term '", text, "' contains '", text.substr(i, 1),
                              "', wanted letters and one ellipsis");
    }
  }
  return out;
}

Result<Equation> read_equation(std::string_view text) {
  Equation out;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (;;) {
    const size_t comma = left.find(',');
    PERCALE_ASSIGN_OR_RETURN(Labels term, read_term(left.substr(0, comma)));
    out.terms.push_back(std::move(term));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow != std::string_view::npos) {
    PERCALE_ASSIGN_OR_RETURN(out.output, read_term(text.substr(arrow + 2)));
    return out;
  }
  // Without an output term: the ellipsis, then the labels that occur once, in alphabetical order.
  Labels all;
  for (const Labels& term : out.terms) all.insert(all.end(), term.begin(), term.end());
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const auto count = std::count(all.begin(), all.end(), all[i]);
    if (count == 1 || (all[i] == kAllDots && i == 0)) out.output.push_back(all[i]);
  }
  return out;
}

// Expands the ellipsis of a term for an operand of the given rank.
Result<Labels> spelled(const Labels& term, size_t rank) {
  const bool dots = holds(term, kAllDots);
  const size_t letters = term.size() - (dots ? 1 : 0);
  if (rank < letters || (!dots && rank != letters)) {
    return invalid_argument("a term of ", static_cast<uint64_t>(letters), " labels", dots ? " and an ellipsis" : "",
                            " does not match an operand of rank ", static_cast<uint64_t>(rank));
  }
  Labels out;
  for (const Label label : term) {
    if (label != kAllDots) out.push_back(label);
    for (size_t i = rank - letters; label == kAllDots && i-- > 0;) out.push_back(kDots + static_cast<Label>(i));
  }
  return out;
}

// Expands every ellipsis of the equation for operands of these ranks.
Result<Equation> spelled(const Equation& given, const std::vector<size_t>& ranks) {
  if (given.terms.size() != ranks.size()) {
    return invalid_argument("the equation names ", static_cast<uint64_t>(given.terms.size()), " operands, got ",
                            static_cast<uint64_t>(ranks.size()));
  }
  Equation out;
  Label dots = kDots;
  for (size_t i = 0; i < ranks.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(Labels term, spelled(given.terms[i], ranks[i]));
    for (const Label label : term) dots = std::max(dots, label >= kDots ? label + 1 : kDots);
    out.terms.push_back(std::move(term));
  }
  for (const Label label : given.output) {
    if (label != kAllDots) out.output.push_back(label);
    for (Label i = dots; label == kAllDots && i-- > kDots;) out.output.push_back(i);
  }
  if (out.output.size() > kMaxRank) return invalid_argument("the result exceeds the rank limit of 8");
  for (size_t i = 0; i < out.output.size(); ++i) {
    const Label label = out.output[i];
    const bool used = std::any_of(out.terms.begin(), out.terms.end(), [&](const Labels& t) { return holds(t, label); });
    if (!used)
      return invalid_argument("the output label '", std::string(1, static_cast<char>(label)),
                              "' does not occur in any term");
    if (std::count(out.output.begin(), out.output.end(), label) > 1) {
      return invalid_argument("the output has the label '", std::string(1, static_cast<char>(label)), "' twice");
    }
  }
  if (dots > kDots && !holds(given.output, kAllDots)) {
    return invalid_argument("the output lacks the ellipsis that the dims of an operand need");
  }
  return out;
}

// ---- Shape

// Returns the dim of a label, which several operands may have.
Result<int64_t> dim_of(const ShapeContext& c, const Equation& equation, Label label) {
  int64_t dim = kUnknownDim;
  for (size_t i = 0; i < equation.terms.size(); ++i) {
    for (size_t d = 0; d < equation.terms[i].size(); ++d) {
      const int64_t other = c.shape(i)[d];
      if (equation.terms[i][d] != label || other < 0 || other == dim) continue;
      if (label >= kDots && other == 1) {  // dims of an ellipsis broadcast
        if (dim < 0) dim = 1;
      } else if (dim < 0 || (label >= kDots && dim == 1)) {
        dim = other;
      } else {
        return invalid_argument("one label has different dims: ", dim, " and ", other);
      }
    }
  }
  return dim;
}

Status shape_einsum(ShapeContext& c) {
  const auto given = read_equation(c.attributes.get_string("equation"));
  if (!given.ok()) return c.error(given.status());
  std::vector<size_t> ranks;
  for (size_t i = 0; i < c.num_inputs(); ++i) {
    if (c.shape(i).known_rank()) ranks.push_back(c.shape(i).rank());
  }
  Shape y = Shape::unranked();
  if (ranks.size() == c.num_inputs()) {
    const auto equation = spelled(*given, ranks);
    if (!equation.ok()) return c.error(equation.status());
    for (const Labels& term : equation->terms) {
      for (const Label label : term) {
        if (const auto dim = dim_of(c, *equation, label); !dim.ok()) return c.error(dim.status());
      }
    }
    y = Shape{};
    for (const Label label : equation->output) {
      int64_t dim = *dim_of(c, *equation, label);
      // For a dim of an ellipsis, an unknown dim may still enlarge 1.
      for (size_t i = 0; label >= kDots && i < ranks.size(); ++i) {
        for (size_t d = 0; d < ranks[i]; ++d) {
          if (equation->terms[i][d] == label && c.shape(i)[d] < 0 && dim == 1) dim = kUnknownDim;
        }
      }
      y.push_back(dim);
    }
  }
  c.set_output(0, c.dtype(0), y);
  return {};
}

// ---- The body

struct Operand {
  ValueId value = kNoValue;
  Labels labels;
};

class Contraction {
 public:
  explicit Contraction(BodyContext& c) : c_(c) {}

  // Removes duplicate labels: elements off the diagonal of two equal labels become 0, and one of
  // the two dims is summed.
  Operand without_pairs(Operand x) {
    for (size_t i = 0; i < x.labels.size(); ++i) {
      for (size_t k = x.labels.size(); k-- > i + 1;) {
        if (x.labels[i] != x.labels[k]) continue;
        const auto places = [&](size_t axis) {
          const auto first = static_cast<int64_t>(axis);
          const ValueId n = c_.emit("Squeeze", {c_.emit("Shape", {x.value}, {{"start", first}, {"end", first + 1}})});
          const ValueId up = c_.emit("Range", {c_.scalar(DType::kI64, 0), n, c_.scalar(DType::kI64, 1)});
          std::vector<int64_t> others;
          for (size_t d = 1; d < x.labels.size() - axis; ++d) others.push_back(static_cast<int64_t>(d));
          return others.empty() ? up : c_.emit("Unsqueeze", {up, c_.ints(others)});
        };
        const ValueId same = c_.emit("Equal", {places(i), places(k)});
        x = sum({where(c_, same, x.value, scalar_like(c_, x.value, 0)), x.labels}, {k});
      }
    }
    return x;
  }

  // Sums over the labels that are not in `needed`.
  Operand only(const Operand& x, const Labels& needed) {
    std::vector<size_t> axes;
    for (size_t i = 0; i < x.labels.size(); ++i) {
      if (!holds(needed, x.labels[i])) axes.push_back(i);
    }
    return axes.empty() ? x : sum(x, axes);
  }

  // Returns the operand with its dims in this order, and a dim of 1 for each label that it lacks.
  ValueId ordered(const Operand& x, const Labels& order) {
    std::vector<int64_t> perm, missing;
    for (size_t i = 0; i < order.size(); ++i) {
      const auto at = std::find(x.labels.begin(), x.labels.end(), order[i]);
      if (at == x.labels.end()) {
        missing.push_back(static_cast<int64_t>(i));
      } else {
        perm.push_back(at - x.labels.begin());
      }
    }
    ValueId y = x.value;
    if (!std::is_sorted(perm.begin(), perm.end())) y = c_.emit("Transpose", {y}, {{"perm", perm}});
    return missing.empty() ? y : c_.emit("Unsqueeze", {y, c_.ints(missing)});
  }

  // Returns the product, summed over the labels that both operands have and `needed` lacks. Every
  // label must be in `needed` or in both operands.
  Operand product(const Operand& a, const Operand& b, const Labels& needed) {
    Labels shared, rows, columns, summed;
    for (const Label label : a.labels) {
      const bool in_both = holds(b.labels, label);
      (!in_both ? rows : holds(needed, label) ? shared : summed).push_back(label);
    }
    for (const Label label : b.labels) {
      if (!holds(a.labels, label)) columns.push_back(label);
    }
    Operand y;
    y.labels = shared;
    y.labels.insert(y.labels.end(), rows.begin(), rows.end());
    y.labels.insert(y.labels.end(), columns.begin(), columns.end());
    if (summed.empty()) {
      y.value = mul(c_, ordered(a, y.labels), ordered(b, y.labels));
      return y;
    }
    const size_t batch = shared.size();
    const ValueId left = as_matrix(a, shared, rows, summed), right = as_matrix(b, shared, summed, columns);
    y.value = c_.emit("MatMul", {left, right});
    if (rows.size() == 1 && columns.size() == 1) return y;
    // Take the batch dims from the product, because either operand may have 1 there.
    std::vector<ValueId> dims;
    if (batch > 0) dims.push_back(shape(y.value, 0, static_cast<int64_t>(batch)));
    for (const Label label : rows) dims.push_back(dim(a, label));
    for (const Label label : columns) dims.push_back(dim(b, label));
    const ValueId wanted = dims.empty() ? c_.ints({}) : c_.emit("Concat", dims, {{"axis", 0}});
    y.value = c_.emit("Reshape", {y.value, wanted}, {{"allowzero", 1}});
    return y;
  }

 private:
  Operand sum(const Operand& x, const std::vector<size_t>& axes) {
    Operand y;
    std::vector<int64_t> list;
    for (size_t i = 0; i < x.labels.size(); ++i) {
      if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
        y.labels.push_back(x.labels[i]);
      } else {
        list.push_back(static_cast<int64_t>(i));
      }
    }
    y.value = c_.emit("ReduceSum", {x.value, c_.ints(list)}, {{"keepdims", 0}});
    return y;
  }

  ValueId shape(ValueId x, int64_t first, int64_t end) {
    return c_.emit("Shape", {x}, {{"start", first}, {"end", end}});
  }
  ValueId dim(const Operand& x, Label label) {
    const auto at = std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin();
    return shape(x.value, at, at + 1);
  }

  // Returns x as [batch..., product of `rows`, product of `columns`].
  ValueId as_matrix(const Operand& x, const Labels& batch, const Labels& rows, const Labels& columns) {
    Labels order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    const ValueId y = ordered(x, order);
    if (rows.size() == 1 && columns.size() == 1) return y;
    std::vector<ValueId> dims;
    const auto first = static_cast<int64_t>(batch.size());
    if (!batch.empty()) dims.push_back(shape(y, 0, first));
    const auto middle = first + static_cast<int64_t>(rows.size());
    const auto size = [&](int64_t from, int64_t to) {
      return c_.emit("ReduceProd", {shape(y, from, to), c_.ints({0})}, {{"keepdims", 1}});
    };
    dims.push_back(rows.empty() ? c_.ints({1}) : size(first, middle));
    dims.push_back(columns.empty() ? c_.ints({1}) : size(middle, static_cast<int64_t>(order.size())));
    return c_.emit("Reshape", {y, c_.emit("Concat", dims, {{"axis", 0}})}, {{"allowzero", 1}});
  }

  BodyContext& c_;
};

// Multiplies integers of 8 and 16 bits in 32 bits. The low bits that remain are the same.
DType work_type(DType dtype) {
  if (dtype == DType::kI8 || dtype == DType::kI16) return DType::kI32;
  return dtype == DType::kU8 || dtype == DType::kU16 ? DType::kU32 : dtype;
}

Status einsum(BodyContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const Equation given, read_equation(c.attributes().get_string("equation")));
  const DType dtype = c.dtype(c.input(0));
  std::vector<size_t> ranks;
  for (size_t i = 0; i < given.terms.size(); ++i) {
    if (!c.shape(c.input(i)).known_rank())
      return unimplemented("the rank of operand ", static_cast<uint64_t>(i), " must be known");
    ranks.push_back(c.shape(c.input(i)).rank());
  }
  PERCALE_ASSIGN_OR_RETURN(const Equation equation, spelled(given, ranks));
  Contraction contraction(c);
  Operand y;
  for (size_t i = 0; i < ranks.size(); ++i) {
    Labels needed = equation.output;
    for (size_t k = i + 1; k < ranks.size(); ++k) {
      needed.insert(needed.end(), equation.terms[k].begin(), equation.terms[k].end());
    }
    Operand x = contraction.without_pairs({cast(c, c.input(i), work_type(dtype)), equation.terms[i]});
    Labels of_x = needed;
    of_x.insert(of_x.end(), y.labels.begin(), y.labels.end());
    x = contraction.only(x, of_x);
    if (i == 0) {
      y = x;
      continue;
    }
    needed.insert(needed.end(), x.labels.begin(), x.labels.end());
    y = contraction.only(y, needed);
    for (size_t k = 0; k < x.labels.size(); ++k) needed.pop_back();
    y = contraction.product(y, x, needed);
  }
  y = contraction.only(y, equation.output);
  c.set(0, cast(c, contraction.ordered(y, equation.output), dtype));
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "Einsum",
     .since = 12,
     .doc = "Multiplies the operands' elements and sums over all labels of 'equation' that the output does not have, "
            "as numpy.einsum. An ellipsis stands for dims that broadcast.",
     .inputs = {in_variadic("Inputs", 'T', dtypes::kNumeric)},
     .attributes = {attr_required("equation", AttrKind::kString)},
     .outputs = {out("Output", 'T')},
     .shape = shape_einsum,
     .grad = grad::body,
     .body = einsum},
};

}  // namespace

Status register_einsum(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
