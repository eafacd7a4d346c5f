// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

import static java.lang.foreign.ValueLayout.*;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of percale_dataset, as the header has them.
 */
public final class RawDataset {
  private RawDataset() {}

  private static final MethodHandle PERCALE_DATASET_FROM_TENSORS_ =
      Raw.function("percale_dataset_from_tensors",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Makes a data set from tensors in memory that all have the same first dim, the number of rows.
   * Their names become the names of feeds.
   *
   * @param engine in percale_engine*
   * @param names array const char* const*
   * @param tensors array percale_tensor* const*
   * @param count in size_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_from_tensors(MemorySegment engine, MemorySegment names, MemorySegment tensors, long count, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_FROM_TENSORS_.invokeExact(engine, names, tensors, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_FROM_FILES_ =
      Raw.function("percale_dataset_from_files",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_DOUBLE, ADDRESS, ADDRESS));

  /**
   * Makes a data set from files: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv (plain
   * or gz). "file#name" selects a tensor of the file, or columns of a CSV file, separated by
   * commas. Paths are taken as they are: only those of a SPEC are searched for in PERCALE_DATA and
   * in the cache. Rows of several files with one name follow each other.
   * <p>Files are mapped if possible (percale_graph_load_file() says what that means for files that
   * change), and CSV is read when it is needed, so files may be larger than memory. Images of u8
   * become f32, multiplied by {@code scale} (0: they stay u8). {@code csv}: JSON with the rules for
   * CSV files (SPEC.md, "CSV files"), or NULL: then types and categories of columns are learnt from
   * the whole file, and percale_dataset_csv_rules() gives them for the next data set.
   * INVALID_ARGUMENT names file, line and column of a wrong field.
   *
   * @param engine in percale_engine*
   * @param names array const char* const*
   * @param paths array const char* const*
   * @param count in size_t
   * @param scale in double
   * @param csv text const char*
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_from_files(MemorySegment engine, MemorySegment names, MemorySegment paths, long count, double scale, MemorySegment csv, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_FROM_FILES_.invokeExact(engine, names, paths, count, scale, csv, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_CSV_RULES_ =
      Raw.function("percale_dataset_csv_rules",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives the rules by which the data set reads its CSV files, as JSON: columns, types, categories,
   * marks of missing values. With them percale_dataset_from_files() reads other files in the same
   * way: validation data, rows to predict. A trainer writes those of its training data into its
   * model, under the key "percale.csv" of the metadata in percale_graph_describe(). An empty text
   * if the data set was not made from CSV files.
   *
   * @param dataset in const percale_dataset*
   * @param out_text out percale_text**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_csv_rules(MemorySegment dataset, MemorySegment out_text) {
    try {
      return (MemorySegment) PERCALE_DATASET_CSV_RULES_.invokeExact(dataset, out_text);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RANGE_ =
      Raw.function("percale_dataset_range",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS));

  /**
   * Makes a data set whose rows are one i64 each: {@code start}, {@code start + step}, ... before
   * {@code stop}.
   *
   * @param engine in percale_engine*
   * @param name text const char*
   * @param start in int64_t
   * @param stop in int64_t
   * @param step in int64_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_range(MemorySegment engine, MemorySegment name, long start, long stop, long step, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_RANGE_.invokeExact(engine, name, start, stop, step, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_GENERATOR_ =
      Raw.function("percale_dataset_generator",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Makes a data set of {@code rows} rows that a function writes. For each of {@code count}
   * columns: its name, element type, and the dims of one row. {@code user} must stay valid until
   * the data set, and all that were made from it, are released.
   *
   * @param engine in percale_engine*
   * @param names array const char* const*
   * @param dtypes array const percale_dtype*
   * @param dims array const int64_t* const*
   * @param ranks array const size_t*
   * @param count in size_t
   * @param rows in int64_t
   * @param callback callback percale_row_callback
   * @param user user void*
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_generator(MemorySegment engine, MemorySegment names, MemorySegment dtypes, MemorySegment dims, MemorySegment ranks, long count, long rows, MemorySegment callback, MemorySegment user, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_GENERATOR_.invokeExact(engine, names, dtypes, dims, ranks, count, rows, callback, user, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_GENERATOR_OWNED_ =
      Raw.function("percale_dataset_generator_owned",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * As percale_dataset_generator(). {@code destroy} (may be NULL) is called with {@code user} when
   * the data set, and all that were made from it, are released. It is not called on failure.
   *
   * @param engine in percale_engine*
   * @param names array const char* const*
   * @param dtypes array const percale_dtype*
   * @param dims array const int64_t* const*
   * @param ranks array const size_t*
   * @param count in size_t
   * @param rows in int64_t
   * @param callback callback percale_row_callback
   * @param user user void*
   * @param destroy destroy percale_destroy
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_generator_owned(MemorySegment engine, MemorySegment names, MemorySegment dtypes, MemorySegment dims, MemorySegment ranks, long count, long rows, MemorySegment callback, MemorySegment user, MemorySegment destroy, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_GENERATOR_OWNED_.invokeExact(engine, names, dtypes, dims, ranks, count, rows, callback, user, destroy, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_STREAM_ =
      Raw.function("percale_dataset_stream",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Makes a data set of rows that come one after the other and whose number only their end tells:
   * from a queue, a network, a file that is read once. Columns are described as for
   * percale_dataset_generator(). A stream can be configured without shuffling, read by
   * percale_dataset_next(), trained on and evaluated; FAILED_PRECONDITION where rows are wanted by
   * number: other data sets are not made from it, modes {@code async} and {@code bounded} do not
   * train on it, and in a group it is a rank's own part of the data (option {@code
   * collective_data}). A fit reads one batch beyond each step. Of its progress {@code steps},
   * {@code steps_in_epoch} and {@code eta_seconds} are 0, and a schedule needs a length of its own.
   * {@code destroy} (may be NULL) is called with {@code user} when the data set is released; it is
   * not called on failure.
   *
   * @param engine in percale_engine*
   * @param names array const char* const*
   * @param dtypes array const percale_dtype*
   * @param dims array const int64_t* const*
   * @param ranks array const size_t*
   * @param count in size_t
   * @param callback callback percale_stream_callback
   * @param user user void*
   * @param destroy destroy percale_destroy
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_stream(MemorySegment engine, MemorySegment names, MemorySegment dtypes, MemorySegment dims, MemorySegment ranks, long count, MemorySegment callback, MemorySegment user, MemorySegment destroy, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_STREAM_.invokeExact(engine, names, dtypes, dims, ranks, count, callback, user, destroy, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_ZIP_ =
      Raw.function("percale_dataset_zip",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Makes a data set with the columns of several data sets side by side. All have the same number
   * of rows, and no two columns the same name. A data set that is made from others keeps them, and
   * does not see how they are configured.
   *
   * @param datasets array percale_dataset* const*
   * @param count in size_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_zip(MemorySegment datasets, long count, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_ZIP_.invokeExact(datasets, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_CONCATENATE_ =
      Raw.function("percale_dataset_concatenate",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Makes a data set with the rows of several data sets that have the same columns, one after the
   * other.
   *
   * @param datasets array percale_dataset* const*
   * @param count in size_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_concatenate(MemorySegment datasets, long count, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_CONCATENATE_.invokeExact(datasets, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_REPEAT_ =
      Raw.function("percale_dataset_repeat",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Makes a data set that has the rows of {@code dataset} {@code times} times.
   *
   * @param dataset in percale_dataset*
   * @param times in int64_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_repeat(MemorySegment dataset, long times, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_REPEAT_.invokeExact(dataset, times, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_MAP_ =
      Raw.function("percale_dataset_map",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Makes a data set of rows that a graph without variables computes. Its inputs are columns by
   * name; its outputs, of shape [?, ...], are the new columns, under their names.
   * percale_dataset_rename() gives a column its old name back. An input that is also an output
   * stays as it is. The graph runs on the rows of a batch together, on the threads of the engine.
   *
   * @param dataset in percale_dataset*
   * @param graph in const percale_graph*
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_map(MemorySegment dataset, MemorySegment graph, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_MAP_.invokeExact(dataset, graph, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RENAME_ =
      Raw.function("percale_dataset_rename",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Makes a data set with the same rows and other names of all columns, in order, no two the same.
   *
   * @param dataset in percale_dataset*
   * @param names array const char* const*
   * @param count in size_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_rename(MemorySegment dataset, MemorySegment names, long count, MemorySegment out_dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_RENAME_.invokeExact(dataset, names, count, out_dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_CONFIGURE_ =
      Raw.function("percale_dataset_configure",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT));

  /**
   * Sets batch size, shuffling (a seed, or -1 for the order of the data), and whether a short last
   * batch is dropped. Without it batches have 32 rows in the order of the data, and the last one
   * may be shorter. The "batch_size" of a SPEC is for its own data.
   *
   * @param dataset in percale_dataset*
   * @param batch_size in int64_t
   * @param shuffle_seed in int64_t
   * @param drop_remainder in int32_t
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_configure(MemorySegment dataset, long batch_size, long shuffle_seed, int drop_remainder) {
    try {
      return (MemorySegment) PERCALE_DATASET_CONFIGURE_.invokeExact(dataset, batch_size, shuffle_seed, drop_remainder);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_DISTRIBUTE_ =
      Raw.function("percale_dataset_distribute",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));

  /**
   * Splits a data set for {@code replicas} replicas, 1 to 65536. Of each batch of B rows {@code
   * out_datasets[r]} gives the rows floor(r * B / replicas) to floor((r + 1) * B / replicas) as a
   * batch of its own, so that all parts together give each row of an epoch once. Parts of a short
   * batch may be empty. Batches are those of {@code dataset} as it is configured now. Each part is
   * a handle of its own, for a thread of its own, and prepares its next batches ahead if the engine
   * has threads for it. FAILED_PRECONDITION: a part cannot be configured, distributed again, or
   * made into other data sets.
   *
   * @param dataset in percale_dataset*
   * @param replicas in size_t
   * @param out_datasets out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_distribute(MemorySegment dataset, long replicas, MemorySegment out_datasets) {
    try {
      return (MemorySegment) PERCALE_DATASET_DISTRIBUTE_.invokeExact(dataset, replicas, out_datasets);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_ROWS_ =
      Raw.getter("percale_dataset_rows",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the number of rows; for a part of percale_dataset_distribute(), those of its share of
   * an epoch. -1 for a stream, 0 for NULL.
   *
   * @param dataset in const percale_dataset*
   * @return int64_t
   */
  public static long percale_dataset_rows(MemorySegment dataset) {
    try {
      return (long) PERCALE_DATASET_ROWS_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_COLUMN_COUNT_ =
      Raw.getter("percale_dataset_column_count",
          FunctionDescriptor.of(JAVA_LONG, ADDRESS));

  /**
   * Returns the number of columns, which is the number of tensors that percale_dataset_next()
   * gives; 0 for NULL.
   *
   * @param dataset in const percale_dataset*
   * @return size_t
   */
  public static long percale_dataset_column_count(MemorySegment dataset) {
    try {
      return (long) PERCALE_DATASET_COLUMN_COUNT_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_GET_COLUMN_NAME_ =
      Raw.getter("percale_dataset_get_column_name",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));

  /**
   * Returns the name of a column, in the order of percale_dataset_next(); NULL past the end.
   * Borrowed.
   *
   * @param dataset in const percale_dataset*
   * @param index in size_t
   * @return const char*
   */
  public static MemorySegment percale_dataset_get_column_name(MemorySegment dataset, long index) {
    try {
      return (MemorySegment) PERCALE_DATASET_GET_COLUMN_NAME_.invokeExact(dataset, index);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_COLUMN_TYPE_ =
      Raw.function("percale_dataset_column_type",
          FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives the element type of a column's batches, and dims and rank of one row: a batch has its
   * number of rows before them. {@code out_dims} has room for 8. OUT_OF_RANGE past the end.
   *
   * @param dataset in const percale_dataset*
   * @param index in size_t
   * @param out_dtype out percale_dtype*
   * @param out_dims out int64_t*
   * @param out_rank out size_t*
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_column_type(MemorySegment dataset, long index, MemorySegment out_dtype, MemorySegment out_dims, MemorySegment out_rank) {
    try {
      return (MemorySegment) PERCALE_DATASET_COLUMN_TYPE_.invokeExact(dataset, index, out_dtype, out_dims, out_rank);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_NEXT_ =
      Raw.function("percale_dataset_next",
          FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /**
   * Gives the next batch, one new tensor per column. OUT_OF_RANGE at the end of the epoch; the next
   * call starts the next epoch.
   *
   * @param dataset in percale_dataset*
   * @param out_tensors out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static MemorySegment percale_dataset_next(MemorySegment dataset, MemorySegment out_tensors) {
    try {
      return (MemorySegment) PERCALE_DATASET_NEXT_.invokeExact(dataset, out_tensors);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RETAIN_ =
      Raw.function("percale_dataset_retain",
          FunctionDescriptor.of(ADDRESS, ADDRESS));

  /**
   * Adds a reference and returns {@code dataset}. NULL is allowed and returned.
   *
   * @param dataset in percale_dataset*
   * @return percale_dataset*
   */
  public static MemorySegment percale_dataset_retain(MemorySegment dataset) {
    try {
      return (MemorySegment) PERCALE_DATASET_RETAIN_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }

  private static final MethodHandle PERCALE_DATASET_RELEASE_ =
      Raw.function("percale_dataset_release",
          FunctionDescriptor.ofVoid(ADDRESS));

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param dataset in percale_dataset*
   */
  public static void percale_dataset_release(MemorySegment dataset) {
    try {
      PERCALE_DATASET_RELEASE_.invokeExact(dataset);
    } catch (Throwable error) {
      throw Raw.unexpected(error);
    }
  }
}
