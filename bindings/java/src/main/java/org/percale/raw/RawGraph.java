// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_graph, as the header has them.
 */
public final class RawGraph {
  private RawGraph() {}

  private static final MethodHandle PERCALE_GRAPH_LOAD_ =
      Raw.function("percale_graph_load",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * A graph from the bytes of a .percale file, which are copied where they must live on.
   *
   * @param engine in percale_engine*
   * @param bytes memory const void*
   * @param size in size_t
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_load(MemorySegment engine, MemorySegment bytes, long size, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_GRAPH_LOAD_.invokeExact(engine, bytes, size, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_LOAD_FILE_ =
      Raw.function("percale_graph_load_file",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * A graph from a .percale file. Its weights are mapped where the engine's option "map_files" is on, as it is by
   * default: the file may then be replaced by renaming another one, or removed, but must not be cut short or
   * written to while the graph lives. That is true of all files that are mapped: weights of safetensors files and
   * files of data sets. A file that was cut short is DATA_LOSS where Percale looks before it reads (batches of
   * data sets, tensors that are loaded); in the middle of a run the system ends the process (SIGBUS). With
   * "map_files" off files are read into the engine's memory, and nothing of this can happen.
   *
   * @param engine in percale_engine*
   * @param path text const char*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_load_file(MemorySegment engine, MemorySegment path, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_GRAPH_LOAD_FILE_.invokeExact(engine, path, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_IMPORT_ =
      Raw.function("percale_graph_import",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * A graph of a foreign format ("onnx") through an importer plug-in; UNIMPLEMENTED names the formats that are
   * there.
   *
   * @param engine in percale_engine*
   * @param format text const char*
   * @param path text const char*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_import(MemorySegment engine, MemorySegment format, MemorySegment path, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_GRAPH_IMPORT_.invokeExact(engine, format, path, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_IMPORT_BYTES_ =
      Raw.function("percale_graph_import_bytes",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * The same from bytes. Files that a model of several would name are out of reach.
   *
   * @param engine in percale_engine*
   * @param format text const char*
   * @param bytes memory const void*
   * @param size in size_t
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_import_bytes(MemorySegment engine, MemorySegment format, MemorySegment bytes, long size, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_GRAPH_IMPORT_BYTES_.invokeExact(engine, format, bytes, size, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_SAVE_FILE_ =
      Raw.function("percale_graph_save_file",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Writes a .percale file, whole or not at all. With {@code variables} (may be NULL) the file's first values are
   * theirs.
   *
   * @param graph in const percale_graph*
   * @param variables in const percale_variables*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_save_file(MemorySegment graph, MemorySegment variables, MemorySegment path) {
    try {
      return (MemorySegment) PERCALE_GRAPH_SAVE_FILE_.invokeExact(graph, variables, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_SERIALIZE_ =
      Raw.function("percale_graph_serialize",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * The bytes that percale_graph_save_file() would write. {@code variables} may be NULL.
   *
   * @param graph in const percale_graph*
   * @param variables in const percale_variables*
   * @param out_bytes out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_serialize(MemorySegment graph, MemorySegment variables, MemorySegment out_bytes) {
    try {
      return (MemorySegment) PERCALE_GRAPH_SERIALIZE_.invokeExact(graph, variables, out_bytes);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_EXPORT_ =
      Raw.function("percale_graph_export",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Writes a model of a foreign format ("onnx") through an importer plug-in, whole or not at all. It holds what
   * "main" computes: what no output depends on is left out, changes of variables among it. {@code variables} (may
   * be NULL) gives the values that variables have in it; without them they have the graph's first values. {@code
   * options} of kind "export" or NULL. UNIMPLEMENTED names all ops that the format does not have, or the formats
   * that are there; FAILED_PRECONDITION for a variable without a value.
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param variables in const percale_variables*
   * @param format text const char*
   * @param options in const percale_options*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_export(MemorySegment engine, MemorySegment graph, MemorySegment variables, MemorySegment format, MemorySegment options, MemorySegment path) {
    try {
      return (MemorySegment) PERCALE_GRAPH_EXPORT_.invokeExact(engine, graph, variables, format, options, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_EXPORT_BYTES_ =
      Raw.function("percale_graph_export_bytes",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * The bytes that percale_graph_export() would write; RESOURCE_EXHAUSTED where the format needs a second file for
   * as many. {@code variables} may be NULL.
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param variables in const percale_variables*
   * @param format text const char*
   * @param out_bytes out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_export_bytes(MemorySegment engine, MemorySegment graph, MemorySegment variables, MemorySegment format, MemorySegment out_bytes) {
    try {
      return (MemorySegment) PERCALE_GRAPH_EXPORT_BYTES_.invokeExact(engine, graph, variables, format, out_bytes);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_RETAIN_ =
      Raw.function("percale_graph_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * One reference more; the graph itself, NULL for NULL.
   *
   * @param graph in percale_graph*
   * @return percale_graph*
   */
  public static MemorySegment percale_graph_retain(MemorySegment graph) {
    try {
      return (MemorySegment) PERCALE_GRAPH_RETAIN_.invokeExact(graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_RELEASE_ =
      Raw.function("percale_graph_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Gives a reference to the graph back; NULL does nothing.
   *
   * @param graph in percale_graph*
   */
  public static void percale_graph_release(MemorySegment graph) {
    try {
      PERCALE_GRAPH_RELEASE_.invokeExact(graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_GET_INPUT_NAME_ =
      Raw.getter("percale_graph_get_input_name",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * The names of the inputs of "main", in order; NULL past the end. Borrowed.
   *
   * @param graph in const percale_graph*
   * @param index in size_t
   * @return const char*
   */
  public static MemorySegment percale_graph_get_input_name(MemorySegment graph, long index) {
    try {
      return (MemorySegment) PERCALE_GRAPH_GET_INPUT_NAME_.invokeExact(graph, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_GET_OUTPUT_NAME_ =
      Raw.getter("percale_graph_get_output_name",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * The same of the outputs.
   *
   * @param graph in const percale_graph*
   * @param index in size_t
   * @return const char*
   */
  public static MemorySegment percale_graph_get_output_name(MemorySegment graph, long index) {
    try {
      return (MemorySegment) PERCALE_GRAPH_GET_OUTPUT_NAME_.invokeExact(graph, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_VALUE_TYPE_ =
      Raw.function("percale_graph_value_type",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * dtype, dims (-1 = unknown) and rank of a value of "main": an input, an output, or one within, which can be fed
   * and fetched as well. The rank is SIZE_MAX when not even that is known; {@code out_dims} has room for 8.
   * NOT_FOUND names a similar value.
   *
   * @param graph in const percale_graph*
   * @param name text const char*
   * @param out_dtype out percale_dtype*
   * @param out_dims out int64_t*
   * @param out_rank out size_t*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_value_type(MemorySegment graph, MemorySegment name, MemorySegment out_dtype, MemorySegment out_dims, MemorySegment out_rank) {
    try {
      return (MemorySegment) PERCALE_GRAPH_VALUE_TYPE_.invokeExact(graph, name, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_WITH_DIMS_ =
      Raw.function("percale_graph_with_dims",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * The graph with other dims of its inputs, each "NAME=SIZE", "NAME=?" (any size), or "INPUT:AXIS=SIZE". Models
   * keep the names that their files have for dims; where no dim is called "batch", that is the first dim of the
   * first input, and of all others where it is the same. Types within follow, and constant shapes that hold a dim
   * which becomes free are made to fit. NOT_FOUND names a similar dim; INVALID_ARGUMENT the first node that is
   * made for another dim: such a graph cannot have it.
   *
   * @param graph in const percale_graph*
   * @param dims array const char* const*
   * @param count in size_t
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_with_dims(MemorySegment graph, MemorySegment dims, long count, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_GRAPH_WITH_DIMS_.invokeExact(graph, dims, count, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_DESCRIBE_ =
      Raw.function("percale_graph_describe",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Facts. {@code what}: "summary" (JSON: functions, inputs, outputs, variables, op counts, parameters, bytes),
   * "nodes" (JSON).
   *
   * @param graph in const percale_graph*
   * @param what text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_describe(MemorySegment graph, MemorySegment what, MemorySegment out_text) {
    try {
      return (MemorySegment) PERCALE_GRAPH_DESCRIBE_.invokeExact(graph, what, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_DRAW_ =
      Raw.function("percale_graph_draw",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Draws the graph. {@code format}: "svg", a picture of "main" that is at most 4000 px high, because equal blocks
   * are drawn once; or "html", one page with all functions that needs no network, to move, zoom, search and fold.
   * The nodes show the times of {@code trace}, the JSON of percale_trace_json(); {@code trace} may be NULL.
   * INVALID_ARGUMENT for another format, and for a {@code trace} that is none.
   *
   * @param graph in const percale_graph*
   * @param format text const char*
   * @param trace text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_graph_draw(MemorySegment graph, MemorySegment format, MemorySegment trace, MemorySegment out_text) {
    try {
      return (MemorySegment) PERCALE_GRAPH_DRAW_.invokeExact(graph, format, trace, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
