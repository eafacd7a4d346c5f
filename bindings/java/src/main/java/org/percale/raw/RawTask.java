// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_task, as the header has them.
 */
public final class RawTask {
  private RawTask() {}

  static {
    Raw.bind(RawTask.class);
  }

  /**
   * Runs the task on the calling thread. A second call does nothing. NULL is allowed.
   *
   * @param task in percale_task*
   */
  public static native void percale_task_run(long task);

  /**
   * Releases the task, which need not have been run. NULL is allowed.
   *
   * @param task in percale_task*
   */
  public static native void percale_task_release(long task);
}
