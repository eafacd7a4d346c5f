package org.percale;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Shortage of memory. Native bytes put no pressure on the garbage collector. So it is told to
 * collect when the tensors that Java holds outgrow its heap, and when a call finds no memory left;
 * the call is tried again then, as the JDK does for direct buffers.
 */
final class Shortage {
  private static final String REMEDY =
      "; no garbage is left to free: close() tensors, results and sessions that are no longer needed";
  private static final long LEAST_PAUSE_MS = 16;
  private static final long LONGEST_PAUSE_MS = 256;
  private static final AtomicLong FREED = new AtomicLong();

  /** Bytes of tensors that are held without a word to the collector. */
  private static final long MOST_HELD = Runtime.getRuntime().maxMemory();
  private static final AtomicLong HELD = new AtomicLong();
  private static final AtomicLong SINCE_COLLECTION = new AtomicLong();

  private Shortage() {}

  /** A tensor of so many bytes is held from now on. */
  static void hold(long bytes) {
    long held = HELD.addAndGet(bytes);
    long since = SINCE_COLLECTION.addAndGet(bytes);
    if (held < MOST_HELD || since < MOST_HELD || !SINCE_COLLECTION.compareAndSet(since, 0)) return;
    System.gc();
  }

  /** A tensor of so many bytes was given back. */
  static void letGo(long bytes) {
    HELD.addAndGet(-bytes);
  }

  /** A handle was given back. */
  static void freed() {
    FREED.incrementAndGet();
  }

  /**
   * What the call gives, which must leave everything as it was where it throws RESOURCE_EXHAUSTED.
   */
  static <T> T relieve(Supplier<T> call) {
    try {
      return call.get();
    } catch (PercaleException error) {
      if (!canRelieve(error)) throw error;
    }
    long freed = FREED.get();
    System.gc();
    // The Cleaner's thread gives back what the collection found, while this one waits: as long as
    // it does, and a little longer.
    for (long pause = 1;; pause *= 2) {
      boolean interrupted = sleep(pause);
      try {
        return call.get();
      } catch (PercaleException error) {
        if (!canRelieve(error)) throw error;
        boolean idle = freed == FREED.get() && pause >= LEAST_PAUSE_MS;
        if (idle || interrupted || pause >= LONGEST_PAUSE_MS) {
          throw new PercaleException(error.code(), error.getMessage() + REMEDY);
        }
        freed = FREED.get();
      }
    }
  }

  /** Whether a collection may help: not where a call within has tried that already. */
  private static boolean canRelieve(PercaleException error) {
    return error.code() == Code.RESOURCE_EXHAUSTED && !error.getMessage().endsWith(REMEDY);
  }

  /** Whether an interrupt has ended the pause; the thread stays interrupted. */
  private static boolean sleep(long milliseconds) {
    try {
      Thread.sleep(milliseconds);
      return false;
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
