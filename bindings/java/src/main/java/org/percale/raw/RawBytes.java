// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Memory of a message.
 */
public final class RawBytes {
  private RawBytes() {}

  /**
   * The fields as this version of the header has them.
   */
  public static final StructLayout LAYOUT = MemoryLayout.structLayout(
      ADDRESS.withName("data"),
      JAVA_LONG.withName("size"));

  /**
   * The field data: may be NULL if {@code size} is 0.
   *
   * @param struct a struct of the library
   * @return void*
   */
  public static MemorySegment data(MemorySegment struct) {
    return struct.get(ADDRESS, 0);
  }

  /**
   * The field size: in bytes.
   *
   * @param struct a struct of the library
   * @return size_t
   */
  public static long size(MemorySegment struct) {
    return struct.get(JAVA_LONG, 8);
  }
}
