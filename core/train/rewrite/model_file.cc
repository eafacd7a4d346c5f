#include "core/train/rewrite/model_file.h"

#include <algorithm>
#include <set>

#include "core/base/similar_name.h"
#include "core/checkpoint/graph_files.h"
#include "core/graph/validate.h"
#include "core/passes/edit/rewrite.h"
#include "core/train/rewrite/inference_form.h"

namespace percale {
namespace {

// The variables and functions that "main" uses, at any depth.
struct Used {
  std::set<std::string, std::less<>> variables, functions;
};
Used used_by_main(const Graph& graph) {
  Used out;
  std::vector<const Function*> open = {&graph.main()};
  while (!open.empty()) {
    const Function* f = open.back();
    open.pop_back();
    if (!out.functions.insert(f->name).second) continue;
    for (const Node& node : f->nodes) {
      if (node.op->has(kStateful)) out.variables.emplace(node.attributes.get_string("variable"));
      for (const auto& [name, value] : node.attributes) {
        const FunctionRef* ref = value.get_if<FunctionRef>();
        const Function* next = ref != nullptr ? graph.find_function(ref->name) : nullptr;
        if (next != nullptr) open.push_back(next);
      }
    }
  }
  return out;
}

void drop_unused(Graph& graph) {
  Used used = used_by_main(graph);
  std::erase_if(graph.variables, [&](const Variable& v) { return !used.variables.contains(v.name); });
  if (Function* init = graph.find_function(kInitFunction)) {
    std::erase_if(init->outputs, [&](ValueId id) {
      const Variable* v = graph.find_variable(init->value(id).name);
      return v == nullptr || v->initial.defined();
    });
    if (!init->outputs.empty()) {
      std::vector<bool> keep(init->nodes.size(), false);
      for (ValueId id : init->outputs) {
        if (init->value(id).kind == ValueKind::kNode) keep[static_cast<size_t>(init->value(id).def)] = true;
      }
      for (size_t i = keep.size(); i-- > 0;) {
        for (ValueId id : init->nodes[i].inputs) {
          if (keep[i] && id != kNoValue && init->value(id).kind == ValueKind::kNode) {
            keep[static_cast<size_t>(init->value(id).def)] = true;
          }
        }
      }
      compact(*init, keep);
      used.functions.emplace(kInitFunction);
    }
  }
  std::erase_if(graph.functions, [&](const Function& f) { return !used.functions.contains(f.name); });
}

void rename_reserved(Function& f, const std::vector<std::string>& reserved) {
  FreeNames names(f);
  const auto is_reserved = [&](const std::string& name) {
    return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
  };
  for (Value& value : f.values) {
    if (is_reserved(value.name)) value.name = names.value(str_cat("model/", value.name));
  }
  for (Node& node : f.nodes) {
    if (is_reserved(node.name)) node.name = names.node(str_cat("model/", node.name));
  }
}

}  // namespace

Result<std::shared_ptr<const Graph>> open_own_model(const std::shared_ptr<const Registry>& registry,
                                                    const std::string& path,
                                                    const std::shared_ptr<MemoryPool>& memory) {
  if (path.ends_with(".percale")) return load_graph(registry, path, {.memory = memory});
  return unimplemented("'", path,
                       "': models in formats other than .percale need an importer plug-in, which is not loaded");
}

Result<std::shared_ptr<const Graph>> model_body(const Graph& graph, const std::vector<std::string>& outputs,
                                                const std::vector<std::string>& reserved) {
  const Function& main = graph.main();
  std::vector<std::string> wanted = outputs;
  if (wanted.empty()) {
    if (main.outputs.size() != 1) {
      std::string names;
      for (ValueId id : main.outputs) names += str_cat(names.empty() ? "" : ", ", "'", main.value(id).name, "'");
      return invalid_argument("the model has ", static_cast<uint64_t>(main.outputs.size()), " outputs (", names,
                              "): 'outputs' must name the ones to use");
    }
    wanted.push_back(main.value(main.outputs[0]).name);
  }
  for (const std::string& name : wanted) {
    if (std::count(wanted.begin(), wanted.end(), name) > 1)
      return invalid_argument("'outputs' names '", name, "' twice");
    if (main.find_value(name) != kNoValue) continue;
    std::vector<std::string> known;
    for (const Value& v : main.values) known.push_back(v.name);
    return not_found("the model has no value '", name, "'", did_you_mean(name, known));
  }
  PERCALE_ASSIGN_OR_RETURN(const auto reduced, inference_graph(graph, wanted));
  auto out = std::make_shared<Graph>(*reduced);
  drop_unused(*out);
  Function& f = out->functions.front();
  if (f.inputs.empty()) return invalid_argument("the model has no inputs: its outputs are constant");
  std::vector<std::string> taken = reserved;
  Value* const only = f.inputs.size() == 1 ? &f.value(f.inputs[0]) : nullptr;
  if (only != nullptr && only->name != "x") taken.emplace_back("x");
  rename_reserved(f, taken);
  if (only != nullptr) only->name = std::string("x");
  PERCALE_RETURN_IF_ERROR(validate(*out));
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale
