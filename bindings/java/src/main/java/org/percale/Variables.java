package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.percale.raw.RawVariables;

/** The state table: named tensors that sessions and trainers share. Several threads may use it at once. */
public final class Variables extends NativeHandle {
  private Variables(MemorySegment pointer) {
    super(State.shared("table of variables", pointer, RawVariables::percale_variables_release));
  }

  static Variables take(MemorySegment pointer) {
    return new Variables(pointer);
  }

  /**
   * A table with the first values of the graph's variables.
   *
   * @param engine the engine
   * @param graph whose variables
   * @param seed feeds the initializers
   * @return the table
   */
  public static Variables create(Engine engine, Graph graph, long seed) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return engine.with(raw -> graph.with(
        whose -> take(Native.make(out -> RawVariables.percale_variables_create(raw, whose, seed, out)))));
  }

  /**
   * The names in ascending order.
   *
   * @return the names
   */
  public List<String> names() {
    return with(table -> Graph.names(i -> RawVariables.percale_variables_get_name(table, i)));
  }

  /**
   * How many variables there are.
   *
   * @return the number
   */
  public long size() {
    return with(RawVariables::percale_variables_count);
  }

  /**
   * The value of the newest version, which does not change any more.
   *
   * @param name of the variable
   * @return the value
   */
  public Tensor value(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Native.name(arena, name);
      return with(table -> Tensor.take(Native.make(out -> RawVariables.percale_variables_value(table, text, out))));
    }
  }

  /**
   * Publishes a new version with this value.
   *
   * @param name of the variable
   * @param value of its type and shape
   */
  public void assign(String name, Tensor value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Native.name(arena, name);
      check(table -> value.with(tensor -> RawVariables.percale_variables_assign(table, text, tensor)));
    }
  }

  /**
   * Takes the values of another table: of each variable that both have by name, with the same type
   * and shape.
   *
   * @param other the table whose values they are
   */
  public void assignAll(Variables other) {
    List<String> theirs = other.names();
    for (String name : names()) {
      if (!theirs.contains(name)) continue;
      try (Tensor own = value(name); Tensor value = other.value(name)) {
        if (own.toString().equals(value.toString())) assign(name, value);
      }
    }
  }

  /**
   * The number of the newest version.
   *
   * @return from 1 on
   */
  public long version() {
    return with(RawVariables::percale_variables_version);
  }

  /**
   * A digest over names, types, shapes and bytes of all variables, moving statistics too; the same in every
   * language.
   *
   * @return "sha256:..."
   */
  public String digest() {
    return with(table -> Native.text(Native.make(out -> RawVariables.percale_variables_digest(table, out))));
  }

  /**
   * Takes values from a safetensors file: each tensor whose name is a variable.
   *
   * @param path the file
   * @param strict whether a variable without one is an error
   */
  public void load(Path path, boolean strict) {
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      check(table -> RawVariables.percale_variables_load(table, name, strict ? 1 : 0));
    }
  }

  /**
   * Takes values of another model, under other names.
   *
   * @param path a safetensors file, a checkpoint, or a folder of them
   * @param fromTo from names of tensors to names of variables, in order, each with at most one '*', which stands for the same
   *     characters in both; from "" keeps the value
   * @param strict whether a variable without a tensor is an error
   * @return how many variables took a value
   */
  public long loadMapped(Path path, Map<String, String> fromTo, boolean strict) {
    Objects.requireNonNull(path, "path");
    Objects.requireNonNull(fromTo, "fromTo");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      MemorySegment from = Native.names(arena, new java.util.ArrayList<>(fromTo.keySet()));
      MemorySegment to = Native.names(arena, new java.util.ArrayList<>(fromTo.values()));
      MemorySegment loaded = arena.allocate(JAVA_LONG);
      check(table -> RawVariables.percale_variables_load_mapped(
          table, name, from, to, fromTo.size(), strict ? 1 : 0, loaded));
      return loaded.get(JAVA_LONG, 0);
    }
  }

  /**
   * Writes a safetensors file.
   *
   * @param path the file
   */
  public void save(Path path) {
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      check(table -> RawVariables.percale_variables_save(table, name));
    }
  }
}
