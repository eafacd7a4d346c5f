package org.percale;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongUnaryOperator;
import org.percale.raw.RawConstants;
import org.percale.raw.RawMemory;
import org.percale.raw.RawStatus;
import org.percale.raw.RawText;

/** Helpers that all calls of the library share. */
final class Native {
  static final int MAX_RANK = 8;

  private Native() {}

  /** Throws the error of a status, if it is one. */
  static void check(long status) {
    if (status != 0) throw PercaleException.take(status);
  }

  /** Returns a status for the library, which releases it. OK would be no error. */
  static long status(Code code, String message) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    try (Scratch scratch = new Scratch()) {
      int number = (code == Code.OK ? Code.UNKNOWN : code).ordinal();
      return RawStatus.percale_status_create(number, scratch.bytes(text), text.length);
    }
  }

  /**
   * Calls a function that writes a pointer to its last argument, and returns the pointer. If memory
   * is short, the call is repeated; see {@link Shortage}.
   */
  static long make(LongUnaryOperator function) {
    try (Scratch scratch = new Scratch()) {
      long out = scratch.allocate(8);
      return Shortage.relieve(() -> {
        check(function.applyAsLong(out));
        return RawMemory.getLong(out);
      });
    }
  }

  /** Returns the characters of a text of the library, and releases the text. */
  static String text(long text) {
    return new String(bytes(text), StandardCharsets.UTF_8);
  }

  /** Returns the bytes of a text of the library, and releases the text. */
  static byte[] bytes(long text) {
    try (Scratch scratch = new Scratch()) {
      long size = scratch.allocate(8);
      long data = RawText.percale_text_data(text, size);
      byte[] out = new byte[size(RawMemory.getLong(size))];
      RawMemory.read(data, out, out.length);
      return out;
    } finally {
      RawText.percale_text_release(text);
    }
  }

  /** Returns a text that the library lends, or null. */
  static String borrowed(long text) {
    return text == 0 ? null : RawMemory.text(text);
  }

  /** Returns a number of bytes that an array or a buffer can hold. */
  static int size(long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      throw new PercaleException(Code.INVALID_ARGUMENT,
          bytes + " bytes are more than an array or a buffer of Java holds, " + Integer.MAX_VALUE + "; use smaller pieces");
    }
    return (int) bytes;
  }

  /** Returns a timeout for the library. Null means no limit, and a negative timeout becomes 0. */
  static long nanoseconds(Duration timeout) {
    if (timeout == null) return RawConstants.PERCALE_FOREVER;
    if (timeout.isNegative()) return 0;
    return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : timeout.toNanos();
  }

  /** Returns the first `count` numbers or pointers of an array. */
  static long[] longs(long array, int count) {
    long[] out = new long[count];
    RawMemory.read(array, out, 8L * count);
    return out;
  }
}
