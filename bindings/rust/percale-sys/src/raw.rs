// Written by bindings/gen from c_api/percale.h; changes belong there.

use std::ffi::{c_char, c_void};
use std::marker::{PhantomData, PhantomPinned};

/// Code of a status: the canonical codes of gRPC. New ones are only added at the end.
pub type percale_code = i32;
/// The constant 0 of `percale_code`: success.
pub const PERCALE_OK: percale_code = 0;
/// The constant 1 of `percale_code`: cancelled by the caller.
pub const PERCALE_CANCELLED: percale_code = 1;
/// The constant 2 of `percale_code`: none of the other codes.
pub const PERCALE_UNKNOWN: percale_code = 2;
/// The constant 3 of `percale_code`: wrong in every state.
pub const PERCALE_INVALID_ARGUMENT: percale_code = 3;
/// The constant 4 of `percale_code`: the timeout has passed.
pub const PERCALE_DEADLINE_EXCEEDED: percale_code = 4;
/// The constant 5 of `percale_code`: no such file, name or kind.
pub const PERCALE_NOT_FOUND: percale_code = 5;
/// The constant 6 of `percale_code`: the name is taken.
pub const PERCALE_ALREADY_EXISTS: percale_code = 6;
/// The constant 7 of `percale_code`: the system forbids it.
pub const PERCALE_PERMISSION_DENIED: percale_code = 7;
/// The constant 8 of `percale_code`: out of memory, or beyond a limit.
pub const PERCALE_RESOURCE_EXHAUSTED: percale_code = 8;
/// The constant 9 of `percale_code`: wrong in the present state.
pub const PERCALE_FAILED_PRECONDITION: percale_code = 9;
/// The constant 10 of `percale_code`: ended by a callback or another fault.
pub const PERCALE_ABORTED: percale_code = 10;
/// The constant 11 of `percale_code`: past the end, or beyond a range.
pub const PERCALE_OUT_OF_RANGE: percale_code = 11;
/// The constant 12 of `percale_code`: known, but not available here.
pub const PERCALE_UNIMPLEMENTED: percale_code = 12;
/// The constant 13 of `percale_code`: an error of the library itself.
pub const PERCALE_INTERNAL: percale_code = 13;
/// The constant 14 of `percale_code`: not now, or not on this machine.
pub const PERCALE_UNAVAILABLE: percale_code = 14;
/// The constant 15 of `percale_code`: data is damaged or missing.
pub const PERCALE_DATA_LOSS: percale_code = 15;
/// The constant 16 of `percale_code`: an unknown peer.
pub const PERCALE_UNAUTHENTICATED: percale_code = 16;

/// Element type; the numbers are those of ONNX's TensorProto.DataType.
pub type percale_dtype = i32;
/// The constant 0 of `percale_dtype`: none.
pub const PERCALE_DTYPE_INVALID: percale_dtype = 0;
/// The constant 1 of `percale_dtype`: IEEE single precision.
pub const PERCALE_DTYPE_F32: percale_dtype = 1;
/// The constant 2 of `percale_dtype`: unsigned 8-bit integer.
pub const PERCALE_DTYPE_U8: percale_dtype = 2;
/// The constant 3 of `percale_dtype`: signed 8-bit integer.
pub const PERCALE_DTYPE_I8: percale_dtype = 3;
/// The constant 4 of `percale_dtype`: unsigned 16-bit integer.
pub const PERCALE_DTYPE_U16: percale_dtype = 4;
/// The constant 5 of `percale_dtype`: signed 16-bit integer.
pub const PERCALE_DTYPE_I16: percale_dtype = 5;
/// The constant 6 of `percale_dtype`: signed 32-bit integer.
pub const PERCALE_DTYPE_I32: percale_dtype = 6;
/// The constant 7 of `percale_dtype`: signed 64-bit integer.
pub const PERCALE_DTYPE_I64: percale_dtype = 7;
/// The constant 8 of `percale_dtype`: text; no tensor has it.
pub const PERCALE_DTYPE_STRING: percale_dtype = 8;
/// The constant 9 of `percale_dtype`: 1 byte, 0 or 1.
pub const PERCALE_DTYPE_BOOL: percale_dtype = 9;
/// The constant 10 of `percale_dtype`: IEEE half precision.
pub const PERCALE_DTYPE_F16: percale_dtype = 10;
/// The constant 11 of `percale_dtype`: IEEE double precision.
pub const PERCALE_DTYPE_F64: percale_dtype = 11;
/// The constant 12 of `percale_dtype`: unsigned 32-bit integer.
pub const PERCALE_DTYPE_U32: percale_dtype = 12;
/// The constant 13 of `percale_dtype`: unsigned 64-bit integer.
pub const PERCALE_DTYPE_U64: percale_dtype = 13;
/// The constant 14 of `percale_dtype`: two f32.
pub const PERCALE_DTYPE_COMPLEX64: percale_dtype = 14;
/// The constant 15 of `percale_dtype`: two f64.
pub const PERCALE_DTYPE_COMPLEX128: percale_dtype = 15;
/// The constant 16 of `percale_dtype`: the upper half of an f32.
pub const PERCALE_DTYPE_BF16: percale_dtype = 16;
/// The constant 17 of `percale_dtype`: 8-bit float: 4 bits exponent, 3 fraction, no infinity.
pub const PERCALE_DTYPE_F8E4M3FN: percale_dtype = 17;
/// The constant 18 of `percale_dtype`: the same without negative zero.
pub const PERCALE_DTYPE_F8E4M3FNUZ: percale_dtype = 18;
/// The constant 19 of `percale_dtype`: 8-bit float: 5 bits exponent, 2 fraction.
pub const PERCALE_DTYPE_F8E5M2: percale_dtype = 19;
/// The constant 20 of `percale_dtype`: the same without infinity and negative zero.
pub const PERCALE_DTYPE_F8E5M2FNUZ: percale_dtype = 20;
/// The constant 21 of `percale_dtype`: unsigned 4-bit integer, two per byte.
pub const PERCALE_DTYPE_U4: percale_dtype = 21;
/// The constant 22 of `percale_dtype`: signed 4-bit integer, two per byte.
pub const PERCALE_DTYPE_I4: percale_dtype = 22;
/// The constant 23 of `percale_dtype`: 4-bit float, two per byte.
pub const PERCALE_DTYPE_F4E2M1: percale_dtype = 23;
/// The constant 24 of `percale_dtype`: a power of two in 8 bits.
pub const PERCALE_DTYPE_F8E8M0: percale_dtype = 24;
/// The constant 25 of `percale_dtype`: unsigned 2-bit integer, four per byte.
pub const PERCALE_DTYPE_U2: percale_dtype = 25;
/// The constant 26 of `percale_dtype`: signed 2-bit integer, four per byte.
pub const PERCALE_DTYPE_I2: percale_dtype = 26;

/// Level of a message of the log.
pub type percale_log_level = i32;
/// The constant 0 of `percale_log_level`: for developers of Percale.
pub const PERCALE_LOG_DEBUG: percale_log_level = 0;
/// The constant 1 of `percale_log_level`: progress and decisions: placement, idle devices, op
/// Print.
pub const PERCALE_LOG_INFO: percale_log_level = 1;
/// The constant 2 of `percale_log_level`: the library continues without something, such as a
/// device.
pub const PERCALE_LOG_WARNING: percale_log_level = 2;
/// The constant 3 of `percale_log_level`: a failure that no call can report.
pub const PERCALE_LOG_ERROR: percale_log_level = 3;

/// A value of a builder: an input, a constant, a variable or an output of a node; -1: none.
pub type percale_value = i32;

/// As a value: none.
pub const PERCALE_NO_VALUE: percale_value = -1;
/// As a size: the text ends with NUL.
pub const PERCALE_NUL_ENDED: usize = usize::MAX;
/// As a timeout: none. Any other negative number is a time that has passed.
pub const PERCALE_FOREVER: i64 = -1;

/// Text with its size, owned by the receiver. *thread-safe*.
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

/// *thread-compatible*. Named settings of an engine, a session, a trainer or an export.
#[repr(C)]
pub struct percale_options {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. The root of all objects: registries, devices, threads, memory limit. A process
/// may have several.
#[repr(C)]
pub struct percale_engine {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe* as a handle. Only the sole user of a tensor may write to its memory.
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

/// *thread-safe*. The table of named tensors that sessions and trainers share, in versions.
#[repr(C)]
pub struct percale_variables {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. Runs a graph; any number of runs at a time.
#[repr(C)]
pub struct percale_session {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. A prepared set of feeds and fetches, the fast way to run. Make one per
/// thread.
#[repr(C)]
pub struct percale_call {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. A cancellation token. Cancelling it ends every call and trainer that it was
/// passed to, for good.
#[repr(C)]
pub struct percale_cancellation {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. The end of an asynchronous run, and its results.
#[repr(C)]
pub struct percale_event {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. Rows of tensors, in batches.
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

/// *thread-safe*. Spans of time, recorded while the trace is attached.
#[repr(C)]
pub struct percale_trace {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. The description of a cluster: jobs, tasks, addresses, the role of this
/// process.
#[repr(C)]
pub struct percale_cluster {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-safe*. Serves the devices of an engine to other processes.
#[repr(C)]
pub struct percale_server {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// *thread-compatible*. A piece of work for the thread pool of the host.
#[repr(C)]
pub struct percale_task {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Type of a function that receives messages of the library. `message` has `size` bytes of UTF-8
/// and ends with the call. An error that a call returns as a status is not logged. Any thread may
/// call the function. Within it a function that returns a status answers FAILED_PRECONDITION. It
/// may cancel, and read statuses and texts; it must not release an object of the library.
pub type percale_log_function =
    Option<unsafe extern "C" fn(user: *mut c_void, level: percale_log_level, message: *const c_char, size: usize)>;

/// Type of a function that releases `user`. It is called exactly once, when the function that
/// `user` belongs to will never be called again, within the call of the host that causes this. It
/// may release other objects; a function that returns a status answers FAILED_PRECONDITION within
/// it.
pub type percale_destroy =
    Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Sends sends\[r\] to rank r and fills recvs\[r\] with what rank r sends, for all `size` ranks of
/// the group; the entries of the own rank are empty. All ranks call it in the same order and with
/// the same tag, and both sides know every size in advance: a message of another size, or with
/// another tag, is an error of the supplier, which it must return. The memory belongs to the
/// library; what is sent stays unchanged, and is not read after the return.
///
/// Tags grow on every rank. With `lost` in the table, a message with a smaller tag than that of the
/// call is of an exchange that has failed: drop it. One with a larger tag says that the other rank
/// has given this exchange up: return UNAVAILABLE, and keep the message for the call with its tag.
///
/// The library calls it from one thread at a time, which need not be the one that trains. It may
/// block. `timeout_ns` is the time after which it must give up with UNAVAILABLE; \< 0: none.
/// Returns NULL, or a status that the library releases (`percale_status_create()`). It must not
/// call functions of the same trainer.
pub type percale_exchange_function =
    Option<unsafe extern "C" fn(user: *mut c_void, tag: u64, sends: *const percale_bytes, recvs: *mut percale_bytes, timeout_ns: i64) -> *mut percale_status>;

/// Tells which ranks are lost, after an exchange that failed. On entry `*inout_count` is the room
/// in `out_ranks`; on return it is the number of all that were lost so far, which are in ascending
/// order. The others go on without them.
///
/// An answer with no rank beyond those of the last call says that all go on. If the exchange has
/// failed with UNAVAILABLE, the library repeats the step; the connections must work again when the
/// function returns. All ranks that are left must get such an answer equally often. If they cannot
/// go on, return an error, which ends the call.
///
/// If eight repeats in a row have not completed a step, the library calls it once more, without an
/// exchange in between: tell a rank that is given up, or the call ends with the error of the
/// exchange.
pub type percale_lost_function =
    Option<unsafe extern "C" fn(user: *mut c_void, out_ranks: *mut i32, inout_count: *mut usize) -> *mut percale_status>;

/// Type of a function that writes row `row` of a data set: the elements of column i go to the
/// memory at `columns[i]`, which holds zeros. The same number must always give the same row; only
/// then a training can resume exactly. It is called on the thread that asks for the batch. A result
/// other than 0 ends that call with ABORTED. Within it `percale_dataset_configure()` and
/// `percale_dataset_next()` of this data set, and calls, saves and publishing of a trainer that
/// asks for the row, answer FAILED_PRECONDITION; all other functions may be called.
pub type percale_row_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, row: i64, columns: *const *mut c_void) -> i32>;

/// Type of a function that writes the next rows of a stream: `max_rows` of them at most, the first
/// one being row `first_row` of `epoch`, both counted from 0. The elements of column i go to the
/// memory at `columns[i]`, one row behind the other; it holds zeros. `*out_rows` becomes the number
/// of rows that were written, 0 at the end of the epoch. Rows are asked for one after the other,
/// with three exceptions. An epoch, or an evaluation, begins at row 0 again. A training that was
/// resumed goes on from the row where it stands. After an error, a batch is read from its first row
/// again.
///
/// The function may return an error, for instance if its source cannot go there. That error ends
/// the call that asked for the rows, and the training keeps the state of its last step.
/// OUT_OF_RANGE becomes ABORTED, because `percale_dataset_next()` gives it at the end of an epoch.
/// The function is called on the thread that asks for the batch, and what it may call is what a
/// percale_row_callback may.
pub type percale_stream_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, epoch: i64, first_row: i64, max_rows: i64, columns: *const *mut c_void, out_rows: *mut i64) -> *mut percale_status>;

/// Type of a function that frees memory that a tensor borrowed. It is called once, within a
/// release, run or wait of the host. It may release other objects; a function that returns a status
/// answers FAILED_PRECONDITION within it.
pub type percale_deleter =
    Option<unsafe extern "C" fn(user: *mut c_void, data: *mut c_void)>;

/// Takes over a task, to be run on any thread, at once or later: `percale_task_run()`, then
/// `percale_task_release()`, by whichever thread. Returns NULL, or a status that the library
/// releases (`percale_status_create()`); then the task stays with the library, and the run or the
/// step of training that needed the pool returns the status.
///
/// The library never waits for a task that has not begun: the calling thread does the work that no
/// task has taken. A pool of one thread, a pool that runs tasks at once on the calling thread, and
/// runs that are started within the pool therefore come to an end. Tasks may run in any order and
/// at the same time. Any thread may call the function. It must not block, and must not call
/// functions of the same engine except within the task.
pub type percale_execute_function =
    Option<unsafe extern "C" fn(user: *mut c_void, task: *mut percale_task) -> *mut percale_status>;

/// Gives the size of a file in bytes. `name` is the path without "host:". Returns NULL, or a status
/// that the library releases (`percale_status_create()`): NOT_FOUND if there is no such file.
pub type percale_file_size_function =
    Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, out_size: *mut i64) -> *mut percale_status>;

/// Reads `size` bytes from byte `offset` of a file into `buffer`: all of them, or it returns a
/// status. The library reads no byte past the size that it was given, and none twice for one model.
pub type percale_file_read_function =
    Option<unsafe extern "C" fn(user: *mut c_void, name: *const c_char, offset: i64, buffer: *mut c_void, size: usize) -> *mut percale_status>;

/// Type of a function that is called exactly once when a run is over, also if the event was
/// released before: on the thread that ends the run, or at once on the thread of the caller if the
/// run is over already. It must not block: `percale_session_run()`,
/// `percale_session_run_versioned()`, `percale_call_run()`, `percale_call_run_until()`,
/// `percale_event_wait()` for a run that is not over, and calls of a trainer answer
/// FAILED_PRECONDITION within it. It may take results, start asynchronous runs, cancel, and release
/// all but the last reference to the engine.
pub type percale_event_callback =
    Option<unsafe extern "C" fn(user: *mut c_void)>;

/// Type of a function that is called after each step. It returns 0 to continue. Another number ends
/// the training after this step: `percale_trainer_fit()` returns success, and the trainer can be
/// saved and trained on. In the modes async and bounded:k, steps that devices have completed
/// meanwhile stay. Within it the trainer may be saved, published, described, cancelled, retained
/// and released, its learning rate set, and its history, model and variables taken. Its step, fit,
/// evaluate, restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do
/// `percale_dataset_configure()` and `percale_dataset_next()` of its training and validation data;
/// `percale_trainer_set_trace()` and `percale_trainer_set_cancellation()` do nothing. Functions of
/// other objects may be called.
pub type percale_progress_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, progress: *const percale_progress) -> i32>;

/// Memory of a message.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct percale_bytes {
    /// may be NULL if `size` is 0
    pub data: *mut c_void,
    /// in bytes
    pub size: usize,
}

/// The table that a host supplies so that a trainer can join a group.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct percale_collective {
    /// sizeof(percale_collective), which the host sets
    pub struct_size: u32,
    /// passed to the functions
    pub user: *mut c_void,
    /// number of this process, from 0
    pub rank: i32,
    /// number of processes, 1 at least
    pub size: i32,
    /// A number that is the same on all ranks, and grows when the group is formed anew. The
    /// supplier refuses messages of older generations.
    pub generation: u64,
    /// required
    pub exchange: percale_exchange_function,
    /// may be NULL
    pub lost: percale_lost_function,
}

/// A thread pool of the host.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct percale_thread_pool {
    /// sizeof(percale_thread_pool), which the host sets
    pub struct_size: u32,
    /// passed to the function
    pub user: *mut c_void,
    /// required
    pub execute: percale_execute_function,
}

/// Files of the host. Several threads may call the functions at a time, within calls of the host
/// that read files. They must not use objects that the same call uses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct percale_reader {
    /// sizeof(percale_reader), which the host sets
    pub struct_size: u32,
    /// passed to the functions
    pub user: *mut c_void,
    /// required
    pub size: percale_file_size_function,
    /// required
    pub read: percale_file_read_function,
}

/// State of a training after a step, for the callback of `percale_trainer_fit()`. It grows at its
/// end: read no further than `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct percale_progress {
    /// in bytes, as the library has it
    pub struct_size: u32,
    /// counted from 1
    pub epoch: i64,
    /// counted from 1
    pub epochs: i64,
    /// of the whole run, from 1; 0 steps: unknown
    pub step: i64,
    /// of the whole run, from 1; 0 steps: unknown
    pub steps: i64,
    /// counted from 1
    pub step_in_epoch: i64,
    /// counted from 1
    pub steps_in_epoch: i64,
    /// of this step
    pub loss: f64,
    /// of this step
    pub learning_rate: f64,
    /// speed, time so far, time left
    pub rows_per_second: f64,
    /// speed, time so far, time left
    pub seconds: f64,
    /// speed, time so far, time left
    pub eta_seconds: f64,
    /// 1: the metrics below are set
    pub epoch_ended: i32,
    /// of names and of values
    pub metric_count: usize,
    /// borrowed for the call
    pub metric_names: *const *const c_char,
    /// means over the epoch; borrowed
    pub metric_values: *const f64,
    /// mean over the rows of the epoch so far
    pub epoch_loss: f64,
}

functions! {
    /// Returns the version of the loaded library as "major.minor.patch". NUL-ended and static.
    fn percale_version() -> *const c_char;
    /// Returns the version of the ABI: major * 1000 + minor. Within a major version functions are
    /// only added.
    fn percale_abi_version() -> u32;
    /// Creates a builder of an empty graph. Its current function is "main".
    fn percale_builder_create(engine: *mut percale_engine, out_builder: *mut *mut percale_builder) -> *mut percale_status;
    /// Creates a builder that continues a copy of a finished graph.
    fn percale_builder_from_graph(engine: *mut percale_engine, graph: *const percale_graph, out_builder: *mut *mut percale_builder) -> *mut percale_status;
    /// Releases the builder. NULL is allowed.
    fn percale_builder_release(builder: *mut percale_builder);
    /// Finds a value of the current function by its name, to continue a graph. NOT_FOUND names a
    /// similar value.
    fn percale_builder_find_value(builder: *mut percale_builder, name: *const c_char, out_value: *mut percale_value) -> *mut percale_status;
    /// Adds the next input of the current function, a value that runs feed. `dims`: `rank` sizes,
    /// -1 where unknown.
    fn percale_builder_input(builder: *mut percale_builder, name: *const c_char, dtype: percale_dtype, dims: *const i64, rank: usize, out_value: *mut percale_value) -> *mut percale_status;
    /// Adds a constant. The tensor is shared, not copied. `name` may be NULL.
    fn percale_builder_constant(builder: *mut percale_builder, name: *const c_char, tensor: *mut percale_tensor, out_value: *mut percale_value) -> *mut percale_status;
    /// Adds a trainable variable whose initial value is `initial`. `*out_value` reads it.
    fn percale_builder_variable(builder: *mut percale_builder, name: *const c_char, initial: *mut percale_tensor, out_value: *mut percale_value) -> *mut percale_status;
    /// Adds a trainable variable whose initial value is drawn, with the seed that
    /// `percale_variables_create()` gets. `initializer` is "zeros", "ones", "glorot_uniform",
    /// "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "random_uniform",
    /// "random_normal" or "orthogonal".
    fn percale_builder_variable_initialized(builder: *mut percale_builder, name: *const c_char, dtype: percale_dtype, dims: *const i64, rank: usize, initializer: *const c_char, out_value: *mut percale_value) -> *mut percale_status;
    /// Starts a node of an op, such as "Conv", "percale:ApplyAdam", or "sample:Square" of a
    /// plug-in. Inputs and attributes follow, then `percale_builder_finish_node()`, which looks up
    /// the op. The first output of a node has the name of the node, by which runs feed and fetch
    /// it. Further outputs are called NAME:1, NAME:2, and so on. `name` may be NULL: the builder
    /// chooses one.
    fn percale_builder_node(builder: *mut percale_builder, op: *const c_char, name: *const c_char) -> *mut percale_status;
    /// Starts a layer, which is a composite such as "Dense" or "Conv2D" with the attributes of
    /// Keras; `percale_engine_describe()` lists them. The output has the name of the layer. `name`
    /// may be NULL: the builder chooses one.
    fn percale_builder_layer(builder: *mut percale_builder, layer: *const c_char, name: *const c_char) -> *mut percale_status;
    /// Adds the next input of the started node or layer; PERCALE_NO_VALUE for an optional input
    /// that is absent.
    fn percale_builder_add_input(builder: *mut percale_builder, value: percale_value) -> *mut percale_status;
    /// Sets an attribute of the started node or layer to a whole number.
    fn percale_builder_set_int(builder: *mut percale_builder, attribute: *const c_char, value: i64) -> *mut percale_status;
    /// Sets an attribute to a number.
    fn percale_builder_set_float(builder: *mut percale_builder, attribute: *const c_char, value: f64) -> *mut percale_status;
    /// Sets an attribute to a text.
    fn percale_builder_set_string(builder: *mut percale_builder, attribute: *const c_char, value: *const c_char) -> *mut percale_status;
    /// Sets an attribute to a list of whole numbers.
    fn percale_builder_set_ints(builder: *mut percale_builder, attribute: *const c_char, values: *const i64, count: usize) -> *mut percale_status;
    /// Sets an attribute to a list of numbers.
    fn percale_builder_set_floats(builder: *mut percale_builder, attribute: *const c_char, values: *const f64, count: usize) -> *mut percale_status;
    /// Sets an attribute to a list of texts.
    fn percale_builder_set_strings(builder: *mut percale_builder, attribute: *const c_char, values: *const *const c_char, count: usize) -> *mut percale_status;
    /// Sets an attribute to a tensor, which is shared and not copied.
    fn percale_builder_set_tensor(builder: *mut percale_builder, attribute: *const c_char, value: *mut percale_tensor) -> *mut percale_status;
    /// Sets an attribute to a function of the graph: a branch of If, the body of Loop.
    fn percale_builder_set_function(builder: *mut percale_builder, attribute: *const c_char, function: *const c_char) -> *mut percale_status;
    /// Finishes the started node or layer: checks it, infers shapes, and gives its outputs. A layer
    /// has one. After an error the node is dropped and the builder is as before
    /// `percale_builder_node()`. `out_values` may be NULL if `output_count` is 0.
    fn percale_builder_finish_node(builder: *mut percale_builder, output_count: usize, out_values: *mut percale_value) -> *mut percale_status;
    /// Starts a new function. Everything that follows goes into it, until
    /// `percale_builder_end_function()`. Functions nest.
    fn percale_builder_begin_function(builder: *mut percale_builder, name: *const c_char) -> *mut percale_status;
    /// Ends the function that `percale_builder_begin_function()` started.
    fn percale_builder_end_function(builder: *mut percale_builder) -> *mut percale_status;
    /// Sets the outputs of the current function.
    fn percale_builder_set_outputs(builder: *mut percale_builder, values: *const percale_value, count: usize) -> *mut percale_status;
    /// Gives a value of the current function another name, by which runs feed and fetch it.
    /// ALREADY_EXISTS: the name is taken.
    fn percale_builder_rename(builder: *mut percale_builder, value: percale_value, name: *const c_char) -> *mut percale_status;
    /// Gives element type, dims (-1 where unknown) and rank of a value; the rank is SIZE_MAX if
    /// unknown. `out_dims` has room for 8.
    fn percale_builder_value_type(builder: *const percale_builder, value: percale_value, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// Sets the device hint of the nodes that follow; "" ends it. The name of a device ("cuda:0")
    /// places them there; a session that cannot do so fails, unless its option "soft_placement" is
    /// on. "colocate:NAME" places them on the device of the node NAME, or of the nodes that read
    /// and assign the variable NAME.
    fn percale_builder_set_device(builder: *mut percale_builder, device: *const c_char) -> *mut percale_status;
    /// Makes the node of `after` run only when the node of `before` has run. An op on a queue
    /// ("percale:QueueEnqueue") is ordered by this; it runs only if it is needed otherwise or is a
    /// target.
    fn percale_builder_control_dependency(builder: *mut percale_builder, before: percale_value, after: percale_value) -> *mut percale_status;
    /// Adds nodes that compute the gradients of the sum of `ys` with respect to each of `xs`.
    /// UNIMPLEMENTED names an op without a gradient.
    fn percale_builder_gradients(builder: *mut percale_builder, ys: *const percale_value, y_count: usize, xs: *const percale_value, x_count: usize, out_gradients: *mut percale_value) -> *mut percale_status;
    /// Adds the work of one training step: gradients of the scalar `loss` for every trainable
    /// variable that it reads, and an optimizer that assigns them. `optimizer` is a name ("adam")
    /// or JSON ({"name":"adam","learning_rate":0.001}). Running the target `*out_target_name`
    /// ("train_step", borrowed from the builder) does one step.
    fn percale_builder_minimize(builder: *mut percale_builder, loss: percale_value, optimizer: *const c_char, out_target_name: *mut *const c_char) -> *mut percale_status;
    /// Validates the graph and gives it. The builder is left empty.
    fn percale_builder_finish(builder: *mut percale_builder, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Creates a cluster without tasks.
    fn percale_cluster_create(out_cluster: *mut *mut percale_cluster) -> *mut percale_status;
    /// Reads the JSON of TF_CONFIG, `size` bytes or PERCALE_NUL_ENDED.
    fn percale_cluster_from_json(json: *const c_char, size: usize, out_cluster: *mut *mut percale_cluster) -> *mut percale_status;
    /// Reads the variables that the launcher of the process has set. The first of these that is set
    /// tells the launcher: TF_CONFIG, RANK (torchrun), PET_NNODES or PET_NODE_RANK (torchrun's
    /// options, which Kubeflow sets), DMLC_ROLE (ps-lite), OMPI_COMM_WORLD_RANK (Open MPI),
    /// PMI_RANK (MPICH), PMIX_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX (Kubernetes). MASTER_ADDR
    /// and MASTER_PORT, or PET_MASTER_ADDR and PET_MASTER_PORT, are the address of rank 0.
    /// PERCALE_TASKS is the number of processes where the launcher gives none, and
    /// PERCALE_CERTIFICATES the folder of `percale_cluster_set_certificates()`. The page "Clusters"
    /// of the reference has the further variables of each launcher. NOT_FOUND: no launcher's
    /// variable is set. INVALID_ARGUMENT: a variable, which the message names, is wrong or missing.
    fn percale_cluster_from_environment(out_cluster: *mut *mut percale_cluster) -> *mut percale_status;
    /// Adds a task of a job, from 0 on, and its address, "host:port" or "unix:path".
    /// ALREADY_EXISTS: the task was added before.
    fn percale_cluster_add_task(cluster: *mut percale_cluster, job: *const c_char, task: i64, address: *const c_char) -> *mut percale_status;
    /// Sets the task that this process is, whether it was added or not.
    fn percale_cluster_set_role(cluster: *mut percale_cluster, job: *const c_char, task: i64) -> *mut percale_status;
    /// Returns the number of jobs; 0 for NULL.
    fn percale_cluster_job_count(cluster: *const percale_cluster) -> usize;
    /// Returns the name of a job, in the order of addition; NULL past the end. Borrowed.
    fn percale_cluster_get_job(cluster: *const percale_cluster, index: usize) -> *const c_char;
    /// Returns one more than the highest number of a task; 0 for an unknown job.
    fn percale_cluster_task_count(cluster: *const percale_cluster, job: *const c_char) -> i64;
    /// Returns the address of a task, as it was added; "" if the source does not give it; NULL for
    /// an unknown task. Borrowed.
    fn percale_cluster_get_address(cluster: *const percale_cluster, job: *const c_char, task: i64) -> *const c_char;
    /// Returns the job of this process, "" if it was not set, and its task. Borrowed. `out_task`
    /// may be NULL.
    fn percale_cluster_get_role(cluster: *const percale_cluster, out_task: *mut i64) -> *const c_char;
    /// Returns the number of this process among those that train together, and in `*out_size` how
    /// many they are: the chief, if there is a job "chief" or "master", then the workers in order.
    /// -1 for a process that does not train, such as "ps" or "evaluator", and for NULL. `out_size`
    /// may be NULL.
    fn percale_cluster_get_rank(cluster: *const percale_cluster, out_size: *mut i64) -> i64;
    /// Sets the folder of certificates by which the processes recognise each other, the same on all
    /// machines: ca.pem, node.pem and node.key, as `percale-worker --make-certificates` makes them.
    /// "" means none: then only processes of one machine may form a group.
    fn percale_cluster_set_certificates(cluster: *mut percale_cluster, folder: *const c_char) -> *mut percale_status;
    /// Releases the cluster. NULL is allowed.
    fn percale_cluster_release(cluster: *mut percale_cluster);
    /// Creates options of a kind: "engine", "session", "trainer" or "export". NOT_FOUND for another
    /// `kind`.
    fn percale_options_create(kind: *const c_char, out_options: *mut *mut percale_options) -> *mut percale_status;
    /// Releases the options. NULL is allowed.
    fn percale_options_release(options: *mut percale_options);
    /// Sets an option from its text, which is converted to the type of the option. A size in bytes
    /// may have a unit: "2GB" (10^9 bytes each) or "2GiB" (2^30 bytes each). NOT_FOUND: an unknown
    /// key; the message names a similar one. OUT_OF_RANGE: the message names the range.
    fn percale_options_set(options: *mut percale_options, key: *const c_char, value: *const c_char) -> *mut percale_status;
    /// Sets an option to a whole number. Errors as `percale_options_set()`.
    fn percale_options_set_int(options: *mut percale_options, key: *const c_char, value: i64) -> *mut percale_status;
    /// Sets an option to a number. Errors as `percale_options_set()`.
    fn percale_options_set_float(options: *mut percale_options, key: *const c_char, value: f64) -> *mut percale_status;
    /// Describes all options of all kinds as JSON: \[{"kind", "key", "type", "default", "choices",
    /// "min", "max", "doc"}\]. "type" is int, float, bytes, text, choice or switch. Options of type
    /// choice have "choices", such as "a|b|c". Numbers with bounds have "min" and "max".
    fn percale_options_describe(out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Creates an engine. `options` of kind "engine", or NULL for the defaults. Plug-ins are
    /// searched for now and at no other time. NOT_FOUND, FAILED_PRECONDITION: a device or a plug-in
    /// that the options name cannot be used; the message says why.
    fn percale_engine_create(options: *const percale_options, out_engine: *mut *mut percale_engine) -> *mut percale_status;
    /// Adds a reference and returns `engine`. NULL is allowed and returned.
    fn percale_engine_retain(engine: *mut percale_engine) -> *mut percale_engine;
    /// Releases a reference. The threads of the engine end with the last one. NULL is allowed.
    fn percale_engine_release(engine: *mut percale_engine);
    /// Returns the number of devices that the engine uses.
    fn percale_engine_device_count(engine: *const percale_engine) -> usize;
    /// Returns the name of a device, such as "cpu:0"; NULL past the end. Borrowed.
    fn percale_engine_get_device_name(engine: *const percale_engine, index: usize) -> *const c_char;
    /// Describes the engine as JSON. `what` is one of: - "info": versions, instruction set,
    /// threads, devices, the reason why a device is absent, libraries, numerics fingerprint,
    /// memory; - "ops": the schemas of all ops; - "asked_ops": the names, without domains, of the
    /// ops that graphs, trainers and passes of this engine have used so far, for the build option
    /// "ops"; - "layers": the schemas of the layers that `percale_builder_layer()` and a SPEC take:
    /// \[{"name", "doc", "inputs": {"min", "max"}, "attributes": \[{"name", "kind", "required",
    /// "default", "min", "max", "doc"}\]}\], with the kinds of ops; - "passes": the passes over
    /// graphs; - "kernels": the kernels, per op and kind of device; - "losses", "metrics",
    /// "optimizers", "schedules" of a SPEC and of trainers: \[{"name","doc","keys"}\]; - "spec":
    /// the keys of a SPEC.
    ///
    /// Keys are \[{"name", "type", "required", "default", "choices", "min", "max", "doc",
    /// "keys"}\]. "default" is a value, or a text that describes the default. "keys" describes the
    /// keys of an object.
    fn percale_engine_describe(engine: *const percale_engine, what: *const c_char, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Sends messages of the level of the option "log" and above to `function`, with `user` as its
    /// first argument. Without it they are dropped. `function` may be NULL: that ends it. Set it
    /// before other threads use the engine.
    fn percale_engine_set_log(engine: *mut percale_engine, function: percale_log_function, user: *mut c_void);
    /// As `percale_engine_set_log()`. `destroy` (may be NULL) is called with `user` when another
    /// function replaces this one, or when the engine ends. On failure it is not called, and the
    /// earlier function stays. `function` may be NULL.
    fn percale_engine_set_log_owned(engine: *mut percale_engine, function: percale_log_function, user: *mut c_void, destroy: percale_destroy) -> *mut percale_status;
    /// Gives the bytes that allocations of the engine hold now, and their maximum so far.
    /// `out_used` may be NULL, `out_peak` may be NULL.
    fn percale_engine_memory(engine: *const percale_engine, out_used: *mut i64, out_peak: *mut i64);
    /// Gives memory that is kept for later runs back to the system: the memory of finished runs,
    /// copies of values on devices that no run uses, and free memory of the C library. Runs that
    /// are under way keep what they have; later runs allocate again, and give the same results.
    /// Plans and packed weights stay. Returns the bytes that the engine has released, those of
    /// devices included; 0 for NULL. Any thread may call it at any time.
    fn percale_engine_trim(engine: *mut percale_engine) -> i64;
    /// Gives what the engine has counted since it was made, as JSON, for a system that watches the
    /// host. Numbers named `_total` only grow. Any thread may call it at any time; runs do not wait
    /// for it. - "runs_total": runs of sessions and calls that the host has begun, without those of
    /// trainers; - "run_seconds_total": the time within these runs. Of runs shorter than 20
    /// microseconds one in 64 is measured, and counted 64 times; - "failed_runs_total": {code:
    /// number} of these runs that returned an error, such as "DEADLINE_EXCEEDED"; codes that have
    /// not occurred are left out; - "sessions": sessions of the host that exist now; -
    /// "plans_compiled_total", "plan_cache_hits_total": of these sessions and their predecessors; -
    /// "training_steps_total": completed steps of all trainers; - "memory_bytes",
    /// "memory_peak_bytes": as `percale_engine_memory()`; - "memory_limit_bytes": the option
    /// "memory_limit"; 0 without a limit; - "threads": threads that a loop uses at most;
    /// "host_threads": whether they are the host's; - "devices": \[{"name", "kind", "lost"}\]; -
    /// "uptime_seconds": since the engine was made.
    fn percale_engine_metrics(engine: *const percale_engine, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Makes the trainer a member of a group, for the rest of its life. All ranks call it with the
    /// same job, first values of variables and completed steps; what they call from then on is the
    /// same on all of them, too: fit, step with the whole batch, evaluate, save, restore. With the
    /// option "collective_data" as "parts", the data sets of each rank, and the batches of its
    /// steps, are its own part of the data; columns are the same on all ranks.
    ///
    /// The shards of a batch are divided among the ranks, each of which computes its own on its
    /// devices. Each rank commits a part of the parameters, and holds the optimizer's state for
    /// that part alone. `percale_trainer_save()` collects the state and writes it on rank 0; any
    /// number of ranks can resume from it.
    ///
    /// With `lost` in the table, training goes on without ranks that are lost, repeats steps whose
    /// exchange has failed although no rank is lost, and gives the same bits. Two ranks then hold
    /// each part of the optimizer's state (option "collective_redundancy"); if both are lost,
    /// DATA_LOSS: resume from a checkpoint.
    ///
    /// The library copies the table; it calls `destroy` with `user` when the trainer is gone, not
    /// on failure. `destroy` may be NULL. The option "collective_timeout" limits each exchange.
    ///
    /// FAILED_PRECONDITION names an option that a group cannot have (mode other than sync,
    /// parameters other than host), or the first setting in which a rank differs from rank 0.
    fn percale_trainer_join(trainer: *mut percale_trainer, collective: *const percale_collective, destroy: percale_destroy) -> *mut percale_status;
    /// Makes the trainer a member of the group of the cluster's processes that train: the chief and
    /// the workers (`percale_cluster_get_rank()`). A plug-in connects them: libpercale_remote.so by
    /// gRPC. Returns when all of them have called it. All else is as with `percale_trainer_join()`;
    /// training goes on without a worker that is lost. When the trainer is gone, the process leaves
    /// the group.
    ///
    /// Addresses beyond this machine need certificates, see `percale_cluster_set_certificates()`.
    /// The address of rank 0 must be known; the others are then optional. `timeout_ns` \< 0: waits
    /// without limit. UNIMPLEMENTED: no plug-in brings a transport. UNAVAILABLE, DEADLINE_EXCEEDED:
    /// the group was not complete in time; the message names the rank or address.
    /// FAILED_PRECONDITION: another version or numerics fingerprint, or no certificates.
    fn percale_trainer_join_cluster(trainer: *mut percale_trainer, cluster: *const percale_cluster, timeout_ns: i64) -> *mut percale_status;
    /// Makes a data set from tensors in memory that all have the same first dim, the number of
    /// rows. Their names become the names of feeds.
    fn percale_dataset_from_tensors(engine: *mut percale_engine, names: *const *const c_char, tensors: *const *mut percale_tensor, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set from files: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv
    /// (plain or gz). "file#name" selects a tensor of the file, or columns of a CSV file, separated
    /// by commas. Paths are taken as they are: only those of a SPEC are searched for in
    /// PERCALE_DATA and in the cache. Rows of several files with one name follow each other.
    ///
    /// Files are mapped if possible (`percale_graph_load_file()` says what that means for files
    /// that change), and CSV is read when it is needed, so files may be larger than memory. Images
    /// of u8 become f32, multiplied by `scale` (0: they stay u8). `csv`: JSON with the rules for
    /// CSV files (SPEC.md, "CSV files"), or NULL: then types and categories of columns are learnt
    /// from the whole file, and `percale_dataset_csv_rules()` gives them for the next data set.
    /// INVALID_ARGUMENT names file, line and column of a wrong field.
    fn percale_dataset_from_files(engine: *mut percale_engine, names: *const *const c_char, paths: *const *const c_char, count: usize, scale: f64, csv: *const c_char, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Gives the rules by which the data set reads its CSV files, as JSON: columns, types,
    /// categories, marks of missing values. With them `percale_dataset_from_files()` reads other
    /// files in the same way: validation data, rows to predict. A trainer writes those of its
    /// training data into its model, under the key "percale.csv" of the metadata in
    /// `percale_graph_describe()`. An empty text if the data set was not made from CSV files.
    fn percale_dataset_csv_rules(dataset: *const percale_dataset, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Makes a data set whose rows are one i64 each: `start`, `start + step`, ... before `stop`.
    fn percale_dataset_range(engine: *mut percale_engine, name: *const c_char, start: i64, stop: i64, step: i64, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set of `rows` rows that a function writes. For each of `count` columns: its
    /// name, element type, and the dims of one row. `user` must stay valid until the data set, and
    /// all that were made from it, are released.
    fn percale_dataset_generator(engine: *mut percale_engine, names: *const *const c_char, dtypes: *const percale_dtype, dims: *const *const i64, ranks: *const usize, count: usize, rows: i64, callback: percale_row_callback, user: *mut c_void, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// As `percale_dataset_generator()`. `destroy` (may be NULL) is called with `user` when the
    /// data set, and all that were made from it, are released. It is not called on failure.
    fn percale_dataset_generator_owned(engine: *mut percale_engine, names: *const *const c_char, dtypes: *const percale_dtype, dims: *const *const i64, ranks: *const usize, count: usize, rows: i64, callback: percale_row_callback, user: *mut c_void, destroy: percale_destroy, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set of rows that come one after the other and whose number only their end
    /// tells: from a queue, a network, a file that is read once. Columns are described as for
    /// `percale_dataset_generator()`. A stream can be configured without shuffling, read by
    /// `percale_dataset_next()`, trained on and evaluated; FAILED_PRECONDITION where rows are
    /// wanted by number: other data sets are not made from it, modes `async` and `bounded` do not
    /// train on it, and in a group it is a rank's own part of the data (option `collective_data`).
    /// A fit reads one batch beyond each step. Of its progress `steps`, `steps_in_epoch` and
    /// `eta_seconds` are 0, and a schedule needs a length of its own. `destroy` (may be NULL) is
    /// called with `user` when the data set is released; it is not called on failure.
    fn percale_dataset_stream(engine: *mut percale_engine, names: *const *const c_char, dtypes: *const percale_dtype, dims: *const *const i64, ranks: *const usize, count: usize, callback: percale_stream_callback, user: *mut c_void, destroy: percale_destroy, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set with the columns of several data sets side by side. All have the same
    /// number of rows, and no two columns the same name. A data set that is made from others keeps
    /// them, and does not see how they are configured.
    fn percale_dataset_zip(datasets: *const *mut percale_dataset, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set with the rows of several data sets that have the same columns, one after
    /// the other.
    fn percale_dataset_concatenate(datasets: *const *mut percale_dataset, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set that has the rows of `dataset` `times` times.
    fn percale_dataset_repeat(dataset: *mut percale_dataset, times: i64, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set of rows that a graph without variables computes. Its inputs are columns by
    /// name; its outputs, of shape \[?, ...\], are the new columns, under their names.
    /// `percale_dataset_rename()` gives a column its old name back. An input that is also an output
    /// stays as it is. The graph runs on the rows of a batch together, on the threads of the
    /// engine.
    fn percale_dataset_map(dataset: *mut percale_dataset, graph: *const percale_graph, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Makes a data set with the same rows and other names of all columns, in order, no two the
    /// same.
    fn percale_dataset_rename(dataset: *mut percale_dataset, names: *const *const c_char, count: usize, out_dataset: *mut *mut percale_dataset) -> *mut percale_status;
    /// Sets batch size, shuffling (a seed, or -1 for the order of the data), and whether a short
    /// last batch is dropped. Without it batches have 32 rows in the order of the data, and the
    /// last one may be shorter. The "batch_size" of a SPEC is for its own data.
    fn percale_dataset_configure(dataset: *mut percale_dataset, batch_size: i64, shuffle_seed: i64, drop_remainder: i32) -> *mut percale_status;
    /// Splits a data set for `replicas` replicas, 1 to 65536. Of each batch of B rows
    /// `out_datasets[r]` gives the rows floor(r * B / replicas) to floor((r + 1) * B / replicas) as
    /// a batch of its own, so that all parts together give each row of an epoch once. Parts of a
    /// short batch may be empty. Batches are those of `dataset` as it is configured now. Each part
    /// is a handle of its own, for a thread of its own, and prepares its next batches ahead if the
    /// engine has threads for it. FAILED_PRECONDITION: a part cannot be configured, distributed
    /// again, or made into other data sets.
    fn percale_dataset_distribute(dataset: *mut percale_dataset, replicas: usize, out_datasets: *mut *mut percale_dataset) -> *mut percale_status;
    /// Returns the number of rows; for a part of `percale_dataset_distribute()`, those of its share
    /// of an epoch. -1 for a stream, 0 for NULL.
    fn percale_dataset_rows(dataset: *const percale_dataset) -> i64;
    /// Returns the number of columns, which is the number of tensors that `percale_dataset_next()`
    /// gives; 0 for NULL.
    fn percale_dataset_column_count(dataset: *const percale_dataset) -> usize;
    /// Returns the name of a column, in the order of `percale_dataset_next()`; NULL past the end.
    /// Borrowed.
    fn percale_dataset_get_column_name(dataset: *const percale_dataset, index: usize) -> *const c_char;
    /// Gives the element type of a column's batches, and dims and rank of one row: a batch has its
    /// number of rows before them. `out_dims` has room for 8. OUT_OF_RANGE past the end.
    fn percale_dataset_column_type(dataset: *const percale_dataset, index: usize, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// Gives the next batch, one new tensor per column. OUT_OF_RANGE at the end of the epoch; the
    /// next call starts the next epoch.
    fn percale_dataset_next(dataset: *mut percale_dataset, out_tensors: *mut *mut percale_tensor) -> *mut percale_status;
    /// Adds a reference and returns `dataset`. NULL is allowed and returned.
    fn percale_dataset_retain(dataset: *mut percale_dataset) -> *mut percale_dataset;
    /// Releases a reference. NULL is allowed.
    fn percale_dataset_release(dataset: *mut percale_dataset);
    /// Creates a tensor in the memory of the engine, 64-byte aligned and filled with zeros. `dims`:
    /// `rank` sizes, each 0 or more; the rank is at most 8. RESOURCE_EXHAUSTED: beyond the memory
    /// limit, or out of memory.
    fn percale_tensor_create(engine: *mut percale_engine, dtype: percale_dtype, dims: *const i64, rank: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Makes a tensor over memory of the caller, without a copy. `data` is row-major and has
    /// `bytes` bytes, which must suffice for the shape. It must stay valid and unchanged until
    /// `deleter(user, data)` is called. `deleter` (may be NULL) is not called if this function
    /// fails. INVALID_ARGUMENT: too few bytes, or memory that is not aligned to an element.
    fn percale_tensor_from_memory(dtype: percale_dtype, dims: *const i64, rank: usize, data: *mut c_void, bytes: usize, deleter: percale_deleter, user: *mut c_void, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Gives a DLManagedTensorVersioned* of DLPack over the memory of the tensor, which it keeps
    /// alive. The caller must call its deleter.
    fn percale_tensor_to_dlpack(tensor: *mut percale_tensor, out_managed: *mut *mut c_void) -> *mut percale_status;
    /// Takes over a DLManagedTensorVersioned*. UNIMPLEMENTED: it is not row-major or not in host
    /// memory; then the caller keeps it.
    fn percale_tensor_from_dlpack(managed: *mut c_void, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Reads a NumPy .npy file.
    fn percale_tensor_load(engine: *mut percale_engine, path: *const c_char, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Makes a tensor from `size` bytes of another format, which a plug-in imports ("onnx": a
    /// TensorProto). UNIMPLEMENTED names the formats that are there.
    fn percale_tensor_import(engine: *mut percale_engine, format: *const c_char, bytes: *const c_void, size: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Writes a NumPy .npy file, completely or not at all.
    fn percale_tensor_save(tensor: *const percale_tensor, path: *const c_char) -> *mut percale_status;
    /// Adds a reference and returns `tensor`. NULL is allowed and returned.
    fn percale_tensor_retain(tensor: *mut percale_tensor) -> *mut percale_tensor;
    /// Releases a reference. With the last one, borrowed memory goes to its deleter. NULL is
    /// allowed.
    fn percale_tensor_release(tensor: *mut percale_tensor);
    /// Returns the element type; 0 for NULL.
    fn percale_tensor_dtype(tensor: *const percale_tensor) -> percale_dtype;
    /// Returns the number of dims; 0 for NULL.
    fn percale_tensor_rank(tensor: *const percale_tensor) -> usize;
    /// Returns the dims, borrowed. Never NULL, not even for a NULL tensor.
    fn percale_tensor_get_dims(tensor: *const percale_tensor) -> *const i64;
    /// Returns the size of the elements in bytes; 0 for NULL.
    fn percale_tensor_bytes(tensor: *const percale_tensor) -> usize;
    /// Returns the number of elements; 0 for NULL.
    fn percale_tensor_element_count(tensor: *const percale_tensor) -> i64;
    /// Returns the elements, row-major and borrowed. Not NULL, except for a NULL tensor. Only the
    /// sole user of a tensor may write to them.
    fn percale_tensor_get_data(tensor: *const percale_tensor) -> *mut c_void;
    /// Makes a graph from `size` bytes of a .percale file. They are copied as far as they must
    /// outlive the call.
    fn percale_graph_load(engine: *mut percale_engine, bytes: *const c_void, size: usize, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Makes a graph over `bytes` bytes of a .percale file in memory of the caller, without a copy
    /// of the weights. The memory must stay valid and unchanged until `deleter(user, data)` is
    /// called, which happens when the last object is gone that uses the weights: graphs, variables,
    /// sessions, tensors. `deleter` (may be NULL) is not called if this function fails.
    ///
    /// `data` must be 64-byte aligned, as every page and mapping is. Otherwise everything is
    /// copied, and `deleter` is called before this function returns. `out_copied` (may be NULL)
    /// receives the number of bytes that were copied.
    fn percale_graph_from_memory(engine: *mut percale_engine, data: *mut c_void, bytes: usize, deleter: percale_deleter, user: *mut c_void, out_copied: *mut i64, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Makes a graph from a .percale file.
    ///
    /// If the engine's option "map_files" is on, as it is by default, the weights are mapped and
    /// not read. The file may then be replaced by a rename, or removed; it must not be truncated or
    /// written to while the graph lives. This holds for all mapped files, also for weights in
    /// safetensors files and for files of data sets. A truncated file is DATA_LOSS if Percale
    /// notices it before it reads (batches of data sets, loaded tensors); in the middle of a run
    /// the system ends the process (SIGBUS). With "map_files" off, files are read into the memory
    /// of the engine and may change.
    fn percale_graph_load_file(engine: *mut percale_engine, path: *const c_char, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Reads a file or folder and returns the first error in it. The name chooses the reader: .npy,
    /// .npz, .safetensors, .onnx (needs its plug-in), .json (a SPEC). A folder is a checkpoint or
    /// holds checkpoints, whose checksums are compared. Any other file is read as .percale.
    /// Thread-safe.
    fn percale_file_check(engine: *mut percale_engine, path: *const c_char) -> *mut percale_status;
    /// Makes a graph from a model of another format ("onnx"), which a plug-in imports.
    /// UNIMPLEMENTED names the formats that are there.
    fn percale_graph_import(engine: *mut percale_engine, format: *const c_char, path: *const c_char, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// As `percale_graph_import()`, from `size` bytes. The model cannot refer to other files.
    fn percale_graph_import_bytes(engine: *mut percale_engine, format: *const c_char, bytes: *const c_void, size: usize, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Writes a .percale file, completely or not at all. With `variables` (may be NULL) their
    /// values become the initial values in the file.
    fn percale_graph_save_file(graph: *const percale_graph, variables: *const percale_variables, path: *const c_char) -> *mut percale_status;
    /// Gives the bytes that `percale_graph_save_file()` would write. `variables` may be NULL.
    fn percale_graph_serialize(graph: *const percale_graph, variables: *const percale_variables, out_bytes: *mut *mut percale_text) -> *mut percale_status;
    /// Writes a model of another format ("onnx") through a plug-in, completely or not at all. It
    /// computes what "main" computes; nodes that no output depends on are left out, also those that
    /// change variables. `variables` (may be NULL) gives the values of variables; without it they
    /// have the initial values of the graph. `options` of kind "export", or NULL. UNIMPLEMENTED
    /// names all ops that the format does not have, or the formats that are there.
    /// FAILED_PRECONDITION: a variable has no value.
    fn percale_graph_export(engine: *mut percale_engine, graph: *const percale_graph, variables: *const percale_variables, format: *const c_char, options: *const percale_options, path: *const c_char) -> *mut percale_status;
    /// Gives the bytes that `percale_graph_export()` would write. RESOURCE_EXHAUSTED: the format
    /// needs a second file for that many. `variables` may be NULL.
    fn percale_graph_export_bytes(engine: *mut percale_engine, graph: *const percale_graph, variables: *const percale_variables, format: *const c_char, out_bytes: *mut *mut percale_text) -> *mut percale_status;
    /// Adds a reference and returns `graph`. NULL is allowed and returned.
    fn percale_graph_retain(graph: *mut percale_graph) -> *mut percale_graph;
    /// Releases a reference. NULL is allowed.
    fn percale_graph_release(graph: *mut percale_graph);
    /// Returns the name of an input of "main", in order; NULL past the end. Borrowed.
    fn percale_graph_get_input_name(graph: *const percale_graph, index: usize) -> *const c_char;
    /// Returns the name of an output of "main", in order; NULL past the end. Borrowed.
    fn percale_graph_get_output_name(graph: *const percale_graph, index: usize) -> *const c_char;
    /// Gives element type, dims (-1 where unknown) and rank of a value of "main": an input, an
    /// output, or an inner value, which can be fed and fetched as well. The rank is SIZE_MAX if
    /// unknown. `out_dims` has room for 8. NOT_FOUND names a similar value.
    fn percale_graph_value_type(graph: *const percale_graph, name: *const c_char, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// Makes a graph with other dims of its inputs. Each of `dims` is "NAME=SIZE", "NAME=?" (any
    /// size) or "INPUT:AXIS=SIZE". Models keep the names that their files have for dims. If no dim
    /// is called "batch", that name means the first dim of the first input, and the first dim of
    /// every other input of the same size. Types of inner values follow, and constant shapes that
    /// contain a freed dim are adapted. NOT_FOUND names a similar dim. INVALID_ARGUMENT names the
    /// first node that only works for another size.
    fn percale_graph_with_dims(graph: *const percale_graph, dims: *const *const c_char, count: usize, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Describes the graph as JSON. `what`: "summary" (functions, inputs, outputs, variables, op
    /// counts, parameters, bytes, metadata) or "nodes".
    fn percale_graph_describe(graph: *const percale_graph, what: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Draws the graph. `format`: "svg" is a picture of "main", at most 4000 pixels high, in which
    /// equal blocks are drawn once; "html" is one page with all functions that needs no network and
    /// lets the reader move, zoom, search and fold. Nodes show the times of `trace`, the JSON of
    /// `percale_trace_json()`; `trace` may be NULL. INVALID_ARGUMENT: another format, or a `trace`
    /// that is none.
    fn percale_graph_draw(graph: *const percale_graph, format: *const c_char, trace: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Creates a table with the initial values of the variables of the graph. It also owns the
    /// queues and mutexes of all sessions and trainers that use it. `seed` is for initializers,
    /// which run on the CPU device of the engine; FAILED_PRECONDITION: there are initializers and
    /// no such device.
    fn percale_variables_create(engine: *mut percale_engine, graph: *const percale_graph, seed: i64, out_variables: *mut *mut percale_variables) -> *mut percale_status;
    /// Adds a reference and returns `variables`. NULL is allowed and returned.
    fn percale_variables_retain(variables: *mut percale_variables) -> *mut percale_variables;
    /// Releases a reference. NULL is allowed.
    fn percale_variables_release(variables: *mut percale_variables);
    /// Returns the number of variables; 0 for NULL.
    fn percale_variables_count(variables: *const percale_variables) -> usize;
    /// Returns the name of a variable, in ascending order; NULL past the end. Borrowed.
    fn percale_variables_get_name(variables: *const percale_variables, index: usize) -> *const c_char;
    /// Gives the value in the newest version, as a tensor that never changes.
    fn percale_variables_value(variables: *const percale_variables, name: *const c_char, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Publishes a new version with this value. INVALID_ARGUMENT: another element type or shape.
    fn percale_variables_assign(variables: *mut percale_variables, name: *const c_char, value: *const percale_tensor) -> *mut percale_status;
    /// Returns the number of the newest version, from 1 on.
    fn percale_variables_version(variables: *const percale_variables) -> i64;
    /// Gives "sha256:..." over names, element types, shapes and little-endian bytes of all
    /// parameters in the order of names, without the slots of optimizers. It is the same in every
    /// language.
    fn percale_variables_digest(variables: *const percale_variables, out_digest: *mut *mut percale_text) -> *mut percale_status;
    /// Takes values from a safetensors file: each tensor whose name is that of a variable.
    /// NOT_FOUND: `strict` is not 0 and a variable is missing.
    fn percale_variables_load(variables: *mut percale_variables, path: *const c_char, strict: i32) -> *mut percale_status;
    /// As `percale_variables_load()`, from `bytes` bytes of a safetensors file in memory of the
    /// caller, without a copy of tensors that are 64-byte aligned there. The memory must stay valid
    /// and unchanged until `deleter(user, data)` is called, which happens when no value lies in it
    /// any more, perhaps before this function returns. `deleter` (may be NULL) is not called if
    /// this function fails. `out_copied` (may be NULL) receives the number of bytes that were
    /// copied.
    fn percale_variables_load_memory(variables: *mut percale_variables, data: *mut c_void, bytes: usize, deleter: percale_deleter, user: *mut c_void, strict: i32, out_copied: *mut i64) -> *mut percale_status;
    /// Takes values of another model. A variable that matches `to[i]` takes the tensor whose name
    /// matches `from[i]`. Each pattern has at most one '*', which stands for the same characters in
    /// both ("enc.*", "dec.*"). If `from[i]` is "", the variable keeps its value. The first of
    /// `count` patterns that matches counts; all other variables take the tensor of their own name,
    /// if there is one. `path` is a safetensors file, a checkpoint step-N, or a folder of them,
    /// whose newest is taken. `out_loaded` (may be NULL) receives the number of variables that took
    /// a value. NOT_FOUND: a tensor that a pattern asks for is missing, or `strict` is not 0 and a
    /// variable took no value. INVALID_ARGUMENT: another element type or shape.
    fn percale_variables_load_mapped(variables: *mut percale_variables, path: *const c_char, from: *const *const c_char, to: *const *const c_char, count: usize, strict: i32, out_loaded: *mut i64) -> *mut percale_status;
    /// Writes the newest version as a safetensors file, completely or not at all.
    fn percale_variables_save(variables: *const percale_variables, path: *const c_char) -> *mut percale_status;
    /// Makes engines of these options compute on the host's threads. They then start no threads
    /// that compute: loops of kernels, asynchronous runs and batches of data are tasks of the pool,
    /// or work of the calling thread. The option "threads" is the number of threads that one loop
    /// uses at most, the calling one included. Results have the same bits as with the engine's own
    /// threads. `options` are of kind "engine". Training has a thread of its own for each device
    /// that works from a stream or whose shards meet within a step (synchronized batch
    /// normalization), and for the exchange in a group.
    ///
    /// The library copies the table. `destroy` (may be NULL) is called with its `user` when the
    /// options and all engines made with them are gone, or when another call replaces the pool; not
    /// on failure. Tasks that begin after that return at once. An asynchronous run that waits for a
    /// queue or a mutex holds the thread that it has.
    fn percale_options_set_thread_pool(options: *mut percale_options, pool: *const percale_thread_pool, destroy: percale_destroy) -> *mut percale_status;
    /// Runs the task on the calling thread. A second call does nothing. NULL is allowed.
    fn percale_task_run(task: *mut percale_task);
    /// Releases the task, which need not have been run. NULL is allowed.
    fn percale_task_release(task: *mut percale_task);
    /// Lets engines of these options read files of the host. Wherever they take a path to read
    /// from, a path that begins with "host:" names such a file: graphs, models to import, weights,
    /// tensors, data sets, the models of a SPEC, checkpoints. The host gets the name behind
    /// "host:". Other paths are files of the system as ever.
    ///
    /// A file is read when the call that names it runs, once and into memory that the engine
    /// counts; tensors then lie in that memory. Files that a model names itself, such as the
    /// external data of ONNX, are read by their path beside the model, and only the bytes that
    /// tensors need: the model "host:m/model.onnx" with the data "weights.bin" reads
    /// "m/weights.bin". A checkpoint is named by its folder, "host:run/step-7", because the files
    /// of a host cannot be listed. A status of the reader is passed on with the path in front.
    /// Nothing is written through a reader.
    ///
    /// The library copies the table. `destroy` (may be NULL) is called with its `user` when the
    /// options and all engines made with them are gone, or when another call replaces the reader;
    /// not on failure. `options` are of kind "engine".
    ///
    /// @code percale_reader reader = {sizeof reader, &archive, archive_size, archive_read};
    /// status = percale_options_set_reader(options, &reader, NULL); if (status == NULL) status =
    /// percale_engine_create(options, &engine); if (status == NULL) status =
    /// percale_graph_load_file(engine, "host:digits.percale", &graph); @endcode
    fn percale_options_set_reader(options: *mut percale_options, reader: *const percale_reader, destroy: percale_destroy) -> *mut percale_status;
    /// Serves all devices of the engine at "host:port" or "unix:path". Port 0 means any free one.
    /// `certificates` is the folder as for `percale_cluster_set_certificates()`; NULL or "": none,
    /// and then only addresses of this machine are allowed. What the clients hold counts towards
    /// the engine's memory limit. UNIMPLEMENTED: no plug-in connects processes. UNAVAILABLE: the
    /// address is taken.
    fn percale_server_create(engine: *mut percale_engine, address: *const c_char, certificates: *const c_char, out_server: *mut *mut percale_server) -> *mut percale_status;
    /// Returns the port at which clients reach the server; 0 for a Unix socket and for NULL.
    fn percale_server_port(server: *const percale_server) -> i32;
    /// Waits until clients have come and all of them have gone. DEADLINE_EXCEEDED: that is not so
    /// after `timeout_ns` nanoseconds. UNAVAILABLE: the last one has not closed its devices; its
    /// process or the connection was lost.
    fn percale_server_wait(server: *mut percale_server, timeout_ns: i64) -> *mut percale_status;
    /// Ends the connections of all clients, whose devices are lost then, and releases the server.
    /// Not while another thread waits. NULL is allowed.
    fn percale_server_release(server: *mut percale_server);
    /// Creates a session for a graph. `variables` may be NULL if the graph has none, otherwise that
    /// is INVALID_ARGUMENT. `options` of kind "session", or NULL.
    fn percale_session_create(engine: *mut percale_engine, graph: *const percale_graph, variables: *mut percale_variables, options: *const percale_options, out_session: *mut *mut percale_session) -> *mut percale_status;
    /// Adds a reference and returns `session`. NULL is allowed and returned.
    fn percale_session_retain(session: *mut percale_session) -> *mut percale_session;
    /// Releases a reference. The last one cancels asynchronous runs and waits for them. NULL is
    /// allowed.
    fn percale_session_release(session: *mut percale_session);
    /// Computes the fetches and runs the targets, with everything that they need. Any value can be
    /// fed or fetched by name; targets are names of nodes. On success `out_fetches[i]` is a new
    /// tensor. A tensor of one element may be fed for a scalar, whatever its rank. `timeout_ns`:
    /// nanoseconds, or PERCALE_FOREVER. DEADLINE_EXCEEDED: the time has passed, for 0 at once.
    /// NOT_FOUND names a similar value.
    fn percale_session_run(session: *mut percale_session, feed_names: *const *const c_char, feeds: *const *mut percale_tensor, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, target_names: *const *const c_char, target_count: usize, timeout_ns: i64, out_fetches: *mut *mut percale_tensor) -> *mut percale_status;
    /// As `percale_session_run()`, and tells the version of the variables that the run has read.
    /// `out_variables_version` (may be NULL) is the number of the version, as
    /// `percale_variables_version()` counts; 0 after an error, and for a graph without variables.
    fn percale_session_run_versioned(session: *mut percale_session, feed_names: *const *const c_char, feeds: *const *mut percale_tensor, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, target_names: *const *const c_char, target_count: usize, timeout_ns: i64, out_fetches: *mut *mut percale_tensor, out_variables_version: *mut i64) -> *mut percale_status;
    /// As `percale_session_run()`, on a thread of the engine. The event gives the results. The
    /// feeds are kept until the run is done.
    fn percale_session_run_async(session: *mut percale_session, feed_names: *const *const c_char, feeds: *const *mut percale_tensor, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, target_names: *const *const c_char, target_count: usize, timeout_ns: i64, out_event: *mut *mut percale_event) -> *mut percale_status;
    /// Ends every current run of the session with CANCELLED, also those of its calls. Later runs
    /// are not affected. Any thread may call it. NULL is allowed.
    fn percale_session_cancel(session: *mut percale_session);
    /// Explains the plan for feeds of the given types. `what`: "plan" (JSON: device, kernel, reason
    /// and shapes of each node; cuts, bytes moved, predicted peak), "kernels" (JSON: the kernel of
    /// each node, and why better ones refused it) or "passes" (JSON: node counts after each pass).
    /// `feed_dims[i]` has `feed_ranks[i]` sizes.
    fn percale_session_explain(session: *mut percale_session, feed_names: *const *const c_char, feed_dtypes: *const percale_dtype, feed_dims: *const *const i64, feed_ranks: *const usize, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, what: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// As `percale_graph_draw()`, for the plan of feeds of the given types: the nodes that run,
    /// each with its device and kernel, and the values that pass between devices. `trace` may be
    /// NULL.
    fn percale_session_draw(session: *mut percale_session, feed_names: *const *const c_char, feed_dtypes: *const percale_dtype, feed_dims: *const *const i64, feed_ranks: *const usize, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, format: *const c_char, trace: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Gives statistics as JSON: plans made, cache hits, runs, the peak of memory as planned for
    /// one run at a time, and the measured peak of all runs and plans of the session.
    fn percale_session_stats(session: *const percale_session, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Prepares runs with feeds of these element types and shapes. `feed_dims[i]` has
    /// `feed_ranks[i]` sizes, all known.
    fn percale_call_create(session: *mut percale_session, feed_names: *const *const c_char, feed_dtypes: *const percale_dtype, feed_dims: *const *const i64, feed_ranks: *const usize, feed_count: usize, fetch_names: *const *const c_char, fetch_count: usize, out_call: *mut *mut percale_call) -> *mut percale_status;
    /// Runs with the feeds in the order of creation. The results are written into `outputs`,
    /// tensors with the element types and shapes of the fetches. Allocates nothing after the first
    /// runs. INVALID_ARGUMENT: a tensor has another type.
    fn percale_call_run(call: *mut percale_call, inputs: *const *mut percale_tensor, outputs: *const *mut percale_tensor) -> *mut percale_status;
    /// As `percale_call_run()`, with a timeout and a cancellation token, each of which may end the
    /// run before it begins. `timeout_ns`: nanoseconds, or PERCALE_FOREVER; then DEADLINE_EXCEEDED.
    /// `cancellation` (may be NULL): then CANCELLED. After such an end the contents of `outputs`
    /// are undefined and the call can be used again.
    fn percale_call_run_until(call: *mut percale_call, inputs: *const *mut percale_tensor, outputs: *const *mut percale_tensor, timeout_ns: i64, cancellation: *mut percale_cancellation) -> *mut percale_status;
    /// Hands recurrent state from run to run: from now on the feed `feed` of a run is the fetch
    /// `fetch` of the run before, such as a cache of keys and values. The state stays on the device
    /// that computes, if that has memory of its own and can hold all of it.
    ///
    /// `inputs[feed]` starts the state in the first run, and again whenever it is given; NULL
    /// continues. Several such feeds are given or left out together. `outputs[fetch]` may be NULL:
    /// then the state is not copied to the host. A run that fails does not change the state. Not
    /// during a run. OUT_OF_RANGE: no such feed or fetch. INVALID_ARGUMENT: it is handed on
    /// already. FAILED_PRECONDITION: element types or shapes differ; from a run: there was no run
    /// before.
    fn percale_call_carry(call: *mut percale_call, fetch: usize, feed: usize) -> *mut percale_status;
    /// Gives element type, dims and rank of a fetch. `out_dims` has room for 8. OUT_OF_RANGE past
    /// the end.
    fn percale_call_output_type(call: *const percale_call, index: usize, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status;
    /// Returns the version of the variables that the last successful run has read, as
    /// `percale_variables_version()` counts. 0 before the first run, for a graph without variables,
    /// and for NULL. Not during a run.
    fn percale_call_variables_version(call: *const percale_call) -> i64;
    /// Releases the call. NULL is allowed.
    fn percale_call_release(call: *mut percale_call);
    /// Returns 1 if the run is over; 0 for NULL.
    fn percale_event_poll(event: *const percale_event) -> i32;
    /// Waits for the run and returns its status. DEADLINE_EXCEEDED: it is not over after
    /// `timeout_ns` nanoseconds; the run continues. May be called again.
    fn percale_event_wait(event: *mut percale_event, timeout_ns: i64) -> *mut percale_status;
    /// Registers a function to be called when the run is over. There may be several.
    fn percale_event_on_ready(event: *mut percale_event, callback: percale_event_callback, user: *mut c_void) -> *mut percale_status;
    /// Ends the run with CANCELLED, also before it has started. Does nothing if it is over, and for
    /// NULL. Any thread may call it.
    fn percale_event_cancel(event: *mut percale_event);
    /// Gives a result of a run that has succeeded, in the order of the fetches.
    /// FAILED_PRECONDITION: it is not over. OUT_OF_RANGE past the end.
    fn percale_event_result(event: *mut percale_event, index: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status;
    /// Returns the version of the variables that the run has read. 0 before it is over, if it
    /// failed, for a graph without variables, and for NULL. Any thread may call it.
    fn percale_event_variables_version(event: *const percale_event) -> i64;
    /// Adds a reference and returns `event`. NULL is allowed and returned.
    fn percale_event_retain(event: *mut percale_event) -> *mut percale_event;
    /// Releases a reference. NULL is allowed.
    fn percale_event_release(event: *mut percale_event);
    /// Returns the code of a status; PERCALE_OK for NULL.
    fn percale_status_code(status: *const percale_status) -> percale_code;
    /// Returns the message, NUL-ended and borrowed from the status; "" for NULL. `out_size` may be
    /// NULL; it receives the number of bytes.
    fn percale_status_message(status: *const percale_status, out_size: *mut usize) -> *const c_char;
    /// Returns the name of a code in upper case, such as "INVALID_ARGUMENT". Static.
    fn percale_code_name(code: percale_code) -> *const c_char;
    /// Returns the name of an element type in lower case, such as "f32"; "invalid" for an unknown
    /// number. Static.
    fn percale_dtype_name(dtype: percale_dtype) -> *const c_char;
    /// Creates a status, for a function of the host that returns one to the library. `size` may be
    /// PERCALE_NUL_ENDED. The message is copied. NULL for PERCALE_OK. Never fails: without memory
    /// it returns a status that says so.
    fn percale_status_create(code: percale_code, message: *const c_char, size: usize) -> *mut percale_status;
    /// Adds a reference and returns `status`. NULL is allowed and returned.
    fn percale_status_retain(status: *mut percale_status) -> *mut percale_status;
    /// Releases a reference. NULL is allowed.
    fn percale_status_release(status: *mut percale_status);
    /// Returns how many statuses of this process exist now, however many references each one has.
    /// For tests that look for leaks.
    fn percale_status_live_count() -> i64;
    /// Returns the characters, NUL-ended and borrowed; "" for NULL. `out_size` may be NULL; it
    /// receives the number of bytes.
    fn percale_text_data(text: *const percale_text, out_size: *mut usize) -> *const c_char;
    /// Releases the text. NULL is allowed.
    fn percale_text_release(text: *mut percale_text);
    /// Creates a cancellation token for `percale_call_run_until()` and
    /// `percale_trainer_set_cancellation()`. An asynchronous run is cancelled with
    /// `percale_event_cancel()`.
    fn percale_cancellation_create(out_cancellation: *mut *mut percale_cancellation) -> *mut percale_status;
    /// Cancels every call and trainer that uses the token, now or later: they end with CANCELLED.
    /// Any thread may call it; it never waits. NULL is allowed.
    fn percale_cancellation_cancel(cancellation: *mut percale_cancellation);
    /// Returns 1 if the token was cancelled; 0 for NULL.
    fn percale_cancellation_poll(cancellation: *const percale_cancellation) -> i32;
    /// Adds a reference and returns `cancellation`. `cancellation` may be NULL.
    fn percale_cancellation_retain(cancellation: *mut percale_cancellation) -> *mut percale_cancellation;
    /// Releases a reference. Calls and trainers that use the token have references of their own.
    /// `cancellation` may be NULL.
    fn percale_cancellation_release(cancellation: *mut percale_cancellation);
    /// Creates a trainer for a graph whose function "main" has the columns of the data set as
    /// inputs and the scalar loss as an output. `options` of kind "trainer", or NULL (loss,
    /// metrics, optimizer, schedule, shards, clip_norm, accumulation, ema, groups, freeze,
    /// early_stopping and others; `percale_options_describe()` lists them). `variables` may be
    /// NULL: then a new table is made, with the option "seed".
    fn percale_trainer_create(engine: *mut percale_engine, graph: *const percale_graph, variables: *mut percale_variables, options: *const percale_options, out_trainer: *mut *mut percale_trainer) -> *mut percale_status;
    /// Creates a trainer from a SPEC, JSON text with model, loss, metrics, optimizer and data;
    /// SPEC.md, which is installed with the documentation, lists all keys. Relative paths of data,
    /// models and weights are searched for in `data_folder`, the environment's PERCALE_DATA, the
    /// cache and `spec_folder`, in this order. `data_folder` may be NULL: none. `spec_folder` may
    /// be NULL: the current folder. `options` of kind "trainer", or NULL, override the SPEC, except
    /// those that stand for a key of it, which `percale_options_describe()` marks with "Not for a
    /// SPEC". INVALID_ARGUMENT names the key or the position in the text.
    fn percale_trainer_from_spec(engine: *mut percale_engine, spec: *const c_char, spec_size: usize, spec_folder: *const c_char, data_folder: *const c_char, options: *const percale_options, out_trainer: *mut *mut percale_trainer) -> *mut percale_status;
    /// Adds a reference and returns `trainer`. NULL is allowed and returned.
    fn percale_trainer_retain(trainer: *mut percale_trainer) -> *mut percale_trainer;
    /// Releases a reference. NULL is allowed.
    fn percale_trainer_release(trainer: *mut percale_trainer);
    /// Does one step on one global batch: `count` tensors by name, all with the same first dim.
    /// `out_loss` (may be NULL) is the mean loss of the batch before the update. With the option
    /// "accumulation", that many calls make one step, of which the last one updates; until then fit
    /// and save answer FAILED_PRECONDITION.
    fn percale_trainer_step(trainer: *mut percale_trainer, names: *const *const c_char, batch: *const *mut percale_tensor, count: usize, out_loss: *mut f64) -> *mut percale_status;
    /// As `percale_trainer_step()`, and gives values that the forward pass of the batch has
    /// computed, in its training form and before the update: one new tensor per name in `fetches`.
    /// A fetch is an output of `percale_trainer_model()` or another value of the graph that the
    /// loss needs. Rows have the order of the batch. With parameters that are only on devices, they
    /// are moved to the host, which a warning says.
    ///
    /// NOT_FOUND: a step does not compute the value. INVALID_ARGUMENT, and no step: the value has
    /// no row for each row of the batch, unless the batch is one shard. FAILED_PRECONDITION: in the
    /// mode "backup:N", which leaves shards out.
    fn percale_trainer_step_fetch(trainer: *mut percale_trainer, names: *const *const c_char, batch: *const *mut percale_tensor, count: usize, fetches: *const *const c_char, fetch_count: usize, out_tensors: *mut *mut percale_tensor, out_loss: *mut f64) -> *mut percale_status;
    /// Trains until `epochs` epochs are done (0: the number of the SPEC, or of the option
    /// "epochs"). Epochs of earlier calls count, so a second call with the same number does
    /// nothing, and a call after an interruption resumes. A schedule without a length of its own
    /// spans the epochs that this call is told.
    ///
    /// The data set has a column for each input, by name, of its element type; for an I64 input,
    /// such as class numbers, narrower integers and whole floats are converted. Rows have the shape
    /// of the input except for dims of 1; flat rows are reshaped to the input, and rows are
    /// flattened for a flat input. Rows of \[28, 28, 3\] are an error for an input of \[3, 28,
    /// 28\]. `dataset` may be NULL for a trainer from a SPEC with data. `callback` may be NULL.
    /// Neither it nor `user` is used after the return.
    fn percale_trainer_fit(trainer: *mut percale_trainer, dataset: *mut percale_dataset, epochs: i64, callback: percale_progress_callback, user: *mut c_void) -> *mut percale_status;
    /// Sets data that is evaluated after each epoch of `percale_trainer_fit()`: "val_loss" and
    /// "val_" metrics join the history and can be monitored. Epochs without such data have NaN
    /// there. `dataset` may be NULL: none. Not during a call.
    fn percale_trainer_set_validation(trainer: *mut percale_trainer, dataset: *mut percale_dataset) -> *mut percale_status;
    /// Gives loss and metrics over a data set as JSON: {"loss":0.03,"accuracy":0.99}. `dataset` may
    /// be NULL: then the test data of the SPEC, or else its validation data.
    fn percale_trainer_evaluate(trainer: *mut percale_trainer, dataset: *mut percale_dataset, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Publishes the current parameters as the next version of the table, atomically. Runs of
    /// sessions with the same variables that start later use it; current runs keep their version,
    /// and none of them waits. The option "publish" says when a trainer does this by itself.
    fn percale_trainer_publish(trainer: *mut percale_trainer) -> *mut percale_status;
    /// Sets the learning rate of the optimizer from the next step on. The schedule starts from this
    /// rate. Checkpoints store it. Call it between two steps, or within the progress callback.
    /// INVALID_ARGUMENT: `rate` is negative or not finite. FAILED_PRECONDITION: during a step, and
    /// with the schedule one_cycle, which sets the rate itself.
    fn percale_trainer_set_learning_rate(trainer: *mut percale_trainer, rate: f64) -> *mut percale_status;
    /// Ends the current step, fit or evaluate with CANCELLED. The state is that of the last
    /// completed step. Later calls are not affected. Any thread may call it. NULL is allowed.
    fn percale_trainer_cancel(trainer: *mut percale_trainer);
    /// Sets the cancellation token of step, fit and evaluate, instead of the one before: cancelling
    /// it ends them with CANCELLED, within a step, between two, or before they start. The state is
    /// that of the last completed step. `cancellation` may be NULL: none. Does nothing during a
    /// call.
    fn percale_trainer_set_cancellation(trainer: *mut percale_trainer, cancellation: *mut percale_cancellation);
    /// Writes a checkpoint `folder`/step-N, completely or not at all. It replaces one of the same
    /// step and becomes the newest of the folder. With the options "keep_last" and "keep_best"
    /// older checkpoints of this run are removed, never those of another run.
    fn percale_trainer_save(trainer: *mut percale_trainer, folder: *const c_char) -> *mut percale_status;
    /// Restores a checkpoint. `path` is one, `folder`/step-N, or a folder, whose newest intact one
    /// is taken. Training then continues with the same bits as without the interruption.
    ///
    /// NOT_FOUND: no such folder, or no checkpoint in it. DATA_LOSS: the named one, or every one,
    /// is damaged. Newer ones that are damaged are logged as a warning and listed by
    /// `percale_trainer_describe()`: {"run_id", "restored_from", "skipped_checkpoints"}.
    /// FAILED_PRECONDITION names the first difference if the checkpoint is of another job: model,
    /// initializers, loss, optimizer, schedule, shape and batches of the data, seed, shards,
    /// accumulation, frozen variables, or the numerics fingerprint (the option "any_fingerprint"
    /// accepts another one). Epochs, devices, threads, paths and logging may change, and between
    /// epochs metrics; with other epochs, a schedule without a length of its own gives other rates.
    /// The next `percale_trainer_fit()` compares data that the trainer does not know yet.
    fn percale_trainer_restore(trainer: *mut percale_trainer, path: *const c_char) -> *mut percale_status;
    /// Creates `folder` if it does not exist and locks it for the run of this trainer, until the
    /// trainer ends, locks another folder, or the process ends. A run starts with a new trainer and
    /// continues in one that restores its checkpoint, so restore first. The lock is advisory:
    /// `percale_trainer_save()` does not check it. UNAVAILABLE names the process that holds the
    /// lock. ALREADY_EXISTS: it holds checkpoints of another run; if `overwrite` is not 0 those are
    /// removed, and nothing else.
    fn percale_trainer_lock_folder(trainer: *mut percale_trainer, folder: *const c_char, overwrite: i32) -> *mut percale_status;
    /// Gives the graph for inference, from inputs to predictions, with a new reference.
    fn percale_trainer_model(trainer: *mut percale_trainer, out_graph: *mut *mut percale_graph) -> *mut percale_status;
    /// Gives the table that is trained, with a new reference.
    fn percale_trainer_variables(trainer: *mut percale_trainer, out_variables: *mut *mut percale_variables) -> *mut percale_status;
    /// Returns the number of completed steps.
    fn percale_trainer_steps(trainer: *const percale_trainer) -> i64;
    /// Gives the history in a format: "csv", "svg" (a plot of the loss), or "events": the bytes of
    /// a file events.out.tfevents.* for TensorBoard. Later ones begin with the bytes of earlier
    /// ones.
    fn percale_trainer_history(trainer: *const percale_trainer, format: *const c_char, out_text: *mut *mut percale_text) -> *mut percale_status;
    /// Describes the trainer as JSON: parameters, shards, devices, batch size, optimizer, data.
    /// "epoch" is that of the next step, from 1 on: after all of 8 epochs it is 9. "group" is null
    /// unless the trainer has joined a group; then it tells rank, size, the number of lost ranks,
    /// exchanges, bytes sent, and "waited_seconds": the time in which this rank did nothing but
    /// wait for others.
    fn percale_trainer_describe(trainer: *const percale_trainer, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Creates an empty trace.
    fn percale_trace_create(engine: *mut percale_engine, out_trace: *mut *mut percale_trace) -> *mut percale_status;
    /// Records the runs of the session from now on. `trace` may be NULL: that ends it.
    fn percale_session_set_trace(session: *mut percale_session, trace: *mut percale_trace);
    /// Records the steps of the trainer from now on. `trace` may be NULL: that ends it. Does
    /// nothing during a call.
    fn percale_trainer_set_trace(trainer: *mut percale_trainer, trace: *mut percale_trace);
    /// Gives the spans as JSON in the trace event format, which Chrome and Perfetto open.
    fn percale_trace_json(trace: *const percale_trace, out_json: *mut *mut percale_text) -> *mut percale_status;
    /// Releases the trace. NULL is allowed.
    fn percale_trace_release(trace: *mut percale_trace);
}
