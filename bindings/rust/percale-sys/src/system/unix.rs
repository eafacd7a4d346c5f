//! Shared libraries of Linux and macOS.
use std::ffi::{c_char, c_int, c_void, CStr, CString};

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

const RTLD_NOW: c_int = 2;

/// The name by which the system searches for the library.
pub(crate) const NAME: &str = if cfg!(target_vendor = "apple") { "libpercale.0.dylib" } else { "libpercale.so.0" };

/// Opens a library for good.
pub(crate) fn open(name: &str) -> Result<*mut c_void, String> {
    let name = CString::new(name).map_err(|_| "its path holds a NUL".to_owned())?;
    // SAFETY: the name is NUL-terminated, and so is the text of dlerror().
    unsafe {
        let handle = dlopen(name.as_ptr(), RTLD_NOW);
        if !handle.is_null() {
            return Ok(handle);
        }
        let text = dlerror();
        Err(if text.is_null() { "no reason given".into() } else { CStr::from_ptr(text).to_string_lossy().into_owned() })
    }
}

/// Returns the address of a symbol, whose name ends with a NUL; null if there is none.
pub(crate) unsafe fn find(library: *mut c_void, symbol: &str) -> *mut c_void {
    dlsym(library, symbol.as_ptr().cast())
}
