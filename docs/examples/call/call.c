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

  ok(percale_engine_create(NULL, &engine));
  ok(percale_graph_load_file(engine, "digits.percale", &graph));
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, NULL, &session));

  /* --8<-- [start:call] */
  const char* input = percale_graph_get_input_name(graph, 0);
  const char* output = percale_graph_get_output_name(graph, 0);
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t in_dims[] = {1, 28, 28}, *dims = in_dims, out_dims[] = {1, 10};
  const size_t rank = 3;
  percale_call* call; /* one per thread */
  percale_tensor *x, *y;
  ok(percale_call_create(session, &input, &dtype, &dims, &rank, 1, &output, 1, &call));
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, in_dims, 3, &x));
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, out_dims, 2, &y));

  for (int request = 0; request < 3; ++request) {
    ((float*)percale_tensor_get_data(x))[request] = 1;        /* fill the input in place */
    ok(percale_call_run_until(call, &x, &y, 50000000, NULL)); /* 50 ms, else DEADLINE_EXCEEDED */
    printf("request %d: first score %.4f\n", request, ((float*)percale_tensor_get_data(y))[0]);
  }
  /* --8<-- [end:call] */

  percale_tensor_release(x), percale_tensor_release(y), percale_call_release(call);
  percale_session_release(session), percale_variables_release(variables);
  percale_graph_release(graph), percale_engine_release(engine);
  return 0;
}
