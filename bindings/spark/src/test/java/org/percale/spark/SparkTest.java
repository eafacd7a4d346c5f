package org.percale.spark;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.functions;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.percale.Code;
import org.percale.Collective;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.PercaleException;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.TensorSpec;
import org.percale.Trainer;
import org.percale.Variables;

/**
 * Trains in the executors of a real Spark, which are processes of their own. spark-submit runs it;
 * `check.py` says how. Each method of this class that begins with "test" is a test.
 */
public final class SparkTest {
  private static final int ROWS = 48;
  private static final String SPEC = """
      {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dropout", "rate": 0.2},
       {"layer": "Dense", "units": 3}], "input_shape": [5], "loss": "sparse_categorical_crossentropy",
       "from_logits": true, "optimizer": "adam", "shards": 4, "seed": 1}""";
  private static final TensorSpec X = new TensorSpec("x", DType.F32, 5);
  private static final TensorSpec Y = new TensorSpec("y", DType.I64);

  private final SparkSession spark;
  private final Dataset<Row> table;
  private final Path folder;

  private SparkTest(SparkSession spark, Path folder) {
    this.spark = spark;
    this.folder = folder;
    float[] x = x();
    long[] y = y(x);
    List<Row> rows = IntStream.range(0, ROWS)
        .mapToObj(i -> RowFactory.create(Arrays.copyOfRange(x, 5 * i, 5 * i + 5), y[i])).toList();
    table = spark.createDataFrame(rows, StructType.fromDDL("x array<float>, y bigint"));
  }

  private static float[] x() {
    Random random = new Random(3);
    float[] out = new float[5 * ROWS];
    for (int i = 0; i < out.length; ++i) out[i] = random.nextFloat();
    return out;
  }

  private static long[] y(float[] x) {
    long[] out = new long[ROWS];
    for (int i = 0; i < ROWS; ++i) {
      out[i] = x[5 * i] + x[5 * i + 1] + x[5 * i + 2] + x[5 * i + 3] + x[5 * i + 4] > 2.5 ? 1 : 0;
    }
    return out;
  }

  /** Returns the columns in the same order in every process, which Map.of() does not. */
  private static Map<String, Tensor> columns(Tensor x, Tensor y) {
    Map<String, Tensor> out = new LinkedHashMap<>();
    out.put("x", x);
    out.put("y", y);
    return out;
  }

  /** Called after each step. */
  private interface Step {
    void done(Trainer trainer, org.percale.Progress progress) throws Exception;
  }

  /** Returns the digest of three epochs on all rows, from the checkpoints of a folder on. */
  private static String train(Collective group, String checkpoints, Step step) {
    float[] x = x();
    try (Engine engine = Engine.builder().devices("cpu:0").build();
        Trainer trainer = Trainer.fromSpec(engine, SPEC).build();
        Tensor inputs = Tensor.of(engine, x, ROWS, 5);
        Tensor labels = Tensor.of(engine, y(x), ROWS);
        var data = org.percale.Dataset.fromTensors(engine, columns(inputs, labels)).configure(16, 3, false)) {
      if (group != null) trainer.join(group);
      if (checkpoints != null && Files.isDirectory(Path.of(checkpoints))) trainer.restore(Path.of(checkpoints));
      trainer.fit(data, 3, progress -> {
        step.done(trainer, progress);
        return true;
      });
      try (Variables variables = trainer.variables()) {
        return variables.digest();
      }
    }
  }

  private static String trainAlone() {
    return train(null, null, (trainer, progress) -> {});
  }

  void testTasksInSeveralProcessesComputeTheDigestOfOne() {
    for (int workers : new int[] {2, 3}) {
      List<String> found = Groups.run(spark, workers, group -> group.rank() + " of " + group.size() + " in "
          + ManagementFactory.getRuntimeMXBean().getName() + " " + train(group, null, (trainer, progress) -> {}));
      String alone = trainAlone();
      for (int rank = 0; rank < workers; ++rank) {
        String told = found.get(rank);
        check(told.startsWith(rank + " of " + workers) && told.endsWith(alone), found + ", wanted " + alone);
      }
      long processes = found.stream().map(told -> told.split(" ")[4]).distinct().count();
      // Two tasks may share an executor, which has two slots.
      check(processes == 2 || workers == 2, "the tasks ran in " + processes + " processes, wanted the 2 executors");
    }
  }

  /** Trains the SPEC of a file, which names its data, and returns the digest. */
  private static String trainFile(String spec, Collective group) throws IOException {
    try (Engine engine = Engine.builder().devices("cpu:0").build();
        Trainer trainer = Trainer.fromSpec(engine, Files.readString(Path.of(spec))).build()) {
      trainer.join(group);
      trainer.fit(null, 0);
      try (Variables variables = trainer.variables()) {
        return variables.digest();
      }
    }
  }

  /** check.py has written the networks, each with the digest of `percale train`. */
  void testNetworksGetTheDigestsOfOneProcess() throws Exception {
    List<Path> networks;
    try (Stream<Path> folders = Files.list(folder.resolve("networks"))) {
      networks = folders.sorted().toList();
    }
    check(networks.size() == 3, "there are " + networks.size() + " networks, wanted 3");
    for (Path network : networks) {
      String spec = network.resolve("spec.json").toString();
      String wanted = Files.readString(network.resolve("digest"));
      System.out.println(wanted);
      for (int workers : new int[] {2, 3}) {
        List<String> found = Groups.run(spark, workers, group -> trainFile(spec, group));
        check(found.equals(Collections.nCopies(workers, wanted)), network + ": " + found + ", wanted " + wanted);
      }
    }
  }

  void testAStageThatIsStartedAgainGoesOnWithTheSameBits() {
    String checkpoints = folder.resolve("checkpoints").toString();
    Path failed = folder.resolve("failed");
    String mark = failed.toString();
    List<String> found = Groups.run(spark, 2, group -> train(group, checkpoints, (trainer, progress) -> {
      if (progress.epochEnded()) trainer.save(Path.of(checkpoints));
      boolean dies = group.rank() == 1 && progress.step() == 5 && Path.of(mark).toFile().createNewFile();
      if (dies) Runtime.getRuntime().halt(1);
    }) + " in generation " + group.generation());
    check(Files.exists(failed), "no task died");
    String alone = trainAlone();
    check(found.get(0).equals(found.get(1)) && found.get(0).startsWith(alone), found + ", wanted " + alone);
    check(!found.get(0).endsWith(" in generation 1"), "the group that was formed anew is still of generation 1");
  }

  /** Returns the predictions of the driver for these rows. */
  private static float[] predict(byte[] model, List<Row> rows) {
    float[] x = new float[5 * rows.size()];
    for (int i = 0; i < x.length; ++i) x[i] = rows.get(i / 5).<Float>getList(0).get(i % 5);
    try (Engine engine = Engine.create(); Graph graph = Graph.load(engine, model);
        Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables);
        Tensor inputs = Tensor.of(engine, x, rows.size(), 5);
        Results results = session.run(Map.of("x", inputs), graph.outputNames().get(0))) {
      return results.get(0).toFloatArray();
    }
  }

  void testAnEstimatorTrainsOnThePartsOfATableAndItsModelPredicts() throws Exception {
    PercaleModel model = estimator().setCheckpoints(folder.resolve("parts").toString()).fit(table);
    List<Row> found = model.transform(table).collectAsList();
    check(found.size() == ROWS && found.get(0).schema().fieldNames().length == 3, found.size() + " rows");
    Path file = folder.resolve("model.percale");
    model.saveFile(file);
    float[] wanted = predict(Files.readAllBytes(file), found);
    for (int i = 0; i < wanted.length; ++i) {
      float one = found.get(i / 3).<Float>getList(2).get(i % 3);
      boolean near = Math.abs(one - wanted[i]) <= 1e-5 * (1 + Math.abs(wanted[i]));
      check(near, one + " in row " + i / 3 + ", wanted " + wanted[i]);
    }
    check(Files.list(folder.resolve("parts")).count() >= 1, "there is no checkpoint");
    // The checkpoint is that of the end of the training, so that a later fit has nothing to do.
    byte[] again = Files.readAllBytes(file);
    estimator().setCheckpoints(folder.resolve("parts").toString()).copy(ParamMap.empty()).fit(table).saveFile(file);
    check(Arrays.equals(again, Files.readAllBytes(file)), "a fit from the checkpoint gives another model");
  }

  void testAStageOfAPipelineTakesVectors() throws Exception {
    Dataset<Row> vectors = table.select(functions.array_to_vector(table.col("x")).as("x"), table.col("y"));
    Pipeline pipeline = new Pipeline().setStages(new PipelineStage[] {estimator()});
    List<Row> found = pipeline.fit(vectors).transform(vectors.drop("y")).collectAsList();
    check(found.size() == ROWS && found.get(0).<Float>getList(1).size() == 3, found.get(0).toString());
  }

  /** Returns both ends of a connection, whose processes know these public keys of each other. */
  private static List<Link> links(Secrets one, Secrets other, String keyOfOne) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
      String keyOfOther = other.publicKey();
      return List.of(new Link(1, near, one.key(one.publicKey(), keyOfOther), one.key(keyOfOther, one.publicKey())),
          new Link(0, server.accept(), other.key(keyOfOther, keyOfOne), other.key(keyOfOne, keyOfOther)));
    }
  }

  void testAConnectionTakesOnlyTheMessagesOfItsOtherEnd() throws Exception {
    Secrets one = new Secrets();
    Secrets other = new Secrets();
    List<Link> friends = links(one, other, one.publicKey());
    for (int i = 0; i < 2; ++i) friends.get(0).send(1, i, new byte[] {1, 2, 3});
    for (int i = 0; i < 2; ++i) check(friends.get(1).receive(1, i, 3, 1000)[2] == 3, "another message arrives");
    friends.get(0).send(1, 2, new byte[3]);
    refused(Code.DATA_LOSS, "tag 2, 3 bytes, wanted 1, 4, 3", () -> receive(friends.get(1), 4));
    friends.get(0).close();
    failed("rank 0 has closed the connection", () -> receive(friends.get(1), 3));
    List<Link> strangers = links(one, other, new Secrets().publicKey());
    strangers.get(0).send(1, 0, new byte[3]);
    failed("AEADBadTagException", () -> receive(strangers.get(1), 0));
  }

  private static void receive(Link link, long tag) {
    try {
      link.receive(1, tag, 3, 1000);
    } catch (IOException | GeneralSecurityException error) {
      throw new IllegalStateException(error.toString(), error);
    }
  }

  void testTheSampleLearns() throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(said));
    try {
      Method main = Class.forName("Train").getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      main.invoke(null, (Object) new String[] {"2"});
    } finally {
      System.setOut(out);
    }
    var right = Pattern.compile("right: (\\d+) of 2000").matcher(said.toString());
    check(right.find() && Integer.parseInt(right.group(1)) > 1900, said.toString());
  }

  void testWrongTablesAreRefused() throws Exception {
    refused(Code.NOT_FOUND, "no column 'x'", () -> estimator().fit(table.withColumnRenamed("x", "z")));
    Dataset<Row> predicted = table.withColumn("prediction", table.col("y"));
    refused(Code.ALREADY_EXISTS, "'prediction' already", () -> estimator().fit(predicted));
    refused(Code.INVALID_ARGUMENT, "no JSON", () -> new PercaleEstimator("{", X, Y).fit(table));
    refused(Code.UNIMPLEMENTED, "cast it", () -> new PercaleEstimator(SPEC, X, new TensorSpec("y", DType.F16)));
    Dataset<Row> nulls = table.selectExpr("x", "if(x[0] > 0.5, y, null) y");
    failed("the column 'y' has null", () -> estimator().fit(nulls));
    Dataset<Row> shorter = table.selectExpr("slice(x, 1, 4) x", "y");
    failed("has 4 numbers", () -> estimator().fit(shorter));
  }

  private static PercaleEstimator estimator() {
    return new PercaleEstimator(SPEC, X, Y).setWorkers(2).setBatchSize(8).setEpochs(3);
  }

  private static void refused(Code code, String part, Runnable run) {
    try {
      run.run();
    } catch (PercaleException error) {
      check(error.code() == code && error.getMessage().contains(part), error.toString());
      return;
    }
    check(false, "nothing is thrown, wanted " + code + ": " + part);
  }

  /** The run fails in a task, whose error Spark tells. */
  private static void failed(String part, Runnable run) {
    try {
      run.run();
    } catch (RuntimeException error) {
      check(String.valueOf(error.getMessage()).contains(part), error.toString());
      return;
    } catch (Exception error) { // Scala throws checked exceptions without declaring them
      check(String.valueOf(error.getMessage()).contains(part), error.toString());
      return;
    }
    check(false, "nothing is thrown, wanted: " + part);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }

  /**
   * Runs the tests, and prints the totals in the format that tests/count.py reads. The argument is
   * a folder for their files.
   */
  public static void main(String[] arguments) throws Exception {
    List<String> wrong = new ArrayList<>();
    int tests = 0;
    Path folder = Path.of(arguments[0]);
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      spark.sparkContext().setLogLevel("OFF");
      SparkTest all = new SparkTest(spark, folder);
      var methods = Stream.of(SparkTest.class.getDeclaredMethods())
          .filter(method -> method.getName().startsWith("test")).sorted(Comparator.comparing(method -> method.getName())).toList();
      for (var method : methods) {
        ++tests;
        long start = System.nanoTime();
        try {
          method.invoke(all);
        } catch (InvocationTargetException error) {
          wrong.add(method.getName());
          error.getCause().printStackTrace(System.out);
        }
        System.out.printf("%s %s, %d s%n", wrong.contains(method.getName()) ? "FAILED" : "ok", method.getName(),
            (System.nanoTime() - start) / 1_000_000_000);
      }
    }
    System.out.printf("[doctest] test cases: %d | %d passed | %d failed | 0 skipped%n", tests,
        tests - wrong.size(), wrong.size());
    System.exit(wrong.isEmpty() ? 0 : 1);
  }
}
