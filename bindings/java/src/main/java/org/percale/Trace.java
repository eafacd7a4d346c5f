package org.percale;

import java.util.Objects;
import org.percale.raw.RawTrace;

/**
 * Time spans that sessions and trainers record while the trace is attached to them. Any number of
 * threads may use it.
 */
public final class Trace extends NativeHandle {
  private Trace(long pointer) {
    super(State.shared("trace", pointer, RawTrace::percale_trace_release));
  }

  /**
   * Creates an empty trace.
   *
   * @param engine the engine
   * @return the trace
   */
  public static Trace create(Engine engine) {
    Objects.requireNonNull(engine, "engine");
    return engine.with(raw -> new Trace(Native.make(out -> RawTrace.percale_trace_create(raw, out))));
  }

  /**
   * Returns the spans in the format that Chrome and Perfetto open.
   *
   * @return JSON
   */
  public String json() {
    return with(trace -> Native.text(Native.make(out -> RawTrace.percale_trace_json(trace, out))));
  }
}
