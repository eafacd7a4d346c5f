// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_event, as the header has them.
 */
public final class RawEvent {
  private RawEvent() {}

  static {
    Raw.bind(RawEvent.class);
  }

  /**
   * Returns 1 if the run is over; 0 for NULL.
   *
   * @param event in const percale_event*
   * @return int32_t
   */
  public static native int percale_event_poll(long event);

  /**
   * Waits for the run and returns its status. DEADLINE_EXCEEDED: it is not over after {@code
   * timeout_ns} nanoseconds; the run continues. May be called again.
   *
   * @param event in percale_event*
   * @param timeout_ns in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_event_wait(long event, long timeout_ns);

  /**
   * Registers a function to be called when the run is over. There may be several.
   *
   * @param event in percale_event*
   * @param callback callback percale_event_callback
   * @param user user void*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_event_on_ready(long event, long callback, long user);

  /**
   * Ends the run with CANCELLED, also before it has started. Does nothing if it is over, and for
   * NULL. Any thread may call it.
   *
   * @param event in percale_event*
   */
  public static native void percale_event_cancel(long event);

  /**
   * Gives a result of a run that has succeeded, in the order of the fetches. FAILED_PRECONDITION:
   * it is not over. OUT_OF_RANGE past the end.
   *
   * @param event in percale_event*
   * @param index in size_t
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_event_result(long event, long index, long out_tensor);

  /**
   * Returns the version of the variables that the run has read. 0 before it is over, if it failed,
   * for a graph without variables, and for NULL. Any thread may call it.
   *
   * @param event in const percale_event*
   * @return int64_t
   */
  public static native long percale_event_variables_version(long event);

  /**
   * Adds a reference and returns {@code event}. NULL is allowed and returned.
   *
   * @param event in percale_event*
   * @return percale_event*
   */
  public static native long percale_event_retain(long event);

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param event in percale_event*
   */
  public static native void percale_event_release(long event);
}
