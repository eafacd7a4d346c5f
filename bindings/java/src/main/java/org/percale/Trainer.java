package org.percale;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.percale.raw.RawTrainer;

/** Trains the variables of a graph. One thread at a time may use it, {@link #cancel} excepted. */
public final class Trainer extends NativeHandle {
  private final Engine engine;
  private CancelToken token;
  private Dataset validation;

  private Trainer(MemorySegment pointer, Engine engine) {
    super(State.exclusive("trainer", pointer, RawTrainer::percale_trainer_release));
    this.engine = engine;
  }

  /** Is told after each step. */
  @FunctionalInterface
  public interface ProgressListener {
    /**
     * A step was done. The trainer may be saved now.
     *
     * @param progress how it goes
     * @return whether it goes on; false ends the training after this step
     * @throws Exception ends the training after this step, and goes on from {@link Trainer#fit}
     */
    boolean step(Progress progress) throws Exception;
  }

  /**
   * Begins a trainer of a graph, whose inputs are the columns of the data and which has an output that is the loss.
   *
   * @param engine the engine
   * @param graph the graph
   * @param variables the table that is trained; null: a new one, drawn by the option "seed"
   * @return what collects settings
   */
  public static Builder builder(Engine engine, Graph graph, Variables variables) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return new Builder(engine, graph, variables, null);
  }

  /**
   * Begins a trainer of a SPEC.
   *
   * @param engine the engine
   * @param spec JSON that says model, loss, metrics, optimizer and data
   * @return what collects settings
   */
  public static Builder fromSpec(Engine engine, String spec) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(spec, "spec");
    return new Builder(engine, null, null, spec);
  }

  /** A trainer that is being set up. */
  public static final class Builder {
    private final Engine engine;
    private final Graph graph;
    private final Variables variables;
    private final String spec;
    private Path specFolder;
    private Path dataFolder;
    private Trainer before;
    private final Options options = new Options("trainer");

    private Builder(Engine engine, Graph graph, Variables variables, String spec) {
      this.engine = engine;
      this.graph = graph;
      this.variables = variables;
      this.spec = spec;
    }

    /**
     * Any option of a trainer; see {@link Percale#describeOptions}.
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
     * The optimizer; a SPEC says it itself.
     *
     * @param optimizer a name, or JSON such as {"name": "sgd", "momentum": 0.9}
     * @return this
     */
    public Builder optimizer(String optimizer) {
      return option("optimizer", optimizer);
    }

    /**
     * The output that is the mean loss of a batch; a SPEC says it itself.
     *
     * @param output its name
     * @return this
     */
    public Builder loss(String output) {
      return option("loss", output);
    }

    /**
     * The devices of the engine that compute the shards of a batch. Without the option "shards" their number follows from the sizes
     * of model and batch alone, so that the result does not depend on the devices: for all of them to work say as many shards as there
     * are devices, or a multiple.
     *
     * @param devices names with commas, KIND=NUMBER, or "all"
     * @return this
     */
    public Builder devices(String devices) {
      return option("devices", devices);
    }

    /**
     * Variables that keep their values.
     *
     * @param patterns of names, separated by commas
     * @return this
     */
    public Builder freeze(String patterns) {
      return option("freeze", patterns);
    }

    /**
     * Passes over the data until which {@link Trainer#fit} trains when it is told 0.
     *
     * @param epochs how many in all
     * @return this
     */
    public Builder epochs(long epochs) {
      return option("epochs", epochs);
    }

    /**
     * The most that the trainer may hold.
     *
     * @param bytes bytes; 0: no limit but the engine's
     * @return this
     */
    public Builder memoryLimit(long bytes) {
      return option("memory_limit", bytes);
    }

    /**
     * Begins with the weights of another trainer, as Keras' compile() after fit() does: of each
     * variable that both have by name, with the same shape. The optimizer begins anew.
     *
     * @param trainer the trainer, which must not be at work
     * @return this
     */
    public Builder weightsOf(Trainer trainer) {
      before = trainer;
      return this;
    }

    /**
     * Where relative paths of a SPEC are looked up besides the folder of the data.
     *
     * @param folder the folder
     * @return this
     */
    public Builder specFolder(Path folder) {
      specFolder = folder;
      return this;
    }

    /**
     * Where the data files of a SPEC are looked up first.
     *
     * @param folder the folder
     * @return this
     */
    public Builder dataFolder(Path folder) {
      dataFolder = folder;
      return this;
    }

    /**
     * The trainer.
     *
     * @return the trainer
     */
    public Trainer build() {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment pointer;
        if (spec == null) {
          pointer = engine.with(e -> graph.with(g -> withOptional(variables, v -> options.with(o ->
              Native.make(out -> RawTrainer.percale_trainer_create(e, g, v, o, out))))));
        } else {
          byte[] bytes = spec.getBytes(StandardCharsets.UTF_8);
          MemorySegment text = arena.allocateFrom(JAVA_BYTE, bytes);
          MemorySegment ofSpec = Native.path(arena, specFolder);
          MemorySegment ofData = Native.path(arena, dataFolder);
          pointer = engine.with(e -> options.with(o -> Native.make(
              out -> RawTrainer.percale_trainer_from_spec(e, text, bytes.length, ofSpec, ofData, o, out))));
        }
        Trainer trainer = new Trainer(pointer, engine);
        if (before != null) trainer.takeWeights(before);
        return trainer;
      }
    }
  }

  /**
   * Steps, fits and evaluations that follow end with {@link Code#CANCELLED} when the token is cancelled, within a step, between two, or
   * before they begin; so they do when their thread is interrupted, with a token or without.
   *
   * @param token the token; null: none
   */
  public void setCancelToken(CancelToken token) {
    this.token = token;
  }

  /** Ends the step, fit or evaluation under way with {@link Code#CANCELLED}; the state is that of the last completed step. Any thread may call it. */
  public void cancel() {
    state.whileThere(RawTrainer::percale_trainer_cancel);
  }

  /** Calls the library so that the token and an interrupt of this thread end it. */
  private <T> T cancellable(Function<MemorySegment, T> call) {
    return with(trainer -> CancelToken.during(token, cancellation -> {
      RawTrainer.percale_trainer_set_cancellation(trainer, cancellation);
      try {
        return Shortage.relieve(() -> call.apply(trainer));
      } finally {
        RawTrainer.percale_trainer_set_cancellation(trainer, MemorySegment.NULL);
      }
    }));
  }

  /** The same with a function that can fail. */
  private void checkCancellable(Function<MemorySegment, MemorySegment> call) {
    cancellable(trainer -> {
      Native.check(call.apply(trainer));
      return null;
    });
  }

  /**
   * One step on one global batch.
   *
   * @param batch tensors by name
   * @return the batch's mean loss before the update
   */
  public double step(Map<String, Tensor> batch) {
    Objects.requireNonNull(batch, "batch");
    return step(List.copyOf(batch.keySet()), List.copyOf(batch.values()));
  }

  /**
   * One step on one global batch.
   *
   * @param batch what {@link Dataset#next} gave
   * @return the batch's mean loss before the update
   */
  public double step(Results batch) {
    Objects.requireNonNull(batch, "batch");
    List<Tensor> tensors = new ArrayList<>();
    batch.forEach(tensors::add);
    return step(batch.names(), tensors);
  }

  /**
   * What a step with fetches gives.
   *
   * @param loss the batch's mean loss before the update
   * @param values a tensor per fetch
   */
  public record Fetched(double loss, Results values) implements AutoCloseable {
    /** Closes the tensors. */
    @Override
    public void close() {
      values.close();
    }
  }

  /**
   * One step on one global batch, which also gives values that its forward pass computed, in its form for training and
   * before the update. Their rows are those of the batch.
   *
   * @param batch its tensors by name
   * @param fetches outputs of {@link #model}, and other values of the graph that the loss needs
   * @return the loss and a new tensor per fetch
   */
  public Fetched stepFetch(Map<String, Tensor> batch, String... fetches) {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(fetches, "fetches");
    List<String> names = List.copyOf(batch.keySet());
    List<String> wanted = List.of(fetches);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment loss = arena.allocate(JAVA_DOUBLE);
      MemorySegment all = Native.names(arena, names);
      MemorySegment asked = Native.names(arena, wanted);
      MemorySegment out = arena.allocate(ADDRESS, Math.max(1, wanted.size()));
      List<Tensor> tensors = names.stream().map(batch::get).toList();
      checkCancellable(trainer -> withAll(tensors, pointers -> RawTrainer.percale_trainer_step_fetch(trainer, all,
          Native.pointers(arena, pointers), names.size(), asked, wanted.size(), out, loss)));
      List<Tensor> values = Native.read(out, wanted.size()).stream().map(Tensor::take).toList();
      return new Fetched(loss.get(JAVA_DOUBLE, 0), new Results(wanted, values));
    }
  }

  private double step(List<String> names, List<Tensor> tensors) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment loss = arena.allocate(JAVA_DOUBLE);
      MemorySegment all = Native.names(arena, names);
      checkCancellable(trainer -> withAll(tensors, pointers ->
          RawTrainer.percale_trainer_step(trainer, all, Native.pointers(arena, pointers), names.size(), loss)));
      return loss.get(JAVA_DOUBLE, 0);
    }
  }

  /**
   * Trains over the data. Epochs count all of the trainer so far: after {@code fit(data, 1)} another does nothing, and
   * {@code fit(data, 2)} does one more.
   *
   * @param data the data; null: that of the SPEC. Labels of sparse losses are integers
   * @param epochs until which epoch; 0: as the SPEC says
   */
  public void fit(Dataset data, long epochs) {
    fit(data, epochs, progress -> true);
  }

  /**
   * Trains over the data. {@link #cancel}, a {@link CancelToken}, {@link Thread#interrupt} and a
   * listener that gives false end it.
   *
   * @param data the data; null: that of the SPEC
   * @param epochs until which epoch, those of earlier calls included; 0: as the SPEC says
   * @param listener is told after each step. A checked exception of it becomes the cause of an {@link IllegalStateException}
   */
  public void fit(Dataset data, long epochs, ProgressListener listener) {
    Objects.requireNonNull(listener, "listener");
    Throwable[] thrown = new Throwable[1];
    Callbacks.Step receiver = progress -> {
      try {
        return listener.step(Progress.of(progress));
      } catch (Throwable error) {
        thrown[0] = error;
        return false;
      }
    };
    MemorySegment user = Callbacks.add(receiver);
    try {
      checkCancellable(trainer -> withOptional(data,
          set -> RawTrainer.percale_trainer_fit(trainer, set, epochs, Callbacks.PROGRESS, user)));
    } catch (PercaleException error) {
      if (thrown[0] == null) throw explain(explain(error, data), validation);
    } finally {
      Callbacks.remove(user);
    }
    if (thrown[0] instanceof RuntimeException error) throw error;
    if (thrown[0] instanceof Error error) throw error;
    if (thrown[0] != null) throw new IllegalStateException("the listener threw", thrown[0]);
  }

  /**
   * Data that is evaluated after each epoch of later fits.
   *
   * @param data the data; null: none
   */
  public void setValidation(Dataset data) {
    check(trainer -> withOptional(data, set -> RawTrainer.percale_trainer_set_validation(trainer, set)));
    validation = data;
  }

  /** The error with what a function of the set threw as its cause. */
  private static PercaleException explain(PercaleException error, Dataset data) {
    return data == null ? error : data.explain(error);
  }

  /**
   * Loss and metrics over data.
   *
   * @param data the data; null: the SPEC's test data
   * @return what came of it
   */
  public Evaluation evaluate(Dataset data) {
    try {
      return cancellable(trainer -> withOptional(data, set ->
          new Evaluation(Native.text(Native.make(out -> RawTrainer.percale_trainer_evaluate(trainer, set, out))))));
    } catch (PercaleException error) {
      throw explain(error, data);
    }
  }

  private void takeWeights(Trainer before) {
    before.publish();
    try (Variables own = variables(); Variables theirs = before.variables()) {
      own.assignAll(theirs);
    } catch (RuntimeException error) {
      close();
      throw error;
    }
  }

  /**
   * The model's first output for these rows, also before the first fit.
   *
   * @param x rows for the model's only input
   * @param batchSize rows of a run
   * @return a row for each
   */
  public Tensor predict(Tensor x, long batchSize) {
    publish();
    try (Graph graph = model(); Variables variables = variables(); Session session = Session.create(engine, graph, variables);
        Dataset rows = Dataset.fromTensors(engine, Map.of(graph.inputNames().get(0), x)).batch(batchSize)) {
      Tensor out = null;
      long at = 0;
      for (Results batch : rows.epoch()) {
        try (batch; Arena arena = Arena.ofConfined(); Results results = session.run(batch.byName(), graph.outputNames().get(0))) {
          Tensor part = results.get(0);
          long[] dims = part.dims();
          dims[0] = rows.rows();
          if (out == null) out = Tensor.zeros(engine, part.dtype(), dims);
          MemorySegment bytes = part.data(arena);
          out.data(arena).asSlice(at, bytes.byteSize()).copyFrom(bytes);
          at += bytes.byteSize();
        }
      }
      return out;
    }
  }

  /** Makes what was trained so far the next version of the table: runs that begin later see it, and nobody waits. */
  public void publish() {
    check(RawTrainer::percale_trainer_publish);
  }

  /**
   * Sets the optimizer's learning rate from the next step on, which the schedule begins with; also within the callback of fit().
   *
   * @param rate from 0 on
   */
  public void setLearningRate(double rate) {
    check(trainer -> RawTrainer.percale_trainer_set_learning_rate(trainer, rate));
  }

  /**
   * Writes a checkpoint step-N, whole or not at all.
   *
   * @param folder where
   */
  public void save(Path folder) {
    Objects.requireNonNull(folder, "folder");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, folder);
      check(trainer -> RawTrainer.percale_trainer_save(trainer, name));
    }
  }

  /**
   * Takes up a checkpoint: the same bits follow as without the interruption. FAILED_PRECONDITION names the first difference to a
   * checkpoint of another job.
   *
   * @param path a checkpoint step-N, or a folder, whose newest whole one is taken
   */
  public void restore(Path path) {
    Objects.requireNonNull(path, "path");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, path);
      check(trainer -> RawTrainer.percale_trainer_restore(trainer, name));
    }
  }

  /**
   * Locks a folder for the run of this trainer until it is closed; restore comes first. UNAVAILABLE names the process that has
   * locked it, ALREADY_EXISTS a checkpoint of another run.
   *
   * @param folder where save will write
   * @param overwrite removes the checkpoints of other runs
   */
  public void lockFolder(Path folder, boolean overwrite) {
    Objects.requireNonNull(folder, "folder");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.path(arena, folder);
      check(trainer -> RawTrainer.percale_trainer_lock_folder(trainer, name, overwrite ? 1 : 0));
    }
  }

  /**
   * The graph for inference: inputs to predictions.
   *
   * @return the graph
   */
  public Graph model() {
    return with(trainer -> Graph.take(Native.make(out -> RawTrainer.percale_trainer_model(trainer, out))));
  }

  /**
   * The table that is trained.
   *
   * @return the table
   */
  public Variables variables() {
    return with(trainer -> Variables.take(Native.make(out -> RawTrainer.percale_trainer_variables(trainer, out))));
  }

  /**
   * Steps that were completed.
   *
   * @return the number
   */
  public long steps() {
    return with(RawTrainer::percale_trainer_steps);
  }

  /**
   * The history of the training.
   *
   * @param format "csv", "svg", or "events" (for TensorBoard)
   * @return the bytes
   */
  public byte[] history(String format) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = Native.name(arena, format);
      return with(trainer -> Native.bytes(Native.make(out -> RawTrainer.percale_trainer_history(trainer, name, out))));
    }
  }

  /**
   * Facts: parameters, shards, devices, batch size, optimizer, data.
   *
   * @return JSON
   */
  public String describe() {
    return with(trainer -> Native.text(Native.make(out -> RawTrainer.percale_trainer_describe(trainer, out))));
  }

  /**
   * Records what the trainer does from now on.
   *
   * @param trace where; null ends it
   */
  public void setTrace(Trace trace) {
    with(trainer -> withOptional(trace, spans -> {
      RawTrainer.percale_trainer_set_trace(trainer, spans);
      return null;
    }));
  }
}
