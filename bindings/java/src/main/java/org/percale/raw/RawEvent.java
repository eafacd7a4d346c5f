// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_event, as the header has them.
 */
public final class RawEvent {
  private RawEvent() {}

  private static final MethodHandle PERCALE_EVENT_POLL_ =
      Raw.function("percale_event_poll",
          FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /**
   * Returns 1 if the run is over; 0 for NULL.
   *
   * @param event in const percale_event*
   * @return int32_t
   */
  public static int percale_event_poll(MemorySegment event) {
    try {
      return (int) PERCALE_EVENT_POLL_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_WAIT_ =
      Raw.function("percale_event_wait",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Waits for the run and returns its status. DEADLINE_EXCEEDED: it is not over after {@code
   * timeout_ns} nanoseconds; the run continues. May be called again.
   *
   * @param event in percale_event*
   * @param timeout_ns in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_event_wait(MemorySegment event, long timeout_ns) {
    try {
      return (MemorySegment) PERCALE_EVENT_WAIT_.invokeExact(event, timeout_ns);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_ON_READY_ =
      Raw.function("percale_event_on_ready",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Registers a function to be called when the run is over. There may be several.
   *
   * @param event in percale_event*
   * @param callback callback percale_event_callback
   * @param user user void*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_event_on_ready(MemorySegment event, MemorySegment callback, MemorySegment user) {
    try {
      return (MemorySegment) PERCALE_EVENT_ON_READY_.invokeExact(event, callback, user);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_CANCEL_ =
      Raw.function("percale_event_cancel",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Ends the run with CANCELLED, also before it has started. Does nothing if it is over, and for
   * NULL. Any thread may call it.
   *
   * @param event in percale_event*
   */
  public static void percale_event_cancel(MemorySegment event) {
    try {
      PERCALE_EVENT_CANCEL_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_RESULT_ =
      Raw.function("percale_event_result",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Gives a result of a run that has succeeded, in the order of the fetches. FAILED_PRECONDITION:
   * it is not over. OUT_OF_RANGE past the end.
   *
   * @param event in percale_event*
   * @param index in size_t
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_event_result(MemorySegment event, long index, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_EVENT_RESULT_.invokeExact(event, index, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_VARIABLES_VERSION_ =
      Raw.getter("percale_event_variables_version",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the version of the variables that the run has read. 0 before it is over, if it failed,
   * for a graph without variables, and for NULL. Any thread may call it.
   *
   * @param event in const percale_event*
   * @return int64_t
   */
  public static long percale_event_variables_version(MemorySegment event) {
    try {
      return (long) PERCALE_EVENT_VARIABLES_VERSION_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_RETAIN_ =
      Raw.function("percale_event_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code event}. NULL is allowed and returned.
   *
   * @param event in percale_event*
   * @return percale_event*
   */
  public static MemorySegment percale_event_retain(MemorySegment event) {
    try {
      return (MemorySegment) PERCALE_EVENT_RETAIN_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_RELEASE_ =
      Raw.function("percale_event_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param event in percale_event*
   */
  public static void percale_event_release(MemorySegment event) {
    try {
      PERCALE_EVENT_RELEASE_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
