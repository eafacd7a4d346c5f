#include "devices/cuda/elementwise/fused_code.h"

#include <array>
#include <cstring>

namespace percale::cuda {
namespace {

std::string text(int64_t number) { return std::to_string(number); }
std::string bits_of(float number) {
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return "bits_to_float(" + std::to_string(bits) + "u)";
}
const char* name_of(FusedType type) {
  return type == FusedType::kBF16 ? "BF16" : type == FusedType::kF16 ? "F16" : "float";
}

// The access pattern of an input: one element for each of the result, one element for all, or a
// repeated tensor.
enum class Reading { kBeside, kOne, kRepeated };
Reading reading_of(const FusedArgs& program, const FusedInput& input) {
  if (input.period == 1) return Reading::kOne;
  return input.period == program.size && input.each == 1 ? Reading::kBeside : Reading::kRepeated;
}

class Writer {
 public:
  Writer(const FusedArgs& program, int inputs, FusedType type) : p_(program), inputs_(inputs), type_(type) {
    bool wide = type == FusedType::kF32;
    for (int i = 0; i < inputs; ++i) wide = wide || p_.input[i].type == FusedType::kF32;
    each_ = wide ? 4 : 8;
  }

  FusedCode write() {
    write_element();
    out_ += "PERCALE_KERNEL(NAME, FusedCodeArgs, 256) {\n";
    for (int i = 0; i < inputs_; ++i) {
      if (reading(i) == Reading::kOne) {
        out_ += "  const float x" + text(i) + " = widen(*" + address(i) + ");\n";
      } else if (reading(i) == Reading::kBeside) {
        out_ += "  const auto* x" + text(i) + " = " + address(i) + ";\n";
      }
    }
    const std::string type = name_of(type_), pack = "Pack<" + type + ", " + text(each_) + ">";
    out_ += "  " + type + "* y = at<" + type + ">(a.y);\n";
    out_ += "  const int64_t packs = a.packed ? a.size / " + text(each_) + " : 0;\n";
    out_ += "  for (int64_t i = thread_number(); i < packs; i += thread_count()) {\n";
    for (int i = 0; i < inputs_; ++i) {
      if (reading(i) != Reading::kBeside) continue;
      const std::string own = "Pack<" + std::string(name_of(p_.input[i].type)) + ", " + text(each_) + ">";
      out_ += "    const " + own + " p" + text(i) + " = reinterpret_cast<const " + own + "*>(x" + text(i) + ")[i];\n";
    }
    out_ += "    " + pack + " r;\n";
    out_ += "    for (int k = 0; k < " + text(each_) + "; ++k) r.items[k] = narrow<" + type + ">(element(a, i * " +
            text(each_) + " + k" + arguments("p", ".items[k]") + "));\n";
    out_ += "    reinterpret_cast<" + pack + "*>(y)[i] = r;\n  }\n";
    out_ += "  for (int64_t i = packs * " + text(each_) + " + thread_number(); i < a.size; i += thread_count()) {\n";
    out_ += "    y[i] = narrow<" + type + ">(element(a, i" + arguments("x", "[i]") + "));\n  }\n}\n";
    return {name_by_content("percale_fused_", out_), each_};
  }

 private:
  Reading reading(int i) const { return reading_of(p_, p_.input[i]); }
  std::string address(int i) const {
    return "at<const " + std::string(name_of(p_.input[i].type)) + ">(a.input[" + text(i) + "])";
  }
  // Returns the arguments of element() for the inputs that do not repeat.
  std::string arguments(const std::string& name, const std::string& item) const {
    std::string out;
    for (int i = 0; i < inputs_; ++i) {
      if (reading(i) == Reading::kOne) out += ", x" + text(i);
      if (reading(i) == Reading::kBeside) out += ", widen(" + name + text(i) + item + ")";
    }
    return out;
  }

  // Writes the function element(a, i, ...) with the steps for one element.
  void write_element() {
    out_ += "__device__ inline float element(const FusedCodeArgs& a, int64_t i";
    for (int i = 0; i < inputs_; ++i) {
      if (reading(i) != Reading::kRepeated) out_ += ", float x" + text(i);
    }
    out_ += ") {\n";
    for (int i = 0; i < inputs_; ++i) {
      if (reading(i) != Reading::kRepeated) continue;
      const FusedInput& in = p_.input[i];
      std::string at = in.period == p_.size ? "i" : "divide(i, " + text(in.period) + ").rest";
      if (in.each > 1) at = "divide(" + at + ", " + text(in.each) + ").quotient";
      if (in.step > 0) at = "divide(i, " + text(in.block) + ").quotient * " + text(in.step) + " + " + at;
      out_ += "  const float x" + text(i) + " = widen(" + address(i) + "[" + at + "]);\n";
    }
    std::array<int, kMostFusedSlots> writer{};  // the step that last wrote each slot
    for (int s = 0; s < p_.steps; ++s) {
      const FusedStep& step = p_.step[s];
      const auto operand = [&](uint8_t code) {
        if (code >= kFusedSlot) return "v" + text(writer[static_cast<size_t>(code - kFusedSlot)]);
        if (code >= kFusedNumber) return bits_of(p_.number[code - kFusedNumber]);
        return "x" + text(code - kFusedInput);
      };
      out_ += "  const float v" + text(s) + (step.f16 != 0 ? " = widen(to_f16(" : " = ");
      if (step.binary != 0) {
        out_ += "binary_float<float>(static_cast<BinaryOp>(" + text(step.op) + "), " + operand(step.a) + ", " +
                operand(step.b) + ")";
      } else {
        out_ += "unary_float<float>(static_cast<UnaryOp>(" + text(step.op) + "), " + operand(step.a) + ", " +
                bits_of(step.alpha) + ", " + bits_of(step.beta) + ")";
      }
      out_ += step.f16 != 0 ? "));\n" : ";\n";
      writer[step.slot] = s;
    }
    out_ += "  return v" + text(p_.steps - 1) + ";\n}\n";
  }

  const FusedArgs& p_;
  const int inputs_;
  const FusedType type_;
  int64_t each_;
  std::string out_;
};

}  // namespace

FusedCode code_of(const FusedArgs& program, int inputs, FusedType type) {
  return Writer(program, inputs, type).write();
}

FusedCodeArgs code_args(const FusedArgs& program, int inputs) {
  FusedCodeArgs out{};
  out.y = program.y;
  out.size = program.size;
  uint64_t together = program.y.address;
  for (int i = 0; i < inputs; ++i) {
    out.input[i] = program.input[i].x;
    if (reading_of(program, program.input[i]) == Reading::kBeside) together |= program.input[i].x.address;
  }
  out.packed = together % 16 == 0 ? 1 : 0;
  return out;
}

}  // namespace percale::cuda
