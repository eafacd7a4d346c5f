// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_trainer, as the header has them.
 */
public final class RawTrainer {
  private RawTrainer() {}

  static {
    Raw.bind(RawTrainer.class);
  }

  /**
   * Makes the trainer a member of a group, for the rest of its life. All ranks call it with the
   * same job, first values of variables and completed steps; what they call from then on is the
   * same on all of them, too: fit, step with the whole batch, evaluate, save, restore. With the
   * option "collective_data" as "parts", the data sets of each rank, and the batches of its steps,
   * are its own part of the data; columns are the same on all ranks.
   * <p>The shards of a batch are divided among the ranks, each of which computes its own on its
   * devices. Each rank commits a part of the parameters, and holds the optimizer's state for that
   * part alone. percale_trainer_save() collects the state and writes it on rank 0; any number of
   * ranks can resume from it.
   * <p>With {@code lost} in the table, training goes on without ranks that are lost, repeats steps
   * whose exchange has failed although no rank is lost, and gives the same bits. Two ranks then
   * hold each part of the optimizer's state (option "collective_redundancy"); if both are lost,
   * DATA_LOSS: resume from a checkpoint.
   * <p>The library copies the table; it calls {@code destroy} with {@code user} when the trainer is
   * gone, not on failure. {@code destroy} may be NULL. The option "collective_timeout" limits each
   * exchange.
   * <p>FAILED_PRECONDITION names an option that a group cannot have (mode other than sync,
   * parameters other than host), or the first setting in which a rank differs from rank 0.
   *
   * @param trainer in percale_trainer*
   * @param collective table const percale_collective*
   * @param destroy destroy percale_destroy
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_join(long trainer, long collective, long destroy);

  /**
   * Makes the trainer a member of the group of the cluster's processes that train: the chief and
   * the workers (percale_cluster_get_rank()). A plug-in connects them: libpercale_remote.so by
   * gRPC. Returns when all of them have called it. All else is as with percale_trainer_join();
   * training goes on without a worker that is lost. When the trainer is gone, the process leaves
   * the group.
   * <p>Addresses beyond this machine need certificates, see percale_cluster_set_certificates(). The
   * address of rank 0 must be known; the others are then optional. {@code timeout_ns} &lt; 0: waits
   * without limit. UNIMPLEMENTED: no plug-in brings a transport. UNAVAILABLE, DEADLINE_EXCEEDED:
   * the group was not complete in time; the message names the rank or address. FAILED_PRECONDITION:
   * another version or numerics fingerprint, or no certificates.
   *
   * @param trainer in percale_trainer*
   * @param cluster in const percale_cluster*
   * @param timeout_ns in int64_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_join_cluster(long trainer, long cluster, long timeout_ns);

  /**
   * Creates a trainer for a graph whose function "main" has the columns of the data set as inputs
   * and the scalar loss as an output. {@code options} of kind "trainer", or NULL (loss, metrics,
   * optimizer, schedule, shards, clip_norm, accumulation, ema, groups, freeze, early_stopping and
   * others; percale_options_describe() lists them). {@code variables} may be NULL: then a new table
   * is made, with the option "seed".
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param variables in percale_variables*
   * @param options in const percale_options*
   * @param out_trainer out percale_trainer**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_create(long engine, long graph, long variables, long options, long out_trainer);

  /**
   * Creates a trainer from a SPEC, JSON text with model, loss, metrics, optimizer and data;
   * SPEC.md, which is installed with the documentation, lists all keys. Relative paths of data,
   * models and weights are searched for in {@code data_folder}, the environment's PERCALE_DATA, the
   * cache and {@code spec_folder}, in this order. {@code data_folder} may be NULL: none. {@code
   * spec_folder} may be NULL: the current folder. {@code options} of kind "trainer", or NULL,
   * override the SPEC, except those that stand for a key of it, which percale_options_describe()
   * marks with "Not for a SPEC". INVALID_ARGUMENT names the key or the position in the text.
   *
   * @param engine in percale_engine*
   * @param spec text const char*
   * @param spec_size in size_t
   * @param spec_folder text const char*
   * @param data_folder text const char*
   * @param options in const percale_options*
   * @param out_trainer out percale_trainer**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_from_spec(long engine, long spec, long spec_size, long spec_folder, long data_folder, long options, long out_trainer);

  /**
   * Adds a reference and returns {@code trainer}. NULL is allowed and returned.
   *
   * @param trainer in percale_trainer*
   * @return percale_trainer*
   */
  public static native long percale_trainer_retain(long trainer);

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param trainer in percale_trainer*
   */
  public static native void percale_trainer_release(long trainer);

  /**
   * Does one step on one global batch: {@code count} tensors by name, all with the same first dim.
   * {@code out_loss} (may be NULL) is the mean loss of the batch before the update. With the option
   * "accumulation", that many calls make one step, of which the last one updates; until then fit
   * and save answer FAILED_PRECONDITION.
   *
   * @param trainer in percale_trainer*
   * @param names array const char* const*
   * @param batch array percale_tensor* const*
   * @param count in size_t
   * @param out_loss out double*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_step(long trainer, long names, long batch, long count, long out_loss);

  /**
   * As percale_trainer_step(), and gives values that the forward pass of the batch has computed, in
   * its training form and before the update: one new tensor per name in {@code fetches}. A fetch is
   * an output of percale_trainer_model() or another value of the graph that the loss needs. Rows
   * have the order of the batch. With parameters that are only on devices, they are moved to the
   * host, which a warning says.
   * <p>NOT_FOUND: a step does not compute the value. INVALID_ARGUMENT, and no step: the value has
   * no row for each row of the batch, unless the batch is one shard. FAILED_PRECONDITION: in the
   * mode "backup:N", which leaves shards out.
   *
   * @param trainer in percale_trainer*
   * @param names array const char* const*
   * @param batch array percale_tensor* const*
   * @param count in size_t
   * @param fetches array const char* const*
   * @param fetch_count in size_t
   * @param out_tensors out percale_tensor**
   * @param out_loss out double*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_step_fetch(long trainer, long names, long batch, long count, long fetches, long fetch_count, long out_tensors, long out_loss);

  /**
   * Trains until {@code epochs} epochs are done (0: the number of the SPEC, or of the option
   * "epochs"). Epochs of earlier calls count, so a second call with the same number does nothing,
   * and a call after an interruption resumes. A schedule without a length of its own spans the
   * epochs that this call is told.
   * <p>The data set has a column for each input, by name, of its element type; for an I64 input,
   * such as class numbers, narrower integers and whole floats are converted. Rows have the shape of
   * the input except for dims of 1; flat rows are reshaped to the input, and rows are flattened for
   * a flat input. Rows of [28, 28, 3] are an error for an input of [3, 28, 28]. {@code dataset} may
   * be NULL for a trainer from a SPEC with data. {@code callback} may be NULL. Neither it nor
   * {@code user} is used after the return.
   *
   * @param trainer in percale_trainer*
   * @param dataset in percale_dataset*
   * @param epochs in int64_t
   * @param callback callback percale_progress_callback
   * @param user user void*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_fit(long trainer, long dataset, long epochs, long callback, long user);

  /**
   * Sets data that is evaluated after each epoch of percale_trainer_fit(): "val_loss" and "val_"
   * metrics join the history and can be monitored. Epochs without such data have NaN there. {@code
   * dataset} may be NULL: none. Not during a call.
   *
   * @param trainer in percale_trainer*
   * @param dataset in percale_dataset*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_set_validation(long trainer, long dataset);

  /**
   * Gives loss and metrics over a data set as JSON: {"loss":0.03,"accuracy":0.99}. {@code dataset}
   * may be NULL: then the test data of the SPEC, or else its validation data.
   *
   * @param trainer in percale_trainer*
   * @param dataset in percale_dataset*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_evaluate(long trainer, long dataset, long out_json);

  /**
   * Publishes the current parameters as the next version of the table, atomically. Runs of sessions
   * with the same variables that start later use it; current runs keep their version, and none of
   * them waits. The option "publish" says when a trainer does this by itself.
   *
   * @param trainer in percale_trainer*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_publish(long trainer);

  /**
   * Sets the learning rate of the optimizer from the next step on. The schedule starts from this
   * rate. Checkpoints store it. Call it between two steps, or within the progress callback.
   * INVALID_ARGUMENT: {@code rate} is negative or not finite. FAILED_PRECONDITION: during a step,
   * and with the schedule one_cycle, which sets the rate itself.
   *
   * @param trainer in percale_trainer*
   * @param rate in double
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_set_learning_rate(long trainer, double rate);

  /**
   * Ends the current step, fit or evaluate with CANCELLED. The state is that of the last completed
   * step. Later calls are not affected. Any thread may call it. NULL is allowed.
   *
   * @param trainer in percale_trainer*
   */
  public static native void percale_trainer_cancel(long trainer);

  /**
   * Sets the cancellation token of step, fit and evaluate, instead of the one before: cancelling it
   * ends them with CANCELLED, within a step, between two, or before they start. The state is that
   * of the last completed step. {@code cancellation} may be NULL: none. Does nothing during a call.
   *
   * @param trainer in percale_trainer*
   * @param cancellation in percale_cancellation*
   */
  public static native void percale_trainer_set_cancellation(long trainer, long cancellation);

  /**
   * Writes a checkpoint {@code folder}/step-N, completely or not at all. It replaces one of the
   * same step and becomes the newest of the folder. With the options "keep_last" and "keep_best"
   * older checkpoints of this run are removed, never those of another run.
   *
   * @param trainer in percale_trainer*
   * @param folder text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_save(long trainer, long folder);

  /**
   * Restores a checkpoint. {@code path} is one, {@code folder}/step-N, or a folder, whose newest
   * intact one is taken. Training then continues with the same bits as without the interruption.
   * <p>NOT_FOUND: no such folder, or no checkpoint in it. DATA_LOSS: the named one, or every one,
   * is damaged. Newer ones that are damaged are logged as a warning and listed by
   * percale_trainer_describe(): {"run_id", "restored_from", "skipped_checkpoints"}.
   * FAILED_PRECONDITION names the first difference if the checkpoint is of another job: model,
   * initializers, loss, optimizer, schedule, shape and batches of the data, seed, shards,
   * accumulation, frozen variables, or the numerics fingerprint (the option "any_fingerprint"
   * accepts another one). Epochs, devices, threads, paths and logging may change, and between
   * epochs metrics; with other epochs, a schedule without a length of its own gives other rates.
   * The next percale_trainer_fit() compares data that the trainer does not know yet.
   *
   * @param trainer in percale_trainer*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_restore(long trainer, long path);

  /**
   * Creates {@code folder} if it does not exist and locks it for the run of this trainer, until the
   * trainer ends, locks another folder, or the process ends. A run starts with a new trainer and
   * continues in one that restores its checkpoint, so restore first. The lock is advisory:
   * percale_trainer_save() does not check it. UNAVAILABLE names the process that holds the lock.
   * ALREADY_EXISTS: it holds checkpoints of another run; if {@code overwrite} is not 0 those are
   * removed, and nothing else.
   *
   * @param trainer in percale_trainer*
   * @param folder text const char*
   * @param overwrite in int32_t
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_lock_folder(long trainer, long folder, int overwrite);

  /**
   * Gives the graph for inference, from inputs to predictions, with a new reference.
   *
   * @param trainer in percale_trainer*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_model(long trainer, long out_graph);

  /**
   * Gives the table that is trained, with a new reference.
   *
   * @param trainer in percale_trainer*
   * @param out_variables out percale_variables**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_variables(long trainer, long out_variables);

  /**
   * Returns the number of completed steps.
   *
   * @param trainer in const percale_trainer*
   * @return int64_t
   */
  public static native long percale_trainer_steps(long trainer);

  /**
   * Gives the history in a format: "csv", "svg" (a plot of the loss), or "events": the bytes of a
   * file events.out.tfevents.* for TensorBoard. Later ones begin with the bytes of earlier ones.
   *
   * @param trainer in const percale_trainer*
   * @param format text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_history(long trainer, long format, long out_text);

  /**
   * Describes the trainer as JSON: parameters, shards, devices, batch size, optimizer, data.
   * "epoch" is that of the next step, from 1 on: after all of 8 epochs it is 9. "group" is null
   * unless the trainer has joined a group; then it tells rank, size, the number of lost ranks,
   * exchanges, bytes sent, and "waited_seconds": the time in which this rank did nothing but wait
   * for others.
   *
   * @param trainer in const percale_trainer*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_trainer_describe(long trainer, long out_json);

  /**
   * Records the steps of the trainer from now on. {@code trace} may be NULL: that ends it. Does
   * nothing during a call.
   *
   * @param trainer in percale_trainer*
   * @param trace in percale_trace*
   */
  public static native void percale_trainer_set_trace(long trainer, long trace);
}
