package org.percale;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.percale.raw.RawMemory;
import org.percale.raw.RawTrainer;

/**
 * Trains the variables of a graph. Only one thread at a time may use it, except for {@link
 * #cancel}.
 */
public final class Trainer extends NativeHandle {
  private final Engine engine;
  private CancelToken token;
  private Dataset validation;
  private Membership group;

  private Trainer(long pointer, Engine engine) {
    super(State.exclusive("trainer", pointer, RawTrainer::percale_trainer_release));
    this.engine = engine;
  }

  /** Receives the progress of a training. */
  @FunctionalInterface
  public interface ProgressListener {
    /**
     * Called after each step. It may save the trainer.
     *
     * @param progress the completed step
     * @return whether to continue; after false the training ends with this step, and {@link
     *     Trainer#fit} returns normally
     * @throws Exception ends the training after this step; {@link Trainer#fit} throws it
     */
    boolean step(Progress progress) throws Exception;
  }

  /**
   * Returns a builder for a trainer of a graph. The inputs of the graph are the columns of the
   * data, and one output is the loss.
   *
   * @param engine the engine
   * @param graph the graph
   * @param variables the table to train; null creates one with the option "seed"
   * @return the builder
   */
  public static Builder builder(Engine engine, Graph graph, Variables variables) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(graph, "graph");
    return new Builder(engine, graph, variables, null);
  }

  /**
   * Returns a builder for a trainer of a SPEC.
   *
   * @param engine the engine
   * @param spec JSON with the model, loss, metrics, optimizer and data
   * @return the builder
   */
  public static Builder fromSpec(Engine engine, String spec) {
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(spec, "spec");
    return new Builder(engine, null, null, spec);
  }

  /** Collects the settings of a trainer. */
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
     * Sets any option of a trainer; see {@link Percale#describeOptions}.
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
     * Sets the optimizer. Not for a SPEC, which has its own.
     *
     * @param optimizer a name, or JSON such as {"name": "sgd", "momentum": 0.9}
     * @return this
     */
    public Builder optimizer(String optimizer) {
      return option("optimizer", optimizer);
    }

    /**
     * Sets the output that is the mean loss of a batch. Not for a SPEC, which has its own.
     *
     * @param output its name
     * @return this
     */
    public Builder loss(String output) {
      return option("loss", output);
    }

    /**
     * Sets the devices of the engine that compute the shards of a batch. The number of shards
     * depends only on the sizes of the model and the batch, so the result does not depend on the
     * devices. To keep all devices busy, set the option "shards" to the number of devices or a
     * multiple of it.
     *
     * @param devices names separated by commas, KIND=NUMBER, or "all"
     * @return this
     */
    public Builder devices(String devices) {
      return option("devices", devices);
    }

    /**
     * Selects variables that keep their values.
     *
     * @param patterns patterns of names, separated by commas
     * @return this
     */
    public Builder freeze(String patterns) {
      return option("freeze", patterns);
    }

    /**
     * Sets the number of epochs that {@link Trainer#fit} uses when it is called with 0.
     *
     * @param epochs the number of epochs in all
     * @return this
     */
    public Builder epochs(long epochs) {
      return option("epochs", epochs);
    }

    /**
     * Sets the memory limit of the trainer.
     *
     * @param bytes bytes; 0 means no limit but that of the engine
     * @return this
     */
    public Builder memoryLimit(long bytes) {
      return option("memory_limit", bytes);
    }

    /**
     * Takes the weights of another trainer as initial values, as compile() after fit() does in
     * Keras. They are taken for all variables that exist in both with the same name and shape. The
     * state of the optimizer is not taken.
     *
     * @param trainer the trainer, which must not be running
     * @return this
     */
    public Builder weightsOf(Trainer trainer) {
      before = trainer;
      return this;
    }

    /**
     * Sets a folder to search for relative paths of a SPEC, instead of the current folder.
     *
     * @param folder the folder
     * @return this
     */
    public Builder specFolder(Path folder) {
      specFolder = folder;
      return this;
    }

    /**
     * Sets the folder to search first for data files of a SPEC.
     *
     * @param folder the folder
     * @return this
     */
    public Builder dataFolder(Path folder) {
      dataFolder = folder;
      return this;
    }

    /**
     * Creates the trainer.
     *
     * @return the trainer
     */
    public Trainer build() {
      try (Scratch scratch = new Scratch()) {
        long pointer;
        if (spec == null) {
          pointer = engine.with(e -> graph.with(g -> withOptional(variables, v -> options.with(o ->
              Native.make(out -> RawTrainer.percale_trainer_create(e, g, v, o, out))))));
        } else {
          byte[] bytes = spec.getBytes(StandardCharsets.UTF_8);
          long text = scratch.bytes(bytes);
          long ofSpec = scratch.path(specFolder);
          long ofData = scratch.path(dataFolder);
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
   * Makes later steps, fits and evaluations end with {@link Code#CANCELLED} when the token is
   * cancelled: within a step, between two steps, or before they begin. An interrupt of their thread
   * ends them too, with or without a token.
   *
   * @param token the token; null means none
   */
  public void setCancelToken(CancelToken token) {
    this.token = token;
  }

  /**
   * Ends the current step, fit or evaluation with {@link Code#CANCELLED}. The state is that of the
   * last completed step. Any thread may call it.
   */
  public void cancel() {
    state.unlessFreed(RawTrainer::percale_trainer_cancel);
  }

  /**
   * Makes a call in which the trainer may exchange bytes. An exception of its collective is the
   * cause of the error.
   */
  private <T> T exchanging(LongFunction<T> call) {
    try {
      return with(call);
    } catch (PercaleException error) {
      throw group == null ? error : group.explain(error);
    }
  }

  /** Calls a function that returns a status, like {@link #exchanging}. */
  private void checkExchanging(LongUnaryOperator call) {
    exchanging(trainer -> {
      Native.check(call.applyAsLong(trainer));
      return null;
    });
  }

  /** Calls the library so that the token and an interrupt of this thread end the call. */
  private <T> T cancellable(LongFunction<T> call) {
    return exchanging(trainer -> CancelToken.during(token, cancellation -> {
      RawTrainer.percale_trainer_set_cancellation(trainer, cancellation);
      try {
        return Shortage.relieve(() -> call.apply(trainer));
      } finally {
        RawTrainer.percale_trainer_set_cancellation(trainer, 0);
      }
    }));
  }

  /** Calls a function that returns a status, like {@link #cancellable}. */
  private void checkCancellable(LongUnaryOperator call) {
    cancellable(trainer -> {
      Native.check(call.applyAsLong(trainer));
      return null;
    });
  }

  /**
   * Runs one training step on one global batch.
   *
   * @param batch tensors by name
   * @return the mean loss of the batch before the update
   */
  public double step(Map<String, Tensor> batch) {
    Objects.requireNonNull(batch, "batch");
    return step(List.copyOf(batch.keySet()), List.copyOf(batch.values()));
  }

  /**
   * Runs one training step on one global batch.
   *
   * @param batch a result of {@link Dataset#next}
   * @return the mean loss of the batch before the update
   */
  public double step(Results batch) {
    Objects.requireNonNull(batch, "batch");
    List<Tensor> tensors = new ArrayList<>();
    batch.forEach(tensors::add);
    return step(batch.names(), tensors);
  }

  /** The result of a step with fetches. */
  public static final class Fetched implements AutoCloseable {
    private final double loss;
    private final Results values;

    private Fetched(double loss, Results values) {
      this.loss = loss;
      this.values = values;
    }

    /**
     * Returns the mean loss of the batch before the update.
     *
     * @return the loss
     */
    public double loss() {
      return loss;
    }

    /**
     * Returns the values.
     *
     * @return a tensor per fetch
     */
    public Results values() {
      return values;
    }

    /** Closes the tensors. */
    @Override
    public void close() {
      values.close();
    }
  }

  /**
   * Runs one training step on one global batch and returns values of its forward pass. They are
   * computed in training mode, before the update, and have one row per row of the batch.
   *
   * @param batch tensors by name
   * @param fetches outputs of {@link #model}, or other values that the loss depends on
   * @return the loss and a new tensor per fetch
   */
  public Fetched stepFetch(Map<String, Tensor> batch, String... fetches) {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(fetches, "fetches");
    List<String> names = List.copyOf(batch.keySet());
    List<String> wanted = List.of(fetches);
    try (Scratch scratch = new Scratch()) {
      long loss = scratch.allocate(8);
      long all = scratch.texts(names);
      long asked = scratch.texts(wanted);
      long out = scratch.allocate(8L * Math.max(1, wanted.size()));
      List<Tensor> tensors = names.stream().map(batch::get).collect(Collectors.toUnmodifiableList());
      checkCancellable(trainer -> withAll(tensors, pointers -> RawTrainer.percale_trainer_step_fetch(trainer, all,
          scratch.longs(pointers), names.size(), asked, wanted.size(), out, loss)));
      List<Tensor> values = Tensor.takeAll(out, wanted.size());
      return new Fetched(RawMemory.getDouble(loss), new Results(wanted, values));
    }
  }

  private double step(List<String> names, List<Tensor> tensors) {
    try (Scratch scratch = new Scratch()) {
      long loss = scratch.allocate(8);
      long all = scratch.texts(names);
      checkCancellable(trainer -> withAll(tensors, pointers ->
          RawTrainer.percale_trainer_step(trainer, all, scratch.longs(pointers), names.size(), loss)));
      return RawMemory.getDouble(loss);
    }
  }

  /**
   * Trains on the data. The number of epochs counts all epochs of the trainer so far: after {@code
   * fit(data, 1)}, another {@code fit(data, 1)} does nothing, and {@code fit(data, 2)} trains one
   * more epoch.
   *
   * @param data the data; null means that of the SPEC. Labels of sparse losses are integers
   * @param epochs the number of epochs in all; 0 means as the SPEC says
   */
  public void fit(Dataset data, long epochs) {
    fit(data, epochs, progress -> true);
  }

  /**
   * Trains on the data. {@link #cancel}, a {@link CancelToken}, {@link Thread#interrupt} and a
   * listener that returns false end the training.
   *
   * @param data the data; null means that of the SPEC
   * @param epochs the number of epochs in all, including those of earlier calls; 0 means as the
   *     SPEC says
   * @param listener called after each step. If it throws a checked exception, that becomes the
   *     cause of an {@link IllegalStateException}
   */
  public void fit(Dataset data, long epochs, ProgressListener listener) {
    Objects.requireNonNull(listener, "listener");
    Throwable[] thrown = new Throwable[1];
    Callbacks.Step receiver = progress -> {
      try {
        return listener.step(new Progress(progress));
      } catch (Throwable error) {
        thrown[0] = error;
        return false;
      }
    };
    long user = Callbacks.add(receiver);
    try {
      checkCancellable(trainer -> withOptional(data,
          set -> RawTrainer.percale_trainer_fit(trainer, set, epochs, Callbacks.PROGRESS, user)));
    } catch (PercaleException error) {
      if (thrown[0] == null) throw explain(explain(error, data), validation);
    } finally {
      Callbacks.remove(user);
    }
    if (thrown[0] instanceof RuntimeException) throw (RuntimeException) thrown[0];
    if (thrown[0] instanceof Error) throw (Error) thrown[0];
    if (thrown[0] != null) throw new IllegalStateException("the listener threw", thrown[0]);
  }

  /**
   * Sets data that later fits evaluate after each epoch.
   *
   * @param data the data; null means none
   */
  public void setValidation(Dataset data) {
    check(trainer -> withOptional(data, set -> RawTrainer.percale_trainer_set_validation(trainer, set)));
    validation = data;
  }

  /** Returns the error, with the exception of a function of the data set as its cause. */
  private static PercaleException explain(PercaleException error, Dataset data) {
    return data == null ? error : data.explain(error);
  }

  /**
   * Returns the loss and metrics over data.
   *
   * @param data the data; null means the test data of the SPEC
   * @return the loss and metrics
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
   * Returns the first output of the model for these rows. It also works before the first fit.
   *
   * @param x rows for the only input of the model
   * @param batchSize the number of rows per run
   * @return the output, with one row per row of x
   */
  public Tensor predict(Tensor x, long batchSize) {
    publish();
    try (Graph graph = model(); Variables variables = variables(); Session session = Session.create(engine, graph, variables);
        Dataset rows = Dataset.fromTensors(engine, Map.of(graph.inputNames().get(0), x)).batch(batchSize)) {
      Tensor out = null;
      long at = 0;
      for (Results batch : rows.epoch()) {
        try (batch; Results results = session.run(batch.byName(), graph.outputNames().get(0))) {
          Tensor part = results.get(0);
          long[] dims = part.dims();
          dims[0] = rows.rows();
          if (out == null) out = Tensor.zeros(engine, part.dtype(), dims);
          byte[] bytes = part.toByteArray();
          out.write(at, bytes);
          at += bytes.length;
        }
      }
      return out;
    }
  }

  /**
   * Makes the trainer a member of a group of processes, for the rest of its life. All ranks call it
   * with the same job, first values of variables and completed steps. What they call from then on
   * must be the same on all of them, too: {@code fit}, {@code step} with the whole batch, {@code
   * evaluate}, {@code save} and {@code restore}. {@link #save} writes on rank 0, and any number of
   * ranks can resume from it.
   *
   * <p>With the option "collective_data" as "parts", each rank fits, steps and evaluates on its own
   * part of the data.
   *
   * <p>The option "collective_timeout" limits each exchange. An error with FAILED_PRECONDITION
   * names an option that a group cannot have (mode other than sync, parameters other than host), or
   * the first setting in which a rank differs from rank 0.
   *
   * @param collective exchanges bytes with the other processes; kept as long as the trainer
   */
  public void join(Collective collective) {
    Objects.requireNonNull(collective, "collective");
    Membership joined = new Membership(collective);
    long user = Callbacks.add(joined);
    try (Scratch scratch = new Scratch()) {
      long table = joined.table(scratch, user);
      check(trainer -> RawTrainer.percale_trainer_join(trainer, table, Callbacks.DESTROY));
    } catch (RuntimeException error) {
      Callbacks.remove(user);
      throw error instanceof PercaleException ? joined.explain((PercaleException) error) : error;
    }
    group = joined;
  }

  /**
   * Makes the trainer a member of the group of the cluster's processes that train: the chief and
   * the workers. A plug-in connects them: libpercale_remote.so by gRPC. Returns when all of them
   * have called it. All else is as with {@link #join}; training goes on without a worker that is
   * lost. {@link #close} leaves the group.
   *
   * <p>Addresses beyond this machine need certificates, see {@link Cluster#setCertificates}. The
   * code of an error is UNIMPLEMENTED if no plug-in connects processes, UNAVAILABLE or
   * DEADLINE_EXCEEDED if the group was not complete in time, and FAILED_PRECONDITION if this
   * process does not train, has another version or numerics fingerprint than the others, or lacks
   * certificates.
   *
   * @param cluster the processes, and the role of this one
   * @param timeout the longest time to wait for the others; null means no limit
   */
  public void joinCluster(Cluster cluster, Duration timeout) {
    Objects.requireNonNull(cluster, "cluster");
    long limit = Native.nanoseconds(timeout);
    check(trainer -> cluster.with(tasks -> RawTrainer.percale_trainer_join_cluster(trainer, tasks, limit)));
  }

  /**
   * Publishes the trained values as the next version of the table. Runs that begin later use it.
   * Publishing waits for no run, and no run waits for it.
   */
  public void publish() {
    check(RawTrainer::percale_trainer_publish);
  }

  /**
   * Sets the learning rate of the optimizer from the next step on. The schedule applies to this
   * rate. The listener of fit() may call it.
   *
   * @param rate at least 0
   */
  public void setLearningRate(double rate) {
    check(trainer -> RawTrainer.percale_trainer_set_learning_rate(trainer, rate));
  }

  /**
   * Writes a checkpoint step-N atomically.
   *
   * @param folder the folder for it
   */
  public void save(Path folder) {
    Objects.requireNonNull(folder, "folder");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(folder);
      checkExchanging(trainer -> RawTrainer.percale_trainer_save(trainer, name));
    }
  }

  /**
   * Loads a checkpoint. Training then continues with the same bits as without the interruption. If
   * the checkpoint belongs to another job, an error with FAILED_PRECONDITION names the first
   * difference.
   *
   * @param path a checkpoint step-N, or a folder, whose newest intact checkpoint is loaded
   */
  public void restore(Path path) {
    Objects.requireNonNull(path, "path");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(path);
      checkExchanging(trainer -> RawTrainer.percale_trainer_restore(trainer, name));
    }
  }

  /**
   * Locks a folder for this trainer until it is closed. Call restore first. An error with
   * UNAVAILABLE names the process that holds the lock. The code is ALREADY_EXISTS if the folder has
   * checkpoints of another run.
   *
   * @param folder the folder for checkpoints
   * @param overwrite whether to remove the checkpoints of other runs
   */
  public void lockFolder(Path folder, boolean overwrite) {
    Objects.requireNonNull(folder, "folder");
    try (Scratch scratch = new Scratch()) {
      long name = scratch.path(folder);
      check(trainer -> RawTrainer.percale_trainer_lock_folder(trainer, name, overwrite ? 1 : 0));
    }
  }

  /**
   * Returns the graph for inference, from inputs to predictions.
   *
   * @return the graph
   */
  public Graph model() {
    return with(trainer -> Graph.take(Native.make(out -> RawTrainer.percale_trainer_model(trainer, out))));
  }

  /**
   * Returns the table that the trainer trains.
   *
   * @return the table
   */
  public Variables variables() {
    return with(trainer -> Variables.take(Native.make(out -> RawTrainer.percale_trainer_variables(trainer, out))));
  }

  /**
   * Returns the number of completed steps.
   *
   * @return the number
   */
  public long steps() {
    return with(RawTrainer::percale_trainer_steps);
  }

  /**
   * Returns the history of the training.
   *
   * @param format "csv", "svg", or "events" (for TensorBoard)
   * @return the bytes
   */
  public byte[] history(String format) {
    try (Scratch scratch = new Scratch()) {
      long name = scratch.text(format);
      return with(trainer -> Native.bytes(Native.make(out -> RawTrainer.percale_trainer_history(trainer, name, out))));
    }
  }

  /**
   * Returns facts: parameters, shards, devices, batch size, optimizer, data.
   *
   * @return JSON
   */
  public String describe() {
    return with(trainer -> Native.text(Native.make(out -> RawTrainer.percale_trainer_describe(trainer, out))));
  }

  /**
   * Records the trainer's activity from now on.
   *
   * @param trace the destination; null ends the recording
   */
  public void setTrace(Trace trace) {
    with(trainer -> withOptional(trace, spans -> {
      RawTrainer.percale_trainer_set_trace(trainer, spans);
      return null;
    }));
  }
}
