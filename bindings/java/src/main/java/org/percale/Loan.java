package org.percale;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.percale.raw.RawMemory;

/**
 * Memory of the library as buffers for a function of the program. The buffers are copies, which are
 * written back at the end, because a buffer over foreign memory could be used after the loan.
 */
final class Loan implements AutoCloseable {
  private final List<Runnable> returns = new ArrayList<>();

  /** Begins a loan. `anyThread` lets other threads than this one use the buffers. */
  Loan(boolean anyThread) {}

  /** Returns memory of the library as a buffer in native byte order. */
  ByteBuffer lend(long address, int bytes, boolean writable) {
    byte[] copy = new byte[bytes];
    RawMemory.read(address, copy, bytes);
    ByteBuffer out = ByteBuffer.wrap(copy);
    if (writable) returns.add(() -> RawMemory.write(address, copy, bytes));
    return (writable ? out : out.asReadOnlyBuffer()).order(ByteOrder.nativeOrder());
  }

  /** Ends the loan. Later uses of the buffers do not reach the library. */
  @Override
  public void close() {
    returns.forEach(Runnable::run);
  }
}
