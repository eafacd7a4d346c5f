#include "core/session/session.h"

#include "core/compile/report/drawing.h"
#include "core/compile/report/explain.h"
#include "core/engine/trace.h"
#include "core/session/session_run.h"

namespace percale {
namespace {

// The places of the graph's variables in the table. An error if the table lacks one or has another
// type.
Result<std::vector<int32_t>> find_variables(const Graph& graph, const Variables& table) {
  std::vector<int32_t> out;
  for (const Variable& v : graph.variables) {
    const int32_t index = table.find(v.name);
    if (index < 0) return not_found("the graph's variable '", v.name, "' is not in the table of variables");
    const Variable& there = table.variables()[static_cast<size_t>(index)];
    if (there.dtype != v.dtype || !(there.shape == v.shape)) {
      return invalid_argument("variable '", v.name, "' is ", v.dtype, " ", v.shape, " in the graph, ", there.dtype, " ",
                              there.shape, " in the table");
    }
    out.push_back(index);
  }
  return out;
}

std::shared_ptr<Resources> resources_of(const SessionOptions& options, const Variables* variables) {
  if (options.resources != nullptr) return options.resources;
  return variables != nullptr ? variables->resources() : std::make_shared<Resources>();
}

Status check_counts(const Plan& plan, std::span<const Tensor> feeds, std::span<const Tensor> outputs) {
  if (feeds.size() == plan.feed_types.size() && outputs.size() == plan.fetches.size()) return {};
  return invalid_argument("the plan takes ", static_cast<uint64_t>(plan.feed_types.size()), " feeds and gives ",
                          static_cast<uint64_t>(plan.fetches.size()), " fetches, got ",
                          static_cast<uint64_t>(feeds.size()), " and ", static_cast<uint64_t>(outputs.size()));
}

Status check_feeds(const Plan& plan, std::span<const Tensor> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    const ValueType& want = plan.feed_types[i];
    if (plan.spec.binding.feed_key(i).defined() && !feeds[i].defined()) continue;
    if (feeds[i].dtype() != want.dtype || !(feeds[i].shape() == want.shape)) {
      return invalid_argument("feed '", plan.spec.feeds[i], "' is ", feeds[i].dtype(), " ", feeds[i].shape(),
                              ", the plan was made for ", want.dtype, " ", want.shape);
    }
  }
  return {};
}

Status check_outputs(const Plan& plan, std::span<const Tensor> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& want = plan.fetch_types[i];
    if (!outputs[i].defined() || want.dtype == DType::kInvalid) continue;
    if (outputs[i].dtype() != want.dtype || !(outputs[i].shape() == want.shape)) {
      return invalid_argument("fetch '", plan.spec.fetches[i], "' is ", want.dtype, " ", want.shape,
                              ", the output given for it is ", outputs[i].dtype(), " ", outputs[i].shape());
    }
  }
  return {};
}

Code code_of(const Status& status) { return status.code(); }
template <class T>
Code code_of(const Result<T>& result) {
  return result.status().code();
}

// Adds the time of a run to those of its session. Reading the clock takes as long as a fifth of an
// empty run, so short runs are sampled.
class RunTimer {
 public:
  explicit RunTimer(SessionState& session) : session_(session) {
    const bool all = session.has_long_runs.load(std::memory_order_relaxed);
    if (!all && session.runs.load(std::memory_order_relaxed) % kSample != 0) return;
    weight_ = all ? 1 : kSample;
    begin_ = now_ns();
  }
  ~RunTimer() {
    if (weight_ == 0) return;
    const int64_t time = now_ns() - begin_;
    session_.run_ns.fetch_add(time * weight_, std::memory_order_relaxed);
    const bool is_long = time >= kLong;
    if (is_long != session_.has_long_runs.load(std::memory_order_relaxed)) session_.has_long_runs = is_long;
  }
  RunTimer(const RunTimer&) = delete;
  RunTimer& operator=(const RunTimer&) = delete;

 private:
  static constexpr int64_t kSample = 64, kLong = 20'000;  // ns
  SessionState& session_;
  int64_t weight_ = 0, begin_ = 0;
};

// Runs `body`, and counts its time and its error if the session is the host's.
template <class Body>
auto counted(SessionState& session, const Body& body) {
  if (!session.is_hosts) return body();
  const RunTimer timer(session);
  auto result = body();
  if (!result.ok()) session.engine->users().count_failure(code_of(result));
  return result;
}

// The feeds in the shapes that the plan uses inside: one element of any shape stands for a scalar.
std::vector<Tensor> reshaped_feeds(const Plan& plan, std::span<const Tensor> feeds) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < feeds.size(); ++i) {
    out.push_back(feeds[i].defined() ? feeds[i].reshaped(plan.inner_shapes[i]) : feeds[i]);
  }
  return out;
}

}  // namespace

Session::Session(std::unique_ptr<SessionState> state) : state_(std::move(state)) {
  state_->engine->users().add(*state_);
}
Session::~Session() { state_->engine->users().remove(*state_); }

Result<std::shared_ptr<Session>> Session::create(std::shared_ptr<Engine> engine, std::shared_ptr<const Graph> graph,
                                                 std::shared_ptr<Variables> variables, SessionOptions options) {
  auto state = std::make_unique<SessionState>();
  if (variables != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(state->table_index, find_variables(*graph, *variables));
  }
  state->resources = resources_of(options, variables.get());
  PERCALE_ASSIGN_OR_RETURN(const auto queues, queues_of(*graph));
  PERCALE_RETURN_IF_ERROR(state->resources->declare(queues));
  state->memory =
      std::make_shared<MemoryPool>(options.memory_limit, options.memory != nullptr ? options.memory : engine->memory());
  state->store = std::make_unique<DeviceStore>(state->memory);
  if (engine->devices().size() > 1 && (options.measures || !options.costs.empty())) {
    state->times = std::make_unique<NodeTimes>(std::move(options.costs));
  }
  state->measures = options.measures;
  state->is_hosts = options.is_hosts;
  PlanCache::Options caching{std::move(options.compile), options.cache_size, options.measures};
  state->cache =
      std::make_unique<PlanCache>(*engine, std::move(caching), variables.get(), state->times.get(), *state->store);
  state->engine = std::move(engine);
  state->graph = std::move(graph);
  state->variables = std::move(variables);
  return std::shared_ptr<Session>(new Session(std::move(state)));
}

Result<std::shared_ptr<const Plan>> Session::prepare(const RunSpec& spec, std::span<const ValueType> feed_types) {
  PERCALE_RETURN_IF_ERROR(state_->engine->check_usable());
  return state_->cache->find_or_compile({*state_->graph, 0, spec, feed_types});
}

std::vector<ValueType> Session::fetch_types(const Plan& plan) { return plan.fetch_types; }

Status Session::run(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs,
                    const RunOptions& options) {
  return counted(*state_, [&] { return run_uncounted(plan, feeds, outputs, options); });
}

Status Session::run_uncounted(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs,
                              const RunOptions& options) {
  PERCALE_RETURN_IF_ERROR(state_->engine->check_usable());
  PERCALE_RETURN_IF_ERROR(check_counts(plan, feeds, outputs));
  PERCALE_RETURN_IF_ERROR(check_feeds(plan, feeds));
  PERCALE_RETURN_IF_ERROR(check_outputs(plan, outputs));
  std::vector<Tensor> reshaped;
  if (!plan.inner_shapes.empty()) feeds = reshaped = reshaped_feeds(plan, feeds);

  const FloatMode mode;
  const ThreadPool::FailureWatch watch(state_->engine->threads());
  SessionRun run(*state_, plan, options);
  PERCALE_RETURN_IF_ERROR(run.pin());
  PERCALE_RETURN_IF_ERROR(run.execute(feeds, outputs));
  // An exclusive run has changed the caller's memory already, correctly: its loops were completed.
  if (!plan.spec.binding.is_exclusive()) PERCALE_RETURN_IF_ERROR(watch.status());
  return run.publish();
}

Result<std::vector<Tensor>> Session::run(const RunSpec& spec, std::span<const Tensor> feeds,
                                         const RunOptions& options) {
  return counted(*state_, [&]() -> Result<std::vector<Tensor>> {
    std::vector<ValueType> types;
    for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
    PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(spec, types));
    std::vector<Tensor> outputs(spec.fetches.size());
    PERCALE_RETURN_IF_ERROR(run_uncounted(*plan, feeds, outputs, options));
    return outputs;
  });
}

void Session::cancel_all() { state_->cancel.cancel_all(); }

Result<std::string> Session::explain(const RunSpec& spec, std::span<const ValueType> feed_types,
                                     std::string_view what) {
  PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(spec, feed_types));
  return explain_plan(*plan, *state_->engine, what);
}

Result<std::string> Session::draw(const RunSpec& spec, std::span<const ValueType> feed_types, std::string_view format,
                                  std::string_view trace) {
  PERCALE_ASSIGN_OR_RETURN(const auto plan, prepare(spec, feed_types));
  return draw_plan(*plan, format, trace);
}

SessionStats Session::stats() const {
  const PlanCache& cache = *state_->cache;
  return {cache.plans_made(), cache.hits(), state_->runs.load(), cache.peak_bytes(), state_->memory->peak()};
}

DeviceStore& Session::device_store() const { return *state_->store; }

Result<std::unique_ptr<const ResidentValues>> Session::hold(const Device& device, std::span<const StoreKey> keys,
                                                            std::span<const int64_t> versions) const {
  return ResidentValues::hold(*state_->store, device, keys, versions, state_->graph->variables);
}

const std::shared_ptr<Engine>& Session::engine() const { return state_->engine; }
const Graph& Session::graph() const { return *state_->graph; }
const std::shared_ptr<Variables>& Session::variables() const { return state_->variables; }

}  // namespace percale
