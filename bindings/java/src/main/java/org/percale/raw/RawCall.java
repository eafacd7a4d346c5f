// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_call, as the header has them.
 */
public final class RawCall {
  private RawCall() {}

  private static final MethodHandle PERCALE_CALL_CREATE_ =
      Raw.function("percale_call_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Prepares runs with feeds of these dtypes and shapes.
   *
   * @param session in percale_session*
   * @param feed_names array const char* const*
   * @param feed_dtypes array const percale_dtype*
   * @param feed_dims array const int64_t* const*
   * @param feed_ranks array const size_t*
   * @param feed_count in size_t
   * @param fetch_names array const char* const*
   * @param fetch_count in size_t
   * @param out_call out percale_call**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_call_create(MemorySegment session, MemorySegment feed_names, MemorySegment feed_dtypes, MemorySegment feed_dims, MemorySegment feed_ranks, long feed_count, MemorySegment fetch_names, long fetch_count, MemorySegment out_call) {
    try {
      return (MemorySegment) PERCALE_CALL_CREATE_.invokeExact(session, feed_names, feed_dtypes, feed_dims, feed_ranks, feed_count, fetch_names, fetch_count, out_call);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_RUN_ =
      Raw.function("percale_call_run",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Runs with the feeds in the order of creation; the results are written into {@code outputs}, tensors of the
   * fetches' dtypes and shapes. Allocates nothing once warm.
   *
   * @param call in percale_call*
   * @param inputs array percale_tensor* const*
   * @param outputs array percale_tensor* const*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_call_run(MemorySegment call, MemorySegment inputs, MemorySegment outputs) {
    try {
      return (MemorySegment) PERCALE_CALL_RUN_.invokeExact(call, inputs, outputs);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_RUN_UNTIL_ =
      Raw.function("percale_call_run_until",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * As percale_call_run(), but DEADLINE_EXCEEDED after {@code timeout_ns} (or PERCALE_FOREVER), and CANCELLED when
   * {@code cancellation} is (may be NULL), even before the run begins. What {@code outputs} then hold is not
   * defined; the call stays usable.
   *
   * @param call in percale_call*
   * @param inputs array percale_tensor* const*
   * @param outputs array percale_tensor* const*
   * @param timeout_ns in int64_t
   * @param cancellation in percale_cancellation*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_call_run_until(MemorySegment call, MemorySegment inputs, MemorySegment outputs, long timeout_ns, MemorySegment cancellation) {
    try {
      return (MemorySegment) PERCALE_CALL_RUN_UNTIL_.invokeExact(call, inputs, outputs, timeout_ns, cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_CARRY_ =
      Raw.function("percale_call_carry",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG));

  /**
   * From now on the feed at {@code feed} of a run is what the fetch at {@code fetch} of the run before has given,
   * as a model's state is: a cache of keys and values, or what a recurrent layer remembers. It stays on the device
   * that computes, where that has memory of its own and can keep all of them. inputs[feed] begins anew in the
   * first run, and whenever it is given; NULL goes on. Several such feeds are given or left out together.
   * outputs[fetch] may be NULL: then nothing of it comes to the host. A run that fails changes nothing of what is
   * handed on. OUT_OF_RANGE; INVALID_ARGUMENT for one that is handed on already; FAILED_PRECONDITION where dtypes
   * or shapes differ, and, from a run, where there was none before. Not during a run.
   *
   * @param call in percale_call*
   * @param fetch in size_t
   * @param feed in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_call_carry(MemorySegment call, long fetch, long feed) {
    try {
      return (MemorySegment) PERCALE_CALL_CARRY_.invokeExact(call, fetch, feed);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_OUTPUT_TYPE_ =
      Raw.function("percale_call_output_type",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));

  /**
   * dtype and shape of a fetch; {@code out_dims} has room for 8.
   *
   * @param call in const percale_call*
   * @param index in size_t
   * @param out_dtype out percale_dtype*
   * @param out_dims out int64_t*
   * @param out_rank out size_t*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_call_output_type(MemorySegment call, long index, MemorySegment out_dtype, MemorySegment out_dims, MemorySegment out_rank) {
    try {
      return (MemorySegment) PERCALE_CALL_OUTPUT_TYPE_.invokeExact(call, index, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_VARIABLES_VERSION_ =
      Raw.getter("percale_call_variables_version",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * The number of the variables' version that the last successful run has read, as percale_variables_version()
   * counts; 0 before the first one, for a graph without variables, and for NULL. Not during a run.
   *
   * @param call in const percale_call*
   * @return int64_t
   */
  public static long percale_call_variables_version(MemorySegment call) {
    try {
      return (long) PERCALE_CALL_VARIABLES_VERSION_.invokeExact(call);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_CALL_RELEASE_ =
      Raw.function("percale_call_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Gives a reference to the call back; NULL does nothing.
   *
   * @param call in percale_call*
   */
  public static void percale_call_release(MemorySegment call) {
    try {
      PERCALE_CALL_RELEASE_.invokeExact(call);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
