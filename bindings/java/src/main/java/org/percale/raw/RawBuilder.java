// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_builder, as the header has them.
 */
public final class RawBuilder {
  private RawBuilder() {}

  private static final MethodHandle PERCALE_BUILDER_CREATE_ =
      Raw.function("percale_builder_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * A builder of an empty graph, whose current function is "main".
   *
   * @param engine in percale_engine*
   * @param out_builder out percale_builder**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_create(MemorySegment engine, MemorySegment out_builder) {
    try {
      return (MemorySegment) PERCALE_BUILDER_CREATE_.invokeExact(engine, out_builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FROM_GRAPH_ =
      Raw.function("percale_builder_from_graph",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Goes on from a finished graph.
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param out_builder out percale_builder**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_from_graph(MemorySegment engine, MemorySegment graph, MemorySegment out_builder) {
    try {
      return (MemorySegment) PERCALE_BUILDER_FROM_GRAPH_.invokeExact(engine, graph, out_builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_RELEASE_ =
      Raw.function("percale_builder_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Gives a reference to the builder back; NULL does nothing.
   *
   * @param builder in percale_builder*
   */
  public static void percale_builder_release(MemorySegment builder) {
    try {
      PERCALE_BUILDER_RELEASE_.invokeExact(builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FIND_VALUE_ =
      Raw.function("percale_builder_find_value",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * The value of that name in the current function: how to go on from what a graph has.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_find_value(MemorySegment builder, MemorySegment name, MemorySegment out_value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_FIND_VALUE_.invokeExact(builder, name, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_INPUT_ =
      Raw.function("percale_builder_input",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * The next input of the current function, a value that runs feed.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param dtype in percale_dtype
   * @param dims array const int64_t*
   * @param rank in size_t
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_input(MemorySegment builder, MemorySegment name, int dtype, MemorySegment dims, long rank, MemorySegment out_value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_INPUT_.invokeExact(builder, name, dtype, dims, rank, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_CONSTANT_ =
      Raw.function("percale_builder_constant",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * A constant; the tensor is shared, not copied. {@code name} may be NULL.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param tensor in percale_tensor*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_constant(MemorySegment builder, MemorySegment name, MemorySegment tensor, MemorySegment out_value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_CONSTANT_.invokeExact(builder, name, tensor, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_VARIABLE_ =
      Raw.function("percale_builder_variable",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * A trainable variable whose first value is the tensor; *out_value reads it.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param initial in percale_tensor*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_variable(MemorySegment builder, MemorySegment name, MemorySegment initial, MemorySegment out_value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_VARIABLE_.invokeExact(builder, name, initial, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_VARIABLE_INITIALIZED_ =
      Raw.function("percale_builder_variable_initialized",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));

  /**
   * A trainable variable whose first value an initializer draws ("zeros", "ones", "glorot_uniform",
   * "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "random_uniform", "random_normal", "orthogonal"),
   * from the seed given to percale_variables_create().
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param dtype in percale_dtype
   * @param dims array const int64_t*
   * @param rank in size_t
   * @param initializer text const char*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_variable_initialized(MemorySegment builder, MemorySegment name, int dtype, MemorySegment dims, long rank, MemorySegment initializer, MemorySegment out_value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_VARIABLE_INITIALIZED_.invokeExact(builder, name, dtype, dims, rank, initializer, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_NODE_ =
      Raw.function("percale_builder_node",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Begins a node of an op, "Conv" or "percale:ApplyAdam". {@code name} may be NULL. Inputs and attributes follow,
   * then percale_builder_finish_node(), which looks the op up.
   *
   * @param builder in percale_builder*
   * @param op text const char*
   * @param name text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_node(MemorySegment builder, MemorySegment op, MemorySegment name) {
    try {
      return (MemorySegment) PERCALE_BUILDER_NODE_.invokeExact(builder, op, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_LAYER_ =
      Raw.function("percale_builder_layer",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Begins a layer (a composite such as "Dense" or "Conv2D", with Keras' words as attributes;
   * percale_engine_describe() lists them). {@code name} may be NULL.
   *
   * @param builder in percale_builder*
   * @param layer text const char*
   * @param name text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_layer(MemorySegment builder, MemorySegment layer, MemorySegment name) {
    try {
      return (MemorySegment) PERCALE_BUILDER_LAYER_.invokeExact(builder, layer, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_ADD_INPUT_ =
      Raw.function("percale_builder_add_input",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));

  /**
   * The next input of the node or layer that was begun; PERCALE_NO_VALUE for an absent optional one.
   *
   * @param builder in percale_builder*
   * @param value in percale_value
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_add_input(MemorySegment builder, int value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_ADD_INPUT_.invokeExact(builder, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_INT_ =
      Raw.function("percale_builder_set_int",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * An attribute of the node or layer that was begun: a whole number.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_int(MemorySegment builder, MemorySegment attribute, long value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_INT_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_FLOAT_ =
      Raw.function("percale_builder_set_float",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_DOUBLE));

  /**
   * An attribute: a number.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value in double
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_float(MemorySegment builder, MemorySegment attribute, double value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_FLOAT_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_STRING_ =
      Raw.function("percale_builder_set_string",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * An attribute: text.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_string(MemorySegment builder, MemorySegment attribute, MemorySegment value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_STRING_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_INTS_ =
      Raw.function("percale_builder_set_ints",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * An attribute: a list of whole numbers.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param values array const int64_t*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_ints(MemorySegment builder, MemorySegment attribute, MemorySegment values, long count) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_INTS_.invokeExact(builder, attribute, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_FLOATS_ =
      Raw.function("percale_builder_set_floats",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * An attribute: a list of numbers.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param values array const double*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_floats(MemorySegment builder, MemorySegment attribute, MemorySegment values, long count) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_FLOATS_.invokeExact(builder, attribute, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_STRINGS_ =
      Raw.function("percale_builder_set_strings",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * An attribute: a list of texts.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param values array const char* const*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_strings(MemorySegment builder, MemorySegment attribute, MemorySegment values, long count) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_STRINGS_.invokeExact(builder, attribute, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_TENSOR_ =
      Raw.function("percale_builder_set_tensor",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * An attribute: a tensor, which is shared, not copied.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value in percale_tensor*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_tensor(MemorySegment builder, MemorySegment attribute, MemorySegment value) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_TENSOR_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_FUNCTION_ =
      Raw.function("percale_builder_set_function",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * An attribute that names a function of the graph: the branches of If, the body of Loop.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param function text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_function(MemorySegment builder, MemorySegment attribute, MemorySegment function) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_FUNCTION_.invokeExact(builder, attribute, function);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FINISH_NODE_ =
      Raw.function("percale_builder_finish_node",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Ends the node or layer: checks it, infers shapes, gives its outputs (a layer has one). After an error the node
   * is dropped and the builder is as before percale_builder_node(). {@code out_values} may be NULL when {@code
   * output_count} is 0.
   *
   * @param builder in percale_builder*
   * @param output_count in size_t
   * @param out_values out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_finish_node(MemorySegment builder, long output_count, MemorySegment out_values) {
    try {
      return (MemorySegment) PERCALE_BUILDER_FINISH_NODE_.invokeExact(builder, output_count, out_values);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_BEGIN_FUNCTION_ =
      Raw.function("percale_builder_begin_function",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * What follows goes into a new function, until percale_builder_end_function(). Functions nest.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_begin_function(MemorySegment builder, MemorySegment name) {
    try {
      return (MemorySegment) PERCALE_BUILDER_BEGIN_FUNCTION_.invokeExact(builder, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_END_FUNCTION_ =
      Raw.function("percale_builder_end_function",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Ends what percale_builder_begin_function() began.
   *
   * @param builder in percale_builder*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_end_function(MemorySegment builder) {
    try {
      return (MemorySegment) PERCALE_BUILDER_END_FUNCTION_.invokeExact(builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_OUTPUTS_ =
      Raw.function("percale_builder_set_outputs",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * The outputs of the current function.
   *
   * @param builder in percale_builder*
   * @param values array const percale_value*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_outputs(MemorySegment builder, MemorySegment values, long count) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_OUTPUTS_.invokeExact(builder, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_RENAME_ =
      Raw.function("percale_builder_rename",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, ADDRESS));

  /**
   * Another name for a value of the current function: what feeds and fetches call it.
   *
   * @param builder in percale_builder*
   * @param value in percale_value
   * @param name text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_rename(MemorySegment builder, int value, MemorySegment name) {
    try {
      return (MemorySegment) PERCALE_BUILDER_RENAME_.invokeExact(builder, value, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_VALUE_TYPE_ =
      Raw.function("percale_builder_value_type",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS));

  /**
   * dtype, dims and rank of a value; rank SIZE_MAX when not even that is known. {@code out_dims} has room for 8.
   *
   * @param builder in const percale_builder*
   * @param value in percale_value
   * @param out_dtype out percale_dtype*
   * @param out_dims out int64_t*
   * @param out_rank out size_t*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_value_type(MemorySegment builder, int value, MemorySegment out_dtype, MemorySegment out_dims, MemorySegment out_rank) {
    try {
      return (MemorySegment) PERCALE_BUILDER_VALUE_TYPE_.invokeExact(builder, value, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_DEVICE_ =
      Raw.function("percale_builder_set_device",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Nodes that follow carry this device hint; "" ends it. A device's name ("cuda:0"): they run there, and a
   * session fails that cannot have it so, unless its option soft_placement is on. "colocate:NAME": they run where
   * the node NAME does, or what reads and assigns the variable NAME.
   *
   * @param builder in percale_builder*
   * @param device text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_set_device(MemorySegment builder, MemorySegment device) {
    try {
      return (MemorySegment) PERCALE_BUILDER_SET_DEVICE_.invokeExact(builder, device);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_CONTROL_DEPENDENCY_ =
      Raw.function("percale_builder_control_dependency",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, JAVA_INT));

  /**
   * The node of {@code after} runs only when the node of {@code before} has; an op on a queue
   * ("percale:QueueEnqueue") is ordered by it and runs where it is needed otherwise or is a target.
   *
   * @param builder in percale_builder*
   * @param before in percale_value
   * @param after in percale_value
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_control_dependency(MemorySegment builder, int before, int after) {
    try {
      return (MemorySegment) PERCALE_BUILDER_CONTROL_DEPENDENCY_.invokeExact(builder, before, after);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_GRADIENTS_ =
      Raw.function("percale_builder_gradients",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Gradients of the sum of ys with respect to each of xs, as new nodes.
   *
   * @param builder in percale_builder*
   * @param ys array const percale_value*
   * @param y_count in size_t
   * @param xs array const percale_value*
   * @param x_count in size_t
   * @param out_gradients out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_gradients(MemorySegment builder, MemorySegment ys, long y_count, MemorySegment xs, long x_count, MemorySegment out_gradients) {
    try {
      return (MemorySegment) PERCALE_BUILDER_GRADIENTS_.invokeExact(builder, ys, y_count, xs, x_count, out_gradients);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_MINIMIZE_ =
      Raw.function("percale_builder_minimize",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS));

  /**
   * Adds what one training step does: gradients of the scalar {@code loss} for every trainable variable that it
   * reads, and an optimizer ({"name":"adam","learning_rate":0.001} or just "adam") that assigns them. Run the
   * graph's target *out_target_name ("train_step") for one step; borrowed from the builder.
   *
   * @param builder in percale_builder*
   * @param loss in percale_value
   * @param optimizer text const char*
   * @param out_target_name out const char**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_minimize(MemorySegment builder, int loss, MemorySegment optimizer, MemorySegment out_target_name) {
    try {
      return (MemorySegment) PERCALE_BUILDER_MINIMIZE_.invokeExact(builder, loss, optimizer, out_target_name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FINISH_ =
      Raw.function("percale_builder_finish",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * The finished, validated graph; the builder is left empty.
   *
   * @param builder in percale_builder*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_builder_finish(MemorySegment builder, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_BUILDER_FINISH_.invokeExact(builder, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
