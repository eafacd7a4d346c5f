// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_tensor, as the header has them.
 */
public final class RawTensor {
  private RawTensor() {}

  private static final MethodHandle PERCALE_TENSOR_CREATE_ =
      Raw.function("percale_tensor_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * A tensor in the engine's memory, 64-byte aligned, filled with zeros.
   *
   * @param engine in percale_engine*
   * @param dtype in percale_dtype
   * @param dims array const int64_t*
   * @param rank in size_t
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_create(MemorySegment engine, int dtype, MemorySegment dims, long rank, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_CREATE_.invokeExact(engine, dtype, dims, rank, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_FROM_MEMORY_ =
      Raw.function("percale_tensor_from_memory",
          FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));

  /**
   * A tensor over the caller's memory, without a copy. {@code bytes} must suffice for the shape; the memory must
   * stay valid and unchanged until {@code deleter} (may be NULL) is called, which it is not when this fails.
   *
   * @param dtype in percale_dtype
   * @param dims array const int64_t*
   * @param rank in size_t
   * @param data memory void*
   * @param bytes in size_t
   * @param deleter callback percale_deleter
   * @param user user void*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_from_memory(int dtype, MemorySegment dims, long rank, MemorySegment data, long bytes, MemorySegment deleter, MemorySegment user, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_FROM_MEMORY_.invokeExact(dtype, dims, rank, data, bytes, deleter, user, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_TO_DLPACK_ =
      Raw.function("percale_tensor_to_dlpack",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * A DLManagedTensorVersioned* of DLPack over the tensor's memory, kept alive by it.
   *
   * @param tensor in percale_tensor*
   * @param out_managed out void**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_to_dlpack(MemorySegment tensor, MemorySegment out_managed) {
    try {
      return (MemorySegment) PERCALE_TENSOR_TO_DLPACK_.invokeExact(tensor, out_managed);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_FROM_DLPACK_ =
      Raw.function("percale_tensor_from_dlpack",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Takes a DLManagedTensorVersioned* over: row-major, in host memory, else UNIMPLEMENTED and the caller keeps it.
   *
   * @param managed memory void*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_from_dlpack(MemorySegment managed, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_FROM_DLPACK_.invokeExact(managed, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_LOAD_ =
      Raw.function("percale_tensor_load",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Reads a NumPy .npy file.
   *
   * @param engine in percale_engine*
   * @param path text const char*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_load(MemorySegment engine, MemorySegment path, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_LOAD_.invokeExact(engine, path, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_IMPORT_ =
      Raw.function("percale_tensor_import",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * A tensor from the bytes of a foreign format ("onnx": a TensorProto) through an importer plug-in.
   *
   * @param engine in percale_engine*
   * @param format text const char*
   * @param bytes memory const void*
   * @param size in size_t
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_import(MemorySegment engine, MemorySegment format, MemorySegment bytes, long size, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_IMPORT_.invokeExact(engine, format, bytes, size, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_SAVE_ =
      Raw.function("percale_tensor_save",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Writes a NumPy .npy file.
   *
   * @param tensor in const percale_tensor*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_tensor_save(MemorySegment tensor, MemorySegment path) {
    try {
      return (MemorySegment) PERCALE_TENSOR_SAVE_.invokeExact(tensor, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_RETAIN_ =
      Raw.function("percale_tensor_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * One reference more; the tensor itself, NULL for NULL.
   *
   * @param tensor in percale_tensor*
   * @return percale_tensor*
   */
  public static MemorySegment percale_tensor_retain(MemorySegment tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_RETAIN_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_RELEASE_ =
      Raw.function("percale_tensor_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Gives a reference to the tensor back; NULL does nothing. Borrowed memory is given to its deleter with the last
   * one.
   *
   * @param tensor in percale_tensor*
   */
  public static void percale_tensor_release(MemorySegment tensor) {
    try {
      PERCALE_TENSOR_RELEASE_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_DTYPE_ =
      Raw.getter("percale_tensor_dtype",
          FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /**
   * The element type; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return percale_dtype
   */
  public static int percale_tensor_dtype(MemorySegment tensor) {
    try {
      return (int) PERCALE_TENSOR_DTYPE_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_RANK_ =
      Raw.getter("percale_tensor_rank",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * The number of dims; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return size_t
   */
  public static long percale_tensor_rank(MemorySegment tensor) {
    try {
      return (long) PERCALE_TENSOR_RANK_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_GET_DIMS_ =
      Raw.getter("percale_tensor_get_dims",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * The dims, borrowed; never NULL, not even for a NULL tensor.
   *
   * @param tensor in const percale_tensor*
   * @return const int64_t*
   */
  public static MemorySegment percale_tensor_get_dims(MemorySegment tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_GET_DIMS_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_BYTES_ =
      Raw.getter("percale_tensor_bytes",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * The size of the memory in bytes; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return size_t
   */
  public static long percale_tensor_bytes(MemorySegment tensor) {
    try {
      return (long) PERCALE_TENSOR_BYTES_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_ELEMENT_COUNT_ =
      Raw.getter("percale_tensor_element_count",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * The number of elements; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return int64_t
   */
  public static long percale_tensor_element_count(MemorySegment tensor) {
    try {
      return (long) PERCALE_TENSOR_ELEMENT_COUNT_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TENSOR_GET_DATA_ =
      Raw.getter("percale_tensor_get_data",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * The memory, row-major, borrowed; not NULL, not even for an empty tensor; NULL for a NULL tensor.
   *
   * @param tensor in const percale_tensor*
   * @return void*
   */
  public static MemorySegment percale_tensor_get_data(MemorySegment tensor) {
    try {
      return (MemorySegment) PERCALE_TENSOR_GET_DATA_.invokeExact(tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
