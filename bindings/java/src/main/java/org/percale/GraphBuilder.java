package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.percale.raw.RawBuilder;

/** Builds a graph: inputs, constants, variables, ops, layers, gradients, training steps. One thread at a time may use it. */
public final class GraphBuilder extends NativeHandle {
  private GraphBuilder(MemorySegment pointer) {
    super(State.exclusive("builder", pointer, RawBuilder::percale_builder_release));
  }

  /**
   * An empty builder.
   *
   * @param engine whose ops
   * @return the builder
   */
  public static GraphBuilder create(Engine engine) {
    Objects.requireNonNull(engine, "engine");
    return engine.with(raw -> new GraphBuilder(Native.make(out -> RawBuilder.percale_builder_create(raw, out))));
  }

  /**
   * Goes on from a finished graph.
   *
   * @param engine whose ops
   * @param graph the graph
   * @return the builder
   */
  public static GraphBuilder from(Engine engine, Graph graph) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return engine.with(raw -> graph.with(
        done -> new GraphBuilder(Native.make(out -> RawBuilder.percale_builder_from_graph(raw, done, out)))));
  }

  /** A function of the library with a builder and a place for a value. */
  private Value value(Function<Arena, BiFunction<MemorySegment, MemorySegment, MemorySegment>> prepare) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_INT);
      var call = prepare.apply(arena);
      check(raw -> call.apply(raw, out));
      return new Value(out.get(JAVA_INT, 0));
    }
  }

  /** A function of the library with a builder and a text. */
  private void named(String text, BiFunction<MemorySegment, MemorySegment, MemorySegment> call) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, text);
      check(raw -> call.apply(raw, name));
    }
  }

  private static MemorySegment numbers(Arena arena, List<Value> values) {
    return Native.ints(arena, values.stream().mapToInt(Value::number).toArray());
  }

  /**
   * The value of that name: how to go on from what a graph has.
   *
   * @param name the name
   * @return the value
   */
  public Value find(String name) {
    return value(arena -> {
      MemorySegment text = Native.name(arena, name);
      return (raw, out) -> RawBuilder.percale_builder_find_value(raw, text, out);
    });
  }

  /**
   * An input.
   *
   * @param name its name
   * @param dtype the type of its elements
   * @param dims its dims; -1 is one that is not known yet
   * @return the value
   */
  public Value input(String name, DType dtype, long... dims) {
    return value(arena -> {
      MemorySegment text = Native.name(arena, name);
      MemorySegment shape = Native.longs(arena, dims);
      return (raw, out) -> RawBuilder.percale_builder_input(raw, text, dtype.number(), shape, dims.length, out);
    });
  }

  /**
   * A constant.
   *
   * @param name its name; may be null
   * @param tensor what it is; shared, not copied, and not to be written to any more
   * @return the value
   */
  public Value constant(String name, Tensor tensor) {
    return value(arena -> {
      MemorySegment text = Native.name(arena, name);
      return (raw, out) -> tensor.with(t -> RawBuilder.percale_builder_constant(raw, text, t, out));
    });
  }

  /**
   * A trainable variable.
   *
   * @param name its name
   * @param initial its first value
   * @return what reads it
   */
  public Value variable(String name, Tensor initial) {
    return value(arena -> {
      MemorySegment text = Native.name(arena, name);
      return (raw, out) -> initial.with(t -> RawBuilder.percale_builder_variable(raw, text, t, out));
    });
  }

  /**
   * A trainable variable whose first value an initializer draws.
   *
   * @param name its name
   * @param dtype the type of its elements
   * @param dims its dims
   * @param initializer "zeros", "glorot_uniform", "he_normal", ...
   * @return what reads it
   */
  public Value variable(String name, DType dtype, long[] dims, String initializer) {
    return value(arena -> {
      MemorySegment text = Native.name(arena, name);
      MemorySegment shape = Native.longs(arena, dims);
      MemorySegment how = Native.name(arena, initializer);
      return (raw, out) -> RawBuilder.percale_builder_variable_initialized(
          raw, text, dtype.number(), shape, dims.length, how, out);
    });
  }

  /**
   * Begins a node of an op.
   *
   * @param op "Conv", or "percale:ApplyAdam"
   * @return what collects its inputs and attributes
   */
  public Node op(String op) {
    return new Node(op, false);
  }

  /**
   * Begins a layer, with Keras' words as attributes.
   *
   * @param layer "Dense", "Conv2D", ...
   * @return what collects its inputs and attributes
   */
  public Node layer(String layer) {
    return new Node(layer, true);
  }

  /**
   * What is built within {@code body} goes into a function of its own. Functions nest.
   *
   * @param name its name
   * @param body builds it and gives its outputs
   */
  public void function(String name, Function<GraphBuilder, List<Value>> body) {
    named(name, RawBuilder::percale_builder_begin_function);
    RuntimeException error = null;
    try {
      setOutputs(body.apply(this));
    } catch (RuntimeException thrown) {
      error = thrown;
    }
    // The function ends in any case: the builder goes on.
    try {
      check(RawBuilder::percale_builder_end_function);
    } catch (RuntimeException thrown) {
      if (error == null) error = thrown;
    }
    if (error != null) throw error;
  }

  /**
   * The outputs of the current function.
   *
   * @param values the outputs
   */
  public void setOutputs(List<Value> values) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = numbers(arena, values);
      check(raw -> RawBuilder.percale_builder_set_outputs(raw, all, values.size()));
    }
  }

  /**
   * The outputs of the current function.
   *
   * @param values the outputs
   */
  public void setOutputs(Value... values) {
    setOutputs(Arrays.asList(values));
  }

  /**
   * Gives a value another name.
   *
   * @param value the value
   * @param name its new name
   */
  public void rename(Value value, String name) {
    named(name, (raw, text) -> RawBuilder.percale_builder_rename(raw, value.number(), text));
  }

  /**
   * What is known of a value.
   *
   * @param dtype its type, or null
   * @param dims its dims, -1 for one that is not known, or null when not even their number is
   */
  public record Type(DType dtype, long[] dims) {}

  /**
   * What is known of a value.
   *
   * @param value the value
   * @return its type
   */
  public Type typeOf(Value value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment dtype = arena.allocate(JAVA_INT);
      MemorySegment dims = arena.allocate(JAVA_LONG, Native.MAX_RANK);
      MemorySegment rank = arena.allocate(JAVA_LONG);
      check(raw -> RawBuilder.percale_builder_value_type(raw, value.number(), dtype, dims, rank));
      long known = rank.get(JAVA_LONG, 0);
      return new Type(DType.of(dtype.get(JAVA_INT, 0)), known < 0 ? null : dims.asSlice(0, 8 * known).toArray(JAVA_LONG));
    }
  }

  /**
   * Nodes that follow carry this device hint.
   *
   * @param device "cuda:0"; "" ends it
   */
  public void setDevice(String device) {
    named(device, RawBuilder::percale_builder_set_device);
  }

  /**
   * The node of {@code after} runs only when the node of {@code before} has.
   *
   * @param before a value of the one
   * @param after a value of the other
   */
  public void controlDependency(Value before, Value after) {
    check(raw -> RawBuilder.percale_builder_control_dependency(raw, before.number(), after.number()));
  }

  /**
   * Gradients of the sum of {@code ys} with respect to each of {@code xs}, as new nodes.
   *
   * @param ys what is differentiated
   * @param xs with respect to what
   * @return a gradient per x
   */
  public List<Value> gradients(List<Value> ys, List<Value> xs) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = numbers(arena, ys);
      MemorySegment to = numbers(arena, xs);
      MemorySegment out = arena.allocate(JAVA_INT, xs.size());
      check(raw -> RawBuilder.percale_builder_gradients(raw, from, ys.size(), to, xs.size(), out));
      return Arrays.stream(out.toArray(JAVA_INT)).mapToObj(Value::new).toList();
    }
  }

  /**
   * Adds what one training step does.
   *
   * @param loss the scalar loss
   * @param optimizer a name, or JSON such as {"name": "adam", "learning_rate": 0.001}
   * @return the target that runs one step
   */
  public String minimize(Value loss, String optimizer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Native.name(arena, optimizer);
      MemorySegment name = arena.allocate(ADDRESS);
      return with(raw -> {
        Native.check(RawBuilder.percale_builder_minimize(raw, loss.number(), text, name));
        return Native.borrowed(name.get(ADDRESS, 0));
      });
    }
  }

  /**
   * The finished, validated graph. The builder is left empty.
   *
   * @return the graph
   */
  public Graph finish() {
    return with(raw -> Graph.take(Native.make(out -> RawBuilder.percale_builder_finish(raw, out))));
  }

  /** A node or layer that was begun. */
  public final class Node {
    private final String op;
    private final boolean layer;
    private String name;
    private final List<Value> inputs = new ArrayList<>();
    private final Map<String, Object> attributes = new LinkedHashMap<>();

    private Node(String op, boolean layer) {
      this.op = op;
      this.layer = layer;
    }

    /**
     * Its name; without one the library finds one.
     *
     * @param name the name
     * @return this
     */
    public Node name(String name) {
      this.name = name;
      return this;
    }

    /**
     * The next inputs.
     *
     * @param values the inputs
     * @return this
     */
    public Node input(Value... values) {
      inputs.addAll(Arrays.asList(values));
      return this;
    }

    /**
     * An attribute.
     *
     * @param attribute its name
     * @param value a whole number, a number, a Boolean, text, a {@code long[]}, a {@code double[]}, a {@code String[]}, or a
     *     {@link Tensor}
     * @return this
     */
    public Node set(String attribute, Object value) {
      attributes.put(attribute, value);
      return this;
    }

    /**
     * An attribute that names a function of the graph: a branch of If, the body of Loop.
     *
     * @param attribute its name
     * @param function the function's name
     * @return this
     */
    public Node function(String attribute, String function) {
      return set(attribute, new FunctionName(function));
    }

    /**
     * Ends it.
     *
     * @return its one output
     */
    public Value finish() {
      return finish(1).get(0);
    }

    /**
     * Ends it.
     *
     * @param outputs how many outputs are wanted
     * @return its first outputs
     */
    public List<Value> finish(int outputs) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment kind = Native.name(arena, op);
        MemorySegment own = Native.name(arena, name);
        MemorySegment out = arena.allocate(JAVA_INT, outputs);
        // What cannot be given to the library is found before anything is begun.
        Map<MemorySegment, BiFunction<MemorySegment, MemorySegment, MemorySegment>> setters = new LinkedHashMap<>();
        attributes.forEach((key, value) -> setters.put(Native.name(arena, key), setter(arena, key, value)));
        check(raw -> layer ? RawBuilder.percale_builder_layer(raw, kind, own)
            : RawBuilder.percale_builder_node(raw, kind, own));
        PercaleException error = null;
        try {
          for (Value input : inputs) check(raw -> RawBuilder.percale_builder_add_input(raw, input.number()));
          setters.forEach((key, setter) -> check(raw -> setter.apply(raw, key)));
        } catch (PercaleException thrown) {
          error = thrown;
        }
        // A node that could not be filled is dropped by finishing it, which says the same again.
        try {
          check(raw -> RawBuilder.percale_builder_finish_node(raw, outputs, out));
        } catch (PercaleException thrown) {
          if (error == null) error = thrown;
        }
        if (error != null) throw error;
        return Arrays.stream(out.toArray(JAVA_INT)).mapToObj(Value::new).toList();
      }
    }
  }

  private record FunctionName(String name) {}

  /** What sets an attribute of the node that was begun. */
  private static BiFunction<MemorySegment, MemorySegment, MemorySegment> setter(Arena arena, String key, Object value) {
    switch (value) {
      case Integer number -> {
        return (raw, name) -> RawBuilder.percale_builder_set_int(raw, name, number);
      }
      case Long number -> {
        return (raw, name) -> RawBuilder.percale_builder_set_int(raw, name, number);
      }
      case Boolean on -> {
        return (raw, name) -> RawBuilder.percale_builder_set_int(raw, name, on ? 1 : 0);
      }
      case Float number -> {
        return (raw, name) -> RawBuilder.percale_builder_set_float(raw, name, number);
      }
      case Double number -> {
        return (raw, name) -> RawBuilder.percale_builder_set_float(raw, name, number);
      }
      case String text -> {
        MemorySegment given = Native.name(arena, text);
        return (raw, name) -> RawBuilder.percale_builder_set_string(raw, name, given);
      }
      case long[] numbers -> {
        MemorySegment given = Native.longs(arena, numbers);
        return (raw, name) -> RawBuilder.percale_builder_set_ints(raw, name, given, numbers.length);
      }
      case double[] numbers -> {
        MemorySegment given = arena.allocateFrom(JAVA_DOUBLE, numbers);
        return (raw, name) -> RawBuilder.percale_builder_set_floats(raw, name, given, numbers.length);
      }
      case String[] texts -> {
        MemorySegment given = Native.names(arena, Arrays.asList(texts));
        return (raw, name) -> RawBuilder.percale_builder_set_strings(raw, name, given, texts.length);
      }
      case Tensor tensor -> {
        return (raw, name) -> tensor.with(t -> RawBuilder.percale_builder_set_tensor(raw, name, t));
      }
      case FunctionName function -> {
        MemorySegment given = Native.name(arena, function.name());
        return (raw, name) -> RawBuilder.percale_builder_set_function(raw, name, given);
      }
      case null -> throw new PercaleException(Code.INVALID_ARGUMENT, "the attribute '" + key + "' cannot be null");
      default -> throw new PercaleException(Code.INVALID_ARGUMENT,
          "the attribute '" + key + "' cannot be a " + value.getClass().getTypeName());
    }
  }
}
