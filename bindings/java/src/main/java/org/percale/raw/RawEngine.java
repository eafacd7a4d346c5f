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
   * An engine. {@code options} of kind "engine", or NULL for the defaults. Plug-ins are looked for now and at no
   * other time.
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
   * One reference more; the engine itself, NULL for NULL.
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
   * Gives a reference to the engine back; NULL does nothing. Its threads end with the last one.
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
   * The devices that can be used.
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
   * The name of a device, "cpu:0"; NULL when there is none of that index. Borrowed.
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
   * Facts as JSON. {@code what} is one of: - "info": versions, ISA, threads, devices and why an absent one is
   * absent, libraries, fingerprint, memory; - "ops": schemas; - "layers": schemas of the layers that
   * percale_builder_layer() and a SPEC take:
   * [{"name","doc","inputs":{"min","max"},"attributes":[{"name","kind","required","default","min",
   * "max","doc"}]}], with kinds as those of ops; - "passes"; "kernels", per op and kind of device; - "losses",
   * "metrics", "optimizers", "schedules" of a SPEC and of trainers: [{"name","doc","keys"}]; - "spec": the keys of
   * a SPEC.
   * <p>Keys are [{"name","type","required","default","choices","min","max","doc","keys"}]. "default" is a value, or a
   * text that says what happens. "keys" describes the keys of an object.
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
   * Where messages of the level of the option "log" and above go; nowhere without it. {@code function} may be
   * NULL: that ends it. Set it before other threads use the engine.
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
   * As percale_engine_set_log(); {@code destroy} (may be NULL) is called when another function takes the place of
   * this one, or the engine ends. On failure it is not called, and the function from before stays. {@code
   * function} may be NULL.
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
   * Bytes that the engine's allocations hold now, and the most they ever held. {@code out_used} may be NULL,
   * {@code out_peak} may be NULL.
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
