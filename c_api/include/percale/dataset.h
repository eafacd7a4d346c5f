/**
 * @file percale/dataset.h
 * Data sets: rows of tensors, in batches.
 */
#ifndef PERCALE_DATASET_H_
#define PERCALE_DATASET_H_

#include "engine.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup dataset Data sets
 * A data set gives rows with named columns, in batches. It is made from tensors, files, numbers or
 * a function, and from other data sets.
 *
 * @code
 * const char* const names[] = {"x", "y"};
 * const char* const paths[] = {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"};
 * percale_dataset* data = NULL;
 * status = percale_dataset_from_files(engine, names, paths, 2, 1.0 / 255, NULL, &data);
 * if (status == NULL) status = percale_dataset_configure(data, 64, 1, 0);
 * @endcode
 * @{
 */

/** Makes a data set from tensors in memory that all have the same first dim, the number of rows.
 * Their names become the names of feeds. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_from_tensors(percale_engine* engine,
                                                                           const char* const* names,
                                                                           percale_tensor* const* tensors, size_t count,
                                                                           percale_dataset** out_dataset);

/** Makes a data set from files: IDX (plain or gz), .npy, .npz, .safetensors, .csv or .tsv (plain or
 * gz). "file#name" selects a tensor of the file, or columns of a CSV file, separated by commas.
 * Paths are taken as they are: only those of a SPEC are searched for in PERCALE_DATA and in the
 * cache. Rows of several files with one name follow each other.
 *
 * Files are mapped if possible (percale_graph_load_file() says what that means for files that
 * change), and CSV is read when it is needed, so files may be larger than memory. Images of u8
 * become f32, multiplied by `scale` (0: they stay u8). `csv`: JSON with the rules for CSV files
 * (SPEC.md, "CSV files"), or NULL: then types and categories of columns are learnt from the whole
 * file, and percale_dataset_csv_rules() gives them for the next data set. INVALID_ARGUMENT names
 * file, line and column of a wrong field. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_from_files(percale_engine* engine,
                                                                         const char* const* names,
                                                                         const char* const* paths, size_t count,
                                                                         double scale, const char* csv,
                                                                         percale_dataset** out_dataset);

/** Gives the rules by which the data set reads its CSV files, as JSON: columns, types, categories,
 * marks of missing values. With them percale_dataset_from_files() reads other files in the same
 * way: validation data, rows to predict. A trainer writes those of its training data into its
 * model, under the key "percale.csv" of the metadata in percale_graph_describe(). An empty text if
 * the data set was not made from CSV files. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_csv_rules(const percale_dataset* dataset,
                                                                        percale_text** out_text);

/** Makes a data set whose rows are one i64 each: `start`, `start + step`, ... before `stop`.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_range(percale_engine* engine, const char* name,
                                                                    int64_t start, int64_t stop, int64_t step,
                                                                    percale_dataset** out_dataset);

/** Type of a function that writes row `row` of a data set: the elements of column i go to the
 * memory at `columns[i]`, which holds zeros. The same number must always give the same row; only
 * then a training can resume exactly. It is called on the thread that asks for the batch. A result
 * other than 0 ends that call with ABORTED. Within it percale_dataset_configure() and
 * percale_dataset_next() of this data set, and calls, saves and publishing of a trainer that asks
 * for the row, answer FAILED_PRECONDITION; all other functions may be called. \since 0.1 */
typedef int32_t (*percale_row_callback)(void* user, int64_t row, void* const* columns);

/** Makes a data set of `rows` rows that a function writes. For each of `count` columns: its name,
 * element type, and the dims of one row. `user` must stay valid until the data set, and all that
 * were made from it, are released. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_generator(
    percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims,
    const size_t* ranks, size_t count, int64_t rows, percale_row_callback callback, void* user,
    percale_dataset** out_dataset);

/** As percale_dataset_generator(). `destroy` (may be NULL) is called with `user` when the data set,
 * and all that were made from it, are released. It is not called on failure. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_generator_owned(
    percale_engine* engine, const char* const* names, const percale_dtype* dtypes, const int64_t* const* dims,
    const size_t* ranks, size_t count, int64_t rows, percale_row_callback callback, void* user, percale_destroy destroy,
    percale_dataset** out_dataset);

/** Type of a function that writes the next rows of a stream: `max_rows` of them at most, the first
 * one being row `first_row` of `epoch`, both counted from 0. The elements of column i go to the
 * memory at `columns[i]`, one row behind the other; it holds zeros. `*out_rows` becomes the number
 * of rows that were written, 0 at the end of the epoch. Rows are asked for one after the other,
 * with three exceptions. An epoch, or an evaluation, begins at row 0 again. A training that was
 * resumed goes on from the row where it stands. After an error, a batch is read from its first row
 * again.
 *
 * The function may return an error, for instance if its source cannot go there. That error ends the
 * call that asked for the rows, and the training keeps the state of its last step. OUT_OF_RANGE
 * becomes ABORTED, because percale_dataset_next() gives it at the end of an epoch. The function is
 * called on the thread that asks for the batch, and what it may call is what a percale_row_callback
 * may. \since 0.1 */
typedef percale_status* (*percale_stream_callback)(void* user, int64_t epoch, int64_t first_row, int64_t max_rows,
                                                   void* const* columns, int64_t* out_rows);

/** Makes a data set of rows that come one after the other and whose number only their end tells:
 * from a queue, a network, a file that is read once. Columns are described as for
 * percale_dataset_generator(). A stream can be configured without shuffling, read by
 * percale_dataset_next(), trained on and evaluated; FAILED_PRECONDITION where rows are wanted by
 * number: other data sets are not made from it, modes `async` and `bounded` do not train on it, and
 * in a group it is a rank's own part of the data (option `collective_data`). A fit reads one batch
 * beyond each step. Of its progress `steps`, `steps_in_epoch` and `eta_seconds` are 0, and a
 * schedule needs a length of its own. `destroy` (may be NULL) is called with `user` when the data
 * set is released; it is not called on failure. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_stream(percale_engine* engine, const char* const* names,
                                                                     const percale_dtype* dtypes,
                                                                     const int64_t* const* dims, const size_t* ranks,
                                                                     size_t count, percale_stream_callback callback,
                                                                     void* user, percale_destroy destroy,
                                                                     percale_dataset** out_dataset);

/** Makes a data set with the columns of several data sets side by side. All have the same number of
 * rows, and no two columns the same name. A data set that is made from others keeps them, and does
 * not see how they are configured. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_zip(percale_dataset* const* datasets, size_t count,
                                                                  percale_dataset** out_dataset);

/** Makes a data set with the rows of several data sets that have the same columns, one after the
 * other. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_concatenate(percale_dataset* const* datasets,
                                                                          size_t count, percale_dataset** out_dataset);

/** Makes a data set that has the rows of `dataset` `times` times. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_repeat(percale_dataset* dataset, int64_t times,
                                                                     percale_dataset** out_dataset);

/** Makes a data set of rows that a graph without variables computes. Its inputs are columns by
 * name; its outputs, of shape [?, ...], are the new columns, under their names.
 * percale_dataset_rename() gives a column its old name back. An input that is also an output stays
 * as it is. The graph runs on the rows of a batch together, on the threads of the engine.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_map(percale_dataset* dataset, const percale_graph* graph,
                                                                  percale_dataset** out_dataset);

/** Makes a data set with the same rows and other names of all columns, in order, no two the same.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_rename(percale_dataset* dataset, const char* const* names,
                                                                     size_t count, percale_dataset** out_dataset);

/** Sets batch size, shuffling (a seed, or -1 for the order of the data), and whether a short last
 * batch is dropped. Without it batches have 32 rows in the order of the data, and the last one may
 * be shorter. The "batch_size" of a SPEC is for its own data. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_configure(percale_dataset* dataset, int64_t batch_size,
                                                                        int64_t shuffle_seed, int32_t drop_remainder);

/** Splits a data set for `replicas` replicas, 1 to 65536. Of each batch of B rows `out_datasets[r]`
 * gives the rows floor(r * B / replicas) to floor((r + 1) * B / replicas) as a batch of its own,
 * so that all parts together give each row of an epoch once. Parts of a short batch may be empty.
 * Batches are those of `dataset` as it is configured now. Each part is a handle of its own, for a
 * thread of its own, and prepares its next batches ahead if the engine has threads for it.
 * FAILED_PRECONDITION: a part cannot be configured, distributed again, or made into other data
 * sets. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_distribute(percale_dataset* dataset, size_t replicas,
                                                                         percale_dataset** out_datasets);

/** Returns the number of rows; for a part of percale_dataset_distribute(), those of its share of an
 * epoch. -1 for a stream, 0 for NULL. \since 0.1 */
PERCALE_API int64_t percale_dataset_rows(const percale_dataset* dataset);

/** Returns the number of columns, which is the number of tensors that percale_dataset_next() gives;
 * 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_dataset_column_count(const percale_dataset* dataset);

/** Returns the name of a column, in the order of percale_dataset_next(); NULL past the end.
 * Borrowed. \since 0.1 */
PERCALE_API const char* percale_dataset_get_column_name(const percale_dataset* dataset, size_t index);

/** Gives the element type of a column's batches, and dims and rank of one row: a batch has its
 * number of rows before them. `out_dims` has room for 8. OUT_OF_RANGE past the end. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_column_type(const percale_dataset* dataset, size_t index,
                                                                          percale_dtype* out_dtype, int64_t* out_dims,
                                                                          size_t* out_rank);

/** Gives the next batch, one new tensor per column. OUT_OF_RANGE at the end of the epoch; the next
 * call starts the next epoch. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_dataset_next(percale_dataset* dataset,
                                                                   percale_tensor** out_tensors);

/** Adds a reference and returns `dataset`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_dataset* percale_dataset_retain(percale_dataset* dataset);

/** Releases a reference. NULL is allowed. \since 0.1 */
PERCALE_API void percale_dataset_release(percale_dataset* dataset);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_DATASET_H_ */
