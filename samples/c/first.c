/* Builds a graph with one dense layer, trains it to y = 2a - 3b + 1, saves it, loads it again
 * and runs it.
 *   cc first.c $(pkg-config --cflags --libs percale) && ./a.out */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints an error and ends the program; every function that can fail is called through it. */
static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

static percale_value binary(percale_builder* builder, const char* op, percale_value a, percale_value b) {
  percale_value out;
  ok(percale_builder_node(builder, op, NULL));
  ok(percale_builder_add_input(builder, a));
  ok(percale_builder_add_input(builder, b));
  ok(percale_builder_finish_node(builder, 1, &out));
  return out;
}

int main(int argc, char** argv) {
  const char *path = argc > 1 ? argv[1] : "first.percale", *step = NULL;
  const char *const feed_names[] = {"x", "target"}, *const y_name[] = {"y"}, *const loss_name[] = {"loss"};
  enum { ROWS = 64, STEPS = 300 };
  const int64_t x_dims[2] = {-1, 2}, t_dims[2] = {-1, 1};
  const int64_t rows2[2] = {ROWS, 2}, rows1[2] = {ROWS, 1}, one_row[2] = {1, 2};
  static float inputs[ROWS][2], targets[ROWS];
  float question[2] = {0.25f, -0.5f}; /* 2 * 0.25 + 3 * 0.5 + 1 = 3 */
  percale_engine* engine;
  percale_builder* builder;
  percale_graph *training, *model, *loaded;
  percale_variables *variables, *own;
  percale_session* session;
  percale_tensor *feeds[2], *result, *asked;
  percale_value x, target, y, difference, loss;
  int i;

  ok(percale_engine_create(NULL, &engine));
  ok(percale_builder_create(engine, &builder));
  ok(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 2, &x));
  ok(percale_builder_layer(builder, "Dense", "y"));
  ok(percale_builder_add_input(builder, x));
  ok(percale_builder_set_int(builder, "units", 1));
  ok(percale_builder_finish_node(builder, 1, &y));
  ok(percale_builder_set_outputs(builder, &y, 1));
  ok(percale_builder_finish(builder, &model)); /* the model to save: x to y */
  percale_builder_release(builder);

  /* the graph to train: the model with a loss */
  ok(percale_builder_from_graph(engine, model, &builder));
  ok(percale_builder_find_value(builder, "y", &y));
  ok(percale_builder_input(builder, "target", PERCALE_DTYPE_F32, t_dims, 2, &target));
  difference = binary(builder, "Sub", y, target);
  difference = binary(builder, "Mul", difference, difference);
  ok(percale_builder_node(builder, "ReduceMean", "loss"));
  ok(percale_builder_add_input(builder, difference));
  ok(percale_builder_set_int(builder, "keepdims", 0));
  ok(percale_builder_finish_node(builder, 1, &loss));
  ok(percale_builder_minimize(builder, loss, "{\"name\": \"adam\", \"learning_rate\": 0.05}", &step));
  ok(percale_builder_finish(builder, &training));

  for (i = 0; i < ROWS; ++i) {
    inputs[i][0] = (float)(i % 8) / 8, inputs[i][1] = (float)(i / 8) / 8 - 0.5f;
    targets[i] = 2 * inputs[i][0] - 3 * inputs[i][1] + 1;
  }
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, rows2, 2, inputs, sizeof inputs, NULL, NULL, &feeds[0]));
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, rows1, 2, targets, sizeof targets, NULL, NULL, &feeds[1]));
  ok(percale_variables_create(engine, training, 1, &variables)); /* initialised with seed 1 */
  ok(percale_session_create(engine, training, variables, NULL, &session));
  for (i = 0; i < STEPS; ++i) {
    ok(percale_session_run(session, feed_names, feeds, 2, loss_name, 1, &step, 1, PERCALE_FOREVER, &result));
    if (i % 100 == 0) printf("step %3d  loss %g\n", i, *(float*)percale_tensor_get_data(result));
    percale_tensor_release(result);
  }
  ok(percale_graph_save_file(model, variables, path));

  percale_session_release(session);
  ok(percale_graph_load_file(engine, path, &loaded));
  ok(percale_variables_create(engine, loaded, 0, &own)); /* the file's values */
  ok(percale_session_create(engine, loaded, own, NULL, &session));
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, one_row, 2, question, sizeof question, NULL, NULL, &asked));
  ok(percale_session_run(session, feed_names, &asked, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &result));
  printf("%s says %.3f for (0.25, -0.5)\n", path, *(float*)percale_tensor_get_data(result));

  percale_tensor_release(result), percale_tensor_release(asked);
  percale_tensor_release(feeds[0]), percale_tensor_release(feeds[1]);
  percale_session_release(session), percale_builder_release(builder);
  percale_variables_release(variables), percale_variables_release(own);
  percale_graph_release(training), percale_graph_release(model), percale_graph_release(loaded);
  percale_engine_release(engine);
  return 0;
}
