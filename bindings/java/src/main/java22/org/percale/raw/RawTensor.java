// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawTensor through java.lang.foreign, for Java 22 and newer.
 */
public final class RawTensor {
  private RawTensor() {}

  private static final MethodHandle PERCALE_TENSOR_CREATE_ =
      Raw.function("percale_tensor_create", long.class, long.class, int.class, long.class, long.class, long.class);

  public static long percale_tensor_create(long engine, int dtype, long dims, long rank, long out_tensor) {
    try {
      return (long) PERCALE_TENSOR_CREATE_.invokeExact(engine, dtype, dims, rank, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_FROM_MEMORY_ =
      Raw.function("percale_tensor_from_memory", long.class, int.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_tensor_from_memory(int dtype, long dims, long rank, long data, long bytes, long deleter, long user, long out_tensor) {
    try {
      return (long) PERCALE_TENSOR_FROM_MEMORY_.invokeExact(dtype, dims, rank, data, bytes, deleter, user, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_TO_DLPACK_ =
      Raw.function("percale_tensor_to_dlpack", long.class, long.class, long.class);

  public static long percale_tensor_to_dlpack(long tensor, long out_managed) {
    try {
      return (long) PERCALE_TENSOR_TO_DLPACK_.invokeExact(tensor, out_managed);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_FROM_DLPACK_ =
      Raw.function("percale_tensor_from_dlpack", long.class, long.class, long.class);

  public static long percale_tensor_from_dlpack(long managed, long out_tensor) {
    try {
      return (long) PERCALE_TENSOR_FROM_DLPACK_.invokeExact(managed, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_LOAD_ =
      Raw.function("percale_tensor_load", long.class, long.class, long.class, long.class);

  public static long percale_tensor_load(long engine, long path, long out_tensor) {
    try {
      return (long) PERCALE_TENSOR_LOAD_.invokeExact(engine, path, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_IMPORT_ =
      Raw.function("percale_tensor_import", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_tensor_import(long engine, long format, long bytes, long size, long out_tensor) {
    try {
      return (long) PERCALE_TENSOR_IMPORT_.invokeExact(engine, format, bytes, size, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_SAVE_ =
      Raw.function("percale_tensor_save", long.class, long.class, long.class);

  public static long percale_tensor_save(long tensor, long path) {
    try {
      return (long) PERCALE_TENSOR_SAVE_.invokeExact(tensor, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_RETAIN_ =
      Raw.function("percale_tensor_retain", long.class, long.class);

  public static long percale_tensor_retain(long tensor) {
    try {
      return (long) PERCALE_TENSOR_RETAIN_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_RELEASE_ =
      Raw.function("percale_tensor_release", void.class, long.class);

  public static void percale_tensor_release(long tensor) {
    try {
      PERCALE_TENSOR_RELEASE_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_DTYPE_ =
      Raw.getter("percale_tensor_dtype", int.class, long.class);

  public static int percale_tensor_dtype(long tensor) {
    try {
      return (int) PERCALE_TENSOR_DTYPE_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_RANK_ =
      Raw.getter("percale_tensor_rank", long.class, long.class);

  public static long percale_tensor_rank(long tensor) {
    try {
      return (long) PERCALE_TENSOR_RANK_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_GET_DIMS_ =
      Raw.getter("percale_tensor_get_dims", long.class, long.class);

  public static long percale_tensor_get_dims(long tensor) {
    try {
      return (long) PERCALE_TENSOR_GET_DIMS_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_BYTES_ =
      Raw.getter("percale_tensor_bytes", long.class, long.class);

  public static long percale_tensor_bytes(long tensor) {
    try {
      return (long) PERCALE_TENSOR_BYTES_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_ELEMENT_COUNT_ =
      Raw.getter("percale_tensor_element_count", long.class, long.class);

  public static long percale_tensor_element_count(long tensor) {
    try {
      return (long) PERCALE_TENSOR_ELEMENT_COUNT_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_GET_DATA_ =
      Raw.getter("percale_tensor_get_data", long.class, long.class);

  public static long percale_tensor_get_data(long tensor) {
    try {
      return (long) PERCALE_TENSOR_GET_DATA_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
