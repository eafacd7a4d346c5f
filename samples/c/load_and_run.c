/* Loads a model and runs it once.
 *   load_and_run MODEL.percale [INPUT.npy]
 * Without an input file, the input is one row of zeros. Prints the type, shape and first
 * elements of each output. */
#include <inttypes.h>
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "load_and_run: %s: %s\n", percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

/* Returns zeros of the graph input's type. The elements of a new tensor are 0. */
static percale_tensor* zeros(percale_engine* engine, const percale_graph* graph, const char* name) {
  int64_t dims[8];
  percale_dtype dtype;
  percale_tensor* tensor;
  size_t rank, i;
  ok(percale_graph_value_type(graph, name, &dtype, dims, &rank));
  if (rank == SIZE_MAX) rank = 0; /* any rank is accepted */
  for (i = 0; i < rank; ++i) dims[i] = dims[i] < 1 ? 1 : dims[i];
  ok(percale_tensor_create(engine, dtype, dims, rank, &tensor));
  return tensor;
}

static void print(const char* name, const percale_tensor* tensor) {
  const int64_t count = percale_tensor_element_count(tensor);
  const int64_t* dims = percale_tensor_get_dims(tensor);
  size_t i;
  printf("%s %s [", name, percale_dtype_name(percale_tensor_dtype(tensor)));
  for (i = 0; i < percale_tensor_rank(tensor); ++i) printf("%s%" PRId64, i == 0 ? "" : ", ", dims[i]);
  printf("]");
  if (percale_tensor_dtype(tensor) == PERCALE_DTYPE_F32) {
    const float* values = percale_tensor_get_data(tensor);
    for (i = 0; i < 10 && (int64_t)i < count; ++i) printf("%s%.4f", i == 0 ? " [" : ", ", values[i]);
    printf("]");
  }
  printf("\n");
}

int main(int argc, char** argv) {
  enum { MOST = 16 };
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_tensor *input, *outputs[MOST];
  const char *input_name, *names[MOST];
  size_t count = 0, i;

  if (argc < 2) {
    fputs("usage: load_and_run MODEL.percale [INPUT.npy]\n", stderr);
    return 2;
  }
  ok(percale_engine_create(NULL, &engine));
  ok(percale_graph_load_file(engine, argv[1], &graph));
  ok(percale_variables_create(engine, graph, 0, &variables)); /* the file's values */
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  input_name = percale_graph_get_input_name(graph, 0);
  if (argc > 2) {
    ok(percale_tensor_load(engine, argv[2], &input));
  } else {
    input = zeros(engine, graph, input_name);
  }
  while (count < MOST && (names[count] = percale_graph_get_output_name(graph, count)) != NULL) ++count;
  ok(percale_session_run(session, &input_name, &input, 1, names, count, NULL, 0, PERCALE_FOREVER, outputs));
  for (i = 0; i < count; ++i) {
    print(names[i], outputs[i]);
    percale_tensor_release(outputs[i]);
  }

  percale_tensor_release(input);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
  return 0;
}
