package org.percale;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Lets {@link Thread#interrupt} end calls of the library. The library does not notice interrupts,
 * so a thread of this class polls for them.
 */
final class Interrupts {
  private static final long LOOK_NS = 10_000_000;
  private static final Set<Watch> WATCHES = ConcurrentHashMap.newKeySet();
  private static final Thread WATCHER = startWatcher();
  private static volatile boolean idle;

  private Interrupts() {}

  private static Thread startWatcher() {
    Thread thread = new Thread(Interrupts::look, "percale-interrupts");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static final class Watch {
    private final Thread thread = Thread.currentThread();
    private final Runnable cancel;
    private boolean ended;
    private boolean fired;

    Watch(Runnable cancel) {
      this.cancel = cancel;
    }

    synchronized void look() {
      if (ended || !thread.isInterrupted()) return;
      fired = true;
      cancel.run();
    }

    /** Makes sure that `cancel` does not run from now on. Returns whether it has run. */
    synchronized boolean end() {
      ended = true;
      return fired;
    }
  }

  /**
   * Returns the result of the call. An interrupt of this thread, also an earlier one, runs `cancel`
   * on another thread, possibly more than once. The call then throws CANCELLED. The thread stays
   * interrupted.
   */
  static <T> T during(Runnable cancel, Supplier<T> call) {
    if (Thread.currentThread().isInterrupted()) throw interrupted();
    Watch watch = new Watch(cancel);
    WATCHES.add(watch);
    if (idle) LockSupport.unpark(WATCHER);
    try {
      return call.get();
    } catch (PercaleException error) {
      throw watch.end() && error.code() == Code.CANCELLED ? interrupted() : error;
    } finally {
      watch.end();
      WATCHES.remove(watch);
    }
  }

  private static PercaleException interrupted() {
    return new PercaleException(Code.CANCELLED, "the thread was interrupted");
  }

  private static void look() {
    for (;;) {
      idle = true;
      if (WATCHES.isEmpty()) LockSupport.park(WATCHES);
      idle = false;
      LockSupport.parkNanos(WATCHES, LOOK_NS);
      WATCHES.forEach(Watch::look);
    }
  }
}
