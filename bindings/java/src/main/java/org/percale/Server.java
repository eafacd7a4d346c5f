package org.percale;

import java.nio.file.Path;
import java.time.Duration;
import org.percale.raw.RawServer;
import org.percale.raw.RawStatus;

/**
 * Serves the devices of an engine to other processes. They name them in the option {@code devices}
 * of their engines, as "remote:HOST:PORT/cpu:0". Several threads may use it at a time.
 *
 * <pre>{@code
 * try (Server server = Server.create(engine, "127.0.0.1:2222", null)) {
 *   server.await(null);
 * }
 * }</pre>
 *
 * <p>{@link #close} ends the connections of all clients, whose devices are lost then. An {@link
 * #await} in progress throws an {@link IllegalStateException}.
 */
public final class Server extends NativeHandle {
  /** An interrupt and a close are noticed after this time. */
  private static final long PART_NS = 100_000_000;

  private Server(long pointer) {
    super(State.shared("server", pointer, RawServer::percale_server_release));
  }

  /**
   * Serves all devices of an engine, which it keeps alive. What the clients hold counts towards the
   * engine's memory limit.
   *
   * @param engine the engine
   * @param address "host:port" or "unix:path"; port 0 means any free one
   * @param certificates the folder as for {@link Cluster#setCertificates}; null: none, and then
   *     only addresses of this machine are allowed
   * @return the server
   */
  public static Server create(Engine engine, String address, Path certificates) {
    try (Scratch scratch = new Scratch()) {
      long where = scratch.text(address);
      long folder = certificates == null ? 0 : scratch.text(certificates.toString());
      return engine.with(raw ->
          new Server(Native.make(out -> RawServer.percale_server_create(raw, where, folder, out))));
    }
  }

  /**
   * Returns the port at which clients reach the server.
   *
   * @return the port; 0 for a Unix socket
   */
  public int port() {
    return with(RawServer::percale_server_port);
  }

  /**
   * Waits until clients have come and all of them have gone. DEADLINE_EXCEEDED: that is not so
   * after the time. UNAVAILABLE: the last one has not closed its devices; its process or the
   * connection was lost. An interrupt of this thread ends it with CANCELLED; the thread stays
   * interrupted.
   *
   * @param timeout the longest time; null: no limit
   */
  public void await(Duration timeout) {
    long begun = System.nanoTime();
    long limit = Native.nanoseconds(timeout);
    for (;;) {
      if (Thread.currentThread().isInterrupted()) {
        throw new PercaleException(Code.CANCELLED, "the thread was interrupted");
      }
      long left = timeout == null ? PART_NS : Math.max(0, limit - (System.nanoTime() - begun));
      long part = Math.min(left, PART_NS);
      long status = with(raw -> RawServer.percale_server_wait(raw, part));
      boolean isTimeOver = timeout != null && left == part;
      if (isTimeOver || Code.of(RawStatus.percale_status_code(status)) != Code.DEADLINE_EXCEEDED) {
        Native.check(status);
        return;
      }
      RawStatus.percale_status_release(status);
    }
  }
}
