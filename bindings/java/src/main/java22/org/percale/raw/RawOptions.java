// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawOptions through java.lang.foreign, for Java 22 and newer.
 */
public final class RawOptions {
  private RawOptions() {}

  private static final MethodHandle PERCALE_OPTIONS_CREATE_ =
      Raw.function("percale_options_create", long.class, long.class, long.class);

  public static long percale_options_create(long kind, long out_options) {
    try {
      return (long) PERCALE_OPTIONS_CREATE_.invokeExact(kind, out_options);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_RELEASE_ =
      Raw.function("percale_options_release", void.class, long.class);

  public static void percale_options_release(long options) {
    try {
      PERCALE_OPTIONS_RELEASE_.invokeExact(options);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_ =
      Raw.function("percale_options_set", long.class, long.class, long.class, long.class);

  public static long percale_options_set(long options, long key, long value) {
    try {
      return (long) PERCALE_OPTIONS_SET_.invokeExact(options, key, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_INT_ =
      Raw.function("percale_options_set_int", long.class, long.class, long.class, long.class);

  public static long percale_options_set_int(long options, long key, long value) {
    try {
      return (long) PERCALE_OPTIONS_SET_INT_.invokeExact(options, key, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_FLOAT_ =
      Raw.function("percale_options_set_float", long.class, long.class, long.class, double.class);

  public static long percale_options_set_float(long options, long key, double value) {
    try {
      return (long) PERCALE_OPTIONS_SET_FLOAT_.invokeExact(options, key, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_DESCRIBE_ =
      Raw.function("percale_options_describe", long.class, long.class);

  public static long percale_options_describe(long out_json) {
    try {
      return (long) PERCALE_OPTIONS_DESCRIBE_.invokeExact(out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_THREAD_POOL_ =
      Raw.function("percale_options_set_thread_pool", long.class, long.class, long.class, long.class);

  public static long percale_options_set_thread_pool(long options, long pool, long destroy) {
    try {
      return (long) PERCALE_OPTIONS_SET_THREAD_POOL_.invokeExact(options, pool, destroy);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_READER_ =
      Raw.function("percale_options_set_reader", long.class, long.class, long.class, long.class);

  public static long percale_options_set_reader(long options, long reader, long destroy) {
    try {
      return (long) PERCALE_OPTIONS_SET_READER_.invokeExact(options, reader, destroy);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
