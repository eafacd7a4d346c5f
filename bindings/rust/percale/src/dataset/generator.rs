//! Rows that a function writes by their number.
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, PoisonError};

use super::columns::{Columns, RawColumns};
use super::{Dataset, Source};
use crate::dtype::{DType, Element};
use crate::engine::Engine;
use crate::error::{check, panicked, Failure, Result};
use crate::sys;

/// The result of a row function. `?` converts any error, and so does `"text".into()`.
pub type RowResult = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

type RowFunction = Box<dyn Fn(i64, &mut Row<'_>) -> RowResult + Send + Sync>;

struct Generator {
    columns: Columns,
    function: RowFunction,
    failed: Arc<Failure>,
}

/// The row that a row function writes; see [`Dataset::generator`].
pub struct Row<'a> {
    columns: &'a Columns,
    data: *const *mut c_void,
}

impl Row<'_> {
    /// Returns the elements of a column, which are zeros. Fails if the column has another element
    /// type.
    pub fn column<T: Element>(&mut self, index: usize) -> Result<&mut [T]> {
        // SAFETY: the memory is that of one row; `&mut self` lends one column at a time.
        unsafe { self.columns.memory(self.data, index, 1) }
    }
}

impl Dataset {
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
        let raw_columns = RawColumns::new(columns)?;
        let failed = Arc::<Failure>::default();
        let generator = Box::into_raw(Box::new(Generator {
            columns: Columns::new(columns),
            function: Box::new(function),
            failed: failed.clone(),
        }))
        .cast();
        let mut raw = std::ptr::null_mut();
        // SAFETY: the arrays have the given lengths. The library owns the generator until it passes
        // it to drop_generator(); on failure it does not call that. The handle is wrapped at once.
        unsafe {
            check(sys::percale_dataset_generator_owned(
                engine.handle.get(),
                raw_columns.names.as_ptr(),
                raw_columns.dtypes.as_ptr(),
                raw_columns.dims.as_ptr(),
                raw_columns.ranks.as_ptr(),
                columns.len(),
                rows,
                Some(make_row),
                generator,
                Some(drop_generator),
                &mut raw,
            ))
            .inspect_err(|_| drop_generator(generator))?;
            Ok(Dataset::take(raw, vec![Source::Rows(failed)]))
        }
    }
}
