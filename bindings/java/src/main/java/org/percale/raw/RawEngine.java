// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_engine, as the header has them.
 */
public final class RawEngine {
  private RawEngine() {}

  static {
    Raw.bind(RawEngine.class);
  }

  /**
   * Creates an engine. {@code options} of kind "engine", or NULL for the defaults. Plug-ins are
   * searched for now and at no other time. NOT_FOUND, FAILED_PRECONDITION: a device or a plug-in
   * that the options name cannot be used; the message says why.
   *
   * @param options in const percale_options*
   * @param out_engine out percale_engine**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_engine_create(long options, long out_engine);

  /**
   * Adds a reference and returns {@code engine}. NULL is allowed and returned.
   *
   * @param engine in percale_engine*
   * @return percale_engine*
   */
  public static native long percale_engine_retain(long engine);

  /**
   * Releases a reference. The threads of the engine end with the last one. NULL is allowed.
   *
   * @param engine in percale_engine*
   */
  public static native void percale_engine_release(long engine);

  /**
   * Returns the number of devices that the engine uses.
   *
   * @param engine in const percale_engine*
   * @return size_t
   */
  public static native long percale_engine_device_count(long engine);

  /**
   * Returns the name of a device, such as "cpu:0"; NULL past the end. Borrowed.
   *
   * @param engine in const percale_engine*
   * @param index in size_t
   * @return const char*
   */
  public static native long percale_engine_get_device_name(long engine, long index);

  /**
   * Describes the engine as JSON. {@code what} is one of: - "info": versions, instruction set,
   * threads, devices, the reason why a device is absent, libraries, numerics fingerprint, memory; -
   * "ops": the schemas of all ops; - "asked_ops": the names, without domains, of the ops that
   * graphs, trainers and passes of this engine have used so far, for the build option "ops"; -
   * "layers": the schemas of the layers that percale_builder_layer() and a SPEC take: [{"name",
   * "doc", "inputs": {"min", "max"}, "attributes": [{"name", "kind", "required", "default", "min",
   * "max", "doc"}]}], with the kinds of ops; - "passes": the passes over graphs; - "kernels": the
   * kernels, per op and kind of device; - "losses", "metrics", "optimizers", "schedules" of a SPEC
   * and of trainers: [{"name","doc","keys"}]; - "spec": the keys of a SPEC.
   * <p>Keys are [{"name", "type", "required", "default", "choices", "min", "max", "doc", "keys"}].
   * "default" is a value, or a text that describes the default. "keys" describes the keys of an
   * object.
   *
   * @param engine in const percale_engine*
   * @param what text const char*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_engine_describe(long engine, long what, long out_json);

  /**
   * Sends messages of the level of the option "log" and above to {@code function}, with {@code
   * user} as its first argument. Without it they are dropped. {@code function} may be NULL: that
   * ends it. Set it before other threads use the engine.
   *
   * @param engine in percale_engine*
   * @param function callback percale_log_function
   * @param user user void*
   */
  public static native void percale_engine_set_log(long engine, long function, long user);

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
  public static native long percale_engine_set_log_owned(long engine, long function, long user, long destroy);

  /**
   * Gives the bytes that allocations of the engine hold now, and their maximum so far. {@code
   * out_used} may be NULL, {@code out_peak} may be NULL.
   *
   * @param engine in const percale_engine*
   * @param out_used out int64_t*
   * @param out_peak out int64_t*
   */
  public static native void percale_engine_memory(long engine, long out_used, long out_peak);

  /**
   * Gives memory that is kept for later runs back to the system: the memory of finished runs,
   * copies of values on devices that no run uses, and free memory of the C library. Runs that are
   * under way keep what they have; later runs allocate again, and give the same results. Plans and
   * packed weights stay. Returns the bytes that the engine has released, those of devices included;
   * 0 for NULL. Any thread may call it at any time.
   *
   * @param engine in percale_engine*
   * @return int64_t
   */
  public static native long percale_engine_trim(long engine);

  /**
   * Gives what the engine has counted since it was made, as JSON, for a system that watches the
   * host. Numbers named {@code _total} only grow. Any thread may call it at any time; runs do not
   * wait for it. - "runs_total": runs of sessions and calls that the host has begun, without those
   * of trainers; - "run_seconds_total": the time within these runs. Of runs shorter than 20
   * microseconds one in 64 is measured, and counted 64 times; - "failed_runs_total": {code: number}
   * of these runs that returned an error, such as "DEADLINE_EXCEEDED"; codes that have not occurred
   * are left out; - "sessions": sessions of the host that exist now; - "plans_compiled_total",
   * "plan_cache_hits_total": of these sessions and their predecessors; - "training_steps_total":
   * completed steps of all trainers; - "memory_bytes", "memory_peak_bytes": as
   * percale_engine_memory(); - "memory_limit_bytes": the option "memory_limit"; 0 without a
   * limit; - "threads": threads that a loop uses at most; "host_threads": whether they are the
   * host's; - "devices": [{"name", "kind", "lost"}]; - "uptime_seconds": since the engine was made.
   *
   * @param engine in const percale_engine*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_engine_metrics(long engine, long out_json);
}
