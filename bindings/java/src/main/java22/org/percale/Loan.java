package org.percale;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory of the library as buffers for a function of the program, without copies. An arena ends the
 * loan.
 */
final class Loan implements AutoCloseable {
  private final Arena arena;

  /** Begins a loan. `anyThread` lets other threads than this one use the buffers. */
  Loan(boolean anyThread) {
    arena = anyThread ? Arena.ofShared() : Arena.ofConfined();
  }

  /** Returns memory of the library as a buffer in native byte order. */
  ByteBuffer lend(long address, int bytes, boolean writable) {
    ByteBuffer out = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null).asByteBuffer();
    return (writable ? out : out.asReadOnlyBuffer()).order(ByteOrder.nativeOrder());
  }

  /** Ends the loan. Later uses of the buffers throw an IllegalStateException. */
  @Override
  public void close() {
    arena.close();
  }
}
