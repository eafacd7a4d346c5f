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

/// Trains the variables of a graph. One thread uses it at a time.
///
/// ```
/// use percale::{Dataset, Engine, Tensor, Trainer};
/// let engine = Engine::new()?;
/// let spec = r#"{"model": [{"layer": "Dense", "units": 1}], "input_shape": [2], "loss": "mean_squared_error",
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
    /// `Shared` may be: a trainer is no more than Send.
    not_sync: PhantomData<Cell<()>>,
}

struct Shared(Handle<sys::percale_trainer>);

// SAFETY: the trainer is thread-compatible, and only `Trainer`, of which there is one, uses it; a `Canceller` calls nothing
// but percale_trainer_cancel(), which percale.h excepts.
unsafe impl Sync for Shared {}

/// Ends a trainer's step from any thread; see [`Trainer::canceller`].
#[derive(Clone)]
pub struct Canceller {
    shared: Weak<Shared>,
}

impl Canceller {
    /// Ends the step under way with the code `Cancelled`; the state is that of the last completed step. Does nothing when
    /// there is none, or when the trainer is gone.
    pub fn cancel(&self) {
        if let Some(shared) = self.shared.upgrade() {
            // SAFETY: a trainer that lives; percale.h: any thread.
            unsafe { sys::percale_trainer_cancel(shared.0.get()) };
        }
    }
}

/// What is told after each step of [`Trainer::fit_with`].
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
    /// The epoch, from 1.
    epoch: i64;
    /// How many epochs there will be.
    epochs: i64;
    /// The step over the whole run, from 1.
    step: i64;
    /// How many steps there will be; 0 when that is not known.
    steps: i64;
    /// The step within the epoch, from 1.
    step_in_epoch: i64;
    /// How many steps the epoch has.
    steps_in_epoch: i64;
    /// The loss of this step's batch before the update.
    loss: f64;
    /// The learning rate of this step.
    learning_rate: f64;
    /// Rows that are trained per second.
    rows_per_second: f64;
    /// Seconds since the training began.
    seconds: f64;
    /// Seconds until it ends, as far as one can tell.
    eta_seconds: f64;
    /// The mean loss over the epoch's rows so far, each before its update.
    epoch_loss: f64;
}

impl Progress<'_> {
    /// Whether the epoch has ended with this step: the metrics are there.
    pub fn epoch_ended(&self) -> bool {
        self.raw.epoch_ended != 0
    }

    /// Names and values of the metrics, at the end of an epoch.
    pub fn metrics(&self) -> Vec<(&str, f64)> {
        // SAFETY: as many names and values as is said, which live as long as the callback runs.
        unsafe {
            (0..self.raw.metric_count)
                .map(|index| {
                    let name = CStr::from_ptr(*self.raw.metric_names.add(index));
                    (name.to_str().unwrap_or("?"), *self.raw.metric_values.add(index))
                })
                .collect()
        }
    }

    /// Sets the optimizer's learning rate from the next step on, as [`Trainer::set_learning_rate`] does.
    pub fn set_learning_rate(&self, rate: f64) -> Result<()> {
        // SAFETY: the trainer waits for the callback, which may set it.
        check(unsafe { sys::percale_trainer_set_learning_rate(self.trainer, rate) })
    }

    /// Lets sessions on the same variables see what was trained so far, as [`Trainer::publish`] does.
    pub fn publish(&self) -> Result<()> {
        // SAFETY: the trainer waits for the callback, which may publish.
        check(unsafe { sys::percale_trainer_publish(self.trainer) })
    }

    /// Writes a checkpoint `folder`/step-N in the midst of the training.
    pub fn save(&self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: the trainer waits for the callback, which may save it.
        check(unsafe { sys::percale_trainer_save(self.trainer, folder.as_ptr()) })
    }
}

/// Loss and metrics of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    json: String,
}

impl Evaluation {
    /// As the library says it: `{"loss":0.03,"accuracy":0.99}`.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The loss, or a metric, by name.
    pub fn get(&self, name: &str) -> Option<f64> {
        // Flat, without spaces, and no name holds a quote.
        let key = format!("\"{name}\":");
        let rest = self.json.split(&key).nth(1)?.trim_start();
        let end = rest.find([',', '}']).unwrap_or(rest.len());
        rest.get(..end)?.trim().parse().ok()
    }

    /// The mean loss.
    pub fn loss(&self) -> f64 {
        self.get("loss").unwrap_or(f64::NAN)
    }
}

/// What [`Trainer::history`] gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HistoryFormat {
    /// One row per step.
    Csv,
    /// A plot of the loss.
    Svg,
    /// The bytes of a file `events.out.tfevents.*` for TensorBoard.
    Events,
}

/// A trainer that is being set up; see [`Trainer::builder`] and [`Trainer::from_spec`].
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
    /// Begins with the weights of another trainer, as Keras' `compile()` after `fit()` does: of
    /// each variable that both have by name, with the same shape. The optimizer begins anew.
    pub fn weights_of(mut self, trainer: &'a mut Trainer) -> Self {
        self.before = Some(trainer);
        self
    }

    /// Any option of a trainer by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// A name, or JSON such as `{"name": "sgd", "momentum": 0.9}`. Not for a SPEC, which says it itself.
    pub fn optimizer(self, optimizer: &str) -> Self {
        self.option("optimizer", optimizer)
    }

    /// The output that is the mean loss of a batch. Not for a SPEC.
    pub fn loss(self, output: &str) -> Self {
        self.option("loss", output)
    }

    /// The devices of the engine that compute the shards of a batch. Without the option `shards` their number follows from the sizes
    /// of model and batch alone, so that the result does not depend on the devices: for all of them to work say as many shards as
    /// there are devices, or a multiple.
    pub fn devices(self, devices: &str) -> Self {
        self.option("devices", devices)
    }

    /// Patterns of the names of variables that keep their values, separated by commas.
    pub fn freeze(self, patterns: &str) -> Self {
        self.option("freeze", patterns)
    }

    /// Passes over the data until which [`Trainer::fit`] trains when it is told 0.
    pub fn epochs(self, epochs: i64) -> Self {
        self.option("epochs", epochs)
    }

    /// The most bytes that the trainer may hold; 0: no limit but the engine's.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Where relative paths of a SPEC are looked up besides the folder of the data.
    pub fn spec_folder(mut self, folder: impl AsRef<Path>) -> Self {
        if let Source::Spec { spec_folder, .. } = &mut self.source {
            *spec_folder = Some(folder.as_ref().into());
        }
        self
    }

    /// Where the data files of a SPEC are looked up first.
    pub fn data_folder(mut self, folder: impl AsRef<Path>) -> Self {
        if let Source::Spec { data_folder, .. } = &mut self.source {
            *data_folder = Some(folder.as_ref().into());
        }
        self
    }

    /// The trainer.
    pub fn build(self) -> Result<Trainer> {
        let options = self.settings.make("trainer")?;
        let (engine, options) = (self.engine.handle.get(), options::raw(&options));
        let mut raw = std::ptr::null_mut();
        // SAFETY: texts that end with NUL or whose size is said; the handle is taken over at once.
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
            // SAFETY: the handle that was just made.
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
    /// Begins a trainer of a graph, whose inputs are the columns of the data and which has an output that is the loss. `None` for the
    /// variables is a new table, drawn by the option `seed`.
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

    /// Begins a trainer of a SPEC: JSON that says model, loss, metrics, optimizer and data.
    pub fn from_spec<'a>(engine: &'a Engine, spec: &str) -> TrainerBuilder<'a> {
        let source = Source::Spec { text: spec.into(), spec_folder: None, data_folder: None };
        TrainerBuilder { engine, source, before: None, settings: Settings::default() }
    }

    fn raw(&self) -> *mut sys::percale_trainer {
        self.shared.0.get()
    }

    /// Runs something that ends with the trainer's token.
    fn during_token<T>(&self, run: impl FnOnce() -> Result<T>) -> Result<T> {
        let raw = self.raw();
        CancelToken::during(self.token.as_ref(), |cancellation| {
            // SAFETY: a trainer that is not at work; it keeps the cancellation itself.
            unsafe { sys::percale_trainer_set_cancellation(raw, cancellation) };
            let result = run();
            // SAFETY: as above.
            unsafe { sys::percale_trainer_set_cancellation(raw, std::ptr::null_mut()) };
            result
        })
    }

    /// Steps, fits and evaluations that follow end with the code `Cancelled` when the token is cancelled, within a step, between two,
    /// or before they begin.
    pub fn set_cancel_token(&mut self, token: Option<CancelToken>) {
        self.token = token;
    }

    /// Ends steps of this trainer from any thread.
    pub fn canceller(&self) -> Canceller {
        Canceller { shared: Arc::downgrade(&self.shared) }
    }

    /// One step on one global batch; the batch's mean loss before the update.
    pub fn step(&mut self, batch: &[(&str, &Tensor)]) -> Result<f64> {
        let names = Names::new(batch.iter().map(|(name, _)| name))?;
        let tensors: Vec<_> = batch.iter().map(|(_, tensor)| tensor.as_raw()).collect();
        let mut loss = 0.0;
        // SAFETY: arrays as long as is said, tensors that nobody writes to.
        self.during_token(|| unsafe {
            check(sys::percale_trainer_step(self.raw(), names.as_ptr(), tensors.as_ptr(), tensors.len(), &mut loss))
        })?;
        Ok(loss)
    }

    /// The same; it also gives values that the batch's forward pass computed, in its form for training and before the update, one per
    /// fetch: outputs of [`Trainer::model`], and other values of the graph that the loss needs. Their rows are those of the batch.
    pub fn step_fetch(&mut self, batch: &[(&str, &Tensor)], fetches: &[&str]) -> Result<(f64, Vec<Tensor>)> {
        let (names, wanted) = (Names::new(batch.iter().map(|(name, _)| name))?, Names::new(fetches)?);
        let tensors: Vec<_> = batch.iter().map(|(_, tensor)| tensor.as_raw()).collect();
        let mut loss = 0.0;
        let mut out = vec![std::ptr::null_mut(); fetches.len()];
        // SAFETY: arrays as long as is said, tensors that nobody writes to; the results are taken over at once.
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

    /// Trains over the data for as many epochs as are left until `epochs` (0: as the SPEC says). Epochs count all of the trainer so
    /// far: after a fit until 1 another does nothing, and one until 2 one more. Without a data set that of the SPEC. Labels of sparse
    /// losses are integers.
    pub fn fit(&mut self, dataset: Option<&mut Dataset>, epochs: i64) -> Result<()> {
        self.fit_with(dataset, epochs, |_| ControlFlow::Continue(()))
    }

    /// The same, and `callback` is told after each step how it goes; `Break` ends the training after this step. What the
    /// callback panics with ends it too and goes on from here. Within it [`Progress`] saves, publishes and sets the learning
    /// rate, and a [`Canceller`] ends the fit; the trainer itself is borrowed until the fit returns.
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
            // A panic must not cross the border: it waits here until the library has returned.
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
        // SAFETY: the state lives through the call, which is the only one that calls back.
        let fitted = self.during_token(|| unsafe {
            check(sys::percale_trainer_fit(self.raw(), raw, epochs, Some(tell::<F>), user))
        });
        drop((set, others));
        if let Some(panic) = state.panic {
            resume_unwind(panic);
        }
        fitted.map_err(|error| data.into_iter().chain(validation).fold(error, |error, set| set.explain(error)))
    }

    /// Data that is evaluated after each epoch of later fits. The trainer keeps the set; others may go on using it, with
    /// [`evaluate`](Trainer::evaluate) for one, but not during a `fit`: that is an error with the code `FailedPrecondition`.
    pub fn set_validation(&mut self, dataset: Option<&Dataset>) -> Result<()> {
        let set = dataset.map(Dataset::enter).transpose()?;
        let raw = set.as_ref().map_or(std::ptr::null_mut(), Use::raw);
        // SAFETY: a set that nobody else uses now; fit_with() sees to it that nobody does later.
        check(unsafe { sys::percale_trainer_set_validation(self.raw(), raw) })?;
        self.validation = dataset.map(Dataset::share);
        Ok(())
    }

    /// Loss and metrics over a data set; without one over the SPEC's test data.
    pub fn evaluate(&mut self, dataset: Option<&mut Dataset>) -> Result<Evaluation> {
        let data = dataset.as_deref();
        let set = data.map(Dataset::enter).transpose()?;
        let raw = set.as_ref().map_or(std::ptr::null_mut(), Use::raw);
        // SAFETY: the text is taken over at once.
        let evaluated = self.during_token(|| unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trainer_evaluate(self.raw(), raw, &mut text))?;
            Ok(Evaluation { json: take_text(text) })
        });
        evaluated.map_err(|error| data.into_iter().fold(error, |error, set| set.explain(error)))
    }

    /// The model's first output for rows of its only input, in runs of so many rows, also before
    /// the first `fit`.
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

    /// Makes what was trained so far the next version of the table: runs that begin later see it, and nobody waits.
    pub fn publish(&mut self) -> Result<()> {
        // SAFETY: a trainer that lives.
        check(unsafe { sys::percale_trainer_publish(self.raw()) })
    }

    /// Sets the optimizer's learning rate from the next step on, which the schedule begins with.
    pub fn set_learning_rate(&mut self, rate: f64) -> Result<()> {
        // SAFETY: a trainer that lives.
        check(unsafe { sys::percale_trainer_set_learning_rate(self.raw(), rate) })
    }

    /// Writes a checkpoint `folder`/step-N, whole or not at all.
    pub fn save(&mut self, folder: impl AsRef<Path>) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_trainer_save(self.raw(), folder.as_ptr()) })
    }

    /// Takes up a checkpoint, `folder`/step-N, or the newest whole one of a folder: the same bits follow as without the
    /// interruption. `FailedPrecondition` names the first difference to a checkpoint of another job.
    pub fn restore(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_trainer_restore(self.raw(), path.as_ptr()) })
    }

    /// Locks the folder for the run of this trainer, until it is dropped; `restore` comes first. `Unavailable` names the process that has
    /// locked it, `AlreadyExists` a checkpoint of another run, which `overwrite` removes.
    pub fn lock_folder(&mut self, folder: impl AsRef<Path>, overwrite: bool) -> Result<()> {
        let folder = path_text(folder.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_trainer_lock_folder(self.raw(), folder.as_ptr(), i32::from(overwrite)) })
    }

    /// The graph for inference: inputs to predictions.
    pub fn model(&self) -> Result<Graph> {
        // SAFETY: the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_trainer_model(self.raw(), &mut raw))?;
            Ok(Graph::take(raw))
        }
    }

    /// The table that is trained.
    pub fn variables(&self) -> Result<Variables> {
        // SAFETY: the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_trainer_variables(self.raw(), &mut raw))?;
            Ok(Variables::take(raw))
        }
    }

    /// Steps that were completed.
    pub fn steps(&self) -> i64 {
        // SAFETY: a trainer that lives.
        unsafe { sys::percale_trainer_steps(self.raw()) }
    }

    /// The history of the training.
    pub fn history(&self, format: HistoryFormat) -> Result<Vec<u8>> {
        let format = match format {
            HistoryFormat::Csv => c"csv",
            HistoryFormat::Svg => c"svg",
            HistoryFormat::Events => c"events",
        };
        // SAFETY: the bytes are taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trainer_history(self.raw(), format.as_ptr(), &mut text))?;
            Ok(take_bytes(text))
        }
    }

    /// Facts as JSON: parameters, shards, devices, batch size, optimizer, data.
    pub fn describe(&self) -> Result<String> {
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_trainer_describe(self.raw(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Records what the trainer does from now on; `None` ends it.
    pub fn set_trace(&mut self, trace: Option<&Trace>) {
        let trace = trace.map_or(std::ptr::null_mut(), |trace| trace.handle.get());
        // SAFETY: a trainer that lives; it keeps the trace itself.
        unsafe { sys::percale_trainer_set_trace(self.raw(), trace) };
    }
}
