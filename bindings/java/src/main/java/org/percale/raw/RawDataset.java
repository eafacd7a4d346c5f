// Written by bindings/gen from c_api/include/percale.h; changes belong there.
package org.percale.raw;

/**
 * The functions of percale_dataset, as the header has them.
 */
public final class RawDataset {
  private RawDataset() {}

  static {
    Raw.bind(RawDataset.class);
  }

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
  public static native long percale_dataset_from_tensors(long engine, long names, long tensors, long count, long out_dataset);

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
  public static native long percale_dataset_from_files(long engine, long names, long paths, long count, double scale, long csv, long out_dataset);

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
  public static native long percale_dataset_csv_rules(long dataset, long out_text);

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
  public static native long percale_dataset_range(long engine, long name, long start, long stop, long step, long out_dataset);

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
  public static native long percale_dataset_generator(long engine, long names, long dtypes, long dims, long ranks, long count, long rows, long callback, long user, long out_dataset);

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
  public static native long percale_dataset_generator_owned(long engine, long names, long dtypes, long dims, long ranks, long count, long rows, long callback, long user, long destroy, long out_dataset);

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
  public static native long percale_dataset_stream(long engine, long names, long dtypes, long dims, long ranks, long count, long callback, long user, long destroy, long out_dataset);

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
  public static native long percale_dataset_zip(long datasets, long count, long out_dataset);

  /**
   * Makes a data set with the rows of several data sets that have the same columns, one after the
   * other.
   *
   * @param datasets array percale_dataset* const*
   * @param count in size_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_dataset_concatenate(long datasets, long count, long out_dataset);

  /**
   * Makes a data set that has the rows of {@code dataset} {@code times} times.
   *
   * @param dataset in percale_dataset*
   * @param times in int64_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_dataset_repeat(long dataset, long times, long out_dataset);

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
  public static native long percale_dataset_map(long dataset, long graph, long out_dataset);

  /**
   * Makes a data set with the same rows and other names of all columns, in order, no two the same.
   *
   * @param dataset in percale_dataset*
   * @param names array const char* const*
   * @param count in size_t
   * @param out_dataset out percale_dataset**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_dataset_rename(long dataset, long names, long count, long out_dataset);

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
  public static native long percale_dataset_configure(long dataset, long batch_size, long shuffle_seed, int drop_remainder);

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
  public static native long percale_dataset_distribute(long dataset, long replicas, long out_datasets);

  /**
   * Returns the number of rows; for a part of percale_dataset_distribute(), those of its share of
   * an epoch. -1 for a stream, 0 for NULL.
   *
   * @param dataset in const percale_dataset*
   * @return int64_t
   */
  public static native long percale_dataset_rows(long dataset);

  /**
   * Returns the number of columns, which is the number of tensors that percale_dataset_next()
   * gives; 0 for NULL.
   *
   * @param dataset in const percale_dataset*
   * @return size_t
   */
  public static native long percale_dataset_column_count(long dataset);

  /**
   * Returns the name of a column, in the order of percale_dataset_next(); NULL past the end.
   * Borrowed.
   *
   * @param dataset in const percale_dataset*
   * @param index in size_t
   * @return const char*
   */
  public static native long percale_dataset_get_column_name(long dataset, long index);

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
  public static native long percale_dataset_column_type(long dataset, long index, long out_dtype, long out_dims, long out_rank);

  /**
   * Gives the next batch, one new tensor per column. OUT_OF_RANGE at the end of the epoch; the next
   * call starts the next epoch.
   *
   * @param dataset in percale_dataset*
   * @param out_tensors out percale_tensor**
   * @return NULL, or the error, which the caller releases
   */
  public static native long percale_dataset_next(long dataset, long out_tensors);

  /**
   * Adds a reference and returns {@code dataset}. NULL is allowed and returned.
   *
   * @param dataset in percale_dataset*
   * @return percale_dataset*
   */
  public static native long percale_dataset_retain(long dataset);

  /**
   * Releases a reference. NULL is allowed.
   *
   * @param dataset in percale_dataset*
   */
  public static native void percale_dataset_release(long dataset);
}
