//! The library's table of functions, refusals, and the conversion of panics to statuses.
use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use crate::raw;

/// The reason why something is refused or has failed: a code and a message, which the library
/// passes to the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    code: raw::percale_code,
    message: String,
}

impl Refusal {
    /// Creates a refusal with any code except `PERCALE_OK`.
    pub fn new(code: raw::percale_code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Creates a refusal of something that is valid but not supported here. With it a kernel
    /// refuses a node that another kernel may run.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_UNIMPLEMENTED, message)
    }

    /// Creates a refusal of an invalid argument.
    pub fn invalid_argument(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_INVALID_ARGUMENT, message)
    }

    /// Creates a refusal of a value that is out of range, such as an index.
    pub fn out_of_range(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_OUT_OF_RANGE, message)
    }

    /// Creates a refusal because of a bug in the plug-in.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(raw::PERCALE_INTERNAL, message)
    }

    /// Returns the code.
    pub fn code(&self) -> raw::percale_code {
        self.code
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

macro_rules! tables {
    ($($name:ident $field:ident: $type:ident)*) => {
        $(
            pub(crate) fn $name(&self) -> &'static raw::$type {
                // SAFETY: a library whose table is large enough has all tables of that version.
                unsafe { &*self.table.$field }
            }
        )*
    };
}

/// The table of functions that the library passes to a plug-in. It lives as long as the process.
#[derive(Clone, Copy)]
pub struct Host {
    table: &'static raw::percale_host_api,
}

impl Host {
    /// Returns None for a table of a library that is older than this crate.
    ///
    /// # Safety
    /// `table` is NULL or a table of the library.
    pub unsafe fn new(table: *const raw::percale_host_api) -> Option<Self> {
        // The size is the first field in every version of the table. Until it is known, nothing
        // else may be read.
        let whole = !table.is_null() && ptr::addr_of!((*table).struct_size).read() as usize >= size_of_table();
        whole.then(|| Self { table: &*table })
    }

    /// Returns the table.
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

    /// Creates a status for the library. It is NULL, which means success, only if the library
    /// cannot create one.
    pub fn status(&self, refusal: &Refusal) -> *mut raw::percale_status {
        match self.statuses().create {
            // SAFETY: the text is valid during the call, which copies it.
            Some(create) => unsafe { create(refusal.code, refusal.message.as_ptr().cast(), refusal.message.len()) },
            None => ptr::null_mut(),
        }
    }

    /// Runs `work` for the library. A refusal or a panic becomes a status.
    pub fn shield(&self, work: impl FnOnce() -> Result<(), Refusal>) -> *mut raw::percale_status {
        match caught(work) {
            Ok(()) => ptr::null_mut(),
            Err(refusal) => self.status(&refusal),
        }
    }

    /// Returns the pointer from which [`Host::from_user`] makes this host again.
    pub(crate) fn as_user(&self) -> *mut std::ffi::c_void {
        ptr::from_ref(self.table).cast_mut().cast()
    }

    /// Returns the host of a pointer that the library passes to functions of a table.
    ///
    /// # Safety
    /// `user` comes from `as_user`.
    pub(crate) unsafe fn from_user(user: *mut std::ffi::c_void) -> Self {
        Self { table: &*user.cast::<raw::percale_host_api>() }
    }
}

fn size_of_table() -> usize {
    std::mem::size_of::<raw::percale_host_api>()
}

/// Returns a function of a table. Panics if the library does not have it.
pub(crate) fn there<T>(slot: Option<T>, name: &str) -> T {
    slot.unwrap_or_else(|| panic!("the library has no function {name}"))
}

/// Runs `work`. A panic becomes a refusal.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    // Values that a panic leaves in an inconsistent state are dropped. Only the state of a kernel
    // stays, and later runs only read it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(refusal_of(payload)))
}

fn refusal_of(payload: Box<dyn Any + Send>) -> Refusal {
    let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| payload.downcast_ref::<String>().cloned());
    // The drop of a payload may panic, too. The payload of that panic is never dropped.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
    Refusal::internal(format!("the plug-in panicked: {}", message.as_deref().unwrap_or("without a message")))
}
