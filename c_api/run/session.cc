#include "c_api/run/session.h"

#include "c_api/options/options.h"
#include "core/engine/device_list.h"
#include "core/engine/trace_reader.h"
#include "core/file/file.h"
#include "core/text/json.h"

using namespace percale;
using namespace percale::c_api;

namespace percale::c_api {

Result<RunSpec> run_spec(const char* function, const char* const* feed_names, size_t feed_count,
                         const char* const* fetch_names, size_t fetch_count, const char* const* target_names,
                         size_t target_count) {
  RunSpec spec;
  PERCALE_ASSIGN_OR_RETURN(spec.feeds, names_of(function, "feed_names", feed_names, feed_count));
  PERCALE_ASSIGN_OR_RETURN(spec.fetches, names_of(function, "fetch_names", fetch_names, fetch_count));
  PERCALE_ASSIGN_OR_RETURN(spec.targets, names_of(function, "target_names", target_names, target_count));
  return spec;
}

Result<std::vector<ValueType>> feed_types(const char* function, const percale_dtype* dtypes, const int64_t* const* dims,
                                          const size_t* ranks, size_t count) {
  if (count > 0 && dtypes == nullptr) return invalid_argument(function, ": 'feed_dtypes' is NULL");
  if (count > 0 && dims == nullptr) return invalid_argument(function, ": 'feed_dims' is NULL");
  if (count > 0 && ranks == nullptr) return invalid_argument(function, ": 'feed_ranks' is NULL");
  std::vector<ValueType> out(count);
  for (size_t i = 0; i < count; ++i) {
    PERCALE_ASSIGN_OR_RETURN(out[i].dtype, dtype_of_number(function, dtypes[i]));
    PERCALE_ASSIGN_OR_RETURN(out[i].shape, shape_of(function, dims[i], ranks[i]));
    if (!out[i].shape.is_static()) {
      return invalid_argument(function, ": feed ", uint64_t{i}, " needs known dims, got ", out[i].shape);
    }
  }
  return out;
}

int64_t deadline_after(int64_t timeout_ns) {
  if (timeout_ns == PERCALE_FOREVER) return -1;
  const int64_t now = now_ns();
  if (timeout_ns < 0) return now;
  return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

namespace {

Result<SessionOptions> session_options(const percale_options* options) {
  const OptionValues values(options, "session");
  SessionOptions out;
  out.is_hosts = true;
  out.compile.soft_placement = values.is_on("soft_placement");
  out.compile.log_placement = values.is_on("log_placement");
  out.cache_size = values.integer("cache_size");
  out.memory_limit = values.integer("memory_limit");
  out.compile.bf16 = values.text("precision") == "bf16";
  out.measures = values.text("cost_model") == "measured";
  if (const std::string path = values.text("costs"); !path.empty()) {
    PERCALE_ASSIGN_OR_RETURN(const std::string trace, read_file(path));
    auto costs = times_of_trace(trace);
    if (!costs.ok()) return costs.status().with_context(str_cat("'costs': ", path));
    out.costs = std::move(*costs);
  }
  const std::string names = values.text("passes_off");
  for (std::string_view rest = names; !rest.empty();) {
    const size_t comma = rest.find(',');
    out.compile.disabled_passes.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return out;
}

// The engine that runs the graph: that of the host, or one whose device is all of another process.
Result<std::shared_ptr<Engine>> engine_of(const percale_engine& engine, const percale_options* options) {
  constexpr std::string_view kScheme = "percale://";
  const std::string target = OptionValues(options, "session").text("target");
  if (target.empty()) return engine.engine;
  if (!target.starts_with(kScheme)) {
    return invalid_argument("option 'target' is '", target, "', wanted percale://HOST:PORT or percale://unix:PATH");
  }
  return engine.engine->create_sibling(str_cat("remote:", target.substr(kScheme.size()), "/", kAllDevicesName));
}

}  // namespace
}  // namespace percale::c_api

std::shared_ptr<Trace> percale_session::current_trace() {
  const std::lock_guard lock(mutex);
  return trace;
}

void percale_session::drop_left_over() {
  std::vector<Tensor> dropped;  // ends after the lock
  const std::lock_guard lock(mutex);
  // The room of `left_over` stays: it is booked for the runs that are under way.
  dropped.reserve(left_over.size());
  for (Tensor& tensor : left_over) dropped.push_back(std::move(tensor));
  left_over.clear();
}

percale_status* percale_session_create(percale_engine* engine, const percale_graph* graph, percale_variables* variables,
                                       const percale_options* options, percale_session** out_session) {
  clear(out_session);
  return guarded(__func__, {NEEDS(engine), NEEDS(graph), NEEDS(out_session)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_options(function, options, "session"));
    if (const auto& needed = graph->graph->variables; variables == nullptr && !needed.empty()) {
      return invalid_argument(function, ": the graph has variables ('", needed[0].name, "' is the first of ",
                              uint64_t{needed.size()}, "), and no table of variables was given; make one of the graph");
    }
    auto handle = std::make_unique<percale_session>();
    handle->engine = Ref(engine);
    PERCALE_ASSIGN_OR_RETURN(SessionOptions how, session_options(options));
    PERCALE_ASSIGN_OR_RETURN(const auto runs_on, engine_of(*engine, options));
    PERCALE_ASSIGN_OR_RETURN(
        handle->session,
        Session::create(runs_on, graph->graph, variables == nullptr ? nullptr : variables->variables, std::move(how)));
    *out_session = handle.release();
    return {};
  });
}

percale_session* percale_session_retain(percale_session* session) { return retain(session); }

void percale_session_release(percale_session* session) { release(session); }

percale_status* percale_session_run(percale_session* session, const char* const* feed_names,
                                    percale_tensor* const* feeds, size_t feed_count, const char* const* fetch_names,
                                    size_t fetch_count, const char* const* target_names, size_t target_count,
                                    int64_t timeout_ns, percale_tensor** out_fetches) {
  return percale_session_run_versioned(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names,
                                       target_count, timeout_ns, out_fetches, nullptr);
}

percale_status* percale_session_run_versioned(percale_session* session, const char* const* feed_names,
                                              percale_tensor* const* feeds, size_t feed_count,
                                              const char* const* fetch_names, size_t fetch_count,
                                              const char* const* target_names, size_t target_count, int64_t timeout_ns,
                                              percale_tensor** out_fetches, int64_t* out_variables_version) {
  clear(out_fetches, fetch_count);
  clear(out_variables_version);
  // The languages have one function for both, so their messages are the same.
  return guarded("percale_session_run", {NEEDS(session)}, [&, function = "percale_session_run"]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_may_wait(function));
    if (out_fetches == nullptr && fetch_count > 0) return invalid_argument(function, ": 'out_fetches' is NULL");
    PERCALE_RETURN_IF_ERROR(check_array(function, "feeds", feeds, feed_count));
    PERCALE_ASSIGN_OR_RETURN(const RunSpec spec, run_spec(function, feed_names, feed_count, fetch_names, fetch_count,
                                                          target_names, target_count));
    session->drop_left_over();
    const auto trace = session->current_trace();
    const auto tensors = tensors_of(feeds, feed_count);
    // Made before the run: what it assigns and takes out of queues must not be lost for want of a
    // handle.
    std::vector<std::unique_ptr<percale_tensor>> made(fetch_count);
    for (auto& handle : made) handle = std::make_unique<percale_tensor>(Tensor());
    const RunOptions options{
        .deadline_ns = deadline_after(timeout_ns), .trace = trace.get(), .variables_version = out_variables_version};
    PERCALE_ASSIGN_OR_RETURN(auto results, session->session->run(spec, tensors, options));
    for (size_t i = 0; i < fetch_count; ++i) {
      made[i]->tensor = std::move(results[i]);
      out_fetches[i] = made[i].release();
    }
    return {};
  });
}

void percale_session_cancel(percale_session* session) {
  if (session != nullptr) session->session->cancel_all();
}

percale_status* percale_session_explain(percale_session* session, const char* const* feed_names,
                                        const percale_dtype* feed_dtypes, const int64_t* const* feed_dims,
                                        const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
                                        size_t fetch_count, const char* what, percale_text** out_text) {
  clear(out_text);
  return guarded(__func__, {NEEDS(session), NEEDS(what), NEEDS(out_text)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const RunSpec spec,
                             run_spec(function, feed_names, feed_count, fetch_names, fetch_count, nullptr, 0));
    PERCALE_ASSIGN_OR_RETURN(const auto types, feed_types(function, feed_dtypes, feed_dims, feed_ranks, feed_count));
    PERCALE_ASSIGN_OR_RETURN(std::string text, session->session->explain(spec, types, what));
    *out_text = make_text(std::move(text));
    return {};
  });
}

percale_status* percale_session_draw(percale_session* session, const char* const* feed_names,
                                     const percale_dtype* feed_dtypes, const int64_t* const* feed_dims,
                                     const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
                                     size_t fetch_count, const char* format, const char* trace,
                                     percale_text** out_text) {
  clear(out_text);
  return guarded(__func__, {NEEDS(session), NEEDS(format), NEEDS(out_text)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const RunSpec spec,
                             run_spec(function, feed_names, feed_count, fetch_names, fetch_count, nullptr, 0));
    PERCALE_ASSIGN_OR_RETURN(const auto types, feed_types(function, feed_dtypes, feed_dims, feed_ranks, feed_count));
    PERCALE_ASSIGN_OR_RETURN(std::string text,
                             session->session->draw(spec, types, format, trace == nullptr ? "" : trace));
    *out_text = make_text(std::move(text));
    return {};
  });
}

percale_status* percale_session_stats(const percale_session* session, percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {NEEDS(session), NEEDS(out_json)}, [&]() -> Status {
    const SessionStats stats = session->session->stats();
    JsonWriter json;
    json.begin_object().key("plans").value(stats.plans).key("cache_hits").value(stats.cache_hits);
    json.key("runs").value(stats.runs).key("planned_peak_bytes").value(stats.planned_peak_bytes);
    json.key("measured_peak_bytes").value(stats.measured_peak_bytes).end_object();
    *out_json = make_text(json.text());
    return {};
  });
}

percale_status* percale_trace_create(percale_engine* engine, percale_trace** out_trace) {
  clear(out_trace);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_trace)}, [&]() -> Status {
    *out_trace = new percale_trace();
    return {};
  });
}

void percale_session_set_trace(percale_session* session, percale_trace* trace) {
  if (session == nullptr) return;
  const std::lock_guard lock(session->mutex);
  session->trace = trace == nullptr ? nullptr : trace->trace;
}

percale_status* percale_trace_json(const percale_trace* trace, percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {NEEDS(trace), NEEDS(out_json)}, [&]() -> Status {
    *out_json = make_text(trace->trace->to_json());
    return {};
  });
}

void percale_trace_release(percale_trace* trace) { release(trace); }
