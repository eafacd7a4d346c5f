// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_cancellation, as the header has them.
 */
public final class RawCancellation {
  private RawCancellation() {}

  static {
    Raw.bind(RawCancellation.class);
  }

  /**
   * Creates a cancellation token for percale_call_run_until() and
   * percale_trainer_set_cancellation(). An asynchronous run is cancelled with
   * percale_event_cancel().
   *
   * @param out_cancellation out percale_cancellation**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_cancellation_create(long out_cancellation);

  /**
   * Cancels every call and trainer that uses the token, now or later: they end with CANCELLED. Any
   * thread may call it; it never waits. NULL is allowed.
   *
   * @param cancellation in percale_cancellation*
   */
  public static native void percale_cancellation_cancel(long cancellation);

  /**
   * Returns 1 if the token was cancelled; 0 for NULL.
   *
   * @param cancellation in const percale_cancellation*
   * @return int32_t
   */
  public static native int percale_cancellation_poll(long cancellation);

  /**
   * Adds a reference and returns {@code cancellation}. {@code cancellation} may be NULL.
   *
   * @param cancellation in percale_cancellation*
   * @return percale_cancellation*
   */
  public static native long percale_cancellation_retain(long cancellation);

  /**
   * Releases a reference. Calls and trainers that use the token have references of their own.
   * {@code cancellation} may be NULL.
   *
   * @param cancellation in percale_cancellation*
   */
  public static native void percale_cancellation_release(long cancellation);
}
