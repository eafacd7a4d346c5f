// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_engine, as the header has them.
 */
public final class RawEngine {
  private RawEngine() {}

  private static final MethodHandle PERCALE_ENGINE_CREATE_ =
      Raw.function("percale_engine_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Creates an engine. {@code options} of kind "engine", or NULL for the defaults. Plug-ins are
   * searched for now and at no other time. NOT_FOUND, FAILED_PRECONDITION: a device or a plug-in
   * that the options name cannot be used; the message says why.
   *
   * @param options in const percale_options*
   * @param out_engine out percale_engine**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_engine_create(MemorySegment options, MemorySegment out_engine) {
    try {
      return (MemorySegment) PERCALE_ENGINE_CREATE_.invokeExact(options, out_engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_RETAIN_ =
      Raw.function("percale_engine_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code engine}. NULL is allowed and returned.
   *
   * @param engine in percale_engine*
   * @return percale_engine*
   */
  public static MemorySegment percale_engine_retain(MemorySegment engine) {
    try {
      return (MemorySegment) PERCALE_ENGINE_RETAIN_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_RELEASE_ =
      Raw.function("percale_engine_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases a reference. The threads of the engine end with the last one. NULL is allowed.
   *
   * @param engine in percale_engine*
   */
  public static void percale_engine_release(MemorySegment engine) {
    try {
      PERCALE_ENGINE_RELEASE_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_DEVICE_COUNT_ =
      Raw.getter("percale_engine_device_count",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the number of devices that the engine uses.
   *
   * @param engine in const percale_engine*
   * @return size_t
   */
  public static long percale_engine_device_count(MemorySegment engine) {
    try {
      return (long) PERCALE_ENGINE_DEVICE_COUNT_.invokeExact(engine);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_GET_DEVICE_NAME_ =
      Raw.getter("percale_engine_get_device_name",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Returns the name of a device, such as "cpu:0"; NULL past the end. Borrowed.
   *
   * @param engine in const percale_engine*
   * @param index in size_t
   * @return const char*
   */
  public static MemorySegment percale_engine_get_device_name(MemorySegment engine, long index) {
    try {
      return (MemorySegment) PERCALE_ENGINE_GET_DEVICE_NAME_.invokeExact(engine, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_DESCRIBE_ =
      Raw.function("percale_engine_describe",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Describes the engine as JSON. {@code what} is one of: - "info": versions, instruction set,
   * threads, devices, the reason why a device is absent, libraries, numerics fingerprint, memory; -
   * "ops": the schemas of all ops; - "layers": the schemas of the layers that
   * percale_builder_layer() and a SPEC take: [{"name", "doc", "inputs": {"min", "max"},
   * "attributes": [{"name", "kind", "required", "default", "min", "max", "doc"}]}], with the kinds
   * of ops; - "passes": the passes over graphs; - "kernels": the kernels, per op and kind of
   * device; - "losses", "metrics", "optimizers", "schedules" of a SPEC and of trainers:
   * [{"name","doc","keys"}]; - "spec": the keys of a SPEC.
   * <p>Keys are [{"name", "type", "required", "default", "choices", "min", "max", "doc", "keys"}].
   * "default" is a value, or a text that describes the default. "keys" describes the keys of an
   * object.
   *
   * @param engine in const percale_engine*
   * @param what text const char*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_engine_describe(MemorySegment engine, MemorySegment what, MemorySegment out_json) {
    try {
      return (MemorySegment) PERCALE_ENGINE_DESCRIBE_.invokeExact(engine, what, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_SET_LOG_ =
      Raw.function("percale_engine_set_log",
          FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Sends messages of the level of the option "log" and above to {@code function}, with {@code
   * user} as its first argument. Without it they are dropped. {@code function} may be NULL: that
   * ends it. Set it before other threads use the engine.
   *
   * @param engine in percale_engine*
   * @param function callback percale_log_function
   * @param user user void*
   */
  public static void percale_engine_set_log(MemorySegment engine, MemorySegment function, MemorySegment user) {
    try {
      PERCALE_ENGINE_SET_LOG_.invokeExact(engine, function, user);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_SET_LOG_OWNED_ =
      Raw.function("percale_engine_set_log_owned",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * As percale_engine_set_log(). {@code destroy} (may be NULL) is called with {@code user} when
   * another function replaces this one, or when the engine ends. On failure it is not called, and
   * the earlier function stays. {@code function} may be NULL.
   *
   * @param engine in percale_engine*
   * @param function callback percale_log_function
   * @param user user void*
   * @param destroy destroy percale_destroy
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_engine_set_log_owned(MemorySegment engine, MemorySegment function, MemorySegment user, MemorySegment destroy) {
    try {
      return (MemorySegment) PERCALE_ENGINE_SET_LOG_OWNED_.invokeExact(engine, function, user, destroy);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_ENGINE_MEMORY_ =
      Raw.function("percale_engine_memory",
          FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives the bytes that allocations of the engine hold now, and their maximum so far. {@code
   * out_used} may be NULL, {@code out_peak} may be NULL.
   *
   * @param engine in const percale_engine*
   * @param out_used out int64_t*
   * @param out_peak out int64_t*
   */
  public static void percale_engine_memory(MemorySegment engine, MemorySegment out_used, MemorySegment out_peak) {
    try {
      PERCALE_ENGINE_MEMORY_.invokeExact(engine, out_used, out_peak);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
