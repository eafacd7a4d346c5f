package org.percale;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.percale.raw.RawTrace;

/** Spans of time, recorded by sessions and trainers while it is attached to them. Several threads may use it at once. */
public final class Trace extends NativeHandle {
  private Trace(MemorySegment pointer) {
    super(State.shared("trace", pointer, RawTrace::percale_trace_release));
  }

  /**
   * An empty trace.
   *
   * @param engine the engine
   * @return the trace
   */
  public static Trace create(Engine engine) {
    Objects.requireNonNull(engine, "engine");
    return engine.with(raw -> new Trace(Native.make(out -> RawTrace.percale_trace_create(raw, out))));
  }

  /**
   * The spans in the form that Chrome and Perfetto open.
   *
   * @return JSON
   */
  public String json() {
    return with(trace -> Native.text(Native.make(out -> RawTrace.percale_trace_json(trace, out))));
  }
}
