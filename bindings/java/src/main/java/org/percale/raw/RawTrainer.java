// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_trainer, as the header has them.
 */
public final class RawTrainer {
  private RawTrainer() {}

  private static final MethodHandle PERCALE_TRAINER_CREATE_ =
      Raw.function("percale_trainer_create",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Trains {@code graph}, whose main function has the inputs of the data set and an output that is the scalar
   * loss. {@code options} of kind "trainer" or NULL (loss, metrics, optimizer, schedule, shards, clip_norm,
   * accumulation, ema, groups, freeze, early_stopping, ...; see percale_options_describe()). {@code variables} may
   * be NULL: a new table, drawn by the option "seed".
   *
   * @param engine in percale_engine*
   * @param graph in const percale_graph*
   * @param variables in percale_variables*
   * @param options in const percale_options*
   * @param out_trainer out percale_trainer**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_create(MemorySegment engine, MemorySegment graph, MemorySegment variables, MemorySegment options, MemorySegment out_trainer) {
    try {
      return (MemorySegment) PERCALE_TRAINER_CREATE_.invokeExact(engine, graph, variables, options, out_trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_FROM_SPEC_ =
      Raw.function("percale_trainer_from_spec",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * A trainer from a SPEC (JSON text): model, loss, metrics, optimizer, data. Relative paths are looked up in
   * {@code data_folder}, the environment's PERCALE_DATA, the cache, and {@code spec_folder}; {@code data_folder}
   * may be NULL, {@code spec_folder} may be NULL. {@code options} of kind "trainer", or NULL, override the SPEC,
   * but for those that stand for a key of it (percale_options_describe() says "Not for a SPEC"). SPEC.md, which is
   * installed with the library's documentation, has all keys.
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
  public static MemorySegment percale_trainer_from_spec(MemorySegment engine, MemorySegment spec, long spec_size, MemorySegment spec_folder, MemorySegment data_folder, MemorySegment options, MemorySegment out_trainer) {
    try {
      return (MemorySegment) PERCALE_TRAINER_FROM_SPEC_.invokeExact(engine, spec, spec_size, spec_folder, data_folder, options, out_trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_RETAIN_ =
      Raw.function("percale_trainer_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code trainer}. NULL is allowed and returned.
   *
   * @param trainer in percale_trainer*
   * @return percale_trainer*
   */
  public static MemorySegment percale_trainer_retain(MemorySegment trainer) {
    try {
      return (MemorySegment) PERCALE_TRAINER_RETAIN_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_RELEASE_ =
      Raw.function("percale_trainer_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Gives a reference to the trainer back; NULL does nothing.
   *
   * @param trainer in percale_trainer*
   */
  public static void percale_trainer_release(MemorySegment trainer) {
    try {
      PERCALE_TRAINER_RELEASE_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_STEP_ =
      Raw.function("percale_trainer_step",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * One step on one global batch; {@code out_loss} (may be NULL) is the batch's mean loss before the update. With
   * the option "accumulation" as many calls make a step, the last of them updates; until then fit and save answer
   * FAILED_PRECONDITION.
   *
   * @param trainer in percale_trainer*
   * @param names array const char* const*
   * @param batch array percale_tensor* const*
   * @param count in size_t
   * @param out_loss out double*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_step(MemorySegment trainer, MemorySegment names, MemorySegment batch, long count, MemorySegment out_loss) {
    try {
      return (MemorySegment) PERCALE_TRAINER_STEP_.invokeExact(trainer, names, batch, count, out_loss);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_STEP_FETCH_ =
      Raw.function("percale_trainer_step_fetch",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));

  /**
   * The same; it also gives values that the batch's forward pass computed, in its form for training and before the
   * update, one new tensor per name in {@code fetches}: outputs of percale_trainer_model(), and other values of
   * the graph that the loss needs, by name. Rows are those of the batch, in its order. NOT_FOUND for a value that
   * a step does not compute. INVALID_ARGUMENT, and no step, for one that has no row for each row of the batch,
   * unless the batch is one shard. FAILED_PRECONDITION in the mode "backup:N", which leaves shards out. With
   * parameters that lie on devices alone, they are the host's from then on, which a warning says.
   * <p>percale_tensor* scores; const char* const fetches[] = {"scores"}; status = percale_trainer_step_fetch(trainer,
   * names, batch, 2, fetches, 1, &amp;scores, &amp;loss);
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
  public static MemorySegment percale_trainer_step_fetch(MemorySegment trainer, MemorySegment names, MemorySegment batch, long count, MemorySegment fetches, long fetch_count, MemorySegment out_tensors, MemorySegment out_loss) {
    try {
      return (MemorySegment) PERCALE_TRAINER_STEP_FETCH_.invokeExact(trainer, names, batch, count, fetches, fetch_count, out_tensors, out_loss);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_FIT_ =
      Raw.function("percale_trainer_fit",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS));

  /**
   * Trains over the data set for as many epochs as are left until {@code epochs} (0: as the SPEC, or the option
   * "epochs", says): those of earlier calls count, so that a second call with the same number does nothing, and
   * goes on where the first one was ended. The data set has a column for each input by name, of its dtype; where
   * the input is I64, as class numbers and the ids of an Embedding are, narrower integers and whole floats are
   * good too. Rows have the shape of the input's, but for dims of 1; flat rows take the input's shape, and a flat
   * input theirs. Rows of [28, 28, 3] are an error where the input wants [3, 28, 28]. A schedule without a length
   * of its own runs over the epochs that this call was told. {@code dataset} may be NULL for a trainer from a SPEC
   * with data. {@code callback} may be NULL. Neither it nor {@code user} is used after the return.
   *
   * @param trainer in percale_trainer*
   * @param dataset in percale_dataset*
   * @param epochs in int64_t
   * @param callback callback percale_progress_callback
   * @param user user void*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_fit(MemorySegment trainer, MemorySegment dataset, long epochs, MemorySegment callback, MemorySegment user) {
    try {
      return (MemorySegment) PERCALE_TRAINER_FIT_.invokeExact(trainer, dataset, epochs, callback, user);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_VALIDATION_ =
      Raw.function("percale_trainer_set_validation",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Data that is evaluated after each epoch of percale_trainer_fit(): "val_loss" and "val_" metrics join the
   * history, and may be monitored; epochs without such data have NaN there. Not during a call. {@code dataset} may
   * be NULL: none.
   *
   * @param trainer in percale_trainer*
   * @param dataset in percale_dataset*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_set_validation(MemorySegment trainer, MemorySegment dataset) {
    try {
      return (MemorySegment) PERCALE_TRAINER_SET_VALIDATION_.invokeExact(trainer, dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_EVALUATE_ =
      Raw.function("percale_trainer_evaluate",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Loss and metrics over a data set as JSON: {"loss":0.03,"accuracy":0.99}. {@code dataset} may be NULL: the
   * SPEC's test data, else its validation data.
   *
   * @param trainer in percale_trainer*
   * @param dataset in percale_dataset*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_evaluate(MemorySegment trainer, MemorySegment dataset, MemorySegment out_json) {
    try {
      return (MemorySegment) PERCALE_TRAINER_EVALUATE_.invokeExact(trainer, dataset, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_PUBLISH_ =
      Raw.function("percale_trainer_publish",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Makes what was trained so far the next version of the table, in one piece: runs of sessions on the same
   * variables that begin later see it, those under way keep the version that they began with, and nobody waits.
   * The option "publish" says when a trainer does so by itself.
   *
   * @param trainer in percale_trainer*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_publish(MemorySegment trainer) {
    try {
      return (MemorySegment) PERCALE_TRAINER_PUBLISH_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_LEARNING_RATE_ =
      Raw.function("percale_trainer_set_learning_rate",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_DOUBLE));

  /**
   * The optimizer's learning rate from the next step on, which the schedule begins with: a factor of it, or a fall
   * from it, counts from this rate. Checkpoints hold it. Between two steps, or within the progress callback.
   * INVALID_ARGUMENT unless {@code rate} is a finite number from 0 on; FAILED_PRECONDITION with the schedule
   * one_cycle, which says the rate itself, and during a step.
   *
   * @param trainer in percale_trainer*
   * @param rate in double
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_set_learning_rate(MemorySegment trainer, double rate) {
    try {
      return (MemorySegment) PERCALE_TRAINER_SET_LEARNING_RATE_.invokeExact(trainer, rate);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_CANCEL_ =
      Raw.function("percale_trainer_cancel",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Ends the call under way (step, fit, evaluate) with CANCELLED; the state is that of the last completed step.
   * Later calls are not affected. Any thread. NULL: nothing.
   *
   * @param trainer in percale_trainer*
   */
  public static void percale_trainer_cancel(MemorySegment trainer) {
    try {
      PERCALE_TRAINER_CANCEL_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_CANCELLATION_ =
      Raw.function("percale_trainer_set_cancellation",
          FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

  /**
   * From now on step, fit and evaluate end with CANCELLED when {@code cancellation} is, within a step, between
   * two, or before they begin; the state is that of the last completed step. It takes the place of the one before;
   * {@code cancellation} may be NULL: none. During a call it does nothing.
   *
   * @param trainer in percale_trainer*
   * @param cancellation in percale_cancellation*
   */
  public static void percale_trainer_set_cancellation(MemorySegment trainer, MemorySegment cancellation) {
    try {
      PERCALE_TRAINER_SET_CANCELLATION_.invokeExact(trainer, cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SAVE_ =
      Raw.function("percale_trainer_save",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Writes a checkpoint {@code folder}/step-N, whole or not at all. It replaces one of the same step, and is the
   * newest of the folder from then on. With the options "keep_last" and "keep_best" older checkpoints of this run
   * are removed, never those of another run.
   *
   * @param trainer in percale_trainer*
   * @param folder text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_save(MemorySegment trainer, MemorySegment folder) {
    try {
      return (MemorySegment) PERCALE_TRAINER_SAVE_.invokeExact(trainer, folder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_RESTORE_ =
      Raw.function("percale_trainer_restore",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Takes up a checkpoint: {@code path} is one, {@code folder}/step-N, or a folder, whose newest whole one is
   * taken. The same bits follow as without the interruption. NOT_FOUND without the folder or a checkpoint in it.
   * DATA_LOSS when the one that was named, or every one, is damaged; newer ones that are damaged are logged as a
   * warning and listed by percale_trainer_describe(): {"run_id", "restored_from", "skipped_checkpoints"}.
   * FAILED_PRECONDITION names the first difference when the checkpoint is of another job: model, initializers,
   * loss, optimizer, schedule, shape and batches of the data, seed, shards, accumulation, frozen variables, or the
   * numerics fingerprint (the option "any_fingerprint" takes up that of another). Epochs, devices, threads, paths
   * and logging may change, and between epochs metrics; with other epochs a schedule without a length of its own
   * gives other rates. Data that the trainer does not know yet is compared by the next percale_trainer_fit().
   *
   * @param trainer in percale_trainer*
   * @param path text const char*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_restore(MemorySegment trainer, MemorySegment path) {
    try {
      return (MemorySegment) PERCALE_TRAINER_RESTORE_.invokeExact(trainer, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_LOCK_FOLDER_ =
      Raw.function("percale_trainer_lock_folder",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_INT));

  /**
   * Makes {@code folder} where it is missing and locks it for the run of this trainer, until the trainer is gone,
   * locks another folder, or the process ends. A run begins with a new trainer and goes on in one that restores
   * its checkpoint, so restore first. UNAVAILABLE names the process that has locked the folder. ALREADY_EXISTS
   * when it holds checkpoints of another run; with {@code overwrite} not 0 those are removed, and nothing else.
   * The lock is advisory: percale_trainer_save() does not ask for it.
   *
   * @param trainer in percale_trainer*
   * @param folder text const char*
   * @param overwrite in int32_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_lock_folder(MemorySegment trainer, MemorySegment folder, int overwrite) {
    try {
      return (MemorySegment) PERCALE_TRAINER_LOCK_FOLDER_.invokeExact(trainer, folder, overwrite);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_MODEL_ =
      Raw.function("percale_trainer_model",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * The graph for inference (inputs to predictions) with a new reference.
   *
   * @param trainer in percale_trainer*
   * @param out_graph out percale_graph**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_model(MemorySegment trainer, MemorySegment out_graph) {
    try {
      return (MemorySegment) PERCALE_TRAINER_MODEL_.invokeExact(trainer, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_VARIABLES_ =
      Raw.function("percale_trainer_variables",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * The table that is trained, with a new reference.
   *
   * @param trainer in percale_trainer*
   * @param out_variables out percale_variables**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_variables(MemorySegment trainer, MemorySegment out_variables) {
    try {
      return (MemorySegment) PERCALE_TRAINER_VARIABLES_.invokeExact(trainer, out_variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_STEPS_ =
      Raw.getter("percale_trainer_steps",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Steps that were completed.
   *
   * @param trainer in const percale_trainer*
   * @return int64_t
   */
  public static long percale_trainer_steps(MemorySegment trainer) {
    try {
      return (long) PERCALE_TRAINER_STEPS_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_HISTORY_ =
      Raw.function("percale_trainer_history",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * The history: "csv", "svg" (a plot of the loss), or "events": the bytes of a file events.out.tfevents.* for
   * TensorBoard, which later begin with those that were given earlier.
   *
   * @param trainer in const percale_trainer*
   * @param format text const char*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_history(MemorySegment trainer, MemorySegment format, MemorySegment out_text) {
    try {
      return (MemorySegment) PERCALE_TRAINER_HISTORY_.invokeExact(trainer, format, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_DESCRIBE_ =
      Raw.function("percale_trainer_describe",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Facts as JSON: parameters, shards, devices, batch size, optimizer, data. "epoch" is that of the next step,
   * from 1: after all of 8 epochs it is 9.
   *
   * @param trainer in const percale_trainer*
   * @param out_json out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_trainer_describe(MemorySegment trainer, MemorySegment out_json) {
    try {
      return (MemorySegment) PERCALE_TRAINER_DESCRIBE_.invokeExact(trainer, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_TRACE_ =
      Raw.function("percale_trainer_set_trace",
          FunctionDescriptor.ofVoid(ADDRESS, ADDRESS));

  /**
   * Records what the trainer does from now on. {@code trace} may be NULL: that ends it. During a call it does
   * nothing.
   *
   * @param trainer in percale_trainer*
   * @param trace in percale_trace*
   */
  public static void percale_trainer_set_trace(MemorySegment trainer, MemorySegment trace) {
    try {
      PERCALE_TRAINER_SET_TRACE_.invokeExact(trainer, trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
