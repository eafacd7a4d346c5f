/* Models over memory of the host, memory that is given back, and the metrics of an engine. */
#include <pthread.h>
#include <stdlib.h>

#include "host_fixture.h"

/* Counts the calls of a deleter. */
typedef struct owner {
  int deleted;
  void* data;
} owner;

static void delete_data(void* user, void* data) {
  ++((owner*)user)->deleted;
  CHECK(((owner*)user)->data == data);
}

/* y of a graph with its own values. */
static percale_tensor* result_of(percale_engine* engine, const percale_graph* graph) {
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_tensor *x = make_x(engine), *y = NULL;
  OK(percale_variables_create(engine, graph, 99, &variables));
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  OK(run_model(session, x, &y));
  percale_tensor_release(x);
  percale_session_release(session);
  percale_variables_release(variables);
  return y;
}

static int lies_in(const percale_tensor* tensor, const unsigned char* data, size_t size) {
  const unsigned char* begin = (const unsigned char*)percale_tensor_get_data(tensor);
  return begin >= data && begin + percale_tensor_bytes(tensor) <= data + size;
}

static percale_tensor* weights_of(percale_engine* engine, const percale_graph* graph) {
  percale_variables* variables = NULL;
  percale_tensor* out = NULL;
  size_t i, best = 0;
  OK(percale_variables_create(engine, graph, 99, &variables));
  for (i = 0; i < percale_variables_count(variables); ++i) { /* the largest one */
    percale_tensor* value = NULL;
    OK(percale_variables_value(variables, percale_variables_get_name(variables, i), &value));
    if (percale_tensor_bytes(value) > best) {
      best = percale_tensor_bytes(value);
      percale_tensor_release(out);
      out = percale_tensor_retain(value);
    }
    percale_tensor_release(value);
  }
  percale_variables_release(variables);
  return out;
}

static void a_graph_uses_memory_of_the_host(void) {
  percale_engine* engine = engine_of(engine_options());
  percale_graph *graph = make_graph(engine), *lent = NULL;
  percale_variables* variables = make_variables(engine, graph);
  percale_tensor *wanted, *y, *weights;
  size_t size, offset;
  unsigned char *bytes, *moved;
  OK(percale_graph_save_file(graph, variables, in_folder("lent.percale")));
  percale_graph_release(graph);
  bytes = contents(in_folder("lent.percale"), &size);
  OK(percale_graph_load(engine, bytes, size, &graph));
  wanted = result_of(engine, graph);
  percale_graph_release(graph);
  for (offset = 0; offset < 9; offset += 8) {
    owner o = {0, NULL};
    int64_t copied = -1;
    moved = bytes + offset;
    memmove(moved, bytes, size);
    o.data = moved;
    OK(percale_graph_from_memory(engine, moved, size, delete_data, &o, &copied, &lent));
    CHECK(copied == (offset == 0 ? 0 : (int64_t)size));
    CHECK(o.deleted == (offset == 0 ? 0 : 1));
    y = result_of(engine, lent);
    CHECK(same_tensor(y, wanted));
    weights = weights_of(engine, lent);
    CHECK(lies_in(weights, moved, size) == (offset == 0));
    percale_tensor_release(y);
    percale_graph_release(lent);
    CHECK(o.deleted == (offset == 0 ? 0 : 1)); /* a tensor still has it */
    percale_tensor_release(weights);
    CHECK(o.deleted == 1);
  }
  {
    owner o = {0, NULL};
    o.data = moved;
    moved[size / 2] ^= 1;
    FAILS(percale_graph_from_memory(engine, moved, size, delete_data, &o, NULL, &lent), PERCALE_DATA_LOSS, "");
    FAILS(percale_graph_from_memory(engine, moved, 3, delete_data, &o, NULL, &lent), PERCALE_DATA_LOSS, "");
    REFUSES(percale_graph_from_memory(engine, NULL, size, delete_data, &o, NULL, &lent), "data");
    CHECK(o.deleted == 0 && lent == NULL);
  }
  percale_tensor_release(wanted);
  percale_variables_release(variables);
  percale_engine_release(engine);
  free(bytes);
}

static void variables_use_memory_of_the_host(void) {
  percale_engine* engine = engine_of(engine_options());
  percale_graph* graph = make_graph(engine);
  percale_variables *variables = make_variables(engine, graph), *other = NULL;
  percale_text *wanted = NULL, *got = NULL;
  owner o = {0, NULL};
  size_t size;
  unsigned char* bytes;
  int64_t copied = -1;
  OK(percale_variables_save(variables, in_folder("lent.safetensors")));
  OK(percale_variables_digest(variables, &wanted));
  bytes = contents(in_folder("lent.safetensors"), &size);
  o.data = bytes;
  OK(percale_variables_create(engine, graph, 99, &other));
  OK(percale_variables_load_memory(other, bytes, size, delete_data, &o, 1, &copied));
  CHECK(copied == 0 && o.deleted == 0);
  OK(percale_variables_digest(other, &got));
  CHECK(strcmp(percale_text_data(wanted, NULL), percale_text_data(got, NULL)) == 0);
  FAILS(percale_variables_load_memory(other, bytes, size - 1, delete_data, &o, 1, &copied), PERCALE_DATA_LOSS, "");
  CHECK(o.deleted == 0 && copied == 0);
  percale_variables_release(other);
  CHECK(o.deleted == 1);
  memmove(bytes + 4, bytes, size);
  o.data = bytes + 4;
  OK(percale_variables_load_memory(variables, bytes + 4, size, delete_data, &o, 1, &copied));
  CHECK(copied == (int64_t)(WIDE * WIDE + WIDE) * 4 && o.deleted == 2);
  percale_text_release(wanted);
  percale_text_release(got);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
  free(bytes);
}

static void* trim_often(void* user) {
  int i;
  for (i = 0; i < 200; ++i) CHECK(percale_engine_trim((percale_engine*)user) >= 0);
  return NULL;
}

static void memory_of_finished_runs_is_given_back(void) {
  percale_engine* engine = engine_of(engine_options());
  percale_graph* graph = make_graph(engine);
  percale_variables* variables = make_variables(engine, graph);
  percale_session* session = NULL;
  percale_tensor *x = make_x(engine), *wanted = NULL, *y = NULL;
  pthread_t trimmer;
  int64_t before, after, bytes;
  int i;
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  CHECK(percale_engine_trim(engine) == 0);
  OK(run_model(session, x, &wanted));
  percale_engine_memory(engine, &before, NULL);
  bytes = percale_engine_trim(engine);
  percale_engine_memory(engine, &after, NULL);
  CHECK(bytes >= ROWS * WIDE * 4 && bytes <= before - after);
  CHECK(percale_engine_trim(engine) == 0);
  CHECK(pthread_create(&trimmer, NULL, trim_often, engine) == 0);
  for (i = 0; i < 200; ++i) {
    OK(run_model(session, x, &y));
    CHECK(same_tensor(y, wanted));
    percale_tensor_release(y);
  }
  pthread_join(trimmer, NULL);
  CHECK(percale_engine_trim(NULL) == 0);
  percale_tensor_release(wanted);
  percale_tensor_release(x);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

static void metrics_count_runs_and_errors(void) {
  percale_engine* engine = engine_of(engine_options());
  percale_graph* graph = make_graph(engine);
  percale_variables* variables = make_variables(engine, graph);
  percale_session* session = NULL;
  percale_tensor *x = make_x(engine), *y = NULL;
  const char *const feed = "x", *const fetch = "y", *const unknown = "z";
  int64_t used, peak;
  double seconds;
  int i;
  CHECK(metric(engine, "runs_total") == 0 && metric(engine, "sessions") == 0);
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  for (i = 0; i < 5; ++i) {
    OK(run_model(session, x, &y));
    percale_tensor_release(y);
  }
  FAILS(percale_session_run(session, &feed, &x, 1, &fetch, 1, NULL, 0, 0, &y), PERCALE_DEADLINE_EXCEEDED, "");
  CHECK(metric(engine, "plans_compiled_total") == 1 && metric(engine, "plan_cache_hits_total") == 5);
  FAILS(percale_session_run(session, &feed, &x, 1, &unknown, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_NOT_FOUND, "");
  CHECK(metric(engine, "runs_total") == 6);
  CHECK(metric(engine, "DEADLINE_EXCEEDED") == 1 && metric(engine, "NOT_FOUND") == 1);
  CHECK(metric(engine, "CANCELLED") == -1);
  CHECK(metric(engine, "sessions") == 1);
  CHECK(metric(engine, "training_steps_total") == 0);
  CHECK(metric(engine, "threads") == 4 && metric(engine, "memory_limit_bytes") == 0);
  percale_engine_memory(engine, &used, &peak);
  CHECK(metric(engine, "memory_bytes") == (double)used && metric(engine, "memory_peak_bytes") == (double)peak);
  seconds = metric(engine, "run_seconds_total");
  CHECK(seconds > 0 && seconds < metric(engine, "uptime_seconds"));
  percale_session_release(session);
  CHECK(metric(engine, "sessions") == 0 && metric(engine, "runs_total") == 6);
  CHECK(metric(engine, "run_seconds_total") >= seconds);
  REFUSES(percale_engine_metrics(engine, NULL), "out_json");
  percale_tensor_release(x);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

void test_memory(void) {
  a_graph_uses_memory_of_the_host();
  variables_use_memory_of_the_host();
  memory_of_finished_runs_is_given_back();
  metrics_count_runs_and_errors();
}
