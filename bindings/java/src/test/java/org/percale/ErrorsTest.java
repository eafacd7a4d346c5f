package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Every failure is a Java exception with the library's message, and the virtual machine survives.
 */
class ErrorsTest extends LeavesNoStatus {
  private static PercaleException fails(Code code, String part, Executable run) {
    PercaleException error = assertThrows(PercaleException.class, run);
    assertEquals(code, error.code(), error.getMessage());
    assertTrue(error.getMessage().contains(part), error.getMessage());
    return error;
  }

  @Test
  void aNullArgumentIsNamed() {
    Sequential model = Sequential.of(2).dense(1, null).compile("sgd", "mse");
    try (Session session = Graphs.session(engine); Trainer trainer = model.trainer(engine).build();
        Variables variables = trainer.variables(); Graph graph = trainer.model()) {
      Map<String, Executable> doors = Map.of("columns", () -> Dataset.fromTensors(engine, null),
          "csv", () -> Dataset.fromFiles(engine, Map.of(), 0, null), "feeds", () -> session.run(null, "y"),
          "all", () -> session.request().feed(null), "batch", () -> trainer.stepFetch(null, "y"),
          "fromTo", () -> variables.loadMapped(Path.of("w"), null, true), "spec", () -> Trainer.fromSpec(engine, null),
          "options", () -> graph.export(engine, variables, "onnx", null, Path.of("m.onnx")),
          "graph", () -> Session.create(engine, null, null), "elements", () -> Tensor.of(engine, (float[]) null, 1));
      doors.forEach((name, door) -> assertEquals(name, assertThrows(NullPointerException.class, door).getMessage()));
    }
  }

  @Test
  void aMetricThatWasNotEvaluatedIsNamed() {
    Evaluation evaluation = new Evaluation("{\"loss\":0.5,\"accuracy\":1}");
    fails(Code.NOT_FOUND, "there is no 'acuracy' among [loss, accuracy]", () -> evaluation.get("acuracy"));
  }

  @Test
  void aSecondThreadIsToldThatOnlyOneMayUseIt() throws Exception {
    Sequential model = Sequential.of(4).dense(1, null).compile("sgd", "mse");
    try (Trainer trainer = model.trainer(engine).build(); Tensor x = Tensor.of(engine, new float[4], 1, 4);
        Tensor y = Tensor.of(engine, new float[1], 1, 1); Dataset data = Dataset.fromTensors(engine, Map.of("x", x, "y", y))) {
      trainer.fit(data, 1, progress -> {
        for (Executable call : List.<Executable>of(trainer::model, trainer::describe, () -> trainer.save(Path.of("ck")))) {
          Throwable refused = CompletableFuture.supplyAsync(() -> assertThrows(IllegalStateException.class, call)).get();
          assertTrue(refused.getMessage().endsWith("only one thread may use it at a time"), refused.getMessage());
        }
        return true;
      });
    }
  }

  @Test
  void aWrongShapeIsNamedAndTheSessionGoesOn() {
    try (Session session = Graphs.session(engine); Tensor bad = Tensor.of(engine, new float[3], 1, 3);
        Tensor good = Tensor.of(engine, new float[] {1, 1, 1, 1}, 1, 4)) {
      fails(Code.INVALID_ARGUMENT, "[1,3]", () -> session.run(Map.of("x", bad), "y"));
      try (Results results = session.run(Map.of("x", good), "y")) {
        assertArrayEquals(new float[] {4, 4}, results.get("y").toFloatArray());
      }
    }
  }

  @Test
  void aWrongDtypeIsNamed() {
    try (Session session = Graphs.session(engine); Tensor bad = Tensor.of(engine, new long[4], 1, 4)) {
      fails(Code.INVALID_ARGUMENT, "i64", () -> session.run(Map.of("x", bad), "y"));
      fails(Code.INVALID_ARGUMENT, "I64", bad::toFloatArray);
    }
  }

  @Test
  void anUnknownOpIsNamedAndTheBuilderGoesOn() {
    try (GraphBuilder builder = GraphBuilder.create(engine)) {
      Value x = builder.input("x", DType.F32, 1);
      PercaleException error =
          assertThrows(PercaleException.class, () -> builder.op("Relo").input(x).finish());
      assertTrue(error.getMessage().contains("Relo"), error.getMessage());
      builder.op("Relu").input(x).finish();
      fails(Code.INVALID_ARGUMENT, "'a' cannot be null", () -> builder.op("Relu").input(x).set("a", null).finish());
      fails(Code.INVALID_ARGUMENT, "Object", () -> builder.op("Relu").input(x).set("a", new Object()).finish());
    }
  }

  @Test
  void aMissingFileIsNamed() {
    fails(Code.NOT_FOUND, "/no/such/file.percale", () -> Graph.load(engine, Path.of("/no/such/file.percale")));
    fails(Code.NOT_FOUND, "/no/such/w.safetensors", () -> engine.checkFile(Path.of("/no/such/w.safetensors")));
  }

  @Test
  void anUnknownOptionNamesTheNearest() {
    fails(Code.NOT_FOUND, "threads", () -> Engine.builder().option("thread", 1).build());
    fails(Code.INVALID_ARGUMENT, "NUL", () -> engine.describe("in\0fo"));
  }

  private Session longSession() {
    try (Graph graph = Graphs.longRun(engine)) {
      return Session.create(engine, graph, null);
    }
  }

  @Test
  void aCancelledTokenEndsARunAndLeavesTheSessionUsable() throws Exception {
    try (Session session = longSession(); Tensor x = Tensor.zeros(engine, DType.F32, 400, 400);
        Tensor small = Tensor.zeros(engine, DType.F32, 1, 1)) {
      CancelToken token = new CancelToken();
      CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(token::cancel);
      fails(Code.CANCELLED, "", () -> session.request().feed("x", x).fetch("y").cancelToken(token).run());
      fails(Code.CANCELLED, "", () -> session.request().feed("x", x).fetch("y").cancelToken(token).run());
      session.run(Map.of("x", small), "y").close();
    }
  }

  @Test
  void aPreparedCallEndsWithItsTimeOrItsToken() {
    try (Session session = longSession();
        PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 400, 400)), "y")) {
      fails(Code.DEADLINE_EXCEEDED, "", () -> call.run(Duration.ofMillis(50), null));
      CancelToken token = new CancelToken();
      CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(token::cancel);
      fails(Code.CANCELLED, "", () -> call.run(null, token));
      fails(Code.CANCELLED, "", () -> call.run(null, token));
    }
  }

  @Test
  void aCancelledFutureEndsItsRun() throws Exception {
    try (Session session = longSession(); Tensor x = Tensor.zeros(engine, DType.F32, 400, 400);
        Tensor small = Tensor.zeros(engine, DType.F32, 1, 1)) {
      CompletableFuture<Results> future = session.request().feed("x", x).fetch("y").runAsync();
      assertTrue(future.cancel(true));
      assertThrows(CancellationException.class, future::get);
      session.run(Map.of("x", small), "y").close();
    }
  }

  @Test
  void anErrorOfAnAsynchronousRunIsTheFuturesCause() {
    try (Session session = Graphs.session(engine)) {
      ExecutionException error =
          assertThrows(ExecutionException.class, () -> session.request().fetch("no").runAsync().get());
      assertTrue(error.getCause() instanceof PercaleException, error.toString());
    }
  }

  @Test
  void timeThatRunsOutEndsARun() {
    try (Session session = longSession(); Tensor x = Tensor.zeros(engine, DType.F32, 400, 400)) {
      fails(Code.DEADLINE_EXCEEDED, "",
          () -> session.request().feed("x", x).fetch("y").timeout(Duration.ofMillis(50)).run());
    }
  }

  @Test
  void timeThatIsOverAlreadyIsNotForever() {
    try (Session session = Graphs.session(engine);
        PreparedCall call = session.prepare(List.of(new TensorSpec("x", DType.F32, 1, 4)), "y");
        Tensor x = Tensor.zeros(engine, DType.F32, 1, 4)) {
      for (Duration over : List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(-365_000))) {
        for (int i = 0; i < 100; ++i) {
          fails(Code.DEADLINE_EXCEEDED, "", () -> session.request().feed("x", x).fetch("y").timeout(over).run());
          fails(Code.DEADLINE_EXCEEDED, "", () -> call.run(over, null));
          ExecutionException error = assertThrows(ExecutionException.class,
              () -> session.request().feed("x", x).fetch("y").timeout(over).runAsync().get());
          assertEquals(Code.DEADLINE_EXCEEDED, ((PercaleException) error.getCause()).code());
        }
      }
      Duration ages = Duration.ofDays(365_000);
      session.request().feed("x", x).fetch("y").timeout(ages).run().close();
      session.request().feed("x", x).fetch("y").timeout(null).run().close();
      call.run(ages, null);
    }
  }

  @Test
  void anExceededMemoryLimitIsAnErrorAndSmallerRunsGoOn() {
    try (Graph graph = Graphs.product(engine);
        Session session = Session.builder(engine, graph).memoryLimit(1 << 16).build();
        Tensor large = Tensor.zeros(engine, DType.F32, 100_000, 4);
        Tensor small = Tensor.zeros(engine, DType.F32, 1, 4)) {
      fails(Code.RESOURCE_EXHAUSTED, "", () -> session.run(Map.of("x", large), "y"));
      session.run(Map.of("x", small), "y").close();
    }
  }

  @Test
  void useAfterCloseIsRefused() {
    Tensor tensor = Tensor.of(engine, new float[] {1}, 1);
    Session session = Graphs.session(engine);
    tensor.close();
    tensor.close();
    assertThrows(IllegalStateException.class, tensor::toFloatArray);
    assertThrows(IllegalStateException.class, () -> session.run(Map.of("x", tensor), "y"));
    session.close();
    assertThrows(IllegalStateException.class, session::stats);
    Engine other = Graphs.engine();
    other.close();
    assertThrows(IllegalStateException.class, other::deviceNames);
  }

  @Test
  void memoryThatWasLentOutlivesTheTensorAndHasItsBounds() {
    Tensor tensor = Tensor.of(engine, new float[] {1, 2}, 2);
    ByteBuffer data = tensor.data();
    assertEquals(Code.OUT_OF_RANGE, assertThrows(PercaleException.class, () -> tensor.data(4, 5)).code());
    assertThrows(IndexOutOfBoundsException.class, () -> data.getFloat(8));
    tensor.close();
    assertEquals(2f, data.getFloat(4));
  }

  @Test
  void memoryOfACallIsOutOfReachAfterTheCall() {
    ByteBuffer[] kept = new ByteBuffer[1];
    try (Dataset data = Dataset.generator(engine, List.of(new TensorSpec("x", DType.F32)), 1, (number, row) -> {
      kept[0] = row[0];
      row[0].putFloat(0, 1);
    }); Results batch = data.batch(1).next().orElseThrow()) {
      try {
        kept[0].putFloat(0, 2);
      } catch (IllegalStateException refused) {
        // java.lang.foreign tells; through JNI the buffer is a copy.
      }
      assertEquals(1, batch.get(0).item());
    }
  }

  @Test
  void aSecondThreadIsRefusedWhereOneAtATimeMay() throws Exception {
    CountDownLatch within = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      Thread other = Threads.platform(() -> trainer.fit(data, 1, progress -> {
        assertEquals(progress.step(), trainer.steps() + (trainer.steps() < progress.step() ? 1 : 0));
        within.countDown();
        return tried.await(60, TimeUnit.SECONDS);
      }));
      within.await();
      assertThrows(IllegalStateException.class, trainer::steps);
      tried.countDown();
      other.join();
      assertEquals(4, trainer.steps());
    }
  }

  @Test
  void anExceptionOfAListenerGoesOnBehindTheLibrary() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      RuntimeException own = new RuntimeException("the listener's own words");
      assertSame(own, assertThrows(RuntimeException.class, () -> trainer.fit(data, 5, progress -> {
        throw own;
      })));
      Exception checked = new Exception("checked");
      assertSame(checked, assertThrows(IllegalStateException.class, () -> trainer.fit(data, 5, progress -> {
        throw checked;
      })).getCause());
      trainer.fit(data, 5);
      assertEquals(20, trainer.steps());
    }
  }

  @Test
  void aListenerThatSaysFalseEndsTheTraining() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset data = Graphs.lineData(engine)) {
      trainer.fit(data, 5, progress -> progress.step() < 3);
      assertEquals(3, trainer.steps());
      CancelToken token = new CancelToken();
      trainer.setCancelToken(token);
      fails(Code.CANCELLED, "", () -> trainer.fit(data, 5, progress -> {
        token.cancel();
        return true;
      }));
      assertEquals(4, trainer.steps());
      fails(Code.CANCELLED, "", () -> trainer.evaluate(data));
      trainer.setCancelToken(null);
      trainer.cancel();
      trainer.fit(data, 5);
      assertEquals(20, trainer.steps());
    }
  }

  @Test
  void anExceptionOfARowIsTheCauseOfTheError() {
    try (Dataset data = Dataset.generator(engine, List.of(new TensorSpec("x", DType.F32, 1)), 4, (number, row) -> {
      if (number == 2) throw new java.io.IOException("no more rows");
    })) {
      data.batch(4);
      PercaleException error = fails(Code.ABORTED, "", data::next);
      assertEquals("no more rows", error.getCause().getMessage());
    }
    List<TensorSpec> columns = List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("y", DType.F32, 1));
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build();
        Dataset bad = Dataset.generator(engine, columns, 4, (number, row) -> {
          throw new java.io.IOException("no rows at all");
        })) {
      assertEquals("no rows at all", fails(Code.ABORTED, "", () -> trainer.evaluate(bad)).getCause().getMessage());
      assertEquals("no rows at all", fails(Code.ABORTED, "", () -> trainer.fit(bad, 1)).getCause().getMessage());
    }
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build(); Dataset good = Graphs.lineData(engine);
        Dataset bad = Dataset.generator(engine, columns, 4, (number, row) -> {
          throw new java.io.IOException("no rows at all");
        })) {
      trainer.setValidation(bad);
      assertEquals("no rows at all", fails(Code.ABORTED, "", () -> trainer.fit(good, 1)).getCause().getMessage());
    }
  }

  @Test
  void aWrongWordOfALayerIsNamedWithASimilarOne() {
    Layer wrong = Layer.of("Dense").set("units", 1).set("activaton", "relu");
    Sequential model = Sequential.of(2).layer(wrong).compile("sgd", "mean_squared_error");
    fails(Code.INVALID_ARGUMENT, "Dense 'dense': no attribute 'activaton', did you mean 'activation'",
        () -> model.trainer(engine).build());
  }

  @Test
  void labelsThatAreMissingAreNamed() {
    try (Trainer trainer = Trainer.fromSpec(engine, Graphs.LINE).build();
        Dataset unlabelled = Dataset.range(engine, "x", 0, 100, 1)) {
      fails(Code.INVALID_ARGUMENT, "'y'", () -> trainer.fit(unlabelled, 1));
    }
  }

  private static void refuses(String part, Executable run) {
    IllegalArgumentException error = assertThrows(IllegalArgumentException.class, run);
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  @Test
  void whatHasNoJsonIsRefusedByItsKeyAndClass() {
    Sequential model = Sequential.of(4);
    refuses("'units' cannot be a java.lang.Object", () -> Layer.of("Dense").set("units", new Object()));
    refuses("'units' cannot be a java.lang.Thread", () -> new Layer("Dense", Map.of("units", new Thread())));
    refuses("'data.x' cannot be a byte[]", () -> model.set("data", Map.of("x", List.of(1, new byte[1]))));
    refuses("'data' cannot be a map with the key 1", () -> model.set("data", Map.of(1, 2)));
    refuses("'rate' cannot be NaN", () -> Layer.of("Dropout").set("rate", Double.NaN));
    refuses("'rates' cannot be Infinity", () -> model.set("rates", new float[] {Float.POSITIVE_INFINITY}));
    assertEquals("{\"model\": [], \"input_shape\": [4]}", model.spec());
    refuses("option 'devices' cannot be a int[]", () -> model.trainer(engine).option("devices", new int[2]));
    refuses("option 'optimizer' cannot be null", () -> model.trainer(engine).optimizer(null));
  }
}
