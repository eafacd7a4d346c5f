//! A kernel: one way to run an op on one kind of device.
use std::ffi::{c_void, CStr};
use std::marker::PhantomData;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::attributes::Attributes;
use crate::host::{caught, there, Host, Refusal};
use crate::raw;

/// One way to run an op. The library asks the kernels of an op in turn and takes the first that
/// accepts; those of plug-ins go first. A value of the type is what was prepared for one node,
/// which any number of runs share.
pub trait Kernel: Sized + Send + Sync + 'static {
    /// Its name in traces and in `percale kernels`: "mine.square".
    const NAME: &'static CStr;
    /// The domain of the op; empty for ONNX's own.
    const DOMAIN: &'static CStr;
    /// The op.
    const OP: &'static CStr;
    /// The kind of device whose memory it works in.
    const DEVICE: &'static CStr = c"cpu";

    /// Refuses nodes that it cannot run, and says why.
    fn accepts(_node: &Node<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Prepares a node: all that a run should not do again, allocations among it.
    fn plan(node: &Node<'_>, plan: &mut Plan<'_>) -> Result<Self, Refusal>;

    /// Does the work. Several threads may do so at once. An error ends the run.
    fn run(&self, launch: &mut Launch<'_>) -> Result<(), Refusal>;
}

/// A node that a kernel may run: all is known of its operands but their elements.
pub struct Node<'a> {
    host: Host,
    view: *const raw::percale_node_view,
    lifetime: PhantomData<&'a ()>,
}

impl Node<'_> {
    /// The number of inputs of the op, absent ones included.
    pub fn input_count(&self) -> usize {
        unsafe { there(self.host.node().input_count, "input_count")(self.view) }
    }

    /// The number of outputs of the op.
    pub fn output_count(&self) -> usize {
        unsafe { there(self.host.node().output_count, "output_count")(self.view) }
    }

    /// The dtype of an input; 0: absent.
    pub fn input_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.node().input_dtype, "input_dtype")(self.view, index) }
    }

    /// The dtype of an output; 0: it is not wanted.
    pub fn output_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.node().output_dtype, "output_dtype")(self.view, index) }
    }

    /// The dims of an input; None: not known.
    pub fn input_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        // The dims live as long as the view.
        unsafe {
            let dims = there(self.host.node().input_dims, "input_dims")(self.view, index, &mut rank);
            (rank != usize::MAX).then(|| slice::from_raw_parts(dims, rank))
        }
    }

    /// The dims of an output; None: not known.
    pub fn output_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        unsafe {
            let dims = there(self.host.node().output_dims, "output_dims")(self.view, index, &mut rank);
            (rank != usize::MAX).then(|| slice::from_raw_parts(dims, rank))
        }
    }

    /// Its attributes, the defaults filled in.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self.host, unsafe { there(self.host.node().attributes, "attributes")(self.view) })
    }

    /// The operands of a run: inputs, then outputs.
    fn operands(&self) -> Result<Vec<Operand>, Refusal> {
        let count = |dims: Option<&[i64]>| {
            let mut dims = dims.ok_or_else(|| Refusal::unimplemented("an operand's shape is not known"))?.iter();
            dims.try_fold(1usize, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?))
                .ok_or_else(|| Refusal::unimplemented("an operand's dims are not known"))
        };
        let inputs = (0..self.input_count()).map(|i| (self.input_dtype(i), self.input_dims(i)));
        let outputs = (0..self.output_count()).map(|i| (self.output_dtype(i), self.output_dims(i)));
        let operand = |(dtype, dims)| Ok(Operand { dtype, count: if dtype == 0 { 0 } else { count(dims)? } });
        inputs.chain(outputs).map(operand).collect()
    }
}

/// Where a kernel books what it needs.
pub struct Plan<'a> {
    host: Host,
    plan: *mut raw::percale_kernel_plan,
    lifetime: PhantomData<&'a mut ()>,
}

impl Plan<'_> {
    /// Memory for each run: [`Launch::scratch`].
    pub fn set_scratch(&mut self, bytes: u64) {
        unsafe { there(self.host.kernel_plan().set_scratch, "set_scratch")(self.plan, bytes) }
    }
}

#[derive(Clone, Copy)]
struct Operand {
    dtype: raw::percale_dtype,
    count: usize,
}

/// The state that plan() makes for run().
struct State<K> {
    host: Host,
    inputs: usize,
    operands: Vec<Operand>,
    kernel: K,
}

/// A Rust type that is the element of a tensor.
///
/// # Safety
/// `DTYPE` has the size of the type, and every pattern of bits is a value of it.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Its number.
    const DTYPE: raw::percale_dtype;
}

macro_rules! elements {
    ($($type:ty = $dtype:ident)*) => { $(unsafe impl Element for $type { const DTYPE: raw::percale_dtype = raw::$dtype; })* };
}
elements! {
    f32 = PERCALE_DTYPE_F32 f64 = PERCALE_DTYPE_F64
    i8 = PERCALE_DTYPE_I8 i16 = PERCALE_DTYPE_I16 i32 = PERCALE_DTYPE_I32 i64 = PERCALE_DTYPE_I64
    u8 = PERCALE_DTYPE_U8 u16 = PERCALE_DTYPE_U16 u32 = PERCALE_DTYPE_U32 u64 = PERCALE_DTYPE_U64
}

/// One run of a kernel: its operands, and the engine's threads.
pub struct Launch<'a> {
    host: Host,
    launch: &'a raw::percale_launch,
    inputs: usize,
    operands: &'a [Operand],
    taken: u64,
}

impl<'a> Launch<'a> {
    fn operand<T: Element>(&self, index: usize) -> Result<(*mut T, usize), Refusal> {
        let Some(operand) = self.operands.get(index) else {
            return Err(Refusal::internal(format!("the node has no operand {index}")));
        };
        if operand.dtype != T::DTYPE {
            return Err(Refusal::internal(format!("operand {index} is of dtype {}, not {}", operand.dtype, T::DTYPE)));
        }
        match self.pointers()[index] {
            data if data.is_null() => Err(Refusal::internal(format!("operand {index} is absent"))),
            data => Ok((data.cast(), operand.count)),
        }
    }

    /// The elements of an input, row-major. An input that is absent, or of another dtype, is an
    /// error.
    pub fn input<T: Element>(&self, index: usize) -> Result<&'a [T], Refusal> {
        if index >= self.inputs {
            return Err(Refusal::internal(format!("the node has no input {index}")));
        }
        let (data, count) = self.operand::<T>(index)?;
        // Inputs are not written to during a run, but for outputs that take their place, which
        // `output` refuses.
        Ok(unsafe { slice::from_raw_parts(data, count) })
    }

    /// The elements of an output, to be written. Each can be had once. Percale may let ops of its
    /// own, whose kernel this may be, work in the memory of an input; then this is an error and
    /// [`Launch::pointers`] is the way.
    pub fn output<T: Element>(&mut self, index: usize) -> Result<&'a mut [T], Refusal> {
        let at = self.inputs + index;
        let (data, count) = self.operand::<T>(at)?;
        if at >= 64 || self.taken >> at & 1 != 0 {
            return Err(Refusal::internal(format!("output {index} was taken before")));
        }
        // Blocks of a run do not overlap, but for an output that has its input's own.
        if count != 0 && self.pointers()[..self.inputs].contains(&data.cast()) {
            return Err(Refusal::internal(format!("output {index} has the memory of an input")));
        }
        self.taken |= 1 << at;
        Ok(unsafe { slice::from_raw_parts_mut(data, count) })
    }

    /// The addresses of all operands, inputs first; NULL: absent.
    pub fn pointers(&self) -> &'a [*mut c_void] {
        unsafe { slice::from_raw_parts(self.launch.operands, self.operands.len()) }
    }

    /// The memory that was booked with [`Plan::set_scratch`], 64-byte aligned, its contents
    /// undefined.
    pub fn scratch(&self) -> *mut c_void {
        self.launch.scratch
    }

    /// True if the run was cancelled, or its time is up: return soon.
    pub fn is_cancelled(&self) -> bool {
        unsafe { there(self.host.run().cancelled, "cancelled")(self.launch.run) != 0 }
    }

    /// Writes a message to the engine's log, if `level` reaches the engine's option "log".
    pub fn log(&self, level: raw::percale_log_level, message: &str) {
        if let Some(write) = self.host.log().write {
            unsafe { write(self.launch.run, level, message.as_ptr().cast(), message.len()) }
        }
    }

    /// Calls `body(0)` to `body(pieces - 1)` on the engine's threads, and returns when all are
    /// done. For the same bits on any number of threads `pieces` depends on the problem alone. A
    /// panic in a piece goes on behind the last one.
    pub fn parallel_for<F: Fn(i64) + Sync>(&self, pieces: i64, body: F) {
        struct Work<F> {
            body: F,
            failed: AtomicBool,
        }
        unsafe extern "C" fn piece<F: Fn(i64) + Sync>(work: *mut c_void, index: i64) {
            let work = &*work.cast::<Work<F>>();
            let done = caught(|| {
                (work.body)(index);
                Ok(())
            });
            if done.is_err() {
                work.failed.store(true, Ordering::Relaxed);
            }
        }
        let mut work = Work { body, failed: AtomicBool::new(false) };
        let run = there(self.host.run().parallel_for, "parallel_for");
        unsafe { run(self.launch.run, pieces, Some(piece::<F>), std::ptr::from_mut(&mut work).cast()) };
        if work.failed.into_inner() {
            panic!("a piece of the work panicked");
        }
    }

    /// Calls `body` with each chunk of `whole`, of `size` elements but for the last, and the number
    /// of its first element, on the engine's threads.
    pub fn parallel_chunks<T: Send, F: Fn(usize, &mut [T]) + Sync>(&self, whole: &mut [T], size: usize, body: F) {
        struct Start<T>(*mut T);
        unsafe impl<T: Send> Sync for Start<T> {}
        impl<T> Start<T> {
            /// A function, so that a closure borrows the whole and not the pointer in it.
            fn get(&self) -> *mut T {
                self.0
            }
        }
        let (length, size) = (whole.len(), size.max(1));
        let start = Start(whole.as_mut_ptr());
        // Chunks do not overlap, and `whole` is borrowed until all are done.
        self.parallel_for(length.div_ceil(size) as i64, |piece| {
            let from = piece as usize * size;
            body(from, unsafe { slice::from_raw_parts_mut(start.get().add(from), size.min(length - from)) });
        });
    }
}

pub(crate) unsafe extern "C" fn accepts_of<K: Kernel>(
    user: *mut c_void,
    view: *const raw::percale_node_view,
) -> *mut raw::percale_status {
    let host = Host::from_user(user);
    host.shield(|| K::accepts(&Node { host, view, lifetime: PhantomData }))
}

pub(crate) unsafe extern "C" fn plan_of<K: Kernel>(
    user: *mut c_void,
    view: *const raw::percale_node_view,
    plan: *mut raw::percale_kernel_plan,
    out_state: *mut *mut c_void,
) -> *mut raw::percale_status {
    let host = Host::from_user(user);
    host.shield(|| {
        let node = Node { host, view, lifetime: PhantomData };
        let kernel = K::plan(&node, &mut Plan { host, plan, lifetime: PhantomData })?;
        let state = State { host, inputs: node.input_count(), operands: node.operands()?, kernel };
        *out_state = Box::into_raw(Box::new(state)).cast();
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn run_of<K: Kernel>(state: *const c_void, launch: *const raw::percale_launch) {
    let State { host, inputs, operands, kernel } = &*state.cast::<State<K>>();
    let launch = &*launch;
    let done = caught(|| kernel.run(&mut Launch { host: *host, launch, inputs: *inputs, operands, taken: 0 }));
    if let (Err(refusal), Some(fail)) = (done, host.run().fail) {
        let message = refusal.message();
        fail(launch.run, refusal.code(), message.as_ptr().cast(), message.len());
    }
}

pub(crate) unsafe extern "C" fn destroy_of<K: Kernel>(state: *mut c_void) {
    // A panic of a destructor cannot be reported.
    let _ = caught(|| {
        drop(Box::from_raw(state.cast::<State<K>>()));
        Ok(())
    });
}
