/* Tests callbacks: which functions they may call, and that they may release the objects that call
 * them. */
#include "check.h"

enum { ROWS = 12 };

static percale_engine* engine = NULL;

/* y = Dense(x), loss = mean(y). */
static percale_graph* make_graph(void) {
  const int64_t dims[2] = {-1, 2};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value x, outputs[2];
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x));
  OK(percale_builder_layer(builder, "Dense", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "units", 1));
  OK(percale_builder_finish_node(builder, 1, &outputs[0]));
  OK(percale_builder_node(builder, "ReduceMean", "loss"));
  OK(percale_builder_add_input(builder, outputs[0]));
  OK(percale_builder_set_int(builder, "keepdims", 0));
  OK(percale_builder_finish_node(builder, 1, &outputs[1]));
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

typedef struct scene {
  percale_trainer* trainer;
  percale_dataset* data;
  char folder[3000];
  int64_t calls;
} scene;

static void make_scene(scene* scene, const char* folder, percale_row_callback rows) {
  static const char* const names[] = {"x"};
  static const percale_dtype dtypes[] = {PERCALE_DTYPE_F32};
  static const int64_t two[] = {2};
  static const int64_t* const dims[] = {two};
  static const size_t ranks[] = {1};
  percale_graph* graph = make_graph();
  percale_options* options = NULL;
  memset(scene, 0, sizeof *scene);
  snprintf(scene->folder, sizeof scene->folder, "%s/callbacks", folder);
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_trainer_create(engine, graph, NULL, options, &scene->trainer));
  OK(percale_dataset_generator(engine, names, dtypes, dims, ranks, 1, ROWS, rows, scene, &scene->data));
  OK(percale_dataset_configure(scene->data, 4, -1, 0));
  percale_options_release(options);
  percale_graph_release(graph);
}

static int32_t fill(void* user, int64_t row, void* const* columns) {
  (void)user;
  ((float*)columns[0])[0] = (float)row;
  return 0;
}

static int32_t release_all(void* user, const percale_progress* progress) {
  scene* mine = (scene*)user;
  ++mine->calls;
  if (progress->step == 2) {
    percale_trainer_release(mine->trainer);
    percale_dataset_release(mine->data);
  }
  return 0;
}

static void a_trainer_and_its_data_may_be_released_in_the_progress_callback(const char* folder) {
  scene mine;
  make_scene(&mine, folder, fill);
  OK(percale_trainer_fit(mine.trainer, mine.data, 2, release_all, &mine));
  CHECK(mine.calls == 6);
}

static int32_t try_all(void* user, const percale_progress* progress) {
  scene* mine = (scene*)user;
  percale_text* text = NULL;
  percale_graph* model = NULL;
  percale_variables* variables = NULL;
  percale_tensor* batch[1];
  const char* const names[] = {"x"};
  double loss = 0;
  ++mine->calls;
  FAILS(percale_trainer_fit(mine->trainer, mine->data, 1, NULL, NULL), PERCALE_FAILED_PRECONDITION, "under way");
  FAILS(percale_trainer_step(mine->trainer, names, NULL, 0, &loss), PERCALE_FAILED_PRECONDITION, "under way");
  FAILS(percale_trainer_evaluate(mine->trainer, mine->data, &text), PERCALE_FAILED_PRECONDITION, "under way");
  FAILS(percale_trainer_restore(mine->trainer, mine->folder), PERCALE_FAILED_PRECONDITION, "under way");
  FAILS(percale_trainer_lock_folder(mine->trainer, mine->folder, 0), PERCALE_FAILED_PRECONDITION, "under way");
  FAILS(percale_trainer_set_validation(mine->trainer, NULL), PERCALE_FAILED_PRECONDITION, "under way");
  FAILS(percale_dataset_configure(mine->data, 2, -1, 0), PERCALE_FAILED_PRECONDITION, "used for training");
  FAILS(percale_dataset_next(mine->data, batch), PERCALE_FAILED_PRECONDITION, "used for training");
  percale_trainer_set_cancellation(mine->trainer, NULL);
  percale_trainer_set_trace(mine->trainer, NULL);
  OK(percale_trainer_save(mine->trainer, mine->folder));
  OK(percale_trainer_publish(mine->trainer));
  OK(percale_trainer_describe(mine->trainer, &text));
  percale_text_release(text);
  OK(percale_trainer_history(mine->trainer, "csv", &text));
  percale_text_release(text);
  OK(percale_trainer_model(mine->trainer, &model));
  percale_graph_release(model);
  OK(percale_trainer_variables(mine->trainer, &variables));
  percale_variables_release(variables);
  CHECK(percale_trainer_steps(mine->trainer) == progress->step);
  percale_trainer_release(percale_trainer_retain(mine->trainer));
  if (progress->step == 3) percale_trainer_cancel(mine->trainer);
  return 0;
}

static void the_progress_callback_may_look_and_save_but_not_train(const char* folder) {
  scene mine;
  percale_tensor* batch[1];
  make_scene(&mine, folder, fill);
  FAILS(percale_trainer_fit(mine.trainer, mine.data, 2, try_all, &mine), PERCALE_CANCELLED, "cancelled");
  CHECK(mine.calls == 3);
  /* Rejected within the callback, allowed afterwards. */
  OK(percale_trainer_restore(mine.trainer, mine.folder));
  OK(percale_trainer_lock_folder(mine.trainer, mine.folder, 1));
  OK(percale_dataset_configure(mine.data, 4, -1, 0));
  OK(percale_dataset_next(mine.data, batch));
  percale_tensor_release(batch[0]);
  OK(percale_trainer_fit(mine.trainer, mine.data, 2, NULL, NULL));
  CHECK(percale_trainer_steps(mine.trainer) == 6);
  percale_trainer_release(mine.trainer);
  percale_dataset_release(mine.data);
}

static int32_t ask_while_asked(void* user, int64_t row, void* const* columns) {
  scene* mine = (scene*)user;
  percale_tensor* batch[1];
  ++mine->calls;
  FAILS(percale_dataset_next(mine->data, batch), PERCALE_FAILED_PRECONDITION, "reading a batch");
  FAILS(percale_dataset_configure(mine->data, 2, -1, 0), PERCALE_FAILED_PRECONDITION, "reading a batch");
  if (mine->trainer != NULL) {
    FAILS(percale_trainer_save(mine->trainer, mine->folder), PERCALE_FAILED_PRECONDITION, "under way");
    FAILS(percale_trainer_publish(mine->trainer), PERCALE_FAILED_PRECONDITION, "under way");
    FAILS(percale_trainer_evaluate(mine->trainer, mine->data, NULL), PERCALE_INVALID_ARGUMENT, "out_json");
  }
  ((float*)columns[0])[0] = (float)row;
  return 0;
}

static void a_row_callback_cannot_change_the_set_that_asks_it(const char* folder) {
  scene mine;
  percale_trainer* trainer;
  percale_tensor* batch[1];
  make_scene(&mine, folder, ask_while_asked);
  OK(percale_trainer_fit(mine.trainer, mine.data, 1, NULL, NULL));
  CHECK(mine.calls == ROWS);
  trainer = mine.trainer;
  mine.trainer = NULL;
  OK(percale_dataset_next(mine.data, batch));
  percale_tensor_release(batch[0]);
  CHECK(mine.calls == ROWS + 4);
  percale_trainer_release(trainer);
  percale_dataset_release(mine.data);
}

static int deleted = 0;

static void build_within(void* user, void* data) {
  percale_builder* builder = NULL;
  (void)data;
  FAILS(percale_builder_create((percale_engine*)user, &builder), PERCALE_FAILED_PRECONDITION, "deleter");
  ++deleted;
}

static void destroy_within(void* user) { build_within(user, NULL); }

static void log_within(void* user, int32_t level, const char* message, size_t size) {
  CHECK(level >= 0 && message != NULL && size > 0);
  build_within(user, NULL);
}

static void deleters_and_destroy_functions_and_logs_call_nothing_that_can_fail(const char* folder) {
  static float memory[2];
  const int64_t two = 2;
  percale_tensor* tensor = NULL;
  scene mine;
  char path[3100];
  FILE* file;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, &two, 1, memory, sizeof memory, build_within, engine, &tensor));
  percale_tensor_release(tensor);
  CHECK(deleted == 1);
  make_scene(&mine, folder, fill);
  OK(percale_trainer_fit(mine.trainer, mine.data, 1, NULL, NULL));
  OK(percale_trainer_save(mine.trainer, mine.folder));
  OK(percale_trainer_fit(mine.trainer, mine.data, 2, NULL, NULL));
  OK(percale_trainer_save(mine.trainer, mine.folder));
  snprintf(path, sizeof path, "%s/step-6/state.safetensors", mine.folder);
  file = fopen(path, "wb");
  CHECK(file != NULL && fclose(file) == 0);
  OK(percale_engine_set_log_owned(engine, log_within, engine, destroy_within));
  OK(percale_trainer_restore(mine.trainer, mine.folder)); /* logs that step-6 is damaged */
  CHECK(deleted == 2 && percale_trainer_steps(mine.trainer) == 3);
  OK(percale_engine_set_log_owned(engine, NULL, NULL, NULL));
  CHECK(deleted == 3);
  percale_trainer_release(mine.trainer);
  percale_dataset_release(mine.data);
}

typedef struct ending {
  percale_session* session;
  percale_event* event;
  int calls;
} ending;

static void run_within(void* user) {
  ending* mine = (ending*)user;
  const char* const fetches[] = {"loss"};
  percale_tensor* out[1];
  percale_tensor* loss = NULL;
  ++mine->calls;
  FAILS(percale_session_run(mine->session, NULL, NULL, 0, fetches, 1, NULL, 0, PERCALE_FOREVER, out),
        PERCALE_FAILED_PRECONDITION, "callback of an event");
  OK(percale_event_result(mine->event, 0, &loss));
  OK(percale_event_wait(mine->event, PERCALE_FOREVER)); /* the event is already over */
  percale_tensor_release(loss);
}

static void the_callback_of_an_event_does_not_wait(void) {
  const char *const feeds[] = {"x"}, *const fetches[] = {"loss"};
  const int64_t dims[2] = {1, 2};
  percale_graph* graph = make_graph();
  percale_variables* variables = NULL;
  percale_tensor* x = NULL;
  ending mine = {NULL, NULL, 0};
  OK(percale_variables_create(engine, graph, 1, &variables));
  OK(percale_session_create(engine, graph, variables, NULL, &mine.session));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &x));
  OK(percale_session_run_async(mine.session, feeds, &x, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &mine.event));
  OK(percale_event_wait(mine.event, PERCALE_FOREVER));
  OK(percale_event_on_ready(mine.event, run_within, &mine));
  CHECK(mine.calls == 1);
  percale_event_release(mine.event);
  percale_tensor_release(x);
  percale_session_release(mine.session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OK(percale_engine_create(NULL, &engine));
  a_trainer_and_its_data_may_be_released_in_the_progress_callback(argv[1]);
  the_progress_callback_may_look_and_save_but_not_train(argv[1]);
  a_row_callback_cannot_change_the_set_that_asks_it(argv[1]);
  deleters_and_destroy_functions_and_logs_call_nothing_that_can_fail(argv[1]);
  the_callback_of_an_event_does_not_wait();
  percale_engine_release(engine);
  return check_done();
}
