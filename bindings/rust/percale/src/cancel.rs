//! Cancellation from other threads.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{check, Result};
use crate::handle::Handle;
use crate::sys;

/// Ends the runs and trainings that it was passed to, from any thread. Clones are the same token
/// and cheap. A cancelled token stays cancelled: calls that begin with it end at once.
///
/// ```
/// use percale::{CancelToken, Code};
/// let token = CancelToken::new();
/// token.cancel();
/// assert!(token.is_cancelled());
/// assert_eq!(token.check().unwrap_err().code(), Code::Cancelled);
/// ```
#[derive(Clone, Default)]
pub struct CancelToken {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    cancelled: AtomicBool,
    next: AtomicU64,
    targets: Mutex<Vec<(u64, Target)>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Target {
    Event(*mut sys::percale_event),
    Cancellation(*mut sys::percale_cancellation),
}

// SAFETY: percale_event_cancel() and percale_cancellation_cancel() may be called on any thread.
unsafe impl Send for Target {}

impl Target {
    unsafe fn cancel(self) {
        match self {
            Target::Event(event) => sys::percale_event_cancel(event),
            Target::Cancellation(cancellation) => sys::percale_cancellation_cancel(cancellation),
        }
    }
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// Ends everything that runs with this token.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        for (_, target) in self.shared.targets.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // SAFETY: a target is alive as long as it is in the list.
            unsafe { target.cancel() };
        }
    }

    /// Returns true if the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// Returns an error with the code `Cancelled` if the token was cancelled.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() {
            return Err(crate::Error::new(crate::Code::Cancelled, "the token was cancelled"));
        }
        Ok(())
    }

    /// Calls `run` with a cancellation that the token cancels, or with NULL if there is no token.
    pub(crate) fn during<T>(
        token: Option<&CancelToken>,
        run: impl FnOnce(*mut sys::percale_cancellation) -> Result<T>,
    ) -> Result<T> {
        let Some(token) = token else { return run(std::ptr::null_mut()) };
        token.check()?;
        // SAFETY: the handle is wrapped at once, and outlives the guard.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_cancellation_create(&mut raw))?;
            let cancellation = Handle::new(raw);
            let _watch = token.watch(Target::Cancellation(cancellation.get()));
            run(cancellation.get())
        }
    }

    /// Cancels the target with the token until the guard is dropped. The target must live as long
    /// as the guard.
    pub(crate) unsafe fn watch(&self, target: Target) -> Watch<'_> {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.shared.targets.lock().unwrap_or_else(PoisonError::into_inner).push((number, target));
        if self.is_cancelled() {
            target.cancel();
        }
        Watch { token: self, number }
    }
}

/// Removes a target from the list of its token when dropped.
pub(crate) struct Watch<'t> {
    token: &'t CancelToken,
    number: u64,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut targets = self.token.shared.targets.lock().unwrap_or_else(PoisonError::into_inner);
        targets.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(token: &CancelToken) -> usize {
        token.shared.targets.lock().unwrap().len()
    }

    #[test]
    fn clones_are_one_token_and_guards_leave_in_any_order() {
        let token = CancelToken::new();
        let other = token.clone();
        // SAFETY: the token is not cancelled while these targets are in its list, so they are never
        // used.
        let first = unsafe { token.watch(Target::Event(std::ptr::null_mut())) };
        let second = unsafe { other.watch(Target::Cancellation(std::ptr::null_mut())) };
        assert_eq!((watched(&token), watched(&other)), (2, 2));
        drop(first);
        assert_eq!(watched(&other), 1);
        drop(second);
        assert_eq!(watched(&token), 0);
        other.cancel();
        assert!(token.is_cancelled());
    }

    #[test]
    fn a_token_is_cancelled_from_another_thread() {
        let token = CancelToken::new();
        std::thread::scope(|scope| {
            scope.spawn(|| token.cancel());
            while !token.is_cancelled() {
                std::thread::yield_now();
            }
        });
        assert_eq!(token.check().unwrap_err().code(), crate::Code::Cancelled);
    }
}
