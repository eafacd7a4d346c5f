import java.nio.file.Path;
import java.util.Map;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.Variables;

class Run {
  public static void main(String[] args) {
    float[] pixels = new float[2 * 28 * 28]; // a batch of two images
    try (Engine engine = Engine.create();
        Graph graph = Graph.importFile(engine, "onnx", Path.of("digits.onnx"));
        Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables);
        Tensor x = Tensor.of(engine, pixels, 2, 28, 28)) {
      String input = graph.inputNames().get(0), output = graph.outputNames().get(0);
      try (Results results = session.run(Map.of(input, x), output)) {
        long[] dims = results.get(0).dims();
        System.out.printf("%s: %d x %d scores%n", output, dims[0], dims[1]);
      }
    }
  }
}
