"""Tensors, which share memory with numpy arrays and DLPack tensors."""
import ctypes
import itertools

from . import dtypes
from ._library import ffi, lib, path_of
from .errors import check, keep_interrupt
from .handle import Handle, out, pointer_of

_borrowed = {}  # `user` pointer of C -> owner of the memory that a tensor borrows
_numbers = itertools.count(1)


def _forget_after(kind, error, trace):
    _borrowed.pop(trace.tb_frame.f_locals["user"], None)  # Control-C came before the callback ran
    keep_interrupt(kind, error, trace)


@ffi.callback("percale_deleter", onerror=_forget_after)
def _give_back(user, _data):
    _borrowed.pop(user, None)


def lend(owner, function):
    """Calls `function(deleter, user)`, which returns a status, for memory of `owner`. C keeps the
    memory until it calls the deleter.
    """
    key = ffi.cast("void*", next(_numbers))
    _borrowed[key] = owner
    status = function(_give_back, key)
    if status != ffi.NULL:
        _borrowed.pop(key, None)
    check(status)


def dims_array(shape):
    """Returns a shape as an array for C, or NULL for rank 0."""
    return ffi.new("int64_t[]", list(shape)) if len(shape) else ffi.NULL


def _python(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_capsule_new = _python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_capsule_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_capsule_rename = _python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_capsule_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
# Versions for a capsule that is being destroyed, which must not be referenced.
_dying_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_dying_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_READ_ONLY = 1  # flag of DLPack
# from DLPack; capsules do not copy names
_VERSIONED, _USED = b"dltensor_versioned", b"used_dltensor_versioned"


class _Managed(ctypes.Structure):
    """DLPack's DLManagedTensorVersioned."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("data", ctypes.c_void_p),
                ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]

    def is_row_major(self):
        """Returns True if the elements are contiguous in row-major order."""
        shape = self.shape[:self.ndim]
        if not self.strides or 0 in shape:
            return True
        wanted = 1
        for size, stride in zip(reversed(shape), reversed(self.strides[:self.ndim])):
            if size != 1 and stride != wanted:
                return False
            wanted *= size
        return True


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _drop_capsule(capsule):
    """Releases the tensor of a capsule that was never consumed."""
    if not _dying_valid(capsule, _VERSIONED):
        return
    managed = _dying_pointer(capsule, _VERSIONED)
    deleter = _Managed.from_address(managed).deleter
    if deleter:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(deleter)(managed)


class Tensor(Handle):
    """A row-major array with a dtype. Thread-safe as a handle.

    While a thread writes to its memory, no other may use the tensor.
    """

    kind = "tensor"

    def __init__(self, pointer, read_only=False):
        super().__init__(pointer)
        self.read_only = read_only  # the value of a variable, or memory that was read-only

    @classmethod
    def zeros(cls, engine, shape, dtype="f32"):
        """Creates a tensor of zeros in memory of the engine, which counts towards its limit."""
        pointer = out("tensor")
        check(lib.percale_tensor_create(pointer_of(engine, "engine"), dtypes.number(dtype), dims_array(shape), len(shape), pointer))
        return cls(pointer[0])

    @classmethod
    def of(cls, value, dtype=None):
        """Converts a value to a tensor.

        A tensor is returned unchanged. Objects with __dlpack__ or the array interface of numpy lend
        their memory. Everything else that numpy.asarray() accepts, such as lists and numbers, is
        copied. Lent memory must not change while a run uses it.
        """
        if isinstance(value, Tensor):
            return value
        import numpy as np

        if dtype is None and hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
            return cls.from_dlpack(value)
        if dtype is None and isinstance(value, float):
            dtype = "f32"
        array = np.asarray(value, None if dtype is None else dtypes.to_numpy(dtypes.number(dtype)))
        if dtype is None and array.dtype == np.float64 and not isinstance(value, (np.ndarray, np.generic)):
            array = array.astype(np.float32)  # lists of Python floats become f32
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        return cls._of_array(array)

    @classmethod
    def _of_array(cls, array):
        """Creates a tensor over an array, or over a copy of an array that is not contiguous."""
        import numpy as np

        return cls._over(np.ascontiguousarray(array).reshape(array.shape), array.dtype, array.shape)

    @classmethod
    def _over(cls, array, dtype, shape):
        """Creates a tensor over a contiguous array. It is read-only if the array is."""
        pointer = out("tensor")
        lend(array, lambda deleter, user: lib.percale_tensor_from_memory(
            dtypes.number(dtype), dims_array(shape), len(shape), ffi.cast("void*", array.ctypes.data), array.nbytes, deleter, user, pointer))
        return cls(pointer[0], not array.flags.writeable)

    @classmethod
    def from_dlpack(cls, value):
        """Shares the memory of another library's tensor. A tensor that is not row-major is copied.
        """
        try:
            capsule = value.__dlpack__(max_version=(1, 0))
        except TypeError:  # the object is older than DLPack 1.0
            capsule = None
        managed = _capsule_pointer(capsule, _VERSIONED) if _capsule_valid(capsule, _VERSIONED) else None
        if managed is None or not _Managed.from_address(managed).is_row_major():
            import numpy as np

            return cls._of_array(np.from_dlpack(value))
        read_only, pointer = bool(_Managed.from_address(managed).flags & _READ_ONLY), out("tensor")
        check(lib.percale_tensor_from_dlpack(ffi.cast("void*", managed), pointer))
        _capsule_rename(capsule, _USED)
        return cls(pointer[0], read_only)

    @classmethod
    def load(cls, engine, path):
        """Loads a .npy file."""
        pointer = out("tensor")
        check(lib.percale_tensor_load(pointer_of(engine, "engine"), path_of(path), pointer))
        return cls(pointer[0])

    def save(self, path):
        """Writes a .npy file atomically."""
        check(lib.percale_tensor_save(self.c, path_of(path)))

    @property
    def dtype(self):
        """The name of the dtype, such as "f32"."""
        return dtypes.NAMES[lib.percale_tensor_dtype(self.c)]

    @property
    def shape(self):
        """The dims."""
        tensor = self.c  # the tensor owns the dims
        dims = lib.percale_tensor_get_dims(tensor)
        return tuple(dims[i] for i in range(lib.percale_tensor_rank(tensor)))

    @property
    def nbytes(self):
        """The size of the memory in bytes."""
        return lib.percale_tensor_bytes(self.c)

    def memory(self):
        """Returns the bytes as a buffer that keeps the tensor alive. It is read-only if the tensor
        is.
        """
        held = lib.percale_tensor_retain(self.c)
        data = ffi.gc(ffi.cast("char*", lib.percale_tensor_get_data(held)),
                      lambda _, held=held: lib.percale_tensor_release(held))
        buffer = ffi.buffer(data, lib.percale_tensor_bytes(held))
        return memoryview(buffer).toreadonly() if self.read_only else buffer

    def numpy(self):
        """Returns an array over the same memory, which it keeps alive.

        It is not writable if the tensor is read_only; numpy().copy() is.
        """
        import numpy as np

        return np.frombuffer(self.memory(), dtypes.to_numpy(lib.percale_tensor_dtype(self.c))).reshape(self.shape)

    def item(self):
        """Returns the number in a tensor with one element."""
        return self.numpy().item()

    def tolist(self):
        """Returns the elements as nested lists of Python numbers, or as a number for rank 0."""
        return self.numpy().tolist()

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor without dims has no length")
        return self.shape[0]

    def __getitem__(self, index):
        """Indexes like numpy(): returns a view of the same memory, or a number."""
        return self.numpy()[index]

    def __iter__(self):
        return iter(self.numpy())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __bool__(self):
        return bool(self.item())

    def __reduce__(self):
        """Gives pickles and copies made by copy.deepcopy() their own elements; those made by
        copy.copy() share them.
        """
        import numpy as np

        return Tensor._of_bytes, (np.frombuffer(self.memory(), np.uint8), self.dtype, self.shape)

    @classmethod
    def _of_bytes(cls, array, dtype, shape):
        return cls._over(array, dtype, shape)

    def __array__(self, dtype=None, copy=None):
        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if max_version is None or max_version < (1, 0):
            raise BufferError("only DLPack from version 1.0 on is offered; call __dlpack__(max_version=(1, 0))")
        managed = ffi.new("void**")
        check(lib.percale_tensor_to_dlpack(self.c, managed))
        if self.read_only:
            _Managed.from_address(int(ffi.cast("uintptr_t", managed[0]))).flags |= _READ_ONLY
        return _capsule_new(int(ffi.cast("uintptr_t", managed[0])), _VERSIONED, ctypes.cast(_drop_capsule, ctypes.c_void_p))

    def __dlpack_device__(self):
        return 1, 0  # host memory

    def __repr__(self):
        return f"Tensor({self.dtype}, {list(self.shape)})" if self._pointer is not None else "Tensor(closed)"


class Tensors:
    """Tensors as a `percale_tensor* const*` for C. Keeps them alive."""

    def __init__(self, tensors):
        self.held = [Tensor.of(t).c for t in tensors]
        self.array = ffi.new("percale_tensor*[]", self.held) if self.held else ffi.NULL
