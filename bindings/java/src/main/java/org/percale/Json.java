package org.percale;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes the values of a SPEC as JSON. */
final class Json {
  private Json() {}

  /** A JSON text that is used unchanged. */
  record Raw(String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** Returns text that begins with a brace as {@link Raw} JSON, and any other value unchanged. */
  static Object nameOrObject(Object value) {
    return value instanceof String text && text.stripLeading().startsWith("{") ? new Raw(text) : value;
  }

  /**
   * Returns the value of a key as JSON. Throws an {@link IllegalArgumentException} that names the
   * key if JSON cannot represent the value.
   */
  static String of(String key, Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> quoted(text);
      case Raw raw -> raw.text();
      case Boolean on -> on.toString();
      case Byte number -> number.toString();
      case Short number -> number.toString();
      case Integer number -> number.toString();
      case Long number -> number.toString();
      case BigInteger number -> number.toString();
      case BigDecimal number -> number.toString();
      case Float number -> finite(key, number, number.toString());
      case Double number -> finite(key, number, number.toString());
      case int[] numbers -> Arrays.toString(numbers);
      case long[] numbers -> Arrays.toString(numbers);
      case boolean[] all -> Arrays.toString(all);
      case float[] numbers -> list(key, IntStream.range(0, numbers.length).mapToObj(i -> numbers[i]).toList());
      case double[] numbers -> list(key, Arrays.stream(numbers).boxed().toList());
      case Object[] all -> list(key, Arrays.asList(all));
      case List<?> all -> list(key, all);
      case Map<?, ?> map -> map.entrySet().stream().map(entry -> member(key, entry))
          .collect(Collectors.joining(", ", "{", "}"));
      default -> throw new IllegalArgumentException("'" + key + "' cannot be a " + value.getClass().getTypeName()
          + ": a SPEC holds text, numbers, Booleans, null, and arrays, lists and maps of them");
    };
  }

  private static String list(String key, List<?> all) {
    return all.stream().map(value -> of(key, value)).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String member(String key, Map.Entry<?, ?> entry) {
    if (!(entry.getKey() instanceof String name)) {
      throw new IllegalArgumentException("'" + key + "' cannot be a map with the key " + entry.getKey() + ": its keys are texts");
    }
    return quoted(name) + ": " + of(key + "." + name, entry.getValue());
  }

  private static String finite(String key, double value, String text) {
    if (Double.isFinite(value)) return text;
    throw new IllegalArgumentException("'" + key + "' cannot be " + text + ": JSON has no such number");
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter == '"' || letter == '\\') out.append('\\');
      if (letter < ' ') {
        out.append(String.format("\\u%04x", (int) letter));
      } else {
        out.append(letter);
      }
    }
    return out.append('"').toString();
  }
}
