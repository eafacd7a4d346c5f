package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;
import org.percale.raw.RawGraph;

/** A finished, immutable graph. Several threads may use it at once. */
public final class Graph extends NativeHandle {
  private Graph(MemorySegment pointer) {
    super(State.shared("graph", pointer, RawGraph::percale_graph_release));
  }

  static Graph take(MemorySegment pointer) {
    return new Graph(pointer);
  }

  /**
   * The graph with other dims of its inputs.
   *
   * @param dims "batch=?" (any size), "height=224", "x:0=8" (by input and axis)
   * @return the graph
   */
  public Graph withDims(String... dims) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment names = Native.names(arena, List.of(dims));
      return with(graph -> take(Native.make(out -> RawGraph.percale_graph_with_dims(graph, names, dims.length, out))));
    }
  }

  /**
   * A graph from a .percale file, whose weights are mapped.
   *
   * @param engine the engine
   * @param path the file
   * @return the graph
   */
  public static Graph load(Engine engine, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      return engine.with(raw -> take(Native.make(out -> RawGraph.percale_graph_load_file(raw, name, out))));
    }
  }

  /**
   * A graph from the bytes of a .percale file.
   *
   * @param engine the engine
   * @param bytes the bytes
   * @return the graph
   */
  public static Graph load(Engine engine, byte[] bytes) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(bytes, "bytes");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(JAVA_BYTE, bytes);
      return engine.with(raw -> take(Native.make(out -> RawGraph.percale_graph_load(raw, data, bytes.length, out))));
    }
  }

  /**
   * A graph of a foreign format, through an importer plug-in.
   *
   * @param engine whose plug-ins
   * @param format "onnx"
   * @param path the file
   * @return the graph
   */
  public static Graph importFile(Engine engine, String format, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment kind = Native.name(arena, format);
      MemorySegment name = Native.path(arena, path);
      return engine.with(raw -> take(Native.make(out -> RawGraph.percale_graph_import(raw, kind, name, out))));
    }
  }

  /**
   * The same from bytes. Files that a model of several would name are out of reach.
   *
   * @param engine whose plug-ins
   * @param format "onnx"
   * @param bytes the bytes
   * @return the graph
   */
  public static Graph importBytes(Engine engine, String format, byte[] bytes) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(bytes, "bytes");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment kind = Native.name(arena, format);
      MemorySegment data = arena.allocateFrom(JAVA_BYTE, bytes);
      return engine.with(raw ->
          take(Native.make(out -> RawGraph.percale_graph_import_bytes(raw, kind, data, bytes.length, out))));
    }
  }

  /**
   * Writes a .percale file, whole or not at all.
   *
   * @param variables whose values are the file's first values; may be null
   * @param path the file
   */
  public void save(Variables variables, Path path) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      check(graph -> withOptional(variables, values -> RawGraph.percale_graph_save_file(graph, values, name)));
    }
  }

  /**
   * The bytes that {@link #save} would write.
   *
   * @param variables whose values are the first values; may be null
   * @return the bytes
   */
  public byte[] serialize(Variables variables) {
    return with(graph -> withOptional(variables,
        values -> Native.bytes(Native.make(out -> RawGraph.percale_graph_serialize(graph, values, out)))));
  }

  /**
   * Writes a model of a foreign format through an importer plug-in, whole or not at all.
   *
   * @param engine whose plug-ins
   * @param variables whose values the model gets; may be null
   * @param format "onnx"
   * @param options of kind "export"
   * @param path the file
   */
  public void export(Engine engine, Variables variables, String format, Map<String, ?> options, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(path, "path");
    Options all = new Options("export");
    options.forEach(all::set);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment kind = Native.name(arena, format);
      MemorySegment name = Native.path(arena, path);
      check(graph -> engine.with(raw -> withOptional(variables,
          values -> all.with(chosen -> RawGraph.percale_graph_export(raw, graph, values, kind, chosen, name)))));
    }
  }

  /**
   * The bytes that {@link #export} would write.
   *
   * @param engine whose plug-ins
   * @param variables whose values the model gets; may be null
   * @param format "onnx"
   * @return the bytes
   */
  public byte[] exportBytes(Engine engine, Variables variables, String format) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment kind = Native.name(arena, format);
      return with(graph -> engine.with(raw -> withOptional(variables, values ->
          Native.bytes(Native.make(out -> RawGraph.percale_graph_export_bytes(raw, graph, values, kind, out))))));
    }
  }

  /** Names by number, until there is none. */
  static List<String> names(LongFunction<MemorySegment> name) {
    List<String> out = new ArrayList<>();
    for (long i = 0;; ++i) {
      String text = Native.borrowed(name.apply(i));
      if (text == null) return List.copyOf(out);
      out.add(text);
    }
  }

  /**
   * The inputs, in order.
   *
   * @return their names
   */
  public List<String> inputNames() {
    return with(graph -> names(i -> RawGraph.percale_graph_get_input_name(graph, i)));
  }

  /**
   * The outputs, in order.
   *
   * @return their names
   */
  public List<String> outputNames() {
    return with(graph -> names(i -> RawGraph.percale_graph_get_output_name(graph, i)));
  }

  /**
   * What is known of a value: an input, an output, or one within, which can be fed and fetched as well.
   *
   * @param name its name
   * @return its type
   */
  public TensorSpec valueType(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = Native.name(arena, name);
      return with(graph -> TensorSpec.ask(name,
          (dtype, dims, rank) -> RawGraph.percale_graph_value_type(graph, raw, dtype, dims, rank)));
    }
  }

  /**
   * The inputs, in order.
   *
   * @return their names and types
   */
  public List<TensorSpec> inputTypes() {
    return inputNames().stream().map(this::valueType).toList();
  }

  /**
   * The outputs, in order.
   *
   * @return their names and types
   */
  public List<TensorSpec> outputTypes() {
    return outputNames().stream().map(this::valueType).toList();
  }

  /**
   * Facts about the graph.
   *
   * @param what "summary" or "nodes"
   * @return JSON
   */
  public String describe(String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, what);
      return with(graph -> Native.text(Native.make(out -> RawGraph.percale_graph_describe(graph, name, out))));
    }
  }

  /**
   * A drawing of the graph.
   *
   * @param format "svg", or "html", a page to move, zoom, search and fold
   * @param trace the JSON of a {@link Trace}, whose times the nodes show; null: none
   * @return the file's text
   */
  public String draw(String format, String trace) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, format);
      MemorySegment times = Native.name(arena, trace);
      return with(graph -> Native.text(Native.make(out -> RawGraph.percale_graph_draw(graph, name, times, out))));
    }
  }
}
