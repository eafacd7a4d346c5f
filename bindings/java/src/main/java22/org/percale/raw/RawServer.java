// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawServer through java.lang.foreign, for Java 22 and newer.
 */
public final class RawServer {
  private RawServer() {}

  private static final MethodHandle PERCALE_SERVER_CREATE_ =
      Raw.function("percale_server_create", long.class, long.class, long.class, long.class, long.class);

  public static long percale_server_create(long engine, long address, long certificates, long out_server) {
    try {
      return (long) PERCALE_SERVER_CREATE_.invokeExact(engine, address, certificates, out_server);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SERVER_PORT_ =
      Raw.getter("percale_server_port", int.class, long.class);

  public static int percale_server_port(long server) {
    try {
      return (int) PERCALE_SERVER_PORT_.invokeExact(server);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SERVER_WAIT_ =
      Raw.function("percale_server_wait", long.class, long.class, long.class);

  public static long percale_server_wait(long server, long timeout_ns) {
    try {
      return (long) PERCALE_SERVER_WAIT_.invokeExact(server, timeout_ns);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_SERVER_RELEASE_ =
      Raw.function("percale_server_release", void.class, long.class);

  public static void percale_server_release(long server) {
    try {
      PERCALE_SERVER_RELEASE_.invokeExact(server);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
