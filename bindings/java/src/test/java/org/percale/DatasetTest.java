package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Typical uses of data sets. */
class DatasetTest extends WithEngine {
  @Test
  void dataSetsAreZippedRepeatedConcatenatedMappedAndDistributed() {
    Dataset a = Dataset.range(engine, "a", 0, 4, 1);
    Dataset b = Dataset.generator(engine, List.of(new TensorSpec("b", DType.F32, 2)), 4,
        (number, row) -> row[0].putFloat(4, number));
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
          (number, row) -> row[0].putFloat(4, number));
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
}
