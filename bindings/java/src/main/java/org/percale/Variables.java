package org.percale;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.percale.raw.RawMemory;
import org.percale.raw.RawVariables;

/** A table of named tensors that sessions and trainers share. Any number of threads may use it. */
public final class Variables extends NativeHandle {
  private Variables(long pointer) {
    super(State.shared("table of variables", pointer, RawVariables::percale_variables_release));
  }

  static Variables take(long pointer) {
    return new Variables(pointer);
  }

  /**
   * Creates a table with the initial values of the graph's variables.
   *
   * @param engine the engine
   * @param graph the graph with the variables
   * @param seed the seed for the initializers
   * @return the table
   */
  public static Variables create(Engine engine, Graph graph, long seed) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return engine.with(raw -> graph.with(
        whose -> take(Native.make(out -> RawVariables.percale_variables_create(raw, whose, seed, out)))));
  }

  /**
   * Returns the names in ascending order.
   *
   * @return the names
   */
  public List<String> names() {
    return with(table -> Graph.names(i -> RawVariables.percale_variables_get_name(table, i)));
  }

  /**
   * Returns the number of variables.
   *
   * @return the number
   */
  public long size() {
    return with(RawVariables::percale_variables_count);
  }

  /**
   * Returns the newest value of a variable. The tensor never changes.
   *
   * @param name the name of the variable
   * @return the value
   */
  public Tensor value(String name) {
    try (Scratch scratch = new Scratch()) {
      long text = scratch.text(name);
      return with(table -> Tensor.take(Native.make(out -> RawVariables.percale_variables_value(table, text, out))));
    }
  }

  /**
   * Publishes a new version with this value.
   *
   * @param name the name of the variable
   * @param value the value, with the type and shape of the variable
   */
  public void assign(String name, Tensor value) {
    try (Scratch scratch = new Scratch()) {
      long text = scratch.text(name);
      check(table -> value.with(tensor -> RawVariables.percale_variables_assign(table, text, tensor)));
    }
  }

  /**
   * Takes the values of all variables that exist in both tables with the same name, type and shape.
   *
   * @param other the table to copy from
   */
  public void assignAll(Variables other) {
    List<String> theirs = other.names();
    for (String name : names()) {
      if (!theirs.contains(name)) continue;
      try (Tensor own = value(name); Tensor value = other.value(name)) {
        if (own.dtype() == value.dtype() && Arrays.equals(own.dims(), value.dims())) assign(name, value);
      }
    }
  }

  /**
   * Returns the number of the newest version.
   *
   * @return the number, from 1
   */
  public long version() {
    return with(RawVariables::percale_variables_version);
  }

  /**
   * Returns a digest of the names, types, shapes and bytes of all variables except optimizer slots.
   * It is the same in every language.
   *
   * @return "sha256:..."
   */
  public String digest() {
    return with(table -> Native.text(Native.make(out -> RawVariables.percale_variables_digest(table, out))));
  }

  /**
   * Takes values from a safetensors file: every tensor with the name of a variable.
   *
   * @param path the file
   * @param strict whether a variable without a tensor is an error
   */
  public void load(Path path, boolean strict) {
    Objects.requireNonNull(path, "path");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      check(table -> RawVariables.percale_variables_load(table, name, strict ? 1 : 0));
    }
  }

  /**
   * Takes values from the remaining bytes of a direct buffer with a safetensors file, without a
   * copy of tensors that begin at a multiple of 64 in memory. The buffer stays reachable, and must
   * not change, as long as a value lies in it.
   *
   * @param buffer the bytes
   * @param strict whether a variable without a tensor is an error
   * @return the number of bytes that were copied
   */
  public long load(ByteBuffer buffer, boolean strict) {
    Objects.requireNonNull(buffer, "buffer");
    try (Scratch scratch = new Scratch()) {
      long count = scratch.allocate(8);
      return with(table -> Supplied.lend(buffer, "Variables.load()", (address, bytes, user) -> {
        Native.check(RawVariables.percale_variables_load_memory(
            table, address, bytes, Callbacks.DELETER, user, strict ? 1 : 0, count));
        return RawMemory.getLong(count);
      }));
    }
  }

  /**
   * Takes values from another model, under other names.
   *
   * @param path a safetensors file, a checkpoint, or a folder of checkpoints
   * @param fromTo maps names of tensors to names of variables; the first match counts. Both may
   *     contain one '*', which stands for the same characters. "" as the tensor leaves the variable
   *     unchanged
   * @param strict whether a variable without a tensor is an error
   * @return the number of variables that took a value
   */
  public long loadMapped(Path path, Map<String, String> fromTo, boolean strict) {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(fromTo, "fromTo");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      long from = scratch.texts(new ArrayList<>(fromTo.keySet()));
      long to = scratch.texts(new ArrayList<>(fromTo.values()));
      long loaded = scratch.allocate(8);
      check(table -> RawVariables.percale_variables_load_mapped(
          table, name, from, to, fromTo.size(), strict ? 1 : 0, loaded));
      return RawMemory.getLong(loaded);
    }
  }

  /**
   * Writes the newest values to a safetensors file.
   *
   * @param path the file
   */
  public void save(Path path) {
    Objects.requireNonNull(path, "path");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      check(table -> RawVariables.percale_variables_save(table, name));
    }
  }
}
