/* The model and the data that the tests of what a host supplies share, and the entry points of
 * their files. */
#ifndef PERCALE_TESTS_C_API_HOST_HOST_FIXTURE_H_
#define PERCALE_TESTS_C_API_HOST_HOST_FIXTURE_H_

#include "check.h"

enum { ROWS = 64, WIDE = 256 };

/* Set by main(). The folder exists and is writable. */
extern char folder[3000];

/* y = relu(Dense(x)), x: [ROWS, WIDE], large enough for loops of several pieces. */
percale_graph* make_graph(percale_engine* engine);

/* A new table with the seed 3. */
percale_variables* make_variables(percale_engine* engine, const percale_graph* graph);

/* [ROWS, WIDE], always the same. */
percale_tensor* make_x(percale_engine* engine);

/* An engine with 4 threads. Releases the options. */
percale_engine* engine_of(percale_options* options);

percale_options* engine_options(void);

/* Runs y for make_x(). The status is that of the run. */
percale_status* run_model(percale_session* session, percale_tensor* x, percale_tensor** y);

/* 1 if both have the same bytes. */
int same_tensor(const percale_tensor* a, const percale_tensor* b);

/* The bytes of a file, 64-byte aligned, which the caller frees. */
unsigned char* contents(const char* path, size_t* size);

/* A path in the folder. */
const char* in_folder(const char* name);

/* The value of a number in the metrics of the engine; -1 if there is none. */
double metric(const percale_engine* engine, const char* key);

/* Each runs the test cases of its file. */
void test_memory(void);
void test_readers(void);
void test_thread_pools(void);

#endif /* PERCALE_TESTS_C_API_HOST_HOST_FIXTURE_H_ */
