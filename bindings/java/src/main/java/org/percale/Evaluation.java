package org.percale;

import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The loss and the metrics of an evaluation.
 *
 * @param json as the library writes it: {"loss":0.03,"accuracy":0.99}
 */
public record Evaluation(String json) {
  /**
   * Returns the loss or a metric.
   *
   * @param name its name
   * @return its value
   */
  public OptionalDouble get(String name) {
    Matcher found = Pattern.compile("\"" + Pattern.quote(name) + "\":\\s*([-+0-9.eE]+)").matcher(json);
    return found.find() ? OptionalDouble.of(Double.parseDouble(found.group(1))) : OptionalDouble.empty();
  }

  /**
   * Returns the mean loss.
   *
   * @return the loss
   */
  public double loss() {
    return get("loss").orElse(Double.NaN);
  }
}
