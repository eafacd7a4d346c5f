//! Asynchronous runs.
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

/// An asynchronous run. Clones refer to the same run and are cheap; the run continues when they are
/// dropped. It is also a future of its results, for any executor.
#[derive(Clone)]
pub struct Event {
    handle: Handle<sys::percale_event>,
    results: usize,
    waker: Option<Arc<Mutex<Option<Waker>>>>,
}

/// Returns a timeout in the form that the library takes.
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

    /// Returns true if the run is over.
    pub fn is_ready(&self) -> bool {
        // SAFETY: the event is alive.
        unsafe { sys::percale_event_poll(self.raw()) != 0 }
    }

    /// Waits for the end of the run and returns its results.
    pub fn wait(&self) -> Result<Vec<Tensor>> {
        self.wait_at_most(None)?;
        self.take_results()
    }

    /// Waits no longer than `timeout`. If the run is not over by then, returns an error with the
    /// code `DeadlineExceeded`, and the run continues.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<Vec<Tensor>> {
        self.wait_at_most(Some(timeout))?;
        self.take_results()
    }

    fn wait_at_most(&self, timeout: Option<Duration>) -> Result<()> {
        // SAFETY: the event is alive.
        check(unsafe { sys::percale_event_wait(self.raw(), nanoseconds(timeout)) })
    }

    fn take_results(&self) -> Result<Vec<Tensor>> {
        (0..self.results)
            .map(|index| {
                // SAFETY: the handle is wrapped at once.
                unsafe {
                    let mut raw = std::ptr::null_mut();
                    check(sys::percale_event_result(self.raw(), index, &mut raw))?;
                    Ok(Tensor::take(raw))
                }
            })
            .collect()
    }

    /// Returns the version of the variables that the run read. It is 0 before the run is over.
    pub fn variables_version(&self) -> i64 {
        // SAFETY: the event is alive.
        unsafe { sys::percale_event_variables_version(self.raw()) }
    }

    /// Ends the run with the code `Cancelled`.
    pub fn cancel(&self) {
        // SAFETY: the event is alive.
        unsafe { sys::percale_event_cancel(self.raw()) };
    }

    /// Calls the function once when the run is over: on the thread of the engine that ends the run,
    /// or on this thread if the run is already over. The function must not block. It must not drop
    /// the last owner of an engine or a session, because that would wait for the thread it is
    /// called on. Its panics are discarded.
    pub fn on_ready(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        type Function = Box<dyn FnOnce() + Send>;
        unsafe extern "C" fn call(user: *mut c_void) {
            let function = Box::from_raw(user.cast::<Function>());
            // A panic must not unwind into the library.
            let _ = catch_unwind(AssertUnwindSafe(function));
        }
        let function: Box<Function> = Box::new(Box::new(function));
        let user = Box::into_raw(function);
        // SAFETY: the single call takes the box. If there will be no call, it is taken here.
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
        // The run may have ended before the newest waker was stored.
        if self.is_ready() {
            waker.lock().unwrap_or_else(PoisonError::into_inner).take();
            return Poll::Ready(self.wait());
        }
        Poll::Pending
    }
}
