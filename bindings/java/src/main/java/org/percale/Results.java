package org.percale;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a run, or the columns of a batch: tensors by name and by index, which are closed
 * together.
 */
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
   * Returns the version of the variables that the run read. A {@link PreparedCall} has its own
   * method.
   *
   * @return the number, as in {@link Variables#version}; 0 for a graph without variables, for a
   *     batch, and for the values of a training step
   */
  public long variablesVersion() {
    return variablesVersion;
  }

  /**
   * Returns the names, in order.
   *
   * @return the names
   */
  public List<String> names() {
    return names;
  }

  /**
   * Returns the number of tensors.
   *
   * @return the number
   */
  public int size() {
    return tensors.size();
  }

  /** Returns the tensors by name. */
  Map<String, Tensor> byName() {
    Map<String, Tensor> out = new LinkedHashMap<>();
    for (int i = 0; i < tensors.size(); ++i) out.put(names.get(i), tensors.get(i));
    return out;
  }

  /**
   * Returns a tensor by index.
   *
   * @param index from 0
   * @return the tensor
   */
  public Tensor get(int index) {
    return tensors.get(index);
  }

  /**
   * Returns a tensor by name.
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

  /** Returns the names and types of the tensors. */
  @Override
  public String toString() {
    StringBuilder out = new StringBuilder("Results[");
    for (int i = 0; i < tensors.size(); ++i) out.append(i > 0 ? ", " : "").append(names.get(i)).append(": ").append(tensors.get(i));
    return out.append("]").toString();
  }
}
