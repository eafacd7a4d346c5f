/// Running graphs: sessions, prepared calls, asynchronous runs.
#ifndef PERCALE_CPP_SESSION_HPP_
#define PERCALE_CPP_SESSION_HPP_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/cancellation.hpp"
#include "percale/graph.hpp"
#include "percale/time_limit.hpp"
#include "percale/trace.hpp"

namespace percale {

/// The name of a value and the tensor to feed. Both are borrowed for the call.
struct Feed {
  Text name;             ///< of any value of the graph
  const Tensor& tensor;  ///< must not change until the run is over
};
/// Feeds: {{"x", x}, {"y", y}}, or a vector.
class Feeds {
 public:
  /// The feeds are borrowed for the call.
  Feeds(std::initializer_list<Feed> feeds) : feeds_(feeds.begin(), feeds.size()) {}
  Feeds(const std::vector<Feed>& feeds) : feeds_(feeds) {}
  /// The feeds in the given order.
  std::span<const Feed> span() const { return feeds_; }

 private:
  std::span<const Feed> feeds_;
};

/// Names, borrowed for the call: {"y"}, or a vector of strings.
class Names {
 public:
  /// The names are borrowed for the call.
  Names(std::initializer_list<Text> names) {
    for (const Text& name : names) names_.push_back(name.c_str());
  }
  Names(const std::vector<std::string>& names) {
    for (const std::string& name : names) names_.push_back(name.c_str());
  }
  /// The names in the form of the C ABI.
  const char* const* data() const { return names_.data(); }
  /// The number of names.
  size_t size() const { return names_.size(); }

 private:
  std::vector<const char*> names_;
};

namespace detail {

/// Feeds in the form of the C ABI. It borrows from the feeds.
struct SplitFeeds {
  explicit SplitFeeds(const Feeds& feeds) {
    for (const Feed& feed : feeds.span()) {
      names.push_back(feed.name.c_str());
      tensors.push_back(feed.tensor.get());
    }
  }
  std::vector<const char*> names;
  std::vector<percale_tensor*> tensors;
};

}  // namespace detail

/// An asynchronous run. Thread-safe.
class Event : public Handle<percale_event, percale_event_release> {
 public:
  using Handle::Handle;

  /// Returns another owner of the same event.
  Event share() const { return Event(percale_event_retain(get())); }
  /// True if the run is over.
  bool ready() const { return percale_event_poll(get()) != 0; }
  /// Waits for the run and returns its status, or DEADLINE_EXCEEDED if it is not over after
  /// `timeout_ns`. Negative times other than PERCALE_FOREVER count as 0. May be called again.
  Status wait(int64_t timeout_ns = PERCALE_FOREVER) {
    return Status(percale_event_wait(get(), detail::time_limit(timeout_ns)));
  }
  /// Ends the run with CANCELLED. Any thread.
  void cancel() { percale_event_cancel(get()); }
  /// The version of the variables that the run read; 0 before it is over.
  int64_t variables_version() const { return percale_event_variables_version(get()); }
  /// Returns a result of a run that succeeded.
  Result<Tensor> result(size_t index) {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_event_result(get(), index, out); });
  }
  /// Calls `function()` once when the run is over: on the thread that ends the run, or on this
  /// thread if the run is already over. It must not block or throw.
  template <class Function>
  Status on_ready(Function function) {
    auto kept = std::make_unique<Function>(std::move(function));
    Status status(percale_event_on_ready(
        get(),
        [](void* user) {
          std::unique_ptr<Function> own(static_cast<Function*>(user));
          (*own)();
        },
        kept.get()));
    if (status) (void)kept.release();
    return status;
  }
};

/// Runs a graph, with any number of concurrent runs. Thread-safe.
class Session : public Handle<percale_session, percale_session_release> {
 public:
  using Handle::Handle;

  /// Creates a session. `variables` may be empty if the graph has none.
  static Result<Session> create(const Engine& engine, const Graph& graph, const Variables& variables = {}) {
    return detail::made<Session, percale_session>([&](percale_session** out) {
      return percale_session_create(engine.get(), graph.get(), variables.get(), nullptr, out);
    });
  }
  /// Creates a session with `options` of kind "session".
  static Result<Session> create(const Engine& engine, const Graph& graph, const Variables& variables,
                                const Options& options) {
    if (!options.status()) return options.status();
    return detail::made<Session, percale_session>([&](percale_session** out) {
      return percale_session_create(engine.get(), graph.get(), variables.get(), options.get(), out);
    });
  }
  /// Returns another owner of the same session.
  Session share() const { return Session(percale_session_retain(get())); }

  /// Computes the fetches and targets, and returns a new tensor per fetch. Any value may be fed or
  /// fetched, by name. The run ends with DEADLINE_EXCEEDED after `timeout_ns`; negative times other
  /// than PERCALE_FOREVER count as 0.
  Result<std::vector<Tensor>> run(Feeds feeds, Names fetches, Names targets = {},
                                  int64_t timeout_ns = PERCALE_FOREVER) {
    auto out = run_versioned(feeds, std::move(fetches), std::move(targets), timeout_ns);
    if (!out) return std::move(out).error();
    return std::move(out->results);
  }
  /// The result of run_versioned().
  struct Versioned {
    std::vector<Tensor> results;    ///< in the order of the fetches
    int64_t variables_version = 0;  ///< that the run read; 0 for a graph without variables
  };
  /// Runs like run(), and also tells which version of the variables the run read.
  Result<Versioned> run_versioned(Feeds feeds, Names fetches, Names targets = {},
                                  int64_t timeout_ns = PERCALE_FOREVER) {
    const detail::SplitFeeds split(feeds);
    std::vector<percale_tensor*> raw(fetches.size());
    Versioned out;
    if (percale_status* status = percale_session_run_versioned(
            get(), split.names.data(), split.tensors.data(), split.names.size(), fetches.data(), fetches.size(),
            targets.data(), targets.size(), detail::time_limit(timeout_ns), raw.data(), &out.variables_version)) {
      return Status(status);
    }
    for (percale_tensor* tensor : raw) out.results.emplace_back(tensor);
    return out;
  }
  /// Starts the run on a thread of the engine. The feeds are kept until it is over.
  Result<Event> run_async(Feeds feeds, Names fetches, Names targets = {}, int64_t timeout_ns = PERCALE_FOREVER) {
    const detail::SplitFeeds split(feeds);
    return detail::made<Event, percale_event>([&](percale_event** out) {
      return percale_session_run_async(get(), split.names.data(), split.tensors.data(), split.names.size(),
                                       fetches.data(), fetches.size(), targets.data(), targets.size(),
                                       detail::time_limit(timeout_ns), out);
    });
  }
  /// Ends all current runs with CANCELLED. Later runs are not affected. Any thread.
  void cancel() { percale_session_cancel(get()); }
  /// Returns details of the plan as JSON. `what` is "plan", "kernels" or "passes".
  Result<std::string> explain(std::span<const FeedType> feeds, Names fetches, Text what) const;
  /// Draws the plan as "svg", or as "html" with panning, zoom, search and folding. The nodes show
  /// the times of `trace`, the JSON of a Trace.
  Result<std::string> draw(std::span<const FeedType> feeds, Names fetches, Text format,
                           std::optional<Text> trace = {}) const;
  /// Returns statistics as JSON: plans, cache hits, runs, planned and measured memory.
  Result<std::string> stats() const {
    return detail::text([&](percale_text** out) { return percale_session_stats(get(), out); });
  }
  /// Records the session's activity from now on. An empty trace ends the recording.
  void set_trace(const Trace& trace) { percale_session_set_trace(get(), trace.get()); }
};

namespace detail {

/// Types of feeds in the form of the C ABI. It borrows from the feeds.
struct SplitTypes {
  explicit SplitTypes(std::span<const FeedType> feeds) {
    for (const FeedType& feed : feeds) {
      names.push_back(feed.name.c_str());
      dtypes.push_back(static_cast<percale_dtype>(feed.dtype));
      dims.push_back(feed.dims.data());
      ranks.push_back(feed.dims.size());
    }
  }
  std::vector<const char*> names;
  std::vector<percale_dtype> dtypes;
  std::vector<const int64_t*> dims;
  std::vector<size_t> ranks;
};

}  // namespace detail

inline Result<std::string> Session::explain(std::span<const FeedType> feeds, Names fetches, Text what) const {
  const detail::SplitTypes split(feeds);
  return detail::text([&](percale_text** out) {
    return percale_session_explain(get(), split.names.data(), split.dtypes.data(), split.dims.data(),
                                   split.ranks.data(), feeds.size(), fetches.data(), fetches.size(), what.c_str(), out);
  });
}

inline Result<std::string> Session::draw(std::span<const FeedType> feeds, Names fetches, Text format,
                                         std::optional<Text> trace) const {
  const detail::SplitTypes split(feeds);
  return detail::text([&](percale_text** out) {
    return percale_session_draw(get(), split.names.data(), split.dtypes.data(), split.dims.data(), split.ranks.data(),
                                feeds.size(), fetches.data(), fetches.size(), format.c_str(),
                                trace ? trace->c_str() : nullptr, out);
  });
}

/// A prepared pair of feeds and fetches, the fastest way to run a graph. Thread-compatible; create
/// one per thread.
class Call : public Handle<percale_call, percale_call_release> {
 public:
  using Handle::Handle;

  /// Prepares runs with feeds of these types.
  static Result<Call> create(const Session& session, std::span<const FeedType> feeds, Names fetches) {
    const detail::SplitTypes split(feeds);
    auto out = detail::made<Call, percale_call>([&](percale_call** call) {
      return percale_call_create(session.get(), split.names.data(), split.dtypes.data(), split.dims.data(),
                                 split.ranks.data(), feeds.size(), fetches.data(), fetches.size(), call);
    });
    if (out) {
      out->feeds_ = feeds.size();
      out->fetches_ = fetches.size();
    }
    return out;
  }
  /// Makes the result of a fetch the input of a feed in the next run (recurrent state). The state
  /// stays on the computing device if that device can keep it. In bind(), an empty input takes the
  /// state of the last run, and a tensor starts a new state. An empty output means that the fetch
  /// is not copied to the host.
  Status carry(size_t fetch, size_t feed) { return Status(percale_call_carry(get(), fetch, feed)); }
  /// The version of the variables that the last successful run read; 0 before the first. Must not
  /// be called during a run.
  int64_t variables_version() const { return percale_call_variables_version(get()); }
  /// Returns the dtype and dims of a fetch, with -1 for an unknown dim.
  Result<FeedType> output_type(size_t index) const {
    return detail::type_of([&](percale_dtype* dtype, int64_t* dims, size_t* rank) {
      return percale_call_output_type(get(), index, dtype, dims, rank);
    });
  }
  /// Sets the tensors that run() reads and writes, in the order of creation. The call keeps them.
  Status bind(std::vector<Tensor> inputs, std::vector<Tensor> outputs) {
    if (inputs.size() != feeds_ || outputs.size() != fetches_) {
      return Status(Code::kInvalidArgument, "Call::bind: " + std::to_string(inputs.size()) + " inputs and " +
                                                std::to_string(outputs.size()) + " outputs, wanted " +
                                                std::to_string(feeds_) + " and " + std::to_string(fetches_));
    }
    inputs_ = std::move(inputs);
    outputs_ = std::move(outputs);
    raw_.clear();
    for (const Tensor& tensor : inputs_) raw_.push_back(tensor.get());
    for (const Tensor& tensor : outputs_) raw_.push_back(tensor.get());
    return Status();
  }
  /// Runs with the bound tensors. After the first run it allocates nothing.
  Status run() {
    if (!is_bound()) return not_bound();
    return Status(percale_call_run(get(), raw_.data(), raw_.data() + feeds_));
  }
  /// Runs like run(), but ends with DEADLINE_EXCEEDED after `timeout_ns`, or CANCELLED when
  /// `cancellation` (may be empty) is cancelled, even before the run begins. Negative times other
  /// than PERCALE_FOREVER count as 0.
  Status run_until(int64_t timeout_ns, const Cancellation& cancellation = {}) {
    if (!is_bound()) return not_bound();
    return Status(percale_call_run_until(get(), raw_.data(), raw_.data() + feeds_, detail::time_limit(timeout_ns),
                                         cancellation.get()));
  }
  /// The tensors that run() reads.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// The tensors that run() writes.
  const std::vector<Tensor>& outputs() const { return outputs_; }

 private:
  bool is_bound() const { return raw_.size() == feeds_ + fetches_; }
  static Status not_bound() {
    return Status(Code::kFailedPrecondition, "Call: no tensors are bound; call bind() before run() and run_until()");
  }

  size_t feeds_ = 0, fetches_ = 0;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<percale_tensor*> raw_;
};

}  // namespace percale

#endif  // PERCALE_CPP_SESSION_HPP_
