// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The constants of the header.
 */
public final class RawConstants {
  private RawConstants() {}

  /**
   * The constant 0 of percale_code: success.
   */
  public static final int PERCALE_OK = 0;

  /**
   * The constant 1 of percale_code: cancelled by the caller.
   */
  public static final int PERCALE_CANCELLED = 1;

  /**
   * The constant 2 of percale_code: none of the other codes.
   */
  public static final int PERCALE_UNKNOWN = 2;

  /**
   * The constant 3 of percale_code: wrong in every state.
   */
  public static final int PERCALE_INVALID_ARGUMENT = 3;

  /**
   * The constant 4 of percale_code: the timeout has passed.
   */
  public static final int PERCALE_DEADLINE_EXCEEDED = 4;

  /**
   * The constant 5 of percale_code: no such file, name or kind.
   */
  public static final int PERCALE_NOT_FOUND = 5;

  /**
   * The constant 6 of percale_code: the name is taken.
   */
  public static final int PERCALE_ALREADY_EXISTS = 6;

  /**
   * The constant 7 of percale_code: the system forbids it.
   */
  public static final int PERCALE_PERMISSION_DENIED = 7;

  /**
   * The constant 8 of percale_code: out of memory, or beyond a limit.
   */
  public static final int PERCALE_RESOURCE_EXHAUSTED = 8;

  /**
   * The constant 9 of percale_code: wrong in the present state.
   */
  public static final int PERCALE_FAILED_PRECONDITION = 9;

  /**
   * The constant 10 of percale_code: ended by a callback or another fault.
   */
  public static final int PERCALE_ABORTED = 10;

  /**
   * The constant 11 of percale_code: past the end, or beyond a range.
   */
  public static final int PERCALE_OUT_OF_RANGE = 11;

  /**
   * The constant 12 of percale_code: known, but not available here.
   */
  public static final int PERCALE_UNIMPLEMENTED = 12;

  /**
   * The constant 13 of percale_code: an error of the library itself.
   */
  public static final int PERCALE_INTERNAL = 13;

  /**
   * The constant 14 of percale_code: not now, or not on this machine.
   */
  public static final int PERCALE_UNAVAILABLE = 14;

  /**
   * The constant 15 of percale_code: data is damaged or missing.
   */
  public static final int PERCALE_DATA_LOSS = 15;

  /**
   * The constant 16 of percale_code: an unknown peer.
   */
  public static final int PERCALE_UNAUTHENTICATED = 16;

  /**
   * The constant 0 of percale_dtype: none.
   */
  public static final int PERCALE_DTYPE_INVALID = 0;

  /**
   * The constant 1 of percale_dtype: IEEE single precision.
   */
  public static final int PERCALE_DTYPE_F32 = 1;

  /**
   * The constant 2 of percale_dtype: unsigned 8-bit integer.
   */
  public static final int PERCALE_DTYPE_U8 = 2;

  /**
   * The constant 3 of percale_dtype: signed 8-bit integer.
   */
  public static final int PERCALE_DTYPE_I8 = 3;

  /**
   * The constant 4 of percale_dtype: unsigned 16-bit integer.
   */
  public static final int PERCALE_DTYPE_U16 = 4;

  /**
   * The constant 5 of percale_dtype: signed 16-bit integer.
   */
  public static final int PERCALE_DTYPE_I16 = 5;

  /**
   * The constant 6 of percale_dtype: signed 32-bit integer.
   */
  public static final int PERCALE_DTYPE_I32 = 6;

  /**
   * The constant 7 of percale_dtype: signed 64-bit integer.
   */
  public static final int PERCALE_DTYPE_I64 = 7;

  /**
   * The constant 8 of percale_dtype: text; no tensor has it.
   */
  public static final int PERCALE_DTYPE_STRING = 8;

  /**
   * The constant 9 of percale_dtype: 1 byte, 0 or 1.
   */
  public static final int PERCALE_DTYPE_BOOL = 9;

  /**
   * The constant 10 of percale_dtype: IEEE half precision.
   */
  public static final int PERCALE_DTYPE_F16 = 10;

  /**
   * The constant 11 of percale_dtype: IEEE double precision.
   */
  public static final int PERCALE_DTYPE_F64 = 11;

  /**
   * The constant 12 of percale_dtype: unsigned 32-bit integer.
   */
  public static final int PERCALE_DTYPE_U32 = 12;

  /**
   * The constant 13 of percale_dtype: unsigned 64-bit integer.
   */
  public static final int PERCALE_DTYPE_U64 = 13;

  /**
   * The constant 14 of percale_dtype: two f32.
   */
  public static final int PERCALE_DTYPE_COMPLEX64 = 14;

  /**
   * The constant 15 of percale_dtype: two f64.
   */
  public static final int PERCALE_DTYPE_COMPLEX128 = 15;

  /**
   * The constant 16 of percale_dtype: the upper half of an f32.
   */
  public static final int PERCALE_DTYPE_BF16 = 16;

  /**
   * The constant 17 of percale_dtype: 8-bit float: 4 bits exponent, 3 fraction, no infinity.
   */
  public static final int PERCALE_DTYPE_F8E4M3FN = 17;

  /**
   * The constant 18 of percale_dtype: the same without negative zero.
   */
  public static final int PERCALE_DTYPE_F8E4M3FNUZ = 18;

  /**
   * The constant 19 of percale_dtype: 8-bit float: 5 bits exponent, 2 fraction.
   */
  public static final int PERCALE_DTYPE_F8E5M2 = 19;

  /**
   * The constant 20 of percale_dtype: the same without infinity and negative zero.
   */
  public static final int PERCALE_DTYPE_F8E5M2FNUZ = 20;

  /**
   * The constant 21 of percale_dtype: unsigned 4-bit integer, two per byte.
   */
  public static final int PERCALE_DTYPE_U4 = 21;

  /**
   * The constant 22 of percale_dtype: signed 4-bit integer, two per byte.
   */
  public static final int PERCALE_DTYPE_I4 = 22;

  /**
   * The constant 23 of percale_dtype: 4-bit float, two per byte.
   */
  public static final int PERCALE_DTYPE_F4E2M1 = 23;

  /**
   * The constant 24 of percale_dtype: a power of two in 8 bits.
   */
  public static final int PERCALE_DTYPE_F8E8M0 = 24;

  /**
   * The constant 25 of percale_dtype: unsigned 2-bit integer, four per byte.
   */
  public static final int PERCALE_DTYPE_U2 = 25;

  /**
   * The constant 26 of percale_dtype: signed 2-bit integer, four per byte.
   */
  public static final int PERCALE_DTYPE_I2 = 26;

  /**
   * The constant 0 of percale_log_level: for developers of Percale.
   */
  public static final int PERCALE_LOG_DEBUG = 0;

  /**
   * The constant 1 of percale_log_level: progress and decisions: placement, idle devices, op Print.
   */
  public static final int PERCALE_LOG_INFO = 1;

  /**
   * The constant 2 of percale_log_level: the library continues without something, such as a device.
   */
  public static final int PERCALE_LOG_WARNING = 2;

  /**
   * The constant 3 of percale_log_level: a failure that no call can report.
   */
  public static final int PERCALE_LOG_ERROR = 3;

  /**
   * As a value: none.
   */
  public static final int PERCALE_NO_VALUE = -1;

  /**
   * As a size: the text ends with NUL.
   */
  public static final long PERCALE_NUL_ENDED = -1L;

  /**
   * As a timeout: none. Any other negative number is a time that has passed.
   */
  public static final long PERCALE_FOREVER = -1L;
}
