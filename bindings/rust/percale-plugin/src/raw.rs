// Written by bindings/gen from c_api/include/percale_plugin.h; changes belong there.

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

/// A value of a builder: what a node, an input or a constant gives. -1 = none.
pub type percale_value = i32;

/// As a value: none.
pub const PERCALE_NO_VALUE: percale_value = -1;
/// As a size: the text ends with NUL.
pub const PERCALE_NUL_ENDED: usize = usize::MAX;
/// As a timeout: none. Any other negative number is a time that is over already.
pub const PERCALE_FOREVER: i64 = -1;
/// Version of this header's tables.
pub const PERCALE_PLUGIN_ABI: u32 = 1;

/// *thread-safe*. An error: code and message. NULL is success.
#[repr(C)]
pub struct percale_status {
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

/// What a kernel sees of the node that it may run: op, attributes, types, shapes, constants. Borrowed; read it
/// with the node_* getters of the host table.
#[repr(C)]
pub struct percale_node_view {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// Where a kernel's plan() books what it needs. Borrowed for the duration of plan().
#[repr(C)]
pub struct percale_kernel_plan {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// What a shape function reads and fills. Borrowed for the duration of the call.
#[repr(C)]
pub struct percale_shape_context {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// What a gradient function reads and emits nodes to. Borrowed for the duration of the call.
#[repr(C)]
pub struct percale_grad_context {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// The run that a kernel works for: parallelism, cancellation, the error word. Borrowed.
#[repr(C)]
pub struct percale_run_context {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

/// What run() of a kernel gets. Operands are the node's inputs, then its outputs, in schema order; an absent
/// optional one is NULL, an empty tensor is a non-NULL pointer. Memory is 64-byte aligned, of the kernel's
/// device, and row-major where the kernel's plan has not said otherwise.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_launch {
    /// `operands`.
    pub operands: *const *mut c_void,
    /// The bytes booked with kernel_plan_set_scratch(), 64-byte aligned; contents undefined.
    pub scratch: *mut c_void,
    /// The device's queue that the work goes to; NULL on the CPU, where run() does the work before it returns.
    pub queue: *mut c_void,
    /// `run`.
    pub run: *mut percale_run_context,
}

/// A kernel: one way to run one op on one kind of device. The list of an op is asked in order; the first kernel
/// whose accepts() returns NULL is taken.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_kernel {
    /// `struct_size`.
    pub struct_size: u32,
    /// Name for traces and `percale kernels`, such as "onednn.conv".
    pub name: *const c_char,
    /// Op domain ("" for ONNX's own) and name.
    pub domain: *const c_char,
    /// `op`.
    pub op: *const c_char,
    /// NULL when the kernel can run the node; else a status whose message is the reason.
    pub accepts: Option<unsafe extern "C" fn(user: *mut c_void, node: *const percale_node_view) -> *mut percale_status>,
    /// Prepares the node: books scratch, makes immutable state that concurrent runs share. UNIMPLEMENTED where
    /// formats that it needs are not given: then the next kernel is asked.
    pub plan: Option<unsafe extern "C" fn(user: *mut c_void, node: *const percale_node_view, plan: *mut percale_kernel_plan, out_state: *mut *mut c_void) -> *mut percale_status>,
    /// Does the work. May be called by several threads at once with the same state. Should allocate nothing.
    pub run: Option<unsafe extern "C" fn(state: *const c_void, launch: *const percale_launch)>,
    /// Frees what plan() made.
    pub destroy: Option<unsafe extern "C" fn(state: *mut c_void)>,
    /// Handed to accepts() and plan().
    pub user: *mut c_void,
}

/// Facts about one device. Text is borrowed from the plug-in and lives as long as it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_device_description {
    /// `struct_size`.
    pub struct_size: u32,
    /// "cpu", "null", "cuda": the kind part of the device's name.
    pub kind: *const c_char,
    /// The maker's name of the thing: "AMD EPYC 9554".
    pub model: *const c_char,
    /// Bytes of its memory, 0 when not known.
    pub memory_bytes: u64,
    /// 1 when the host may read and write its memory by pointer: copies from and to such a device are plain.
    pub shares_host_memory: i32,
    /// Peak arithmetic rate in GFLOP/s of f32 and memory bandwidth in GB/s for the placement's cost model; 0 =
    /// unknown.
    pub gflops: f64,
    /// `gbytes_per_second`.
    pub gbytes_per_second: f64,
}

/// What an engine wants of a device that it opens.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_device_options {
    /// `struct_size`.
    pub struct_size: u32,
    /// The most that allocate() may have given out at once, in bytes; 0: all that the device has.
    pub memory_limit: u64,
    /// 1: the same bits in every run; 0: faster code without that promise is welcome.
    pub deterministic: i32,
    /// 1: products of f32 may be made of tf32, which keeps 10 bits of the fraction.
    pub tf32: i32,
}

/// A kind of device. `self` is the table's own user pointer, `device` what open() returned. Functions may be
/// called from any thread; calls on one queue are serialised by the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_device_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `self`.
    pub self_: *mut c_void,
    /// The kind, as in the description; names of its devices are "\<kind\>:\<index\>".
    pub kind: *const c_char,
    /// How many such devices the machine has. With none, *out_reason says why ("no NVIDIA driver"); never an error.
    pub probe: Option<unsafe extern "C" fn(self_: *mut c_void, out_reason: *mut *const c_char) -> i32>,
    /// `open`.
    pub open: Option<unsafe extern "C" fn(self_: *mut c_void, index: i32, out_device: *mut *mut c_void) -> *mut percale_status>,
    /// `close`.
    pub close: Option<unsafe extern "C" fn(device: *mut c_void)>,
    /// `describe`.
    pub describe: Option<unsafe extern "C" fn(device: *mut c_void, out_description: *mut percale_device_description) -> *mut percale_status>,
    /// Device memory, 64-byte aligned, contents undefined. Out of memory is RESOURCE_EXHAUSTED, `bytes` of 0
    /// INVALID_ARGUMENT.
    pub allocate: Option<unsafe extern "C" fn(device: *mut c_void, bytes: u64, out_memory: *mut *mut c_void) -> *mut percale_status>,
    /// `free`.
    pub free: Option<unsafe extern "C" fn(device: *mut c_void, memory: *mut c_void)>,
    /// In-order queues of work. NULL slots: the device works synchronously and has no queues.
    pub queue_create: Option<unsafe extern "C" fn(device: *mut c_void, out_queue: *mut *mut c_void) -> *mut percale_status>,
    /// `queue_destroy`.
    pub queue_destroy: Option<unsafe extern "C" fn(queue: *mut c_void)>,
    /// Enqueues a copy between host memory and device memory; `to` and `from` may lie anywhere within a block.
    /// Without queues (`queue` NULL) it is done when it returns.
    pub copy_from_host: Option<unsafe extern "C" fn(device: *mut c_void, queue: *mut c_void, to: *mut c_void, from: *const c_void, bytes: u64) -> *mut percale_status>,
    /// `copy_to_host`.
    pub copy_to_host: Option<unsafe extern "C" fn(device: *mut c_void, queue: *mut c_void, to: *mut c_void, from: *const c_void, bytes: u64) -> *mut percale_status>,
    /// Returns when all work of the queue is done and every reached() of queue_signal() has returned; the first error
    /// of that work, if any.
    pub queue_synchronize: Option<unsafe extern "C" fn(queue: *mut c_void) -> *mut percale_status>,
    /// Bytes allocated now, and the high-water mark.
    pub memory_stats: Option<unsafe extern "C" fn(device: *mut c_void, out_used: *mut u64, out_peak: *mut u64)>,
    /// Asks queued work to end early. Optional.
    pub cancel: Option<unsafe extern "C" fn(device: *mut c_void)>,
    /// 1 when the device will never work again. Optional; NULL = never.
    pub lost: Option<unsafe extern "C" fn(device: *mut c_void) -> i32>,
    /// The other way to execute: takes a whole partition as the bytes of a .percale file, whose function "main" has
    /// static types and neither variables nor random ops. Optional; a device that has it is given partitions, no
    /// kernels. UNIMPLEMENTED names a node that the device cannot run. `inputs` and `outputs` of execute(), arrays
    /// that end with the call, are device memory in the order of "main"; it puts the work on the queue, or has done
    /// it when it returns where there are none (`queue` NULL). It is called by several threads at once, on queues of
    /// their own.
    pub compile: Option<unsafe extern "C" fn(device: *mut c_void, graph: *const c_void, bytes: u64, out_executable: *mut *mut c_void) -> *mut percale_status>,
    /// `execute`.
    pub execute: Option<unsafe extern "C" fn(executable: *mut c_void, queue: *mut c_void, inputs: *const *mut c_void, outputs: *const *mut c_void) -> *mut percale_status>,
    /// `executable_destroy`.
    pub executable_destroy: Option<unsafe extern "C" fn(executable: *mut c_void)>,
    /// The kind of device whose kernels serve this one too, for ops that have no kernel for its own kind; NULL: none
    /// do. They read and write memory that the device must show them: see launch(), which is needed with this.
    pub borrow_kernels: *const c_char,
    /// Enqueues one run of a kernel, a borrowed one or its own: a thread of the device calls run(state, l) after what
    /// is before it in the queue, and the work is done when that returns. `l` is as `launch`, with operands and
    /// scratch, which are addresses within blocks of allocate(), replaced by where a thread can reach those bytes,
    /// and `queue` NULL. What `launch` points to ends with this call; `state` and launch-\>run last until the queue
    /// is synchronised. Not called when work before it has failed.
    pub launch: Option<unsafe extern "C" fn(queue: *mut c_void, run: Option<unsafe extern "C" fn(state: *const c_void, launch: *const percale_launch)>, state: *const c_void, launch: *const percale_launch, operand_count: usize) -> *mut percale_status>,
    /// A point on a timeline: enqueues that reached(event, value, code) is called once all work before it in the
    /// queue is done, with PERCALE_OK, or has been left out because of an error, with its code: then too, and on a
    /// lost device. It comes from a thread of the device and must neither wait nor call the table. NULL: whoever
    /// needs such a point synchronises the queue. When queue_signal() itself fails it is never called.
    pub queue_signal: Option<unsafe extern "C" fn(queue: *mut c_void, reached: Option<unsafe extern "C" fn(event: *mut c_void, value: u64, code: percale_code)>, event: *mut c_void, value: u64) -> *mut percale_status>,
    /// open() with what the engine wants. NULL: open() is called.
    pub open_with: Option<unsafe extern "C" fn(self_: *mut c_void, index: i32, options: *const percale_device_options, out_device: *mut *mut c_void) -> *mut percale_status>,
    /// Host memory that copies from and to the device need not go through a second time (pinned), 64-byte aligned.
    /// Any thread may read and write it. Optional; NULL: the library takes memory of its own for what passes through
    /// the host.
    pub allocate_host: Option<unsafe extern "C" fn(device: *mut c_void, bytes: u64, out_memory: *mut *mut c_void) -> *mut percale_status>,
    /// `free_host`.
    pub free_host: Option<unsafe extern "C" fn(device: *mut c_void, memory: *mut c_void)>,
    /// Work that is kept, to be done again at less cost than enqueuing it. Optional, all four or none, for devices
    /// whose kernels enqueue by themselves (no launch()). Between record_begin() and record_end() what kernels put on
    /// the queue is kept and not done; nothing else is asked of the queue meanwhile. play() enqueues all that was
    /// kept, with the operands that it had: the library plays it only where they lie as they did, and has run the
    /// kernels at least once before. `run` is the one that it is played for, whose random numbers may be others.
    /// *out_recording NULL: some of it depends on the run in another way, and nothing of it will be done. A recording
    /// is destroyed when none of its plays is under way, maybe after its queue.
    pub record_begin: Option<unsafe extern "C" fn(queue: *mut c_void) -> *mut percale_status>,
    /// `record_end`.
    pub record_end: Option<unsafe extern "C" fn(queue: *mut c_void, out_recording: *mut *mut c_void) -> *mut percale_status>,
    /// `play`.
    pub play: Option<unsafe extern "C" fn(queue: *mut c_void, recording: *mut c_void, run: *mut percale_run_context) -> *mut percale_status>,
    /// `recording_destroy`.
    pub recording_destroy: Option<unsafe extern "C" fn(recording: *mut c_void)>,
    /// copy_to_host() of bytes that nothing writes before the queue is synchronised: work behind it need not wait for
    /// it, so that results leave while the device goes on; points of queue_signal() behind it, and synchronising, do
    /// wait. NULL: copy_to_host() is called.
    pub copy_out: Option<unsafe extern "C" fn(device: *mut c_void, queue: *mut c_void, to: *mut c_void, from: *const c_void, bytes: u64) -> *mut percale_status>,
    /// Adds across devices of this table: the counts\[k\] numbers at buffers\[i * buffer_count + k\], memory of
    /// devices\[i\] that no queue works on, become on all of them their sum over i. They are added as a tree over i
    /// has it, whose left half has one more where they are odd, so that the bits are those of the host. `dtype` is
    /// f32 or f64. Done when it returns; after an error the numbers are undefined. UNIMPLEMENTED where these devices
    /// do not reach each other's memory. Optional; NULL: the library adds on the host.
    pub all_reduce: Option<unsafe extern "C" fn(devices: *const *mut c_void, device_count: u32, buffers: *const *mut c_void, counts: *const u64, buffer_count: u32, dtype: percale_dtype) -> *mut percale_status>,
}

/// A function of a graph: values and nodes by number. Of all graph_*_info: the caller sets struct_size; text and
/// arrays are borrowed from the graph.
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
    /// Values.
    pub inputs: *const i32,
    /// `input_count`.
    pub input_count: usize,
    /// `outputs`.
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
    /// -1 where unknown; a rank of SIZE_MAX: not even that is known.
    pub dims: *const i64,
    /// `rank`.
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
    /// The opset, or version of the domain, that gave the op its meaning.
    pub version: i32,
    /// `name`.
    pub name: *const c_char,
    /// Values; -1: absent.
    pub inputs: *const i32,
    /// `input_count`.
    pub input_count: usize,
    /// `outputs`.
    pub outputs: *const i32,
    /// `output_count`.
    pub output_count: usize,
    /// `attribute_count`.
    pub attribute_count: usize,
}

/// An attribute that a node gives; defaults are not among them. `kind` says which members hold it: 1 float (f), 2
/// int (i), 3 string (text), 4 tensor (dtype to bytes), 5 function (text: its name), 6 floats, 7 ints, 8 strings
/// (count; one by one with graph_attribute_string).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_graph_attribute_info {
    /// `struct_size`.
    pub struct_size: u32,
    /// `name`.
    pub name: *const c_char,
    /// `kind`.
    pub kind: i32,
    /// `f`.
    pub f: f64,
    /// `i`.
    pub i: i64,
    /// `text`.
    pub text: *const c_char,
    /// `text_size`.
    pub text_size: usize,
    /// `floats`.
    pub floats: *const f64,
    /// `ints`.
    pub ints: *const i64,
    /// `count`.
    pub count: usize,
    /// `dtype`.
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
    /// Its first value; NULL where the function "init" gives it.
    pub data: *const c_void,
    /// `bytes`.
    pub bytes: u64,
}

/// What the library offers a plug-in. Valid for the life of the process.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_host_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `status_create`.
    pub status_create: Option<unsafe extern "C" fn(code: i32, message: *const c_char, message_size: usize) -> *mut percale_status>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_op: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_name: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_input_count: Option<unsafe extern "C" fn(node: *const percale_node_view) -> usize>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_output_count: Option<unsafe extern "C" fn(node: *const percale_node_view) -> usize>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_input_dtype: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> percale_dtype>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_output_dtype: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> percale_dtype>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_input_dims: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize, out_rank: *mut usize) -> *const i64>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_output_dims: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize, out_rank: *mut usize) -> *const i64>,
    /// The bytes of an input that is known before the run, else NULL.
    pub node_input_constant: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const c_void>,
    /// Attributes, the schema's defaults filled in. 1 when present, else 0 and nothing is written.
    pub node_attribute_int: Option<unsafe extern "C" fn(node: *const percale_node_view, name: *const c_char, out_value: *mut i64) -> i32>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_attribute_float: Option<unsafe extern "C" fn(node: *const percale_node_view, name: *const c_char, out_value: *mut f64) -> i32>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_attribute_string: Option<unsafe extern "C" fn(node: *const percale_node_view, name: *const c_char, out_text: *mut *const c_char, out_size: *mut usize) -> i32>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub node_attribute_ints: Option<unsafe extern "C" fn(node: *const percale_node_view, name: *const c_char, out_values: *mut *const i64, out_count: *mut usize) -> i32>,
    /// Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0.
    pub kernel_plan_set_scratch: Option<unsafe extern "C" fn(plan: *mut percale_kernel_plan, bytes: u64)>,
    /// Runs body(arg, 0) ... body(arg, pieces - 1) on the engine's threads and returns when all are done. For the
    /// same bits on any number of threads, `pieces` must depend on the problem alone.
    pub parallel_for: Option<unsafe extern "C" fn(run: *mut percale_run_context, pieces: i64, body: Option<unsafe extern "C" fn(arg: *mut c_void, piece: i64)>, arg: *mut c_void)>,
    /// 1 when the run was cancelled or its deadline has passed: return soon.
    pub run_cancelled: Option<unsafe extern "C" fn(run: *mut percale_run_context) -> i32>,
    /// Fails the run because an index or a value of an input is out of range; the message names the node.
    /// run_fail_with() takes a message of its own.
    pub run_fail: Option<unsafe extern "C" fn(run: *mut percale_run_context, code: i32, detail: i64)>,
    /// Shape functions.
    pub shape_input_count: Option<unsafe extern "C" fn(context: *const percale_shape_context) -> usize>,
    /// Shape functions.
    pub shape_input_dtype: Option<unsafe extern "C" fn(context: *const percale_shape_context, index: usize) -> percale_dtype>,
    /// Dims, -1 where unknown; *out_rank is SIZE_MAX when even the rank is unknown.
    pub shape_input_dims: Option<unsafe extern "C" fn(context: *const percale_shape_context, index: usize, out_rank: *mut usize) -> *const i64>,
    /// Shape functions.
    pub shape_set_output: Option<unsafe extern "C" fn(context: *mut percale_shape_context, index: usize, dtype: percale_dtype, dims: *const i64, rank: usize) -> *mut percale_status>,
    /// Shape functions.
    pub shape_attribute_int: Option<unsafe extern "C" fn(context: *const percale_shape_context, name: *const c_char, out_value: *mut i64) -> i32>,
    /// Gradient functions: values are numbers, -1 = absent. Attributes can be neither read nor given to the nodes
    /// that are emitted, so that a constant comes from values: `Div(x, x)` is 1 where x is not 0, `Exp(Sub(x, x))` is
    /// 1 where x is finite.
    pub grad_input: Option<unsafe extern "C" fn(context: *const percale_grad_context, index: usize) -> i32>,
    /// Gradient functions: values are numbers, -1 = absent. Attributes can be neither read nor given to the nodes
    /// that are emitted, so that a constant comes from values: `Div(x, x)` is 1 where x is not 0, `Exp(Sub(x, x))` is
    /// 1 where x is finite.
    pub grad_output: Option<unsafe extern "C" fn(context: *const percale_grad_context, index: usize) -> i32>,
    /// Gradient functions: values are numbers, -1 = absent. Attributes can be neither read nor given to the nodes
    /// that are emitted, so that a constant comes from values: `Div(x, x)` is 1 where x is not 0, `Exp(Sub(x, x))` is
    /// 1 where x is finite.
    pub grad_of_output: Option<unsafe extern "C" fn(context: *const percale_grad_context, index: usize) -> i32>,
    /// Emits a node of the domain "" or "domain:Op" and returns its first output, -1 after an error.
    pub grad_emit: Option<unsafe extern "C" fn(context: *mut percale_grad_context, op: *const c_char, inputs: *const i32, input_count: usize) -> i32>,
    /// The gradient with respect to an input: a value that grad_* functions gave. An input without one counts as
    /// zero.
    pub grad_set: Option<unsafe extern "C" fn(context: *mut percale_grad_context, input_index: usize, value: i32)>,
    /// Statuses that the functions below give: the plug-in passes them on, or reads and releases them.
    pub status_code: Option<unsafe extern "C" fn(status: *const percale_status) -> percale_code>,
    /// Statuses that the functions below give: the plug-in passes them on, or reads and releases them.
    pub status_message: Option<unsafe extern "C" fn(status: *const percale_status, out_size: *mut usize) -> *const c_char>,
    /// Statuses that the functions below give: the plug-in passes them on, or reads and releases them.
    pub status_release: Option<unsafe extern "C" fn(status: *mut percale_status)>,
    /// Importers. What has a namesake in percale.h does the same.
    pub tensor_create: Option<unsafe extern "C" fn(engine: *mut percale_engine, dtype: percale_dtype, dims: *const i64, rank: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub tensor_get_data: Option<unsafe extern "C" fn(tensor: *const percale_tensor) -> *mut c_void>,
    /// Importers. What has a namesake in percale.h does the same.
    pub tensor_bytes: Option<unsafe extern "C" fn(tensor: *const percale_tensor) -> usize>,
    /// Importers. What has a namesake in percale.h does the same.
    pub tensor_retain: Option<unsafe extern "C" fn(tensor: *mut percale_tensor) -> *mut percale_tensor>,
    /// Importers. What has a namesake in percale.h does the same.
    pub tensor_release: Option<unsafe extern "C" fn(tensor: *mut percale_tensor)>,
    /// The engine that the graph is built for. Borrowed from the builder.
    pub builder_engine: Option<unsafe extern "C" fn(builder: *mut percale_builder) -> *mut percale_engine>,
    /// 1 when nodes of the op ("Conv", "domain:Op") can be made as opset `version` of its domain knows it; 0 = the
    /// newest.
    pub builder_knows_op: Option<unsafe extern "C" fn(builder: *const percale_builder, op: *const c_char, version: i32) -> i32>,
    /// Keeps a name of the current function free for the input or the renamed value that will be called so.
    pub builder_reserve_name: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char) -> *mut percale_status>,
    /// `rank` may be SIZE_MAX: not even the rank is known.
    pub builder_input: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char, dtype: percale_dtype, dims: *const i64, rank: usize, out_value: *mut percale_value) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_constant: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char, tensor: *mut percale_tensor, out_value: *mut percale_value) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_variable: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char, initial: *mut percale_tensor, trainable: i32, out_value: *mut percale_value) -> *mut percale_status>,
    /// `version`: the opset of the op's domain that says what the node means; older ones are upgraded. 0 = the
    /// newest.
    pub builder_node: Option<unsafe extern "C" fn(builder: *mut percale_builder, op: *const c_char, version: i32, name: *const c_char) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_add_input: Option<unsafe extern "C" fn(builder: *mut percale_builder, value: percale_value) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_int: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: i64) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_float: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: f64) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_string: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: *const c_char) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_ints: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, values: *const i64, count: usize) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_floats: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, values: *const f64, count: usize) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_strings: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, values: *const *const c_char, count: usize) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_tensor: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, value: *mut percale_tensor) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_function: Option<unsafe extern "C" fn(builder: *mut percale_builder, attribute: *const c_char, function: *const c_char) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_finish_node: Option<unsafe extern "C" fn(builder: *mut percale_builder, output_count: usize, out_values: *mut percale_value) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_begin_function: Option<unsafe extern "C" fn(builder: *mut percale_builder, name: *const c_char) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_end_function: Option<unsafe extern "C" fn(builder: *mut percale_builder) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_set_outputs: Option<unsafe extern "C" fn(builder: *mut percale_builder, values: *const percale_value, count: usize) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_rename: Option<unsafe extern "C" fn(builder: *mut percale_builder, value: percale_value, name: *const c_char) -> *mut percale_status>,
    /// Importers. What has a namesake in percale.h does the same.
    pub builder_value_type: Option<unsafe extern "C" fn(builder: *const percale_builder, value: percale_value, out_dtype: *mut percale_dtype, out_dims: *mut i64, out_rank: *mut usize) -> *mut percale_status>,
    /// A fact about the graph, kept with it.
    pub builder_set_metadata: Option<unsafe extern "C" fn(builder: *mut percale_builder, key: *const c_char, value: *const c_char) -> *mut percale_status>,
    /// Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and
    /// variables are numbered from 0: 1, or 0 past the end.
    pub graph_function: Option<unsafe extern "C" fn(graph: *const percale_graph, index: usize, out: *mut percale_graph_function_info) -> i32>,
    /// Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and
    /// variables are numbered from 0: 1, or 0 past the end.
    pub graph_value: Option<unsafe extern "C" fn(graph: *const percale_graph, function: usize, index: usize, out: *mut percale_graph_value_info) -> i32>,
    /// Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and
    /// variables are numbered from 0: 1, or 0 past the end.
    pub graph_node: Option<unsafe extern "C" fn(graph: *const percale_graph, function: usize, index: usize, out: *mut percale_graph_node_info) -> i32>,
    /// Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and
    /// variables are numbered from 0: 1, or 0 past the end.
    pub graph_attribute: Option<unsafe extern "C" fn(graph: *const percale_graph, function: usize, node: usize, index: usize, out: *mut percale_graph_attribute_info) -> i32>,
    /// One of an attribute of strings; NULL past the end.
    pub graph_attribute_string: Option<unsafe extern "C" fn(graph: *const percale_graph, function: usize, node: usize, attribute: usize, index: usize, out_size: *mut usize) -> *const c_char>,
    /// Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and
    /// variables are numbered from 0: 1, or 0 past the end.
    pub graph_variable: Option<unsafe extern "C" fn(graph: *const percale_graph, index: usize, out: *mut percale_graph_variable_info) -> i32>,
    /// Facts that are kept with the graph, in the order of keys.
    pub graph_metadata: Option<unsafe extern "C" fn(graph: *const percale_graph, index: usize, out_key: *mut *const c_char, out_value: *mut *const c_char, out_value_size: *mut usize) -> i32>,
    /// A graph with the same outputs, without what they do not depend on and without calls of functions by nodes
    /// Call; ops that others express, and that keeps() refuses (0), are replaced by those. The caller releases it.
    /// FAILED_PRECONDITION where an output depends on what a variable holds after the run has changed it.
    pub graph_inference: Option<unsafe extern "C" fn(graph: *const percale_graph, keeps: Option<unsafe extern "C" fn(user: *mut c_void, domain: *const c_char, op: *const c_char, version: i32) -> i32>, user: *mut c_void, out_graph: *mut *mut percale_graph) -> *mut percale_status>,
    /// Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and
    /// variables are numbered from 0: 1, or 0 past the end.
    pub graph_release: Option<unsafe extern "C" fn(graph: *mut percale_graph)>,
    /// The format of an input; NULL = row-major. Borrowed.
    pub node_input_format: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const c_char>,
    /// The format that the output of a Reorder shall have; NULL = row-major. Borrowed.
    pub node_output_format: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const c_char>,
    /// 1 when the input is the same in every run until a variable changes, so that a Reorder of it costs nothing:
    /// weights that nobody trains.
    pub node_input_prepared: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> i32>,
    /// Wants an operand (inputs, then outputs) in a format that takes `bytes`. 1 when it will be so; 0 when all
    /// operands are row-major here, as in constant folding. Operands of which nothing is said are row-major, whatever
    /// was offered.
    pub kernel_plan_set_format: Option<unsafe extern "C" fn(plan: *mut percale_kernel_plan, operand: usize, format: *const c_char, bytes: u64) -> i32>,
    /// The instruction set that kernels of the CPU may use, as the engine's option "isa" or the machine limits it:
    /// "sse4", "avx2" or "avx512".
    pub node_isa: Option<unsafe extern "C" fn(node: *const percale_node_view) -> *const c_char>,
    /// How many nodes; 0 for every other op.
    pub fused_node_count: Option<unsafe extern "C" fn(node: *const percale_node_view) -> usize>,
    /// A node of the body, to be read with the node_* getters. Borrowed; good as long as `node` is.
    pub fused_node: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> *const percale_node_view>,
    /// The body of a node "Fused": plain nodes in their order. The whole gives the first output of the last, then
    /// what nodes give besides their first. A value is a number: the inputs of the Fused node come first, then the
    /// constants of the body, then the outputs of its nodes; -1 = absent.
    pub fused_node_input: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize, input: usize) -> i32>,
    /// The body of a node "Fused": plain nodes in their order. The whole gives the first output of the last, then
    /// what nodes give besides their first. A value is a number: the inputs of the Fused node come first, then the
    /// constants of the body, then the outputs of its nodes; -1 = absent.
    pub fused_node_output: Option<unsafe extern "C" fn(node: *const percale_node_view, index: usize) -> i32>,
    /// What random ops count by, besides their attributes: the run's seed, its step, and the number that the first
    /// row of the batch has in the whole one.
    pub run_random: Option<unsafe extern "C" fn(run: *const percale_run_context, out_seed: *mut i64, out_step: *mut i64, out_first_row: *mut i64)>,
    /// For kernels that put their work on a queue: which instruction of the run is being enqueued, and run_fail() in
    /// its name by whoever finds out later, before queue_synchronize() returns. That then says PERCALE_OK: the run
    /// knows.
    pub run_mark: Option<unsafe extern "C" fn(run: *const percale_run_context) -> i64>,
    /// The body of a node "Fused": plain nodes in their order. The whole gives the first output of the last, then
    /// what nodes give besides their first. A value is a number: the inputs of the Fused node come first, then the
    /// constants of the body, then the outputs of its nodes; -1 = absent.
    pub run_fail_at: Option<unsafe extern "C" fn(run: *mut percale_run_context, mark: i64, code: i32, detail: i64)>,
    /// The kernel may find an output at the address of an input of the same size and format: each place is read
    /// before it is written. It is done where nobody reads the input afterwards; otherwise both have their own
    /// memory. Ops that say so of themselves need no kernel that repeats it.
    pub kernel_plan_set_in_place: Option<unsafe extern "C" fn(plan: *mut percale_kernel_plan, output: usize, input: usize)>,
    /// One of an attribute of strings; NULL past the end, and where the attribute is absent or none of strings.
    /// Borrowed.
    pub node_attribute_strings: Option<unsafe extern "C" fn(node: *const percale_node_view, name: *const c_char, index: usize) -> *const c_char>,
    /// An attribute of floats. 1 when present, else 0 and nothing is written. Borrowed.
    pub node_attribute_floats: Option<unsafe extern "C" fn(node: *const percale_node_view, name: *const c_char, out_values: *mut *const f64, out_count: *mut usize) -> i32>,
    /// Fails the run with a status of `code`. Its message is the node's name, then the first 511 bytes of `message`,
    /// which is UTF-8 and is copied. `message_size` may be PERCALE_NUL_ENDED. The first failure of a run counts.
    /// Thread-safe.
    pub run_fail_with: Option<unsafe extern "C" fn(run: *mut percale_run_context, code: i32, message: *const c_char, message_size: usize)>,
}

/// One input or output of an op that a plug-in adds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_op_value {
    /// `name`.
    pub name: *const c_char,
    /// Values with the same letter have the same dtype.
    pub type_group: c_char,
    /// Bit set: 1 \<\< PERCALE_DTYPE_*. 0 for an output: the shape function says its dtype.
    pub dtypes: u32,
    /// Inputs only: 1 = may be absent.
    pub optional: i32,
}

/// One attribute of an op that a plug-in adds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_op_attribute {
    /// `name`.
    pub name: *const c_char,
    /// 1 float, 2 int, 3 string, 6 floats, 7 ints: ONNX's AttributeProto.AttributeType.
    pub kind: i32,
    /// 1: a node must give it.
    pub required: i32,
    /// Where `has_default` is 1, its value when a node does not give it.
    pub has_default: i32,
    /// `int_default`.
    pub int_default: i64,
    /// `float_default`.
    pub float_default: f64,
    /// `string_default`.
    pub string_default: *const c_char,
}

/// An op that a plug-in adds.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_op {
    /// `struct_size`.
    pub struct_size: u32,
    /// `domain`.
    pub domain: *const c_char,
    /// `name`.
    pub name: *const c_char,
    /// `since`.
    pub since: i32,
    /// `doc`.
    pub doc: *const c_char,
    /// `inputs`.
    pub inputs: *const percale_op_value,
    /// `input_count`.
    pub input_count: usize,
    /// `outputs`.
    pub outputs: *const percale_op_value,
    /// `output_count`.
    pub output_count: usize,
    /// `user`.
    pub user: *mut c_void,
    /// `shape`.
    pub shape: Option<unsafe extern "C" fn(user: *mut c_void, context: *mut percale_shape_context) -> *mut percale_status>,
    /// NULL: the op has no gradient.
    pub gradient: Option<unsafe extern "C" fn(user: *mut c_void, context: *mut percale_grad_context) -> *mut percale_status>,
    /// `attributes`.
    pub attributes: *const percale_op_attribute,
    /// `attribute_count`.
    pub attribute_count: usize,
    /// 1: the gradient is the same for all values of the attributes. A gradient function can neither read attributes
    /// nor give them to the nodes that it emits, so an op that has both is refused unless it says this.
    pub gradient_ignores_attributes: i32,
}

/// Where an exporter puts a model.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_export_target {
    /// `struct_size`.
    pub struct_size: u32,
    /// `user`.
    pub user: *mut c_void,
    /// Appends to the model. What goes wrong is the library's to report.
    pub write: Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize)>,
    /// The name of a file beside the model that may hold elements of tensors; NULL: there is none.
    pub data_name: *const c_char,
    /// Appends to that file, which is there once this was called.
    pub write_data: Option<unsafe extern "C" fn(user: *mut c_void, bytes: *const c_void, size: usize)>,
    /// 0: elements go there where the format cannot hold them otherwise; 1: those of all tensors of some size do.
    pub prefer_data: i32,
}

/// A foreign model format.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_importer {
    /// `struct_size`.
    pub struct_size: u32,
    /// "onnx"
    pub format: *const c_char,
    /// `user`.
    pub user: *mut c_void,
    /// Fills the builder's function "main" and what it needs from the bytes. `folder`: where files that the model
    /// names may lie, and nowhere else; NULL: the model came without one.
    pub import_graph: Option<unsafe extern "C" fn(user: *mut c_void, builder: *mut percale_builder, bytes: *const c_void, size: usize, folder: *const c_char) -> *mut percale_status>,
    /// Writes a model of what "main" computes; the graph's variables have the values that it shall have.
    pub export_graph: Option<unsafe extern "C" fn(user: *mut c_void, graph: *const percale_graph, target: *const percale_export_target) -> *mut percale_status>,
    /// A tensor of the format's own kind (ONNX: a TensorProto), in the engine's memory.
    pub import_tensor: Option<unsafe extern "C" fn(user: *mut c_void, engine: *mut percale_engine, bytes: *const c_void, size: usize, out_tensor: *mut *mut percale_tensor) -> *mut percale_status>,
}

/// What a plug-in adds. Everything is copied or must live as long as the process.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct percale_plugin_api {
    /// `struct_size`.
    pub struct_size: u32,
    /// `name`.
    pub name: *const c_char,
    /// `version`.
    pub version: *const c_char,
    /// `devices`.
    pub devices: *const *const percale_device_api,
    /// `device_count`.
    pub device_count: usize,
    /// Kernels, each with the kind of device it runs on ("cpu", "cuda"); they go before the kernels that are there.
    pub kernels: *const *const percale_kernel,
    /// `kernel_device_kinds`.
    pub kernel_device_kinds: *const *const c_char,
    /// `kernel_count`.
    pub kernel_count: usize,
    /// `ops`.
    pub ops: *const *const percale_op,
    /// `op_count`.
    pub op_count: usize,
    /// `importers`.
    pub importers: *const *const percale_importer,
    /// `importer_count`.
    pub importer_count: usize,
}

/// The one function that a plug-in exports. `path` is the plug-in's own file. On failure it returns a status made
/// with host-\>status_create. A plug-in of a folder is then reported as absent with that reason; one that the
/// option "plugin_path" names as a file fails the engine.
///
/// It is called whenever an engine is made, from any thread, by each copy of the library in the process with a
/// table of its own. A plug-in that keeps the first table refuses those of other copies; one that serves all of
/// them gives each its own tables and finds the host by `user`. The plug-in's file stays open until the process
/// ends.
pub type percale_plugin_init_fn =
    Option<unsafe extern "C" fn(host: *const percale_host_api, host_abi: u32, path: *const c_char, out_plugin: *mut *const percale_plugin_api) -> *mut percale_status>;
