// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;

/**
 * The functions that the library calls, as the header has them.
 */
public final class RawCallbacks {
  private RawCallbacks() {}

  /**
   * Type of a function that receives messages of the library. {@code message} has {@code size}
   * bytes of UTF-8 and ends with the call. An error that a call returns as a status is not logged.
   * Any thread may call the function. Within it a function that returns a status answers
   * FAILED_PRECONDITION. It may cancel, and read statuses and texts; it must not release an object
   * of the library.
   */
  public static final FunctionDescriptor percale_log_function =
      FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG);

  /**
   * Type of a function that releases {@code user}. It is called exactly once, when the function
   * that {@code user} belongs to will never be called again, within the call of the host that
   * causes this. It may release other objects; a function that returns a status answers
   * FAILED_PRECONDITION within it.
   */
  public static final FunctionDescriptor percale_destroy =
      FunctionDescriptor.ofVoid(ADDRESS);

  /**
   * Sends sends[r] to rank r and fills recvs[r] with what rank r sends, for all {@code size} ranks
   * of the group; the entries of the own rank are empty. All ranks call it in the same order and
   * with the same tag, and both sides know every size in advance: a message of another size, or
   * with another tag, is an error of the supplier, which it must return. The memory belongs to the
   * library; what is sent stays unchanged, and is not read after the return.
   * <p>Tags grow on every rank. With {@code lost} in the table, a message with a smaller tag than
   * that of the call is of an exchange that has failed: drop it. One with a larger tag says that
   * the other rank has given this exchange up: return UNAVAILABLE, and keep the message for the
   * call with its tag.
   * <p>The library calls it from one thread at a time, which need not be the one that trains. It
   * may block. {@code timeout_ns} is the time after which it must give up with UNAVAILABLE; &lt; 0:
   * none. Returns NULL, or a status that the library releases (percale_status_create()). It must
   * not call functions of the same trainer.
   */
  public static final FunctionDescriptor percale_exchange_function =
      FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);

  /**
   * Tells which ranks are lost, after an exchange that failed. On entry {@code *inout_count} is the
   * room in {@code out_ranks}; on return it is the number of lost ranks, which are in ascending
   * order.
   */
  public static final FunctionDescriptor percale_lost_function =
      FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS);

  /**
   * Type of a function that writes row {@code row} of a data set: the elements of column i go to
   * the memory at {@code columns[i]}, which holds zeros. The same number must always give the same
   * row; only then a training can resume exactly. It is called on the thread that asks for the
   * batch. A result other than 0 ends that call with ABORTED. Within it percale_dataset_configure()
   * and percale_dataset_next() of this data set, and calls, saves and publishing of a trainer that
   * asks for the row, answer FAILED_PRECONDITION; all other functions may be called.
   */
  public static final FunctionDescriptor percale_row_callback =
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS);

  /**
   * Type of a function that writes the next rows of a stream: {@code max_rows} of them at most, the
   * first one being row {@code first_row} of {@code epoch}, both counted from 0. The elements of
   * column i go to the memory at {@code columns[i]}, one row behind the other; it holds zeros.
   * {@code *out_rows} becomes the number of rows that were written, 0 at the end of the epoch. Rows
   * are asked for one after the other, with three exceptions. An epoch, or an evaluation, begins at
   * row 0 again. A training that was resumed goes on from the row where it stands. After an error,
   * a batch is read from its first row again.
   * <p>The function may return an error, for instance if its source cannot go there. That error
   * ends the call that asked for the rows, and the training keeps the state of its last step.
   * OUT_OF_RANGE becomes ABORTED, because percale_dataset_next() gives it at the end of an epoch.
   * The function is called on the thread that asks for the batch, and what it may call is what a
   * percale_row_callback may.
   */
  public static final FunctionDescriptor percale_stream_callback =
      FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);

  /**
   * Type of a function that is called exactly once when a run is over, also if the event was
   * released before: on the thread that ends the run, or at once on the thread of the caller if the
   * run is over already. It must not block: percale_session_run(), percale_session_run_versioned(),
   * percale_call_run(), percale_call_run_until(), percale_event_wait() for a run that is not over,
   * and calls of a trainer answer FAILED_PRECONDITION within it. It may take results, start
   * asynchronous runs, cancel, and release all but the last reference to the engine.
   */
  public static final FunctionDescriptor percale_event_callback =
      FunctionDescriptor.ofVoid(ADDRESS);

  /**
   * Type of a function that frees memory that a tensor borrowed. It is called once, within a
   * release, run or wait of the host. It may release other objects; a function that returns a
   * status answers FAILED_PRECONDITION within it.
   */
  public static final FunctionDescriptor percale_deleter =
      FunctionDescriptor.ofVoid(ADDRESS, ADDRESS);

  /**
   * Type of a function that is called after each step. It returns 0 to continue. Another number
   * ends the training after this step: percale_trainer_fit() returns success, and the trainer can
   * be saved and trained on. In the modes async and bounded:k, steps that devices have completed
   * meanwhile stay. Within it the trainer may be saved, published, described, cancelled, retained
   * and released, its learning rate set, and its history, model and variables taken. Its step, fit,
   * evaluate, restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do
   * percale_dataset_configure() and percale_dataset_next() of its training and validation data;
   * percale_trainer_set_trace() and percale_trainer_set_cancellation() do nothing. Functions of
   * other objects may be called.
   */
  public static final FunctionDescriptor percale_progress_callback =
      FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS);
}
