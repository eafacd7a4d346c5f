// A build without some ops, as the option "ops" makes it: tests/size builds a whole one.
#include <doctest/doctest.h>

#include "core/registry/registry.h"

namespace percale {
namespace {

static_assert(list_has("Add", "Add"));
static_assert(list_has("Add,Mul,Conv", "Mul") && list_has("Add,Mul,Conv", "Conv"));
static_assert(!list_has("Add,Mul,Conv", "Mu") && !list_has("AddMul", "Add") && !list_has("", "Add"));
static_assert(is_built("Add"));

constexpr std::string_view kAbsent[] = {"Softplus", "Conv"};

TEST_CASE("An op that is not built is refused with its name and what to do") {
  Registry registry;
  REQUIRE(registry.add_ops({}, kAbsent).ok());
  CHECK(registry.find_op("", "Conv") == nullptr);
  const Status status = registry.require_op("", "Conv").status();
  CHECK(status.code() == Code::kUnimplemented);
  CHECK(status.message() ==
        "op 'Conv' is not in this build of the library, which was made with -Dops=...: add the op there, or build "
        "without it");
  CHECK(registry.require_op("", "Konv").status().code() == Code::kNotFound);
  CHECK(registry.require_op("other", "Conv").status().code() == Code::kNotFound);
}

TEST_CASE("A kernel of an op that is not built is left out") {
  Registry registry;
  REQUIRE(registry.add_ops({}, kAbsent).ok());
  CHECK(registry.add_kernel("cpu", Kernel{}).ok());
  CHECK(registry.ops().empty());
}

Status no_shape(ShapeContext&) { return {}; }
constexpr OpRow row(std::string_view name) {
  return {.name = name,
          .doc = "",
          .inputs = {in("x", 'T', dtypes::kFloat), in("y", 'T', dtypes::kFloat)},
          .attributes = {attr_int("axis", 3)},
          .outputs = {out("z", 'T')},
          .shape = no_shape,
          .grad = grad::none};
}
constexpr OpRow kRows[] = {
    row("First"), {.name = "Second", .doc = "", .shape = no_shape, .grad = grad::none}, row("Third")};

TEST_CASE("The lists of a table's schemas are those of its rows") {
  Registry registry;
  REQUIRE(registry.add_ops<kRows>().ok());
  for (const OpRow& wanted : kRows) {
    CAPTURE(wanted.name);
    const OpSchema* schema = registry.find_op("", wanted.name);
    REQUIRE(schema != nullptr);
    REQUIRE(schema->inputs.size() == wanted.inputs.size());
    for (size_t i = 0; i < wanted.inputs.size(); ++i) CHECK(schema->inputs[i].name == wanted.inputs[i].name);
    REQUIRE(schema->attributes.size() == wanted.attributes.size());
    for (size_t i = 0; i < wanted.attributes.size(); ++i) CHECK(schema->attributes[i].int_default == 3);
    CHECK(schema->outputs.size() == wanted.outputs.size());
    CHECK(schema->in_place.empty());
  }
}

TEST_CASE("The registry knows which ops were asked for") {
  Registry registry;
  REQUIRE(registry.add_ops<kRows>().ok());
  CHECK(registry.asked_ops().empty());
  CHECK(registry.find_op("", "Third") != nullptr);
  CHECK(registry.find_op("", "Fourth") == nullptr);
  CHECK(registry.require_op("", "First").ok());
  CHECK(registry.asked_ops() == std::vector<std::string>{"First", "Third"});
}

}  // namespace
}  // namespace percale
