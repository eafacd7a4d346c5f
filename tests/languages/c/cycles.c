/* See ../README.md. Usage: cycles MODEL; cycles --make MODEL writes the model. */
#include <inttypes.h>
#include <stdlib.h>

#include "tests/c_api/check.h"
#include "tests/hosts/host.h"

static uint64_t loss_bits;
static uint32_t y_bits;

static void must(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  exit(1);
}

static void make(const char* path) {
  percale_engine* engine;
  percale_graph* graph;
  must(host_make_engine(1, NULL, 0, &engine));
  must(host_make_graph(engine, &graph));
  must(percale_graph_save_file(graph, NULL, path));
  percale_graph_release(graph);
  percale_engine_release(engine);
}

static percale_tensor* tensor(percale_engine* engine, int64_t step, int64_t modulus, const int64_t* dims, size_t rank) {
  percale_tensor* out;
  size_t i;
  must(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, rank, &out));
  for (i = 0; i < percale_tensor_bytes(out) / sizeof(float); ++i) {
    ((float*)percale_tensor_get_data(out))[i] = (float)((int64_t)i * step % modulus) / 64;
  }
  return out;
}

static void live(const char* path) {
  static const int64_t x_dims[4] = {16, 8, 8, 1}, t_dims[2] = {16, 3};
  static const char *const names[2] = {"x", "t"}, *const fetch = "y";
  percale_options* options;
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_trainer* trainer;
  percale_session* session;
  percale_tensor *batch[2], *y;
  double loss;
  must(percale_options_create("engine", &options));
  must(percale_options_set_int(options, "threads", 2));
  must(percale_engine_create(options, &engine));
  percale_options_release(options);
  must(percale_graph_load_file(engine, path, &graph));
  must(percale_variables_create(engine, graph, 1, &variables));
  must(percale_options_create("trainer", &options));
  must(percale_options_set(options, "loss", "loss"));
  must(percale_options_set(options, "optimizer", "adam"));
  must(percale_trainer_create(engine, graph, variables, options, &trainer));
  percale_options_release(options);
  batch[0] = tensor(engine, 37, 101, x_dims, 4);
  batch[1] = tensor(engine, 11, 13, t_dims, 2);
  must(percale_trainer_step(trainer, names, batch, 2, &loss));
  must(percale_session_create(engine, graph, variables, NULL, &session));
  must(percale_session_run(session, names, batch, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, &y));
  memcpy(&loss_bits, &loss, sizeof loss);
  memcpy(&y_bits, percale_tensor_get_data(y), sizeof y_bits);
  percale_tensor_release(y);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_session_release(session);
  percale_trainer_release(trainer);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

int main(int argc, char** argv) {
  int64_t count;
  if (argc == 3 && strcmp(argv[1], "--make") == 0) return make(argv[2]), 0;
  if (argc != 2) return 2;
  while (scanf("%" SCNd64, &count) == 1) {
    while (count-- > 0) live(argv[1]);
    printf("%016" PRIx64 " %08" PRIx32 "\n", loss_bits, y_bits);
    fflush(stdout);
  }
  return check_done();
}
