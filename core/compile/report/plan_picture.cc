#include "core/compile/report/plan_picture.h"

#include <algorithm>

#include "core/draw/picture/node_box.h"
#include "core/draw/picture/picture_builder.h"

namespace percale {
namespace {

class PlanPicture {
 public:
  explicit PlanPicture(const Plan& plan)
      : plan_(plan), builder_(str_cat("plan of ", plan.spec.function), *plan.graph) {}

  Picture build() {
    for (size_t i = 0; i < plan_.spec.feeds.size(); ++i) {
      const ValueType& type = plan_.feed_types[i];
      const Shape& shape = plan_.inner_shapes.empty() ? type.shape : plan_.inner_shapes[i];
      builder_.add_input(plan_.spec.feeds[i], {type.dtype, shape});
    }
    for (const PlacedProgram& program : plan_.programs) add_program(program);
    for (const ControlNode& control : plan_.control) add_control(control);
    if (plan_.rest.graph != nullptr) {
      rest_ =
          builder_.add_function(plan_.rest.graph->main(), [this](size_t i) { return origin(plan_.rest.inputs[i]); });
    }
    for (size_t i = 0; i < plan_.control.size(); ++i) connect_control(i);
    for (const Transfer& t : plan_.transfers) {
      if (t.to_input < 0) builder_.order(box_of(t.from_part, t.after_node), box_of(t.to_part, t.before_node));
    }
    for (size_t i = 0; i < plan_.fetches.size(); ++i) {
      const ValueType& type = plan_.fetch_types[i];
      builder_.connect(origin(plan_.fetches[i]), builder_.add_output(plan_.spec.fetches[i], type), type);
    }
    return builder_.finish();
  }

 private:
  void add_program(const PlacedProgram& placed) {
    const size_t part = builder_.add_function(
        placed.part.function, [this, &placed](size_t input) { return origin(placed.part.inputs[input]); });
    const Function& f = placed.part.function;
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      const int32_t box = builder_.box_of(part, static_cast<NodeId>(i));
      if (box >= 0) describe(builder_.box(box), placed);
    }
  }

  // The device, the kernel and the reasons for them.
  void describe(Box& box, const PlacedProgram& placed) const {
    const auto name = [&](const auto& entry) { return entry.name == box.name; };
    const auto& nodes = placed.program->nodes;
    const auto node = std::find_if(nodes.begin(), nodes.end(), name);
    box.device = placed.device->name();
    box.detail = box.device;
    if (node != nodes.end() && !node->kernel.empty()) {
      box.detail += str_cat(" \xC2\xB7 ", node->kernel);
      box.facts.emplace_back("kernel", node->kernel);
      for (const Refusal& r : node->refusals) box.facts.emplace_back("not", str_cat(r.kernel, ": ", r.reason));
      for (const std::string& member : node->members) box.facts.emplace_back("stands for", member);
    }
    const auto place = std::find_if(plan_.report.placement.begin(), plan_.report.placement.end(),
                                    [&](const PlacedNode& p) { return p.node == box.name; });
    if (place != plan_.report.placement.end()) box.facts.emplace_back("placed because", place->reason);
  }

  void add_control(const ControlNode& control) {
    Box box;
    box.name = control.node.name;
    box.title = op_name(*control.node.op);
    box.detail = "between programs";
    box.facts.emplace_back("op", box.title);
    add_attributes(box, control.node.attributes);
    control_.push_back(builder_.add_box(std::move(box)));
  }

  void connect_control(size_t i) {
    const ControlNode& control = plan_.control[i];
    for (size_t k = 0; k < control.inputs.size(); ++k) {
      builder_.connect(origin(control.inputs[k]), control_[i], control.input_types[k]);
    }
  }

  int32_t box_of(int32_t part, NodeId node) const { return builder_.box_of(static_cast<size_t>(part), node); }

  Origin feed(int32_t index) const {
    if (static_cast<size_t>(index) < plan_.spec.feeds.size()) return {index, 0, LinkKind::kValue, {}};
    return {-1, 0, LinkKind::kValue, {ChipKind::kConstant, "", "precomputed value", ""}};
  }

  Origin origin(const PartInput& input) const {
    if (input.kind == PartInput::Kind::kFeed) return feed(input.index);
    const Transfer& t = plan_.transfers[static_cast<size_t>(input.index)];
    Origin out = output_of(static_cast<size_t>(t.from_part), static_cast<size_t>(t.from_output));
    out.kind = LinkKind::kTransfer;
    return out;
  }

  Origin output_of(size_t part, size_t output) const {
    return builder_.origin(part, plan_.programs[part].part.function.outputs[output]);
  }

  Origin origin(const ValueSource& source) const {
    switch (source.kind) {
      case ValueSource::Kind::kFeed: return feed(source.index);
      case ValueSource::Kind::kResult: return result(source.index);
      case ValueSource::Kind::kControl:
        return {control_[static_cast<size_t>(source.index)], source.output, LinkKind::kValue, {}};
      case ValueSource::Kind::kRest:
        return builder_.origin(rest_, plan_.rest.graph->main().outputs[static_cast<size_t>(source.index)]);
    }
    return {};
  }

  Origin result(int32_t index) const {
    for (size_t p = 0; p < plan_.programs.size(); ++p) {
      const std::vector<PartOutput>& outputs = plan_.programs[p].part.outputs;
      for (size_t k = 0; k < outputs.size(); ++k) {
        const std::vector<int32_t>& results = outputs[k].results;
        if (std::find(results.begin(), results.end(), index) != results.end()) return output_of(p, k);
      }
    }
    for (const PassedThrough& passed : plan_.passed_through) {
      if (passed.result == index && passed.feed >= 0) return feed(passed.feed);
    }
    return {-1, 0, LinkKind::kValue, {ChipKind::kConstant, "", "constant", ""}};
  }

  const Plan& plan_;
  PictureBuilder builder_;        // its functions 0 to n - 1 are the programs
  std::vector<int32_t> control_;  // boxes
  size_t rest_ = 0;
};

}  // namespace

Picture picture_of(const Plan& plan) { return PlanPicture(plan).build(); }

}  // namespace percale
