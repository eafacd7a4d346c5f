package org.percale;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.percale.raw.RawCancellation;

/** Ends runs and trainings that were given this token, from any thread. Once cancelled it stays so, and whatever begins with it ends
 * at once. */
public final class CancelToken {
  private final Set<Runnable> targets = new LinkedHashSet<>();
  private boolean cancelled;

  /** A token that is not cancelled. */
  public CancelToken() {}

  /** Ends everything that runs with this token. */
  public synchronized void cancel() {
    cancelled = true;
    targets.forEach(Runnable::run);
  }

  /**
   * Whether it was cancelled.
   *
   * @return whether
   */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Throws a {@link PercaleException} with {@link Code#CANCELLED} when it was cancelled. */
  public void check() {
    if (isCancelled()) throw new PercaleException(Code.CANCELLED, "the token was cancelled");
  }

  /**
   * Calls the library with a cancellation that is cancelled with the token, which may be null, and
   * by an interrupt of this thread.
   */
  static <T> T during(CancelToken token, Function<MemorySegment, T> call) {
    MemorySegment cancellation = Native.make(RawCancellation::percale_cancellation_create);
    try {
      return during(token, () -> RawCancellation.percale_cancellation_cancel(cancellation), () -> call.apply(cancellation));
    } finally {
      RawCancellation.percale_cancellation_release(cancellation);
    }
  }

  /**
   * Calls what `cancel` ends: the token, which may be null, and an interrupt of this thread run it.
   */
  static <T> T during(CancelToken token, Runnable cancel, Supplier<T> call) {
    if (token == null) return Interrupts.during(cancel, call);
    token.check();
    token.add(cancel);
    try {
      return Interrupts.during(cancel, call);
    } finally {
      token.remove(cancel);
    }
  }

  /** From now on the target runs when the token is cancelled. */
  synchronized void add(Runnable target) {
    targets.add(target);
    if (cancelled) target.run();
  }

  synchronized void remove(Runnable target) {
    targets.remove(target);
  }
}
