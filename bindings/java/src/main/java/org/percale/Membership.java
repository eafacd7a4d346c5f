package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.percale.raw.RawBytes;
import org.percale.raw.RawCollective;

/**
 * A collective as the library calls it. It keeps the last exception of the collective until a
 * caller gets it.
 */
final class Membership implements Callbacks.Exchange {
  private final Collective collective;
  private final int size;
  private volatile Failure failure;

  /** An exception of the collective, and the message that the library has of it. */
  private record Failure(Throwable cause, String message) {}

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
      return status(error);
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
      return status(error);
    }
    return MemorySegment.NULL;
  }

  /** Keeps an exception of the collective, and returns it as a status for the library. */
  private MemorySegment status(Throwable error) {
    if (error instanceof InterruptedException) Thread.currentThread().interrupt();
    String message = error instanceof PercaleException own ? String.valueOf(own.getMessage()) : error.toString();
    failure = new Failure(error, message);
    return Native.status(code(error), message);
  }

  private static Code code(Throwable error) {
    return switch (error) {
      case PercaleException own -> own.code();
      case InterruptedException _ -> Code.CANCELLED;
      case IOException _ -> Code.UNAVAILABLE;
      case TimeoutException _ -> Code.UNAVAILABLE;
      default -> Code.ABORTED;
    };
  }

  /**
   * Returns the error, with the exception of the collective as its cause if it has its message. The
   * library may also have dealt with the exception, and have failed of another.
   */
  PercaleException explain(PercaleException error) {
    Failure last = failure;
    if (last != null && error.getCause() == null && error.getMessage().contains(last.message())) {
      failure = null;
      error.initCause(last.cause());
    }
    return error;
  }
}
