#include "core/compile/compile.h"

#include <algorithm>
#include <set>

#include "core/base/similar_name.h"
#include "core/compile/body_call.h"
#include "core/compile/plan_bytes.h"
#include "core/compile/segment.h"
#include "core/graph/device_hint.h"
#include "core/passes/device/fuse_elementwise.h"
#include "core/passes/device/narrow.h"
#include "core/passes/edit/propagate.h"
#include "core/passes/edit/prune.h"
#include "core/passes/passes.h"
#include "core/passes/simplify/simplify.h"
#include "core/placement/place.h"
#include "core/plan/evaluate.h"
#include "core/plan/layout.h"
#include "core/plan/node_view.h"
#include "core/plan/precompute.h"

namespace percale {
namespace {

Result<ValueId> find_value(const Function& f, std::string_view name, std::string_view role) {
  const ValueId id = f.find_value(name);
  if (id != kNoValue) return id;
  std::vector<std::string> names;
  for (const Value& v : f.values) names.push_back(v.name);
  std::string hint;
  if (const std::string near = similar_name(name, names); !near.empty()) {
    hint = str_cat(", did you mean '", near, "'?");
  } else {
    const bool feeds = role == "feed";
    for (ValueId v : feeds ? f.inputs : f.outputs) {
      hint +=
          str_cat(hint.empty() ? (feeds ? "; its inputs are '" : "; its outputs are '") : ", '", f.value(v).name, "'");
    }
  }
  return not_found(role, " '", name, "' is no value of function '", f.name, "'", hint);
}

Result<NodeId> find_node(const Function& f, std::string_view name) {
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (f.nodes[i].name == name) return static_cast<NodeId>(i);
  }
  return not_found("target '", name, "' is no node of function '", f.name, "'");
}

// Uses of an input become uses of a constant; the input stays, so that feeds keep their numbers.
void bind_contents(Function& f, size_t input, const Tensor& contents) {
  const ValueId from = f.inputs[input];
  const auto to = static_cast<ValueId>(f.values.size());
  f.values.push_back({str_cat(f.value(from).name, "/value"), f.type(from), ValueKind::kConstant,
                      static_cast<int32_t>(f.constants.size()), 0});
  f.constants.push_back(contents);
  for (Node& node : f.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(f.outputs.begin(), f.outputs.end(), from, to);
}

// Asks the kernel lists, as placement needs it.
class ListProbe final : public KernelProbe {
 public:
  // `precomputed`: per value of `f`, as precomputable_values() tells; may be empty.
  ListProbe(const Graph& graph, const Function& f, std::vector<bool> precomputed = {})
      : graph_(graph), f_(f), precomputed_(std::move(precomputed)) {}
  Status can_run(const Node& node, std::string_view kind) const override {
    const Attributes attributes = with_defaults(*node.op, node.attributes);
    const NodeView view = make_node_view(graph_, f_, node, attributes, precomputed_);
    std::string reasons;
    for (const Kernel& kernel : graph_.registry->kernels(kind, *node.op)) {
      const Status status = from_c(kernel.accepts(kernel.user, &view));
      if (status.ok() || status.code() == Code::kResourceExhausted) return status;
      reasons += str_cat(reasons.empty() ? "" : "; ", kernel.name, ": ", status.message());
    }
    return unimplemented(reasons.empty() ? std::string("no kernel") : reasons);
  }

 private:
  const Graph& graph_;
  const Function& f_;
  const std::vector<bool> precomputed_;
};

class Compiler {
 public:
  Compiler(const Engine& engine, const CompileOptions& options, const CompileRequest& request)
      : engine_(engine), options_(options), request_(request), out_(std::make_shared<Plan>()) {}

  Result<std::shared_ptr<const Plan>> run() {
    out_->id = request_.id;
    out_->spec = request_.spec;
    out_->feed_types.assign(request_.feed_types.begin(), request_.feed_types.end());
    graph_ = std::make_shared<Graph>(request_.graph);
    out_->graph = graph_;
    const Function* found = graph_->find_function(request_.spec.function);
    if (found == nullptr) return not_found("no function '", request_.spec.function, "' in the graph");
    Function f = *found;
    PERCALE_RETURN_IF_ERROR(read_inputs(*graph_, f, request_.spec.reads));
    PERCALE_RETURN_IF_ERROR(bind(f));
    PERCALE_RETURN_IF_ERROR(run_passes(f));
    for (ValueId id : f.outputs) {
      const ValueType& type = f.type(id);
      out_->fetch_types.push_back(type.shape.is_static() ? type : ValueType{});
    }
    rules_ = precompute_rules(f);
    slice_rules_ = rules_;
    slice_rules_.slices_alone = true;
    rules_.all_variables = rules_.all_variables || !request_.spec.binding.precomputes_variables();
    Segments segments = split_segments(f);
    if (segments.head.nodes.empty() && segments.control.empty() && !segments.rest.nodes.empty() &&
        !makes_progress(segments)) {
      return cannot_plan(segments.rest);
    }
    out_->fetches = std::move(segments.fetches);
    out_->control = std::move(segments.control);
    out_->rest_inputs = std::move(segments.rest_inputs);
    out_->rest_by_value = std::move(segments.rest_by_value);
    if (!segments.rest.nodes.empty()) keep_rest(std::move(segments.rest));
    PERCALE_RETURN_IF_ERROR(lower_head(segments.head));
    for (ShownResult& shown : out_->shown) shown.fetched = is_fetched(shown.result);
    plan_bodies(*out_);
    out_->peak_bytes = run_bytes(*out_);
    return std::shared_ptr<const Plan>(std::move(out_));
  }

 private:
  Status bind(Function& f) {
    const RunSpec& spec = request_.spec;
    if (spec.feeds.size() != request_.feed_types.size()) {
      return invalid_argument(static_cast<uint64_t>(spec.feeds.size()), " feeds are named, ",
                              static_cast<uint64_t>(request_.feed_types.size()), " given");
    }
    std::vector<ValueId> feeds, fetches;
    std::vector<NodeId> targets;
    std::vector<Shape> shapes;
    for (size_t i = 0; i < spec.feeds.size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId id, find_value(f, spec.feeds[i], "feed"));
      const ValueType& want = f.type(id);
      const ValueType& got = request_.feed_types[i];
      // One element under any shape is a scalar where one is wanted: so exporters write and runtimes feed them.
      const bool scalar =
          want.shape.known_rank() && want.shape.rank() == 0 && got.shape.is_static() && got.shape.num_elements() == 1;
      if (want.dtype != got.dtype || !(scalar || compatible(want.shape, got.shape))) {
        return invalid_argument("feed '", spec.feeds[i], "' is ", got.dtype, " ", got.shape, ", wanted ", want.dtype,
                                " ", want.shape);
      }
      feeds.push_back(id);
      shapes.push_back(scalar ? want.shape : got.shape);
      out_->reshapes_feeds = out_->reshapes_feeds || !(shapes.back() == got.shape);
      out_->bound_shapes.push_back(shapes.back());
    }
    for (const std::string& name : spec.fetches) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId id, find_value(f, name, "fetch"));
      fetches.push_back(id);
    }
    for (const std::string& name : spec.targets) {
      PERCALE_ASSIGN_OR_RETURN(const NodeId id, find_node(f, name));
      targets.push_back(id);
    }
    PERCALE_RETURN_IF_ERROR(check_colocation(f));
    PERCALE_RETURN_IF_ERROR(prune(*graph_, f, feeds, fetches, targets));
    PERCALE_RETURN_IF_ERROR(bind_inputs(f, shapes));
    for (size_t i = 0; i < request_.contents.size(); ++i) {
      if (request_.contents[i].defined()) bind_contents(f, i, request_.contents[i]);
    }
    return {};
  }

  // What a node is asked to stand with may be pruned or folded away, but it must be there to begin with.
  Status check_colocation(const Function& f) const {
    for (const Node& node : f.nodes) {
      const auto with = parse_colocation_hint(node.device);
      if (!with || graph_->find_variable(*with) != nullptr || find_node(f, *with).ok()) continue;
      return not_found(op_name(*node.op), " '", node.name, "': asks to stand with '", *with,
                       "', which is no node of function '", f.name, "' and no variable");
    }
    return {};
  }

  Status run_passes(Function& f) {
    PassContext context;
    context.disabled.insert(options_.disabled_passes.begin(), options_.disabled_passes.end());
    context.dump = [this](std::string_view pass, const Function& g) {
      out_->pass_sizes.emplace_back(pass, g.nodes.size());
    };
    if (!engine_.devices().empty()) {
      context.evaluate = [this](const OpSchema& schema, std::string_view name, const Attributes& attributes,
                                const std::vector<Tensor>& inputs, size_t num_outputs) {
        return evaluate_node(*engine_.registry(), "cpu", schema, name, attributes, inputs, num_outputs,
                             engine_.memory());
      };
    }
    context.narrows = options_.bf16;
    // What would keep a node away from the accelerators that may run it is no gain, however well another device takes it.
    const auto& all = engine_.devices();
    const auto& group = request_.spec.group;
    const auto asked = [&](size_t i) {
      return group.empty() || std::find(group.begin(), group.end(), static_cast<int32_t>(i)) != group.end();
    };
    bool accelerated = false;
    for (size_t i = 0; i < all.size(); ++i) accelerated = accelerated || (asked(i) && is_accelerator(*all[i]));
    std::vector<const Device*> devices;
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_accelerator(*all[i]) == accelerated && (!accelerated || asked(i))) devices.push_back(all[i].get());
    }
    context.claims = [this, devices](const Function& g, const Node& node) {
      const ListProbe probe(*graph_, g);
      if (const Device* own = engine_.find_device(node.device)) return probe.can_run(node, own->kind()).ok();
      return std::any_of(devices.begin(), devices.end(),
                         [&](const Device* device) { return probe.can_run(node, device->kind()).ok(); });
    };
    PERCALE_RETURN_IF_ERROR(expand_state(*graph_, f, context));
    return run_device_free_passes(*graph_, f, context);
  }

  // A device with memory of its own that says how fast it is, and takes nodes one by one.
  static bool is_accelerator(const Device& device) {
    return device.description().gflops > 0 && !device.shares_host_memory() && !device.takes_partitions();
  }

  // True if the next segment can be compiled with contents that this one lacks.
  static bool makes_progress(const Segments& segments) {
    return std::find(segments.rest_by_value.begin(), segments.rest_by_value.end(), true) !=
           segments.rest_by_value.end();
  }

  static Status cannot_plan(const Function& rest) {
    const Node& node = rest.nodes.front();
    return unimplemented(op_name(*node.op), " '", node.name,
                         "': the shape of its output depends on the contents of its inputs, which cannot be planned");
  }

  void keep_rest(Function rest) {
    auto graph = std::make_shared<Graph>(*graph_);
    rest.name = kMainFunction;
    std::erase_if(graph->functions, [](const Function& f) { return f.name == kMainFunction; });
    graph->functions.insert(graph->functions.begin(), std::move(rest));
    out_->rest_spec = inner_spec(*graph, graph->main(), request_.spec);
    out_->rest = std::move(graph);
  }

  Status lower_head(const Function& head) {
    for (ValueId id : head.outputs) out_->results.push_back(head.type(id));
    out_->stays.assign(out_->results.size(), false);
    if (head.nodes.empty() && head.outputs.empty()) return {};
    std::vector<PlacementDevice> devices;
    std::vector<bool> whole;
    for (const auto& d : engine_.devices()) {
      devices.push_back({d->name(), d->kind(), d->shares_host_memory(), d->takes_partitions(), d->description().gflops,
                         d->description().gbytes_per_second, d->width(), numerics_of(*d), d->is_home()});
      whole.push_back(d->takes_partitions());
    }
    const PlaceOptions how{options_.soft_placement, request_.spec.group, engine_.threads().threads(),
                           request_.measured};
    PERCALE_ASSIGN_OR_RETURN(Placement placement, place(head, devices, ListProbe(*graph_, head), how));
    if (options_.log_placement) log_placement(head, devices, placement);
    Cut cut = partition(head, placement.device_of, whole);
    for (const auto& [result, value] : cut.passed_through) {
      out_->passed_through.push_back({result, head.value(value).kind == ValueKind::kInput ? head.value(value).def : -1,
                                      head.constant(value) != nullptr ? *head.constant(value) : Tensor()});
      const int32_t feed = out_->passed_through.back().feed;
      if (feed >= 0) out_->shown.push_back({result, feed, -1});
    }
    for (size_t i = 0; i < head.nodes.size(); ++i) {
      out_->placement.push_back({head.nodes[i].name, placement.device_of[i], std::move(placement.reasons[i]),
                                 std::move(placement.forecasts[i])});
    }
    out_->expected_seconds = placement.seconds;
    out_->placement_summary = std::move(placement.summary);
    return lower_parts(std::move(cut), head.inputs.size());
  }

  // Devices that run the same kernels give the same bits. Two makes of one kind need not, the engine's own CPU is one make.
  static std::string numerics_of(const Device& device) {
    if (device.api().borrow_kernels != nullptr) return device.api().borrow_kernels;
    const char* model = device.description().model;
    return device.shares_host_memory() || model == nullptr ? device.kind() : str_cat(device.kind(), "/", model);
  }

  void log_placement(const Function& f, const std::vector<PlacementDevice>& devices, const Placement& placement) const {
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      engine_.log().log(LogLevel::kInfo, "placement: ", op_name(*f.nodes[i].op), " '", f.nodes[i].name, "' on ",
                        devices[static_cast<size_t>(placement.device_of[i])].name, ": ", placement.reasons[i]);
    }
    engine_.log().log(LogLevel::kInfo, "placement: ", placement.summary);
  }

  // A control edge between two parts. Passes give the nodes other numbers, but not other names.
  struct Order {
    size_t transfer;
    std::string after, before;
  };

  // The device passes, then the programs.
  Status lower_parts(Cut cut, size_t num_feeds) {
    std::vector<NodeNames> keep(cut.parts.size());
    std::vector<Order> orders;
    for (size_t i = 0; i < cut.transfers.size(); ++i) {
      const Transfer& t = cut.transfers[i];
      if (t.to_input >= 0) continue;
      const auto from = static_cast<size_t>(t.from_part), to = static_cast<size_t>(t.to_part);
      orders.push_back(
          {i, cut.parts[from].function.node(t.after_node).name, cut.parts[to].function.node(t.before_node).name});
      keep[from].insert(orders.back().after);
      keep[to].insert(orders.back().before);
    }
    PERCALE_RETURN_IF_ERROR(narrow_floats(cut));
    PERCALE_RETURN_IF_ERROR(fuse(cut, keep));
    for (size_t i = 0; i < cut.parts.size(); ++i) {
      PERCALE_RETURN_IF_ERROR(lower_part(std::move(cut.parts[i]), keep[i], num_feeds));
    }
    for (const Order& order : orders) {
      Transfer& t = cut.transfers[order.transfer];
      PERCALE_ASSIGN_OR_RETURN(t.after_node, find_node(part(t.from_part), order.after));
      PERCALE_ASSIGN_OR_RETURN(t.before_node, find_node(part(t.to_part), order.before));
    }
    out_->transfers = std::move(cut.transfers);
    for (PlacedProgram& placed : out_->programs) {
      note_store_keys(placed);
      for (const PartInput& input : placed.part.inputs) {
        const bool resident = input.kind == PartInput::Kind::kFeed &&
                              request_.spec.binding.feed_key(static_cast<size_t>(input.index)).defined();
        if (!resident || !placed.device->shares_host_memory()) continue;
        return unimplemented("'", request_.spec.feeds[static_cast<size_t>(input.index)], "' lies on a device, and ",
                             placed.device->name(), " would read it");
      }
    }
    return {};
  }

  // Decides which values a device with memory of its own keeps between runs.
  void note_store_keys(PlacedProgram& placed) {
    placed.input_keys.assign(placed.part.inputs.size(), {});
    placed.output_keys.assign(placed.part.outputs.size(), {});
    if (placed.device->shares_host_memory()) return;
    for (size_t i = 0; i < placed.part.inputs.size(); ++i) {
      const PartInput& input = placed.part.inputs[i];
      placed.input_keys[i] = input.kind == PartInput::Kind::kFeed
                                 ? request_.spec.binding.feed_key(static_cast<size_t>(input.index))
                                 : transfer_key(input);
    }
    for (size_t k = 0; k < placed.part.outputs.size(); ++k) {
      const Operand& place = placed.program->output_from[k];
      if (place.home != Home::kOutput || place.index != static_cast<int64_t>(k)) continue;
      for (const int32_t result : placed.part.outputs[k].results) {
        const StoreKey key = fetch_key(result);
        if (!key.defined()) continue;
        placed.output_keys[k] = key;
        for (const int32_t other : placed.part.outputs[k].results) {
          out_->stays[static_cast<size_t>(other)] = request_.spec.binding.slots().keep_on_device;
        }
        break;
      }
    }
  }

  // The key of a value that another program hands on without computing it.
  StoreKey transfer_key(const PartInput& input) const {
    const Transfer& t = out_->transfers[static_cast<size_t>(input.index)];
    const PlacedProgram& from = out_->programs[static_cast<size_t>(t.from_part)];
    const Operand& place = from.program->output_from[static_cast<size_t>(t.from_output)];
    if (place.home == Home::kVariable) return StoreKey::variable(place.index);
    if (place.home != Home::kInput || request_.store == nullptr) return {};
    const PartInput& source = from.part.inputs[static_cast<size_t>(place.index)];
    const int64_t precomputed = source.index - static_cast<int64_t>(out_->feed_types.size());
    if (source.kind != PartInput::Kind::kFeed || precomputed < 0) return {};
    return request_.store->precomputed(out_->precompute_steps[static_cast<size_t>(precomputed)].form);
  }

  StoreKey fetch_key(int32_t result) const {
    const auto& keys = request_.spec.binding.slots().fetches;
    for (size_t i = 0; i < keys.size(); ++i) {
      const ValueSource& fetch = out_->fetches[i];
      if (fetch.kind == ValueSource::Kind::kResult && fetch.index == result) return keys[i];
    }
    return {};
  }

  const Device& device_of(const Part& part) const { return *engine_.devices()[static_cast<size_t>(part.device)]; }
  const Function& part(int32_t number) const { return out_->programs[static_cast<size_t>(number)].part.function; }
  bool is_disabled(std::string_view pass) const {
    const auto& disabled = options_.disabled_passes;
    return std::find(disabled.begin(), disabled.end(), pass) != disabled.end();
  }

  void note_sizes(std::string_view pass, const Cut& cut) {
    size_t nodes = 0;
    for (const Part& part : cut.parts) nodes += part.function.nodes.size();
    out_->pass_sizes.emplace_back(pass, nodes);
  }

  // Per value of a part: whether it is what a variable holds, read there or elsewhere.
  static std::vector<bool> variables_in(const Cut& cut, const Part& part) {
    const auto reads = [](const Function& f, ValueId id) {
      return f.value(id).kind == ValueKind::kNode && op_name(*f.node(f.value(id).def).op) == "percale:ReadVariable";
    };
    const Function& f = part.function;
    std::vector<bool> out;
    for (size_t i = 0; i < f.values.size(); ++i) out.push_back(reads(f, static_cast<ValueId>(i)));
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      if (part.inputs[i].kind != PartInput::Kind::kTransfer) continue;
      const Transfer& from = cut.transfers[static_cast<size_t>(part.inputs[i].index)];
      const Function& there = cut.parts[static_cast<size_t>(from.from_part)].function;
      if (from.from_output < 0 || !reads(there, there.outputs[static_cast<size_t>(from.from_output)])) continue;
      out[static_cast<size_t>(f.inputs[i])] = true;
    }
    return out;
  }

  Status narrow_floats(Cut& cut) {
    if (!options_.bf16) return {};
    for (Part& part : cut.parts) {
      if (device_of(part).takes_partitions()) continue;
      const std::string_view kind = device_of(part).kind();
      NarrowOptions narrowing;
      narrowing.precomputed = precomputable_values(part.function, rules_);
      narrowing.variables = variables_in(cut, part);
      narrowing.gains = [&](const Node& node) {
        return gains_by_bf16(part.function, node, kind, narrowing.precomputed);
      };
      PERCALE_RETURN_IF_ERROR(narrow(*graph_, part.function, narrowing));
    }
    note_sizes(kNarrow, cut);
    return {};
  }

  // Whether the best kernel for the node in bf16 is more than the portable one, which computes in f32 all the same.
  bool gains_by_bf16(const Function& f, const Node& node, std::string_view kind, const std::vector<bool>& precomputed) {
    const Attributes attributes = with_defaults(*node.op, node.attributes);
    NodeView view = make_node_view(*graph_, f, node, attributes, precomputed);
    const auto narrow = [](ValueType& type) {
      if (type.dtype == DType::kF32) type.dtype = DType::kBF16;
    };
    for (size_t i = 0; i < view.inputs.size(); ++i) {
      if (narrows_input(node, i)) narrow(view.inputs[i]);
    }
    for (size_t i = 0; i < view.outputs.size(); ++i) {
      if (narrows_output(node, i)) narrow(view.outputs[i]);
    }
    std::vector<Tensor> numbers(view.values.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const Tensor*& value = view.values[i];
      const bool number = value != nullptr && value->dtype() == DType::kF32 && value->num_elements() == 1;
      if (number) numbers[i] = narrowed(*value);
      if (value != nullptr && value->dtype() == DType::kF32) value = number ? &numbers[i] : nullptr;
    }
    for (const Kernel& kernel : graph_->registry->kernels(kind, *node.op)) {
      if (from_c(kernel.accepts(kernel.user, &view)).ok())
        return !std::string_view(kernel.name).starts_with("portable");
    }
    return false;
  }

  enum class Round { kExpansions, kAnchors, kElementwise };

  // Every part comes before the first is lowered, because kernels borrow bodies from the graph, whose functions move when
  // one is added. Where no kernel takes two convolutions together, each is grouped with what follows it; where none takes a product
  // together with what follows it, what follows is grouped by itself.
  Status fuse(Cut& cut, const std::vector<NodeNames>& keep) {
    if (is_disabled(kFuseElementwise)) return {};
    std::vector<bool> wanted(cut.parts.size(), true);
    for (const Round round : {Round::kExpansions, Round::kAnchors, Round::kElementwise}) {
      for (size_t i = 0; i < cut.parts.size(); ++i) {
        if (!wanted[i] || device_of(cut.parts[i]).takes_partitions()) continue;
        FuseOptions options;
        options.expansions = round == Round::kExpansions;
        options.anchors = round != Round::kElementwise;
        options.accelerator = device_of(cut.parts[i]).kind() != "cpu";
        options.keep = keep[i];
        PERCALE_RETURN_IF_ERROR(fuse_elementwise(*graph_, cut.parts[i].function, options));
      }
      if (round == Round::kAnchors) note_sizes(kFuseElementwise, cut);
      for (size_t i = 0; i < cut.parts.size(); ++i) {
        if (!wanted[i]) continue;
        PERCALE_ASSIGN_OR_RETURN(const bool anchored, put_back_refused(cut.parts[i], round));
        wanted[i] = round == Round::kExpansions || anchored;
      }
      if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) break;
    }
    note_sizes(kInlineFused, cut);
    return {};
  }

  // Whether one of them had an anchor.
  Result<bool> put_back_refused(Part& part, Round round) {
    bool anchored = false;
    const std::string_view kind = device_of(part).kind();
    const ListProbe probe(*graph_, part.function, precomputable_values(part.function, rules_));
    std::set<std::string, std::less<>> refused;
    for (const Node& node : part.function.nodes) {
      if (node.op->name != "Fused" || node.op->domain != "percale") continue;
      const Status status = probe.can_run(node, kind);
      if (status.ok()) continue;
      if (status.code() == Code::kResourceExhausted) return status;
      refused.insert(node.name);
      anchored = anchored || node.attributes.find("anchor") != nullptr;
      if (round == Round::kExpansions) continue;  // hardly any of them is worth it
      auto& told = out_->refused_groups;
      const auto is_this = [&](const RefusedGroup& r) { return r.node == node.name; };
      if (std::none_of(told.begin(), told.end(), is_this)) told.push_back({node.name, std::string(status.message())});
    }
    if (refused.empty()) return false;
    PERCALE_RETURN_IF_ERROR(
        inline_fused(*graph_, part.function, [&](const Node& node) { return !refused.contains(node.name); }));
    return anchored;
  }

  Status lower_part(Part part, const NodeNames& keep, size_t num_feeds) {
    const Device& device = device_of(part);
    Function& f = part.function;
    PlacedProgram placed;
    placed.device = &device;
    if (device.takes_partitions()) {
      PERCALE_ASSIGN_OR_RETURN(placed.executable, Executable::compile(device, *graph_, f));
      placed.program = whole_program(f, device.kind());
      placed.part = std::move(part);
      out_->programs.push_back(std::move(placed));
      return {};
    }
    out_->captures_work = !is_disabled(kKeepWork);
    PERCALE_ASSIGN_OR_RETURN(PlannedNodes planned, plan_nodes(*graph_, f, device.kind(),
                                                              precomputable_values(f, rules_), !is_disabled(kLayouts)));
    out_->pass_sizes.emplace_back(kLayouts, f.nodes.size());
    // Kernels do not know of slices that are kept: they are those that they would be without.
    const bool slices = request_.spec.binding.precomputes_slices();
    const std::vector<ValueId> precomputed = values_to_precompute(f, slices ? slice_rules_ : rules_, keep);
    for (ValueId id : precomputed) {
      PERCALE_RETURN_IF_ERROR(add_precompute_step(device, part, id, planned));
      part.inputs.push_back(
          {PartInput::Kind::kFeed, static_cast<int32_t>(num_feeds + out_->precompute_steps.size() - 1)});
    }
    if (!precomputed.empty()) PERCALE_RETURN_IF_ERROR(take_as_inputs(f, precomputed, keep));
    const ProgramOptions options{request_.spec.binding.is_exclusive()};
    PERCALE_ASSIGN_OR_RETURN(placed.program, lower(*graph_, f, device.kind(), options, planned));
    placed.part = std::move(part);
    note_shown(placed, num_feeds);
    out_->programs.push_back(std::move(placed));
    return {};
  }

  bool is_fetched(int32_t result) const {
    return std::any_of(out_->fetches.begin(), out_->fetches.end(),
                       [&](const ValueSource& s) { return s.kind == ValueSource::Kind::kResult && s.index == result; });
  }

  void note_shown(const PlacedProgram& placed, size_t num_feeds) {
    if (!placed.device->shares_host_memory()) return;
    for (const ProgramCopy& copy : placed.program->copies) {
      if (copy.to.home != Home::kOutput) continue;
      const std::vector<int32_t>& results = placed.part.outputs[static_cast<size_t>(copy.to.index)].results;
      if (results.empty()) continue;
      if (copy.from.home == Home::kVariable) {
        out_->shown.push_back({results[0], -1, static_cast<int32_t>(copy.from.index)});
      } else if (copy.from.home == Home::kInput) {
        const PartInput& input = placed.part.inputs[static_cast<size_t>(copy.from.index)];
        const bool given = input.kind == PartInput::Kind::kFeed && static_cast<size_t>(input.index) < num_feeds;
        if (given) out_->shown.push_back({results[0], input.index, -1});
      }
    }
  }

  Status take_as_inputs(Function& f, const std::vector<ValueId>& precomputed, const NodeNames& keep) {
    std::vector<ValueId> inputs = f.inputs;
    inputs.insert(inputs.end(), precomputed.begin(), precomputed.end());
    std::vector<NodeId> effects;
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      const Node& node = f.nodes[i];
      const bool stays = node.op->has(kStateful) && node.op->name != "ReadVariable";
      if (stays || keep.contains(node.name)) effects.push_back(static_cast<NodeId>(i));
    }
    return prune(*graph_, f, inputs, std::vector<ValueId>(f.outputs), effects);
  }

  Status add_precompute_step(const Device& device, const Part& part, ValueId value, PlannedNodes& planned) {
    PlacedProgram placed;
    placed.device = &device;
    placed.part.device = part.device;
    Function& f = placed.part.function;
    f = part.function;
    PERCALE_RETURN_IF_ERROR(prune(*graph_, f, {}, {value}, {}));
    auto plan = std::make_shared<Plan>();
    plan->graph = graph_;
    plan->spec.fetches.push_back(f.value(f.outputs[0]).name);
    plan->fetches.push_back({ValueSource::Kind::kResult, 0, 0});
    plan->results.push_back(memory_type(f, f.outputs[0]));
    plan->stays.assign(1, false);
    plan->fetch_types = plan->results;
    const bool of_variables =
        std::any_of(f.nodes.begin(), f.nodes.end(), [](const Node& node) { return node.op->name == "ReadVariable"; });
    std::string form = precomputed_form(*graph_, f);
    PERCALE_ASSIGN_OR_RETURN(placed.program, lower(*graph_, f, device.kind(), ProgramOptions{}, planned));
    placed.part.outputs.push_back({{0}, {}});
    placed.input_keys.assign(placed.part.inputs.size(), {});
    placed.output_keys.assign(placed.part.outputs.size(), {});
    plan->programs.push_back(std::move(placed));
    plan->peak_bytes = run_bytes(*plan);
    out_->precompute_steps.push_back({std::move(form), of_variables, std::move(plan)});
    return {};
  }

  const Engine& engine_;
  const CompileOptions& options_;
  const CompileRequest& request_;
  PrecomputeRules rules_, slice_rules_;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<Plan> out_;
};

}  // namespace

Result<std::shared_ptr<const Plan>> compile(const Engine& engine, const CompileOptions& options,
                                            const CompileRequest& request) {
  return Compiler(engine, options, request).run();
}

}  // namespace percale
