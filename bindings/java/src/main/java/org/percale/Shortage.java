package org.percale;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Handles shortage of memory. The garbage collector does not see native bytes. This class therefore
 * requests a collection when the tensors that Java holds outgrow the heap, and when a call runs out
 * of memory. That call is then repeated, as the JDK does for direct buffers.
 */
final class Shortage {
  private static final String REMEDY =
      "; no garbage is left to free: close() tensors, results and sessions that are no longer needed";
  private static final long LEAST_PAUSE_MS = 16;
  private static final long LONGEST_PAUSE_MS = 256;
  private static final AtomicLong FREED = new AtomicLong();

  /** The number of bytes that tensors may hold before a collection is requested. */
  private static final long MOST_HELD = Runtime.getRuntime().maxMemory();
  private static final AtomicLong HELD = new AtomicLong();
  private static final AtomicLong SINCE_COLLECTION = new AtomicLong();

  private Shortage() {}

  /** Records that a tensor of this many bytes is now held. */
  static void hold(long bytes) {
    long held = HELD.addAndGet(bytes);
    long since = SINCE_COLLECTION.addAndGet(bytes);
    if (held < MOST_HELD || since < MOST_HELD || !SINCE_COLLECTION.compareAndSet(since, 0)) return;
    System.gc();
  }

  /** Records that a tensor of this many bytes was released. */
  static void letGo(long bytes) {
    HELD.addAndGet(-bytes);
  }

  /** Records that a handle was released. */
  static void freed() {
    FREED.incrementAndGet();
  }

  /**
   * Returns the result of the call, which may be repeated. If the call throws RESOURCE_EXHAUSTED,
   * it must have changed nothing.
   */
  static <T> T relieve(Supplier<T> call) {
    try {
      return call.get();
    } catch (PercaleException error) {
      if (!canRelieve(error)) throw error;
    }
    long freed = FREED.get();
    System.gc();
    // The thread of the Cleaner releases what the collection found while this thread waits. This
    // thread retries as long as handles are being released, and a little longer.
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

  /** True if a collection may help. False if an inner call has already tried that. */
  private static boolean canRelieve(PercaleException error) {
    return error.code() == Code.RESOURCE_EXHAUSTED && !error.getMessage().endsWith(REMEDY);
  }

  /** Returns true if an interrupt ended the pause. The thread stays interrupted. */
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
