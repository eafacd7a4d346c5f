// Written by bindings/gen from c_api/percale.h; changes belong there.

use std::ffi::{c_char, c_void};
use std::marker::{PhantomData, PhantomPinned};

/// Code of a status: the canonical codes of gRPC; new ones are only ever added at the end.
pub type percale_code = i32;
/// The constant 0 of [`percale_code`].
pub const PERCALE_OK: percale_code = 0;
/// The constant 1 of [`percale_code`].
pub const PERCALE_CANCELLED: percale_code = 1;
/// The constant 2 of [`percale_code`].
pub const PERCALE_UNKNOWN: percale_code = 2;
/// The constant 3 of [`percale_code`].
pub const PERCALE_INVALID_ARGUMENT: percale_code = 3;
/// The constant 4 of [`percale_code`].
pub const PERCALE_DEADLINE_EXCEEDED: percale_code = 4;
/// The constant 5 of [`percale_code`].
pub const PERCALE_NOT_FOUND: percale_code = 5;
/// The constant 6 of [`percale_code`].
pub const PERCALE_ALREADY_EXISTS: percale_code = 6;
/// The constant 7 of [`percale_code`].
pub const PERCALE_PERMISSION_DENIED: percale_code = 7;
/// The constant 8 of [`percale_code`].
pub const PERCALE_RESOURCE_EXHAUSTED: percale_code = 8;
/// The constant 9 of [`percale_code`].
pub const PERCALE_FAILED_PRECONDITION: percale_code = 9;
/// The constant 10 of [`percale_code`].
pub const PERCALE_ABORTED: percale_code = 10;
/// The constant 11 of [`percale_code`].
pub const PERCALE_OUT_OF_RANGE: percale_code = 11;
/// The constant 12 of [`percale_code`].
pub const PERCALE_UNIMPLEMENTED: percale_code = 12;
/// The constant 13 of [`percale_code`].
pub const PERCALE_INTERNAL: percale_code = 13;
/// The constant 14 of [`percale_code`].
pub const PERCALE_UNAVAILABLE: percale_code = 14;
/// The constant 15 of [`percale_code`].
pub const PERCALE_DATA_LOSS: percale_code = 15;
/// The constant 16 of [`percale_code`].
pub const PERCALE_UNAUTHENTICATED: percale_code = 16;

/// Element type; the numbers are ONNX's TensorProto.DataType.
pub type percale_dtype = i32;
/// The constant 0 of [`percale_dtype`].
pub const PERCALE_DTYPE_INVALID: percale_dtype = 0;
/// The constant 1 of [`percale_dtype`].
pub const PERCALE_DTYPE_F32: percale_dtype = 1;
/// The constant 2 of [`percale_dtype`].
pub const PERCALE_DTYPE_U8: percale_dtype = 2;
/// The constant 3 of [`percale_dtype`].
pub const PERCALE_DTYPE_I8: percale_dtype = 3;
/// The constant 4 of [`percale_dtype`].
pub const PERCALE_DTYPE_U16: percale_dtype = 4;
/// The constant 5 of [`percale_dtype`].
pub const PERCALE_DTYPE_I16: percale_dtype = 5;
/// The constant 6 of [`percale_dtype`].
pub const PERCALE_DTYPE_I32: percale_dtype = 6;
/// The constant 7 of [`percale_dtype`].
pub const PERCALE_DTYPE_I64: percale_dtype = 7;
/// The constant 8 of [`percale_dtype`].
pub const PERCALE_DTYPE_STRING: percale_dtype = 8;
/// The constant 9 of [`percale_dtype`].
pub const PERCALE_DTYPE_BOOL: percale_dtype = 9;
/// The constant 10 of [`percale_dtype`].
pub const PERCALE_DTYPE_F16: percale_dtype = 10;
/// The constant 11 of [`percale_dtype`].
pub const PERCALE_DTYPE_F64: percale_dtype = 11;
/// The constant 12 of [`percale_dtype`].
pub const PERCALE_DTYPE_U32: percale_dtype = 12;
/// The constant 13 of [`percale_dtype`].
pub const PERCALE_DTYPE_U64: percale_dtype = 13;
/// The constant 14 of [`percale_dtype`].
pub const PERCALE_DTYPE_COMPLEX64: percale_dtype = 14;
/// The constant 15 of [`percale_dtype`].
pub const PERCALE_DTYPE_COMPLEX128: percale_dtype = 15;
/// The constant 16 of [`percale_dtype`].
pub const PERCALE_DTYPE_BF16: percale_dtype = 16;
/// The constant 17 of [`percale_dtype`].
pub const PERCALE_DTYPE_F8E4M3FN: percale_dtype = 17;
/// The constant 18 of [`percale_dtype`].
pub const PERCALE_DTYPE_F8E4M3FNUZ: percale_dtype = 18;
/// The constant 19 of [`percale_dtype`].
pub const PERCALE_DTYPE_F8E5M2: percale_dtype = 19;
/// The constant 20 of [`percale_dtype`].
pub const PERCALE_DTYPE_F8E5M2FNUZ: percale_dtype = 20;
/// The constant 21 of [`percale_dtype`].
pub const PERCALE_DTYPE_U4: percale_dtype = 21;
/// The constant 22 of [`percale_dtype`].
pub const PERCALE_DTYPE_I4: percale_dtype = 22;
/// The constant 23 of [`percale_dtype`].
pub const PERCALE_DTYPE_F4E2M1: percale_dtype = 23;
/// The constant 24 of [`percale_dtype`].
pub const PERCALE_DTYPE_F8E8M0: percale_dtype = 24;
/// The constant 25 of [`percale_dtype`].
pub const PERCALE_DTYPE_U2: percale_dtype = 25;
/// The constant 26 of [`percale_dtype`].
pub const PERCALE_DTYPE_I2: percale_dtype = 26;

/// Level of a message of the log.
pub type percale_log_level = i32;
/// The constant 0 of [`percale_log_level`].
pub const PERCALE_LOG_DEBUG: percale_log_level = 0;
/// The constant 1 of [`percale_log_level`].
pub const PERCALE_LOG_INFO: percale_log_level = 1;
/// The constant 2 of [`percale_log_level`].
pub const PERCALE_LOG_WARNING: percale_log_level = 2;
/// The constant 3 of [`percale_log_level`].
pub const PERCALE_LOG_ERROR: percale_log_level = 3;

/// A value of a builder: what a node, an input or a constant gives. -1 = none.
pub type percale_value = i32;

/// As a value: none.
pub const PERCALE_NO_VALUE: percale_value = -1;
/// As a size: the text ends with NUL.
pub const PERCALE_NUL_ENDED: usize = usize::MAX;
/// As a timeout: none. Any other negative number is a time that is over already.
pub const PERCALE_FOREVER: i64 = -1;

/// Text with its size; owned by the receiver. *thread-safe*.
#[repr(C)]
pub struct percale_text {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. An error: code and message. NULL is success.
#[repr(C)]
pub struct percale_status {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. Named settings for an engine, a session or a trainer.
#[repr(C)]
pub struct percale_options {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. The root of everything: registries, devices, threads, memory limit. Several may live in one
/// process.
#[repr(C)]
pub struct percale_engine {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe* as a handle; whoever writes to its memory must be its only user at that time.
#[repr(C)]
pub struct percale_tensor {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. A graph under construction.
#[repr(C)]
pub struct percale_builder {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. A finished, immutable graph.
#[repr(C)]
pub struct percale_graph {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. The state table: named tensors that sessions and trainers share.
#[repr(C)]
pub struct percale_variables {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. Runs a graph: any number of concurrent runs.
#[repr(C)]
pub struct percale_session {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. A prepared pair of feeds and fetches: the fast path. Make one per thread.
#[repr(C)]
pub struct percale_call {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. A wish that what was given it ends: calls, trainers. Once it is cancelled it stays so.
#[repr(C)]
pub struct percale_cancellation {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. The end of an asynchronous run.
#[repr(C)]
pub struct percale_event {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. Examples in batches.
#[repr(C)]
pub struct percale_dataset {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*, `percale_trainer_cancel()` excepted. Trains the variables of a graph.
#[repr(C)]
pub struct percale_trainer {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. Spans of time, recorded while it is attached.
#[repr(C)]
pub struct percale_trace {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. The description of a cluster: jobs, tasks, addresses, the own role. What plug-ins for
/// remote devices read; no function of this header takes one.
#[repr(C)]
pub struct percale_cluster {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Receives a message of the library: `level` 0 debug, 1 info (devices that get no work, devices that come into a
/// training, placement where a session logs it, what an op Print says), 2 warning (devices that are lost, and
/// what they were asked for in vain), 3 error. What a call returns as a status is not logged as well. Any thread.
/// Within it a function that returns a status answers FAILED_PRECONDITION; functions that cancel or read a status
/// or text may be called, those that release an object of the library must not.
pub type percale_log_function =
    Option<unsafe extern "C" fn(user: *mut c_void, level: i32, message: *const c_char, size: usize)>;

/// Ends what `user` stands for: called exactly once, when the function that it was given with will never be
/// called again, within the caller's own call that makes it so. It may release other objects; a function that
/// returns a status answers FAILED_PRECONDITION within it.
pub type percale_destroy =
    Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Frees memory that a tensor borrowed; called once, within the caller's own release, run or wait. It may release
/// other objects; a function that returns a status answers FAILED_PRECONDITION within it.
pub type percale_deleter =
    Option<unsafe extern "C" fn(user: *mut c_void, data: *mut c_void)>;

/// Called exactly once when the run is over, also when the event was released before: on the thread that ends it,
/// or at once on the caller's when it is over already. It must not block: `percale_session_run()`,
/// `percale_call_run()`, `percale_call_run_until()`, `percale_event_wait()` for a run that is not over, and calls
/// of a trainer answer FAILED_PRECONDITION within it. It may take results, begin asynchronous runs, cancel, and
/// release all but the last reference to the engine.
pub type percale_event_callback =
    Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Writes row `row` of a data set: the elements of column i into the memory at columns\[i\], which holds zeros.
/// The same row for the same number, whenever it is asked for: that is what lets a training go on exactly. Called
/// on the thread of whoever wants the batch. Anything but 0 ends that call with ABORTED. Within it
/// `percale_dataset_configure()` and `percale_dataset_next()` of the set that is asked, and calls, saves and
/// publishing of a trainer that asks, answer FAILED_PRECONDITION; all other functions may be called.
pub type percale_row_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, row: i64, columns: *const *mut c_void) -> i32>;

/// Returns 0 to go on, anything else to stop after this step; in the modes async and bounded:k steps that devices
/// have completed meanwhile stay. Within it the trainer may be saved, published, described, cancelled, retained
/// and released, its learning rate set, and its history, model and variables taken. Its step, fit, evaluate,
/// restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do `percale_dataset_configure()` and
/// `percale_dataset_next()` of the data that it trains on and validates with; `percale_trainer_set_trace()` and
/// `percale_trainer_set_cancellation()` do nothing. Functions of other objects may be called.
pub type percale_progress_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, progress: *const percale_progress) -> i32>;

/// What a callback of `percale_trainer_fit()` is told after each step. Grows at the end: read no further than
/// struct_size.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct percale_progress {
    /// in bytes, as the library knows it
    pub struct_size: u32,
    /// from 1
    pub epoch: i64,
    /// from 1
    pub epochs: i64,
    /// over the whole run, from 1; steps = 0 when not known
    pub step: i64,
    /// over the whole run, from 1; steps = 0 when not known
    pub steps: i64,
    /// from 1
    pub step_in_epoch: i64,
    /// from 1
    pub steps_in_epoch: i64,
    /// of this step
    pub loss: f64,
    /// of this step
    pub learning_rate: f64,
    /// speed, since the start, until the end
    pub rows_per_second: f64,
    /// speed, since the start, until the end
    pub seconds: f64,
    /// speed, since the start, until the end
    pub eta_seconds: f64,
    /// 1: the metrics below are there
    pub epoch_ended: i32,
    /// of names and of values
    pub metric_count: usize,
    /// borrowed for the call
    pub metric_names: *const *const c_char,
    /// means over the epoch; borrowed for the call
    pub metric_values: *const f64,
    /// mean over the epoch's rows so far, each before its update
    pub epoch_loss: f64,
}

functions! {
    /// The version of the library that is loaded, as "major.minor.patch". NUL-ended, static.
    fn percale_version() -> *const c_char;
    /// The version of the ABI: major * 1000 + minor. Functions are only ever added within a major.
    fn percale_abi_version() -> u32;
    /// The code; PERCALE_OK for NULL.
    fn percale_status_code(status: *const percale_status) -> percale_code;
    /// The message, NUL-ended, borrowed from the status; "" for NULL. `out_size` may be NULL.
    fn percale_status_message(status: *const percale_status, out_size: *mut usize) -> *const c_char;
    /// The upper-case name of a code, "INVALID_ARGUMENT". Static.
    fn percale_code_name(code: percale_code) -> *const c_char;
    /// The lower-case name of a dtype, "f32"; "invalid" for a number that is none. Static.
    fn percale_dtype_name(dtype: percale_dtype) -> *const c_char;
    /// One reference more; the error itself, NULL for NULL. Several threads may look at one error.
    fn percale_status_retain(status: *mut percale_status) -> *mut percale_status;
    /// Gives a reference to the error back; NULL does nothing.
    fn percale_status_release(status: *mut percale_status);
    /// Statuses of this process that were handed out and not released, each once for all its references: for leak
    /// tests.
    fn percale_status_live_count() -> i64;
    /// The characters, NUL-ended, borrowed; "" for NULL. `out_size` may be NULL.
    fn percale_text_data(text: *const percale_text, out_size: *mut usize) -> *const c_char;
    /// Gives a reference to the text back; NULL does nothing.
    fn percale_text_release(text: *mut percale_text);
    /// A cancellation, for `percale_call_run_until()` and `percale_trainer_set_cancellation()`. Asynchronous runs
    /// have `percale_event_cancel()`.
    fn percale_cancellation_create(out_cancellation: *mut *mut percale_cancellation) -> *mut percale_status;
    /// Ends what runs with it, and whatever begins with it later, with CANCELLED. Any thread; never waits. NULL:
    /// nothing.
    fn percale_cancellation_cancel(cancellation: *mut percale_cancellation);
    /// 1 when it was cancelled; 0 for NULL.
    fn percale_cancellation_poll(cancellation: *const percale_cancellation) -> i32;
    /// One more reference. `cancellation` may be NULL.
    fn percale_cancellation_retain(cancellation: *mut percale_cancellation) -> *mut percale_cancellation;
    /// Gives a reference back; what was given it keeps its own. `cancellation` may be NULL.
    fn percale_cancellation_release(cancellation: *mut percale_cancellation);
    /// Options for what `kind` names: "engine", "session", "trainer" or "export"; NOT_FOUND for another.
    fn percale_options_create(kind: *const c_char, out_options: *mut *mut percale_options) -> *mut percale_status;
    /// Gives a reference to the options back; NULL does nothing.
    fn percale_options_release(options: *mut percale_options);
    /// Sets an option from its text, converted to the option's type. A size in bytes may have a unit: "2GB" (10^9
    /// each), "2GiB" (2^30 each). NOT_FOUND for an unknown key names a similar one; OUT_OF_RANGE names the range.
    fn percale_options_set(options: *mut percale_options, key: *const c_char, value: *const c_char) -> *mut percale_status;
    /// Sets an option to a whole number; errors as `percale_options_set()`.
    fn percale_options_set_int(options: *mut percale_options, key: *const c_char, value: i64) -> *mut percale_status;
    /// Sets an option to a number; errors as `percale_options_set()`.
    fn percale_options_set_float(options: *mut percale_options, key: *const c_char, value: f64) -> *mut percale_status;
    /// All options of all kinds as JSON: \[{"kind","key","type","default","choices","min","max","doc"}\]. "type" is
    /// int, float, bytes, text, choice or switch. Options of type choice have "choices", such as "a|b|c". Numbers
    /// with bounds have "min" and "max".
    fn percale_options_describe(out_json: *mut *mut percale_text) -> *mut percale_status;
    /// An engine. `options` of kind "engine", or NULL for the defaults. Plug-ins are looked for now and at no other
    /// time.
    fn percale_engine_create(options: *const percale_options, out_engine: *mut *mut percale_engine) -> *mut percale_status;
    /// One reference more; the engine itself, NULL for NULL.
    fn percale_engine_retain(engine: *mut percale_engine) -> *mut percale_engine;
    /// Gives a reference to the engine back; NULL does nothing. Its threads end with the last one.
    fn percale_engine_release(engine: *mut percale_engine);
    /// The devices that can be used.
    fn percale_engine_device_count(engine: *const percale_engine) -> usize;
    /// The name of a device, "cpu:0"; NULL when there is none of that index. Borrowed.
    fn percale_engine_get_device_name(engine: *const percale_engine, index: usize) -> *const c_char;
    /// Facts as JSON. `what` is one of: - "info": versions, ISA, threads, devices and why an absent one is absent,
    /// libraries, fingerprint, memory; - "ops": schemas; - "layers": schemas of the layers that
    /// `percale_builder_layer()` and a SPEC take:
    /// \[{"name","doc","inputs":{"min","max"},"attributes":\[{"name","kind","required","default","min",
    /// "max","doc"}\]}\], with kinds as those of ops; - "passes"; "kernels", per op and kind of device; - "losses",
    /// "metrics", "optimizers", "schedules" of a SPEC and of trainers: \[{"name","doc","keys"}\]; - "spec": the keys
    /// of a SPEC.
    ///
    /// Keys are \[{"name","type","required","default","choices","min","max","doc","keys"}\]. "default" is a value, or
    /// a text that says what happens. "keys" describes the keys of an object.
    fn percale_engine_describe(engine: *const percale_engine, what: *const c_char, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Where messages of the level of the option "log" and above go; nowhere without it. `function` may be NULL: that
    /// ends it. Set it before other threads use the engine.
    fn percale_engine_set_log(engine: *mut percale_engine, function: percale_log_function, user: *mut c_void);
    /// As `percale_engine_set_log()`; `destroy` (may be NULL) is called when another function takes the place of this
    /// one, or the engine ends. On failure it is not called, and the function from before stays. `function` may be
    /// NULL.
    fn percale_engine_set_log_owned(engine: *mut percale_engine, function: percale_log_function, user: *mut c_void, destroy: percale_destroy) -> *mut percale_status;
    /// Bytes that the engine's allocations hold now, and the most they ever held. `out_used` may be NULL, `out_peak`
    /// may be NULL.
    fn percale_engine_memory(engine: *const percale_engine, out_used: *mut i64, out_peak: *mut i64);
    /// A tensor in the engine's memory, 64-byte aligned, filled with zeros.
    fn percale_tensor_create(engine: *mut percale_engine, dtype: percale_dtype, dims: *const i64, rank: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// A tensor over the caller's memory, without a copy. `bytes` must suffice for the shape; the memory must stay
    /// valid and unchanged until `deleter` (may be NULL) is called, which it is not when this fails.
    fn percale_tensor_from_memory(dtype: percale_dtype, dims: *const i64, rank: usize, data: *mut c_void, bytes: usize, deleter: percale_deleter, user: *mut c_void, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// A DLManagedTensorVersioned* of DLPack over the tensor's memory, kept alive by it.
    fn percale_tensor_to_dlpack(tensor: *mut percale_tensor, out_managed: *mut *mut c_void) -> *mut percale_status;
    /// Takes a DLManagedTensorVersioned* over: row-major, in host memory, else UNIMPLEMENTED and the caller keeps it.
    fn percale_tensor_from_dlpack(managed: *mut c_void, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Reads a NumPy .npy file.
    fn percale_tensor_load(engine: *mut percale_engine, path: *const c_char, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// A tensor from the bytes of a foreign format ("onnx": a TensorProto) through an importer plug-in.
    fn percale_tensor_import(engine: *mut percale_engine, format: *const c_char, bytes: *const c_void, size: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Writes a NumPy .npy file.
    fn percale_tensor_save(tensor: *const percale_tensor, path: *const c_char) -> *mut percale_status;
    /// One reference more; the tensor itself, NULL for NULL.
    fn percale_tensor_retain(tensor: *mut percale_tensor) -> *mut percale_tensor;
    /// Gives a reference to the tensor back; NULL does nothing. Borrowed memory is given to its deleter with the last
    /// one.
    fn percale_tensor_release(tensor: *mut percale_tensor);
    /// The element type; 0 for NULL.
    fn percale_tensor_dtype(tensor: *const percale_tensor) -> percale_dtype;
    /// The number of dims; 0 for NULL.
    fn percale_tensor_rank(tensor: *const percale_tensor) -> usize;
    /// The dims, borrowed; never NULL, not even for a NULL tensor.
    fn percale_tensor_get_dims(tensor: *const percale_tensor) -> *const i64;
    /// The size of the memory in bytes; 0 for NULL.
    fn percale_tensor_bytes(tensor: *const percale_tensor) -> usize;
    /// The number of elements; 0 for NULL.
    fn percale_tensor_element_count(tensor: *const percale_tensor) -> i64;
    /// The memory, row-major, borrowed; not NULL, not even for an empty tensor; NULL for a NULL tensor.
    fn percale_tensor_get_data(tensor: *const percale_tensor) -> *mut c_void;
    /// A builder of an empty graph, whose current function is "main".
    fn percale_builder_create(engine: *mut percale_engine, out_builder: *mut *mut percale_builder) -> *mut percale_status;
    /// Goes on from a finished graph.
    fn percale_builder_from_graph(engine: *mut percale_engine, graph: *const percale_graph, out_builder: *mut *mut percale_builder) -> *mut percale_status;
    /// Gives a reference to the builder back; NULL does nothing.
    fn percale_builder_release(builder: *mut percale_builder);
    /// The value of that name in the current function: how to go on from what a graph has.
    fn percale_builder_find_value(builder: *mut percale_builder, name: *const c_char, out_value: *mut percale_value) -> *mut percale_status;
    /// The next input of the current function, a value that runs feed.
    fn percale_builder_input(builder: *mut percale_builder, name: *const c_char, dtype: percale_dtype, dims: *const i64, rank: usize, out_value: *mut percale_value) -> *mut percale_status;
    /// A constant; the tensor is shared, not copied. `name` may be NULL.
    fn percale_builder_constant(builder: *mut percale_builder, name: *const c_char, tensor: *mut percale_tensor, out_value: *mut percale_value) -> *mut percale_status;
    /// A trainable variable whose first value is the tensor; *out_value reads it.
    fn percale_builder_variable(builder: *mut percale_builder, name: *const c_char, initial: *mut percale_tensor, out_value: *mut percale_value) -> *mut percale_status;
    /// A trainable variable whose first value an initializer draws ("zeros", "ones", "glorot_uniform",
    /// "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "random_uniform", "random_normal", "orthogonal"),
    /// from the seed given to `percale_variables_create()`.
    fn percale_builder_variable_initialized(builder: *mut percale_builder, name: *const c_char, dtype: percale_dtype, dims: *const i64, rank: usize, initializer: *const c_char, out_value: *mut percale_value) -> *mut percale_status;
    /// Begins a node of an op, "Conv" or "percale:ApplyAdam". `name` may be NULL. Inputs and attributes follow, then
    /// `percale_builder_finish_node()`, which looks the op up.
    fn percale_builder_node(builder: *mut percale_builder, op: *const c_char, name: *const c_char) -> *mut percale_status;
    /// Begins a layer (a composite such as "Dense" or "Conv2D", with Keras' words as attributes;
    /// `percale_engine_describe()` lists them). `name` may be NULL.
    fn percale_builder_layer(builder: *mut percale_builder, layer: *const c_char, name: *const c_char) -> *mut percale_status;
    /// The next input of the node or layer that was begun; PERCALE_NO_VALUE for an absent optional one.
    fn percale_builder_add_input(builder: *mut percale_builder, value: percale_value) -> *mut percale_status;
    /// An attribute of the node or layer that was begun: a whole number.
    fn percale_builder_set_int(builder: *mut percale_builder, attribute: *const c_char, value: i64) -> *mut percale_status;
    /// An attribute: a number.
    fn percale_builder_set_float(builder: *mut percale_builder, attribute: *const c_char, value: f64) -> *mut percale_status;
    /// An attribute: text.
    fn percale_builder_set_string(builder: *mut percale_builder, attribute: *const c_char, value: *const c_char) -> *mut percale_status;
    /// An attribute: a list of whole numbers.
    fn percale_builder_set_ints(builder: *mut percale_builder, attribute: *const c_char, values: *const i64, count: usize) -> *mut percale_status;
    /// An attribute: a list of numbers.
    fn percale_builder_set_floats(builder: *mut percale_builder, attribute: *const c_char, values: *const f64, count: usize) -> *mut percale_status;
    /// An attribute: a list of texts.
    fn percale_builder_set_strings(builder: *mut percale_builder, attribute: *const c_char, values: *const *const c_char, count: usize) -> *mut percale_status;
    /// An attribute: a tensor, which is shared, not copied.
    fn percale_builder_set_tensor(builder: *mut percale_builder, attribute: *const c_char, value: *mut percale_tensor) -> *mut percale_status;
    /// An attribute that names a function of the graph: the branches of If, the body of Loop.
    fn percale_builder_set_function(builder: *mut percale_builder, attribute: *const c_char, function: *const c_char) -> *mut percale_status;
    /// Ends the node or layer: checks it, infers shapes, gives its outputs (a layer has one). After an error the node
    /// is dropped and the builder is as before `percale_builder_node()`. `out_values` may be NULL when `output_count`
    /// is 0.
    fn percale_builder_finish_node(builder: *mut percale_builder, output_count: usize, out_values: *mut percale_value) -> *mut percale_status;
    /// What follows goes into a new function, until `percale_builder_end_function()`. Functions nest.
    fn percale_builder_begin_function(builder: *mut percale_builder, name: *const c_char) -> *mut percale_status;
    /// Ends what `percale_builder_begin_function()` began.
    fn percale_builder_end_function(builder: *mut percale_builder) -> *mut percale_status;
    /// The outputs of the current function.
    fn percale_builder_set_outputs(builder: *mut percale_builder, values: *const percale_value, count: usize) -> *mut percale_status;
    /// Another name for a value of the current function: what feeds and fetches call it.
    fn percale_builder_rename(builder: *mut percale_builder, value: percale_value, name: *const c_char) -> *mut percale_status;
    /// dtype, dims and rank of a value; rank SIZE_MAX when not even that is known. `out_dims` has room for 8.
    fn percale_builder_value_type(builder: *const percale_builder, value: percale_value, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// Nodes that follow carry this device hint; "" ends it. A device's name ("cuda:0"): they run there, and a
    /// session fails that cannot have it so, unless its option soft_placement is on. "colocate:NAME": they run where
    /// the node NAME does, or what reads and assigns the variable NAME.
    fn percale_builder_set_device(builder: *mut percale_builder, device: *const c_char) -> *mut percale_status;
    /// The node of `after` runs only when the node of `before` has; an op on a queue ("percale:QueueEnqueue") is
    /// ordered by it and runs where it is needed otherwise or is a target.
    fn percale_builder_control_dependency(builder: *mut percale_builder, before: percale_value, after: percale_value) -> *mut percale_status;
    /// Gradients of the sum of ys with respect to each of xs, as new nodes.
    fn percale_builder_gradients(builder: *mut percale_builder, ys: *const percale_value, y_count: usize, xs: *const percale_value, x_count: usize, out_gradients: *mut percale_value) -> *mut percale_status;
    /// Adds what one training step does: gradients of the scalar `loss` for every trainable variable that it reads,
    /// and an optimizer ({"name":"adam","learning_rate":0.001} or just "adam") that assigns them. Run the graph's
    /// target *out_target_name ("train_step") for one step; borrowed from the builder.
    fn percale_builder_minimize(builder: *mut percale_builder, loss: percale_value, optimizer: *const c_char, out_target_name: *mut *const c_char) -> *mut percale_status;
    /// The finished, validated graph; the builder is left empty.
    fn percale_builder_finish(builder: *mut percale_builder, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// A graph from the bytes of a .percale file, which are copied where they must live on.
    fn percale_graph_load(engine: *mut percale_engine, bytes: *const c_void, size: usize, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// A graph from a .percale file. Its weights are mapped where the engine's option "map_files" is on, as it is by
    /// default: the file may then be replaced by renaming another one, or removed, but must not be cut short or
    /// written to while the graph lives. That is true of all files that are mapped: weights of safetensors files and
    /// files of data sets. A file that was cut short is DATA_LOSS where Percale looks before it reads (batches of
    /// data sets, tensors that are loaded); in the middle of a run the system ends the process (SIGBUS). With
    /// "map_files" off files are read into the engine's memory, and nothing of this can happen.
    fn percale_graph_load_file(engine: *mut percale_engine, path: *const c_char, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Reads a file or folder and returns the error of the first thing that is wrong with it. The name chooses the
    /// reader: .npy, .npz, .safetensors, .onnx (needs its plug-in), .json (a SPEC); a folder is a checkpoint or holds
    /// checkpoints, whose checksums are compared; any other file is read as .percale. Thread-safe.
    fn percale_file_check(engine: *mut percale_engine, path: *const c_char) -> *mut percale_status;
    /// A graph of a foreign format ("onnx") through an importer plug-in; UNIMPLEMENTED names the formats that are
    /// there.
    fn percale_graph_import(engine: *mut percale_engine, format: *const c_char, path: *const c_char, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// The same from bytes. Files that a model of several would name are out of reach.
    fn percale_graph_import_bytes(engine: *mut percale_engine, format: *const c_char, bytes: *const c_void, size: usize, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Writes a .percale file, whole or not at all. With `variables` (may be NULL) the file's first values are
    /// theirs.
    fn percale_graph_save_file(graph: *const percale_graph, variables: *const percale_variables, path: *const c_char) -> *mut percale_status;
    /// The bytes that `percale_graph_save_file()` would write. `variables` may be NULL.
    fn percale_graph_serialize(graph: *const percale_graph, variables: *const percale_variables, out_bytes: *mut *mut percale_text) -> *mut percale_status;
    /// Writes a model of a foreign format ("onnx") through an importer plug-in, whole or not at all. It holds what
    /// "main" computes: what no output depends on is left out, changes of variables among it. `variables` (may be
    /// NULL) gives the values that variables have in it; without them they have the graph's first values. `options`
    /// of kind "export" or NULL. UNIMPLEMENTED names all ops that the format does not have, or the formats that are
    /// there; FAILED_PRECONDITION for a variable without a value.
    fn percale_graph_export(engine: *mut percale_engine, graph: *const percale_graph, variables: *const percale_variables, format: *const c_char, options: *const percale_options, path: *const c_char) -> *mut percale_status;
    /// The bytes that `percale_graph_export()` would write; RESOURCE_EXHAUSTED where the format needs a second file
    /// for as many. `variables` may be NULL.
    fn percale_graph_export_bytes(engine: *mut percale_engine, graph: *const percale_graph, variables: *const percale_variables, format: *const c_char, out_bytes: *mut *mut percale_text) -> *mut percale_status;
    /// One reference more; the graph itself, NULL for NULL.
    fn percale_graph_retain(graph: *mut percale_graph) -> *mut percale_graph;
    /// Gives a reference to the graph back; NULL does nothing.
    fn percale_graph_release(graph: *mut percale_graph);
    /// The names of the inputs of "main", in order; NULL past the end. Borrowed.
    fn percale_graph_get_input_name(graph: *const percale_graph, index: usize) -> *const c_char;
    /// The same of the outputs.
    fn percale_graph_get_output_name(graph: *const percale_graph, index: usize) -> *const c_char;
    /// dtype, dims (-1 = unknown) and rank of a value of "main": an input, an output, or one within, which can be fed
    /// and fetched as well. The rank is SIZE_MAX when not even that is known; `out_dims` has room for 8. NOT_FOUND
    /// names a similar value.
    fn percale_graph_value_type(graph: *const percale_graph, name: *const c_char, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// The graph with other dims of its inputs, each "NAME=SIZE", "NAME=?" (any size), or "INPUT:AXIS=SIZE". Models
    /// keep the names that their files have for dims; where no dim is called "batch", that is the first dim of the
    /// first input, and of all others where it is the same. Types within follow, and constant shapes that hold a dim
    /// which becomes free are made to fit. NOT_FOUND names a similar dim; INVALID_ARGUMENT the first node that is
    /// made for another dim: such a graph cannot have it.
    fn percale_graph_with_dims(graph: *const percale_graph, dims: *const *const c_char, count: usize, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Facts. `what`: "summary" (JSON: functions, inputs, outputs, variables, op counts, parameters, bytes), "nodes"
    /// (JSON).
    fn percale_graph_describe(graph: *const percale_graph, what: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Draws the graph. `format`: "svg", a picture of "main" that is at most 4000 px high, because equal blocks are
    /// drawn once; or "html", one page with all functions that needs no network, to move, zoom, search and fold. The
    /// nodes show the times of `trace`, the JSON of `percale_trace_json()`; `trace` may be NULL. INVALID_ARGUMENT for
    /// another format, and for a `trace` that is none.
    fn percale_graph_draw(graph: *const percale_graph, format: *const c_char, trace: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// A table with the first values of the graph's variables, and the owner of the queues and mutexes of all
    /// sessions and trainers that are made with it; `seed` feeds the initializers. Initializers run on the engine's
    /// CPU device; without one FAILED_PRECONDITION when there are any.
    fn percale_variables_create(engine: *mut percale_engine, graph: *const percale_graph, seed: i64, out_variables: *mut *mut percale_variables) -> *mut percale_status;
    /// One reference more; the table itself, NULL for NULL.
    fn percale_variables_retain(variables: *mut percale_variables) -> *mut percale_variables;
    /// Gives a reference to the table back; NULL does nothing.
    fn percale_variables_release(variables: *mut percale_variables);
    /// The number of variables; 0 for NULL.
    fn percale_variables_count(variables: *const percale_variables) -> usize;
    /// Names in ascending order; NULL past the end. Borrowed.
    fn percale_variables_get_name(variables: *const percale_variables, index: usize) -> *const c_char;
    /// The value of the newest version, as a tensor that does not change any more.
    fn percale_variables_value(variables: *const percale_variables, name: *const c_char, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Publishes a new version with this value; dtype and shape must agree.
    fn percale_variables_assign(variables: *mut percale_variables, name: *const c_char, value: *const percale_tensor) -> *mut percale_status;
    /// The number of the newest version, from 1 on.
    fn percale_variables_version(variables: *const percale_variables) -> i64;
    /// "sha256:..." over names, dtypes, shapes and little-endian bytes of all parameters in name order; the same in
    /// every language. Optimizer slots are left out.
    fn percale_variables_digest(variables: *const percale_variables, out_digest: *mut *mut percale_text) -> *mut percale_status;
    /// Takes values from a safetensors file: each tensor whose name is a variable. NOT_FOUND when `strict` and a
    /// variable is missing.
    fn percale_variables_load(variables: *mut percale_variables, path: *const c_char, strict: i32) -> *mut percale_status;
    /// Values of another model: a variable called to\[i\] takes the tensor called from\[i\], each with at most one
    /// '*', which stands for the same characters in both ("enc.*", "dec.*"); with from\[i\] "" it keeps its value;
    /// the first that fits counts. All others take the tensor of their own name, if there is one. `path`: a
    /// safetensors file, a checkpoint step-N, or a folder of them (the newest). `out_loaded` (may be NULL): how many
    /// variables took a value. NOT_FOUND for a tensor that a name asks for, and, when `strict`, for a variable
    /// without one; INVALID_ARGUMENT for another dtype or shape.
    fn percale_variables_load_mapped(variables: *mut percale_variables, path: *const c_char, from: *const *const c_char, to: *const *const c_char, count: usize, strict: i32, out_loaded: *mut i64) -> *mut percale_status;
    /// Writes the newest version as a safetensors file, whole or not at all.
    fn percale_variables_save(variables: *const percale_variables, path: *const c_char) -> *mut percale_status;
    /// A session over a graph. `variables` may be NULL when the graph has none, else that is INVALID_ARGUMENT;
    /// `options` of kind "session" or NULL.
    fn percale_session_create(engine: *mut percale_engine, graph: *const percale_graph, variables: *mut percale_variables, options: *const percale_options, out_session: *mut *mut percale_session) -> *mut percale_status;
    /// One reference more; the session itself, NULL for NULL.
    fn percale_session_retain(session: *mut percale_session) -> *mut percale_session;
    /// Gives a reference to the session back; NULL does nothing. The last one ends asynchronous runs and waits for
    /// them.
    fn percale_session_release(session: *mut percale_session);
    /// Runs what the fetches and targets need. Any value may be fed or fetched, by name; targets are node names. On
    /// success out_fetches\[i\] is a new tensor. One element under any shape may be fed for a scalar. `timeout_ns`:
    /// PERCALE_FOREVER, or DEADLINE_EXCEEDED after that time, at once for 0.
    fn percale_session_run(session: *mut percale_session, feed_names: *const *const c_char, feeds: *const *mut percale_tensor, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, target_names: *const *const c_char, target_count: usize, timeout_ns: i64, out_fetches: *mut *mut percale_tensor) -> *mut percale_status;
    /// The same on a thread of the engine; the event gives the results. The feeds are kept until it is done.
    fn percale_session_run_async(session: *mut percale_session, feed_names: *const *const c_char, feeds: *const *mut percale_tensor, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, target_names: *const *const c_char, target_count: usize, timeout_ns: i64, out_event: *mut *mut percale_event) -> *mut percale_status;
    /// Ends every run of the session that is under way with CANCELLED, those of its calls too; later runs are not
    /// affected. Any thread. NULL: nothing.
    fn percale_session_cancel(session: *mut percale_session);
    /// Why the plan is what it is, for feeds of the given types. `what`: "plan" (JSON: per node device, kernel,
    /// reason, shapes; the cut, bytes moved, predicted peak), "kernels" (JSON: who runs each node, and why every
    /// better entry refused), "passes" (JSON: node counts after each pass).
    fn percale_session_explain(session: *mut percale_session, feed_names: *const *const c_char, feed_dtypes: *const percale_dtype, feed_dims: *const *const i64, feed_ranks: *const usize, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, what: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// As `percale_graph_draw()`, for the plan of feeds of the given types: the nodes that run, each with its device
    /// and kernel, and the values that pass between devices. `trace` may be NULL.
    fn percale_session_draw(session: *mut percale_session, feed_names: *const *const c_char, feed_dtypes: *const percale_dtype, feed_dims: *const *const i64, feed_ranks: *const usize, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, format: *const c_char, trace: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// JSON: plans made, cache hits, runs, the peak of memory as planned for one run at a time, and as measured: the
    /// most that the session's runs and plans ever held.
    fn percale_session_stats(session: *const percale_session, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Prepares runs with feeds of these dtypes and shapes.
    fn percale_call_create(session: *mut percale_session, feed_names: *const *const c_char, feed_dtypes: *const percale_dtype, feed_dims: *const *const i64, feed_ranks: *const usize, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, out_call: *mut *mut percale_call) -> *mut percale_status;
    /// Runs with the feeds in the order of creation; the results are written into `outputs`, tensors of the fetches'
    /// dtypes and shapes. Allocates nothing once warm.
    fn percale_call_run(call: *mut percale_call, inputs: *const *mut percale_tensor, outputs: *const *mut percale_tensor) -> *mut percale_status;
    /// As `percale_call_run()`, but DEADLINE_EXCEEDED after `timeout_ns` (or PERCALE_FOREVER), and CANCELLED when
    /// `cancellation` is (may be NULL), even before the run begins. What `outputs` then hold is not defined; the call
    /// stays usable.
    fn percale_call_run_until(call: *mut percale_call, inputs: *const *mut percale_tensor, outputs: *const *mut percale_tensor, timeout_ns: i64, cancellation: *mut percale_cancellation) -> *mut percale_status;
    /// From now on the feed at `feed` of a run is what the fetch at `fetch` of the run before has given, as a model's
    /// state is: a cache of keys and values, or what a recurrent layer remembers. It stays on the device that
    /// computes, where that has memory of its own and can keep all of them. inputs\[feed\] begins anew in the first
    /// run, and whenever it is given; NULL goes on. Several such feeds are given or left out together.
    /// outputs\[fetch\] may be NULL: then nothing of it comes to the host. A run that fails changes nothing of what
    /// is handed on. OUT_OF_RANGE; INVALID_ARGUMENT for one that is handed on already; FAILED_PRECONDITION where
    /// dtypes or shapes differ, and, from a run, where there was none before. Not during a run.
    fn percale_call_carry(call: *mut percale_call, fetch: usize, feed: usize) -> *mut percale_status;
    /// dtype and shape of a fetch; `out_dims` has room for 8.
    fn percale_call_output_type(call: *const percale_call, index: usize, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// The number of the variables' version that the last successful run has read, as `percale_variables_version()`
    /// counts; 0 before the first one, for a graph without variables, and for NULL. Not during a run.
    fn percale_call_variables_version(call: *const percale_call) -> i64;
    /// Gives a reference to the call back; NULL does nothing.
    fn percale_call_release(call: *mut percale_call);
    /// 1 when the run is over; 0 for NULL.
    fn percale_event_poll(event: *const percale_event) -> i32;
    /// Waits; the run's own status, or DEADLINE_EXCEEDED when it is not over after `timeout_ns`. May be called again.
    fn percale_event_wait(event: *mut percale_event, timeout_ns: i64) -> *mut percale_status;
    /// Has `callback` called when the run is over. There may be several.
    fn percale_event_on_ready(event: *mut percale_event, callback: percale_event_callback, user: *mut c_void) -> *mut percale_status;
    /// Ends the run with CANCELLED, also before it has begun; nothing when it is over, or for NULL. Any thread.
    fn percale_event_cancel(event: *mut percale_event);
    /// A result of a run that has succeeded.
    fn percale_event_result(event: *mut percale_event, index: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// The number of the variables' version that the run has read; 0 before it is over, where it failed, for a graph
    /// without variables, and for NULL. Any thread.
    fn percale_event_variables_version(event: *const percale_event) -> i64;
    /// One reference more; the event itself, NULL for NULL.
    fn percale_event_retain(event: *mut percale_event) -> *mut percale_event;
    /// Gives a reference to the event back; NULL does nothing.
    fn percale_event_release(event: *mut percale_event);
    /// Rows of tensors that stand in memory: all have the same first dim. Names become feed names.
    fn percale_dataset_from_tensors(engine: *mut percale_engine, names: *const *const c_char, tensors: *const *mut percale_tensor, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Rows of files: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv (plain or gz); "file#name" says which
    /// tensor, or which columns of a CSV file, separated by commas. Paths are taken as they are: only those of a SPEC
    /// are looked up in PERCALE_DATA and in the cache. Rows of files of one name follow each other. What can be
    /// mapped is (see `percale_graph_load_file()` about files that are cut short), and CSV is read as it is wanted:
    /// files may be larger than memory. u8 images become f32, multiplied by `scale` (0: kept as they are). `csv`:
    /// JSON with the rules for CSV files (SPEC.md, "CSV files"), or NULL. What their columns hold is learnt from the
    /// whole file; `percale_dataset_csv_rules()` gives it for the next data set. INVALID_ARGUMENT names file, line
    /// and column of a field that does not fit.
    fn percale_dataset_from_files(engine: *mut percale_engine, names: *const *const c_char, paths: *const *const c_char, count: usize, scale: f64, csv: *const c_char, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// The rules by which the data set reads its CSV files, as JSON: columns, types, categories, what stands for
    /// missing values. With them `percale_dataset_from_files()` reads other files alike: validation data, rows to
    /// predict. A trainer writes those of its training data into its model, under the key "percale.csv" of the
    /// metadata that `percale_graph_describe()` gives. An empty text where the data set was not made of CSV files.
    fn percale_dataset_csv_rules(dataset: *const percale_dataset, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Rows of one i64 each: start, start + step, ... before `stop`.
    fn percale_dataset_range(engine: *mut percale_engine, name: *const c_char, start: i64, stop: i64, step: i64, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Rows that a function makes. Per column its name, dtype, and the dims of one row. `user` must stay good until
    /// the data set, and all that were made of it, are released.
    fn percale_dataset_generator(engine: *mut percale_engine, names: *const *const c_char, dtypes: *const percale_dtype, dims: *const *const i64, ranks: *const usize, count: usize, rows: i64, callback: percale_row_callback, user: *mut c_void, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// As `percale_dataset_generator()`; `destroy` (may be NULL) is called when the data set, and all that were made
    /// of it, are gone. On failure it is not called.
    fn percale_dataset_generator_owned(engine: *mut percale_engine, names: *const *const c_char, dtypes: *const percale_dtype, dims: *const *const i64, ranks: *const usize, count: usize, rows: i64, callback: percale_row_callback, user: *mut c_void, destroy: percale_destroy, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// The columns of several data sets side by side: all have the same number of rows, no two columns one name. What
    /// is made of data sets keeps them, and does not see how they are configured.
    fn percale_dataset_zip(datasets: *const *mut percale_dataset, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// The rows of several data sets with the same columns, one set after the other.
    fn percale_dataset_concatenate(datasets: *const *mut percale_dataset, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// The rows of a data set `times` over.
    fn percale_dataset_repeat(dataset: *mut percale_dataset, times: i64, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Rows that went through a graph without variables: its inputs are columns by name, its outputs \[?, ...\] are
    /// the new columns, under their names: `percale_dataset_rename()` gives a column its old one back. An input that
    /// is an output too goes through as it is. It runs on the rows of a batch together, on the engine's threads.
    fn percale_dataset_map(dataset: *mut percale_dataset, graph: *const percale_graph, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// The same rows with other names of their columns, one for each, in order; no two alike.
    fn percale_dataset_rename(dataset: *mut percale_dataset, names: *const *const c_char, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Sets how rows come: batch size, shuffling (a seed, or -1 for the order of the file), whether a short last
    /// batch is dropped. Without it: batches of 32 rows in the order of the file, the short last one too. A SPEC's
    /// "batch_size" is for its own data.
    fn percale_dataset_configure(dataset: *mut percale_dataset, batch_size: i64, shuffle_seed: i64, drop_remainder: i32) -> *mut percale_status;
    /// The parts of a data set for `replicas` replicas, 1 to 65536: out_datasets\[r\] gives of each batch of B rows
    /// the rows floor(r * B / replicas) to floor((r + 1) * B / replicas) as a batch of its own, so that all parts
    /// together give each row of an epoch once, batch by batch; of a short batch some may be empty. Batches are those
    /// of `dataset` as it is configured now. Each part is a handle of its own (+1 each), for a thread of its own, and
    /// has the next batches made ahead where the engine has threads for it. A part cannot be configured, distributed
    /// again, or made into other data sets: FAILED_PRECONDITION.
    fn percale_dataset_distribute(dataset: *mut percale_dataset, replicas: usize, out_datasets: *mut *mut percale_dataset) -> *mut percale_status;
    /// Rows of the data set; of a replica's part those that an epoch's batches give it. 0 for NULL.
    fn percale_dataset_rows(dataset: *const percale_dataset) -> i64;
    /// Columns, which are as many as `percale_dataset_next()` gives tensors; 0 for NULL.
    fn percale_dataset_column_count(dataset: *const percale_dataset) -> usize;
    /// The name of a column, in the order of `percale_dataset_next()`; NULL past the end. Borrowed.
    fn percale_dataset_get_column_name(dataset: *const percale_dataset, index: usize) -> *const c_char;
    /// dtype of a column's batches, and dims and rank of one row of it: a batch has the number of its rows before
    /// them. `out_dims` has room for 8. OUT_OF_RANGE past the end.
    fn percale_dataset_column_type(dataset: *const percale_dataset, index: usize, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// The next batch, one new tensor per name; OUT_OF_RANGE at the end of the epoch, after which the next epoch
    /// begins.
    fn percale_dataset_next(dataset: *mut percale_dataset, out_tensors: *mut *mut percale_tensor) -> *mut percale_status;
    /// One reference more; the data set itself, NULL for NULL.
    fn percale_dataset_retain(dataset: *mut percale_dataset) -> *mut percale_dataset;
    /// Gives a reference to the data set back; NULL does nothing.
    fn percale_dataset_release(dataset: *mut percale_dataset);
    /// Trains `graph`, whose main function has the inputs of the data set and an output that is the scalar loss.
    /// `options` of kind "trainer" or NULL (loss, metrics, optimizer, schedule, shards, clip_norm, accumulation, ema,
    /// groups, freeze, early_stopping, ...; see `percale_options_describe()`). `variables` may be NULL: a new table,
    /// drawn by the option "seed".
    fn percale_trainer_create(engine: *mut percale_engine, graph: *const percale_graph, variables: *mut percale_variables, options: *const percale_options, out_trainer: *mut *mut percale_trainer) -> *mut percale_status;
    /// A trainer from a SPEC (JSON text): model, loss, metrics, optimizer, data. Relative paths are looked up in
    /// `data_folder`, the environment's PERCALE_DATA, the cache, and `spec_folder`; `data_folder` may be NULL,
    /// `spec_folder` may be NULL. `options` of kind "trainer", or NULL, override the SPEC, but for those that stand
    /// for a key of it (`percale_options_describe()` says "Not for a SPEC"). SPEC.md, which is installed with the
    /// library's documentation, has all keys.
    fn percale_trainer_from_spec(engine: *mut percale_engine, spec: *const c_char, spec_size: usize, spec_folder: *const c_char, data_folder: *const c_char, options: *const percale_options, out_trainer: *mut *mut percale_trainer) -> *mut percale_status;
    /// Adds a reference and returns `trainer`. NULL is allowed and returned.
    fn percale_trainer_retain(trainer: *mut percale_trainer) -> *mut percale_trainer;
    /// Gives a reference to the trainer back; NULL does nothing.
    fn percale_trainer_release(trainer: *mut percale_trainer);
    /// One step on one global batch; `out_loss` (may be NULL) is the batch's mean loss before the update. With the
    /// option "accumulation" as many calls make a step, the last of them updates; until then fit and save answer
    /// FAILED_PRECONDITION.
    fn percale_trainer_step(trainer: *mut percale_trainer, names: *const *const c_char, batch: *const *mut percale_tensor, count: usize, out_loss: *mut f64) -> *mut percale_status;
    /// The same; it also gives values that the batch's forward pass computed, in its form for training and before the
    /// update, one new tensor per name in `fetches`: outputs of `percale_trainer_model()`, and other values of the
    /// graph that the loss needs, by name. Rows are those of the batch, in its order. NOT_FOUND for a value that a
    /// step does not compute. INVALID_ARGUMENT, and no step, for one that has no row for each row of the batch,
    /// unless the batch is one shard. FAILED_PRECONDITION in the mode "backup:N", which leaves shards out. With
    /// parameters that lie on devices alone, they are the host's from then on, which a warning says.
    ///
    /// percale_tensor* scores; const char* const fetches\[\] = {"scores"}; status =
    /// percale_trainer_step_fetch(trainer, names, batch, 2, fetches, 1, &scores, &loss);
    fn percale_trainer_step_fetch(trainer: *mut percale_trainer, names: *const *const c_char, batch: *const *mut percale_tensor, count: usize, fetches: *const *const c_char, fetch_count: usize, out_tensors: *mut *mut percale_tensor, out_loss: *mut f64) -> *mut percale_status;
    /// Trains over the data set for as many epochs as are left until `epochs` (0: as the SPEC, or the option
    /// "epochs", says): those of earlier calls count, so that a second call with the same number does nothing, and
    /// goes on where the first one was ended. The data set has a column for each input by name, of its dtype; where
    /// the input is I64, as class numbers and the ids of an Embedding are, narrower integers and whole floats are
    /// good too. Rows have the shape of the input's, but for dims of 1; flat rows take the input's shape, and a flat
    /// input theirs. Rows of \[28, 28, 3\] are an error where the input wants \[3, 28, 28\]. A schedule without a
    /// length of its own runs over the epochs that this call was told. `dataset` may be NULL for a trainer from a
    /// SPEC with data. `callback` may be NULL. Neither it nor `user` is used after the return.
    fn percale_trainer_fit(trainer: *mut percale_trainer, dataset: *mut percale_dataset, epochs: i64, callback: percale_progress_callback, user: *mut c_void) -> *mut percale_status;
    /// Data that is evaluated after each epoch of `percale_trainer_fit()`: "val_loss" and "val_" metrics join the
    /// history, and may be monitored; epochs without such data have NaN there. Not during a call. `dataset` may be
    /// NULL: none.
    fn percale_trainer_set_validation(trainer: *mut percale_trainer, dataset: *mut percale_dataset) -> *mut percale_status;
    /// Loss and metrics over a data set as JSON: {"loss":0.03,"accuracy":0.99}. `dataset` may be NULL: the SPEC's
    /// test data, else its validation data.
    fn percale_trainer_evaluate(trainer: *mut percale_trainer, dataset: *mut percale_dataset, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Makes what was trained so far the next version of the table, in one piece: runs of sessions on the same
    /// variables that begin later see it, those under way keep the version that they began with, and nobody waits.
    /// The option "publish" says when a trainer does so by itself.
    fn percale_trainer_publish(trainer: *mut percale_trainer) -> *mut percale_status;
    /// The optimizer's learning rate from the next step on, which the schedule begins with: a factor of it, or a fall
    /// from it, counts from this rate. Checkpoints hold it. Between two steps, or within the progress callback.
    /// INVALID_ARGUMENT unless `rate` is a finite number from 0 on; FAILED_PRECONDITION with the schedule one_cycle,
    /// which says the rate itself, and during a step.
    fn percale_trainer_set_learning_rate(trainer: *mut percale_trainer, rate: f64) -> *mut percale_status;
    /// Ends the call under way (step, fit, evaluate) with CANCELLED; the state is that of the last completed step.
    /// Later calls are not affected. Any thread. NULL: nothing.
    fn percale_trainer_cancel(trainer: *mut percale_trainer);
    /// From now on step, fit and evaluate end with CANCELLED when `cancellation` is, within a step, between two, or
    /// before they begin; the state is that of the last completed step. It takes the place of the one before;
    /// `cancellation` may be NULL: none. During a call it does nothing.
    fn percale_trainer_set_cancellation(trainer: *mut percale_trainer, cancellation: *mut percale_cancellation);
    /// Writes a checkpoint `folder`/step-N, whole or not at all. It replaces one of the same step, and is the newest
    /// of the folder from then on. With the options "keep_last" and "keep_best" older checkpoints of this run are
    /// removed, never those of another run.
    fn percale_trainer_save(trainer: *mut percale_trainer, folder: *const c_char) -> *mut percale_status;
    /// Takes up a checkpoint: `path` is one, `folder`/step-N, or a folder, whose newest whole one is taken. The same
    /// bits follow as without the interruption. NOT_FOUND without the folder or a checkpoint in it. DATA_LOSS when
    /// the one that was named, or every one, is damaged; newer ones that are damaged are logged as a warning and
    /// listed by `percale_trainer_describe()`: {"run_id", "restored_from", "skipped_checkpoints"}.
    /// FAILED_PRECONDITION names the first difference when the checkpoint is of another job: model, initializers,
    /// loss, optimizer, schedule, shape and batches of the data, seed, shards, accumulation, frozen variables, or the
    /// numerics fingerprint (the option "any_fingerprint" takes up that of another). Epochs, devices, threads, paths
    /// and logging may change, and between epochs metrics; with other epochs a schedule without a length of its own
    /// gives other rates. Data that the trainer does not know yet is compared by the next `percale_trainer_fit()`.
    fn percale_trainer_restore(trainer: *mut percale_trainer, path: *const c_char) -> *mut percale_status;
    /// Makes `folder` where it is missing and locks it for the run of this trainer, until the trainer is gone, locks
    /// another folder, or the process ends. A run begins with a new trainer and goes on in one that restores its
    /// checkpoint, so restore first. UNAVAILABLE names the process that has locked the folder. ALREADY_EXISTS when it
    /// holds checkpoints of another run; with `overwrite` not 0 those are removed, and nothing else. The lock is
    /// advisory: `percale_trainer_save()` does not ask for it.
    fn percale_trainer_lock_folder(trainer: *mut percale_trainer, folder: *const c_char, overwrite: i32) -> *mut percale_status;
    /// The graph for inference (inputs to predictions) with a new reference.
    fn percale_trainer_model(trainer: *mut percale_trainer, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// The table that is trained, with a new reference.
    fn percale_trainer_variables(trainer: *mut percale_trainer, out_variables: *mut *mut percale_variables) -> *mut percale_status;
    /// Steps that were completed.
    fn percale_trainer_steps(trainer: *const percale_trainer) -> i64;
    /// The history: "csv", "svg" (a plot of the loss), or "events": the bytes of a file events.out.tfevents.* for
    /// TensorBoard, which later begin with those that were given earlier.
    fn percale_trainer_history(trainer: *const percale_trainer, format: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Facts as JSON: parameters, shards, devices, batch size, optimizer, data. "epoch" is that of the next step,
    /// from 1: after all of 8 epochs it is 9.
    fn percale_trainer_describe(trainer: *const percale_trainer, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// An empty trace.
    fn percale_trace_create(engine: *mut percale_engine, out_trace: *mut *mut percale_trace) -> *mut percale_status;
    /// Records what the session does from now on. `trace` may be NULL: that ends it.
    fn percale_session_set_trace(session: *mut percale_session, trace: *mut percale_trace);
    /// Records what the trainer does from now on. `trace` may be NULL: that ends it. During a call it does nothing.
    fn percale_trainer_set_trace(trainer: *mut percale_trainer, trace: *mut percale_trace);
    /// The spans in the JSON form that Chrome and Perfetto open.
    fn percale_trace_json(trace: *const percale_trace, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Gives a reference to the trace back; NULL does nothing.
    fn percale_trace_release(trace: *mut percale_trace);
    /// A cluster without tasks.
    fn percale_cluster_create(out_cluster: *mut *mut percale_cluster) -> *mut percale_status;
    /// From the JSON of TF_CONFIG.
    fn percale_cluster_from_json(json: *const c_char, size: usize, out_cluster: *mut *mut percale_cluster) -> *mut percale_status;
    /// From the process's environment: TF_CONFIG, SLURM_*, RANK and WORLD_SIZE, OMPI_*. NOT_FOUND without any.
    fn percale_cluster_from_environment(out_cluster: *mut *mut percale_cluster) -> *mut percale_status;
    /// A task of a job, from 0 on, and its address, "host:port". ALREADY_EXISTS for one that is there.
    fn percale_cluster_add_task(cluster: *mut percale_cluster, job: *const c_char, task: i64, address: *const c_char) -> *mut percale_status;
    /// Which task this process is, added or not.
    fn percale_cluster_set_role(cluster: *mut percale_cluster, job: *const c_char, task: i64) -> *mut percale_status;
    /// The number of jobs; 0 for NULL.
    fn percale_cluster_job_count(cluster: *const percale_cluster) -> usize;
    /// The name of a job, in the order in which they came; NULL past the end. Borrowed.
    fn percale_cluster_get_job(cluster: *const percale_cluster, index: usize) -> *const c_char;
    /// One more than the highest number of a task; 0 for an unknown job.
    fn percale_cluster_task_count(cluster: *const percale_cluster, job: *const c_char) -> i64;
    /// "host:port", "" where the source does not tell it, NULL when there is no such task. Borrowed.
    fn percale_cluster_get_address(cluster: *const percale_cluster, job: *const c_char, task: i64) -> *const c_char;
    /// The own job ("" when none was given) and task. Borrowed. `out_task` may be NULL.
    fn percale_cluster_get_role(cluster: *const percale_cluster, out_task: *mut i64) -> *const c_char;
    /// Gives a reference to the cluster back; NULL does nothing.
    fn percale_cluster_release(cluster: *mut percale_cluster);
}
