//! Tensors: shared ones that nobody writes to, and own ones that their owner writes to.
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::dtype::{DType, Element};
use crate::engine::Engine;
use crate::error::{check, path_text, Code, Error, Result};
use crate::handle::Handle;
use crate::sys;

#[cfg(not(target_pointer_width = "64"))]
compile_error!("percale needs 64-bit pointers");

/// What all tensors can do. `&Tensor`, `&TensorMut` and `&TensorView` are all `&TensorRef` where one is wanted.
///
/// It stands for the library's own object; there are only references to it.
#[repr(transparent)]
pub struct TensorRef {
    raw: sys::percale_tensor,
}

// SAFETY: percale.h: thread-safe as a handle; writing to the memory takes `&mut`, which one thread alone has.
unsafe impl Send for TensorRef {}
unsafe impl Sync for TensorRef {}

impl TensorRef {
    pub(crate) unsafe fn from_raw<'a>(raw: *const sys::percale_tensor) -> &'a TensorRef {
        &*raw.cast()
    }

    #[inline]
    pub(crate) fn as_raw(&self) -> *mut sys::percale_tensor {
        std::ptr::from_ref(&self.raw).cast_mut()
    }

    /// The library's own tensor, for the raw layer; borrowed.
    #[doc(hidden)]
    pub fn raw(&self) -> *mut sys::percale_tensor {
        self.as_raw()
    }

    /// The type of the elements.
    pub fn dtype(&self) -> DType {
        // SAFETY: a tensor that lives.
        DType::from_raw(unsafe { sys::percale_tensor_dtype(self.as_raw()) }).unwrap_or(DType::String)
    }

    /// The sizes of the dimensions; empty for a scalar.
    pub fn dims(&self) -> &[usize] {
        // SAFETY: dims are never NULL, and not below 0: an i64 and a usize of 64 bits have the same bits then.
        unsafe {
            let rank = sys::percale_tensor_rank(self.as_raw());
            std::slice::from_raw_parts(sys::percale_tensor_get_dims(self.as_raw()).cast(), rank)
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        // SAFETY: a tensor that lives.
        usize::try_from(unsafe { sys::percale_tensor_element_count(self.as_raw()) }).unwrap_or(0)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the elements, row-major.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: memory of that size, never NULL, which nobody writes to while it is borrowed.
        unsafe {
            let size = sys::percale_tensor_bytes(self.as_raw());
            std::slice::from_raw_parts(sys::percale_tensor_get_data(self.as_raw()).cast(), size)
        }
    }

    /// The elements, row-major, without a copy. An error when they are of another type.
    ///
    /// ```
    /// use percale::{Code, Tensor};
    /// let tensor = Tensor::from_vec(&[2, 2], vec![1i32, 2, 3, 4])?;
    /// assert_eq!(tensor.as_slice::<i32>()?, [1, 2, 3, 4]);
    /// assert_eq!(tensor.as_slice::<f32>().unwrap_err().code(), Code::InvalidArgument);
    /// # Ok::<(), percale::Error>(())
    /// ```
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let data = self.typed::<T>()?;
        // SAFETY: as many elements of that type, aligned; nobody writes to them while they are borrowed.
        Ok(unsafe { std::slice::from_raw_parts(data, self.len()) })
    }

    /// A copy of the elements.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.as_slice().map(<[T]>::to_vec)
    }

    /// The one element of a tensor that has one.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [item] => Ok(*item),
            _ => Err(Error::new(
                Code::InvalidArgument,
                format!("item() wants one element; the tensor is {:?} {:?}", self.dtype(), self.dims()),
            )),
        }
    }

    /// Writes a NumPy `.npy` file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL.
        check(unsafe { sys::percale_tensor_save(self.as_raw(), path.as_ptr()) })
    }

    /// The address of the elements, when they are of that type.
    fn typed<T: Element>(&self) -> Result<*mut T> {
        if self.dtype() != T::DTYPE {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("the elements are {:?}, not {:?} (shape {:?})", self.dtype(), T::DTYPE, self.dims()),
            ));
        }
        // SAFETY: a tensor that lives.
        let data = unsafe { sys::percale_tensor_get_data(self.as_raw()) }.cast::<T>();
        if data.align_offset(std::mem::align_of::<T>()) != 0 || !T::are_valid(self.as_bytes()) {
            return Err(Error::new(Code::DataLoss, format!("the memory does not hold elements of {:?}", T::DTYPE)));
        }
        Ok(data)
    }
}

impl fmt::Debug for TensorRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor {:?} {:?}", self.dtype(), self.dims())
    }
}

/// Dims as the library takes them.
pub(crate) fn raw_dims(dims: &[usize]) -> Result<Vec<i64>> {
    let too_large = |dim: &usize| Error::new(Code::OutOfRange, format!("a dimension of {dim}"));
    dims.iter().map(|dim| i64::try_from(*dim).map_err(|_| too_large(dim))).collect()
}

/// A tensor that nobody writes to any more. Cheap to clone: clones share the memory.
///
/// ```
/// let tensor = percale::Tensor::from_vec(&[2, 3], vec![0f32; 6])?; // takes the vector over, without a copy
/// assert_eq!(tensor.dims(), [2, 3]);
/// # Ok::<(), percale::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    handle: Handle<sys::percale_tensor>,
}

impl Tensor {
    pub(crate) unsafe fn take(raw: *mut sys::percale_tensor) -> Tensor {
        Tensor { handle: Handle::new(raw) }
    }

    /// A tensor over the memory of a vector, which it takes over without a copy.
    pub fn from_vec<T: Element>(dims: &[usize], elements: Vec<T>) -> Result<Tensor> {
        Tensor::from_owner(dims, elements)
    }

    /// A tensor with a copy of these elements.
    pub fn from_slice<T: Element>(dims: &[usize], elements: &[T]) -> Result<Tensor> {
        Tensor::from_vec(dims, elements.to_vec())
    }

    /// A tensor of one element without dimensions.
    pub fn scalar<T: Element>(element: T) -> Result<Tensor> {
        Tensor::from_vec(&[], vec![element])
    }

    /// A tensor over the memory of whatever owns elements; the owner is dropped with the last user of the tensor.
    ///
    /// ```
    /// use std::sync::Arc;
    /// let elements: Arc<[f32]> = vec![1.0, 2.0].into();
    /// let tensor = percale::Tensor::from_owner(&[2], elements.clone())?;
    /// assert_eq!(Arc::strong_count(&elements), 2);
    /// drop(tensor);
    /// assert_eq!(Arc::strong_count(&elements), 1);
    /// # Ok::<(), percale::Error>(())
    /// ```
    pub fn from_owner<T, O>(dims: &[usize], owner: O) -> Result<Tensor>
    where
        T: Element,
        O: Deref<Target = [T]> + Send + Sync + 'static,
    {
        unsafe extern "C" fn drop_owner<O>(user: *mut c_void, _data: *mut c_void) {
            let owner = Box::from_raw(user.cast::<O>());
            // A panic must not cross the border.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(owner)));
        }
        let owner = Box::new(owner);
        // The box is the last to move: the elements may stand in it.
        let elements: &[T] = &owner;
        let (data, count) = (elements.as_ptr().cast_mut(), elements.len());
        let user = Box::into_raw(owner);
        // SAFETY: the memory lives, unchanged, until the deleter is called, which is once; not when this fails.
        unsafe {
            let made = Tensor::over(dims, data, count, Some(drop_owner::<O>), user.cast());
            if made.is_err() {
                drop(Box::from_raw(user));
            }
            made
        }
    }

    /// A tensor over memory of the caller's. The memory must live, unchanged, until `deleter` is called.
    unsafe fn over<T: Element>(
        dims: &[usize],
        data: *mut T,
        count: usize,
        deleter: sys::percale_deleter,
        user: *mut c_void,
    ) -> Result<Tensor> {
        crate::ensure_loaded()?;
        let wanted = dims.iter().try_fold(1usize, |product, dim| product.checked_mul(*dim));
        if wanted != Some(count) {
            return Err(Error::new(Code::InvalidArgument, format!("{count} elements do not make the shape {dims:?}")));
        }
        let dims = raw_dims(dims)?;
        let bytes = count * std::mem::size_of::<T>();
        let mut raw = std::ptr::null_mut();
        check(sys::percale_tensor_from_memory(
            T::DTYPE as i32,
            dims.as_ptr(),
            dims.len(),
            data.cast(),
            bytes,
            deleter,
            user,
            &mut raw,
        ))?;
        Ok(Tensor::take(raw))
    }

    /// Reads a NumPy `.npy` file.
    pub fn load(engine: &Engine, path: impl AsRef<Path>) -> Result<Tensor> {
        let path = path_text(path.as_ref())?;
        // SAFETY: a path that ends with NUL; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_tensor_load(engine.handle.get(), path.as_ptr(), &mut raw))?;
            Ok(Tensor::take(raw))
        }
    }

    /// A tensor from the bytes of a foreign format (`onnx`: a TensorProto) through an importer plug-in.
    pub fn import(engine: &Engine, format: &str, bytes: &[u8]) -> Result<Tensor> {
        let format = std::ffi::CString::new(format)?;
        // SAFETY: bytes that live through the call; the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            let (data, size) = (bytes.as_ptr().cast(), bytes.len());
            check(sys::percale_tensor_import(engine.handle.get(), format.as_ptr(), data, size, &mut raw))?;
            Ok(Tensor::take(raw))
        }
    }

    /// A `DLManagedTensorVersioned*` of DLPack over the tensor's memory, which it keeps alive. Whoever takes it must not write.
    pub fn to_dlpack(&self) -> Result<*mut c_void> {
        let mut managed = std::ptr::null_mut();
        // SAFETY: a place to write to.
        check(unsafe { sys::percale_tensor_to_dlpack(self.handle.get(), &mut managed) })?;
        Ok(managed)
    }

    /// Takes a `DLManagedTensorVersioned*` over; on an error the caller keeps it.
    ///
    /// # Safety
    /// It must be a valid one whose memory nobody writes to any more, and which may be ended on any thread.
    pub unsafe fn from_dlpack(managed: *mut c_void) -> Result<Tensor> {
        crate::ensure_loaded()?;
        let mut raw = std::ptr::null_mut();
        check(sys::percale_tensor_from_dlpack(managed, &mut raw))?;
        Ok(Tensor::take(raw))
    }

    /// A tensor over the memory of an array in standard layout, without a copy; of another layout with one.
    #[cfg(feature = "ndarray")]
    pub fn from_ndarray<T: Element, D: ndarray::Dimension>(array: ndarray::Array<T, D>) -> Result<Tensor> {
        let dims = array.shape().to_vec();
        let array = if array.is_standard_layout() { array } else { array.as_standard_layout().into_owned() };
        let (mut elements, offset) = array.into_raw_vec_and_offset();
        if let Some(offset) = offset {
            elements.drain(..offset);
        }
        elements.truncate(dims.iter().product());
        Tensor::from_vec(&dims, elements)
    }
}

impl Deref for Tensor {
    type Target = TensorRef;

    #[inline]
    fn deref(&self) -> &TensorRef {
        // SAFETY: the tensor lives as long as `self`.
        unsafe { TensorRef::from_raw(self.handle.get()) }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(feature = "ndarray")]
impl TensorRef {
    /// The elements as an array, without a copy.
    pub fn as_ndarray<T: Element>(&self) -> Result<ndarray::ArrayViewD<'_, T>> {
        ndarray::ArrayViewD::from_shape(self.dims(), self.as_slice()?)
            .map_err(|error| Error::new(Code::Internal, error.to_string()))
    }
}

/// A tensor in the engine's memory that has one owner, who may write to it. What [`Call::run`](crate::Call::run) writes into.
pub struct TensorMut {
    tensor: Tensor,
}

impl TensorMut {
    /// A tensor filled with zeros, aligned to 64 bytes.
    pub fn zeros(engine: &Engine, dtype: DType, dims: &[usize]) -> Result<TensorMut> {
        let dims = raw_dims(dims)?;
        // SAFETY: the handle is taken over at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_tensor_create(engine.handle.get(), dtype as i32, dims.as_ptr(), dims.len(), &mut raw))?;
            Ok(TensorMut { tensor: Tensor::take(raw) })
        }
    }

    /// Ends the writing: from now on the tensor may be shared.
    pub fn freeze(self) -> Tensor {
        self.tensor
    }
}

impl Deref for TensorMut {
    type Target = TensorRef;

    #[inline]
    fn deref(&self) -> &TensorRef {
        &self.tensor
    }
}

impl DerefMut for TensorMut {
    #[inline]
    fn deref_mut(&mut self) -> &mut TensorRef {
        // SAFETY: nobody else has a reference to this tensor.
        unsafe { &mut *self.tensor.handle.get().cast() }
    }
}

impl TensorRef {
    /// The elements, to be written to. Only the owner of a [`TensorMut`] gets here.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let data = self.typed::<T>()?;
        let count = self.len();
        // SAFETY: as many elements of that type, aligned; `&mut` says that nobody else has them.
        Ok(unsafe { std::slice::from_raw_parts_mut(data, count) })
    }

    /// The bytes of the elements, to be written to, as [`TensorRef::as_mut_slice`].
    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: memory of that size, never NULL; `&mut` says that nobody else has it.
        unsafe {
            let size = sys::percale_tensor_bytes(self.as_raw());
            std::slice::from_raw_parts_mut(sys::percale_tensor_get_data(self.as_raw()).cast(), size)
        }
    }
}

impl fmt::Debug for TensorMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// A tensor over a slice that it borrows, for runs that end before the borrow does.
///
/// ```
/// let row = [1f32, 2.0];
/// let view = percale::TensorView::new(&[1, 2], &row)?;
/// assert_eq!(view.as_slice::<f32>()?, row);
/// # Ok::<(), percale::Error>(())
/// ```
///
/// It does not outlive the slice:
/// ```compile_fail
/// let view = {
///     let row = [1f32, 2.0];
///     percale::TensorView::new(&[1, 2], &row).unwrap()
/// };
/// view.len();
/// ```
pub struct TensorView<'a> {
    tensor: Tensor,
    _elements: PhantomData<&'a ()>,
}

impl<'a> TensorView<'a> {
    /// A tensor over these elements, without a copy.
    pub fn new<T: Element>(dims: &[usize], elements: &'a [T]) -> Result<TensorView<'a>> {
        // SAFETY: the memory outlives the view; a view cannot be cloned, and what takes `&TensorRef` keeps none.
        let tensor =
            unsafe { Tensor::over(dims, elements.as_ptr().cast_mut(), elements.len(), None, std::ptr::null_mut())? };
        Ok(TensorView { tensor, _elements: PhantomData })
    }
}

impl Deref for TensorView<'_> {
    type Target = TensorRef;

    #[inline]
    fn deref(&self) -> &TensorRef {
        &self.tensor
    }
}

impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
