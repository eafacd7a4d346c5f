// CheckNumerics, Print and Assert, as in TensorFlow. Each passes its input through.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>

#include "core/base/log.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

// ---- Shapes

Status shape_assert(ShapeContext& c) {
  if (!c.wants_output(0)) return {};
  if (!c.has_input(1)) return c.error("output 'Y' needs input 'X'");
  c.set_output(0, c.dtype(1), c.shape(1));
  return {};
}

// ---- Gradients

// Checks the gradient that flows back as well.
Status grad_check(GradContext& g) {
  if (!g.wants(0)) return {};
  const std::string message = str_cat("gradient: ", g.attributes().get_string("message"));
  g.set(0, g.emit("percale:CheckNumerics", {g.grad(0)}, {{"message", message}}));
  return g.status();
}
Status grad_print(GradContext& g) {
  if (g.wants(0)) g.set(0, g.grad(0));
  return g.status();
}
Status grad_assert(GradContext& g) {
  if (g.wants(1)) g.set(1, g.grad(0));
  return g.status();
}

// ---- Schemas

constexpr AttrSpec kMessage = attr_string("message", "");

// Print and Assert are effects: they keep their order among reads and writes of variables and are
// never merged. They run if a fetch needs their output, if a later effect of the run follows them,
// or if they are a target.
constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "CheckNumerics",
     .doc = "Returns X unchanged. An infinite or NaN element fails the run with `message`. The gradient is checked in "
            "the same way.",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {kMessage},
     .outputs = {out("Y", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_same,
     .grad = grad_check},
    {.domain = "percale",
     .name = "Print",
     .doc = "Returns X unchanged and logs its first `summarize` elements (-1: as many as fit on a line), after "
            "`message`, through the engine's log callback at level info.",
     .inputs = {in("X", 'T', kStorable)},
     .attributes = {kMessage, attr_int("summarize", 3, -1)},
     .outputs = {out("Y", 'T')},
     .flags = kStateful | kObserver,
     .in_place = {InPlace{0, 0}},
     .shape = shape_same,
     .grad = grad_print},
    {.domain = "percale",
     .name = "Assert",
     .doc = "Returns X unchanged, if it is given, and fails the run with `message` unless every element of the "
            "condition is true.",
     .inputs = {in("condition", 0, dtypes::kBoolOnly), in_opt("X", 'T', kStorable)},
     .attributes = {kMessage},
     .outputs = {out_opt("Y", 'T')},
     .flags = kStateful | kObserver,
     .in_place = {InPlace{0, 1}},
     .shape = shape_assert,
     .grad = grad_assert},
};

// ---- Kernels

struct DebugPlan {
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t elements = 0, bytes = 0;  // bytes: size of the passed-through value
  int64_t summarize = 0;
  std::unique_ptr<std::string> message;  // stays at one address, because a failed run points at it
};

Result<DebugPlan> plan_debug(const NodeView& v, size_t given, bool has_output) {
  DebugPlan p;
  p.dtype = v.dtype(0);
  p.shape = v.shape(0);
  p.elements = v.shape(0).num_elements();
  if (has_output) {
    PERCALE_ASSIGN_OR_RETURN(p.bytes, byte_size(v.dtype(given), v.shape(given)));
  }
  p.summarize = v.attributes.get_int("summarize");
  p.message = std::make_unique<std::string>(v.attributes.get_string("message"));
  return p;
}
void give_on(const DebugPlan& p, const Launch& l, size_t given) {
  if (p.bytes > 0 && l.in<char>(given) != l.out<char>(0)) {
    std::memcpy(l.out<char>(0), l.in<char>(given), static_cast<size_t>(p.bytes));
  }
}

Result<DebugPlan> plan_check(const NodeView& v, KernelPlan&) { return plan_debug(v, 0, true); }
void run_check(const DebugPlan& p, const Launch& l) {
  dispatch(kFloatList, p.dtype, [&]<class T>() {
    const T* x = l.in<T>(0);
    const int64_t pieces = pieces_for(p.elements);
    std::array<int64_t, kMaxPieces> first;  // per piece: the first non-finite element
    l.parallel()(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(p.elements, pieces, piece);
      int64_t i = range.begin;
      while (i < range.end && std::isfinite(widen(x[i]))) ++i;
      first[static_cast<size_t>(piece)] = i < range.end ? i : p.elements;
    });
    const int64_t found = *std::min_element(first.begin(), first.begin() + pieces);
    if (found < p.elements) l.run().fail(RunError::kNotFinite, found, p.message->c_str());
  });
  give_on(p, l, 0);
}

Result<DebugPlan> plan_assert(const NodeView& v, KernelPlan&) { return plan_debug(v, 1, v.has_output(0)); }
void run_assert(const DebugPlan& p, const Launch& l) {
  const bool* holds = l.in<bool>(0);
  const int64_t found = std::find(holds, holds + p.elements, false) - holds;
  if (found < p.elements) l.run().fail(RunError::kAssertionFailed, found, p.message->c_str());
  give_on(p, l, 1);
}

// A line of text in a fixed buffer. Text that does not fit is left out.
class Line {
 public:
  // Reserves kEnd bytes for the end of the line.
  bool add(std::string_view text) {
    if (text.size() > text_.size() - size_ - kEnd) return false;
    std::memcpy(text_.data() + size_, text.data(), text.size());
    size_ += text.size();
    return true;
  }
  template <class T>
  bool add_number(T value) {
    std::array<char, 40> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    return add({digits.data(), static_cast<size_t>(end.ptr - digits.data())});
  }
  std::string_view finish(std::string_view end) {
    std::memcpy(text_.data() + size_, end.data(), end.size());
    return {text_.data(), size_ + end.size()};
  }

 private:
  static constexpr size_t kEnd = 8;
  std::array<char, 2048> text_;
  size_t size_ = 0;
};

bool add_element(Line& line, DType dtype, const void* x, int64_t i) {
  bool fits = false;
  const bool plain = dispatch(kAnyList, dtype, [&]<class T>() {
    const T value = static_cast<const T*>(x)[i];
    if constexpr (std::is_same_v<T, bool>) {
      fits = line.add(value ? "true" : "false");
    } else {
      fits = line.add_number(widen(value));
    }
  });
  if (plain) return fits;
  std::array<uint8_t, 4> codes;
  const int64_t first = i / 4 * 4;
  unpack_small(dtype, x, first, i - first + 1, codes.data());
  return line.add_number(decode_small(dtype, codes[static_cast<size_t>(i - first)]));
}

Result<DebugPlan> plan_print(const NodeView& v, KernelPlan&) { return plan_debug(v, 0, true); }
void run_print(const DebugPlan& p, const Launch& l) {
  give_on(p, l, 0);
  const LogSink* log = l.run().log;
  if (log == nullptr || log->write == nullptr || LogLevel::kInfo < log->level) return;
  Line line;
  line.add(std::string_view(*p.message).substr(0, 1024));
  line.add("[");
  const int64_t wanted = p.summarize < 0 ? p.elements : std::min(p.summarize, p.elements);
  int64_t shown = 0;
  while (shown < wanted && (shown == 0 || line.add(" ")) && add_element(line, p.dtype, l.in<void>(0), shown)) ++shown;
  log->write(log->user, LogLevel::kInfo, line.finish(shown < p.elements ? "...]" : "]"));
}

}  // namespace

Status register_debug(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry,
                         {make_kernel<accepts_types<kFloatList>, plan_check, run_check>("portable.CheckNumerics",
                                                                                        "CheckNumerics", "percale"),
                          make_kernel<accepts_storable, plan_print, run_print>("portable.Print", "Print", "percale"),
                          make_kernel<accepts_all, plan_assert, run_assert>("portable.Assert", "Assert", "percale")});
}

}  // namespace percale
