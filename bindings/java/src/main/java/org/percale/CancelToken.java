package org.percale;

import java.util.LinkedHashSet;
import java.util.Set;

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

  /** From now on the target runs when the token is cancelled. */
  synchronized void add(Runnable target) {
    targets.add(target);
    if (cancelled) target.run();
  }

  synchronized void remove(Runnable target) {
    targets.remove(target);
  }
}
