package org.percale;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.percale.raw.RawMemory;

/** The name, type and shape of a feed or column. */
public final class TensorSpec {
  private final String name;
  private final DType dtype;
  private final long[] dims;

  /**
   * Describes a feed or column.
   *
   * @param name its name
   * @param dtype the type of its elements
   * @param dims its dims, -1 for an unknown dim; null if not even the rank is known
   */
  public TensorSpec(String name, DType dtype, long... dims) {
    this.name = name;
    this.dtype = dtype;
    this.dims = dims;
  }

  /**
   * Returns the name.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns the type of the elements.
   *
   * @return the type; null if it is unknown
   */
  public DType dtype() {
    return dtype;
  }

  /**
   * Returns a copy of the dims.
   *
   * @return the dims, -1 for an unknown dim; null if not even the rank is known
   */
  public long[] dims() {
    return dims == null ? null : dims.clone();
  }

  /** Compares names, types and dims. */
  @Override
  public boolean equals(Object other) {
    if (!(other instanceof TensorSpec)) return false;
    TensorSpec spec = (TensorSpec) other;
    return name.equals(spec.name) && dtype == spec.dtype && Arrays.equals(dims, spec.dims);
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
    try (Scratch scratch = new Scratch()) {
      long dtype = scratch.allocate(4);
      long dims = scratch.allocate(8 * Native.MAX_RANK);
      long rank = scratch.allocate(8);
      Native.check(function.write(dtype, dims, rank));
      long count = RawMemory.getLong(rank);
      long[] found = count < 0 ? null : Native.longs(dims, (int) count);
      return new TensorSpec(name, DType.of(RawMemory.getInt(dtype)), found);
    }
  }

  /** A function of the library that writes a type. */
  @FunctionalInterface
  interface TypeFunction {
    long write(long dtype, long dims, long rank);
  }

  long bytes() {
    return dtype.bytes(Arrays.stream(dims).reduce(1, Math::multiplyExact));
  }

  /** Several types in the form that the library takes. */
  static final class Raw {
    final long names;
    final long dtypes;
    final long dims;
    final long ranks;

    Raw(Scratch scratch, List<TensorSpec> specs) {
      names = scratch.texts(specs.stream().map(TensorSpec::name).collect(Collectors.toUnmodifiableList()));
      dtypes = scratch.ints(specs.stream().mapToInt(spec -> spec.dtype.number()).toArray());
      dims = scratch.longs(specs.stream().mapToLong(spec -> scratch.longs(spec.dims)).toArray());
      ranks = scratch.longs(specs.stream().mapToLong(spec -> spec.dims.length).toArray());
    }
  }
}
