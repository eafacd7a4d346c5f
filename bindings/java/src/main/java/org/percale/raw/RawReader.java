// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * Files of the host. Several threads may call the functions at a time, within calls of the host
 * that read files. They must not use objects that the same call uses.
 */
public final class RawReader {
  private RawReader() {}

  /**
   * The number of bytes of the fields that this version of the header has; the library's may have
   * more.
   */
  public static final int SIZE = 32;

  /**
   * The field struct_size: sizeof(percale_reader), which the host sets.
   *
   * @param struct a struct of the host
   * @param value uint32_t
   */
  public static void struct_size(long struct, int value) {
    RawMemory.putInt(struct, value);
  }

  /**
   * The field user: passed to the functions.
   *
   * @param struct a struct of the host
   * @param value void*
   */
  public static void user(long struct, long value) {
    RawMemory.putLong(struct + 8, value);
  }

  /**
   * The field size: required.
   *
   * @param struct a struct of the host
   * @param value percale_file_size_function
   */
  public static void size(long struct, long value) {
    RawMemory.putLong(struct + 16, value);
  }

  /**
   * The field read: required.
   *
   * @param struct a struct of the host
   * @param value percale_file_read_function
   */
  public static void read(long struct, long value) {
    RawMemory.putLong(struct + 24, value);
  }
}
