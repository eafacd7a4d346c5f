package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Graphs with other dims of their inputs. */
class DimsTest extends WithEngine {
  /** Returns y = x * w with x [2, 2] and w the constant [[1, 2], [3, 4]]. */
  private Graph fixed() {
    try (GraphBuilder builder = GraphBuilder.create(engine);
        Tensor w = Tensor.of(engine, new float[] {1, 2, 3, 4}, 2, 2)) {
      Value x = builder.input("x", DType.F32, 2, 2);
      builder.setOutputs(builder.op("MatMul").name("y").input(x, builder.constant(null, w)).finish());
      return builder.finish();
    }
  }

  @Test
  void aFixedDimOfAGraphIsFreedOrSet() {
    try (Graph graph = fixed(); Graph free = graph.withDims("batch=?"); Graph five = graph.withDims("x:0=5");
        Session session = Session.create(engine, free, null);
        Tensor rows = Tensor.of(engine, new float[] {1, 0, 0, 1, 1, 1}, 3, 2);
        Results results = session.run(Map.of("x", rows), "y")) {
      assertArrayEquals(new float[] {1, 2, 3, 4, 4, 6}, results.get(0).toFloatArray());
      assertArrayEquals(new long[] {-1, 2}, free.valueType("x").dims());
      assertArrayEquals(new long[] {-1, 2}, free.valueType("y").dims());
      assertArrayEquals(new long[] {5, 2}, five.valueType("y").dims());
      assertArrayEquals(new long[] {2, 2}, graph.valueType("x").dims());
      PercaleException typo = assertThrows(PercaleException.class, () -> graph.withDims("batc=?"));
      assertEquals(Code.NOT_FOUND, typo.code());
      assertTrue(typo.getMessage().contains("did you mean 'batch'"), typo.getMessage());
      PercaleException unfit = assertThrows(PercaleException.class, () -> graph.withDims("x:1=3"));
      assertEquals(Code.INVALID_ARGUMENT, unfit.code());
      assertTrue(unfit.getMessage().contains("'y'"), unfit.getMessage());
    }
  }
}
