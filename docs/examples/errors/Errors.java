import java.nio.file.Path;
import org.percale.Code;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.PercaleException;

class Errors {
  public static void main(String[] args) {
    try (Engine engine = Engine.create(); Graph graph = Graph.load(engine, Path.of("no-such-model.percale"))) {
      System.out.println(graph.inputNames());
    } catch (PercaleException error) {
      if (error.code() == Code.NOT_FOUND) System.out.println(error.code() + ": " + error.getMessage());
    }
  }
}
