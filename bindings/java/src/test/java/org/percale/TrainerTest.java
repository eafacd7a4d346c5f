package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Typical uses of trainers. */
class TrainerTest extends WithEngine {
  @Test
  void severalSchedulesAreArgumentsAListOrAJsonArray() {
    String first = "{\"name\": \"warm_up\", \"steps\": 4}";
    String spec = Sequential.of(2).schedule(first, "cosine").spec();
    assertTrue(spec.contains("\"schedule\": [" + first + ", \"cosine\"]"), spec);
    assertEquals(spec, Sequential.of(2).schedule(List.of(first, "cosine")).spec());
    assertEquals(spec, Sequential.of(2).schedule("[" + first + ", \"cosine\"]").spec());
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
}
