// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawTask through java.lang.foreign, for Java 22 and newer.
 */
public final class RawTask {
  private RawTask() {}

  private static final MethodHandle PERCALE_TASK_RUN_ =
      Raw.function("percale_task_run", void.class, long.class);

  public static void percale_task_run(long task) {
    try {
      PERCALE_TASK_RUN_.invokeExact(task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TASK_RELEASE_ =
      Raw.function("percale_task_release", void.class, long.class);

  public static void percale_task_release(long task) {
    try {
      PERCALE_TASK_RELEASE_.invokeExact(task);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
