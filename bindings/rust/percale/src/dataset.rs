//! Rows in batches.
mod columns;
mod generator;
mod stream;

use std::cell::Cell;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crate::builder::ValueType;
use crate::engine::Engine;
use crate::error::{borrowed_text, check, path_text, take_text};
use crate::error::{Code, Error, Failure, Failures, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::sys;
use crate::tensor::Tensor;

pub use generator::{Row, RowResult};
pub use stream::{Rows, StreamResult};

/// Rows in batches, from tensors, files, ranges, functions or other data sets.
///
/// ```
/// use percale::{Dataset, Engine, Tensor};
/// let engine = Engine::new()?;
/// let x = Tensor::from_vec(&[5, 1], vec![0f32, 1.0, 2.0, 3.0, 4.0])?;
/// let mut data = Dataset::from_tensors(&engine, &[("x", &x)])?;
/// data.configure(2, None, false)?;
/// let sizes = data
///     .epoch()
///     .map(|batch| Ok(batch?.get("x").unwrap().len()))
///     .collect::<percale::Result<Vec<_>>>()?;
/// assert_eq!(sizes, [2, 2, 1]);
/// # Ok::<(), percale::Error>(())
/// ```
pub struct Dataset {
    shared: Arc<Shared>,
    /// `Shared` is Sync, but a data set must only be Send.
    not_sync: PhantomData<Cell<()>>,
}

struct Shared {
    handle: Handle<sys::percale_dataset>,
    names: Arc<[String]>,
    rows: Option<i64>,
    sources: Vec<Source>,
    busy: AtomicBool,
}

// SAFETY: the data set is thread-compatible. Every call of the library needs a `Use`, and only one
// exists at a time.
unsafe impl Sync for Shared {}

/// The right to use a data set until it is dropped. A trainer may also hold it, for its validation.
pub(crate) struct Use(Arc<Shared>);

impl Use {
    pub(crate) fn raw(&self) -> *mut sys::percale_dataset {
        self.0.handle.get()
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}

/// A function that a data set depends on. It supplies the source of an error.
#[derive(Clone)]
enum Source {
    Rows(Arc<Failure>),
    Stream(Arc<Failures>),
}

impl Source {
    fn explain(&self, error: Error) -> Error {
        match self {
            Source::Stream(failures) => failures.explain(error),
            Source::Rows(failed) => match failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
                Some(cause) if error.code() == Code::Aborted && std::error::Error::source(&error).is_none() => {
                    error.because(cause)
                }
                _ => error,
            },
        }
    }
}

/// A batch: one tensor per column.
#[derive(Clone, Debug)]
pub struct Batch {
    names: Arc<[String]>,
    tensors: Vec<Tensor>,
}

impl Batch {
    /// Returns the tensor of a column.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.names.iter().position(|other| other == name).and_then(|index| self.tensors.get(index))
    }

    /// Returns names and tensors in the order of the columns.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.names.iter().map(String::as_str).zip(&self.tensors)
    }

    /// Returns the batch in the form that [`Trainer::step`](crate::Trainer::step) takes.
    pub fn feeds(&self) -> Vec<(&str, &Tensor)> {
        self.iter().collect()
    }
}

impl Dataset {
    /// Takes ownership of the data set that `make` creates from the data sets `of`.
    fn make(
        of: &[&Dataset],
        make: impl FnOnce(*mut *mut sys::percale_dataset) -> *mut sys::percale_status,
    ) -> Result<Dataset> {
        let once = of.iter().enumerate().filter(|(index, set)| !of.iter().take(*index).any(|other| other.is(set)));
        let _uses = once.map(|(_, set)| set.enter()).collect::<Result<Vec<_>>>()?;
        let sources = of.iter().flat_map(|set| set.shared.sources.iter().cloned()).collect();
        let mut raw = std::ptr::null_mut();
        check(make(&mut raw))?;
        // SAFETY: the handle was just created.
        Ok(unsafe { Dataset::take(raw, sources) })
    }

    unsafe fn take(raw: *mut sys::percale_dataset, sources: Vec<Source>) -> Dataset {
        let handle = Handle::new(raw);
        let names = (0..).map_while(|index| borrowed_text(sys::percale_dataset_get_column_name(raw, index))).collect();
        let rows = Some(sys::percale_dataset_rows(raw)).filter(|rows| *rows >= 0);
        let shared = Arc::new(Shared { handle, names, rows, sources, busy: AtomicBool::new(false) });
        Dataset { shared, not_sync: PhantomData }
    }

    /// Must be called only with a `Use`.
    fn raw(&self) -> *mut sys::percale_dataset {
        self.shared.handle.get()
    }

    /// Acquires the right to use the data set. Fails while a trainer uses it for validation.
    pub(crate) fn enter(&self) -> Result<Use> {
        if self.shared.busy.swap(true, Ordering::Acquire) {
            let message = "the data set is in use: in another thread, or for the validation of a fit under way";
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        Ok(Use(self.shared.clone()))
    }

    /// Returns another owner of the same data set, for a trainer.
    pub(crate) fn share(&self) -> Dataset {
        Dataset { shared: self.shared.clone(), not_sync: PhantomData }
    }

    pub(crate) fn is(&self, other: &Dataset) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// Returns the error, with the error of a function as its source if there is one.
    pub(crate) fn explain(&self, error: Error) -> Error {
        self.shared.sources.iter().fold(error, |error, source| source.explain(error))
    }

    /// Creates a data set of rows of tensors, which must have the same first dim. Names become
    /// names of feeds.
    pub fn from_tensors(engine: &Engine, columns: &[(&str, &Tensor)]) -> Result<Dataset> {
        let names = Names::new(columns.iter().map(|(name, _)| name))?;
        let tensors: Vec<_> = columns.iter().map(|(_, tensor)| tensor.as_raw()).collect();
        // SAFETY: the arrays have the given lengths; the tensors are immutable, and the data set
        // keeps them.
        Dataset::make(&[], |out| unsafe {
            sys::percale_dataset_from_tensors(engine.handle.get(), names.as_ptr(), tensors.as_ptr(), tensors.len(), out)
        })
    }

    /// Creates a data set of rows in files: IDX (plain or gzip), `.npy`, `.npz`, `.safetensors`,
    /// `.csv` or `.tsv`. A path `file#name` selects a tensor, or columns of a CSV file. Several
    /// files with the same column name are concatenated. u8 images become f32, multiplied by
    /// `scale` (0 keeps them as u8). Paths are used as given; `PERCALE_DATA` and the cache are
    /// searched only for the data of a SPEC. Files are mapped into memory if possible. Truncating a
    /// file that is in use can end the process, unless the engine option `map_files` is off.
    pub fn from_files<P: AsRef<Path>>(engine: &Engine, columns: &[(&str, P)], scale: f64) -> Result<Dataset> {
        Dataset::from_files_with(engine, columns, scale, "")
    }

    /// Creates a data set like [`Dataset::from_files`], with JSON rules for CSV files: from
    /// [`Dataset::csv_rules`] of another data set, or as in SPEC.md, "CSV files".
    pub fn from_files_with<P: AsRef<Path>>(
        engine: &Engine,
        columns: &[(&str, P)],
        scale: f64,
        csv: &str,
    ) -> Result<Dataset> {
        let rules = std::ffi::CString::new(csv)?;
        let names = Names::new(columns.iter().map(|(name, _)| name))?;
        let paths = columns.iter().map(|(_, path)| path_text(path.as_ref())).collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = paths.iter().map(|path| path.as_ptr()).collect();
        // SAFETY: the arrays have the given lengths; the texts are NUL-terminated.
        Dataset::make(&[], |out| unsafe {
            sys::percale_dataset_from_files(
                engine.handle.get(),
                names.as_ptr(),
                pointers.as_ptr(),
                pointers.len(),
                scale,
                rules.as_ptr(),
                out,
            )
        })
    }

    /// Returns the rules by which the data set reads its CSV files, as JSON: columns, types,
    /// categories and the markers of missing values. Pass them to [`Dataset::from_files_with`] to
    /// read other files the same way. Empty if the data set was not made from CSV files.
    pub fn csv_rules(&self) -> Result<String> {
        // SAFETY: the text is copied and released at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_dataset_csv_rules(self.raw(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Creates a data set of rows with one i64 each: `start`, `start + step`, ... before `stop`.
    pub fn range(engine: &Engine, name: &str, start: i64, stop: i64, step: i64) -> Result<Dataset> {
        let c_name = std::ffi::CString::new(name)?;
        // SAFETY: the name is NUL-terminated; the handle is wrapped at once.
        Dataset::make(&[], |out| unsafe {
            sys::percale_dataset_range(engine.handle.get(), c_name.as_ptr(), start, stop, step, out)
        })
    }

    /// Creates a data set with the columns of several data sets side by side. All must have the
    /// same number of rows, and no two columns the same name.
    pub fn zip(sets: &[&Dataset]) -> Result<Dataset> {
        let handles: Vec<_> = sets.iter().map(|set| set.raw()).collect();
        // SAFETY: the array has the given length.
        Dataset::make(sets, |out| unsafe { sys::percale_dataset_zip(handles.as_ptr(), handles.len(), out) })
    }

    /// Creates a data set of the rows of several data sets with the same columns, one after the
    /// other.
    pub fn concatenate(sets: &[&Dataset]) -> Result<Dataset> {
        let handles: Vec<_> = sets.iter().map(|set| set.raw()).collect();
        // SAFETY: as above.
        Dataset::make(sets, |out| unsafe { sys::percale_dataset_concatenate(handles.as_ptr(), handles.len(), out) })
    }

    /// Creates a data set of the rows of this one, repeated `times` times.
    pub fn repeat(&self, times: i64) -> Result<Dataset> {
        // SAFETY: the handle is wrapped at once.
        Dataset::make(&[self], |out| unsafe { sys::percale_dataset_repeat(self.raw(), times, out) })
    }

    /// Creates a data set with the same rows and new column names, one per column in order.
    pub fn rename<N: AsRef<str>>(&self, names: &[N]) -> Result<Dataset> {
        let names = Names::new(names)?;
        // SAFETY: the array has the given length.
        Dataset::make(&[self], |out| unsafe {
            sys::percale_dataset_rename(self.raw(), names.as_ptr(), names.len(), out)
        })
    }

    /// Creates a data set whose rows have passed through a graph without variables. The inputs of
    /// the graph are columns, by name; its outputs are the new columns.
    pub fn map(&self, graph: &Graph) -> Result<Dataset> {
        // SAFETY: the handle is wrapped at once.
        Dataset::make(&[self], |out| unsafe { sys::percale_dataset_map(self.raw(), graph.handle.get(), out) })
    }

    /// Sets the batch size, a seed for shuffling (`None` keeps the order), and whether a short last
    /// batch is dropped.
    pub fn configure(&mut self, batch_size: usize, shuffle_seed: Option<u32>, drop_remainder: bool) -> Result<()> {
        let batch_size = i64::try_from(batch_size).unwrap_or(i64::MAX);
        let seed = shuffle_seed.map_or(-1, i64::from);
        let set = self.enter()?;
        // SAFETY: the data set is alive and in use by this call only.
        check(unsafe { sys::percale_dataset_configure(set.raw(), batch_size, seed, drop_remainder.into()) })
    }

    /// Splits each batch into parts for this number of replicas. Each part may be used by its own
    /// thread.
    pub fn distribute(&self, replicas: usize) -> Result<Vec<Dataset>> {
        let mut out = vec![std::ptr::null_mut(); replicas];
        let set = self.enter()?;
        // SAFETY: the array has one element per handle; the handles are wrapped at once.
        unsafe {
            check(sys::percale_dataset_distribute(set.raw(), replicas, out.as_mut_ptr()))?;
            Ok(out.into_iter().map(|raw| Dataset::take(raw, self.shared.sources.clone())).collect())
        }
    }

    /// Returns the number of rows, or `None` for a stream. For a part of a distributed data set,
    /// these are the rows that the part yields per epoch.
    pub fn rows(&self) -> Option<i64> {
        self.shared.rows
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> &[String] {
        &self.shared.names
    }

    /// Returns the names and types of the columns, with the dims of one row.
    pub fn column_types(&self) -> Result<Vec<(String, ValueType)>> {
        let set = self.enter()?;
        let read = |index| {
            // SAFETY: the data set is alive and in use by this call only.
            ValueType::read(|dtype, dims, rank| unsafe {
                sys::percale_dataset_column_type(set.raw(), index, dtype, dims, rank)
            })
        };
        self.names().iter().enumerate().map(|(index, name)| Ok((name.clone(), read(index)?))).collect()
    }

    /// Returns the next batch. Returns `None` at the end of the epoch; the call after that starts
    /// the next epoch.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut out = vec![std::ptr::null_mut(); self.names().len()];
        let set = self.enter()?;
        // SAFETY: the array has one element per column; the tensors are wrapped at once.
        let tensors = unsafe {
            match check(sys::percale_dataset_next(set.raw(), out.as_mut_ptr())) {
                Ok(()) => out.into_iter().map(|raw| Tensor::take(raw)).collect(),
                Err(error) if error.code() == Code::OutOfRange => return Ok(None),
                Err(error) => return Err(self.explain(error)),
            }
        };
        Ok(Some(Batch { names: self.shared.names.clone(), tensors }))
    }

    /// Returns an iterator over the remaining batches of this epoch.
    pub fn epoch(&mut self) -> impl Iterator<Item = Result<Batch>> + '_ {
        std::iter::from_fn(|| self.next_batch().transpose())
    }
}
