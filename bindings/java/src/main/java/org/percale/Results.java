package org.percale;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of a run, or the columns of a batch: tensors by name and by number, closed together. */
public final class Results implements AutoCloseable, Iterable<Tensor> {
  private final List<String> names;
  private final List<Tensor> tensors;
  private final long variablesVersion;

  Results(List<String> names, List<Tensor> tensors) {
    this(names, tensors, 0);
  }

  Results(List<String> names, List<Tensor> tensors, long variablesVersion) {
    this.names = names;
    this.tensors = tensors;
    this.variablesVersion = variablesVersion;
  }

  /**
   * The number of the variables' version that the run has read. It is told of asynchronous runs and
   * of those with a token; a {@link PreparedCall} tells its own.
   *
   * @return the number, as {@link Variables#version}; 0 where it is not told, for a graph without variables, and for data
   */
  public long variablesVersion() {
    return variablesVersion;
  }

  /**
   * The names in order.
   *
   * @return the names
   */
  public List<String> names() {
    return names;
  }

  /**
   * How many there are.
   *
   * @return the number
   */
  public int size() {
    return tensors.size();
  }

  /** The tensors by their names. */
  Map<String, Tensor> byName() {
    Map<String, Tensor> out = new LinkedHashMap<>();
    for (int i = 0; i < tensors.size(); ++i) out.put(names.get(i), tensors.get(i));
    return out;
  }

  /**
   * A tensor by number.
   *
   * @param index from 0
   * @return the tensor
   */
  public Tensor get(int index) {
    return tensors.get(index);
  }

  /**
   * A tensor by name.
   *
   * @param name the name
   * @return the tensor
   */
  public Tensor get(String name) {
    int index = names.indexOf(name);
    if (index < 0) throw new PercaleException(Code.NOT_FOUND, "there is no '" + name + "' among " + names);
    return tensors.get(index);
  }

  @Override
  public Iterator<Tensor> iterator() {
    return tensors.iterator();
  }

  /** Closes all tensors. */
  @Override
  public void close() {
    tensors.forEach(Tensor::close);
  }

  /** Names and types of the tensors. */
  @Override
  public String toString() {
    StringBuilder out = new StringBuilder("Results[");
    for (int i = 0; i < tensors.size(); ++i) out.append(i > 0 ? ", " : "").append(names.get(i)).append(": ").append(tensors.get(i));
    return out.append("]").toString();
  }
}
