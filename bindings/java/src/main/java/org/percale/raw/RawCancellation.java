// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_cancellation, as the header has them.
 */
public final class RawCancellation {
  private RawCancellation() {}

  private static final MethodHandle PERCALE_CANCELLATION_CREATE_ =
      Raw.function("percale_cancellation_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Creates a cancellation token for percale_call_run_until() and
   * percale_trainer_set_cancellation(). An asynchronous run is cancelled with
   * percale_event_cancel().
   *
   * @param out_cancellation out percale_cancellation**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_cancellation_create(MemorySegment out_cancellation) {
    try {
      return (MemorySegment) PERCALE_CANCELLATION_CREATE_.invokeExact(out_cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_CANCEL_ =
      Raw.function("percale_cancellation_cancel",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Cancels every call and trainer that uses the token, now or later: they end with CANCELLED. Any
   * thread may call it; it never waits. NULL is allowed.
   *
   * @param cancellation in percale_cancellation*
   */
  public static void percale_cancellation_cancel(MemorySegment cancellation) {
    try {
      PERCALE_CANCELLATION_CANCEL_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_POLL_ =
      Raw.function("percale_cancellation_poll",
          FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /**
   * Returns 1 if the token was cancelled; 0 for NULL.
   *
   * @param cancellation in const percale_cancellation*
   * @return int32_t
   */
  public static int percale_cancellation_poll(MemorySegment cancellation) {
    try {
      return (int) PERCALE_CANCELLATION_POLL_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_RETAIN_ =
      Raw.function("percale_cancellation_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code cancellation}. {@code cancellation} may be NULL.
   *
   * @param cancellation in percale_cancellation*
   * @return percale_cancellation*
   */
  public static MemorySegment percale_cancellation_retain(MemorySegment cancellation) {
    try {
      return (MemorySegment) PERCALE_CANCELLATION_RETAIN_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_RELEASE_ =
      Raw.function("percale_cancellation_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases a reference. Calls and trainers that use the token have references of their own.
   * {@code cancellation} may be NULL.
   *
   * @param cancellation in percale_cancellation*
   */
  public static void percale_cancellation_release(MemorySegment cancellation) {
    try {
      PERCALE_CANCELLATION_RELEASE_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
