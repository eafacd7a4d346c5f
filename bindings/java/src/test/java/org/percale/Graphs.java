package org.percale;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Helpers of several tests. */
final class Graphs {
  static final String LINE = """
      {"model": [{"layer": "Dense", "units": 1}], "input_shape": [2], "loss": "mean_squared_error",
       "optimizer": {"name": "adam", "learning_rate": 0.1}, "batch_size": 4, "epochs": 5, "seed": 1}""";

  static {
    // Frequent collections reveal objects that are released too early.
    if (Boolean.getBoolean("percale.collect")) {
      Threads.platform(() -> {
        for (;;) {
          System.gc();
          LockSupport.parkNanos(5_000_000);
        }
      });
    }
  }

  private Graphs() {}

  /**
   * Returns the number of live statuses. A run that was cancelled releases its own on a thread of
   * its engine after its future has ended, so that this waits up to 10 s until `expected` are left.
   */
  static long liveStatuses(long expected) throws InterruptedException {
    for (int i = 0; i < 2000 && Percale.liveStatuses() != expected; ++i) Thread.sleep(5);
    return Percale.liveStatuses();
  }

  static Engine engine() {
    return Engine.builder().threads(1).build();
  }

  /** Returns y = x * w with x [?, 4] and w a constant [4, 2] of ones. */
  static Graph product(Engine engine) {
    try (GraphBuilder builder = GraphBuilder.create(engine);
        Tensor ones = Tensor.of(engine, new float[] {1, 1, 1, 1, 1, 1, 1, 1}, 4, 2)) {
      Value x = builder.input("x", DType.F32, -1, 4);
      Value y = builder.op("MatMul").name("y").input(x, builder.constant(null, ones)).finish();
      builder.setOutputs(y);
      return builder.finish();
    }
  }

  static Session session(Engine engine) {
    try (Graph graph = product(engine)) {
      return Session.create(engine, graph, null);
    }
  }

  /** Returns a graph that multiplies matrices two thousand times; x is [n, n]. */
  static Graph longRun(Engine engine) {
    try (GraphBuilder builder = GraphBuilder.create(engine)) {
      Value x = builder.input("x", DType.F32, -1, -1);
      for (int i = 0; i < 2000; ++i) {
        x = builder.op("Tanh").input(builder.op("MatMul").input(x, x).finish()).finish();
      }
      builder.rename(x, "y");
      builder.setOutputs(x);
      return builder.finish();
    }
  }

  /** Returns a trainer of LINE with two shards, which two processes can train. */
  static Trainer twoShards(Engine engine) {
    return Trainer.fromSpec(engine, LINE).option("shards", 2).option("collective_timeout", 30).build();
  }

  /** Returns the digest of the trainer's variables. */
  static String digest(Trainer trainer) {
    try (Variables variables = trainer.variables()) {
      return variables.digest();
    }
  }

  /** Returns sixteen rows for LINE. */
  static Dataset lineData(Engine engine) {
    float[] inputs = new float[32];
    float[] targets = new float[16];
    for (int i = 0; i < 16; ++i) {
      inputs[2 * i] = i % 4 / 4f;
      inputs[2 * i + 1] = i / 4 / 4f;
      targets[i] = 2 * inputs[2 * i] - 3 * inputs[2 * i + 1] + 1;
    }
    try (Tensor x = Tensor.of(engine, inputs, 16, 2); Tensor y = Tensor.of(engine, targets, 16, 1)) {
      Map<String, Tensor> columns = new LinkedHashMap<>();
      columns.put("x", x);
      columns.put("y", y);
      return Dataset.fromTensors(engine, columns).batch(4);
    }
  }
}
