// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_trace, as the header has them.
 */
public final class RawTrace {
  private RawTrace() {}

  static {
    Raw.bind(RawTrace.class);
  }

  /**
   * Creates an empty trace.
   *
   * @param engine in percale_engine*
   * @param out_trace out percale_trace**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trace_create(long engine, long out_trace);

  /**
   * Gives the spans as JSON in the trace event format, which Chrome and Perfetto open.
   *
   * @param trace in const percale_trace*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trace_json(long trace, long out_json);

  /**
   * Releases the trace. NULL is allowed.
   *
   * @param trace in percale_trace*
   */
  public static native void percale_trace_release(long trace);
}
