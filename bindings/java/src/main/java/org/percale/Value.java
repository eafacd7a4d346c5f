package org.percale;

/**
 * A value inside a {@link GraphBuilder}: the output of a node, an input, a variable or a constant.
 *
 * @param number the number that the library uses
 */
public record Value(int number) {
  /** Stands for an absent optional input. */
  public static final Value NONE = new Value(-1);
}
