package org.percale;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Writes the values of a SPEC as JSON. */
final class Json {
  /** Classes whose values write themselves as JSON. */
  private static final Set<Class<?>> SIMPLE = Set.of(Raw.class, Boolean.class, Byte.class, Short.class, Integer.class,
      Long.class, BigInteger.class, BigDecimal.class);
  private static final Set<Class<?>> ARRAYS =
      Set.of(int[].class, long[].class, float[].class, double[].class, boolean[].class);

  private Json() {}

  /** A JSON text that is used unchanged. */
  static final class Raw {
    private final String text;

    Raw(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Returns text that begins with a brace as {@link Raw} JSON, and any other value unchanged. */
  static Object nameOrObject(Object value) {
    return value instanceof String && ((String) value).stripLeading().startsWith("{") ? new Raw((String) value) : value;
  }

  /**
   * Returns the value of a key as JSON. Throws an {@link IllegalArgumentException} that names the
   * key if JSON cannot represent the value.
   */
  static String of(String key, Object value) {
    if (value == null) return "null";
    if (value instanceof String) return quoted((String) value);
    if (value instanceof Float || value instanceof Double) return finite(key, (Number) value);
    if (SIMPLE.contains(value.getClass())) return value.toString();
    if (value instanceof Object[] || ARRAYS.contains(value.getClass())) {
      return list(key, IntStream.range(0, Array.getLength(value)).mapToObj(i -> Array.get(value, i)));
    }
    if (value instanceof List) return list(key, ((List<?>) value).stream());
    if (value instanceof Map) {
      return ((Map<?, ?>) value).entrySet().stream().map(entry -> member(key, entry))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    throw new IllegalArgumentException("'" + key + "' cannot be a " + value.getClass().getTypeName()
        + ": a SPEC holds text, numbers, Booleans, null, and arrays, lists and maps of them");
  }

  private static String list(String key, Stream<?> all) {
    return all.map(value -> of(key, value)).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String member(String key, Map.Entry<?, ?> entry) {
    if (!(entry.getKey() instanceof String)) {
      throw new IllegalArgumentException("'" + key + "' cannot be a map with the key " + entry.getKey() + ": its keys are texts");
    }
    String name = (String) entry.getKey();
    return quoted(name) + ": " + of(key + "." + name, entry.getValue());
  }

  private static String finite(String key, Number value) {
    if (Double.isFinite(value.doubleValue())) return value.toString();
    throw new IllegalArgumentException("'" + key + "' cannot be " + value + ": JSON has no such number");
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
