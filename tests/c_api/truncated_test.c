/* Tests files of models and weights that are truncated: before they are opened this is DATA_LOSS,
 * and with the engine's option map_files=off also a file in use may be truncated.
 * Usage: truncated_test FOLDER (exists and is writable) */
#include <stdlib.h>

#include "check.h"

enum { WIDTH = 40, MOST_BYTES = 1 << 16 };

static char model_path[4000], weights_path[4000];

static percale_engine* engine_with(const char* map_files) {
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "map_files", map_files));
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  return engine;
}

/* Returns y = x w with a variable w of WIDTH by WIDTH, which is more than a page. */
static percale_graph* make_graph(percale_engine* engine) {
  const int64_t x_dims[2] = {1, WIDTH}, w_dims[2] = {WIDTH, WIDTH};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value x, w, y;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 2, &x));
  OK(percale_builder_variable_initialized(builder, "w", PERCALE_DTYPE_F32, w_dims, 2, "glorot_uniform", &w));
  OK(percale_builder_node(builder, "MatMul", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_add_input(builder, w));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

static percale_variables* variables_of(percale_engine* engine, const percale_graph* graph, int64_t seed) {
  percale_variables* variables = NULL;
  OK(percale_variables_create(engine, graph, seed, &variables));
  return variables;
}

/* Writes y for x = 1, 1, ... into `out`. */
static void run(percale_engine* engine, const percale_graph* graph, percale_variables* variables, float* out) {
  const char *const x_name[] = {"x"}, *const y_name[] = {"y"};
  const int64_t dims[2] = {1, WIDTH};
  float ones[WIDTH];
  percale_session* session = NULL;
  percale_tensor *x = NULL, *y = NULL;
  size_t i;
  for (i = 0; i < WIDTH; ++i) ones[i] = 1;
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, ones, sizeof ones, NULL, NULL, &x));
  OK(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y));
  if (y != NULL) memcpy(out, percale_tensor_get_data(y), sizeof ones);
  percale_tensor_release(x);
  percale_tensor_release(y);
  percale_session_release(session);
}

static size_t read_whole(const char* path, char* out) {
  FILE* file = fopen(path, "rb");
  size_t size = file == NULL ? 0 : fread(out, 1, MOST_BYTES, file);
  CHECK(size > 0 && size < MOST_BYTES);
  if (file != NULL) fclose(file);
  return size;
}

/* Truncates the file in place and writes its first `size` bytes again. */
static void rewrite(const char* path, const char* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL);
  if (file == NULL) return;
  CHECK(fwrite(bytes, 1, size, file) == size);
  CHECK(fclose(file) == 0);
}

static void a_file_that_was_truncated_before_it_is_opened_is_data_loss(percale_engine* engine) {
  static const size_t kParts[] = {1, 2, 10, 50};
  static char bytes[MOST_BYTES];
  percale_graph *graph = make_graph(engine), *loaded = NULL;
  percale_variables* variables = variables_of(engine, graph, 1);
  size_t size, i;
  OK(percale_graph_save_file(graph, variables, model_path));
  size = read_whole(model_path, bytes);
  for (i = 0; i < 4; ++i) {
    rewrite(model_path, bytes, size - size / kParts[i] / 2 - 1);
    FAILS(percale_graph_load_file(engine, model_path, &loaded), PERCALE_DATA_LOSS, model_path);
    FAILS(percale_file_check(engine, model_path), PERCALE_DATA_LOSS, model_path);
    CHECK(loaded == NULL);
  }
  OK(percale_variables_save(variables, weights_path));
  size = read_whole(weights_path, bytes);
  for (i = 0; i < 4; ++i) {
    rewrite(weights_path, bytes, size - size / kParts[i] / 2 - 1);
    FAILS(percale_variables_load(variables, weights_path, 1), PERCALE_DATA_LOSS, weights_path);
    FAILS(percale_file_check(engine, weights_path), PERCALE_DATA_LOSS, weights_path);
  }
  CHECK(percale_variables_version(variables) == 1);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void files_that_were_read_may_be_truncated(percale_engine* engine) {
  float wanted[WIDTH] = {0}, of_model[WIDTH] = {0}, of_weights[WIDTH] = {0};
  percale_graph *graph = make_graph(engine), *loaded = NULL;
  percale_variables *variables = variables_of(engine, graph, 1), *of_loaded = NULL,
                    *other = variables_of(engine, graph, 2);
  OK(percale_graph_save_file(graph, variables, model_path));
  OK(percale_variables_save(variables, weights_path));
  run(engine, graph, variables, wanted);
  OK(percale_graph_load_file(engine, model_path, &loaded));
  OK(percale_variables_load(other, weights_path, 1));
  rewrite(model_path, "", 0);
  rewrite(weights_path, "", 0);
  of_loaded = variables_of(engine, loaded, 3);
  run(engine, loaded, of_loaded, of_model);
  run(engine, graph, other, of_weights);
  CHECK(wanted[0] != 0);
  CHECK(memcmp(of_model, wanted, sizeof wanted) == 0);
  CHECK(memcmp(of_weights, wanted, sizeof wanted) == 0);
  percale_variables_release(variables);
  percale_variables_release(of_loaded);
  percale_variables_release(other);
  percale_graph_release(graph);
  percale_graph_release(loaded);
}

int main(int argc, char** argv) {
  percale_engine *mapping, *reading;
  if (argc != 2) return 2;
  snprintf(model_path, sizeof model_path, "%s/truncated.percale", argv[1]);
  snprintf(weights_path, sizeof weights_path, "%s/truncated.safetensors", argv[1]);
  mapping = engine_with("on");
  reading = engine_with("off");
  a_file_that_was_truncated_before_it_is_opened_is_data_loss(mapping);
  a_file_that_was_truncated_before_it_is_opened_is_data_loss(reading);
  files_that_were_read_may_be_truncated(reading);
  percale_engine_release(mapping);
  percale_engine_release(reading);
  return check_done();
}
