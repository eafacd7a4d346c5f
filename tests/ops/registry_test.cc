#include <doctest/doctest.h>

#include <map>
#include <set>

#include "core/graph/graph.h"
#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

bool carries_body(const OpSchema& schema) {
  for (const AttrSpec& attribute : schema.attributes) {
    if (attribute.kind == AttrKind::kFunction) return true;
  }
  return false;
}

// Ops whose rows cannot be tables of input and output tensors. They have tests of their own.
bool has_own_tests(const OpSchema& schema) {
  return schema.has(kStateful) || schema.has(kRandom) || carries_body(schema);
}

TEST_CASE("every op has a doc line, a shape function, a CPU kernel or a body, and a row in the op tables") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  const auto rows = load_op_cases(PERCALE_OP_TABLES);
  REQUIRE_MESSAGE(rows.ok(), rows.status().to_string());
  std::set<std::string> with_row, with_grad;
  for (const OpCase& row : *rows) {
    with_row.insert(row.op);
    if (!row.grad.empty()) with_grad.insert(row.op);
  }
  for (const OpSchema* schema : ops->registry->ops()) {
    const std::string name = op_name(*schema);
    CAPTURE(name);
    CHECK(!schema->doc.empty());
    CHECK((schema->shape != nullptr));
    CHECK((!schema->outputs.empty() || schema->has(kStateful)));
    for (const InPlace& pair : schema->in_place) {
      CHECK(pair.output < schema->outputs.size());
      CHECK(pair.input < schema->inputs.size());
    }
    if (has_own_tests(*schema)) continue;
    CHECK((schema->body != nullptr || !ops->registry->kernels("cpu", *schema).empty()));
    CHECK(with_row.contains(name));
    CHECK((schema->grad.kind() == GradFn::Kind::kFunction) == (schema->grad.fn() != nullptr));
    CHECK((schema->grad.kind() != GradFn::Kind::kBody || schema->body != nullptr));
    if (schema->grad.kind() == GradFn::Kind::kFunction || schema->grad.kind() == GradFn::Kind::kBody) {
      CHECK_MESSAGE(with_grad.contains(name), name << " has a gradient function that no row checks");
    }
  }
}

TEST_CASE("the last CPU kernel of every op is the portable one, but for ops that their body stands in for") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  for (const OpSchema* schema : ops->registry->ops()) {
    const auto& kernels = ops->registry->kernels("cpu", *schema);
    if (kernels.empty() || carries_body(*schema) || schema->body != nullptr) continue;
    CAPTURE(op_name(*schema));
    CHECK(std::string_view(kernels.back().name).starts_with("portable."));
  }
}

}  // namespace
}  // namespace percale
