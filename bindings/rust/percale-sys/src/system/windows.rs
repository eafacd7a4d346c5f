//! Shared libraries of Windows.
use std::ffi::{c_char, c_void};

#[link(name = "kernel32")]
extern "system" {
    fn LoadLibraryW(name: *const u16) -> *mut c_void;
    fn GetProcAddress(library: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// The name by which the system searches for the library.
pub(crate) const NAME: &str = "percale.dll";

/// Opens a library for good.
pub(crate) fn open(name: &str) -> Result<*mut c_void, String> {
    if name.contains('\0') {
        return Err("its path holds a NUL".into());
    }
    let wide: Vec<u16> = name.encode_utf16().chain([0]).collect();
    // SAFETY: the name is NUL-terminated.
    let library = unsafe { LoadLibraryW(wide.as_ptr()) };
    if library.is_null() {
        return Err(std::io::Error::last_os_error().to_string());
    }
    Ok(library)
}

/// Returns the address of a symbol, whose name ends with a NUL; null if there is none.
pub(crate) unsafe fn find(library: *mut c_void, symbol: &str) -> *mut c_void {
    GetProcAddress(library, symbol.as_ptr().cast())
}
