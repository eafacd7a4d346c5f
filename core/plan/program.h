// A program: what one device does in one run, as a packed array of instructions over operands that are known by position.
#ifndef PERCALE_CORE_PLAN_PROGRAM_H_
#define PERCALE_CORE_PLAN_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/plan/layout.h"

namespace percale {

// Where an operand's memory comes from.
enum class Home : uint8_t {
  kNone,      // absent
  kArena,     // index: byte offset in the program's arena
  kInput,     // index: which input of the function
  kOutput,    // index: which output of the function
  kConstant,  // index: which constant of the program
  kVariable,  // index: which variable of the graph: its memory as it is when the program starts
  kAssigned,  // index: which variable: the memory of its next value
};

struct Operand {
  Home home = Home::kNone;
  int64_t index = 0;
};

struct Instruction {
  void (*run)(const void* state, const percale_launch* launch);
  const void* state;
  uint32_t first_operand;
  int32_t node;            // in Program::nodes, for messages and traces
  int64_t scratch_offset;  // in the arena
};

// What a program says of each node that it runs.
struct ProgramNode {
  const OpSchema* op;
  std::string name, kernel;
  std::vector<ValueType> inputs, outputs;
  std::vector<Refusal> refusals;
  std::vector<std::string> formats;  // keys, of inputs and outputs; "": row-major
  std::vector<std::string> members;  // the nodes that a Fused one stands for; empty: only itself
};

// Bytes that are copied when all instructions have run, because a result lies where nothing writes it directly. In memory that is
// not the host's outputs are read where they are instead.
struct ProgramCopy {
  Operand from, to;
  int64_t bytes;
};

struct ProgramOptions {
  // Assignments write into the variables' own memory.
  bool exclusive_state = false;
};

// Immutable; shared by concurrent runs, each with its own arena.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;  // of all instructions, one after the other
  std::vector<ProgramCopy> copies;
  std::vector<Tensor> constants;
  std::vector<int32_t> assigned;  // variables that get a new value
  std::vector<ValueType> inputs, outputs;
  std::vector<ProgramNode> nodes;
  std::vector<std::unique_ptr<PlannedKernel>> kernels;
  // Per input and output: the instruction that first reads it, or that has written it (-1: there from the start).
  std::vector<int32_t> input_needed, output_ready;
  // Per output: where it lies from then on until the end; another place than its own where `copies` brings it there.
  std::vector<Operand> output_from;
  // Per node of the function, and one past them: how many instructions stand before it. Empty: all nodes are one instruction.
  std::vector<int32_t> position_of_node;
  int64_t arena_bytes = 0;

  // How many instructions are done before a node begins, and when it has ended.
  int32_t begin_of(NodeId node) const {
    return position_of_node.empty() ? 0 : position_of_node[static_cast<size_t>(node)];
  }
  int32_t end_of(NodeId node) const {
    return position_of_node.empty() ? 1 : position_of_node[static_cast<size_t>(node) + 1];
  }
};

// Lowers a function of which every type is static: plans memory, lays out instructions. ReadVariable and Assign become
// operands; views become the operand they show. Variables are numbered as in `graph`, which also holds the bodies of fused
// nodes. Takes the nodes' kernels out of `planned`; a node that is not there is planned as plan_nodes() did it.
Result<std::shared_ptr<const Program>> lower(const Graph& graph, const Function& function, std::string_view device_kind,
                                             const ProgramOptions& options, PlannedNodes& planned);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_PROGRAM_H_
