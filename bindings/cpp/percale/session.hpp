/// Running graphs: sessions, prepared calls, events.
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
#include "percale/trace.hpp"

namespace percale {

/// A value by name and the tensor that is fed for it; both borrowed for the call.
struct Feed {
  Text name;             ///< of any value of the graph
  const Tensor& tensor;  ///< its elements do not change until the run is over
};
/// {{"x", x}, {"y", y}}, or a vector.
class Feeds {
 public:
  /// Borrowed for the call.
  Feeds(std::initializer_list<Feed> feeds) : feeds_(feeds.begin(), feeds.size()) {}
  Feeds(const std::vector<Feed>& feeds) : feeds_(feeds) {}
  /// In the order given.
  std::span<const Feed> span() const { return feeds_; }

 private:
  std::span<const Feed> feeds_;
};

/// Names, borrowed for the call: {"y"}, or a vector of strings.
class Names {
 public:
  /// Borrowed for the call.
  Names(std::initializer_list<Text> names) {
    for (const Text& name : names) names_.push_back(name.c_str());
  }
  Names(const std::vector<std::string>& names) {
    for (const std::string& name : names) names_.push_back(name.c_str());
  }
  /// For calls of the C ABI.
  const char* const* data() const { return names_.data(); }
  /// How many there are.
  size_t size() const { return names_.size(); }

 private:
  std::vector<const char*> names_;
};

namespace detail {

/// PERCALE_FOREVER stays what it is; any other time below 0 has run out, while the C ABI would wait for ever.
inline int64_t time_limit(int64_t timeout_ns) {
  return timeout_ns < 0 && timeout_ns != PERCALE_FOREVER ? 0 : timeout_ns;
}

}  // namespace detail

/// The end of an asynchronous run. thread-safe.
class Event : public Handle<percale_event, percale_event_release> {
 public:
  using Handle::Handle;

  /// One more owner of the same event.
  Event share() const { return Event(percale_event_retain(get())); }
  /// Whether the run is over.
  bool ready() const { return percale_event_poll(get()) != 0; }
  /// The run's own status, or DEADLINE_EXCEEDED when it is not over after `timeout_ns`, at once for 0 and below other than
  /// PERCALE_FOREVER. May be called again.
  Status wait(int64_t timeout_ns = PERCALE_FOREVER) {
    return Status(percale_event_wait(get(), detail::time_limit(timeout_ns)));
  }
  /// Ends the run with CANCELLED; any thread.
  void cancel() { percale_event_cancel(get()); }
  /// The version of the variables that the run has read; 0 before it is over.
  int64_t variables_version() const { return percale_event_variables_version(get()); }
  /// A result of a run that has succeeded.
  Result<Tensor> result(size_t index) {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_event_result(get(), index, out); });
  }
  /// Calls `function()` once when the run is over: on the thread that ends it, or at once here when it is over already. It must
  /// neither block nor throw.
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

/// Runs a graph: any number of concurrent runs. thread-safe.
class Session : public Handle<percale_session, percale_session_release> {
 public:
  using Handle::Handle;

  /// `variables` may be empty when the graph has none.
  static Result<Session> create(const Engine& engine, const Graph& graph, const Variables& variables = {}) {
    return detail::made<Session, percale_session>([&](percale_session** out) {
      return percale_session_create(engine.get(), graph.get(), variables.get(), nullptr, out);
    });
  }
  /// `options` of kind "session".
  static Result<Session> create(const Engine& engine, const Graph& graph, const Variables& variables,
                                const Options& options) {
    if (!options.status()) return options.status();
    return detail::made<Session, percale_session>([&](percale_session** out) {
      return percale_session_create(engine.get(), graph.get(), variables.get(), options.get(), out);
    });
  }
  /// One more owner of the same session.
  Session share() const { return Session(percale_session_retain(get())); }

  /// Runs what the fetches and targets need; any value may be fed or fetched, by name. A new tensor per fetch. DEADLINE_EXCEEDED
  /// after `timeout_ns`, at once for 0 and below other than PERCALE_FOREVER.
  Result<std::vector<Tensor>> run(Feeds feeds, Names fetches, Names targets = {},
                                  int64_t timeout_ns = PERCALE_FOREVER) {
    const Split split(feeds);
    std::vector<percale_tensor*> raw(fetches.size());
    if (percale_status* status =
            percale_session_run(get(), split.names.data(), split.tensors.data(), split.names.size(), fetches.data(),
                                fetches.size(), targets.data(), targets.size(), detail::time_limit(timeout_ns),
                                raw.data())) {
      return Status(status);
    }
    std::vector<Tensor> out;
    for (percale_tensor* tensor : raw) out.emplace_back(tensor);
    return out;
  }
  /// The same on a thread of the engine. The feeds are kept until it is done.
  Result<Event> run_async(Feeds feeds, Names fetches, Names targets = {}, int64_t timeout_ns = PERCALE_FOREVER) {
    const Split split(feeds);
    return detail::made<Event, percale_event>([&](percale_event** out) {
      return percale_session_run_async(get(), split.names.data(), split.tensors.data(), split.names.size(),
                                       fetches.data(), fetches.size(), targets.data(), targets.size(),
                                       detail::time_limit(timeout_ns), out);
    });
  }
  /// Ends every run that is under way with CANCELLED; later runs are not affected. Any thread.
  void cancel() { percale_session_cancel(get()); }
  /// Why the plan is what it is: "plan", "kernels" or "passes" (JSON).
  Result<std::string> explain(std::span<const FeedType> feeds, Names fetches, Text what) const;
  /// A drawing of the plan: "svg", or "html", a page to move, zoom, search and fold. The nodes show
  /// the times of `trace`, the JSON of a Trace.
  Result<std::string> draw(std::span<const FeedType> feeds, Names fetches, Text format,
                           std::optional<Text> trace = {}) const;
  /// JSON: plans, cache hits, runs, memory as planned and as measured.
  Result<std::string> stats() const {
    return detail::text([&](percale_text** out) { return percale_session_stats(get(), out); });
  }
  /// Records from now on; an empty trace ends it.
  void set_trace(const Trace& trace) { percale_session_set_trace(get(), trace.get()); }

 private:
  struct Split {
    explicit Split(const Feeds& feeds) {
      for (const Feed& feed : feeds.span()) {
        names.push_back(feed.name.c_str());
        tensors.push_back(feed.tensor.get());
      }
    }
    std::vector<const char*> names;
    std::vector<percale_tensor*> tensors;
  };
};

namespace detail {

/// Types of feeds as the C ABI takes them; borrows from them.
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

/// A prepared pair of feeds and fetches: the fast path. thread-compatible; make one per thread.
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
  /// From now on the feed of a run is what the fetch of the run before has given, on the device that computes where that can keep it. An empty
  /// tensor in bind() goes on with it; a given one begins anew. Of the fetch nothing comes to the host where its output is empty.
  Status carry(size_t fetch, size_t feed) { return Status(percale_call_carry(get(), fetch, feed)); }
  /// The version of the variables that the last run has read; 0 before the first. Not during a run.
  int64_t variables_version() const { return percale_call_variables_version(get()); }
  /// dtype and dims of a fetch, -1 = unknown.
  Result<FeedType> output_type(size_t index) const {
    return detail::type_of([&](percale_dtype* dtype, int64_t* dims, size_t* rank) {
      return percale_call_output_type(get(), index, dtype, dims, rank);
    });
  }
  /// Which tensors run() reads and writes, in the order of creation. They are kept.
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
  /// Runs with the bound tensors. Allocates nothing once warm.
  Status run() {
    if (raw_.size() != feeds_ + fetches_) return Status(Code::kFailedPrecondition, "Call::run: bind() comes first");
    return Status(percale_call_run(get(), raw_.data(), raw_.data() + feeds_));
  }
  /// The same, but DEADLINE_EXCEEDED after `timeout_ns`, at once for 0 and below other than PERCALE_FOREVER, and CANCELLED when
  /// `cancellation` (may be empty) is, even before it begins.
  Status run_until(int64_t timeout_ns, const Cancellation& cancellation = {}) {
    if (raw_.size() != feeds_ + fetches_) return Status(Code::kFailedPrecondition, "Call::run: bind() comes first");
    return Status(
        percale_call_run_until(get(), raw_.data(), raw_.data() + feeds_, detail::time_limit(timeout_ns), cancellation.get()));
  }
  /// What bind() was given to read.
  const std::vector<Tensor>& inputs() const { return inputs_; }
  /// What bind() was given to write.
  const std::vector<Tensor>& outputs() const { return outputs_; }

 private:
  size_t feeds_ = 0, fetches_ = 0;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<percale_tensor*> raw_;
};

}  // namespace percale

#endif  // PERCALE_CPP_SESSION_HPP_
