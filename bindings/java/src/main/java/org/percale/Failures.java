package org.percale;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeoutException;

/** Keeps the last exception of a callback that returns a status until a caller gets it. */
final class Failures {
  private volatile Failure last;

  /** An exception of the callback, and the message that the library has of it. */
  private record Failure(Throwable cause, String message) {
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
  MemorySegment status(Throwable error) {
    if (error instanceof InterruptedException) Thread.currentThread().interrupt();
    String message = error instanceof PercaleException own ? String.valueOf(own.getMessage()) : error.toString();
    last = new Failure(error, message);
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
   * Returns the error, with the last exception of the callback as its cause if it has caused it.
   * The library may also have dealt with the exception, and have failed of another.
   */
  PercaleException explain(PercaleException error) {
    Failure failure = last;
    if (failure != null && error.getCause() == null && failure.caused(error)) {
      last = null;
      error.initCause(failure.cause());
    }
    return error;
  }
}
