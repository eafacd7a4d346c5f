package org.percale;

/**
 * A value inside a {@link GraphBuilder}: the output of a node, an input, a variable or a constant.
 */
public final class Value {
  /** Stands for an absent optional input. */
  public static final Value NONE = new Value(-1);

  private final int number;

  Value(int number) {
    this.number = number;
  }

  /** Returns the number that the library uses. */
  int number() {
    return number;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Value && number == ((Value) other).number;
  }

  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public String toString() {
    return "Value " + number;
  }
}
