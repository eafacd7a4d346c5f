/**
 * Percale: trains and serves deep-learning models inside any host process.
 *
 * The application API, C99. Every function is thread-safe unless its type says otherwise.
 */
#ifndef PERCALE_H_
#define PERCALE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PERCALE_API
#else
#define PERCALE_API __attribute__((visibility("default")))
#endif

/* The compiler warns when a status is dropped. */
#if defined(__GNUC__) || defined(__clang__)
#define PERCALE_NODISCARD __attribute__((warn_unused_result))
#else
#define PERCALE_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Code of a status: the canonical codes of gRPC; new ones are only ever added at the end. \since 0.1 */
typedef int32_t percale_code;
enum {
  PERCALE_OK = 0,                  /**< success */
  PERCALE_CANCELLED = 1,           /**< somebody asked for the end */
  PERCALE_UNKNOWN = 2,             /**< none of the others */
  PERCALE_INVALID_ARGUMENT = 3,    /**< wrong, whatever the state is */
  PERCALE_DEADLINE_EXCEEDED = 4,   /**< the time has run out */
  PERCALE_NOT_FOUND = 5,           /**< no file, name or kind like that */
  PERCALE_ALREADY_EXISTS = 6,      /**< the name is taken */
  PERCALE_PERMISSION_DENIED = 7,   /**< the system forbids it */
  PERCALE_RESOURCE_EXHAUSTED = 8,  /**< no memory, or beyond a limit */
  PERCALE_FAILED_PRECONDITION = 9, /**< wrong in this state */
  PERCALE_ABORTED = 10,            /**< ended by a callback or a fault beside it */
  PERCALE_OUT_OF_RANGE = 11,       /**< past the end, or beyond what may be */
  PERCALE_UNIMPLEMENTED = 12,      /**< known, and not there */
  PERCALE_INTERNAL = 13,           /**< a bug of the library */
  PERCALE_UNAVAILABLE = 14,        /**< not now, or not on this machine */
  PERCALE_DATA_LOSS = 15,          /**< bytes are broken or missing */
  PERCALE_UNAUTHENTICATED = 16     /**< a peer that nobody knows */
};

/** Element type; the numbers are ONNX's TensorProto.DataType. \since 0.1 */
typedef int32_t percale_dtype;
enum {
  PERCALE_DTYPE_INVALID = 0,     /**< none */
  PERCALE_DTYPE_F32 = 1,         /**< IEEE single */
  PERCALE_DTYPE_U8 = 2,          /**< 1 byte from 0 on */
  PERCALE_DTYPE_I8 = 3,          /**< 1 byte with a sign */
  PERCALE_DTYPE_U16 = 4,         /**< 2 bytes from 0 on */
  PERCALE_DTYPE_I16 = 5,         /**< 2 bytes with a sign */
  PERCALE_DTYPE_I32 = 6,         /**< 4 bytes with a sign */
  PERCALE_DTYPE_I64 = 7,         /**< 8 bytes with a sign */
  PERCALE_DTYPE_STRING = 8,      /**< text; no tensor has it */
  PERCALE_DTYPE_BOOL = 9,        /**< 1 byte, 0 or 1 */
  PERCALE_DTYPE_F16 = 10,        /**< IEEE half */
  PERCALE_DTYPE_F64 = 11,        /**< IEEE double */
  PERCALE_DTYPE_U32 = 12,        /**< 4 bytes from 0 on */
  PERCALE_DTYPE_U64 = 13,        /**< 8 bytes from 0 on */
  PERCALE_DTYPE_COMPLEX64 = 14,  /**< two f32 */
  PERCALE_DTYPE_COMPLEX128 = 15, /**< two f64 */
  PERCALE_DTYPE_BF16 = 16,       /**< the upper half of f32 */
  PERCALE_DTYPE_F8E4M3FN = 17,   /**< 4 bits of exponent, 3 of mantissa, no infinity */
  PERCALE_DTYPE_F8E4M3FNUZ = 18, /**< the same without minus zero */
  PERCALE_DTYPE_F8E5M2 = 19,     /**< 5 bits of exponent, 2 of mantissa */
  PERCALE_DTYPE_F8E5M2FNUZ = 20, /**< the same without infinity and minus zero */
  PERCALE_DTYPE_U4 = 21,         /**< two in a byte, from 0 on */
  PERCALE_DTYPE_I4 = 22,         /**< two in a byte, with a sign */
  PERCALE_DTYPE_F4E2M1 = 23,     /**< two in a byte: 2 bits of exponent, 1 of mantissa */
  PERCALE_DTYPE_F8E8M0 = 24,     /**< a power of two */
  PERCALE_DTYPE_U2 = 25,         /**< four in a byte, from 0 on */
  PERCALE_DTYPE_I2 = 26          /**< four in a byte, with a sign */
};

/** Level of a message of the log. \since 0.1 */
typedef int32_t percale_log_level;
enum {
  PERCALE_LOG_DEBUG = 0,   /**< for developers of Percale */
  PERCALE_LOG_INFO = 1,    /**< progress and decisions: placement, devices without work, op Print */
  PERCALE_LOG_WARNING = 2, /**< something was lost and the library goes on, such as a device */
  PERCALE_LOG_ERROR = 3    /**< something failed that no call could report */
};

/** Text with its size; owned by the receiver. *thread-safe*. \since 0.1 */
typedef struct percale_text percale_text;
/** *thread-safe*. An error: code and message. NULL is success. \since 0.1 */
typedef struct percale_status percale_status;
/** *thread-compatible*. Named settings for an engine, a session or a trainer. \since 0.1 */
typedef struct percale_options percale_options;
/** *thread-safe*. The root of everything: registries, devices, threads, memory limit. Several may live in one process.
 * \since 0.1 */
typedef struct percale_engine percale_engine;
/** *thread-safe* as a handle; whoever writes to its memory must be its only user at that time. \since 0.1 */
typedef struct percale_tensor percale_tensor;
/** *thread-compatible*. A graph under construction. \since 0.1 */
typedef struct percale_builder percale_builder;
/** *thread-safe*. A finished, immutable graph. \since 0.1 */
typedef struct percale_graph percale_graph;
/** *thread-safe*. The state table: named tensors that sessions and trainers share. \since 0.1 */
typedef struct percale_variables percale_variables;
/** *thread-safe*. Runs a graph: any number of concurrent runs. \since 0.1 */
typedef struct percale_session percale_session;
/** *thread-compatible*. A prepared pair of feeds and fetches: the fast path. Make one per thread. \since 0.1 */
typedef struct percale_call percale_call;
/** *thread-safe*. A wish that what was given it ends: calls, trainers. Once it is cancelled it stays so. \since 0.1 */
typedef struct percale_cancellation percale_cancellation;
/** *thread-safe*. The end of an asynchronous run. \since 0.1 */
typedef struct percale_event percale_event;
/** *thread-compatible*. Examples in batches. \since 0.1 */
typedef struct percale_dataset percale_dataset;
/** *thread-compatible*, percale_trainer_cancel() excepted. Trains the variables of a graph. \since 0.1 */
typedef struct percale_trainer percale_trainer;
/** *thread-safe*. Spans of time, recorded while it is attached. \since 0.1 */
typedef struct percale_trace percale_trace;
/** *thread-compatible*. The description of a cluster: jobs, tasks, addresses, the own role. What plug-ins for remote devices read; no
 * function of this header takes one. \since 0.1 */
typedef struct percale_cluster percale_cluster;

/** A value of a builder: what a node, an input or a constant gives. -1 = none. \since 0.1 */
typedef int32_t percale_value;

/** As a value: none. */
#define PERCALE_NO_VALUE (-1)
/** As a size: the text ends with NUL. */
#define PERCALE_NUL_ENDED ((size_t)-1)
/** As a timeout: none. Any other negative number is a time that is over already. */
#define PERCALE_FOREVER ((int64_t)-1)

/* ---- Conventions ------------------------------------------------------------------------------------------------
 * Ownership: create, load and get-as-new functions give +1, to be given back with percale_X_release() (NULL-safe, any
 * thread). What a percale_X_get_... function hands out is borrowed and dies with its parent.
 * Errors: a function that can fail returns percale_status*, NULL on success; on failure every out is NULL or 0.
 * Text in: UTF-8 pointer and size (PERCALE_NUL_ENDED allowed). Shapes: dims and rank, -1 = unknown.
 * NULL: where a comment says so, and for an array of no entries (dims of rank 0 too). Elsewhere INVALID_ARGUMENT names the
 * argument; a function that returns no status does nothing for a NULL handle and gives 0, NULL or "".
 * Threads: a *thread-safe* object may be used by several threads at once. Of builders, calls, data sets and trainers one thread at a time
 * may be in a call: a second one gets FAILED_PRECONDITION. No thread may use a reference that another one has released or is releasing.
 * `user`: handed to the function beside it as it is, may be NULL.
 * Callbacks: the type of each says which functions may be called within it. Those that return a status and may not be called answer
 * FAILED_PRECONDITION. A call holds its own references to the objects that it works on, so that a callback may release the host's.
 * -------------------------------------------------------------------------------------------------------------- */

/** The version of the library that is loaded, as "major.minor.patch". NUL-ended, static. \since 0.1 */
PERCALE_API const char* percale_version(void);
/** The version of the ABI: major * 1000 + minor. Functions are only ever added within a major. \since 0.1 */
PERCALE_API uint32_t percale_abi_version(void);

/* ---- Status and text ---- */

/** The code; PERCALE_OK for NULL. \since 0.1 */
PERCALE_API percale_code percale_status_code(const percale_status* status);
/** The message, NUL-ended, borrowed from the status; "" for NULL. `out_size` may be NULL. \since 0.1 */
PERCALE_API const char* percale_status_message(const percale_status* status, size_t* out_size);
/** The upper-case name of a code, "INVALID_ARGUMENT". Static. \since 0.1 */
PERCALE_API const char* percale_code_name(percale_code code);
/** The lower-case name of a dtype, "f32"; "invalid" for a number that is none. Static. \since 0.1 */
PERCALE_API const char* percale_dtype_name(percale_dtype dtype);
/** One reference more; the error itself, NULL for NULL. Several threads may look at one error. \since 0.1 */
PERCALE_API percale_status* percale_status_retain(percale_status* status);
/** Gives a reference to the error back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_status_release(percale_status* status);
/** Statuses of this process that were handed out and not released, each once for all its references: for leak tests.
 * \since 0.1 */
PERCALE_API int64_t percale_status_live_count(void);

/** The characters, NUL-ended, borrowed; "" for NULL. `out_size` may be NULL. \since 0.1 */
PERCALE_API const char* percale_text_data(const percale_text* text, size_t* out_size);
/** Gives a reference to the text back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_text_release(percale_text* text);

/* ---- Cancellation ---- */

/** A cancellation, for percale_call_run_until() and percale_trainer_set_cancellation(). Asynchronous runs have
 * percale_event_cancel(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cancellation_create(percale_cancellation** out_cancellation);
/** Ends what runs with it, and whatever begins with it later, with CANCELLED. Any thread; never waits. NULL: nothing.
 * \since 0.1 */
PERCALE_API void percale_cancellation_cancel(percale_cancellation* cancellation);
/** 1 when it was cancelled; 0 for NULL. \since 0.1 */
PERCALE_API int32_t percale_cancellation_poll(const percale_cancellation* cancellation);
/** One more reference. `cancellation` may be NULL. \since 0.1 */
PERCALE_API percale_cancellation* percale_cancellation_retain(percale_cancellation* cancellation);
/** Gives a reference back; what was given it keeps its own. `cancellation` may be NULL. \since 0.1 */
PERCALE_API void percale_cancellation_release(percale_cancellation* cancellation);

/* ---- Options ---- */

/** Options for what `kind` names: "engine", "session", "trainer" or "export"; NOT_FOUND for another. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_create(const char* kind, percale_options** out_options);
/** Gives a reference to the options back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_options_release(percale_options* options);
/** Sets an option from its text, converted to the option's type. A size in bytes may have a unit: "2GB" (10^9 each), "2GiB" (2^30
 * each). NOT_FOUND for an unknown key names a similar one; OUT_OF_RANGE names the range. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set(percale_options* options, const char* key,
                                                                  const char* value);
/** Sets an option to a whole number; errors as percale_options_set(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set_int(percale_options* options, const char* key,
                                                                      int64_t value);
/** Sets an option to a number; errors as percale_options_set(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set_float(percale_options* options, const char* key,
                                                                        double value);
/** All options of all kinds as JSON: [{"kind","key","type","default","choices","min","max","doc"}].
 * "type" is int, float, bytes, text, choice or switch. Options of type choice have "choices", such
 * as "a|b|c". Numbers with bounds have "min" and "max". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_describe(percale_text** out_json);

/* ---- Engine ---- */

/** An engine. `options` of kind "engine", or NULL for the defaults. Plug-ins are looked for now and at no other time.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_create(const percale_options* options,
                                                                    percale_engine** out_engine);
/** One reference more; the engine itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_engine* percale_engine_retain(percale_engine* engine);
/** Gives a reference to the engine back; NULL does nothing. Its threads end with the last one. \since 0.1 */
PERCALE_API void percale_engine_release(percale_engine* engine);
/** The devices that can be used. \since 0.1 */
PERCALE_API size_t percale_engine_device_count(const percale_engine* engine);
/** The name of a device, "cpu:0"; NULL when there is none of that index. Borrowed. \since 0.1 */
PERCALE_API const char* percale_engine_get_device_name(const percale_engine* engine, size_t index);
/** Facts as JSON. `what` is one of:
 * - "info": versions, ISA, threads, devices and why an absent one is absent, libraries, fingerprint,
 *   memory;
 * - "ops": schemas;
 * - "layers": schemas of the layers that percale_builder_layer() and a SPEC take:
 *   [{"name","doc","inputs":{"min","max"},"attributes":[{"name","kind","required","default","min",
 *   "max","doc"}]}], with kinds as those of ops;
 * - "passes"; "kernels", per op and kind of device;
 * - "losses", "metrics", "optimizers", "schedules" of a SPEC and of trainers: [{"name","doc","keys"}];
 * - "spec": the keys of a SPEC.
 *
 * Keys are [{"name","type","required","default","choices","min","max","doc","keys"}]. "default" is a
 * value, or a text that says what happens. "keys" describes the keys of an object. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_describe(const percale_engine* engine, const char* what,
                                                                      percale_text** out_json);
/** Receives a message of the library: `level` 0 debug, 1 info (devices that get no work, devices that come into a training, placement
 * where a session logs it, what an op Print says), 2 warning (devices that are lost, and what they were asked for in vain), 3 error.
 * What a call returns as a status is not logged as well. Any thread. Within it a function that returns a status answers
 * FAILED_PRECONDITION; functions that cancel or read a status or text may be called, those that release an object of the library
 * must not. \since 0.1 */
typedef void (*percale_log_function)(void* user, int32_t level, const char* message, size_t size);
/** Where messages of the level of the option "log" and above go; nowhere without it. `function` may be NULL: that ends it. Set it
 * before other threads use the engine. \since 0.1 */
PERCALE_API void percale_engine_set_log(percale_engine* engine, percale_log_function function, void* user);
/** Ends what `user` stands for: called exactly once, when the function that it was given with will never be called again, within
 * the caller's own call that makes it so. It may release other objects; a function that returns a status answers
 * FAILED_PRECONDITION within it. \since 0.1 */
typedef void (*percale_destroy)(void* user);
/** As percale_engine_set_log(); `destroy` (may be NULL) is called when another function takes the place of this one, or the
 * engine ends. On failure it is not called, and the function from before stays. `function` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_engine_set_log_owned(percale_engine* engine,
                                                                           percale_log_function function, void* user,
                                                                           percale_destroy destroy);
/** Bytes that the engine's allocations hold now, and the most they ever held. `out_used` may be NULL, `out_peak` may be NULL.
 * \since 0.1 */
PERCALE_API void percale_engine_memory(const percale_engine* engine, int64_t* out_used, int64_t* out_peak);

/* ---- Tensors ---- */

/** A tensor in the engine's memory, 64-byte aligned, filled with zeros. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_create(percale_engine* engine, percale_dtype dtype,
                                                                    const int64_t* dims, size_t rank,
                                                                    percale_tensor** out_tensor);
/** Frees memory that a tensor borrowed; called once, within the caller's own release, run or wait. It may release other objects; a
 * function that returns a status answers FAILED_PRECONDITION within it. \since 0.1 */
typedef void (*percale_deleter)(void* user, void* data);
/** A tensor over the caller's memory, without a copy. `bytes` must suffice for the shape; the memory must stay valid and
 * unchanged until `deleter` (may be NULL) is called, which it is not when this fails. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_from_memory(percale_dtype dtype, const int64_t* dims,
                                                                         size_t rank, void* data, size_t bytes,
                                                                         percale_deleter deleter, void* user,
                                                                         percale_tensor** out_tensor);
/** A DLManagedTensorVersioned* of DLPack over the tensor's memory, kept alive by it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_to_dlpack(percale_tensor* tensor, void** out_managed);
/** Takes a DLManagedTensorVersioned* over: row-major, in host memory, else UNIMPLEMENTED and the caller keeps it.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_from_dlpack(void* managed, percale_tensor** out_tensor);
/** Reads a NumPy .npy file. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_load(percale_engine* engine, const char* path,
                                                                  percale_tensor** out_tensor);
/** A tensor from the bytes of a foreign format ("onnx": a TensorProto) through an importer plug-in. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_import(percale_engine* engine, const char* format,
                                                                    const void* bytes, size_t size,
                                                                    percale_tensor** out_tensor);
/** Writes a NumPy .npy file. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_save(const percale_tensor* tensor, const char* path);
/** One reference more; the tensor itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_tensor* percale_tensor_retain(percale_tensor* tensor);
/** Gives a reference to the tensor back; NULL does nothing. Borrowed memory is given to its deleter with the last
 * one. \since 0.1 */
PERCALE_API void percale_tensor_release(percale_tensor* tensor);
/** The element type; 0 for NULL. \since 0.1 */
PERCALE_API percale_dtype percale_tensor_dtype(const percale_tensor* tensor);
/** The number of dims; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_tensor_rank(const percale_tensor* tensor);
/** The dims, borrowed; never NULL, not even for a NULL tensor. \since 0.1 */
PERCALE_API const int64_t* percale_tensor_get_dims(const percale_tensor* tensor);
/** The size of the memory in bytes; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_tensor_bytes(const percale_tensor* tensor);
/** The number of elements; 0 for NULL. \since 0.1 */
PERCALE_API int64_t percale_tensor_element_count(const percale_tensor* tensor);
/** The memory, row-major, borrowed; not NULL, not even for an empty tensor; NULL for a NULL tensor. \since 0.1 */
PERCALE_API void* percale_tensor_get_data(const percale_tensor* tensor);

/* ---- Builder ---- */

/** A builder of an empty graph, whose current function is "main". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_create(percale_engine* engine,
                                                                     percale_builder** out_builder);
/** Goes on from a finished graph. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_from_graph(percale_engine* engine,
                                                                         const percale_graph* graph,
                                                                         percale_builder** out_builder);
/** Gives a reference to the builder back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_builder_release(percale_builder* builder);
/** The value of that name in the current function: how to go on from what a graph has. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_find_value(percale_builder* builder, const char* name,
                                                                         percale_value* out_value);
/** The next input of the current function, a value that runs feed. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_input(percale_builder* builder, const char* name,
                                                                    percale_dtype dtype, const int64_t* dims,
                                                                    size_t rank, percale_value* out_value);
/** A constant; the tensor is shared, not copied. `name` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_constant(percale_builder* builder, const char* name,
                                                                       percale_tensor* tensor,
                                                                       percale_value* out_value);
/** A trainable variable whose first value is the tensor; *out_value reads it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_variable(percale_builder* builder, const char* name,
                                                                       percale_tensor* initial,
                                                                       percale_value* out_value);
/** A trainable variable whose first value an initializer draws ("zeros", "ones", "glorot_uniform", "glorot_normal",
 * "he_uniform", "he_normal", "lecun_normal", "random_uniform", "random_normal", "orthogonal"), from the seed given to
 * percale_variables_create(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_variable_initialized(
    percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims, size_t rank,
    const char* initializer, percale_value* out_value);
/** Begins a node of an op, "Conv" or "percale:ApplyAdam". `name` may be NULL. Inputs and attributes follow, then
 * percale_builder_finish_node(), which looks the op up. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_node(percale_builder* builder, const char* op,
                                                                   const char* name);
/** Begins a layer (a composite such as "Dense" or "Conv2D", with Keras' words as attributes; percale_engine_describe() lists
 * them). `name` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_layer(percale_builder* builder, const char* layer,
                                                                    const char* name);
/** The next input of the node or layer that was begun; PERCALE_NO_VALUE for an absent optional one. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_add_input(percale_builder* builder, percale_value value);
/** An attribute of the node or layer that was begun: a whole number. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_int(percale_builder* builder, const char* attribute,
                                                                      int64_t value);
/** An attribute: a number. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_float(percale_builder* builder, const char* attribute,
                                                                        double value);
/** An attribute: text. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_string(percale_builder* builder,
                                                                         const char* attribute, const char* value);
/** An attribute: a list of whole numbers. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_ints(percale_builder* builder, const char* attribute,
                                                                       const int64_t* values, size_t count);
/** An attribute: a list of numbers. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_floats(percale_builder* builder,
                                                                         const char* attribute, const double* values,
                                                                         size_t count);
/** An attribute: a list of texts. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_strings(percale_builder* builder,
                                                                          const char* attribute,
                                                                          const char* const* values, size_t count);
/** An attribute: a tensor, which is shared, not copied. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_tensor(percale_builder* builder,
                                                                         const char* attribute, percale_tensor* value);
/** An attribute that names a function of the graph: the branches of If, the body of Loop. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_function(percale_builder* builder,
                                                                           const char* attribute, const char* function);
/** Ends the node or layer: checks it, infers shapes, gives its outputs (a layer has one). After an error the node is
 * dropped and the builder is as before percale_builder_node(). `out_values` may be NULL when `output_count` is 0. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_finish_node(percale_builder* builder, size_t output_count,
                                                                          percale_value* out_values);
/** What follows goes into a new function, until percale_builder_end_function(). Functions nest. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_begin_function(percale_builder* builder,
                                                                             const char* name);
/** Ends what percale_builder_begin_function() began. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_end_function(percale_builder* builder);
/** The outputs of the current function. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_outputs(percale_builder* builder,
                                                                          const percale_value* values, size_t count);
/** Another name for a value of the current function: what feeds and fetches call it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_rename(percale_builder* builder, percale_value value,
                                                                     const char* name);
/** dtype, dims and rank of a value; rank SIZE_MAX when not even that is known. `out_dims` has room for 8. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_value_type(const percale_builder* builder,
                                                                         percale_value value, percale_dtype* out_dtype,
                                                                         int64_t* out_dims, size_t* out_rank);
/** Nodes that follow carry this device hint; "" ends it. A device's name ("cuda:0"): they run there, and a session fails that
 * cannot have it so, unless its option soft_placement is on. "colocate:NAME": they run where the node NAME does, or
 * what reads and assigns the variable NAME. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_device(percale_builder* builder, const char* device);
/** The node of `after` runs only when the node of `before` has; an op on a queue ("percale:QueueEnqueue") is ordered by it and runs
 * where it is needed otherwise or is a target. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_control_dependency(percale_builder* builder,
                                                                                 percale_value before,
                                                                                 percale_value after);
/** Gradients of the sum of ys with respect to each of xs, as new nodes. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_gradients(percale_builder* builder,
                                                                        const percale_value* ys, size_t y_count,
                                                                        const percale_value* xs, size_t x_count,
                                                                        percale_value* out_gradients);
/** Adds what one training step does: gradients of the scalar `loss` for every trainable variable that it reads, and an
 * optimizer ({"name":"adam","learning_rate":0.001} or just "adam") that assigns them. Run the graph's target
 * *out_target_name ("train_step") for one step; borrowed from the builder. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_minimize(percale_builder* builder, percale_value loss,
                                                                       const char* optimizer,
                                                                       const char** out_target_name);
/** The finished, validated graph; the builder is left empty. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_finish(percale_builder* builder,
                                                                     percale_graph** out_graph);

/* ---- Graph ---- */

/** A graph from the bytes of a .percale file, which are copied where they must live on. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_load(percale_engine* engine, const void* bytes, size_t size,
                                                                 percale_graph** out_graph);
/** A graph from a .percale file. Its weights are mapped where the engine's option "map_files" is on, as it is by default: the file may
 * then be replaced by renaming another one, or removed, but must not be cut short or written to while the graph lives. That is
 * true of all files that are mapped: weights of safetensors files and files of data sets. A file that was cut short is DATA_LOSS where
 * Percale looks before it reads (batches of data sets, tensors that are loaded); in the middle of a run the system ends the process
 * (SIGBUS). With "map_files" off files are read into the engine's memory, and nothing of this can happen. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_load_file(percale_engine* engine, const char* path,
                                                                      percale_graph** out_graph);
/** Reads a file or folder and returns the error of the first thing that is wrong with it. The name
 * chooses the reader: .npy, .npz, .safetensors, .onnx (needs its plug-in), .json (a SPEC); a folder
 * is a checkpoint or holds checkpoints, whose checksums are compared; any other file is read as
 * .percale. Thread-safe. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_file_check(percale_engine* engine, const char* path);
/** A graph of a foreign format ("onnx") through an importer plug-in; UNIMPLEMENTED names the formats that are there.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_import(percale_engine* engine, const char* format,
                                                                   const char* path, percale_graph** out_graph);
/** The same from bytes. Files that a model of several would name are out of reach. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_import_bytes(percale_engine* engine, const char* format,
                                                                         const void* bytes, size_t size,
                                                                         percale_graph** out_graph);
/** Writes a .percale file, whole or not at all. With `variables` (may be NULL) the file's first values are theirs.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_save_file(const percale_graph* graph,
                                                                      const percale_variables* variables,
                                                                      const char* path);
/** The bytes that percale_graph_save_file() would write. `variables` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_serialize(const percale_graph* graph,
                                                                      const percale_variables* variables,
                                                                      percale_text** out_bytes);
/** Writes a model of a foreign format ("onnx") through an importer plug-in, whole or not at all. It holds what "main" computes:
 * what no output depends on is left out, changes of variables among it. `variables` (may be NULL) gives the values that
 * variables have in it; without them they have the graph's first values. `options` of kind "export" or NULL. UNIMPLEMENTED names
 * all ops that the format does not have, or the formats that are there; FAILED_PRECONDITION for a variable without a value.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_export(percale_engine* engine, const percale_graph* graph,
                                                                   const percale_variables* variables,
                                                                   const char* format, const percale_options* options,
                                                                   const char* path);
/** The bytes that percale_graph_export() would write; RESOURCE_EXHAUSTED where the format needs a second file for as many.
 * `variables` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_export_bytes(percale_engine* engine,
                                                                         const percale_graph* graph,
                                                                         const percale_variables* variables,
                                                                         const char* format, percale_text** out_bytes);
/** One reference more; the graph itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_graph* percale_graph_retain(percale_graph* graph);
/** Gives a reference to the graph back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_graph_release(percale_graph* graph);
/** The names of the inputs of "main", in order; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_graph_get_input_name(const percale_graph* graph, size_t index);
/** The same of the outputs. \since 0.1 */
PERCALE_API const char* percale_graph_get_output_name(const percale_graph* graph, size_t index);
/** dtype, dims (-1 = unknown) and rank of a value of "main": an input, an output, or one within, which can be fed and fetched as
 * well. The rank is SIZE_MAX when not even that is known; `out_dims` has room for 8. NOT_FOUND names a similar value.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_value_type(const percale_graph* graph, const char* name,
                                                                       percale_dtype* out_dtype, int64_t* out_dims,
                                                                       size_t* out_rank);
/** The graph with other dims of its inputs, each "NAME=SIZE", "NAME=?" (any size), or "INPUT:AXIS=SIZE". Models keep the names that
 * their files have for dims; where no dim is called "batch", that is the first dim of the first input, and of all others where it is the same. Types within follow, and constant
 * shapes that hold a dim which becomes free are made to fit. NOT_FOUND names a similar dim; INVALID_ARGUMENT the first node that is
 * made for another dim: such a graph cannot have it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_with_dims(const percale_graph* graph,
                                                                      const char* const* dims, size_t count,
                                                                      percale_graph** out_graph);
/** Facts. `what`: "summary" (JSON: functions, inputs, outputs, variables, op counts, parameters, bytes), "nodes"
 * (JSON). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_describe(const percale_graph* graph, const char* what,
                                                                     percale_text** out_text);

/** Draws the graph. `format`: "svg", a picture of "main" that is at most 4000 px high, because equal
 * blocks are drawn once; or "html", one page with all functions that needs no network, to move, zoom,
 * search and fold. The nodes show the times of `trace`, the JSON of percale_trace_json(); `trace` may
 * be NULL. INVALID_ARGUMENT for another format, and for a `trace` that is none. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_draw(const percale_graph* graph, const char* format,
                                                                 const char* trace, percale_text** out_text);

/* ---- Variables ---- */

/** A table with the first values of the graph's variables, and the owner of the queues and mutexes of all sessions and trainers
 * that are made with it; `seed` feeds the initializers. Initializers run on the
 * engine's CPU device; without one FAILED_PRECONDITION when there are any. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_create(percale_engine* engine,
                                                                       const percale_graph* graph, int64_t seed,
                                                                       percale_variables** out_variables);
/** One reference more; the table itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_variables* percale_variables_retain(percale_variables* variables);
/** Gives a reference to the table back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_variables_release(percale_variables* variables);
/** The number of variables; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_variables_count(const percale_variables* variables);
/** Names in ascending order; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_variables_get_name(const percale_variables* variables, size_t index);
/** The value of the newest version, as a tensor that does not change any more. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_value(const percale_variables* variables,
                                                                      const char* name, percale_tensor** out_tensor);
/** Publishes a new version with this value; dtype and shape must agree. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_assign(percale_variables* variables, const char* name,
                                                                       const percale_tensor* value);
/** The number of the newest version, from 1 on. \since 0.1 */
PERCALE_API int64_t percale_variables_version(const percale_variables* variables);
/** "sha256:..." over names, dtypes, shapes and little-endian bytes of all parameters in name order; the same in every
 * language. Optimizer slots are left out. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_digest(const percale_variables* variables,
                                                                       percale_text** out_digest);
/** Takes values from a safetensors file: each tensor whose name is a variable. NOT_FOUND when `strict` and a variable is
 * missing. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_load(percale_variables* variables, const char* path,
                                                                     int32_t strict);
/** Values of another model: a variable called to[i] takes the tensor called from[i], each with at most one '*', which stands for the
 * same characters in both ("enc.*", "dec.*"); with from[i] "" it keeps its value; the first that fits counts. All others
 * take the tensor of their own name, if there is one. `path`: a safetensors file, a checkpoint step-N, or a folder of them
 * (the newest). `out_loaded` (may be NULL): how many variables took a value. NOT_FOUND for a tensor that a name asks for, and,
 * when `strict`, for a variable without one; INVALID_ARGUMENT for another dtype or shape. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_load_mapped(percale_variables* variables,
                                                                            const char* path, const char* const* from,
                                                                            const char* const* to, size_t count,
                                                                            int32_t strict, int64_t* out_loaded);
/** Writes the newest version as a safetensors file, whole or not at all. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_save(const percale_variables* variables,
                                                                     const char* path);

/* ---- Session ---- */

/** A session over a graph. `variables` may be NULL when the graph has none, else that is INVALID_ARGUMENT; `options` of kind "session" or NULL.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_create(percale_engine* engine, const percale_graph* graph,
                                                                     percale_variables* variables,
                                                                     const percale_options* options,
                                                                     percale_session** out_session);
/** One reference more; the session itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_session* percale_session_retain(percale_session* session);
/** Gives a reference to the session back; NULL does nothing. The last one ends asynchronous runs and waits for them.
 * \since 0.1 */
PERCALE_API void percale_session_release(percale_session* session);
/** Runs what the fetches and targets need. Any value may be fed or fetched, by name; targets are node names. On success
 * out_fetches[i] is a new tensor. One element under any shape may be fed for a scalar.
 * `timeout_ns`: PERCALE_FOREVER, or DEADLINE_EXCEEDED after that time, at once for 0. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_run(percale_session* session,
                                                                  const char* const* feed_names,
                                                                  percale_tensor* const* feeds, size_t feed_count,
                                                                  const char* const* fetch_names, size_t fetch_count,
                                                                  const char* const* target_names, size_t target_count,
                                                                  int64_t timeout_ns, percale_tensor** out_fetches);
/** The same on a thread of the engine; the event gives the results. The feeds are kept until it is done. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_run_async(
    percale_session* session, const char* const* feed_names, percale_tensor* const* feeds, size_t feed_count,
    const char* const* fetch_names, size_t fetch_count, const char* const* target_names, size_t target_count,
    int64_t timeout_ns, percale_event** out_event);
/** Ends every run of the session that is under way with CANCELLED, those of its calls too; later runs are not affected. Any thread.
 * NULL: nothing. \since 0.1 */
PERCALE_API void percale_session_cancel(percale_session* session);
/** Why the plan is what it is, for feeds of the given types. `what`: "plan" (JSON: per node device, kernel, reason, shapes;
 * the cut, bytes moved, predicted peak), "kernels" (JSON: who runs each node, and why every better entry refused), "passes"
 * (JSON: node counts after each pass). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_explain(
    percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes,
    const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
    size_t fetch_count, const char* what, percale_text** out_text);
/** As percale_graph_draw(), for the plan of feeds of the given types: the nodes that run, each with
 * its device and kernel, and the values that pass between devices. `trace` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_draw(
    percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes,
    const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
    size_t fetch_count, const char* format, const char* trace, percale_text** out_text);
/** JSON: plans made, cache hits, runs, the peak of memory as planned for one run at a time, and as measured: the most that the
 * session's runs and plans ever held. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_session_stats(const percale_session* session,
                                                                    percale_text** out_json);

/** Prepares runs with feeds of these dtypes and shapes. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_create(
    percale_session* session, const char* const* feed_names, const percale_dtype* feed_dtypes,
    const int64_t* const* feed_dims, const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
    size_t fetch_count, percale_call** out_call);
/** Runs with the feeds in the order of creation; the results are written into `outputs`, tensors of the fetches' dtypes and
 * shapes. Allocates nothing once warm. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_run(percale_call* call, percale_tensor* const* inputs,
                                                               percale_tensor* const* outputs);
/** As percale_call_run(), but DEADLINE_EXCEEDED after `timeout_ns` (or PERCALE_FOREVER), and CANCELLED when `cancellation` is (may
 * be NULL), even before the run begins. What `outputs` then hold is not defined; the call stays usable. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_run_until(percale_call* call, percale_tensor* const* inputs,
                                                                     percale_tensor* const* outputs, int64_t timeout_ns,
                                                                     percale_cancellation* cancellation);
/** From now on the feed at `feed` of a run is what the fetch at `fetch` of the run before has given, as a model's state is: a cache of keys
 * and values, or what a recurrent layer remembers. It stays on the device that computes, where that has memory of its own and can
 * keep all of them. inputs[feed] begins anew in the first run, and whenever it is given; NULL goes on. Several such feeds are given or left out
 * together. outputs[fetch] may be NULL: then nothing of it comes to the host. A run that fails changes nothing of what is handed on.
 * OUT_OF_RANGE; INVALID_ARGUMENT for one that is handed on already; FAILED_PRECONDITION where dtypes or shapes differ, and, from a run, where
 * there was none before. Not during a run. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_carry(percale_call* call, size_t fetch, size_t feed);
/** dtype and shape of a fetch; `out_dims` has room for 8. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_call_output_type(const percale_call* call, size_t index,
                                                                       percale_dtype* out_dtype, int64_t* out_dims,
                                                                       size_t* out_rank);
/** The number of the variables' version that the last successful run has read, as percale_variables_version() counts; 0 before the
 * first one, for a graph without variables, and for NULL. Not during a run. \since 0.1 */
PERCALE_API int64_t percale_call_variables_version(const percale_call* call);
/** Gives a reference to the call back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_call_release(percale_call* call);

/** 1 when the run is over; 0 for NULL. \since 0.1 */
PERCALE_API int32_t percale_event_poll(const percale_event* event);
/** Waits; the run's own status, or DEADLINE_EXCEEDED when it is not over after `timeout_ns`. May be called again.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_event_wait(percale_event* event, int64_t timeout_ns);
/** Called exactly once when the run is over, also when the event was released before: on the thread that ends it, or at once on
 * the caller's when it is over already. It must not block: percale_session_run(), percale_call_run(), percale_call_run_until(),
 * percale_event_wait() for a run that is not over, and calls of a trainer answer FAILED_PRECONDITION within it. It may take results,
 * begin asynchronous runs, cancel, and release all but the last reference to the engine. \since 0.1 */
typedef void (*percale_event_callback)(void* user);
/** Has `callback` called when the run is over. There may be several. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_event_on_ready(percale_event* event,
                                                                     percale_event_callback callback, void* user);
/** Ends the run with CANCELLED, also before it has begun; nothing when it is over, or for NULL. Any thread. \since 0.1 */
PERCALE_API void percale_event_cancel(percale_event* event);
/** A result of a run that has succeeded. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_event_result(percale_event* event, size_t index,
                                                                   percale_tensor** out_tensor);
/** The number of the variables' version that the run has read; 0 before it is over, where it failed, for a graph without variables,
 * and for NULL. Any thread. \since 0.1 */
PERCALE_API int64_t percale_event_variables_version(const percale_event* event);
/** One reference more; the event itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_event* percale_event_retain(percale_event* event);
/** Gives a reference to the event back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_event_release(percale_event* event);

/* ---- Data sets ---- */

/** Rows of tensors that stand in memory: all have the same first dim. Names become feed names. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_from_tensors(percale_engine* engine,
                                                                           const char* const* names,
                                                                           percale_tensor* const* tensors, size_t count,
                                                                           percale_dataset** out_dataset);
/** Rows of files: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv (plain or gz); "file#name" says which tensor, or which
 * columns of a CSV file, separated by commas. Paths are taken as they are: only those of a SPEC are looked up in PERCALE_DATA and in
 * the cache. Rows of files of one name follow each other. What can be mapped is (see
 * percale_graph_load_file() about files that are cut short), and CSV is read as it is wanted: files may be larger than memory. u8 images become f32, multiplied by `scale` (0: kept as they are). `csv`: JSON with
 * the rules for CSV files (SPEC.md, "CSV files"), or NULL. What their columns hold is learnt from the whole file;
 * percale_dataset_csv_rules() gives it for the next data set. INVALID_ARGUMENT names file, line and column of a field that does not
 * fit. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_from_files(percale_engine* engine,
                                                                         const char* const* names,
                                                                         const char* const* paths, size_t count,
                                                                         double scale, const char* csv,
                                                                         percale_dataset** out_dataset);
/** The rules by which the data set reads its CSV files, as JSON: columns, types, categories, what stands for missing values. With
 * them percale_dataset_from_files() reads other files alike: validation data, rows to predict. A trainer writes those of its training
 * data into its model, under the key "percale.csv" of the metadata that percale_graph_describe() gives. An empty text where the data
 * set was not made of CSV files. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_csv_rules(const percale_dataset* dataset,
                                                                        percale_text** out_text);
/** Rows of one i64 each: start, start + step, ... before `stop`. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_range(percale_engine* engine, const char* name,
                                                                    int64_t start, int64_t stop, int64_t step,
                                                                    percale_dataset** out_dataset);
/** Writes row `row` of a data set: the elements of column i into the memory at columns[i], which holds zeros. The same row for the
 * same number, whenever it is asked for: that is what lets a training go on exactly. Called on the thread of whoever wants the
 * batch. Anything but 0 ends that call with ABORTED. Within it
 * percale_dataset_configure() and percale_dataset_next() of the set that is asked, and calls, saves and publishing of a trainer that
 * asks, answer FAILED_PRECONDITION; all other functions may be called. \since 0.1 */
typedef int32_t (*percale_row_callback)(void* user, int64_t row, void* const* columns);
/** Rows that a function makes. Per column its name, dtype, and the dims of one row. `user` must stay good until the data set, and
 * all that were made of it, are released. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_generator(
    percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims,
    const size_t* ranks, size_t count, int64_t rows, percale_row_callback callback, void* user,
    percale_dataset** out_dataset);
/** As percale_dataset_generator(); `destroy` (may be NULL) is called when the data set, and all that were made of it, are gone. On
 * failure it is not called. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_generator_owned(
    percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims,
    const size_t* ranks, size_t count, int64_t rows, percale_row_callback callback, void* user, percale_destroy destroy,
    percale_dataset** out_dataset);
/** The columns of several data sets side by side: all have the same number of rows, no two columns one name. What is made of data
 * sets keeps them, and does not see how they are configured. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_zip(percale_dataset* const* datasets, size_t count,
                                                                  percale_dataset** out_dataset);
/** The rows of several data sets with the same columns, one set after the other. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_concatenate(percale_dataset* const* datasets,
                                                                          size_t count, percale_dataset** out_dataset);
/** The rows of a data set `times` over. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_repeat(percale_dataset* dataset, int64_t times,
                                                                     percale_dataset** out_dataset);
/** Rows that went through a graph without variables: its inputs are columns by name, its outputs [?, ...] are the new columns, under
 * their names: percale_dataset_rename() gives a column its old one back. An input that is an output too goes through as it is. It runs
 * on the rows of a batch together, on the engine's threads. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_map(percale_dataset* dataset, const percale_graph* graph,
                                                                  percale_dataset** out_dataset);
/** The same rows with other names of their columns, one for each, in order; no two alike. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_rename(percale_dataset* dataset, const char* const* names,
                                                                     size_t count, percale_dataset** out_dataset);
/** Sets how rows come: batch size, shuffling (a seed, or -1 for the order of the file), whether a short last batch is dropped.
 * Without it: batches of 32 rows in the order of the file, the short last one too. A SPEC's "batch_size" is for its own data.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_configure(percale_dataset* dataset, int64_t batch_size,
                                                                        int64_t shuffle_seed, int32_t drop_remainder);
/** The parts of a data set for `replicas` replicas, 1 to 65536: out_datasets[r] gives of each batch of B rows the rows floor(r * B /
 * replicas) to floor((r + 1) * B / replicas) as a batch of its own, so that all parts together give each row of an epoch once,
 * batch by batch; of a short batch some may be empty. Batches are those of `dataset` as it is configured now. Each part is a handle of
 * its own (+1 each), for a thread of its own, and has the next batches made ahead where the engine has threads for it. A part cannot
 * be configured, distributed again, or made into other data sets: FAILED_PRECONDITION. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_distribute(percale_dataset* dataset, size_t replicas,
                                                                         percale_dataset** out_datasets);
/** Rows of the data set; of a replica's part those that an epoch's batches give it. 0 for NULL. \since 0.1 */
PERCALE_API int64_t percale_dataset_rows(const percale_dataset* dataset);
/** Columns, which are as many as percale_dataset_next() gives tensors; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_dataset_column_count(const percale_dataset* dataset);
/** The name of a column, in the order of percale_dataset_next(); NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_dataset_get_column_name(const percale_dataset* dataset, size_t index);
/** dtype of a column's batches, and dims and rank of one row of it: a batch has the number of its rows before them. `out_dims` has
 * room for 8. OUT_OF_RANGE past the end. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_column_type(const percale_dataset* dataset, size_t index,
                                                                          percale_dtype* out_dtype, int64_t* out_dims,
                                                                          size_t* out_rank);
/** The next batch, one new tensor per name; OUT_OF_RANGE at the end of the epoch, after which the next epoch begins.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_next(percale_dataset* dataset,
                                                                   percale_tensor** out_tensors);
/** One reference more; the data set itself, NULL for NULL. \since 0.1 */
PERCALE_API percale_dataset* percale_dataset_retain(percale_dataset* dataset);
/** Gives a reference to the data set back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_dataset_release(percale_dataset* dataset);

/* ---- Trainer ---- */

/** Trains `graph`, whose main function has the inputs of the data set and an output that is the scalar loss. `options` of kind
 * "trainer" or NULL (loss, metrics, optimizer, schedule, shards, clip_norm, accumulation, ema, groups, freeze, early_stopping, ...;
 * see percale_options_describe()). `variables` may be NULL: a new table, drawn by the option "seed". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_create(percale_engine* engine, const percale_graph* graph,
                                                                     percale_variables* variables,
                                                                     const percale_options* options,
                                                                     percale_trainer** out_trainer);
/** A trainer from a SPEC (JSON text): model, loss, metrics, optimizer, data. Relative paths are looked up in `data_folder`, the
 * environment's PERCALE_DATA, the cache, and `spec_folder`; `data_folder` may be NULL, `spec_folder` may be NULL. `options` of kind
 * "trainer", or NULL, override the SPEC, but for those that stand for a key of it (percale_options_describe() says "Not for a SPEC").
 * SPEC.md, which is installed with the library's documentation, has all keys. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_from_spec(percale_engine* engine, const char* spec,
                                                                        size_t spec_size, const char* spec_folder,
                                                                        const char* data_folder,
                                                                        const percale_options* options,
                                                                        percale_trainer** out_trainer);
/** Adds a reference and returns `trainer`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_trainer* percale_trainer_retain(percale_trainer* trainer);
/** Gives a reference to the trainer back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_trainer_release(percale_trainer* trainer);
/** One step on one global batch; `out_loss` (may be NULL) is the batch's mean loss before the update. With the option
 * "accumulation" as many calls make a step, the last of them updates; until then fit and save answer FAILED_PRECONDITION.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_step(percale_trainer* trainer, const char* const* names,
                                                                   percale_tensor* const* batch, size_t count,
                                                                   double* out_loss);
/** The same; it also gives values that the batch's forward pass computed, in its form for training and before the update, one new
 * tensor per name in `fetches`: outputs of percale_trainer_model(), and other values of the graph that the loss needs, by name. Rows
 * are those of the batch, in its order. NOT_FOUND for a value that a step does not compute. INVALID_ARGUMENT, and no step, for one
 * that has no row for each row of the batch, unless the batch is one shard. FAILED_PRECONDITION in the mode "backup:N", which leaves
 * shards out. With parameters that lie on devices alone, they are the host's from then on, which a warning says.
 *
 *     percale_tensor* scores;
 *     const char* const fetches[] = {"scores"};
 *     status = percale_trainer_step_fetch(trainer, names, batch, 2, fetches, 1, &scores, &loss);
 *
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_step_fetch(
    percale_trainer* trainer, const char* const* names, percale_tensor* const* batch, size_t count,
    const char* const* fetches, size_t fetch_count, percale_tensor** out_tensors, double* out_loss);
/** What a callback of percale_trainer_fit() is told after each step. Grows at the end: read no further than struct_size.
 * \since 0.1 */
typedef struct percale_progress {
  uint32_t struct_size;                         /**< in bytes, as the library knows it */
  int64_t epoch, epochs;                        /**< from 1 */
  int64_t step, steps;                          /**< over the whole run, from 1; steps = 0 when not known */
  int64_t step_in_epoch, steps_in_epoch;        /**< from 1 */
  double loss, learning_rate;                   /**< of this step */
  double rows_per_second, seconds, eta_seconds; /**< speed, since the start, until the end */
  int32_t epoch_ended;                          /**< 1: the metrics below are there */
  size_t metric_count;                          /**< of names and of values */
  const char* const* metric_names;              /**< borrowed for the call */
  const double* metric_values;                  /**< means over the epoch; borrowed for the call */
  double epoch_loss;                            /**< mean over the epoch's rows so far, each before its update */
} percale_progress;
/** Returns 0 to go on, anything else to stop after this step; in the modes async and bounded:k steps that devices have completed
 * meanwhile stay. Within it the trainer may be saved, published, described, cancelled, retained and released, its learning rate set,
 * and its history, model and variables taken. Its step, fit, evaluate, restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do
 * percale_dataset_configure() and percale_dataset_next() of the data that it trains on and validates with; percale_trainer_set_trace() and
 * percale_trainer_set_cancellation() do nothing. Functions of other objects may be called. \since 0.1 */
typedef int32_t (*percale_progress_callback)(void* user, const percale_progress* progress);
/** Trains over the data set for as many epochs as are left until `epochs` (0: as the SPEC, or the option "epochs", says): those of
 * earlier calls count, so that a second call with the same number does nothing, and goes on where the first one was ended. The data set has a column for each input by
 * name, of its dtype; where the input is I64, as class numbers and the ids of an Embedding are, narrower integers and whole floats are
 * good too. Rows have the shape of the input's, but for dims of 1; flat rows take the input's shape, and a flat input theirs. Rows of
 * [28, 28, 3] are an error where the input wants [3, 28, 28]. A schedule without a length of its own runs over the epochs that this
 * call was told. `dataset` may be NULL for a trainer from a SPEC with data. `callback` may be NULL. Neither it nor `user` is used after the return. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_fit(percale_trainer* trainer, percale_dataset* dataset,
                                                                  int64_t epochs, percale_progress_callback callback,
                                                                  void* user);
/** Data that is evaluated after each epoch of percale_trainer_fit(): "val_loss" and "val_" metrics join the history, and may be
 * monitored; epochs without such data have NaN there. Not during a call. `dataset` may be NULL: none. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_set_validation(percale_trainer* trainer,
                                                                             percale_dataset* dataset);
/** Loss and metrics over a data set as JSON: {"loss":0.03,"accuracy":0.99}. `dataset` may be NULL: the SPEC's
 * test data, else its validation data. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_evaluate(percale_trainer* trainer,
                                                                       percale_dataset* dataset,
                                                                       percale_text** out_json);
/** Makes what was trained so far the next version of the table, in one piece: runs of sessions on the same variables that begin
 * later see it, those under way keep the version that they began with, and nobody waits. The option "publish" says when a trainer
 * does so by itself. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_publish(percale_trainer* trainer);
/** The optimizer's learning rate from the next step on, which the schedule begins with: a factor of it, or a fall from it, counts from
 * this rate. Checkpoints hold it. Between two steps, or within the progress callback. INVALID_ARGUMENT unless `rate` is a finite
 * number from 0 on; FAILED_PRECONDITION with the schedule one_cycle, which says the rate itself, and during a step.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_set_learning_rate(percale_trainer* trainer, double rate);
/** Ends the call under way (step, fit, evaluate) with CANCELLED; the state is that of the last completed step. Later calls are not
 * affected. Any thread. NULL: nothing. \since 0.1 */
PERCALE_API void percale_trainer_cancel(percale_trainer* trainer);
/** From now on step, fit and evaluate end with CANCELLED when `cancellation` is, within a step, between two, or before they begin;
 * the state is that of the last completed step. It takes the place of the one before; `cancellation` may be NULL: none.
 * During a call it does nothing. \since 0.1 */
PERCALE_API void percale_trainer_set_cancellation(percale_trainer* trainer, percale_cancellation* cancellation);
/** Writes a checkpoint `folder`/step-N, whole or not at all. It replaces one of the same step, and is the newest of the folder from
 * then on. With the options "keep_last" and "keep_best" older checkpoints of this run are removed, never those of another run.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_save(percale_trainer* trainer, const char* folder);
/** Takes up a checkpoint: `path` is one, `folder`/step-N, or a folder, whose newest whole one is taken. The same bits follow as without
 * the interruption. NOT_FOUND without the folder or a checkpoint in it. DATA_LOSS when the one that was named, or every one, is damaged;
 * newer ones that are damaged are logged as a warning and listed by percale_trainer_describe(): {"run_id", "restored_from",
 * "skipped_checkpoints"}. FAILED_PRECONDITION names the first difference when the checkpoint is of another job: model,
 * initializers, loss, optimizer, schedule, shape and batches of the data, seed, shards, accumulation, frozen variables, or the
 * numerics fingerprint (the option "any_fingerprint" takes up that of another). Epochs, devices, threads, paths and logging may
 * change, and between epochs metrics; with other epochs a schedule without a length of its own gives other rates. Data that the trainer
 * does not know yet is compared by the next percale_trainer_fit(). \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_restore(percale_trainer* trainer, const char* path);
/** Makes `folder` where it is missing and locks it for the run of this trainer, until the trainer is gone, locks another folder, or the
 * process ends. A run begins with a new trainer and goes on in one that restores its checkpoint, so restore first. UNAVAILABLE names the
 * process that has locked the folder. ALREADY_EXISTS when it holds checkpoints of another run; with `overwrite` not 0 those are
 * removed, and nothing else. The lock is advisory: percale_trainer_save() does not ask for it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_lock_folder(percale_trainer* trainer, const char* folder,
                                                                          int32_t overwrite);
/** The graph for inference (inputs to predictions) with a new reference. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_model(percale_trainer* trainer,
                                                                    percale_graph** out_graph);
/** The table that is trained, with a new reference. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_variables(percale_trainer* trainer,
                                                                        percale_variables** out_variables);
/** Steps that were completed. \since 0.1 */
PERCALE_API int64_t percale_trainer_steps(const percale_trainer* trainer);
/** The history: "csv", "svg" (a plot of the loss), or "events": the bytes of a file events.out.tfevents.* for TensorBoard, which
 * later begin with those that were given earlier. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_history(const percale_trainer* trainer,
                                                                      const char* format, percale_text** out_text);
/** Facts as JSON: parameters, shards, devices, batch size, optimizer, data. "epoch" is that of the next step, from 1: after all of 8
 * epochs it is 9. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_describe(const percale_trainer* trainer,
                                                                       percale_text** out_json);

/* ---- Trace ---- */

/** An empty trace. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trace_create(percale_engine* engine, percale_trace** out_trace);
/** Records what the session does from now on. `trace` may be NULL: that ends it. \since 0.1 */
PERCALE_API void percale_session_set_trace(percale_session* session, percale_trace* trace);
/** Records what the trainer does from now on. `trace` may be NULL: that ends it. During a call it does nothing. \since 0.1 */
PERCALE_API void percale_trainer_set_trace(percale_trainer* trainer, percale_trace* trace);
/** The spans in the JSON form that Chrome and Perfetto open. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trace_json(const percale_trace* trace, percale_text** out_json);
/** Gives a reference to the trace back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_trace_release(percale_trace* trace);

/* ---- Cluster ---- */

/** A cluster without tasks. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_create(percale_cluster** out_cluster);
/** From the JSON of TF_CONFIG. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_from_json(const char* json, size_t size,
                                                                        percale_cluster** out_cluster);
/** From the process's environment: TF_CONFIG, SLURM_*, RANK and WORLD_SIZE, OMPI_*. NOT_FOUND without any. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_from_environment(percale_cluster** out_cluster);
/** A task of a job, from 0 on, and its address, "host:port". ALREADY_EXISTS for one that is there. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_add_task(percale_cluster* cluster, const char* job,
                                                                       int64_t task, const char* address);
/** Which task this process is, added or not. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_cluster_set_role(percale_cluster* cluster, const char* job,
                                                                       int64_t task);
/** The number of jobs; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_cluster_job_count(const percale_cluster* cluster);
/** The name of a job, in the order in which they came; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_cluster_get_job(const percale_cluster* cluster, size_t index);
/** One more than the highest number of a task; 0 for an unknown job. \since 0.1 */
PERCALE_API int64_t percale_cluster_task_count(const percale_cluster* cluster, const char* job);
/** "host:port", "" where the source does not tell it, NULL when there is no such task. Borrowed. \since 0.1 */
PERCALE_API const char* percale_cluster_get_address(const percale_cluster* cluster, const char* job, int64_t task);
/** The own job ("" when none was given) and task. Borrowed. `out_task` may be NULL. \since 0.1 */
PERCALE_API const char* percale_cluster_get_role(const percale_cluster* cluster, int64_t* out_task);
/** Gives a reference to the cluster back; NULL does nothing. \since 0.1 */
PERCALE_API void percale_cluster_release(percale_cluster* cluster);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_H_ */
