/* Tests files: graphs, variables and tensors are read back unchanged, and other files are
 * rejected.
 * Usage: file_test FOLDER (exists and is writable) */
#include <stdlib.h>

#include "check.h"

static percale_engine* engine = NULL;
static char folder[3000];

static const char* in_folder(const char* name) {
  static char path[4][4000];
  static int next = 0;
  char* out = path[next = (next + 1) % 4];
  snprintf(out, sizeof path[0], "%s/%s", folder, name);
  return out;
}

static percale_graph* make_graph(void) {
  const int64_t dims[2] = {-1, 2}, w_dims[2] = {2, 1};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value x, w, y;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x));
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

static percale_variables* variables_of(const percale_graph* graph, int64_t seed) {
  percale_variables* variables = NULL;
  OK(percale_variables_create(engine, graph, seed, &variables));
  return variables;
}

static int same_digest(const percale_variables* a, const percale_variables* b) {
  percale_text *first = NULL, *second = NULL;
  int same;
  OK(percale_variables_digest(a, &first));
  OK(percale_variables_digest(b, &second));
  same = strcmp(percale_text_data(first, NULL), percale_text_data(second, NULL)) == 0;
  percale_text_release(first);
  percale_text_release(second);
  return same;
}

static void a_graph_comes_back_with_its_values(void) {
  const char* path = in_folder("graph.percale");
  percale_graph *graph = make_graph(), *loaded = NULL, *again = NULL;
  percale_variables *variables = variables_of(graph, 5), *back, *other = variables_of(graph, 6);
  percale_text *bytes = NULL, *more = NULL;
  size_t size = 0, more_size = 0;
  CHECK(!same_digest(variables, other));
  OK(percale_graph_save_file(graph, variables, path));
  OK(percale_graph_load_file(engine, path, &loaded));
  back = variables_of(loaded, 6); /* the seed has no effect, because the values are stored */
  CHECK(same_digest(variables, back));
  CHECK(strcmp(percale_graph_get_input_name(loaded, 0), "x") == 0 && percale_graph_get_input_name(loaded, 1) == NULL);
  CHECK(strcmp(percale_graph_get_output_name(loaded, 0), "y") == 0 && percale_graph_get_output_name(loaded, 1) == NULL);
  CHECK(percale_graph_get_input_name(NULL, 0) == NULL && percale_graph_get_output_name(NULL, 0) == NULL);
  OK(percale_graph_serialize(graph, NULL, &bytes));
  percale_text_data(bytes, &size);
  OK(percale_graph_load(engine, percale_text_data(bytes, NULL), size, &again));
  OK(percale_graph_serialize(again, NULL, &more));
  percale_text_data(more, &more_size);
  CHECK(size == more_size && memcmp(percale_text_data(more, NULL), percale_text_data(bytes, NULL), size) == 0);
  percale_text_release(bytes);
  percale_text_release(more);
  percale_variables_release(back);
  percale_variables_release(other);
  percale_variables_release(variables);
  percale_graph_release(loaded);
  percale_graph_release(again);
  percale_graph_release(graph);
}

static void bytes_that_are_no_graph_are_refused(void) {
  percale_graph *graph = make_graph(), *loaded = NULL;
  percale_text* text = NULL;
  const char* bytes;
  char* copy;
  size_t size = 0, cut;
  OK(percale_graph_serialize(graph, NULL, &text));
  bytes = percale_text_data(text, &size);
  copy = (char*)malloc(size);
  for (cut = 0; cut < size; cut += 1 + size / 97) {
    percale_status* status = percale_graph_load(engine, bytes, cut, &loaded);
    CHECK(status != NULL && loaded == NULL && percale_status_message(status, NULL)[0] != 0);
    percale_status_release(status);
  }
  for (cut = 0; cut < size; cut += 1 + size / 211) {
    percale_status* status;
    memcpy(copy, bytes, size);
    copy[cut] = (char)(copy[cut] ^ 0x55);
    status = percale_graph_load(engine, copy, size, &loaded);
    CHECK(status != NULL || loaded != NULL);
    percale_status_release(status);
    percale_graph_release(loaded);
    loaded = NULL;
  }
  FAILS(percale_graph_load_file(engine, "/nowhere/graph.percale", &loaded), PERCALE_NOT_FOUND,
        "/nowhere/graph.percale");
  FAILS(percale_graph_import(engine, "caffe", "model.caffe", &loaded), PERCALE_UNIMPLEMENTED, "'caffe'");
  REFUSES(percale_graph_load(NULL, bytes, size, &loaded), "engine");
  REFUSES(percale_graph_load(engine, NULL, size, &loaded), "bytes");
  REFUSES(percale_graph_load(engine, bytes, size, NULL), "out_graph");
  REFUSES(percale_graph_load_file(NULL, "a", &loaded), "engine");
  REFUSES(percale_graph_load_file(engine, NULL, &loaded), "path");
  REFUSES(percale_graph_load_file(engine, "a", NULL), "out_graph");
  REFUSES(percale_graph_import(engine, NULL, "a", &loaded), "format");
  REFUSES(percale_graph_import(engine, "onnx", NULL, &loaded), "path");
  REFUSES(percale_graph_save_file(NULL, NULL, "a"), "graph");
  REFUSES(percale_graph_save_file(graph, NULL, NULL), "path");
  percale_text_release(text);
  REFUSES(percale_graph_serialize(NULL, NULL, &text), "graph");
  REFUSES(percale_graph_serialize(graph, NULL, NULL), "out_bytes");
  CHECK(loaded == NULL);
  free(copy);
  percale_graph_release(graph);
}

static void variables_come_back(void) {
  const char* path = in_folder("w.safetensors");
  percale_graph* graph = make_graph();
  percale_variables *one = variables_of(graph, 1), *two = variables_of(graph, 2);
  OK(percale_variables_save(one, path));
  OK(percale_variables_load(two, path, 1));
  CHECK(same_digest(one, two) && percale_variables_version(two) == 2);
  FAILS(percale_variables_load(two, in_folder("none.safetensors"), 1), PERCALE_NOT_FOUND, "none.safetensors");
  FAILS(percale_variables_load(two, in_folder("graph.percale"), 1), PERCALE_INVALID_ARGUMENT, "graph.percale");
  REFUSES(percale_variables_load(NULL, path, 1), "variables");
  REFUSES(percale_variables_load(two, NULL, 1), "path");
  REFUSES(percale_variables_save(NULL, path), "variables");
  REFUSES(percale_variables_save(one, NULL), "path");
  percale_variables_release(one);
  percale_variables_release(two);
  percale_graph_release(graph);
}

static void a_tensor_comes_back(void) {
  const char* path = in_folder("t.npy");
  const int64_t dims[2] = {2, 3};
  double memory[6] = {1, 2, 3, 4, 5, 6};
  percale_tensor *tensor = NULL, *back = NULL;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F64, dims, 2, memory, sizeof memory, NULL, NULL, &tensor));
  OK(percale_tensor_save(tensor, path));
  OK(percale_tensor_load(engine, path, &back));
  CHECK(percale_tensor_dtype(back) == PERCALE_DTYPE_F64 && percale_tensor_get_dims(back)[1] == 3);
  CHECK(memcmp(percale_tensor_get_data(back), memory, sizeof memory) == 0);
  ((double*)percale_tensor_get_data(back))[0] = 7; /* the tensor is writable */
  percale_tensor_release(back);
  FAILS(percale_tensor_load(engine, in_folder("graph.percale"), &back), PERCALE_INVALID_ARGUMENT, "graph.percale");
  REFUSES(percale_tensor_load(NULL, path, &back), "engine");
  REFUSES(percale_tensor_load(engine, NULL, &back), "path");
  REFUSES(percale_tensor_load(engine, path, NULL), "out_tensor");
  REFUSES(percale_tensor_save(NULL, path), "tensor");
  REFUSES(percale_tensor_save(tensor, NULL), "path");
  percale_tensor_release(tensor);
}

static void a_data_set_gives_batches(void) {
  const char* const names[] = {"x", "y"};
  const int64_t x_dims[2] = {5, 2}, y_dims[1] = {5};
  float xs[10] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
  int64_t ys[5] = {0, 1, 2, 3, 4};
  percale_tensor *tensors[2], *batch[2] = {NULL, NULL};
  percale_dataset* data = NULL;
  int round;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, x_dims, 2, xs, sizeof xs, NULL, NULL, &tensors[0]));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_I64, y_dims, 1, ys, sizeof ys, NULL, NULL, &tensors[1]));
  OK(percale_dataset_from_tensors(engine, names, tensors, 2, &data));
  CHECK(percale_dataset_rows(data) == 5 && percale_dataset_rows(NULL) == 0);
  OK(percale_dataset_configure(data, 2, -1, 0));
  for (round = 0; round < 2; ++round) {
    int64_t rows = 0;
    while (rows < 5) {
      OK(percale_dataset_next(data, batch));
      CHECK(((float*)percale_tensor_get_data(batch[0]))[0] == (float)rows);
      CHECK(((int64_t*)percale_tensor_get_data(batch[1]))[0] == rows);
      rows += percale_tensor_get_dims(batch[1])[0];
      percale_tensor_release(batch[0]);
      percale_tensor_release(batch[1]);
    }
    FAILS(percale_dataset_next(data, batch), PERCALE_OUT_OF_RANGE, "");
    CHECK(batch[0] == NULL && batch[1] == NULL);
  }
  FAILS(percale_dataset_configure(data, 0, -1, 0), PERCALE_INVALID_ARGUMENT, "");
  REFUSES(percale_dataset_configure(NULL, 1, -1, 0), "dataset");
  REFUSES(percale_dataset_next(NULL, batch), "dataset");
  REFUSES(percale_dataset_next(data, NULL), "out_tensors");
  CHECK(percale_dataset_retain(data) == data && percale_dataset_retain(NULL) == NULL);
  percale_dataset_release(data);
  percale_dataset_release(data);
  percale_dataset_release(NULL);
  data = NULL;
  REFUSES(percale_dataset_from_tensors(NULL, names, tensors, 2, &data), "engine");
  REFUSES(percale_dataset_from_tensors(engine, NULL, tensors, 2, &data), "names");
  REFUSES(percale_dataset_from_tensors(engine, names, NULL, 2, &data), "tensors");
  REFUSES(percale_dataset_from_tensors(engine, names, tensors, 2, NULL), "out_dataset");
  REFUSES(percale_dataset_from_files(engine, names, NULL, 2, 1, NULL, &data), "paths");
  REFUSES(percale_dataset_from_files(NULL, names, names, 2, 1, NULL, &data), "engine");
  FAILS(percale_dataset_from_files(engine, names, names, 2, 1, NULL, &data), PERCALE_NOT_FOUND, "x");
  FAILS(percale_dataset_from_files(engine, names, names, 2, 1, "{\"rows\": 1}", &data), PERCALE_INVALID_ARGUMENT,
        "rows");
  REFUSES(percale_dataset_csv_rules(NULL, NULL), "dataset");
  CHECK(data == NULL);
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  OK(percale_engine_create(NULL, &engine));
  a_graph_comes_back_with_its_values();
  bytes_that_are_no_graph_are_refused();
  variables_come_back();
  a_tensor_comes_back();
  a_data_set_gives_batches();
  percale_engine_release(engine);
  return check_done();
}
