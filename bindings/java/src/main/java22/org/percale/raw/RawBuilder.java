// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawBuilder through java.lang.foreign, for Java 22 and newer.
 */
public final class RawBuilder {
  private RawBuilder() {}

  private static final MethodHandle PERCALE_BUILDER_CREATE_ =
      Raw.function("percale_builder_create", long.class, long.class, long.class);

  public static long percale_builder_create(long engine, long out_builder) {
    try {
      return (long) PERCALE_BUILDER_CREATE_.invokeExact(engine, out_builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FROM_GRAPH_ =
      Raw.function("percale_builder_from_graph", long.class, long.class, long.class, long.class);

  public static long percale_builder_from_graph(long engine, long graph, long out_builder) {
    try {
      return (long) PERCALE_BUILDER_FROM_GRAPH_.invokeExact(engine, graph, out_builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_RELEASE_ =
      Raw.function("percale_builder_release", void.class, long.class);

  public static void percale_builder_release(long builder) {
    try {
      PERCALE_BUILDER_RELEASE_.invokeExact(builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FIND_VALUE_ =
      Raw.function("percale_builder_find_value", long.class, long.class, long.class, long.class);

  public static long percale_builder_find_value(long builder, long name, long out_value) {
    try {
      return (long) PERCALE_BUILDER_FIND_VALUE_.invokeExact(builder, name, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_INPUT_ =
      Raw.function("percale_builder_input", long.class, long.class, long.class, int.class, long.class, long.class, long.class);

  public static long percale_builder_input(long builder, long name, int dtype, long dims, long rank, long out_value) {
    try {
      return (long) PERCALE_BUILDER_INPUT_.invokeExact(builder, name, dtype, dims, rank, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_CONSTANT_ =
      Raw.function("percale_builder_constant", long.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_constant(long builder, long name, long tensor, long out_value) {
    try {
      return (long) PERCALE_BUILDER_CONSTANT_.invokeExact(builder, name, tensor, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_VARIABLE_ =
      Raw.function("percale_builder_variable", long.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_variable(long builder, long name, long initial, long out_value) {
    try {
      return (long) PERCALE_BUILDER_VARIABLE_.invokeExact(builder, name, initial, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_VARIABLE_INITIALIZED_ =
      Raw.function("percale_builder_variable_initialized", long.class, long.class, long.class, int.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_variable_initialized(long builder, long name, int dtype, long dims, long rank, long initializer, long out_value) {
    try {
      return (long) PERCALE_BUILDER_VARIABLE_INITIALIZED_.invokeExact(builder, name, dtype, dims, rank, initializer, out_value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_NODE_ =
      Raw.function("percale_builder_node", long.class, long.class, long.class, long.class);

  public static long percale_builder_node(long builder, long op, long name) {
    try {
      return (long) PERCALE_BUILDER_NODE_.invokeExact(builder, op, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_LAYER_ =
      Raw.function("percale_builder_layer", long.class, long.class, long.class, long.class);

  public static long percale_builder_layer(long builder, long layer, long name) {
    try {
      return (long) PERCALE_BUILDER_LAYER_.invokeExact(builder, layer, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_ADD_INPUT_ =
      Raw.function("percale_builder_add_input", long.class, long.class, int.class);

  public static long percale_builder_add_input(long builder, int value) {
    try {
      return (long) PERCALE_BUILDER_ADD_INPUT_.invokeExact(builder, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_INT_ =
      Raw.function("percale_builder_set_int", long.class, long.class, long.class, long.class);

  public static long percale_builder_set_int(long builder, long attribute, long value) {
    try {
      return (long) PERCALE_BUILDER_SET_INT_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_FLOAT_ =
      Raw.function("percale_builder_set_float", long.class, long.class, long.class, double.class);

  public static long percale_builder_set_float(long builder, long attribute, double value) {
    try {
      return (long) PERCALE_BUILDER_SET_FLOAT_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_STRING_ =
      Raw.function("percale_builder_set_string", long.class, long.class, long.class, long.class);

  public static long percale_builder_set_string(long builder, long attribute, long value) {
    try {
      return (long) PERCALE_BUILDER_SET_STRING_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_INTS_ =
      Raw.function("percale_builder_set_ints", long.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_set_ints(long builder, long attribute, long values, long count) {
    try {
      return (long) PERCALE_BUILDER_SET_INTS_.invokeExact(builder, attribute, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_FLOATS_ =
      Raw.function("percale_builder_set_floats", long.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_set_floats(long builder, long attribute, long values, long count) {
    try {
      return (long) PERCALE_BUILDER_SET_FLOATS_.invokeExact(builder, attribute, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_STRINGS_ =
      Raw.function("percale_builder_set_strings", long.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_set_strings(long builder, long attribute, long values, long count) {
    try {
      return (long) PERCALE_BUILDER_SET_STRINGS_.invokeExact(builder, attribute, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_TENSOR_ =
      Raw.function("percale_builder_set_tensor", long.class, long.class, long.class, long.class);

  public static long percale_builder_set_tensor(long builder, long attribute, long value) {
    try {
      return (long) PERCALE_BUILDER_SET_TENSOR_.invokeExact(builder, attribute, value);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_FUNCTION_ =
      Raw.function("percale_builder_set_function", long.class, long.class, long.class, long.class);

  public static long percale_builder_set_function(long builder, long attribute, long function) {
    try {
      return (long) PERCALE_BUILDER_SET_FUNCTION_.invokeExact(builder, attribute, function);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FINISH_NODE_ =
      Raw.function("percale_builder_finish_node", long.class, long.class, long.class, long.class);

  public static long percale_builder_finish_node(long builder, long output_count, long out_values) {
    try {
      return (long) PERCALE_BUILDER_FINISH_NODE_.invokeExact(builder, output_count, out_values);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_BEGIN_FUNCTION_ =
      Raw.function("percale_builder_begin_function", long.class, long.class, long.class);

  public static long percale_builder_begin_function(long builder, long name) {
    try {
      return (long) PERCALE_BUILDER_BEGIN_FUNCTION_.invokeExact(builder, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_END_FUNCTION_ =
      Raw.function("percale_builder_end_function", long.class, long.class);

  public static long percale_builder_end_function(long builder) {
    try {
      return (long) PERCALE_BUILDER_END_FUNCTION_.invokeExact(builder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_OUTPUTS_ =
      Raw.function("percale_builder_set_outputs", long.class, long.class, long.class, long.class);

  public static long percale_builder_set_outputs(long builder, long values, long count) {
    try {
      return (long) PERCALE_BUILDER_SET_OUTPUTS_.invokeExact(builder, values, count);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_RENAME_ =
      Raw.function("percale_builder_rename", long.class, long.class, int.class, long.class);

  public static long percale_builder_rename(long builder, int value, long name) {
    try {
      return (long) PERCALE_BUILDER_RENAME_.invokeExact(builder, value, name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_VALUE_TYPE_ =
      Raw.function("percale_builder_value_type", long.class, long.class, int.class, long.class, long.class, long.class);

  public static long percale_builder_value_type(long builder, int value, long out_dtype, long out_dims, long out_rank) {
    try {
      return (long) PERCALE_BUILDER_VALUE_TYPE_.invokeExact(builder, value, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_SET_DEVICE_ =
      Raw.function("percale_builder_set_device", long.class, long.class, long.class);

  public static long percale_builder_set_device(long builder, long device) {
    try {
      return (long) PERCALE_BUILDER_SET_DEVICE_.invokeExact(builder, device);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_CONTROL_DEPENDENCY_ =
      Raw.function("percale_builder_control_dependency", long.class, long.class, int.class, int.class);

  public static long percale_builder_control_dependency(long builder, int before, int after) {
    try {
      return (long) PERCALE_BUILDER_CONTROL_DEPENDENCY_.invokeExact(builder, before, after);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_GRADIENTS_ =
      Raw.function("percale_builder_gradients", long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_builder_gradients(long builder, long ys, long y_count, long xs, long x_count, long out_gradients) {
    try {
      return (long) PERCALE_BUILDER_GRADIENTS_.invokeExact(builder, ys, y_count, xs, x_count, out_gradients);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_MINIMIZE_ =
      Raw.function("percale_builder_minimize", long.class, long.class, int.class, long.class, long.class);

  public static long percale_builder_minimize(long builder, int loss, long optimizer, long out_target_name) {
    try {
      return (long) PERCALE_BUILDER_MINIMIZE_.invokeExact(builder, loss, optimizer, out_target_name);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_BUILDER_FINISH_ =
      Raw.function("percale_builder_finish", long.class, long.class, long.class);

  public static long percale_builder_finish(long builder, long out_graph) {
    try {
      return (long) PERCALE_BUILDER_FINISH_.invokeExact(builder, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
