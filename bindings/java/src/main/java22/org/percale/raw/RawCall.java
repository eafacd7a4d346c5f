// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawCall through java.lang.foreign, for Java 22 and newer.
 */
public final class RawCall {
  private RawCall() {}

  private static final MethodHandle PERCALE_CALL_CREATE_ =
      Raw.function("percale_call_create", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_call_create(long session, long feed_names, long feed_dtypes, long feed_dims, long feed_ranks, long feed_count, long fetch_names, long fetch_count, long out_call) {
    try {
      return (long) PERCALE_CALL_CREATE_.invokeExact(session, feed_names, feed_dtypes, feed_dims, feed_ranks, feed_count, fetch_names, fetch_count, out_call);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_RUN_ =
      Raw.function("percale_call_run", long.class, long.class, long.class, long.class);

  public static long percale_call_run(long call, long inputs, long outputs) {
    try {
      return (long) PERCALE_CALL_RUN_.invokeExact(call, inputs, outputs);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_RUN_UNTIL_ =
      Raw.function("percale_call_run_until", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_call_run_until(long call, long inputs, long outputs, long timeout_ns, long cancellation) {
    try {
      return (long) PERCALE_CALL_RUN_UNTIL_.invokeExact(call, inputs, outputs, timeout_ns, cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_CARRY_ =
      Raw.function("percale_call_carry", long.class, long.class, long.class, long.class);

  public static long percale_call_carry(long call, long fetch, long feed) {
    try {
      return (long) PERCALE_CALL_CARRY_.invokeExact(call, fetch, feed);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_OUTPUT_TYPE_ =
      Raw.function("percale_call_output_type", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_call_output_type(long call, long index, long out_dtype, long out_dims, long out_rank) {
    try {
      return (long) PERCALE_CALL_OUTPUT_TYPE_.invokeExact(call, index, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_VARIABLES_VERSION_ =
      Raw.getter("percale_call_variables_version", long.class, long.class);

  public static long percale_call_variables_version(long call) {
    try {
      return (long) PERCALE_CALL_VARIABLES_VERSION_.invokeExact(call);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_RELEASE_ =
      Raw.function("percale_call_release", void.class, long.class);

  public static void percale_call_release(long call) {
    try {
      PERCALE_CALL_RELEASE_.invokeExact(call);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
