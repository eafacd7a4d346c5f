package org.percale;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * The name, type and shape of a feed or column.
 *
 * @param name its name
 * @param dtype the type of its elements
 * @param dims its dims
 */
public record TensorSpec(String name, DType dtype, long... dims) {
  /**
   * A copy of the dims.
   *
   * @return the dims
   */
  @Override
  public long[] dims() {
    return dims.clone();
  }

  /** Equal in name, type and dims. */
  @Override
  public boolean equals(Object other) {
    return other instanceof TensorSpec spec && name.equals(spec.name) && dtype == spec.dtype
        && Arrays.equals(dims, spec.dims);
  }

  @Override
  public int hashCode() {
    return name.hashCode() ^ Arrays.hashCode(dims);
  }

  @Override
  public String toString() {
    return name + " " + dtype + " " + Arrays.toString(dims);
  }

  long bytes() {
    return dtype.bytes(Arrays.stream(dims).reduce(1, Math::multiplyExact));
  }

  /** Several as the library takes them. */
  record Raw(MemorySegment names, MemorySegment dtypes, MemorySegment dims, MemorySegment ranks) {
    static Raw of(Arena arena, List<TensorSpec> specs) {
      return new Raw(Native.names(arena, specs.stream().map(TensorSpec::name).toList()),
          Native.ints(arena, specs.stream().mapToInt(spec -> spec.dtype.number()).toArray()),
          Native.pointers(arena, specs.stream().map(spec -> Native.longs(arena, spec.dims)).toList()),
          Native.longs(arena, specs.stream().mapToLong(spec -> spec.dims.length).toArray()));
    }
  }
}
