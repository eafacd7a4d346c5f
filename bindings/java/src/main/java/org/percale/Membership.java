package org.percale;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.percale.raw.RawBytes;
import org.percale.raw.RawCollective;
import org.percale.raw.RawMemory;

/** A collective as the library calls it. */
final class Membership implements Callbacks.Exchange {
  private final Collective collective;
  private final int size;
  private final Failures failures = new Failures();

  Membership(Collective collective) {
    this.collective = collective;
    this.size = collective.size();
  }

  /** Returns the table for percale_trainer_join(). */
  long table(Scratch scratch, long user) {
    long out = scratch.allocate(RawCollective.SIZE);
    RawCollective.struct_size(out, RawCollective.SIZE);
    RawCollective.user(out, user);
    RawCollective.rank(out, collective.rank());
    RawCollective.size(out, size);
    RawCollective.generation(out, collective.generation());
    RawCollective.exchange(out, Callbacks.EXCHANGE);
    RawCollective.lost(out, collective.reportsLosses() ? Callbacks.LOST : 0);
    return out;
  }

  /** Returns the memory of each message, which ends with the loan. */
  private ByteBuffer[] messages(Loan loan, long all, boolean writable) {
    ByteBuffer[] out = new ByteBuffer[size];
    for (int i = 0; i < size; ++i) {
      long message = all + (long) RawBytes.SIZE * i;
      out[i] = loan.lend(RawBytes.data(message), Native.size(RawBytes.size(message)), writable);
    }
    return out;
  }

  @Override
  public long exchange(long tag, long sends, long receives, long timeout) {
    // The collective may use threads of its own.
    try (Loan loan = new Loan(true)) {
      Duration limit = timeout < 0 ? null : Duration.ofNanos(timeout);
      collective.exchange(tag, messages(loan, sends, false), messages(loan, receives, true), limit);
      return 0;
    } catch (Throwable error) {
      return failures.status(error);
    }
  }

  @Override
  public long lost(long ranks, long count) {
    try {
      int[] found = collective.lost();
      if (found.length > RawMemory.getLong(count)) {
        throw new PercaleException(Code.INTERNAL, "the collective has lost " + found.length + " of " + size + " ranks");
      }
      RawMemory.write(ranks, found, 4L * found.length);
      RawMemory.putLong(count, found.length);
      return 0;
    } catch (Throwable error) {
      return failures.status(error);
    }
  }

  /** Returns the error, with the exception of the collective as its cause if there is one. */
  PercaleException explain(PercaleException error) {
    return failures.explain(error);
  }
}
