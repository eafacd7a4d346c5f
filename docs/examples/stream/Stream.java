import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.percale.DType;
import org.percale.Dataset;
import org.percale.Engine;
import org.percale.Sequential;
import org.percale.TensorSpec;
import org.percale.Trainer;

class Stream {
  // --8<-- [start:stream]
  /** Reads rows from the lines of a file, from its start in each epoch. */
  static final class Lines implements Dataset.StreamFunction {
    private final Path path;
    private BufferedReader reader;
    private long next; // number of the row that the reader gives next

    Lines(Path path) {
      this.path = path;
    }

    @Override
    public long read(long epoch, long firstRow, long maxRows, ByteBuffer[] columns) throws IOException {
      if (firstRow == 0) {
        if (reader != null) reader.close();
        reader = Files.newBufferedReader(path);
        next = 0;
      }
      if (firstRow != next) throw new IOException("the file is read from its start");
      long rows = 0;
      for (String line; rows < maxRows && (line = reader.readLine()) != null; ++rows) {
        String[] numbers = line.split(" ");
        columns[0].putFloat(Float.parseFloat(numbers[0]));
        columns[1].putFloat(Float.parseFloat(numbers[1]));
      }
      next += rows;
      return rows; // 0 ends the epoch
    }
  }

  static Dataset lines(Engine engine, Path path) {
    List<TensorSpec> columns = List.of(new TensorSpec("x", DType.F32, 1), new TensorSpec("y", DType.F32, 1));
    return Dataset.stream(engine, columns, new Lines(path)).batch(32);
  }
  // --8<-- [end:stream]

  public static void main(String[] args) throws IOException {
    Path path = Path.of("points.txt");
    Files.write(path, IntStream.range(0, 1000).mapToObj(i -> i / 1000f + " " + (2 * (i / 1000f) - 1)).toList());
    Sequential model = Sequential.of(1).dense(1, null).compile("{\"name\": \"adam\", \"learning_rate\": 0.05}", "mse");
    try (Engine engine = Engine.create(); Trainer trainer = model.trainer(engine).build(); Dataset data = lines(engine, path)) {
      trainer.fit(data, 20);
      System.out.println("it learns: " + (trainer.evaluate(data).get("loss") < 0.001));
    }
  }
}
