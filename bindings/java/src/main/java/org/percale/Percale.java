package org.percale;

import org.percale.raw.RawLibrary;
import org.percale.raw.RawOptions;
import org.percale.raw.RawStatus;

/** Facts about the library that is loaded. */
public final class Percale {
  private Percale() {}

  /**
   * The version of the library.
   *
   * @return "major.minor.patch"
   */
  public static String version() {
    return Native.borrowed(RawLibrary.percale_version());
  }

  /**
   * The version of the library's ABI.
   *
   * @return major * 1000 + minor
   */
  public static int abiVersion() {
    return RawLibrary.percale_abi_version();
  }

  /**
   * All options of engines, sessions, trainers and exports.
   *
   * @return JSON: [{"kind","key","type","default","doc"}]
   */
  public static String describeOptions() {
    return Native.text(Native.make(RawOptions::percale_options_describe));
  }

  /**
   * Errors that the library handed out and that were not taken: for tests of leaks.
   *
   * @return how many
   */
  public static long liveStatuses() {
    return RawStatus.percale_status_live_count();
  }
}
