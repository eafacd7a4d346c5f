#include "worker_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

percale_builder* builder;
static int variables; /* of the graph under construction */

static float draw(void) {
  static uint32_t lcg = 1;
  lcg = lcg * 1664525u + 1013904223u;
  return (float)(lcg >> 8) / 8388608.0f - 1.0f;
}

percale_tensor* random_tensor(const int64_t* dims, size_t rank, float scale) {
  percale_tensor* tensor;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, rank, &tensor));
  float* data = percale_tensor_get_data(tensor);
  const int64_t count = percale_tensor_element_count(tensor);
  for (int64_t i = 0; i < count; ++i) data[i] = draw() * scale;
  return tensor;
}

percale_tensor* class_numbers(const int64_t* dims, size_t rank, int64_t classes) {
  percale_tensor* tensor;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_I64, dims, rank, &tensor));
  int64_t* data = percale_tensor_get_data(tensor);
  const int64_t count = percale_tensor_element_count(tensor);
  for (int64_t i = 0; i < count; ++i) data[i] = i * 7 % classes;
  return tensor;
}

void begin_graph(void) {
  ok(percale_builder_create(engine, &builder));
  variables = 0;
}

static percale_value add_input(workload* w, const char* name, percale_tensor* feed, int any_batch) {
  const size_t rank = percale_tensor_rank(feed);
  int64_t dims[8];
  percale_value out;
  memcpy(dims, percale_tensor_get_dims(feed), rank * sizeof *dims);
  if (any_batch) dims[0] = -1;
  w->feed_names[w->feed_count] = name, w->feeds[w->feed_count++] = feed;
  ok(percale_builder_input(builder, name, percale_tensor_dtype(feed), dims, rank, &out));
  return out;
}
percale_value input(workload* w, const char* name, percale_tensor* feed) { return add_input(w, name, feed, 0); }
percale_value batch_input(workload* w, const char* name, percale_tensor* feed) { return add_input(w, name, feed, 1); }

percale_value variable(percale_tensor* initial) {
  percale_value out;
  char name[32];
  snprintf(name, sizeof name, "variable%d", variables++);
  ok(percale_builder_variable(builder, name, initial, &out));
  percale_tensor_release(initial);
  return out;
}

percale_value constant(percale_tensor* tensor) {
  percale_value out;
  ok(percale_builder_constant(builder, NULL, tensor, &out));
  percale_tensor_release(tensor);
  return out;
}

percale_value parameter(const int64_t* dims, size_t rank, float scale) {
  return variable(random_tensor(dims, rank, scale));
}

percale_value number(float value) {
  percale_tensor* tensor;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, NULL, 0, &tensor));
  *(float*)percale_tensor_get_data(tensor) = value;
  return constant(tensor);
}

percale_value numbers(size_t count, const int64_t* values) {
  const int64_t dims[1] = {(int64_t)count};
  percale_tensor* tensor;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_I64, dims, 1, &tensor));
  for (size_t i = 0; i < count; ++i) ((int64_t*)percale_tensor_get_data(tensor))[i] = values[i];
  return constant(tensor);
}

void begin_node(const char* op, int inputs, ...) {
  va_list values;
  ok(percale_builder_node(builder, op, NULL));
  va_start(values, inputs);
  for (int i = 0; i < inputs; ++i) ok(percale_builder_add_input(builder, va_arg(values, percale_value)));
  va_end(values);
}

percale_value end_node(void) {
  percale_value out;
  ok(percale_builder_finish_node(builder, 1, &out));
  return out;
}

percale_value op1(const char* op, percale_value a) {
  begin_node(op, 1, a);
  return end_node();
}
percale_value op2(const char* op, percale_value a, percale_value b) {
  begin_node(op, 2, a, b);
  return end_node();
}

percale_value cast(percale_value x, percale_dtype dtype) {
  begin_node("Cast", 1, x);
  ok(percale_builder_set_int(builder, "to", dtype));
  return end_node();
}

percale_value dense(percale_value x, int64_t units, const char* activation) {
  ok(percale_builder_layer(builder, "Dense", NULL));
  ok(percale_builder_add_input(builder, x));
  ok(percale_builder_set_int(builder, "units", units));
  if (activation) ok(percale_builder_set_string(builder, "activation", activation));
  return end_node();
}

/* Ends the graph; its outputs are called "result", "result1" and so on. */
static percale_graph* end_graph(workload* w, const percale_value* y, size_t count) {
  percale_graph* graph;
  for (w->fetch_count = 0; w->fetch_count < count; ++w->fetch_count) {
    char name[32] = "result";
    if (w->fetch_count > 0) snprintf(name, sizeof name, "result%zu", w->fetch_count);
    if ((w->fetch_names[w->fetch_count] = strdup(name)) == NULL) perror("memory"), exit(1);
    ok(percale_builder_rename(builder, y[w->fetch_count], name));
  }
  ok(percale_builder_set_outputs(builder, y, count));
  ok(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

static void run_call(workload* w) { ok(percale_call_run(w->call, w->feeds, w->fetches)); }

void prepare(workload* w, percale_value y, const char* passes_off) { prepare_several(w, &y, 1, passes_off); }

static void run_first(workload* w) {
  run_call(w);
  memset(w->feeds, 0, sizeof w->feeds);
  w->iterate = run_call;
}

void prepare_carrying(workload* w, const percale_value* y) {
  prepare_several(w, y, w->feed_count, NULL);
  for (size_t i = 0; i < w->feed_count; ++i) ok(percale_call_carry(w->call, i, i));
  for (size_t i = 1; i < w->fetch_count; ++i) percale_tensor_release(w->fetches[i]), w->fetches[i] = NULL;
  w->iterate = run_first;
}

void prepare_several(workload* w, const percale_value* y, size_t count, const char* passes_off) {
  percale_graph* graph = end_graph(w, y, count);
  percale_session* session;
  percale_variables* variables;
  percale_options* options = session_options();
  percale_dtype dtypes[kMaxValues], dtype;
  const int64_t* dims[kMaxValues];
  int64_t out_dims[8];
  size_t ranks[kMaxValues], rank, i;
  if (passes_off) ok(percale_options_set(options, "passes_off", passes_off));
  ok(percale_variables_create(engine, graph, 1, &variables));
  ok(percale_session_create(engine, graph, variables, options, &session));
  for (i = 0; i < w->feed_count; ++i) {
    dtypes[i] = percale_tensor_dtype(w->feeds[i]);
    dims[i] = percale_tensor_get_dims(w->feeds[i]);
    ranks[i] = percale_tensor_rank(w->feeds[i]);
  }
  ok(percale_call_create(session, w->feed_names, dtypes, dims, ranks, w->feed_count, w->fetch_names, count, &w->call));
  for (i = 0; i < count; ++i) {
    ok(percale_call_output_type(w->call, i, &dtype, out_dims, &rank));
    ok(percale_tensor_create(engine, dtype, out_dims, rank, &w->fetches[i]));
  }
  w->iterate = run_call;
  percale_options_release(options), percale_variables_release(variables);
  percale_session_release(session), percale_graph_release(graph);
}

void train_step(workload* w) { ok(percale_trainer_step(w->trainer, w->feed_names, w->feeds, w->feed_count, NULL)); }

void prepare_training(workload* w, percale_value y, const char* optimizer) {
  percale_graph* graph = end_graph(w, &y, 1);
  percale_options* options = trainer_options();
  ok(percale_options_set(options, "optimizer", optimizer));
  ok(percale_trainer_create(engine, graph, NULL, options, &w->trainer));
  w->iterate = train_step;
  percale_options_release(options), percale_graph_release(graph);
}
