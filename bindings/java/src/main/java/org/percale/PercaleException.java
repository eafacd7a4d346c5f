package org.percale;

import java.lang.foreign.MemorySegment;
import org.percale.raw.RawStatus;

/** An error of the library: a {@link Code} and its message. */
public class PercaleException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The code. */
  private final Code code;

  /**
   * An error of one's own, in the library's words.
   *
   * @param code what kind of error it is
   * @param message the message
   */
  public PercaleException(Code code, String message) {
    super(message);
    this.code = code;
  }

  /**
   * What kind of error it is.
   *
   * @return the code
   */
  public Code code() {
    return code;
  }

  /** The code before the message. */
  @Override
  public String toString() {
    return getClass().getName() + ": " + code + ": " + getMessage();
  }

  /** Takes a status over. */
  static PercaleException take(MemorySegment status) {
    Code code = Code.of(RawStatus.percale_status_code(status));
    String message = Native.borrowed(RawStatus.percale_status_message(status, MemorySegment.NULL));
    RawStatus.percale_status_release(status);
    return new PercaleException(code, message);
  }
}
