// Written by bindings/gen from c_api/percale_plugin.h; changes belong there.

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

/// Kind of an attribute; the numbers are ONNX's AttributeProto.AttributeType.
pub type percale_attribute_kind = i32;
/// The constant 1 of `percale_attribute_kind`: a number.
pub const PERCALE_ATTRIBUTE_FLOAT: percale_attribute_kind = 1;
/// The constant 2 of `percale_attribute_kind`: a whole number.
pub const PERCALE_ATTRIBUTE_INT: percale_attribute_kind = 2;
/// The constant 3 of `percale_attribute_kind`: UTF-8 text.
pub const PERCALE_ATTRIBUTE_STRING: percale_attribute_kind = 3;
/// The constant 4 of `percale_attribute_kind`: a tensor.
pub const PERCALE_ATTRIBUTE_TENSOR: percale_attribute_kind = 4;
/// The constant 5 of `percale_attribute_kind`: the name of a function of the same graph; ONNX: a
/// graph.
pub const PERCALE_ATTRIBUTE_FUNCTION: percale_attribute_kind = 5;
/// The constant 6 of `percale_attribute_kind`: a list of numbers.
pub const PERCALE_ATTRIBUTE_FLOATS: percale_attribute_kind = 6;
/// The constant 7 of `percale_attribute_kind`: a list of whole numbers.
pub const PERCALE_ATTRIBUTE_INTS: percale_attribute_kind = 7;
/// The constant 8 of `percale_attribute_kind`: a list of UTF-8 texts.
pub const PERCALE_ATTRIBUTE_STRINGS: percale_attribute_kind = 8;

/// Reason for the failure of a run, for which the library words the message. The numbers differ
/// from those of percale_code, so that one taken for the other is found.
pub type percale_run_error = i32;
/// The constant 101 of `percale_run_error`: INTERNAL; `detail`: any number.
pub const PERCALE_RUN_ERROR_KERNEL_FAILED: percale_run_error = 101;
/// The constant 102 of `percale_run_error`: OUT_OF_RANGE; `detail`: the index.
pub const PERCALE_RUN_ERROR_INDEX_OUT_OF_RANGE: percale_run_error = 102;
/// The constant 103 of `percale_run_error`: integer division; `detail`: the element.
pub const PERCALE_RUN_ERROR_DIVISION_BY_ZERO: percale_run_error = 103;
/// The constant 104 of `percale_run_error`: size, start or length; `detail`: its value.
pub const PERCALE_RUN_ERROR_BAD_SIZE: percale_run_error = 104;
/// The constant 105 of `percale_run_error`: `detail`: index of the input.
pub const PERCALE_RUN_ERROR_NOT_POSITIVE: percale_run_error = 105;
/// The constant 106 of `percale_run_error`: infinity or NaN; `detail`: the element.
pub const PERCALE_RUN_ERROR_NOT_FINITE: percale_run_error = 106;
/// The constant 107 of `percale_run_error`: `detail`: the matrix in its batch.
pub const PERCALE_RUN_ERROR_SINGULAR: percale_run_error = 107;
/// The constant 108 of `percale_run_error`: `detail`: the matrix in its batch.
pub const PERCALE_RUN_ERROR_NOT_POSITIVE_DEFINITE: percale_run_error = 108;
/// The constant 109 of `percale_run_error`: FAILED_PRECONDITION; `detail`: element.
pub const PERCALE_RUN_ERROR_ASSERTION_FAILED: percale_run_error = 109;
/// The constant 110 of `percale_run_error`: RESOURCE_EXHAUSTED; `detail` is not used.
pub const PERCALE_RUN_ERROR_OUT_OF_MEMORY: percale_run_error = 110;

/// As a value: none.
pub const PERCALE_NO_VALUE: percale_value = -1;
/// As a size: the text ends with NUL.
pub const PERCALE_NUL_ENDED: usize = usize::MAX;
/// As a timeout: none. Any other negative number is a time that has passed.
pub const PERCALE_FOREVER: i64 = -1;
/// Version of the plug-in interface. The tables of one version only ever grow at their ends.
pub const PERCALE_PLUGIN_ABI: u32 = 1;

/// *thread-safe*. An error: code and message. NULL is success.
#[repr(C)]
pub struct percale_status {
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

/// A node that a kernel may run: op, attributes, element types, shapes, constants. Borrowed.
#[repr(C)]
pub struct percale_node_view {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The requests of a kernel for one node: scratch memory, layouts, outputs in place. Borrowed.
#[repr(C)]
pub struct percale_kernel_plan {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The run that a kernel works for. Borrowed. Any thread of the run may use it.
#[repr(C)]
pub struct percale_run_context {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The inputs and outputs of a node whose output shapes are wanted. Borrowed.
#[repr(C)]
pub struct percale_shape_context {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// A node whose gradient is wanted, and the function that the gradient is added to. Borrowed.
#[repr(C)]
pub struct percale_grad_context {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The attributes of a node. Borrowed; as long-lived as the view or context that they came from.
#[repr(C)]
pub struct percale_attributes {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

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

/// Memory of a message.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_bytes {
    /// may be NULL if `size` is 0
    pub data: *mut c_void,
    /// in bytes
    pub size: usize,
}

/// The table that a host supplies so that a trainer can join a group.
#[repr(C)]
#[derive(Clone, Copy)]
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

/// A named attribute and its value. `kind` says which members hold the value; the others are not
/// read. The layout never changes, because arrays of it cross the border. Text and arrays are
/// borrowed.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_attribute {
    /// `name`.
    pub name: *const c_char,
    /// `kind`.
    pub kind: percale_attribute_kind,
    /// FLOAT.
    pub f: f64,
    /// INT.
    pub i: i64,
    /// STRING: the text. FUNCTION: the name of the function.
    pub text: *const c_char,
    /// Bytes of `text`, PERCALE_NUL_ENDED allowed in an attribute that is given to the library.
    pub text_size: usize,
    /// FLOATS.
    pub floats: *const f64,
    /// INTS.
    pub ints: *const i64,
    /// STRINGS, NUL-ended, in an attribute that is given to the library. NULL in one that was read;
    /// `percale_host_attributes_api` has a function for each string.
    pub strings: *const *const c_char,
    /// Entries of FLOATS, INTS and STRINGS.
    pub count: usize,
    /// TENSOR: element type, dims, rank, row-major elements and their bytes.
    pub dtype: percale_dtype,
    /// `dims`.
    pub dims: *const i64,
    /// `rank`.
    pub rank: usize,
    /// `data`.
    pub data: *const c_void,
    /// `bytes`.
    pub bytes: u64,
}

/// The operands of one run of a kernel. Operands are the inputs of the node, then its outputs, in
/// schema order. An absent optional operand is NULL; an empty tensor is a non-NULL pointer. Memory
/// belongs to the kernel's device, is 64-byte aligned, and is row-major unless the plan has set a
/// layout. Borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_launch {
    /// `operands`.
    pub operands: *const *mut c_void,
    /// The memory requested with `set_scratch`, 64-byte aligned, contents undefined.
    pub scratch: *mut c_void,
    /// The device's stream that the work goes to. NULL on the CPU and on devices without streams:
    /// there the work is done when `run` returns.
    pub stream: *mut c_void,
    /// `run`.
    pub run: *mut percale_run_context,
}

/// One way to run one op on one kind of device. Strings live as long as the plug-in. The functions
/// may be called by several threads at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_kernel {
    /// `struct_size`.
    pub struct_size: u32,
    /// Name in traces and in `percale kernels`, such as "onednn.conv".
    pub name: *const c_char,
    /// Kind of the device that it runs on, such as "cpu" or "cuda".
    pub device_kind: *const c_char,
    /// Domain of the op, "" for ONNX's own, and its name.
    pub domain: *const c_char,
    /// `op`.
    pub op: *const c_char,
    /// Returns NULL if the kernel can run `node`, else a status whose message is the reason.
    pub accepts: Option<unsafe extern "C" fn(user: *mut c_void, node: *const percale_node_view) -> *mut percale_status>,
    /// Prepares a node that was accepted. Makes `*out_state`, which is immutable and shared by
    /// concurrent runs; it may stay NULL. UNIMPLEMENTED if a layout that the kernel needs was not
    /// granted: then the next kernel is asked.
    pub plan: Option<unsafe extern "C" fn(user: *mut c_void, node: *const percale_node_view, plan: *mut percale_kernel_plan, out_state: *mut *mut c_void) -> *mut percale_status>,
    /// Does the work. Should allocate nothing. Reports failure with the `run` table of the host.
    pub run: Option<unsafe extern "C" fn(state: *const c_void, launch: *const percale_launch)>,
    /// Frees the state that `plan` made. Optional.
    pub destroy: Option<unsafe extern "C" fn(state: *mut c_void)>,
    /// Passed to `accepts` and `plan`.
    pub user: *mut c_void,
}

/// Facts about one device. Strings live as long as the device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_device_description {
    /// `struct_size`.
    pub struct_size: u32,
    /// The kind, which is the first part of the device's name: "cpu", "null", "cuda".
    pub kind: *const c_char,
    /// The maker's name of the product: "AMD EPYC 9554".
    pub model: *const c_char,
    /// Bytes of its memory; 0: not known.
    pub memory_bytes: u64,
    /// 1: the host may read and write its memory through pointers, and copies are plain.
    pub shares_host_memory: i32,
    /// Peak arithmetic rate of f32 in GFLOP/s, for the cost model of placement; 0: not known.
    pub gflops: f64,
    /// Memory bandwidth in GB/s, for the cost model of placement; 0: not known.
    pub gbytes_per_second: f64,
    /// 1: it is several devices, to which it distributes the nodes of `compile` as their device
    /// hints say, or as it finds best.
    pub places_nodes: i32,
}

/// The settings of the engine that opens a device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_device_options {
    /// `struct_size`.
    pub struct_size: u32,
    /// Limit of the bytes that `allocate` has given out at any time; 0: no limit.
    pub memory_limit: u64,
    /// 1: every run gives the same bits; 0: faster code without that promise is welcome.
    pub deterministic: i32,
    /// 1: products of f32 may use tf32, which keeps 10 bits of the fraction.
    pub tf32: i32,
}

/// A kind of device. `self` is passed to `probe` and `open`; `device` is the value that `open`
/// gave. The functions may be called from any thread. The library serialises calls on one stream. A
/// NULL slot means that the device does not have the feature.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_device_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `self`.
    pub self_: *mut c_void,
    /// The kind. Names of devices are "KIND:INDEX".
    pub kind: *const c_char,
    /// Returns the number of such devices in this machine. If it is 0, `*out_reason` is the reason
    /// ("no NVIDIA driver"), which lives as long as the plug-in. Never an error.
    pub probe: Option<unsafe extern "C" fn(self_: *mut c_void, out_reason: *mut *const c_char) -> i32>,
    /// Opens the device `index`, 0 to `probe() - 1`. `options` is not NULL and ends with the call.
    /// NOT_FOUND: there is no such device.
    pub open: Option<unsafe extern "C" fn(self_: *mut c_void, index: i32, options: *const percale_device_options, out_device: *mut *mut c_void) -> *mut percale_status>,
    /// Closes a device. No memory, stream or executable of it is in use any more.
    pub close: Option<unsafe extern "C" fn(device: *mut c_void)>,
    /// Fills `*out_description`; the caller has set its `struct_size`.
    pub describe: Option<unsafe extern "C" fn(device: *mut c_void, out_description: *mut percale_device_description) -> *mut percale_status>,
    /// Returns 1 if the device will never work again. Optional.
    pub lost: Option<unsafe extern "C" fn(device: *mut c_void) -> i32>,
    /// Allocates device memory, 64-byte aligned, contents undefined. RESOURCE_EXHAUSTED: out of
    /// memory. INVALID_ARGUMENT: `bytes` is 0.
    pub allocate: Option<unsafe extern "C" fn(device: *mut c_void, bytes: u64, out_memory: *mut *mut c_void) -> *mut percale_status>,
    /// Frees memory of `allocate`.
    pub free: Option<unsafe extern "C" fn(device: *mut c_void, memory: *mut c_void)>,
    /// Allocates pinned host memory, 64-byte aligned, from and to which copies need no second copy.
    /// Any thread may read and write it. Optional; without it the library uses its own memory.
    pub allocate_host: Option<unsafe extern "C" fn(device: *mut c_void, bytes: u64, out_memory: *mut *mut c_void) -> *mut percale_status>,
    /// Frees memory of `allocate_host`.
    pub free_host: Option<unsafe extern "C" fn(device: *mut c_void, memory: *mut c_void)>,
    /// Gives the bytes that are allocated now and their maximum so far. Optional.
    pub memory_stats: Option<unsafe extern "C" fn(device: *mut c_void, out_used: *mut u64, out_peak: *mut u64)>,
    /// Creates a stream.
    pub stream_create: Option<unsafe extern "C" fn(device: *mut c_void, out_stream: *mut *mut c_void) -> *mut percale_status>,
    /// Destroys a stream that has no work left.
    pub stream_destroy: Option<unsafe extern "C" fn(stream: *mut c_void)>,
    /// Returns when all work of the stream is done and every `reached` of `stream_signal` has
    /// returned. The status is the first error of that work.
    pub stream_synchronize: Option<unsafe extern "C" fn(stream: *mut c_void) -> *mut percale_status>,
    /// Enqueues a point on the timeline of the stream. When all work before it is done,
    /// `reached(event, value, PERCALE_OK)` is called; if that work failed or was skipped, or the
    /// device was lost, it is called with the error's code. The call comes from a thread of the
    /// device and must neither wait nor call this table. Without it, the library synchronises the
    /// stream. If `stream_signal` itself fails, `reached` is never called.
    pub stream_signal: Option<unsafe extern "C" fn(stream: *mut c_void, reached: Option<unsafe extern "C" fn(event: *mut c_void, value: u64, code: percale_code)>, event: *mut c_void, value: u64) -> *mut percale_status>,
    /// Enqueues a copy of `bytes` bytes from host memory to device memory; `to` may point into a
    /// block.
    pub copy_from_host: Option<unsafe extern "C" fn(device: *mut c_void, stream: *mut c_void, to: *mut c_void, from: *const c_void, bytes: u64) -> *mut percale_status>,
    /// Enqueues a copy from device memory to host memory; `from` may point into a block.
    pub copy_to_host: Option<unsafe extern "C" fn(device: *mut c_void, stream: *mut c_void, to: *mut c_void, from: *const c_void, bytes: u64) -> *mut percale_status>,
    /// As `copy_to_host`, for bytes that nothing writes before the stream is synchronised. Work
    /// behind it need not wait for it; later points of `stream_signal`, and synchronising, do.
    /// Optional; without it `copy_to_host` is called.
    pub copy_out: Option<unsafe extern "C" fn(device: *mut c_void, stream: *mut c_void, to: *mut c_void, from: *const c_void, bytes: u64) -> *mut percale_status>,
    /// The kind of device whose kernels serve this one too, for ops without a kernel of its own
    /// kind. They read and write memory that the device must make reachable, see `launch`.
    /// Optional.
    pub borrow_kernels: *const c_char,
    /// Enqueues one run of a kernel. A thread of the device calls `run(state, l)` when the work
    /// before it in the stream is done, and the work is complete when that returns. `l` equals
    /// `launch`, except that `stream` is NULL and that operands and scratch, which are addresses
    /// within blocks of `allocate`, are replaced by addresses that the thread can use. `launch` and
    /// its array of `operand_count` operands end with this call; `state` and `launch->run` last
    /// until the stream is synchronised. `run` is not called if work before it has failed. Needed
    /// with `borrow_kernels`.
    pub launch: Option<unsafe extern "C" fn(stream: *mut c_void, run: Option<unsafe extern "C" fn(state: *const c_void, launch: *const percale_launch)>, state: *const c_void, launch: *const percale_launch, operand_count: usize) -> *mut percale_status>,
    /// Starts a capture: until `capture_end`, work that kernels put on the stream is recorded and
    /// not executed. The library asks nothing else of the stream meanwhile.
    pub capture_begin: Option<unsafe extern "C" fn(stream: *mut c_void) -> *mut percale_status>,
    /// Ends a capture. `*out_captured` is NULL if some of the work depends on the run in a way that
    /// a replay cannot follow; the recorded work is then dropped.
    pub capture_end: Option<unsafe extern "C" fn(stream: *mut c_void, out_captured: *mut *mut c_void) -> *mut percale_status>,
    /// Enqueues the captured work, with the operands of the capture. The library replays only if
    /// all operands have the same addresses, and has run the kernels at least once before. `run` is
    /// the run that it is replayed for, whose random numbers may differ.
    pub replay: Option<unsafe extern "C" fn(stream: *mut c_void, captured: *mut c_void, run: *mut percale_run_context) -> *mut percale_status>,
    /// Destroys captured work of which no replay is under way, maybe after its stream.
    pub captured_destroy: Option<unsafe extern "C" fn(captured: *mut c_void)>,
    /// Compiles `bytes` bytes of a .percale file, whose function "main" has static types and
    /// neither variables nor random ops. UNIMPLEMENTED names a node that the device cannot run.
    /// Optional; a device that has it is given parts of graphs and no kernels.
    pub compile: Option<unsafe extern "C" fn(device: *mut c_void, graph: *const c_void, bytes: u64, out_executable: *mut *mut c_void) -> *mut percale_status>,
    /// Enqueues one run, or has done it on return if `stream` is NULL. `inputs` and `outputs` are
    /// device memory in the order of "main"; the arrays end with the call. Several threads may call
    /// it at once, each on a stream of its own.
    pub execute: Option<unsafe extern "C" fn(executable: *mut c_void, stream: *mut c_void, inputs: *const *mut c_void, outputs: *const *mut c_void) -> *mut percale_status>,
    /// Destroys what `compile` made.
    pub executable_destroy: Option<unsafe extern "C" fn(executable: *mut c_void)>,
    /// All-reduce over devices of this table: each of the `counts[k]` numbers at `buffers[i *
    /// buffer_count + k]`, memory of `devices[i]` that no stream works on, becomes the sum over all
    /// i. The sum is a balanced tree over i, whose left half is larger by one if the count is odd,
    /// so that the bits equal those of the host. `dtype` is f32 or f64. Done on return; after an
    /// error the numbers are undefined. UNIMPLEMENTED: these devices cannot reach each other's
    /// memory. Optional; without it the library adds on the host.
    pub all_reduce: Option<unsafe extern "C" fn(devices: *const *mut c_void, device_count: u32, buffers: *const *mut c_void, counts: *const u64, buffer_count: u32, dtype: percale_dtype) -> *mut percale_status>,
    /// Gives how many inputs and outputs the compiled "main" has, which are the lengths of the
    /// arrays of `execute`. The library does not use an executable with other counts than those of
    /// the graph. Optional; for a device whose executables come from another process.
    pub operand_counts: Option<unsafe extern "C" fn(executable: *mut c_void, out_inputs: *mut u64, out_outputs: *mut u64)>,
}

/// The destination of an exported model. Borrowed for the call. The library reports errors of
/// writing, so the functions return nothing.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_export_target {
    /// `struct_size`.
    pub struct_size: u32,
    /// `user`.
    pub user: *mut c_void,
    /// Appends `size` bytes to the model.
    pub write: Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize)>,
    /// Name of a second file beside the model for elements of tensors; NULL: there is none.
    pub data_name: *const c_char,
    /// Appends `size` bytes to the second file, which exists after the first call.
    pub write_data: Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize)>,
    /// 0: elements go to the second file only if the model cannot hold them; 1: those of all larger
    /// tensors do.
    pub prefer_data: i32,
}

/// A model format. Functions may be called by several threads at once. A NULL function: the format
/// does not do that.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_format {
    /// `struct_size`.
    pub struct_size: u32,
    /// Name of the format: "onnx".
    pub name: *const c_char,
    /// Passed to the functions below.
    pub user: *mut c_void,
    /// Fills the function "main" of `builder`, and what it needs, from `size` bytes of a model.
    /// `folder` is the only folder in which files that the model names may be opened; NULL: none.
    /// If it begins with "host:", percale_host_builder_api reads them.
    pub import_graph: Option<unsafe extern "C" fn(user: *mut c_void, builder: *mut percale_builder, bytes: *const c_void, size: usize, folder: *const c_char) -> *mut percale_status>,
    /// Writes a model that computes what "main" computes. The variables of `graph` have the values
    /// that the model shall have.
    pub export_graph: Option<unsafe extern "C" fn(user: *mut c_void, graph: *const percale_graph, target: *const percale_export_target) -> *mut percale_status>,
    /// Makes a tensor from `size` bytes of the format's own tensor file (ONNX: a TensorProto), in
    /// the memory of `engine`. The caller releases `*out_tensor`.
    pub import_tensor: Option<unsafe extern "C" fn(user: *mut c_void, engine: *mut percale_engine, bytes: *const c_void, size: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status>,
}

/// Shapes of a node. Arrays are borrowed from the context.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_shape_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `input_count`.
    pub input_count: Option<unsafe extern "C" fn(context: *const percale_shape_context) -> usize>,
    /// Returns the element type; 0: absent.
    pub input_dtype: Option<unsafe extern "C" fn(context: *const percale_shape_context, index: usize) -> percale_dtype>,
    /// Returns the dims, -1 where unknown. `*out_rank` is SIZE_MAX if even the rank is unknown.
    pub input_dims: Option<unsafe extern "C" fn(context: *const percale_shape_context, index: usize, out_rank: *mut usize) -> *const i64>,
    /// Returns the elements of an input whose value is known, else NULL.
    pub input_constant: Option<unsafe extern "C" fn(context: *const percale_shape_context, index: usize) -> *const c_void>,
    /// `attributes`.
    pub attributes: Option<unsafe extern "C" fn(context: *const percale_shape_context) -> *const percale_attributes>,
    /// Sets an output's element type and dims, -1 where unknown; a `rank` of SIZE_MAX: unknown
    /// rank. INVALID_ARGUMENT: no such element type, or a rank above 8.
    pub set_output: Option<unsafe extern "C" fn(context: *mut percale_shape_context, index: usize, dtype: percale_dtype, dims: *const i64, rank: usize) -> *mut percale_status>,
}

/// The gradient of a node.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_grad_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `attributes`.
    pub attributes: Option<unsafe extern "C" fn(context: *const percale_grad_context) -> *const percale_attributes>,
    /// Returns an input of the node.
    pub input: Option<unsafe extern "C" fn(context: *const percale_grad_context, index: usize) -> i32>,
    /// Returns an output of the node.
    pub output: Option<unsafe extern "C" fn(context: *const percale_grad_context, index: usize) -> i32>,
    /// Returns the gradient that arrives at an output; -1: zero.
    pub output_gradient: Option<unsafe extern "C" fn(context: *const percale_grad_context, index: usize) -> i32>,
    /// Returns 1 if the gradient of an input is needed: work for others can be left out.
    pub wants: Option<unsafe extern "C" fn(context: *const percale_grad_context, input_index: usize) -> i32>,
    /// Returns the element type of a value; 0 for -1.
    pub dtype: Option<unsafe extern "C" fn(context: *const percale_grad_context, value: i32) -> percale_dtype>,
    /// Gives the dims of a value, -1 where unknown, and the rank, SIZE_MAX if unknown. `out_dims`
    /// has room for 8.
    pub dims: Option<unsafe extern "C" fn(context: *const percale_grad_context, value: i32, out_dims: *mut i64, out_rank: *mut usize)>,
    /// Returns a constant of rank 0 that holds `value` converted to `dtype`, which is a type of at
    /// least 8 bits.
    pub scalar: Option<unsafe extern "C" fn(context: *mut percale_grad_context, dtype: percale_dtype, value: f64) -> i32>,
    /// Returns an i64 constant of rank 1, as shapes and axes are given to ops.
    pub ints: Option<unsafe extern "C" fn(context: *mut percale_grad_context, values: *const i64, count: usize) -> i32>,
    /// Adds a node "Op" or "domain:Op" with these inputs and attributes and returns its first
    /// output; -1 after an error. The attributes are copied; their kinds may be any but TENSOR and
    /// FUNCTION.
    pub emit: Option<unsafe extern "C" fn(context: *mut percale_grad_context, op: *const c_char, inputs: *const i32, input_count: usize, attributes: *const percale_attribute, attribute_count: usize) -> i32>,
    /// As `emit`, for an op with `output_count` outputs, which go to `out_values`.
    pub emit_outputs: Option<unsafe extern "C" fn(context: *mut percale_grad_context, op: *const c_char, inputs: *const i32, input_count: usize, attributes: *const percale_attribute, attribute_count: usize, out_values: *mut i32, output_count: usize)>,
    /// Sets the gradient with respect to an input. An input without one counts as zero.
    pub set_input_gradient: Option<unsafe extern "C" fn(context: *mut percale_grad_context, input_index: usize, value: i32)>,
}

/// A graph builder.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_builder_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Returns the engine that the graph is built for, borrowed from the builder.
    pub engine: Option<unsafe extern "C" fn(builder: *mut percale_builder) -> *mut percale_engine>,
    /// Returns 1 if nodes of `op` ("Conv", "domain:Op") can be made as opset `version` of the op's
    /// domain defines it; 0 for `version`: the newest.
    pub knows_op: Option<unsafe extern "C" fn(builder: *const percale_builder, op: *const c_char, version: i32) -> i32>,
    /// Stores a fact about the graph with it.
    pub set_metadata: Option<unsafe extern "C" fn(builder: *mut percale_builder, key: *const c_char, value: *const c_char) -> *mut percale_status>,
    /// Functions and their values.
    pub begin_function: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char) -> *mut percale_status>,
    /// Functions and their values.
    pub end_function: Option<unsafe extern "C" fn(builder: *mut percale_builder) -> *mut percale_status>,
    /// Adds an input of the current function. `dims`: `rank` sizes, -1 where unknown; a `rank` of
    /// SIZE_MAX: unknown rank.
    pub input: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char, dtype: percale_dtype, dims: *const i64, rank: usize, out_value: *mut percale_value) -> *mut percale_status>,
    /// Functions and their values.
    pub constant: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char, tensor: *mut percale_tensor, out_value: *mut percale_value) -> *mut percale_status>,
    /// Adds a variable; `trainable` is 0 for one that no optimizer changes.
    pub variable: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char, initial: *mut percale_tensor, trainable: i32, out_value: *mut percale_value) -> *mut percale_status>,
    /// Reserves a name of the current function for the input or renamed value that will get it.
    pub reserve_name: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char) -> *mut percale_status>,
    /// Functions and their values.
    pub rename: Option<unsafe extern "C" fn(builder: *mut percale_builder, value: percale_value, name: *const c_char) -> *mut percale_status>,
    /// Gives element type, dims and rank of a value. `out_dims` has room for 8.
    pub value_type: Option<unsafe extern "C" fn(builder: *const percale_builder, value: percale_value, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status>,
    /// Functions and their values.
    pub set_outputs: Option<unsafe extern "C" fn(builder: *mut percale_builder, values: *const percale_value, count: usize) -> *mut percale_status>,
    /// Starts a node. `version` is the opset of the op's domain that defines its meaning; nodes of
    /// older opsets are upgraded. 0: the newest. `name` may be NULL.
    pub node: Option<unsafe extern "C" fn(builder: *mut percale_builder, op: *const c_char, version: i32, name: *const c_char) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub add_input: Option<unsafe extern "C" fn(builder: *mut percale_builder, value: percale_value) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_int: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: i64) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_float: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: f64) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_string: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: *const c_char) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_ints: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, values: *const i64, count: usize) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_floats: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, values: *const f64, count: usize) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_strings: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, values: *const *const c_char, count: usize) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_tensor: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: *mut percale_tensor) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub set_function: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, function: *const c_char) -> *mut percale_status>,
    /// Nodes: `node`, then inputs and attributes, then `finish_node`.
    pub finish_node: Option<unsafe extern "C" fn(builder: *mut percale_builder, output_count: usize, out_values: *mut percale_value) -> *mut percale_status>,
    /// Gives the size of a file in bytes. `path` begins with the folder.
    pub file_size: Option<unsafe extern "C" fn(engine: *mut percale_engine, path: *const c_char, out_size: *mut i64) -> *mut percale_status>,
    /// Reads `size` bytes from byte `offset` of a file, within its size.
    pub read_file: Option<unsafe extern "C" fn(engine: *mut percale_engine, path: *const c_char, offset: i64, buffer: *mut c_void, size: usize) -> *mut percale_status>,
}

/// A function of a graph. The caller sets `struct_size`, as in all of these structs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_graph_function_info {
    /// `struct_size`.
    pub struct_size: u32,
    /// `name`.
    pub name: *const c_char,
    /// `value_count`.
    pub value_count: usize,
    /// `node_count`.
    pub node_count: usize,
    /// Numbers of values.
    pub inputs: *const i32,
    /// `input_count`.
    pub input_count: usize,
    /// Numbers of values.
    pub outputs: *const i32,
    /// `output_count`.
    pub output_count: usize,
}

/// A value of a function.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_graph_value_info {
    /// `struct_size`.
    pub struct_size: u32,
    /// `name`.
    pub name: *const c_char,
    /// `dtype`.
    pub dtype: percale_dtype,
    /// -1 where unknown.
    pub dims: *const i64,
    /// SIZE_MAX: unknown.
    pub rank: usize,
    /// The elements of a constant, else NULL.
    pub data: *const c_void,
    /// `bytes`.
    pub bytes: u64,
}

/// A node of a function.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_graph_node_info {
    /// `struct_size`.
    pub struct_size: u32,
    /// "" for ONNX's own.
    pub domain: *const c_char,
    /// `op`.
    pub op: *const c_char,
    /// The opset of the domain that gave the op its meaning.
    pub version: i32,
    /// `name`.
    pub name: *const c_char,
    /// Numbers of values; -1: absent.
    pub inputs: *const i32,
    /// `input_count`.
    pub input_count: usize,
    /// Numbers of values.
    pub outputs: *const i32,
    /// `output_count`.
    pub output_count: usize,
    /// The attributes that the node gives, without defaults.
    pub attributes: *const percale_attributes,
}

/// A variable of a graph.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_graph_variable_info {
    /// `struct_size`.
    pub struct_size: u32,
    /// `name`.
    pub name: *const c_char,
    /// `dtype`.
    pub dtype: percale_dtype,
    /// `dims`.
    pub dims: *const i64,
    /// `rank`.
    pub rank: usize,
    /// `trainable`.
    pub trainable: i32,
    /// Its initial value; NULL if the function "init" computes it.
    pub data: *const c_void,
    /// `bytes`.
    pub bytes: u64,
}

/// A finished graph. A function that fills a struct returns 1, or 0 past the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_graph_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `function`.
    pub function: Option<unsafe extern "C" fn(graph: *const percale_graph, index: usize, out_info: *mut percale_graph_function_info) -> i32>,
    /// `value`.
    pub value: Option<unsafe extern "C" fn(graph: *const percale_graph, function: usize, index: usize, out_info: *mut percale_graph_value_info) -> i32>,
    /// `node`.
    pub node: Option<unsafe extern "C" fn(graph: *const percale_graph, function: usize, index: usize, out_info: *mut percale_graph_node_info) -> i32>,
    /// `variable`.
    pub variable: Option<unsafe extern "C" fn(graph: *const percale_graph, index: usize, out_info: *mut percale_graph_variable_info) -> i32>,
    /// Gives one fact that is stored with the graph, in the order of keys.
    pub metadata: Option<unsafe extern "C" fn(graph: *const percale_graph, index: usize, out_key: *mut *const c_char, out_value: *mut *const c_char, out_value_size: *mut usize) -> i32>,
    /// Makes a graph with the same outputs, without nodes that they do not depend on and without
    /// calls of functions by Call nodes. An op that is composed of others is replaced by them if
    /// `keeps` returns 0 for it. The caller releases the graph. FAILED_PRECONDITION: an output
    /// depends on the value of a variable after the run has changed it.
    pub inference: Option<unsafe extern "C" fn(graph: *const percale_graph, keeps: Option<unsafe extern "C" fn(user: *mut c_void, domain: *const c_char, op: *const c_char, version: i32) -> i32>, user: *mut c_void, out_graph: *mut *mut percale_graph) -> *mut percale_status>,
    /// Releases a graph of `inference`.
    pub release: Option<unsafe extern "C" fn(graph: *mut percale_graph)>,
}

/// Statuses. All but `create` may also be called while a kernel runs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_status_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Makes a status; the caller owns it. `message` is UTF-8 and is copied; `message_size` may be
    /// PERCALE_NUL_ENDED. A `code` that is no error becomes UNKNOWN.
    pub create: Option<unsafe extern "C" fn(code: percale_code, message: *const c_char, message_size: usize) -> *mut percale_status>,
    /// Returns the code; PERCALE_OK for NULL.
    pub code: Option<unsafe extern "C" fn(status: *const percale_status) -> percale_code>,
    /// Returns the message, borrowed from the status; "" for NULL. `out_size` may be NULL.
    pub message: Option<unsafe extern "C" fn(status: *const percale_status, out_size: *mut usize) -> *const c_char>,
    /// Releases a status. NULL is allowed.
    pub release: Option<unsafe extern "C" fn(status: *mut percale_status)>,
}

/// The engine's log.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_log_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Writes a message to the log function of the run's engine, if `level` reaches the option
    /// "log". `message` is UTF-8; `message_size` may be PERCALE_NUL_ENDED. For rare events: the log
    /// function is the host's own code and may be slow.
    pub write: Option<unsafe extern "C" fn(run: *const percale_run_context, level: percale_log_level, message: *const c_char, message_size: usize)>,
}

/// Tensors.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_tensor_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Makes a zeroed tensor in the memory of `engine`; the caller releases it.
    pub create: Option<unsafe extern "C" fn(engine: *mut percale_engine, dtype: percale_dtype, dims: *const i64, rank: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status>,
    /// Returns the elements, row-major, borrowed from the tensor.
    pub get_data: Option<unsafe extern "C" fn(tensor: *const percale_tensor) -> *mut c_void>,
    /// Returns the bytes of all elements.
    pub bytes: Option<unsafe extern "C" fn(tensor: *const percale_tensor) -> usize>,
    /// Adds a reference and returns `tensor`.
    pub retain: Option<unsafe extern "C" fn(tensor: *mut percale_tensor) -> *mut percale_tensor>,
    /// Releases a reference. NULL is allowed.
    pub release: Option<unsafe extern "C" fn(tensor: *mut percale_tensor)>,
    /// Returns the CRC-32C of bytes, the checksum of tensors in files and messages. `crc` is that
    /// of the bytes before them; 0 at the start.
    pub crc32c: Option<unsafe extern "C" fn(data: *const c_void, bytes: usize, crc: u32) -> u32>,
}

/// Attributes. A getter returns 1 if the attribute is there and has its kind, else 0, and then
/// leaves its outputs alone.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_attributes_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `get_int`.
    pub get_int: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, out_value: *mut i64) -> i32>,
    /// `get_float`.
    pub get_float: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, out_value: *mut f64) -> i32>,
    /// `out_size` may be NULL.
    pub get_string: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, out_text: *mut *const c_char, out_size: *mut usize) -> i32>,
    /// `get_ints`.
    pub get_ints: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, out_values: *mut *const i64, out_count: *mut usize) -> i32>,
    /// `get_floats`.
    pub get_floats: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, out_values: *mut *const f64, out_count: *mut usize) -> i32>,
    /// Returns one text of a list of strings, NUL-ended; NULL past the end, and if `name` is no
    /// such attribute. `out_size` may be NULL.
    pub get_string_at: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, index: usize, out_size: *mut usize) -> *const c_char>,
    /// Gets an attribute of any kind.
    pub get: Option<unsafe extern "C" fn(attributes: *const percale_attributes, name: *const c_char, out_attribute: *mut percale_attribute) -> i32>,
    /// Returns how many attributes there are.
    pub count: Option<unsafe extern "C" fn(attributes: *const percale_attributes) -> usize>,
    /// Gets the attribute `index`, in the order of names; 0 past the end.
    pub at: Option<unsafe extern "C" fn(attributes: *const percale_attributes, index: usize, out_attribute: *mut percale_attribute) -> i32>,
}

/// The view of a node. Text and arrays are borrowed from it. An index past the end gives 0, NULL or
/// an element type of 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_node_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Returns the domain of the op, "" for ONNX's own.
    pub domain: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// Returns the name of the op, without its domain.
    pub op: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// Returns the name of the node in its graph.
    pub name: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// `input_count`.
    pub input_count: Option<unsafe extern "C" fn(node: *const percale_node_view) -> usize>,
    /// `output_count`.
    pub output_count: Option<unsafe extern "C" fn(node: *const percale_node_view) -> usize>,
    /// `input_dtype`.
    pub input_dtype: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> percale_dtype>,
    /// `output_dtype`.
    pub output_dtype: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> percale_dtype>,
    /// `input_dims`.
    pub input_dims: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize, out_rank: *mut usize) -> *const i64>,
    /// `output_dims`.
    pub output_dims: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize, out_rank: *mut usize) -> *const i64>,
    /// Returns the elements of an input whose value is known before the run, else NULL.
    pub input_constant: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const c_void>,
    /// `attributes`.
    pub attributes: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const percale_attributes>,
    /// Returns the instruction set that kernels of the CPU may use, limited by the machine and by
    /// the engine's option "isa": "sse4", "avx2" or "avx512".
    pub isa: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// Returns the layout of an input, see `percale_host_kernel_plan_api`; NULL: row-major.
    pub input_layout: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const c_char>,
    /// Returns the layout that the output of a Reorder must have; NULL: row-major.
    pub output_layout: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const c_char>,
    /// Returns 1 if the input keeps its value until a variable changes, as weights do that are not
    /// trained. A Reorder of it is precomputed once and costs nothing in a run.
    pub input_is_precomputed: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> i32>,
    /// Returns the number of nodes in the body of a node "percale:Fused"; 0 for every other op. The
    /// body holds plain nodes in execution order. The Fused node gives the first output of the last
    /// node, then the other outputs of its nodes. Values of a body are numbers: first the inputs of
    /// the Fused node, then the constants of the body, then the outputs of its nodes.
    pub body_node_count: Option<unsafe extern "C" fn(node: *const percale_node_view) -> usize>,
    /// Returns a node of the body, borrowed from `node`.
    pub body_node: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const percale_node_view>,
    /// Returns the number of the value that is input `input` of a node of the body; -1: absent.
    pub body_input: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize, input: usize) -> i32>,
    /// Returns the number of the value that is the first output of a node of the body.
    pub body_output: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> i32>,
}

/// The plan of a kernel for one node. Operands are counted: inputs, then outputs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_kernel_plan_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Requests `bytes` bytes of scratch memory for each run: percale_launch.scratch.
    pub set_scratch: Option<unsafe extern "C" fn(plan: *mut percale_kernel_plan, bytes: u64)>,
    /// Allows that `output` has the address of `input`, if both have the same size and layout: the
    /// kernel reads each element before it writes it. The library does so if no other node reads
    /// the input later. Not needed for ops whose schema says so.
    pub set_in_place: Option<unsafe extern "C" fn(plan: *mut percale_kernel_plan, output: usize, input: usize)>,
    /// Requests a layout that takes `bytes` bytes for an operand. Returns 1 if granted; 0 if all
    /// operands are row-major here, as in constant folding. Operands without a request are
    /// row-major, whatever layout was offered.
    pub set_layout: Option<unsafe extern "C" fn(plan: *mut percale_kernel_plan, operand: usize, layout: *const c_char, bytes: u64) -> i32>,
}

/// A run.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_run_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Calls `body(arg, 0)` to `body(arg, pieces - 1)` on the engine's threads and returns when all
    /// are done. If `pieces` depends on the problem alone, the bits are the same on any number of
    /// threads.
    pub parallel_for: Option<unsafe extern "C" fn(run: *mut percale_run_context, pieces: i64, body: Option<unsafe extern "C" fn(arg: *mut c_void, piece: i64)>, arg: *mut c_void)>,
    /// Returns 1 if the run was cancelled or its deadline has passed: return soon.
    pub cancelled: Option<unsafe extern "C" fn(run: *const percale_run_context) -> i32>,
    /// Fails the run with a message of the kernel's own. The status has `code` and the message "Op
    /// 'node': MESSAGE", of which the first 511 bytes are kept. `message` is UTF-8 and is copied;
    /// `message_size` may be PERCALE_NUL_ENDED. A `code` that is no error becomes INTERNAL. The
    /// first failure of a run counts.
    pub fail: Option<unsafe extern "C" fn(run: *mut percale_run_context, code: percale_code, message: *const c_char, message_size: usize)>,
    /// Fails the run for a reason that the library words. `mark` says which instruction failed: -1
    /// for the one that is running, or a number that `mark` gave. An `error` that is not one of
    /// percale_run_error, a percale_code for instance, fails the run with INTERNAL.
    pub fail_at: Option<unsafe extern "C" fn(run: *mut percale_run_context, mark: i64, error: percale_run_error, detail: i64)>,
    /// Returns the number of the instruction that is being enqueued, for `fail_at` by code that
    /// finds an error later, before `stream_synchronize` returns. That then returns NULL, because
    /// the run knows the error.
    pub mark: Option<unsafe extern "C" fn(run: *const percale_run_context) -> i64>,
    /// Gives the counters of random ops, besides their attributes: the seed of the run, its step,
    /// and the index of the first row of its batch within the whole batch.
    pub random: Option<unsafe extern "C" fn(run: *const percale_run_context, out_seed: *mut i64, out_step: *mut i64, out_first_row: *mut i64)>,
}

/// One input or output of an op. The layout never changes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_op_value {
    /// `name`.
    pub name: *const c_char,
    /// Inputs and outputs with the same letter have the same element type; 0: independent.
    pub type_group: c_char,
    /// The allowed element types as bits 1 \<\< PERCALE_DTYPE_*. 0 for an output whose element type
    /// the shape function sets.
    pub dtypes: u32,
    /// Inputs only: 1 if a node may leave it out.
    pub optional: i32,
}

/// One attribute of an op. The layout never changes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_op_attribute {
    /// `name`.
    pub name: *const c_char,
    /// Any kind but FUNCTION.
    pub kind: percale_attribute_kind,
    /// 1: every node must give it.
    pub required: i32,
    /// 1: a node that does not give it has the default below, for the kinds FLOAT, INT and STRING.
    pub has_default: i32,
    /// `int_default`.
    pub int_default: i64,
    /// `float_default`.
    pub float_default: f64,
    /// `string_default`.
    pub string_default: *const c_char,
}

/// An op. Strings and arrays live as long as the plug-in. The functions may be called by several
/// threads at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_op {
    /// `struct_size`.
    pub struct_size: u32,
    /// `name`.
    pub name: *const c_char,
    /// Version of the plug-in's domain that gave the op this meaning, from 1 on.
    pub since: i32,
    /// One sentence for `percale ops`.
    pub doc: *const c_char,
    /// `inputs`.
    pub inputs: *const percale_op_value,
    /// `input_count`.
    pub input_count: usize,
    /// `outputs`.
    pub outputs: *const percale_op_value,
    /// `output_count`.
    pub output_count: usize,
    /// `attributes`.
    pub attributes: *const percale_op_attribute,
    /// `attribute_count`.
    pub attribute_count: usize,
    /// Passed to `shape` and `gradient`.
    pub user: *mut c_void,
    /// Sets element type and dims of every output, or returns the reason why the node is wrong.
    /// Dims of inputs may be unknown.
    pub shape: Option<unsafe extern "C" fn(user: *mut c_void, context: *mut percale_shape_context) -> *mut percale_status>,
    /// Adds nodes that compute the gradients of the inputs. NULL: the op has no gradient.
    pub gradient: Option<unsafe extern "C" fn(user: *mut c_void, context: *mut percale_grad_context) -> *mut percale_status>,
}

/// The place of a process in a group. Borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_group_place {
    /// `struct_size`.
    pub struct_size: u32,
    /// of this process, from 0; rank 0 leads
    pub rank: i32,
    /// number of processes
    pub size: i32,
    /// "host:port" or "unix:path" by rank; "": not known. That of rank 0 is known.
    pub addresses: *const *const c_char,
    /// Version and numerics fingerprint of this library: a group whose ranks differ must be
    /// refused.
    pub build: *const c_char,
    /// Folder of certificates; NULL: none, so that addresses beyond this machine must be refused.
    pub certificates: *const c_char,
    /// Nanoseconds until the group must be complete; \< 0: no limit.
    pub timeout_ns: i64,
}

/// A process that serves devices. Borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_peer {
    /// `struct_size`.
    pub struct_size: u32,
    /// "host:port" or "unix:path"
    pub address: *const c_char,
    /// Version and numerics fingerprint of this library: a process that has others must be refused.
    pub build: *const c_char,
    /// Folder of certificates; NULL: none, so that addresses beyond this machine must be refused.
    pub certificates: *const c_char,
    /// Nanoseconds until the process must have answered; \< 0: no limit.
    pub timeout_ns: i64,
}

/// A device that is served to other processes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_served_device {
    /// `struct_size`.
    pub struct_size: u32,
    /// the name by which others ask for it: "cpu:0"
    pub name: *const c_char,
    /// Its table, with `compile` and without `launch`. Its streams are not used: all calls have the
    /// stream NULL, and several threads may make them at once.
    pub api: *const percale_device_api,
    /// what `open` would give
    pub device: *mut c_void,
    /// The options that it was opened with. A client that asks for equal bits or for full products
    /// of f32 is refused if the device was not opened for them. NULL: no client is.
    pub options: *const percale_device_options,
    /// Calls `found(to, is_output, bytes)` with the size of each input of an executable, then of
    /// each output, in the order of "main". Thread-safe. Before `execute`, the server checks by
    /// them that all operands lie in memory of the client; `execute` itself need not.
    pub list_operands: Option<unsafe extern "C" fn(executable: *mut c_void, found: Option<unsafe extern "C" fn(to: *mut c_void, is_output: i32, bytes: u64)>, to: *mut c_void)>,
}

/// A transport. Functions may be called by several threads at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_transport {
    /// `struct_size`.
    pub struct_size: u32,
    /// Name of the transport: "grpc".
    pub name: *const c_char,
    /// Passed to the functions below.
    pub user: *mut c_void,
    /// Joins a group, and returns when all of its processes have. Fills `*out_collective`, whose
    /// `user` the library gives to `*out_destroy` when it needs the group no more: the process then
    /// leaves it.
    pub join: Option<unsafe extern "C" fn(user: *mut c_void, place: *const percale_group_place, out_collective: *mut percale_collective, out_destroy: *mut percale_destroy) -> *mut percale_status>,
    /// Calls `found(to, name)` with the name of each device that the process serves: "cpu:0".
    /// Needed with `open_device`.
    pub list_devices: Option<unsafe extern "C" fn(user: *mut c_void, peer: *const percale_peer, found: Option<unsafe extern "C" fn(to: *mut c_void, name: *const c_char)>, to: *mut c_void) -> *mut percale_status>,
    /// Opens a device of the process by that name. `*out_api` is the table of the device, which
    /// lives as long as the process; its `probe` and `open` are not called. Optional.
    pub open_device: Option<unsafe extern "C" fn(user: *mut c_void, peer: *const percale_peer, name: *const c_char, options: *const percale_device_options, out_api: *mut *const percale_device_api, out_device: *mut *mut c_void) -> *mut percale_status>,
    /// Serves devices at the address of `own`, until `stop_serving`. The array ends with the call,
    /// the devices live until `stop_serving` returns. `*out_port` is the port, which the system has
    /// chosen if the address has port 0; 0 for a Unix socket. Optional.
    pub serve: Option<unsafe extern "C" fn(user: *mut c_void, own: *const percale_peer, devices: *const percale_served_device, count: usize, out_server: *mut *mut c_void, out_port: *mut i32) -> *mut percale_status>,
    /// Waits until clients have come and all have gone, as `percale_server_wait()`. Needed with
    /// `serve`.
    pub wait_for_clients: Option<unsafe extern "C" fn(user: *mut c_void, server: *mut c_void, timeout_ns: i64) -> *mut percale_status>,
    /// Ends the connections of all clients, frees what they have allocated, and returns when no
    /// call of a device is under way. Needed with `serve`.
    pub stop_serving: Option<unsafe extern "C" fn(user: *mut c_void, server: *mut c_void)>,
}

/// The functions that the library offers a plug-in, by theme. It and its tables live as long as the
/// process.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `status`.
    pub status: *const percale_host_status_api,
    /// `log`.
    pub log: *const percale_host_log_api,
    /// `tensor`.
    pub tensor: *const percale_host_tensor_api,
    /// `attributes`.
    pub attributes: *const percale_host_attributes_api,
    /// `node`.
    pub node: *const percale_host_node_api,
    /// `kernel_plan`.
    pub kernel_plan: *const percale_host_kernel_plan_api,
    /// `run`.
    pub run: *const percale_host_run_api,
    /// `shape`.
    pub shape: *const percale_host_shape_api,
    /// `grad`.
    pub grad: *const percale_host_grad_api,
    /// `builder`.
    pub builder: *const percale_host_builder_api,
    /// `graph`.
    pub graph: *const percale_host_graph_api,
}

/// The additions of a plug-in. Everything that it points to lives as long as the process.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_plugin_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// Name of the plug-in: "onednn".
    pub name: *const c_char,
    /// Its version, which the numerics fingerprint contains if it brings kernels.
    pub version: *const c_char,
    /// Domain of its ops: they are named "domain:Op" in graphs. Needed with ops; it may be neither
    /// "" nor "ai.onnx" nor "percale", whose ops are the library's.
    pub domain: *const c_char,
    /// `ops`.
    pub ops: *const *const percale_op,
    /// `op_count`.
    pub op_count: usize,
    /// Kernels, which come before those that are already there, in this order.
    pub kernels: *const *const percale_kernel,
    /// `kernel_count`.
    pub kernel_count: usize,
    /// `devices`.
    pub devices: *const *const percale_device_api,
    /// `device_count`.
    pub device_count: usize,
    /// `formats`.
    pub formats: *const *const percale_format,
    /// `format_count`.
    pub format_count: usize,
    /// `transports`.
    pub transports: *const *const percale_transport,
    /// `transport_count`.
    pub transport_count: usize,
}

/// Type of `percale_plugin_init()`, the only function that a plug-in exports. `host_abi` is the
/// PERCALE_PLUGIN_ABI of the library, `path` the plug-in's own file. On failure it returns a status
/// of `host->status->create`. If the plug-in was found in a folder, it is then reported as absent
/// with that reason; if the option "plugin_path" names its file, the engine fails.
///
/// It is called whenever an engine is made, from any thread, and by each copy of the library in the
/// process with a table of its own. A plug-in that keeps the first table refuses those of other
/// copies; one that serves all of them gives each its own tables and finds the host by `user`. The
/// file of a plug-in stays open until the process ends.
pub type percale_plugin_init_fn =
    Option<unsafe extern "C" fn(host: *const percale_host_api, host_abi: u32, path: *const c_char, out_plugin: *mut *const percale_plugin_api) -> *mut percale_status>;
