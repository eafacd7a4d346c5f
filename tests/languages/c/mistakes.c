#define _POSIX_C_SOURCE 200112L /* nanosleep */
/* See ../README.md. Usage: mistakes FOLDER; mistakes --make FOLDER writes the models, which the
 * other languages use too. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/c_api/check.h"
#include "tests/hosts/host.h"

static const char *const x_name = "x", *const y_name = "y";

static void must(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  exit(1);
}

static void say(const char* mistake, percale_status* status) {
  printf("%s\t%s\t%s\n", mistake, percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  percale_status_release(status);
}

/* Two thousand products of a matrix with itself: a long run. */
static percale_status* make_long(percale_engine* engine, percale_graph** out_graph) {
  static const int64_t dims[2] = {-1, -1};
  percale_builder* builder = NULL;
  percale_status* status = NULL;
  percale_value v;
  int i;
  TRY(percale_builder_create(engine, &builder));
  TRY(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &v));
  for (i = 0; i < 2000; ++i) {
    TRY(percale_builder_node(builder, "MatMul", NULL));
    TRY(percale_builder_add_input(builder, v));
    TRY(percale_builder_add_input(builder, v));
    TRY(percale_builder_finish_node(builder, 1, &v));
    TRY(percale_builder_node(builder, "Tanh", NULL));
    TRY(percale_builder_add_input(builder, v));
    TRY(percale_builder_finish_node(builder, 1, &v));
  }
  TRY(percale_builder_rename(builder, v, "y"));
  TRY(percale_builder_set_outputs(builder, &v, 1));
  TRY(percale_builder_finish(builder, out_graph));
out:
  percale_builder_release(builder);
  return status;
}

static void make(const char* folder) {
  char path[4000];
  percale_engine* engine;
  percale_graph* graph;
  must(host_make_engine(1, NULL, 0, &engine));
  must(host_make_graph(engine, &graph));
  snprintf(path, sizeof path, "%s/model.percale", folder);
  must(percale_graph_save_file(graph, NULL, path));
  percale_graph_release(graph);
  must(make_long(engine, &graph));
  snprintf(path, sizeof path, "%s/long.percale", folder);
  must(percale_graph_save_file(graph, NULL, path));
  percale_graph_release(graph);
  percale_engine_release(engine);
}

static percale_tensor* zeros(percale_engine* engine, percale_dtype dtype, int64_t a, int64_t b, int64_t c, int64_t d,
                             size_t rank) {
  const int64_t dims[4] = {a, b, c, d};
  percale_tensor* out;
  must(percale_tensor_create(engine, dtype, dims, rank, &out));
  return out;
}

/* Runs y with x, and releases x. */
static percale_status* run(percale_session* session, percale_tensor* x, percale_tensor** out_y) {
  percale_status* status = percale_session_run(session, &x_name, &x, 1, &y_name, 1, NULL, 0, PERCALE_FOREVER, out_y);
  percale_tensor_release(x);
  return status;
}

int main(int argc, char** argv) {
  char path[4000];
  const struct timespec soon = {0, 50000000};
  percale_options* options;
  percale_engine* engine;
  percale_graph *graph, *lengthy, *none;
  percale_variables* variables;
  percale_session *session, *small, *slow;
  percale_builder* builder;
  percale_event* event;
  percale_value value;
  percale_tensor *x, *y;
  uint32_t bits;
  if (argc == 3 && strcmp(argv[1], "--make") == 0) return make(argv[2]), 0;
  if (argc != 2) return 2;
  must(host_make_engine(1, NULL, 0, &engine));
  snprintf(path, sizeof path, "%s/model.percale", argv[1]);
  must(percale_graph_load_file(engine, path, &graph));
  snprintf(path, sizeof path, "%s/long.percale", argv[1]);
  must(percale_graph_load_file(engine, path, &lengthy));
  must(percale_variables_create(engine, graph, 1, &variables));
  must(percale_session_create(engine, graph, variables, NULL, &session));

  say("wrong shape", run(session, zeros(engine, PERCALE_DTYPE_F32, 2, 3, 0, 0, 2), &y));
  say("wrong dtype", run(session, zeros(engine, PERCALE_DTYPE_I64, 1, 8, 8, 1, 4), &y));
  must(percale_builder_create(engine, &builder));
  must(percale_builder_node(builder, "MatMull", NULL));
  say("unknown op", percale_builder_finish_node(builder, 1, &value));
  say("missing file", percale_graph_load_file(engine, "/nowhere/model.percale", &none));
  say("no variables", percale_session_create(engine, graph, NULL, NULL, &slow));
  must(percale_session_create(engine, lengthy, NULL, NULL, &slow));
  x = zeros(engine, PERCALE_DTYPE_F32, 400, 400, 0, 0, 2);
  must(percale_session_run_async(slow, &x_name, &x, 1, &y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
  nanosleep(&soon, NULL);
  percale_event_cancel(event);
  say("cancelled run", percale_event_wait(event, PERCALE_FOREVER));
  must(percale_options_create("session", &options));
  must(percale_options_set_int(options, "memory_limit", 4096));
  must(percale_session_create(engine, graph, variables, options, &small));
  say("memory limit", run(small, zeros(engine, PERCALE_DTYPE_F32, 64, 8, 8, 1, 4), &y));
  say("use after close", run(NULL, zeros(engine, PERCALE_DTYPE_F32, 1, 8, 8, 1, 4), &y));

  must(run(session, zeros(engine, PERCALE_DTYPE_F32, 1, 8, 8, 1, 4), &y));
  memcpy(&bits, percale_tensor_get_data(y), sizeof bits);
  printf("lives\tOK\t%08" PRIx32 "\n", bits);
  percale_tensor_release(y);
  percale_tensor_release(x);
  percale_event_release(event);
  percale_options_release(options);
  percale_builder_release(builder);
  percale_session_release(small);
  percale_session_release(slow);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(lengthy);
  percale_graph_release(graph);
  percale_engine_release(engine);
  return check_done();
}
