// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_options, as the header has them.
 */
public final class RawOptions {
  private RawOptions() {}

  static {
    Raw.bind(RawOptions.class);
  }

  /**
   * Creates options of a kind: "engine", "session", "trainer" or "export". NOT_FOUND for another
   * {@code kind}.
   *
   * @param kind text const char*
   * @param out_options out percale_options**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_create(long kind, long out_options);

  /**
   * Releases the options. NULL is allowed.
   *
   * @param options in percale_options*
   */
  public static native void percale_options_release(long options);

  /**
   * Sets an option from its text, which is converted to the type of the option. A size in bytes may
   * have a unit: "2GB" (10^9 bytes each) or "2GiB" (2^30 bytes each). NOT_FOUND: an unknown key;
   * the message names a similar one. OUT_OF_RANGE: the message names the range.
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set(long options, long key, long value);

  /**
   * Sets an option to a whole number. Errors as percale_options_set().
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set_int(long options, long key, long value);

  /**
   * Sets an option to a number. Errors as percale_options_set().
   *
   * @param options in percale_options*
   * @param key text const char*
   * @param value in double
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_set_float(long options, long key, double value);

  /**
   * Describes all options of all kinds as JSON: [{"kind", "key", "type", "default", "choices",
   * "min", "max", "doc"}]. "type" is int, float, bytes, text, choice or switch. Options of type
   * choice have "choices", such as "a|b|c". Numbers with bounds have "min" and "max".
   *
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_options_describe(long out_json);
}
