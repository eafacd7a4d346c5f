package org.percale;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.percale.raw.RawEngine;
import org.percale.raw.RawLibrary;

/** The root of everything: registries, devices, threads, the memory limit. Several threads may use it at once. */
public final class Engine extends NativeHandle {
  /** How loud a message of the library is. */
  public enum LogLevel {
    /** For those who look for an error of the library. */
    DEBUG,
    /** What it does. */
    INFO,
    /** What is probably not meant. */
    WARNING,
    /** What went wrong. */
    ERROR
  }

  private Engine(MemorySegment pointer) {
    super(State.shared("engine", pointer, RawEngine::percale_engine_release));
  }

  /**
   * An engine with the defaults: all threads that the machine allows, the device cpu:0, no memory limit.
   *
   * @return the engine
   */
  public static Engine create() {
    return builder().build();
  }

  /**
   * Begins an engine with settings of one's own.
   *
   * @return what collects them
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The devices that can be used.
   *
   * @return their names, such as "cpu:0"
   */
  public List<String> deviceNames() {
    return with(engine -> {
      List<String> out = new ArrayList<>();
      long count = RawEngine.percale_engine_device_count(engine);
      for (long i = 0; i < count; ++i) out.add(Native.borrowed(RawEngine.percale_engine_get_device_name(engine, i)));
      return List.copyOf(out);
    });
  }

  /**
   * Facts about the engine.
   *
   * @param what "info", "ops", "layers", "passes", "kernels", "losses", "metrics", "optimizers",
   *     "schedules" or "spec"
   * @return JSON
   */
  public String describe(String what) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, what);
      return with(engine -> Native.text(Native.make(out -> RawEngine.percale_engine_describe(engine, name, out))));
    }
  }

  /**
   * Reads a file and throws what is wrong with it. Kinds: .percale, .onnx, .safetensors, .npy,
   * .npz, a SPEC (.json), a checkpoint or a folder of checkpoints.
   *
   * @param path the file or folder
   * @throws PercaleException with the reason if the file is bad
   */
  public void checkFile(Path path) {
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      check(engine -> RawLibrary.percale_file_check(engine, name));
    }
  }

  /**
   * What the engine's allocations hold now.
   *
   * @return bytes
   */
  public long memoryUsed() {
    return memory(0);
  }

  /**
   * The most that the engine's allocations ever held.
   *
   * @return bytes
   */
  public long memoryPeak() {
    return memory(1);
  }

  private long memory(int which) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocate(JAVA_LONG, 2);
      with(engine -> {
        RawEngine.percale_engine_memory(engine, both, both.asSlice(8));
        return null;
      });
      return both.getAtIndex(JAVA_LONG, which);
    }
  }

  /** An engine that is being set up. */
  public static final class Builder {
    private final Options options = new Options("engine");
    private BiConsumer<LogLevel, String> log;

    private Builder() {}

    /**
     * Any option of an engine; see {@link Percale#describeOptions}.
     *
     * @param key its name
     * @param value text, a number or a Boolean
     * @return this
     */
    public Builder option(String key, Object value) {
      options.set(key, value);
      return this;
    }

    /**
     * Threads that compute at once, the caller counted.
     *
     * @param threads how many; 0: what the machine allows the process
     * @return this
     */
    public Builder threads(int threads) {
      return option("threads", threads);
    }

    /**
     * The devices.
     *
     * @param devices "cpu:0,cpu:1", "cpu=4x1" (four of one thread), "all" or "none"
     * @return this
     */
    public Builder devices(String devices) {
      return option("devices", devices);
    }

    /**
     * The most that the engine may hold.
     *
     * @param bytes bytes; 0: no limit
     * @return this
     */
    public Builder memoryLimit(long bytes) {
      return option("memory_limit", bytes);
    }

    /**
     * Where plug-ins are looked for.
     *
     * @param path a plug-in's file, or a folder of them
     * @return this
     */
    public Builder pluginPath(Path path) {
      return option("plugin_path", path);
    }

    /**
     * Where messages go. The function is called on any thread, and let go of when the engine ends. What it throws is dropped.
     *
     * @param level messages of this level and above
     * @param function what takes them
     * @return this
     */
    public Builder log(LogLevel level, BiConsumer<LogLevel, String> function) {
      log = function;
      return option("log", level.name().toLowerCase(java.util.Locale.ROOT));
    }

    /**
     * The engine. Plug-ins are looked for now and at no other time.
     *
     * @return the engine
     */
    public Engine build() {
      Engine engine =
          new Engine(options.with(raw -> Native.make(out -> RawEngine.percale_engine_create(raw, out))));
      if (log != null) {
        BiConsumer<LogLevel, String> function = log;
        Callbacks.Log receiver = (level, text) -> function.accept(LogLevel.values()[Math.clamp(level, 0, 3)], text);
        MemorySegment user = Callbacks.add(receiver);
        try {
          engine.check(
              raw -> RawEngine.percale_engine_set_log_owned(raw, Callbacks.LOG, user, Callbacks.DESTROY));
        } catch (RuntimeException error) {
          Callbacks.remove(user);
          throw error;
        }
      }
      return engine;
    }
  }
}
