//! Rows in batches.
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use crate::builder::ValueType;
use crate::dtype::{DType, Element};
use crate::engine::Engine;
use crate::error::{borrowed_text, check, panicked, path_text, take_text};
use crate::error::{Code, Error, Failure, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::sys;
use crate::tensor::{raw_dims, Tensor};

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
    rows: i64,
    sources: Vec<Arc<Failure>>,
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

/// The result of a row function. `?` converts any error, and so does `"text".into()`.
pub type RowResult = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

type RowFunction = Box<dyn Fn(i64, &mut Row<'_>) -> RowResult + Send + Sync>;

struct Generator {
    columns: Vec<(DType, usize)>,
    function: RowFunction,
    failed: Arc<Failure>,
}

/// The row that a row function writes; see [`Dataset::generator`].
pub struct Row<'a> {
    columns: &'a [(DType, usize)],
    data: *const *mut c_void,
}

impl Row<'_> {
    /// Returns the elements of a column, which are zeros. Fails if the column has another element
    /// type.
    pub fn column<T: Element>(&mut self, index: usize) -> Result<&mut [T]> {
        match self.columns.get(index) {
            // SAFETY: the memory holds zeros, is aligned by the library, and has the size of the
            // column's dims; `&mut self` lends one column at a time.
            Some((dtype, count)) if *dtype == T::DTYPE => unsafe {
                Ok(std::slice::from_raw_parts_mut((*self.data.add(index)).cast::<T>(), *count))
            },
            Some((dtype, _)) => Err(Error::new(
                Code::InvalidArgument,
                format!("column {index} has elements of {dtype:?}, not {:?}", T::DTYPE),
            )),
            None => Err(Error::new(Code::OutOfRange, format!("there is no column {index}"))),
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

    unsafe fn take(raw: *mut sys::percale_dataset, sources: Vec<Arc<Failure>>) -> Dataset {
        let handle = Handle::new(raw);
        let names = (0..).map_while(|index| borrowed_text(sys::percale_dataset_get_column_name(raw, index))).collect();
        let rows = sys::percale_dataset_rows(raw);
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

    /// Returns the error, with the error of a row function as its source if there is one.
    pub(crate) fn explain(&self, error: Error) -> Error {
        self.shared.sources.iter().fold(error, |error, failed| {
            let cause = failed.lock().unwrap_or_else(PoisonError::into_inner).take();
            match cause {
                Some(cause) if error.code() == Code::Aborted && std::error::Error::source(&error).is_none() => {
                    error.because(cause)
                }
                _ => error,
            }
        })
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

    /// Creates a data set whose rows a function generates. `columns` has the name, type and dims of
    /// one row of each column. The function writes into columns of zeros. It must write the same
    /// row whenever it is called with the same number. If it returns an error or panics, the call
    /// that requested the row returns an error with the code `Aborted`, whose
    /// [`source`](std::error::Error::source) is that error.
    ///
    /// ```
    /// use percale::{Dataset, DType, Engine};
    /// let engine = Engine::new()?;
    /// let mut data = Dataset::generator(&engine, &[("x", DType::F32, &[2])], 4, |number, row| {
    ///     row.column::<f32>(0)?.fill(number as f32);
    ///     Ok(())
    /// })?;
    /// data.configure(4, None, false)?;
    /// let batch = data.next_batch()?.unwrap();
    /// let x = batch.get("x").unwrap().as_slice::<f32>()?;
    /// assert_eq!(x, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
    /// # Ok::<(), percale::Error>(())
    /// ```
    pub fn generator<F>(engine: &Engine, columns: &[(&str, DType, &[usize])], rows: i64, function: F) -> Result<Dataset>
    where
        F: Fn(i64, &mut Row<'_>) -> RowResult + Send + Sync + 'static,
    {
        unsafe extern "C" fn make_row(user: *mut c_void, row: i64, columns: *const *mut c_void) -> i32 {
            let generator = &*user.cast::<Generator>().cast_const();
            let mut target = Row { columns: &generator.columns, data: columns };
            // A panic must not cross the border.
            let made = catch_unwind(AssertUnwindSafe(|| (generator.function)(row, &mut target)));
            match made.unwrap_or_else(|panic| Err(panicked(&*panic))) {
                Ok(()) => 0,
                Err(error) => {
                    *generator.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.into());
                    1
                }
            }
        }
        unsafe extern "C" fn drop_generator(user: *mut c_void) {
            let generator = Box::from_raw(user.cast::<Generator>());
            let _ = catch_unwind(AssertUnwindSafe(|| drop(generator)));
        }
        let names = Names::new(columns.iter().map(|(name, _, _)| name))?;
        let dtypes: Vec<_> = columns.iter().map(|(_, dtype, _)| *dtype as i32).collect();
        let shapes = columns.iter().map(|(_, _, dims)| raw_dims(dims)).collect::<Result<Vec<_>>>()?;
        let dims: Vec<_> = shapes.iter().map(|shape| shape.as_ptr()).collect();
        let ranks: Vec<_> = shapes.iter().map(Vec::len).collect();
        let failed = Arc::<Failure>::default();
        let generator = Box::into_raw(Box::new(Generator {
            failed: failed.clone(),
            columns: columns.iter().map(|(_, dtype, dims)| (*dtype, dims.iter().product())).collect(),
            function: Box::new(function),
        }))
        .cast();
        let mut raw = std::ptr::null_mut();
        // SAFETY: the arrays have the given lengths. The library owns the generator until it passes
        // it to drop_generator(); on failure it does not call that. The handle is wrapped at once.
        unsafe {
            check(sys::percale_dataset_generator_owned(
                engine.handle.get(),
                names.as_ptr(),
                dtypes.as_ptr(),
                dims.as_ptr(),
                ranks.as_ptr(),
                columns.len(),
                rows,
                Some(make_row),
                generator,
                Some(drop_generator),
                &mut raw,
            ))
            .inspect_err(|_| drop_generator(generator))?;
            Ok(Dataset::take(raw, vec![failed]))
        }
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

    /// Returns the number of rows.
    pub fn rows(&self) -> i64 {
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
