// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawEngine through java.lang.foreign, for Java 22 and newer.
 */
public final class RawEngine {
  private RawEngine() {}

  private static final MethodHandle PERCALE_ENGINE_CREATE_ =
      Raw.function("percale_engine_create", long.class, long.class, long.class);

  public static long percale_engine_create(long options, long out_engine) {
    try {
      return (long) PERCALE_ENGINE_CREATE_.invokeExact(options, out_engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_RETAIN_ =
      Raw.function("percale_engine_retain", long.class, long.class);

  public static long percale_engine_retain(long engine) {
    try {
      return (long) PERCALE_ENGINE_RETAIN_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_RELEASE_ =
      Raw.function("percale_engine_release", void.class, long.class);

  public static void percale_engine_release(long engine) {
    try {
      PERCALE_ENGINE_RELEASE_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_DEVICE_COUNT_ =
      Raw.getter("percale_engine_device_count", long.class, long.class);

  public static long percale_engine_device_count(long engine) {
    try {
      return (long) PERCALE_ENGINE_DEVICE_COUNT_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_GET_DEVICE_NAME_ =
      Raw.getter("percale_engine_get_device_name", long.class, long.class, long.class);

  public static long percale_engine_get_device_name(long engine, long index) {
    try {
      return (long) PERCALE_ENGINE_GET_DEVICE_NAME_.invokeExact(engine, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_DESCRIBE_ =
      Raw.function("percale_engine_describe", long.class, long.class, long.class, long.class);

  public static long percale_engine_describe(long engine, long what, long out_json) {
    try {
      return (long) PERCALE_ENGINE_DESCRIBE_.invokeExact(engine, what, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_SET_LOG_ =
      Raw.function("percale_engine_set_log", void.class, long.class, long.class, long.class);

  public static void percale_engine_set_log(long engine, long function, long user) {
    try {
      PERCALE_ENGINE_SET_LOG_.invokeExact(engine, function, user);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_SET_LOG_OWNED_ =
      Raw.function("percale_engine_set_log_owned", long.class, long.class, long.class, long.class, long.class);

  public static long percale_engine_set_log_owned(long engine, long function, long user, long destroy) {
    try {
      return (long) PERCALE_ENGINE_SET_LOG_OWNED_.invokeExact(engine, function, user, destroy);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_MEMORY_ =
      Raw.function("percale_engine_memory", void.class, long.class, long.class, long.class);

  public static void percale_engine_memory(long engine, long out_used, long out_peak) {
    try {
      PERCALE_ENGINE_MEMORY_.invokeExact(engine, out_used, out_peak);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_TRIM_ =
      Raw.function("percale_engine_trim", long.class, long.class);

  public static long percale_engine_trim(long engine) {
    try {
      return (long) PERCALE_ENGINE_TRIM_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_METRICS_ =
      Raw.function("percale_engine_metrics", long.class, long.class, long.class);

  public static long percale_engine_metrics(long engine, long out_json) {
    try {
      return (long) PERCALE_ENGINE_METRICS_.invokeExact(engine, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
