// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_builder, as the header has them.
 */
public final class RawBuilder {
  private RawBuilder() {}

  static {
    Raw.bind(RawBuilder.class);
  }

  /**
   * Creates a builder of an empty graph. Its current function is "main".
   *
   * @param engine in percale_engine*
   * @param out_builder out percale_builder**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_create(long engine, long out_builder);

  /**
   * Creates a builder that continues a copy of a finished graph.
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param out_builder out percale_builder**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_from_graph(long engine, long graph, long out_builder);

  /**
   * Releases the builder. NULL is allowed.
   *
   * @param builder in percale_builder*
   */
  public static native void percale_builder_release(long builder);

  /**
   * Finds a value of the current function by its name, to continue a graph. NOT_FOUND names a
   * similar value.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_find_value(long builder, long name, long out_value);

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
  public static native long percale_builder_input(long builder, long name, int dtype, long dims, long rank, long out_value);

  /**
   * Adds a constant. The tensor is shared, not copied. {@code name} may be NULL.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param tensor in percale_tensor*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_constant(long builder, long name, long tensor, long out_value);

  /**
   * Adds a trainable variable whose initial value is {@code initial}. {@code *out_value} reads it.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @param initial in percale_tensor*
   * @param out_value out percale_value*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_variable(long builder, long name, long initial, long out_value);

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
  public static native long percale_builder_variable_initialized(long builder, long name, int dtype, long dims, long rank, long initializer, long out_value);

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
  public static native long percale_builder_node(long builder, long op, long name);

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
  public static native long percale_builder_layer(long builder, long layer, long name);

  /**
   * Adds the next input of the started node or layer; PERCALE_NO_VALUE for an optional input that
   * is absent.
   *
   * @param builder in percale_builder*
   * @param value in percale_value
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_add_input(long builder, int value);

  /**
   * Sets an attribute of the started node or layer to a whole number.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_int(long builder, long attribute, long value);

  /**
   * Sets an attribute to a number.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value in double
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_float(long builder, long attribute, double value);

  /**
   * Sets an attribute to a text.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_string(long builder, long attribute, long value);

  /**
   * Sets an attribute to a list of whole numbers.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param values array const int64_t*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_ints(long builder, long attribute, long values, long count);

  /**
   * Sets an attribute to a list of numbers.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param values array const double*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_floats(long builder, long attribute, long values, long count);

  /**
   * Sets an attribute to a list of texts.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param values array const char* const*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_strings(long builder, long attribute, long values, long count);

  /**
   * Sets an attribute to a tensor, which is shared and not copied.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param value in percale_tensor*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_tensor(long builder, long attribute, long value);

  /**
   * Sets an attribute to a function of the graph: a branch of If, the body of Loop.
   *
   * @param builder in percale_builder*
   * @param attribute text const char*
   * @param function text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_function(long builder, long attribute, long function);

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
  public static native long percale_builder_finish_node(long builder, long output_count, long out_values);

  /**
   * Starts a new function. Everything that follows goes into it, until
   * percale_builder_end_function(). Functions nest.
   *
   * @param builder in percale_builder*
   * @param name text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_begin_function(long builder, long name);

  /**
   * Ends the function that percale_builder_begin_function() started.
   *
   * @param builder in percale_builder*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_end_function(long builder);

  /**
   * Sets the outputs of the current function.
   *
   * @param builder in percale_builder*
   * @param values array const percale_value*
   * @param count in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_set_outputs(long builder, long values, long count);

  /**
   * Gives a value of the current function another name, by which runs feed and fetch it.
   * ALREADY_EXISTS: the name is taken.
   *
   * @param builder in percale_builder*
   * @param value in percale_value
   * @param name text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_rename(long builder, int value, long name);

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
  public static native long percale_builder_value_type(long builder, int value, long out_dtype, long out_dims, long out_rank);

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
  public static native long percale_builder_set_device(long builder, long device);

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
  public static native long percale_builder_control_dependency(long builder, int before, int after);

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
  public static native long percale_builder_gradients(long builder, long ys, long y_count, long xs, long x_count, long out_gradients);

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
  public static native long percale_builder_minimize(long builder, int loss, long optimizer, long out_target_name);

  /**
   * Validates the graph and gives it. The builder is left empty.
   *
   * @param builder in percale_builder*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_builder_finish(long builder, long out_graph);
}
