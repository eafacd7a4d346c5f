#define _GNU_SOURCE
#include "host.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static percale_status* add_node(percale_builder* builder, const char* op, const char* name, const percale_value* inputs,
                                size_t input_count, percale_value* out) {
  percale_status* status = NULL;
  size_t i;
  TRY(percale_builder_node(builder, op, name));
  for (i = 0; i < input_count; ++i) TRY(percale_builder_add_input(builder, inputs[i]));
  TRY(percale_builder_finish_node(builder, 1, out));
out:
  return status;
}

static percale_status* add_dense(percale_builder* builder, const char* name, int64_t units, const char* activation,
                                 percale_value input, percale_value* out) {
  percale_status* status = NULL;
  TRY(percale_builder_layer(builder, "Dense", name));
  TRY(percale_builder_add_input(builder, input));
  TRY(percale_builder_set_int(builder, "units", units));
  if (activation != NULL) TRY(percale_builder_set_string(builder, "activation", activation));
  TRY(percale_builder_finish_node(builder, 1, out));
out:
  return status;
}

percale_status* host_make_graph(percale_engine* engine, percale_graph** out_graph) {
  static const int64_t x_dims[4] = {-1, 8, 8, 1}, t_dims[2] = {-1, 3};
  percale_builder* builder = NULL;
  percale_status* status = NULL;
  percale_value x, v, pair[2], outputs[2];
  *out_graph = NULL;
  TRY(percale_builder_create(engine, &builder));
  TRY(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 4, &x));
  TRY(percale_builder_input(builder, "t", PERCALE_DTYPE_F32, t_dims, 2, &pair[1]));
  TRY(percale_builder_layer(builder, "Conv2D", "conv"));
  TRY(percale_builder_add_input(builder, x));
  TRY(percale_builder_set_int(builder, "filters", 4));
  TRY(percale_builder_set_int(builder, "kernel_size", 3));
  TRY(percale_builder_set_string(builder, "activation", "relu"));
  TRY(percale_builder_finish_node(builder, 1, &v));
  TRY(percale_builder_layer(builder, "MaxPooling2D", "pool"));
  TRY(percale_builder_add_input(builder, v));
  TRY(percale_builder_finish_node(builder, 1, &v));
  TRY(percale_builder_layer(builder, "Flatten", "flat"));
  TRY(percale_builder_add_input(builder, v));
  TRY(percale_builder_finish_node(builder, 1, &v));
  TRY(add_dense(builder, "hidden", 8, "tanh", v, &v));
  TRY(add_dense(builder, "last", 3, NULL, v, &v));
  TRY(add_node(builder, "Softmax", "y", &v, 1, &outputs[0]));
  pair[0] = outputs[0];
  TRY(add_node(builder, "Sub", NULL, pair, 2, &v));
  pair[0] = pair[1] = v;
  TRY(add_node(builder, "Mul", NULL, pair, 2, &v));
  TRY(percale_builder_node(builder, "ReduceMean", "loss"));
  TRY(percale_builder_add_input(builder, v));
  TRY(percale_builder_set_int(builder, "keepdims", 0));
  TRY(percale_builder_finish_node(builder, 1, &outputs[1]));
  TRY(percale_builder_rename(builder, outputs[0], "y"));
  TRY(percale_builder_rename(builder, outputs[1], "loss"));
  TRY(percale_builder_set_outputs(builder, outputs, 2));
  TRY(percale_builder_finish(builder, out_graph));
out:
  percale_builder_release(builder);
  return status;
}

static percale_status* add_branch(percale_builder* builder, const char* name, const char* op) {
  static const int64_t dims[1] = {-1};
  percale_status* status = NULL;
  percale_value a, b;
  TRY(percale_builder_begin_function(builder, name));
  TRY(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, dims, 1, &a));
  TRY(add_node(builder, op, NULL, &a, 1, &b));
  TRY(percale_builder_set_outputs(builder, &b, 1));
  TRY(percale_builder_end_function(builder));
out:
  return status;
}

percale_status* host_make_staged_graph(percale_engine* engine, percale_graph** out_graph) {
  static const int64_t dims[1] = {-1}, one = 1;
  percale_builder* builder = NULL;
  percale_status* status = NULL;
  percale_value x, c, n, outputs[2];
  *out_graph = NULL;
  TRY(percale_builder_create(engine, &builder));
  TRY(add_branch(builder, "then", "Relu"));
  TRY(add_branch(builder, "else", "Neg"));
  TRY(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  TRY(percale_builder_input(builder, "c", PERCALE_DTYPE_BOOL, NULL, 0, &c));
  TRY(percale_builder_input(builder, "n", PERCALE_DTYPE_I64, &one, 1, &n));
  TRY(percale_builder_node(builder, "If", "if"));
  TRY(percale_builder_add_input(builder, c));
  TRY(percale_builder_add_input(builder, x));
  TRY(percale_builder_set_function(builder, "then_branch", "then"));
  TRY(percale_builder_set_function(builder, "else_branch", "else"));
  TRY(percale_builder_finish_node(builder, 1, &outputs[0]));
  TRY(add_node(builder, "ConstantOfShape", "fill", &n, 1, &outputs[1]));
  TRY(percale_builder_rename(builder, outputs[0], "chosen"));
  TRY(percale_builder_rename(builder, outputs[1], "filled"));
  TRY(percale_builder_set_outputs(builder, outputs, 2));
  TRY(percale_builder_finish(builder, out_graph));
out:
  percale_builder_release(builder);
  return status;
}

percale_status* host_make_batch(percale_engine* engine, int64_t rows, percale_tensor* out_tensors[2]) {
  const int64_t x_dims[4] = {rows, 8, 8, 1}, t_dims[2] = {rows, 3};
  percale_status* status = NULL;
  int64_t i, j;
  out_tensors[0] = out_tensors[1] = NULL;
  TRY(percale_tensor_create(engine, PERCALE_DTYPE_F32, x_dims, 4, &out_tensors[0]));
  TRY(percale_tensor_create(engine, PERCALE_DTYPE_F32, t_dims, 2, &out_tensors[1]));
  for (i = 0; i < rows; ++i) {
    float* x = (float*)percale_tensor_get_data(out_tensors[0]) + 64 * i;
    for (j = 0; j < 64; ++j) x[j] = (float)((i * 7 + j * 5) % 11) / 11;
    ((float*)percale_tensor_get_data(out_tensors[1]))[3 * i + i % 3] = 1;
  }
out:
  if (status != NULL) {
    percale_tensor_release(out_tensors[0]);
    out_tensors[0] = NULL;
  }
  return status;
}

percale_status* host_make_trainer(percale_engine* engine, const percale_graph* graph, percale_trainer** out_trainer) {
  percale_options* options = NULL;
  percale_status* status = NULL;
  *out_trainer = NULL;
  TRY(percale_options_create("trainer", &options));
  TRY(percale_options_set(options, "optimizer", "adam"));
  TRY(percale_options_set(options, "loss", "loss"));
  TRY(percale_options_set_int(options, "shards", 2));
  TRY(percale_options_set_int(options, "seed", 4));
  TRY(percale_trainer_create(engine, graph, NULL, options, out_trainer));
out:
  percale_options_release(options);
  return status;
}

percale_status* host_step(percale_trainer* trainer, percale_tensor* const batch[2]) {
  static const char* const names[2] = {"x", "t"};
  return percale_trainer_step(trainer, names, batch, 2, NULL);
}

percale_status* host_run(percale_session* session, percale_tensor* x, percale_tensor** out_y) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  return percale_session_run(session, feeds, &x, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, out_y);
}

percale_status* host_digest(percale_trainer* trainer, char out[128]) {
  percale_variables* variables = NULL;
  percale_text* text = NULL;
  percale_status* status = NULL;
  TRY(percale_trainer_variables(trainer, &variables));
  TRY(percale_variables_digest(variables, &text));
  snprintf(out, 128, "%s", percale_text_data(text, NULL));
out:
  percale_text_release(text);
  percale_variables_release(variables);
  return status;
}

const char* host_onednn = "auto";

percale_status* host_make_engine(int64_t threads, const char* key, int64_t value, percale_engine** out_engine) {
  percale_options* options = NULL;
  percale_status* status = NULL;
  *out_engine = NULL;
  TRY(percale_options_create("engine", &options));
  TRY(percale_options_set_int(options, "threads", threads > 0 ? threads : 1));
  TRY(percale_options_set(options, "onednn", host_onednn));
  if (key != NULL) TRY(percale_options_set_int(options, key, value));
  TRY(percale_engine_create(options, out_engine));
out:
  percale_options_release(options);
  return status;
}

int64_t host_count_entries(const char* folder) {
  DIR* dir = opendir(folder);
  int64_t count = 0;
  if (dir == NULL) return -1;
  while (readdir(dir) != NULL) ++count;
  closedir(dir);
  return count;
}

int64_t host_resident_bytes(void) {
  long long size = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  if (fscanf(file, "%lld %lld", &size, &resident) != 2) resident = -1;
  fclose(file);
  return resident < 0 ? -1 : (int64_t)resident * (int64_t)sysconf(_SC_PAGESIZE);
}

static int remove_one(const char* path, const struct stat* info, int kind, struct FTW* where) {
  (void)info, (void)kind, (void)where;
  return remove(path);
}

void host_remove_tree(const char* path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

int64_t host_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
