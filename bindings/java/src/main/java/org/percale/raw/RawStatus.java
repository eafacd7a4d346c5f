// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_status, as the header has them.
 */
public final class RawStatus {
  private RawStatus() {}

  private static final MethodHandle PERCALE_STATUS_CODE_ =
      Raw.getter("percale_status_code",
          FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /**
   * The code; PERCALE_OK for NULL.
   *
   * @param status in const percale_status*
   * @return percale_code
   */
  public static int percale_status_code(MemorySegment status) {
    try {
      return (int) PERCALE_STATUS_CODE_.invokeExact(status);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_MESSAGE_ =
      Raw.getter("percale_status_message",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * The message, NUL-ended, borrowed from the status; "" for NULL. {@code out_size} may be NULL.
   *
   * @param status in const percale_status*
   * @param out_size out size_t*
   * @return const char*
   */
  public static MemorySegment percale_status_message(MemorySegment status, MemorySegment out_size) {
    try {
      return (MemorySegment) PERCALE_STATUS_MESSAGE_.invokeExact(status, out_size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_RETAIN_ =
      Raw.function("percale_status_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * One reference more; the error itself, NULL for NULL. Several threads may look at one error.
   *
   * @param status in percale_status*
   * @return percale_status*
   */
  public static MemorySegment percale_status_retain(MemorySegment status) {
    try {
      return (MemorySegment) PERCALE_STATUS_RETAIN_.invokeExact(status);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_RELEASE_ =
      Raw.function("percale_status_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Gives a reference to the error back; NULL does nothing.
   *
   * @param status in percale_status*
   */
  public static void percale_status_release(MemorySegment status) {
    try {
      PERCALE_STATUS_RELEASE_.invokeExact(status);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_LIVE_COUNT_ =
      Raw.getter("percale_status_live_count",
          FunctionDescriptor.of(JAVA_LONG));

  /**
   * Statuses of this process that were handed out and not released, each once for all its references: for leak
   * tests.
   *
   * @return int64_t
   */
  public static long percale_status_live_count() {
    try {
      return (long) PERCALE_STATUS_LIVE_COUNT_.invokeExact();
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
