// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawEvent through java.lang.foreign, for Java 22 and newer.
 */
public final class RawEvent {
  private RawEvent() {}

  private static final MethodHandle PERCALE_EVENT_POLL_ =
      Raw.function("percale_event_poll", int.class, long.class);

  public static int percale_event_poll(long event) {
    try {
      return (int) PERCALE_EVENT_POLL_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_WAIT_ =
      Raw.function("percale_event_wait", long.class, long.class, long.class);

  public static long percale_event_wait(long event, long timeout_ns) {
    try {
      return (long) PERCALE_EVENT_WAIT_.invokeExact(event, timeout_ns);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_ON_READY_ =
      Raw.function("percale_event_on_ready", long.class, long.class, long.class, long.class);

  public static long percale_event_on_ready(long event, long callback, long user) {
    try {
      return (long) PERCALE_EVENT_ON_READY_.invokeExact(event, callback, user);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_CANCEL_ =
      Raw.function("percale_event_cancel", void.class, long.class);

  public static void percale_event_cancel(long event) {
    try {
      PERCALE_EVENT_CANCEL_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_RESULT_ =
      Raw.function("percale_event_result", long.class, long.class, long.class, long.class);

  public static long percale_event_result(long event, long index, long out_tensor) {
    try {
      return (long) PERCALE_EVENT_RESULT_.invokeExact(event, index, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_VARIABLES_VERSION_ =
      Raw.getter("percale_event_variables_version", long.class, long.class);

  public static long percale_event_variables_version(long event) {
    try {
      return (long) PERCALE_EVENT_VARIABLES_VERSION_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_RETAIN_ =
      Raw.function("percale_event_retain", long.class, long.class);

  public static long percale_event_retain(long event) {
    try {
      return (long) PERCALE_EVENT_RETAIN_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_EVENT_RELEASE_ =
      Raw.function("percale_event_release", void.class, long.class);

  public static void percale_event_release(long event) {
    try {
      PERCALE_EVENT_RELEASE_.invokeExact(event);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
