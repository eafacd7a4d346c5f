//! Prepared calls.
use std::time::Duration;

use crate::builder::MAX_RANK;
use crate::cancel::CancelToken;
use crate::dtype::DType;
use crate::engine::Engine;
use crate::error::{check, Code, Error, Result};
use crate::event::nanoseconds;
use crate::handle::Handle;
use crate::sys;
use crate::tensor::{TensorMut, TensorRef};

/// A prepared pair of feeds and fetches, the fastest way to run a graph. Only one thread at a time
/// can use it; create one per thread.
///
/// ```
/// # use percale::{Builder, DType, Engine, Session, Tensor};
/// # let engine = Engine::new()?;
/// # let mut builder = Builder::new(&engine)?;
/// # let x = builder.input("x", DType::F32, &[-1])?;
/// # let y = builder.op("Add").name("y").inputs([x, x]).finish()?;
/// # builder.set_outputs(&[y])?;
/// # let graph = builder.finish()?;
/// # let session = Session::new(&engine, &graph)?;
/// let mut call = session.prepare(&[("x", DType::F32, &[2])], &["y"])?;
/// let mut outputs = call.new_outputs()?;
/// let x = Tensor::from_vec(&[2], vec![1f32, 2.0])?;
/// call.run(&[&x], &mut [&mut outputs[0]])?;
/// assert_eq!(outputs[0].as_slice::<f32>()?, [2.0, 4.0]);
/// # Ok::<(), percale::Error>(())
/// ```
pub struct Call {
    pub(super) handle: Handle<sys::percale_call>,
    pub(super) engine: Engine,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

impl Call {
    /// Runs with the feeds in the order of [`Session::prepare`](crate::Session::prepare), and
    /// writes the results into `outputs`. Fails if a feed or an output has the wrong type or shape.
    /// After the first run it allocates nothing.
    #[inline]
    pub fn run(&mut self, inputs: &[&TensorRef], outputs: &mut [&mut TensorRef]) -> Result<()> {
        self.check_counts(inputs.len(), outputs.len())?;
        // SAFETY: a reference to a TensorRef is the address of the library's tensor. These are
        // therefore arrays of such addresses, one per feed and fetch. `&mut` makes each output
        // exclusive.
        check(unsafe { sys::percale_call_run(self.handle.get(), inputs.as_ptr().cast(), outputs.as_mut_ptr().cast()) })
    }

    /// Makes the result of a fetch the input of a feed in the next run (recurrent state). The state
    /// stays on the computing device if that device can keep it. Run with [`Call::run_carried`].
    pub fn carry(&mut self, fetch: usize, feed: usize) -> Result<()> {
        // SAFETY: passes only numbers.
        check(unsafe { sys::percale_call_carry(self.handle.get(), fetch, feed) })
    }

    /// Runs like [`Call::run`], with recurrent state. As the input of a carried feed, `None` takes
    /// the state of the last run, and a tensor starts a new state. As the output of a carried
    /// fetch, `None` means that it is not copied to the host.
    pub fn run_carried(&mut self, inputs: &[Option<&TensorRef>], outputs: &mut [Option<&mut TensorRef>]) -> Result<()> {
        self.check_counts(inputs.len(), outputs.len())?;
        // SAFETY: as in run(); `None` of a reference is NULL.
        check(unsafe { sys::percale_call_run(self.handle.get(), inputs.as_ptr().cast(), outputs.as_mut_ptr().cast()) })
    }

    /// Runs like [`Call::run`], but ends with the code `DeadlineExceeded` after `timeout`, or
    /// `Cancelled` when the token is cancelled. A cancelled token also prevents the run from
    /// starting. The contents of the outputs are then undefined.
    pub fn run_until(
        &mut self,
        inputs: &[&TensorRef],
        outputs: &mut [&mut TensorRef],
        timeout: Option<Duration>,
        token: Option<&CancelToken>,
    ) -> Result<()> {
        self.check_counts(inputs.len(), outputs.len())?;
        // SAFETY: as in run().
        CancelToken::during(token, |cancellation| unsafe {
            check(sys::percale_call_run_until(
                self.handle.get(),
                inputs.as_ptr().cast(),
                outputs.as_mut_ptr().cast(),
                nanoseconds(timeout),
                cancellation,
            ))
        })
    }

    /// Returns the library's call, borrowed, for use with the raw functions.
    #[doc(hidden)]
    pub fn raw(&self) -> *mut sys::percale_call {
        self.handle.get()
    }

    #[inline]
    fn check_counts(&self, inputs: usize, outputs: usize) -> Result<()> {
        if inputs == self.inputs && outputs == self.outputs {
            Ok(())
        } else {
            Err(self.wrong_count(inputs, outputs))
        }
    }

    #[cold]
    fn wrong_count(&self, inputs: usize, outputs: usize) -> Error {
        Error::new(
            Code::InvalidArgument,
            format!("Call::run: {inputs} inputs and {outputs} outputs, wanted {} and {}", self.inputs, self.outputs),
        )
    }

    /// Returns the version of the variables that the last successful run read. It is 0 before the
    /// first one.
    pub fn variables_version(&self) -> i64 {
        // SAFETY: the call is alive and not running, because a run would borrow it.
        unsafe { sys::percale_call_variables_version(self.handle.get()) }
    }

    /// Returns the type and shape of a fetch.
    pub fn output_type(&self, index: usize) -> Result<(DType, Vec<usize>)> {
        let (mut dtype, mut dims, mut rank) = (0, [0i64; MAX_RANK], 0usize);
        // SAFETY: the array has the size of the highest rank.
        check(unsafe {
            sys::percale_call_output_type(self.handle.get(), index, &mut dtype, dims.as_mut_ptr(), &mut rank)
        })?;
        let dims = dims.iter().take(rank).map(|dim| usize::try_from(*dim).unwrap_or(0)).collect();
        let unknown = || Error::new(Code::Internal, format!("the crate does not know the element type {dtype}"));
        let dtype = DType::from_raw(dtype).ok_or_else(unknown)?;
        Ok((dtype, dims))
    }

    /// Creates tensors for the results, one per fetch.
    pub fn new_outputs(&self) -> Result<Vec<TensorMut>> {
        (0..self.outputs)
            .map(|index| {
                let (dtype, dims) = self.output_type(index)?;
                TensorMut::zeros(&self.engine, dtype, &dims)
            })
            .collect()
    }
}
