#include <algorithm>
#include <map>

#include "core/plan/memory_plan.h"
#include "core/plan/node_view.h"
#include "core/plan/program.h"

namespace percale {
namespace {

constexpr int32_t kAtTheEnd = INT32_MAX;

// Lowers one function to one program. Positions are node numbers. Reads after the last node have
// the position kAtTheEnd.
class Lowering {
 public:
  Lowering(const Graph& graph, const Function& f, std::string_view kind, const ProgramOptions& options,
           PlannedNodes& planned)
      : graph_(graph),
        f_(f),
        kind_(kind),
        options_(options),
        planned_(planned),
        root_(f.values.size()),
        last_use_(f.values.size(), -1),
        homes_(f.values.size()),
        block_(f.values.size(), -1),
        program_(std::make_shared<Program>()) {}

  Result<std::shared_ptr<const Program>> lower() {
    PERCALE_RETURN_IF_ERROR(find_roots());
    find_uses();
    place_given_values();
    place_assigned_values();
    place_outputs();
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      program_->position_of_node.push_back(static_cast<int32_t>(program_->instructions.size()));
      PERCALE_RETURN_IF_ERROR(add_node(static_cast<int32_t>(i)));
    }
    program_->position_of_node.push_back(static_cast<int32_t>(program_->instructions.size()));
    program_->arena_bytes = plan_memory(intervals_);
    fix_offsets();
    add_copies();
    note_borders();
    return std::shared_ptr<const Program>(std::move(program_));
  }

 private:
  static bool is_runtime(const Node& node) { return node.op->has(kRuntime); }
  ValueId root(ValueId id) const { return root_[static_cast<size_t>(id)]; }
  Operand& home(ValueId r) { return homes_[static_cast<size_t>(r)]; }
  int64_t bytes_of(ValueId id) const {
    const ValueType type = memory_type(f_, id);
    const auto bytes = byte_size(type.dtype, type.shape);
    return bytes.ok() ? *bytes : 0;
  }

  Result<int32_t> variable_of(const Node& node) const {
    const std::string_view name = node.attributes.get_string("variable");
    for (size_t i = 0; i < graph_.variables.size(); ++i) {
      if (graph_.variables[i].name == name) return static_cast<int32_t>(i);
    }
    return not_found(node.op->name, " '", node.name, "': no variable '", name, "'");
  }

  // A shape that became known with the feeds must equal the variable's shape, because its memory
  // has a fixed size.
  Status check_type(const Node& node, int32_t variable, ValueId id) const {
    const Variable& v = graph_.variables[static_cast<size_t>(variable)];
    const ValueType& t = f_.type(id);
    if (t.dtype == v.dtype && t.shape == v.shape) return {};
    return invalid_argument(op_name(*node.op), " '", node.name, "': variable '", v.name, "' is ", v.dtype, " ", v.shape,
                            ", the value is ", t.dtype, " ", t.shape);
  }

  // Maps each value to the value whose memory it uses. A view maps to the value that it shows. A
  // read after an assignment maps to the assigned value. All reads of one variable map to one.
  Status find_roots() {
    for (size_t i = 0; i < root_.size(); ++i) root_[i] = static_cast<ValueId>(i);
    for (const Node& node : f_.nodes) {
      if (node.op->has(kView)) {
        root_[static_cast<size_t>(node.outputs[0])] = root(node.inputs[0]);
      } else if (node.op->is(Role::kReadVariable)) {
        PERCALE_ASSIGN_OR_RETURN(const int32_t variable, variable_of(node));
        PERCALE_RETURN_IF_ERROR(check_type(node, variable, node.outputs[0]));
        if (const auto found = assigned_.find(variable); found != assigned_.end()) {
          root_[static_cast<size_t>(node.outputs[0])] = found->second;
        } else {
          const auto [first, added] = reads_.emplace(variable, node.outputs[0]);
          root_[static_cast<size_t>(node.outputs[0])] = first->second;
        }
      } else if (node.op->is(Role::kAssign)) {
        PERCALE_ASSIGN_OR_RETURN(const int32_t variable, variable_of(node));
        PERCALE_RETURN_IF_ERROR(check_type(node, variable, node.inputs[0]));
        assigned_[variable] = root(node.inputs[0]);
      } else if (is_runtime(node)) {
        return internal_error(op_name(*node.op), " '", node.name, "' cannot be part of a program");
      }
    }
    return {};
  }

  void find_uses() {
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const Node& node = f_.nodes[i];
      if (node.op->has(kView) || is_runtime(node)) continue;
      for (ValueId id : node.inputs) {
        if (id != kNoValue) last_use_[static_cast<size_t>(root(id))] = static_cast<int32_t>(i);
      }
    }
    for (ValueId id : f_.outputs) last_use_[static_cast<size_t>(root(id))] = kAtTheEnd;
    for (const auto& [variable, value] : assigned_) last_use_[static_cast<size_t>(value)] = kAtTheEnd;
  }

  void place_given_values() {
    for (size_t i = 0; i < f_.inputs.size(); ++i) home(f_.inputs[i]) = {Home::kInput, static_cast<int64_t>(i)};
    for (const auto& [variable, value] : reads_) home(value) = {Home::kVariable, variable};
    for (size_t i = 0; i < f_.values.size(); ++i) {
      if (f_.values[i].kind != ValueKind::kConstant || last_use_[i] < 0) continue;
      homes_[i] = {Home::kConstant, static_cast<int64_t>(program_->constants.size())};
      program_->constants.push_back(f_.constants[static_cast<size_t>(f_.values[i].def)]);
    }
  }

  // True if the next value may be written into the variable's own memory: no later node reads the
  // old value. The node that computes the next value may still read it if it works in place.
  bool may_overwrite(int32_t variable, ValueId next) const {
    const auto read = reads_.find(variable);
    if (read == reads_.end()) return true;
    const Value& v = f_.value(next);
    const int32_t last = last_use_[static_cast<size_t>(read->second)];
    if (last < v.def) return true;
    const Node& node = f_.node(v.def);
    return last == v.def && works_in_place(node, in_place_of(*node.op), static_cast<size_t>(v.output), read->second);
  }

  static std::vector<InPlace> in_place_of(const OpSchema& op) { return {op.in_place.begin(), op.in_place.end()}; }

  bool works_in_place(const Node& node, const std::vector<InPlace>& pairs, size_t output, ValueId input_root) const {
    bool allowed = false;
    for (size_t j = 0; j < node.inputs.size(); ++j) {
      if (node.inputs[j] == kNoValue || root(node.inputs[j]) != input_root) continue;
      bool pair = false;
      for (const InPlace& p : pairs) pair = pair || (p.output == output && p.input == j);
      if (!pair) return false;
      allowed = bytes_of(node.inputs[j]) == bytes_of(node.outputs[output]) &&
                f_.value(node.inputs[j]).format == f_.value(node.outputs[output]).format;
    }
    return allowed;
  }

  // std::map iterates in the order of variables, so the program depends only on the graph.
  void place_assigned_values() {
    for (const auto& [variable, value] : assigned_) {
      program_->assigned.push_back(variable);
      if (f_.value(value).kind != ValueKind::kNode || home(value).home != Home::kNone) continue;
      if (options_.exclusive_state && !may_overwrite(variable, value)) continue;
      home(value) = {Home::kAssigned, variable};
    }
  }

  void place_outputs() {
    for (size_t i = 0; i < f_.outputs.size(); ++i) {
      Operand& h = home(root(f_.outputs[i]));
      if (h.home == Home::kNone) h = {Home::kOutput, static_cast<int64_t>(i)};
    }
  }

  // Chooses the block of an arena value: the block of an input if the op or its kernel may work in
  // place, else a new one.
  void give_block(const Node& node, const std::vector<InPlace>& pairs, size_t output, int32_t position) {
    const ValueId id = node.outputs[output];
    for (const InPlace& p : pairs) {
      if (p.output != output || p.input >= node.inputs.size() || node.inputs[p.input] == kNoValue) continue;
      const ValueId r = root(node.inputs[p.input]);
      const int32_t block = block_[static_cast<size_t>(r)];
      if (block < 0 || last_use_[static_cast<size_t>(r)] != position || block_taken(node, output, block)) continue;
      if (!works_in_place(node, pairs, output, r)) continue;
      block_[static_cast<size_t>(id)] = block;
      extend(block, id, position);
      return;
    }
    block_[static_cast<size_t>(id)] = static_cast<int32_t>(intervals_.size());
    intervals_.push_back({bytes_of(id), position, position, 0});
    extend(block_[static_cast<size_t>(id)], id, position);
  }

  bool block_taken(const Node& node, size_t output, int32_t block) const {
    for (size_t k = 0; k < output; ++k) {
      if (node.outputs[k] != kNoValue && block_[static_cast<size_t>(node.outputs[k])] == block) return true;
    }
    return false;
  }

  void extend(int32_t block, ValueId id, int32_t position) {
    int32_t& last = intervals_[static_cast<size_t>(block)].last;
    last = std::max({last, position, last_use_[static_cast<size_t>(id)]});
  }

  Status add_node(int32_t position) {
    const Node& node = f_.node(position);
    if (node.op->has(kView) || is_runtime(node)) return {};
    const Attributes attributes = with_defaults(*node.op, node.attributes);
    const NodeView view = make_node_view(graph_, f_, node, attributes);
    ProgramNode info{node.op, node.name, {}, view.inputs, view.outputs, {}, {}, members_of(node)};
    for (const auto* formats : {&view.input_formats, &view.output_formats}) {
      for (const Format* format : *formats) info.formats.push_back(format == nullptr ? std::string() : format->key);
    }
    std::unique_ptr<PlannedKernel> kernel;
    if (auto found = planned_.extract(node.name)) {
      kernel = std::move(found.mapped().kernel);
      info.refusals = std::move(found.mapped().refusals);
    } else {
      // When a node is planned again for another program, it requests the same formats.
      const bool formatted =
          std::any_of(info.formats.begin(), info.formats.end(), [](const std::string& key) { return !key.empty(); });
      PERCALE_ASSIGN_OR_RETURN(kernel, choose_kernel(*graph_.registry, kind_, view, &info.refusals, formatted));
    }
    info.kernel = kernel->name();

    Instruction instruction{kernel->run_function(), kernel->state(), static_cast<uint32_t>(program_->operands.size()),
                            static_cast<int32_t>(program_->nodes.size()), -1};
    for (ValueId id : node.inputs) operand_values_.push_back(id == kNoValue ? kNoValue : root(id));
    std::vector<InPlace> pairs = in_place_of(*node.op);
    pairs.insert(pairs.end(), kernel->in_place().begin(), kernel->in_place().end());
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const ValueId id = node.outputs[k];
      operand_values_.push_back(id);
      if (id == kNoValue || home(id).home != Home::kNone) continue;
      home(id).home = Home::kArena;
      give_block(node, pairs, k, position);
    }
    program_->operands.resize(operand_values_.size());
    if (kernel->scratch_bytes() > 0) {
      // The block's number; fix_offsets turns it into the offset.
      instruction.scratch_offset = static_cast<int64_t>(intervals_.size());
      intervals_.push_back({kernel->scratch_bytes(), position, position, 0});
    }
    program_->instructions.push_back(instruction);
    program_->kernels.push_back(std::move(kernel));
    program_->nodes.push_back(std::move(info));
    return {};
  }

  std::vector<std::string> members_of(const Node& node) const {
    std::vector<std::string> out;
    if (!node.op->is(Role::kFused)) return out;
    const AttrValue* body = node.attributes.find("body");
    const FunctionRef* ref = body == nullptr ? nullptr : body->get_if<FunctionRef>();
    const Function* f = ref == nullptr ? nullptr : graph_.find_function(ref->name);
    for (size_t i = 0; f != nullptr && i < f->nodes.size(); ++i) out.push_back(f->nodes[i].name);
    return out;
  }

  Operand operand(ValueId r) {
    if (r == kNoValue) return {};
    Operand out = home(r);
    if (out.home == Home::kArena) {
      out.index = intervals_[static_cast<size_t>(block_[static_cast<size_t>(r)])].offset;
    }
    return out;
  }

  void fix_offsets() {
    for (size_t i = 0; i < operand_values_.size(); ++i) program_->operands[i] = operand(operand_values_[i]);
    for (Instruction& instruction : program_->instructions) {
      if (instruction.scratch_offset < 0) continue;
      instruction.scratch_offset = intervals_[static_cast<size_t>(instruction.scratch_offset)].offset;
    }
  }

  // Outputs are copied before assigned values, because an output may show the old value of a
  // variable.
  void add_copies() {
    for (size_t i = 0; i < f_.outputs.size(); ++i) {
      const Operand from = operand(root(f_.outputs[i]));
      const Operand to{Home::kOutput, static_cast<int64_t>(i)};
      if (from.home != to.home || from.index != to.index)
        program_->copies.push_back({from, to, bytes_of(f_.outputs[i])});
    }
    for (const auto& [variable, value] : assigned_) {
      const Operand from = operand(value);
      const Operand to{Home::kAssigned, variable};
      if (from.home != to.home || from.index != to.index) program_->copies.push_back({from, to, bytes_of(value)});
    }
  }

  // Returns the operand from which an output can be read before the end, and the first instruction
  // after which that is possible. A variable that is overwritten at the end is read from a copy.
  std::pair<Operand, int32_t> first_place(size_t output, int32_t end) {
    const ValueId r = root(f_.outputs[output]);
    const Operand place = operand(r);
    if (place.home == Home::kConstant) return {place, -1};
    if (place.home == Home::kVariable &&
        !(options_.exclusive_state && assigned_.contains(static_cast<int32_t>(place.index)))) {
      return {place, -1};
    }
    if (place.home == Home::kVariable) return {{Home::kOutput, static_cast<int64_t>(output)}, end};
    const Value& v = f_.value(r);
    if (v.kind != ValueKind::kNode) return {place, end};
    return {place, program_->position_of_node[static_cast<size_t>(v.def)]};
  }

  void note_borders() {
    const auto end = static_cast<int32_t>(program_->instructions.size());
    for (ValueId id : f_.inputs) {
      program_->inputs.push_back(memory_type(f_, id));
      int32_t needed = end;
      for (size_t i = program_->instructions.size(); i-- > 0;) {
        const size_t from = program_->instructions[i].first_operand;
        const size_t to = i + 1 < program_->instructions.size() ? program_->instructions[i + 1].first_operand
                                                                : operand_values_.size();
        if (std::find(operand_values_.begin() + static_cast<ptrdiff_t>(from),
                      operand_values_.begin() + static_cast<ptrdiff_t>(to),
                      id) != operand_values_.begin() + static_cast<ptrdiff_t>(to)) {
          needed = static_cast<int32_t>(i);
        }
      }
      program_->input_needed.push_back(needed);
    }
    for (size_t i = 0; i < f_.outputs.size(); ++i) {
      program_->outputs.push_back(memory_type(f_, f_.outputs[i]));
      const auto [place, ready] = first_place(i, end);
      program_->output_from.push_back(place);
      program_->output_ready.push_back(ready);
    }
  }

  const Graph& graph_;
  const Function& f_;
  const std::string_view kind_;
  const ProgramOptions& options_;
  PlannedNodes& planned_;
  std::vector<ValueId> root_;      // per value: the value whose memory it shows
  std::vector<int32_t> last_use_;  // per root
  std::vector<Operand> homes_;     // per root
  std::vector<int32_t> block_;     // per root in the arena: index of its interval
  std::vector<MemoryInterval> intervals_;
  std::vector<ValueId> operand_values_;  // the roots behind Program::operands
  std::map<int32_t, ValueId> reads_, assigned_;
  std::shared_ptr<Program> program_;
};

}  // namespace

Result<std::shared_ptr<const Program>> lower(const Graph& graph, const Function& function, std::string_view device_kind,
                                             const ProgramOptions& options, PlannedNodes& planned) {
  return Lowering(graph, function, device_kind, options, planned).lower();
}

}  // namespace percale
