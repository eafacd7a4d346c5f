// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_options, as the header has them.
 */
public final class RawOptions {
  private RawOptions() {}

  private static final MethodHandle PERCALE_OPTIONS_CREATE_ =
      Raw.function("percale_options_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Creates options of a kind: "engine", "session", "trainer" or "export". NOT_FOUND for another
   * {@code kind}.
   *
   * @param kind text const char*
   * @param out_options out percale_options**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_options_create(MemorySegment kind, MemorySegment out_options) {
    try {
      return (MemorySegment) PERCALE_OPTIONS_CREATE_.invokeExact(kind, out_options);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_RELEASE_ =
      Raw.function("percale_options_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases the options. NULL is allowed.
   *
   * @param options in percale_options*
   */
  public static void percale_options_release(MemorySegment options) {
    try {
      PERCALE_OPTIONS_RELEASE_.invokeExact(options);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_ =
      Raw.function("percale_options_set",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Sets an option from its text, which is converted to the type of the option. A size in bytes may
   * have a unit: "2GB" (10^9 bytes each) or "2GiB" (2^30 bytes each). NOT_FOUND: an unknown key;
   * the message names a similar one. OUT_OF_RANGE: the message names the range.
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_options_set(MemorySegment options, MemorySegment key, MemorySegment value) {
    try {
      return (MemorySegment) PERCALE_OPTIONS_SET_.invokeExact(options, key, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_INT_ =
      Raw.function("percale_options_set_int",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Sets an option to a whole number. Errors as percale_options_set().
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_options_set_int(MemorySegment options, MemorySegment key, long value) {
    try {
      return (MemorySegment) PERCALE_OPTIONS_SET_INT_.invokeExact(options, key, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_SET_FLOAT_ =
      Raw.function("percale_options_set_float",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_DOUBLE));

  /**
   * Sets an option to a number. Errors as percale_options_set().
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value in double
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_options_set_float(MemorySegment options, MemorySegment key, double value) {
    try {
      return (MemorySegment) PERCALE_OPTIONS_SET_FLOAT_.invokeExact(options, key, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_OPTIONS_DESCRIBE_ =
      Raw.function("percale_options_describe",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Describes all options of all kinds as JSON: [{"kind", "key", "type", "default", "choices",
   * "min", "max", "doc"}]. "type" is int, float, bytes, text, choice or switch. Options of type
   * choice have "choices", such as "a|b|c". Numbers with bounds have "min" and "max".
   *
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_options_describe(MemorySegment out_json) {
    try {
      return (MemorySegment) PERCALE_OPTIONS_DESCRIBE_.invokeExact(out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
