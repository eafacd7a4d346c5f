package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Typical uses of the package: the library, tensors, closed objects, logs, clusters. */
class UseTest extends WithEngine {
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
    ByteBuffer memory = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
    try (Tensor tensor = Tensor.wrap(memory.position(8), DType.I64, 3)) {
      memory.putLong(24, 9);
      assertArrayEquals(new long[] {0, 0, 9}, tensor.toLongArray());
      assertEquals(9, tensor.data(16, 8).getLong());
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
    call.input(0).asFloatBuffer().put(new float[] {1, 2, 3, 4});
    call.input(0).close();
    call.run();
    assertArrayEquals(new float[] {10, 10}, call.output(0).toFloatArray());
    call.close();
    assertArrayEquals(new float[] {10, 10}, call.output(0).toFloatArray());
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
  void aThreadOfTheLibraryIsADaemonOfJavaWhileItLogs() throws Exception {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    BiConsumer<Engine.LogLevel, String> log = (level, text) -> threads.add(Thread.currentThread());
    try (Engine loud = Engine.builder().threads(1).log(Engine.LogLevel.INFO, log).build(); Graph graph = Graphs.product(loud);
        Session session = Session.builder(loud, graph).option("log_placement", true).build();
        Tensor x = Tensor.of(loud, new float[4], 1, 4)) {
      session.request().feed("x", x).fetch("y").runAsync().get().close();
    }
    assertFalse(threads.isEmpty() || threads.contains(Thread.currentThread()));
    assertTrue(threads.stream().allMatch(Thread::isDaemon));
  }

  @Test
  void logsTracesAndClustersAreWithinReach() {
    List<String> texts = Collections.synchronizedList(new ArrayList<>());
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
}
