package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Data sets of rows that come one after the other. */
class StreamTest extends LeavesNoStatus {
  private static final List<TensorSpec> COLUMNS = List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("y", DType.F32, 1));

  /** The rows of {@link Graphs#lineData} in pieces of 3 at most. */
  private static final class Line implements Dataset.StreamFunction {
    final List<List<Long>> asked = new ArrayList<>(); // epoch, row
    long failsAt = Long.MAX_VALUE;
    Throwable failure;

    @Override
    public long read(long epoch, long firstRow, long maxRows, ByteBuffer[] columns) throws Exception {
      asked.add(List.of(epoch, firstRow));
      if (firstRow >= failsAt && failure instanceof Exception) throw (Exception) failure;
      if (firstRow >= failsAt) throw (Error) failure;
      assertEquals(8 * maxRows, columns[0].remaining());
      int count = (int) Math.min(Math.min(maxRows, 3), 16 - firstRow);
      for (int i = 0; i < count; ++i) {
        int row = (int) firstRow + i;
        float a = row % 4 / 4f;
        float b = row / 4 / 4f;
        columns[0].putFloat(a).putFloat(b);
        columns[1].putFloat(2 * a - 3 * b + 1);
      }
      return count;
    }
  }

  private Trainer trainer() {
    return Trainer.fromSpec(engine, Graphs.LINE).build();
  }

  private static String digest(Trainer trainer) {
    try (Variables variables = trainer.variables()) {
      return variables.digest();
    }
  }

  @Test
  void aStreamGivesItsRowsInBatchesEpochAfterEpoch() {
    int before = Callbacks.count();
    Line line = new Line();
    try (Dataset data = Dataset.stream(engine, COLUMNS, line).batch(6)) {
      assertEquals(-1, data.rows());
      assertEquals(COLUMNS, data.columnTypes());
      for (long epoch = 0; epoch < 2; ++epoch) {
        List<Long> sizes = new ArrayList<>();
        for (Results batch : data.epoch()) {
          try (batch) {
            float[] x = batch.get("x").toFloatArray();
            assertArrayEquals(new float[] {sizes.size() * 6 % 4 / 4f, sizes.size() * 6 / 4 / 4f}, new float[] {x[0], x[1]});
            sizes.add(batch.get("x").dims()[0]);
          }
        }
        assertEquals(List.of(6L, 6L, 4L), sizes);
        assertEquals(epoch, line.asked.get(line.asked.size() - 1).get(0));
      }
      assertEquals(Code.FAILED_PRECONDITION, assertThrows(PercaleException.class, () -> data.repeat(2)).code());
      assertThrows(PercaleException.class, () -> data.configure(6, 1, false));
      assertEquals(before + 1, Callbacks.count());
    }
    assertThrows(PercaleException.class, () -> Dataset.stream(engine, List.of(), line));
    assertEquals(before, Callbacks.count());
    assertEquals("function", assertThrows(NullPointerException.class, () -> Dataset.stream(engine, COLUMNS, null)).getMessage());
  }

  @Test
  void aStreamTrainsToTheBitsOfADataSetWithTheSameRows() {
    try (Trainer one = trainer(); Trainer other = trainer(); Dataset data = Graphs.lineData(engine).batch(6);
        Dataset stream = Dataset.stream(engine, COLUMNS, new Line()).batch(6)) {
      one.fit(data, 2);
      other.fit(stream, 2);
      assertEquals(digest(one), digest(other));
      assertEquals(one.evaluate(data).get("loss"), other.evaluate(stream).get("loss"));
    }
  }

  @Test
  void theExceptionOfAStreamIsTheCauseOfTheError() {
    Map<Throwable, Code> codes = new LinkedHashMap<>();
    codes.put(new PercaleException(Code.DATA_LOSS, "the cable is cut"), Code.DATA_LOSS);
    codes.put(new PercaleException(Code.OUT_OF_RANGE, "the cable is cut"), Code.ABORTED);
    codes.put(new IOException("the cable is cut"), Code.UNAVAILABLE);
    codes.put(new IllegalStateException("the cable is cut"), Code.ABORTED);
    codes.put(new AssertionError("the cable is cut"), Code.ABORTED);
    codes.forEach((failure, code) -> {
      Line line = new Line();
      line.failsAt = 0;
      line.failure = failure;
      try (Trainer trainer = trainer(); Dataset data = Graphs.lineData(engine);
          Dataset stream = Dataset.stream(engine, COLUMNS, line).batch(4)) {
        List<Executable> calls = List.of(stream::next, () -> trainer.fit(stream, 1), () -> trainer.evaluate(stream), () -> {
          trainer.setValidation(stream);
          trainer.fit(data, 1);
        });
        for (Executable call : calls) {
          PercaleException error = assertThrows(PercaleException.class, call);
          assertEquals(code, error.code());
          assertNotSame(failure, error);
          assertSame(failure, error.getCause());
          assertTrue(error.getMessage().contains("the cable is cut"), error.getMessage());
        }
      }
    });
  }

  @Test
  void aStreamThatFailsIsReadAgainFromTheBatchThatFailed() {
    Line line = new Line();
    line.failsAt = 11;
    line.failure = new IOException("the cable is cut");
    try (Trainer trainer = trainer(); Trainer whole = trainer(); Dataset stream = Dataset.stream(engine, COLUMNS, line).batch(4)) {
      assertThrows(PercaleException.class, () -> trainer.fit(stream, 1));
      assertEquals(1, trainer.steps()); // the third batch tells whether the second is the last one
      line.failsAt = Long.MAX_VALUE;
      line.asked.clear();
      trainer.fit(stream, 1);
      assertEquals(List.of(0L, 8L), line.asked.get(0));
      whole.fit(stream, 1);
      assertEquals(digest(whole), digest(trainer));
    }
  }

  @Test
  void tooManyRowsAreAnError() {
    try (Dataset stream = Dataset.stream(engine, COLUMNS, (epoch, first, most, columns) -> most + 1)) {
      assertEquals(Code.INVALID_ARGUMENT, assertThrows(PercaleException.class, stream::next).code());
    }
  }
}
