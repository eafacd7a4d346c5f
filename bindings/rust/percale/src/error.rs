//! Errors with the code and message of the library.
use std::any::Any;
use std::ffi::{CStr, CString, NulError};
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sys;

/// The kind of an error: the canonical codes of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Code {
    /// The run was cancelled.
    Cancelled = sys::PERCALE_CANCELLED,
    /// Another error, or a code that this crate does not know yet.
    Unknown = sys::PERCALE_UNKNOWN,
    /// An argument is invalid in any state: a shape, a type, the name of an op.
    InvalidArgument = sys::PERCALE_INVALID_ARGUMENT,
    /// The time limit was exceeded.
    DeadlineExceeded = sys::PERCALE_DEADLINE_EXCEEDED,
    /// A file, a name or an option does not exist.
    NotFound = sys::PERCALE_NOT_FOUND,
    /// The name already exists.
    AlreadyExists = sys::PERCALE_ALREADY_EXISTS,
    /// The operating system denies it.
    PermissionDenied = sys::PERCALE_PERMISSION_DENIED,
    /// Memory is exhausted, or a memory limit is reached.
    ResourceExhausted = sys::PERCALE_RESOURCE_EXHAUSTED,
    /// The call is not allowed in the current state.
    FailedPrecondition = sys::PERCALE_FAILED_PRECONDITION,
    /// A callback ended the call.
    Aborted = sys::PERCALE_ABORTED,
    /// A number is out of range, or the data ended.
    OutOfRange = sys::PERCALE_OUT_OF_RANGE,
    /// Not implemented: an op without a kernel, a format without an importer.
    Unimplemented = sys::PERCALE_UNIMPLEMENTED,
    /// A bug in the library.
    Internal = sys::PERCALE_INTERNAL,
    /// A device, a peer or the library itself cannot be reached.
    Unavailable = sys::PERCALE_UNAVAILABLE,
    /// A file is damaged.
    DataLoss = sys::PERCALE_DATA_LOSS,
    /// A peer is not authenticated.
    Unauthenticated = sys::PERCALE_UNAUTHENTICATED,
}

impl Code {
    const ALL: [Code; 16] = [
        Code::Cancelled,
        Code::Unknown,
        Code::InvalidArgument,
        Code::DeadlineExceeded,
        Code::NotFound,
        Code::AlreadyExists,
        Code::PermissionDenied,
        Code::ResourceExhausted,
        Code::FailedPrecondition,
        Code::Aborted,
        Code::OutOfRange,
        Code::Unimplemented,
        Code::Internal,
        Code::Unavailable,
        Code::DataLoss,
        Code::Unauthenticated,
    ];

    pub(crate) fn from_raw(raw: sys::percale_code) -> Code {
        Code::ALL.into_iter().find(|code| *code as i32 == raw).unwrap_or(Code::Unknown)
    }
}

impl fmt::Display for Code {
    /// Writes the upper-case name, such as `INVALID_ARGUMENT`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_uppercase());
        }
        f.write_str(&name)
    }
}

/// An error of the library: a [`Code`] and a message.
///
/// ```
/// let engine = percale::Engine::new()?;
/// let error = percale::Graph::load_file(&engine, "no/such.percale").unwrap_err();
/// assert_eq!(error.code(), percale::Code::NotFound);
/// assert!(error.message().contains("no/such.percale"));
/// # Ok::<(), percale::Error>(())
/// ```
#[derive(Clone)]
pub struct Error {
    code: Code,
    message: String,
    source: Option<Arc<AnyError>>,
}

impl PartialEq for Error {
    /// Compares code and message.
    fn eq(&self, other: &Error) -> bool {
        self.code == other.code && self.message == other.message
    }
}

impl Eq for Error {}

/// The result of functions that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), source: None }
    }

    /// Returns the same error with its cause.
    pub(crate) fn because(self, source: Arc<AnyError>) -> Error {
        Error { source: Some(source), ..self }
    }

    /// Returns the kind of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the message of the library.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, ": {source}"))
    }
}

impl std::error::Error for Error {
    /// The error of a row function, of the function of a stream or of a collective, if that ended
    /// the call.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<NulError> for Error {
    fn from(error: NulError) -> Error {
        let text = String::from_utf8_lossy(&error.into_vec()).into_owned();
        Error::new(Code::InvalidArgument, format!("{text:?} holds a NUL"))
    }
}

/// The error of a callback.
pub(crate) type AnyError = dyn std::error::Error + Send + Sync;

/// The result of a callback. `?` converts any error, and so does `"text".into()`.
pub(crate) type CallbackResult<T> = std::result::Result<T, Box<AnyError>>;

/// The last error of a callback that returns no status, until it is reported.
pub(crate) type Failure = Mutex<Option<Arc<AnyError>>>;

/// The last error of a callback that returns a status, and the message that the library has of it,
/// until it is reported.
#[derive(Default)]
pub(crate) struct Failures(Mutex<Option<(Arc<AnyError>, String)>>);

impl Failures {
    /// Calls a callback. Keeps its error or panic, and returns it as a status for the library.
    pub(crate) fn call(&self, function: impl FnOnce() -> CallbackResult<()>) -> *mut sys::percale_status {
        let called = AssertUnwindSafe(|| function().map_err(|error| (described(&*error), error)));
        // A panic must not cross the border.
        let result = catch_unwind(called).unwrap_or_else(|panic| {
            let error = panicked(&*panic);
            Err(((Code::Aborted, error.to_string()), error))
        });
        match result {
            Ok(()) => std::ptr::null_mut(),
            Err(((code, message), error)) => {
                // SAFETY: the message is passed with its size, and the library copies it.
                let status = unsafe { sys::percale_status_create(code as i32, message.as_ptr().cast(), message.len()) };
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((error.into(), message));
                status
            }
        }
    }

    /// Returns the error, with the last error of the callback as its source if it has its message.
    /// The library may also have dealt with that error, and have failed of another.
    pub(crate) fn explain(&self, error: Error) -> Error {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match last.take() {
            Some((cause, message)) if error.source.is_none() && error.message.contains(&message) => {
                error.because(cause)
            }
            other => {
                *last = other;
                error
            }
        }
    }
}

/// Returns the code and the message of an error for the library.
fn described(error: &AnyError) -> (Code, String) {
    match error.downcast_ref::<Error>() {
        Some(own) => (own.code(), own.message().into()),
        None if error.is::<std::io::Error>() => (Code::Unavailable, error.to_string()),
        None => (Code::Aborted, error.to_string()),
    }
}

/// Returns the message of a panic as an error.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Box<AnyError> {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", words.unwrap_or("its payload is not text")).into()
}

/// Converts a status to a result and releases it.
#[inline]
pub(crate) fn check(status: *mut sys::percale_status) -> Result<()> {
    if status.is_null() {
        Ok(())
    } else {
        Err(take(status))
    }
}

#[cold]
fn take(status: *mut sys::percale_status) -> Error {
    // SAFETY: the library handed the status out; it is released once, after its message is copied.
    unsafe {
        let code = Code::from_raw(sys::percale_status_code(status));
        let message = CStr::from_ptr(sys::percale_status_message(status, std::ptr::null_mut()));
        let message = message.to_string_lossy().into_owned();
        sys::percale_status_release(status);
        Error::new(code, message)
    }
}

/// Returns the number of statuses that the library handed out and that are not released. It is for
/// leak tests.
pub fn live_statuses() -> Result<i64> {
    crate::ensure_loaded()?;
    // SAFETY: no arguments.
    Ok(unsafe { sys::percale_status_live_count() })
}

/// Texts in the form that the library takes.
pub(crate) struct Names {
    _texts: Vec<CString>,
    pointers: Vec<*const std::ffi::c_char>,
}

impl Names {
    pub(crate) fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Names> {
        let texts =
            texts.into_iter().map(|text| CString::new(text.as_ref())).collect::<std::result::Result<Vec<_>, _>>()?;
        let pointers = texts.iter().map(|text| text.as_ptr()).collect();
        Ok(Names { _texts: texts, pointers })
    }

    pub(crate) fn as_ptr(&self) -> *const *const std::ffi::c_char {
        self.pointers.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.pointers.len()
    }
}

/// Returns a path in the form that the library takes: its bytes, or UTF-8 on Windows.
pub(crate) fn path_text(path: &std::path::Path) -> Result<CString> {
    Ok(CString::new(path.as_os_str().as_encoded_bytes())?)
}

/// Returns the characters of a text, and releases the text. Bytes that are not UTF-8 are replaced.
pub(crate) unsafe fn take_text(text: *mut sys::percale_text) -> String {
    let bytes = take_bytes(text);
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns the bytes of a text, and releases the text.
pub(crate) unsafe fn take_bytes(text: *mut sys::percale_text) -> Vec<u8> {
    let mut size = 0;
    let data = sys::percale_text_data(text, &mut size);
    let out = if data.is_null() { Vec::new() } else { std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec() };
    sys::percale_text_release(text);
    out
}

/// Returns a copy of a borrowed text of the library, or `None` for NULL.
pub(crate) unsafe fn borrowed_text(text: *const std::ffi::c_char) -> Option<String> {
    (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
}
