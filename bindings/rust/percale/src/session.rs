//! Runs of graphs.
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

/// Runs a graph: any number of concurrent runs. Cheap to clone: clones are the same session.
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

/// What [`Session::explain`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanFacts {
    /// JSON: per node device, kernel, reason and shapes; the cut, bytes moved, predicted peak.
    Plan,
    /// JSON: who runs each node, and why every better entry refused.
    Kernels,
    /// JSON: counts of nodes after each pass.
    Passes,
}

/// A session that is being set up; see [`Session::builder`].
#[must_use = "a session is made by build()"]
pub struct SessionBuilder<'a> {
    engine: &'a Engine,
    graph: &'a Graph,
    variables: Option<&'a Variables>,
    settings: Settings,
}

impl<'a> SessionBuilder<'a> {
    /// The table that the graph's variables stand in.
    pub fn variables(mut self, variables: &'a Variables) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Any option of a session by its name; see [`describe_options`](crate::describe_options).
    pub fn option(mut self, key: &str, value: impl Into<OptionValue>) -> Self {
        self.settings.set(key, value);
        self
    }

    /// The most bytes that the session's runs and plans may hold; 0: no limit but the engine's.
    pub fn memory_limit(self, bytes: u64) -> Self {
        self.option("memory_limit", i64::try_from(bytes).unwrap_or(i64::MAX))
    }

    /// The session.
    pub fn build(self) -> Result<Session> {
        let options = self.settings.make("session")?;
        // SAFETY: the handle is taken over at once.
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
    /// A session over a graph without variables, with the defaults.
    pub fn new(engine: &Engine, graph: &Graph) -> Result<Session> {
        Session::builder(engine, graph).build()
    }

    /// Begins a session with variables or settings.
    pub fn builder<'a>(engine: &'a Engine, graph: &'a Graph) -> SessionBuilder<'a> {
        SessionBuilder { engine, graph, variables: None, settings: Settings::default() }
    }

    /// Runs what the fetches need. Any value may be fed or fetched, by name.
    pub fn run(&self, feeds: &[(&str, &TensorRef)], fetches: &[&str]) -> Result<Vec<Tensor>> {
        self.request().feeds(feeds).fetches(fetches).run()
    }

    /// Begins a run with targets, a timeout or a token.
    pub fn request(&self) -> Request<'_> {
        Request { session: self, parts: Parts::default() }
    }

    /// Begins a run that goes on by itself on threads of the engine.
    pub fn async_request(&self) -> AsyncRequest<'_> {
        AsyncRequest { session: self, parts: Parts::default() }
    }

    /// Ends every run of the session that is under way; later runs are not affected.
    pub fn cancel(&self) {
        // SAFETY: a session that lives.
        unsafe { sys::percale_session_cancel(self.handle.get()) };
    }

    /// Prepares runs with feeds of these types and shapes: the fast path.
    pub fn prepare(&self, feeds: &[(&str, DType, &[usize])], fetches: &[&str]) -> Result<Call> {
        let types = FeedTypes::new(feeds)?;
        let fetch_names = Names::new(fetches)?;
        // SAFETY: arrays as long as is said; the handle is taken over at once.
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

    /// Why the plan is what it is, for feeds of the given types.
    pub fn explain(&self, feeds: &[(&str, DType, &[usize])], fetches: &[&str], what: PlanFacts) -> Result<String> {
        let types = FeedTypes::new(feeds)?;
        let fetch_names = Names::new(fetches)?;
        let what = match what {
            PlanFacts::Plan => c"plan",
            PlanFacts::Kernels => c"kernels",
            PlanFacts::Passes => c"passes",
        };
        // SAFETY: arrays as long as is said; the text is taken over at once.
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

    /// A drawing of the plan for feeds of the given types. The nodes show the times of `trace`.
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
        // SAFETY: arrays as long as is said; the text is taken over at once.
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

    /// JSON: plans made, cache hits, runs, peaks of memory as planned and as measured.
    pub fn stats(&self) -> Result<String> {
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_session_stats(self.handle.get(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Records what the session does from now on; `None` ends it.
    pub fn set_trace(&self, trace: Option<&Trace>) {
        let trace = trace.map_or(std::ptr::null_mut(), |trace| trace.handle.get());
        // SAFETY: a session that lives; it keeps the trace itself.
        unsafe { sys::percale_session_set_trace(self.handle.get(), trace) };
    }
}

/// Types of feeds as the library takes them.
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

/// What a run is made of.
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
    /// Begins the run. The feeds must live until it is over, or be such that nobody writes to.
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

/// A run that is being set up; see [`Session::request`].
#[must_use = "a request does nothing before run()"]
pub struct Request<'a> {
    session: &'a Session,
    parts: Parts<'a>,
}

impl<'a> Request<'a> {
    /// Feeds a value, by name.
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

    /// Fetches a value, by name.
    pub fn fetch(mut self, name: &'a str) -> Self {
        self.parts.fetches.push(name);
        self
    }

    /// Fetches several values.
    pub fn fetches(mut self, names: &[&'a str]) -> Self {
        self.parts.fetches.extend_from_slice(names);
        self
    }

    /// Runs a node for what it does, such as a training step.
    pub fn target(mut self, name: &'a str) -> Self {
        self.parts.targets.push(name);
        self
    }

    /// The code `DeadlineExceeded` after that time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// The code `Cancelled` when the token is. Such a run goes over a thread of the engine.
    pub fn cancel_token(mut self, token: &'a CancelToken) -> Self {
        self.parts.token = Some(token);
        self
    }

    /// The results, one per fetch.
    pub fn run(self) -> Result<Vec<Tensor>> {
        let parts = &self.parts;
        if let Some(token) = parts.token {
            // SAFETY: the feeds are borrowed for longer than this function, which waits for the end of the run.
            let event = unsafe { parts.start(self.session)? };
            // SAFETY: the event lives as long as the guard.
            let _watch = unsafe { token.watch(Target::Event(event.raw())) };
            return event.wait();
        }
        let (feeds, fetches, targets) =
            (Names::new(&parts.feed_names)?, Names::new(&parts.fetches)?, Names::new(&parts.targets)?);
        let mut out = vec![std::ptr::null_mut(); fetches.len()];
        // SAFETY: arrays as long as is said; the results are taken over at once.
        unsafe {
            check(sys::percale_session_run(
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
            ))?;
            Ok(out.into_iter().map(|raw| Tensor::take(raw)).collect())
        }
    }

    /// The result of a run with one fetch.
    pub fn run_one(self) -> Result<Tensor> {
        let mut results = self.run()?;
        match results.pop() {
            Some(result) if results.is_empty() => Ok(result),
            _ => Err(Error::new(Code::InvalidArgument, "run_one() wants exactly one fetch")),
        }
    }
}

/// An asynchronous run that is being set up; see [`Session::async_request`].
#[must_use = "a request does nothing before start()"]
pub struct AsyncRequest<'a> {
    session: &'a Session,
    parts: Parts<'a>,
}

impl<'a> AsyncRequest<'a> {
    /// Feeds a value, by name. The run keeps the tensor until it is over.
    pub fn feed(mut self, name: &'a str, tensor: &'a Tensor) -> Self {
        self.parts.feed_names.push(name);
        self.parts.feeds.push(tensor.as_raw());
        self
    }

    /// Fetches a value, by name.
    pub fn fetch(mut self, name: &'a str) -> Self {
        self.parts.fetches.push(name);
        self
    }

    /// Runs a node for what it does.
    pub fn target(mut self, name: &'a str) -> Self {
        self.parts.targets.push(name);
        self
    }

    /// The code `DeadlineExceeded` after that time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.parts.timeout = Some(timeout);
        self
    }

    /// Begins the run.
    pub fn start(self) -> Result<Event> {
        // SAFETY: tensors that nobody writes to, which the run keeps.
        unsafe { self.parts.start(self.session) }
    }
}

/// A prepared pair of feeds and fetches: the fast path. One thread uses it at a time; make one per thread.
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
    /// Runs with the feeds in the order of [`Session::prepare`]; the results are written into `outputs`, tensors of the
    /// fetches' types and shapes: another type or shape, of a feed or of an output, is an error. Allocates nothing once warm.
    #[inline]
    pub fn run(&mut self, inputs: &[&TensorRef], outputs: &mut [&mut TensorRef]) -> Result<()> {
        if inputs.len() != self.inputs || outputs.len() != self.outputs {
            return Err(self.wrong_count(inputs.len(), outputs.len()));
        }
        // SAFETY: a reference to a TensorRef is the address of the library's tensor, so these are arrays of such addresses,
        // as many as the call has feeds and fetches. `&mut` says that nobody else has an output.
        check(unsafe { sys::percale_call_run(self.handle.get(), inputs.as_ptr().cast(), outputs.as_mut_ptr().cast()) })
    }

    /// From now on the feed of a run is what the fetch of the run before has given, on the device that computes where that can keep it.
    /// [`Call::run_carried`] goes on with it.
    pub fn carry(&mut self, fetch: usize, feed: usize) -> Result<()> {
        // SAFETY: numbers alone.
        check(unsafe { sys::percale_call_carry(self.handle.get(), fetch, feed) })
    }

    /// As [`Call::run`] of a call that hands values on: None as the input of such a feed goes on with what the run before has given, a tensor
    /// begins anew; None as the output of such a fetch: nothing of it comes to the host.
    pub fn run_carried(&mut self, inputs: &[Option<&TensorRef>], outputs: &mut [Option<&mut TensorRef>]) -> Result<()> {
        if inputs.len() != self.inputs || outputs.len() != self.outputs {
            return Err(self.wrong_count(inputs.len(), outputs.len()));
        }
        // SAFETY: as in run(); None of a reference is NULL.
        check(unsafe { sys::percale_call_run(self.handle.get(), inputs.as_ptr().cast(), outputs.as_mut_ptr().cast()) })
    }

    /// The same, but with the code `DeadlineExceeded` after that time, and `Cancelled` when the token is cancelled, even before the
    /// run begins. What the outputs then hold is not defined.
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

    /// The library's own call, for the raw layer; borrowed.
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

    /// The version of the variables that the last run has read; 0 before the first.
    pub fn variables_version(&self) -> i64 {
        // SAFETY: a call that lives; no run is under way, since it would borrow it.
        unsafe { sys::percale_call_variables_version(self.handle.get()) }
    }

    /// The type and shape of a fetch.
    pub fn output_type(&self, index: usize) -> Result<(DType, Vec<usize>)> {
        let (mut dtype, mut dims, mut rank) = (0, [0i64; MAX_RANK], 0usize);
        // SAFETY: room for as many dims as there can be.
        check(unsafe {
            sys::percale_call_output_type(self.handle.get(), index, &mut dtype, dims.as_mut_ptr(), &mut rank)
        })?;
        let dims = dims.iter().take(rank).map(|dim| usize::try_from(*dim).unwrap_or(0)).collect();
        let dtype = DType::from_raw(dtype).ok_or_else(|| Error::new(Code::Internal, "a type that is not known"))?;
        Ok((dtype, dims))
    }

    /// Tensors that results can be written into, one per fetch.
    pub fn new_outputs(&self) -> Result<Vec<TensorMut>> {
        (0..self.outputs)
            .map(|index| {
                let (dtype, dims) = self.output_type(index)?;
                TensorMut::zeros(&self.engine, dtype, &dims)
            })
            .collect()
    }
}
