// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The table that a host supplies so that a trainer can join a group.
 */
public final class RawCollective {
  private RawCollective() {}

  /**
   * The number of bytes of the fields that this version of the header has; the library's may have
   * more.
   */
  public static final int SIZE = 48;

  /**
   * The field struct_size: sizeof(percale_collective), which the host sets.
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
   * The field rank: number of this process, from 0.
   *
   * @param struct a struct of the host
   * @param value int32_t
   */
  public static void rank(long struct, int value) {
    RawMemory.putInt(struct + 16, value);
  }

  /**
   * The field size: number of processes, 1 at least.
   *
   * @param struct a struct of the host
   * @param value int32_t
   */
  public static void size(long struct, int value) {
    RawMemory.putInt(struct + 20, value);
  }

  /**
   * The field generation: A number that is the same on all ranks, and grows when the group is
   * formed anew. The supplier refuses messages of older generations.
   *
   * @param struct a struct of the host
   * @param value uint64_t
   */
  public static void generation(long struct, long value) {
    RawMemory.putLong(struct + 24, value);
  }

  /**
   * The field exchange: required.
   *
   * @param struct a struct of the host
   * @param value percale_exchange_function
   */
  public static void exchange(long struct, long value) {
    RawMemory.putLong(struct + 32, value);
  }

  /**
   * The field lost: may be NULL.
   *
   * @param struct a struct of the host
   * @param value percale_lost_function
   */
  public static void lost(long struct, long value) {
    RawMemory.putLong(struct + 40, value);
  }
}
