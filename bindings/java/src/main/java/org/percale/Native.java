package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.percale.raw.RawConstants;
import org.percale.raw.RawStatus;
import org.percale.raw.RawText;

/** Helpers that all calls of the library share. */
final class Native {
  static final int MAX_RANK = 8;

  private Native() {}

  /** Throws the error of a status, if it is one. */
  static void check(MemorySegment status) {
    if (status.address() != 0) throw PercaleException.take(status);
  }

  /** Returns a status for the library, which releases it. OK would be no error. */
  static MemorySegment status(Code code, String message) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      int number = (code == Code.OK ? Code.UNKNOWN : code).ordinal();
      return RawStatus.percale_status_create(number, arena.allocateFrom(JAVA_BYTE, text), text.length);
    }
  }

  /**
   * Calls a function that writes a pointer to its last argument, and returns the pointer. If memory
   * is short, the call is repeated; see {@link Shortage}.
   */
  static MemorySegment make(Function<MemorySegment, MemorySegment> function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      return Shortage.relieve(() -> {
        check(function.apply(out));
        return out.get(ADDRESS, 0);
      });
    }
  }

  /** Returns the characters of a text of the library, and releases the text. */
  static String text(MemorySegment text) {
    return new String(bytes(text), StandardCharsets.UTF_8);
  }

  /** Returns the bytes of a text of the library, and releases the text. */
  static byte[] bytes(MemorySegment text) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_LONG);
      MemorySegment data = RawText.percale_text_data(text, size);
      return data.reinterpret(size.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
    } finally {
      RawText.percale_text_release(text);
    }
  }

  /** Returns a text that the library lends, or null. */
  static String borrowed(MemorySegment text) {
    return text.address() == 0 ? null : text.reinterpret(Long.MAX_VALUE).getString(0);
  }

  /** Returns a text for the library; NULL for null. */
  static MemorySegment name(Arena arena, String text) {
    if (text == null) return MemorySegment.NULL;
    if (text.indexOf('\0') >= 0) throw new PercaleException(Code.INVALID_ARGUMENT, "'" + text + "' holds a NUL");
    return arena.allocateFrom(text);
  }

  /** Returns a timeout for the library. Null means no limit, and a negative timeout becomes 0. */
  static long nanoseconds(Duration timeout) {
    if (timeout == null) return RawConstants.PERCALE_FOREVER;
    if (timeout.isNegative()) return 0;
    return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : timeout.toNanos();
  }

  static MemorySegment path(Arena arena, Path path) {
    return path == null ? MemorySegment.NULL : name(arena, path.toString());
  }

  static MemorySegment names(Arena arena, List<String> texts) {
    MemorySegment out = arena.allocate(ADDRESS, texts.size());
    for (int i = 0; i < texts.size(); ++i) out.setAtIndex(ADDRESS, i, name(arena, texts.get(i)));
    return out;
  }

  static MemorySegment longs(Arena arena, long... values) {
    return arena.allocateFrom(JAVA_LONG, values);
  }

  static MemorySegment ints(Arena arena, int... values) {
    return arena.allocateFrom(JAVA_INT, values);
  }

  /** Returns an array of the pointers of acquired handles. */
  static MemorySegment pointers(Arena arena, List<MemorySegment> handles) {
    MemorySegment out = arena.allocate(ADDRESS, handles.size());
    for (int i = 0; i < handles.size(); ++i) out.setAtIndex(ADDRESS, i, handles.get(i));
    return out;
  }

  /** Returns the first `count` pointers of an array. */
  static List<MemorySegment> read(MemorySegment array, int count) {
    List<MemorySegment> out = new ArrayList<>(count);
    for (int i = 0; i < count; ++i) out.add(array.getAtIndex(ADDRESS, i));
    return out;
  }
}
