// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawText through java.lang.foreign, for Java 22 and newer.
 */
public final class RawText {
  private RawText() {}

  private static final MethodHandle PERCALE_TEXT_DATA_ =
      Raw.getter("percale_text_data", long.class, long.class, long.class);

  public static long percale_text_data(long text, long out_size) {
    try {
      return (long) PERCALE_TEXT_DATA_.invokeExact(text, out_size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TEXT_RELEASE_ =
      Raw.function("percale_text_release", void.class, long.class);

  public static void percale_text_release(long text) {
    try {
      PERCALE_TEXT_RELEASE_.invokeExact(text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
