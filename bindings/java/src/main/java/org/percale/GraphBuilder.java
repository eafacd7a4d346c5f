package org.percale;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.percale.raw.RawBuilder;
import org.percale.raw.RawMemory;

/**
 * Builds a graph: inputs, constants, variables, ops, layers, gradients, training steps. Only one
 * thread at a time may use it.
 */
public final class GraphBuilder extends NativeHandle {
  private GraphBuilder(long pointer) {
    super(State.exclusive("builder", pointer, RawBuilder::percale_builder_release));
  }

  /**
   * Creates a builder of an empty graph.
   *
   * @param engine the engine whose ops the graph uses
   * @return the builder
   */
  public static GraphBuilder create(Engine engine) {
    Objects.requireNonNull(engine, "engine");
    return engine.with(raw -> new GraphBuilder(Native.make(out -> RawBuilder.percale_builder_create(raw, out))));
  }

  /**
   * Creates a builder that continues from a finished graph.
   *
   * @param engine the engine whose ops the graph uses
   * @param graph the graph
   * @return the builder
   */
  public static GraphBuilder from(Engine engine, Graph graph) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return engine.with(raw -> graph.with(
        done -> new GraphBuilder(Native.make(out -> RawBuilder.percale_builder_from_graph(raw, done, out)))));
  }

  /** Calls a function of the library that writes a value. */
  private Value value(Function<Scratch, LongBinaryOperator> prepare) {
    try (Scratch scratch = new Scratch()) {
      long out = scratch.allocate(4);
      var call = prepare.apply(scratch);
      check(raw -> call.applyAsLong(raw, out));
      return new Value(RawMemory.getInt(out));
    }
  }

  /** Calls a function of the library that takes a text. */
  private void named(String text, LongBinaryOperator call) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(text);
      check(raw -> call.applyAsLong(raw, name));
    }
  }

  private static long numbers(Scratch scratch, List<Value> values) {
    return scratch.ints(values.stream().mapToInt(Value::number).toArray());
  }

  private static List<Value> values(long numbers, int count) {
    return IntStream.range(0, count).mapToObj(i -> new Value(RawMemory.getInt(numbers + 4L * i)))
        .collect(Collectors.toUnmodifiableList());
  }

  /**
   * Finds a value by its name.
   *
   * @param name the name
   * @return the value
   */
  public Value find(String name) {
    return value(scratch -> {
      long text = scratch.text(name);
      return (raw, out) -> RawBuilder.percale_builder_find_value(raw, text, out);
    });
  }

  /**
   * Adds an input.
   *
   * @param name its name
   * @param dtype the type of its elements
   * @param dims its dims; -1 for an unknown dim
   * @return the value
   */
  public Value input(String name, DType dtype, long... dims) {
    return value(scratch -> {
      long text = scratch.text(name);
      long shape = scratch.longs(dims);
      return (raw, out) -> RawBuilder.percale_builder_input(raw, text, dtype.number(), shape, dims.length, out);
    });
  }

  /**
   * Adds a constant.
   *
   * @param name its name; may be null
   * @param tensor its value; shared, not copied, and must not be written to any more
   * @return the value
   */
  public Value constant(String name, Tensor tensor) {
    return value(scratch -> {
      long text = scratch.text(name);
      return (raw, out) -> tensor.with(t -> RawBuilder.percale_builder_constant(raw, text, t, out));
    });
  }

  /**
   * Adds a trainable variable.
   *
   * @param name its name
   * @param initial its initial value
   * @return the value of the variable
   */
  public Value variable(String name, Tensor initial) {
    return value(scratch -> {
      long text = scratch.text(name);
      return (raw, out) -> initial.with(t -> RawBuilder.percale_builder_variable(raw, text, t, out));
    });
  }

  /**
   * Adds a trainable variable whose initial value an initializer draws.
   *
   * @param name its name
   * @param dtype the type of its elements
   * @param dims its dims
   * @param initializer "zeros", "glorot_uniform", "he_normal", ...
   * @return the value of the variable
   */
  public Value variable(String name, DType dtype, long[] dims, String initializer) {
    return value(scratch -> {
      long text = scratch.text(name);
      long shape = scratch.longs(dims);
      long how = scratch.text(initializer);
      return (raw, out) -> RawBuilder.percale_builder_variable_initialized(
          raw, text, dtype.number(), shape, dims.length, how, out);
    });
  }

  /**
   * Starts a node of an op. The first output of the node has the name of the node.
   *
   * @param op "Conv", "percale:ApplyAdam", or "sample:Square" of a plug-in
   * @return collects its inputs and attributes
   */
  public Node op(String op) {
    return new Node(op, false);
  }

  /**
   * Starts a layer. Its attributes have the names of Keras arguments.
   *
   * @param layer "Dense", "Conv2D", ...
   * @return collects its inputs and attributes
   */
  public Node layer(String layer) {
    return new Node(layer, true);
  }

  /**
   * Builds a function of the graph from everything that {@code body} adds. Functions can be nested.
   *
   * @param name its name
   * @param body builds the function and returns its outputs
   */
  public void function(String name, Function<GraphBuilder, List<Value>> body) {
    named(name, RawBuilder::percale_builder_begin_function);
    RuntimeException error = null;
    try {
      setOutputs(body.apply(this));
    } catch (RuntimeException thrown) {
      error = thrown;
    }
    // Ends the function even after an error, so the builder stays usable.
    try {
      check(RawBuilder::percale_builder_end_function);
    } catch (RuntimeException thrown) {
      if (error == null) error = thrown;
    }
    if (error != null) throw error;
  }

  /**
   * Sets the outputs of the current function.
   *
   * @param values the outputs
   */
  public void setOutputs(List<Value> values) {
    try (Scratch scratch = new Scratch()) {
      long all = numbers(scratch, values);
      check(raw -> RawBuilder.percale_builder_set_outputs(raw, all, values.size()));
    }
  }

  /**
   * Sets the outputs of the current function.
   *
   * @param values the outputs
   */
  public void setOutputs(Value... values) {
    setOutputs(Arrays.asList(values));
  }

  /**
   * Gives a value another name, which feeds and fetches then use.
   *
   * @param value the value
   * @param name its new name
   */
  public void rename(Value value, String name) {
    named(name, (raw, text) -> RawBuilder.percale_builder_rename(raw, value.number(), text));
  }

  /** The type of a value. */
  public static final class Type {
    private final DType dtype;
    private final long[] dims;

    private Type(TensorSpec spec) {
      dtype = spec.dtype();
      dims = spec.dims();
    }

    /**
     * Returns the type of the elements.
     *
     * @return the type, or null if unknown
     */
    public DType dtype() {
      return dtype;
    }

    /**
     * Returns the dims.
     *
     * @return the dims, -1 for an unknown dim; null if not even the rank is known
     */
    public long[] dims() {
      return dims;
    }
  }

  /**
   * Returns the type of a value.
   *
   * @param value the value
   * @return its type
   */
  public Type typeOf(Value value) {
    TensorSpec spec = with(raw -> TensorSpec.read("",
        (dtype, dims, rank) -> RawBuilder.percale_builder_value_type(raw, value.number(), dtype, dims, rank)));
    return new Type(spec);
  }

  /**
   * Sets a device hint for the nodes that follow.
   *
   * @param device "cuda:0"; "" removes the hint
   */
  public void setDevice(String device) {
    named(device, RawBuilder::percale_builder_set_device);
  }

  /**
   * Makes the node of {@code after} run only once the node of {@code before} has run.
   *
   * @param before a value of one node
   * @param after a value of the other node
   */
  public void controlDependency(Value before, Value after) {
    check(raw -> RawBuilder.percale_builder_control_dependency(raw, before.number(), after.number()));
  }

  /**
   * Adds nodes that compute the gradients of the sum of {@code ys} with respect to each of {@code
   * xs}.
   *
   * @param ys the values to differentiate
   * @param xs the values to differentiate by
   * @return a gradient per x
   */
  public List<Value> gradients(List<Value> ys, List<Value> xs) {
    try (Scratch scratch = new Scratch()) {
      long from = numbers(scratch, ys);
      long to = numbers(scratch, xs);
      long out = scratch.allocate(4L * xs.size());
      check(raw -> RawBuilder.percale_builder_gradients(raw, from, ys.size(), to, xs.size(), out));
      return values(out, xs.size());
    }
  }

  /**
   * Adds the nodes of one training step.
   *
   * @param loss the scalar loss
   * @param optimizer a name, or JSON such as {"name": "adam", "learning_rate": 0.001}
   * @return the name of the target that runs one step
   */
  public String minimize(Value loss, String optimizer) {
    try (Scratch scratch = new Scratch()) {
      long text = scratch.text(optimizer);
      long name = scratch.allocate(8);
      return with(raw -> {
        Native.check(RawBuilder.percale_builder_minimize(raw, loss.number(), text, name));
        return Native.borrowed(RawMemory.getLong(name));
      });
    }
  }

  /**
   * Returns the validated graph. The builder is empty afterwards.
   *
   * @return the graph
   */
  public Graph finish() {
    return with(raw -> Graph.take(Native.make(out -> RawBuilder.percale_builder_finish(raw, out))));
  }

  /** A started node or layer. */
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
     * Sets the name. Without it the library chooses one.
     *
     * @param name the name
     * @return this
     */
    public Node name(String name) {
      this.name = name;
      return this;
    }

    /**
     * Adds inputs.
     *
     * @param values the inputs
     * @return this
     */
    public Node input(Value... values) {
      inputs.addAll(Arrays.asList(values));
      return this;
    }

    /**
     * Sets an attribute.
     *
     * @param attribute its name
     * @param value an integer, a floating-point number, a Boolean, text, a {@code long[]}, a {@code
     *     double[]}, a {@code String[]}, or a {@link Tensor}
     * @return this
     */
    public Node set(String attribute, Object value) {
      attributes.put(attribute, value);
      return this;
    }

    /**
     * Sets an attribute that names a function of the graph, such as a branch of If or the body of
     * Loop.
     *
     * @param attribute its name
     * @param function the name of the function
     * @return this
     */
    public Node function(String attribute, String function) {
      return set(attribute, new FunctionName(function));
    }

    /**
     * Adds the node or layer to the graph.
     *
     * @return its only output
     */
    public Value finish() {
      return finish(1).get(0);
    }

    /**
     * Adds the node or layer to the graph.
     *
     * @param outputs the number of outputs wanted
     * @return its first outputs
     */
    public List<Value> finish(int outputs) {
      try (Scratch scratch = new Scratch()) {
        long kind = scratch.text(op);
        long own = scratch.text(name);
        long out = scratch.allocate(4L * outputs);
        // Converts the attributes first, so an invalid one throws before the node is started.
        Map<Long, LongBinaryOperator> setters = new LinkedHashMap<>();
        attributes.forEach((key, value) -> setters.put(scratch.text(key), setter(scratch, key, value)));
        check(raw -> layer ? RawBuilder.percale_builder_layer(raw, kind, own)
            : RawBuilder.percale_builder_node(raw, kind, own));
        PercaleException error = null;
        try {
          for (Value input : inputs) check(raw -> RawBuilder.percale_builder_add_input(raw, input.number()));
          setters.forEach((key, setter) -> check(raw -> setter.applyAsLong(raw, key)));
        } catch (PercaleException thrown) {
          error = thrown;
        }
        // Finishing a node with an error drops it and reports the same error again.
        try {
          check(raw -> RawBuilder.percale_builder_finish_node(raw, outputs, out));
        } catch (PercaleException thrown) {
          if (error == null) error = thrown;
        }
        if (error != null) throw error;
        return values(out, outputs);
      }
    }
  }

  private static final class FunctionName {
    final String name;

    FunctionName(String name) {
      this.name = name;
    }
  }

  /** Returns a function that sets an attribute of the current node. */
  private static LongBinaryOperator setter(Scratch scratch, String key, Object value) {
    if (value instanceof Integer || value instanceof Long) {
      long number = ((Number) value).longValue();
      return (raw, name) -> RawBuilder.percale_builder_set_int(raw, name, number);
    }
    if (value instanceof Boolean) {
      return (raw, name) -> RawBuilder.percale_builder_set_int(raw, name, (Boolean) value ? 1 : 0);
    }
    if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      return (raw, name) -> RawBuilder.percale_builder_set_float(raw, name, number);
    }
    if (value instanceof Tensor) {
      return (raw, name) -> ((Tensor) value).with(tensor -> RawBuilder.percale_builder_set_tensor(raw, name, tensor));
    }
    return textOrArraySetter(scratch, key, value);
  }

  private static LongBinaryOperator textOrArraySetter(Scratch scratch, String key, Object value) {
    if (value instanceof String) {
      long text = scratch.text((String) value);
      return (raw, name) -> RawBuilder.percale_builder_set_string(raw, name, text);
    }
    if (value instanceof FunctionName) {
      long text = scratch.text(((FunctionName) value).name);
      return (raw, name) -> RawBuilder.percale_builder_set_function(raw, name, text);
    }
    if (value instanceof long[]) {
      long[] all = (long[]) value;
      long numbers = scratch.longs(all);
      return (raw, name) -> RawBuilder.percale_builder_set_ints(raw, name, numbers, all.length);
    }
    if (value instanceof double[]) {
      double[] all = (double[]) value;
      long numbers = scratch.doubles(all);
      return (raw, name) -> RawBuilder.percale_builder_set_floats(raw, name, numbers, all.length);
    }
    if (value instanceof String[]) {
      List<String> all = Arrays.asList((String[]) value);
      long texts = scratch.texts(all);
      return (raw, name) -> RawBuilder.percale_builder_set_strings(raw, name, texts, all.size());
    }
    throw new PercaleException(Code.INVALID_ARGUMENT, "the attribute '" + key + "' cannot be "
        + (value == null ? "null" : "a " + value.getClass().getTypeName()));
  }
}
