//! Opens the library at run time.
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use crate::raw::Table;

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

const RTLD_NOW: c_int = 2;
const NAME: &str = "libpercale.so.0";

static TABLE: OnceLock<Table> = OnceLock::new();
static LOADING: Mutex<()> = Mutex::new(());

/// Returns the functions of the loaded library. Panics if none is loaded: the functions of this
/// crate are unsafe, and callers must ensure that [`load`] has succeeded.
#[inline]
pub(crate) fn table() -> &'static Table {
    TABLE.get().expect("percale_sys::load() must succeed before any other function is called")
}

/// Returns true if [`load`] has succeeded.
#[inline]
pub fn is_loaded() -> bool {
    TABLE.get().is_some()
}

/// Opens the library: `path`, or the file that the environment variable `PERCALE_LIBRARY` names, or
/// `libpercale.so.0` on the library path of the system. It is opened once per process; later calls
/// do nothing and succeed. It is never closed.
pub fn load(path: Option<&Path>) -> Result<(), String> {
    if is_loaded() {
        return Ok(());
    }
    let _one_at_a_time = LOADING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if is_loaded() {
        return Ok(());
    }
    let named = path.map(|path| path.as_os_str().to_owned()).or_else(|| std::env::var_os("PERCALE_LIBRARY"));
    let name = named.unwrap_or_else(|| NAME.into()).to_string_lossy().into_owned();
    let c_name = CString::new(name.as_str()).map_err(|_| format!("the path {name:?} holds a NUL"))?;
    // SAFETY: the name is NUL-terminated; the symbols have the types that percale.h declares.
    let table = unsafe {
        let handle = dlopen(c_name.as_ptr(), RTLD_NOW);
        if handle.is_null() {
            return Err(format!("{name} cannot be opened: {}", last_error()));
        }
        Table::read(|symbol| {
            let address = dlsym(handle, symbol.as_ptr().cast());
            if address.is_null() {
                return Err(format!("{name} is too old: it has no {}", symbol.trim_end_matches('\0')));
            }
            Ok(address)
        })?
    };
    let _ = TABLE.set(table);
    Ok(())
}

/// Returns the message of dlerror().
unsafe fn last_error() -> String {
    let text = dlerror();
    if text.is_null() {
        return "no reason given".into();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}
