/* Fails the k-th allocation, for every k, once or permanently. The call must end with
 * RESOURCE_EXHAUSTED, or succeed if it did not need the memory. It must leak nothing, and its
 * objects must be unchanged and continue to the same bits.
 * Usage: out_of_memory FOLDER [--stride N] [--only NAME] [--at K]
 *   FOLDER    exists and is writable
 *   --stride  only every N-th k, to save time
 *   --only    one of the scenarios
 *   --at      only this k, for a debugger (break on `refuse`) */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "failing_malloc.h"
#include "host.h"

/* One operation that may run out of memory, and a check that everything is in order afterwards. */
typedef struct scenario {
  const char* name;
  percale_status* (*attempt)(void);
  void (*use_afterwards)(int failed); /* called after each attempt, without failures */
  /* Larger strides of k, because there are many similar allocations. */
  int coarse;
} scenario;

static percale_engine *engine = NULL, *threaded = NULL;
static percale_graph *graph = NULL, *staged = NULL;
static percale_variables* variables = NULL;
static percale_session *session = NULL, *staged_session = NULL;
static percale_call* call = NULL;
static percale_trainer *trainer = NULL, *second = NULL;
static percale_dataset *data = NULL, *threaded_data = NULL;
static percale_tensor *batch[2], *large[2], *answer = NULL, *output = NULL, *line = NULL, *condition = NULL,
                                            *count = NULL;
static char folder[3000], graph_path[4000], values_path[4000], array_path[4000], checkpoints[4000], digest[128];
static percale_text* graph_bytes = NULL;
static int64_t steps = 0;
static percale_session* queue_session = NULL;
static percale_tensor* tokens[2];
static int token = 0; /* the token that is in the queue */

static void check_answer(percale_tensor* y) {
  CHECK(y != NULL && percale_tensor_bytes(y) == percale_tensor_bytes(answer) &&
        memcmp(percale_tensor_get_data(y), percale_tensor_get_data(answer), percale_tensor_bytes(y)) == 0);
}

/* The engine and the session that all scenarios share still work. */
static void a_run_gives_the_same_bits(int failed) {
  percale_tensor* y = NULL;
  (void)failed;
  OK(host_run(session, batch[0], &y));
  check_answer(y);
  percale_tensor_release(y);
}

static percale_status* make_engine(void) {
  percale_engine* made = NULL;
  percale_status* status = host_make_engine(1, NULL, 0, &made);
  percale_engine_release(made);
  return status;
}

static percale_status* make_engine_with_threads(void) {
  percale_engine* made = NULL;
  percale_status* status = host_make_engine(3, NULL, 0, &made);
  percale_engine_release(made);
  return status;
}

static percale_status* describe_engine(void) {
  percale_text* text = NULL;
  percale_status* status = NULL;
  TRY(percale_engine_describe(engine, "info", &text));
out:
  percale_text_release(text);
  return status;
}

static percale_status* build(void) {
  percale_graph *made = NULL, *other = NULL;
  percale_status* status = NULL;
  TRY(host_make_graph(engine, &made));
  TRY(host_make_staged_graph(engine, &other));
out:
  percale_graph_release(made);
  percale_graph_release(other);
  return status;
}

static percale_status* load_bytes(void) {
  percale_graph* loaded = NULL;
  percale_status* status = NULL;
  size_t size = 0;
  const char* bytes = percale_text_data(graph_bytes, &size);
  TRY(percale_graph_load(engine, bytes, size, &loaded));
out:
  percale_graph_release(loaded);
  return status;
}

static percale_status* load_file(void) {
  percale_graph* loaded = NULL;
  percale_variables* made = NULL;
  percale_status* status = NULL;
  TRY(percale_graph_load_file(engine, graph_path, &loaded));
  TRY(percale_variables_create(engine, loaded, 1, &made));
out:
  percale_variables_release(made);
  percale_graph_release(loaded);
  return status;
}

static percale_status* save_graph(void) { return percale_graph_save_file(graph, variables, graph_path); }

/* NULL if the plug-in for the format is missing. */
static percale_text* model_bytes = NULL;

static percale_status* export_model(void) {
  percale_text* bytes = NULL;
  percale_status* status = NULL;
  if (model_bytes == NULL) return NULL;
  TRY(percale_graph_export_bytes(engine, graph, variables, "onnx", &bytes));
out:
  percale_text_release(bytes);
  return status;
}

static percale_status* import_model(void) {
  percale_graph* made = NULL;
  percale_status* status = NULL;
  size_t size = 0;
  if (model_bytes == NULL) return NULL;
  percale_text_data(model_bytes, &size);
  TRY(percale_graph_import_bytes(engine, "onnx", percale_text_data(model_bytes, NULL), size, &made));
out:
  percale_graph_release(made);
  return status;
}

/* The file is complete, whatever the result of the attempt was. */
static void the_file_loads(int failed) {
  percale_graph* loaded = NULL;
  (void)failed;
  OK(percale_graph_load_file(engine, graph_path, &loaded));
  percale_graph_release(loaded);
}

static percale_status* draw_variables(void) {
  percale_variables* made = NULL;
  percale_status* status = percale_variables_create(engine, graph, 1, &made);
  percale_variables_release(made);
  return status;
}

static percale_status* move_values(void) {
  percale_status* status = NULL;
  TRY(percale_variables_save(variables, values_path));
  TRY(percale_variables_load(variables, values_path, 1));
  TRY(percale_tensor_save(answer, array_path));
out:
  return status;
}

static percale_status* load_array(void) {
  percale_tensor* loaded = NULL;
  percale_status* status = percale_tensor_load(engine, array_path, &loaded);
  percale_tensor_release(loaded);
  return status;
}

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

static int rows_ended = 0;
static void end_rows(void* user) {
  CHECK(user == &rows_ended);
  ++rows_ended;
}
static int32_t one_row(void* user, int64_t row, void* const* columns) {
  (void)user;
  *(float*)columns[0] = (float)row;
  return 0;
}

/* The row source is released once if the library accepted it, and never if it did not. */
static percale_status* make_rows(void) {
  static const char* const names[1] = {"x"};
  static const char* const others[1] = {"y"};
  static const percale_dtype dtypes[1] = {PERCALE_DTYPE_F32};
  static const int64_t* const no_dims[1] = {NULL};
  static const size_t ranks[1] = {0};
  percale_dataset *rows = NULL, *named = NULL;
  percale_tensor* column = NULL;
  percale_status* status = NULL;
  percale_dtype dtype = 0;
  int64_t dims[8];
  size_t rank = 0;
  int taken = 0;
  rows_ended = 0;
  TRY(percale_dataset_generator_owned(engine, names, dtypes, no_dims, ranks, 1, 4, one_row, &rows_ended, end_rows,
                                      &rows));
  taken = 1;
  TRY(percale_dataset_rename(rows, others, 1, &named));
  TRY(percale_dataset_column_type(named, 0, &dtype, dims, &rank));
  TRY(percale_dataset_configure(named, 4, -1, 0));
  TRY(percale_dataset_next(named, &column));
out:
  percale_tensor_release(column);
  percale_dataset_release(rows);
  CHECK(rows_ended == (taken && named == NULL));
  percale_dataset_release(named);
  CHECK(rows_ended == taken);
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

/* A queue of at most 2 f32: the target "put" enqueues x, the fetch "got" dequeues. */
static void make_queue_session(void) {
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

static percale_status* make_trainer(void) {
  percale_trainer* made = NULL;
  percale_status* status = host_make_trainer(engine, graph, &made);
  percale_trainer_release(made);
  return status;
}

static percale_status* first_step(void) {
  percale_trainer* made = NULL;
  percale_status* status = NULL;
  TRY(host_make_trainer(engine, graph, &made));
  TRY(host_step(made, batch));
out:
  percale_trainer_release(made);
  return status;
}

static percale_status* step(void) {
  percale_status* status = host_step(trainer, batch);
  if (status == NULL) ++steps;
  return status;
}

/* A failed step has changed nothing; a successful one has taken effect. */
static void the_state_is_that_of_the_last_step(int failed) {
  char now[128] = "";
  OK(host_digest(trainer, now));
  CHECK(percale_trainer_steps(trainer) == steps);
  CHECK((strcmp(now, digest) == 0) == (failed != 0));
  memcpy(digest, now, sizeof digest);
}

static percale_status* fit(void) {
  percale_trainer* made = NULL;
  percale_status* status = NULL;
  TRY(host_make_trainer(engine, graph, &made));
  TRY(percale_trainer_fit(made, data, 2, NULL, NULL));
out:
  percale_trainer_release(made);
  return status;
}

/* The engine's threads take part, so it is random which of them the failure hits. */
static percale_status* fit_with_threads(void) {
  percale_trainer* made = NULL;
  percale_status* status = NULL;
  TRY(host_make_trainer(threaded, graph, &made));
  TRY(percale_trainer_fit(made, threaded_data, 2, NULL, NULL));
out:
  percale_trainer_release(made);
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

static percale_status* evaluate(void) {
  percale_text* text = NULL;
  percale_status* status = percale_trainer_evaluate(trainer, data, &text);
  percale_text_release(text);
  return status;
}

static percale_status* save(void) { return percale_trainer_save(trainer, checkpoints); }

static percale_status* restore(void) { return percale_trainer_restore(second, checkpoints); }

/* There was a complete checkpoint of this state before the attempt, and there is one after it. */
static void the_checkpoint_is_whole(int failed) {
  char now[128] = "";
  (void)failed;
  OK(percale_trainer_restore(second, checkpoints));
  OK(host_digest(second, now));
  CHECK(strcmp(now, digest) == 0 && percale_trainer_steps(second) == steps);
}

static const scenario scenarios[] = {
    {"engine", make_engine, a_run_gives_the_same_bits, 1},
    {"engine with threads", make_engine_with_threads, a_run_gives_the_same_bits, 1},
    {"describe", describe_engine, a_run_gives_the_same_bits, 0},
    {"build", build, a_run_gives_the_same_bits, 0},
    {"load from memory", load_bytes, a_run_gives_the_same_bits, 0},
    {"save a graph", save_graph, the_file_loads, 0},
    {"load from a file", load_file, the_file_loads, 0},
    {"export", export_model, a_run_gives_the_same_bits, 0},
    {"import", import_model, a_run_gives_the_same_bits, 0},
    {"variables", draw_variables, a_run_gives_the_same_bits, 0},
    {"save and load values", move_values, a_run_gives_the_same_bits, 0},
    {"load an array", load_array, a_run_gives_the_same_bits, 0},
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
    {"rows of a function", make_rows, a_run_gives_the_same_bits, 0},
    {"trainer", make_trainer, a_run_gives_the_same_bits, 0},
    {"trainer and first step", first_step, a_run_gives_the_same_bits, 1},
    {"step", step, the_state_is_that_of_the_last_step, 0},
    {"fit", fit, a_run_gives_the_same_bits, 1},
    {"run with threads", run_with_threads, a_run_gives_the_same_bits, 1},
    {"fit with threads", fit_with_threads, a_run_gives_the_same_bits, 1},
    {"evaluate", evaluate, a_run_gives_the_same_bits, 0},
    {"save a checkpoint", save, the_checkpoint_is_whole, 0},
    {"restore a checkpoint", restore, the_checkpoint_is_whole, 0},
};

/* The engine's thread releases memory of an asynchronous run a moment after the caller is
 * notified. Less than before is no error: a session without memory releases what it keeps for
 * later runs. */
static int settles_at(int64_t held) {
  const int64_t begin = host_now();
  while (failing_malloc_held() > held) {
    if (host_now() - begin > 1000000000) return 0;
  }
  return 1;
}

static void sweep(const scenario* s, int persistent, int64_t stride, int64_t only) {
  int64_t k, last = 0, tried = 0, spared = 0, held;
  int wrong = 0;
  percale_status* status = s->attempt();
  OK(status);
  s->use_afterwards(0);
  usleep(20000); /* see settles_at() */
  held = failing_malloc_held();
  for (k = only > 0 ? only : 1;; k += stride) {
    int64_t failed = 0;
    const int before = check_failures;
    const int64_t files = host_count_entries("/proc/self/fd");
    percale_code code;
    failing_malloc_begin(k, persistent);
    status = s->attempt();
    failing_malloc_end(&failed);
    code = percale_status_code(status);
    CHECK(code == PERCALE_RESOURCE_EXHAUSTED || code == PERCALE_OK);
    if (code != PERCALE_RESOURCE_EXHAUSTED && code != PERCALE_OK) {
      fprintf(stderr, "  %s: %s\n", percale_code_name(code), percale_status_message(status, NULL));
    }
    percale_status_release(status);
    CHECK(failed > 0 || code == PERCALE_OK);
    s->use_afterwards(code != PERCALE_OK);
    CHECK(settles_at(held));
    CHECK(host_count_entries("/proc/self/fd") == files);
    CHECK(percale_status_live_count() == 0);
    if (check_failures != before) {
      fprintf(stderr, "  %s, k = %lld, %s: holds %+lld\n", s->name, (long long)k, persistent ? "persistent" : "once",
              (long long)(failing_malloc_held() - held));
      held = failing_malloc_held();
      if (++wrong == 10) break;
    }
    if (failed == 0) break;
    ++tried;
    last = k;
    if (code == PERCALE_OK) ++spared;
    if (only > 0) break;
  }
  printf("%-32s %-10s covered k = 1..%lld", s->name, persistent ? "persistent" : "once", (long long)last);
  if (stride > 1) printf(" in steps of %lld", (long long)stride);
  printf(": %lld failures", (long long)tried);
  if (spared > 0) printf(", %lld of them not needed", (long long)spared);
  printf("\n");
  fflush(stdout);
}

static void set_up(void) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  static const char* const names[2] = {"x", "t"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims;
  const int64_t one = 1, three = 3, y_dims[2] = {HOST_ROWS, 3};
  const size_t rank = 4;
  snprintf(graph_path, sizeof graph_path, "%s/oom.percale", folder);
  snprintf(values_path, sizeof values_path, "%s/oom.safetensors", folder);
  snprintf(array_path, sizeof array_path, "%s/oom.npy", folder);
  snprintf(checkpoints, sizeof checkpoints, "%s/oom-checkpoints", folder);
  host_remove_tree(checkpoints);
  OK(host_make_engine(1, NULL, 0, &engine));
  OK(host_make_graph(engine, &graph));
  OK(host_make_staged_graph(engine, &staged));
  OK(host_make_batch(engine, HOST_ROWS, batch));
  OK(percale_variables_create(engine, graph, 1, &variables));
  OK(percale_graph_serialize(graph, variables, &graph_bytes));
  percale_status_release(percale_graph_export_bytes(engine, graph, variables, "onnx", &model_bytes));
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  OK(percale_session_create(engine, staged, NULL, NULL, &staged_session));
  make_queue_session();
  OK(host_run(session, batch[0], &answer));
  dims = percale_tensor_get_dims(batch[0]);
  OK(percale_call_create(session, feeds, &dtype, &dims, &rank, 1, fetches, 1, &call));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, y_dims, 2, &output));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, &three, 1, &line));
  ((float*)percale_tensor_get_data(line))[0] = -1;
  ((float*)percale_tensor_get_data(line))[1] = 2;
  ((float*)percale_tensor_get_data(line))[2] = 3;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_BOOL, NULL, 0, &condition));
  *(char*)percale_tensor_get_data(condition) = 1;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_I64, &one, 1, &count));
  *(int64_t*)percale_tensor_get_data(count) = 5;
  OK(percale_dataset_from_tensors(engine, names, batch, 2, &data));
  OK(percale_dataset_configure(data, 8, 3, 0));
  OK(host_make_engine(3, NULL, 0, &threaded));
  OK(host_make_batch(threaded, 512, large));
  OK(percale_dataset_from_tensors(threaded, names, large, 2, &threaded_data));
  OK(percale_dataset_configure(threaded_data, 256, 3, 0));
  OK(host_make_trainer(engine, graph, &trainer));
  OK(host_make_trainer(engine, graph, &second));
  OK(host_step(trainer, batch));
  steps = 1;
  OK(host_digest(trainer, digest));
}

static void take_down(void) {
  percale_trainer_release(second);
  percale_trainer_release(trainer);
  percale_dataset_release(threaded_data);
  percale_tensor_release(large[0]);
  percale_tensor_release(large[1]);
  percale_engine_release(threaded);
  percale_dataset_release(data);
  percale_tensor_release(count);
  percale_tensor_release(condition);
  percale_tensor_release(line);
  percale_tensor_release(output);
  percale_tensor_release(answer);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_call_release(call);
  percale_session_release(staged_session);
  percale_session_release(queue_session);
  percale_tensor_release(tokens[0]);
  percale_tensor_release(tokens[1]);
  percale_session_release(session);
  percale_text_release(graph_bytes);
  percale_text_release(model_bytes);
  percale_variables_release(variables);
  percale_graph_release(staged);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

/* All successful steps lead to the same state as without failures. */
static void the_steps_were_the_same_as_without_failures(void) {
  percale_trainer* calm = NULL;
  char wanted[128] = "", got[128] = "";
  int64_t i;
  OK(host_make_trainer(engine, graph, &calm));
  for (i = 0; i < steps; ++i) OK(host_step(calm, batch));
  OK(host_digest(calm, wanted));
  OK(host_digest(trainer, got));
  CHECK(strcmp(wanted, got) == 0);
  percale_trainer_release(calm);
}

int main(int argc, char** argv) {
  int64_t stride = 1, at = 0, start;
  const char* only = NULL;
  size_t i;
  int a;
  host_onednn = "off";
  if (!failing_malloc_works()) {
    printf("the allocator cannot be replaced in this build\n");
    return HOST_SKIPPED;
  }
  if (argc < 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  for (a = 2; a + 1 < argc; a += 2) {
    if (strcmp(argv[a], "--stride") == 0) stride = strtoll(argv[a + 1], NULL, 10);
    if (strcmp(argv[a], "--only") == 0) only = argv[a + 1];
    if (strcmp(argv[a], "--at") == 0) at = strtoll(argv[a + 1], NULL, 10);
  }
  /* Runs everything once first, because the C library allocates some memory permanently: buffers
   * of streams, descriptors of threads. */
  printf("each allocation of the library fails:\n");
  set_up();
  for (i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) OK(scenarios[i].attempt());
  take_down();
  start = failing_malloc_held();
  set_up();
  for (i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
    const scenario* s = &scenarios[i];
    if (only != NULL && strcmp(only, s->name) != 0) continue;
    sweep(s, 0, s->coarse ? stride * 16 - 15 : stride, at);
    sweep(s, 1, s->coarse ? stride * 16 - 15 : stride, at);
  }
  the_steps_were_the_same_as_without_failures();
  take_down();
  CHECK(failing_malloc_held() == start);
  if (failing_malloc_held() != start)
    fprintf(stderr, "  all in all: %+lld\n", (long long)(failing_malloc_held() - start));
  return check_done();
}
