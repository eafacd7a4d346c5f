// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawCancellation through java.lang.foreign, for Java 22 and newer.
 */
public final class RawCancellation {
  private RawCancellation() {}

  private static final MethodHandle PERCALE_CANCELLATION_CREATE_ =
      Raw.function("percale_cancellation_create", long.class, long.class);

  public static long percale_cancellation_create(long out_cancellation) {
    try {
      return (long) PERCALE_CANCELLATION_CREATE_.invokeExact(out_cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_CANCEL_ =
      Raw.function("percale_cancellation_cancel", void.class, long.class);

  public static void percale_cancellation_cancel(long cancellation) {
    try {
      PERCALE_CANCELLATION_CANCEL_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_POLL_ =
      Raw.function("percale_cancellation_poll", int.class, long.class);

  public static int percale_cancellation_poll(long cancellation) {
    try {
      return (int) PERCALE_CANCELLATION_POLL_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_RETAIN_ =
      Raw.function("percale_cancellation_retain", long.class, long.class);

  public static long percale_cancellation_retain(long cancellation) {
    try {
      return (long) PERCALE_CANCELLATION_RETAIN_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CANCELLATION_RELEASE_ =
      Raw.function("percale_cancellation_release", void.class, long.class);

  public static void percale_cancellation_release(long cancellation) {
    try {
      PERCALE_CANCELLATION_RELEASE_.invokeExact(cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
