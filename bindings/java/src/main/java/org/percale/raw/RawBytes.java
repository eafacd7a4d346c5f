// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * Memory of a message.
 */
public final class RawBytes {
  private RawBytes() {}

  /**
   * The number of bytes of the fields that this version of the header has.
   */
  public static final int SIZE = 16;

  /**
   * The field data: may be NULL if {@code size} is 0.
   *
   * @param struct a struct of the library
   * @return void*
   */
  public static long data(long struct) {
    return RawMemory.getLong(struct);
  }

  /**
   * The field size: in bytes.
   *
   * @param struct a struct of the library
   * @return size_t
   */
  public static long size(long struct) {
    return RawMemory.getLong(struct + 8);
  }
}
