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
   * Makes a graph from {@code size} bytes of a .percale file. They are copied as far as they must
   * outlive the call.
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
   * Makes a graph from a .percale file.
   * <p>If the engine's option "map_files" is on, as it is by default, the weights are mapped and
   * not read. The file may then be replaced by a rename, or removed; it must not be truncated or
   * written to while the graph lives. This holds for all mapped files, also for weights in
   * safetensors files and for files of data sets. A truncated file is DATA_LOSS if Percale notices
   * it before it reads (batches of data sets, loaded tensors); in the middle of a run the system
   * ends the process (SIGBUS). With "map_files" off, files are read into the memory of the engine
   * and may change.
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
   * Makes a graph from a model of another format ("onnx"), which a plug-in imports. UNIMPLEMENTED
   * names the formats that are there.
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
   * As percale_graph_import(), from {@code size} bytes. The model cannot refer to other files.
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
   * Writes a .percale file, completely or not at all. With {@code variables} (may be NULL) their
   * values become the initial values in the file.
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
   * Gives the bytes that percale_graph_save_file() would write. {@code variables} may be NULL.
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
   * Writes a model of another format ("onnx") through a plug-in, completely or not at all. It
   * computes what "main" computes; nodes that no output depends on are left out, also those that
   * change variables. {@code variables} (may be NULL) gives the values of variables; without it
   * they have the initial values of the graph. {@code options} of kind "export", or NULL.
   * UNIMPLEMENTED names all ops that the format does not have, or the formats that are there.
   * FAILED_PRECONDITION: a variable has no value.
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
   * Gives the bytes that percale_graph_export() would write. RESOURCE_EXHAUSTED: the format needs a
   * second file for that many. {@code variables} may be NULL.
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
   * Adds a reference and returns {@code graph}. NULL is allowed and returned.
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
   * Releases a reference. NULL is allowed.
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
   * Returns the name of an input of "main", in order; NULL past the end. Borrowed.
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
   * Returns the name of an output of "main", in order; NULL past the end. Borrowed.
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
   * Gives element type, dims (-1 where unknown) and rank of a value of "main": an input, an output,
   * or an inner value, which can be fed and fetched as well. The rank is SIZE_MAX if unknown.
   * {@code out_dims} has room for 8. NOT_FOUND names a similar value.
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
   * Makes a graph with other dims of its inputs. Each of {@code dims} is "NAME=SIZE", "NAME=?" (any
   * size) or "INPUT:AXIS=SIZE". Models keep the names that their files have for dims. If no dim is
   * called "batch", that name means the first dim of the first input, and the first dim of every
   * other input of the same size. Types of inner values follow, and constant shapes that contain a
   * freed dim are adapted. NOT_FOUND names a similar dim. INVALID_ARGUMENT names the first node
   * that only works for another size.
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
   * Describes the graph as JSON. {@code what}: "summary" (functions, inputs, outputs, variables, op
   * counts, parameters, bytes, metadata) or "nodes".
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
   * Draws the graph. {@code format}: "svg" is a picture of "main", at most 4000 pixels high, in
   * which equal blocks are drawn once; "html" is one page with all functions that needs no network
   * and lets the reader move, zoom, search and fold. Nodes show the times of {@code trace}, the
   * JSON of percale_trace_json(); {@code trace} may be NULL. INVALID_ARGUMENT: another format, or a
   * {@code trace} that is none.
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
