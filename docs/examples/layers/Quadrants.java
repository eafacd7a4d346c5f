import java.nio.file.Path;
import java.util.List;
import org.percale.DType;
import org.percale.Dataset;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Sequential;
import org.percale.TensorSpec;
import org.percale.Trainer;
import org.percale.Variables;

class Quadrants {
  // --8<-- [start:data]
  /** Rows of a point and the number of its quadrant. Labels of sparse losses are integers. */
  static Dataset points(Engine engine, long count, int seed) {
    List<TensorSpec> columns = List.of(new TensorSpec("x", DType.F32, 2), new TensorSpec("y", DType.I64));
    return Dataset.generator(engine, columns, count, (number, row) -> {
      double x = Math.cos(7 * number + seed), y = Math.sin(7 * number + seed);
      row[0].putFloat((float) x).putFloat((float) y);
      row[1].putLong((x < 0 ? 1 : 0) + (y < 0 ? 2 : 0));
    }).configure(50, seed, false); // batches of 50 rows, shuffled
  }
  // --8<-- [end:data]

  public static void main(String[] args) {
    // --8<-- [start:train]
    Sequential model = Sequential.of(2).dense(32, "relu").dense(4, null).set("from_logits", true)
        .compile("{\"name\": \"adam\", \"learning_rate\": 0.01}", "sparse_categorical_crossentropy", "accuracy");
    try (Engine engine = Engine.create();
        Trainer trainer = model.trainer(engine).build();
        Dataset data = points(engine, 1000, 1);
        Dataset validation = points(engine, 200, 3)) {
      trainer.setValidation(validation); // val_loss and val_accuracy join the history
      trainer.fit(data, 5);
      System.out.printf("accuracy %.4f%n", trainer.evaluate(validation).get("accuracy"));
      try (Graph graph = trainer.model(); Variables variables = trainer.variables()) {
        graph.save(variables, Path.of("quadrants.percale"));
      }
    }
    // --8<-- [end:train]
  }
}
