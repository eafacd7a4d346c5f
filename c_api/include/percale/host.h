/**
 * @file percale/host.h
 * Parts that a host can supply: its threads, and the files of models.
 */
#ifndef PERCALE_HOST_H_
#define PERCALE_HOST_H_

#include "engine.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup host Supplied by the host
 * An engine can compute on the thread pool of its host, and read models through a function of the
 * host: from an archive, a database, or decrypted on the way. Both are given with the options.
 *
 * @code
 * static percale_status* execute(void* user, percale_task* task) {
 *   return my_pool_submit(user, run_task, task);  // run_task: percale_task_run(), then _release()
 * }
 *
 * percale_thread_pool pool = {sizeof pool, &my_pool, execute};
 * status = percale_options_set_thread_pool(options, &pool, NULL);
 * if (status == NULL) status = percale_engine_create(options, &engine);
 * @endcode
 * @{
 */

/** Takes over a task, to be run on any thread, at once or later: percale_task_run(), then
 * percale_task_release(), by whichever thread. Returns NULL, or a status that the library releases
 * (percale_status_create()); then the task stays with the library, and the run or the step of
 * training that needed the pool returns the status.
 *
 * The library never waits for a task that has not begun: the calling thread does the work that no
 * task has taken. A pool of one thread, a pool that runs tasks at once on the calling thread, and
 * runs that are started within the pool therefore come to an end. Tasks may run in any order and
 * at the same time. Any thread may call the function. It must not block, and must not call
 * functions of the same engine except within the task. \since 0.1 */
typedef percale_status* (*percale_execute_function)(void* user, percale_task* task);

/** A thread pool of the host. \since 0.1 */
typedef struct percale_thread_pool {
  uint32_t struct_size;             /**< sizeof(percale_thread_pool), which the host sets */
  void* user;                       /**< passed to the function */
  percale_execute_function execute; /**< required */
} percale_thread_pool;

/** Makes engines of these options compute on the host's threads. They then start no threads that
 * compute: loops of kernels, asynchronous runs and batches of data are tasks of the pool, or work
 * of the calling thread. The option "threads" is the number of threads that one loop uses at most,
 * the calling one included. Results have the same bits as with the engine's own threads. `options`
 * are of kind "engine". Training has a thread of its own for each device that works from a stream
 * or whose shards meet within a step (synchronized batch normalization), and for the exchange in a
 * group.
 *
 * The library copies the table. `destroy` (may be NULL) is called with its `user` when the options
 * and all engines made with them are gone, or when another call replaces the pool; not on failure.
 * Tasks that begin after that return at once. An asynchronous run that waits for a queue or a mutex
 * holds the thread that it has. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set_thread_pool(percale_options* options,
                                                                              const percale_thread_pool* pool,
                                                                              percale_destroy destroy);

/** Runs the task on the calling thread. A second call does nothing. NULL is allowed. \since 0.1 */
PERCALE_API void percale_task_run(percale_task* task);

/** Releases the task, which need not have been run. NULL is allowed. \since 0.1 */
PERCALE_API void percale_task_release(percale_task* task);

/** Gives the size of a file in bytes. `name` is the path without "host:". Returns NULL, or a status
 * that the library releases (percale_status_create()): NOT_FOUND if there is no such file.
 * \since 0.1 */
typedef percale_status* (*percale_file_size_function)(void* user, const char* name, int64_t* out_size);

/** Reads `size` bytes from byte `offset` of a file into `buffer`: all of them, or it returns a
 * status. The library reads no byte past the size that it was given, and none twice for one model.
 * \since 0.1 */
typedef percale_status* (*percale_file_read_function)(void* user, const char* name, int64_t offset, void* buffer,
                                                      size_t size);

/** Files of the host. Several threads may call the functions at a time, within calls of the host
 * that read files. They must not use objects that the same call uses. \since 0.1 */
typedef struct percale_reader {
  uint32_t struct_size;            /**< sizeof(percale_reader), which the host sets */
  void* user;                      /**< passed to the functions */
  percale_file_size_function size; /**< required */
  percale_file_read_function read; /**< required */
} percale_reader;

/** Lets engines of these options read files of the host. Wherever they take a path to read from, a
 * path that begins with "host:" names such a file: graphs, models to import, weights, tensors, data
 * sets, the models of a SPEC, checkpoints. The host gets the name behind "host:". Other paths are
 * files of the system as ever.
 *
 * A file is read when the call that names it runs, once and into memory that the engine counts;
 * tensors then lie in that memory. Files that a model names itself, such as the external data of
 * ONNX, are read by their path beside the model, and only the bytes that tensors need: the model
 * "host:m/model.onnx" with the data "weights.bin" reads "m/weights.bin". A checkpoint is named by
 * its folder, "host:run/step-7", because the files of a host cannot be listed. A status of the
 * reader is passed on with the path in front. Nothing is written through a reader.
 *
 * The library copies the table. `destroy` (may be NULL) is called with its `user` when the options
 * and all engines made with them are gone, or when another call replaces the reader; not on
 * failure. `options` are of kind "engine".
 *
 * @code
 * percale_reader reader = {sizeof reader, &archive, archive_size, archive_read};
 * status = percale_options_set_reader(options, &reader, NULL);
 * if (status == NULL) status = percale_engine_create(options, &engine);
 * if (status == NULL) status = percale_graph_load_file(engine, "host:digits.percale", &graph);
 * @endcode
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_options_set_reader(percale_options* options,
                                                                         const percale_reader* reader,
                                                                         percale_destroy destroy);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_HOST_H_ */
