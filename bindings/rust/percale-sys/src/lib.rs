//! Raw bindings to `libpercale`: the declarations of `percale.h` under the same names. Programs use
//! the crate `percale` instead.
//!
//! Without features, the library that pkg-config finds is linked. With the feature `load`, nothing
//! is linked: `load()` opens the library at run time and must succeed before any other function is
//! called.
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
            /// Looks up the addresses of all functions with `symbol`. The first missing function is
            /// the error.
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
mod platform;
#[cfg(feature = "load")]
#[cfg_attr(unix, path = "system/unix.rs")]
#[cfg_attr(windows, path = "system/windows.rs")]
mod system;
#[cfg(feature = "load")]
pub use loader::{is_loaded, load};
