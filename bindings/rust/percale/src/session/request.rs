//! Requests: runs with targets, a timeout or a token, and asynchronous runs.
use std::time::Duration;

use super::Session;
use crate::cancel::{CancelToken, Target};
use crate::error::{check, Code, Error, Names, Result};
use crate::event::{nanoseconds, Event};
use crate::sys;
use crate::tensor::{Tensor, TensorRef};

/// The parts of a run.
#[derive(Default)]
pub(super) struct Parts<'a> {
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
    pub(super) session: &'a Session,
    pub(super) parts: Parts<'a>,
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
            _ => Err(Error::new(Code::InvalidArgument, "run_one(): wanted exactly one fetch")),
        }
    }
}

/// Collects the settings of an asynchronous run; see [`Session::async_request`].
#[must_use = "a request does nothing before start()"]
pub struct AsyncRequest<'a> {
    pub(super) session: &'a Session,
    pub(super) parts: Parts<'a>,
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
