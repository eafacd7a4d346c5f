// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions that the library calls, as the header has them. A constant is the address of a
 * function that calls the receiver.
 */
public final class RawCallbacks {
  private static volatile Receiver receiver;

  private RawCallbacks() {}

  /**
   * Sets the object that gets all calls. It must be set before an address is passed to the library.
   *
   * @param all the receiver
   */
  public static void setReceiver(Receiver all) {
    receiver = all;
  }

  /**
   * Gets the calls of the library. An exception must not leave a method: it would end the virtual
   * machine, or would be printed and the call would fail.
   */
  public interface Receiver {
    /**
     * Type of a function that receives messages of the library. {@code message} has {@code size}
     * bytes of UTF-8 and ends with the call. An error that a call returns as a status is not
     * logged. Any thread may call the function. Within it a function that returns a status answers
     * FAILED_PRECONDITION. It may cancel, and read statuses and texts; it must not release an
     * object of the library.
     *
     * @param user void*
     * @param level percale_log_level
     * @param message const char*
     * @param size size_t
     */
    void percale_log_function(long user, int level, long message, long size);

    /**
     * Type of a function that releases {@code user}. It is called exactly once, when the function
     * that {@code user} belongs to will never be called again, within the call of the host that
     * causes this. It may release other objects; a function that returns a status answers
     * FAILED_PRECONDITION within it.
     *
     * @param user void*
     */
    void percale_destroy(long user);

    /**
     * Sends sends[r] to rank r and fills recvs[r] with what rank r sends, for all {@code size}
     * ranks of the group; the entries of the own rank are empty. All ranks call it in the same
     * order and with the same tag, and both sides know every size in advance: a message of another
     * size, or with another tag, is an error of the supplier, which it must return. The memory
     * belongs to the library; what is sent stays unchanged, and is not read after the return.
     * <p>Tags grow on every rank. With {@code lost} in the table, a message with a smaller tag than
     * that of the call is of an exchange that has failed: drop it. One with a larger tag says that
     * the other rank has given this exchange up: return UNAVAILABLE, and keep the message for the
     * call with its tag.
     * <p>The library calls it from one thread at a time, which need not be the one that trains. It
     * may block. {@code timeout_ns} is the time after which it must give up with UNAVAILABLE; &lt;
     * 0: none. Returns NULL, or a status that the library releases (percale_status_create()). It
     * must not call functions of the same trainer.
     *
     * @param user void*
     * @param tag uint64_t
     * @param sends const percale_bytes*
     * @param recvs percale_bytes*
     * @param timeout_ns int64_t
     * @return percale_status*
     */
    long percale_exchange_function(long user, long tag, long sends, long recvs, long timeout_ns);

    /**
     * Tells which ranks are lost, after an exchange that failed. On entry {@code *inout_count} is
     * the room in {@code out_ranks}; on return it is the number of all that were lost so far, which
     * are in ascending order. The others go on without them.
     * <p>An answer with no rank beyond those of the last call says that all go on. If the exchange
     * has failed with UNAVAILABLE, the library repeats the step; the connections must work again
     * when the function returns. All ranks that are left must get such an answer equally often. If
     * they cannot go on, return an error, which ends the call.
     * <p>If eight repeats in a row have not completed a step, the library calls it once more,
     * without an exchange in between: tell a rank that is given up, or the call ends with the error
     * of the exchange.
     *
     * @param user void*
     * @param out_ranks int32_t*
     * @param inout_count size_t*
     * @return percale_status*
     */
    long percale_lost_function(long user, long out_ranks, long inout_count);

    /**
     * Type of a function that writes row {@code row} of a data set: the elements of column i go to
     * the memory at {@code columns[i]}, which holds zeros. The same number must always give the
     * same row; only then a training can resume exactly. It is called on the thread that asks for
     * the batch. A result other than 0 ends that call with ABORTED. Within it
     * percale_dataset_configure() and percale_dataset_next() of this data set, and calls, saves and
     * publishing of a trainer that asks for the row, answer FAILED_PRECONDITION; all other
     * functions may be called.
     *
     * @param user void*
     * @param row int64_t
     * @param columns void* const*
     * @return int32_t
     */
    int percale_row_callback(long user, long row, long columns);

    /**
     * Type of a function that writes the next rows of a stream: {@code max_rows} of them at most,
     * the first one being row {@code first_row} of {@code epoch}, both counted from 0. The elements
     * of column i go to the memory at {@code columns[i]}, one row behind the other; it holds zeros.
     * {@code *out_rows} becomes the number of rows that were written, 0 at the end of the epoch.
     * Rows are asked for one after the other, with three exceptions. An epoch, or an evaluation,
     * begins at row 0 again. A training that was resumed goes on from the row where it stands.
     * After an error, a batch is read from its first row again.
     * <p>The function may return an error, for instance if its source cannot go there. That error
     * ends the call that asked for the rows, and the training keeps the state of its last step.
     * OUT_OF_RANGE becomes ABORTED, because percale_dataset_next() gives it at the end of an epoch.
     * The function is called on the thread that asks for the batch, and what it may call is what a
     * percale_row_callback may.
     *
     * @param user void*
     * @param epoch int64_t
     * @param first_row int64_t
     * @param max_rows int64_t
     * @param columns void* const*
     * @param out_rows int64_t*
     * @return percale_status*
     */
    long percale_stream_callback(long user, long epoch, long first_row, long max_rows, long columns, long out_rows);

    /**
     * Type of a function that frees memory that a tensor borrowed. It is called once, within a
     * release, run or wait of the host. It may release other objects; a function that returns a
     * status answers FAILED_PRECONDITION within it.
     *
     * @param user void*
     * @param data void*
     */
    void percale_deleter(long user, long data);

    /**
     * Takes over a task, to be run on any thread, at once or later: percale_task_run(), then
     * percale_task_release(), by whichever thread. Returns NULL, or a status that the library
     * releases (percale_status_create()); then the task stays with the library, and the run or the
     * step of training that needed the pool returns the status.
     * <p>The library never waits for a task that has not begun: the calling thread does the work
     * that no task has taken. A pool of one thread, a pool that runs tasks at once on the calling
     * thread, and runs that are started within the pool therefore come to an end. Tasks may run in
     * any order and at the same time. Any thread may call the function. It must not block, and must
     * not call functions of the same engine except within the task.
     *
     * @param user void*
     * @param task percale_task*
     * @return percale_status*
     */
    long percale_execute_function(long user, long task);

    /**
     * Gives the size of a file in bytes. {@code name} is the path without "host:". Returns NULL, or
     * a status that the library releases (percale_status_create()): NOT_FOUND if there is no such
     * file.
     *
     * @param user void*
     * @param name const char*
     * @param out_size int64_t*
     * @return percale_status*
     */
    long percale_file_size_function(long user, long name, long out_size);

    /**
     * Reads {@code size} bytes from byte {@code offset} of a file into {@code buffer}: all of them,
     * or it returns a status. The library reads no byte past the size that it was given, and none
     * twice for one model.
     *
     * @param user void*
     * @param name const char*
     * @param offset int64_t
     * @param buffer void*
     * @param size size_t
     * @return percale_status*
     */
    long percale_file_read_function(long user, long name, long offset, long buffer, long size);

    /**
     * Type of a function that is called exactly once when a run is over, also if the event was
     * released before: on the thread that ends the run, or at once on the thread of the caller if
     * the run is over already. It must not block: percale_session_run(),
     * percale_session_run_versioned(), percale_call_run(), percale_call_run_until(),
     * percale_event_wait() for a run that is not over, and calls of a trainer answer
     * FAILED_PRECONDITION within it. It may take results, start asynchronous runs, cancel, and
     * release all but the last reference to the engine.
     *
     * @param user void*
     */
    void percale_event_callback(long user);

    /**
     * Type of a function that is called after each step. It returns 0 to continue. Another number
     * ends the training after this step: percale_trainer_fit() returns success, and the trainer can
     * be saved and trained on. In the modes async and bounded:k, steps that devices have completed
     * meanwhile stay. Within it the trainer may be saved, published, described, cancelled, retained
     * and released, its learning rate set, and its history, model and variables taken. Its step,
     * fit, evaluate, restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do
     * percale_dataset_configure() and percale_dataset_next() of its training and validation data;
     * percale_trainer_set_trace() and percale_trainer_set_cancellation() do nothing. Functions of
     * other objects may be called.
     *
     * @param user void*
     * @param progress const percale_progress*
     * @return int32_t
     */
    int percale_progress_callback(long user, long progress);
  }

  /**
   * The address of a percale_log_function.
   */
  public static final long PERCALE_LOG_FUNCTION =
      Raw.callback("percale_log_function", void.class, long.class, int.class, long.class, long.class);

  static void percale_log_function(long user, int level, long message, long size) {
    receiver.percale_log_function(user, level, message, size);
  }

  /**
   * The address of a percale_destroy.
   */
  public static final long PERCALE_DESTROY =
      Raw.callback("percale_destroy", void.class, long.class);

  static void percale_destroy(long user) {
    receiver.percale_destroy(user);
  }

  /**
   * The address of a percale_exchange_function.
   */
  public static final long PERCALE_EXCHANGE_FUNCTION =
      Raw.callback("percale_exchange_function", long.class, long.class, long.class, long.class, long.class, long.class);

  static long percale_exchange_function(long user, long tag, long sends, long recvs, long timeout_ns) {
    return receiver.percale_exchange_function(user, tag, sends, recvs, timeout_ns);
  }

  /**
   * The address of a percale_lost_function.
   */
  public static final long PERCALE_LOST_FUNCTION =
      Raw.callback("percale_lost_function", long.class, long.class, long.class, long.class);

  static long percale_lost_function(long user, long out_ranks, long inout_count) {
    return receiver.percale_lost_function(user, out_ranks, inout_count);
  }

  /**
   * The address of a percale_row_callback.
   */
  public static final long PERCALE_ROW_CALLBACK =
      Raw.callback("percale_row_callback", int.class, long.class, long.class, long.class);

  static int percale_row_callback(long user, long row, long columns) {
    return receiver.percale_row_callback(user, row, columns);
  }

  /**
   * The address of a percale_stream_callback.
   */
  public static final long PERCALE_STREAM_CALLBACK =
      Raw.callback("percale_stream_callback", long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  static long percale_stream_callback(long user, long epoch, long first_row, long max_rows, long columns, long out_rows) {
    return receiver.percale_stream_callback(user, epoch, first_row, max_rows, columns, out_rows);
  }

  /**
   * The address of a percale_deleter.
   */
  public static final long PERCALE_DELETER =
      Raw.callback("percale_deleter", void.class, long.class, long.class);

  static void percale_deleter(long user, long data) {
    receiver.percale_deleter(user, data);
  }

  /**
   * The address of a percale_execute_function.
   */
  public static final long PERCALE_EXECUTE_FUNCTION =
      Raw.callback("percale_execute_function", long.class, long.class, long.class);

  static long percale_execute_function(long user, long task) {
    return receiver.percale_execute_function(user, task);
  }

  /**
   * The address of a percale_file_size_function.
   */
  public static final long PERCALE_FILE_SIZE_FUNCTION =
      Raw.callback("percale_file_size_function", long.class, long.class, long.class, long.class);

  static long percale_file_size_function(long user, long name, long out_size) {
    return receiver.percale_file_size_function(user, name, out_size);
  }

  /**
   * The address of a percale_file_read_function.
   */
  public static final long PERCALE_FILE_READ_FUNCTION =
      Raw.callback("percale_file_read_function", long.class, long.class, long.class, long.class, long.class, long.class);

  static long percale_file_read_function(long user, long name, long offset, long buffer, long size) {
    return receiver.percale_file_read_function(user, name, offset, buffer, size);
  }

  /**
   * The address of a percale_event_callback.
   */
  public static final long PERCALE_EVENT_CALLBACK =
      Raw.callback("percale_event_callback", void.class, long.class);

  static void percale_event_callback(long user) {
    receiver.percale_event_callback(user);
  }

  /**
   * The address of a percale_progress_callback.
   */
  public static final long PERCALE_PROGRESS_CALLBACK =
      Raw.callback("percale_progress_callback", int.class, long.class, long.class);

  static int percale_progress_callback(long user, long progress) {
    return receiver.percale_progress_callback(user, progress);
  }
}
