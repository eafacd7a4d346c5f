/* Thread pools of the host: any pool gives the bits of the engine's own threads, none is waited for
 * in vain, and the errors of a pool are passed on. */
#define _POSIX_C_SOURCE 200112L /* nanosleep */
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "host_fixture.h"

enum { MOST_TASKS = 4096, MOST_THREADS = 3 };

/* The conduct of a pool with a task. */
typedef enum conduct { QUEUES, RUNS_AT_ONCE, DROPS, REFUSES_TASKS, FORGETS } conduct;

/* A pool of `threads` threads. */
typedef struct pool {
  conduct does;
  int threads, given, destroyed, stop;
  pthread_t thread[MOST_THREADS];
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  percale_task* tasks[MOST_TASKS];
  int first, last;
  void (*job)(void*); /* of the host's own */
  void* job_user;
} pool;

static void* work(void* user) {
  pool* p = (pool*)user;
  pthread_mutex_lock(&p->mutex);
  while (1) {
    if (p->job != NULL) {
      void (*job)(void*) = p->job;
      p->job = NULL;
      pthread_mutex_unlock(&p->mutex);
      job(p->job_user);
      pthread_mutex_lock(&p->mutex);
      p->stop = 1;
    } else if (p->first < p->last) {
      percale_task* task = p->tasks[p->first++ % MOST_TASKS];
      pthread_mutex_unlock(&p->mutex);
      percale_task_run(task);
      percale_task_run(task); /* does nothing */
      percale_task_release(task);
      pthread_mutex_lock(&p->mutex);
    } else if (p->stop) {
      break;
    } else {
      pthread_cond_wait(&p->changed, &p->mutex);
    }
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

static percale_status* execute(void* user, percale_task* task) {
  pool* p = (pool*)user;
  percale_status* refusal = NULL;
  pthread_mutex_lock(&p->mutex);
  ++p->given;
  if (p->does == QUEUES || p->does == FORGETS) {
    CHECK(p->last - p->first < MOST_TASKS);
    p->tasks[p->last++ % MOST_TASKS] = task;
    pthread_cond_signal(&p->changed);
  }
  pthread_mutex_unlock(&p->mutex);
  if (p->does == RUNS_AT_ONCE) percale_task_run(task);
  if (p->does == RUNS_AT_ONCE || p->does == DROPS) percale_task_release(task);
  if (p->does == REFUSES_TASKS) {
    refusal = percale_status_create(PERCALE_UNAVAILABLE, "the pool is shut down", PERCALE_NUL_ENDED);
  }
  return refusal;
}

static void destroy(void* user) { ++((pool*)user)->destroyed; }

static void start(pool* p, conduct does, int threads) {
  int i;
  memset(p, 0, sizeof *p);
  p->does = does;
  p->threads = threads;
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->changed, NULL);
  for (i = 0; i < threads; ++i) CHECK(pthread_create(&p->thread[i], NULL, work, p) == 0);
}

static void stop(pool* p) {
  int i;
  pthread_mutex_lock(&p->mutex);
  p->stop = 1;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->mutex);
  for (i = 0; i < p->threads; ++i) pthread_join(p->thread[i], NULL);
  while (p->first < p->last) {
    percale_task* task = p->tasks[p->first++ % MOST_TASKS];
    percale_task_run(task); /* after the end of the engine: returns at once */
    percale_task_release(task);
  }
  pthread_mutex_destroy(&p->mutex);
  pthread_cond_destroy(&p->changed);
}

static percale_engine* engine_on(pool* p) {
  percale_thread_pool table = {sizeof table, NULL, execute};
  percale_options* options = engine_options();
  table.user = p;
  OK(percale_options_set_thread_pool(options, &table, destroy));
  return engine_of(options);
}

static int listed_threads(void) {
  DIR* tasks = opendir("/proc/self/task");
  int count = -2; /* . and .. */
  while (readdir(tasks) != NULL) ++count;
  closedir(tasks);
  return count;
}

/* Threads that have been joined are listed a little longer, so that two counts must agree. */
static int thread_count(void) {
  const struct timespec pause = {0, 20000000};
  int count = listed_threads(), before;
  do {
    before = count;
    nanosleep(&pause, NULL);
    count = listed_threads();
  } while (count != before);
  return count;
}

/* A session with its model. */
typedef struct model {
  percale_engine* engine;
  percale_session* session;
  percale_tensor* x;
} model;

static model make_model(percale_engine* engine) {
  model m = {NULL, NULL, NULL};
  percale_graph* graph = make_graph(engine);
  percale_variables* variables = make_variables(engine, graph);
  m.engine = engine;
  OK(percale_session_create(engine, graph, variables, NULL, &m.session));
  m.x = make_x(engine);
  percale_variables_release(variables);
  percale_graph_release(graph);
  return m;
}

static void end_model(model* m) {
  percale_tensor_release(m->x);
  percale_session_release(m->session);
  percale_engine_release(m->engine);
}

/* y on the engine's own threads. */
static percale_tensor* expected(void) {
  model m = make_model(engine_of(engine_options()));
  percale_tensor* y = NULL;
  OK(run_model(m.session, m.x, &y));
  end_model(&m);
  return y;
}

static percale_status* run_in_background(const model* m, percale_tensor** y) {
  const char *const feed = "x", *const fetch = "y";
  percale_event* event = NULL;
  percale_status* status =
      percale_session_run_async(m->session, &feed, &m->x, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, &event);
  if (status == NULL) status = percale_event_wait(event, PERCALE_FOREVER);
  if (status == NULL) status = percale_event_result(event, 0, y);
  percale_event_release(event);
  return status;
}

static void every_pool_gives_the_same_bits(void) {
  static const struct {
    conduct does;
    int threads;
  } kPools[] = {{QUEUES, MOST_THREADS}, {QUEUES, 1}, {RUNS_AT_ONCE, 0}, {DROPS, 0}, {FORGETS, 0}};
  percale_tensor* wanted = expected();
  size_t i;
  for (i = 0; i < sizeof kPools / sizeof kPools[0]; ++i) {
    pool p;
    model m;
    percale_tensor *y = NULL, *later = NULL;
    int turn, threads;
    start(&p, kPools[i].does, kPools[i].threads);
    threads = thread_count();
    m = make_model(engine_on(&p));
    for (turn = 0; turn < 20; ++turn) {
      OK(run_model(m.session, m.x, &y));
      CHECK(same_tensor(y, wanted));
      percale_tensor_release(y);
      OK(run_in_background(&m, &later));
      CHECK(same_tensor(later, wanted));
      percale_tensor_release(later);
    }
    CHECK(p.given > 0);
    CHECK(thread_count() == threads);
    CHECK(metric(m.engine, "threads") == 4);
    CHECK(p.destroyed == 0);
    end_model(&m);
    CHECK(p.destroyed == 1);
    stop(&p);
  }
  percale_tensor_release(wanted);
}

static void run_within(void* user) {
  const model* m = (const model*)user;
  percale_tensor *wanted = expected(), *y = NULL;
  OK(run_model(m->session, m->x, &y));
  CHECK(same_tensor(y, wanted));
  percale_tensor_release(y);
  OK(run_in_background(m, &y));
  CHECK(same_tensor(y, wanted));
  percale_tensor_release(y);
  percale_tensor_release(wanted);
}

static void the_only_thread_of_a_pool_may_run_a_model(void) {
  pool p;
  model m;
  start(&p, QUEUES, 1);
  m = make_model(engine_on(&p));
  pthread_mutex_lock(&p.mutex);
  p.job = run_within;
  p.job_user = &m;
  pthread_cond_signal(&p.changed);
  pthread_mutex_unlock(&p.mutex);
  pthread_join(p.thread[0], NULL);
  p.threads = 0;
  end_model(&m);
  stop(&p);
}

static void a_pool_that_refuses_gives_its_error(void) {
  pool p;
  model m;
  percale_tensor* y = NULL;
  start(&p, RUNS_AT_ONCE, 0);
  m = make_model(engine_on(&p));
  p.does = REFUSES_TASKS;
  FAILS(run_model(m.session, m.x, &y), PERCALE_UNAVAILABLE, "the thread pool of the host: the pool is shut down");
  CHECK(y == NULL);
  FAILS(run_in_background(&m, &y), PERCALE_UNAVAILABLE, "the thread pool of the host: the pool is shut down");
  p.does = RUNS_AT_ONCE; /* it has recovered */
  OK(run_model(m.session, m.x, &y));
  percale_tensor_release(y);
  CHECK(metric(m.engine, "UNAVAILABLE") == 1);
  end_model(&m);
  stop(&p);
}

/* Trains y towards 0 by two steps, and writes the digest. */
static void train(percale_engine* engine, char* digest, size_t room) {
  const char* const spec =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 256, \"activation\": \"relu\"}, {\"layer\": \"Dense\", "
      "\"units\": 1}],"
      " \"loss\": \"mse\", \"optimizer\": \"sgd\", \"batch_size\": 16, \"seed\": 2, \"input_shape\": [256]}";
  const char* const names[] = {"x", "y"};
  const int64_t dims[2] = {ROWS, 1};
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_dataset* data = NULL;
  percale_text* text = NULL;
  percale_tensor* tensors[2];
  tensors[0] = make_x(engine);
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &tensors[1]));
  OK(percale_dataset_from_tensors(engine, names, tensors, 2, &data));
  OK(percale_dataset_configure(data, 16, 1, 0));
  OK(percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
  OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
  OK(percale_trainer_variables(trainer, &variables));
  OK(percale_variables_digest(variables, &text));
  snprintf(digest, room, "%s", percale_text_data(text, NULL));
  CHECK(metric(engine, "training_steps_total") == 2 * ROWS / 16);
  CHECK(metric(engine, "runs_total") == 0);
  percale_text_release(text);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
}

static void training_on_a_pool_gives_the_same_bits(void) {
  char own[200] = "", hosts[200] = "";
  percale_engine* engine = engine_of(engine_options());
  pool p;
  int threads;
  train(engine, own, sizeof own);
  percale_engine_release(engine);
  start(&p, QUEUES, MOST_THREADS);
  threads = thread_count();
  engine = engine_on(&p);
  train(engine, hosts, sizeof hosts);
  CHECK(thread_count() == threads);
  percale_engine_release(engine);
  stop(&p);
  CHECK(own[0] != '\0' && strcmp(own, hosts) == 0);
}

static void tables_that_lack_something_are_refused(void) {
  percale_thread_pool table = {sizeof table, NULL, NULL};
  percale_options *options = engine_options(), *session = NULL;
  pool p, other;
  start(&p, RUNS_AT_ONCE, 0);
  start(&other, RUNS_AT_ONCE, 0);
  table.user = &p;
  REFUSES(percale_options_set_thread_pool(options, &table, destroy), "execute");
  table.execute = execute;
  table.struct_size = 8;
  FAILS(percale_options_set_thread_pool(options, &table, destroy), PERCALE_INVALID_ARGUMENT, "'struct_size' is 8");
  table.struct_size = sizeof table;
  REFUSES(percale_options_set_thread_pool(options, NULL, destroy), "pool");
  REFUSES(percale_options_set_thread_pool(NULL, &table, destroy), "options");
  OK(percale_options_create("session", &session));
  FAILS(percale_options_set_thread_pool(session, &table, destroy), PERCALE_INVALID_ARGUMENT, "wanted 'engine'");
  percale_options_release(session);
  CHECK(p.destroyed == 0);
  OK(percale_options_set_thread_pool(options, &table, destroy));
  table.user = &other;
  OK(percale_options_set_thread_pool(options, &table, destroy));
  CHECK(p.destroyed == 1 && other.destroyed == 0);
  percale_options_release(options);
  CHECK(p.destroyed == 1 && other.destroyed == 1);
  percale_task_run(NULL);
  percale_task_release(NULL);
  stop(&p);
  stop(&other);
}

void test_thread_pools(void) {
  every_pool_gives_the_same_bits();
  the_only_thread_of_a_pool_may_run_a_model();
  a_pool_that_refuses_gives_its_error();
  training_on_a_pool_gives_the_same_bits();
  tables_that_lack_something_are_refused();
}
