//! Rows that come one after the other.
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, TryLockError};

use super::columns::{Columns, RawColumns};
use super::{Dataset, Source};
use crate::dtype::{DType, Element};
use crate::engine::Engine;
use crate::error::{check, Code, Error, Failures, Result};
use crate::sys;

/// The result of the function of a stream: the number of rows. `?` converts any error, and so does
/// `"text".into()`.
pub type StreamResult = std::result::Result<usize, Box<dyn std::error::Error + Send + Sync>>;

type StreamFunction = Box<dyn FnMut(&mut Rows<'_>) -> StreamResult + Send>;

struct Stream {
    columns: Columns,
    function: Mutex<StreamFunction>,
    failures: Arc<Failures>,
}

/// The rows that the function of a stream writes; see [`Dataset::stream`].
pub struct Rows<'a> {
    columns: &'a Columns,
    data: *const *mut c_void,
    epoch: i64,
    first: i64,
    max: usize,
}

impl Rows<'_> {
    /// Returns the number of the epoch, from 0.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Returns the number of the first row within the epoch, from 0.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Returns the largest number of rows that may be written, at least 1.
    pub fn max(&self) -> usize {
        self.max
    }

    /// Returns the elements of a column for [`max`](Rows::max) rows, one behind the other. They are
    /// zeros. Fails if the column has another element type.
    pub fn column<T: Element>(&mut self, index: usize) -> Result<&mut [T]> {
        // SAFETY: the memory is that of `max` rows; `&mut self` lends one column at a time.
        unsafe { self.columns.memory(self.data, index, self.max) }
    }
}

impl Stream {
    /// Calls the function, and returns the number of rows that it wrote.
    fn read(&self, rows: &mut Rows<'_>) -> StreamResult {
        let mut function = match self.function.try_lock() {
            Ok(function) => function,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(Code::FailedPrecondition, "another call reads the rows of the stream").into())
            }
        };
        function(rows)
    }
}

unsafe extern "C" fn read_rows(
    user: *mut c_void,
    epoch: i64,
    first_row: i64,
    max_rows: i64,
    columns: *const *mut c_void,
    out_rows: *mut i64,
) -> *mut sys::percale_status {
    let stream = &*user.cast::<Stream>().cast_const();
    stream.failures.call(|| {
        let max = usize::try_from(max_rows)?;
        let mut rows = Rows { columns: &stream.columns, data: columns, epoch, first: first_row, max };
        // The library refuses a number above `max_rows`.
        *out_rows = i64::try_from(stream.read(&mut rows)?).unwrap_or(i64::MAX);
        Ok(())
    })
}

unsafe extern "C" fn drop_stream(user: *mut c_void) {
    let stream = Box::from_raw(user.cast::<Stream>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(stream)));
}

impl Dataset {
    /// Creates a data set of rows that come one after the other and whose number only their end
    /// tells: from a queue, a network, a file that is read once. `columns` has the name, type and
    /// dims of one row of each column.
    ///
    /// The function writes at most [`max`](Rows::max) rows and returns their number; 0 ends the
    /// epoch. [`first`](Rows::first) follows the rows written before, except that an epoch or an
    /// evaluation begins at row 0, a resumed training at its own row, and a call after an error at
    /// the first row of its batch.
    ///
    /// If the function returns an error or panics, the call that requested the rows returns an
    /// error with the same message, whose [`source`](std::error::Error::source) is that error. An
    /// [`Error`] keeps its code, a [`std::io::Error`] becomes `Unavailable`, any other error and a
    /// panic `Aborted`. So does `OutOfRange`.
    ///
    /// A stream cannot be shuffled, and no data set is made from it. The modes `async` and
    /// `bounded` do not train on it.
    ///
    /// ```
    /// use percale::{Dataset, DType, Engine};
    /// let (sender, queue) = std::sync::mpsc::channel::<f32>();
    /// std::thread::spawn(move || (0..5).try_for_each(|i| sender.send(i as f32)));
    ///
    /// let engine = Engine::new()?;
    /// let mut data = Dataset::stream(&engine, &[("x", DType::F32, &[1])], move |rows| {
    ///     match queue.recv() {
    ///         Ok(x) => {
    ///             rows.column::<f32>(0)?[0] = x;
    ///             Ok(1)
    ///         }
    ///         Err(_) => Ok(0), // the sender is gone: the epoch ends
    ///     }
    /// })?;
    /// data.configure(3, None, false)?;
    /// let batches = data.epoch().collect::<percale::Result<Vec<_>>>()?;
    /// assert_eq!(batches[0].get("x").unwrap().as_slice::<f32>()?, [0.0, 1.0, 2.0]);
    /// assert_eq!(batches[1].get("x").unwrap().as_slice::<f32>()?, [3.0, 4.0]);
    /// # Ok::<(), percale::Error>(())
    /// ```
    pub fn stream<F>(engine: &Engine, columns: &[(&str, DType, &[usize])], function: F) -> Result<Dataset>
    where
        F: FnMut(&mut Rows<'_>) -> StreamResult + Send + 'static,
    {
        let raw_columns = RawColumns::new(columns)?;
        let failures = Arc::<Failures>::default();
        let stream = Box::into_raw(Box::new(Stream {
            columns: Columns::new(columns),
            function: Mutex::new(Box::new(function)),
            failures: failures.clone(),
        }))
        .cast();
        let mut raw = std::ptr::null_mut();
        // SAFETY: the arrays have the given lengths. The library owns the stream until it passes it
        // to drop_stream(); on failure it does not call that. The handle is wrapped at once.
        unsafe {
            check(sys::percale_dataset_stream(
                engine.handle.get(),
                raw_columns.names.as_ptr(),
                raw_columns.dtypes.as_ptr(),
                raw_columns.dims.as_ptr(),
                raw_columns.ranks.as_ptr(),
                columns.len(),
                Some(read_rows),
                stream,
                Some(drop_stream),
                &mut raw,
            ))
            .inspect_err(|_| drop_stream(stream))?;
            Ok(Dataset::take(raw, vec![Source::Stream(failures)]))
        }
    }
}
