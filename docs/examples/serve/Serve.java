import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.percale.DType;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.PreparedCall;
import org.percale.Session;
import org.percale.TensorSpec;
import org.percale.Trainer;
import org.percale.Variables;

class Serve {
  public static void main(String[] args) throws Exception {
    String spec = Files.readString(Path.of("digits.json"));
    // --8<-- [start:serve]
    try (Engine engine = Engine.create();
        Trainer trainer = Trainer.fromSpec(engine, spec).option("publish", "step").build();
        Graph model = trainer.model(); // the inference graph
        Variables variables = trainer.variables(); // the table that the trainer publishes to
        Session session = Session.create(engine, model, variables)) {
      CompletableFuture<Void> training = CompletableFuture.runAsync(() -> trainer.fit(null, 0));
      TensorSpec image = new TensorSpec(model.inputNames().get(0), DType.F32, 1, 28, 28);
      // One call per thread.
      try (PreparedCall call = session.prepare(List.of(image), model.outputNames().get(0))) {
        for (int request = 0; request < 100; ++request) call.run();
        training.get();
        call.run();
        System.out.println("answered by version " + call.variablesVersion());
      }
    }
    // --8<-- [end:serve]
  }
}
