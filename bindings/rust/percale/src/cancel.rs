//! Cancelling from elsewhere.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sys;

/// Ends runs and trainings that were given this token, from any thread. Cheap to clone: clones are the same token. Once
/// cancelled it stays so, and whatever begins with it ends at once.
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
    Trainer(*mut sys::percale_trainer),
}

// SAFETY: percale_event_cancel() and percale_trainer_cancel() may be called on any thread.
unsafe impl Send for Target {}

impl Target {
    unsafe fn cancel(self) {
        match self {
            Target::Event(event) => sys::percale_event_cancel(event),
            Target::Trainer(trainer) => sys::percale_trainer_cancel(trainer),
        }
    }
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// Ends everything that runs with this token.
    pub fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::SeqCst);
        for (_, target) in self.shared.targets.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            // SAFETY: a target lives for as long as it is in the list.
            unsafe { target.cancel() };
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.shared.cancelled.load(Ordering::SeqCst)
    }

    /// An error with the code `Cancelled` when it was.
    pub fn check(&self) -> crate::Result<()> {
        if self.is_cancelled() {
            return Err(crate::Error::new(crate::Code::Cancelled, "the token was cancelled"));
        }
        Ok(())
    }

    /// From now until the guard is dropped the target is cancelled with the token. It must live for as long.
    pub(crate) unsafe fn watch(&self, target: Target) -> Watch<'_> {
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.shared.targets.lock().unwrap_or_else(PoisonError::into_inner).push((number, target));
        if self.is_cancelled() {
            target.cancel();
        }
        Watch { token: self, number }
    }
}

/// Takes a target out of the list of its token when it is dropped.
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
