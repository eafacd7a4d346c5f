// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * A thread pool of the host.
 */
public final class RawThreadPool {
  private RawThreadPool() {}

  /**
   * The number of bytes of the fields that this version of the header has; the library's may have
   * more.
   */
  public static final int SIZE = 24;

  /**
   * The field struct_size: sizeof(percale_thread_pool), which the host sets.
   *
   * @param struct a struct of the host
   * @param value uint32_t
   */
  public static void struct_size(long struct, int value) {
    RawMemory.putInt(struct, value);
  }

  /**
   * The field user: passed to the function.
   *
   * @param struct a struct of the host
   * @param value void*
   */
  public static void user(long struct, long value) {
    RawMemory.putLong(struct + 8, value);
  }

  /**
   * The field execute: required.
   *
   * @param struct a struct of the host
   * @param value percale_execute_function
   */
  public static void execute(long struct, long value) {
    RawMemory.putLong(struct + 16, value);
  }
}
