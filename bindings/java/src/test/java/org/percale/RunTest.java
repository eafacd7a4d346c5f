package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Typical uses of graphs and sessions. */
class RunTest extends WithEngine {
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
    try (Session session = Graphs.session(engine); Threads threads = new Threads()) {
      List<Future<?>> all = new ArrayList<>();
      for (int number = 0; number < 16; ++number) {
        float value = number;
        all.add(threads.start(() -> {
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
    try (Threads threads = new Threads()) {
      for (int i = 0; i < 100; ++i) {
        Session session = Graphs.session(engine);
        Tensor x = Tensor.of(engine, new float[4], 1, 4);
        List<Future<?>> all = new ArrayList<>();
        for (int j = 0; j < 3; ++j) {
          all.add(threads.start(() -> {
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
}
