package org.percale;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.percale.raw.RawMemory;

/** Native memory for the arguments and results of one call of the library. */
final class Scratch implements AutoCloseable {
  private final List<Long> blocks = new ArrayList<>();

  /** Returns the address of zeroed memory, which is valid until {@link #close}. */
  long allocate(long bytes) {
    long block = RawMemory.allocate(Math.max(bytes, 1));
    blocks.add(block);
    return block;
  }

  /** Returns the bytes, followed by a NUL. */
  long bytes(byte[] bytes) {
    long out = allocate(bytes.length + 1L);
    RawMemory.write(out, bytes, bytes.length);
    return out;
  }

  /** Returns a text for the library; NULL for null. */
  long text(String text) {
    if (text == null) return 0;
    if (text.indexOf('\0') >= 0) throw new PercaleException(Code.INVALID_ARGUMENT, "'" + text + "' holds a NUL");
    return bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  long path(Path path) {
    return path == null ? 0 : text(path.toString());
  }

  /** Returns an array of texts. */
  long texts(List<String> texts) {
    return longs(texts.stream().mapToLong(this::text).toArray());
  }

  /** Returns an array of numbers or pointers. */
  long longs(long... values) {
    long out = allocate(8L * values.length);
    RawMemory.write(out, values, 8L * values.length);
    return out;
  }

  long ints(int... values) {
    long out = allocate(4L * values.length);
    RawMemory.write(out, values, 4L * values.length);
    return out;
  }

  long doubles(double... values) {
    long out = allocate(8L * values.length);
    RawMemory.write(out, values, 8L * values.length);
    return out;
  }

  @Override
  public void close() {
    blocks.forEach(RawMemory::free);
  }
}
