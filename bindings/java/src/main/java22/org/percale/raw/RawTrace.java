// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawTrace through java.lang.foreign, for Java 22 and newer.
 */
public final class RawTrace {
  private RawTrace() {}

  private static final MethodHandle PERCALE_TRACE_CREATE_ =
      Raw.function("percale_trace_create", long.class, long.class, long.class);

  public static long percale_trace_create(long engine, long out_trace) {
    try {
      return (long) PERCALE_TRACE_CREATE_.invokeExact(engine, out_trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRACE_JSON_ =
      Raw.function("percale_trace_json", long.class, long.class, long.class);

  public static long percale_trace_json(long trace, long out_json) {
    try {
      return (long) PERCALE_TRACE_JSON_.invokeExact(trace, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRACE_RELEASE_ =
      Raw.function("percale_trace_release", void.class, long.class);

  public static void percale_trace_release(long trace) {
    try {
      PERCALE_TRACE_RELEASE_.invokeExact(trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
