/* Uses the plug-in of plugin.c. Learns alpha of sample:Snake through its gradient, from data
 * made with alpha = 2. The result passes through Mish, which the plug-in's kernel computes. The
 * graph is saved for
 *   percale kernels GRAPH --plugin PLUGIN
 * Build and run:
 *   cc use.c $(pkg-config --cflags --libs percale) -lm
 *   ./a.out ./libpercale_sample.so snake.percale */
#include <math.h>
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, STEPS = 300 };

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  exit(1);
}

static percale_builder* builder;
static percale_value op(const char* name, percale_value a, const percale_value* b) {
  percale_value out;
  ok(percale_builder_node(builder, name, NULL));
  ok(percale_builder_add_input(builder, a));
  if (b) ok(percale_builder_add_input(builder, *b));
  ok(percale_builder_finish_node(builder, 1, &out));
  return out;
}

static double mish(double x) { return x * tanh(log1p(exp(x))); }

int main(int argc, char** argv) {
  const char *const feed_names[] = {"x", "target"}, *const fetch_names[] = {"loss", "y"}, *step = NULL;
  const int64_t dims[1] = {N}, one[1] = {1};
  static float x[N], target[N];
  float start = 1.5f;
  double worst = 0;
  int i;
  percale_options* options;
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_tensor *first, *feeds[2], *fetched[2], *learned;
  percale_value in, wanted, alpha, y, difference, loss;

  if (argc < 3) return fprintf(stderr, "usage: use PLUGIN GRAPH\n"), 2;
  for (i = 0; i < N; ++i) {
    x[i] = (float)i / N * 4 - 2;
    target[i] = (float)mish(x[i] + sin(2.0 * x[i]) * sin(2.0 * x[i]) / 2);
  }
  ok(percale_options_create("engine", &options));
  ok(percale_options_set(options, "plugin_path", argv[1]));
  ok(percale_engine_create(options, &engine));
  percale_options_release(options);

  ok(percale_builder_create(engine, &builder));
  ok(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &in));
  ok(percale_builder_input(builder, "target", PERCALE_DTYPE_F32, dims, 1, &wanted));
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, one, 1, &start, sizeof start, NULL, NULL, &first));
  ok(percale_builder_variable(builder, "alpha", first, &alpha));
  y = op("Mish", op("sample:Snake", in, &alpha), NULL);
  ok(percale_builder_rename(builder, y, "y"));
  difference = op("Sub", y, &wanted);
  difference = op("Mul", difference, &difference);
  ok(percale_builder_node(builder, "ReduceMean", "loss"));
  ok(percale_builder_add_input(builder, difference));
  ok(percale_builder_set_int(builder, "keepdims", 0));
  ok(percale_builder_finish_node(builder, 1, &loss));
  ok(percale_builder_set_outputs(builder, &y, 1));
  ok(percale_builder_minimize(builder, loss, "{\"name\": \"adam\", \"learning_rate\": 0.02}", &step));
  ok(percale_builder_finish(builder, &graph));
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, x, sizeof x, NULL, NULL, &feeds[0]));
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, target, sizeof target, NULL, NULL, &feeds[1]));
  for (i = 0; i <= STEPS; ++i) {
    ok(percale_session_run(session, feed_names, feeds, 2, fetch_names, 2, &step, 1, PERCALE_FOREVER, fetched));
    if (i % 100 == 0) printf("step %3d  loss %g\n", i, *(float*)percale_tensor_get_data(fetched[0]));
    if (i < STEPS) percale_tensor_release(fetched[0]), percale_tensor_release(fetched[1]);
  }
  ok(percale_variables_value(variables, "alpha", &learned));
  for (i = 0; i < N; ++i) {
    worst = fmax(worst, fabs(((float*)percale_tensor_get_data(fetched[1]))[i] - target[i]));
  }
  printf("alpha %.4f, wanted 2; the worst of %d outputs is %.1e off\n", *(float*)percale_tensor_get_data(learned), N,
         worst);
  ok(percale_graph_save_file(graph, variables, argv[2]));

  percale_tensor_release(learned), percale_tensor_release(first), percale_tensor_release(feeds[0]);
  percale_tensor_release(feeds[1]), percale_tensor_release(fetched[0]), percale_tensor_release(fetched[1]);
  percale_session_release(session), percale_variables_release(variables), percale_graph_release(graph);
  percale_builder_release(builder), percale_engine_release(engine);
  return 0;
}
