/* Checks a forked process: objects of its parent return the error "forked"; it may make an engine
 * of its own, exec, and exit; the parent continues.
 * Usage: forked (the program calls itself) */
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

static percale_engine* engine = NULL;
static percale_graph* graph = NULL;
static percale_variables* variables = NULL;
static percale_session* session = NULL;
static percale_trainer* trainer = NULL;
static percale_tensor *batch[2], *answer = NULL;
static percale_event* event = NULL;
static percale_dataset *rows = NULL, *part = NULL;

static void runs(percale_session* with) {
  percale_tensor* y = NULL;
  OK(host_run(with, batch[0], &y));
  CHECK(y != NULL && memcmp(percale_tensor_get_data(y), percale_tensor_get_data(answer), percale_tensor_bytes(y)) == 0);
  percale_tensor_release(y);
}

/* Leaves threads of the library asleep: one that has carried out an asynchronous run, and one that
 * has made all batches that it may make ahead. */
static void leave_threads(void) {
  static const char* const names[2] = {"x", "t"};
  percale_tensor* first[2] = {NULL, NULL};
  OK(percale_session_run_async(session, names, batch, 1, (const char* const[]){"y"}, 1, NULL, 0, PERCALE_FOREVER,
                               &event));
  while (percale_event_poll(event) == 0) usleep(1000);
  OK(percale_dataset_from_tensors(engine, names, batch, 2, &rows));
  OK(percale_dataset_distribute(rows, 1, &part));
  OK(percale_dataset_next(part, first));
  percale_tensor_release(first[0]);
  percale_tensor_release(first[1]);
  usleep(50000); /* until both sleep */
}

static void release_all(void) {
  percale_event_release(event);
  percale_dataset_release(part);
  percale_dataset_release(rows);
  percale_tensor_release(answer);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_trainer_release(trainer);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

/* In the child, all inherited objects refuse calls and can be released. A new engine works with
 * the same graph file. */
static void the_child_is_told(void) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims = percale_tensor_get_dims(batch[0]);
  const size_t rank = 4;
  percale_tensor *y = NULL, *own_batch[2];
  percale_call* call = NULL;
  percale_event* refused_event = NULL;
  percale_engine* own = NULL;
  percale_graph* own_graph = NULL;
  percale_trainer *own_trainer = NULL, *refused = NULL;
  FAILS(host_run(session, batch[0], &y), PERCALE_FAILED_PRECONDITION, "forked");
  FAILS(percale_call_create(session, feeds, &dtype, &dims, &rank, 1, fetches, 1, &call), PERCALE_FAILED_PRECONDITION,
        "forked");
  FAILS(percale_session_run_async(session, feeds, batch, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &refused_event),
        PERCALE_FAILED_PRECONDITION, "forked");
  FAILS(percale_dataset_next(part, own_batch), PERCALE_FAILED_PRECONDITION, "forked");
  FAILS(host_step(trainer, batch), PERCALE_FAILED_PRECONDITION, "forked");
  FAILS(host_make_trainer(engine, graph, &refused), PERCALE_FAILED_PRECONDITION, "forked");
  OK(host_make_engine(3, NULL, 0, &own));
  OK(host_make_graph(own, &own_graph));
  OK(host_make_batch(own, 256, own_batch));
  OK(host_make_trainer(own, own_graph, &own_trainer));
  OK(host_step(own_trainer, own_batch));
  percale_trainer_release(own_trainer);
  percale_tensor_release(own_batch[0]);
  percale_tensor_release(own_batch[1]);
  percale_graph_release(own_graph);
  percale_engine_release(own);
  release_all();
}

/* Gives the session so many runs that the last one is not over soon. */
static percale_event* give_many_runs(void) {
  percale_event* last = NULL;
  for (int i = 0; i < 64; ++i) {
    percale_event_release(last);
    OK(percale_session_run_async(session, (const char* const[]){"x"}, batch, 1, (const char* const[]){"y"}, 1, NULL, 0,
                                 PERCALE_FOREVER, &last));
  }
  return last;
}

static void child_ends_well(pid_t child) {
  int how = -1;
  CHECK(child > 0 && waitpid(child, &how, 0) == child);
  CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

int main(int argc, char** argv) {
  pid_t child;
  percale_event* last;
  if (argc > 1) return strcmp(argv[1], "after-exec") == 0 ? 0 : 2;
  alarm(50); /* a hang is a failure */
  OK(host_make_engine(3, NULL, 0, &engine));
  OK(host_make_graph(engine, &graph));
  OK(percale_variables_create(engine, graph, 1, &variables));
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  OK(host_make_trainer(engine, graph, &trainer));
  OK(host_make_batch(engine, 256, batch));
  OK(host_run(session, batch[0], &answer));
  OK(host_step(trainer, batch));
  leave_threads();

  child = fork();
  if (child == 0) {
    alarm(40);
    the_child_is_told();
    fflush(NULL);
    _exit(check_done());
  }
  runs(session);
  child_ends_well(child);

  child = fork();
  if (child == 0) {
    execl(argv[0], argv[0], "after-exec", (char*)NULL);
    _exit(3);
  }
  runs(session);
  child_ends_well(child);

  /* No thread of the child will end a run of the parent. */
  last = give_many_runs();
  child = fork();
  if (child == 0) {
    alarm(40);
    FAILS(percale_event_wait(last, PERCALE_FOREVER), PERCALE_FAILED_PRECONDITION, "forked");
    fflush(NULL);
    _exit(check_done());
  }
  OK(percale_event_wait(last, PERCALE_FOREVER));
  percale_event_release(last);
  child_ends_well(child);

  runs(session);
  OK(host_step(trainer, batch));
  release_all();
  return check_done();
}
