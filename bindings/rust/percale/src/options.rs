//! Options by name. Builders of engines, sessions and trainers collect them; the library checks
//! names and values.
use std::ffi::{CStr, CString};

use crate::error::{check, take_text, Result};
use crate::handle::Handle;
use crate::sys;

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// Text, which the library converts to the type of the option.
    Text(String),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// On or off.
    Switch(bool),
}

impl From<&str> for OptionValue {
    fn from(value: &str) -> Self {
        OptionValue::Text(value.into())
    }
}

impl From<String> for OptionValue {
    fn from(value: String) -> Self {
        OptionValue::Text(value)
    }
}

impl From<bool> for OptionValue {
    /// Converts to a switch.
    fn from(value: bool) -> Self {
        OptionValue::Switch(value)
    }
}

impl From<i64> for OptionValue {
    fn from(value: i64) -> Self {
        OptionValue::Int(value)
    }
}

impl From<i32> for OptionValue {
    fn from(value: i32) -> Self {
        OptionValue::Int(value.into())
    }
}

impl From<f64> for OptionValue {
    fn from(value: f64) -> Self {
        OptionValue::Float(value)
    }
}

/// The options that a builder has collected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings(Vec<(String, OptionValue)>);

impl Settings {
    pub(crate) fn set(&mut self, key: &str, value: impl Into<OptionValue>) {
        self.0.push((key.into(), value.into()));
    }

    /// Returns options of a kind. `None` means that none is set, so the defaults apply.
    pub(crate) fn make(&self, kind: &str) -> Result<Option<Handle<sys::percale_options>>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        self.make_always(kind).map(Some)
    }

    /// Returns options of a kind, even if none is set.
    pub(crate) fn make_always(&self, kind: &str) -> Result<Handle<sys::percale_options>> {
        let kind = CString::new(kind)?;
        // SAFETY: the texts are NUL-terminated and outlive the calls; the handle is wrapped at
        // once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_options_create(kind.as_ptr(), &mut raw))?;
            let options = Handle::new(raw);
            for (key, value) in &self.0 {
                let key = CString::new(key.as_str())?;
                let text = |value: &'static CStr| sys::percale_options_set(options.get(), key.as_ptr(), value.as_ptr());
                check(match value {
                    // For an option that is not a switch, the error message shall contain the value
                    // that the caller wrote.
                    OptionValue::Switch(on) => {
                        let first = check(text(if *on { c"on" } else { c"off" }));
                        if first.is_ok() {
                            continue;
                        }
                        text(if *on { c"true" } else { c"false" })
                    }
                    OptionValue::Text(text) => {
                        let text = CString::new(text.as_str())?;
                        sys::percale_options_set(options.get(), key.as_ptr(), text.as_ptr())
                    }
                    OptionValue::Int(number) => sys::percale_options_set_int(options.get(), key.as_ptr(), *number),
                    OptionValue::Float(number) => sys::percale_options_set_float(options.get(), key.as_ptr(), *number),
                })?;
            }
            Ok(options)
        }
    }
}

/// Returns the pointer for the library: NULL for the defaults.
pub(crate) fn raw(options: &Option<Handle<sys::percale_options>>) -> *const sys::percale_options {
    options.as_ref().map_or(std::ptr::null(), |options| options.get().cast_const())
}

/// Returns all options of all kinds as JSON: `[{"kind","key","type","default","doc"}]`.
pub fn describe_options() -> Result<String> {
    crate::ensure_loaded()?;
    // SAFETY: the text is copied and released at once.
    unsafe {
        let mut text = std::ptr::null_mut();
        check(sys::percale_options_describe(&mut text))?;
        Ok(take_text(text))
    }
}
