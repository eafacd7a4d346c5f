//! The library's table, refusals, and the shield that no panic passes.
use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use crate::raw;

/// Why something is refused or has failed: a code and a sentence, which the library hands on to the
/// caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    code: raw::percale_code,
    message: String,
}

impl Refusal {
    /// With any code but `PERCALE_OK`.
    pub fn new(code: raw::percale_code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// This cannot be done here, though it makes sense: what a kernel says of a node that another
    /// may run.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_UNIMPLEMENTED, message)
    }

    /// An argument makes no sense.
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_INVALID_ARGUMENT, message)
    }

    /// A value is outside of what is there: an index, say.
    pub fn out_of_range(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_OUT_OF_RANGE, message)
    }

    /// The plug-in itself is at fault.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_INTERNAL, message)
    }

    /// Its code.
    pub fn code(&self) -> raw::percale_code {
        self.code
    }

    /// Its sentence.
    pub fn message(&self) -> &str {
        &self.message
    }
}

macro_rules! tables {
    ($($name:ident $field:ident: $type:ident)*) => {
        $(
            pub(crate) fn $name(&self) -> &'static raw::$type {
                // A library that offers its table offers all tables of its version.
                unsafe { &*self.table.$field }
            }
        )*
    };
}

/// The table that the library hands to a plug-in. It lives as long as the process.
#[derive(Clone, Copy)]
pub struct Host {
    table: &'static raw::percale_host_api,
}

impl Host {
    /// None for a table that is older than this crate.
    ///
    /// # Safety
    /// `table` is NULL or a table of the library.
    pub unsafe fn new(table: *const raw::percale_host_api) -> Option<Self> {
        // The size comes first in every version of the table; no more of it may be read before.
        let whole = !table.is_null() && ptr::addr_of!((*table).struct_size).read() as usize >= size_of_table();
        whole.then(|| Self { table: &*table })
    }

    /// The table itself.
    pub fn table(&self) -> &'static raw::percale_host_api {
        self.table
    }

    tables! {
        statuses status: percale_host_status_api
        log log: percale_host_log_api
        attributes attributes: percale_host_attributes_api
        node node: percale_host_node_api
        kernel_plan kernel_plan: percale_host_kernel_plan_api
        run run: percale_host_run_api
        shape shape: percale_host_shape_api
        grad grad: percale_host_grad_api
    }

    /// A status for the library. NULL, which would say that all is well, only where the library has
    /// no status to give.
    pub fn status(&self, refusal: &Refusal) -> *mut raw::percale_status {
        match self.statuses().create {
            // Text and size are good for the call, which copies them.
            Some(create) => unsafe { create(refusal.code, refusal.message.as_ptr().cast(), refusal.message.len()) },
            None => ptr::null_mut(),
        }
    }

    /// Does `work` for the library: what it refuses, and what it panics with, becomes a status.
    pub fn shield(&self, work: impl FnOnce() -> Result<(), Refusal>) -> *mut raw::percale_status {
        match caught(work) {
            Ok(()) => ptr::null_mut(),
            Err(refusal) => self.status(&refusal),
        }
    }

    /// `self` as the pointer that the library hands back to functions of a table.
    pub(crate) fn as_user(&self) -> *mut std::ffi::c_void {
        ptr::from_ref(self.table).cast_mut().cast()
    }

    /// # Safety
    /// `user` comes from `as_user`.
    pub(crate) unsafe fn from_user(user: *mut std::ffi::c_void) -> Self {
        Self { table: &*user.cast::<raw::percale_host_api>() }
    }
}

fn size_of_table() -> usize {
    std::mem::size_of::<raw::percale_host_api>()
}

/// A function of a table that this version of the library must have.
pub(crate) fn there<T>(slot: Option<T>, name: &str) -> T {
    slot.unwrap_or_else(|| panic!("the library offers no {name}"))
}

/// `work`, whose panic is a refusal.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    // The state that a panic leaves behind is dropped or, for a kernel's state, only read by later
    // runs.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(refusal_of(payload)))
}

fn refusal_of(payload: Box<dyn Any + Send>) -> Refusal {
    let said = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let said = said.or_else(|| payload.downcast_ref::<String>().cloned());
    // A payload may panic when it is dropped; that one's payload is left where it is.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    Refusal::internal(format!("the plug-in panicked: {}", said.as_deref().unwrap_or("without a message")))
}
