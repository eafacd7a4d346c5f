/* The objects that the scenarios share. */
#include "scenario.h"

percale_engine *engine = NULL, *threaded = NULL;
percale_graph *graph = NULL, *staged = NULL;
percale_variables* variables = NULL;
percale_session *session = NULL, *staged_session = NULL;
percale_call* call = NULL;
percale_trainer *trainer = NULL, *second = NULL;
percale_dataset *data = NULL, *threaded_data = NULL;
percale_tensor *batch[2], *large[2], *answer = NULL, *output = NULL, *line = NULL, *condition = NULL, *count = NULL;
char folder[3000], graph_path[4000], values_path[4000], array_path[4000], checkpoints[4000], digest[128];
percale_text *graph_bytes = NULL, *model_bytes = NULL;
int64_t steps = 0;

void set_up(void) {
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

void take_down(void) {
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
  release_queue_session();
  percale_session_release(session);
  percale_text_release(graph_bytes);
  percale_text_release(model_bytes);
  percale_variables_release(variables);
  percale_graph_release(staged);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

void check_answer(percale_tensor* y) {
  CHECK(y != NULL && percale_tensor_bytes(y) == percale_tensor_bytes(answer) &&
        memcmp(percale_tensor_get_data(y), percale_tensor_get_data(answer), percale_tensor_bytes(y)) == 0);
}

void a_run_gives_the_same_bits(int failed) {
  percale_tensor* y = NULL;
  (void)failed;
  OK(host_run(session, batch[0], &y));
  check_answer(y);
  percale_tensor_release(y);
}
