// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_variables, as the header has them.
 */
public final class RawVariables {
  private RawVariables() {}

  private static final MethodHandle PERCALE_VARIABLES_CREATE_ =
      Raw.function("percale_variables_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

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
  public static MemorySegment percale_variables_create(MemorySegment engine, MemorySegment graph, long seed, MemorySegment out_variables) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_CREATE_.invokeExact(engine, graph, seed, out_variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_RETAIN_ =
      Raw.function("percale_variables_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code variables}. NULL is allowed and returned.
   *
   * @param variables in percale_variables*
   * @return percale_variables*
   */
  public static MemorySegment percale_variables_retain(MemorySegment variables) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_RETAIN_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_RELEASE_ =
      Raw.function("percale_variables_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param variables in percale_variables*
   */
  public static void percale_variables_release(MemorySegment variables) {
    try {
      PERCALE_VARIABLES_RELEASE_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_COUNT_ =
      Raw.getter("percale_variables_count",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the number of variables; 0 for NULL.
   *
   * @param variables in const percale_variables*
   * @return size_t
   */
  public static long percale_variables_count(MemorySegment variables) {
    try {
      return (long) PERCALE_VARIABLES_COUNT_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_GET_NAME_ =
      Raw.getter("percale_variables_get_name",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Returns the name of a variable, in ascending order; NULL past the end. Borrowed.
   *
   * @param variables in const percale_variables*
   * @param index in size_t
   * @return const char*
   */
  public static MemorySegment percale_variables_get_name(MemorySegment variables, long index) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_GET_NAME_.invokeExact(variables, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_VALUE_ =
      Raw.function("percale_variables_value",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives the value in the newest version, as a tensor that never changes.
   *
   * @param variables in const percale_variables*
   * @param name text const char*
   * @param out_tensor out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_variables_value(MemorySegment variables, MemorySegment name, MemorySegment out_tensor) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_VALUE_.invokeExact(variables, name, out_tensor);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_ASSIGN_ =
      Raw.function("percale_variables_assign",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Publishes a new version with this value. INVALID_ARGUMENT: another element type or shape.
   *
   * @param variables in percale_variables*
   * @param name text const char*
   * @param value in const percale_tensor*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_variables_assign(MemorySegment variables, MemorySegment name, MemorySegment value) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_ASSIGN_.invokeExact(variables, name, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_VERSION_ =
      Raw.getter("percale_variables_version",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the number of the newest version, from 1 on.
   *
   * @param variables in const percale_variables*
   * @return int64_t
   */
  public static long percale_variables_version(MemorySegment variables) {
    try {
      return (long) PERCALE_VARIABLES_VERSION_.invokeExact(variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_DIGEST_ =
      Raw.function("percale_variables_digest",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives "sha256:..." over names, element types, shapes and little-endian bytes of all parameters
   * in the order of names, without the slots of optimizers. It is the same in every language.
   *
   * @param variables in const percale_variables*
   * @param out_digest out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_variables_digest(MemorySegment variables, MemorySegment out_digest) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_DIGEST_.invokeExact(variables, out_digest);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_LOAD_ =
      Raw.function("percale_variables_load",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_INT));

  /**
   * Takes values from a safetensors file: each tensor whose name is that of a variable. NOT_FOUND:
   * {@code strict} is not 0 and a variable is missing.
   *
   * @param variables in percale_variables*
   * @param path text const char*
   * @param strict in int32_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_variables_load(MemorySegment variables, MemorySegment path, int strict) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_LOAD_.invokeExact(variables, path, strict);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_LOAD_MAPPED_ =
      Raw.function("percale_variables_load_mapped",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS));

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
  public static MemorySegment percale_variables_load_mapped(MemorySegment variables, MemorySegment path, MemorySegment from, MemorySegment to, long count, int strict, MemorySegment out_loaded) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_LOAD_MAPPED_.invokeExact(variables, path, from, to, count, strict, out_loaded);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_VARIABLES_SAVE_ =
      Raw.function("percale_variables_save",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Writes the newest version as a safetensors file, completely or not at all.
   *
   * @param variables in const percale_variables*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_variables_save(MemorySegment variables, MemorySegment path) {
    try {
      return (MemorySegment) PERCALE_VARIABLES_SAVE_.invokeExact(variables, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
