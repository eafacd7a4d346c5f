#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

int main(void) {
  static float pixels[2 * 28 * 28]; /* a batch of two images */
  const int64_t dims[] = {2, 28, 28};
  const char *input, *output;
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_tensor *x, *scores;

  ok(percale_engine_create(NULL, &engine));
  ok(percale_graph_import(engine, "onnx", "digits.onnx", &graph));
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  input = percale_graph_get_input_name(graph, 0);
  output = percale_graph_get_output_name(graph, 0);

  /* The tensor lies over the program's memory. */
  ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 3, pixels, sizeof pixels, NULL, NULL, &x));
  ok(percale_session_run(session, &input, &x, 1, &output, 1, NULL, 0, PERCALE_FOREVER, &scores));
  printf("%s: %d x %d scores\n", output, (int)percale_tensor_get_dims(scores)[0],
         (int)percale_tensor_get_dims(scores)[1]);

  percale_tensor_release(scores), percale_tensor_release(x), percale_session_release(session);
  percale_variables_release(variables), percale_graph_release(graph), percale_engine_release(engine);
  return 0;
}
