// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_call, as the header has them.
 */
public final class RawCall {
  private RawCall() {}

  static {
    Raw.bind(RawCall.class);
  }

  /**
   * Prepares runs with feeds of these element types and shapes. {@code feed_dims[i]} has {@code
   * feed_ranks[i]} sizes, all known.
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
  public static native long percale_call_create(long session, long feed_names, long feed_dtypes, long feed_dims, long feed_ranks, long feed_count, long fetch_names, long fetch_count, long out_call);

  /**
   * Runs with the feeds in the order of creation. The results are written into {@code outputs},
   * tensors with the element types and shapes of the fetches. Allocates nothing after the first
   * runs. INVALID_ARGUMENT: a tensor has another type.
   *
   * @param call in percale_call*
   * @param inputs array percale_tensor* const*
   * @param outputs array percale_tensor* const*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_call_run(long call, long inputs, long outputs);

  /**
   * As percale_call_run(), with a timeout and a cancellation token, each of which may end the run
   * before it begins. {@code timeout_ns}: nanoseconds, or PERCALE_FOREVER; then DEADLINE_EXCEEDED.
   * {@code cancellation} (may be NULL): then CANCELLED. After such an end the contents of {@code
   * outputs} are undefined and the call can be used again.
   *
   * @param call in percale_call*
   * @param inputs array percale_tensor* const*
   * @param outputs array percale_tensor* const*
   * @param timeout_ns in int64_t
   * @param cancellation in percale_cancellation*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_call_run_until(long call, long inputs, long outputs, long timeout_ns, long cancellation);

  /**
   * Hands recurrent state from run to run: from now on the feed {@code feed} of a run is the fetch
   * {@code fetch} of the run before, such as a cache of keys and values. The state stays on the
   * device that computes, if that has memory of its own and can hold all of it.
   * <p>{@code inputs[feed]} starts the state in the first run, and again whenever it is given; NULL
   * continues. Several such feeds are given or left out together. {@code outputs[fetch]} may be
   * NULL: then the state is not copied to the host. A run that fails does not change the state. Not
   * during a run. OUT_OF_RANGE: no such feed or fetch. INVALID_ARGUMENT: it is handed on already.
   * FAILED_PRECONDITION: element types or shapes differ; from a run: there was no run before.
   *
   * @param call in percale_call*
   * @param fetch in size_t
   * @param feed in size_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_call_carry(long call, long fetch, long feed);

  /**
   * Gives element type, dims and rank of a fetch. {@code out_dims} has room for 8. OUT_OF_RANGE
   * past the end.
   *
   * @param call in const percale_call*
   * @param index in size_t
   * @param out_dtype out percale_dtype*
   * @param out_dims out int64_t*
   * @param out_rank out size_t*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_call_output_type(long call, long index, long out_dtype, long out_dims, long out_rank);

  /**
   * Returns the version of the variables that the last successful run has read, as
   * percale_variables_version() counts. 0 before the first run, for a graph without variables, and
   * for NULL. Not during a run.
   *
   * @param call in const percale_call*
   * @return int64_t
   */
  public static native long percale_call_variables_version(long call);

  /**
   * Releases the call. NULL is allowed.
   *
   * @param call in percale_call*
   */
  public static native void percale_call_release(long call);
}
