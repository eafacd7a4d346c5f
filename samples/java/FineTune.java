import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.percale.Dataset;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.GraphBuilder;
import org.percale.Layer;
import org.percale.Sequential;
import org.percale.Tensor;
import org.percale.TensorSpec;
import org.percale.Trainer;
import org.percale.Value;
import org.percale.Variables;

/**
 * Takes a model that classifies digits, keeps its body, and trains a new head that tells
 * whether a digit is odd: {@code FineTune MODEL.percale IMAGES LABELS TEST_IMAGES
 * TEST_LABELS}. MODEL was written by Mnist; the files are MNIST's. The body is frozen: its
 * variables have the same bits after the training.
 */
class FineTune {
  public static void main(String[] arguments) {
    if (arguments.length != 5) {
      System.err.println("usage: FineTune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS");
      System.exit(2);
    }
    // --8<-- [start:tune]
    Sequential model = Sequential.fromFile(Path.of(arguments[0]))
        .set("outputs", "dense")
        .set("freeze", List.of("conv2d*", "dense/*"))
        .layer(Layer.of("Dense").set("name", "parity").set("units", 2))
        .set("from_logits", true)
        .compile("adam", "sparse_categorical_crossentropy", "accuracy");
    // --8<-- [end:tune]
    try (Engine engine = Engine.create();
        Dataset data = parity(engine, arguments[1], arguments[2]).configure(64, 1, false);
        Dataset test = parity(engine, arguments[3], arguments[4]).batch(256);
        Trainer trainer = model.trainer(engine).build()) {
      byte[] before = body(trainer);
      trainer.fit(data, 1, progress -> {
        if (progress.step() % 100 == 0) System.out.printf("step %4d  loss %.4f%n", progress.step(), progress.loss());
        return true;
      });
      System.out.println("the body " + (Arrays.equals(before, body(trainer)) ? "kept its bits" : "has changed"));
      System.out.println("even or odd: " + trainer.evaluate(test).json());
    }
  }

  private static byte[] body(Trainer trainer) {
    try (Variables variables = trainer.variables(); Tensor kernel = variables.value("dense/kernel")) {
      return kernel.toByteArray();
    }
  }

  /** Returns images with the label 0 or 1 instead of the digit. Rows pass through a small graph
   * whose inputs are the columns of the files and whose outputs are the columns of the new set. */
  private static Dataset parity(Engine engine, String images, String labels) {
    Map<String, Path> files = new LinkedHashMap<>();
    files.put("pixels", Path.of(images));
    files.put("digit", Path.of(labels));
    try (Dataset digits = Dataset.fromFiles(engine, files, 1 / 255.0);
        GraphBuilder builder = GraphBuilder.create(engine);
        Tensor shape = Tensor.of(engine, new long[] {0, 28, 28, 1}, 4);
        Tensor two = Tensor.of(engine, new long[] {2}, 1)) {
      List<Value> columns = digits.columnTypes().stream().map(column -> rows(builder, column)).toList();
      Value x = builder.op("Reshape").name("x").input(columns.get(0), builder.constant(null, shape)).finish();
      Value number = builder.op("Cast").input(columns.get(1)).set("to", 7 /* I64 */).finish();
      Value y = builder.op("Mod").name("y").input(number, builder.constant(null, two)).finish();
      builder.setOutputs(x, y);
      try (Graph graph = builder.finish()) {
        return digits.map(graph);
      }
    }
  }

  /** Adds an input for any number of rows of a column. */
  private static Value rows(GraphBuilder builder, TensorSpec column) {
    return builder.input(column.name(), column.dtype(), LongStream.concat(LongStream.of(-1), Arrays.stream(column.dims())).toArray());
  }
}
