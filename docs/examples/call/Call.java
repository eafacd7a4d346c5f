import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.PreparedCall;
import org.percale.Session;
import org.percale.TensorSpec;
import org.percale.Variables;

class Call {
  public static void main(String[] args) {
    try (Engine engine = Engine.create();
        Graph graph = Graph.load(engine, Path.of("digits.percale"));
        Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables)) {
      // --8<-- [start:call]
      TensorSpec image = new TensorSpec(graph.inputNames().get(0), DType.F32, 1, 28, 28);
      // One call per thread.
      try (PreparedCall call = session.prepare(List.of(image), graph.outputNames().get(0))) {
        FloatBuffer pixels = call.input(0).asFloatBuffer(), scores = call.output(0).asFloatBuffer();
        for (int request = 0; request < 3; ++request) {
          pixels.put(request, 1); // fill the input in place
          call.run(Duration.ofMillis(50), null); // then DEADLINE_EXCEEDED
          System.out.printf("request %d: first score %.4f%n", request, scores.get(0));
        }
      }
      // --8<-- [end:call]
    }
  }
}
