//! Percale trains and serves deep-learning models inside your program. This crate is built on the C
//! ABI of its shared library.
//!
//! ```
//! use percale::{Builder, Dataset, DType, Engine, Session, Tensor, Trainer, Variables};
//!
//! let engine = Engine::new()?;
//! // y = 2a - 3b + 1, learnt from 64 examples.
//! let mut builder = Builder::new(&engine)?;
//! let x = builder.input("x", DType::F32, &[-1, 2])?;
//! let target = builder.input("target", DType::F32, &[-1, 1])?;
//! let y = builder.layer("Dense").name("y").input(x).set("units", 1).finish()?;
//! let difference = builder.op("Sub").inputs([y, target]).finish()?;
//! let square = builder.op("Mul").inputs([difference, difference]).finish()?;
//! let loss = builder.op("ReduceMean").name("loss").input(square).set("keepdims", 0).finish()?;
//! builder.set_outputs(&[y, loss])?;
//! let graph = builder.finish()?;
//!
//! let inputs: Vec<f32> =
//!     (0..64).flat_map(|i| [(i % 8) as f32 / 8.0, (i / 8) as f32 / 8.0 - 0.5]).collect();
//! let targets = inputs.chunks(2).map(|row| 2.0 * row[0] - 3.0 * row[1] + 1.0).collect();
//! let mut data = Dataset::from_tensors(
//!     &engine,
//!     &[
//!         ("x", &Tensor::from_vec(&[64, 2], inputs)?),
//!         ("target", &Tensor::from_vec(&[64, 1], targets)?),
//!     ],
//! )?;
//! data.configure(64, None, false)?;
//!
//! let variables = Variables::new(&engine, &graph, 1)?;
//! Trainer::builder(&engine, &graph, &variables)
//!     .optimizer(r#"{"name": "adam", "learning_rate": 0.05}"#)
//!     .build()?
//!     .fit(Some(&mut data), 300)?;
//!
//! let session = Session::builder(&engine, &graph).variables(&variables).build()?;
//! let question = Tensor::from_vec(&[1, 2], vec![0.25f32, -0.5])?;
//! let answer = session.run(&[("x", &question)], &["y"])?[0].item::<f32>()?;
//! assert!((answer - 3.0).abs() < 0.1);
//! # Ok::<(), percale::Error>(())
//! ```
//!
//! # Ownership and threads
//! Dropping a value releases its object, in any order: objects that are created with an engine keep
//! what they need. Types are `Send` and `Sync` as `percale.h` says. [`Engine`], [`Tensor`],
//! [`Graph`], [`Variables`], [`Session`], [`Event`], [`Trace`] and [`Server`] may be shared between
//! threads. [`Builder`], [`Call`], [`Dataset`], [`Trainer`] and [`Cluster`] are for one thread at a
//! time. A shared tensor is immutable; a [`TensorMut`] has a single owner, who may write to it.
//!
//! The compiler rejects use after the end:
//! ```compile_fail
//! let engine = percale::Engine::new().unwrap();
//! drop(engine);
//! engine.device_names();
//! ```
//! It rejects sharing a type that must not be shared:
//! ```compile_fail
//! fn shared<T: Sync>() {}
//! shared::<percale::Trainer>();
//! ```
//! It rejects a call in two threads:
//! ```compile_fail
//! fn twice(call: &mut percale::Call) {
//!     std::thread::scope(|scope| {
//!         scope.spawn(|| call.run(&[], &mut []));
//!         scope.spawn(|| call.run(&[], &mut []));
//!     });
//! }
//! ```
//! It rejects dropping a call while another thread runs it:
//! ```compile_fail
//! fn early(mut call: percale::Call) {
//!     std::thread::scope(|scope| {
//!         scope.spawn(|| call.run(&[], &mut []));
//!         drop(call);
//!     });
//! }
//! ```
//! It rejects a second fit of a trainer within the first:
//! ```compile_fail
//! fn twice(trainer: &mut percale::Trainer, data: &mut percale::Dataset) {
//!     let _ = trainer.fit_with(Some(data), 1, |_| {
//!         let _ = trainer.fit(None, 1);
//!         std::ops::ControlFlow::Continue(())
//!     });
//! }
//! ```
//!
//! # Features
//! * `load`: opens the library at run time (`load()`) instead of linking it.
//! * `ndarray`: converts tensors from and to arrays.
//! * `half`: `half::f16` and `half::bf16` as element types.
#![deny(missing_docs)]

use percale_sys as sys;

mod builder;
mod cancel;
mod dataset;
mod dtype;
mod engine;
mod error;
mod event;
mod graph;
mod handle;
mod host;
#[rustfmt::skip]
pub mod ops;
mod options;
mod sequential;
mod server;
mod session;
mod tensor;
mod trainer;
mod variables;

pub use builder::{Attribute, Builder, Node, Value, ValueType};
pub use cancel::CancelToken;
pub use dataset::{Batch, Dataset, Row, RowResult, Rows, StreamResult};
pub use dtype::{DType, Element};
pub use engine::{Cluster, Engine, EngineBuilder, EngineFacts, LogLevel, Trace};
pub use error::{live_statuses, Code, Error, Result};
pub use event::Event;
pub use graph::{DrawingFormat, Graph, GraphFacts};
pub use host::{FileReader, HostResult, Task};
pub use options::{describe_options, OptionValue};
pub use sequential::{Layer, Sequential, SpecValue};
pub use server::Server;
pub use session::{AsyncRequest, Call, PlanFacts, Request, Session, SessionBuilder};
pub use tensor::{Tensor, TensorMut, TensorRef, TensorView};
pub use trainer::{
    Canceller, Collective, CollectiveResult, Evaluation, HistoryFormat, Progress, Trainer, TrainerBuilder,
};
pub use variables::Variables;

/// Opens the library: `path`, or the file that the environment variable `PERCALE_LIBRARY` names, or
/// `libpercale.so.0` on the library path of the system. If it is not called, the first use of the
/// crate opens the library without a path. Returns an error with the code `Unavailable` if the
/// library cannot be opened.
#[cfg(feature = "load")]
pub fn load(path: Option<&std::path::Path>) -> Result<()> {
    sys::load(path).map_err(|why| Error::new(Code::Unavailable, why))
}

/// Called by every function that may be the first to use the library.
#[inline]
pub(crate) fn ensure_loaded() -> Result<()> {
    #[cfg(feature = "load")]
    if !sys::is_loaded() {
        return load(None);
    }
    Ok(())
}

/// Returns the version of the loaded library as "major.minor.patch".
pub fn version() -> Result<String> {
    ensure_loaded()?;
    // SAFETY: static text.
    Ok(unsafe { error::borrowed_text(sys::percale_version()) }.unwrap_or_default())
}

/// Returns the version of the library's ABI: major * 1000 + minor.
pub fn abi_version() -> Result<u32> {
    ensure_loaded()?;
    // SAFETY: no arguments.
    Ok(unsafe { sys::percale_abi_version() })
}

/// Implements `Debug` with the name of the type only, because handles are opaque.
macro_rules! debug {
    ($($name:ident)*) => { $(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )* };
}

debug! { Engine Trace Cluster Server Builder Graph Variables Session Call Event Dataset Trainer CancelToken Canceller }
