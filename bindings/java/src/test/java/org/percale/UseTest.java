package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Typical uses of the package. */
class UseTest {
  private final Engine engine = Graphs.engine();

  @AfterEach
  void end() {
    engine.close();
  }

  @Test
  void severalSchedulesAreArgumentsAListOrAJsonArray() {
    String first = "{\"name\": \"warm_up\", \"steps\": 4}";
    String spec = Sequential.of(2).schedule(first, "cosine").spec();
    assertTrue(spec.contains("\"schedule\": [" + first + ", \"cosine\"]"), spec);
    assertEquals(spec, Sequential.of(2).schedule(List.of(first, "cosine")).spec());
    assertEquals(spec, Sequential.of(2).schedule("[" + first + ", \"cosine\"]").spec());
  }

  @Test
  void theLibrarySaysItsVersion() {
    assertTrue(Percale.version().startsWith("0."));
    assertTrue(Percale.abiVersion() >= 1);
    assertTrue(Percale.describeOptions().contains("\"memory_limit\""));
  }

  @Test
  void directMemoryBecomesATensorWithoutACopy() {
    FloatBuffer buffer = ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder()).asFloatBuffer();
    try (Tensor tensor = Tensor.wrap(buffer, 2, 3)) {
      buffer.put(4, 7);
      assertEquals(7, tensor.toFloatArray()[4]);
      assertEquals(7, tensor.asFloatBuffer().get(4));
      assertArrayEquals(new long[] {2, 3}, tensor.dims());
      assertEquals(DType.F32, tensor.dtype());
    }
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(ValueLayout.JAVA_LONG, 3);
      try (Tensor tensor = Tensor.wrap(memory, DType.I64, 3)) {
        memory.setAtIndex(ValueLayout.JAVA_LONG, 2, 9);
        assertArrayEquals(new long[] {0, 0, 9}, tensor.toLongArray());
      }
    }
    try (Tensor scalar = Tensor.of(engine, new double[] {2.5})) {
      assertEquals(2.5, scalar.item());
    }
    try (Tensor empty = Tensor.of(engine, new int[0], 0, 3)) {
      assertEquals(0, empty.toIntArray().length);
    }
  }

  @Test
  void everythingMayBeClosedInAnyOrder() {
    Session session = Graphs.session(engine);
    PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 1, 4)), "y");
    session.close();
    engine.close();
    try (Arena arena = Arena.ofConfined()) {
      call.input(0).data(arena).copyFrom(MemorySegment.ofArray(new float[] {1, 2, 3, 4}));
    }
    call.input(0).close();
    call.run();
    assertArrayEquals(new float[] {10, 10}, call.output(0).toFloatArray());
    call.close();
    assertArrayEquals(new float[] {10, 10}, call.output(0).toFloatArray());
  }

  @Test
  void aPreparedCallTakesTensorsOfOnesOwn() {
    try (Session session = Graphs.session(engine);
        PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 1, 4)), "y");
        Tensor x = Tensor.of(engine, new float[] {1, 1, 1, 2}, 1, 4);
        Tensor y = Tensor.zeros(engine, DType.F32, 1, 2)) {
      call.bind(List.of(x), List.of(y));
      call.run();
      assertArrayEquals(new float[] {5, 5}, y.toFloatArray());
    }
  }

  @Test
  void aPreparedCallHandsOnWhatARunGives() {
    try (GraphBuilder builder = GraphBuilder.create(engine)) {
      builder.setOutputs(builder.op("Add").name("y").input(builder.input("x", DType.F32, 2), builder.input("s", DType.F32, 2)).finish());
      try (Graph graph = builder.finish();
          Session session = Session.create(engine, graph, null);
          PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("s", DType.F32, 2)), "y");
          Tensor x = Tensor.of(engine, new float[] {1, 2}, 2);
          Tensor start = Tensor.of(engine, new float[] {10, 20}, 2);
          Tensor y = Tensor.zeros(engine, DType.F32, 2)) {
        call.carry(0, 1);
        call.bind(Arrays.asList(x, start), Collections.singletonList(null));
        call.run();
        call.bind(Arrays.asList(x, null), Collections.singletonList(null));
        call.run();
        call.bind(Arrays.asList(x, null), List.of(y));
        call.run();
        assertArrayEquals(new float[] {13, 26}, y.toFloatArray());
      }
    }
  }

  @Test
  void anAsynchronousRunIsAFuture() throws Exception {
    try (Session session = Graphs.session(engine); Tensor x = Tensor.of(engine, new float[] {2, 2, 2, 2}, 1, 4)) {
      CompletableFuture<Float> sum = session.request().feed("x", x).fetch("y").runAsync().thenApply(results -> {
        try (results) {
          return results.get("y").toFloatArray()[1];
        }
      });
      assertEquals(8f, sum.get());
      List<CompletableFuture<Results>> many = new ArrayList<>();
      for (int i = 0; i < 200; ++i) many.add(session.request().feed("x", x).fetch("y").runAsync());
      for (CompletableFuture<Results> one : many) one.get().close();
    }
  }

  @Test
  void threadsShareASession() throws Exception {
    try (Session session = Graphs.session(engine); var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int number = 0; number < 16; ++number) {
        float value = number;
        all.add(threads.submit(() -> {
          for (int i = 0; i < 50; ++i) {
            try (Tensor x = Tensor.of(engine, new float[] {value, value, value, value}, 1, 4);
                Results results = session.run(Map.of("x", x), "y")) {
              assertEquals(4 * value, results.get(0).toFloatArray()[0]);
            }
          }
        }));
      }
      for (Future<?> one : all) one.get();
    }
  }

  @Test
  void whatIsClosedDuringARunEndsAfterIt() throws Exception {
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (int i = 0; i < 100; ++i) {
        Session session = Graphs.session(engine);
        Tensor x = Tensor.of(engine, new float[4], 1, 4);
        List<Future<?>> all = new ArrayList<>();
        for (int j = 0; j < 3; ++j) {
          all.add(threads.submit(() -> {
            try {
              for (;;) session.run(Map.of("x", x), "y").close();
            } catch (IllegalStateException closed) {
              return;
            }
          }));
        }
        x.close();
        session.close();
        for (Future<?> one : all) one.get();
      }
    }
  }

  @Test
  void aBuilderMakesFunctionsGradientsAndTypes() {
    try (GraphBuilder builder = GraphBuilder.create(engine);
        Tensor yes = Tensor.zeros(engine, DType.BOOL);
        Tensor one = Tensor.of(engine, new float[] {1}, 1);
        Tensor two = Tensor.of(engine, new float[] {2}, 1)) {
      Value x = builder.input("x", DType.F32, -1);
      assertEquals(2, builder.op("Split").input(x).set("num_outputs", 2).finish(2).size());
      Value y = builder.op("Mul").input(x, x).finish();
      Value dx = builder.gradients(List.of(y), List.of(x)).get(0);
      builder.function("then", b -> List.of(b.constant(null, one)));
      builder.function("else", b -> List.of(b.constant(null, two)));
      Value chosen = builder.op("If").input(builder.constant("which", yes)).function("then_branch", "then")
          .function("else_branch", "else").finish();
      builder.rename(dx, "dx");
      builder.rename(chosen, "chosen");
      assertEquals(DType.F32, builder.typeOf(y).dtype());
      assertArrayEquals(new long[] {-1}, builder.typeOf(y).dims());
      builder.setOutputs(dx, chosen);
      try (Graph graph = builder.finish(); Session session = Session.create(engine, graph, null);
          Tensor at = Tensor.of(engine, new float[] {3, 4}, 2);
          Results results = session.run(Map.of("x", at), "dx", "chosen")) {
        assertArrayEquals(new float[] {6, 8}, results.get("dx").toFloatArray());
        assertEquals(2, results.get("chosen").item());
      }
    }
  }

  @Test
  void aFunctionPerOpTakesInputsAndAttributes() {
    try (GraphBuilder builder = GraphBuilder.create(engine); Tensor low = Tensor.of(engine, new float[] {0})) {
      Value x = builder.input("x", DType.F32, -1, 2);
      Value both = Ops.concat(builder, x, Ops.neg(builder, x).finish()).set("axis", 1).finish();
      Value clipped = Ops.clip(builder, both, builder.constant(null, low), null).finish();
      Value sum = Ops.reduceSum(builder, clipped, null).set("keepdims", 0).name("sum").finish();
      builder.setOutputs(sum);
      try (Graph graph = builder.finish(); Session session = Session.create(engine, graph, null);
          Tensor at = Tensor.of(engine, new float[] {3, -4, 5, 6}, 2, 2); Results results = session.run(Map.of("x", at), "sum")) {
        assertEquals(18, results.get(0).item());
      }
    }
  }

  @Test
  void whatIsTrainedIsSavedLoadedAndTheSameBits(@TempDir Path folder) throws Exception {
    List<Double> losses = new ArrayList<>();
    try (Trainer first = Trainer.fromSpec(engine, Graphs.LINE).build();
        Trainer second = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      first.fit(data, 5, progress -> {
        losses.add(progress.loss());
        if (progress.epochEnded()) first.save(folder);
        return true;
      });
      assertEquals(20, losses.size());
      assertTrue(losses.get(19) < losses.get(0));
      second.restore(folder);
      try (Variables trained = first.variables(); Variables restored = second.variables(); Graph model = first.model()) {
        assertEquals(trained.digest(), restored.digest());
        assertEquals(List.of("dense/bias", "dense/kernel"), trained.names());
        Path file = folder.resolve("model.percale");
        model.save(trained, file);
        try (Graph loaded = Graph.load(engine, file); Variables own = Variables.create(engine, loaded, 0);
            Tensor seven = Tensor.of(engine, new float[] {7}, 1)) {
          assertEquals(trained.digest(), own.digest());
          own.assign("dense/bias", seven);
          try (Tensor bias = own.value("dense/bias")) {
            assertEquals(7, bias.item());
          }
        }
        try (Graph copy = Graph.load(engine, Files.readAllBytes(file))) {
          assertEquals(List.of("x"), copy.inputNames());
        }
      }
      Evaluation evaluation = second.evaluate(data);
      assertTrue(Double.isFinite(evaluation.loss()), evaluation.json());
      assertEquals(21, new String(first.history("csv")).lines().count());
    }
  }

  @Test
  void aTrainerWithoutVariablesDrawsThem() {
    try (GraphBuilder builder = GraphBuilder.create(engine)) {
      Value x = builder.input("x", DType.F32, -1, 2);
      Value y = builder.layer("Dense").name("y").input(x).set("units", 1).finish();
      builder.setOutputs(Ops.reduceMean(builder, Ops.mul(builder, y, y).finish(), null).set("keepdims", 0).name("loss").finish());
      try (Graph graph = builder.finish(); Variables same = Variables.create(engine, graph, 7);
          Trainer trainer = Trainer.builder(engine, graph, null).optimizer("sgd").option("seed", 7).build();
          Trainer other = Trainer.builder(engine, graph, null).optimizer("sgd").option("seed", 8).build();
          Variables drawn = trainer.variables(); Variables others = other.variables();
          Tensor rows = Tensor.of(engine, new float[] {1, 2, 3, 4}, 2, 2)) {
        assertEquals(same.digest(), drawn.digest());
        assertFalse(same.digest().equals(others.digest()));
        assertTrue(trainer.step(Map.of("x", rows)) > trainer.step(Map.of("x", rows)));
        try (Session session = Session.create(engine, graph, drawn);
            Results loss = session.request().feed("x", rows).fetch("loss").runAsync().join();
            Results now = session.run(Map.of("x", rows), "loss");
            Results withToken =
                session.request().feed("x", rows).fetch("loss").cancelToken(new CancelToken()).run()) {
          assertTrue(drawn.version() > 1);
          assertEquals(drawn.version(), loss.variablesVersion());
          assertEquals(drawn.version(), now.variablesVersion());
          assertEquals(drawn.version(), withToken.variablesVersion());
        }
        try (Trainer.Fetched step = trainer.stepFetch(Map.of("x", rows), "y")) {
          float[] scores = step.values().get("y").toFloatArray();
          assertEquals(step.loss(), (scores[0] * scores[0] + scores[1] * scores[1]) / 2, 1e-5);
        }
      }
    }
  }

  @Test
  void epochsOfFitCountAllSoFar() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      trainer.fit(data, 1);
      trainer.fit(data, 1);
      assertEquals(4, trainer.steps());
      trainer.fit(data, 2);
      assertEquals(8, trainer.steps());
    }
  }

  @Test
  void aListOfLayersTrainsOnAllDevices() {
    try (Engine two = Engine.builder().devices("cpu=2x1").build();
        Tensor x = Tensor.of(two, new float[24], 6, 4); Tensor y = Tensor.of(two, new long[] {0, 0, 1, 1, 2, 2}, 6)) {
      assertEquals(List.of("cpu:0", "cpu:1"), two.deviceNames());
      Sequential model = Sequential.of(4).dense(16, "relu").dense(3, "softmax")
          .compile("adam", "sparse_categorical_crossentropy", "accuracy");
      try (Trainer trainer = model.trainer(two).option("strategy", "mirrored").devices("all").option("shards", 2).build();
          Dataset data = Dataset.fromTensors(two, Map.of("x", x, "y", y)).batch(6)) {
        trainer.fit(data, 10);
        assertTrue(trainer.evaluate(data).get("accuracy") > 0);
      }
    }
  }

  @Test
  void anEvaluationReadsEveryNumberThatTheLibraryWrites() {
    Evaluation evaluation = new Evaluation("{\"loss\":null,\"low, or 0\":-1.5e-3,\"accuracy\":1}");
    assertEquals(-1.5e-3, evaluation.get("low, or 0"));
    assertEquals(1, evaluation.get("accuracy"));
    assertTrue(Double.isNaN(evaluation.get("loss")) && Double.isNaN(evaluation.loss()));
    assertEquals(List.of("loss", "low, or 0", "accuracy"), List.copyOf(evaluation.values().keySet()));
  }

  @Test
  void aModelThatIsCompiledAgainKeepsItsWeights() {
    Sequential model = Sequential.of(2).dense(1, null).compile("adam", "mean_squared_error");
    try (Trainer first = model.trainer(engine).build(); Dataset data = Graphs.lineData(engine)) {
      first.fit(data, 3);
      model.compile(Map.of("name", "sgd", "learning_rate", 0.125), Map.of("name", "huber", "delta", 2), "mae",
          Map.of("metric", "mae", "name", "mine")).schedule(Map.of("name", "warm_up", "steps", 4), "cosine").dense(1, null);
      try (Trainer second = model.trainer(engine).weightsOf(first).option("epochs", 9).build();
          Variables before = first.variables(); Variables after = second.variables()) {
        assertEquals(2, before.size());
        for (String name : before.names()) {
          try (Tensor trained = before.value(name); Tensor kept = after.value(name)) {
            assertArrayEquals(trained.toFloatArray(), kept.toFloatArray());
          }
        }
        assertEquals(4, after.size()); // including those of the added layer
        Evaluation evaluation = second.evaluate(data);
        assertEquals(List.of("loss", "mae", "mine"), List.copyOf(evaluation.values().keySet()));
        assertEquals(evaluation.get("mae"), evaluation.get("mine"));
        assertTrue(evaluation.get("mae") > 0, evaluation.json());
        List<Double> rates = new ArrayList<>();
        second.fit(data, 1, progress -> rates.add(progress.learningRate()));
        assertTrue(rates.get(0) < rates.get(1) && rates.get(1) < 0.125, rates.toString());
      }
    }
  }

  @Test
  void aTrainerPredictsInBatchesAlsoBeforeItsFirstFit() {
    Sequential model = Sequential.of(2).dense(3, null).compile("sgd", "mean_squared_error");
    try (Trainer trainer = model.trainer(engine).build();
        Tensor x = Tensor.of(engine, new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 5, 2);
        Tensor whole = trainer.predict(x, 5); Tensor parts = trainer.predict(x, 2)) {
      assertArrayEquals(new long[] {5, 3}, parts.dims());
      assertArrayEquals(whole.toFloatArray(), parts.toFloatArray());
    }
  }

  @Test
  void aModelOfAFileIsCompiledWithoutAHead(@TempDir Path folder) {
    Path file = folder.resolve("model.percale");
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine);
        Graph graph = trainer.model(); Variables trained = trainer.variables()) {
      trainer.fit(data, 2);
      graph.save(trained, file);
      Sequential loaded = Sequential.fromFile(file).compile("sgd", "mean_squared_error");
      try (Trainer again = loaded.trainer(engine).build(); Variables same = again.variables()) {
        assertEquals(trained.digest(), same.digest());
        again.fit(data, 1);
      }
    }
  }

  @Test
  void theLearningRateIsSetBetweenSteps() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      trainer.setLearningRate(0.5);
      List<Double> rates = new ArrayList<>();
      trainer.fit(data, 1, progress -> {
        rates.add(progress.learningRate());
        trainer.setLearningRate(progress.learningRate() / 2);
        return true;
      });
      assertEquals(List.of(0.5, 0.25, 0.125, 0.0625), rates);
      PercaleException error = assertThrows(PercaleException.class, () -> trainer.setLearningRate(-1));
      assertTrue(error.getMessage().contains("the learning rate is -1"), error.getMessage());
    }
  }

  @Test
  void aFolderIsLockedForOneRun(@TempDir Path folder) {
    try (Trainer second = Trainer.fromSpec(engine, Graphs.LINE).build()) {
      try (Trainer first = Trainer.fromSpec(engine, Graphs.LINE).build()) {
        first.lockFolder(folder, false);
        first.save(folder);
        assertEquals(Code.UNAVAILABLE, assertThrows(PercaleException.class, () -> second.lockFolder(folder, false)).code());
      }
      assertEquals(Code.ALREADY_EXISTS, assertThrows(PercaleException.class, () -> second.lockFolder(folder, false)).code());
      second.lockFolder(folder, true); // removes the checkpoint that the first trainer saved
      assertEquals(Code.NOT_FOUND, assertThrows(PercaleException.class, () -> second.restore(folder)).code());
    }
  }

  @Test
  void anEmbeddingTakesIdsOfLongsAndInts() {
    Sequential model = Sequential.of(2).layer(Layer.of("Embedding").set("input_dim", 5).set("output_dim", 3))
        .layer(Layer.of("Flatten")).dense(2, "softmax").compile("sgd", "sparse_categorical_crossentropy");
    try (Tensor longs = Tensor.of(engine, new long[] {0, 1, 2, 3, 4, 0}, 3, 2);
        Tensor ints = Tensor.of(engine, new int[] {0, 1, 2, 3, 4, 0}, 3, 2);
        Tensor y = Tensor.of(engine, new long[] {0, 1, 0}, 3)) {
      String digest = null;
      for (Tensor x : List.of(longs, ints)) {
        try (Trainer trainer = model.trainer(engine).build(); Variables variables = trainer.variables();
            Dataset data = Dataset.fromTensors(engine, Map.of("x", x, "y", y)).batch(3); Graph served = trainer.model();
            Session session = Session.create(engine, served, variables)) {
          trainer.fit(data, 2);
          digest = digest == null ? variables.digest() : digest;
          assertEquals(digest, variables.digest());
          try (Results scores = session.run(Map.of("x", longs), served.outputNames().get(0))) {
            assertArrayEquals(new long[] {3, 2}, scores.get(0).dims());
          }
        }
      }
    }
  }

  @Test
  void aSpecTakesArraysListsMapsAndNull() {
    Map<String, Object> nothing = new java.util.LinkedHashMap<>();
    nothing.put("axis", null);
    Sequential model = Sequential.of(8, 8, 1)
        .layer(Layer.of("Conv2D").set("filters", 2).set("kernel_size", new int[] {3, 3}).set("strides", List.of(1, 1))
            .set("use_bias", true).set("activation", null))
        .set("a", new long[] {1, 2}).set("b", new float[] {0.5f, 1e-7f}).set("c", new double[] {0.1})
        .set("d", new boolean[] {true, false}).set("e", new String[] {"x", "\"y\""}).set("f", nothing)
        .set("g", new int[][] {{1}, {}}).set("h", (short) 3);
    assertEquals("{\"model\": [{\"layer\": \"Conv2D\", \"filters\": 2, \"kernel_size\": [3, 3], \"strides\": [1, 1], \"use_bias\": true, "
        + "\"activation\": null}], \"input_shape\": [8, 8, 1], \"a\": [1, 2], \"b\": [0.5, 1.0E-7], \"c\": [0.1], \"d\": [true, false], "
        + "\"e\": [\"x\", \"\\\"y\\\"\"], \"f\": {\"axis\": null}, \"g\": [[1], []], \"h\": 3}", model.spec());
    long[] shape = {2};
    Sequential copied = Sequential.of(shape);
    shape[0] = 3;
    assertTrue(copied.spec().contains("\"input_shape\": [2]"));
  }

  @Test
  void anOptimizerIsANameOrJson() {
    for (String optimizer : List.of("sgd", "{\"name\": \"sgd\", \"learning_rate\": 0.125}", " {\"name\": \"adam\"}")) {
      Sequential model = Sequential.of(2).dense(1, null).compile(optimizer, "mean_squared_error");
      try (Trainer trainer = model.trainer(engine).build()) {
        assertEquals(optimizer.contains("0.125"), trainer.describe().contains("0.125"), trainer.describe());
      }
    }
  }

  @Test
  void whatADebuggerShowsIsShort() {
    Sequential model = Sequential.of(2).dense(16, "relu").dense(1, null).compile("{\"name\": \"sgd\"}", "mean_squared_error");
    assertEquals("Sequential[Dense, Dense] {\"input_shape\": [2], \"optimizer\": {\"name\": \"sgd\"}, "
        + "\"loss\": \"mean_squared_error\", \"metrics\": []}", model.toString());
    assertEquals("Sequential[] {\"model\": \"m.percale\"}", Sequential.fromFile(Path.of("m.percale")).toString());
    try (Session session = Graphs.session(engine); Tensor x = Tensor.of(engine, new float[4], 1, 4)) {
      Results results = session.run(Map.of("x", x), "y");
      assertEquals("Results[y: Tensor F32 [1, 2]]", results.toString());
      results.close();
      assertEquals("Results[y: Tensor (closed)]", results.toString());
    }
  }

  @Test
  void dataSetsAreZippedRepeatedConcatenatedMappedAndDistributed() {
    Dataset a = Dataset.range(engine, "a", 0, 4, 1);
    Dataset b = Dataset.generator(engine, List.of(new TensorSpec("b", DType.F32, 2)), 4,
        (number, row) -> row[0].setAtIndex(ValueLayout.JAVA_FLOAT, 1, number));
    Dataset zipped = Dataset.zip(List.of(a, b));
    a.close();
    b.close();
    assertEquals(List.of(new TensorSpec("a", DType.I64), new TensorSpec("b", DType.F32, 2)), zipped.columnTypes());
    try (Dataset renamed = zipped.rename(List.of("x", "y"))) {
      assertEquals(List.of("x", "y"), renamed.names());
    }
    try (zipped; Dataset twice = zipped.repeat(2); Dataset all = Dataset.concatenate(List.of(twice, zipped))) {
      assertEquals(12, all.rows());
      all.configure(3, -1, true);
      List<Long> firsts = new ArrayList<>();
      for (Results batch : all.epoch()) {
        try (batch) {
          firsts.add(batch.get("a").toLongArray()[0]);
        }
      }
      assertEquals(List.of(0L, 3L, 2L, 1L), firsts);
      List<Dataset> parts = all.distribute(3);
      try (Results part = parts.get(0).next().orElseThrow()) {
        assertArrayEquals(new long[] {1, 2}, part.get("b").dims());
      }
      parts.forEach(Dataset::close);
      try (GraphBuilder builder = GraphBuilder.create(engine)) {
        Value in = builder.input("b", DType.F32, -1, 2);
        builder.setOutputs(builder.op("Add").name("double").input(in, in).finish());
        try (Graph graph = builder.finish(); Dataset mapped = zipped.map(graph).batch(4);
            Results batch = mapped.next().orElseThrow()) {
          assertArrayEquals(new float[] {0, 0, 0, 2, 0, 4, 0, 6}, batch.get("double").toFloatArray());
          assertEquals(List.of(new TensorSpec("b", DType.F32, -1, 2)), graph.inputTypes());
          assertEquals(List.of(new TensorSpec("double", DType.F32, -1, 2)), graph.outputTypes());
        }
      }
    }
  }

  @Test
  void functionsAreLetGoOfWhenTheLibraryCanCallThemNoMore() {
    int before = Callbacks.count();
    try (Engine loud = Engine.builder().log(Engine.LogLevel.INFO, (level, text) -> {}).build();
        Trainer trainer = Trainer.fromSpec(loud, Graphs.LINE).build()) {
      Dataset rows = Dataset.generator(loud, List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("y", DType.F32, 1)), 4,
          (number, row) -> row[0].setAtIndex(ValueLayout.JAVA_FLOAT, 1, number));
      assertEquals(before + 2, Callbacks.count());
      Dataset twice = rows.repeat(2);
      rows.close();
      trainer.setValidation(twice);
      twice.close(); // the trainer keeps its own reference
      try (Dataset data = Graphs.lineData(loud)) {
        trainer.fit(data, 1);
      }
      assertTrue(new String(trainer.history("csv")).contains("val_loss"));
      assertEquals(before + 2, Callbacks.count());
    }
    assertEquals(before, Callbacks.count());
  }

  @Test
  void logsTracesAndClustersAreWithinReach() {
    List<String> texts = java.util.Collections.synchronizedList(new ArrayList<>());
    try (Engine loud = Engine.builder().log(Engine.LogLevel.DEBUG, (level, text) -> texts.add(text)).build();
        Trace trace = Trace.create(loud); Session session = Graphs.session(loud);
        Tensor x = Tensor.of(loud, new float[4], 1, 4)) {
      session.setTrace(trace);
      session.run(Map.of("x", x), "y").close();
      session.setTrace(null);
      assertTrue(trace.json().contains("MatMul"));
      assertTrue(session.stats().contains("planned_peak_bytes"));
      assertTrue(session.explain(List.of(new TensorSpec("x", DType.F32, 1, 4)), List.of("y"), "plan").contains("MatMul"));
      assertTrue(session.draw(List.of(new TensorSpec("x", DType.F32, 1, 4)), List.of("y"), "svg", trace.json()).contains("in all"));
      assertTrue(loud.memoryPeak() >= loud.memoryUsed());
      assertTrue(loud.describe("info").contains("cpu:0"));
    }
    try (Cluster cluster = Cluster.create()) {
      cluster.addTask("worker", 0, "host:1");
      cluster.setRole(new Cluster.Role("worker", 0));
      assertEquals(List.of("worker"), cluster.jobs());
      assertEquals("host:1", cluster.address("worker", 0));
      assertEquals(new Cluster.Role("worker", 0), cluster.role());
      assertEquals(1, cluster.taskCount("worker"));
    }
  }

  /**
   * Creates and uses one object of every kind, and leaves half of them to the garbage collector.
   */
  private static void cycle(boolean close) {
    Engine engine = Graphs.engine();
    Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build();
    Dataset data = Graphs.lineData(engine);
    Results batch = data.next().orElseThrow();
    trainer.step(batch);
    Session session = Graphs.session(engine);
    Tensor x = Tensor.of(engine, new float[4], 1, 4);
    Results results = session.run(Map.of("x", x), "y");
    FloatBuffer view = results.get(0).asFloatBuffer();
    if (close) {
      for (AutoCloseable one : List.of(results, x, session, batch, data, trainer, engine)) {
        try {
          one.close();
        } catch (Exception error) {
          throw new AssertionError(error);
        }
      }
    }
    assertEquals(0, view.get(0));
  }

  private static long resident() throws Exception {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]);
  }

  private static long count(String what) throws Exception {
    try (var entries = Files.list(Path.of("/proc/self/" + what))) {
      return entries.count();
    }
  }

  @Test
  void whatIsForgottenIsGivenBack() throws Exception {
    for (int i = 0; i < 100; ++i) cycle(i % 2 == 0);
    System.gc();
    Thread.sleep(200);
    long pages = resident();
    long files = count("fd");
    for (int i = 0; i < 200; ++i) {
      cycle(i % 2 == 0);
      if (i % 50 == 0) System.gc();
    }
    System.gc();
    Thread.sleep(200);
    assertTrue(resident() < pages + pages / 10 + 4096, pages + " pages grew to " + resident());
    assertTrue(count("fd") <= files + 2);
  }

  @Test
  void theGarbageCollectorTakesNothingTooEarly() {
    for (int i = 0; i < 30; ++i) {
      FloatBuffer view = Tensor.of(engine, new float[] {1, 2, 3}, 3).asFloatBuffer();
      FloatBuffer lent = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer().put(3, 5);
      Tensor wrapped = Tensor.wrap(lent, 4);
      lent = null;
      System.gc();
      byte[] noise = new byte[1 << 20];
      assertEquals(1 << 20, noise.length);
      assertEquals(3, view.get(2));
      assertEquals(5, wrapped.toFloatArray()[3]);
      assertFalse(view.isReadOnly());
    }
  }
}
