// Rows of the op tables and the checks made with them. README.md describes their form.
#ifndef PERCALE_TESTS_OPS_OP_CASE_H_
#define PERCALE_TESTS_OPS_OP_CASE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/engine/engine.h"
#include "core/registry/registry.h"
#include "core/tensor/tensor.h"

namespace percale {

struct OpCase {
  std::string where;  // "elementwise.jsonl:12", for messages
  std::string op, note;
  Attributes attributes;
  std::vector<Tensor> inputs;    // undefined: absent
  std::vector<Tensor> expected;  // undefined: not compared
  double tolerance = 0;
  std::string error;  // not empty: the run must fail with a message that contains this
  std::vector<size_t> grad;
  bool grad2 = false;
};

// Loads the rows of all tables in the folder, in the order of the file names. An error names file
// and line.
Result<std::vector<OpCase>> load_op_cases(const std::string& folder);

// Returns the schema of the row's op. output_count() returns the number of outputs of its node:
// those compared, else those that the op must have.
Result<const OpSchema*> schema_of(const Registry& registry, const OpCase& row);
size_t output_count(const OpSchema& schema, const OpCase& row);

// Runs the op on the CPU kernel of that name and compares the outputs. An error describes the
// difference.
Status check_forward(const Registry& registry, const OpCase& row, const std::string& kernel);
// Returns the names of the op's CPU kernels, best first, and for a composite op also its body.
// check_forward() returns UNIMPLEMENTED if a kernel does not support the row.
Result<std::vector<std::string>> cpu_kernels(const Registry& registry, const OpCase& row);

// Runs the row as a graph of one node placed on the device, and compares the outputs. UNIMPLEMENTED
// with the reason if no kernel of the device accepts it.
Status check_on_device(const std::shared_ptr<Engine>& engine, const std::string& device, const OpCase& row);

// The information with which the graph of a gradient is built: the shapes of its inputs, only their
// ranks, or neither.
enum class Known { kShapes, kRanks, kNothing };

// Compares the gradients with respect to the inputs `row.grad` with central differences in f64.
Status check_gradient(const std::shared_ptr<const Registry>& registry, const OpCase& row, Known known);

}  // namespace percale

#endif  // PERCALE_TESTS_OPS_OP_CASE_H_
