package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * The name, type and shape of a feed or column.
 *
 * @param name its name
 * @param dtype the type of its elements
 * @param dims its dims, -1 for an unknown dim; null if not even the rank is known
 */
public record TensorSpec(String name, DType dtype, long... dims) {
  /**
   * Returns a copy of the dims.
   *
   * @return the dims
   */
  @Override
  public long[] dims() {
    return dims == null ? null : dims.clone();
  }

  /** Compares names, types and dims. */
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

  /** Returns the dtype, dims and rank that `function` writes. */
  static TensorSpec read(String name, TypeFunction function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment dtype = arena.allocate(JAVA_INT);
      MemorySegment dims = arena.allocate(JAVA_LONG, Native.MAX_RANK);
      MemorySegment rank = arena.allocate(JAVA_LONG);
      Native.check(function.write(dtype, dims, rank));
      long count = rank.get(JAVA_LONG, 0);
      return new TensorSpec(name, DType.of(dtype.get(JAVA_INT, 0)),
          count < 0 ? null : dims.asSlice(0, 8 * count).toArray(JAVA_LONG));
    }
  }

  /** A function of the library that writes a type. */
  @FunctionalInterface
  interface TypeFunction {
    MemorySegment write(MemorySegment dtype, MemorySegment dims, MemorySegment rank);
  }

  long bytes() {
    return dtype.bytes(Arrays.stream(dims).reduce(1, Math::multiplyExact));
  }

  /** Several types in the form that the library takes. */
  record Raw(MemorySegment names, MemorySegment dtypes, MemorySegment dims, MemorySegment ranks) {
    static Raw of(Arena arena, List<TensorSpec> specs) {
      return new Raw(Native.names(arena, specs.stream().map(TensorSpec::name).toList()),
          Native.ints(arena, specs.stream().mapToInt(spec -> spec.dtype.number()).toArray()),
          Native.pointers(arena, specs.stream().map(spec -> Native.longs(arena, spec.dims)).toList()),
          Native.longs(arena, specs.stream().mapToLong(spec -> spec.dims.length).toArray()));
    }
  }
}
