//! Element types.
use crate::sys;

/// The type of a tensor's elements; the numbers are those of ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(i32)]
#[allow(missing_docs)] // the names are self-explanatory
pub enum DType {
    F32 = sys::PERCALE_DTYPE_F32,
    U8 = sys::PERCALE_DTYPE_U8,
    I8 = sys::PERCALE_DTYPE_I8,
    U16 = sys::PERCALE_DTYPE_U16,
    I16 = sys::PERCALE_DTYPE_I16,
    I32 = sys::PERCALE_DTYPE_I32,
    I64 = sys::PERCALE_DTYPE_I64,
    String = sys::PERCALE_DTYPE_STRING,
    Bool = sys::PERCALE_DTYPE_BOOL,
    F16 = sys::PERCALE_DTYPE_F16,
    F64 = sys::PERCALE_DTYPE_F64,
    U32 = sys::PERCALE_DTYPE_U32,
    U64 = sys::PERCALE_DTYPE_U64,
    Complex64 = sys::PERCALE_DTYPE_COMPLEX64,
    Complex128 = sys::PERCALE_DTYPE_COMPLEX128,
    BF16 = sys::PERCALE_DTYPE_BF16,
    F8E4M3FN = sys::PERCALE_DTYPE_F8E4M3FN,
    F8E4M3FNUZ = sys::PERCALE_DTYPE_F8E4M3FNUZ,
    F8E5M2 = sys::PERCALE_DTYPE_F8E5M2,
    F8E5M2FNUZ = sys::PERCALE_DTYPE_F8E5M2FNUZ,
    U4 = sys::PERCALE_DTYPE_U4,
    I4 = sys::PERCALE_DTYPE_I4,
    F4E2M1 = sys::PERCALE_DTYPE_F4E2M1,
    F8E8M0 = sys::PERCALE_DTYPE_F8E8M0,
    U2 = sys::PERCALE_DTYPE_U2,
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
