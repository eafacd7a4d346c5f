package org.percale;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Servers of the devices of an engine, and engines that use them. All are in this process. */
class ServersTest extends LeavesNoStatus {
  /** Returns a server at a free port of this machine. The test is skipped without the plug-in. */
  private Server serve() {
    try {
      return Server.create(engine, "127.0.0.1:0", null);
    } catch (PercaleException error) {
      assertEquals(Code.UNIMPLEMENTED, error.code());
      assertTrue(error.getMessage().contains("libpercale_remote.so"), error.getMessage());
      assumeTrue(false, "no plug-in connects processes");
      throw error;
    }
  }

  private static Engine clientOf(Server server) {
    return Engine.builder().threads(1).devices("remote:127.0.0.1:" + server.port() + "/cpu:0").build();
  }

  /** Returns x * w of Graphs.product(). */
  private static float[] computed(Engine engine) {
    try (Session session = Graphs.session(engine); Tensor x = Tensor.of(engine, new float[] {1, 2, 3, 4}, 1, 4);
        Results results = session.run(Map.of("x", x), "y")) {
      return results.get(0).toFloatArray();
    }
  }

  private static Code codeOf(Server server, Duration timeout) {
    return assertThrows(PercaleException.class, () -> server.await(timeout)).code();
  }

  @Test
  void aServedDeviceComputesTheBitsOfThisProcess() {
    try (Server server = serve(); Engine client = clientOf(server)) {
      assertArrayEquals(computed(engine), computed(client));
    }
  }

  @Test
  void awaitEndsWhenAllClientsHaveGone() throws Exception {
    try (Server server = serve(); Threads threads = new Threads()) {
      assertEquals(Code.DEADLINE_EXCEEDED, codeOf(server, Duration.ofMillis(150)));
      Engine client = clientOf(server);
      assertEquals(Code.DEADLINE_EXCEEDED, codeOf(server, Duration.ZERO));
      Future<Boolean> waits = threads.submit(() -> {
        server.await(Duration.ofMinutes(1));
        return true;
      });
      client.close();
      assertTrue(waits.get());
    }
  }

  @Test
  void anInterruptAndACloseEndAwait() throws Exception {
    Server server = serve();
    Thread.currentThread().interrupt();
    assertEquals(Code.CANCELLED, codeOf(server, null));
    assertTrue(Thread.interrupted());
    try (Threads threads = new Threads()) {
      Future<IllegalStateException> waits =
          threads.submit(() -> assertThrows(IllegalStateException.class, () -> server.await(null)));
      Thread.sleep(150);
      server.close();
      assertEquals("the server is closed", waits.get().getMessage());
    }
  }

  @Test
  void anAddressThatIsTakenIsNamed() {
    try (Server server = serve()) {
      String taken = "127.0.0.1:" + server.port();
      PercaleException error = assertThrows(PercaleException.class, () -> Server.create(engine, taken, null));
      assertEquals(Code.UNAVAILABLE, error.code());
      assertTrue(error.getMessage().contains(taken), error.getMessage());
    }
  }
}
