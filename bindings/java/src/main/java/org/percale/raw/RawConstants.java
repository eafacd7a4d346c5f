// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The constants of the header.
 */
public final class RawConstants {
  private RawConstants() {}

  /**
   * A percale_code.
   */
  public static final int PERCALE_OK = 0;

  /**
   * A percale_code.
   */
  public static final int PERCALE_CANCELLED = 1;

  /**
   * A percale_code.
   */
  public static final int PERCALE_UNKNOWN = 2;

  /**
   * A percale_code.
   */
  public static final int PERCALE_INVALID_ARGUMENT = 3;

  /**
   * A percale_code.
   */
  public static final int PERCALE_DEADLINE_EXCEEDED = 4;

  /**
   * A percale_code.
   */
  public static final int PERCALE_NOT_FOUND = 5;

  /**
   * A percale_code.
   */
  public static final int PERCALE_ALREADY_EXISTS = 6;

  /**
   * A percale_code.
   */
  public static final int PERCALE_PERMISSION_DENIED = 7;

  /**
   * A percale_code.
   */
  public static final int PERCALE_RESOURCE_EXHAUSTED = 8;

  /**
   * A percale_code.
   */
  public static final int PERCALE_FAILED_PRECONDITION = 9;

  /**
   * A percale_code.
   */
  public static final int PERCALE_ABORTED = 10;

  /**
   * A percale_code.
   */
  public static final int PERCALE_OUT_OF_RANGE = 11;

  /**
   * A percale_code.
   */
  public static final int PERCALE_UNIMPLEMENTED = 12;

  /**
   * A percale_code.
   */
  public static final int PERCALE_INTERNAL = 13;

  /**
   * A percale_code.
   */
  public static final int PERCALE_UNAVAILABLE = 14;

  /**
   * A percale_code.
   */
  public static final int PERCALE_DATA_LOSS = 15;

  /**
   * A percale_code.
   */
  public static final int PERCALE_UNAUTHENTICATED = 16;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_INVALID = 0;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F32 = 1;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_U8 = 2;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_I8 = 3;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_U16 = 4;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_I16 = 5;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_I32 = 6;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_I64 = 7;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_STRING = 8;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_BOOL = 9;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F16 = 10;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F64 = 11;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_U32 = 12;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_U64 = 13;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_COMPLEX64 = 14;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_COMPLEX128 = 15;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_BF16 = 16;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F8E4M3FN = 17;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F8E4M3FNUZ = 18;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F8E5M2 = 19;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F8E5M2FNUZ = 20;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_U4 = 21;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_I4 = 22;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F4E2M1 = 23;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_F8E8M0 = 24;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_U2 = 25;

  /**
   * A percale_dtype.
   */
  public static final int PERCALE_DTYPE_I2 = 26;

  /**
   * A percale_log_level.
   */
  public static final int PERCALE_LOG_DEBUG = 0;

  /**
   * A percale_log_level.
   */
  public static final int PERCALE_LOG_INFO = 1;

  /**
   * A percale_log_level.
   */
  public static final int PERCALE_LOG_WARNING = 2;

  /**
   * A percale_log_level.
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
