/* Checks that cancelling a run from another thread, a deadline, and cancelling a trainer end the
 * call within 50 ms: within a large kernel, between many small ones, and in an endless loop. No
 * variable is assigned, and the session remains usable. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

enum { MS = 1000000, ATTEMPTS = 5, SIZE = 2048 };

static percale_engine* engine = NULL;

typedef struct work {
  const char* name;
  percale_graph* graph;
  percale_tensor* feed;
} work;

static percale_value node2(percale_builder* builder, const char* op, percale_value a, percale_value b) {
  percale_value out = PERCALE_NO_VALUE;
  OK(percale_builder_node(builder, op, NULL));
  OK(percale_builder_add_input(builder, a));
  if (b != PERCALE_NO_VALUE) OK(percale_builder_add_input(builder, b));
  OK(percale_builder_finish_node(builder, 1, &out));
  return out;
}

/* y = x x ... x, `count` products of large matrices. */
static work products(int count) {
  const int64_t dims[2] = {SIZE, SIZE};
  work out = {"one large kernel after another", NULL, NULL};
  percale_builder* builder = NULL;
  percale_value x, y;
  int i;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x));
  for (y = x, i = 0; i < count; ++i) y = node2(builder, "MatMul", y, x);
  OK(percale_builder_rename(builder, y, "y"));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &out.graph));
  percale_builder_release(builder);
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &out.feed));
  return out;
}

/* A loop that only its iteration limit ends. */
static work trips(void) {
  const int64_t dims[1] = {64};
  work out = {"a loop without end", NULL, NULL};
  percale_builder* builder = NULL;
  percale_value x, y, i, more, carried, outputs[2];
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_begin_function(builder, "body"));
  OK(percale_builder_input(builder, "i", PERCALE_DTYPE_I64, NULL, 0, &i));
  OK(percale_builder_input(builder, "more", PERCALE_DTYPE_BOOL, NULL, 0, &more));
  OK(percale_builder_input(builder, "carried", PERCALE_DTYPE_F32, dims, 1, &carried));
  outputs[0] = node2(builder, "Identity", more, PERCALE_NO_VALUE);
  outputs[1] = node2(builder, "Sin", carried, PERCALE_NO_VALUE);
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_end_function(builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  OK(percale_builder_node(builder, "Loop", "loop"));
  OK(percale_builder_add_input(builder, PERCALE_NO_VALUE));
  OK(percale_builder_add_input(builder, PERCALE_NO_VALUE));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "num_carried", 1));
  OK(percale_builder_set_int(builder, "trip_limit", 1000000000));
  OK(percale_builder_set_function(builder, "body", "body"));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_rename(builder, y, "y"));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &out.graph));
  percale_builder_release(builder);
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 1, &out.feed));
  return out;
}

typedef struct alarm_clock {
  percale_session* session;
  percale_trainer* trainer;
  int64_t rang; /* time of the alarm in ns */
} alarm_clock;

static void* ring(void* user) {
  alarm_clock* mine = (alarm_clock*)user;
  usleep(60000);
  mine->rang = host_now();
  if (mine->session != NULL) percale_session_cancel(mine->session);
  if (mine->trainer != NULL) percale_trainer_cancel(mine->trainer);
  return NULL;
}

/* Returns the shortest time in ns between the cancellation and the end of the run in several
 * attempts, since a busy machine delays some of them. */
static int64_t cancel_one(percale_session* session, percale_tensor* feed) {
  int64_t best = INT64_MAX;
  int i;
  for (i = 0; i < ATTEMPTS; ++i) {
    alarm_clock clock = {NULL, NULL, 0};
    pthread_t thread;
    percale_tensor* y = NULL;
    int64_t late;
    clock.session = session;
    CHECK(pthread_create(&thread, NULL, ring, &clock) == 0);
    FAILS(host_run(session, feed, &y), PERCALE_CANCELLED, "cancelled");
    late = host_now();
    pthread_join(thread, NULL);
    if (late - clock.rang < best) best = late - clock.rang;
  }
  return best;
}

static int64_t miss_deadline(percale_session* session, percale_tensor* feed) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  int64_t best = INT64_MAX;
  int i;
  for (i = 0; i < ATTEMPTS; ++i) {
    const int64_t begin = host_now();
    percale_tensor* y = NULL;
    int64_t late;
    FAILS(percale_session_run(session, feeds, &feed, 1, fetches, 1, NULL, 0, 60 * MS, &y), PERCALE_DEADLINE_EXCEEDED,
          "deadline");
    late = host_now() - begin - 60 * MS;
    CHECK(late >= 0);
    if (late < best) best = late;
  }
  return best;
}

static int64_t cancel_event(percale_session* session, percale_tensor* feed) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  int64_t best = INT64_MAX;
  int i;
  for (i = 0; i < ATTEMPTS; ++i) {
    percale_event* event = NULL;
    int64_t begin;
    OK(percale_session_run_async(session, feeds, &feed, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &event));
    FAILS(percale_event_wait(event, 60 * MS), PERCALE_DEADLINE_EXCEEDED, "not over");
    begin = host_now();
    percale_event_cancel(event);
    FAILS(percale_event_wait(event, PERCALE_FOREVER), PERCALE_CANCELLED, "cancelled");
    if (host_now() - begin < best) best = host_now() - begin;
    percale_event_release(event);
  }
  return best;
}

static void stops(work w) {
  percale_session* session = NULL;
  int64_t cancel, deadline, event;
  OK(percale_session_create(engine, w.graph, NULL, NULL, &session));
  cancel = cancel_one(session, w.feed);
  deadline = miss_deadline(session, w.feed);
  event = cancel_event(session, w.feed);
  printf("%s: cancelled after %.2f ms, past the deadline by %.2f ms, asynchronously %.2f ms\n", w.name,
         (double)cancel / MS, (double)deadline / MS, (double)event / MS);
  CHECK(cancel < 50 * MS && deadline < 50 * MS && event < 50 * MS);
  percale_session_release(session);
  percale_graph_release(w.graph);
  percale_tensor_release(w.feed);
}

static int32_t go_on(void* user, const percale_progress* progress) {
  (void)progress;
  ++*(int64_t*)user;
  return 0;
}

static void a_trainer_stops(void) {
  static const char* const names[2] = {"x", "t"};
  percale_graph* graph = NULL;
  percale_trainer *trainer = NULL, *calm = NULL;
  percale_dataset* data = NULL;
  percale_tensor* batch[2];
  int64_t best = INT64_MAX, told = 0;
  char got[128] = "", wanted[128] = "";
  int i;
  OK(host_make_graph(engine, &graph));
  OK(host_make_batch(engine, 4096, batch));
  OK(percale_dataset_from_tensors(engine, names, batch, 2, &data));
  OK(percale_dataset_configure(data, 64, -1, 0));
  OK(host_make_trainer(engine, graph, &trainer));
  for (i = 0; i < ATTEMPTS; ++i) {
    alarm_clock clock = {NULL, NULL, 0};
    pthread_t thread;
    int64_t late;
    clock.trainer = trainer;
    CHECK(pthread_create(&thread, NULL, ring, &clock) == 0);
    FAILS(percale_trainer_fit(trainer, data, 1000000, go_on, &told), PERCALE_CANCELLED, "cancelled");
    late = host_now();
    pthread_join(thread, NULL);
    if (late - clock.rang < best) best = late - clock.rang;
  }
  printf("a trainer: cancelled after %.2f ms, five times within %lld steps\n", (double)best / MS, (long long)told);
  CHECK(best < 50 * MS);
  /* The stopped trainer has the state of an undisturbed one after the same number of steps. */
  CHECK(percale_trainer_steps(trainer) == told);
  OK(host_make_trainer(engine, graph, &calm));
  OK(percale_trainer_fit(calm, data, told / 64 + 1, NULL, NULL));
  OK(percale_trainer_fit(trainer, data, told / 64 + 1, NULL, NULL));
  OK(host_digest(trainer, got));
  OK(host_digest(calm, wanted));
  CHECK(strcmp(got, wanted) == 0);
  percale_trainer_release(calm);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_graph_release(graph);
}

int main(void) {
  alarm(100); /* a hang is a failure */
  OK(host_make_engine(2, NULL, 0, &engine));
  stops(products(100));
  stops(trips());
  a_trainer_stops();
  percale_engine_release(engine);
  return check_done();
}
