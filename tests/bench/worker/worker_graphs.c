/* Workloads made with the builder, and those made of layers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker_builder.h"

static void make_empty(workload* w) {
  const int64_t dims[1] = {1};
  begin_graph();
  prepare(w, op1("Identity", input(w, "a", random_tensor(dims, 1, 1))), NULL);
}

static void chain(workload* w, const char* passes_off) {
  const int64_t dims[1] = {16};
  percale_value x, b;
  int i;
  begin_graph();
  x = input(w, "a", random_tensor(dims, 1, 1)), b = input(w, "b", random_tensor(dims, 1, 1));
  for (i = 0; i < 1000; ++i) x = i % 2 ? op1("Relu", x) : op2("Add", x, b);
  prepare(w, x, passes_off);
}
static void make_chain(workload* w) { chain(w, "fuse_elementwise"); }
static void make_chain_fused(workload* w) { chain(w, NULL); }

static void mlp(workload* w, int64_t batch) {
  const int64_t dims[2] = {batch, 784};
  percale_value x;
  begin_graph();
  x = input(w, "a", random_tensor(dims, 2, 1));
  prepare(w, dense(dense(dense(x, 512, "relu"), 512, "relu"), 10, NULL), NULL);
}
static void make_mlp_1(workload* w) { mlp(w, 1); }
static void make_mlp_64(workload* w) { mlp(w, 64); }

static void matmul(workload* w, int64_t n) {
  const int64_t dims[2] = {n, n};
  percale_value a, b;
  begin_graph();
  a = input(w, "a", random_tensor(dims, 2, 1)), b = input(w, "b", random_tensor(dims, 2, 1));
  prepare(w, op2("MatMul", a, b), NULL);
}
static void make_matmul(workload* w) { matmul(w, 1024); }

/* x [16,64,56,56] and w [64,64,3,3], padded by 1. A gradient op takes dy in place of the operand
 * whose gradient it computes. */
static const int64_t kImage[4] = {16, 64, 56, 56}, kKernel[4] = {64, 64, 3, 3}, kOnes[4] = {1, 1, 1, 1};
static void convolution(workload* w, const char* op, const int64_t* a, const int64_t* b, const char* sized,
                        const int64_t* size) {
  percale_value x, y;
  begin_graph();
  x = input(w, "a", random_tensor(a, 4, 1)), y = input(w, "b", random_tensor(b, 4, 0.05f));
  begin_node(op, 2, x, y);
  ok(percale_builder_set_ints(builder, "pads", kOnes, 4));
  if (sized) ok(percale_builder_set_ints(builder, sized, size, 2));
  prepare(w, end_node(), NULL);
}
static void make_conv(workload* w) { convolution(w, "Conv", kImage, kKernel, NULL, NULL); }
static void make_conv_dx(workload* w) {
  convolution(w, "percale:ConvGradInput", kImage, kKernel, "spatial_shape", kImage + 2);
}
static void make_conv_dw(workload* w) {
  convolution(w, "percale:ConvGradWeight", kImage, kImage, "kernel_shape", kKernel + 2);
}

/* A SPEC names its data: one batch, in files that are removed when the trainer has read them. */
static void training(workload* w, const char* model, const int64_t* dims, size_t rank) {
  static const char* const names[] = {"x.npy", "y.npy"};
  char folder[] = "percale-bench-XXXXXX", path[64], spec[2048];
  percale_options* options;
  int i;
  w->feed_names[0] = "x", w->feed_names[1] = "y", w->feed_count = 2;
  w->feeds[0] = random_tensor(dims, rank, 1);
  w->feeds[1] = class_numbers(dims, 1, 10);
  if (mkdtemp(folder) == NULL) perror(folder), exit(1);
  for (i = 0; i < 2; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    ok(percale_tensor_save(w->feeds[i], path));
  }
  snprintf(spec, sizeof spec,
           "{\"model\": %s, \"batch_size\": %d, \"data\": {\"train\": {\"x\": \"x.npy\", \"y\": \"y.npy\"}},"
           "\"loss\": \"sparse_categorical_crossentropy\", \"from_logits\": true,"
           "\"optimizer\": {\"name\": \"adam\", \"learning_rate\": 0.001}}",
           model, (int)dims[0]);
  options = trainer_options();
  ok(percale_trainer_from_spec(engine, spec, strlen(spec), NULL, folder, options, &w->trainer));
  percale_options_release(options);
  for (i = 0; i < 2; ++i) snprintf(path, sizeof path, "%s/%s", folder, names[i]), remove(path);
  remove(folder);
  w->iterate = train_step;
}
static void mlp_adam(workload* w, int64_t batch) {
  const int64_t dims[2] = {batch, 784};
  training(w,
           "[{\"layer\": \"Dense\", \"units\": 512, \"activation\": \"relu\"},"
           "{\"layer\": \"Dense\", \"units\": 512, \"activation\": \"relu\"}, {\"layer\": \"Dense\", \"units\": 10}]",
           dims, 2);
}
static void make_mlp_adam_1(workload* w) { mlp_adam(w, 1); }
static void make_mlp_adam_64(workload* w) { mlp_adam(w, 64); }
static void make_lenet_adam_64(workload* w) {
  const int64_t dims[4] = {64, 28, 28, 1};
  training(
      w,
      "[{\"layer\": \"Conv2D\", \"filters\": 32, \"kernel_size\": 5, \"padding\": \"same\","
      "\"activation\": \"relu\"}, {\"layer\": \"MaxPooling2D\", \"pool_size\": 2},"
      "{\"layer\": \"Conv2D\", \"filters\": 64, \"kernel_size\": 5, \"padding\": \"same\", \"activation\": \"relu\"},"
      "{\"layer\": \"MaxPooling2D\", \"pool_size\": 2}, {\"layer\": \"Flatten\"},"
      "{\"layer\": \"Dense\", \"units\": 512, \"activation\": \"relu\"}, {\"layer\": \"Dense\", \"units\": 10}]",
      dims, 4);
}

/* One iteration: a file of the MLP is loaded, planned and run once, and everything is released. */
static char model_path[] = "percale-bench-model-XXXXXX";
static void load(workload* w) {
  static const char *const feed = "a", *const fetch = "y";
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_tensor* result;
  ok(percale_graph_load_file(engine, model_path, &graph));
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  ok(percale_session_run(session, &feed, w->feeds, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, &result));
  percale_tensor_release(result), percale_session_release(session);
  percale_variables_release(variables), percale_graph_release(graph);
}
static void make_load(workload* w) {
  const int64_t dims[2] = {1, 784};
  percale_graph* graph;
  percale_variables* variables;
  percale_value x, y;
  const int file = mkstemp(model_path);
  if (file < 0) perror(model_path), exit(1);
  close(file);
  begin_graph();
  x = input(w, "a", random_tensor(dims, 2, 1));
  y = dense(dense(dense(x, 512, "relu"), 512, "relu"), 10, NULL);
  ok(percale_builder_rename(builder, y, "y"));
  ok(percale_builder_set_outputs(builder, &y, 1));
  ok(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  ok(percale_variables_create(engine, graph, 1, &variables));
  ok(percale_graph_save_file(graph, variables, model_path));
  percale_variables_release(variables), percale_graph_release(graph);
  w->iterate = load;
}
void remove_files(void) { remove(model_path); }

const maker kGraphWorkloads[] = {
    {"empty", make_empty},
    {"chain", make_chain},
    {"chain_fused", make_chain_fused},
    {"mlp_1", make_mlp_1},
    {"mlp_64", make_mlp_64},
    {"mlp_adam_1", make_mlp_adam_1},
    {"mlp_adam_64", make_mlp_adam_64},
    {"lenet_adam_64", make_lenet_adam_64},
    {"matmul", make_matmul},
    {"conv", make_conv},
    {"conv_dx", make_conv_dx},
    {"conv_dw", make_conv_dw},
    {"load", make_load},
    {NULL, NULL},
};
