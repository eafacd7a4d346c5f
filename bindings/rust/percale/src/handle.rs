//! Handles, which release an object of the library once.
use std::ptr::NonNull;

use crate::sys;

/// A type of the library that is released when it is dropped.
pub(crate) trait Release {
    unsafe fn release(handle: *mut Self);
}

/// A type with a reference count in the library.
pub(crate) trait Retain: Release {
    unsafe fn retain(handle: *mut Self);
}

/// One reference to a `T` of the library.
pub(crate) struct Handle<T: Release>(NonNull<T>);

impl<T: Release> Handle<T> {
    /// Takes ownership of a handle that a successful function of the library returned, which is
    /// never NULL.
    pub(crate) unsafe fn new(handle: *mut T) -> Handle<T> {
        debug_assert!(!handle.is_null());
        Handle(NonNull::new_unchecked(handle))
    }

    #[inline]
    pub(crate) fn get(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Retain> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        // SAFETY: the handle is alive as long as `self`.
        unsafe { T::retain(self.get()) };
        Handle(self.0)
    }
}

impl<T: Release> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: this value owns this reference.
        unsafe { T::release(self.get()) };
    }
}

macro_rules! release {
    ($($name:ident => $release:ident;)*) => { $(
        impl Release for sys::$name {
            unsafe fn release(handle: *mut Self) {
                sys::$release(handle);
            }
        }
    )* };
}

macro_rules! retain {
    ($($name:ident => $retain:ident;)*) => { $(
        impl Retain for sys::$name {
            unsafe fn retain(handle: *mut Self) {
                sys::$retain(handle);
            }
        }
    )* };
}

release! {
    percale_options => percale_options_release;
    percale_engine => percale_engine_release;
    percale_tensor => percale_tensor_release;
    percale_builder => percale_builder_release;
    percale_graph => percale_graph_release;
    percale_variables => percale_variables_release;
    percale_session => percale_session_release;
    percale_call => percale_call_release;
    percale_cancellation => percale_cancellation_release;
    percale_event => percale_event_release;
    percale_dataset => percale_dataset_release;
    percale_trainer => percale_trainer_release;
    percale_trace => percale_trace_release;
    percale_cluster => percale_cluster_release;
    percale_server => percale_server_release;
}

retain! {
    percale_engine => percale_engine_retain;
    percale_tensor => percale_tensor_retain;
    percale_graph => percale_graph_retain;
    percale_variables => percale_variables_retain;
    percale_session => percale_session_retain;
    percale_event => percale_event_retain;
}

/// Implements the thread guarantees of the header: *thread-safe* is Send and Sync,
/// *thread-compatible* is Send, *thread-bound* is neither.
macro_rules! thread_safe {
    ($($name:ident)*) => { $(
        // SAFETY: percale.h says *thread-safe*.
        unsafe impl Send for Handle<sys::$name> {}
        unsafe impl Sync for Handle<sys::$name> {}
    )* };
}

macro_rules! thread_compatible {
    ($($name:ident)*) => { $(
        // SAFETY: percale.h says *thread-compatible*: one thread at a time, which may change.
        unsafe impl Send for Handle<sys::$name> {}
    )* };
}

thread_safe! { percale_engine percale_tensor percale_graph percale_variables percale_session percale_event percale_trace
percale_cancellation percale_server }
thread_compatible! { percale_options percale_builder percale_call percale_dataset percale_trainer percale_cluster }
