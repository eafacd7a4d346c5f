// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_server, as the header has them.
 */
public final class RawServer {
  private RawServer() {}

  static {
    Raw.bind(RawServer.class);
  }

  /**
   * Serves all devices of the engine at "host:port" or "unix:path". Port 0 means any free one.
   * {@code certificates} is the folder as for percale_cluster_set_certificates(); NULL or "": none,
   * and then only addresses of this machine are allowed. What the clients hold counts towards the
   * engine's memory limit. UNIMPLEMENTED: no plug-in connects processes. UNAVAILABLE: the address
   * is taken.
   *
   * @param engine in percale_engine*
   * @param address text const char*
   * @param certificates text const char*
   * @param out_server out percale_server**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_server_create(long engine, long address, long certificates, long out_server);

  /**
   * Returns the port at which clients reach the server; 0 for a Unix socket and for NULL.
   *
   * @param server in const percale_server*
   * @return int32_t
   */
  public static native int percale_server_port(long server);

  /**
   * Waits until clients have come and all of them have gone. DEADLINE_EXCEEDED: that is not so
   * after {@code timeout_ns} nanoseconds. UNAVAILABLE: the last one has not closed its devices; its
   * process or the connection was lost.
   *
   * @param server in percale_server*
   * @param timeout_ns in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_server_wait(long server, long timeout_ns);

  /**
   * Ends the connections of all clients, whose devices are lost then, and releases the server. Not
   * while another thread waits. NULL is allowed.
   *
   * @param server in percale_server*
   */
  public static native void percale_server_release(long server);
}
