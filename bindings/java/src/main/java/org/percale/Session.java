package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
import org.percale.raw.RawSession;

/** Runs a graph. Several threads may use it at once: any number of concurrent runs. */
public final class Session extends NativeHandle {
  /** Ends futures, so that nothing that waits runs on a thread of the engine. Not the common pool: somebody may fill that. */
  private static final ExecutorService READY = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "percale-ready");
    thread.setDaemon(true);
    return thread;
  });

  private final Engine engine;

  private Session(MemorySegment pointer, Engine engine) {
    super(State.shared("session", pointer, RawSession::percale_session_release));
    this.engine = engine;
  }

  /**
   * A session with the defaults.
   *
   * @param engine the engine
   * @param graph the graph
   * @param variables the table that its variables stand in; may be null when it has none
   * @return the session
   */
  public static Session create(Engine engine, Graph graph, Variables variables) {
    return builder(engine, graph).variables(variables).build();
  }

  /**
   * Begins a session with settings of one's own.
   *
   * @param engine the engine
   * @param graph the graph
   * @return what collects them
   */
  public static Builder builder(Engine engine, Graph graph) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return new Builder(engine, graph);
  }

  /** A session that is being set up. */
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
     * The table that the graph's variables stand in.
     *
     * @param variables the table
     * @return this
     */
    public Builder variables(Variables variables) {
      this.variables = variables;
      return this;
    }

    /**
     * Any option of a session; see {@link Percale#describeOptions}.
     *
     * @param key its name
     * @param value text, a number or a Boolean
     * @return this
     */
    public Builder option(String key, Object value) {
      options.set(key, value);
      return this;
    }

    /**
     * The most that the session's runs and plans may hold.
     *
     * @param bytes bytes; 0: no limit but the engine's
     * @return this
     */
    public Builder memoryLimit(long bytes) {
      return option("memory_limit", bytes);
    }

    /**
     * The session.
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
   * Runs what the fetches need. Any value may be fed or fetched, by name.
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
   * Begins a run with targets, a timeout or a token, or one that is asynchronous.
   *
   * @return what collects them
   */
  public Request request() {
    return new Request();
  }

  /** Ends every run of the session that is under way; later runs are not affected. */
  public void cancel() {
    with(raw -> {
      RawSession.percale_session_cancel(raw);
      return null;
    });
  }

  /**
   * Prepares runs with feeds of these types and shapes: the fast path.
   *
   * @param feeds the feeds
   * @param fetches names
   * @return the call, with tensors for its inputs and outputs
   */
  public PreparedCall prepare(List<TensorSpec> feeds, String... fetches) {
    return with(raw -> PreparedCall.create(engine, raw, feeds, List.of(fetches)));
  }

  /**
   * Why the plan is what it is.
   *
   * @param feeds types of the feeds
   * @param fetches names
   * @param what "plan", "kernels" or "passes"
   * @return JSON
   */
  public String explain(List<TensorSpec> feeds, List<String> fetches, String what) {
    try (Arena arena = Arena.ofConfined()) {
      TensorSpec.Raw types = TensorSpec.Raw.of(arena, feeds);
      MemorySegment names = Native.names(arena, fetches);
      MemorySegment which = Native.name(arena, what);
      return with(raw -> Native.text(Native.make(out -> RawSession.percale_session_explain(raw, types.names(),
          types.dtypes(), types.dims(), types.ranks(), feeds.size(), names, fetches.size(), which, out))));
    }
  }

  /**
   * A drawing of the plan.
   *
   * @param feeds types of the feeds
   * @param fetches names
   * @param format "svg", or "html", a page to move, zoom, search and fold
   * @param trace the JSON of a {@link Trace}, whose times the nodes show; null: none
   * @return the file's text
   */
  public String draw(List<TensorSpec> feeds, List<String> fetches, String format, String trace) {
    try (Arena arena = Arena.ofConfined()) {
      TensorSpec.Raw types = TensorSpec.Raw.of(arena, feeds);
      MemorySegment names = Native.names(arena, fetches);
      MemorySegment name = Native.name(arena, format);
      MemorySegment times = Native.name(arena, trace);
      return with(raw -> Native.text(Native.make(out -> RawSession.percale_session_draw(raw, types.names(), types.dtypes(),
          types.dims(), types.ranks(), feeds.size(), names, fetches.size(), name, times, out))));
    }
  }

  /**
   * Plans made, cache hits, runs, peaks of memory as planned and as measured.
   *
   * @return JSON
   */
  public String stats() {
    return with(raw -> Native.text(Native.make(out -> RawSession.percale_session_stats(raw, out))));
  }

  /**
   * Records what the session does from now on.
   *
   * @param trace where; null ends it
   */
  public void setTrace(Trace trace) {
    with(raw -> withOptional(trace, spans -> {
      RawSession.percale_session_set_trace(raw, spans);
      return null;
    }));
  }

  /** A run that is being set up. */
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
     * @param tensor what it is; not to be written to before the run is over
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
     * Runs a node for what it does, such as a training step.
     *
     * @param name its name
     * @return this
     */
    public Request target(String name) {
      targets.add(name);
      return this;
    }

    /**
     * How long the run may take: {@link Code#DEADLINE_EXCEEDED} after that, at once where it is 0 or negative.
     *
     * @param time the time; null: as long as it takes
     * @return this
     */
    public Request timeout(Duration time) {
      timeout = Native.nanoseconds(time);
      return this;
    }

    /**
     * Ends the run with {@link Code#CANCELLED} when the token is cancelled, or the thread that
     * waits in {@link #run} interrupted. Such a run goes over a thread of the engine.
     *
     * @param token the token
     * @return this
     */
    public Request cancelToken(CancelToken token) {
      this.token = token;
      return this;
    }

    /**
     * Runs and waits. Without a token {@link Thread#interrupt} does not end it.
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
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment names = Native.names(arena, List.copyOf(feeds.keySet()));
        MemorySegment wanted = Native.names(arena, fetches);
        MemorySegment also = Native.names(arena, targets);
        MemorySegment out = arena.allocate(ADDRESS, fetches.size());
        relieve(raw -> withAll(List.copyOf(feeds.values()), tensors -> RawSession.percale_session_run(raw, names,
            Native.pointers(arena, tensors), feeds.size(), wanted, fetches.size(), also, targets.size(), timeout, out)));
        return new Results(List.copyOf(fetches), Native.read(out, fetches.size()).stream().map(Tensor::take).toList());
      }
    }

    /**
     * Runs on threads of the engine. A cancel of the future ends the run. What depends on it runs on a
     * thread of this package, which may wait. Unlike {@link #run} it is not tried again after a garbage
     * collection when memory is short while it runs.
     *
     * @return a result per fetch, when it is over; {@link PercaleException} else
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
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment names = Native.names(arena, List.copyOf(feeds.keySet()));
        MemorySegment wanted = Native.names(arena, fetches);
        MemorySegment also = Native.names(arena, targets);
        return new Event(Native.make(out -> with(raw -> withAll(List.copyOf(feeds.values()),
            tensors -> RawSession.percale_session_run_async(raw, names, Native.pointers(arena, tensors), feeds.size(),
                wanted, fetches.size(), also, targets.size(), timeout, out)))), List.copyOf(fetches));
      }
    }
  }

  /** The end of an asynchronous run. */
  private static final class Event extends NativeHandle {
    private final List<String> fetches;

    Event(MemorySegment pointer, List<String> fetches) {
      super(State.shared("event", pointer, RawEvent::percale_event_release));
      this.fetches = fetches;
    }

    /** Any thread; does nothing when the event is closed. */
    void cancel() {
      state.whileThere(RawEvent::percale_event_cancel);
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
      MemorySegment user = Callbacks.add(function);
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

    /** What is made of it is an ordinary future. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }
  }
}
