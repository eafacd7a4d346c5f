package org.percale;

import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** Keeps the last exception of a callback that returns a status until a caller gets it. */
final class Failures {
  private volatile Failure last;

  /** An exception of the callback, and the message that the library has of it. */
  private static final class Failure {
    final Throwable cause;
    final String message;

    Failure(Throwable cause, String message) {
      this.cause = cause;
      this.message = message;
    }

    /**
     * True if the exception has caused the error. An interrupt also cancels the call that it ends,
     * whose error may be the first one.
     */
    boolean caused(PercaleException error) {
      return error.getMessage().contains(message)
          || (cause instanceof InterruptedException && error.code() == Code.CANCELLED);
    }
  }

  /** Keeps an exception, and returns it as a status for the library. */
  long status(Throwable error) {
    if (error instanceof InterruptedException) Thread.currentThread().interrupt();
    String message = error instanceof PercaleException ? String.valueOf(error.getMessage()) : error.toString();
    last = new Failure(error, message);
    return Native.status(code(error), message);
  }

  private static Code code(Throwable error) {
    if (error instanceof PercaleException) return ((PercaleException) error).code();
    if (error instanceof InterruptedException) return Code.CANCELLED;
    return error instanceof IOException || error instanceof TimeoutException ? Code.UNAVAILABLE : Code.ABORTED;
  }

  /**
   * Returns the error, with the last exception of the callback as its cause if it has caused it.
   * The library may also have dealt with the exception, and have failed of another.
   */
  PercaleException explain(PercaleException error) {
    Failure failure = last;
    if (failure != null && error.getCause() == null && failure.caused(error)) {
      last = null;
      error.initCause(failure.cause);
    }
    return error;
  }
}
