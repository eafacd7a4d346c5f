package org.percale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Objects are released: closed ones at once, forgotten ones by the garbage collector. */
class ReleaseTest extends WithEngine {
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
