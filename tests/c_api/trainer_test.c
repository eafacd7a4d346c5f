/* Tests trainers: steps and epochs over data, checkpoints that resume with the same bits, jobs
 * from a SPEC, and external stops.
 * Usage: trainer_test FOLDER (exists and is writable) */
#include <math.h>

#include "check.h"

enum { ROWS = 40 };

static percale_engine* engine = NULL;
static char folder[3000];

/* y = Dense(x); loss = mean((y - t)^2). */
static percale_graph* make_graph(void) {
  const int64_t x_dims[2] = {-1, 2}, t_dims[2] = {-1, 1};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value x, t, y, d, square, outputs[2];
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 2, &x));
  OK(percale_builder_input(builder, "t", PERCALE_DTYPE_F32, t_dims, 2, &t));
  OK(percale_builder_layer(builder, "Dense", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "units", 1));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_node(builder, "Sub", NULL));
  OK(percale_builder_add_input(builder, y));
  OK(percale_builder_add_input(builder, t));
  OK(percale_builder_finish_node(builder, 1, &d));
  OK(percale_builder_node(builder, "Mul", NULL));
  OK(percale_builder_add_input(builder, d));
  OK(percale_builder_add_input(builder, d));
  OK(percale_builder_finish_node(builder, 1, &square));
  OK(percale_builder_node(builder, "ReduceMean", "loss"));
  OK(percale_builder_add_input(builder, square));
  OK(percale_builder_set_int(builder, "keepdims", 0));
  outputs[0] = y;
  OK(percale_builder_finish_node(builder, 1, &outputs[1]));
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

static void make_tensors(percale_tensor** x, percale_tensor** t) {
  const int64_t x_dims[2] = {ROWS, 2}, t_dims[2] = {ROWS, 1};
  int i;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, x_dims, 2, x));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, t_dims, 2, t));
  for (i = 0; i < ROWS; ++i) {
    float *row = (float*)percale_tensor_get_data(*x) + 2 * i, *target = (float*)percale_tensor_get_data(*t) + i;
    row[0] = (float)(i % 5) / 5;
    row[1] = (float)(i % 8) / 8;
    *target = row[0] - 2 * row[1] + 0.5f;
  }
}

static percale_dataset* make_data(void) {
  const char* const names[] = {"x", "t"};
  percale_tensor* tensors[2];
  percale_dataset* data = NULL;
  make_tensors(&tensors[0], &tensors[1]);
  OK(percale_dataset_from_tensors(engine, names, tensors, 2, &data));
  OK(percale_dataset_configure(data, 8, 3, 0));
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
  return data;
}

static percale_trainer* make_trainer(const percale_graph* graph) {
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"sgd\", \"learning_rate\": 0.2, \"momentum\": 0.5}"));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set_int(options, "seed", 4));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  percale_options_release(options);
  return trainer;
}

static void digest_of(percale_trainer* trainer, char* out, size_t room) {
  percale_variables* variables = NULL;
  percale_text* text = NULL;
  OK(percale_trainer_variables(trainer, &variables));
  OK(percale_variables_digest(variables, &text));
  snprintf(out, room, "%s", percale_text_data(text, NULL));
  percale_text_release(text);
  percale_variables_release(variables);
}

typedef struct seen {
  percale_trainer* trainer;
  int64_t steps, epochs, stop_after;
  double last_loss, sum; /* sum: total of the epoch's losses */
} seen;

static int32_t watch(void* user, const percale_progress* progress) {
  seen* mine = (seen*)user;
  CHECK(progress->struct_size == sizeof *progress && progress->step == percale_trainer_steps(mine->trainer));
  CHECK(progress->steps_in_epoch == 5 && progress->step_in_epoch >= 1 && progress->step_in_epoch <= 5);
  ++mine->steps;
  mine->epochs += progress->epoch_ended;
  mine->last_loss = progress->loss;
  mine->sum = progress->loss + (progress->step_in_epoch == 1 ? 0 : mine->sum);
  CHECK(fabs(progress->epoch_loss - mine->sum / (double)progress->step_in_epoch) <= 1e-5 * progress->epoch_loss);
  return progress->step == mine->stop_after;
}

static void a_trainer_learns_and_says_what_it_did(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer* trainer = make_trainer(graph);
  percale_trace* trace = NULL;
  percale_text* text = NULL;
  seen mine = {NULL, 0, 0, -1, 0, 0};
  double loss = -1;
  mine.trainer = trainer;
  OK(percale_trace_create(engine, &trace));
  percale_trainer_set_trace(trainer, trace);
  OK(percale_trainer_fit(trainer, data, 20, watch, &mine));
  percale_trainer_set_trace(trainer, NULL);
  CHECK(mine.steps == 100 && mine.epochs == 20 && mine.last_loss < 0.01 && percale_trainer_steps(trainer) == 100);
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf}", &loss) == 1 && loss >= 0 && loss < 0.01);
  percale_text_release(text);
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds\n1,1,", 42) == 0);
  percale_text_release(text);
  OK(percale_trainer_history(trainer, "svg", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "<svg", 4) == 0);
  percale_text_release(text);
  OK(percale_trainer_describe(trainer, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"shards\":2") != NULL);
  percale_text_release(text);
  OK(percale_trace_json(trace, &text));
  CHECK(strstr(percale_text_data(text, NULL), "traceEvents") != NULL);
  percale_text_release(text);
  FAILS(percale_trainer_history(trainer, "png", &text), PERCALE_NOT_FOUND, "csv");
  FAILS(percale_trainer_fit(trainer, data, -1, NULL, NULL), PERCALE_INVALID_ARGUMENT, "-1 epochs");
  percale_trace_release(trace);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

static void a_checkpoint_goes_on_to_the_same_bits(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *whole = make_trainer(graph), *cut = make_trainer(graph), *resumed = make_trainer(graph);
  seen mine = {NULL, 0, 0, 7, 0, 0};
  char first[128], second[128], path[4000];
  snprintf(path, sizeof path, "%s/checkpoints", folder);
  OK(percale_trainer_fit(whole, data, 4, NULL, NULL));
  mine.trainer = cut;
  percale_dataset_release(data);
  data = make_data();
  OK(percale_trainer_fit(cut, data, 4, watch, &mine)); /* stops in the middle of the second epoch */
  CHECK(percale_trainer_steps(cut) == 7);
  OK(percale_trainer_save(cut, path));
  percale_dataset_release(data);
  data = make_data();
  OK(percale_trainer_restore(resumed, path));
  CHECK(percale_trainer_steps(resumed) == 7);
  OK(percale_trainer_fit(resumed, data, 4, NULL, NULL));
  digest_of(whole, first, sizeof first);
  digest_of(resumed, second, sizeof second);
  CHECK(strcmp(first, second) == 0 && strncmp(first, "sha256:", 7) == 0);
  FAILS(percale_trainer_restore(resumed, "/nowhere"), PERCALE_NOT_FOUND, "/nowhere");
  percale_trainer_release(whole);
  percale_trainer_release(cut);
  percale_trainer_release(resumed);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* The job in a checkpoint is compared with the trainer's: options at once, the data when it is
 * given. */
static void a_checkpoint_of_another_job_is_refused(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *first = make_trainer(graph), *second = NULL;
  percale_options* options = NULL;
  char path[4000], chosen[4100];
  snprintf(path, sizeof path, "%s/identity", folder);
  snprintf(chosen, sizeof chosen, "%s/step-5", path);
  OK(percale_trainer_lock_folder(first, path, 1));
  OK(percale_trainer_fit(first, data, 1, NULL, NULL));
  OK(percale_trainer_save(first, path));
  OK(percale_trainer_fit(first, data, 2, NULL, NULL));
  OK(percale_trainer_save(first, path));

  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"sgd\", \"learning_rate\": 0.1, \"momentum\": 0.5}"));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set_int(options, "seed", 4));
  OK(percale_trainer_create(engine, graph, NULL, options, &second));
  FAILS(percale_trainer_restore(second, path), PERCALE_FAILED_PRECONDITION,
        "optimizer.learning_rate: the checkpoint has 0.2, but this job 0.1");
  FAILS(percale_trainer_lock_folder(second, path, 0), PERCALE_UNAVAILABLE, "is locked by this process");
  percale_trainer_release(first); /* also releases its lock */
  FAILS(percale_trainer_lock_folder(second, path, 0), PERCALE_ALREADY_EXISTS, "another run");
  percale_trainer_release(second);

  second = make_trainer(graph);
  OK(percale_trainer_restore(second, chosen));
  CHECK(percale_trainer_steps(second) == 5);
  OK(percale_trainer_lock_folder(second, path, 0));
  OK(percale_dataset_configure(data, 10, 3, 0));
  FAILS(percale_trainer_fit(second, data, 2, NULL, NULL), PERCALE_FAILED_PRECONDITION,
        "data.batch_size: the checkpoint has 8, but this job 10");
  OK(percale_dataset_configure(data, 8, 3, 0));
  OK(percale_trainer_fit(second, data, 2, NULL, NULL));
  CHECK(percale_trainer_steps(second) == 10);
  REFUSES(percale_trainer_lock_folder(NULL, path, 0), "trainer");
  REFUSES(percale_trainer_lock_folder(second, NULL, 0), "folder");
  percale_trainer_release(second);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

static percale_trainer* make_measured(const percale_graph* graph, const char* metrics, percale_dataset* validation) {
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set(options, "metrics", metrics));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  percale_options_release(options);
  return trainer;
}

/* The restored history keeps the columns of the trainer that saved it. */
static void a_checkpoint_goes_on_with_other_metrics(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *with = make_measured(graph, "[\"mse\", \"mae\"]", data),
                  *without = make_measured(graph, "mae", NULL);
  percale_trainer* again = make_measured(graph, "[\"mse\", \"mae\"]", data);
  percale_text* text = NULL;
  char path[4000], first[128], second[128];
  snprintf(path, sizeof path, "%s/metrics", folder);
  OK(percale_trainer_fit(with, data, 1, NULL, NULL));
  OK(percale_trainer_save(with, path));
  OK(percale_trainer_restore(without, path));
  CHECK(percale_trainer_steps(without) == 5);
  OK(percale_trainer_fit(without, data, 2, NULL, NULL));
  OK(percale_trainer_fit(with, data, 2, NULL, NULL));
  digest_of(with, first, sizeof first);
  digest_of(without, second, sizeof second);
  CHECK(strcmp(first, second) == 0);
  OK(percale_trainer_history(without, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds,mae\n", 42) == 0);
  CHECK(strstr(percale_text_data(text, NULL), "nan") == NULL);
  percale_text_release(text);
  snprintf(path, sizeof path, "%s/fewer", folder);
  OK(percale_trainer_save(without, path));
  OK(percale_trainer_restore(again, path));
  OK(percale_trainer_fit(again, data, 3, NULL, NULL));
  OK(percale_trainer_history(again, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL),
                "epoch,step,loss,learning_rate,seconds,mse,mae,val_loss,val_mse,val_mae\n", 71) == 0);
  percale_text_release(text);
  percale_trainer_release(with);
  percale_trainer_release(without);
  percale_trainer_release(again);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* Labels of any integer type give the same steps as i64. Tiny floats are not integers. */
static void class_numbers_come_in_any_integers(void) {
  static const percale_dtype kTypes[] = {PERCALE_DTYPE_I64, PERCALE_DTYPE_I32, PERCALE_DTYPE_I16, PERCALE_DTYPE_I8,
                                         PERCALE_DTYPE_U32, PERCALE_DTYPE_U16, PERCALE_DTYPE_U8,  PERCALE_DTYPE_F64};
  static const size_t kBytes[] = {8, 4, 2, 1, 4, 2, 1, 8};
  static const char kSpec[] =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 3}], \"input_shape\": [2], \"from_logits\": true, "
      "\"loss\": \"sparse_categorical_crossentropy\", \"metrics\": [\"acc\"], \"optimizer\": \"sgd\", \"seed\": 2}";
  const char* const names[] = {"x", "y"};
  const int64_t rows = ROWS;
  char first[128] = "", own[128];
  size_t i;
  for (i = 0; i < sizeof kTypes / sizeof *kTypes; ++i) {
    percale_tensor *tensors[2], *unused = NULL;
    percale_dataset* data = NULL;
    percale_trainer* trainer = NULL;
    int row;
    make_tensors(&tensors[0], &unused);
    OK(percale_tensor_create(engine, kTypes[i], &rows, 1, &tensors[1]));
    for (row = 0; row < ROWS; ++row) { /* little-endian */
      ((unsigned char*)percale_tensor_get_data(tensors[1]))[(size_t)row * kBytes[i]] = (unsigned char)(row % 3);
    }
    OK(percale_dataset_from_tensors(engine, names, tensors, 2, &data));
    OK(percale_trainer_from_spec(engine, kSpec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
    if (kTypes[i] == PERCALE_DTYPE_F64) {
      FAILS(percale_trainer_fit(trainer, data, 1, NULL, NULL), PERCALE_INVALID_ARGUMENT,
            "input 'y' (i64): wanted whole numbers, the data has");
    } else {
      OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
      digest_of(trainer, own, sizeof own);
      if (i == 0) snprintf(first, sizeof first, "%s", own);
      CHECK(strcmp(first, own) == 0);
    }
    percale_trainer_release(trainer);
    percale_dataset_release(data);
    percale_tensor_release(tensors[0]);
    percale_tensor_release(tensors[1]);
    percale_tensor_release(unused);
  }
}

/* Predicts `rows` rows with the current variables. */
static void predict(percale_trainer* trainer, percale_tensor* x, float* out) {
  const char *const feed[] = {"x"}, *const fetch[] = {"y"};
  percale_variables* variables = NULL;
  percale_graph* model = NULL;
  percale_session* session = NULL;
  percale_tensor* y = NULL;
  OK(percale_trainer_variables(trainer, &variables));
  OK(percale_trainer_model(trainer, &model));
  OK(percale_session_create(engine, model, variables, NULL, &session));
  OK(percale_session_run(session, feed, &x, 1, fetch, 1, NULL, 0, PERCALE_FOREVER, &y));
  memcpy(out, percale_tensor_get_data(y), ROWS * sizeof *out);
  percale_tensor_release(y);
  percale_session_release(session);
  percale_graph_release(model);
  percale_variables_release(variables);
}

static void a_step_gives_what_it_computed(void) {
  const char *const names[] = {"x", "t"}, *const fetches[] = {"y", "loss"}, *const typo[] = {"z"};
  percale_graph* graph = make_graph();
  percale_trainer *trainer = make_trainer(graph), *plain = make_trainer(graph);
  percale_tensor *batch[2], *values[2] = {NULL, NULL};
  char with[100], without[100];
  double loss = 0, same = 0, sum = 0;
  float wanted[ROWS];
  int i;
  make_tensors(&batch[0], &batch[1]);
  predict(trainer, batch[0], wanted);
  /* With two shards the rows come in the order of the batch, with values from before the update. */
  OK(percale_trainer_step_fetch(trainer, names, batch, 2, fetches, 1, values, &loss));
  CHECK(percale_tensor_rank(values[0]) == 2 && percale_tensor_get_dims(values[0])[0] == ROWS);
  for (i = 0; i < ROWS; ++i) {
    const double y = ((const float*)percale_tensor_get_data(values[0]))[i];
    const double target = ((const float*)percale_tensor_get_data(batch[1]))[i];
    CHECK(fabs(y - wanted[i]) < 1e-6);
    sum += (y - target) * (y - target) / ROWS;
  }
  CHECK(fabs(loss - sum) < 1e-6 * sum);
  OK(percale_trainer_step(plain, names, batch, 2, &same));
  CHECK(loss == same);
  percale_tensor_release(values[0]);

  /* Values without rows, and values that are not computed, are rejected. No step takes place. */
  FAILS(percale_trainer_step_fetch(trainer, names, batch, 2, fetches, 2, values, &loss), PERCALE_INVALID_ARGUMENT,
        "'loss' is f32 [] in a shard of the batch, wanted a row for each of its 20 rows");
  CHECK(loss == 0 && values[0] == NULL && percale_trainer_steps(trainer) == 1);
  FAILS(percale_trainer_step_fetch(trainer, names, batch, 2, typo, 1, values, &loss), PERCALE_NOT_FOUND,
        "a training step computes no 'z'; there are y");
  OK(percale_trainer_step_fetch(trainer, names, batch, 2, NULL, 0, NULL, NULL));
  OK(percale_trainer_step(plain, names, batch, 2, NULL));
  for (i = 0; i < 3; ++i) { /* alternately with and without fetches */
    OK(percale_trainer_step_fetch(trainer, names, batch, 2, fetches, 1, values, &loss));
    percale_tensor_release(values[0]);
    OK(percale_trainer_step(trainer, names, batch, 2, NULL));
    OK(percale_trainer_step(plain, names, batch, 2, NULL));
    OK(percale_trainer_step(plain, names, batch, 2, NULL));
  }
  digest_of(trainer, with, sizeof with);
  digest_of(plain, without, sizeof without);
  CHECK(strcmp(with, without) == 0);
  REFUSES(percale_trainer_step_fetch(NULL, names, batch, 2, fetches, 1, values, &loss), "trainer");
  REFUSES(percale_trainer_step_fetch(trainer, names, batch, 2, NULL, 1, values, &loss), "fetches");
  REFUSES(percale_trainer_step_fetch(trainer, names, batch, 2, fetches, 1, NULL, &loss), "out_tensors");
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_trainer_release(trainer);
  percale_trainer_release(plain);
  percale_graph_release(graph);
}

static void steps_are_taken_one_by_one(void) {
  const char* const names[] = {"x", "t"};
  percale_graph* graph = make_graph();
  percale_trainer* trainer = make_trainer(graph);
  percale_tensor* batch[2];
  double first = 0, loss = -1;
  int i;
  make_tensors(&batch[0], &batch[1]);
  OK(percale_trainer_step(trainer, names, batch, 2, &first));
  for (i = 0; i < 10; ++i) OK(percale_trainer_step(trainer, names, batch, 2, &loss));
  CHECK(loss >= 0 && loss < first && percale_trainer_steps(trainer) == 11);
  FAILS(percale_trainer_step(trainer, names, batch, 1, &loss), PERCALE_INVALID_ARGUMENT, "t");
  CHECK(loss == 0 && percale_trainer_steps(trainer) == 11);
  FAILS(percale_trainer_fit(trainer, NULL, 1, NULL, NULL), PERCALE_FAILED_PRECONDITION, "");
  percale_trainer_cancel(trainer);
  percale_trainer_cancel(NULL);
  REFUSES(percale_trainer_step(NULL, names, batch, 2, &loss), "trainer");
  REFUSES(percale_trainer_step(trainer, NULL, batch, 2, &loss), "names");
  REFUSES(percale_trainer_step(trainer, names, NULL, 2, &loss), "batch");
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_trainer_release(trainer);
  percale_graph_release(graph);
}

static percale_cancellation* stop = NULL;

static int32_t stop_after_three(void* user, const percale_progress* progress) {
  CHECK(user == NULL);
  if (progress->step == 3) percale_cancellation_cancel(stop);
  return 0;
}

/* Makes rows 0 to 39; the training ends while the second batch is made. */
static int32_t stop_at_row_12(void* user, int64_t row, void* const* columns) {
  CHECK(user == NULL);
  ((float*)columns[0])[0] = (float)row / ROWS;
  if (row == 12) percale_cancellation_cancel(stop);
  return 0;
}

static void a_cancellation_ends_what_runs_and_what_begins(void) {
  static const char* const names[] = {"x", "t"};
  static const percale_dtype dtypes[] = {PERCALE_DTYPE_F32, PERCALE_DTYPE_F32};
  static const int64_t two[] = {2}, one[] = {1};
  static const int64_t* const dims[] = {two, one};
  static const size_t ranks[] = {1, 1};
  percale_graph* graph = make_graph();
  percale_dataset *data = make_data(), *rows = NULL;
  percale_trainer* trainer = make_trainer(graph);
  percale_tensor* batch[2];
  percale_text* text = NULL;
  double loss = -1;
  make_tensors(&batch[0], &batch[1]);
  OK(percale_cancellation_create(&stop));
  percale_trainer_set_cancellation(trainer, stop);
  FAILS(percale_trainer_fit(trainer, data, 4, stop_after_three, NULL), PERCALE_CANCELLED, "cancelled");
  CHECK(percale_trainer_steps(trainer) == 3);
  FAILS(percale_trainer_step(trainer, names, batch, 2, &loss), PERCALE_CANCELLED, "cancelled");
  FAILS(percale_trainer_fit(trainer, data, 4, NULL, NULL), PERCALE_CANCELLED, "cancelled");
  FAILS(percale_trainer_evaluate(trainer, data, &text), PERCALE_CANCELLED, "cancelled");
  CHECK(percale_trainer_steps(trainer) == 3 && loss == 0 && text == NULL);
  percale_cancellation_release(stop); /* the trainer keeps a reference */
  FAILS(percale_trainer_step(trainer, names, batch, 2, &loss), PERCALE_CANCELLED, "cancelled");
  percale_trainer_set_cancellation(trainer, NULL);
  OK(percale_trainer_step(trainer, names, batch, 2, &loss));
  CHECK(percale_trainer_steps(trainer) == 4);
  percale_trainer_set_cancellation(NULL, NULL);
  percale_trainer_release(trainer);

  trainer = make_trainer(graph);
  OK(percale_cancellation_create(&stop));
  percale_trainer_set_cancellation(trainer, stop);
  OK(percale_dataset_generator(engine, names, dtypes, dims, ranks, 2, ROWS, stop_at_row_12, NULL, &rows));
  OK(percale_dataset_configure(rows, 8, -1, 0));
  FAILS(percale_trainer_fit(trainer, rows, 1, NULL, NULL), PERCALE_CANCELLED, "cancelled");
  CHECK(percale_trainer_steps(trainer) == 1);
  percale_cancellation_release(stop);
  percale_dataset_release(rows);
  percale_trainer_release(trainer);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* A SPEC's loss of y and t equals the graph's own. Several losses are added with their weights,
 * and each is reported. */
static void a_graph_has_a_loss_as_a_spec_has(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_options* options = NULL;
  percale_trainer *own = make_measured(graph, "mae", NULL), *trainer = NULL;
  percale_text* text = NULL;
  double loss = 0, wanted = 0, absolute = 0, sum = 0, first = 0, second = 0;
  OK(percale_trainer_evaluate(own, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf,\"mae\":%lf}", &wanted, &absolute) == 2);
  percale_text_release(text);
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set(options, "loss", "{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\"}"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf}", &loss) == 1);
  CHECK(wanted > 0 && loss > wanted * 0.99999 && loss < wanted * 1.00001);
  percale_text_release(text);
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  OK(percale_trainer_set_validation(trainer, data)); /* also after steps */
  OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds,val_loss\n", 47) == 0);
  percale_text_release(text);
  percale_trainer_release(trainer);
  OK(percale_options_set(options, "loss",
                         "[{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\"}, {\"name\": \"mae\", "
                         "\"predictions\": \"y\", \"labels\": \"t\", \"weight\": 0.5}]"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "two losses use the predictions 'y'");
  OK(percale_options_set(options, "loss",
                         "[{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\"}, {\"name\": \"mae\", "
                         "\"predictions\": \"t\", \"labels\": \"t\", \"weight\": 0.5}]"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf,\"y_loss\":%lf,\"t_loss\":%lf}", &sum, &first, &second) ==
        3);
  CHECK(first > wanted * 0.99999 && first < wanted * 1.00001 && second == 0 && sum > first * 0.99999 &&
        sum < first * 1.00001);
  percale_text_release(text);
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "loss", "{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"u\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_NOT_FOUND, "has no input 'u'");
  OK(percale_options_set(options, "loss", "{\"name\": \"mse\", \"predictions\": \"y\", \"label\": \"t\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "did you mean 'labels'");
  percale_trainer_release(own);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* The graph's loss is the mean squared error of y and t, so the metric gives the same number. */
static void a_graph_has_metrics_as_a_spec_has(void) {
  percale_graph* graph = make_graph();
  percale_dataset *data = make_data(), *validation = make_data();
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_text* text = NULL;
  double loss = 0, mse = 0, mae = -1;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "metrics",
                         "[\"mse\", {\"name\": \"distance\", \"metric\": \"mae\", \"predictions\": \"y\", "
                         "\"labels\": \"t\"}]"));
  OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"val_distance\", \"patience\": 9}"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf,\"mse\":%lf,\"distance\":%lf}", &loss, &mse, &mae) == 3);
  CHECK(loss > 0 && mse > loss * 0.99999 && mse < loss * 1.00001 && mae > 0 && mae * mae <= mse);
  percale_text_release(text);
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL),
                "epoch,step,loss,learning_rate,seconds,mse,distance,val_loss,val_mse,val_distance\n", 81) == 0);
  percale_text_release(text);
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"loss\"}"));
  OK(percale_options_set(options, "metrics", "mae"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "metrics", "maee"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "did you mean 'mae'");
  OK(percale_options_set(options, "metrics", "[\"mae\", \"mae\"]"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "two metrics have the name 'mae'");
  OK(percale_options_set(options, "metrics", "{\"name\": \"mae\", \"labels\": \"tt\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_NOT_FOUND, "metric 'mae'");
  OK(percale_options_set(options, "metrics", "{\"name\": \"mae\", \"predictions\": \"loss\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "does not need are none");
  OK(percale_options_set(options, "metrics", "{\"name\": \"mae\", \"label\": \"t\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "did you mean 'labels'");
  CHECK(trainer == NULL);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_dataset_release(validation);
  percale_graph_release(graph);
}

static void versions_are_published_when_the_option_says(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "publish", "2"));
  OK(percale_variables_create(engine, graph, 1, &variables));
  OK(percale_trainer_create(engine, graph, variables, options, &trainer));
  CHECK(percale_variables_version(variables) == 1);
  /* Five steps: saves after two, four and at the end. */
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  CHECK(percale_variables_version(variables) == 4);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  data = make_data();
  OK(percale_options_set(options, "publish", "hand"));
  OK(percale_trainer_create(engine, graph, variables, options, &trainer));
  OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
  CHECK(percale_variables_version(variables) == 4);
  OK(percale_trainer_publish(trainer));
  CHECK(percale_variables_version(variables) == 5);
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "publish", "late"));
  FAILS(percale_trainer_create(engine, graph, variables, options, &trainer), PERCALE_INVALID_ARGUMENT, "'late'");
  REFUSES(percale_trainer_publish(NULL), "trainer");
  percale_options_release(options);
  percale_variables_release(variables);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

static void options_say_how_it_trains(void) {
  percale_graph* graph = make_graph();
  percale_dataset *data = make_data(), *validation = make_data();
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_text* text = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"lion\", \"learning_rate\": 0.01}"));
  OK(percale_options_set(options, "schedule", "{\"name\": \"plateau\", \"monitor\": \"val_loss\", \"patience\": 1}"));
  OK(percale_options_set(options, "groups", "[{\"pattern\": \"y/*\", \"learning_rate_factor\": 0.5}]"));
  OK(percale_options_set(options, "freeze", "y/bias,y/b*"));
  OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"val_loss\", \"patience\": 4}"));
  OK(percale_options_set_float(options, "ema", 0.5));
  OK(percale_options_set_float(options, "clip_each_norm", 1));
  OK(percale_options_set_int(options, "keep_last", 1));
  OK(percale_options_set(options, "recompute", "1000000"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  OK(percale_trainer_fit(trainer, data, 3, NULL, NULL));
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds,val_loss\n", 47) == 0);
  percale_text_release(text);
  OK(percale_trainer_describe(trainer, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"parameters\":3,\"trainable\":2,") != NULL);
  /* A million bytes suffice. */
  CHECK(strstr(percale_text_data(text, NULL), "\"recomputes\":false,") != NULL);
  percale_text_release(text);
  OK(percale_trainer_set_validation(trainer, NULL)); /* also after steps */
  percale_trainer_release(trainer);
  OK(percale_options_set_int(options, "accumulation", 3));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  percale_dataset_release(data);
  data = make_data();
  FAILS(percale_trainer_fit(trainer, data, 1, NULL, NULL), PERCALE_FAILED_PRECONDITION, "validation");
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  data = make_data();
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  /* Five batches: steps of three and of two. */
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  CHECK(percale_trainer_steps(trainer) == 2);
  percale_trainer_release(trainer);
  trainer = NULL;
  {
    const char* const names[] = {"x", "t"};
    percale_tensor* batch[2];
    double loss = -1;
    int i;
    make_tensors(&batch[0], &batch[1]);
    OK(percale_options_set(options, "schedule", "constant"));
    OK(percale_options_set(options, "early_stopping", "{\"restore_best_weights\": true}"));
    OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
    for (i = 1; i <= 7; ++i) { /* steps of three batches */
      OK(percale_trainer_step(trainer, names, batch, 2, &loss));
      CHECK(loss > 0 && percale_trainer_steps(trainer) == i / 3);
    }
    FAILS(percale_trainer_save(trainer, "/nowhere"), PERCALE_FAILED_PRECONDITION, "1 of its 3");
    percale_tensor_release(batch[0]);
    percale_tensor_release(batch[1]);
    percale_trainer_release(trainer);
    trainer = NULL;
    OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"val_loss\", \"patience\": 4}"));
  }
  OK(percale_options_set(options, "freeze", "z/*"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "'z/*'");
  OK(percale_options_set(options, "recompute", "sometimes"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "'sometimes'");
  OK(percale_options_set(options, "recompute", "10"));
  OK(percale_options_set(options, "freeze", ""));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  FAILS(percale_trainer_fit(trainer, data, 1, NULL, NULL), PERCALE_RESOURCE_EXHAUSTED, "'recompute' allows 10");
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "groups", "[], \"epochs\": 7"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "column 3");
  OK(percale_options_set(options, "groups", "[{"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "");
  REFUSES(percale_trainer_set_validation(NULL, data), "trainer");
  percale_options_release(options);
  percale_dataset_release(data);
  percale_dataset_release(validation);
  percale_graph_release(graph);
}

static void a_spec_is_refused_where_it_is_wrong(void) {
  static const char kSpec[] =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 1}], \"input_shape\": [2], \"loss\": \"mean_squared_error\", "
      "\"optimizr\": \"sgd\"}";
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  FAILS(percale_trainer_from_spec(engine, kSpec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer),
        PERCALE_INVALID_ARGUMENT, "optimizer");
  FAILS(percale_trainer_from_spec(engine, "{", 1, NULL, NULL, NULL, &trainer), PERCALE_INVALID_ARGUMENT, "line 1");
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "optimizer", "sgd"));
  FAILS(percale_trainer_from_spec(engine, kSpec, PERCALE_NUL_ENDED, NULL, NULL, options, &trainer),
        PERCALE_INVALID_ARGUMENT, "'optimizer' stands in the SPEC");
  percale_options_release(options);
  REFUSES(percale_trainer_from_spec(NULL, kSpec, 1, NULL, NULL, NULL, &trainer), "engine");
  REFUSES(percale_trainer_from_spec(engine, NULL, 1, NULL, NULL, NULL, &trainer), "spec");
  REFUSES(percale_trainer_from_spec(engine, kSpec, 1, NULL, NULL, NULL, NULL), "out_trainer");
  CHECK(trainer == NULL);
}

static void another_model_takes_over_by_name(void) {
  static const char *const from[] = {"y/*", ""}, *const to[] = {"z/*", "w"}, *const lost[] = {"q/*"};
  percale_graph* graph = make_graph();
  percale_trainer* trainer = make_trainer(graph);
  percale_variables* variables = NULL;
  char path[4000];
  int64_t loaded = -1;
  snprintf(path, sizeof path, "%s/taken", folder);
  OK(percale_trainer_save(trainer, path));
  OK(percale_variables_create(engine, graph, 9, &variables));
  OK(percale_variables_load_mapped(variables, path, from, to, 2, 1, &loaded));
  CHECK(loaded == 2); /* no rule covers y/kernel and y/bias */
  FAILS(percale_variables_load_mapped(variables, path, lost, from, 1, 0, &loaded), PERCALE_NOT_FOUND, "'q/");
  CHECK(loaded == 0);
  REFUSES(percale_variables_load_mapped(NULL, path, from, to, 2, 1, &loaded), "variables");
  REFUSES(percale_variables_load_mapped(variables, path, NULL, to, 2, 1, &loaded), "from");
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_graph_release(graph);
}

typedef struct {
  percale_trainer* trainer;
  double rates[10];
  size_t count;
} rates;

/* Halves the rate after each step. */
static int32_t halve(void* user, const percale_progress* progress) {
  rates* seen = user;
  if (seen->count < 10) seen->rates[seen->count++] = progress->learning_rate;
  OK(percale_trainer_set_learning_rate(seen->trainer, progress->learning_rate / 2));
  return 0;
}

static void the_learning_rate_is_set_between_steps_and_kept_in_checkpoints(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *trainer = make_trainer(graph), *resumed = make_trainer(graph), *cycled = NULL;
  percale_options* options = NULL;
  percale_text* text = NULL;
  rates seen = {NULL, {0}, 0};
  char path[4000];
  size_t i;
  seen.trainer = trainer;
  OK(percale_trainer_fit(trainer, data, 1, halve, &seen));
  CHECK(seen.count == 5);
  for (i = 0; i < seen.count; ++i) CHECK(fabs(seen.rates[i] - 0.2 / (double)(1 << i)) < 1e-15);
  snprintf(path, sizeof path, "%s/rates", folder);
  OK(percale_trainer_save(trainer, path));
  OK(percale_trainer_restore(resumed, path));
  OK(percale_trainer_describe(resumed, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"learning_rate\":0.00625,") != NULL);
  percale_text_release(text);
  FAILS(percale_trainer_set_learning_rate(trainer, -1), PERCALE_INVALID_ARGUMENT, "the learning rate is -1");
  FAILS(percale_trainer_set_learning_rate(trainer, NAN), PERCALE_INVALID_ARGUMENT, "the learning rate is nan");
  REFUSES(percale_trainer_set_learning_rate(NULL, 1), "trainer");
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(
      options, "schedule",
      "[{\"name\": \"warm_up\", \"steps\": 3}, {\"name\": \"one_cycle\", \"max_learning_rate\": 1}]"));
  OK(percale_trainer_create(engine, graph, NULL, options, &cycled));
  FAILS(percale_trainer_set_learning_rate(cycled, 1), PERCALE_FAILED_PRECONDITION, "max_learning_rate");
  percale_options_release(options);
  percale_trainer_release(cycled);
  percale_trainer_release(trainer);
  percale_trainer_release(resumed);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

static void nothing_may_be_null(void) {
  percale_graph *graph = make_graph(), *model = NULL;
  percale_trainer *trainer = NULL, *other = NULL;
  percale_variables* variables = NULL;
  percale_text* text = NULL;
  REFUSES(percale_trainer_create(NULL, graph, NULL, NULL, &trainer), "engine");
  REFUSES(percale_trainer_create(engine, NULL, NULL, NULL, &trainer), "graph");
  REFUSES(percale_trainer_create(engine, graph, NULL, NULL, NULL), "out_trainer");
  OK(percale_trainer_create(engine, graph, NULL, NULL, &other));
  REFUSES(percale_trainer_fit(NULL, NULL, 1, NULL, NULL), "trainer");
  REFUSES(percale_trainer_evaluate(NULL, NULL, &text), "trainer");
  REFUSES(percale_trainer_evaluate(other, NULL, NULL), "out_json");
  REFUSES(percale_trainer_save(NULL, folder), "trainer");
  REFUSES(percale_trainer_save(other, NULL), "folder");
  REFUSES(percale_trainer_restore(NULL, folder), "trainer");
  REFUSES(percale_trainer_restore(other, NULL), "path");
  REFUSES(percale_trainer_model(NULL, &model), "trainer");
  REFUSES(percale_trainer_model(other, NULL), "out_graph");
  REFUSES(percale_trainer_variables(NULL, &variables), "trainer");
  REFUSES(percale_trainer_variables(other, NULL), "out_variables");
  REFUSES(percale_trainer_history(NULL, "csv", &text), "trainer");
  REFUSES(percale_trainer_history(other, NULL, &text), "format");
  REFUSES(percale_trainer_history(other, "csv", NULL), "out_text");
  REFUSES(percale_trainer_describe(NULL, &text), "trainer");
  REFUSES(percale_trainer_describe(other, NULL), "out_json");
  CHECK(percale_trainer_steps(NULL) == 0 && trainer == NULL && model == NULL && variables == NULL && text == NULL);
  percale_trainer_set_trace(NULL, NULL);
  percale_trainer_release(NULL);
  percale_trainer_release(other);
  percale_graph_release(graph);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  OK(percale_engine_create(NULL, &engine));
  a_trainer_learns_and_says_what_it_did();
  a_checkpoint_goes_on_to_the_same_bits();
  a_checkpoint_of_another_job_is_refused();
  a_checkpoint_goes_on_with_other_metrics();
  class_numbers_come_in_any_integers();
  a_step_gives_what_it_computed();
  steps_are_taken_one_by_one();
  a_cancellation_ends_what_runs_and_what_begins();
  a_graph_has_a_loss_as_a_spec_has();
  a_graph_has_metrics_as_a_spec_has();
  versions_are_published_when_the_option_says();
  options_say_how_it_trains();
  a_spec_is_refused_where_it_is_wrong();
  another_model_takes_over_by_name();
  the_learning_rate_is_set_between_steps_and_kept_in_checkpoints();
  nothing_may_be_null();
  percale_engine_release(engine);
  return check_done();
}
