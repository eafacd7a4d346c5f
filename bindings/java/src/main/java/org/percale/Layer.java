package org.percale;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A layer of a {@link Sequential}. */
public final class Layer {
  private final String name;
  private final Map<String, Object> settings;

  /**
   * Creates a layer with these settings.
   *
   * @param name "Dense", "Conv2D", "Flatten", ...
   * @param settings its settings, by the names of Keras arguments
   * @throws IllegalArgumentException for a value that JSON cannot represent; see {@link #set}
   */
  public Layer(String name, Map<String, Object> settings) {
    settings.forEach(Json::of);
    this.name = name;
    this.settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }

  /**
   * Returns the name.
   *
   * @return "Dense", "Conv2D", "Flatten", ...
   */
  public String name() {
    return name;
  }

  /**
   * Returns the settings.
   *
   * @return the settings, by the names of Keras arguments
   */
  public Map<String, Object> settings() {
    return settings;
  }

  /**
   * Creates a layer with the default settings.
   *
   * @param name its name
   * @return the layer
   */
  public static Layer of(String name) {
    return new Layer(name, Map.of());
  }

  /**
   * Returns the same layer with one more setting.
   *
   * @param key "units", "activation", ...
   * @param value text, a number, a Boolean, null (the null of JSON), or an array, a list or a map
   *     of such values
   * @return a new layer
   * @throws IllegalArgumentException for a value of another class
   */
  public Layer set(String key, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(settings);
    more.put(key, value);
    return new Layer(name, more);
  }
}
