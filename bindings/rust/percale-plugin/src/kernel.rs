//! A kernel: one way to run an op on one kind of device.
use std::ffi::{c_void, CStr};
use std::marker::PhantomData;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::attributes::{list_of, Attributes};
use crate::host::{caught, there, Host, Refusal};
use crate::raw;

/// One way to run an op. The library asks the kernels of an op one after the other, those of
/// plug-ins first, and takes the first that accepts the node. A value of this type is the plan of
/// one node, which any number of runs share.
pub trait Kernel: Sized + Send + Sync + 'static {
    /// The name in traces and in `percale kernels`, such as "sample.square".
    const NAME: &'static CStr;
    /// The domain of the op; "" for ONNX's own.
    const DOMAIN: &'static CStr;
    /// The name of the op.
    const OP: &'static CStr;
    /// The kind of device that the kernel runs on.
    const DEVICE: &'static CStr = c"cpu";

    /// Returns an error with the reason for a node that the kernel cannot run.
    fn accepts(_node: &Node<'_>) -> Result<(), Refusal> {
        Ok(())
    }

    /// Prepares a node. Allocations and other work that runs need not repeat belong here.
    fn plan(node: &Node<'_>, plan: &mut Plan<'_>) -> Result<Self, Refusal>;

    /// Runs the node. Several threads may call it at once. An error fails the run.
    fn run(&self, launch: &mut Launch<'_>) -> Result<(), Refusal>;
}

/// A node that a kernel is offered, with the dtypes and dims of its operands.
pub struct Node<'a> {
    host: Host,
    view: *const raw::percale_node_view,
    lifetime: PhantomData<&'a ()>,
}

impl Node<'_> {
    /// Returns the number of inputs, absent ones included.
    pub fn input_count(&self) -> usize {
        unsafe { there(self.host.node().input_count, "input_count")(self.view) }
    }

    /// Returns the number of outputs, absent ones included.
    pub fn output_count(&self) -> usize {
        unsafe { there(self.host.node().output_count, "output_count")(self.view) }
    }

    /// Returns the dtype of an input, or 0 for an absent one.
    pub fn input_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.node().input_dtype, "input_dtype")(self.view, index) }
    }

    /// Returns the dtype of an output, or 0 for an absent one.
    pub fn output_dtype(&self, index: usize) -> raw::percale_dtype {
        unsafe { there(self.host.node().output_dtype, "output_dtype")(self.view, index) }
    }

    /// Returns the dims of an input, or None if they are not known.
    pub fn input_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        // SAFETY: the dims live as long as the view.
        unsafe {
            let dims = there(self.host.node().input_dims, "input_dims")(self.view, index, &mut rank);
            list_of(rank != usize::MAX, dims, rank)
        }
    }

    /// Returns the dims of an output, or None if they are not known.
    pub fn output_dims(&self, index: usize) -> Option<&[i64]> {
        let mut rank = 0;
        unsafe {
            let dims = there(self.host.node().output_dims, "output_dims")(self.view, index, &mut rank);
            list_of(rank != usize::MAX, dims, rank)
        }
    }

    /// Returns the attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(self.host, unsafe { there(self.host.node().attributes, "attributes")(self.view) })
    }

    /// Returns the operands of a run: inputs, then outputs.
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

/// The requests of a kernel for one node.
pub struct Plan<'a> {
    host: Host,
    plan: *mut raw::percale_kernel_plan,
    lifetime: PhantomData<&'a mut ()>,
}

impl Plan<'_> {
    /// Requests scratch memory for each run, see [`Launch::scratch`].
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
    /// The dtype of tensors with such elements.
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

/// One run of a node: its operands, and the threads of the engine.
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
            return Err(Refusal::internal(format!("the node has no operand {index}, only {}", self.operands.len())));
        };
        if operand.dtype != T::DTYPE {
            return Err(Refusal::internal(format!("operand {index} has dtype {}, wanted {}", operand.dtype, T::DTYPE)));
        }
        match self.pointers()[index] {
            data if data.is_null() => Err(Refusal::internal(format!("operand {index} is absent"))),
            data => Ok((data.cast(), operand.count)),
        }
    }

    /// Returns the elements of an input in row-major order, or an error if the input is absent or
    /// has another dtype.
    pub fn input<T: Element>(&self, index: usize) -> Result<&'a [T], Refusal> {
        if index >= self.inputs {
            return Err(Refusal::internal(format!("the node has no input {index}, only {}", self.inputs)));
        }
        let (data, count) = self.operand::<T>(index)?;
        // SAFETY: nothing writes to an input during a run, except through an output with the same
        // memory, which `output` refuses.
        Ok(unsafe { slice::from_raw_parts(data, count) })
    }

    /// Returns the elements of an output, to be written. Each output can be taken once. An output
    /// of Percale's own ops may have the memory of an input: that is an error here, and a kernel of
    /// such an op uses [`Launch::pointers`] instead.
    pub fn output<T: Element>(&mut self, index: usize) -> Result<&'a mut [T], Refusal> {
        let at = self.inputs + index;
        let (data, count) = self.operand::<T>(at)?;
        if at >= 64 || (self.taken >> at) & 1 != 0 {
            return Err(Refusal::internal(format!("output {index} was already taken; each can be taken once")));
        }
        // The memory of two operands does not overlap, unless an output has that of an input.
        if count != 0 && self.pointers()[..self.inputs].contains(&data.cast()) {
            return Err(Refusal::internal(format!(
                "output {index} has the memory of an input; use Launch::pointers()"
            )));
        }
        self.taken |= 1 << at;
        Ok(unsafe { slice::from_raw_parts_mut(data, count) })
    }

    /// Returns the addresses of all operands, inputs first. NULL stands for an absent operand.
    pub fn pointers(&self) -> &'a [*mut c_void] {
        unsafe { slice::from_raw_parts(self.launch.operands, self.operands.len()) }
    }

    /// Returns the memory that [`Plan::set_scratch`] requested. It is aligned to 64 bytes; its
    /// contents are undefined.
    pub fn scratch(&self) -> *mut c_void {
        self.launch.scratch
    }

    /// Returns true if the run was cancelled or its deadline has passed: return soon.
    pub fn is_cancelled(&self) -> bool {
        unsafe { there(self.host.run().cancelled, "cancelled")(self.launch.run) != 0 }
    }

    /// Writes a message to the log of the engine, unless `level` is below the engine's option
    /// "log".
    pub fn log(&self, level: raw::percale_log_level, message: &str) {
        if let Some(write) = self.host.log().write {
            unsafe { write(self.launch.run, level, message.as_ptr().cast(), message.len()) }
        }
    }

    /// Calls `body(0)` to `body(pieces - 1)` on the engine's threads, and returns when all are
    /// done. Results have the same bits on any number of threads only if `pieces` does not depend
    /// on that number. If a call panics, this panics after the last call.
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

    /// Calls `body(from, chunk)` for each chunk of `whole` on the engine's threads; `from` is the
    /// index of its first element. Chunks have `size` elements, the last one may have fewer.
    pub fn parallel_chunks<T: Send, F: Fn(usize, &mut [T]) + Sync>(&self, whole: &mut [T], size: usize, body: F) {
        struct Start<T>(*mut T);
        unsafe impl<T: Send> Sync for Start<T> {}
        impl<T> Start<T> {
            /// Returns the pointer. With a function, a closure captures the whole struct, which is
            /// Sync, and not the pointer in it.
            fn get(&self) -> *mut T {
                self.0
            }
        }
        let (length, size) = (whole.len(), size.max(1));
        let start = Start(whole.as_mut_ptr());
        // SAFETY: chunks do not overlap, and `whole` is borrowed until all are done.
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
