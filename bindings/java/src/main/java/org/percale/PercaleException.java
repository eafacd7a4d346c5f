package org.percale;

import org.percale.raw.RawStatus;

/** An error of the library: a {@link Code} and a message. */
public class PercaleException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The code. */
  private final Code code;

  /**
   * Creates an error.
   *
   * @param code the kind of the error
   * @param message the message
   */
  public PercaleException(Code code, String message) {
    super(message);
    this.code = code;
  }

  /**
   * Returns the kind of the error.
   *
   * @return the code
   */
  public Code code() {
    return code;
  }

  /** Returns the code followed by the message. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + code + ": " + getMessage();
  }

  /** Converts a status to an exception and releases it. */
  static PercaleException take(long status) {
    Code code = Code.of(RawStatus.percale_status_code(status));
    String message = Native.borrowed(RawStatus.percale_status_message(status, 0));
    RawStatus.percale_status_release(status);
    return new PercaleException(code, message);
  }
}
