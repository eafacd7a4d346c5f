//! Tensors: immutable shared ones, and exclusive ones that their owner may write to.
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

/// The methods of all tensors. `&Tensor`, `&TensorMut` and `&TensorView` convert to `&TensorRef`.
///
/// It stands for the object of the library, so it exists only as a reference.
#[repr(transparent)]
pub struct TensorRef {
    raw: sys::percale_tensor,
}

// SAFETY: percale.h says thread-safe; writing to the memory takes `&mut`, which is exclusive.
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

    /// Returns the library's tensor, borrowed, for use with the raw functions.
    #[doc(hidden)]
    pub fn raw(&self) -> *mut sys::percale_tensor {
        self.as_raw()
    }

    /// Returns the type of the elements.
    pub fn dtype(&self) -> DType {
        // SAFETY: the tensor is alive.
        DType::from_raw(unsafe { sys::percale_tensor_dtype(self.as_raw()) }).unwrap_or(DType::String)
    }

    /// Returns the dims, which are empty for a scalar.
    pub fn dims(&self) -> &[usize] {
        // SAFETY: the dims are never NULL and not negative, so a 64-bit usize has the same bits.
        unsafe {
            let rank = sys::percale_tensor_rank(self.as_raw());
            std::slice::from_raw_parts(sys::percale_tensor_get_dims(self.as_raw()).cast(), rank)
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        // SAFETY: the tensor is alive.
        usize::try_from(unsafe { sys::percale_tensor_element_count(self.as_raw()) }).unwrap_or(0)
    }

    /// Returns true if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of the elements, row-major.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: the memory has that size, is never NULL, and is not written to while it is
        // borrowed.
        unsafe {
            let size = sys::percale_tensor_bytes(self.as_raw());
            std::slice::from_raw_parts(sys::percale_tensor_get_data(self.as_raw()).cast(), size)
        }
    }

    /// Returns the elements, row-major, without a copy. Fails if they have another type.
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
        // SAFETY: the memory holds that many aligned elements of the type, and is not written to
        // while it is borrowed.
        Ok(unsafe { std::slice::from_raw_parts(data, self.len()) })
    }

    /// Returns a copy of the elements.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.as_slice().map(<[T]>::to_vec)
    }

    /// Returns the only element of a tensor with one element.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [item] => Ok(*item),
            _ => Err(Error::new(
                Code::InvalidArgument,
                format!("item(): the tensor is {:?} {:?}, wanted one element", self.dtype(), self.dims()),
            )),
        }
    }

    /// Writes a NumPy `.npy` file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path_text(path.as_ref())?;
        // SAFETY: the path is NUL-terminated.
        check(unsafe { sys::percale_tensor_save(self.as_raw(), path.as_ptr()) })
    }

    /// Returns the address of the elements if they have that type.
    fn typed<T: Element>(&self) -> Result<*mut T> {
        if self.dtype() != T::DTYPE {
            return Err(Error::new(
                Code::InvalidArgument,
                format!("the elements are {:?}, not {:?} (shape {:?})", self.dtype(), T::DTYPE, self.dims()),
            ));
        }
        // SAFETY: the tensor is alive.
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

/// Returns dims in the form that the library takes.
pub(crate) fn raw_dims(dims: &[usize]) -> Result<Vec<i64>> {
    let too_large = |dim: &usize| Error::new(Code::OutOfRange, format!("the dim {dim} does not fit an i64"));
    dims.iter().map(|dim| i64::try_from(*dim).map_err(|_| too_large(dim))).collect()
}

/// An immutable tensor. Clones share the memory and are cheap.
///
/// ```
/// let tensor = percale::Tensor::from_vec(&[2, 3], vec![0f32; 6])?; // no copy
/// assert_eq!(tensor.dims(), [2, 3]);
/// # Ok::<(), percale::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    handle: Handle<sys::percale_tensor>,
}

/// The deleter of memory that lies in an owner.
pub(crate) unsafe extern "C" fn drop_owner<O>(user: *mut c_void, _data: *mut c_void) {
    let owner = Box::from_raw(user.cast::<O>());
    // A panic must not unwind into the library.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(owner)));
}

impl Tensor {
    pub(crate) unsafe fn take(raw: *mut sys::percale_tensor) -> Tensor {
        Tensor { handle: Handle::new(raw) }
    }

    /// Creates a tensor over the memory of a vector, and takes ownership of the vector without a
    /// copy.
    pub fn from_vec<T: Element>(dims: &[usize], elements: Vec<T>) -> Result<Tensor> {
        Tensor::from_owner(dims, elements)
    }

    /// Creates a tensor with a copy of these elements.
    pub fn from_slice<T: Element>(dims: &[usize], elements: &[T]) -> Result<Tensor> {
        Tensor::from_vec(dims, elements.to_vec())
    }

    /// Creates a tensor of rank 0 with one element.
    pub fn scalar<T: Element>(element: T) -> Result<Tensor> {
        Tensor::from_vec(&[], vec![element])
    }

    /// Creates a tensor over the memory of any owner of elements. The owner is dropped with the
    /// last user of the tensor.
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
        let owner = Box::new(owner);
        // The address is taken after the owner is moved into the box, because the elements may be
        // inside the owner.
        let elements: &[T] = &owner;
        let (data, count) = (elements.as_ptr().cast_mut(), elements.len());
        let user = Box::into_raw(owner);
        // SAFETY: the memory is alive and unchanged until the deleter is called, once. On failure
        // it is not called.
        unsafe {
            let made = Tensor::over(dims, data, count, Some(drop_owner::<O>), user.cast());
            if made.is_err() {
                drop(Box::from_raw(user));
            }
            made
        }
    }

    /// Creates a tensor over memory of the caller, which must stay alive and unchanged until
    /// `deleter` is called.
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
        // SAFETY: the path is NUL-terminated; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_tensor_load(engine.handle.get(), path.as_ptr(), &mut raw))?;
            Ok(Tensor::take(raw))
        }
    }

    /// Imports a tensor from the bytes of a foreign format (`onnx`: a TensorProto) through an
    /// importer plug-in.
    pub fn import(engine: &Engine, format: &str, bytes: &[u8]) -> Result<Tensor> {
        let format = std::ffi::CString::new(format)?;
        // SAFETY: the bytes outlive the call; the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            let (data, size) = (bytes.as_ptr().cast(), bytes.len());
            check(sys::percale_tensor_import(engine.handle.get(), format.as_ptr(), data, size, &mut raw))?;
            Ok(Tensor::take(raw))
        }
    }

    /// Returns a `DLManagedTensorVersioned*` of DLPack over the memory, which it keeps alive. The
    /// receiver must not write to it.
    pub fn to_dlpack(&self) -> Result<*mut c_void> {
        let mut managed = std::ptr::null_mut();
        // SAFETY: the pointer is valid for writes.
        check(unsafe { sys::percale_tensor_to_dlpack(self.handle.get(), &mut managed) })?;
        Ok(managed)
    }

    /// Takes ownership of a `DLManagedTensorVersioned*`. On failure the caller keeps it.
    ///
    /// # Safety
    ///
    /// It must be valid, its memory must not be written to any more, and its deleter must be
    /// callable on any thread.
    pub unsafe fn from_dlpack(managed: *mut c_void) -> Result<Tensor> {
        crate::ensure_loaded()?;
        let mut raw = std::ptr::null_mut();
        check(sys::percale_tensor_from_dlpack(managed, &mut raw))?;
        Ok(Tensor::take(raw))
    }

    /// Creates a tensor over the memory of an array in standard layout, without a copy. Arrays in
    /// another layout are copied.
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
        // SAFETY: the tensor is alive as long as `self`.
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
    /// Returns the elements as an array, without a copy.
    pub fn as_ndarray<T: Element>(&self) -> Result<ndarray::ArrayViewD<'_, T>> {
        ndarray::ArrayViewD::from_shape(self.dims(), self.as_slice()?)
            .map_err(|error| Error::new(Code::Internal, error.to_string()))
    }
}

/// A tensor in the engine's memory with a single owner, who may write to it.
/// [`Call::run`](crate::Call::run) writes into such tensors.
pub struct TensorMut {
    tensor: Tensor,
}

impl TensorMut {
    /// Creates a tensor of zeros, aligned to 64 bytes.
    pub fn zeros(engine: &Engine, dtype: DType, dims: &[usize]) -> Result<TensorMut> {
        let dims = raw_dims(dims)?;
        // SAFETY: the handle is wrapped at once.
        unsafe {
            let mut raw = std::ptr::null_mut();
            check(sys::percale_tensor_create(engine.handle.get(), dtype as i32, dims.as_ptr(), dims.len(), &mut raw))?;
            Ok(TensorMut { tensor: Tensor::take(raw) })
        }
    }

    /// Makes the tensor immutable, so that it can be shared.
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
        // SAFETY: there is no other reference to this tensor.
        unsafe { &mut *self.tensor.handle.get().cast() }
    }
}

impl TensorRef {
    /// Returns the elements for writing. Only the owner of a [`TensorMut`] can call it.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let data = self.typed::<T>()?;
        let count = self.len();
        // SAFETY: the memory holds that many aligned elements of the type; `&mut` makes it
        // exclusive.
        Ok(unsafe { std::slice::from_raw_parts_mut(data, count) })
    }

    /// Returns the bytes of the elements for writing, like [`TensorRef::as_mut_slice`].
    pub(crate) fn as_bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory has that size and is never NULL; `&mut` makes it exclusive.
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
    /// Creates a tensor over these elements, without a copy.
    pub fn new<T: Element>(dims: &[usize], elements: &'a [T]) -> Result<TensorView<'a>> {
        // SAFETY: the memory outlives the view. A view cannot be cloned, and functions that take
        // `&TensorRef` do not keep it.
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
