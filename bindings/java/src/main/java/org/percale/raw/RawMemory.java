package org.percale.raw;

import java.lang.ref.Cleaner;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Native memory by its address. Nothing checks that an address is valid. */
public final class RawMemory {
  private static final Cleaner CLEANER = Cleaner.create();

  static {
    Raw.open();
  }

  private RawMemory() {}

  /**
   * Returns zeroed memory.
   *
   * @param bytes the number of bytes, at least 1
   * @return its address, which {@link #free} takes
   */
  public static long allocate(long bytes) {
    long address = calloc(bytes);
    if (address == 0) throw new OutOfMemoryError("no native memory for " + bytes + " bytes");
    return address;
  }

  private static native long calloc(long bytes);

  /**
   * Frees memory of {@link #allocate}.
   *
   * @param address its address
   */
  public static native void free(long address);

  /**
   * Reads a number.
   *
   * @param address its address
   * @return the number
   */
  public static native int getInt(long address);

  /**
   * Reads a number or a pointer.
   *
   * @param address its address
   * @return the number
   */
  public static native long getLong(long address);

  /**
   * Reads a number.
   *
   * @param address its address
   * @return the number
   */
  public static native double getDouble(long address);

  /**
   * Writes a number.
   *
   * @param address its address
   * @param value the number
   */
  public static native void putInt(long address, int value);

  /**
   * Writes a number or a pointer.
   *
   * @param address its address
   * @param value the number
   */
  public static native void putLong(long address, long value);

  /**
   * Copies memory to an array.
   *
   * @param address the address of the memory
   * @param array an array of numbers
   * @param bytes the number of bytes, at most the size of the array
   */
  public static native void read(long address, Object array, long bytes);

  /**
   * Copies an array to memory.
   *
   * @param address the address of the memory
   * @param array an array of numbers
   * @param bytes the number of bytes, at most the size of the array
   */
  public static native void write(long address, Object array, long bytes);

  private static native int length(long text);

  /**
   * Returns a text that ends with NUL.
   *
   * @param address the address of its UTF-8
   * @return the text
   */
  public static String text(long address) {
    byte[] bytes = new byte[length(address)];
    read(address, bytes, bytes.length);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * Returns the address of the first remaining element of a direct buffer.
   *
   * @param buffer the buffer
   * @param width the number of bytes of an element
   * @return the address
   */
  public static long address(Buffer buffer, int width) {
    return start(buffer) + (long) buffer.position() * width;
  }

  private static native long start(Buffer buffer);

  private static native ByteBuffer buffer(long address, long bytes);

  /**
   * Returns memory as a direct buffer in native byte order.
   *
   * @param address the address of the memory
   * @param bytes the number of bytes
   * @param release runs once when neither the buffer nor a buffer made from it is reachable
   * @return the buffer
   */
  public static ByteBuffer view(long address, int bytes, Runnable release) {
    ByteBuffer out = buffer(address, bytes);
    CLEANER.register(out, release);
    return out.order(ByteOrder.nativeOrder());
  }
}
