// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawGraph through java.lang.foreign, for Java 22 and newer.
 */
public final class RawGraph {
  private RawGraph() {}

  private static final MethodHandle PERCALE_GRAPH_LOAD_ =
      Raw.function("percale_graph_load", long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_load(long engine, long bytes, long size, long out_graph) {
    try {
      return (long) PERCALE_GRAPH_LOAD_.invokeExact(engine, bytes, size, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_FROM_MEMORY_ =
      Raw.function("percale_graph_from_memory", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_from_memory(long engine, long data, long bytes, long deleter, long user, long out_copied, long out_graph) {
    try {
      return (long) PERCALE_GRAPH_FROM_MEMORY_.invokeExact(engine, data, bytes, deleter, user, out_copied, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_LOAD_FILE_ =
      Raw.function("percale_graph_load_file", long.class, long.class, long.class, long.class);

  public static long percale_graph_load_file(long engine, long path, long out_graph) {
    try {
      return (long) PERCALE_GRAPH_LOAD_FILE_.invokeExact(engine, path, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_IMPORT_ =
      Raw.function("percale_graph_import", long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_import(long engine, long format, long path, long out_graph) {
    try {
      return (long) PERCALE_GRAPH_IMPORT_.invokeExact(engine, format, path, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_IMPORT_BYTES_ =
      Raw.function("percale_graph_import_bytes", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_import_bytes(long engine, long format, long bytes, long size, long out_graph) {
    try {
      return (long) PERCALE_GRAPH_IMPORT_BYTES_.invokeExact(engine, format, bytes, size, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_SAVE_FILE_ =
      Raw.function("percale_graph_save_file", long.class, long.class, long.class, long.class);

  public static long percale_graph_save_file(long graph, long variables, long path) {
    try {
      return (long) PERCALE_GRAPH_SAVE_FILE_.invokeExact(graph, variables, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_SERIALIZE_ =
      Raw.function("percale_graph_serialize", long.class, long.class, long.class, long.class);

  public static long percale_graph_serialize(long graph, long variables, long out_bytes) {
    try {
      return (long) PERCALE_GRAPH_SERIALIZE_.invokeExact(graph, variables, out_bytes);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_EXPORT_ =
      Raw.function("percale_graph_export", long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_export(long engine, long graph, long variables, long format, long options, long path) {
    try {
      return (long) PERCALE_GRAPH_EXPORT_.invokeExact(engine, graph, variables, format, options, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_EXPORT_BYTES_ =
      Raw.function("percale_graph_export_bytes", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_export_bytes(long engine, long graph, long variables, long format, long out_bytes) {
    try {
      return (long) PERCALE_GRAPH_EXPORT_BYTES_.invokeExact(engine, graph, variables, format, out_bytes);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_RETAIN_ =
      Raw.function("percale_graph_retain", long.class, long.class);

  public static long percale_graph_retain(long graph) {
    try {
      return (long) PERCALE_GRAPH_RETAIN_.invokeExact(graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_RELEASE_ =
      Raw.function("percale_graph_release", void.class, long.class);

  public static void percale_graph_release(long graph) {
    try {
      PERCALE_GRAPH_RELEASE_.invokeExact(graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_GET_INPUT_NAME_ =
      Raw.getter("percale_graph_get_input_name", long.class, long.class, long.class);

  public static long percale_graph_get_input_name(long graph, long index) {
    try {
      return (long) PERCALE_GRAPH_GET_INPUT_NAME_.invokeExact(graph, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_GET_OUTPUT_NAME_ =
      Raw.getter("percale_graph_get_output_name", long.class, long.class, long.class);

  public static long percale_graph_get_output_name(long graph, long index) {
    try {
      return (long) PERCALE_GRAPH_GET_OUTPUT_NAME_.invokeExact(graph, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_VALUE_TYPE_ =
      Raw.function("percale_graph_value_type", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_value_type(long graph, long name, long out_dtype, long out_dims, long out_rank) {
    try {
      return (long) PERCALE_GRAPH_VALUE_TYPE_.invokeExact(graph, name, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_WITH_DIMS_ =
      Raw.function("percale_graph_with_dims", long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_with_dims(long graph, long dims, long count, long out_graph) {
    try {
      return (long) PERCALE_GRAPH_WITH_DIMS_.invokeExact(graph, dims, count, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_DESCRIBE_ =
      Raw.function("percale_graph_describe", long.class, long.class, long.class, long.class);

  public static long percale_graph_describe(long graph, long what, long out_text) {
    try {
      return (long) PERCALE_GRAPH_DESCRIBE_.invokeExact(graph, what, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_GRAPH_DRAW_ =
      Raw.function("percale_graph_draw", long.class, long.class, long.class, long.class, long.class);

  public static long percale_graph_draw(long graph, long format, long trace, long out_text) {
    try {
      return (long) PERCALE_GRAPH_DRAW_.invokeExact(graph, format, trace, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
