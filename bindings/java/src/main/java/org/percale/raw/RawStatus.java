// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_status, as the header has them.
 */
public final class RawStatus {
  private RawStatus() {}

  static {
    Raw.bind(RawStatus.class);
  }

  /**
   * Returns the code of a status; PERCALE_OK for NULL.
   *
   * @param status in const percale_status*
   * @return percale_code
   */
  public static native int percale_status_code(long status);

  /**
   * Returns the message, NUL-ended and borrowed from the status; "" for NULL. {@code out_size} may
   * be NULL; it receives the number of bytes.
   *
   * @param status in const percale_status*
   * @param out_size out size_t*
   * @return const char*
   */
  public static native long percale_status_message(long status, long out_size);

  /**
   * Creates a status, for a function of the host that returns one to the library. {@code size} may
   * be PERCALE_NUL_ENDED. The message is copied. NULL for PERCALE_OK. Never fails: without memory
   * it returns a status that says so.
   *
   * @param code in percale_code
   * @param message text const char*
   * @param size in size_t
   * @return percale_status*
   */
  public static native long percale_status_create(int code, long message, long size);

  /**
   * Adds a reference and returns {@code status}. NULL is allowed and returned.
   *
   * @param status in percale_status*
   * @return percale_status*
   */
  public static native long percale_status_retain(long status);

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param status in percale_status*
   */
  public static native void percale_status_release(long status);

  /**
   * Returns how many statuses of this process exist now, however many references each one has. For
   * tests that look for leaks.
   *
   * @return int64_t
   */
  public static native long percale_status_live_count();
}
