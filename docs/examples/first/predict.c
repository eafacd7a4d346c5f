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
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;

  /* --8<-- [start:load] */
  ok(percale_engine_create(NULL, &engine));
  ok(percale_graph_load_file(engine, "digits.percale", &graph));
  ok(percale_variables_create(engine, graph, 0, &variables)); /* the values of the file */
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  /* --8<-- [end:load] */

  const char *const columns[] = {"x", "y"}, *files[2], *input, *output;
  percale_dataset* digits;
  percale_tensor *row[2], *scores;
  const float* score;
  int best = 0;

  /* --8<-- [start:run] */
  files[0] = "t10k-images-idx3-ubyte", files[1] = "t10k-labels-idx1-ubyte";
  ok(percale_dataset_from_files(engine, columns, files, 2, 1.0 / 255, NULL, &digits));
  ok(percale_dataset_configure(digits, 1, -1, 0)); /* one row at a time, not shuffled */
  ok(percale_dataset_next(digits, row));

  input = percale_graph_get_input_name(graph, 0);
  output = percale_graph_get_output_name(graph, 0);
  ok(percale_session_run(session, &input, row, 1, &output, 1, NULL, 0, PERCALE_FOREVER, &scores));
  score = percale_tensor_get_data(scores); /* [1, 10] */
  for (int i = 1; i < 10; ++i) best = score[i] > score[best] ? i : best;
  printf("the label is %d, the model says %d\n", (int)*(int64_t*)percale_tensor_get_data(row[1]), best);
  /* --8<-- [end:run] */

  percale_tensor_release(scores), percale_tensor_release(row[0]), percale_tensor_release(row[1]);
  percale_dataset_release(digits), percale_session_release(session);
  percale_variables_release(variables), percale_graph_release(graph), percale_engine_release(engine);
  return 0;
}
