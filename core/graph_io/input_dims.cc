#include "core/graph_io/input_dims.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "core/base/similar_name.h"
#include "core/graph/infer.h"

namespace percale {
namespace {

// Per value, the names of its dims.
using DimNames = std::map<std::string, std::vector<std::string>>;

std::string_view cut(std::string_view* text, char at) {
  const size_t end = std::min(text->find(at), text->size());
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return part;
}

DimNames read_names(const Graph& graph) {
  DimNames out;
  const auto found = graph.metadata.find(std::string(kDimNames));
  if (found == graph.metadata.end()) return out;
  for (std::string_view lines = found->second; !lines.empty();) {
    std::string_view line = cut(&lines, '\n');
    std::vector<std::string>& names = out[std::string(cut(&line, '\t'))];
    while (!line.empty()) names.emplace_back(cut(&line, '\t'));
  }
  return out;
}

void write_names(const DimNames& names, Graph& graph) {
  std::string lines;
  for (const auto& [value, dims] : names) {
    if (std::all_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.empty(); })) continue;
    lines += value;
    for (const std::string& dim : dims) lines += "\t" + dim;
    lines += "\n";
  }
  graph.metadata.erase(std::string(kDimNames));
  if (!lines.empty()) graph.metadata.emplace(kDimNames, std::move(lines));
}

// A change of one dim of an input.
struct Change {
  ValueId input;
  size_t axis;
  int64_t value;
  std::string name;  // for a dim that becomes unknown
};

class Redimensioner {
 public:
  explicit Redimensioner(const Graph& graph)
      : old_(graph), out_(std::make_shared<Graph>(graph)), names_(read_names(graph)) {}

  Result<std::shared_ptr<const Graph>> run(std::span<const InputDim> dims) {
    std::vector<Change> changes;
    for (const InputDim& dim : dims) PERCALE_RETURN_IF_ERROR(find(dim, &changes));
    PERCALE_RETURN_IF_ERROR(apply(changes, std::nullopt));
    write_names(names_, *out_);
    // Inference with an unknown dim does not find every conflict, so two concrete sizes are tried
    // as well.
    for (const int64_t size : {2, 3}) {
      Redimensioner probe(*out_);
      if (Status status = probe.apply(changes, size); !status.ok()) {
        return status.with_context(
            str_cat("the graph does not work with other dims; with ", size, " in place of the dims to change"));
      }
    }
    return std::shared_ptr<const Graph>(out_);
  }

 private:
  Function& main() { return out_->functions.front(); }

  Status find(const InputDim& dim, std::vector<Change>* out) {
    const Function& f = main();
    const size_t before = out->size();
    std::vector<std::string> known;
    for (ValueId input : f.inputs) {
      const Value& value = f.value(input);
      const Shape& shape = value.type.shape;
      if (!shape.known_rank()) continue;
      std::vector<std::string>& names = names_[value.name];
      names.resize(shape.rank());
      for (size_t axis = 0; axis < shape.rank(); ++axis) {
        known.push_back(names[axis].empty() ? str_cat(value.name, ":", static_cast<uint64_t>(axis)) : names[axis]);
        const bool meant =
            dim.axis < 0 ? names[axis] == dim.name : value.name == dim.name && axis == static_cast<size_t>(dim.axis);
        if (meant) out->push_back({input, axis, dim.value, names[axis]});
      }
    }
    if (dim.axis < 0 && dim.name == "batch" && out->size() == before) find_batch(dim.value, out);
    if (out->size() > before) return {};
    if (!known.empty() && std::find(known.begin(), known.end(), "batch") == known.end()) {
      known.insert(known.begin(), "batch");
    }
    return not_found("no input has the dim '", dim.axis < 0 ? dim.name : str_cat(dim.name, ":", dim.axis), "'",
                     did_you_mean(dim.name, known));
  }

  // Finds the first dim of the first input that has dims, and of every other input where it is
  // equal.
  void find_batch(int64_t value, std::vector<Change>* out) {
    const Function& f = main();
    std::optional<int64_t> batch;
    for (ValueId input : f.inputs) {
      const Shape& shape = f.type(input).shape;
      if (!shape.known_rank() || shape.rank() == 0) continue;
      if (!batch) batch = shape[0];
      if (shape[0] == *batch) out->push_back({input, 0, value, "batch"});
    }
  }

  // Sets the changed dims and infers all types again. If `size` is given, dims that become unknown
  // get that size.
  Status apply(const std::vector<Change>& changes, std::optional<int64_t> size) {
    Function& f = main();
    for (const Change& change : changes) {
      Value& value = f.value(change.input);
      const bool free = change.value == kUnknownDim;
      value.type.shape = with_dim(value.type.shape, change.axis, free && size ? *size : change.value);
      std::vector<std::string>& names = names_[value.name];
      names.resize(value.type.shape.rank());
      names[change.axis] = free ? change.name : "";
    }
    return infer(f, old_.main());
  }

  // Infers the types of a function's values again after a change of its inputs. `before` is the
  // unchanged function.
  Status infer(Function& f, const Function& before) {
    const DeclaredFunctionTypes functions(*out_);
    for (Node& node : f.nodes) {
      PERCALE_RETURN_IF_ERROR(fit_reshape(f, before, node));
      PERCALE_RETURN_IF_ERROR(widen_functions(f, node));
      PERCALE_ASSIGN_OR_RETURN(const auto types, infer_node(f, node, &functions));
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] != kNoValue) f.value(node.outputs[i]).type = types[i];
      }
    }
    return {};
  }

  // Adapts the functions that a node carries to its new input types: a dim declared differently
  // becomes unknown. The last inputs of the node are the inputs of the function.
  Status widen_functions(const Function& f, const Node& node) {
    for (const auto& [key, attribute] : node.attributes) {
      const FunctionRef* ref = attribute.get_if<FunctionRef>();
      Function* carried = ref == nullptr ? nullptr : out_->find_function(ref->name);
      if (carried == nullptr) continue;
      bool changed = false;
      const size_t inputs = std::min(carried->inputs.size(), node.inputs.size());
      for (size_t i = 1; i <= inputs; ++i) {
        const ValueId given = node.inputs[node.inputs.size() - i];
        if (given == kNoValue) continue;
        Shape& declared = carried->value(carried->inputs[carried->inputs.size() - i]).type.shape;
        const Shape& now = f.type(given).shape;
        if (!declared.known_rank() || !now.known_rank() || declared.rank() != now.rank()) continue;
        for (size_t axis = 0; axis < now.rank(); ++axis) {
          if (declared[axis] < 0 || declared[axis] == now[axis]) continue;
          declared = with_dim(declared, axis, kUnknownDim);
          changed = true;
        }
      }
      if (changed) PERCALE_RETURN_IF_ERROR(infer(*carried, *old_.find_function(ref->name)));
    }
    return {};
  }

  static Shape with_dim(const Shape& shape, size_t axis, int64_t value) {
    Shape out;
    for (size_t i = 0; i < shape.rank(); ++i) out.push_back(i == axis ? value : shape[i]);
    return out;
  }

  // Adapts the constant shape of a Reshape whose first dim derives from a changed dim. That entry
  // becomes 0 (copy the input's dim) or -1 (infer).
  static Status fit_reshape(Function& f, const Function& old, Node& node) {
    if (!node.op->is(Role::kReshape) || node.inputs.size() < 2) return {};
    const Tensor* wanted = f.constant(node.inputs[1]);
    const Shape &now = f.type(node.inputs[0]).shape, &before = old.type(node.inputs[0]).shape;
    if (wanted == nullptr || !now.known_rank() || !before.is_static() || now == before || before.rank() == 0) return {};
    std::vector<int64_t> dims = to_int64s(*wanted);
    if (dims.empty() || dims[0] <= 0) return {};
    const bool has_rest = std::find(dims.begin(), dims.end(), int64_t{-1}) != dims.end();
    const int64_t* zero = nullptr;
    if (const AttrValue* allow = node.attributes.find("allowzero")) zero = allow->get_if<int64_t>();
    const bool copies = zero == nullptr || *zero == 0;
    if (now[0] != before[0] && dims[0] == before[0] && copies) {
      dims[0] = 0;
    } else if (!has_rest && (dims[0] == before[0] || (before[0] > 1 && dims[0] % before[0] == 0) ||
                             (dims[0] > 1 && before[0] % dims[0] == 0))) {
      dims[0] = -1;
    } else {
      return {};
    }
    f.constants.push_back(Tensor::vector<int64_t>(dims));
    Value value;
    value.name = free_name(f, str_cat(node.name, "/shape"));
    value.type = {DType::kI64, Shape{static_cast<int64_t>(dims.size())}};
    value.kind = ValueKind::kConstant;
    value.def = static_cast<int32_t>(f.constants.size() - 1);
    f.values.push_back(std::move(value));
    node.inputs[1] = static_cast<ValueId>(f.values.size() - 1);
    return {};
  }

  static std::string free_name(const Function& f, const std::string& wanted) {
    std::string out = wanted;
    for (int64_t k = 1; f.find_value(out) != kNoValue; ++k) out = str_cat(wanted, "_", k);
    return out;
  }

  const Graph& old_;
  std::shared_ptr<Graph> out_;
  DimNames names_;
};

}  // namespace

Result<InputDim> parse_input_dim(std::string_view text) {
  const auto wrong = [&] {
    return invalid_argument("'", text,
                            "' is not a dim: wanted NAME=SIZE, NAME=? or INPUT:AXIS=SIZE, for example batch=?");
  };
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return wrong();
  InputDim out;
  out.name = text.substr(0, equals);
  const auto read = [](std::string_view number, int64_t* to) {
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), *to);
    return error == std::errc() && end == number.data() + number.size();
  };
  const std::string_view value = text.substr(equals + 1);
  if (value != "?" && (!read(value, &out.value) || out.value < 1 || out.value > kMaxDim)) return wrong();
  const size_t colon = out.name.rfind(':');
  if (colon != std::string::npos && colon > 0 && read(std::string_view(out.name).substr(colon + 1), &out.axis)) {
    if (out.axis < 0) return wrong();
    out.name.resize(colon);
  }
  return out;
}

Result<std::shared_ptr<const Graph>> with_input_dims(const Graph& graph, std::span<const InputDim> dims) {
  return Redimensioner(graph).run(dims);
}

}  // namespace percale
