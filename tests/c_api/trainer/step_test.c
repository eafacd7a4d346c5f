/* Tests steps: training over epochs and by hand, fetches of a step, labels of any integer type, and
 * cancellations. */
#include <math.h>

#include "trainer_fixture.h"

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

void test_steps(void) {
  a_trainer_learns_and_says_what_it_did();
  class_numbers_come_in_any_integers();
  a_step_gives_what_it_computed();
  steps_are_taken_one_by_one();
  a_cancellation_ends_what_runs_and_what_begins();
}
