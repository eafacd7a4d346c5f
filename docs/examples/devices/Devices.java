import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.percale.Engine;
import org.percale.Trainer;
import org.percale.Variables;

class Devices {
  // --8<-- [start:devices]
  /** Trains a job on some devices and returns the digest of its weights. */
  static String train(String spec, String devices) {
    // "cpu=2x1" makes two devices with a thread each. Each batch is cut into four parts.
    try (Engine engine = Engine.builder().devices(devices).build();
        Trainer trainer = Trainer.fromSpec(engine, spec).option("shards", 4).build();
        Variables variables = trainer.variables()) {
      trainer.fit(null, 1);
      return variables.digest();
    }
  }
  // --8<-- [end:devices]

  public static void main(String[] args) throws IOException {
    String spec = Files.readString(Path.of("digits.json"));
    System.out.println("the same bits: " + train(spec, "cpu:0").equals(train(spec, "cpu=2x1")));
  }
}
