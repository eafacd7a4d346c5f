/* The scenarios of out_of_memory.c: operations that may run out of memory, and the objects that
 * they share. */
#ifndef PERCALE_TESTS_HOSTS_OUT_OF_MEMORY_SCENARIO_H_
#define PERCALE_TESTS_HOSTS_OUT_OF_MEMORY_SCENARIO_H_

#include "check.h"
#include "host.h"

/* One operation that may run out of memory, and a check that everything is in order afterwards. */
typedef struct scenario {
  const char* name;
  percale_status* (*attempt)(void);
  void (*use_afterwards)(int failed); /* called after each attempt, without failures */
  /* Larger strides of k, because there are many similar allocations. */
  int coarse;
} scenario;

/* Each table ends with a scenario without a name. */
extern const scenario host_scenarios[];
extern const scenario model_scenarios[];
extern const scenario run_scenarios[];
extern const scenario training_scenarios[];

/* Made by set_up(), and released by take_down(). */
extern percale_engine *engine, *threaded;
extern percale_graph *graph, *staged;
extern percale_variables* variables;
extern percale_session *session, *staged_session;
extern percale_call* call;
extern percale_trainer *trainer, *second;
extern percale_dataset *data, *threaded_data;
extern percale_tensor *batch[2], *large[2], *answer, *output, *line, *condition, *count;
extern char folder[3000], graph_path[4000], values_path[4000], array_path[4000], checkpoints[4000];
extern percale_text* graph_bytes;
extern percale_text* model_bytes; /* NULL if the plug-in for the format is missing */
extern char digest[128];          /* of the trainer after its last step */
extern int64_t steps;             /* of the trainer */

void set_up(void);
void take_down(void);

/* A queue of at most 2 f32: the target "put" enqueues x, the fetch "got" dequeues. */
void make_queue_session(void);
void release_queue_session(void);

void check_answer(percale_tensor* y);
/* The engine and the session that all scenarios share still work. */
void a_run_gives_the_same_bits(int failed);
/* All successful steps lead to the same state as without failures. */
void the_steps_were_the_same_as_without_failures(void);

#endif /* PERCALE_TESTS_HOSTS_OUT_OF_MEMORY_SCENARIO_H_ */
