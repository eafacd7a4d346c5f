/**
 * @file percale/trainer.h
 * Trainers and traces.
 */
#ifndef PERCALE_TRAINER_H_
#define PERCALE_TRAINER_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup trainer Training
 * A trainer changes the variables of a graph so that its loss falls: step by step, or over a data
 * set. It writes checkpoints, from which training resumes with the same bits.
 *
 * @code
 * percale_trainer* trainer = NULL;
 * status = percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer);
 * if (status == NULL) status = percale_trainer_fit(trainer, NULL, 0, NULL, NULL);
 * if (status == NULL) status = percale_trainer_save(trainer, "checkpoints");
 * @endcode
 * @{
 */

/** Creates a trainer for a graph whose function "main" has the columns of the data set as inputs
 * and the scalar loss as an output. `options` of kind "trainer", or NULL (loss, metrics,
 * optimizer, schedule, shards, clip_norm, accumulation, ema, groups, freeze, early_stopping and
 * others; percale_options_describe() lists them). `variables` may be NULL: then a new table is
 * made, with the option "seed". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_create(percale_engine* engine, const percale_graph* graph,
                                                                     percale_variables* variables,
                                                                     const percale_options* options,
                                                                     percale_trainer** out_trainer);

/** Creates a trainer from a SPEC, JSON text with model, loss, metrics, optimizer and data; SPEC.md,
 * which is installed with the documentation, lists all keys. Relative paths of data, models and
 * weights are searched for in `data_folder`, the environment's PERCALE_DATA, the cache and
 * `spec_folder`, in this order. `data_folder` may be NULL: none. `spec_folder` may be NULL: the
 * current folder. `options` of kind "trainer", or NULL, override the SPEC, except those that stand
 * for a key of it, which percale_options_describe() marks with "Not for a SPEC". INVALID_ARGUMENT
 * names the key or the position in the text. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_from_spec(percale_engine* engine, const char* spec,
                                                                        size_t spec_size, const char* spec_folder,
                                                                        const char* data_folder,
                                                                        const percale_options* options,
                                                                        percale_trainer** out_trainer);

/** Adds a reference and returns `trainer`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_trainer* percale_trainer_retain(percale_trainer* trainer);

/** Releases a reference. NULL is allowed. \since 0.1 */
PERCALE_API void percale_trainer_release(percale_trainer* trainer);

/** Does one step on one global batch: `count` tensors by name, all with the same first dim.
 * `out_loss` (may be NULL) is the mean loss of the batch before the update. With the option
 * "accumulation", that many calls make one step, of which the last one updates; until then fit and
 * save answer FAILED_PRECONDITION. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_step(percale_trainer* trainer, const char* const* names,
                                                                   percale_tensor* const* batch, size_t count,
                                                                   double* out_loss);

/** As percale_trainer_step(), and gives values that the forward pass of the batch has computed, in
 * its training form and before the update: one new tensor per name in `fetches`. A fetch is an
 * output of percale_trainer_model() or another value of the graph that the loss needs. Rows have
 * the order of the batch. With parameters that are only on devices, they are moved to the host,
 * which a warning says.
 *
 * NOT_FOUND: a step does not compute the value. INVALID_ARGUMENT, and no step: the value has no
 * row for each row of the batch, unless the batch is one shard. FAILED_PRECONDITION: in the mode
 * "backup:N", which leaves shards out. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_step_fetch(
    percale_trainer* trainer, const char* const* names, percale_tensor* const* batch, size_t count,
    const char* const* fetches, size_t fetch_count, percale_tensor** out_tensors, double* out_loss);

/** State of a training after a step, for the callback of percale_trainer_fit(). It grows at its
 * end: read no further than `struct_size`. \since 0.1 */
typedef struct percale_progress {
  uint32_t struct_size;                         /**< in bytes, as the library has it */
  int64_t epoch, epochs;                        /**< counted from 1 */
  int64_t step, steps;                          /**< of the whole run, from 1; 0 steps: unknown */
  int64_t step_in_epoch, steps_in_epoch;        /**< counted from 1 */
  double loss, learning_rate;                   /**< of this step */
  double rows_per_second, seconds, eta_seconds; /**< speed, time so far, time left */
  int32_t epoch_ended;                          /**< 1: the metrics below are set */
  size_t metric_count;                          /**< of names and of values */
  const char* const* metric_names;              /**< borrowed for the call */
  const double* metric_values;                  /**< means over the epoch; borrowed */
  double epoch_loss;                            /**< mean over the rows of the epoch so far */
} percale_progress;

/** Type of a function that is called after each step. It returns 0 to continue. Another number ends
 * the training after this step: percale_trainer_fit() returns success, and the trainer can be saved
 * and trained on. In the modes async and bounded:k, steps that devices have completed meanwhile
 * stay. Within it the trainer may be saved, published, described, cancelled, retained and
 * released, its learning rate set, and its history, model and variables taken. Its step, fit,
 * evaluate, restore, set_validation and lock_folder answer FAILED_PRECONDITION, as do
 * percale_dataset_configure() and percale_dataset_next() of its training and validation data;
 * percale_trainer_set_trace() and percale_trainer_set_cancellation() do nothing. Functions of
 * other objects may be called. \since 0.1 */
typedef int32_t (*percale_progress_callback)(void* user, const percale_progress* progress);

/** Trains until `epochs` epochs are done (0: the number of the SPEC, or of the option "epochs").
 * Epochs of earlier calls count, so a second call with the same number does nothing, and a call
 * after an interruption resumes. A schedule without a length of its own spans the epochs that this
 * call is told.
 *
 * The data set has a column for each input, by name, of its element type; for an I64 input, such
 * as class numbers, narrower integers and whole floats are converted. Rows have the shape of the
 * input except for dims of 1; flat rows are reshaped to the input, and rows are flattened for a
 * flat input. Rows of [28, 28, 3] are an error for an input of [3, 28, 28]. `dataset` may be NULL
 * for a trainer from a SPEC with data. `callback` may be NULL. Neither it nor `user` is used after
 * the return. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_fit(percale_trainer* trainer, percale_dataset* dataset,
                                                                  int64_t epochs, percale_progress_callback callback,
                                                                  void* user);

/** Sets data that is evaluated after each epoch of percale_trainer_fit(): "val_loss" and "val_"
 * metrics join the history and can be monitored. Epochs without such data have NaN there.
 * `dataset` may be NULL: none. Not during a call. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_set_validation(percale_trainer* trainer,
                                                                             percale_dataset* dataset);

/** Gives loss and metrics over a data set as JSON: {"loss":0.03,"accuracy":0.99}. `dataset` may be
 * NULL: then the test data of the SPEC, or else its validation data. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_evaluate(percale_trainer* trainer,
                                                                       percale_dataset* dataset,
                                                                       percale_text** out_json);

/** Publishes the current parameters as the next version of the table, atomically. Runs of sessions
 * with the same variables that start later use it; current runs keep their version, and none of
 * them waits. The option "publish" says when a trainer does this by itself. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_publish(percale_trainer* trainer);

/** Sets the learning rate of the optimizer from the next step on. The schedule starts from this
 * rate. Checkpoints store it. Call it between two steps, or within the progress callback.
 * INVALID_ARGUMENT: `rate` is negative or not finite. FAILED_PRECONDITION: during a step, and with
 * the schedule one_cycle, which sets the rate itself. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_set_learning_rate(percale_trainer* trainer, double rate);

/** Ends the current step, fit or evaluate with CANCELLED. The state is that of the last completed
 * step. Later calls are not affected. Any thread may call it. NULL is allowed. \since 0.1 */
PERCALE_API void percale_trainer_cancel(percale_trainer* trainer);

/** Sets the cancellation token of step, fit and evaluate, instead of the one before: cancelling it
 * ends them with CANCELLED, within a step, between two, or before they start. The state is that of
 * the last completed step. `cancellation` may be NULL: none. Does nothing during a call.
 * \since 0.1 */
PERCALE_API void percale_trainer_set_cancellation(percale_trainer* trainer, percale_cancellation* cancellation);

/** Writes a checkpoint `folder`/step-N, completely or not at all. It replaces one of the same step
 * and becomes the newest of the folder. With the options "keep_last" and "keep_best" older
 * checkpoints of this run are removed, never those of another run. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_save(percale_trainer* trainer, const char* folder);

/** Restores a checkpoint. `path` is one, `folder`/step-N, or a folder, whose newest intact one is
 * taken. Training then continues with the same bits as without the interruption.
 *
 * NOT_FOUND: no such folder, or no checkpoint in it. DATA_LOSS: the named one, or every one, is
 * damaged. Newer ones that are damaged are logged as a warning and listed by
 * percale_trainer_describe(): {"run_id", "restored_from", "skipped_checkpoints"}.
 * FAILED_PRECONDITION names the first difference if the checkpoint is of another job: model,
 * initializers, loss, optimizer, schedule, shape and batches of the data, seed, shards,
 * accumulation, frozen variables, or the numerics fingerprint (the option "any_fingerprint"
 * accepts another one). Epochs, devices, threads, paths and logging may change, and between epochs
 * metrics; with other epochs, a schedule without a length of its own gives other rates. The next
 * percale_trainer_fit() compares data that the trainer does not know yet. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_restore(percale_trainer* trainer, const char* path);

/** Creates `folder` if it does not exist and locks it for the run of this trainer, until the
 * trainer ends, locks another folder, or the process ends. A run starts with a new trainer and
 * continues in one that restores its checkpoint, so restore first. The lock is advisory:
 * percale_trainer_save() does not check it. UNAVAILABLE names the process that holds the lock.
 * ALREADY_EXISTS: it holds checkpoints of another run; if `overwrite` is not 0 those are removed,
 * and nothing else. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_lock_folder(percale_trainer* trainer, const char* folder,
                                                                          int32_t overwrite);

/** Gives the graph for inference, from inputs to predictions, with a new reference. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_model(percale_trainer* trainer,
                                                                    percale_graph** out_graph);

/** Gives the table that is trained, with a new reference. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_variables(percale_trainer* trainer,
                                                                        percale_variables** out_variables);

/** Returns the number of completed steps. \since 0.1 */
PERCALE_API int64_t percale_trainer_steps(const percale_trainer* trainer);

/** Gives the history in a format: "csv", "svg" (a plot of the loss), or "events": the bytes of a
 * file events.out.tfevents.* for TensorBoard. Later ones begin with the bytes of earlier ones.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_history(const percale_trainer* trainer,
                                                                      const char* format, percale_text** out_text);

/** Describes the trainer as JSON: parameters, shards, devices, batch size, optimizer, data. "epoch"
 * is that of the next step, from 1 on: after all of 8 epochs it is 9. "group" is null unless the
 * trainer has joined a group; then it tells rank, size, the number of lost ranks, exchanges, bytes
 * sent, and "waited_seconds": the time in which this rank did nothing but wait for others.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trainer_describe(const percale_trainer* trainer,
                                                                       percale_text** out_json);

/** @} */

/**
 * @defgroup trace Traces
 * A trace records spans of time of a session or a trainer.
 *
 * @code
 * status = percale_trace_create(engine, &trace);
 * percale_session_set_trace(session, trace);
 * // Runs of the session.
 * status = percale_trace_json(trace, &json);
 * @endcode
 * @{
 */

/** Creates an empty trace. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trace_create(percale_engine* engine, percale_trace** out_trace);

/** Records the runs of the session from now on. `trace` may be NULL: that ends it. \since 0.1 */
PERCALE_API void percale_session_set_trace(percale_session* session, percale_trace* trace);

/** Records the steps of the trainer from now on. `trace` may be NULL: that ends it. Does nothing
 * during a call. \since 0.1 */
PERCALE_API void percale_trainer_set_trace(percale_trainer* trainer, percale_trace* trace);

/** Gives the spans as JSON in the trace event format, which Chrome and Perfetto open. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_trace_json(const percale_trace* trace, percale_text** out_json);

/** Releases the trace. NULL is allowed. \since 0.1 */
PERCALE_API void percale_trace_release(percale_trace* trace);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_TRAINER_H_ */
