package org.percale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.percale.raw.RawConstants;
import org.percale.raw.RawEvent;
import org.percale.raw.RawMemory;
import org.percale.raw.RawSession;

/** Runs a graph. Any number of threads may run it concurrently. */
public final class Session extends NativeHandle {
  /**
   * Completes futures, so dependent stages that block never run on a thread of the engine. The
   * common pool is not used, because the application may occupy all its threads.
   */
  private static final ExecutorService READY = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "percale-ready");
    thread.setDaemon(true);
    return thread;
  });

  private final Engine engine;

  private Session(long pointer, Engine engine) {
    super(State.shared("session", pointer, RawSession::percale_session_release));
    this.engine = engine;
  }

  /**
   * Creates a session with the defaults.
   *
   * @param engine the engine
   * @param graph the graph
   * @param variables the table of its variables; may be null if it has none
   * @return the session
   */
  public static Session create(Engine engine, Graph graph, Variables variables) {
    return builder(engine, graph).variables(variables).build();
  }

  /**
   * Returns a builder for a session with other settings.
   *
   * @param engine the engine
   * @param graph the graph
   * @return the builder
   */
  public static Builder builder(Engine engine, Graph graph) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return new Builder(engine, graph);
  }

  /** Collects the settings of a session. */
  public static final class Builder {
    private final Engine engine;
    private final Graph graph;
    private Variables variables;
    private final Options options = new Options("session");

    private Builder(Engine engine, Graph graph) {
      this.engine = engine;
      this.graph = graph;
    }

    /**
     * Sets the table of the graph's variables.
     *
     * @param variables the table
     * @return this
     */
    public Builder variables(Variables variables) {
      this.variables = variables;
      return this;
    }

    /**
     * Sets any option of a session; see {@link Percale#describeOptions}.
     *
     * @param key the name of the option
     * @param value text, a number or a Boolean
     * @return this
     */
    public Builder option(String key, Object value) {
      options.set(key, value);
      return this;
    }

    /**
     * Sets the memory limit of the session's runs and plans.
     *
     * @param bytes bytes; 0 means no limit but that of the engine
     * @return this
     */
    public Builder memoryLimit(long bytes) {
      return option("memory_limit", bytes);
    }

    /**
     * Creates the session.
     *
     * @return the session
     */
    public Session build() {
      return engine.with(raw -> graph.with(what -> withOptional(variables, values -> options.with(chosen ->
          new Session(Native.make(
              out -> RawSession.percale_session_create(raw, what, values, chosen, out)), engine)))));
    }
  }

  /**
   * Runs the graph and computes the fetches. Any value may be fed or fetched, by name.
   *
   * @param feeds tensors by name
   * @param fetches names
   * @return a result per fetch
   */
  public Results run(Map<String, Tensor> feeds, String... fetches) {
    Objects.requireNonNull(feeds, "feeds");
    Objects.requireNonNull(fetches, "fetches");
    return request().feed(feeds).fetch(fetches).run();
  }

  /**
   * Returns a builder for a run with targets, a timeout or a token, or for an asynchronous run.
   *
   * @return the builder
   */
  public Request request() {
    return new Request();
  }

  /** Ends all current runs of the session. Later runs are not affected. */
  public void cancel() {
    with(raw -> {
      RawSession.percale_session_cancel(raw);
      return null;
    });
  }

  /**
   * Prepares runs with feeds of these types and shapes, the fastest way to run a graph.
   *
   * @param feeds the feeds
   * @param fetches names
   * @return the call, with tensors for its inputs and outputs
   */
  public PreparedCall prepare(List<TensorSpec> feeds, String... fetches) {
    return with(raw -> PreparedCall.create(engine, raw, feeds, List.of(fetches)));
  }

  /**
   * Returns details of the plan for these feeds.
   *
   * @param feeds types of the feeds
   * @param fetches names
   * @param what "plan", "kernels" or "passes"
   * @return JSON
   */
  public String explain(List<TensorSpec> feeds, List<String> fetches, String what) {
    try (Scratch scratch = new Scratch()) {
      TensorSpec.Raw types = new TensorSpec.Raw(scratch, feeds);
      long names = scratch.texts(fetches);
      long which = scratch.text(what);
      return with(raw -> Native.text(Native.make(out -> RawSession.percale_session_explain(raw, types.names,
          types.dtypes, types.dims, types.ranks, feeds.size(), names, fetches.size(), which, out))));
    }
  }

  /**
   * Draws the plan for these feeds.
   *
   * @param feeds types of the feeds
   * @param fetches names
   * @param format "svg", or "html" for a page with panning, zoom, search and folding
   * @param trace the JSON of a {@link Trace}, whose times are shown at the nodes; may be null
   * @return the text of the file
   */
  public String draw(List<TensorSpec> feeds, List<String> fetches, String format, String trace) {
    try (Scratch scratch = new Scratch()) {
      TensorSpec.Raw types = new TensorSpec.Raw(scratch, feeds);
      long names = scratch.texts(fetches);
      long name = scratch.text(format);
      long times = scratch.text(trace);
      return with(raw -> Native.text(Native.make(out -> RawSession.percale_session_draw(raw, types.names, types.dtypes,
          types.dims, types.ranks, feeds.size(), names, fetches.size(), name, times, out))));
    }
  }

  /**
   * Returns statistics: plans made, cache hits, runs, planned and measured peak of memory.
   *
   * @return JSON
   */
  public String stats() {
    return with(raw -> Native.text(Native.make(out -> RawSession.percale_session_stats(raw, out))));
  }

  /**
   * Records the session's activity from now on.
   *
   * @param trace the destination; null ends the recording
   */
  public void setTrace(Trace trace) {
    with(raw -> withOptional(trace, spans -> {
      RawSession.percale_session_set_trace(raw, spans);
      return null;
    }));
  }

  /** Collects the settings of a run. */
  public final class Request {
    private final Map<String, Tensor> feeds = new LinkedHashMap<>();
    private final List<String> fetches = new ArrayList<>();
    private final List<String> targets = new ArrayList<>();
    private long timeout = RawConstants.PERCALE_FOREVER;
    private CancelToken token;

    private Request() {}

    /**
     * Feeds a value.
     *
     * @param name its name
     * @param tensor its tensor; must not be written to before the run is over
     * @return this
     */
    public Request feed(String name, Tensor tensor) {
      feeds.put(name, tensor);
      return this;
    }

    /**
     * Feeds several values.
     *
     * @param all tensors by name
     * @return this
     */
    public Request feed(Map<String, Tensor> all) {
      Objects.requireNonNull(all, "all");
      feeds.putAll(all);
      return this;
    }

    /**
     * Fetches values.
     *
     * @param names their names
     * @return this
     */
    public Request fetch(String... names) {
      Objects.requireNonNull(names, "names");
      fetches.addAll(List.of(names));
      return this;
    }

    /**
     * Runs a node without fetching an output, such as a training step.
     *
     * @param name its name
     * @return this
     */
    public Request target(String name) {
      targets.add(name);
      return this;
    }

    /**
     * Limits the time of the run. It ends with {@link Code#DEADLINE_EXCEEDED} after this time, at
     * once if it is 0 or negative.
     *
     * @param time the time; null means no limit
     * @return this
     */
    public Request timeout(Duration time) {
      timeout = Native.nanoseconds(time);
      return this;
    }

    /**
     * Ends the run with {@link Code#CANCELLED} when the token is cancelled, or when the thread that
     * waits in {@link #run} is interrupted. A run with a token executes on a thread of the engine.
     *
     * @param token the token
     * @return this
     */
    public Request cancelToken(CancelToken token) {
      this.token = token;
      return this;
    }

    /**
     * Runs and waits. Without a token, {@link Thread#interrupt} does not end the run.
     *
     * @return a result per fetch
     */
    public Results run() {
      if (token != null) {
        token.check();
        return Shortage.relieve(() -> {
          try (Event event = start()) {
            return CancelToken.during(token, event::cancel, event::await);
          }
        });
      }
      try (Scratch scratch = new Scratch()) {
        long names = scratch.texts(List.copyOf(feeds.keySet()));
        long wanted = scratch.texts(fetches);
        long also = scratch.texts(targets);
        long out = scratch.allocate(8L * fetches.size());
        long version = scratch.allocate(8);
        relieve(raw -> withAll(List.copyOf(feeds.values()), tensors -> RawSession.percale_session_run_versioned(raw, names,
            scratch.longs(tensors), feeds.size(), wanted, fetches.size(), also, targets.size(), timeout, out,
            version)));
        return new Results(List.copyOf(fetches), Tensor.takeAll(out, fetches.size()), RawMemory.getLong(version));
      }
    }

    /**
     * Runs on threads of the engine. Cancelling the future ends the run. Dependent stages run on a
     * thread of this package, where they may block. Unlike {@link #run}, the run is not repeated
     * after a garbage collection if memory runs out while it executes.
     *
     * @return a result per fetch, once the run is over; completes with a {@link PercaleException}
     *     on failure
     */
    public CompletableFuture<Results> runAsync() {
      Event event = start();
      EventFuture future = new EventFuture(event, token);
      try {
        event.onReady(() -> READY.execute(future::finish));
      } catch (RuntimeException error) {
        future.completeExceptionally(error);
        event.close();
      }
      return future;
    }

    private Event start() {
      try (Scratch scratch = new Scratch()) {
        long names = scratch.texts(List.copyOf(feeds.keySet()));
        long wanted = scratch.texts(fetches);
        long also = scratch.texts(targets);
        return new Event(Native.make(out -> with(raw -> withAll(List.copyOf(feeds.values()),
            tensors -> RawSession.percale_session_run_async(raw, names, scratch.longs(tensors), feeds.size(),
                wanted, fetches.size(), also, targets.size(), timeout, out)))), List.copyOf(fetches));
      }
    }
  }

  /** An asynchronous run. */
  private static final class Event extends NativeHandle {
    private final List<String> fetches;

    Event(long pointer, List<String> fetches) {
      super(State.shared("event", pointer, RawEvent::percale_event_release));
      this.fetches = fetches;
    }

    /** Cancels the run. Any thread may call it. Does nothing if the event is closed. */
    void cancel() {
      state.unlessFreed(RawEvent::percale_event_cancel);
    }

    Results await() {
      return with(event -> {
        Native.check(RawEvent.percale_event_wait(event, RawConstants.PERCALE_FOREVER));
        List<Tensor> out = new ArrayList<>();
        for (int i = 0; i < fetches.size(); ++i) {
          int index = i;
          out.add(Tensor.take(Native.make(place -> RawEvent.percale_event_result(event, index, place))));
        }
        return new Results(fetches, out, RawEvent.percale_event_variables_version(event));
      });
    }

    void onReady(Runnable function) {
      long user = Callbacks.add(function);
      try {
        check(event -> RawEvent.percale_event_on_ready(event, Callbacks.READY, user));
      } catch (RuntimeException error) {
        Callbacks.remove(user);
        throw error;
      }
    }
  }

  /** The future of an event. */
  private static final class EventFuture extends CompletableFuture<Results> {
    private final Event event;
    private final CancelToken token;
    private final Runnable cancel;

    EventFuture(Event event, CancelToken token) {
      this.event = event;
      this.token = token;
      this.cancel = event::cancel;
      if (token != null) token.add(cancel);
    }

    void finish() {
      if (token != null) token.remove(cancel);
      try (event) {
        Results results = event.await();
        if (!complete(results)) results.close();
      } catch (Throwable error) {
        completeExceptionally(error instanceof CompletionException ? error.getCause() : error);
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean done = super.cancel(mayInterruptIfRunning);
      event.cancel();
      return done;
    }

    /** Returns an ordinary future, because dependent stages do not own the event. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }
  }
}
