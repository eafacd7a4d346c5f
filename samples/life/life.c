/* The life of a model: train it, stop and resume, export it to ONNX, serve the file, fine-tune the
 * file, and run an op of a plug-in.
 *   cc life.c $(pkg-config --cflags --libs percale) -o life && ./life ./libpercale_square.so
 * Writes checkpoints/ and life.onnx into the current folder. */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, EPOCHS = 20, STOP = 300, TUNE_EPOCHS = 10 };

static const char spec[] =
    "{\"model\": [{\"layer\": \"Dense\", \"name\": \"hidden\", \"units\": 16, \"activation\": \"tanh\"},"
    " {\"layer\": \"Dense\", \"name\": \"out\", \"units\": 1}], \"input_shape\": [2], \"loss\": \"mse\", \"seed\": 1,"
    " \"optimizer\": {\"name\": \"adam\", \"learning_rate\": 0.02},"
    " \"schedule\": [{\"name\": \"warm_up\", \"steps\": 64}, {\"name\": \"cosine\", \"decay_steps\": 576}]}";
/* --8<-- [start:tune] */
/* Trains the model of the file. The layer "hidden" keeps its values. */
static const char tune_spec[] =
    "{\"model\": \"life.onnx\", \"freeze\": \"hidden/*\", \"loss\": \"mse\", \"seed\": 1,"
    " \"optimizer\": {\"name\": \"adam\", \"learning_rate\": 0.02}}";
/* --8<-- [end:tune] */

static percale_engine* engine;

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  exit(1);
}

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "failed: %s\n", what);
  exit(1);
}

typedef struct losses {
  int64_t stop;       /* the step after which the training ends; 0: the last one */
  double first, last; /* of the first step, and the mean of the last epoch */
} losses;

static int32_t on_step(void* user, const percale_progress* progress) {
  losses* told = user;
  if (progress->step == 1) told->first = progress->loss;
  told->last = progress->epoch_loss;
  return progress->step == told->stop; /* not 0: the training ends */
}

/* Writes a point (a, b) of a square, and its label, formula[0] * ab + formula[1]. */
static int32_t point(void* formula, int64_t row, void* const* columns) {
  const float* numbers = formula;
  float* x = columns[0];
  x[0] = (float)(row % SIDE) / 16 - 1, x[1] = (float)(row / SIDE) / 16 - 1;
  *(float*)columns[1] = numbers[0] * x[0] * x[1] + numbers[1];
  return 0;
}

static void fit(percale_trainer* trainer, float* formula, int64_t epochs, losses* told) {
  const char* const names[] = {"x", "y"};
  const percale_dtype dtypes[] = {PERCALE_DTYPE_F32, PERCALE_DTYPE_F32};
  const int64_t x_dims[] = {2}, y_dims[] = {1}, *const dims[] = {x_dims, y_dims};
  const size_t ranks[] = {1, 1};
  percale_dataset* data;
  ok(percale_dataset_generator(engine, names, dtypes, dims, ranks, 2, SIDE * SIDE, point, formula, &data));
  ok(percale_dataset_configure(data, 32, 1, 0)); /* batches of 32 rows, shuffled */
  ok(percale_trainer_fit(trainer, data, epochs, on_step, told));
  percale_dataset_release(data);
}

static percale_trainer* new_trainer(const char* json) {
  percale_trainer* trainer;
  ok(percale_trainer_from_spec(engine, json, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
  return trainer;
}

static percale_variables* variables_of(percale_trainer* trainer) {
  percale_variables* variables;
  ok(percale_trainer_variables(trainer, &variables));
  return variables;
}

/* Returns a trainer that was not interrupted. Another training, which stops and is resumed, gives
 * the same weights. */
static percale_trainer* train(float* formula) {
  percale_trainer *whole = new_trainer(spec), *first = new_trainer(spec), *second = new_trainer(spec);
  percale_variables *undisturbed, *resumed;
  percale_text *wanted, *found;
  losses told = {0, 0, 0}, part = {STOP, 0, 0}, rest = {0, 0, 0};
  fit(whole, formula, EPOCHS, &told);
  printf("trained: loss %.4f -> %.4f\n", told.first, told.last);
  check(told.last < 0.01, "the loss does not fall below 0.01");

  /* --8<-- [start:resume] */
  fit(first, formula, EPOCHS, &part); /* on_step() ends it after step 300 of 640 */
  ok(percale_trainer_save(first, "checkpoints"));
  ok(percale_trainer_restore(second, "checkpoints")); /* perhaps in another process */
  fit(second, formula, EPOCHS, &rest);
  /* --8<-- [end:resume] */
  check(percale_trainer_steps(first) == STOP, "the first trainer does not stop");
  undisturbed = variables_of(whole), resumed = variables_of(second);
  ok(percale_variables_digest(undisturbed, &wanted));
  ok(percale_variables_digest(resumed, &found));
  check(strcmp(percale_text_data(found, NULL), percale_text_data(wanted, NULL)) == 0, "the digests differ");
  puts("resumed: same digest");
  percale_text_release(wanted), percale_text_release(found), percale_variables_release(undisturbed);
  percale_variables_release(resumed), percale_trainer_release(first), percale_trainer_release(second);
  return whole;
}

static void serve(percale_trainer* trainer) {
  static float x[][2] = {{0.3f, -0.7f}, {0.5f, 0.5f}, {-0.6f, -0.2f}, {0.75f, -0.75f}, {0.1f, 0.9f}, {-0.25f, 0.75f}};
  const char *const x_name[] = {"x"}, *y_name;
  percale_graph *model, *graph;
  percale_variables *trained = variables_of(trainer), *variables;
  percale_session* session;
  percale_tensor *asked, *answers;
  double worst = 0, error;
  int64_t dims[] = {1, 2}, at, i;
  /* --8<-- [start:export] */
  ok(percale_trainer_model(trainer, &model)); /* from "x" to the predictions */
  ok(percale_graph_export(engine, model, trained, "onnx", NULL, "life.onnx"));
  /* --8<-- [end:export] */
  ok(percale_graph_import(engine, "onnx", "life.onnx", &graph));
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  y_name = percale_graph_get_output_name(graph, 0);
  for (at = 0; at < 6; at += dims[0]++) { /* requests of one, two and three rows */
    ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, x[at], (size_t)dims[0] * sizeof *x, NULL, NULL, &asked));
    ok(percale_session_run(session, x_name, &asked, 1, &y_name, 1, NULL, 0, PERCALE_FOREVER, &answers));
    for (i = 0; i < dims[0]; ++i) {
      error = ((float*)percale_tensor_get_data(answers))[i] - x[at + i][0] * x[at + i][1];
      worst = error > worst ? error : -error > worst ? -error : worst;
    }
    percale_tensor_release(asked), percale_tensor_release(answers);
  }
  printf("served: %d answers, at most %.4f off\n", (int)at, worst);
  check(worst < 0.15, "the answers are not a * b");
  percale_session_release(session), percale_variables_release(variables), percale_variables_release(trained);
  percale_graph_release(graph), percale_graph_release(model);
}

static void tune(float* formula) {
  percale_trainer* trainer = new_trainer(tune_spec);
  losses told = {0, 0, 0};
  fit(trainer, formula, TUNE_EPOCHS, &told);
  printf("tuned: loss %.4f -> %.4f\n", told.first, told.last);
  check(told.last < told.first / 10, "the loss does not fall to a tenth");
  percale_trainer_release(trainer);
}

/* Runs the op of the plug-in that the engine has opened. */
static void square(void) {
  static float numbers[] = {1, -2, 3};
  const int64_t dims[] = {3};
  const char *const x_name[] = {"x"}, *const y_name[] = {"y"};
  percale_builder* builder;
  percale_value x, y;
  percale_graph* graph;
  percale_session* session;
  percale_tensor *in, *out;
  const float* found;
  /* --8<-- [start:plugin] */
  ok(percale_builder_create(engine, &builder));
  ok(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  ok(percale_builder_node(builder, "sample:Square", "y"));
  ok(percale_builder_add_input(builder, x));
  ok(percale_builder_finish_node(builder, 1, &y));
  ok(percale_builder_set_outputs(builder, &y, 1));
  ok(percale_builder_finish(builder, &graph));
  /* --8<-- [end:plugin] */
  ok(percale_session_create(engine, graph, NULL, NULL, &session));
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, numbers, sizeof numbers, NULL, NULL, &in));
  ok(percale_session_run(session, x_name, &in, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &out));
  found = percale_tensor_get_data(out);
  printf("plug-in: 1, -2, 3 squared are %g, %g, %g\n", found[0], found[1], found[2]);
  check(found[0] == 1 && found[1] == 4 && found[2] == 9, "the squares are wrong");
  percale_tensor_release(in), percale_tensor_release(out), percale_session_release(session);
  percale_graph_release(graph), percale_builder_release(builder);
}

int main(int argc, char** argv) {
  float product[] = {1, 0}, other[] = {-2, 1}; /* y = ab, y = 1 - 2ab */
  percale_options* options;
  percale_trainer* trainer;
  if (argc != 2) return fputs("usage: life PLUGIN.so\n", stderr), 2;
  /* --8<-- [start:engine] */
  ok(percale_options_create("engine", &options));
  ok(percale_options_set(options, "plugin_path", argv[1]));
  ok(percale_engine_create(options, &engine));
  /* --8<-- [end:engine] */
  trainer = train(product);
  serve(trainer);
  tune(other);
  square();
  percale_options_release(options), percale_trainer_release(trainer), percale_engine_release(engine);
  return 0;
}
