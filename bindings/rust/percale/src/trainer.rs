//! Training.
use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Arc, Weak};

use crate::cancel::CancelToken;
use crate::dataset::{Dataset, Use};
use crate::engine::{Engine, Trace};
use crate::error::{check, path_text, take_bytes, take_text, Failures, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::options::Settings;
use crate::session::Session;
use crate::sys;
use crate::tensor::{Tensor, TensorMut, TensorRef};
use crate::variables::Variables;

mod builder;
mod collective;
mod progress;

use builder::Source;
pub use builder::TrainerBuilder;
pub use collective::{Collective, CollectiveResult};
pub use progress::{Evaluation, HistoryFormat, Progress};

/// Trains the variables of a graph. Only one thread at a time can use it.
///
/// ```
/// use percale::{Dataset, Engine, Tensor, Trainer};
/// let engine = Engine::new()?;
/// let spec = r#"{"model": [{"layer": "Dense", "units": 1}], "input_shape": [2],
///                "loss": "mean_squared_error",
///                "optimizer": {"name": "adam", "learning_rate": 0.1}, "seed": 1}"#;
/// let mut trainer = Trainer::from_spec(&engine, spec).build()?;
/// let x = Tensor::from_vec(&[4, 2], vec![0f32, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])?;
/// let y = Tensor::from_vec(&[4, 1], vec![1f32, -2.0, 3.0, 0.0])?;
/// let mut losses = Vec::new();
/// let mut data = Dataset::from_tensors(&engine, &[("x", &x), ("y", &y)])?;
/// trainer.fit_with(Some(&mut data), 60, |progress| {
///     losses.push(progress.loss());
///     std::ops::ControlFlow::Continue(())
/// })?;
/// assert!(losses[losses.len() - 1] < losses[0] / 10.0);
/// # Ok::<(), percale::Error>(())
/// ```
pub struct Trainer {
    engine: Engine,
    shared: Arc<Shared>,
    token: Option<CancelToken>,
    validation: Option<Dataset>,
    /// The last error of the collective, if the trainer is a member of a group.
    group: Option<Arc<Failures>>,
    /// `Shared` is Sync, but a trainer must only be Send.
    not_sync: PhantomData<Cell<()>>,
}

struct Shared(Handle<sys::percale_trainer>);

// SAFETY: the trainer is thread-compatible, and only the single `Trainer` uses it. A `Canceller`
// calls only percale_trainer_cancel(), which percale.h allows on any thread.
unsafe impl Sync for Shared {}

/// Ends a step of a trainer from any thread; see [`Trainer::canceller`].
#[derive(Clone)]
pub struct Canceller {
    shared: Weak<Shared>,
}

impl Canceller {
    /// Ends the current step with the code `Cancelled`. The state is that of the last completed
    /// step. Does nothing if no step runs or the trainer is dropped.
    pub fn cancel(&self) {
        if let Some(shared) = self.shared.upgrade() {
            // SAFETY: the trainer is alive; percale.h allows any thread.
            unsafe { sys::percale_trainer_cancel(shared.0.get()) };
        }
    }
}

impl Trainer {
    /// Returns a builder for a trainer of a graph. The inputs of the graph are the columns of the
    /// data, and one output is the loss. `None` for the variables creates a table with the option
    /// `seed`.
    pub fn builder<'a>(
        engine: &'a Engine,
        graph: &'a Graph,
        variables: impl Into<Option<&'a Variables>>,
    ) -> TrainerBuilder<'a> {
        TrainerBuilder {
            engine,
            source: Source::Graph(graph, variables.into()),
            before: None,
            settings: Settings::default(),
        }
    }

    /// Returns a builder for a trainer of a SPEC: JSON with the model, loss, metrics, optimizer and
    /// data.
    pub fn from_spec<'a>(engine: &'a Engine, spec: &str) -> TrainerBuilder<'a> {
        let source = Source::Spec { text: spec.into(), spec_folder: None, data_folder: None };
        TrainerBuilder { engine, source, before: None, settings: Settings::default() }
    }

    fn raw(&self) -> *mut sys::percale_trainer {
        self.shared.0.get()
    }

    /// Runs a call that the trainer's token can end.
    fn during_token<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let raw = self.raw();
        CancelToken::during(self.token.as_ref(), |cancellation| {
            // SAFETY: the trainer is not running, and keeps its own reference to the cancellation.
            unsafe { sys::percale_trainer_set_cancellation(raw, cancellation) };
            let result = run().map_err(|error| self.explain(error));
            // SAFETY: as above.
            unsafe { sys::percale_trainer_set_cancellation(raw, std::ptr::null_mut()) };
            result
        })
    }

    /// Makes later steps, fits and evaluations end with the code `Cancelled` when the token is
    /// cancelled: within a step, between two steps, or before they begin.
    pub fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.token = token;
    }

    /// Returns an object that ends steps of this trainer from any thread.
    pub fn canceller(&self) -> Canceller {
        Canceller { shared: Arc::downgrade(&self.shared) }
    }

    /// Runs one training step on one global batch. Returns the mean loss of the batch before the
    /// update.
    pub fn step(&mut self, batch: &[(&str, &Tensor)]) -> Result<f64> {
        let names = Names::new(batch.iter().map(|(name, _)| name))?;
        let tensors: Vec<_> = batch.iter().map(|(_, tensor)| tensor.as_raw()).collect();
        let mut loss = 0.0;
        // SAFETY: the arrays have the given lengths; the tensors are immutable.
        self.during_token(|| unsafe {
            check(sys::percale_trainer_step(self.raw(), names.as_ptr(), tensors.as_ptr(), tensors.len(), &mut loss))
        })?;
        Ok(loss)
    }

    /// Runs one training step like [`Trainer::step`], and also returns values of the forward pass,
    /// one per fetch. They are computed in training mode, before the update, and have one row per
    /// row of the batch. Fetches are outputs of [`Trainer::model`], or other values that the loss
    /// depends on.
    pub fn step_fetch(&mut self, batch: &[(&str, &Tensor)], fetches: &[&str]) -> Result<(f64, Vec<Tensor>)> {
        let (names, wanted) = (Names::new(batch.iter().map(|(name, _)| name))?, Names::new(fetches)?);
        let tensors: Vec<_> = batch.iter().map(|(_, tensor)| tensor.as_raw()).collect();
        let mut loss = 0.0;
        let mut out = vec![std::ptr::null_mut(); fetches.len()];
        // SAFETY: the arrays have the given lengths; the tensors are immutable; the results are
        // wrapped at once.
        unsafe {
            self.during_token(|| {
                check(sys::percale_trainer_step_fetch(
                    self.raw(),
                    names.as_ptr(),
                    tensors.as_ptr(),
                    tensors.len(),
                    wanted.as_ptr(),
                    wanted.len(),
                    out.as_mut_ptr(),
                    &mut loss,
                ))
            })?;
            Ok((loss, out.into_iter().map(|raw| Tensor::take(raw)).collect()))
        }
    }

    /// Trains on the data until `epochs` epochs are done (0: as the SPEC says). Earlier epochs
    /// count: after `fit(data, 1)`, another `fit(data, 1)` does nothing, and `fit(data, 2)` trains
    /// one more epoch. `None` for the data set means the data of the SPEC. Labels of sparse losses
    /// are integers.
    pub fn fit(&mut self, dataset: Option<&mut Dataset>, epochs: i64) -> Result<()> {
        self.fit_with(dataset, epochs, |_| ControlFlow::Continue(()))
    }

    /// Trains like [`Trainer::fit`], and calls `callback` after each step. After `Break` the
    /// training ends with this step, and the result is `Ok`. A panic of the callback also ends the
    /// training and continues in the caller. The callback may save, publish and set the learning
    /// rate through [`Progress`], and end the fit through a [`Canceller`]. The trainer itself is
    /// borrowed until the fit returns.
    pub fn fit_with<F>(&mut self, dataset: Option<&mut Dataset>, epochs: i64, callback: F) -> Result<()>
    where
        F: FnMut(&Progress<'_>) -> ControlFlow<()>,
    {
        struct State<F> {
            callback: F,
            trainer: *mut sys::percale_trainer,
            panic: Option<Box<dyn Any + Send>>,
        }
        unsafe extern "C" fn tell<F>(user: *mut c_void, progress: *const sys::percale_progress) -> i32
        where
            F: FnMut(&Progress<'_>) -> ControlFlow<()>,
        {
            let state = &mut *user.cast::<State<F>>();
            let progress = Progress { raw: &*progress, trainer: state.trainer };
            // A panic must not unwind into the library, so it is stored until the library has
            // returned.
            match catch_unwind(AssertUnwindSafe(|| (state.callback)(&progress))) {
                Ok(ControlFlow::Continue(())) => 0,
                Ok(ControlFlow::Break(())) => 1,
                Err(panic) => {
                    state.panic = Some(panic);
                    1
                }
            }
        }
        let data = dataset.as_deref();
        let validation = self.validation.as_ref().filter(|validation| data.map_or(true, |data| !data.is(validation)));
        let (set, others) = (data.map(Dataset::enter).transpose()?, validation.map(Dataset::enter).transpose()?);
        let raw = set.as_ref().map_or(std::ptr::null_mut(), Use::raw);
        let mut state = State { callback, trainer: self.raw(), panic: None };
        let user = std::ptr::from_mut(&mut state).cast();
        // SAFETY: the state outlives the call, and only this call invokes the callback.
        let fitted = self.during_token(|| unsafe {
            check(sys::percale_trainer_fit(self.raw(), raw, epochs, Some(tell::<F>), user))
        });
        drop((set, others));
        if let Some(panic) = state.panic {
            resume_unwind(panic);
        }
        fitted.map_err(|error| data.into_iter().chain(validation).fold(error, |error, set| set.explain(error)))
    }

    /// Sets data that later fits evaluate after each epoch. The trainer keeps the data set. Other
    /// code may use it too, for example with [`evaluate`](Trainer::evaluate), but not during a
    /// `fit`: that is an error with the code `FailedPrecondition`.
    pub fn set_validation(&mut self, dataset: Option<&Dataset>) -> Result<()> {
        let set = dataset.map(Dataset::enter).transpose()?;
        let raw = set.as_ref().map_or(std::ptr::null_mut(), Use::raw);
        // SAFETY: the data set is in use by this call only; fit_with() ensures the same later.
        check(unsafe { sys::percale_trainer_set_validation(self.raw(), raw) })?;
        self.validation = dataset.map(Dataset::share);
        Ok(())
    }

    /// Returns the loss and metrics over a data set. `None` means the test data of the SPEC.
    pub fn evaluate(&mut self, dataset: Option<&mut Dataset>) -> Result<Evaluation> {
        let data = dataset.as_deref();
        let set = data.map(Dataset::enter).transpose()?;
        let raw = set.as_ref().map_or(std::ptr::null_mut(), Use::raw);
        // SAFETY: the text is copied and released at once.
        let evaluated = self.during_token(|| unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trainer_evaluate(self.raw(), raw, &mut text))?;
            Ok(Evaluation { json: take_text(text) })
        });
        evaluated.map_err(|error| data.into_iter().fold(error, |error, set| set.explain(error)))
    }

    /// Returns the first output of the model for rows of its only input, in batches of `batch_size`
    /// rows. It also works before the first `fit`.
    pub fn predict(&mut self, x: &Tensor, batch_size: usize) -> Result<Tensor> {
        self.publish()?;
        let (graph, variables) = (self.model()?, self.variables()?);
        let session = Session::builder(&self.engine, &graph).variables(&variables).build()?;
        let (inputs, outputs) = (graph.input_names(), graph.output_names());
        let mut data = Dataset::from_tensors(&self.engine, &[(inputs[0].as_str(), x)])?;
        data.configure(batch_size, None, false)?;
        let (mut out, mut at) = (None, 0);
        for batch in data.epoch() {
            let batch = batch?;
            let feeds: Vec<(&str, &TensorRef)> = batch.iter().map(|(name, tensor)| (name, &**tensor)).collect();
            let part = session.run(&feeds, &[outputs[0].as_str()])?.remove(0);
            let out = match &mut out {
                Some(out) => out,
                None => {
                    let mut dims = part.dims().to_vec();
                    dims[0] = x.dims()[0];
                    out.insert(TensorMut::zeros(&self.engine, part.dtype(), &dims)?)
                }
            };
            out.as_bytes_mut()[at..at + part.as_bytes().len()].copy_from_slice(part.as_bytes());
            at += part.as_bytes().len();
        }
        Ok(out.expect("a data set has a row").freeze())
    }

    /// Publishes the trained values as the next version of the table. Runs that begin later use it.
    /// Publishing waits for no run, and no run waits for it.
    pub fn publish(&mut self) -> Result<()> {
        // SAFETY: the trainer is alive.
        check(unsafe { sys::percale_trainer_publish(self.raw()) })
    }

    /// Sets the learning rate of the optimizer from the next step on. The schedule applies to this
    /// rate.
    pub fn set_learning_rate(&mut self, rate: f64) -> Result<()> {
        // SAFETY: the trainer is alive.
        check(unsafe { sys::percale_trainer_set_learning_rate(self.raw(), rate) })
    }

    /// Writes a checkpoint `folder`/step-N atomically.
    pub fn save(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_trainer_save(self.raw(), folder.as_ptr()) }).map_err(|error| self.explain(error))
    }

    /// Loads a checkpoint: `folder`/step-N, or the newest intact one of a folder. Training then
    /// continues with the same bits as without the interruption. If the checkpoint belongs to
    /// another job, an error with the code `FailedPrecondition` names the first difference.
    pub fn restore(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_trainer_restore(self.raw(), path.as_ptr()) }).map_err(|error| self.explain(error))
    }

    /// Locks the folder for this trainer until it is dropped. Call `restore` first. An error with
    /// the code `Unavailable` names the process that holds the lock. The code is `AlreadyExists` if
    /// the folder has checkpoints of another run; `overwrite` removes them instead.
    pub fn lock_folder(&mut self, folder: impl AsRef<Path>, overwrite: bool) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_trainer_lock_folder(self.raw(), folder.as_ptr(), i32::from(overwrite)) })
    }

    /// Returns the graph for inference, from inputs to predictions.
    pub fn model(&self) -> Result<Graph> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_trainer_model(self.raw(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// Returns the table that the trainer trains.
    pub fn variables(&self) -> Result<Variables> {
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_trainer_variables(self.raw(), &mut raw))?;
            Ok(Variables::take(raw))
        }
    }

    /// Returns the number of completed steps.
    pub fn steps(&self) -> i64 {
        // SAFETY: the trainer is alive.
        unsafe { sys::percale_trainer_steps(self.raw()) }
    }

    /// Returns the history of the training.
    pub fn history(&self, format: HistoryFormat) -> Result<Vec<u8>> {
        let format = match format {
            HistoryFormat::Csv => c"csv",
            HistoryFormat::Svg => c"svg",
            HistoryFormat::Events => c"events",
        };
        // SAFETY: the bytes are copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trainer_history(self.raw(), format.as_ptr(), &mut text))?;
            Ok(take_bytes(text))
        }
    }

    /// Returns facts as JSON: parameters, shards, devices, batch size, optimizer, data.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trainer_describe(self.raw(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Records the trainer's activity from now on; `None` ends the recording.
    pub fn set_trace(&mut self, trace: Option<&Trace>) {
        let trace = trace.map_or(std::ptr::null_mut(), |trace| trace.handle.get());
        // SAFETY: the trainer is alive, and keeps its own reference to the trace.
        unsafe { sys::percale_trainer_set_trace(self.raw(), trace) };
    }
}
