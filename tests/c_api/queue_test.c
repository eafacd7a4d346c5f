/* Tests queues and mutexes through the C API: asynchronous runs that wait for each other on an
 * engine of one thread, and the ways in which waiting ends. */
#define _POSIX_C_SOURCE 200112L
#include <percale.h>
#include <pthread.h>
#include <time.h>

#include "check.h"

static percale_engine* engine = NULL;

static int64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void pause_ms(long ms) {
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, NULL);
}

/* A queue "numbers" of one f32 each, and a mutex: targets "put" (feeds "x") and "close", fetches
 * "got" and "size". */
static percale_graph* make_graph(int64_t capacity) {
  static const int64_t f32[] = {PERCALE_DTYPE_F32}, rank[] = {0};
  percale_builder* b = NULL;
  percale_graph* graph = NULL;
  percale_value x, got, size;
  OK(percale_builder_create(engine, &b));
  OK(percale_builder_input(b, "x", PERCALE_DTYPE_F32, NULL, 0, &x));
  OK(percale_builder_node(b, "percale:QueueEnqueue", "put"));
  OK(percale_builder_add_input(b, x));
  OK(percale_builder_set_string(b, "queue", "numbers"));
  OK(percale_builder_set_int(b, "capacity", capacity));
  OK(percale_builder_finish_node(b, 0, NULL));
  OK(percale_builder_node(b, "percale:QueueDequeue", "got"));
  OK(percale_builder_set_string(b, "queue", "numbers"));
  OK(percale_builder_set_int(b, "capacity", capacity));
  OK(percale_builder_set_ints(b, "dtypes", f32, 1));
  OK(percale_builder_set_ints(b, "ranks", rank, 1));
  OK(percale_builder_finish_node(b, 1, &got));
  OK(percale_builder_node(b, "percale:QueueSize", "size"));
  OK(percale_builder_set_string(b, "queue", "numbers"));
  OK(percale_builder_finish_node(b, 1, &size));
  OK(percale_builder_node(b, "percale:QueueClose", "close"));
  OK(percale_builder_set_string(b, "queue", "numbers"));
  OK(percale_builder_finish_node(b, 0, NULL));
  OK(percale_builder_finish(b, &graph));
  percale_builder_release(b);
  return graph;
}

static const char* const kX[] = {"x"};
static const char* const kPut[] = {"put"};
static const char* const kGot[] = {"got"};
static const char* const kClose[] = {"close"};

static percale_tensor* number(float value) {
  percale_tensor* out = NULL;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, NULL, 0, &out));
  *(float*)percale_tensor_get_data(out) = value;
  return out;
}

static percale_status* put(percale_session* session, float value) {
  percale_tensor* x = number(value);
  percale_status* status = percale_session_run(session, kX, &x, 1, NULL, 0, kPut, 1, 10000000000, NULL);
  percale_tensor_release(x);
  return status;
}

static float take(percale_session* session) {
  percale_tensor* got = NULL;
  float value = -1;
  OK(percale_session_run(session, NULL, NULL, 0, kGot, 1, NULL, 0, 10000000000, &got));
  if (got != NULL) value = *(float*)percale_tensor_get_data(got);
  percale_tensor_release(got);
  return value;
}

/* More consumers than the engine has threads wait before the first producer starts, and all are
 * served: a waiting run does not occupy a thread. */
static void asynchronous_runs_may_wait_for_each_other_on_one_thread(void) {
  enum { kCount = 20 };
  percale_graph* graph = make_graph(4);
  percale_session* session = NULL;
  percale_event *takers[kCount], *putters[kCount];
  float sum = 0;
  int i;
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  for (i = 0; i < kCount; ++i) {
    OK(percale_session_run_async(session, NULL, NULL, 0, kGot, 1, NULL, 0, 20000000000, &takers[i]));
  }
  for (i = 0; i < kCount; ++i) {
    percale_tensor* x = number((float)i);
    OK(percale_session_run_async(session, kX, &x, 1, NULL, 0, kPut, 1, 20000000000, &putters[i]));
    percale_tensor_release(x);
  }
  for (i = 0; i < kCount; ++i) {
    percale_tensor* got = NULL;
    OK(percale_event_wait(takers[i], PERCALE_FOREVER));
    OK(percale_event_wait(putters[i], PERCALE_FOREVER));
    OK(percale_event_result(takers[i], 0, &got));
    if (got != NULL) sum += *(float*)percale_tensor_get_data(got);
    percale_tensor_release(got);
    percale_event_release(takers[i]);
    percale_event_release(putters[i]);
  }
  CHECK(sum == kCount * (kCount - 1) / 2);
  percale_session_release(session);
  percale_graph_release(graph);
}

static void a_run_that_waits_ends_with_its_event_its_deadline_or_its_session(void) {
  percale_graph* graph = make_graph(4);
  percale_session* session = NULL;
  percale_event* event = NULL;
  percale_tensor* got = NULL;
  int64_t begin;
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_session_run_async(session, NULL, NULL, 0, kGot, 1, NULL, 0, PERCALE_FOREVER, &event));
  /* Only -1 means no limit. */
  FAILS(percale_event_wait(event, -2), PERCALE_DEADLINE_EXCEEDED, "not over");
  pause_ms(30);
  CHECK(percale_event_poll(event) == 0);
  begin = now_ms();
  percale_event_cancel(event);
  FAILS(percale_event_wait(event, PERCALE_FOREVER), PERCALE_CANCELLED, "cancelled");
  CHECK(now_ms() - begin <= 50);
  percale_event_release(event);

  begin = now_ms();
  FAILS(percale_session_run(session, NULL, NULL, 0, kGot, 1, NULL, 0, 20000000, &got), PERCALE_DEADLINE_EXCEEDED,
        "deadline");
  CHECK(now_ms() - begin <= 70);

  /* Releases the session while its runs wait for an element that never comes. */
  OK(percale_session_run_async(session, NULL, NULL, 0, kGot, 1, NULL, 0, PERCALE_FOREVER, &event));
  percale_event_release(event);
  pause_ms(30);
  begin = now_ms();
  percale_session_release(session);
  CHECK(now_ms() - begin <= 50);
  percale_graph_release(graph);
}

static void* cancel_soon(void* cancellation) {
  pause_ms(30);
  percale_cancellation_cancel((percale_cancellation*)cancellation);
  return NULL;
}

static void a_prepared_call_that_waits_ends_with_its_deadline_or_its_cancellation(void) {
  percale_graph* graph = make_graph(4);
  percale_session* session = NULL;
  percale_call* call = NULL;
  percale_cancellation* cancellation = NULL;
  percale_tensor* got = number(0);
  pthread_t thread;
  int64_t begin;
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_call_create(session, NULL, NULL, NULL, NULL, 0, kGot, 1, &call));
  OK(percale_cancellation_create(&cancellation));
  begin = now_ms();
  FAILS(percale_call_run_until(call, NULL, &got, 20000000, cancellation), PERCALE_DEADLINE_EXCEEDED, "deadline");
  CHECK(now_ms() - begin <= 70);
  begin = now_ms();
  CHECK(pthread_create(&thread, NULL, cancel_soon, cancellation) == 0);
  FAILS(percale_call_run_until(call, NULL, &got, PERCALE_FOREVER, cancellation), PERCALE_CANCELLED, "cancelled");
  CHECK(now_ms() - begin >= 25 && now_ms() - begin <= 80);
  pthread_join(thread, NULL);
  OK(put(session, 7));
  OK(percale_call_run_until(call, NULL, &got, PERCALE_FOREVER, NULL));
  CHECK(*(float*)percale_tensor_get_data(got) == 7);
  percale_cancellation_release(cancellation);
  percale_call_release(call);
  percale_tensor_release(got);
  percale_session_release(session);
  percale_graph_release(graph);
}

static void* produce(void* session) {
  int i;
  for (i = 0; i < 200; ++i) OK(put((percale_session*)session, (float)i));
  OK(percale_session_run((percale_session*)session, NULL, NULL, 0, NULL, 0, kClose, 1, PERCALE_FOREVER, NULL));
  return NULL;
}

static void sessions_on_one_table_share_a_queue_until_it_is_closed(void) {
  percale_graph* graph = make_graph(3);
  percale_variables* table = NULL;
  percale_session *producer = NULL, *consumer = NULL;
  percale_tensor* got = NULL;
  pthread_t thread;
  int i;
  OK(percale_variables_create(engine, graph, 1, &table));
  OK(percale_session_create(engine, graph, table, NULL, &producer));
  OK(percale_session_create(engine, graph, table, NULL, &consumer));
  CHECK(pthread_create(&thread, NULL, produce, producer) == 0);
  for (i = 0; i < 200; ++i) CHECK(take(consumer) == (float)i);
  pthread_join(thread, NULL);
  FAILS(percale_session_run(consumer, NULL, NULL, 0, kGot, 1, NULL, 0, PERCALE_FOREVER, &got), PERCALE_OUT_OF_RANGE,
        "queue 'numbers' is closed and empty");
  FAILS(put(producer, 1), PERCALE_CANCELLED, "queue 'numbers' is closed");
  percale_session_release(producer);
  percale_session_release(consumer);
  percale_variables_release(table);
  percale_graph_release(graph);
}

static void what_is_left_in_a_queue_ends_with_its_owner(void) {
  percale_graph* graph = make_graph(3);
  percale_session* session = NULL;
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(put(session, 1));
  OK(put(session, 2));
  percale_session_release(session);
  percale_graph_release(graph);
}

int main(void) {
  percale_options* options = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set_int(options, "threads", 1));
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  asynchronous_runs_may_wait_for_each_other_on_one_thread();
  a_run_that_waits_ends_with_its_event_its_deadline_or_its_session();
  a_prepared_call_that_waits_ends_with_its_deadline_or_its_cancellation();
  sessions_on_one_table_share_a_queue_until_it_is_closed();
  what_is_left_in_a_queue_ends_with_its_owner();
  percale_engine_release(engine);
  return check_done();
}
