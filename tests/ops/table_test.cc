#include <doctest/doctest.h>

#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

const std::vector<OpCase>& rows() {
  static const auto kRows = load_op_cases(PERCALE_OP_TABLES);
  if (!kRows.ok()) FAIL(kRows.status().to_string());
  return *kRows;
}

void for_each_row(const std::shared_ptr<Registry>& registry, auto&& check) {
  for (const OpCase& row : rows()) {
    const Status status = check(*registry, row);
    CHECK_MESSAGE(status.ok(), row.where << " " << row.op << " " << row.note << ": " << status.to_string());
  }
}

TEST_CASE("every row of the op tables comes out of every CPU kernel of its op that accepts it") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  for_each_row(ops->registry, [](const Registry& registry, const OpCase& row) -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto kernels, cpu_kernels(registry, row));
    size_t ran = 0;
    for (const std::string& kernel : kernels) {
      const Status status = check_forward(registry, row, kernel);
      if (status.code() == Code::kUnimplemented && kernels.size() > 1) continue;
      PERCALE_RETURN_IF_ERROR(status.with_context(kernel));
      ++ran;
    }
    return ran > 0 ? Status() : internal_error("no CPU kernel accepts the row");
  });
}

TEST_CASE("gradients of the op tables agree with central differences") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  for_each_row(ops->registry, [&](const Registry&, const OpCase& row) -> Status {
    if (row.grad.empty()) return {};
    PERCALE_RETURN_IF_ERROR(check_gradient(ops->registry, row, Known::kShapes).with_context("known shapes"));
    PERCALE_RETURN_IF_ERROR(check_gradient(ops->registry, row, Known::kRanks).with_context("known ranks"));
    // An op may refuse and say what it must know, but must not give other numbers.
    const Status status = check_gradient(ops->registry, row, Known::kNothing);
    const bool refused = status.message().find("known") != std::string_view::npos;
    return refused ? Status() : status.with_context("unknown ranks");
  });
}

}  // namespace
}  // namespace percale
