// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_text, as the header has them.
 */
public final class RawText {
  private RawText() {}

  private static final MethodHandle PERCALE_TEXT_DATA_ =
      Raw.getter("percale_text_data",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Returns the characters, NUL-ended and borrowed; "" for NULL. {@code out_size} may be NULL; it
   * receives the number of bytes.
   *
   * @param text in const percale_text*
   * @param out_size out size_t*
   * @return const char*
   */
  public static MemorySegment percale_text_data(MemorySegment text, MemorySegment out_size) {
    try {
      return (MemorySegment) PERCALE_TEXT_DATA_.invokeExact(text, out_size);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TEXT_RELEASE_ =
      Raw.function("percale_text_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases the text. NULL is allowed.
   *
   * @param text in percale_text*
   */
  public static void percale_text_release(MemorySegment text) {
    try {
      PERCALE_TEXT_RELEASE_.invokeExact(text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
