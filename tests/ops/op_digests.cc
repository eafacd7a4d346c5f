// Prints a digest of the results of each op with numerics=portable, for every instruction set that
// this machine has, as JSON: {"sse4": {"Add": "0123456789abcdef", ...}, ...}. A digest covers all
// rows of the op tables on all CPU kernels of the op.
#include <bit>
#include <cstdio>
#include <cstring>
#include <map>

#include "core/plan/evaluate.h"
#include "core/text/json.h"
#include "devices/cpu/simd/common/isa.h"
#include "tests/ops/op_case.h"
#include "tests/ops/op_values.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

// FNV-1a.
class Digest {
 public:
  void add(const void* bytes, size_t size) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (size_t i = 0; i < size; ++i) hash_ = (hash_ ^ at[i]) * 1099511628211u;
  }
  void add(std::string_view text) { add(text.data(), text.size()); }
  void add(const Tensor& tensor) {
    add(dtype_name(tensor.dtype()));
    add(tensor.shape().to_string());
    if (!is_float(tensor.dtype()) || is_small(tensor.dtype()))
      return add(tensor.data(), static_cast<size_t>(tensor.bytes()));
    for (size_t i = 0; i < static_cast<size_t>(tensor.num_elements()); ++i) {
      const double real = element(tensor, i).real;
      // The sign and payload of a NaN are the processor's.
      const auto bits = real != real ? ~uint64_t{0} : std::bit_cast<uint64_t>(real);
      add(&bits, sizeof bits);
    }
  }
  std::string text() const {
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash_));
    return out;
  }

 private:
  uint64_t hash_ = 14695981039346656037u;
};

Status add_row(const Registry& registry, const OpCase& row, Digest& digest) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, schema_of(registry, row));
  PERCALE_ASSIGN_OR_RETURN(const auto kernels, cpu_kernels(registry, row));
  for (const std::string& kernel : kernels) {
    const auto got = evaluate_node(registry, "cpu", *schema, "test", row.attributes, row.inputs,
                                   output_count(*schema, row), std::make_shared<MemoryPool>(), {}, kernel);
    if (!got.ok() && got.status().code() == Code::kUnimplemented) continue;
    PERCALE_RETURN_IF_ERROR(got.status().with_context(str_cat(row.where, " on ", kernel)));
    digest.add(kernel);
    for (const Tensor& tensor : *got) {
      if (tensor.defined()) digest.add(tensor);
    }
  }
  return {};
}

// Writes the digests for one instruction set, unless the machine lacks it.
Status write_digests(const std::vector<OpCase>& rows, const std::string& isa, JsonWriter& json) {
  EngineOptions options;
  options.isa = isa;
  options.numerics.portable = true;
  const auto ops = make_test_ops(options);
  if (!ops.ok() || ops->isa != isa) return {};
  std::map<std::string, Digest> digests;
  for (const OpCase& row : rows) {
    if (row.error.empty()) PERCALE_RETURN_IF_ERROR(add_row(*ops->registry, row, digests[row.op]));
  }
  json.key(isa).begin_object();
  for (const auto& [op, digest] : digests) json.key(op).value(digest.text());
  json.end_object();
  return {};
}

Status run() {
  PERCALE_ASSIGN_OR_RETURN(const auto rows, load_op_cases(PERCALE_OP_TABLES));
  JsonWriter json;
  json.begin_object();
  for (int isa = 0; isa < simd::kIsaCount; ++isa) {
    PERCALE_RETURN_IF_ERROR(write_digests(rows, simd::isa_name(static_cast<simd::Isa>(isa)), json));
  }
  json.end_object();
  std::puts(json.text().c_str());
  return {};
}

}  // namespace
}  // namespace percale

int main() {
  const percale::Status status = percale::run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.to_string().c_str());
  return status.ok() ? 0 : 1;
}
