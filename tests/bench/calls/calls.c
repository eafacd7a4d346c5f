#include "calls.h"

#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

struct calls {
  percale_engine* engine;
  percale_graph* graph;
  percale_session* session;
  percale_call* call;
  percale_tensor *x, *y;
};

/* Jumps to `out` with the error in `status`. */
#define TRY(call)                 \
  do {                            \
    status = (call);              \
    if (status != NULL) goto out; \
  } while (0)

static percale_status* make_graph(percale_engine* engine, percale_graph** out_graph) {
  const int64_t dims[1] = {1};
  percale_builder* builder = NULL;
  percale_status* status = NULL;
  percale_value x, y;
  TRY(percale_builder_create(engine, &builder));
  TRY(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  TRY(percale_builder_node(builder, "Add", "y"));
  TRY(percale_builder_add_input(builder, x));
  TRY(percale_builder_add_input(builder, x));
  TRY(percale_builder_finish_node(builder, 1, &y));
  TRY(percale_builder_rename(builder, y, "y"));
  TRY(percale_builder_set_outputs(builder, &y, 1));
  TRY(percale_builder_finish(builder, out_graph));
out:
  percale_builder_release(builder);
  return status;
}

static percale_status* open_call(calls* c) {
  const char *const x = "x", *const y = "y";
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t one[1] = {1}, *dims = one;
  const size_t rank = 1;
  percale_options* options = NULL;
  percale_status* status = NULL;
  TRY(percale_options_create("engine", &options));
  TRY(percale_options_set_int(options, "threads", 1));
  TRY(percale_engine_create(options, &c->engine));
  TRY(make_graph(c->engine, &c->graph));
  TRY(percale_session_create(c->engine, c->graph, NULL, NULL, &c->session));
  TRY(percale_call_create(c->session, &x, &dtype, &dims, &rank, 1, &y, 1, &c->call));
  TRY(percale_tensor_create(c->engine, dtype, dims, rank, &c->x));
  TRY(percale_tensor_create(c->engine, dtype, dims, rank, &c->y));
  *(float*)percale_tensor_get_data(c->x) = 1.5f;
out:
  percale_options_release(options);
  return status;
}

calls* calls_open(void) {
  calls* c = calloc(1, sizeof *c);
  percale_status* status = c != NULL ? open_call(c) : NULL;
  if (status == NULL) return c;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  percale_status_release(status);
  calls_close(c);
  return NULL;
}

int32_t calls_loop(percale_call* call, percale_tensor* const* inputs, percale_tensor* const* outputs, int64_t times) {
  for (; times > 0; --times) {
    percale_status* status = percale_call_run(call, inputs, outputs);
    if (status == NULL) continue;
    percale_status_release(status);
    return 0;
  }
  return 1;
}

int32_t calls_run(calls* c, int64_t times) {
  return calls_loop(c->call, &c->x, &c->y, times) && *(const float*)percale_tensor_get_data(c->y) == 3.0f;
}

void calls_close(calls* c) {
  if (c == NULL) return;
  percale_tensor_release(c->x);
  percale_tensor_release(c->y);
  percale_call_release(c->call);
  percale_session_release(c->session);
  percale_graph_release(c->graph);
  percale_engine_release(c->engine);
  free(c);
}
