// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import java.lang.invoke.MethodHandle;

/**
 * RawDataset through java.lang.foreign, for Java 22 and newer.
 */
public final class RawDataset {
  private RawDataset() {}

  private static final MethodHandle PERCALE_DATASET_FROM_TENSORS_ =
      Raw.function("percale_dataset_from_tensors", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_from_tensors(long engine, long names, long tensors, long count, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_FROM_TENSORS_.invokeExact(engine, names, tensors, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_FROM_FILES_ =
      Raw.function("percale_dataset_from_files", long.class, long.class, long.class, long.class, long.class, double.class, long.class, long.class);

  public static long percale_dataset_from_files(long engine, long names, long paths, long count, double scale, long csv, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_FROM_FILES_.invokeExact(engine, names, paths, count, scale, csv, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_CSV_RULES_ =
      Raw.function("percale_dataset_csv_rules", long.class, long.class, long.class);

  public static long percale_dataset_csv_rules(long dataset, long out_text) {
    try {
      return (long) PERCALE_DATASET_CSV_RULES_.invokeExact(dataset, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RANGE_ =
      Raw.function("percale_dataset_range", long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_range(long engine, long name, long start, long stop, long step, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_RANGE_.invokeExact(engine, name, start, stop, step, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_GENERATOR_ =
      Raw.function("percale_dataset_generator", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_generator(long engine, long names, long dtypes, long dims, long ranks, long count, long rows, long callback, long user, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_GENERATOR_.invokeExact(engine, names, dtypes, dims, ranks, count, rows, callback, user, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_GENERATOR_OWNED_ =
      Raw.function("percale_dataset_generator_owned", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_generator_owned(long engine, long names, long dtypes, long dims, long ranks, long count, long rows, long callback, long user, long destroy, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_GENERATOR_OWNED_.invokeExact(engine, names, dtypes, dims, ranks, count, rows, callback, user, destroy, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_STREAM_ =
      Raw.function("percale_dataset_stream", long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_stream(long engine, long names, long dtypes, long dims, long ranks, long count, long callback, long user, long destroy, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_STREAM_.invokeExact(engine, names, dtypes, dims, ranks, count, callback, user, destroy, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_ZIP_ =
      Raw.function("percale_dataset_zip", long.class, long.class, long.class, long.class);

  public static long percale_dataset_zip(long datasets, long count, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_ZIP_.invokeExact(datasets, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_CONCATENATE_ =
      Raw.function("percale_dataset_concatenate", long.class, long.class, long.class, long.class);

  public static long percale_dataset_concatenate(long datasets, long count, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_CONCATENATE_.invokeExact(datasets, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_REPEAT_ =
      Raw.function("percale_dataset_repeat", long.class, long.class, long.class, long.class);

  public static long percale_dataset_repeat(long dataset, long times, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_REPEAT_.invokeExact(dataset, times, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_MAP_ =
      Raw.function("percale_dataset_map", long.class, long.class, long.class, long.class);

  public static long percale_dataset_map(long dataset, long graph, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_MAP_.invokeExact(dataset, graph, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RENAME_ =
      Raw.function("percale_dataset_rename", long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_rename(long dataset, long names, long count, long out_dataset) {
    try {
      return (long) PERCALE_DATASET_RENAME_.invokeExact(dataset, names, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_CONFIGURE_ =
      Raw.function("percale_dataset_configure", long.class, long.class, long.class, long.class, int.class);

  public static long percale_dataset_configure(long dataset, long batch_size, long shuffle_seed, int drop_remainder) {
    try {
      return (long) PERCALE_DATASET_CONFIGURE_.invokeExact(dataset, batch_size, shuffle_seed, drop_remainder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_DISTRIBUTE_ =
      Raw.function("percale_dataset_distribute", long.class, long.class, long.class, long.class);

  public static long percale_dataset_distribute(long dataset, long replicas, long out_datasets) {
    try {
      return (long) PERCALE_DATASET_DISTRIBUTE_.invokeExact(dataset, replicas, out_datasets);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_ROWS_ =
      Raw.getter("percale_dataset_rows", long.class, long.class);

  public static long percale_dataset_rows(long dataset) {
    try {
      return (long) PERCALE_DATASET_ROWS_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_COLUMN_COUNT_ =
      Raw.getter("percale_dataset_column_count", long.class, long.class);

  public static long percale_dataset_column_count(long dataset) {
    try {
      return (long) PERCALE_DATASET_COLUMN_COUNT_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_GET_COLUMN_NAME_ =
      Raw.getter("percale_dataset_get_column_name", long.class, long.class, long.class);

  public static long percale_dataset_get_column_name(long dataset, long index) {
    try {
      return (long) PERCALE_DATASET_GET_COLUMN_NAME_.invokeExact(dataset, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_COLUMN_TYPE_ =
      Raw.function("percale_dataset_column_type", long.class, long.class, long.class, long.class, long.class, long.class);

  public static long percale_dataset_column_type(long dataset, long index, long out_dtype, long out_dims, long out_rank) {
    try {
      return (long) PERCALE_DATASET_COLUMN_TYPE_.invokeExact(dataset, index, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_NEXT_ =
      Raw.function("percale_dataset_next", long.class, long.class, long.class);

  public static long percale_dataset_next(long dataset, long out_tensors) {
    try {
      return (long) PERCALE_DATASET_NEXT_.invokeExact(dataset, out_tensors);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RETAIN_ =
      Raw.function("percale_dataset_retain", long.class, long.class);

  public static long percale_dataset_retain(long dataset) {
    try {
      return (long) PERCALE_DATASET_RETAIN_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RELEASE_ =
      Raw.function("percale_dataset_release", void.class, long.class);

  public static void percale_dataset_release(long dataset) {
    try {
      PERCALE_DATASET_RELEASE_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
