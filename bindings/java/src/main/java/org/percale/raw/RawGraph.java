// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_graph, as the header has them.
 */
public final class RawGraph {
  private RawGraph() {}

  static {
    Raw.bind(RawGraph.class);
  }

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
  public static native long percale_graph_load(long engine, long bytes, long size, long out_graph);

  /**
   * Makes a graph over {@code bytes} bytes of a .percale file in memory of the caller, without a
   * copy of the weights. The memory must stay valid and unchanged until {@code deleter(user, data)}
   * is called, which happens when the last object is gone that uses the weights: graphs, variables,
   * sessions, tensors. {@code deleter} (may be NULL) is not called if this function fails.
   * <p>{@code data} must be 64-byte aligned, as every page and mapping is. Otherwise everything is
   * copied, and {@code deleter} is called before this function returns. {@code out_copied} (may be
   * NULL) receives the number of bytes that were copied.
   *
   * @param engine in percale_engine*
   * @param data memory void*
   * @param bytes in size_t
   * @param deleter callback percale_deleter
   * @param user user void*
   * @param out_copied out int64_t*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_graph_from_memory(long engine, long data, long bytes, long deleter, long user, long out_copied, long out_graph);

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
  public static native long percale_graph_load_file(long engine, long path, long out_graph);

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
  public static native long percale_graph_import(long engine, long format, long path, long out_graph);

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
  public static native long percale_graph_import_bytes(long engine, long format, long bytes, long size, long out_graph);

  /**
   * Writes a .percale file, completely or not at all. With {@code variables} (may be NULL) their
   * values become the initial values in the file.
   *
   * @param graph in const percale_graph*
   * @param variables in const percale_variables*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_graph_save_file(long graph, long variables, long path);

  /**
   * Gives the bytes that percale_graph_save_file() would write. {@code variables} may be NULL.
   *
   * @param graph in const percale_graph*
   * @param variables in const percale_variables*
   * @param out_bytes out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_graph_serialize(long graph, long variables, long out_bytes);

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
  public static native long percale_graph_export(long engine, long graph, long variables, long format, long options, long path);

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
  public static native long percale_graph_export_bytes(long engine, long graph, long variables, long format, long out_bytes);

  /**
   * Adds a reference and returns {@code graph}. NULL is allowed and returned.
   *
   * @param graph in percale_graph*
   * @return percale_graph*
   */
  public static native long percale_graph_retain(long graph);

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param graph in percale_graph*
   */
  public static native void percale_graph_release(long graph);

  /**
   * Returns the name of an input of "main", in order; NULL past the end. Borrowed.
   *
   * @param graph in const percale_graph*
   * @param index in size_t
   * @return const char*
   */
  public static native long percale_graph_get_input_name(long graph, long index);

  /**
   * Returns the name of an output of "main", in order; NULL past the end. Borrowed.
   *
   * @param graph in const percale_graph*
   * @param index in size_t
   * @return const char*
   */
  public static native long percale_graph_get_output_name(long graph, long index);

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
  public static native long percale_graph_value_type(long graph, long name, long out_dtype, long out_dims, long out_rank);

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
  public static native long percale_graph_with_dims(long graph, long dims, long count, long out_graph);

  /**
   * Describes the graph as JSON. {@code what}: "summary" (functions, inputs, outputs, variables, op
   * counts, parameters, bytes, metadata) or "nodes".
   *
   * @param graph in const percale_graph*
   * @param what text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_graph_describe(long graph, long what, long out_text);

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
  public static native long percale_graph_draw(long graph, long format, long trace, long out_text);
}
