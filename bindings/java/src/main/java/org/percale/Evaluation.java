package org.percale;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The loss and the metrics of an evaluation. */
public final class Evaluation {
  /** A pair of the flat object that the library writes. Its names contain no quotes. */
  private static final Pattern PAIR = Pattern.compile("\"([^\"]*)\"\\s*:\\s*([^\\s,}]+)");

  private final String json;

  Evaluation(String json) {
    this.json = json;
  }

  /**
   * Returns the loss and the metrics as the library writes them.
   *
   * @return JSON, such as {"loss":0.03,"accuracy":0.99}
   */
  public String json() {
    return json;
  }

  @Override
  public String toString() {
    return json;
  }

  /**
   * Returns the loss and the metrics by name, in the order of the library.
   *
   * @return their values; NaN for a value that is not finite
   */
  public Map<String, Double> values() {
    Map<String, Double> out = new LinkedHashMap<>();
    Matcher pair = PAIR.matcher(json);
    while (pair.find()) {
      String value = pair.group(2); // JSON has null for NaN and infinities
      out.put(pair.group(1), value.equals("null") ? Double.NaN : Double.parseDouble(value));
    }
    return Collections.unmodifiableMap(out);
  }

  /**
   * Returns the loss or a metric.
   *
   * @param name its name; {@link Code#NOT_FOUND} if there is none with this name
   * @return its value; NaN if it is not finite
   */
  public double get(String name) {
    Map<String, Double> values = values();
    Double value = values.get(name);
    if (value == null) {
      throw new PercaleException(Code.NOT_FOUND, "there is no '" + name + "' among " + values.keySet());
    }
    return value;
  }

  /**
   * Returns the mean loss.
   *
   * @return the loss; NaN if it is not finite
   */
  public double loss() {
    return get("loss");
  }
}
