package org.percale;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.percale.raw.RawCancellation;

/**
 * Ends the runs and trainings that it was passed to, from any thread. A cancelled token stays
 * cancelled: calls that begin with it end at once.
 */
public final class CancelToken {
  private final Set<Runnable> targets = new LinkedHashSet<>();
  private boolean cancelled;

  /** Creates a token that is not cancelled. */
  public CancelToken() {}

  /** Ends everything that runs with this token. */
  public synchronized void cancel() {
    cancelled = true;
    targets.forEach(Runnable::run);
  }

  /**
   * Returns whether the token was cancelled.
   *
   * @return true if it was cancelled
   */
  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Throws a {@link PercaleException} with {@link Code#CANCELLED} if the token was cancelled. */
  public void check() {
    if (isCancelled()) throw new PercaleException(Code.CANCELLED, "the token was cancelled");
  }

  /**
   * Calls the library with a cancellation. The token, which may be null, and an interrupt of this
   * thread cancel it.
   */
  static <T> T during(CancelToken token, LongFunction<T> call) {
    long cancellation = Native.make(RawCancellation::percale_cancellation_create);
    try {
      return during(token, () -> RawCancellation.percale_cancellation_cancel(cancellation), () -> call.apply(cancellation));
    } finally {
      RawCancellation.percale_cancellation_release(cancellation);
    }
  }

  /**
   * Runs a call that `cancel` ends. The token, which may be null, and an interrupt of this thread
   * run `cancel`.
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

  /** Makes the token run the target when it is cancelled, or now if it already is. */
  synchronized void add(Runnable target) {
    targets.add(target);
    if (cancelled) target.run();
  }

  synchronized void remove(Runnable target) {
    targets.remove(target);
  }
}
