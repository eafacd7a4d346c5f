import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.percale.Code;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.GraphBuilder;
import org.percale.PercaleException;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.Value;
import org.percale.Variables;

/**
 * Trains through an op of a plug-in written in Rust: {@code CustomOp PLUGIN.so}. The op is
 * sample:Bump, y = exp(-gamma x²). Compares its gradients with the closed form, then learns
 * gamma from values made with gamma = 2. An error of the plug-in becomes an exception.
 */
class CustomOp {
  /** Large enough for several pieces of work in the kernel. */
  private static final int COUNT = 40_000;

  private static final float START = 0.5f;
  private static final int STEPS = 600;

  public static void main(String[] arguments) {
    if (arguments.length < 1) {
      System.err.println("usage: CustomOp PLUGIN.so");
      System.exit(2);
    }
    try (Engine engine = Engine.builder().pluginPath(Path.of(arguments[0])).threads(2).build()) {
      refused(engine);
      train(engine);
    }
  }

  private static void train(Engine engine) {
    String step;
    Graph finished;
    try (GraphBuilder builder = GraphBuilder.create(engine); Tensor first = Tensor.of(engine, new float[] {START})) {
      Value x = builder.input("x", DType.F32, COUNT);
      Value target = builder.input("target", DType.F32, COUNT);
      Value gamma = builder.variable("gamma", first);
      Value y = builder.op("sample:Bump").input(x, gamma).finish();
      // Gradients of the sum of y.
      List<Value> gradients = builder.gradients(List.of(y), List.of(x, gamma));
      Value difference = builder.op("Sub").input(y, target).finish();
      Value square = builder.op("Mul").input(difference, difference).finish();
      Value loss = builder.op("ReduceMean").input(square).set("keepdims", 0).finish();
      step = builder.minimize(loss, "{\"name\": \"adam\", \"learning_rate\": 0.05}");
      builder.rename(gradients.get(0), "dx");
      builder.rename(gradients.get(1), "dgamma");
      builder.setOutputs(gradients.get(0), gradients.get(1), loss);
      finished = builder.finish();
    }
    float[] xs = new float[COUNT];
    float[] targets = new float[COUNT];
    for (int i = 0; i < COUNT; ++i) {
      xs[i] = (float) i / COUNT * 4 - 2;
      targets[i] = (float) Math.exp(-2.0 * xs[i] * xs[i]);
    }
    try (Graph graph = finished; Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables); Tensor x = Tensor.of(engine, xs, COUNT);
        Tensor target = Tensor.of(engine, targets, COUNT)) {
      try (Results results = session.run(Map.of("x", x), "dx", "dgamma")) {
        compare(xs, results.get("dx").toFloatArray(), results.get("dgamma").toFloatArray()[0]);
      }
      for (int i = 0; i < STEPS; ++i) session.request().feed("x", x).feed("target", target).target(step).run().close();
      try (Tensor learnt = variables.value("gamma")) {
        System.out.printf("gamma %.4f, wanted 2%n", learnt.toFloatArray()[0]);
      }
    }
  }

  /** Prints the difference of the gradients from the closed form. */
  private static void compare(float[] xs, float[] dx, double dgamma) {
    double worst = 0;
    double total = 0;
    for (int i = 0; i < COUNT; ++i) {
      double x = xs[i];
      double y = Math.exp(-START * x * x);
      worst = Math.max(worst, Math.abs(dx[i] + 2 * START * x * y));
      total -= x * x * y;
    }
    System.out.printf("dx off by %.1e at most, dgamma by %.1e of itself%n", worst, Math.abs(dgamma / total - 1));
  }

  /** Passes a gamma of an invalid shape to the op. */
  private static void refused(Engine engine) {
    try (GraphBuilder builder = GraphBuilder.create(engine)) {
      Value gamma = builder.input("gamma", DType.F32, 3);
      builder.op("sample:Bump").input(builder.input("x", DType.F32, COUNT), gamma).finish();
      throw new IllegalStateException("three numbers for gamma were taken");
    } catch (PercaleException error) {
      if (error.code() != Code.INVALID_ARGUMENT) throw error;
      System.out.println("refused: " + error.getMessage());
    }
  }
}
