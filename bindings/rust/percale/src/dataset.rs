//! Examples in batches.
use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::builder::ValueType;
use crate::dtype::{DType, Element};
use crate::engine::Engine;
use crate::error::{borrowed_text, check, path_text, take_text, Code, Error, Names, Result};
use crate::graph::Graph;
use crate::handle::Handle;
use crate::sys;
use crate::tensor::{raw_dims, Tensor};

/// Examples in batches: rows of tensors or files, ranges, rows that a function makes, and what is made of such sets.
///
/// ```
/// use percale::{Dataset, Engine, Tensor};
/// let engine = Engine::new()?;
/// let x = Tensor::from_vec(&[5, 1], vec![0f32, 1.0, 2.0, 3.0, 4.0])?;
/// let mut data = Dataset::from_tensors(&engine, &[("x", &x)])?;
/// data.configure(2, None, false)?;
/// let sizes = data.epoch().map(|batch| Ok(batch?.get("x").unwrap().len())).collect::<percale::Result<Vec<_>>>()?;
/// assert_eq!(sizes, [2, 2, 1]);
/// # Ok::<(), percale::Error>(())
/// ```
pub struct Dataset {
    shared: Arc<Shared>,
    /// `Shared` is: a set is no more than Send.
    not_sync: PhantomData<Cell<()>>,
}

struct Shared {
    handle: Handle<sys::percale_dataset>,
    names: Arc<[String]>,
    rows: i64,
    sources: Vec<Arc<Failure>>,
    busy: AtomicBool,
}

// SAFETY: the set is thread-compatible, and whatever calls the library with it has a `Use`, of which there is one at a time.
unsafe impl Sync for Shared {}

/// The right to use a set until it is dropped: a trainer may have it for its validation, too.
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

/// What a function gave last instead of a row, until somebody is told.
type Failure = Mutex<Option<Arc<dyn std::error::Error + Send + Sync>>>;

/// What a function gives that makes rows: `?` takes any error, `"text".into()` is one.
pub type RowResult = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

type RowFunction = Box<dyn Fn(i64, &mut Row<'_>) -> RowResult + Send + Sync>;

struct Generator {
    columns: Vec<(DType, usize)>,
    function: RowFunction,
    failed: Arc<Failure>,
}

/// The words of a panic as an error.
fn panicked(panic: &(dyn Any + Send)) -> Box<dyn std::error::Error + Send + Sync> {
    let words = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", words.unwrap_or("of no text")).into()
}

/// The row of a data set that a function writes; see [`Dataset::generator`].
pub struct Row<'a> {
    columns: &'a [(DType, usize)],
    data: *const *mut c_void,
}

impl Row<'_> {
    /// The elements of a column, which are zeros. An error when the column has elements of another type.
    pub fn column<T: Element>(&mut self, index: usize) -> Result<&mut [T]> {
        match self.columns.get(index) {
            // SAFETY: zeros, aligned by the library, as many as the column's dims say; `&mut self` lends one at a time.
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

/// One batch: a tensor per column.
#[derive(Clone, Debug)]
pub struct Batch {
    names: Arc<[String]>,
    tensors: Vec<Tensor>,
}

impl Batch {
    /// The tensor of a column.
    pub fn get(&self, name: &str) -> Option<&Tensor> {
        self.names.iter().position(|other| other == name).and_then(|index| self.tensors.get(index))
    }

    /// Names and tensors in the order of the columns.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.names.iter().map(String::as_str).zip(&self.tensors)
    }

    /// What [`Trainer::step`](crate::Trainer::step) takes.
    pub fn feeds(&self) -> Vec<(&str, &Tensor)> {
        self.iter().collect()
    }
}

impl Dataset {
    /// Takes over the set that `make` writes, which is made of others.
    fn make(
        of: &[&Dataset],
        make: impl FnOnce(*mut *mut sys::percale_dataset) -> *mut sys::percale_status,
    ) -> Result<Dataset> {
        let once = of.iter().enumerate().filter(|(index, set)| !of.iter().take(*index).any(|other| other.is(set)));
        let _uses = once.map(|(_, set)| set.enter()).collect::<Result<Vec<_>>>()?;
        let sources = of.iter().flat_map(|set| set.shared.sources.iter().cloned()).collect();
        let mut raw = std::ptr::null_mut();
        check(make(&mut raw))?;
        // SAFETY: it was just made.
        Ok(unsafe { Dataset::take(raw, sources) })
    }

    unsafe fn take(raw: *mut sys::percale_dataset, sources: Vec<Arc<Failure>>) -> Dataset {
        let handle = Handle::new(raw);
        let names = (0..).map_while(|index| borrowed_text(sys::percale_dataset_get_column_name(raw, index))).collect();
        let rows = sys::percale_dataset_rows(raw);
        let shared = Arc::new(Shared { handle, names, rows, sources, busy: AtomicBool::new(false) });
        Dataset { shared, not_sync: PhantomData }
    }

    /// For whoever has a `Use`.
    fn raw(&self) -> *mut sys::percale_dataset {
        self.shared.handle.get()
    }

    /// Uses the set; an error while a trainer does that has it for its validation.
    pub(crate) fn enter(&self) -> Result<Use> {
        if self.shared.busy.swap(true, Ordering::Acquire) {
            let message = "the data set is in use: in another thread, or for the validation of a fit under way";
            return Err(Error::new(Code::FailedPrecondition, message));
        }
        Ok(Use(self.shared.clone()))
    }

    /// One more owner of the same set, for a trainer.
    pub(crate) fn share(&self) -> Dataset {
        Dataset { shared: self.shared.clone(), not_sync: PhantomData }
    }

    pub(crate) fn is(&self, other: &Dataset) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// The error with what a function gave instead of a row as its source.
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

    /// Rows of tensors: all have the same first dimension. Names become names of feeds.
    pub fn from_tensors(engine: &Engine, columns: &[(&str, &Tensor)]) -> Result<Dataset> {
        let names = Names::new(columns.iter().map(|(name, _)| name))?;
        let tensors: Vec<_> = columns.iter().map(|(_, tensor)| tensor.as_raw()).collect();
        // SAFETY: arrays as long as is said; tensors that nobody writes to, which the set keeps.
        Dataset::make(&[], |out| unsafe {
            sys::percale_dataset_from_tensors(engine.handle.get(), names.as_ptr(), tensors.as_ptr(), tensors.len(), out)
        })
    }

    /// Rows of files: IDX (plain or gz), `.npy`, `.npz`, `.safetensors`, `.csv` or `.tsv`; `file#name` says which tensor,
    /// or which columns of a CSV file. Rows of files of one name follow each other. Images of u8 become f32, multiplied by
    /// `scale` (0: kept as they are). Paths are taken as they are: `PERCALE_DATA` and the cache are searched for the data of
    /// a SPEC alone.
    pub fn from_files<P: AsRef<Path>>(engine: &Engine, columns: &[(&str, P)], scale: f64) -> Result<Dataset> {
        Dataset::from_files_with(engine, columns, scale, "")
    }

    /// As [`Dataset::from_files`], with rules for CSV files: JSON as SPEC.md says under "CSV files", or what
    /// [`Dataset::csv_rules`] of another set gave.
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
        // SAFETY: arrays as long as is said, of texts that end with NUL.
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

    /// How the set reads its CSV files, as JSON: columns, types, categories, what stands for missing values. With it
    /// [`Dataset::from_files_with`] reads other files alike. Empty for a set of other files.
    pub fn csv_rules(&self) -> Result<String> {
        // SAFETY: the text is taken over at once.
        unsafe {
            let mut text = std::ptr::null_mut();
            check(sys::percale_dataset_csv_rules(self.raw(), &mut text))?;
            Ok(take_text(text))
        }
    }

    /// Rows of one i64 each: `start`, `start + step`, ... before `stop`.
    pub fn range(engine: &Engine, name: &str, start: i64, stop: i64, step: i64) -> Result<Dataset> {
        let c_name = std::ffi::CString::new(name)?;
        // SAFETY: a name that ends with NUL; the handle is taken over at once.
        Dataset::make(&[], |out| unsafe {
            sys::percale_dataset_range(engine.handle.get(), c_name.as_ptr(), start, stop, step, out)
        })
    }

    /// Rows that a function makes, the same row for the same number whenever it is asked for. Per column its name, type, and
    /// the dims of one row. The function writes into columns of zeros. What it fails with, or panics with, ends the call that wanted
    /// the row with the code `Aborted`, and is the [`source`](std::error::Error::source) of that error.
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
    /// assert_eq!(batch.get("x").unwrap().as_slice::<f32>()?, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
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
        // SAFETY: arrays as long as is said. The library has the generator until it gives it to drop_generator(), which it does
        // not when it refuses it. The handle is taken over at once.
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

    /// The columns of several sets side by side: all have the same number of rows, no two columns one name.
    pub fn zip(sets: &[&Dataset]) -> Result<Dataset> {
        let handles: Vec<_> = sets.iter().map(|set| set.raw()).collect();
        // SAFETY: handles as many as is said.
        Dataset::make(sets, |out| unsafe { sys::percale_dataset_zip(handles.as_ptr(), handles.len(), out) })
    }

    /// The rows of several sets with the same columns, one set after the other.
    pub fn concatenate(sets: &[&Dataset]) -> Result<Dataset> {
        let handles: Vec<_> = sets.iter().map(|set| set.raw()).collect();
        // SAFETY: as above.
        Dataset::make(sets, |out| unsafe { sys::percale_dataset_concatenate(handles.as_ptr(), handles.len(), out) })
    }

    /// The rows of this set `times` over.
    pub fn repeat(&self, times: i64) -> Result<Dataset> {
        // SAFETY: the handle is taken over at once.
        Dataset::make(&[self], |out| unsafe { sys::percale_dataset_repeat(self.raw(), times, out) })
    }

    /// The same rows with other names of their columns, one for each, in order.
    pub fn rename<N: AsRef<str>>(&self, names: &[N]) -> Result<Dataset> {
        let names = Names::new(names)?;
        // SAFETY: names as many as is said.
        Dataset::make(&[self], |out| unsafe {
            sys::percale_dataset_rename(self.raw(), names.as_ptr(), names.len(), out)
        })
    }

    /// Rows that went through a graph without variables: its inputs are columns by name, its outputs the new columns.
    pub fn map(&self, graph: &Graph) -> Result<Dataset> {
        // SAFETY: the handle is taken over at once.
        Dataset::make(&[self], |out| unsafe { sys::percale_dataset_map(self.raw(), graph.handle.get(), out) })
    }

    /// Sets how rows come: the size of a batch, a seed for shuffling or none, whether a short last batch is dropped.
    pub fn configure(&mut self, batch_size: usize, shuffle_seed: Option<u32>, drop_remainder: bool) -> Result<()> {
        let batch_size = i64::try_from(batch_size).unwrap_or(i64::MAX);
        let seed = shuffle_seed.map_or(-1, i64::from);
        let set = self.enter()?;
        // SAFETY: a set that lives, and that nobody else uses.
        check(unsafe { sys::percale_dataset_configure(set.raw(), batch_size, seed, drop_remainder.into()) })
    }

    /// The parts of the set for that many replicas, each for a thread of its own.
    pub fn distribute(&self, replicas: usize) -> Result<Vec<Dataset>> {
        let mut out = vec![std::ptr::null_mut(); replicas];
        let set = self.enter()?;
        // SAFETY: room for as many handles, which are taken over at once.
        unsafe {
            check(sys::percale_dataset_distribute(set.raw(), replicas, out.as_mut_ptr()))?;
            Ok(out.into_iter().map(|raw| Dataset::take(raw, self.shared.sources.clone())).collect())
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> i64 {
        self.shared.rows
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.shared.names
    }

    /// Names and types of the columns, dims being those of one row.
    pub fn column_types(&self) -> Result<Vec<(String, ValueType)>> {
        let set = self.enter()?;
        let ask = |index| {
            // SAFETY: a set that lives, and that nobody else uses.
            ValueType::ask(|dtype, dims, rank| unsafe {
                sys::percale_dataset_column_type(set.raw(), index, dtype, dims, rank)
            })
        };
        self.names().iter().enumerate().map(|(index, name)| Ok((name.clone(), ask(index)?))).collect()
    }

    /// The next batch; nothing at the end of the epoch, after which the next epoch begins.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut out = vec![std::ptr::null_mut(); self.names().len()];
        let set = self.enter()?;
        // SAFETY: room for a tensor per column, which are taken over at once.
        let tensors = unsafe {
            match check(sys::percale_dataset_next(set.raw(), out.as_mut_ptr())) {
                Ok(()) => out.into_iter().map(|raw| Tensor::take(raw)).collect(),
                Err(error) if error.code() == Code::OutOfRange => return Ok(None),
                Err(error) => return Err(self.explain(error)),
            }
        };
        Ok(Some(Batch { names: self.shared.names.clone(), tensors }))
    }

    /// The batches of what is left of this epoch.
    pub fn epoch(&mut self) -> impl Iterator<Item = Result<Batch>> + '_ {
        std::iter::from_fn(|| self.next_batch().transpose())
    }
}
