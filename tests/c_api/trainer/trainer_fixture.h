/* The engine, the graph, the data and the trainers that the tests of trainers share, and the
 * entry points of their files. */
#ifndef PERCALE_TESTS_C_API_TRAINER_TRAINER_FIXTURE_H_
#define PERCALE_TESTS_C_API_TRAINER_TRAINER_FIXTURE_H_

#include "check.h"

enum { ROWS = 40 };

/* Set by main(). The folder exists and is writable. */
extern percale_engine* engine;
extern char folder[3000];

/* y = Dense(x); loss = mean((y - t)^2). */
percale_graph* make_graph(void);

/* ROWS rows of x and t. */
void make_tensors(percale_tensor** x, percale_tensor** t);

/* The same rows in batches of 8. */
percale_dataset* make_data(void);

percale_trainer* make_trainer(const percale_graph* graph);

/* A trainer with metrics; `validation` may be NULL. */
percale_trainer* make_measured(const percale_graph* graph, const char* metrics, percale_dataset* validation);

/* Writes the digest of the trainer's variables. */
void digest_of(percale_trainer* trainer, char* out, size_t room);

/* The totals that watch() keeps of the steps that it was told about. */
typedef struct seen {
  percale_trainer* trainer;
  int64_t steps, epochs, stop_after;
  double last_loss, sum; /* sum: total of the epoch's losses */
} seen;

/* A progress callback for epochs of 5 steps. `user` is a `seen`; stops after step `stop_after`. */
int32_t watch(void* user, const percale_progress* progress);

/* Each runs the test cases of its file. */
void test_checkpoints(void);
void test_clusters(void);
void test_groups(void);
void test_losses_and_metrics(void);
void test_options(void);
void test_steps(void);

#endif /* PERCALE_TESTS_C_API_TRAINER_TRAINER_FIXTURE_H_ */
