/* Many threads load, run, cancel, train and unload in one engine, with objects of their own and
 * shared ones. Every run ends with the right bits or with CANCELLED. Built with TSan, the program
 * detects data races.
 * Usage: crowd FOLDER [THREADS] [ROUNDS] */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "host.h"

enum { MOST_THREADS = 256 };

static percale_engine* engine = NULL;
static percale_graph* graph = NULL;
static percale_variables *fixed = NULL, *changing = NULL;
static percale_session *session = NULL, *cancelled_session = NULL, *serving = NULL;
static percale_tensor *batch[2], *answer = NULL;
static char graph_path[4000];

typedef struct member {
  pthread_t thread;
  int64_t number, rounds, runs, cancelled, failures;
} member;

/* Checks and counts the status of a thread's call; check.h's counter is not thread-safe. */
static void judge(member* me, percale_status* status, int may_be_cancelled, const char* call) {
  const percale_code code = percale_status_code(status);
  if (code == PERCALE_OK) {
    ++me->runs;
  } else if (code == PERCALE_CANCELLED && may_be_cancelled) {
    ++me->cancelled;
  } else {
    ++me->failures;
    fprintf(stderr, "%s: %s: %s\n", call, percale_code_name(code), percale_status_message(status, NULL));
  }
  percale_status_release(status);
}
#define JUDGE(call, may_be_cancelled) judge(me, (call), (may_be_cancelled), #call)

static void compare(member* me, percale_tensor* y) {
  if (y == NULL) return;
  if (memcmp(percale_tensor_get_data(y), percale_tensor_get_data(answer), percale_tensor_bytes(answer)) != 0) {
    ++me->failures;
    fprintf(stderr, "other bits\n");
  }
  percale_tensor_release(y);
}

static void load_and_run(member* me) {
  percale_graph* loaded = NULL;
  percale_variables* own = NULL;
  percale_session* mine = NULL;
  percale_tensor* y = NULL;
  percale_text* text = NULL;
  JUDGE(percale_graph_load_file(engine, graph_path, &loaded), 0);
  JUDGE(percale_variables_create(engine, loaded, 1, &own), 0);
  JUDGE(percale_session_create(engine, loaded, own, NULL, &mine), 0);
  JUDGE(host_run(mine, batch[0], &y), 0);
  compare(me, y);
  JUDGE(percale_graph_describe(loaded, "summary", &text), 0);
  percale_text_release(text);
  percale_graph_release(loaded);
  percale_variables_release(own);
  percale_session_release(mine);
}

static void run_shared(member* me) {
  percale_tensor* y = NULL;
  percale_text* text = NULL;
  JUDGE(host_run(session, batch[0], &y), 0);
  compare(me, y);
  JUDGE(percale_session_stats(session, &text), 0);
  percale_text_release(text);
}

static void run_and_cancel(member* me) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  percale_event* event = NULL;
  percale_tensor* y = NULL;
  JUDGE(percale_session_run_async(cancelled_session, feeds, batch, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &event), 0);
  switch (me->number % 4) {
    case 0: percale_event_cancel(event); break;
    case 1: percale_session_cancel(cancelled_session); break;
    case 2: break;
    default: /* let go of while it runs */ percale_event_release(event); return;
  }
  JUDGE(percale_event_wait(event, PERCALE_FOREVER), 1);
  if (percale_event_poll(event) != 1) ++me->failures;
  {
    percale_status* status = percale_event_result(event, 0, &y);
    if (status == NULL) compare(me, y);
    percale_status_release(status);
  }
  percale_event_release(event);
}

static void call_shared(member* me) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims = percale_tensor_get_dims(batch[0]);
  const size_t rank = 4;
  percale_call* call = NULL;
  percale_tensor* y = NULL;
  JUDGE(percale_tensor_create(engine, PERCALE_DTYPE_F32, percale_tensor_get_dims(answer), 2, &y), 0);
  JUDGE(percale_call_create(session, feeds, &dtype, &dims, &rank, 1, fetches, 1, &call), 0);
  JUDGE(percale_call_run(call, batch, &y), 0);
  JUDGE(percale_call_run(call, batch, &y), 0);
  percale_call_release(call);
  compare(me, y);
}

/* Publishes new versions of variables that other threads read. */
static void publish(member* me) {
  percale_tensor *value = NULL, *y = NULL;
  const char* name = percale_variables_get_name(changing, (size_t)me->number % percale_variables_count(changing));
  JUDGE(percale_variables_value(changing, name, &value), 0);
  JUDGE(percale_variables_assign(changing, name, value), 0);
  percale_tensor_release(value);
  JUDGE(host_run(serving, batch[0], &y), 0);
  compare(me, y);
}

static void train(member* me) {
  percale_trainer* trainer = NULL;
  JUDGE(host_make_trainer(engine, graph, &trainer), 0);
  JUDGE(host_step(trainer, batch), 0);
  percale_trainer_release(trainer);
}

static void* live(void* user) {
  member* me = (member*)user;
  int64_t round;
  for (round = 0; round < me->rounds; ++round) {
    switch ((me->number + round) % 6) {
      case 0: load_and_run(me); break;
      case 1: run_shared(me); break;
      case 2: run_and_cancel(me); break;
      case 3: call_shared(me); break;
      case 4: publish(me); break;
      default: train(me); break;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  static member crowd[MOST_THREADS];
  const int64_t threads = argc > 2 ? strtoll(argv[2], NULL, 10) : 16,
                rounds = argc > 3 ? strtoll(argv[3], NULL, 10) : 12;
  int64_t i, runs = 0, cancelled = 0;
  if (argc < 2 || threads < 1 || threads > MOST_THREADS) return 2;
  snprintf(graph_path, sizeof graph_path, "%s/crowd.percale", argv[1]);
  alarm(550); /* a hang is a failure */
  OK(host_make_engine(4, NULL, 0, &engine));
  OK(host_make_graph(engine, &graph));
  OK(percale_variables_create(engine, graph, 1, &fixed));
  OK(percale_variables_create(engine, graph, 1, &changing));
  OK(percale_graph_save_file(graph, fixed, graph_path));
  OK(percale_session_create(engine, graph, fixed, NULL, &session));
  OK(percale_session_create(engine, graph, fixed, NULL, &cancelled_session));
  OK(percale_session_create(engine, graph, changing, NULL, &serving));
  OK(host_make_batch(engine, 64, batch));
  OK(host_run(session, batch[0], &answer));
  for (i = 0; i < threads; ++i) {
    crowd[i].number = i;
    crowd[i].rounds = rounds;
    CHECK(pthread_create(&crowd[i].thread, NULL, live, &crowd[i]) == 0);
  }
  for (i = 0; i < threads; ++i) {
    pthread_join(crowd[i].thread, NULL);
    CHECK(crowd[i].failures == 0);
    runs += crowd[i].runs;
    cancelled += crowd[i].cancelled;
  }
  CHECK(percale_variables_version(changing) > 1);
  printf("%lld threads, %lld rounds each: %lld calls as they should, %lld cancelled\n", (long long)threads,
         (long long)rounds, (long long)runs, (long long)cancelled);
  percale_tensor_release(answer);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_session_release(serving);
  percale_session_release(cancelled_session);
  percale_session_release(session);
  percale_variables_release(changing);
  percale_variables_release(fixed);
  percale_graph_release(graph);
  percale_engine_release(engine);
  return check_done();
}
