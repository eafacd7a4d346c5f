package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.percale.raw.RawBytes;
import org.percale.raw.RawCollective;

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
  MemorySegment table(Arena arena, MemorySegment user) {
    MemorySegment out = arena.allocate(RawCollective.LAYOUT);
    RawCollective.struct_size(out, (int) RawCollective.LAYOUT.byteSize());
    RawCollective.user(out, user);
    RawCollective.rank(out, collective.rank());
    RawCollective.size(out, size);
    RawCollective.generation(out, collective.generation());
    RawCollective.exchange(out, Callbacks.EXCHANGE);
    RawCollective.lost(out, collective.reportsLosses() ? Callbacks.LOST : MemorySegment.NULL);
    return out;
  }

  /** Returns the memory of each message, which ends with the arena. */
  private MemorySegment[] messages(MemorySegment all, Arena arena) {
    long step = RawBytes.LAYOUT.byteSize();
    MemorySegment array = all.reinterpret(step * size);
    MemorySegment[] out = new MemorySegment[size];
    for (int i = 0; i < size; ++i) {
      MemorySegment message = array.asSlice(step * i, step);
      out[i] = RawBytes.data(message).reinterpret(RawBytes.size(message), arena, null);
    }
    return out;
  }

  @Override
  public MemorySegment exchange(long tag, MemorySegment sends, MemorySegment receives, long timeout) {
    // The collective may use threads of its own.
    try (Arena arena = Arena.ofShared()) {
      MemorySegment[] to = messages(sends, arena);
      for (int i = 0; i < size; ++i) to[i] = to[i].asReadOnly();
      collective.exchange(tag, to, messages(receives, arena), timeout < 0 ? null : Duration.ofNanos(timeout));
    } catch (Throwable error) {
      return failures.status(error);
    }
    return MemorySegment.NULL;
  }

  @Override
  public MemorySegment lost(MemorySegment ranks, MemorySegment count) {
    try {
      int[] found = collective.lost();
      MemorySegment room = count.reinterpret(JAVA_LONG.byteSize());
      if (found.length > room.get(JAVA_LONG, 0)) {
        throw new PercaleException(Code.INTERNAL, "the collective has lost " + found.length + " of " + size + " ranks");
      }
      ranks.reinterpret(JAVA_INT.byteSize() * found.length).copyFrom(MemorySegment.ofArray(found));
      room.set(JAVA_LONG, 0, found.length);
    } catch (Throwable error) {
      return failures.status(error);
    }
    return MemorySegment.NULL;
  }

  /** Returns the error, with the exception of the collective as its cause if there is one. */
  PercaleException explain(PercaleException error) {
    return failures.explain(error);
  }
}
