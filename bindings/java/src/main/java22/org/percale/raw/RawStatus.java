// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawStatus through java.lang.foreign, for Java 22 and newer.
 */
public final class RawStatus {
  private RawStatus() {}

  private static final MethodHandle PERCALE_STATUS_CODE_ =
      Raw.getter("percale_status_code", int.class, long.class);

  public static int percale_status_code(long status) {
    try {
      return (int) PERCALE_STATUS_CODE_.invokeExact(status);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_MESSAGE_ =
      Raw.getter("percale_status_message", long.class, long.class, long.class);

  public static long percale_status_message(long status, long out_size) {
    try {
      return (long) PERCALE_STATUS_MESSAGE_.invokeExact(status, out_size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_CREATE_ =
      Raw.function("percale_status_create", long.class, int.class, long.class, long.class);

  public static long percale_status_create(int code, long message, long size) {
    try {
      return (long) PERCALE_STATUS_CREATE_.invokeExact(code, message, size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_RETAIN_ =
      Raw.function("percale_status_retain", long.class, long.class);

  public static long percale_status_retain(long status) {
    try {
      return (long) PERCALE_STATUS_RETAIN_.invokeExact(status);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_RELEASE_ =
      Raw.function("percale_status_release", void.class, long.class);

  public static void percale_status_release(long status) {
    try {
      PERCALE_STATUS_RELEASE_.invokeExact(status);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_STATUS_LIVE_COUNT_ =
      Raw.getter("percale_status_live_count", long.class);

  public static long percale_status_live_count() {
    try {
      return (long) PERCALE_STATUS_LIVE_COUNT_.invokeExact();
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
