//! Element types.
use crate::sys;

/// The type of a tensor's elements; the numbers are those of ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
pub enum DType {
    /// IEEE single precision.
    F32 = sys::PERCALE_DTYPE_F32,
    /// Unsigned 8-bit integer.
    U8 = sys::PERCALE_DTYPE_U8,
    /// Signed 8-bit integer.
    I8 = sys::PERCALE_DTYPE_I8,
    /// Unsigned 16-bit integer.
    U16 = sys::PERCALE_DTYPE_U16,
    /// Signed 16-bit integer.
    I16 = sys::PERCALE_DTYPE_I16,
    /// Signed 32-bit integer.
    I32 = sys::PERCALE_DTYPE_I32,
    /// Signed 64-bit integer.
    I64 = sys::PERCALE_DTYPE_I64,
    /// Text; no tensor has this type.
    String = sys::PERCALE_DTYPE_STRING,
    /// Boolean, stored as one byte with value 0 or 1.
    Bool = sys::PERCALE_DTYPE_BOOL,
    /// IEEE half precision.
    F16 = sys::PERCALE_DTYPE_F16,
    /// IEEE double precision.
    F64 = sys::PERCALE_DTYPE_F64,
    /// Unsigned 32-bit integer.
    U32 = sys::PERCALE_DTYPE_U32,
    /// Unsigned 64-bit integer.
    U64 = sys::PERCALE_DTYPE_U64,
    /// Complex number of two [`DType::F32`].
    Complex64 = sys::PERCALE_DTYPE_COMPLEX64,
    /// Complex number of two [`DType::F64`].
    Complex128 = sys::PERCALE_DTYPE_COMPLEX128,
    /// bfloat16: the upper half of an [`DType::F32`].
    BF16 = sys::PERCALE_DTYPE_BF16,
    /// 8-bit float with 4 exponent bits, 3 mantissa bits and no infinity.
    F8E4M3FN = sys::PERCALE_DTYPE_F8E4M3FN,
    /// [`DType::F8E4M3FN`] without negative zero.
    F8E4M3FNUZ = sys::PERCALE_DTYPE_F8E4M3FNUZ,
    /// 8-bit float with 5 exponent bits and 2 mantissa bits.
    F8E5M2 = sys::PERCALE_DTYPE_F8E5M2,
    /// [`DType::F8E5M2`] without infinity and negative zero.
    F8E5M2FNUZ = sys::PERCALE_DTYPE_F8E5M2FNUZ,
    /// Unsigned 4-bit integer, two per byte.
    U4 = sys::PERCALE_DTYPE_U4,
    /// Signed 4-bit integer, two per byte.
    I4 = sys::PERCALE_DTYPE_I4,
    /// 4-bit float with 2 exponent bits and 1 mantissa bit, two per byte.
    F4E2M1 = sys::PERCALE_DTYPE_F4E2M1,
    /// 8-bit power of two.
    F8E8M0 = sys::PERCALE_DTYPE_F8E8M0,
    /// Unsigned 2-bit integer, four per byte.
    U2 = sys::PERCALE_DTYPE_U2,
    /// Signed 2-bit integer, four per byte.
    I2 = sys::PERCALE_DTYPE_I2,
}

impl DType {
    const ALL: [DType; 26] = [
        DType::F32,
        DType::U8,
        DType::I8,
        DType::U16,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::String,
        DType::Bool,
        DType::F16,
        DType::F64,
        DType::U32,
        DType::U64,
        DType::Complex64,
        DType::Complex128,
        DType::BF16,
        DType::F8E4M3FN,
        DType::F8E4M3FNUZ,
        DType::F8E5M2,
        DType::F8E5M2FNUZ,
        DType::U4,
        DType::I4,
        DType::F4E2M1,
        DType::F8E8M0,
        DType::U2,
        DType::I2,
    ];

    /// Returns the type with this number, or `None` for an unknown type.
    pub(crate) fn from_raw(raw: sys::percale_dtype) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| *dtype as i32 == raw)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that tensor elements can have.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The corresponding type of the library.
    const DTYPE: DType;

    /// Returns true if the bytes are valid elements. Only `bool` has invalid bytes.
    #[doc(hidden)]
    fn are_valid(_bytes: &[u8]) -> bool {
        true
    }
}

macro_rules! element {
    ($($type:ty => $dtype:ident;)*) => { $(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )* };
}

element! {
    f32 => F32;
    f64 => F64;
    u8 => U8;
    u16 => U16;
    u32 => U32;
    u64 => U64;
    i8 => I8;
    i16 => I16;
    i32 => I32;
    i64 => I64;
}

#[cfg(feature = "half")]
element! {
    half::f16 => F16;
    half::bf16 => BF16;
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const DTYPE: DType = DType::Bool;

    fn are_valid(bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| *byte <= 1)
    }
}
