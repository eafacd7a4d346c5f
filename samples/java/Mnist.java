import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.percale.Engine;
import org.percale.Evaluation;
import org.percale.Graph;
import org.percale.Progress;
import org.percale.Trainer;
import org.percale.Variables;

/**
 * Trains a SPEC on two devices of one process, with a progress bar: {@code Mnist SPEC.json
 * OUT.percale [EPOCHS] [--losses FILE]}. The data is looked up in PERCALE_DATA, in the cache,
 * and next to the SPEC. The weights do not depend on the number of devices. FILE gets a line
 * per step: its number and the 64 bits of its loss.
 */
class Mnist {
  private static final int WIDTH = 30;

  public static void main(String[] arguments) throws IOException {
    int given = arguments.length;
    Writer to = Writer.nullWriter();
    if (given > 3 && arguments[given - 2].equals("--losses")) {
      to = Files.newBufferedWriter(Path.of(arguments[given - 1]));
      arguments = Arrays.copyOf(arguments, given - 2);
    }
    if (arguments.length < 2 || arguments.length > 3) {
      System.err.println("usage: Mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]");
      System.exit(2);
    }
    Path spec = Path.of(arguments[0]);
    Path out = Path.of(arguments[1]);
    try (Engine engine = Engine.builder().devices("cpu=2x1").build()) {
      Trainer.Builder builder = Trainer.fromSpec(engine, Files.readString(spec))
          .specFolder(spec.toAbsolutePath().getParent())
          .devices("all");
      if (arguments.length > 2) builder.epochs(Long.parseLong(arguments[2]));
      try (Trainer trainer = builder.build(); PrintWriter losses = new PrintWriter(to)) {
        trainer.fit(null, 0, progress -> {
          losses.printf("%d %016x%n", progress.step(), Double.doubleToRawLongBits(progress.loss()));
          return draw(progress);
        });
        if (losses.checkError()) throw new IOException("the losses cannot be written");
        Evaluation evaluation = trainer.evaluate(null);
        try (Graph model = trainer.model(); Variables variables = trainer.variables()) {
          model.save(variables, out);
          System.out.printf("test loss %.4f, accuracy %.4f%n", evaluation.loss(), evaluation.get("accuracy"));
          System.out.println(out + " " + variables.digest());
        }
      }
    }
  }

  /** Draws a progress line that is overwritten until the epoch ends. */
  private static boolean draw(Progress p) {
    if (p.stepInEpoch() % 20 == 0 || p.epochEnded()) {
      int done = (int) (WIDTH * p.stepInEpoch() / Math.max(p.stepsInEpoch(), 1));
      System.err.printf("\repoch %d/%d [%-" + WIDTH + "s] loss %.4f  %.0f rows/s  %.0f s left  ", p.epoch(), p.epochs(),
          "=".repeat(done), p.loss(), p.rowsPerSecond(), p.etaSeconds());
      p.metrics().forEach((name, value) -> System.err.printf("%s %.4f  ", name, value));
      if (p.epochEnded()) System.err.println();
    }
    return true;
  }
}
