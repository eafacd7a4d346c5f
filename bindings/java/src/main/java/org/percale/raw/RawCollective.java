// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The table that a host supplies so that a trainer can join a group.
 */
public final class RawCollective {
  private RawCollective() {}

  /**
   * The fields as this version of the header has them; the library's may have more.
   */
  public static final StructLayout LAYOUT = MemoryLayout.structLayout(
      JAVA_INT.withName("struct_size"),
      MemoryLayout.paddingLayout(4),
      ADDRESS.withName("user"),
      JAVA_INT.withName("rank"),
      JAVA_INT.withName("size"),
      JAVA_LONG.withName("generation"),
      ADDRESS.withName("exchange"),
      ADDRESS.withName("lost"));

  /**
   * The field struct_size: sizeof(percale_collective), which the host sets.
   *
   * @param struct a struct of the host
   * @param value uint32_t
   */
  public static void struct_size(MemorySegment struct, int value) {
    struct.set(JAVA_INT, 0, value);
  }

  /**
   * The field user: passed to the functions.
   *
   * @param struct a struct of the host
   * @param value void*
   */
  public static void user(MemorySegment struct, MemorySegment value) {
    struct.set(ADDRESS, 8, value);
  }

  /**
   * The field rank: number of this process, from 0.
   *
   * @param struct a struct of the host
   * @param value int32_t
   */
  public static void rank(MemorySegment struct, int value) {
    struct.set(JAVA_INT, 16, value);
  }

  /**
   * The field size: number of processes, 1 at least.
   *
   * @param struct a struct of the host
   * @param value int32_t
   */
  public static void size(MemorySegment struct, int value) {
    struct.set(JAVA_INT, 20, value);
  }

  /**
   * The field generation: A number that is the same on all ranks, and grows when the group is
   * formed anew. The supplier refuses messages of older generations.
   *
   * @param struct a struct of the host
   * @param value uint64_t
   */
  public static void generation(MemorySegment struct, long value) {
    struct.set(JAVA_LONG, 24, value);
  }

  /**
   * The field exchange: required.
   *
   * @param struct a struct of the host
   * @param value percale_exchange_function
   */
  public static void exchange(MemorySegment struct, MemorySegment value) {
    struct.set(ADDRESS, 32, value);
  }

  /**
   * The field lost: may be NULL.
   *
   * @param struct a struct of the host
   * @param value percale_lost_function
   */
  public static void lost(MemorySegment struct, MemorySegment value) {
    struct.set(ADDRESS, 40, value);
  }
}
