//! Attributes of nodes: those that shape functions, gradients and kernels read, and those of the
//! nodes that a gradient adds.
use std::ffi::{c_char, CStr};
use std::marker::PhantomData;
use std::{ptr, slice};

use crate::host::{there, Host};
use crate::raw;

/// The attributes of a node, with the schema's defaults. A getter returns None for an attribute
/// that is absent or has another kind.
#[derive(Clone, Copy)]
pub struct Attributes<'a> {
    host: Host,
    attributes: *const raw::percale_attributes,
    lifetime: PhantomData<&'a ()>,
}

impl<'a> Attributes<'a> {
    pub(crate) fn new(host: Host, attributes: *const raw::percale_attributes) -> Self {
        Self { host, attributes, lifetime: PhantomData }
    }

    /// Returns an attribute of kind Int.
    pub fn int(&self, name: &CStr) -> Option<i64> {
        let mut value = 0;
        let get = there(self.host.attributes().get_int, "get_int");
        (unsafe { get(self.attributes, name.as_ptr(), &mut value) } != 0).then_some(value)
    }

    /// Returns an attribute of kind Float.
    pub fn float(&self, name: &CStr) -> Option<f64> {
        let mut value = 0.0;
        let get = there(self.host.attributes().get_float, "get_float");
        (unsafe { get(self.attributes, name.as_ptr(), &mut value) } != 0).then_some(value)
    }

    /// Returns an attribute of kind Text. A text that is not valid UTF-8 gives None, too.
    pub fn text(&self, name: &CStr) -> Option<&'a str> {
        let (mut text, mut size): (*const c_char, usize) = (ptr::null(), 0);
        let get = there(self.host.attributes().get_string, "get_string");
        unsafe {
            let found = get(self.attributes, name.as_ptr(), &mut text, &mut size) != 0;
            found.then(|| str_of(text, size)).flatten()
        }
    }

    /// Returns an attribute of kind Ints.
    pub fn ints(&self, name: &CStr) -> Option<&'a [i64]> {
        let get = there(self.host.attributes().get_ints, "get_ints");
        let (mut values, mut count): (*const i64, usize) = (ptr::null(), 0);
        unsafe { list_of(get(self.attributes, name.as_ptr(), &mut values, &mut count) != 0, values, count) }
    }

    /// Returns an attribute of kind Floats.
    pub fn floats(&self, name: &CStr) -> Option<&'a [f64]> {
        let get = there(self.host.attributes().get_floats, "get_floats");
        let (mut values, mut count): (*const f64, usize) = (ptr::null(), 0);
        unsafe { list_of(get(self.attributes, name.as_ptr(), &mut values, &mut count) != 0, values, count) }
    }

    /// Returns one text of an attribute of kind Texts, or None past the end.
    pub fn text_at(&self, name: &CStr, index: usize) -> Option<&'a str> {
        let get = there(self.host.attributes().get_string_at, "get_string_at");
        let mut size = 0;
        unsafe {
            let text = get(self.attributes, name.as_ptr(), index, &mut size);
            (!text.is_null()).then(|| str_of(text, size)).flatten()
        }
    }
}

/// Returns bytes as a str, or None if they are not valid UTF-8.
///
/// # Safety
/// `text` has `size` bytes, which live as long as 'a.
unsafe fn str_of<'a>(text: *const c_char, size: usize) -> Option<&'a str> {
    std::str::from_utf8(slice::from_raw_parts(text.cast(), size)).ok()
}

/// Returns an array of the library as a slice, or None if it was not found. `values` may be NULL if
/// there are no elements.
///
/// # Safety
/// If `found`, `values` has `count` elements, which live as long as 'a.
pub(crate) unsafe fn list_of<'a, T>(found: bool, values: *const T, count: usize) -> Option<&'a [T]> {
    found.then(|| if count == 0 { &[][..] } else { slice::from_raw_parts(values, count) })
}

/// The value of an attribute that a gradient gives to a node.
#[derive(Clone, Copy, Debug)]
pub enum AttributeValue<'a> {
    /// A number.
    Float(f64),
    /// A whole number.
    Int(i64),
    /// Text.
    Text(&'a str),
    /// Numbers.
    Floats(&'a [f64]),
    /// Whole numbers.
    Ints(&'a [i64]),
}

impl AttributeValue<'_> {
    /// Returns the attribute for the library. It borrows the name and the value.
    pub(crate) fn to_raw(self, name: &CStr) -> raw::percale_attribute {
        let mut out = raw::percale_attribute {
            name: name.as_ptr(),
            kind: 0,
            f: 0.0,
            i: 0,
            text: ptr::null(),
            text_size: 0,
            floats: ptr::null(),
            ints: ptr::null(),
            strings: ptr::null(),
            count: 0,
            dtype: 0,
            dims: ptr::null(),
            rank: 0,
            data: ptr::null(),
            bytes: 0,
        };
        match self {
            Self::Float(value) => (out.kind, out.f) = (raw::PERCALE_ATTRIBUTE_FLOAT, value),
            Self::Int(value) => (out.kind, out.i) = (raw::PERCALE_ATTRIBUTE_INT, value),
            Self::Text(value) => {
                (out.kind, out.text, out.text_size) =
                    (raw::PERCALE_ATTRIBUTE_STRING, value.as_ptr().cast(), value.len());
            }
            Self::Floats(values) => {
                (out.kind, out.floats, out.count) = (raw::PERCALE_ATTRIBUTE_FLOATS, values.as_ptr(), values.len());
            }
            Self::Ints(values) => {
                (out.kind, out.ints, out.count) = (raw::PERCALE_ATTRIBUTE_INTS, values.as_ptr(), values.len());
            }
        }
        out
    }
}
