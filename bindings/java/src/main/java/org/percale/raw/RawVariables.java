// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_variables, as the header has them.
 */
public final class RawVariables {
  private RawVariables() {}

  static {
    Raw.bind(RawVariables.class);
  }

  /**
   * Creates a table with the initial values of the variables of the graph. It also owns the queues
   * and mutexes of all sessions and trainers that use it. {@code seed} is for initializers, which
   * run on the CPU device of the engine; FAILED_PRECONDITION: there are initializers and no such
   * device.
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param seed in int64_t
   * @param out_variables out percale_variables**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_create(long engine, long graph, long seed, long out_variables);

  /**
   * Adds a reference and returns {@code variables}. NULL is allowed and returned.
   *
   * @param variables in percale_variables*
   * @return percale_variables*
   */
  public static native long percale_variables_retain(long variables);

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param variables in percale_variables*
   */
  public static native void percale_variables_release(long variables);

  /**
   * Returns the number of variables; 0 for NULL.
   *
   * @param variables in const percale_variables*
   * @return size_t
   */
  public static native long percale_variables_count(long variables);

  /**
   * Returns the name of a variable, in ascending order; NULL past the end. Borrowed.
   *
   * @param variables in const percale_variables*
   * @param index in size_t
   * @return const char*
   */
  public static native long percale_variables_get_name(long variables, long index);

  /**
   * Gives the value in the newest version, as a tensor that never changes.
   *
   * @param variables in const percale_variables*
   * @param name text const char*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_value(long variables, long name, long out_tensor);

  /**
   * Publishes a new version with this value. INVALID_ARGUMENT: another element type or shape.
   *
   * @param variables in percale_variables*
   * @param name text const char*
   * @param value in const percale_tensor*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_assign(long variables, long name, long value);

  /**
   * Returns the number of the newest version, from 1 on.
   *
   * @param variables in const percale_variables*
   * @return int64_t
   */
  public static native long percale_variables_version(long variables);

  /**
   * Gives "sha256:..." over names, element types, shapes and little-endian bytes of all parameters
   * in the order of names, without the slots of optimizers. It is the same in every language.
   *
   * @param variables in const percale_variables*
   * @param out_digest out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_digest(long variables, long out_digest);

  /**
   * Takes values from a safetensors file: each tensor whose name is that of a variable. NOT_FOUND:
   * {@code strict} is not 0 and a variable is missing.
   *
   * @param variables in percale_variables*
   * @param path text const char*
   * @param strict in int32_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_load(long variables, long path, int strict);

  /**
   * As percale_variables_load(), from {@code bytes} bytes of a safetensors file in memory of the
   * caller, without a copy of tensors that are 64-byte aligned there. The memory must stay valid
   * and unchanged until {@code deleter(user, data)} is called, which happens when no value lies in
   * it any more, perhaps before this function returns. {@code deleter} (may be NULL) is not called
   * if this function fails. {@code out_copied} (may be NULL) receives the number of bytes that were
   * copied.
   *
   * @param variables in percale_variables*
   * @param data memory void*
   * @param bytes in size_t
   * @param deleter callback percale_deleter
   * @param user user void*
   * @param strict in int32_t
   * @param out_copied out int64_t*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_load_memory(long variables, long data, long bytes, long deleter, long user, int strict, long out_copied);

  /**
   * Takes values of another model. A variable that matches {@code to[i]} takes the tensor whose
   * name matches {@code from[i]}. Each pattern has at most one '*', which stands for the same
   * characters in both ("enc.*", "dec.*"). If {@code from[i]} is "", the variable keeps its value.
   * The first of {@code count} patterns that matches counts; all other variables take the tensor of
   * their own name, if there is one. {@code path} is a safetensors file, a checkpoint step-N, or a
   * folder of them, whose newest is taken. {@code out_loaded} (may be NULL) receives the number of
   * variables that took a value. NOT_FOUND: a tensor that a pattern asks for is missing, or {@code
   * strict} is not 0 and a variable took no value. INVALID_ARGUMENT: another element type or shape.
   *
   * @param variables in percale_variables*
   * @param path text const char*
   * @param from array const char* const*
   * @param to array const char* const*
   * @param count in size_t
   * @param strict in int32_t
   * @param out_loaded out int64_t*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_load_mapped(long variables, long path, long from, long to, long count, int strict, long out_loaded);

  /**
   * Writes the newest version as a safetensors file, completely or not at all.
   *
   * @param variables in const percale_variables*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_variables_save(long variables, long path);
}
