//! Sessions, which run graphs.
use std::ffi::CString;
use std::time::Duration;

use crate::builder::MAX_RANK;
use crate::cancel::{CancelToken, Target};
use crate::dtype::DType;
use crate::engine::{Engine, Trace};
use crate::error::{check, take_text, Code, Error, Names, Result};
use crate::event::{nanoseconds, Event};
use crate::graph::{raw_variables, DrawingFormat, Graph};
use crate::handle::Handle;
use crate::options::{self, OptionValue, Settings};
use crate::sys;
use crate::tensor::{raw_dims, Tensor, TensorMut, TensorRef};
use crate::variables::Variables;

/// Runs a graph, with any number of concurrent runs. Clones are the same session and cheap.
///
/// ```
/// # use percale::{Builder, DType, Engine, Session, Tensor};
/// # let engine = Engine::new()?;
/// # let mut builder = Builder::new(&engine)?;
/// # let x = builder.input("x", DType::F32, &[-1])?;
/// # let y = builder.op("Add").name("y").inputs([x, x]).finish()?;
/// # builder.set_outputs(&[y])?;
/// # let graph = builder.finish()?;
/// let session = Session::new(&engine, &graph)?;
/// let x = Tensor::from_vec(&[3], vec![1f32, 2.0, 3.0])?;
/// let results = session.run(&[("x", &x)], &["y"])?;
/// assert_eq!(results[0].as_slice::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), percale::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    handle: Handle<sys::percale_session>,
    engine: Engine,
}

/// Selects the facts that [`Session::explain`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanFacts {
    /// JSON with the device, kernel, reason and shapes of each node; the cut, the bytes moved, and
    /// the predicted peak.
    Plan,
    /// JSON with the kernel of each node, and why the kernels before it refused.
    Kernels,
    /// JSON with the number of nodes after each pass.
    Passes,
}

/// Collects the settings of a session; see [`Session::builder`].
#[must_use = "a session is made by build()"]
pub struct SessionBuilder<'a> {
    engine: &'a Engine,
    graph: &'a Graph,
    variables: Option<&'a Variables>,
    settings: Settings,
}

impl<'a> SessionBuilder<'a> {
    /// Sets the table of the graph's variables.
    pub fn variables(mut self, variables: &'a Variables) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Sets any option of a session by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// Sets the memory limit of the session's runs and plans in bytes; 0 means no limit but that of
    /// the engine.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// Creates the session.
    pub fn build(self) -> Result<Session> {
        let options = self.settings.make("session")?;
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_session_create(
                self.engine.handle.get(),
                self.graph.handle.get(),
                raw_variables(self.variables),
                options::raw(&options),
                &mut raw,
            ))?;
            Ok(Session { handle: Handle::new(raw), engine: self.engine.clone() })
        }
    }
}

impl Session {
    /// Creates a session over a graph without variables, with the defaults.
    pub fn new(engine: &Engine, graph: &Graph) -> Result<Session> {
        Session::builder(engine, graph).build()
    }

    /// Returns a builder for a session with variables or other settings.
    pub fn builder<'a>(engine: &'a Engine, graph: &'a Graph) -> SessionBuilder<'a> {
        SessionBuilder { engine, graph, variables: None, settings: Settings::default() }
    }

    /// Runs the graph and returns the fetches. Any value may be fed or fetched, by name.
    pub fn run(&self, feeds: &[(&str, &TensorRef)], fetches: &[&str]) -> Result<Vec<Tensor>> {
        self.request().feeds(feeds).fetches(fetches).run()
    }

    /// Returns a builder for a run with targets, a timeout or a token.
    pub fn request(&self) -> Request<'_> {
        Request { session: self, parts: Parts::default() }
    }

    /// Returns a builder for an asynchronous run, which executes on threads of the engine.
    pub fn async_request(&self) -> AsyncRequest<'_> {
        AsyncRequest { session: self, parts: Parts::default() }
    }

    /// Ends all current runs of the session. Later runs are not affected.
    pub fn cancel(&self) {
        // SAFETY: the session is alive.
        unsafe { sys::percale_session_cancel(self.handle.get()) };
    }

    /// Prepares runs with feeds of these types and shapes, the fastest way to run a graph.
    pub fn prepare(&self, feeds: &[(&str, DType, &[usize])], fetches: &[&str]) -> Result<Call> {
        let types = FeedTypes::new(feeds)?;
        let fetch_names = Names::new(fetches)?;
        // SAFETY: the arrays have the given lengths; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_call_create(
                self.handle.get(),
                types.names.as_ptr(),
                types.dtypes.as_ptr(),
                types.dims.as_ptr(),
                types.ranks.as_ptr(),
                types.names.len(),
                fetch_names.as_ptr(),
                fetch_names.len(),
                &mut raw,
            ))?;
            let (inputs, outputs) = (feeds.len(), fetches.len());
            Ok(Call { handle: Handle::new(raw), engine: self.engine.clone(), inputs, outputs })
        }
    }

    /// Returns details of the plan for feeds of these types.
    pub fn explain(&self, feeds: &[(&str, DType, &[usize])], fetches: &[&str], what: PlanFacts) -> Result<String> {
        let types = FeedTypes::new(feeds)?;
        let fetch_names = Names::new(fetches)?;
        let what = match what {
            PlanFacts::Plan => c"plan",
            PlanFacts::Kernels => c"kernels",
            PlanFacts::Passes => c"passes",
        };
        // SAFETY: the arrays have the given lengths; the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_session_explain(
                self.handle.get(),
                types.names.as_ptr(),
                types.dtypes.as_ptr(),
                types.dims.as_ptr(),
                types.ranks.as_ptr(),
                types.names.len(),
                fetch_names.as_ptr(),
                fetch_names.len(),
                what.as_ptr(),
                &mut text,
            ))?;
            Ok(take_text(text))
        }
    }

    /// Draws the plan for feeds of these types. The nodes show the times of `trace`.
    pub fn draw(
        &self,
        feeds: &[(&str, DType, &[usize])],
        fetches: &[&str],
        format: DrawingFormat,
        trace: Option<&Trace>,
    ) -> Result<String> {
        let types = FeedTypes::new(feeds)?;
        let fetch_names = Names::new(fetches)?;
        let times = trace.map(Trace::json).transpose()?.map(CString::new).transpose()?;
        // SAFETY: the arrays have the given lengths; the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_session_draw(
                self.handle.get(),
                types.names.as_ptr(),
                types.dtypes.as_ptr(),
                types.dims.as_ptr(),
                types.ranks.as_ptr(),
                types.names.len(),
                fetch_names.as_ptr(),
                fetch_names.len(),
                format.name().as_ptr(),
                times.as_ref().map_or(std::ptr::null(), |times| times.as_ptr()),
                &mut text,
            ))?;
            Ok(take_text(text))
        }
    }

    /// Returns statistics as JSON: plans made, cache hits, runs, planned and measured peak of
    /// memory.
    pub fn stats(&self) -> Result<String> {
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_session_stats(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Records the session's activity from now on; `None` ends the recording.
    pub fn set_trace(&self, trace: Option<&Trace>) {
        let trace = trace.map_or(std::ptr::null_mut(), |trace| trace.handle.get());
        // SAFETY: the session is alive, and keeps its own reference to the trace.
        unsafe { sys::percale_session_set_trace(self.handle.get(), trace) };
    }
}

/// Types of feeds in the form that the library takes.
struct FeedTypes {
    names: Names,
    dtypes: Vec<sys::percale_dtype>,
    _shapes: Vec<Vec<i64>>,
    dims: Vec<*const i64>,
    ranks: Vec<usize>,
}

impl FeedTypes {
    fn new(feeds: &[(&str, DType, &[usize])]) -> Result<FeedTypes> {
        let shapes = feeds.iter().map(|(_, _, dims)| raw_dims(dims)).collect::<Result<Vec<_>>>()?;
        Ok(FeedTypes {
            names: Names::new(feeds.iter().map(|(name, _, _)| name))?,
            dtypes: feeds.iter().map(|(_, dtype, _)| *dtype as i32).collect(),
            dims: shapes.iter().map(|shape| shape.as_ptr()).collect(),
            ranks: shapes.iter().map(Vec::len).collect(),
            _shapes: shapes,
        })
    }
}

/// The parts of a run.
#[derive(Default)]
struct Parts<'a> {
    feed_names: Vec<&'a str>,
    feeds: Vec<*mut sys::percale_tensor>,
    fetches: Vec<&'a str>,
    targets: Vec<&'a str>,
    timeout: Option<Duration>,
    token: Option<&'a CancelToken>,
}

impl Parts<'_> {
    /// Begins the run. The feeds must live until it is over, or be immutable and owned by the
    /// library.
    unsafe fn start(&self, session: &Session) -> Result<Event> {
        let (feeds, fetches, targets) =
            (Names::new(&self.feed_names)?, Names::new(&self.fetches)?, Names::new(&self.targets)?);
        let mut raw = std::ptr::null_mut();
        check(sys::percale_session_run_async(
            session.handle.get(),
            feeds.as_ptr(),
            self.feeds.as_ptr(),
            feeds.len(),
            fetches.as_ptr(),
            fetches.len(),
            targets.as_ptr(),
            targets.len(),
            nanoseconds(self.timeout),
            &mut raw,
        ))?;
        Ok(Event::take(raw, self.fetches.len()))
    }
}

/// Collects the settings of a run; see [`Session::request`].
#[must_use = "a request does nothing before run()"]
pub struct Request<'a> {
    session: &'a Session,
    parts: Parts<'a>,
}

impl<'a> Request<'a> {
    /// Feeds a value by its name.
    pub fn feed(mut self, name: &'a str, tensor: &'a TensorRef) -> Self {
        self.parts.feed_names.push(name);
        self.parts.feeds.push(tensor.as_raw());
        self
    }

    /// Feeds several values.
    pub fn feeds(mut self, feeds: &[(&'a str, &'a TensorRef)]) -> Self {
        for (name, tensor) in feeds {
            self = self.feed(name, tensor);
        }
        self
    }

    /// Fetches a value by its name.
    pub fn fetch(mut self, name: &'a str) -> Self {
        self.parts.fetches.push(name);
        self
    }

    /// Fetches several values.
    pub fn fetches(mut self, names: &[&'a str]) -> Self {
        self.parts.fetches.extend_from_slice(names);
        self
    }

    /// Runs a node without fetching an output, such as a training step.
    pub fn target(mut self, name: &'a str) -> Self {
        self.parts.targets.push(name);
        self
    }

    /// Ends the run with the code `DeadlineExceeded` after this time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// Ends the run with the code `Cancelled` when the token is cancelled. A run with a token
    /// executes on a thread of the engine.
    pub fn cancel_token(mut self, token: &'a CancelToken) -> Self {
        self.parts.token = Some(token);
        self
    }

    /// Runs and returns one result per fetch.
    pub fn run(self) -> Result<Vec<Tensor>> {
        Ok(self.run_versioned()?.0)
    }

    /// Runs like [`Request::run`], and also returns the version of the variables that the run read.
    /// It is 0 for a graph without variables.
    pub fn run_versioned(self) -> Result<(Vec<Tensor>, i64)> {
        let parts = &self.parts;
        if let Some(token) = parts.token {
            // SAFETY: the feeds are borrowed for longer than this function, which waits for the end
            // of the run.
            let event = unsafe { parts.start(self.session)? };
            // SAFETY: the event outlives the guard.
            let _watch = unsafe { token.watch(Target::Event(event.raw())) };
            let results = event.wait()?;
            return Ok((results, event.variables_version()));
        }
        let (feeds, fetches, targets) =
            (Names::new(&parts.feed_names)?, Names::new(&parts.fetches)?, Names::new(&parts.targets)?);
        let (mut out, mut version) = (vec![std::ptr::null_mut(); fetches.len()], 0);
        // SAFETY: the arrays have the given lengths; the results are wrapped at once.
        unsafe {
            check(sys::percale_session_run_versioned(
                self.session.handle.get(),
                feeds.as_ptr(),
                parts.feeds.as_ptr(),
                feeds.len(),
                fetches.as_ptr(),
                fetches.len(),
                targets.as_ptr(),
                targets.len(),
                nanoseconds(parts.timeout),
                out.as_mut_ptr(),
                &mut version,
            ))?;
            Ok((out.into_iter().map(|raw| Tensor::take(raw)).collect(), version))
        }
    }

    /// Runs and returns the result of the only fetch.
    pub fn run_one(self) -> Result<Tensor> {
        let mut results = self.run()?;
        match results.pop() {
            Some(result) if results.is_empty() => Ok(result),
            _ => Err(Error::new(Code::InvalidArgument, "run_one() wants exactly one fetch")),
        }
    }
}

/// Collects the settings of an asynchronous run; see [`Session::async_request`].
#[must_use = "a request does nothing before start()"]
pub struct AsyncRequest<'a> {
    session: &'a Session,
    parts: Parts<'a>,
}

impl<'a> AsyncRequest<'a> {
    /// Feeds a value by its name. The run keeps the tensor until it is over.
    pub fn feed(mut self, name: &'a str, tensor: &'a Tensor) -> Self {
        self.parts.feed_names.push(name);
        self.parts.feeds.push(tensor.as_raw());
        self
    }

    /// Fetches a value by its name.
    pub fn fetch(mut self, name: &'a str) -> Self {
        self.parts.fetches.push(name);
        self
    }

    /// Runs a node without fetching an output.
    pub fn target(mut self, name: &'a str) -> Self {
        self.parts.targets.push(name);
        self
    }

    /// Ends the run with the code `DeadlineExceeded` after this time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// Begins the run.
    pub fn start(self) -> Result<Event> {
        // SAFETY: the tensors are immutable, and the run keeps them.
        unsafe { self.parts.start(self.session) }
    }
}

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
    handle: Handle<sys::percale_call>,
    engine: Engine,
    inputs: usize,
    outputs: usize,
}

impl Call {
    /// Runs with the feeds in the order of [`Session::prepare`], and writes the results into
    /// `outputs`. Fails if a feed or an output has the wrong type or shape. After the first run it
    /// allocates nothing.
    #[inline]
    pub fn run(&mut self, inputs: &[&TensorRef], outputs: &mut [&mut TensorRef]) -> Result<()> {
        if inputs.len() != self.inputs || outputs.len() != self.outputs {
            return Err(self.wrong_count(inputs.len(), outputs.len()));
        }
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
        if inputs.len() != self.inputs || outputs.len() != self.outputs {
            return Err(self.wrong_count(inputs.len(), outputs.len()));
        }
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
        if inputs.len() != self.inputs || outputs.len() != self.outputs {
            return Err(self.wrong_count(inputs.len(), outputs.len()));
        }
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
        let dtype = DType::from_raw(dtype).ok_or_else(|| Error::new(Code::Internal, "a type that is not known"))?;
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
