#include "core/draw/picture/picture_builder.h"

#include <algorithm>
#include <queue>

#include "core/draw/picture/node_box.h"

namespace percale {
namespace {

// Inputs come before nodes, nodes before outputs.
int rank_of(BoxKind kind) { return kind == BoxKind::kInput ? 0 : kind == BoxKind::kNode ? 1 : 2; }

// Returns the order of the boxes: topological, with ties broken by kind and then by index.
std::vector<int32_t> topological(const Picture& picture) {
  const size_t count = picture.boxes.size();
  std::vector<std::vector<int32_t>> users(count);
  std::vector<int32_t> waits(count, 0), order;
  for (const Link& link : picture.links) {
    users[static_cast<size_t>(link.from)].push_back(link.to);
    ++waits[static_cast<size_t>(link.to)];
  }
  const auto later = [&](int32_t a, int32_t b) {
    const int first = rank_of(picture.boxes[static_cast<size_t>(a)].kind);
    const int second = rank_of(picture.boxes[static_cast<size_t>(b)].kind);
    return first != second ? first > second : a > b;
  };
  std::priority_queue<int32_t, std::vector<int32_t>, decltype(later)> ready(later);
  for (size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) ready.push(static_cast<int32_t>(i));
  }
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const int32_t user : users[static_cast<size_t>(order.back())]) {
      if (--waits[static_cast<size_t>(user)] == 0) ready.push(user);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (waits[i] > 0) order.push_back(static_cast<int32_t>(i));
  }
  return order;
}

}  // namespace

std::string type_text(const ValueType& type) {
  return type.dtype == DType::kInvalid ? "known during the run" : str_cat(type.dtype, " ", type.shape);
}

int32_t PictureBuilder::add_box(Box box) {
  picture_.boxes.push_back(std::move(box));
  return static_cast<int32_t>(picture_.boxes.size()) - 1;
}

int32_t PictureBuilder::add_end(BoxKind kind, std::string_view name, const ValueType& type) {
  Box box;
  box.kind = kind;
  box.name = box.title = std::string(name);
  box.detail = type_text(type);
  box.facts.emplace_back("type", box.detail);
  return add_box(std::move(box));
}

size_t PictureBuilder::add_function(const Function& function, InputOrigin inputs) {
  Part part{&function, std::move(inputs), {}};
  part.boxes.reserve(function.nodes.size());
  for (const Node& node : function.nodes) {
    part.boxes.push_back(is_variable_read(node) ? -1 : add_box(node_box(graph_, function, node)));
  }
  parts_.push_back(std::move(part));
  return parts_.size() - 1;
}

Origin PictureBuilder::origin(size_t part, ValueId id) const {
  const Function& f = *parts_[part].function;
  const Value& value = f.value(id);
  const auto def = static_cast<size_t>(value.def);
  if (value.kind == ValueKind::kInput) return parts_[part].inputs(def);
  Origin out;
  if (value.kind == ValueKind::kConstant) {
    out.chip = constant_chip(value, f.constants[def]);
  } else if (is_variable_read(f.nodes[def])) {
    const std::string_view name = f.nodes[def].attributes.get_string("variable");
    out.chip = {ChipKind::kVariable, std::string(name), type_text(value.type), ""};
  } else {
    out.box = parts_[part].boxes[def];
    out.output = value.output;
  }
  return out;
}

void PictureBuilder::connect(Origin from, int32_t to, const ValueType& type, std::string_view role) {
  if (from.box >= 0) {
    picture_.links.push_back({from.box, to, from.output, from.kind, type_text(type)});
    return;
  }
  from.chip.role = std::string(role);
  if (from.chip.kind == ChipKind::kVariable && box(to).tint == Tint::kPlain) box(to).tint = Tint::kWeighted;
  box(to).chips.push_back(std::move(from.chip));
}

void PictureBuilder::order(int32_t before, int32_t after) {
  if (before >= 0 && after >= 0) picture_.links.push_back({before, after, -1, LinkKind::kOrder, ""});
}

void PictureBuilder::link_part(size_t part) {
  const Function& f = *parts_[part].function;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const int32_t to = parts_[part].boxes[i];
    if (to < 0) continue;
    const Node& node = f.nodes[i];
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const ValueId id = node.inputs[k];
      if (id != kNoValue)
        connect(origin(part, id), to, f.type(id), node.op->inputs.empty() ? "" : node.op->input(k).name);
    }
    for (const NodeId before : node.control) order(box_of(part, before), to);
  }
}

Picture PictureBuilder::finish() {
  for (size_t part = 0; part < parts_.size(); ++part) link_part(part);
  const std::vector<int32_t> order = topological(picture_);
  std::vector<int32_t> place(order.size());
  for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  Picture out{std::move(picture_.title), {}, {}};
  for (const int32_t old : order) out.boxes.push_back(std::move(box(old)));
  for (Link& link : picture_.links) {
    link.from = place[static_cast<size_t>(link.from)];
    link.to = place[static_cast<size_t>(link.to)];
    if (link.from < link.to) out.links.push_back(std::move(link));
  }
  return out;
}

Picture picture_of(const Graph& graph, const Function& function) {
  PictureBuilder builder(function.name, graph);
  for (const ValueId id : function.inputs) builder.add_input(function.value(id).name, function.type(id));
  const size_t part = builder.add_function(function, [](size_t input) {
    return Origin{static_cast<int32_t>(input), 0, LinkKind::kValue, {}};
  });
  for (const ValueId id : function.outputs) {
    const int32_t output = builder.add_output(function.value(id).name, function.type(id));
    builder.connect(builder.origin(part, id), output, function.type(id));
  }
  return builder.finish();
}

std::vector<Picture> pictures_of(const Graph& graph) {
  std::vector<Picture> out;
  for (const Function& function : graph.functions) out.push_back(picture_of(graph, function));
  return out;
}

}  // namespace percale
