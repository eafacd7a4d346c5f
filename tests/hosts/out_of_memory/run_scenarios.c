/* Runs: sessions, prepared calls, graphs in parts, queues, events. */
#include "scenario.h"

static percale_session* queue_session = NULL;
static percale_tensor* tokens[2];
static int token = 0; /* the token that is in the queue */

static percale_status* plan_and_run(void) {
  percale_session* made = NULL;
  percale_tensor* y = NULL;
  percale_status* status = NULL;
  TRY(percale_session_create(engine, graph, variables, NULL, &made));
  TRY(host_run(made, batch[0], &y));
out:
  percale_tensor_release(y);
  percale_session_release(made);
  return status;
}

static percale_status* warm_run(void) {
  percale_tensor* y = NULL;
  percale_status* status = host_run(session, batch[0], &y);
  if (status == NULL) check_answer(y);
  percale_tensor_release(y);
  return status;
}

static percale_status* call_run(void) { return percale_call_run(call, batch, &output); }

static void the_call_gives_the_same_bits(int failed) {
  (void)failed;
  OK(percale_call_run(call, batch, &output));
  check_answer(output);
}

static percale_status* prepare_call(void) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims = percale_tensor_get_dims(batch[0]);
  const size_t rank = 4;
  percale_session* made = NULL;
  percale_call* prepared = NULL;
  percale_status* status = NULL;
  TRY(percale_session_create(engine, graph, variables, NULL, &made));
  TRY(percale_call_create(made, feeds, &dtype, &dims, &rank, 1, fetches, 1, &prepared));
  TRY(percale_call_run(prepared, batch, &output));
out:
  percale_call_release(prepared);
  percale_session_release(made);
  return status;
}

/* A call with a cancellation token. */
static percale_status* call_that_may_end(void) {
  percale_cancellation* stop = NULL;
  percale_status* status = NULL;
  TRY(percale_cancellation_create(&stop));
  TRY(percale_call_run_until(call, batch, &output, 100000000000, stop));
out:
  percale_cancellation_release(stop);
  return status;
}

static percale_status* run_in_parts(percale_session* with) {
  static const char* const feeds[3] = {"x", "c", "n"};
  static const char* const fetches[2] = {"chosen", "filled"};
  percale_tensor *inputs[3], *results[2] = {NULL, NULL};
  percale_status* status = NULL;
  inputs[0] = line;
  inputs[1] = condition;
  inputs[2] = count;
  TRY(percale_session_run(with, feeds, inputs, 3, fetches, 2, NULL, 0, PERCALE_FOREVER, results));
  CHECK(((const float*)percale_tensor_get_data(results[0]))[1] == 2 && percale_tensor_element_count(results[1]) == 5);
out:
  percale_tensor_release(results[0]);
  percale_tensor_release(results[1]);
  return status;
}

static percale_status* run_staged(void) {
  percale_session* made = NULL;
  percale_status* status = NULL;
  TRY(percale_session_create(engine, staged, NULL, NULL, &made));
  TRY(run_in_parts(made));
out:
  percale_session_release(made);
  return status;
}

static percale_status* warm_staged(void) { return run_in_parts(staged_session); }

static void the_staged_session_serves(int failed) {
  (void)failed;
  OK(run_in_parts(staged_session));
}

void make_queue_session(void) {
  static const int64_t f32[1] = {PERCALE_DTYPE_F32}, rank[1] = {0};
  static const char* const x_name[1] = {"x"};
  static const char* const put[1] = {"put"};
  percale_builder* b = NULL;
  percale_graph* made = NULL;
  percale_value x, got;
  int i;
  OK(percale_builder_create(engine, &b));
  OK(percale_builder_input(b, "x", PERCALE_DTYPE_F32, NULL, 0, &x));
  OK(percale_builder_node(b, "percale:QueueEnqueue", "put"));
  OK(percale_builder_add_input(b, x));
  OK(percale_builder_set_string(b, "queue", "q"));
  OK(percale_builder_set_int(b, "capacity", 2));
  OK(percale_builder_finish_node(b, 0, NULL));
  OK(percale_builder_node(b, "percale:QueueDequeue", "got"));
  OK(percale_builder_set_string(b, "queue", "q"));
  OK(percale_builder_set_int(b, "capacity", 2));
  OK(percale_builder_set_ints(b, "dtypes", f32, 1));
  OK(percale_builder_set_ints(b, "ranks", rank, 1));
  OK(percale_builder_finish_node(b, 1, &got));
  OK(percale_builder_finish(b, &made));
  percale_builder_release(b);
  OK(percale_session_create(engine, made, NULL, NULL, &queue_session));
  percale_graph_release(made);
  token = 0;
  for (i = 0; i < 2; ++i) {
    OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, NULL, 0, &tokens[i]));
    *(float*)percale_tensor_get_data(tokens[i]) = (float)i;
  }
  OK(percale_session_run(queue_session, x_name, tokens, 1, NULL, 0, put, 1, PERCALE_FOREVER, NULL));
}

void release_queue_session(void) {
  percale_session_release(queue_session);
  percale_tensor_release(tokens[0]);
  percale_tensor_release(tokens[1]);
}

/* Enqueues the other token and dequeues the one that is there: both happen or neither. */
static percale_status* exchange(void) {
  static const char* const x_name[1] = {"x"};
  static const char* const put[1] = {"put"};
  static const char* const got[1] = {"got"};
  percale_tensor* taken = NULL;
  percale_status* status =
      percale_session_run(queue_session, x_name, &tokens[1 - token], 1, got, 1, put, 1, 1000000000, &taken);
  if (status != NULL) return status;
  CHECK(*(float*)percale_tensor_get_data(taken) == (float)token);
  percale_tensor_release(taken);
  token = 1 - token;
  return NULL;
}

static void the_queue_holds_the_token(int failed) {
  (void)failed;
  OK(exchange());
}

static percale_status* run_async(void) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  percale_session* made = NULL;
  percale_event* event = NULL;
  percale_tensor* y = NULL;
  percale_status* status = NULL;
  TRY(percale_session_create(engine, graph, variables, NULL, &made));
  TRY(percale_session_run_async(made, feeds, batch, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &event));
  TRY(percale_event_wait(event, PERCALE_FOREVER));
  TRY(percale_event_result(event, 0, &y));
  check_answer(y);
out:
  percale_tensor_release(y);
  percale_event_release(event);
  percale_session_release(made);
  return status;
}

static percale_status* explain(void) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims = percale_tensor_get_dims(batch[0]);
  const size_t rank = 4;
  percale_text* text = NULL;
  percale_status* status = NULL;
  TRY(percale_session_explain(session, feeds, &dtype, &dims, &rank, 1, fetches, 1, "plan", &text));
out:
  percale_text_release(text);
  return status;
}

static percale_status* run_with_threads(void) {
  percale_session* made = NULL;
  percale_tensor* y = NULL;
  percale_status* status = NULL;
  TRY(percale_session_create(threaded, graph, variables, NULL, &made));
  TRY(host_run(made, large[0], &y));
out:
  percale_tensor_release(y);
  percale_session_release(made);
  return status;
}

const scenario run_scenarios[] = {
    {"session and first run", plan_and_run, a_run_gives_the_same_bits, 0},
    {"run", warm_run, a_run_gives_the_same_bits, 0},
    {"prepared call", call_run, the_call_gives_the_same_bits, 0},
    {"prepared call that may end", call_that_may_end, the_call_gives_the_same_bits, 0},
    {"prepare a call", prepare_call, the_call_gives_the_same_bits, 0},
    {"session and first run in parts", run_staged, the_staged_session_serves, 0},
    {"run in parts", warm_staged, the_staged_session_serves, 0},
    {"asynchronous run", run_async, a_run_gives_the_same_bits, 0},
    {"exchange in a queue", exchange, the_queue_holds_the_token, 0},
    {"explain", explain, a_run_gives_the_same_bits, 0},
    {"run with threads", run_with_threads, a_run_gives_the_same_bits, 1},
    {NULL, NULL, NULL, 0},
};
