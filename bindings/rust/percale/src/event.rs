//! The ends of asynchronous runs.
use std::ffi::c_void;
use std::future::Future;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::error::{check, Result};
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

/// An asynchronous run. Cheap to clone: clones are the same run, which goes on when they are dropped. Also a future of its
/// results, for whatever executor.
#[derive(Clone)]
pub struct Event {
    handle: Handle<sys::percale_event>,
    results: usize,
    waker: Option<Arc<Mutex<Option<Waker>>>>,
}

/// A timeout as the library takes it.
pub(crate) fn nanoseconds(timeout: Option<Duration>) -> i64 {
    timeout.map_or(sys::PERCALE_FOREVER, |timeout| i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX))
}

impl Event {
    pub(crate) unsafe fn take(raw: *mut sys::percale_event, results: usize) -> Event {
        Event { handle: Handle::new(raw), results, waker: None }
    }

    pub(crate) fn raw(&self) -> *mut sys::percale_event {
        self.handle.get()
    }

    /// Whether the run is over.
    pub fn is_ready(&self) -> bool {
        // SAFETY: an event that lives.
        unsafe { sys::percale_event_poll(self.raw()) != 0 }
    }

    /// Waits for the end of the run, and gives its results.
    pub fn wait(&self) -> Result<Vec<Tensor>> {
        self.wait_at_most(None)?;
        self.take_results()
    }

    /// Waits for at most that time; the code `DeadlineExceeded` when the run is not over then, which leaves it running.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<Vec<Tensor>> {
        self.wait_at_most(Some(timeout))?;
        self.take_results()
    }

    fn wait_at_most(&self, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: an event that lives.
        check(unsafe { sys::percale_event_wait(self.raw(), nanoseconds(timeout)) })
    }

    fn take_results(&self) -> Result<Vec<Tensor>> {
        (0..self.results)
            .map(|index| {
                // SAFETY: the handle is taken over at once.
                unsafe {
                    let mut raw = std::ptr::null_mut();
                    check(sys::percale_event_result(self.raw(), index, &mut raw))?;
                    Ok(Tensor::take(raw))
                }
            })
            .collect()
    }

    /// The version of the variables that the run has read; 0 before it is over.
    pub fn variables_version(&self) -> i64 {
        // SAFETY: an event that lives.
        unsafe { sys::percale_event_variables_version(self.raw()) }
    }

    /// Ends the run with the code `Cancelled`.
    pub fn cancel(&self) {
        // SAFETY: an event that lives.
        unsafe { sys::percale_event_cancel(self.raw()) };
    }

    /// Calls the function once when the run is over: on the thread of the engine that ends it, or at once on this one when it is
    /// over already. It must not block, and must not be the last to own an engine or a session: that would wait for the very
    /// thread that it is called on. What it panics with is dropped.
    pub fn on_ready(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        type Function = Box<dyn FnOnce() + Send>;
        unsafe extern "C" fn call(user: *mut c_void) {
            let function = Box::from_raw(user.cast::<Function>());
            // A panic must not cross the border.
            let _ = catch_unwind(AssertUnwindSafe(function));
        }
        let function: Box<Function> = Box::new(Box::new(function));
        let user = Box::into_raw(function);
        // SAFETY: the box is taken by the one call, or here when there will be none.
        unsafe {
            let given = check(sys::percale_event_on_ready(self.raw(), Some(call), user.cast()));
            if given.is_err() {
                drop(Box::from_raw(user));
            }
            given
        }
    }
}

impl Future for Event {
    type Output = Result<Vec<Tensor>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.is_ready() {
            return Poll::Ready(self.wait());
        }
        let waker = match &self.waker {
            Some(waker) => {
                *waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
                waker.clone()
            }
            None => {
                let waker = Arc::new(Mutex::new(Some(context.waker().clone())));
                self.waker = Some(waker.clone());
                let wake = waker.clone();
                let given = self.on_ready(move || {
                    let waker = wake.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(waker) = waker {
                        waker.wake();
                    }
                });
                if let Err(error) = given {
                    return Poll::Ready(Err(error));
                }
                waker
            }
        };
        // The run may have ended before the newest waker stood there.
        if self.is_ready() {
            waker.lock().unwrap_or_else(PoisonError::into_inner).take();
            return Poll::Ready(self.wait());
        }
        Poll::Pending
    }
}
