package org.percale;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.percale.raw.RawGraph;
import org.percale.raw.RawMemory;

/** A finished, immutable graph. Any number of threads may use it. */
public final class Graph extends NativeHandle {
  private Graph(long pointer) {
    super(State.shared("graph", pointer, RawGraph::percale_graph_release));
  }

  static Graph take(long pointer) {
    return new Graph(pointer);
  }

  /**
   * Returns the graph with other dims of its inputs.
   *
   * @param dims "batch=?" (any size), "height=224" (by name), or "x:0=8" (by input and axis)
   * @return the graph
   */
  public Graph withDims(String... dims) {
    try (Scratch scratch = new Scratch()) {
      long names = scratch.texts(List.of(dims));
      return with(graph -> take(Native.make(out -> RawGraph.percale_graph_with_dims(graph, names, dims.length, out))));
    }
  }

  /**
   * Loads a graph from a .percale file. Its weights are mapped into memory unless the engine option
   * "map_files" is off. A mapped file may be replaced by a rename, or removed; truncating it can
   * end the process.
   *
   * @param engine the engine
   * @param path the file
   * @return the graph
   */
  public static Graph load(Engine engine, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(path, "path");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      return engine.with(raw -> take(Native.make(out -> RawGraph.percale_graph_load_file(raw, name, out))));
    }
  }

  /**
   * Loads a graph from the bytes of a .percale file.
   *
   * @param engine the engine
   * @param bytes the bytes
   * @return the graph
   */
  public static Graph load(Engine engine, byte[] bytes) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(bytes, "bytes");
    try (Scratch scratch = new Scratch()) {
      long data = scratch.bytes(bytes);
      return engine.with(raw -> take(Native.make(out -> RawGraph.percale_graph_load(raw, data, bytes.length, out))));
    }
  }

  /**
   * Makes a graph over the remaining bytes of a direct buffer with a .percale file, without a copy
   * of the weights. The buffer stays reachable, and must not change, until the last object is gone
   * that uses the weights. A mapped file begins at a multiple of 64, and so does {@link
   * ByteBuffer#alignedSlice}; other bytes are copied.
   *
   * @param engine the engine
   * @param buffer the bytes
   * @param copied receives the number of bytes that were copied; may be null
   * @return the graph
   */
  public static Graph wrap(Engine engine, ByteBuffer buffer, LongConsumer copied) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(buffer, "buffer");
    try (Scratch scratch = new Scratch()) {
      long count = scratch.allocate(8);
      Graph graph = engine.with(raw -> take(Supplied.lend(buffer, "Graph.wrap()", (address, bytes, user) ->
          Native.make(out -> RawGraph.percale_graph_from_memory(
              raw, address, bytes, Callbacks.DELETER, user, count, out)))));
      if (copied != null) copied.accept(RawMemory.getLong(count));
      return graph;
    }
  }

  /**
   * Imports a graph of a foreign format, through an importer plug-in.
   *
   * @param engine the engine that loaded the plug-in
   * @param format "onnx"
   * @param path the file
   * @return the graph
   */
  public static Graph importFile(Engine engine, String format, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(path, "path");
    try (Scratch scratch = new Scratch()) {
      long kind = scratch.text(format);
      long name = scratch.path(path);
      return engine.with(raw -> take(Native.make(out -> RawGraph.percale_graph_import(raw, kind, name, out))));
    }
  }

  /**
   * Imports a graph from bytes. Models that refer to further files cannot be imported this way.
   *
   * @param engine the engine that loaded the plug-in
   * @param format "onnx"
   * @param bytes the bytes
   * @return the graph
   */
  public static Graph importBytes(Engine engine, String format, byte[] bytes) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(bytes, "bytes");
    try (Scratch scratch = new Scratch()) {
      long kind = scratch.text(format);
      long data = scratch.bytes(bytes);
      return engine.with(raw ->
          take(Native.make(out -> RawGraph.percale_graph_import_bytes(raw, kind, data, bytes.length, out))));
    }
  }

  /**
   * Writes a .percale file atomically.
   *
   * @param variables their values become the initial values in the file; may be null
   * @param path the file
   */
  public void save(Variables variables, Path path) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      check(graph -> withOptional(variables, values -> RawGraph.percale_graph_save_file(graph, values, name)));
    }
  }

  /**
   * Returns the bytes that {@link #save} would write.
   *
   * @param variables their values become the initial values; may be null
   * @return the bytes
   */
  public byte[] serialize(Variables variables) {
    return with(graph -> withOptional(variables,
        values -> Native.bytes(Native.make(out -> RawGraph.percale_graph_serialize(graph, values, out)))));
  }

  /**
   * Writes a model of a foreign format atomically, through an importer plug-in.
   *
   * @param engine the engine that loaded the plug-in
   * @param variables their values become the weights of the model; may be null
   * @param format "onnx"
   * @param options options of kind "export"
   * @param path the file
   */
  public void export(Engine engine, Variables variables, String format, Map<String, ?> options, Path path) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(path, "path");
    Options all = new Options("export");
    options.forEach(all::set);
    try (Scratch scratch = new Scratch()) {
      long kind = scratch.text(format);
      long name = scratch.path(path);
      check(graph -> engine.with(raw -> withOptional(variables,
          values -> all.with(chosen -> RawGraph.percale_graph_export(raw, graph, values, kind, chosen, name)))));
    }
  }

  /**
   * Returns the bytes that {@link #export} would write.
   *
   * @param engine the engine that loaded the plug-in
   * @param variables their values become the weights of the model; may be null
   * @param format "onnx"
   * @return the bytes
   */
  public byte[] exportBytes(Engine engine, Variables variables, String format) {
    try (Scratch scratch = new Scratch()) {
      long kind = scratch.text(format);
      return with(graph -> engine.with(raw -> withOptional(variables, values ->
          Native.bytes(Native.make(out -> RawGraph.percale_graph_export_bytes(raw, graph, values, kind, out))))));
    }
  }

  /** Returns the names for 0, 1, ... up to the first null. */
  static List<String> names(LongUnaryOperator name) {
    List<String> out = new ArrayList<>();
    for (long i = 0;; ++i) {
      String text = Native.borrowed(name.applyAsLong(i));
      if (text == null) return List.copyOf(out);
      out.add(text);
    }
  }

  /**
   * Returns the names of the inputs, in order.
   *
   * @return the names
   */
  public List<String> inputNames() {
    return with(graph -> names(i -> RawGraph.percale_graph_get_input_name(graph, i)));
  }

  /**
   * Returns the names of the outputs, in order.
   *
   * @return the names
   */
  public List<String> outputNames() {
    return with(graph -> names(i -> RawGraph.percale_graph_get_output_name(graph, i)));
  }

  /**
   * Returns the type of a value: an input, an output, or an inner value, which can be fed and
   * fetched as well.
   *
   * @param name its name
   * @return its type
   */
  public TensorSpec valueType(String name) {
    try (Scratch scratch = new Scratch()) {
      long raw = scratch.text(name);
      return with(graph -> TensorSpec.read(name,
          (dtype, dims, rank) -> RawGraph.percale_graph_value_type(graph, raw, dtype, dims, rank)));
    }
  }

  /**
   * Returns the names and types of the inputs, in order.
   *
   * @return the names and types
   */
  public List<TensorSpec> inputTypes() {
    return inputNames().stream().map(this::valueType).collect(Collectors.toUnmodifiableList());
  }

  /**
   * Returns the names and types of the outputs, in order.
   *
   * @return the names and types
   */
  public List<TensorSpec> outputTypes() {
    return outputNames().stream().map(this::valueType).collect(Collectors.toUnmodifiableList());
  }

  /**
   * Returns facts about the graph.
   *
   * @param what "summary" or "nodes"
   * @return JSON
   */
  public String describe(String what) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(what);
      return with(graph -> Native.text(Native.make(out -> RawGraph.percale_graph_describe(graph, name, out))));
    }
  }

  /**
   * Draws the graph.
   *
   * @param format "svg", or "html" for a page with panning, zoom, search and folding
   * @param trace the JSON of a {@link Trace}, whose times are shown at the nodes; may be null
   * @return the text of the file
   */
  public String draw(String format, String trace) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(format);
      long times = scratch.text(trace);
      return with(graph -> Native.text(Native.make(out -> RawGraph.percale_graph_draw(graph, name, times, out))));
    }
  }
}
