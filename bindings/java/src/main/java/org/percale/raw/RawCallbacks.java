// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;

/**
 * What the library calls, as the header has it.
 */
public final class RawCallbacks {
  private RawCallbacks() {}

  /**
   * Receives a message of the library: {@code level} 0 debug, 1 info (devices that get no work, devices that come
   * into a training, placement where a session logs it, what an op Print says), 2 warning (devices that are lost,
   * and what they were asked for in vain), 3 error. What a call returns as a status is not logged as well. Any
   * thread. Within it a function that returns a status answers FAILED_PRECONDITION; functions that cancel or read
   * a status or text may be called, those that release an object of the library must not.
   */
  public static final FunctionDescriptor percale_log_function =
      FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG);

  /**
   * Ends what {@code user} stands for: called exactly once, when the function that it was given with will never be
   * called again, within the caller's own call that makes it so. It may release other objects; a function that
   * returns a status answers FAILED_PRECONDITION within it.
   */
  public static final FunctionDescriptor percale_destroy =
      FunctionDescriptor.ofVoid(ADDRESS);

  /**
   * Frees memory that a tensor borrowed; called once, within the caller's own release, run or wait. It may release
   * other objects; a function that returns a status answers FAILED_PRECONDITION within it.
   */
  public static final FunctionDescriptor percale_deleter =
      FunctionDescriptor.ofVoid(ADDRESS, ADDRESS);

  /**
   * Called exactly once when the run is over, also when the event was released before: on the thread that ends it,
   * or at once on the caller's when it is over already. It must not block: percale_session_run(),
   * percale_call_run(), percale_call_run_until(), percale_event_wait() for a run that is not over, and calls of a
   * trainer answer FAILED_PRECONDITION within it. It may take results, begin asynchronous runs, cancel, and
   * release all but the last reference to the engine.
   */
  public static final FunctionDescriptor percale_event_callback =
      FunctionDescriptor.ofVoid(ADDRESS);

  /**
   * Writes row {@code row} of a data set: the elements of column i into the memory at columns[i], which holds
   * zeros. The same row for the same number, whenever it is asked for: that is what lets a training go on exactly.
   * Called on the thread of whoever wants the batch. Anything but 0 ends that call with ABORTED. Within it
   * percale_dataset_configure() and percale_dataset_next() of the set that is asked, and calls, saves and
   * publishing of a trainer that asks, answer FAILED_PRECONDITION; all other functions may be called.
   */
  public static final FunctionDescriptor percale_row_callback =
      FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS);

  /**
   * Returns 0 to go on, anything else to stop after this step; in the modes async and bounded:k steps that devices
   * have completed meanwhile stay. Within it the trainer may be saved, published, described, cancelled, retained
   * and released, its learning rate set, and its history, model and variables taken. Its step, fit, evaluate,
   * restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do percale_dataset_configure() and
   * percale_dataset_next() of the data that it trains on and validates with; percale_trainer_set_trace() and
   * percale_trainer_set_cancellation() do nothing. Functions of other objects may be called.
   */
  public static final FunctionDescriptor percale_progress_callback =
      FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS);
}
