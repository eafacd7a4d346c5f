// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawSession through java.lang.foreign, for Java 22 and newer.
 */
public final class RawSession {
  private RawSession() {}

  private static final MethodHandle PERCALE_SESSION_CREATE_ =
      Raw.function("percale_session_create", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_session_create(long engine, long graph, long variables, long options, long out_session) {
    try {
      return (long) PERCALE_SESSION_CREATE_.invokeExact(engine, graph, variables, options, out_session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RETAIN_ =
      Raw.function("percale_session_retain", long.class, long.class);

  public static long percale_session_retain(long session) {
    try {
      return (long) PERCALE_SESSION_RETAIN_.invokeExact(session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RELEASE_ =
      Raw.function("percale_session_release", void.class, long.class);

  public static void percale_session_release(long session) {
    try {
      PERCALE_SESSION_RELEASE_.invokeExact(session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RUN_ =
      Raw.function("percale_session_run", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_session_run(long session, long feed_names, long feeds, long feed_count, long fetch_names, long fetch_count, long target_names, long target_count, long timeout_ns, long out_fetches) {
    try {
      return (long) PERCALE_SESSION_RUN_.invokeExact(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names, target_count, timeout_ns, out_fetches);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RUN_VERSIONED_ =
      Raw.function("percale_session_run_versioned", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_session_run_versioned(long session, long feed_names, long feeds, long feed_count, long fetch_names, long fetch_count, long target_names, long target_count, long timeout_ns, long out_fetches, long out_variables_version) {
    try {
      return (long) PERCALE_SESSION_RUN_VERSIONED_.invokeExact(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names, target_count, timeout_ns, out_fetches, out_variables_version);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_RUN_ASYNC_ =
      Raw.function("percale_session_run_async", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_session_run_async(long session, long feed_names, long feeds, long feed_count, long fetch_names, long fetch_count, long target_names, long target_count, long timeout_ns, long out_event) {
    try {
      return (long) PERCALE_SESSION_RUN_ASYNC_.invokeExact(session, feed_names, feeds, feed_count, fetch_names, fetch_count, target_names, target_count, timeout_ns, out_event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_CANCEL_ =
      Raw.function("percale_session_cancel", void.class, long.class);

  public static void percale_session_cancel(long session) {
    try {
      PERCALE_SESSION_CANCEL_.invokeExact(session);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_EXPLAIN_ =
      Raw.function("percale_session_explain", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_session_explain(long session, long feed_names, long feed_dtypes, long feed_dims, long feed_ranks, long feed_count, long fetch_names, long fetch_count, long what, long out_text) {
    try {
      return (long) PERCALE_SESSION_EXPLAIN_.invokeExact(session, feed_names, feed_dtypes, feed_dims, feed_ranks, feed_count, fetch_names, fetch_count, what, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_DRAW_ =
      Raw.function("percale_session_draw", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_session_draw(long session, long feed_names, long feed_dtypes, long feed_dims, long feed_ranks, long feed_count, long fetch_names, long fetch_count, long format, long trace, long out_text) {
    try {
      return (long) PERCALE_SESSION_DRAW_.invokeExact(session, feed_names, feed_dtypes, feed_dims, feed_ranks, feed_count, fetch_names, fetch_count, format, trace, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_STATS_ =
      Raw.function("percale_session_stats", long.class, long.class, long.class);

  public static long percale_session_stats(long session, long out_json) {
    try {
      return (long) PERCALE_SESSION_STATS_.invokeExact(session, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SESSION_SET_TRACE_ =
      Raw.function("percale_session_set_trace", void.class, long.class, long.class);

  public static void percale_session_set_trace(long session, long trace) {
    try {
      PERCALE_SESSION_SET_TRACE_.invokeExact(session, trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
