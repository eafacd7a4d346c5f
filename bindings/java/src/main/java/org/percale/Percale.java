package org.percale;

import org.percale.raw.RawLibrary;
import org.percale.raw.RawOptions;
import org.percale.raw.RawStatus;

/** Information about the loaded library. */
public final class Percale {
  private Percale() {}

  /**
   * Returns the version of the library.
   *
   * @return "major.minor.patch"
   */
  public static String version() {
    return Native.borrowed(RawLibrary.percale_version());
  }

  /**
   * Returns the version of the library's ABI.
   *
   * @return major * 1000 + minor
   */
  public static int abiVersion() {
    return RawLibrary.percale_abi_version();
  }

  /**
   * Returns all options of engines, sessions, trainers and exports.
   *
   * @return JSON: [{"kind","key","type","default","doc"}]
   */
  public static String describeOptions() {
    return Native.text(Native.make(RawOptions::percale_options_describe));
  }

  /**
   * Returns the number of errors that the library handed out and that are not released. It is for
   * leak tests.
   *
   * @return the number
   */
  public static long liveStatuses() {
    return RawStatus.percale_status_live_count();
  }
}
