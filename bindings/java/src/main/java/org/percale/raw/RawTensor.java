// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_tensor, as the header has them.
 */
public final class RawTensor {
  private RawTensor() {}

  static {
    Raw.bind(RawTensor.class);
  }

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
  public static native long percale_tensor_create(long engine, int dtype, long dims, long rank, long out_tensor);

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
  public static native long percale_tensor_from_memory(int dtype, long dims, long rank, long data, long bytes, long deleter, long user, long out_tensor);

  /**
   * Gives a DLManagedTensorVersioned* of DLPack over the memory of the tensor, which it keeps
   * alive. The caller must call its deleter.
   *
   * @param tensor in percale_tensor*
   * @param out_managed out void**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_tensor_to_dlpack(long tensor, long out_managed);

  /**
   * Takes over a DLManagedTensorVersioned*. UNIMPLEMENTED: it is not row-major or not in host
   * memory; then the caller keeps it.
   *
   * @param managed memory void*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_tensor_from_dlpack(long managed, long out_tensor);

  /**
   * Reads a NumPy .npy file.
   *
   * @param engine in percale_engine*
   * @param path text const char*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_tensor_load(long engine, long path, long out_tensor);

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
  public static native long percale_tensor_import(long engine, long format, long bytes, long size, long out_tensor);

  /**
   * Writes a NumPy .npy file, completely or not at all.
   *
   * @param tensor in const percale_tensor*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_tensor_save(long tensor, long path);

  /**
   * Adds a reference and returns {@code tensor}. NULL is allowed and returned.
   *
   * @param tensor in percale_tensor*
   * @return percale_tensor*
   */
  public static native long percale_tensor_retain(long tensor);

  /**
   * Releases a reference. With the last one, borrowed memory goes to its deleter. NULL is allowed.
   *
   * @param tensor in percale_tensor*
   */
  public static native void percale_tensor_release(long tensor);

  /**
   * Returns the element type; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return percale_dtype
   */
  public static native int percale_tensor_dtype(long tensor);

  /**
   * Returns the number of dims; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return size_t
   */
  public static native long percale_tensor_rank(long tensor);

  /**
   * Returns the dims, borrowed. Never NULL, not even for a NULL tensor.
   *
   * @param tensor in const percale_tensor*
   * @return const int64_t*
   */
  public static native long percale_tensor_get_dims(long tensor);

  /**
   * Returns the size of the elements in bytes; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return size_t
   */
  public static native long percale_tensor_bytes(long tensor);

  /**
   * Returns the number of elements; 0 for NULL.
   *
   * @param tensor in const percale_tensor*
   * @return int64_t
   */
  public static native long percale_tensor_element_count(long tensor);

  /**
   * Returns the elements, row-major and borrowed. Not NULL, except for a NULL tensor. Only the sole
   * user of a tensor may write to them.
   *
   * @param tensor in const percale_tensor*
   * @return void*
   */
  public static native long percale_tensor_get_data(long tensor);
}
