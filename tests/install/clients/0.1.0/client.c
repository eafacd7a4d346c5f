/* A host of 0.1.0. Its calls and its output stay the same for as long as the major version does.
 * Usage: client FOLDER, a folder to write to. */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 32 };

static percale_engine* engine;
static const char* folder;

static void ok(percale_status* status, int line) {
  if (status == NULL) return;
  fprintf(stderr, "line %d: %s: %s\n", line, percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  exit(1);
}
#define OK(call) ok((call), __LINE__)

static void refused(percale_status* status, const char* what) {
  size_t size = 0;
  percale_status_message(status, &size);
  printf("  %s: %s%s\n", what, percale_code_name(percale_status_code(status)), size > 0 ? "" : " without a message");
  percale_status_release(status);
}

static const char* in_folder(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static percale_value node(percale_builder* builder, const char* op, const char* name, percale_value a,
                          percale_value b) {
  percale_value out;
  OK(percale_builder_node(builder, op, name));
  OK(percale_builder_add_input(builder, a));
  if (b != PERCALE_NO_VALUE) OK(percale_builder_add_input(builder, b));
  if (strcmp(op, "ReduceMean") == 0) OK(percale_builder_set_int(builder, "keepdims", 0));
  OK(percale_builder_finish_node(builder, 1, &out));
  return out;
}

static float first_float(const percale_tensor* tensor) { return *(const float*)percale_tensor_get_data(tensor); }

static int same_text(percale_text* a, percale_text* b) {
  const int same = strcmp(percale_text_data(a, NULL), percale_text_data(b, NULL)) == 0;
  percale_text_release(a);
  percale_text_release(b);
  return same;
}

static int has(percale_text* text, const char* words) {
  const int found = strstr(percale_text_data(text, NULL), words) != NULL;
  percale_text_release(text);
  return found;
}

static void take_log(void* user, int32_t level, const char* message, size_t size) {
  (void)message;
  if (level >= 0 && level <= 3 && size > 0) ++*(int*)user;
}

/* Makes a graph from x [?,2] and target [?,1] to y = Dense(x) and loss = mean((y - target)^2).
 * Its first weights are 0.5 and -0.5. */
static percale_graph* make_graph(void) {
  const int64_t x_dims[2] = {-1, 2}, target_dims[2] = {-1, 1}, w_dims[2] = {2, 1}, b_dims[1] = {1};
  static float weights[2] = {0.5f, -0.5f};
  percale_builder* builder;
  percale_graph* graph;
  percale_tensor* first;
  percale_value x, target, w, b, outputs[2], difference, found;
  percale_dtype dtype;
  int64_t dims[8];
  size_t rank;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 2, &x));
  OK(percale_builder_input(builder, "target", PERCALE_DTYPE_F32, target_dims, 2, &target));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, w_dims, 2, weights, sizeof weights, NULL, NULL, &first));
  OK(percale_builder_variable(builder, "w", first, &w));
  OK(percale_builder_variable_initialized(builder, "b", PERCALE_DTYPE_F32, b_dims, 1, "zeros", &b));
  outputs[0] = node(builder, "Add", "y", node(builder, "MatMul", NULL, x, w), b);
  difference = node(builder, "Sub", NULL, outputs[0], target);
  outputs[1] =
      node(builder, "ReduceMean", "loss", node(builder, "Mul", NULL, difference, difference), PERCALE_NO_VALUE);
  OK(percale_builder_rename(builder, outputs[1], "loss"));
  OK(percale_builder_rename(builder, outputs[0], "y"));
  OK(percale_builder_find_value(builder, "y", &found));
  OK(percale_builder_value_type(builder, found, &dtype, dims, &rank));
  printf("  y: dtype %d, rank %d, dims %d %d\n", dtype, (int)rank, (int)dims[0], (int)dims[1]);
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  percale_tensor_release(first);
  return graph;
}

static void with_engine(int* messages) {
  percale_options* options;
  percale_text *info, *described;
  int64_t used, peak;
  printf("engine\n");
  OK(percale_options_create("engine", &options));
  OK(percale_options_set_int(options, "threads", 2));
  OK(percale_options_set(options, "log", "debug"));
  refused(percale_options_set(options, "treads", "2"), "an unknown option");
  refused(percale_options_set_int(options, "threads", -5), "threads below none");
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  percale_engine_set_log(engine, take_log, messages);
  OK(percale_engine_describe(engine, "info", &info));
  OK(percale_options_describe(&described));
  percale_engine_memory(engine, &used, &peak);
  printf("  first device %s of %s, info %d, options %d, memory %d, abi %d\n", percale_engine_get_device_name(engine, 0),
         percale_engine_device_count(engine) >= 1 ? "some" : "none", has(info, "fingerprint"),
         has(described, "memory_limit"), peak >= used && used >= 0, percale_abi_version() / 1000 == 0);
}

static void deleted(void* user, void* data) {
  (void)data;
  ++*(int*)user;
}

static void with_tensors(void) {
  const int64_t dims[2] = {2, 3}, empty_dims[2] = {0, 3};
  static int64_t numbers[6] = {1, 2, 3, 4, 5, 6};
  int deletions = 0;
  void* managed;
  percale_tensor *borrowed, *empty, *loaded, *shared;
  printf("tensors\n");
  OK(percale_tensor_from_memory(PERCALE_DTYPE_I64, dims, 2, numbers, sizeof numbers, deleted, &deletions, &borrowed));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, empty_dims, 2, &empty));
  OK(percale_tensor_save(borrowed, in_folder("numbers.npy")));
  OK(percale_tensor_load(engine, in_folder("numbers.npy"), &loaded));
  OK(percale_tensor_to_dlpack(loaded, &managed));
  OK(percale_tensor_from_dlpack(managed, &shared));
  printf("  %d elements, %d bytes, rank %d, dims %d %d, dtype %d, same %d, empty %d\n",
         (int)percale_tensor_element_count(shared), (int)percale_tensor_bytes(shared), (int)percale_tensor_rank(shared),
         (int)percale_tensor_get_dims(shared)[0], (int)percale_tensor_get_dims(shared)[1], percale_tensor_dtype(shared),
         memcmp(percale_tensor_get_data(shared), numbers, sizeof numbers) == 0, percale_tensor_get_data(empty) != NULL);
  percale_tensor_release(percale_tensor_retain(borrowed));
  percale_tensor_release(shared);
  percale_tensor_release(loaded);
  percale_tensor_release(empty);
  percale_tensor_release(borrowed);
  printf("  deleted %d times\n", deletions);
}

static percale_graph* with_graphs(void) {
  percale_graph *graph, *from_file, *from_bytes;
  percale_text *bytes, *again;
  size_t size;
  const char* data;
  printf("graphs\n");
  graph = make_graph();
  OK(percale_graph_save_file(graph, NULL, in_folder("client.percale")));
  OK(percale_graph_load_file(engine, in_folder("client.percale"), &from_file));
  OK(percale_graph_serialize(from_file, NULL, &bytes));
  data = percale_text_data(bytes, &size);
  OK(percale_graph_load(engine, data, size, &from_bytes));
  OK(percale_graph_serialize(from_bytes, NULL, &again));
  percale_text_release(bytes);
  printf("  inputs %s %s, outputs %s %s, written %d\n", percale_graph_get_input_name(from_bytes, 0),
         percale_graph_get_input_name(from_bytes, 1), percale_graph_get_output_name(from_bytes, 0),
         percale_graph_get_output_name(from_bytes, 1), size > 0);
  percale_text_release(again);
  OK(percale_graph_describe(from_bytes, "summary", &bytes));
  printf("  described %d, past the end %d\n", has(bytes, "\"w\""), percale_graph_get_input_name(from_bytes, 2) == NULL);
  percale_graph_release(graph);
  percale_graph_release(from_file);
  refused(percale_graph_load(engine, "no graph", 8, &graph), "bytes that are no graph");
  refused(percale_graph_load_file(engine, in_folder("absent.percale"), &graph), "a file that is not there");
  return from_bytes;
}

static void with_sessions(const percale_graph* graph, percale_variables* variables, percale_tensor* x,
                          percale_tensor* target) {
  const char *const names[2] = {"x", "target"}, *const fetches[2] = {"y", "loss"}, *const no_name = "z";
  percale_tensor *feeds[2], *results[2] = {NULL, NULL}, *y;
  percale_session* session;
  percale_event* event;
  percale_call* call;
  percale_trace* trace;
  percale_text *stats, *spans, *plan;
  percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims = percale_tensor_get_dims(x);
  int64_t y_dims[8];
  size_t rank = 2, y_rank;
  int same;
  feeds[0] = x;
  feeds[1] = target;
  printf("sessions\n");
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  OK(percale_trace_create(engine, &trace));
  percale_session_set_trace(session, trace);
  OK(percale_session_run(session, names, feeds, 2, fetches, 2, NULL, 0, PERCALE_FOREVER, results));
  percale_session_set_trace(session, NULL);
  printf("  y[0] %.4f, loss %.4f\n", (double)first_float(results[0]), (double)first_float(results[1]));
  OK(percale_session_run_async(session, names, feeds, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &event));
  OK(percale_event_wait(event, PERCALE_FOREVER));
  OK(percale_event_result(event, 0, &y));
  same = memcmp(percale_tensor_get_data(y), percale_tensor_get_data(results[0]), percale_tensor_bytes(y)) == 0;
  printf("  event over %d, the same bits %d\n", percale_event_poll(event), same);
  percale_event_release(event);
  percale_tensor_release(y);

  OK(percale_call_create(session, names, &dtype, &dims, &rank, 1, fetches, 1, &call));
  OK(percale_call_output_type(call, 0, &dtype, y_dims, &y_rank));
  OK(percale_tensor_create(engine, dtype, y_dims, y_rank, &y));
  OK(percale_call_run(call, &x, &y));
  OK(percale_call_run(call, &x, &y));
  same = memcmp(percale_tensor_get_data(y), percale_tensor_get_data(results[0]), percale_tensor_bytes(y)) == 0;
  printf("  call: rank %d, the same bits %d\n", (int)y_rank, same);
  percale_call_release(call);
  percale_tensor_release(y);

  OK(percale_session_stats(session, &stats));
  OK(percale_trace_json(trace, &spans));
  dtype = PERCALE_DTYPE_F32;
  OK(percale_session_explain(session, names, &dtype, &dims, &rank, 1, fetches, 1, "plan", &plan));
  printf("  stats %d, spans %d, plan %d\n", has(stats, "\"runs\""), has(spans, "traceEvents"), has(plan, "kernel"));
  refused(percale_session_run(session, &no_name, &x, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &y), "a name of nothing");
  refused(percale_session_run(session, names, &target, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &y), "a wrong shape");
  refused(percale_session_run(session, names, feeds, 1, fetches, 1, NULL, 0, 0, &y), "a deadline that is over");
  percale_session_cancel(session);
  percale_trace_release(trace);
  percale_session_release(session);
  percale_tensor_release(results[0]);
  percale_tensor_release(results[1]);
}

static int32_t halves(void* user, int64_t row, void* const* columns) {
  *(float*)columns[0] = (float)row / 2;
  return *(int*)user;
}

static percale_dataset* with_data(percale_tensor* const tensors[2]) {
  const char *const names[2] = {"x", "target"}, *const half = "half";
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* no_dims = NULL;
  const size_t rank = 0;
  static int goes_on = 0;
  percale_dataset *data, *made, *numbers, *both, *pair[2], *twice;
  percale_tensor* batch[2];
  percale_status* status;
  int batches = 0;
  printf("data\n");
  OK(percale_dataset_from_tensors(engine, names, tensors, 2, &data));
  OK(percale_dataset_configure(data, 8, 1, 0));
  while ((status = percale_dataset_next(data, batch)) == NULL) {
    ++batches;
    percale_tensor_release(batch[0]);
    percale_tensor_release(batch[1]);
  }
  refused(status, "the end of an epoch");
  OK(percale_dataset_generator(engine, &half, &dtype, &no_dims, &rank, 1, 6, halves, &goes_on, &made));
  OK(percale_dataset_range(engine, "number", 0, 12, 2, &numbers));
  pair[0] = made;
  pair[1] = numbers;
  OK(percale_dataset_zip(pair, 2, &both));
  OK(percale_dataset_repeat(both, 2, &twice));
  OK(percale_dataset_configure(twice, 5, -1, 0));
  OK(percale_dataset_next(twice, batch));
  printf("  %d batches of %d rows; %d rows, the fifth is %.1f and %d\n", batches, (int)percale_dataset_rows(data),
         (int)percale_dataset_rows(twice), (double)((float*)percale_tensor_get_data(batch[0]))[4],
         (int)((int64_t*)percale_tensor_get_data(batch[1]))[4]);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_dataset_release(twice);
  percale_dataset_release(both);
  percale_dataset_release(numbers);
  percale_dataset_release(made);
  return data;
}

static int32_t told(void* user, const percale_progress* progress) {
  if (progress->struct_size < sizeof *progress) return 1;
  *(int*)user += progress->epoch_ended ? 1 : 0;
  return 0;
}

static percale_trainer* make_trainer(const percale_graph* graph, percale_variables* variables) {
  percale_options* options;
  percale_trainer* trainer;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"adam\", \"learning_rate\": 0.05}"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set_float(options, "clip_norm", 100));
  OK(percale_trainer_create(engine, graph, variables, options, &trainer));
  percale_options_release(options);
  return trainer;
}

static void with_training(const percale_graph* graph, percale_variables* variables, percale_tensor* const batch[2],
                          percale_dataset* data) {
  const char* const names[2] = {"x", "target"};
  percale_trainer *trainer = make_trainer(graph, variables), *other;
  percale_variables* others;
  percale_text *before, *after, *metrics, *history;
  percale_tensor *w, *zeros;
  double before_first = 0, loss = 0;
  int64_t steps, dims[2] = {2, 1};
  int epochs = 0, same;
  printf("training\n");
  OK(percale_trainer_step(trainer, names, batch, 2, &before_first));
  OK(percale_trainer_fit(trainer, data, 60, told, &epochs));
  OK(percale_trainer_save(trainer, in_folder("checkpoints")));
  OK(percale_variables_digest(variables, &before));
  steps = percale_trainer_steps(trainer);
  OK(percale_trainer_step(trainer, names, batch, 2, &loss));
  OK(percale_trainer_evaluate(trainer, data, &metrics));
  OK(percale_trainer_history(trainer, "csv", &history));
  printf("  loss %.3f first, %s later; %d epochs, %d steps, evaluated %d, history %d\n", before_first,
         loss < 0.05 ? "little" : "much", epochs, (int)steps, has(metrics, "loss"), has(history, "loss"));
  percale_trainer_release(trainer);

  OK(percale_variables_create(engine, graph, 0, &others));
  other = make_trainer(graph, others);
  OK(percale_trainer_restore(other, in_folder("checkpoints")));
  OK(percale_variables_digest(others, &after));
  same = same_text(before, after);
  printf("  restored: the same digest %d, steps %d\n", same, (int)(percale_trainer_steps(other) == steps));
  percale_trainer_release(other);
  OK(percale_variables_value(others, "w", &w));
  printf("  w %.1f %.1f\n", (double)((float*)percale_tensor_get_data(w))[0],
         (double)((float*)percale_tensor_get_data(w))[1]);

  OK(percale_variables_save(others, in_folder("client.safetensors")));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &zeros));
  OK(percale_variables_assign(others, "w", zeros));
  OK(percale_variables_load(others, in_folder("client.safetensors"), 1));
  OK(percale_variables_digest(others, &after));
  OK(percale_variables_digest(others, &before));
  printf("  %d variables or more, first %s, a digest %d\n", percale_variables_count(others) >= 2 ? 2 : 0,
         percale_variables_get_name(others, 0), strncmp(percale_text_data(after, NULL), "sha256:", 7) == 0);
  same_text(before, after);
  refused(percale_variables_assign(others, "nobody", zeros), "a variable that is not there");
  percale_tensor_release(w);
  percale_tensor_release(zeros);
  percale_variables_release(others);
}

static void with_gradients(void) {
  const int64_t dims[1] = {3};
  static float values[3] = {1, -2, 5};
  const char *const x_name = "x", *fetches[2] = {"dx", "chosen"};
  percale_builder* builder;
  percale_graph* graph;
  percale_session* session;
  percale_tensor *x_tensor, *results[2];
  percale_value x, dx, a, b, chosen, is_first, outputs[2];
  int branch;
  printf("builder\n");
  OK(percale_builder_create(engine, &builder));
  for (branch = 0; branch < 2; ++branch) {
    OK(percale_builder_begin_function(builder, branch ? "else" : "then"));
    OK(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, dims, 1, &a));
    b = node(builder, branch ? "Neg" : "Relu", NULL, a, PERCALE_NO_VALUE);
    OK(percale_builder_set_outputs(builder, &b, 1));
    OK(percale_builder_end_function(builder));
  }
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  b = node(builder, "Mul", NULL, x, x);
  OK(percale_builder_gradients(builder, &b, 1, &x, 1, &dx));
  a = node(builder, "ReduceMean", NULL, x, PERCALE_NO_VALUE);
  is_first = node(builder, "Less", NULL, a, node(builder, "Exp", NULL, a, PERCALE_NO_VALUE));
  OK(percale_builder_node(builder, "If", "if"));
  OK(percale_builder_add_input(builder, is_first));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_function(builder, "then_branch", "then"));
  OK(percale_builder_set_function(builder, "else_branch", "else"));
  OK(percale_builder_finish_node(builder, 1, &chosen));
  OK(percale_builder_rename(builder, dx, "dx"));
  OK(percale_builder_rename(builder, chosen, "chosen"));
  OK(percale_builder_node(builder, "NoSuchOp", NULL));
  refused(percale_builder_finish_node(builder, 1, &b), "an unknown op");
  outputs[0] = dx;
  outputs[1] = chosen;
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, values, sizeof values, NULL, NULL, &x_tensor));
  OK(percale_session_run(session, &x_name, &x_tensor, 1, fetches, 2, NULL, 0, PERCALE_FOREVER, results));
  printf("  dx %.1f %.1f, chosen %.1f %.1f\n", (double)first_float(results[0]),
         (double)((float*)percale_tensor_get_data(results[0]))[1], (double)first_float(results[1]),
         (double)((float*)percale_tensor_get_data(results[1]))[1]);
  percale_tensor_release(results[0]);
  percale_tensor_release(results[1]);
  percale_tensor_release(x_tensor);
  percale_session_release(session);
  percale_graph_release(graph);
}

static void with_clusters(void) {
  static const char kJson[] =
      "{\"cluster\": {\"worker\": [\"a:1\", \"b:2\"]}, \"task\": {\"type\": \"worker\", \"index\": 1}}";
  percale_cluster* cluster;
  int64_t task;
  const char* role;
  printf("cluster\n");
  OK(percale_cluster_from_json(kJson, PERCALE_NUL_ENDED, &cluster));
  role = percale_cluster_get_role(cluster, &task);
  printf("  %s %d of %d at %s\n", role, (int)task, (int)percale_cluster_task_count(cluster, "worker"),
         percale_cluster_get_address(cluster, "worker", 1));
  percale_cluster_release(cluster);
}

int main(int argc, char** argv) {
  const int64_t x_dims[2] = {ROWS, 2}, target_dims[2] = {ROWS, 1};
  int messages = 0, i;
  percale_graph* graph;
  percale_variables* variables;
  percale_tensor* batch[2];
  percale_dataset* data;
  if (argc < 2) return 2;
  folder = argv[1];
  with_engine(&messages);
  with_tensors();
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, x_dims, 2, &batch[0]));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, target_dims, 2, &batch[1]));
  for (i = 0; i < ROWS; ++i) {
    float* x = (float*)percale_tensor_get_data(batch[0]) + 2 * i;
    x[0] = (float)(i % 8) / 8;
    x[1] = (float)(i / 8) / 4 - 0.5f;
    ((float*)percale_tensor_get_data(batch[1]))[i] = 2 * x[0] - 3 * x[1];
  }
  with_gradients();
  graph = with_graphs();
  OK(percale_variables_create(engine, graph, 7, &variables));
  with_sessions(graph, variables, batch[0], batch[1]);
  data = with_data(batch);
  with_training(graph, variables, batch, data);
  with_clusters();
  percale_engine_set_log(engine, NULL, NULL);
  percale_dataset_release(data);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
  printf("statuses left %d\n", (int)percale_status_live_count());
  return 0;
}
