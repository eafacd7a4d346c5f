import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.percale.CancelToken;
import org.percale.Code;
import org.percale.Engine;
import org.percale.Graph;
import org.percale.PercaleException;
import org.percale.Progress;
import org.percale.Results;
import org.percale.Session;
import org.percale.Tensor;
import org.percale.Trainer;
import org.percale.Variables;

/**
 * An HTTP service that answers with predictions while it trains in the background, on the JDK's
 * own server: {@code Serve SPEC.json [PORT] [MEMORY_LIMIT]}.
 *
 * <ul>
 * <li>POST /predict with the bytes of images, 784 per image: a JSON list of digits. If the client
 * disconnects, its run is cancelled.
 * <li>GET /status: JSON: step, loss, version of the weights, predictions, cancelled runs, bytes
 * used.
 * <li>POST /stop: ends the training and the service.
 * </ul>
 *
 * The engine uses at most MEMORY_LIMIT bytes (512 MiB). A request that is too large gets an
 * error; the training and other requests continue.
 */
class Serve {
  private static final int PIXELS = 28 * 28;
  private static final int MOST_BYTES = 256 << 20;

  private final Engine engine;
  private final Session session;
  private final Variables variables;
  private final String output;
  private final CancelToken stop = new CancelToken();
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile Progress progress;
  private final AtomicLong predictions = new AtomicLong();
  private final AtomicLong cancelled = new AtomicLong();

  private Serve(Engine engine, Session session, Variables variables, String output) {
    this.engine = engine;
    this.session = session;
    this.variables = variables;
    this.output = output;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 1) {
      System.err.println("usage: Serve SPEC.json [PORT] [MEMORY_LIMIT]");
      System.exit(2);
    }
    Path spec = Path.of(arguments[0]);
    int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
    long limit = arguments.length > 2 ? Long.parseLong(arguments[2]) : 512 << 20;
    // --8<-- [start:open]
    try (Engine engine = Engine.builder().memoryLimit(limit).build();
        Trainer trainer = Trainer.fromSpec(engine, Files.readString(spec))
            .specFolder(spec.toAbsolutePath().getParent())
            .option("publish", "20") // sessions see new weights every twenty steps
            .build();
        Graph graph = trainer.model();
        Variables variables = trainer.variables();
        Session session = Session.create(engine, graph, variables)) {
      new Serve(engine, session, variables, graph.outputNames().get(0)).run(trainer, port);
    }
    // --8<-- [end:open]
  }

  private void run(Trainer trainer, int port) throws Exception {
    trainer.setCancelToken(stop);
    CompletableFuture<Void> training = CompletableFuture.runAsync(() -> trainer.fit(null, 0, step -> {
      progress = step;
      return true;
    }), task -> Thread.ofPlatform().name("training").start(task));
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      server.setExecutor(threads);
      server.createContext("/predict", this::predict);
      server.createContext("/status", exchange -> answer(exchange, 200, status()));
      server.createContext("/stop", exchange -> {
        stop.cancel();
        answer(exchange, 200, "{}");
        stopped.countDown();
      });
      server.start();
      System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
      stopped.await();
      server.stop(1);
    }
    try {
      training.get();
    } catch (ExecutionException error) {
      if (!(error.getCause() instanceof PercaleException e && e.code() == Code.CANCELLED)) throw error;
    }
  }

  private String status() {
    Progress now = progress;
    return String.format("{\"step\": %d, \"loss\": %s, \"version\": %d, \"predictions\": %d, \"cancelled\": %d, \"bytes\": %d}",
        now == null ? 0 : now.step(), now == null ? 0 : now.loss(), variables.version(), predictions.get(),
        cancelled.get(), engine.memoryUsed());
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  // --8<-- [start:answer]
  private void predict(HttpExchange exchange) throws IOException {
    byte[] pixels = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
    if (pixels.length == 0 || pixels.length % PIXELS != 0 || pixels.length > MOST_BYTES) {
      answer(exchange, 400, "{\"error\": \"wanted " + PIXELS + " bytes per image\"}");
      return;
    }
    Tensor x;
    try {
      x = images(pixels);
    } catch (PercaleException error) {
      answer(exchange, error.code() == Code.RESOURCE_EXHAUSTED ? 507 : 500, error(error));
      return;
    }
    try (x) {
      CompletableFuture<Results> run = session.request().feed("x", x).fetch(output).runAsync();
      wait(exchange, run);
    }
  }
  // --8<-- [end:answer]

  /** Answers when the run is finished. A short run gets a status of its own. During a longer
   * one, spaces are sent, which JSON allows, to find out whether the client is still connected:
   * the server does not report a disconnect. */
  private void wait(HttpExchange exchange, CompletableFuture<Results> run) throws IOException {
    OutputStream out = null;
    try {
      for (;;) {
        try {
          String body = digits(run.get(50, TimeUnit.MILLISECONDS));
          if (out == null) {
            answer(exchange, 200, body);
          } else {
            out.write(body.getBytes(StandardCharsets.UTF_8));
          }
          return;
        } catch (TimeoutException notYet) {
          if (out == null) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            out = exchange.getResponseBody();
          }
          out.write(' ');
          out.flush();
        } catch (ExecutionException | InterruptedException error) {
          Throwable cause = error.getCause();
          int status = cause instanceof PercaleException e && e.code() == Code.RESOURCE_EXHAUSTED ? 507 : 500;
          if (out == null) {
            answer(exchange, status, error(cause));
          } else {
            out.write(error(cause).getBytes(StandardCharsets.UTF_8));
          }
          return;
        }
      }
    } catch (IOException gone) {
      if (run.cancel(true)) cancelled.incrementAndGet();
      throw gone;
    } finally {
      exchange.close();
    }
  }

  private static String error(Throwable error) {
    return "{\"error\": \"" + String.valueOf(error == null ? null : error.getMessage()).replace('"', '\'') + "\"}";
  }

  /** Converts images to the model's input, in the engine's memory. */
  private Tensor images(byte[] pixels) {
    float[] scaled = new float[pixels.length];
    for (int i = 0; i < pixels.length; ++i) scaled[i] = Byte.toUnsignedInt(pixels[i]) / 255f;
    return Tensor.of(engine, scaled, pixels.length / PIXELS, 28, 28, 1);
  }

  private String digits(Results results) {
    float[] scores;
    try (results) {
      scores = results.get(0).toFloatArray();
    }
    predictions.addAndGet(scores.length / 10);
    StringBuilder out = new StringBuilder("[");
    for (int row = 0; row < scores.length; row += 10) {
      int best = 0;
      for (int i = 1; i < 10; ++i) {
        if (scores[row + i] > scores[row + best]) best = i;
      }
      out.append(row == 0 ? "" : ", ").append(best);
    }
    return out.append("]").toString();
  }
}
