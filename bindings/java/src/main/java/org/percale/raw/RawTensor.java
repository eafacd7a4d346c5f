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
   * Creates a tensor in the memory of the engine, 64-byte aligned and filled with zeros. {@code
   * dims}: {@code rank} sizes, each 0 or more; the rank is at most 8. RESOURCE_EXHAUSTED: beyond
   * the memory limit, or out of memory.
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
   * Makes a tensor over memory of the caller, without a copy. {@code data} is row-major and has
   * {@code bytes} bytes, which must suffice for the shape. It must stay valid and unchanged until
   * {@code deleter(user, data)} is called. {@code deleter} (may be NULL) is not called if this
   * function fails. INVALID_ARGUMENT: too few bytes, or memory that is not aligned to an element.
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
   * Gives a DLManagedTensorVersioned* of DLPack over the memory of the tensor, which it keeps
   * alive. The caller must call its deleter.
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
   * Takes over a DLManagedTensorVersioned*. UNIMPLEMENTED: it is not row-major or not in host
   * memory; then the caller keeps it.
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
   * Makes a tensor from {@code size} bytes of another format, which a plug-in imports ("onnx": a
   * TensorProto). UNIMPLEMENTED names the formats that are there.
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
   * Writes a NumPy .npy file, completely or not at all.
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
   * Adds a reference and returns {@code tensor}. NULL is allowed and returned.
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
   * Releases a reference. With the last one, borrowed memory goes to its deleter. NULL is allowed.
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
   * Returns the element type; 0 for NULL.
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
   * Returns the number of dims; 0 for NULL.
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
   * Returns the dims, borrowed. Never NULL, not even for a NULL tensor.
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
   * Returns the size of the elements in bytes; 0 for NULL.
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
   * Returns the number of elements; 0 for NULL.
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
   * Returns the elements, row-major and borrowed. Not NULL, except for a NULL tensor. Only the sole
   * user of a tensor may write to them.
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
