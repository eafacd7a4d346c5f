// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawTrainer through java.lang.foreign, for Java 22 and newer.
 */
public final class RawTrainer {
  private RawTrainer() {}

  private static final MethodHandle PERCALE_TRAINER_JOIN_ =
      Raw.function("percale_trainer_join", long.class, long.class, long.class, long.class);

  public static long percale_trainer_join(long trainer, long collective, long destroy) {
    try {
      return (long) PERCALE_TRAINER_JOIN_.invokeExact(trainer, collective, destroy);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_JOIN_CLUSTER_ =
      Raw.function("percale_trainer_join_cluster", long.class, long.class, long.class, long.class);

  public static long percale_trainer_join_cluster(long trainer, long cluster, long timeout_ns) {
    try {
      return (long) PERCALE_TRAINER_JOIN_CLUSTER_.invokeExact(trainer, cluster, timeout_ns);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_CREATE_ =
      Raw.function("percale_trainer_create", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_trainer_create(long engine, long graph, long variables, long options, long out_trainer) {
    try {
      return (long) PERCALE_TRAINER_CREATE_.invokeExact(engine, graph, variables, options, out_trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_FROM_SPEC_ =
      Raw.function("percale_trainer_from_spec", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_trainer_from_spec(long engine, long spec, long spec_size, long spec_folder, long data_folder, long options, long out_trainer) {
    try {
      return (long) PERCALE_TRAINER_FROM_SPEC_.invokeExact(engine, spec, spec_size, spec_folder, data_folder, options, out_trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_RETAIN_ =
      Raw.function("percale_trainer_retain", long.class, long.class);

  public static long percale_trainer_retain(long trainer) {
    try {
      return (long) PERCALE_TRAINER_RETAIN_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_RELEASE_ =
      Raw.function("percale_trainer_release", void.class, long.class);

  public static void percale_trainer_release(long trainer) {
    try {
      PERCALE_TRAINER_RELEASE_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_STEP_ =
      Raw.function("percale_trainer_step", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_trainer_step(long trainer, long names, long batch, long count, long out_loss) {
    try {
      return (long) PERCALE_TRAINER_STEP_.invokeExact(trainer, names, batch, count, out_loss);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_STEP_FETCH_ =
      Raw.function("percale_trainer_step_fetch", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_trainer_step_fetch(long trainer, long names, long batch, long count, long fetches, long fetch_count, long out_tensors, long out_loss) {
    try {
      return (long) PERCALE_TRAINER_STEP_FETCH_.invokeExact(trainer, names, batch, count, fetches, fetch_count, out_tensors, out_loss);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_FIT_ =
      Raw.function("percale_trainer_fit", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_trainer_fit(long trainer, long dataset, long epochs, long callback, long user) {
    try {
      return (long) PERCALE_TRAINER_FIT_.invokeExact(trainer, dataset, epochs, callback, user);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_VALIDATION_ =
      Raw.function("percale_trainer_set_validation", long.class, long.class, long.class);

  public static long percale_trainer_set_validation(long trainer, long dataset) {
    try {
      return (long) PERCALE_TRAINER_SET_VALIDATION_.invokeExact(trainer, dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_EVALUATE_ =
      Raw.function("percale_trainer_evaluate", long.class, long.class, long.class, long.class);

  public static long percale_trainer_evaluate(long trainer, long dataset, long out_json) {
    try {
      return (long) PERCALE_TRAINER_EVALUATE_.invokeExact(trainer, dataset, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_PUBLISH_ =
      Raw.function("percale_trainer_publish", long.class, long.class);

  public static long percale_trainer_publish(long trainer) {
    try {
      return (long) PERCALE_TRAINER_PUBLISH_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_LEARNING_RATE_ =
      Raw.function("percale_trainer_set_learning_rate", long.class, long.class, double.class);

  public static long percale_trainer_set_learning_rate(long trainer, double rate) {
    try {
      return (long) PERCALE_TRAINER_SET_LEARNING_RATE_.invokeExact(trainer, rate);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_CANCEL_ =
      Raw.function("percale_trainer_cancel", void.class, long.class);

  public static void percale_trainer_cancel(long trainer) {
    try {
      PERCALE_TRAINER_CANCEL_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_CANCELLATION_ =
      Raw.function("percale_trainer_set_cancellation", void.class, long.class, long.class);

  public static void percale_trainer_set_cancellation(long trainer, long cancellation) {
    try {
      PERCALE_TRAINER_SET_CANCELLATION_.invokeExact(trainer, cancellation);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SAVE_ =
      Raw.function("percale_trainer_save", long.class, long.class, long.class);

  public static long percale_trainer_save(long trainer, long folder) {
    try {
      return (long) PERCALE_TRAINER_SAVE_.invokeExact(trainer, folder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_RESTORE_ =
      Raw.function("percale_trainer_restore", long.class, long.class, long.class);

  public static long percale_trainer_restore(long trainer, long path) {
    try {
      return (long) PERCALE_TRAINER_RESTORE_.invokeExact(trainer, path);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_LOCK_FOLDER_ =
      Raw.function("percale_trainer_lock_folder", long.class, long.class, long.class, int.class);

  public static long percale_trainer_lock_folder(long trainer, long folder, int overwrite) {
    try {
      return (long) PERCALE_TRAINER_LOCK_FOLDER_.invokeExact(trainer, folder, overwrite);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_MODEL_ =
      Raw.function("percale_trainer_model", long.class, long.class, long.class);

  public static long percale_trainer_model(long trainer, long out_graph) {
    try {
      return (long) PERCALE_TRAINER_MODEL_.invokeExact(trainer, out_graph);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_VARIABLES_ =
      Raw.function("percale_trainer_variables", long.class, long.class, long.class);

  public static long percale_trainer_variables(long trainer, long out_variables) {
    try {
      return (long) PERCALE_TRAINER_VARIABLES_.invokeExact(trainer, out_variables);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_STEPS_ =
      Raw.getter("percale_trainer_steps", long.class, long.class);

  public static long percale_trainer_steps(long trainer) {
    try {
      return (long) PERCALE_TRAINER_STEPS_.invokeExact(trainer);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_HISTORY_ =
      Raw.function("percale_trainer_history", long.class, long.class, long.class, long.class);

  public static long percale_trainer_history(long trainer, long format, long out_text) {
    try {
      return (long) PERCALE_TRAINER_HISTORY_.invokeExact(trainer, format, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_DESCRIBE_ =
      Raw.function("percale_trainer_describe", long.class, long.class, long.class);

  public static long percale_trainer_describe(long trainer, long out_json) {
    try {
      return (long) PERCALE_TRAINER_DESCRIBE_.invokeExact(trainer, out_json);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_TRAINER_SET_TRACE_ =
      Raw.function("percale_trainer_set_trace", void.class, long.class, long.class);

  public static void percale_trainer_set_trace(long trainer, long trace) {
    try {
      PERCALE_TRAINER_SET_TRACE_.invokeExact(trainer, trace);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
