import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.percale.Dataset;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Results;
import org.percale.Session;
import org.percale.Variables;

class Predict {
  public static void main(String[] args) {
    Map<String, Path> files = new LinkedHashMap<>();
    files.put("x", Path.of("t10k-images-idx3-ubyte"));
    files.put("y", Path.of("t10k-labels-idx1-ubyte"));
    try (Engine engine = Engine.create();
        Graph graph = Graph.load(engine, Path.of("digits.percale"));
        Variables variables = Variables.create(engine, graph, 0); // the values of the file
        Session session = Session.create(engine, graph, variables);
        Dataset digits = Dataset.fromFiles(engine, files, 1 / 255.0).batch(1)) {
      for (Results row : digits.epoch()) {
        String input = graph.inputNames().get(0), output = graph.outputNames().get(0);
        try (row; Results results = session.run(Map.of(input, row.get("x")), output)) {
          float[] scores = results.get(0).toFloatArray(); // [1, 10]
          int best = 0;
          for (int i = 1; i < scores.length; ++i) {
            if (scores[i] > scores[best]) best = i;
          }
          System.out.printf("the label is %d, the model says %d%n", row.get("y").toLongArray()[0], best);
        }
        break; // one row is enough
      }
    }
  }
}
