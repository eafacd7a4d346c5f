package org.percale;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import org.percale.raw.RawOptions;

/** The options that a builder has collected. The library checks names and values. */
final class Options {
  private final String kind;
  private final Map<String, Object> values = new LinkedHashMap<>();

  Options(String kind) {
    this.kind = kind;
  }

  void set(String key, Object value) {
    if (!(value instanceof Integer || value instanceof Long || value instanceof Float || value instanceof Double
        || value instanceof Boolean || value instanceof String || value instanceof Path)) {
      throw new IllegalArgumentException("option '" + key + "' cannot be "
          + (value == null ? "null" : "a " + value.getClass().getTypeName()) + ": options are text, numbers and Booleans");
    }
    values.put(key, value);
  }

  /** Calls the library with the options, or with NULL if none is set. */
  <T> T with(LongFunction<T> call) {
    return values.isEmpty() ? call.apply(0) : withAlways(call);
  }

  /** Calls the library with the options, even if none is set. */
  <T> T withAlways(LongFunction<T> call) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(kind);
      long options = Native.make(out -> RawOptions.percale_options_create(name, out));
      try {
        values.forEach((key, value) -> Native.check(set(scratch, options, scratch.text(key), value)));
        return call.apply(options);
      } finally {
        RawOptions.percale_options_release(options);
      }
    }
  }

  private static long set(Scratch scratch, long options, long key, Object value) {
    if (value instanceof Integer || value instanceof Long) {
      return RawOptions.percale_options_set_int(options, key, ((Number) value).longValue());
    }
    if (value instanceof Number) {
      return RawOptions.percale_options_set_float(options, key, ((Number) value).doubleValue());
    }
    String text = value instanceof Boolean ? ((Boolean) value ? "on" : "off") : value.toString();
    return RawOptions.percale_options_set(options, key, scratch.text(text));
  }
}
