//! Sessions, which run graphs.
use std::ffi::CString;

use crate::dtype::DType;
use crate::engine::{Engine, Trace};
use crate::error::{check, take_text, Names, Result};
use crate::graph::{raw_variables, DrawingFormat, Graph};
use crate::handle::Handle;
use crate::options::{self, OptionValue, Settings};
use crate::sys;
use crate::tensor::{raw_dims, Tensor, TensorRef};
use crate::variables::Variables;

mod call;
mod request;

pub use call::Call;
use request::Parts;
pub use request::{AsyncRequest, Request};

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
#[must_use = "build() creates the session"]
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
