// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_session, as the header has them.
 */
public final class RawSession {
  private RawSession() {}

  static {
    Raw.bind(RawSession.class);
  }

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
  public static native long percale_session_create(long engine, long graph, long variables, long options, long out_session);

  /**
   * Adds a reference and returns {@code session}. NULL is allowed and returned.
   *
   * @param session in percale_session*
   * @return percale_session*
   */
  public static native long percale_session_retain(long session);

  /**
   * Releases a reference. The last one cancels asynchronous runs and waits for them. NULL is
   * allowed.
   *
   * @param session in percale_session*
   */
  public static native void percale_session_release(long session);

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
  public static native long percale_session_run(long session, long feed_names, long feeds, long feed_count, long fetch_names, long fetch_count, long target_names, long target_count, long timeout_ns, long out_fetches);

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
  public static native long percale_session_run_versioned(long session, long feed_names, long feeds, long feed_count, long fetch_names, long fetch_count, long target_names, long target_count, long timeout_ns, long out_fetches, long out_variables_version);

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
  public static native long percale_session_run_async(long session, long feed_names, long feeds, long feed_count, long fetch_names, long fetch_count, long target_names, long target_count, long timeout_ns, long out_event);

  /**
   * Ends every current run of the session with CANCELLED, also those of its calls. Later runs are
   * not affected. Any thread may call it. NULL is allowed.
   *
   * @param session in percale_session*
   */
  public static native void percale_session_cancel(long session);

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
  public static native long percale_session_explain(long session, long feed_names, long feed_dtypes, long feed_dims, long feed_ranks, long feed_count, long fetch_names, long fetch_count, long what, long out_text);

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
  public static native long percale_session_draw(long session, long feed_names, long feed_dtypes, long feed_dims, long feed_ranks, long feed_count, long fetch_names, long fetch_count, long format, long trace, long out_text);

  /**
   * Gives statistics as JSON: plans made, cache hits, runs, the peak of memory as planned for one
   * run at a time, and the measured peak of all runs and plans of the session.
   *
   * @param session in const percale_session*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_session_stats(long session, long out_json);

  /**
   * Records the runs of the session from now on. {@code trace} may be NULL: that ends it.
   *
   * @param session in percale_session*
   * @param trace in percale_trace*
   */
  public static native void percale_session_set_trace(long session, long trace);
}
