// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawVariables through java.lang.foreign, for Java 22 and newer.
 */
public final class RawVariables {
  private RawVariables() {}

  private static final MethodHandle PERCALE_VARIABLES_CREATE_ =
      Raw.function("percale_variables_create", long.class, long.class, long.class, long.class, long.class);

  public static long percale_variables_create(long engine, long graph, long seed, long out_variables) {
    try {
      return (long) PERCALE_VARIABLES_CREATE_.invokeExact(engine, graph, seed, out_variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_RETAIN_ =
      Raw.function("percale_variables_retain", long.class, long.class);

  public static long percale_variables_retain(long variables) {
    try {
      return (long) PERCALE_VARIABLES_RETAIN_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_RELEASE_ =
      Raw.function("percale_variables_release", void.class, long.class);

  public static void percale_variables_release(long variables) {
    try {
      PERCALE_VARIABLES_RELEASE_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_COUNT_ =
      Raw.getter("percale_variables_count", long.class, long.class);

  public static long percale_variables_count(long variables) {
    try {
      return (long) PERCALE_VARIABLES_COUNT_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_GET_NAME_ =
      Raw.getter("percale_variables_get_name", long.class, long.class, long.class);

  public static long percale_variables_get_name(long variables, long index) {
    try {
      return (long) PERCALE_VARIABLES_GET_NAME_.invokeExact(variables, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_VALUE_ =
      Raw.function("percale_variables_value", long.class, long.class, long.class, long.class);

  public static long percale_variables_value(long variables, long name, long out_tensor) {
    try {
      return (long) PERCALE_VARIABLES_VALUE_.invokeExact(variables, name, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_ASSIGN_ =
      Raw.function("percale_variables_assign", long.class, long.class, long.class, long.class);

  public static long percale_variables_assign(long variables, long name, long value) {
    try {
      return (long) PERCALE_VARIABLES_ASSIGN_.invokeExact(variables, name, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_VERSION_ =
      Raw.getter("percale_variables_version", long.class, long.class);

  public static long percale_variables_version(long variables) {
    try {
      return (long) PERCALE_VARIABLES_VERSION_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_DIGEST_ =
      Raw.function("percale_variables_digest", long.class, long.class, long.class);

  public static long percale_variables_digest(long variables, long out_digest) {
    try {
      return (long) PERCALE_VARIABLES_DIGEST_.invokeExact(variables, out_digest);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_LOAD_ =
      Raw.function("percale_variables_load", long.class, long.class, long.class, int.class);

  public static long percale_variables_load(long variables, long path, int strict) {
    try {
      return (long) PERCALE_VARIABLES_LOAD_.invokeExact(variables, path, strict);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_LOAD_MEMORY_ =
      Raw.function("percale_variables_load_memory", long.class, long.class, long.class, long.class, long.class, long.class, int.class, long.class);

  public static long percale_variables_load_memory(long variables, long data, long bytes, long deleter, long user, int strict, long out_copied) {
    try {
      return (long) PERCALE_VARIABLES_LOAD_MEMORY_.invokeExact(variables, data, bytes, deleter, user, strict, out_copied);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_LOAD_MAPPED_ =
      Raw.function("percale_variables_load_mapped", long.class, long.class, long.class, long.class, long.class, long.class, int.class, long.class);

  public static long percale_variables_load_mapped(long variables, long path, long from, long to, long count, int strict, long out_loaded) {
    try {
      return (long) PERCALE_VARIABLES_LOAD_MAPPED_.invokeExact(variables, path, from, to, count, strict, out_loaded);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_SAVE_ =
      Raw.function("percale_variables_save", long.class, long.class, long.class);

  public static long percale_variables_save(long variables, long path) {
    try {
      return (long) PERCALE_VARIABLES_SAVE_.invokeExact(variables, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
