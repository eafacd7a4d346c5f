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
   * Returns the code of a status; PERCALE_OK for NULL.
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
   * Returns the message, NUL-ended and borrowed from the status; "" for NULL. {@code out_size} may
   * be NULL; it receives the number of bytes.
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

  private static final MethodHandle PERCALE_STATUS_CREATE_ =
      Raw.function("percale_status_create",
          FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG));

  /**
   * Creates a status, for a function of the host that returns one to the library. {@code size} may
   * be PERCALE_NUL_ENDED. The message is copied. NULL for PERCALE_OK. Never fails: without memory
   * it returns a status that says so.
   *
   * @param code in percale_code
   * @param message text const char*
   * @param size in size_t
   * @return percale_status*
   */
  public static MemorySegment percale_status_create(int code, MemorySegment message, long size) {
    try {
      return (MemorySegment) PERCALE_STATUS_CREATE_.invokeExact(code, message, size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_RETAIN_ =
      Raw.function("percale_status_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code status}. NULL is allowed and returned.
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
   * Releases a reference. NULL is allowed.
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
   * Returns how many statuses of this process exist now, however many references each one has. For
   * tests that look for leaks.
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
