package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads, files and memory that a program supplies; memory that an engine gives back; its metrics.
 */
class HostTest extends LeavesNoStatus {
  /** Returns the bytes of a graph y = x * w, which is large enough for a loop of several pieces. */
  private static byte[] wideFile() {
    float[] weights = new float[256 * 256];
    for (int i = 0; i < weights.length; ++i) weights[i] = (i % 83) / 83f;
    try (Engine engine = Graphs.engine();
        GraphBuilder builder = GraphBuilder.create(engine);
        Tensor initial = Tensor.of(engine, weights, 256, 256)) {
      Value x = builder.input("x", DType.F32, 64, 256);
      builder.setOutputs(builder.op("MatMul").name("y").input(x, builder.variable("w", initial)).finish());
      try (Graph graph = builder.finish()) {
        return graph.serialize(null);
      }
    }
  }

  private static float[] run(Engine engine, Graph graph) {
    float[] rows = new float[64 * 256];
    for (int i = 0; i < rows.length; ++i) rows[i] = i % 17;
    try (Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables);
        Tensor x = Tensor.of(engine, rows, 64, 256);
        Results results = session.run(Map.of("x", x), "y")) {
      return results.get(0).toFloatArray();
    }
  }

  private static float[] loaded(Engine engine, byte[] file) {
    try (Graph graph = Graph.load(engine, file)) {
      return run(engine, graph);
    }
  }

  private static Engine on(Executor executor) {
    return Engine.builder().threads(4).executor(executor).build();
  }

  @Test
  void threadsOfTheProgramComputeTheSameBits() throws Exception {
    byte[] file = wideFile();
    float[] wanted;
    try (Engine engine = Engine.builder().threads(4).build()) {
      wanted = loaded(engine, file);
    }
    AtomicLong tasks = new AtomicLong();
    Executor counting = task -> {
      tasks.incrementAndGet();
      ForkJoinPool.commonPool().execute(task);
    };
    Executor twice = task -> {
      task.run();
      task.run();
    };
    int before = Callbacks.count();
    for (Executor executor : new Executor[] {counting, twice}) {
      try (Engine engine = on(executor)) {
        assertArrayEquals(wanted, loaded(engine, file));
      }
    }
    assertTrue(tasks.get() > 0);
    ExecutorService single = Executors.newSingleThreadExecutor();
    try (Engine engine = on(single)) {
      Future<float[]> within = single.submit(() -> loaded(engine, file));
      assertArrayEquals(wanted, within.get(60, TimeUnit.SECONDS));
    } finally {
      single.shutdown();
    }
    assertEquals(before, Callbacks.count());
  }

  @Test
  void theExceptionOfAnExecutorIsThatOfTheRun() {
    byte[] file = wideFile();
    Executor shut = task -> {
      throw new RejectedExecutionException("the pool is shut down");
    };
    try (Engine engine = on(shut)) {
      PercaleException error = assertThrows(PercaleException.class, () -> loaded(engine, file));
      assertEquals(Code.ABORTED, error.code());
      assertTrue(error.getMessage().contains("the thread pool of the host: "), error.getMessage());
      assertTrue(error.getMessage().contains("the pool is shut down"), error.getMessage());
    }
    assertThrows(NullPointerException.class, () -> Engine.builder().executor(null));
  }

  private static final class Archive implements FileReader {
    private final Map<String, byte[]> files;

    Archive(Map<String, byte[]> files) {
      this.files = files;
    }

    @Override
    public long size(String name) throws IOException {
      if (!files.containsKey(name)) throw new FileNotFoundException("not in the archive");
      return files.get(name).length;
    }

    @Override
    public void read(String name, long offset, ByteBuffer buffer) throws IOException {
      if (name.equals("locked")) throw new IOException("the key is wrong");
      buffer.put(files.get(name), (int) offset, name.equals("short") ? 1 : buffer.remaining());
    }
  }

  @Test
  void modelsAreReadByTheProgram() {
    byte[] file = wideFile();
    Archive archive = new Archive(Map.of("m/wide.percale", file, "locked", file, "short", file));
    try (Engine engine = Engine.builder().files(archive).build();
        Graph graph = Graph.load(engine, Path.of("host:m/wide.percale"))) {
      assertArrayEquals(loaded(engine, file), run(engine, graph));
      Map.of("other", Code.NOT_FOUND, "locked", Code.UNAVAILABLE, "short", Code.DATA_LOSS).forEach((name, code) -> {
        PercaleException error =
            assertThrows(PercaleException.class, () -> Graph.load(engine, Path.of("host:" + name)));
        assertEquals(code, error.code());
        assertTrue(error.getMessage().contains("host:" + name + ": "), error.getMessage());
      });
    }
  }

  @Test
  void modelsLieInMemoryOfTheProgram(@TempDir Path folder) throws IOException {
    byte[] bytes = wideFile();
    Path path = Files.write(folder.resolve("wide.percale"), bytes);
    int before = Callbacks.count();
    try (Engine engine = Graphs.engine()) {
      AtomicLong copied = new AtomicLong(-1);
      try (FileChannel channel = FileChannel.open(path);
          Graph graph = Graph.wrap(engine, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()), copied::set)) {
        assertEquals(0, copied.get());
        assertEquals(before + 1, Callbacks.count());
        assertArrayEquals(loaded(engine, bytes), run(engine, graph));
        try (Variables variables = Variables.create(engine, graph, 0)) {
          Path weights = folder.resolve("w.safetensors");
          variables.save(weights);
          try (FileChannel saved = FileChannel.open(weights)) {
            assertEquals(0, variables.load(saved.map(FileChannel.MapMode.READ_ONLY, 0, saved.size()), true));
          }
          assertEquals(before + 2, Callbacks.count());
        }
      }
      assertEquals(before, Callbacks.count());
      ByteBuffer cut = ByteBuffer.allocateDirect(bytes.length).put(Arrays.copyOf(bytes, 70)).flip();
      assertEquals(Code.DATA_LOSS, assertThrows(PercaleException.class, () -> Graph.wrap(engine, cut, null)).code());
      assertEquals(Code.INVALID_ARGUMENT,
          assertThrows(PercaleException.class, () -> Graph.wrap(engine, ByteBuffer.wrap(bytes), null)).code());
      assertEquals(before, Callbacks.count());
    }
  }

  @Test
  void memoryIsGivenBackAndRunsAreCounted() {
    try (Engine engine = Graphs.engine()) {
      loaded(engine, wideFile());
      assertTrue(engine.trim() >= 0);
      assertTrue(engine.metrics().startsWith("{\"runs_total\":1,"), engine.metrics());
    }
  }
}
