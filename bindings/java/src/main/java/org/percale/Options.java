package org.percale;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
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
  <T> T with(Function<MemorySegment, T> call) {
    if (values.isEmpty()) return call.apply(MemorySegment.NULL);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, kind);
      MemorySegment options = Native.make(out -> RawOptions.percale_options_create(name, out));
      try {
        values.forEach((key, value) -> Native.check(set(arena, options, Native.name(arena, key), value)));
        return call.apply(options);
      } finally {
        RawOptions.percale_options_release(options);
      }
    }
  }

  private static MemorySegment set(Arena arena, MemorySegment options, MemorySegment key, Object value) {
    return switch (value) {
      case Integer number -> RawOptions.percale_options_set_int(options, key, number);
      case Long number -> RawOptions.percale_options_set_int(options, key, number);
      case Float number -> RawOptions.percale_options_set_float(options, key, number);
      case Double number -> RawOptions.percale_options_set_float(options, key, number);
      case Boolean on -> RawOptions.percale_options_set(options, key, Native.name(arena, on ? "on" : "off"));
      default -> RawOptions.percale_options_set(options, key, Native.name(arena, value.toString()));
    };
  }
}
