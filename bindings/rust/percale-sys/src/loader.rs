//! Opens the library at run time.
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use crate::platform::other_platform;
use crate::raw::Table;
use crate::system;

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
/// the one on the library path of the system. It is opened once per process; later calls
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
    let name = named.unwrap_or_else(|| system::NAME.into()).to_string_lossy().into_owned();
    let library = system::open(&name).map_err(|why| {
        let other = other_platform(&name);
        format!("{name} cannot be opened: {}", if other.is_empty() { why } else { other })
    })?;
    // SAFETY: the symbols have the types that percale.h declares.
    let table = unsafe {
        Table::read(|symbol| {
            let address = system::find(library, symbol);
            if address.is_null() {
                return Err(format!("{name} is too old: it has no {}", symbol.trim_end_matches('\0')));
            }
            Ok(address)
        })?
    };
    let _ = TABLE.set(table);
    Ok(())
}
