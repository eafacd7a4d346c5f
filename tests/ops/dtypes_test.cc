// Checks the element types of the ONNX specification (spec_dtypes.json) against those that our ops
// accept.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/file/file.h"
#include "core/plan/evaluate.h"
#include "core/text/json.h"
#include "tests/ops/op_case.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

// One type parameter of an op: the operands that share it and its possible types.
struct TypeParameter {
  std::string name;
  std::vector<DType> dtypes;
  std::vector<size_t> inputs, outputs;
};
struct SpecOp {
  std::string name;
  bool gradient = false;
  std::vector<TypeParameter> types;
};

std::vector<SpecOp> read_spec() {
  const auto text = read_file(PERCALE_SPEC_DTYPES);
  REQUIRE_MESSAGE(text.ok(), text.status().to_string());
  const auto json = Json::parse(*text);
  REQUIRE_MESSAGE(json.ok(), json.status().to_string());
  std::vector<SpecOp> out;
  for (size_t i = 0; i < json->size(); ++i) {
    const Json& row = json->item(i);
    SpecOp& op = out.emplace_back();
    op.name = row.find("op")->as_string("op").value();
    op.gradient = row.find("gradient")->as_bool("gradient").value();
    const Json& types = *row.find("types");
    for (size_t k = 0; k < types.size(); ++k) {
      TypeParameter& type = op.types.emplace_back();
      type.name = types.item(k).find("name")->as_string("name").value();
      const Json& dtypes = *types.item(k).find("dtypes");
      for (size_t d = 0; d < dtypes.size(); ++d) {
        const auto dtype = dtype_from_name(dtypes.item(d).as_string("dtype").value());
        REQUIRE(dtype.has_value());
        type.dtypes.push_back(*dtype);
      }
      const auto inputs = types.item(k).find("inputs")->as_ints("inputs").value();
      const auto outputs = types.item(k).find("outputs")->as_ints("outputs").value();
      type.inputs.assign(inputs.begin(), inputs.end());
      type.outputs.assign(outputs.begin(), outputs.end());
    }
  }
  return out;
}

// Converts the tensor's numbers to another type, accurately enough for a run. Fractions become
// integers of at least 1.
Tensor retyped(const Registry& registry, const Tensor& tensor, DType to) {
  if (!tensor.defined() || tensor.dtype() == to) return tensor;
  const OpSchema* cast = registry.find_op("", "Cast");
  const auto pool = std::make_shared<MemoryPool>();
  const auto as = [&](const Tensor& x, DType dtype) {
    const auto got = evaluate_node(registry, "cpu", *cast, "retype",
                                   {{"to", dtype}, {"saturate", 1}, {"round_mode", "up"}}, {x}, 1, pool);
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    return got->front();
  };
  if (is_integer(to)) {
    Tensor reals = as(tensor, DType::kF64);
    for (double& v : reals.mutable_span<double>()) {
      if (v != std::floor(v)) v = std::max(1.0, std::fabs(std::round(v)));
    }
    return as(reals, to);
  }
  return as(tensor, to);
}

// Runs a row with the operands of one type parameter in that type. The first kernel that accepts it
// must succeed. An op without such an operand takes its type from an attribute.
Status run_as(const Registry& registry, const OpSchema& schema, const OpCase& row, const TypeParameter& type,
              DType dtype) {
  std::vector<Tensor> inputs = row.inputs;
  Attributes attributes = row.attributes;
  bool set = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    // The last formal parameter of a variadic op stands for all further operands.
    const size_t formal = std::min(i, schema.inputs.size() - 1);
    if (std::find(type.inputs.begin(), type.inputs.end(), formal) == type.inputs.end()) continue;
    set = set || inputs[i].defined();
    inputs[i] = retyped(registry, inputs[i], dtype);
  }
  if (type.inputs.empty()) {
    for (const char* name : {"to", "dtype"}) {
      if (schema.find_attribute(name) != nullptr) attributes.set(name, dtype), set = true;
    }
    if (const AttrValue* value = attributes.find("value"); value != nullptr && value->get_if<Tensor>() != nullptr) {
      attributes.set("value", retyped(registry, *value->get_if<Tensor>(), dtype));
      set = true;
    }
  }
  if (!set) return not_found("the row has no operand of this type");
  PERCALE_ASSIGN_OR_RETURN(const auto got,
                           evaluate_node(registry, "cpu", schema, "node", attributes, inputs,
                                         std::max<size_t>(1, row.expected.size()), std::make_shared<MemoryPool>()));
  for (size_t output : type.outputs) {
    if (output < got.size() && got[output].dtype() != dtype) {
      return internal_error("output ", static_cast<uint64_t>(output), " is ", got[output].dtype());
    }
  }
  return {};
}

std::vector<OpCase> rows_of(const std::vector<OpCase>& all, const std::string& op) {
  std::vector<OpCase> out;
  if (op == "Dropout") {  // random results are not in tables
    OpCase& drawn = out.emplace_back();
    drawn.inputs = {Tensor::of<float>(Shape{4}, std::vector<float>{1, 2, 3, 4}), Tensor::scalar(0.5f),
                    Tensor::scalar(true)};
    drawn.expected.resize(2);
  }
  for (const OpCase& row : all) {
    if (row.op == op && row.error.empty()) out.push_back(row);
  }
  return out;
}

TEST_CASE("every op of the list runs with every number type that the specification lets it have") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  const Registry& registry = *ops->registry;
  const auto rows = load_op_cases(PERCALE_OP_TABLES);
  REQUIRE_MESSAGE(rows.ok(), rows.status().to_string());
  size_t checked = 0;
  for (const SpecOp& op : read_spec()) {
    CAPTURE(op.name);
    const OpSchema* schema = registry.find_op("", op.name);
    REQUIRE(schema != nullptr);
    const auto samples = rows_of(*rows, op.name);
    for (const TypeParameter& type : op.types) {
      for (const DType dtype : type.dtypes) {
        Status status = not_found("no row has an operand of this type");
        for (const OpCase& row : samples) {
          const Status got = run_as(registry, *schema, row, type, dtype);
          if (got.ok() || got.code() != Code::kNotFound) status = got;
          if (got.ok()) break;
        }
        // Skips the type of an output that no operand or attribute selects.
        if (status.code() == Code::kNotFound && type.inputs.empty()) continue;
        ++checked;
        CHECK_MESSAGE(status.ok(), op.name << " with " << type.name << " = " << std::string(dtype_name(dtype)) << ": "
                                           << status.to_string());
      }
    }
  }
  CHECK(checked > 900);
}

TEST_CASE("every op of tier A that has a gradient has a gradient function") {
  const auto ops = make_test_ops();
  REQUIRE(ops.ok());
  size_t checked = 0;
  for (const SpecOp& op : read_spec()) {
    if (!op.gradient) continue;
    const OpSchema* schema = ops->registry->find_op("", op.name);
    REQUIRE_MESSAGE(schema != nullptr, op.name);
    CHECK_MESSAGE((schema->grad.kind() == GradFn::Kind::kFunction || schema->grad.kind() == GradFn::Kind::kBody),
                  op.name);
    ++checked;
  }
  CHECK(checked == 53);
}

}  // namespace
}  // namespace percale
