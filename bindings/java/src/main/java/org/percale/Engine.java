package org.percale;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.percale.raw.RawEngine;
import org.percale.raw.RawLibrary;
import org.percale.raw.RawMemory;

/** Owns the devices, threads, registries and the memory limit. Any number of threads may use it. */
public final class Engine extends NativeHandle {
  /** The severity of a log message. */
  public enum LogLevel {
    /** Details for developers of Percale. */
    DEBUG,
    /** Progress and decisions: placement, idle devices, the op Print. */
    INFO,
    /** The library continues without something, such as a device. */
    WARNING,
    /** A failure that no call can report. */
    ERROR
  }

  private Engine(long pointer) {
    super(State.shared("engine", pointer, RawEngine::percale_engine_release));
  }

  /**
   * Creates an engine with the default options, which {@link Percale#describeOptions()} lists.
   *
   * @return the engine
   */
  public static Engine create() {
    return builder().build();
  }

  /**
   * Returns a builder for an engine with other settings.
   *
   * @return the builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the names of the usable devices.
   *
   * @return the names, such as "cpu:0"
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
   * Returns facts about the engine.
   *
   * @param what "info", "ops", "layers", "passes", "kernels", "losses", "metrics", "optimizers",
   *     "schedules", "spec" or "asked_ops"
   * @return JSON
   */
  public String describe(String what) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(what);
      return with(engine -> Native.text(Native.make(out -> RawEngine.percale_engine_describe(engine, name, out))));
    }
  }

  /**
   * Reads a file and throws if it is damaged or invalid. It accepts .percale, .onnx, .safetensors,
   * .npy and .npz files, a SPEC (.json), a checkpoint, or a folder of checkpoints.
   *
   * @param path the file or folder
   * @throws PercaleException with the reason, if the file is damaged or invalid
   */
  public void checkFile(Path path) {
    Objects.requireNonNull(path, "path");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      check(engine -> RawLibrary.percale_file_check(engine, name));
    }
  }

  /**
   * Returns the memory that the engine's allocations hold now.
   *
   * @return bytes
   */
  public long memoryUsed() {
    return memory(0);
  }

  /**
   * Returns the highest amount of memory that the engine's allocations held so far.
   *
   * @return bytes
   */
  public long memoryPeak() {
    return memory(1);
  }

  /**
   * Gives memory that is kept for later runs back to the system. Runs that are under way keep what
   * they have; later runs allocate again. Any thread may call it at any time.
   *
   * @return the number of bytes that the engine has released
   */
  public long trim() {
    return with(RawEngine::percale_engine_trim);
  }

  /**
   * Returns what the engine has counted so far: runs, errors, time, memory, plans, steps of
   * training. The comment of percale_engine_metrics in the header engine.h lists the keys. It is
   * cheap, and no run waits for it.
   *
   * @return JSON
   */
  public String metrics() {
    return with(engine -> Native.text(Native.make(out -> RawEngine.percale_engine_metrics(engine, out))));
  }

  private long memory(int which) {
    try (Scratch scratch = new Scratch()) {
      long both = scratch.allocate(8L * 2);
      with(engine -> {
        RawEngine.percale_engine_memory(engine, both, both + 8);
        return null;
      });
      return RawMemory.getLong(both + 8L * which);
    }
  }

  /** Collects the settings of an engine. */
  public static final class Builder {
    private final Options options = new Options("engine");
    private BiConsumer<LogLevel, String> log;
    private Supplied.Pool pool;
    private Supplied.Files files;

    private Builder() {}

    /**
     * Sets any option of an engine; see {@link Percale#describeOptions}.
     *
     * @param key the name of the option
     * @param value text, a number or a Boolean
     * @return this
     */
    public Builder option(String key, Object value) {
      options.set(key, value);
      return this;
    }

    /**
     * Sets the number of threads that compute at once, including the caller.
     *
     * @param threads the number; 0 means all that the machine allows the process
     * @return this
     */
    public Builder threads(int threads) {
      return option("threads", threads);
    }

    /**
     * Sets the devices.
     *
     * @param devices "cpu:0,cpu:1", "cpu=4x1" (four with one thread each), "all" or "none"
     * @return this
     */
    public Builder devices(String devices) {
      return option("devices", devices);
    }

    /**
     * Sets the memory limit of the engine.
     *
     * @param bytes bytes; 0 means no limit
     * @return this
     */
    public Builder memoryLimit(long bytes) {
      return option("memory_limit", bytes);
    }

    /**
     * Sets where to search for plug-ins.
     *
     * @param path the file of a plug-in, or a folder of plug-ins
     * @return this
     */
    public Builder pluginPath(Path path) {
      return option("plugin_path", path);
    }

    /**
     * Sets a function that receives log messages. It is called on any thread. It is released when
     * the engine ends. Exceptions that it throws are ignored.
     *
     * @param level the lowest level to report
     * @param function receives the messages
     * @return this
     */
    public Builder log(LogLevel level, BiConsumer<LogLevel, String> function) {
      log = function;
      return option("log", level.name().toLowerCase(java.util.Locale.ROOT));
    }

    /**
     * Makes the engine compute on the program's threads, such as those of a ForkJoinPool. The
     * engine then starts no threads that compute. {@link #threads} is the number of threads that
     * one loop uses at most, the calling one included. Results have the same bits. An exception of
     * the executor becomes that of the run that needed it, with the code ABORTED.
     *
     * <p>The library never waits for a task that has not begun, so a pool of any size will do, and
     * runs may be started within it. A task that the executor drops leaves a few bytes behind.
     *
     * @param executor runs each task, once, on any thread, at once or later
     * @return this
     */
    public Builder executor(Executor executor) {
      pool = new Supplied.Pool(executor);
      return this;
    }

    /**
     * Lets the engine read files of the program: wherever it takes a path to read from, one that
     * begins with "host:" names such a file. A model is read once, and files that it names are read
     * beside it. A checkpoint is named by its folder, "host:run/step-7".
     *
     * @param reader reads the files, until the engine ends
     * @return this
     */
    public Builder files(FileReader reader) {
      files = new Supplied.Files(reader);
      return this;
    }

    /**
     * Creates the engine. It searches for plug-ins, which happens only here.
     *
     * @return the engine
     */
    public Engine build() {
      Engine engine = new Engine(options.withAlways(raw -> {
        Supplied.set(raw, pool);
        Supplied.set(raw, files);
        return Native.make(out -> RawEngine.percale_engine_create(raw, out));
      }));
      if (log != null) {
        BiConsumer<LogLevel, String> function = log;
        LogLevel[] levels = LogLevel.values();
        Callbacks.Log receiver = (level, text) -> function.accept(levels[Math.max(0, Math.min(level, 3))], text);
        long user = Callbacks.add(receiver);
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
