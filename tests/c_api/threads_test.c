/* Tests thread-compatible objects: a concurrent call from a second thread gets an error, and the
 * first one continues. */
#include <pthread.h>

#include "check.h"

enum { ROWS = 8, THREADS = 4, TURNS = 200 };

static percale_engine* engine = NULL;

/* Makes a call from another thread while this one uses the object. */
static void in_another_thread(void* (*work)(void*), void* user) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, user) == 0);
  pthread_join(thread, NULL);
}

/* ---- A call ---- */

typedef struct run {
  percale_call* call;
  percale_tensor *x, *y;
  int prints;
} run;

static void* run_again(void* user) {
  const run* r = (const run*)user;
  FAILS(percale_call_run(r->call, &r->x, &r->y), PERCALE_FAILED_PRECONDITION,
        "call run: the call is used by another thread: one thread at a time may");
  FAILS(percale_call_carry(r->call, 0, 0), PERCALE_FAILED_PRECONDITION, "the call is used by another thread");
  return NULL;
}

/* The op Print calls back in the middle of a run. */
static void on_print(void* user, int32_t level, const char* message, size_t size) {
  run* r = (run*)user;
  (void)level;
  (void)message;
  (void)size;
  if (++r->prints == 1) in_another_thread(run_again, user);
}

static void* run_alone(void* user) {
  const run* r = (const run*)user;
  OK(percale_call_run(r->call, &r->x, &r->y));
  return NULL;
}

static void a_call_is_for_one_thread_at_a_time(void) {
  const char *const feed = "x", *const fetch = "y";
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t dim = 2, *const dims = &dim;
  const size_t rank = 1;
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_value x, y;
  run r = {NULL, NULL, NULL, 0};
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, &dim, 1, &x));
  OK(percale_builder_node(builder, "percale:Print", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_call_create(session, &feed, &dtype, &dims, &rank, 1, &fetch, 1, &r.call));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, &dim, 1, &r.x));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, &dim, 1, &r.y));
  percale_engine_set_log(engine, on_print, &r);
  OK(percale_call_run(r.call, &r.x, &r.y));
  CHECK(r.prints > 0);
  in_another_thread(run_alone, &r); /* sequential use from several threads is allowed */
  percale_engine_set_log(engine, NULL, NULL);
  percale_tensor_release(r.x);
  percale_tensor_release(r.y);
  percale_call_release(r.call);
  percale_session_release(session);
  percale_graph_release(graph);
  percale_builder_release(builder);
}

/* ---- A trainer and its data ---- */

typedef struct training {
  percale_trainer* trainer;
  percale_dataset* data;
} training;

static void* use_both(void* user) {
  static const char* const used = "the trainer is used by another thread: one thread at a time may";
  const training* t = (const training*)user;
  percale_text* text = NULL;
  percale_tensor* batch[2];
  FAILS(percale_trainer_fit(t->trainer, t->data, 9, NULL, NULL), PERCALE_FAILED_PRECONDITION, used);
  FAILS(percale_trainer_step(t->trainer, NULL, NULL, 0, NULL), PERCALE_FAILED_PRECONDITION, used);
  FAILS(percale_trainer_describe(t->trainer, &text), PERCALE_FAILED_PRECONDITION, used);
  FAILS(percale_trainer_save(t->trainer, "/nowhere"), PERCALE_FAILED_PRECONDITION, used);
  FAILS(percale_dataset_next(t->data, batch), PERCALE_FAILED_PRECONDITION, "the data set is used by another thread");
  FAILS(percale_dataset_configure(t->data, 1, -1, 0), PERCALE_FAILED_PRECONDITION, "the data set is used by another");
  return NULL;
}

static int32_t on_step(void* user, const percale_progress* progress) {
  const training* t = (const training*)user;
  percale_text* text = NULL;
  if (progress->step == 1) in_another_thread(use_both, user);
  /* Allowed in the callback of the training thread. */
  OK(percale_trainer_describe(t->trainer, &text));
  percale_text_release(text);
  return 0;
}

static void* fit_further(void* user) {
  const training* t = (const training*)user;
  OK(percale_trainer_fit(t->trainer, t->data, 2, NULL, NULL));
  return NULL;
}

static void a_trainer_is_for_one_thread_at_a_time(void) {
  static const char spec[] =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 1}], \"input_shape\": [1], \"loss\": \"mse\", \"optimizer\": "
      "\"sgd\"}";
  const char* const names[] = {"x", "y"};
  const int64_t dims[] = {ROWS, 1};
  percale_tensor* columns[2];
  training t = {NULL, NULL};
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &columns[0]));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &columns[1]));
  OK(percale_dataset_from_tensors(engine, names, columns, 2, &t.data));
  OK(percale_dataset_configure(t.data, 4, -1, 0));
  OK(percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &t.trainer));
  OK(percale_trainer_fit(t.trainer, t.data, 1, on_step, &t));
  CHECK(percale_trainer_steps(t.trainer) == 2);
  in_another_thread(fit_further, &t);
  CHECK(percale_trainer_steps(t.trainer) == 4);
  percale_trainer_release(t.trainer);
  percale_dataset_release(t.data);
  percale_tensor_release(columns[0]);
  percale_tensor_release(columns[1]);
}

/* ---- A builder ---- */

typedef struct building {
  percale_builder* builder;
  int number;
  int64_t made, refused;
} building;

static void* add_inputs(void* user) {
  building* b = (building*)user;
  percale_value value;
  char name[32];
  int i;
  for (i = 0; i < TURNS; ++i) {
    percale_status* status;
    snprintf(name, sizeof name, "x%d_%d", b->number, i);
    status = percale_builder_input(b->builder, name, PERCALE_DTYPE_F32, NULL, 0, &value);
    if (status == NULL) {
      ++b->made;
    } else {
      ++b->refused;
      FAILS(status, PERCALE_FAILED_PRECONDITION, "builder input: the builder is used by another thread");
    }
  }
  return NULL;
}

static void a_builder_under_several_threads_stays_whole(void) {
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  pthread_t threads[THREADS];
  building parts[THREADS];
  int64_t made = 0, inputs = 0;
  int i;
  OK(percale_builder_create(engine, &builder));
  for (i = 0; i < THREADS; ++i) {
    building part = {builder, i, 0, 0};
    parts[i] = part;
    CHECK(pthread_create(&threads[i], NULL, add_inputs, &parts[i]) == 0);
  }
  for (i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(parts[i].made + parts[i].refused == TURNS);
    made += parts[i].made;
  }
  OK(percale_builder_set_outputs(builder, NULL, 0));
  OK(percale_builder_finish(builder, &graph));
  while (percale_graph_get_input_name(graph, (size_t)inputs) != NULL) ++inputs;
  CHECK(inputs == made);
  percale_graph_release(graph);
  percale_builder_release(builder);
}

int main(void) {
  percale_options* options = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "log", "debug"));
  OK(percale_options_set_int(options, "threads", 1));
  OK(percale_engine_create(options, &engine));
  a_call_is_for_one_thread_at_a_time();
  a_trainer_is_for_one_thread_at_a_time();
  a_builder_under_several_threads_stays_whole();
  percale_engine_release(engine);
  percale_options_release(options);
  return check_done();
}
