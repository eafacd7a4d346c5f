// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_trace, as the header has them.
 */
public final class RawTrace {
  private RawTrace() {}

  private static final MethodHandle PERCALE_TRACE_CREATE_ =
      Raw.function("percale_trace_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Creates an empty trace.
   *
   * @param engine in percale_engine*
   * @param out_trace out percale_trace**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trace_create(MemorySegment engine, MemorySegment out_trace) {
    try {
      return (MemorySegment) PERCALE_TRACE_CREATE_.invokeExact(engine, out_trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRACE_JSON_ =
      Raw.function("percale_trace_json",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives the spans as JSON in the trace event format, which Chrome and Perfetto open.
   *
   * @param trace in const percale_trace*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trace_json(MemorySegment trace, MemorySegment out_json) {
    try {
      return (MemorySegment) PERCALE_TRACE_JSON_.invokeExact(trace, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRACE_RELEASE_ =
      Raw.function("percale_trace_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases the trace. NULL is allowed.
   *
   * @param trace in percale_trace*
   */
  public static void percale_trace_release(MemorySegment trace) {
    try {
      PERCALE_TRACE_RELEASE_.invokeExact(trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
