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
   * Creates a builder of an empty graph. Its current function is "main".
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
   * Creates a builder that continues a copy of a finished graph.
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
   * Releases the builder. NULL is allowed.
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
   * Finds a value of the current function by its name, to continue a graph. NOT_FOUND names a
   * similar value.
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
   * Adds the next input of the current function, a value that runs feed. {@code dims}: {@code rank}
   * sizes, -1 where unknown.
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
   * Adds a constant. The tensor is shared, not copied. {@code name} may be NULL.
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
   * Adds a trainable variable whose initial value is {@code initial}. {@code *out_value} reads it.
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
   * Adds a trainable variable whose initial value is drawn, with the seed that
   * percale_variables_create() gets. {@code initializer} is "zeros", "ones", "glorot_uniform",
   * "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "random_uniform", "random_normal"
   * or "orthogonal".
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
   * Starts a node of an op, such as "Conv", "percale:ApplyAdam", or "sample:Square" of a plug-in.
   * Inputs and attributes follow, then percale_builder_finish_node(), which looks up the op. The
   * first output of a node has the name of the node, by which runs feed and fetch it. Further
   * outputs are called NAME:1, NAME:2, and so on. {@code name} may be NULL: the builder chooses
   * one.
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
   * Starts a layer, which is a composite such as "Dense" or "Conv2D" with the attributes of Keras;
   * percale_engine_describe() lists them. The output has the name of the layer. {@code name} may be
   * NULL: the builder chooses one.
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
   * Adds the next input of the started node or layer; PERCALE_NO_VALUE for an optional input that
   * is absent.
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
   * Sets an attribute of the started node or layer to a whole number.
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
   * Sets an attribute to a number.
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
   * Sets an attribute to a text.
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
   * Sets an attribute to a list of whole numbers.
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
   * Sets an attribute to a list of numbers.
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
   * Sets an attribute to a list of texts.
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
   * Sets an attribute to a tensor, which is shared and not copied.
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
   * Sets an attribute to a function of the graph: a branch of If, the body of Loop.
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
   * Finishes the started node or layer: checks it, infers shapes, and gives its outputs. A layer
   * has one. After an error the node is dropped and the builder is as before
   * percale_builder_node(). {@code out_values} may be NULL if {@code output_count} is 0.
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
   * Starts a new function. Everything that follows goes into it, until
   * percale_builder_end_function(). Functions nest.
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
   * Ends the function that percale_builder_begin_function() started.
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
   * Sets the outputs of the current function.
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
   * Gives a value of the current function another name, by which runs feed and fetch it.
   * ALREADY_EXISTS: the name is taken.
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
   * Gives element type, dims (-1 where unknown) and rank of a value; the rank is SIZE_MAX if
   * unknown. {@code out_dims} has room for 8.
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
   * Sets the device hint of the nodes that follow; "" ends it. The name of a device ("cuda:0")
   * places them there; a session that cannot do so fails, unless its option "soft_placement" is on.
   * "colocate:NAME" places them on the device of the node NAME, or of the nodes that read and
   * assign the variable NAME.
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
   * Makes the node of {@code after} run only when the node of {@code before} has run. An op on a
   * queue ("percale:QueueEnqueue") is ordered by this; it runs only if it is needed otherwise or is
   * a target.
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
   * Adds nodes that compute the gradients of the sum of {@code ys} with respect to each of {@code
   * xs}. UNIMPLEMENTED names an op without a gradient.
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
   * Adds the work of one training step: gradients of the scalar {@code loss} for every trainable
   * variable that it reads, and an optimizer that assigns them. {@code optimizer} is a name
   * ("adam") or JSON ({"name":"adam","learning_rate":0.001}). Running the target {@code
   * *out_target_name} ("train_step", borrowed from the builder) does one step.
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
   * Validates the graph and gives it. The builder is left empty.
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
