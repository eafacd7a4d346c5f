//! Training.
use std::any::Any;
use std::cell::Cell;
use std::ffi::{c_void, CStr, CString};
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use crate::cancel::CancelToken;
use crate::dataset::{Dataset, Use};
use crate::engine::{Engine, Trace};
use crate::error::{check, path_text, take_bytes, take_text, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::options::{self, OptionValue, Settings};
use crate::session::Session;
use crate::sys;
use crate::tensor::{Tensor, TensorMut, TensorRef};
use crate::variables::Variables;

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

/// Describes a completed step of [`Trainer::fit_with`].
pub struct Progress<'a> {
    raw: &'a sys::percale_progress,
    trainer: *mut sys::percale_trainer,
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl Progress<'_> { $(
            $(#[$doc])*
            pub fn $name(&self) -> $type {
                self.raw.$name
            }
        )* }
    };
}

fields! {
    /// The number of the epoch, from 1.
    epoch: i64;
    /// The number of epochs in all.
    epochs: i64;
    /// The number of the step in the whole run, from 1.
    step: i64;
    /// The number of steps in all; 0 if unknown.
    steps: i64;
    /// The number of the step in the epoch, from 1.
    step_in_epoch: i64;
    /// The number of steps in the epoch.
    steps_in_epoch: i64;
    /// The loss of this step's batch, before the update.
    loss: f64;
    /// The learning rate of this step.
    learning_rate: f64;
    /// The number of rows trained per second.
    rows_per_second: f64;
    /// Seconds since the training began.
    seconds: f64;
    /// The estimated number of seconds until the training ends.
    eta_seconds: f64;
    /// The mean loss over the rows of the epoch so far, each before its update.
    epoch_loss: f64;
}

impl Progress<'_> {
    /// Returns true if this step ended the epoch, so the metrics are set.
    pub fn epoch_ended(&self) -> bool {
        self.raw.epoch_ended != 0
    }

    /// Returns the names and values of the metrics, at the end of an epoch.
    pub fn metrics(&self) -> Vec<(&str, f64)> {
        // SAFETY: the arrays have the given length and live as long as the callback runs.
        unsafe {
            (0..self.raw.metric_count)
                .map(|index| {
                    let name = CStr::from_ptr(*self.raw.metric_names.add(index));
                    (name.to_str().unwrap_or("?"), *self.raw.metric_values.add(index))
                })
                .collect()
        }
    }

    /// Sets the learning rate of the optimizer from the next step on, like
    /// [`Trainer::set_learning_rate`].
    pub fn set_learning_rate(&self, rate: f64) -> Result<()> {
        // SAFETY: the trainer waits for the callback, which may set it.
        check(unsafe { sys::percale_trainer_set_learning_rate(self.trainer, rate) })
    }

    /// Publishes the trained values, like [`Trainer::publish`].
    pub fn publish(&self) -> Result<()> {
        // SAFETY: the trainer waits for the callback, which may publish.
        check(unsafe { sys::percale_trainer_publish(self.trainer) })
    }

    /// Writes a checkpoint `folder`/step-N during the training.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: the trainer waits for the callback, which may save it.
        check(unsafe { sys::percale_trainer_save(self.trainer, folder.as_ptr()) })
    }
}

/// The loss and the metrics of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    json: String,
}

impl Evaluation {
    /// Returns the JSON of the library: `{"loss":0.03,"accuracy":0.99}`.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Returns the loss or a metric by its name, or `None` if there is none with this name. A value
    /// that is not finite is NaN.
    pub fn get(&self, name: &str) -> Option<f64> {
        // The JSON is flat and without spaces, and no name contains a quote. It has null for NaN
        // and infinities.
        let key = format!("\"{name}\":");
        let rest = self.json.split(&key).nth(1)?.trim_start();
        let end = rest.find([',', '}']).unwrap_or(rest.len());
        match rest.get(..end)?.trim() {
            "null" => Some(f64::NAN),
            number => number.parse().ok(),
        }
    }

    /// Returns the mean loss.
    pub fn loss(&self) -> f64 {
        self.get("loss").unwrap_or(f64::NAN)
    }
}

/// The format of [`Trainer::history`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistoryFormat {
    /// CSV with one row per step.
    Csv,
    /// A plot of the loss.
    Svg,
    /// The bytes of a file `events.out.tfevents.*` for TensorBoard.
    Events,
}

/// Collects the settings of a trainer; see [`Trainer::builder`] and [`Trainer::from_spec`].
#[must_use = "a trainer is made by build()"]
pub struct TrainerBuilder<'a> {
    engine: &'a Engine,
    source: Source<'a>,
    before: Option<&'a mut Trainer>,
    settings: Settings,
}

enum Source<'a> {
    Graph(&'a Graph, Option<&'a Variables>),
    Spec { text: String, spec_folder: Option<PathBuf>, data_folder: Option<PathBuf> },
}

impl<'a> TrainerBuilder<'a> {
    /// Takes the weights of another trainer as initial values, as `compile()` after `fit()` does in
    /// Keras. They are taken for all variables that exist in both with the same name and shape. The
    /// state of the optimizer is not taken.
    pub fn weights_of(mut self, trainer: &'a mut Trainer) -> Self {
        self.before = Some(trainer);
        self
    }

    /// Sets any option of a trainer by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// Sets the optimizer: a name, or JSON such as `{"name": "sgd", "momentum": 0.9}`. Not for a
    /// SPEC, which has its own.
    pub fn optimizer(self, optimizer: &str) -> Self {
        self.option("optimizer", optimizer)
    }

    /// Sets the output that is the mean loss of a batch. Not for a SPEC, which has its own.
    pub fn loss(self, output: &str) -> Self {
        self.option("loss", output)
    }

    /// Sets the devices of the engine that compute the shards of a batch. The number of shards
    /// depends only on the sizes of the model and the batch, so the result does not depend on the
    /// devices. To keep all devices busy, set the option `shards` to the number of devices or a
    /// multiple of it.
    pub fn devices(self, devices: &str) -> Self {
        self.option("devices", devices)
    }

    /// Selects variables that keep their values, by patterns of their names separated by commas.
    pub fn freeze(self, patterns: &str) -> Self {
        self.option("freeze", patterns)
    }

    /// Sets the number of epochs that [`Trainer::fit`] uses when it is called with 0.
    pub fn epochs(self, epochs: i64) -> Self {
        self.option("epochs", epochs)
    }

    /// Sets the memory limit of the trainer in bytes; 0 means no limit but that of the engine.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Sets a folder to search for relative paths of a SPEC.
    pub fn spec_folder(mut self, folder: impl AsRef<Path>) -> Self {
        if let Source::Spec { spec_folder, .. } = &mut self.source {
            *spec_folder = Some(folder.as_ref().into());
        }
        self
    }

    /// Sets the folder to search first for data files of a SPEC.
    pub fn data_folder(mut self, folder: impl AsRef<Path>) -> Self {
        if let Source::Spec { data_folder, .. } = &mut self.source {
            *data_folder = Some(folder.as_ref().into());
        }
        self
    }

    /// Creates the trainer.
    pub fn build(self) -> Result<Trainer> {
        let options = self.settings.make("trainer")?;
        let (engine, options) = (self.engine.handle.get(), options::raw(&options));
        let mut raw = std::ptr::null_mut();
        // SAFETY: the texts are NUL-terminated or passed with their size; the handle is wrapped at
        // once.
        unsafe {
            match &self.source {
                Source::Graph(graph, variables) => check(sys::percale_trainer_create(
                    engine,
                    graph.handle.get(),
                    variables.map_or(std::ptr::null_mut(), |variables| variables.handle.get()),
                    options,
                    &mut raw,
                ))?,
                Source::Spec { text, spec_folder, data_folder } => {
                    let folder = |folder: &Option<PathBuf>| folder.as_deref().map(path_text).transpose();
                    let (spec_folder, data_folder) = (folder(spec_folder)?, folder(data_folder)?);
                    let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
                    check(sys::percale_trainer_from_spec(
                        engine,
                        text.as_ptr().cast(),
                        text.len(),
                        pointer(&spec_folder),
                        pointer(&data_folder),
                        options,
                        &mut raw,
                    ))?;
                }
            }
        }
        let trainer = Trainer {
            engine: self.engine.clone(),
            // SAFETY: the handle was just created.
            shared: Arc::new(Shared(unsafe { Handle::new(raw) })),
            token: None,
            validation: None,
            not_sync: PhantomData,
        };
        if let Some(before) = self.before {
            before.publish()?;
            trainer.variables()?.assign_all(&before.variables()?)?;
        }
        Ok(trainer)
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
            let result = run();
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

    /// Trains like [`Trainer::fit`], and calls `callback` after each step; `Break` ends the
    /// training after this step. A panic of the callback also ends the training and continues in
    /// the caller. The callback may save, publish and set the learning rate through [`Progress`],
    /// and end the fit through a [`Canceller`]. The trainer itself is borrowed until the fit
    /// returns.
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
        check(unsafe { sys::percale_trainer_save(self.raw(), folder.as_ptr()) })
    }

    /// Loads a checkpoint: `folder`/step-N, or the newest intact one of a folder. Training then
    /// continues with the same bits as without the interruption. If the checkpoint belongs to
    /// another job, an error with the code `FailedPrecondition` names the first difference.
    pub fn restore(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_trainer_restore(self.raw(), path.as_ptr()) })
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
