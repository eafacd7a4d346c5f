import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.TensorSpec;
import org.percale.Variables;

/**
 * Loads a model and runs it once: {@code LoadAndRun MODEL.percale [INPUT.npy]}. Without an
 * input file, the input is one row of zeros. Prints the type, shape and first elements of each
 * output.
 */
class LoadAndRun {
  public static void main(String[] arguments) {
    if (arguments.length < 1) {
      System.err.println("usage: LoadAndRun MODEL.percale [INPUT.npy]");
      System.exit(2);
    }
    try (Engine engine = Engine.create();
        Graph graph = Graph.load(engine, Path.of(arguments[0]));
        Variables variables = Variables.create(engine, graph, 0);
        Session session = Session.create(engine, graph, variables)) {
      String name = graph.inputNames().get(0);
      String[] outputs = graph.outputNames().toArray(String[]::new);
      try (Tensor input = arguments.length > 1 ? Tensor.load(engine, Path.of(arguments[1])) : zeros(engine, graph, name);
          Results results = session.run(Map.of(name, input), outputs)) {
        for (String output : outputs) {
          Tensor result = results.get(output);
          System.out.print(output + " " + result.dtype() + " " + Arrays.toString(result.dims()));
          if (result.dtype() == DType.F32) {
            float[] elements = result.toFloatArray();
            System.out.print(" " + Arrays.toString(Arrays.copyOf(elements, Math.min(elements.length, 10))));
          }
          System.out.println();
        }
      }
    }
  }

  /** Returns one row of zeros. Unknown dims become 1. */
  private static Tensor zeros(Engine engine, Graph graph, String input) {
    TensorSpec type = graph.valueType(input);
    return Tensor.zeros(engine, type.dtype(), Arrays.stream(type.dims()).map(dim -> Math.max(dim, 1)).toArray());
  }
}
