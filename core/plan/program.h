// A program: the work of one device in one run, as a packed array of instructions. Operands are
// identified by position.
#ifndef PERCALE_CORE_PLAN_PROGRAM_H_
#define PERCALE_CORE_PLAN_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/plan/layout.h"

namespace percale {

// The kind of memory that holds an operand.
enum class Home : uint8_t {
  kNone,      // absent
  kArena,     // index: byte offset in the program's arena
  kInput,     // index: input of the function
  kOutput,    // index: output of the function
  kConstant,  // index: constant of the program
  kVariable,  // index: variable of the graph; its memory when the program starts
  kAssigned,  // index: variable; the memory of its next value
};

struct Operand {
  Home home = Home::kNone;
  int64_t index = 0;
};

struct Instruction {
  void (*run)(const void* state, const percale_launch* launch);
  const void* state;
  uint32_t first_operand;
  int32_t node;            // index into Program::nodes, for messages and traces
  int64_t scratch_offset;  // in the arena
};

// The description of a node that the program runs.
struct ProgramNode {
  const OpSchema* op;
  std::string name, kernel;
  std::vector<ValueType> inputs, outputs;
  std::vector<Refusal> refusals;
  std::vector<std::string> formats;  // keys, for inputs, then outputs; "": row-major
  // Names of the nodes that a Fused one replaces; empty: only itself.
  std::vector<std::string> members;
};

// Bytes that are copied after all instructions, because no instruction writes the result to its
// destination directly. On a device with its own memory, outputs are read from `from` instead.
struct ProgramCopy {
  Operand from, to;
  int64_t bytes;
};

struct ProgramOptions {
  // Assignments may write directly into the memory of the variables.
  bool exclusive_state = false;
};

// A lowered function. Immutable; shared by concurrent runs, each with its own arena.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;  // of all instructions, concatenated
  std::vector<ProgramCopy> copies;
  std::vector<Tensor> constants;
  std::vector<int32_t> assigned;  // variables that are assigned
  std::vector<ValueType> inputs, outputs;
  std::vector<ProgramNode> nodes;
  std::vector<std::unique_ptr<PlannedKernel>> kernels;
  // The first instruction that reads each input, and the instruction that writes each output (-1:
  // available from the start).
  std::vector<int32_t> input_needed, output_ready;
  // Per output: where it can be read from then until the end. It differs from the output's own
  // memory if `copies` fills that.
  std::vector<Operand> output_from;
  // Per node of the function, and once more for the end: the number of instructions before it.
  // Empty: all nodes are one instruction.
  std::vector<int32_t> position_of_node;
  int64_t arena_bytes = 0;

  std::span<const Operand> operands_of(int32_t instruction) const {
    const auto i = static_cast<size_t>(instruction);
    const size_t end = i + 1 < instructions.size() ? instructions[i + 1].first_operand : operands.size();
    return std::span(operands).subspan(instructions[i].first_operand, end - instructions[i].first_operand);
  }
  // The number of instructions before a node starts, and after it has ended.
  int32_t begin_of(NodeId node) const {
    return position_of_node.empty() ? 0 : position_of_node[static_cast<size_t>(node)];
  }
  int32_t end_of(NodeId node) const {
    return position_of_node.empty() ? 1 : position_of_node[static_cast<size_t>(node) + 1];
  }
};

// Lowers a function with static types: plans memory and emits instructions. ReadVariable and Assign
// become operands. Views become the operand that they show. Variables are numbered as in `graph`,
// which also holds the bodies of fused nodes. Takes the kernels of the nodes out of `planned`. A
// node that is not there is planned in the same way as by plan_nodes().
Result<std::shared_ptr<const Program>> lower(const Graph& graph, const Function& function, std::string_view device_kind,
                                             const ProgramOptions& options, PlannedNodes& planned);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_PROGRAM_H_
