//! Ops and kernels for Percale, as a plug-in written in Rust: a `cdylib` that links nothing of
//! Percale. All that it needs comes in the table that the library hands to it.
//!
//! * [`Op`] is an op: its inputs and outputs, the shapes of its outputs, its gradient.
//! * [`Kernel`] runs an op on one kind of device.
//! * [`plugin!`] exports what a crate has of both.
//! * [`raw`] is `percale_plugin.h` as it stands, for devices and model formats.
//!
//! A panic never crosses into the library: it becomes a status with the code INTERNAL that holds
//! the panic's message, and within a run the run fails at the node. That needs `panic = "unwind"`,
//! which is Cargo's default. What cannot be caught is memory that ran out: Rust's standard library
//! then ends the process, so a kernel allocates when it plans and not when it runs.
//!
//! ```
//! use percale_plugin::{dtype, plugin, Gradient, Kernel, Launch};
//! use percale_plugin::{Node, Op, Plan, Port, Refusal, Shape};
//! use std::ffi::CStr;
//!
//! /// y = x²
//! pub struct Square;
//!
//! impl Op for Square {
//!     const NAME: &'static CStr = c"Square";
//!     const DOC: &'static CStr = c"x squared.";
//!     const INPUTS: &'static [Port] = &[Port::new(c"x", 'T', &[dtype::F32])];
//!     const OUTPUTS: &'static [Port] = &[Port::new(c"y", 'T', &[])];
//!     const HAS_GRADIENT: bool = true;
//!
//!     fn shape(context: &mut Shape) -> Result<(), Refusal> {
//!         context.set_output_like_input(0, 0)
//!     }
//!
//!     fn gradient(context: &mut Gradient) -> Result<(), Refusal> {
//!         let (x, dy) = (context.input(0), context.output_gradient(0));
//!         let two = context.scalar(context.dtype(x), 2.0);
//!         let slope = context.emit("Mul", &[two, x]);
//!         let dx = context.emit("Mul", &[dy, slope]);
//!         context.set_input_gradient(0, dx);
//!         Ok(())
//!     }
//! }
//!
//! pub struct SquareOnCpu;
//!
//! impl Kernel for SquareOnCpu {
//!     const NAME: &'static CStr = c"doc.square";
//!     const DOMAIN: &'static CStr = c"doc";
//!     const OP: &'static CStr = Square::NAME;
//!
//!     fn plan(_: &Node, _: &mut Plan) -> Result<Self, Refusal> {
//!         Ok(Self)
//!     }
//!
//!     fn run(&self, launch: &mut Launch) -> Result<(), Refusal> {
//!         let (x, y) = (launch.input::<f32>(0)?, launch.output::<f32>(0)?);
//!         launch.parallel_chunks(y, 16384, |from, chunk| {
//!             for (y, x) in chunk.iter_mut().zip(&x[from..]) {
//!                 *y = x * x;
//!             }
//!         });
//!         Ok(())
//!     }
//! }
//!
//! plugin! { name: c"doc", version: c"1.0", domain: c"doc", ops: [Square], kernels: [SquareOnCpu] }
//! # fn main() {}
//! ```
#![deny(missing_docs)]

/// `percale_plugin.h` and what of `percale.h` it names, under the same names; written by
/// `bindings/gen`.
#[allow(non_camel_case_types, clippy::type_complexity, clippy::missing_safety_doc)]
#[rustfmt::skip]
pub mod raw;

mod attributes;
mod host;
mod kernel;
mod op;
mod table;

pub use attributes::{AttributeValue, Attributes};
pub use host::{Host, Refusal};
pub use kernel::{Element, Kernel, Launch, Node, Plan};
pub use op::{Attribute, AttributeKind, Gradient, Op, Port, Shape, Value};
#[doc(hidden)]
pub use table::init;
pub use table::Tables;

/// The dtypes of ports and values, by short names.
pub mod dtype {
    use crate::raw::*;

    macro_rules! short {
        ($($short:ident = $long:ident)*) => {
            $(#[doc = concat!("`", stringify!($long), "`.")] pub const $short: percale_dtype = $long;)*
        };
    }
    short! {
        F32 = PERCALE_DTYPE_F32 F64 = PERCALE_DTYPE_F64 F16 = PERCALE_DTYPE_F16 BF16 = PERCALE_DTYPE_BF16
        I8 = PERCALE_DTYPE_I8 I16 = PERCALE_DTYPE_I16 I32 = PERCALE_DTYPE_I32 I64 = PERCALE_DTYPE_I64
        U8 = PERCALE_DTYPE_U8 U16 = PERCALE_DTYPE_U16 U32 = PERCALE_DTYPE_U32 U64 = PERCALE_DTYPE_U64
        BOOL = PERCALE_DTYPE_BOOL
    }
}

/// Exports `percale_plugin_init()` for the ops and kernels that are named: once per crate of type
/// `cdylib`.
#[macro_export]
macro_rules! plugin {
    (name: $name:expr, version: $version:expr, domain: $domain:expr, ops: [$($op:ty),* $(,)?], kernels: [$($kernel:ty),* $(,)?] $(,)?) => {
        /// The entry point, which the library calls when it opens this plug-in.
        ///
        /// # Safety `host` is the library's table, which lives as long as the process, and
        /// `out_plugin` can be written to.
        #[no_mangle]
        pub unsafe extern "C" fn percale_plugin_init(
            host: *const $crate::raw::percale_host_api,
            host_abi: u32,
            _path: *const ::std::ffi::c_char,
            out_plugin: *mut *const $crate::raw::percale_plugin_api,
        ) -> *mut $crate::raw::percale_status {
            static KNOWN: ::std::sync::Mutex<Vec<(usize, usize)>> = ::std::sync::Mutex::new(Vec::new());
            $crate::init(host, host_abi, out_plugin, &KNOWN, |tables| {
                tables.named($name, $version, $domain)$(.op::<$op>())*$(.kernel::<$kernel>())*
            })
        }
    };
}
