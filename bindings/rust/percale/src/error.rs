//! Errors: the library's code and message.
use std::ffi::{CStr, CString, NulError};
use std::fmt;
use std::sync::Arc;

use crate::sys;

/// What kind of error it is: the canonical codes of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum Code {
    /// The run was cancelled.
    Cancelled = sys::PERCALE_CANCELLED,
    /// An error of another kind, or a code that this crate does not know yet.
    Unknown = sys::PERCALE_UNKNOWN,
    /// An argument that cannot be right: a shape, a type, a name of an op.
    InvalidArgument = sys::PERCALE_INVALID_ARGUMENT,
    /// The time that was given ran out.
    DeadlineExceeded = sys::PERCALE_DEADLINE_EXCEEDED,
    /// A file, a name or an option that is not there.
    NotFound = sys::PERCALE_NOT_FOUND,
    /// Something of that name is there already.
    AlreadyExists = sys::PERCALE_ALREADY_EXISTS,
    /// The operating system refuses it.
    PermissionDenied = sys::PERCALE_PERMISSION_DENIED,
    /// Memory, or a limit of memory, ran out.
    ResourceExhausted = sys::PERCALE_RESOURCE_EXHAUSTED,
    /// Right as such, but not in this state.
    FailedPrecondition = sys::PERCALE_FAILED_PRECONDITION,
    /// A callback ended it.
    Aborted = sys::PERCALE_ABORTED,
    /// A number outside of its range, or the end of the data.
    OutOfRange = sys::PERCALE_OUT_OF_RANGE,
    /// Nobody can do it: an op without a kernel, a format without an importer.
    Unimplemented = sys::PERCALE_UNIMPLEMENTED,
    /// An error of the library itself.
    Internal = sys::PERCALE_INTERNAL,
    /// A device, a peer or the library itself is out of reach.
    Unavailable = sys::PERCALE_UNAVAILABLE,
    /// A file that is damaged.
    DataLoss = sys::PERCALE_DATA_LOSS,
    /// A peer that does not say who it is.
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
    /// The upper-case name, `INVALID_ARGUMENT`.
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

/// An error of the library: a [`Code`] and a message for people.
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
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl PartialEq for Error {
    /// Whether code and message are the same.
    fn eq(&self, other: &Error) -> bool {
        self.code == other.code && self.message == other.message
    }
}

impl Eq for Error {}

/// What functions of this crate that can fail give.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of one's own, in the library's words.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), source: None }
    }

    /// The same error with its cause.
    pub(crate) fn because(self, source: Arc<dyn std::error::Error + Send + Sync>) -> Error {
        Error { source: Some(source), ..self }
    }

    /// What kind of error it is.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The library's message: op, node, argument, got, wanted.
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
    /// The error of a function that makes rows, when that ended the call.
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

/// Takes a status over.
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
    // SAFETY: a status that the library handed out, released once, here, after its message was copied.
    unsafe {
        let code = Code::from_raw(sys::percale_status_code(status));
        let message = CStr::from_ptr(sys::percale_status_message(status, std::ptr::null_mut()));
        let message = message.to_string_lossy().into_owned();
        sys::percale_status_release(status);
        Error::new(code, message)
    }
}

/// Statuses that the library handed out and that were not released: what leak tests compare.
pub fn live_statuses() -> Result<i64> {
    crate::ensure_loaded()?;
    // SAFETY: no arguments.
    Ok(unsafe { sys::percale_status_live_count() })
}

/// Texts as the library takes them, kept alive while it reads them.
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

/// A path as the library takes it.
pub(crate) fn path_text(path: &std::path::Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// The characters of a text, which is released. Bytes that are no UTF-8 are replaced.
pub(crate) unsafe fn take_text(text: *mut sys::percale_text) -> String {
    let bytes = take_bytes(text);
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The bytes of a text, which is released.
pub(crate) unsafe fn take_bytes(text: *mut sys::percale_text) -> Vec<u8> {
    let mut size = 0;
    let data = sys::percale_text_data(text, &mut size);
    let out = if data.is_null() { Vec::new() } else { std::slice::from_raw_parts(data.cast::<u8>(), size).to_vec() };
    sys::percale_text_release(text);
    out
}

/// A borrowed text of the library, or nothing for NULL.
pub(crate) unsafe fn borrowed_text(text: *const std::ffi::c_char) -> Option<String> {
    (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
}
