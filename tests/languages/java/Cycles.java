import java.nio.file.Path;
import java.util.Map;
import java.util.Scanner;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.Trainer;
import org.percale.Variables;

/** See ../README.md. Usage: {@code Cycles MODEL}. */
final class Cycles {
  private static double loss;
  private static float first;

  private Cycles() {}

  private static Tensor numbers(Engine engine, int step, int modulus, long... dims) {
    int count = 1;
    for (long d : dims) count *= (int) d;
    float[] out = new float[count];
    for (int i = 0; i < count; ++i) out[i] = (float) (i * step % modulus) / 64;
    return Tensor.of(engine, out, dims);
  }

  private static void live(Path path) {
    try (Engine engine = Engine.builder().threads(2).build();
        Graph graph = Graph.load(engine, path);
        Variables variables = Variables.create(engine, graph, 1);
        Trainer trainer = Trainer.builder(engine, graph, variables).loss("loss").optimizer("adam").build();
        Tensor x = numbers(engine, 37, 101, 16, 8, 8, 1);
        Tensor t = numbers(engine, 11, 13, 16, 3)) {
      loss = trainer.step(Map.of("x", x, "t", t));
      try (Session session = Session.create(engine, graph, variables); Results y = session.run(Map.of("x", x), "y")) {
        first = y.get(0).toFloatArray()[0];
      }
    }
  }

  /** Reads numbers of cycles and prints the result of the last one. */
  public static void main(String[] arguments) {
    Path path = Path.of(arguments[0]);
    Scanner in = new Scanner(System.in);
    while (in.hasNextInt()) {
      for (int left = in.nextInt(); left > 0; --left) live(path);
      System.gc();
      System.out.printf("%016x %08x%n", Double.doubleToRawLongBits(loss), Float.floatToRawIntBits(first));
      System.out.flush();
    }
  }
}
