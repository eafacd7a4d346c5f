//! The columns of rows that functions write.
use std::ffi::c_void;

use crate::dtype::{DType, Element};
use crate::error::{Code, Error, Names, Result};
use crate::sys;
use crate::tensor::raw_dims;

/// The element type of each column, and the number of elements of one row.
pub(super) struct Columns(Vec<(DType, usize)>);

impl Columns {
    pub(super) fn new(columns: &[(&str, DType, &[usize])]) -> Columns {
        Columns(columns.iter().map(|(_, dtype, dims)| (*dtype, dims.iter().product())).collect())
    }

    /// Returns the elements of some rows of a column. Fails if it has another element type.
    ///
    /// # Safety
    /// `data` points to the memory of each column, which has room for the rows.
    pub(super) unsafe fn memory<'a, T: Element>(
        &self,
        data: *const *mut c_void,
        index: usize,
        rows: usize,
    ) -> Result<&'a mut [T]> {
        match self.0.get(index) {
            // Memory without elements may be null.
            Some((dtype, 0)) if *dtype == T::DTYPE => Ok(&mut []),
            // The library aligns the memory, and it holds zeros.
            Some((dtype, count)) if *dtype == T::DTYPE => {
                Ok(std::slice::from_raw_parts_mut((*data.add(index)).cast::<T>(), *count * rows))
            }
            Some((dtype, _)) => Err(Error::new(
                Code::InvalidArgument,
                format!("column {index} has elements of {dtype:?}, not {:?}", T::DTYPE),
            )),
            None => Err(Error::new(Code::OutOfRange, format!("there is no column {index}"))),
        }
    }
}

/// Columns in the form that the library takes.
pub(super) struct RawColumns {
    pub(super) names: Names,
    pub(super) dtypes: Vec<sys::percale_dtype>,
    pub(super) dims: Vec<*const i64>,
    pub(super) ranks: Vec<usize>,
    _shapes: Vec<Vec<i64>>,
}

impl RawColumns {
    pub(super) fn new(columns: &[(&str, DType, &[usize])]) -> Result<RawColumns> {
        let shapes = columns.iter().map(|(_, _, dims)| raw_dims(dims)).collect::<Result<Vec<_>>>()?;
        Ok(RawColumns {
            names: Names::new(columns.iter().map(|(name, _, _)| name))?,
            dtypes: columns.iter().map(|(_, dtype, _)| *dtype as i32).collect(),
            dims: shapes.iter().map(|shape| shape.as_ptr()).collect(),
            ranks: shapes.iter().map(Vec::len).collect(),
            _shapes: shapes,
        })
    }
}
