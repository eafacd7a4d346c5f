package org.percale;

/**
 * A value of a builder: what a node, an input or a constant gives.
 *
 * @param number the library's number
 */
public record Value(int number) {
  /** For an optional input that is absent. */
  public static final Value NONE = new Value(-1);
}
