package org.percale.raw;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Native memory by its address, through java.lang.foreign, for Java 22 and newer. */
public final class RawMemory {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final MethodHandle CALLOC = Raw.standard("calloc", long.class, long.class, long.class);
  private static final MethodHandle FREE = Raw.standard("free", void.class, long.class);

  private RawMemory() {}

  public static long allocate(long bytes) {
    try {
      long address = (long) CALLOC.invokeExact(1L, bytes);
      if (address == 0) throw new OutOfMemoryError("no native memory for " + bytes + " bytes");
      return address;
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  public static void free(long address) {
    try {
      FREE.invokeExact(address);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  public static int getInt(long address) {
    return ALL.get(JAVA_INT_UNALIGNED, address);
  }

  public static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  public static double getDouble(long address) {
    return ALL.get(JAVA_DOUBLE_UNALIGNED, address);
  }

  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT_UNALIGNED, address, value);
  }

  public static void putLong(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  private static MemorySegment heap(Object array) {
    return switch (array) {
      case byte[] all -> MemorySegment.ofArray(all);
      case int[] all -> MemorySegment.ofArray(all);
      case long[] all -> MemorySegment.ofArray(all);
      case float[] all -> MemorySegment.ofArray(all);
      case double[] all -> MemorySegment.ofArray(all);
      default -> throw new IllegalArgumentException("no array of numbers: " + array.getClass().getTypeName());
    };
  }

  public static void read(long address, Object array, long bytes) {
    MemorySegment.copy(ALL, address, heap(array), 0, bytes);
  }

  public static void write(long address, Object array, long bytes) {
    MemorySegment.copy(heap(array), 0, ALL, address, bytes);
  }

  public static String text(long address) {
    return ALL.getString(address);
  }

  public static long address(Buffer buffer, int width) {
    return MemorySegment.ofBuffer(buffer).address();
  }

  public static ByteBuffer view(long address, int bytes, Runnable release) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, Arena.ofAuto(), ignored -> release.run()).asByteBuffer()
        .order(ByteOrder.nativeOrder());
  }
}
