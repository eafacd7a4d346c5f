// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_session, as the header has them.
 */
public final class RawSession {
  private RawSession() {}

  private static final MethodHandle PERCALE_SESSION_CREATE_ =
      Raw.function("percale_session_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Creates a session for a graph. {@code variables} may be NULL if the graph has none, otherwise
   * that is INVALID_ARGUMENT. {@code options} of kind "session", or NULL.
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param variables in percale_variables*
   * @param options in const percale_options*
   * @param out_session out percale_session**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_create(MemorySegment engine, MemorySegment graph, MemorySegment variables, MemorySegment options, MemorySegment out_session) {
    try {
      return (MemorySegment) PERCALE_SESSION_CREATE_.invokeExact(engine, graph, variables, options, out_session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RETAIN_ =
      Raw.function("percale_session_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code session}. NULL is allowed and returned.
   *
   * @param session in percale_session*
   * @return percale_session*
   */
  public static MemorySegment percale_session_retain(MemorySegment session) {
    try {
      return (MemorySegment) PERCALE_SESSION_RETAIN_.invokeExact(session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RELEASE_ =
      Raw.function("percale_session_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases a reference. The last one cancels asynchronous runs and waits for them. NULL is
   * allowed.
   *
   * @param session in percale_session*
   */
  public static void percale_session_release(MemorySegment session) {
    try {
      PERCALE_SESSION_RELEASE_.invokeExact(session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RUN_ =
      Raw.function("percale_session_run",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));

  /**
   * Computes the fetches and runs the targets, with everything that they need. Any value can be fed
   * or fetched by name; targets are names of nodes. On success {@code out_fetches[i]} is a new
   * tensor. A tensor of one element may be fed for a scalar, whatever its rank. {@code timeout_ns}:
   * nanoseconds, or PERCALE_FOREVER. DEADLINE_EXCEEDED: the time has passed, for 0 at once.
   * NOT_FOUND names a similar value.
   *
   * @param session in percale_session*
   * @param feed_names array const char* const*
   * @param feeds array percale_tensor* const*
   * @param feed_count in size_t
   * @param fetch_names array const char* const*
   * @param fetch_count in size_t
   * @param target_names array const char* const*
   * @param target_count in size_t
   * @param timeout_ns in int64_t
   * @param out_fetches out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_run(MemorySegment session, MemorySegment feed_names, MemorySegment feeds, long feed_count, MemorySegment fetch_names, long fetch_count, MemorySegment target_names, long target_count, long timeout_ns, MemorySegment out_fetches) {
    try {
      return (MemorySegment) PERCALE_SESSION_RUN_.invokeExact(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names, target_count, timeout_ns, out_fetches);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RUN_VERSIONED_ =
      Raw.function("percale_session_run_versioned",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS));

  /**
   * As percale_session_run(), and tells the version of the variables that the run has read. {@code
   * out_variables_version} (may be NULL) is the number of the version, as
   * percale_variables_version() counts; 0 after an error, and for a graph without variables.
   *
   * @param session in percale_session*
   * @param feed_names array const char* const*
   * @param feeds array percale_tensor* const*
   * @param feed_count in size_t
   * @param fetch_names array const char* const*
   * @param fetch_count in size_t
   * @param target_names array const char* const*
   * @param target_count in size_t
   * @param timeout_ns in int64_t
   * @param out_fetches out percale_tensor**
   * @param out_variables_version out int64_t*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_run_versioned(MemorySegment session, MemorySegment feed_names, MemorySegment feeds, long feed_count, MemorySegment fetch_names, long fetch_count, MemorySegment target_names, long target_count, long timeout_ns, MemorySegment out_fetches, MemorySegment out_variables_version) {
    try {
      return (MemorySegment) PERCALE_SESSION_RUN_VERSIONED_.invokeExact(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names, target_count, timeout_ns, out_fetches, out_variables_version);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RUN_ASYNC_ =
      Raw.function("percale_session_run_async",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS));

  /**
   * As percale_session_run(), on a thread of the engine. The event gives the results. The feeds are
   * kept until the run is done.
   *
   * @param session in percale_session*
   * @param feed_names array const char* const*
   * @param feeds array percale_tensor* const*
   * @param feed_count in size_t
   * @param fetch_names array const char* const*
   * @param fetch_count in size_t
   * @param target_names array const char* const*
   * @param target_count in size_t
   * @param timeout_ns in int64_t
   * @param out_event out percale_event**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_run_async(MemorySegment session, MemorySegment feed_names, MemorySegment feeds, long feed_count, MemorySegment fetch_names, long fetch_count, MemorySegment target_names, long target_count, long timeout_ns, MemorySegment out_event) {
    try {
      return (MemorySegment) PERCALE_SESSION_RUN_ASYNC_.invokeExact(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names, target_count, timeout_ns, out_event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_CANCEL_ =
      Raw.function("percale_session_cancel",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Ends every current run of the session with CANCELLED, also those of its calls. Later runs are
   * not affected. Any thread may call it. NULL is allowed.
   *
   * @param session in percale_session*
   */
  public static void percale_session_cancel(MemorySegment session) {
    try {
      PERCALE_SESSION_CANCEL_.invokeExact(session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_EXPLAIN_ =
      Raw.function("percale_session_explain",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));

  /**
   * Explains the plan for feeds of the given types. {@code what}: "plan" (JSON: device, kernel,
   * reason and shapes of each node; cuts, bytes moved, predicted peak), "kernels" (JSON: the kernel
   * of each node, and why better ones refused it) or "passes" (JSON: node counts after each pass).
   * {@code feed_dims[i]} has {@code feed_ranks[i]} sizes.
   *
   * @param session in percale_session*
   * @param feed_names array const char* const*
   * @param feed_dtypes array const percale_dtype*
   * @param feed_dims array const int64_t* const*
   * @param feed_ranks array const size_t*
   * @param feed_count in size_t
   * @param fetch_names array const char* const*
   * @param fetch_count in size_t
   * @param what text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_explain(MemorySegment session, MemorySegment feed_names, MemorySegment feed_dtypes, MemorySegment feed_dims, MemorySegment feed_ranks, long feed_count, MemorySegment fetch_names, long fetch_count, MemorySegment what, MemorySegment out_text) {
    try {
      return (MemorySegment) PERCALE_SESSION_EXPLAIN_.invokeExact(session, feed_names, feed_dtypes, feed_dims, feed_ranks, feed_count, fetch_names, fetch_count, what, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_DRAW_ =
      Raw.function("percale_session_draw",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));

  /**
   * As percale_graph_draw(), for the plan of feeds of the given types: the nodes that run, each
   * with its device and kernel, and the values that pass between devices. {@code trace} may be
   * NULL.
   *
   * @param session in percale_session*
   * @param feed_names array const char* const*
   * @param feed_dtypes array const percale_dtype*
   * @param feed_dims array const int64_t* const*
   * @param feed_ranks array const size_t*
   * @param feed_count in size_t
   * @param fetch_names array const char* const*
   * @param fetch_count in size_t
   * @param format text const char*
   * @param trace text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_draw(MemorySegment session, MemorySegment feed_names, MemorySegment feed_dtypes, MemorySegment feed_dims, MemorySegment feed_ranks, long feed_count, MemorySegment fetch_names, long fetch_count, MemorySegment format, MemorySegment trace, MemorySegment out_text) {
    try {
      return (MemorySegment) PERCALE_SESSION_DRAW_.invokeExact(session, feed_names, feed_dtypes, feed_dims, feed_ranks, feed_count, fetch_names, fetch_count, format, trace, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_STATS_ =
      Raw.function("percale_session_stats",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives statistics as JSON: plans made, cache hits, runs, the peak of memory as planned for one
   * run at a time, and the measured peak of all runs and plans of the session.
   *
   * @param session in const percale_session*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_session_stats(MemorySegment session, MemorySegment out_json) {
    try {
      return (MemorySegment) PERCALE_SESSION_STATS_.invokeExact(session, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_SET_TRACE_ =
      Raw.function("percale_session_set_trace",
          FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

  /**
   * Records the runs of the session from now on. {@code trace} may be NULL: that ends it.
   *
   * @param session in percale_session*
   * @param trace in percale_trace*
   */
  public static void percale_session_set_trace(MemorySegment session, MemorySegment trace) {
    try {
      PERCALE_SESSION_SET_TRACE_.invokeExact(session, trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
