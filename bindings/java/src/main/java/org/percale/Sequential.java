package org.percale;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A model as a list of layers, and how it is trained, with the names of the Keras API. It writes a
 * SPEC.
 */
public final class Sequential {
  private final Path file;
  private final List<Layer> layers = new ArrayList<>();
  private final Map<String, Object> keys = new LinkedHashMap<>();

  private Sequential(Path file) {
    this.file = file;
  }

  /**
   * Creates a model without layers.
   *
   * @param inputShape the shape of a row
   * @return the model
   */
  public static Sequential of(long... inputShape) {
    return new Sequential(null).set("input_shape", inputShape);
  }

  /**
   * Creates a model from a file with its weights. Layers, if there are any, are its head. The key
   * "outputs" names the values that the head takes as input. The key "freeze" selects variables
   * that keep their values.
   *
   * @param file the file
   * @return the model
   */
  public static Sequential fromFile(Path file) {
    Objects.requireNonNull(file, "file");
    return new Sequential(file);
  }

  /**
   * Appends a layer.
   *
   * @param layer the layer
   * @return this
   */
  public Sequential layer(Layer layer) {
    Objects.requireNonNull(layer, "layer");
    layers.add(layer);
    return this;
  }

  /**
   * Appends a fully connected layer.
   *
   * @param units the number of units
   * @param activation "relu", "softmax", ...; null means none
   * @return this
   */
  public Sequential dense(long units, String activation) {
    Layer dense = Layer.of("Dense").set("units", units);
    return layer(activation == null ? dense : dense.set("activation", activation));
  }

  /**
   * Sets how the model is trained. Each argument is a name, a map such as {@code Map.of("name",
   * "sgd", "learning_rate", 0.1)}, or the same object as JSON. To train again with other settings,
   * call it again and keep the weights with {@link Trainer.Builder#weightsOf}.
   *
   * @param optimizer the optimizer
   * @param loss the loss; the labels of sparse losses are integers
   * @param metrics the metrics
   * @return this
   */
  public Sequential compile(Object optimizer, Object loss, Object... metrics) {
    Objects.requireNonNull(optimizer, "optimizer");
    Objects.requireNonNull(loss, "loss");
    Objects.requireNonNull(metrics, "metrics");
    return set("optimizer", Json.nameOrObject(optimizer)).set("loss", Json.nameOrObject(loss))
        .set("metrics", Arrays.stream(metrics).map(Json::nameOrObject).collect(Collectors.toUnmodifiableList()));
  }

  /**
   * Sets the learning rate schedule.
   *
   * @param schedule a name, a map such as {@code Map.of("name", "warm_up", "steps", 200)}, or
   *     several to run one after the other, also as a list or as a JSON array
   * @return this
   */
  public Sequential schedule(Object... schedule) {
    Object only = schedule.length == 1 ? schedule[0] : null;
    if (only instanceof List) return schedule(((List<?>) only).toArray());
    if (only instanceof String && ((String) only).stripLeading().startsWith("[")) {
      return set("schedule", new Json.Raw((String) only));
    }
    return set("schedule", Arrays.stream(schedule).map(Json::nameOrObject).collect(Collectors.toUnmodifiableList()));
  }

  /**
   * Sets any other key of the SPEC.
   *
   * @param key its name
   * @param value text, a number, a Boolean, null (the null of JSON), or an array, a list or a map
   *     of such values
   * @return this
   * @throws IllegalArgumentException for a value of another class
   */
  public Sequential set(String key, Object value) {
    keys.put(key, new Json.Raw(Json.of(key, value)));
    return this;
  }

  /**
   * Returns the SPEC.
   *
   * @return JSON
   */
  public String spec() {
    Map<String, Object> all = new LinkedHashMap<>();
    if (file != null) all.put("model", file.toAbsolutePath().toString());
    List<Map<String, Object>> described = layers.stream().map(layer -> {
      Map<String, Object> out = new LinkedHashMap<>();
      out.put("layer", layer.name());
      out.putAll(layer.settings());
      return out;
    }).collect(Collectors.toUnmodifiableList());
    if (file == null || !layers.isEmpty()) all.put(file == null ? "model" : "head", described);
    all.putAll(keys);
    return Json.of("model", all);
  }

  /**
   * Returns a builder for a trainer of this model.
   *
   * @param engine the engine
   * @return the builder
   */
  public Trainer.Builder trainer(Engine engine) {
    return Trainer.fromSpec(engine, spec());
  }

  /** Returns the layers and the other keys of the SPEC. */
  @Override
  public String toString() {
    String head = layers.stream().map(Layer::name).collect(Collectors.joining(", ", "Sequential[", "]"));
    Map<String, Object> rest = new LinkedHashMap<>(keys);
    if (file != null) rest.put("model", file.toString());
    return rest.isEmpty() ? head : head + " " + Json.of("model", rest);
  }
}
