#include "core/session/session.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>

#include "core/compile/compile.h"
#include "core/compile/drawing.h"
#include "core/compile/explain.h"
#include "core/file/file.h"
#include "core/graph/effects.h"
#include "core/session/control.h"
#include "core/session/executor.h"
#include "core/session/queue_ops.h"

namespace percale {
namespace {

void append_text(std::string& key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

// What a plan depends on, as a string: equal keys, equal plans.
std::string cache_key(int64_t graph_id, const RunSpec& spec, std::span<const ValueType> types,
                      std::span<const Tensor> contents) {
  std::string key = str_cat(graph_id, spec.binding.key());
  for (const int32_t device : spec.group) key += str_cat("@", device);
  key += ':';
  append_text(key, spec.function);
  for (const auto* list : {&spec.feeds, &spec.fetches, &spec.targets}) {
    key += '|';
    for (const std::string& name : *list) append_text(key, name);
  }
  for (const auto& [input, variable] : spec.reads) {
    key += '=';
    append_text(key, input);
    append_text(key, variable);
  }
  for (const ValueType& t : types) key += str_cat("|", static_cast<int32_t>(t.dtype), t.shape);
  for (const Tensor& t : contents) {
    key += '|';
    if (t.defined()) key.append(static_cast<const char*>(t.data()), static_cast<size_t>(t.bytes()));
  }
  return key;
}

bool same_places(const Plan& a, const Plan& b) {
  return std::equal(a.placement.begin(), a.placement.end(), b.placement.begin(), b.placement.end(),
                    [](const PlacedNode& x, const PlacedNode& y) { return x.node == y.node && x.device == y.device; });
}

// Whether a result of bodies and rests lies in memory that is not the run's own.
bool shows(const Tensor& result, std::span<const Tensor> feeds, const StateFrame& state) {
  const auto same = [&](const Tensor& t) { return t.defined() && t.buffer() == result.buffer(); };
  return std::any_of(feeds.begin(), feeds.end(), same) ||
         (state.base != nullptr && std::any_of(state.base->begin(), state.base->end(), same)) ||
         std::any_of(state.next.begin(), state.next.end(), same);
}

}  // namespace

struct Session::Impl {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<MemoryPool> memory;  // counts what the session holds of the engine's
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Variables> variables;
  std::shared_ptr<Resources> resources;
  std::unique_ptr<NodeTimes> times;  // null: nothing is known, and nothing measured
  PrecomputedStore precomputed;      // for versions that are not those of `variables`
  SessionOptions options;
  std::vector<int32_t> table_index;    // per variable of the graph: its place in `variables`
  std::unique_ptr<DeviceStore> store;  // values on devices

  std::mutex cache_mutex;
  struct Entry {
    std::string key;
    std::shared_ptr<const Plan> plan;
    int64_t uses = 0, next_look = 8;  // whether measured times would have it elsewhere
  };
  std::list<Entry> cache;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key;
  std::atomic<int64_t> plans{0}, hits{0}, runs{0}, peak{0};
  IdlePool<std::vector<Tensor>> ordered;  // variables in the order of the graph, for the time of a run
  std::mutex cancel_mutex;
  std::shared_ptr<CancelToken> cancel = std::make_shared<CancelToken>();

  Result<std::shared_ptr<const Plan>> prepare(const Graph& from, int64_t graph_id, const RunSpec& spec,
                                              std::span<const ValueType> types, std::span<const Tensor> contents);
  Result<std::shared_ptr<const Plan>> make_plan(const Graph& from, const RunSpec& spec,
                                                std::span<const ValueType> types, std::span<const Tensor> contents);
  // Whether a plan was used so often since it was last looked at that measured times may have it elsewhere.
  bool wants_look(Entry& entry) const;
  // With `may_share`, outputs that were not given may show the memory of feeds and variables.
  Status run(const Plan& plan, RunFrame& frame, std::span<const Tensor> given, std::span<Tensor> outputs,
             bool may_share);
  Result<std::shared_ptr<const Plan::Precomputed>> precompute(const Plan& plan, RunFrame& frame);
  Result<std::vector<Tensor>> call(const Graph& from, int64_t graph_id, RunFrame& frame, const RunSpec& spec,
                                   std::span<const Tensor> feeds, std::span<const Tensor> contents);
  // `version` of the variables is what the inputs were computed from.
  Result<std::vector<Tensor>> run_node(RunFrame& frame, const ControlNode& control, const std::vector<Tensor>& inputs,
                                       int64_t version);
  Status publish(const StateFrame& state);
  bool drop_idle();
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

Result<std::shared_ptr<Session>> Session::create(std::shared_ptr<Engine> engine, std::shared_ptr<const Graph> graph,
                                                 std::shared_ptr<Variables> variables, SessionOptions options) {
  auto impl = std::make_unique<Impl>();
  for (const Variable& v : graph->variables) {
    if (!variables) break;
    const int32_t index = variables->find(v.name);
    if (index < 0) return not_found("the graph's variable '", v.name, "' is not in the table of variables");
    const Variable& there = variables->variables()[static_cast<size_t>(index)];
    if (there.dtype != v.dtype || !(there.shape == v.shape)) {
      return invalid_argument("variable '", v.name, "' is ", v.dtype, " ", v.shape, " in the graph, ", there.dtype, " ",
                              there.shape, " in the table");
    }
    impl->table_index.push_back(index);
  }
  impl->resources = options.resources != nullptr ? options.resources
                    : variables != nullptr       ? variables->resources()
                                                 : std::make_shared<Resources>();
  PERCALE_ASSIGN_OR_RETURN(const auto queues, queues_of(*graph));
  PERCALE_RETURN_IF_ERROR(impl->resources->declare(queues));
  impl->memory =
      std::make_shared<MemoryPool>(options.memory_limit, options.memory != nullptr ? options.memory : engine->memory());
  impl->store = std::make_unique<DeviceStore>(impl->memory);
  if (engine->devices().size() > 1 && (options.measures || !options.costs.empty())) {
    impl->times = std::make_unique<NodeTimes>(options.costs);
  }
  impl->engine = std::move(engine);
  impl->graph = std::move(graph);
  impl->variables = std::move(variables);
  impl->options = std::move(options);
  return std::shared_ptr<Session>(new Session(std::move(impl)));
}

Result<std::shared_ptr<const Plan>> Session::Impl::make_plan(const Graph& from, const RunSpec& spec,
                                                             std::span<const ValueType> types,
                                                             std::span<const Tensor> contents) {
  const int64_t id = plans.fetch_add(1, std::memory_order_relaxed) + 1;
  const MeasuredTimes measured = times == nullptr ? MeasuredTimes() : times->copy();
  PERCALE_ASSIGN_OR_RETURN(
      auto plan, compile(*engine, options.compile, {from, spec, types, contents, id, &measured, store.get()}));
  for (int64_t seen = peak.load(); plan->peak_bytes > seen && !peak.compare_exchange_weak(seen, plan->peak_bytes);) {
  }
  return plan;
}

// With the cache locked.
bool Session::Impl::wants_look(Entry& entry) const {
  if (!options.measures || times == nullptr || ++entry.uses < entry.next_look) return false;
  entry.next_look *= 8;
  return true;
}

Result<std::shared_ptr<const Plan>> Session::Impl::prepare(const Graph& from, int64_t graph_id, const RunSpec& spec,
                                                           std::span<const ValueType> types,
                                                           std::span<const Tensor> contents) {
  if (variables != nullptr && variables->changing() && spec.binding.precomputes_variables()) {
    RunSpec changing = spec;
    changing.binding = spec.binding.as_changing();
    return prepare(from, graph_id, changing, types, contents);
  }
  std::string key = cache_key(graph_id, spec, types, contents);
  std::shared_ptr<const Plan> known;
  {
    const std::lock_guard lock(cache_mutex);
    if (const auto found = by_key.find(key); found != by_key.end()) {
      cache.splice(cache.begin(), cache, found->second);
      hits.fetch_add(1, std::memory_order_relaxed);
      known = found->second->plan;
      if (!wants_look(*found->second)) return known;
    }
  }
  PERCALE_ASSIGN_OR_RETURN(auto plan, make_plan(from, spec, types, contents));
  if (known != nullptr && same_places(*known, *plan)) return known;  // whose memory is warm
  const std::lock_guard lock(cache_mutex);
  if (const auto found = by_key.find(key); found != by_key.end()) {
    if (known != nullptr) found->second->plan = plan;
  } else {
    cache.push_front({key, plan});
    by_key[std::move(key)] = cache.begin();
    while (static_cast<int64_t>(cache.size()) > options.cache_size) {
      by_key.erase(cache.back().key);
      cache.pop_back();
    }
  }
  return plan;
}

Result<std::shared_ptr<const Plan>> Session::prepare(const RunSpec& spec, std::span<const ValueType> feed_types) {
  PERCALE_RETURN_IF_ERROR(impl_->engine->check_usable());
  return impl_->prepare(*impl_->graph, 0, spec, feed_types, {});
}

std::vector<ValueType> Session::fetch_types(const Plan& plan) { return plan.fetch_types; }

Result<std::vector<Tensor>> Session::Impl::call(const Graph& from, int64_t graph_id, RunFrame& frame,
                                                const RunSpec& spec, std::span<const Tensor> feeds,
                                                std::span<const Tensor> contents) {
  PERCALE_RETURN_IF_ERROR(frame.stop_reason());
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(from, graph_id, spec, types, contents));
  std::vector<Tensor> outputs(spec.fetches.size());
  PERCALE_RETURN_IF_ERROR(run(*plan, frame, feeds, outputs, true));
  return outputs;
}

Result<std::vector<Tensor>> Session::Impl::run_node(RunFrame& frame, const ControlNode& control,
                                                    const std::vector<Tensor>& inputs, int64_t version) {
  // Bodies are functions of the session's own graph, whatever working copy the node stands in.
  const auto call_body = [&](const Function& body, std::span<const Tensor> arguments) -> Result<std::vector<Tensor>> {
    const BodyCall& how = control.bodies.find(body.name)->second;
    // A variable is what the node was given as long as the run has seen no other version and assigned nothing.
    const bool reads = !how.reading.reads.empty() && frame.state.next.empty() && frame.state.version == version;
    if (!reads) return call(*graph, 0, frame, how.spec, arguments, {});
    std::vector<Tensor> feeds;
    for (const size_t i : how.fed) feeds.push_back(arguments[i]);
    return call(*graph, 0, frame, how.reading, feeds, {});
  };
  if (control.node.op->has(kWaits)) return run_queue_op(control.node, inputs, frame);
  auto results = run_control(*graph, control.node, inputs, memory, call_body);
  if (!results.ok()) return results.status().with_context(str_cat(control.node.op->name, " '", control.node.name, "'"));
  return results;
}

// What a preparation was computed from is seldom read again: of a file that is mapped it need not stay in memory beside what was
// made of it.
static void rest_sources(const Plan& plan, const Graph& graph, const StateFrame& state) {
  const auto rest = [](const Tensor& t) { rest_mapping(*t.buffer(), t.data(), t.bytes()); };
  for (const PlacedProgram& placed : plan.programs) {
    const Function& f = placed.part.function;
    for (const Tensor& constant : f.constants) rest(constant);
    for (const Node& node : f.nodes) {
      if (node.op->name != "ReadVariable") continue;
      const Variable* variable = graph.find_variable(node.attributes.get_string("variable"));
      if (variable != nullptr) rest(state.value(variable - graph.variables.data()));
    }
  }
}

// The results of precompute steps for the version of the variables that this run sees.
Result<std::shared_ptr<const Plan::Precomputed>> Session::Impl::precompute(const Plan& plan, RunFrame& frame) {
  const std::lock_guard lock(plan.precomputed_mutex);
  // What an earlier part of this run has assigned is no version that anybody else will see.
  const bool of_variables = std::any_of(plan.precompute_steps.begin(), plan.precompute_steps.end(),
                                        [](const Plan::PrecomputeStep& value) { return value.of_variables; });
  const int64_t version = !of_variables ? 0 : frame.state.next.empty() ? frame.state.version : -1;
  if (version >= 0 && plan.precomputed && plan.precomputed->version == version) return plan.precomputed;
  auto made = std::make_shared<Plan::Precomputed>();
  made->version = version;
  PrecomputedStore& store =
      variables != nullptr && !frame.options.values.are_callers() ? *variables->precomputed() : precomputed;
  for (const Plan::PrecomputeStep& value : plan.precompute_steps) {
    const int64_t known_by = value.of_variables ? version : 0;
    std::shared_ptr<const Tensor> tensor = known_by < 0 ? nullptr : known.find(value.form, known_by);
    if (tensor == nullptr) {
      const ValueType& type = value.plan->results[0];
      PERCALE_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(memory, type.dtype, type.shape));
      populate(result.data(), result.bytes());
      PERCALE_RETURN_IF_ERROR(run(*value.plan, frame, {}, {&result, 1}, false));
      value.plan->idle.clear();
      rest_sources(*value.plan, *graph, frame.state);
      tensor = std::make_shared<const Tensor>(std::move(result));
      if (known_by >= 0) known.add(value.form, known_by, tensor);
    }
    made->values.push_back(*tensor);
    made->shared.push_back(std::move(tensor));
  }
  plan.precomputed = made;
  return std::shared_ptr<const Plan::Precomputed>(std::move(made));
}

Status Session::Impl::run(const Plan& plan, RunFrame& frame, std::span<const Tensor> given, std::span<Tensor> outputs,
                          bool may_share) {
  const int64_t version = frame.state.version;
  const Lent<RunLists> lists(plan.lists);
  std::vector<Tensor>&feeds = lists->feeds, &results = lists->results;
  feeds.assign(given.begin(), given.end());
  std::shared_ptr<const Plan::Precomputed> precomputed;
  if (!plan.precompute_steps.empty()) {
    PERCALE_ASSIGN_OR_RETURN(precomputed, precompute(plan, frame));
    feeds.insert(feeds.end(), precomputed->values.begin(), precomputed->values.end());
  }
  results.resize(plan.results.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueSource& source = plan.fetches[i];
    if (source.kind != ValueSource::Kind::kResult || !outputs[i].defined()) continue;
    Tensor& result = results[static_cast<size_t>(source.index)];
    if (!result.defined()) result = outputs[i];
  }
  for (const ShownResult& shown : plan.shown) {
    Tensor& result = results[static_cast<size_t>(shown.result)];
    if (result.defined() || frame.state.exclusive || (!may_share && shown.fetched)) continue;
    const Tensor& from = shown.feed >= 0 ? feeds[static_cast<size_t>(shown.feed)] : frame.state.value(shown.variable);
    result = from.reshaped(plan.results[static_cast<size_t>(shown.result)].shape);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined() || plan.stays[i]) continue;
    PERCALE_ASSIGN_OR_RETURN(results[i], Tensor::allocate(memory, plan.results[i].dtype, plan.results[i].shape));
  }
  for (const PassedThrough& p : plan.passed_through) {
    const Tensor& from = p.feed >= 0 ? feeds[static_cast<size_t>(p.feed)] : p.constant;
    void* to = results[static_cast<size_t>(p.result)].data();
    if (to != from.data()) std::memcpy(to, from.data(), static_cast<size_t>(from.bytes()));
  }
  PERCALE_RETURN_IF_ERROR(run_programs(plan, *engine, frame, feeds, results));

  std::vector<std::vector<Tensor>> controls;
  std::vector<Tensor> rest;
  const auto value = [&](const ValueSource& s) -> Tensor {
    const auto i = static_cast<size_t>(s.index);
    switch (s.kind) {
      case ValueSource::Kind::kFeed: return s.index < 0 ? Tensor() : feeds[i];
      case ValueSource::Kind::kResult: return results[i];
      case ValueSource::Kind::kControl: return controls[i][static_cast<size_t>(s.output)];
      case ValueSource::Kind::kRest: return rest[i];
    }
    return {};
  };
  for (const ControlNode& control : plan.control) {
    std::vector<Tensor> inputs;
    for (const ValueSource& s : control.inputs) inputs.push_back(value(s));
    PERCALE_ASSIGN_OR_RETURN(auto given, run_node(frame, control, inputs, version));
    controls.push_back(std::move(given));
  }
  if (plan.rest) {
    std::vector<Tensor> inputs, contents(plan.rest_inputs.size());
    for (size_t i = 0; i < plan.rest_inputs.size(); ++i) {
      inputs.push_back(value(plan.rest_inputs[i]));
      if (plan.rest_by_value[i]) contents[i] = inputs[i];
    }
    PERCALE_ASSIGN_OR_RETURN(rest, call(*plan.rest, plan.id, frame, plan.rest_spec, inputs, contents));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueSource& source = plan.fetches[i];
    Tensor found = value(source);
    if (!found.defined()) continue;  // it stays where it is
    if (!outputs[i].defined() && (may_share || source.kind != ValueSource::Kind::kFeed)) {
      outputs[i] = std::move(found);
      continue;
    }
    if (!outputs[i].defined()) {
      PERCALE_ASSIGN_OR_RETURN(outputs[i], Tensor::allocate(memory, found.dtype(), found.shape()));
    }
    if (outputs[i].dtype() != found.dtype() || !(outputs[i].shape() == found.shape())) {
      return invalid_argument("fetch '", plan.spec.fetches[i], "' is ", found.dtype(), " ", found.shape(),
                              ", the output given for it is ", outputs[i].dtype(), " ", outputs[i].shape());
    }
    if (outputs[i].data() != found.data()) {
      std::memcpy(outputs[i].data(), found.data(), static_cast<size_t>(found.bytes()));
    }
  }
  return {};
}

Status Session::Impl::publish(const StateFrame& state) {
  std::vector<std::pair<int32_t, Tensor>> changes;
  for (size_t i = 0; i < state.next.size(); ++i) {
    if (state.next[i].defined()) changes.emplace_back(table_index[i], state.next[i]);
  }
  return changes.empty() ? Status() : variables->publish(changes).status();
}

Status Session::run(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs,
                    const RunOptions& options) {
  PERCALE_RETURN_IF_ERROR(impl_->engine->check_usable());
  if (feeds.size() != plan.feed_types.size() || outputs.size() != plan.fetches.size()) {
    return invalid_argument("the plan takes ", static_cast<uint64_t>(plan.feed_types.size()), " feeds and gives ",
                            static_cast<uint64_t>(plan.fetches.size()), " fetches, got ",
                            static_cast<uint64_t>(feeds.size()), " and ", static_cast<uint64_t>(outputs.size()));
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ValueType& want = plan.feed_types[i];
    if (plan.spec.binding.feed_key(i).defined() && !feeds[i].defined()) continue;  // its device has it
    if (feeds[i].dtype() != want.dtype || !(feeds[i].shape() == want.shape)) {
      return invalid_argument("feed '", plan.spec.feeds[i], "' is ", feeds[i].dtype(), " ", feeds[i].shape(),
                              ", the plan was made for ", want.dtype, " ", want.shape);
    }
  }
  std::vector<Tensor> reshaped;
  for (size_t i = 0; plan.reshapes_feeds && i < feeds.size(); ++i) {
    reshaped.push_back(feeds[i].defined() ? feeds[i].reshaped(plan.bound_shapes[i]) : feeds[i]);
  }
  if (plan.reshapes_feeds) feeds = reshaped;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& want = plan.fetch_types[i];
    if (!outputs[i].defined() || want.dtype == DType::kInvalid) continue;
    if (outputs[i].dtype() != want.dtype || !(outputs[i].shape() == want.shape)) {
      return invalid_argument("fetch '", plan.spec.fetches[i], "' is ", want.dtype, " ", want.shape,
                              ", the output given for it is ", outputs[i].dtype(), " ", outputs[i].shape());
    }
  }
  const FloatMode mode;
  std::shared_ptr<CancelToken> cancel;
  {
    const std::lock_guard lock(impl_->cancel_mutex);
    cancel = impl_->cancel;
  }
  const int64_t number = impl_->runs.fetch_add(1, std::memory_order_relaxed);
  RunFrame frame{options, cancel.get(), {}, options.step >= 0 ? options.step : number, impl_->memory};
  frame.state.exclusive = plan.spec.binding.is_exclusive();
  frame.store = impl_->store.get();
  if (impl_->options.measures) frame.times = impl_->times.get();
  const Lent<std::vector<Tensor>> ordered(impl_->ordered);
  struct Pinned {
    const Impl& impl;
    std::vector<Tensor>& ordered;
    StateFrame& state;
    std::shared_ptr<const VariablesVersion> version = {};

    void see_latest() {
      version = impl.variables->current();
      state.version = version->number;
      ordered.clear();
      for (int32_t index : impl.table_index) ordered.push_back(version->values[static_cast<size_t>(index)]);
    }
  } pinned{*impl_, *ordered, frame.state};
  if (options.values.are_callers()) {
    frame.state.base = options.values.variables();
    frame.state.version = options.values.versions().all;
  } else if (impl_->variables) {
    pinned.see_latest();
    frame.see_latest = [&pinned] { pinned.see_latest(); };
    frame.state.base = &*ordered;
    if (frame.state.exclusive) return invalid_argument("an exclusive RunBinding needs RunValues::of_caller()");
  } else if (!impl_->graph->variables.empty()) {
    return failed_precondition("the graph has variables, the session was made without a table of them");
  }
  RunWaiter waiter(frame);
  ResourceRun resources(*impl_->resources, waiter);
  frame.resources = &resources;
  std::vector<Tensor> given;
  if (!plan.control.empty() || plan.rest != nullptr) given.assign(outputs.begin(), outputs.end());
  Status status = impl_->run(plan, frame, feeds, outputs, false);
  // Memory that waits for runs which may never come must not keep this one from running. Nothing was assigned, so that it can
  // begin again; where assignments go into the caller's own memory that is not known.
  if (status.code() == Code::kResourceExhausted && !frame.state.exclusive && impl_->drop_idle()) {
    frame.state.next.clear();
    resources.rollback();
    status = impl_->run(plan, frame, feeds, outputs, false);
  }
  PERCALE_RETURN_IF_ERROR(std::move(status));
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].defined() || !shows(outputs[i], feeds, frame.state)) continue;
    const Tensor shown = outputs[i];
    PERCALE_ASSIGN_OR_RETURN(outputs[i], Tensor::allocate(impl_->memory, shown.dtype(), shown.shape()));
    std::memcpy(outputs[i].data(), shown.data(), static_cast<size_t>(shown.bytes()));
  }
  // Whoever takes an element or a mutex next sees what was assigned before.
  if (!options.values.are_callers()) PERCALE_RETURN_IF_ERROR(impl_->publish(frame.state));
  resources.commit();
  if (options.variables_version != nullptr && pinned.version != nullptr) {
    *options.variables_version = pinned.version->number;
  }
  return {};
}

Result<std::vector<Tensor>> Session::run(const RunSpec& spec, std::span<const Tensor> feeds,
                                         const RunOptions& options) {
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(spec, types));
  std::vector<Tensor> outputs(spec.fetches.size());
  PERCALE_RETURN_IF_ERROR(run(*plan, feeds, outputs, options));
  return outputs;
}

bool Session::Impl::drop_idle() {
  const std::lock_guard lock(cache_mutex);
  bool dropped = store->drop_unused();
  for (const Entry& entry : cache) dropped = entry.plan->idle.clear() || dropped;
  return dropped;
}

void Session::cancel_all() {
  const std::lock_guard lock(impl_->cancel_mutex);
  impl_->cancel->cancel();
  impl_->cancel = std::make_shared<CancelToken>();
}

Result<std::string> Session::explain(const RunSpec& spec, std::span<const ValueType> feed_types,
                                     std::string_view what) {
  PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(spec, feed_types));
  return explain_plan(*plan, *impl_->engine, what);
}

Result<std::string> Session::draw(const RunSpec& spec, std::span<const ValueType> feed_types, std::string_view format,
                                  std::string_view trace) {
  PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(spec, feed_types));
  return draw_plan(*plan, format, trace);
}

SessionStats Session::stats() const {
  return {impl_->plans.load(), impl_->hits.load(), impl_->runs.load(), impl_->peak.load(), impl_->memory->peak()};
}

DeviceStore& Session::device_store() const { return *impl_->store; }

Result<std::unique_ptr<const ResidentValues>> Session::hold(const Device& device, std::span<const StoreKey> keys,
                                                            std::span<const int64_t> versions) const {
  return ResidentValues::hold(*impl_->store, device, keys, versions, impl_->graph->variables);
}

const std::shared_ptr<Engine>& Session::engine() const { return impl_->engine; }
const Graph& Session::graph() const { return *impl_->graph; }
const std::shared_ptr<Variables>& Session::variables() const { return impl_->variables; }

Result<std::shared_ptr<Variables>> initialize_variables(const std::shared_ptr<Engine>& engine,
                                                        const std::shared_ptr<const Graph>& graph, int64_t seed) {
  RunSpec spec;
  spec.function = kInitFunction;
  for (const Variable& v : graph->variables) {
    if (!v.initial.defined()) spec.fetches.push_back(v.name);
  }
  // First values are the host's, whatever computes later.
  for (size_t i = 0; i < engine->devices().size(); ++i) {
    if (engine->devices()[i]->is_home()) spec.group = {static_cast<int32_t>(i)};
  }
  std::vector<Tensor> drawn;
  if (!spec.fetches.empty()) {
    PERCALE_ASSIGN_OR_RETURN(const auto session, Session::create(engine, graph, nullptr));
    RunOptions options;
    options.seed = seed;
    options.step = 0;
    const std::vector<Tensor> no_state(graph->variables.size());
    options.values = RunValues::of_caller(no_state);
    PERCALE_ASSIGN_OR_RETURN(drawn, session->run(spec, {}, options));
  }
  std::vector<Tensor> values;
  size_t next = 0;
  for (const Variable& v : graph->variables) values.push_back(v.initial.defined() ? v.initial : drawn[next++]);
  return Variables::create(graph->variables, std::move(values));
}

}  // namespace percale
