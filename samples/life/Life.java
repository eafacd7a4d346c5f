import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.percale.DType;
import org.percale.Dataset;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.GraphBuilder;
import org.percale.Layer;
import org.percale.Results;
import org.percale.Sequential;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.TensorSpec;
import org.percale.Trainer;
import org.percale.Value;
import org.percale.Variables;

/**
 * The life of a model: train it, stop and resume, export it to ONNX, serve the file, fine-tune the
 * file, and run an op of a plug-in: {@code Life PLUGIN.so}. Writes checkpoints/ and life.onnx into
 * the current folder.
 */
class Life {
  private static final long EPOCHS = 20;
  private static final long TUNE_EPOCHS = 10;
  private static final long STOP = 300;
  private static final Path CHECKPOINTS = Path.of("checkpoints");
  private static final Path FILE = Path.of("life.onnx");
  private static final Map<String, Object> ADAM = Map.of("name", "adam", "learning_rate", 0.02);

  /** The loss of the first step, and the mean of the last epoch. */
  private record Losses(double first, double last) {}

  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      System.err.println("usage: Life PLUGIN.so");
      System.exit(2);
    }
    try (Engine engine = Engine.create(); Trainer trainer = newTrainer(engine)) {
      Losses losses = fit(trainer, points(engine, 1, 0), EPOCHS, 0);
      System.out.printf("trained: loss %.4f -> %.4f%n", losses.first(), losses.last());
      check(losses.last() < 0.01, "the loss does not fall below 0.01");
      resume(engine, digest(trainer));
      // --8<-- [start:export]
      try (Graph model = trainer.model(); Variables variables = trainer.variables()) {
        model.export(engine, variables, "onnx", Map.of(), FILE); // from "x" to the predictions
      }
      // --8<-- [end:export]
      serve(engine);
      tune(engine);
    }
    square(Path.of(arguments[0]));
  }

  private static void check(boolean holds, String what) {
    if (holds) return;
    System.err.println("failed: " + what);
    System.exit(1);
  }

  /** Returns points (a, b) of a square, labelled with factor * ab + offset. */
  private static Dataset points(Engine engine, float factor, float offset) {
    List<TensorSpec> columns = List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("y", DType.F32, 1));
    return Dataset.generator(engine, columns, 32 * 32, (number, row) -> {
      float a = number % 32 / 16f - 1, b = number / 32 / 16f - 1;
      row[0].putFloat(a).putFloat(b);
      row[1].putFloat(factor * a * b + offset);
    }).configure(32, 1, false); // batches of 32 rows, shuffled
  }

  private static Trainer newTrainer(Engine engine) {
    return Sequential.of(2)
        .layer(Layer.of("Dense").set("name", "hidden").set("units", 16).set("activation", "tanh"))
        .layer(Layer.of("Dense").set("name", "out").set("units", 1))
        .schedule(Map.of("name", "warm_up", "steps", 64), Map.of("name", "cosine", "decay_steps", 576))
        .set("seed", 1)
        .compile(ADAM, "mse")
        .trainer(engine)
        .build();
  }

  /** Trains until the epochs are done, or until the step {@code stop}. */
  private static Losses fit(Trainer trainer, Dataset data, long epochs, long stop) {
    double[] losses = new double[2];
    try (data) {
      trainer.fit(data, epochs, progress -> {
        if (progress.step() == 1) losses[0] = progress.loss();
        losses[1] = progress.epochLoss();
        return progress.step() != stop; // false ends the training
      });
    }
    return new Losses(losses[0], losses[1]);
  }

  private static String digest(Trainer trainer) {
    try (Variables variables = trainer.variables()) {
      return variables.digest();
    }
  }

  /** Checks that a training that is resumed gives the weights of one that was not interrupted. */
  private static void resume(Engine engine, String undisturbed) {
    try (Trainer first = newTrainer(engine); Trainer second = newTrainer(engine)) {
      // --8<-- [start:resume]
      fit(first, points(engine, 1, 0), EPOCHS, STOP); // ends after step 300 of 640
      first.save(CHECKPOINTS);
      second.restore(CHECKPOINTS); // perhaps in another process, after a crash
      fit(second, points(engine, 1, 0), EPOCHS, 0);
      // --8<-- [end:resume]
      check(first.steps() == STOP, "the first trainer does not stop");
      check(digest(second).equals(undisturbed), "the digests differ");
    }
    System.out.println("resumed: same digest");
  }

  private static void serve(Engine engine) {
    float[][] requests = {{0.3f, -0.7f}, {0.5f, 0.5f, -0.6f, -0.2f}, {0.75f, -0.75f, 0.1f, 0.9f, -0.25f, 0.75f}};
    int count = 0;
    float worst = 0;
    try (Graph graph = Graph.importFile(engine, "onnx", FILE); Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables)) {
      String output = graph.outputNames().get(0);
      for (float[] request : requests) {
        try (Tensor x = Tensor.of(engine, request, request.length / 2, 2);
            Results results = session.run(Map.of("x", x), output)) {
          float[] answers = results.get(0).toFloatArray();
          for (int i = 0; i < answers.length; ++i) {
            worst = Math.max(worst, Math.abs(answers[i] - request[2 * i] * request[2 * i + 1]));
          }
          count += answers.length;
        }
      }
    }
    System.out.printf("served: %d answers, at most %.4f off%n", count, worst);
    check(worst < 0.15f, "the answers are not a * b");
  }

  /** Trains the model of the file. The layer "hidden" keeps its values. */
  private static void tune(Engine engine) {
    // --8<-- [start:tune]
    Sequential whole = Sequential.fromFile(FILE).set("freeze", "hidden/*").compile(ADAM, "mse");
    try (Trainer trainer = whole.trainer(engine).build()) {
      Losses losses = fit(trainer, points(engine, -2, 1), TUNE_EPOCHS, 0);
      System.out.printf("tuned: loss %.4f -> %.4f%n", losses.first(), losses.last());
      check(losses.last() < losses.first() / 10, "the loss does not fall to a tenth");
    }
    // --8<-- [end:tune]
  }

  private static void square(Path plugin) {
    // --8<-- [start:plugin]
    try (Engine engine = Engine.builder().pluginPath(plugin).build(); GraphBuilder builder = GraphBuilder.create(engine)) {
      Value x = builder.input("x", DType.F32, 3);
      builder.setOutputs(builder.op("sample:Square").name("y").input(x).finish());
      try (Graph graph = builder.finish(); Session session = Session.create(engine, graph, null);
          Tensor numbers = Tensor.of(engine, new float[] {1, -2, 3}, 3);
          Results results = session.run(Map.of("x", numbers), "y")) {
        float[] found = results.get(0).toFloatArray();
        System.out.printf("plug-in: 1, -2, 3 squared are %.0f, %.0f, %.0f%n", found[0], found[1], found[2]);
        check(Arrays.equals(found, new float[] {1, 4, 9}), "the squares are wrong");
      }
    }
    // --8<-- [end:plugin]
  }
}
