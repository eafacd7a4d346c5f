/**
 * @file percale/engine.h
 * Options and engines.
 */
#ifndef PERCALE_ENGINE_H_
#define PERCALE_ENGINE_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup options Options
 * Named settings with checked names, types and ranges. `percale list engine` prints those of an
 * engine.
 *
 * @code
 * percale_options* options = NULL;
 * status = percale_options_create("engine", &options);
 * if (status == NULL) status = percale_options_set(options, "devices", "cpu:0,cuda:0");
 * if (status == NULL) status = percale_options_set(options, "memory_limit", "2GB");
 * if (status == NULL) status = percale_engine_create(options, &engine);
 * percale_options_release(options);
 * @endcode
 * @{
 */

/** Creates options of a kind: "engine", "session", "trainer" or "export". NOT_FOUND for another
 * `kind`. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_create(const char* kind, percale_options** out_options);

/** Releases the options. NULL is allowed. \since 0.1 */
PERCALE_API void percale_options_release(percale_options* options);

/** Sets an option from its text, which is converted to the type of the option. A size in bytes may
 * have a unit: "2GB" (10^9 bytes each) or "2GiB" (2^30 bytes each). NOT_FOUND: an unknown key; the
 * message names a similar one. OUT_OF_RANGE: the message names the range. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set(percale_options* options, const char* key,
                                                                  const char* value);

/** Sets an option to a whole number. Errors as percale_options_set(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set_int(percale_options* options, const char* key,
                                                                      int64_t value);

/** Sets an option to a number. Errors as percale_options_set(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set_float(percale_options* options, const char* key,
                                                                        double value);

/** Describes all options of all kinds as JSON: [{"kind", "key", "type", "default", "choices",
 * "min", "max", "doc"}]. "type" is int, float, bytes, text, choice or switch. Options of type
 * choice have "choices", such as "a|b|c". Numbers with bounds have "min" and "max". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_describe(percale_text** out_json);

/** @} */

/**
 * @defgroup engine Engine
 * An engine owns devices, threads and memory. Every other object is made with one and keeps it
 * alive. Engines of one process do not share anything.
 *
 * @code
 * percale_text* info = NULL;
 * status = percale_engine_describe(engine, "info", &info);
 * for (size_t i = 0; i < percale_engine_device_count(engine); ++i) {
 *   puts(percale_engine_get_device_name(engine, i));
 * }
 * @endcode
 * @{
 */

/** Creates an engine. `options` of kind "engine", or NULL for the defaults. Plug-ins are searched
 * for now and at no other time. NOT_FOUND, FAILED_PRECONDITION: a device or a plug-in that the
 * options name cannot be used; the message says why. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_create(const percale_options* options,
                                                                    percale_engine** out_engine);

/** Adds a reference and returns `engine`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_engine* percale_engine_retain(percale_engine* engine);

/** Releases a reference. The threads of the engine end with the last one. NULL is allowed.
 * \since 0.1 */
PERCALE_API void percale_engine_release(percale_engine* engine);

/** Returns the number of devices that the engine uses. \since 0.1 */
PERCALE_API size_t percale_engine_device_count(const percale_engine* engine);

/** Returns the name of a device, such as "cpu:0"; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_engine_get_device_name(const percale_engine* engine, size_t index);

/** Describes the engine as JSON. `what` is one of:
 * - "info": versions, instruction set, threads, devices, the reason why a device is absent,
 *   libraries, numerics fingerprint, memory;
 * - "ops": the schemas of all ops;
 * - "asked_ops": the names, without domains, of the ops that graphs, trainers and passes of this
 *   engine have used so far, for the build option "ops";
 * - "layers": the schemas of the layers that percale_builder_layer() and a SPEC take: [{"name",
 *   "doc", "inputs": {"min", "max"}, "attributes": [{"name", "kind", "required", "default", "min",
 *   "max", "doc"}]}], with the kinds of ops;
 * - "passes": the passes over graphs;
 * - "kernels": the kernels, per op and kind of device;
 * - "losses", "metrics", "optimizers", "schedules" of a SPEC and of trainers:
 *   [{"name","doc","keys"}];
 * - "spec": the keys of a SPEC.
 *
 * Keys are [{"name", "type", "required", "default", "choices", "min", "max", "doc", "keys"}].
 * "default" is a value, or a text that describes the default. "keys" describes the keys of an
 * object. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_describe(const percale_engine* engine, const char* what,
                                                                      percale_text** out_json);

/** Type of a function that receives messages of the library. `message` has `size` bytes of UTF-8
 * and ends with the call. An error that a call returns as a status is not logged. Any thread may
 * call the function. Within it a function that returns a status answers FAILED_PRECONDITION. It
 * may cancel, and read statuses and texts; it must not release an object of the library.
 * \since 0.1 */
typedef void (*percale_log_function)(void* user, percale_log_level level, const char* message, size_t size);

/** Sends messages of the level of the option "log" and above to `function`, with `user` as its
 * first argument. Without it they are dropped. `function` may be NULL: that ends it. Set it before
 * other threads use the engine. \since 0.1 */
PERCALE_API void percale_engine_set_log(percale_engine* engine, percale_log_function function, void* user);

/** Type of a function that releases `user`. It is called exactly once, when the function that
 * `user` belongs to will never be called again, within the call of the host that causes this. It
 * may release other objects; a function that returns a status answers FAILED_PRECONDITION within
 * it. \since 0.1 */
typedef void (*percale_destroy)(void* user);

/** As percale_engine_set_log(). `destroy` (may be NULL) is called with `user` when another function
 * replaces this one, or when the engine ends. On failure it is not called, and the earlier
 * function stays. `function` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_set_log_owned(percale_engine* engine,
                                                                           percale_log_function function, void* user,
                                                                           percale_destroy destroy);

/** Gives the bytes that allocations of the engine hold now, and their maximum so far. `out_used`
 * may be NULL, `out_peak` may be NULL. \since 0.1 */
PERCALE_API void percale_engine_memory(const percale_engine* engine, int64_t* out_used, int64_t* out_peak);

/** Gives memory that is kept for later runs back to the system: the memory of finished runs, copies
 * of values on devices that no run uses, and free memory of the C library. Runs that are under way
 * keep what they have; later runs allocate again, and give the same results. Plans and packed
 * weights stay. Returns the bytes that the engine has released, those of devices included; 0 for
 * NULL. Any thread may call it at any time. \since 0.1 */
PERCALE_API int64_t percale_engine_trim(percale_engine* engine);

/** Gives what the engine has counted since it was made, as JSON, for a system that watches the
 * host. Numbers named `_total` only grow. Any thread may call it at any time; runs do not wait for
 * it.
 * - "runs_total": runs of sessions and calls that the host has begun, without those of trainers;
 * - "run_seconds_total": the time within these runs. Of runs shorter than 20 microseconds one
 *   in 64 is measured, and counted 64 times;
 * - "failed_runs_total": {code: number} of these runs that returned an error, such as
 *   "DEADLINE_EXCEEDED"; codes that have not occurred are left out;
 * - "sessions": sessions of the host that exist now;
 * - "plans_compiled_total", "plan_cache_hits_total": of these sessions and their predecessors;
 * - "training_steps_total": completed steps of all trainers;
 * - "memory_bytes", "memory_peak_bytes": as percale_engine_memory();
 * - "memory_limit_bytes": the option "memory_limit"; 0 without a limit;
 * - "threads": threads that a loop uses at most; "host_threads": whether they are the host's;
 * - "devices": [{"name", "kind", "lost"}];
 * - "uptime_seconds": since the engine was made. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_metrics(const percale_engine* engine,
                                                                     percale_text** out_json);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_ENGINE_H_ */
