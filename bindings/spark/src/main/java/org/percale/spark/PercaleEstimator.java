package org.percale.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.Identifiable$;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.percale.Code;
import org.percale.Dataset;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.PercaleException;
import org.percale.TensorSpec;
import org.percale.Trainer;
import org.percale.Variables;

/**
 * Trains a SPEC on the rows of a table. The tasks of a barrier stage train, each on its part of the
 * rows, and exchange gradients.
 */
public final class PercaleEstimator extends Estimator<PercaleModel> {
  private static final long serialVersionUID = 1;

  /** The settings, as they are sent to the tasks. */
  private record Job(String spec, Columns columns, int workers, long batchSize, long epochs, String checkpoints,
      Map<String, Object> options) implements Serializable {}

  private final String uid;
  private Job job;

  /**
   * Creates an estimator with one worker, batches of 32 rows and the epochs of the SPEC.
   *
   * @param spec JSON with the model, loss, metrics and optimizer; {@link
   *     org.percale.Sequential#spec} writes it
   * @param columns the name, type and dims of one row of each input and of the labels. A column
   *     with dims is an array of numbers or a vector
   */
  public PercaleEstimator(String spec, TensorSpec... columns) {
    this(Identifiable$.MODULE$.randomUID("percale"),
        new Job(Objects.requireNonNull(spec, "spec"), Columns.of(List.of(columns)), 1, 32, 0, null, Map.of()));
  }

  private PercaleEstimator(String uid, Job job) {
    this.uid = uid;
    this.job = job;
  }

  /**
   * Sets the number of tasks that train. The cluster must have as many free slots.
   *
   * @param workers the number
   * @return this
   */
  public PercaleEstimator setWorkers(int workers) {
    job = new Job(job.spec, job.columns, workers, job.batchSize, job.epochs, job.checkpoints, job.options);
    return this;
  }

  /**
   * Sets the number of rows that each task adds to a step.
   *
   * @param batchSize the number of rows
   * @return this
   */
  public PercaleEstimator setBatchSize(long batchSize) {
    job = new Job(job.spec, job.columns, job.workers, batchSize, job.epochs, job.checkpoints, job.options);
    return this;
  }

  /**
   * Sets the number of epochs.
   *
   * @param epochs the number; 0 means as the SPEC says
   * @return this
   */
  public PercaleEstimator setEpochs(long epochs) {
    job = new Job(job.spec, job.columns, job.workers, job.batchSize, epochs, job.checkpoints, job.options);
    return this;
  }

  /**
   * Sets a folder for a checkpoint after each epoch. A stage that Spark starts again goes on from
   * the newest one, as does a later fit.
   *
   * @param folder a folder that all executors see; null means none
   * @return this
   */
  public PercaleEstimator setCheckpoints(String folder) {
    job = new Job(job.spec, job.columns, job.workers, job.batchSize, job.epochs, folder, job.options);
    return this;
  }

  /**
   * Sets any option of a trainer; see {@link org.percale.Percale#describeOptions}. The option
   * "shards" is the number of workers unless the SPEC or this method sets it.
   *
   * @param key the name of the option
   * @param value text, a number or a Boolean
   * @return this
   */
  public PercaleEstimator setOption(String key, Serializable value) {
    Map<String, Object> options = new LinkedHashMap<>(job.options);
    options.put(key, value);
    job = new Job(job.spec, job.columns, job.workers, job.batchSize, job.epochs, job.checkpoints, options);
    return this;
  }

  @Override
  public PercaleModel fit(org.apache.spark.sql.Dataset<?> dataset) {
    transformSchema(dataset.schema());
    Job chosen = withShards(job);
    org.apache.spark.sql.Column[] names = chosen.columns.names().stream().map(functions::col)
        .toArray(org.apache.spark.sql.Column[]::new);
    org.apache.spark.sql.Dataset<Row> table = dataset.toDF().select(names).repartition(chosen.workers);
    byte[] graph = Groups.collect(table.rdd(), (Iterator<Row> rows) -> train(chosen, rows)).get(0);
    return copyValues(new PercaleModel(graph, chosen.columns).setParent(this), ParamMap.empty());
  }

  /** Returns the job with the option "shards", unless the job or the SPEC has it. */
  private static Job withShards(Job job) {
    Map<String, Object> options = new LinkedHashMap<>(job.options);
    try {
      if (!new ObjectMapper().readTree(job.spec).has("shards")) options.putIfAbsent("shards", job.workers);
    } catch (JsonProcessingException error) {
      throw new PercaleException(Code.INVALID_ARGUMENT, "the SPEC is no JSON: " + error.getOriginalMessage());
    }
    options.put("collective_data", "parts");
    return new Job(job.spec, job.columns, job.workers, job.batchSize, job.epochs, job.checkpoints, options);
  }

  /** Trains in a task. Rank 0 returns the model. */
  private static Iterator<byte[]> train(Job job, Iterator<Row> rows) throws Exception {
    try (Part part = new Part(rows, job.columns); Group group = Groups.join(); Engine engine = engine();
        Trainer trainer = trainer(engine, job);
        Dataset data = Dataset.stream(engine, job.columns.specs(), part).batch(job.batchSize)) {
      trainer.join(group);
      Path folder = job.checkpoints == null ? null : Path.of(job.checkpoints);
      if (folder != null && hasCheckpoint(folder)) trainer.restore(folder);
      trainer.fit(data, job.epochs, progress -> {
        if (folder != null && progress.epochEnded()) trainer.save(folder);
        return true;
      });
      if (group.rank() != 0) return List.<byte[]>of().iterator();
      try (Graph graph = trainer.model(); Variables variables = trainer.variables()) {
        return List.of(graph.serialize(variables)).iterator();
      }
    }
  }

  private static boolean hasCheckpoint(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) return false;
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.anyMatch(entry -> entry.getFileName().toString().startsWith("step-"));
    }
  }

  private static Trainer trainer(Engine engine, Job job) {
    Trainer.Builder builder = Trainer.fromSpec(engine, job.spec);
    job.options.forEach(builder::option);
    return builder.build();
  }

  /** Returns an engine with the threads that Spark gives a task. */
  static Engine engine() {
    return Engine.builder().threads(SparkEnv.get().conf().getInt("spark.task.cpus", 1)).build();
  }

  @Override
  public StructType transformSchema(StructType schema) {
    return PercaleModel.withPrediction(schema, job.columns.names());
  }

  @Override
  public PercaleEstimator copy(ParamMap extra) {
    return copyValues(new PercaleEstimator(uid, job), extra);
  }

  @Override
  public String uid() {
    return uid;
  }
}
