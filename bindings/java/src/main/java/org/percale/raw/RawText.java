// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_text, as the header has them.
 */
public final class RawText {
  private RawText() {}

  static {
    Raw.bind(RawText.class);
  }

  /**
   * Returns the characters, NUL-ended and borrowed; "" for NULL. {@code out_size} may be NULL; it
   * receives the number of bytes.
   *
   * @param text in const percale_text*
   * @param out_size out size_t*
   * @return const char*
   */
  public static native long percale_text_data(long text, long out_size);

  /**
   * Releases the text. NULL is allowed.
   *
   * @param text in percale_text*
   */
  public static native void percale_text_release(long text);
}
