package org.percale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * When the memory limit is reached, garbage is collected, so a loop that forgets close() continues.
 */
class ShortageTest {
  private static final int ROWS = 1 << 16; // of four floats: 1 MB
  private static final int TURNS = 100;

  private Engine engine;

  @BeforeEach
  void begin() {
    engine = Engine.builder().threads(1).memoryLimit(16 << 20).build();
  }

  @AfterEach
  void end() {
    engine.close();
  }

  @Test
  void forgottenTensorsMeetNoLimit() {
    for (int i = 0; i < TURNS; ++i) assertEquals(4 * ROWS, Tensor.zeros(engine, DType.F32, ROWS, 4).size());
  }

  @Test
  void forgottenResultsMeetNoLimit() {
    try (Session session = Graphs.session(engine); Tensor x = Tensor.zeros(engine, DType.F32, ROWS, 4)) {
      for (int i = 0; i < TURNS; ++i) assertEquals(2 * ROWS, session.run(Map.of("x", x), "y").get(0).size());
      for (int i = 0; i < TURNS; ++i) {
        Session.Request request = session.request().feed("x", x).fetch("y").cancelToken(new CancelToken());
        assertEquals(2 * ROWS, request.run().get(0).size());
      }
    }
  }

  @Test
  void forgottenBatchesMeetNoLimit() {
    try (Tensor x = Tensor.zeros(engine, DType.F32, 2 * ROWS, 4);
        Dataset data = Dataset.fromTensors(engine, Map.of("x", x)).batch(ROWS)) {
      for (int i = 0; i < TURNS; ++i) {
        assertEquals(i % 3 < 2, data.next().isPresent());
      }
    }
  }

  @Test
  void withoutALimitForgottenTensorsAreCollectedAsTheyOutgrowTheHeap() {
    long heap = Runtime.getRuntime().maxMemory();
    try (Engine free = Engine.builder().threads(1).build()) {
      int turns = (int) (8 * heap >> 20);
      for (int i = 0; i < turns; ++i) assertEquals(4 * ROWS, Tensor.zeros(free, DType.F32, ROWS, 4).size());
      assertTrue(free.memoryPeak() < 4 * heap, free.memoryPeak() + " bytes of " + turns + " MB, a heap of " + heap);
    }
  }

  @Test
  void withoutGarbageTheErrorNamesClose() {
    List<Tensor> kept = new ArrayList<>();
    PercaleException error = assertThrows(PercaleException.class, () -> {
      for (;;) kept.add(Tensor.zeros(engine, DType.F32, ROWS, 4));
    });
    assertEquals(Code.RESOURCE_EXHAUSTED, error.code());
    assertTrue(error.getMessage().contains("memory limit") && error.getMessage().contains("close()"), error.getMessage());
    kept.forEach(Tensor::close);
    Tensor.zeros(engine, DType.F32, ROWS, 4).close();
  }
}
