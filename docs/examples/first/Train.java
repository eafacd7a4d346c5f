import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.Trainer;
import org.percale.Variables;

class Train {
  public static void main(String[] args) throws IOException {
    String spec = Files.readString(Path.of("digits.json"));
    try (Engine engine = Engine.create(); Trainer trainer = Trainer.fromSpec(engine, spec).build()) {
      trainer.fit(null, 0, progress -> { // 0: as many epochs as the job says
        if (progress.epochEnded()) {
          System.out.printf("epoch %d/%d  loss %.4f%n", progress.epoch(), progress.epochs(), progress.epochLoss());
        }
        return true; // false ends the training after this step
      });
      System.out.println("test " + trainer.evaluate(null).json());

      try (Graph model = trainer.model(); Variables variables = trainer.variables()) {
        model.save(variables, Path.of("digits.percale"));
      }
    }
  }
}
