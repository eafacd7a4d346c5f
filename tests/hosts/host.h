/* Helpers shared by the host programs: small models, and counts that the system reports for the
 * process. A function that returns an error has released everything that it made. */
#ifndef PERCALE_TESTS_HOSTS_HOST_H_
#define PERCALE_TESTS_HOSTS_HOST_H_

#include <percale.h>

enum { HOST_ROWS = 16, HOST_SKIPPED = 77 };

/* Stores the status of the call in `status`, which the function declares, and jumps to `out` on an
 * error. */
#define TRY(call)                 \
  do {                            \
    status = (call);              \
    if (status != NULL) goto out; \
  } while (0)

/* A convolutional net with inputs x f32 [-1,8,8,1] and t f32 [-1,3], outputs "y" and the scalar
 * "loss". */
percale_status* host_make_graph(percale_engine* engine, percale_graph** out_graph);
/* A graph that is planned in several parts: inputs x f32 [-1], c bool [] and n i64 [1], outputs
 * "chosen" (an If over x) and "filled" (zeros of the shape that n holds). */
percale_status* host_make_staged_graph(percale_engine* engine, percale_graph** out_graph);
/* x and t for `rows` rows of the first graph. */
percale_status* host_make_batch(percale_engine* engine, int64_t rows, percale_tensor* out_tensors[2]);
/* Makes a trainer for the first graph with Adam and a fixed seed. */
percale_status* host_make_trainer(percale_engine* engine, const percale_graph* graph, percale_trainer** out_trainer);
/* Runs one step on a batch of host_make_batch(). */
percale_status* host_step(percale_trainer* trainer, percale_tensor* const batch[2]);
/* Computes "y" of the first graph for x. */
percale_status* host_run(percale_session* session, percale_tensor* x, percale_tensor** out_y);
/* Stores the digest of a trainer's variables, NUL-terminated. */
percale_status* host_digest(percale_trainer* trainer, char out[128]);
/* The engine's option "onednn", initially "auto". oneDNN allocates in each run and does not
 * survive a failing allocation. */
extern const char* host_onednn;
/* Makes an engine with one option, or with the defaults if `key` is NULL. It has one thread unless
 * `threads` is given. */
percale_status* host_make_engine(int64_t threads, const char* key, int64_t value, percale_engine** out_engine);

/* Returns the number of entries of a folder; -1 if it cannot be read. "/proc/self/fd" and
 * "/proc/self/task" count files and threads. */
int64_t host_count_entries(const char* folder);
/* Returns the resident memory of the process in bytes. */
int64_t host_resident_bytes(void);
/* Removes a file, or a folder with its contents, if it exists. */
void host_remove_tree(const char* path);
/* Returns the monotonic clock in ns. */
int64_t host_now(void);

#endif /* PERCALE_TESTS_HOSTS_HOST_H_ */
