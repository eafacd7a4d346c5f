//! Raw bindings to `libpercale`: exactly what `percale.h` declares, under the same names. The crate `percale` is what
//! programs use.
//!
//! Without features the library is linked, as pkg-config finds it. With the feature `load` nothing is linked: `load()`
//! opens the library at run time, and has to succeed before any function is called.
#![allow(non_camel_case_types, clippy::missing_safety_doc, clippy::too_many_arguments, clippy::type_complexity)]
#![deny(missing_docs)]

#[cfg(not(feature = "load"))]
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        extern "C" {
            $($(#[$doc])* pub fn $name($($argument: $type),*) $(-> $result)?;)*
        }
    };
}

#[cfg(feature = "load")]
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        pub(crate) struct Table {
            $($name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl Table {
            /// The addresses of all functions, as `symbol` finds them; the first that is missing is the error.
            pub(crate) unsafe fn read(
                symbol: impl Fn(&str) -> Result<*mut c_void, String>,
            ) -> Result<Self, String> {
                Ok(Self {
                    $($name: std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) $(-> $result)?>(
                        symbol(concat!(stringify!($name), "\0"))?,
                    ),)*
                })
            }
        }

        $($(#[$doc])*
        #[inline]
        pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
            (crate::loader::table().$name)($($argument),*)
        })*
    };
}

#[rustfmt::skip]
mod raw;
pub use raw::*;

#[cfg(feature = "load")]
mod loader;
#[cfg(feature = "load")]
pub use loader::{is_loaded, load};
