#include "core/train/parallel/table_lookups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/graph/builder.h"
#include "core/graph/clone.h"
#include "core/graph/effects.h"

namespace percale {
namespace {

using Lookup = TableLookups::Lookup;

bool contains(const std::vector<ValueId>& values, ValueId id) {
  return id != kNoValue && std::ranges::find(values, id) != values.end();
}

// A node that reads a table, and the position of the table among its inputs. Row numbers follow it.
struct Reader {
  NodeId node = -1;
  size_t input = 0;
};

// The readers of a table by the value of their row numbers, and how these are meant.
struct RowNumbers {
  std::vector<Reader> readers;
  std::optional<Lookup> lookup;
};
using ReadersOfTable = std::map<ValueId, RowNumbers>;

std::optional<Lookup> lookup_of(const Function& f, const Node& node, const Reader& reader) {
  const bool gathers = node.op->is(Role::kGather) && node.attributes.get_int("axis") == 0;
  if (reader.input != 0 || (!gathers && !node.op->is(Role::kEmbeddingBag))) return std::nullopt;
  Lookup out;
  out.dtype = f.type(node.inputs[1]).dtype;
  if (out.dtype != DType::kI64 && out.dtype != DType::kI32) return std::nullopt;
  out.wraps = gathers;
  if (!gathers) out.padding = with_defaults(*node.op, node.attributes).get_int("padding_idx");
  return out;
}

// True if the inputs of the function decide the value.
bool depends_on_inputs_alone(const Graph& graph, const Function& f, ValueId value) {
  const std::vector<bool> behind = nodes_behind(f, {value});
  for (size_t i = 0; i < behind.size(); ++i) {
    if (!behind[i]) continue;
    const NodeEffects effects = effects_of(graph, f.nodes[i]);
    if (!effects.pure || effects.reads || effects.random) return false;
  }
  return true;
}

std::vector<ValueId> reads_of(const Function& f, const std::string& variable) {
  std::vector<ValueId> out;
  for (const Node& node : f.nodes) {
    if (!node.op->is(Role::kReadVariable) || node.attributes.get_string("variable") != variable) continue;
    out.push_back(node.outputs[0]);
  }
  return out;
}

// Empty if the table is needed as a whole.
ReadersOfTable readers_of(const Graph& graph, const Function& f, const std::string& variable) {
  const std::vector<ValueId> reads = reads_of(f, variable);
  ReadersOfTable out;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Node& node = f.nodes[i];
    if (carries_functions(node.attributes) && effects_of(graph, node).reads) return {};
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      if (!contains(reads, node.inputs[k])) continue;
      const Reader reader{static_cast<NodeId>(i), k};
      const ValueId numbers = k + 1 < node.inputs.size() ? node.inputs[k + 1] : kNoValue;
      if (numbers == kNoValue) return {};
      RowNumbers& found = out[numbers];
      found.readers.push_back(reader);
      const std::optional<Lookup> own = lookup_of(f, node, reader);
      if (!own) continue;
      if (found.lookup && (found.lookup->padding != own->padding || found.lookup->wraps != own->wraps)) return {};
      found.lookup = own;
    }
  }
  for (const auto& [numbers, found] : out) {
    if (!found.lookup || !depends_on_inputs_alone(graph, f, numbers)) return {};
  }
  return out;
}

ValueId add_input(Function& f, const std::string& name, const ValueType& type) {
  const auto id = static_cast<ValueId>(f.values.size());
  f.values.push_back({name, type, ValueKind::kInput, static_cast<int32_t>(f.inputs.size())});
  f.inputs.push_back(id);
  return id;
}

// The inputs of a table take the place of its readers' operands.
void rewire(Function& f, const Variable& variable, const ReadersOfTable& readers, TableLookups::Table& table) {
  Shape rows = variable.shape;
  rows[0] = kUnknownDim;
  table.rows = str_cat("train/rows/", variable.name);
  const ValueId given = add_input(f, table.rows, {variable.dtype, rows});
  for (const auto& [numbers, found] : readers) {
    Lookup lookup = *found.lookup;
    lookup.positions = str_cat("train/positions/", variable.name, "/", table.lookups.size());
    const ValueType type = f.type(numbers);
    const ValueId positions = add_input(f, lookup.positions, type);
    for (const Reader& reader : found.readers) {
      Node& node = f.node(reader.node);
      node.inputs[reader.input] = given;
      node.inputs[reader.input + 1] = positions;
      if (lookup.padding >= 0) node.attributes.set("padding_idx", TableLookups::kNoRow);
    }
    table.lookups.push_back(std::move(lookup));
  }
}

// Builds kLookUpFunction, whose outputs are these values of `compute`.
Status add_look_up(Builder& b, const Function& compute, const std::vector<ValueId>& numbers,
                   const std::vector<std::string>& names, TableLookups& out) {
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, b.add_function(kLookUpFunction));
  const std::vector<bool> used = inputs_behind(compute, numbers);
  std::vector<ValueId> inputs(compute.inputs.size(), kNoValue);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& v = compute.value(compute.inputs[i]);
    const auto at = std::ranges::find(names, v.name);
    if (!used[i] || at == names.end()) continue;
    PERCALE_ASSIGN_OR_RETURN(inputs[i], f->add_input(v.name, v.type.dtype, v.type.shape));
    out.inputs.push_back(static_cast<size_t>(at - names.begin()));
  }
  PERCALE_ASSIGN_OR_RETURN(const auto cloned, clone_body(compute, *f, inputs, &numbers));
  Emitter e(*f);
  std::vector<ValueId> outputs;
  for (const ValueId id : numbers) {
    const ValueId own = cloned[static_cast<size_t>(id)];
    outputs.push_back(e.emit("Cast", {own}, {{"to", DType::kI64}}));
  }
  PERCALE_RETURN_IF_ERROR(e.status());
  for (const ValueId id : outputs) out.outputs.push_back(f->function().value(id).name);
  return f->set_outputs(outputs);
}

}  // namespace

Result<std::shared_ptr<const Graph>> take_out_lookups(const Graph& graph, std::string_view compute,
                                                      const std::vector<std::string>& tables,
                                                      const std::vector<std::string>& inputs, TableLookups* out) {
  Graph changed = graph;
  Function& f = *changed.find_function(compute);
  std::vector<ValueId> numbers;
  for (const std::string& name : tables) {
    const Variable* const variable = changed.find_variable(name);
    const ReadersOfTable readers = readers_of(changed, f, name);
    if (readers.empty()) continue;
    TableLookups::Table& table = out->tables.emplace_back();
    table.variable = static_cast<size_t>(variable - changed.variables.data());
    for (const auto& [value, found] : readers) numbers.push_back(value);
    rewire(f, *variable, readers, table);
  }
  const Function rewired = f;
  Builder b(changed);
  if (!numbers.empty()) PERCALE_RETURN_IF_ERROR(add_look_up(b, rewired, numbers, inputs, *out));
  return b.finish();
}

}  // namespace percale
