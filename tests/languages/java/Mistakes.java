import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.percale.CancelToken;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.GraphBuilder;
import org.percale.PercaleException;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.Variables;

/** See ../README.md. Usage: {@code Mistakes FOLDER}. */
final class Mistakes {
  private Mistakes() {}

  private static void say(String mistake, Runnable wrong) {
    try {
      wrong.run();
      System.out.println(mistake + "\tOK\t");
    } catch (PercaleException error) {
      System.out.println(mistake + "\t" + error.code() + "\t" + error.getMessage());
    } catch (IllegalStateException closed) {
      System.out.println(mistake + "\tIllegalStateException\t" + closed.getMessage());
    }
  }

  private static void run(Engine engine, Session session, DType dtype, long... dims) {
    try (Tensor x = Tensor.zeros(engine, dtype, dims)) {
      session.run(Map.of("x", x), "y").close();
    }
  }

  /** Makes all mistakes, then a correct run. */
  public static void main(String[] arguments) {
    Path folder = Path.of(arguments[0]);
    try (Engine engine = Engine.builder().threads(1).build();
        Graph graph = Graph.load(engine, folder.resolve("model.percale"));
        Graph lengthy = Graph.load(engine, folder.resolve("long.percale"));
        Variables variables = Variables.create(engine, graph, 1);
        Session session = Session.create(engine, graph, variables);
        Session slow = Session.create(engine, lengthy, null);
        Tensor x = Tensor.zeros(engine, DType.F32, 400, 400);
        Tensor good = Tensor.zeros(engine, DType.F32, 1, 8, 8, 1);
        GraphBuilder builder = GraphBuilder.create(engine)) {
      say("wrong shape", () -> run(engine, session, DType.F32, 2, 3));
      say("wrong dtype", () -> run(engine, session, DType.I64, 1, 8, 8, 1));
      say("unknown op", () -> builder.op("MatMull").finish());
      say("missing file", () -> Graph.load(engine, Path.of("/nowhere/model.percale")).close());
      say("no variables", () -> Session.create(engine, graph, null).close());
      CancelToken token = new CancelToken();
      CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS).execute(token::cancel);
      say("cancelled run", () -> slow.request().feed("x", x).fetch("y").cancelToken(token).run().close());
      Session small = Session.builder(engine, graph).variables(variables).memoryLimit(4096).build();
      say("memory limit", () -> run(engine, small, DType.F32, 64, 8, 8, 1));
      small.close();
      say("use after close", () -> run(engine, small, DType.F32, 1, 8, 8, 1));
      try (Results y = session.run(Map.of("x", good), "y")) {
        System.out.printf("lives\tOK\t%08x%n", Float.floatToRawIntBits(y.get(0).toFloatArray()[0]));
      }
    }
  }
}
