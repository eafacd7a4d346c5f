// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawLibrary through java.lang.foreign, for Java 22 and newer.
 */
public final class RawLibrary {
  private RawLibrary() {}

  private static final MethodHandle PERCALE_VERSION_ =
      Raw.getter("percale_version", long.class);

  public static long percale_version() {
    try {
      return (long) PERCALE_VERSION_.invokeExact();
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ABI_VERSION_ =
      Raw.getter("percale_abi_version", int.class);

  public static int percale_abi_version() {
    try {
      return (int) PERCALE_ABI_VERSION_.invokeExact();
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_FILE_CHECK_ =
      Raw.function("percale_file_check", long.class, long.class, long.class);

  public static long percale_file_check(long engine, long path) {
    try {
      return (long) PERCALE_FILE_CHECK_.invokeExact(engine, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CODE_NAME_ =
      Raw.getter("percale_code_name", long.class, int.class);

  public static long percale_code_name(int code) {
    try {
      return (long) PERCALE_CODE_NAME_.invokeExact(code);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DTYPE_NAME_ =
      Raw.getter("percale_dtype_name", long.class, int.class);

  public static long percale_dtype_name(int dtype) {
    try {
      return (long) PERCALE_DTYPE_NAME_.invokeExact(dtype);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
