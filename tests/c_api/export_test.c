/* Exports graphs to other formats: the models give the same numbers, and the error is immediate if
 * a format cannot express a graph.
 * Usage: export_test FOLDER */
#include <stdlib.h>

#include "check.h"

static percale_engine* engine = NULL;

static percale_tensor* floats(const float* values, int64_t count) {
  percale_tensor* out = NULL;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, &count, 1, &out));
  memcpy(percale_tensor_get_data(out), values, (size_t)count * sizeof(float));
  return out;
}

static percale_value node(percale_builder* builder, const char* op, const char* name, const percale_value* inputs,
                          size_t count) {
  percale_value out = PERCALE_NO_VALUE;
  size_t i;
  OK(percale_builder_node(builder, op, name));
  for (i = 0; i < count; ++i) OK(percale_builder_add_input(builder, inputs[i]));
  OK(percale_builder_finish_node(builder, 1, &out));
  return out;
}

/* A branch with two inputs of two elements and one output: `op` of both, or a call of "doubled"
 * with the first. */
static void branch(percale_builder* builder, const char* name, const char* op) {
  const int64_t two = 2;
  percale_value inputs[2], out = PERCALE_NO_VALUE;
  OK(percale_builder_begin_function(builder, name));
  OK(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, &two, 1, &inputs[0]));
  OK(percale_builder_input(builder, "b", PERCALE_DTYPE_F32, &two, 1, &inputs[1]));
  if (op != NULL) {
    out = node(builder, op, "made", inputs, 2);
  } else {
    OK(percale_builder_node(builder, "percale:Call", "made"));
    OK(percale_builder_add_input(builder, inputs[0]));
    OK(percale_builder_set_function(builder, "function", "doubled"));
    OK(percale_builder_finish_node(builder, 1, &out));
  }
  OK(percale_builder_set_outputs(builder, &out, 1));
  OK(percale_builder_end_function(builder));
}

/* y = flag ? x * w : 2 x, where w is a variable to which every run adds x. Further outputs are
 * same = x and twice = y. */
static percale_graph* choice(void) {
  const int64_t two = 2;
  const float first[] = {2, 3};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_tensor* initial = floats(first, 2);
  percale_value x, flag, w, outputs[3], doubled[2];
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_begin_function(builder, "doubled"));
  OK(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, &two, 1, &doubled[0]));
  doubled[1] = doubled[0];
  doubled[0] = node(builder, "Add", "sum", doubled, 2);
  OK(percale_builder_set_outputs(builder, doubled, 1));
  OK(percale_builder_end_function(builder));
  branch(builder, "product", "Mul");
  branch(builder, "sum", NULL);
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, &two, 1, &x));
  OK(percale_builder_input(builder, "flag", PERCALE_DTYPE_BOOL, NULL, 0, &flag));
  OK(percale_builder_variable(builder, "w", initial, &w));
  OK(percale_builder_node(builder, "If", "y"));
  OK(percale_builder_add_input(builder, flag));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_add_input(builder, w));
  OK(percale_builder_set_function(builder, "then_branch", "product"));
  OK(percale_builder_set_function(builder, "else_branch", "sum"));
  OK(percale_builder_finish_node(builder, 1, outputs));
  OK(percale_builder_node(builder, "percale:AssignAdd", "grow"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_string(builder, "variable", "w"));
  OK(percale_builder_finish_node(builder, 0, NULL));
  outputs[1] = x;
  outputs[2] = outputs[0];
  OK(percale_builder_set_outputs(builder, outputs, 3));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  percale_tensor_release(initial);
  return graph;
}

/* Checks the outputs of a model in memory for x = [4, 5]. */
static void gives(const percale_graph* graph, int flag_value, float y0, float y1) {
  static const char* const feeds[] = {"x", "flag"};
  const float values[] = {4, 5};
  percale_variables* table = NULL;
  percale_session* session = NULL;
  percale_tensor *tensors[2], *results[3] = {NULL, NULL, NULL};
  const char* names[3];
  size_t i;
  for (i = 0; i < 3; ++i) names[i] = percale_graph_get_output_name(graph, i);
  CHECK(strcmp(names[0], "y") == 0);
  tensors[0] = floats(values, 2);
  OK(percale_tensor_create(engine, PERCALE_DTYPE_BOOL, NULL, 0, &tensors[1]));
  *(unsigned char*)percale_tensor_get_data(tensors[1]) = (unsigned char)flag_value;
  OK(percale_variables_create(engine, graph, 0, &table));
  CHECK(percale_variables_count(table) == 1 && strcmp(percale_variables_get_name(table, 0), "w") == 0);
  OK(percale_session_create(engine, graph, table, NULL, &session));
  OK(percale_session_run(session, feeds, tensors, 2, names, 3, NULL, 0, PERCALE_FOREVER, results));
  for (i = 0; i < 3; ++i) {
    const float* y = results[i] == NULL ? NULL : (const float*)percale_tensor_get_data(results[i]);
    const float wanted0 = i == 1 ? 4 : y0, wanted1 = i == 1 ? 5 : y1;
    CHECK(y != NULL && y[0] == wanted0 && y[1] == wanted1);
    percale_tensor_release(results[i]);
  }
  percale_session_release(session);
  percale_variables_release(table);
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
}

static void branches_and_variables_come_back(void) {
  const float next[] = {7, 8};
  percale_graph *graph = choice(), *again = NULL;
  percale_variables* table = NULL;
  percale_tensor* value = floats(next, 2);
  percale_text *bytes = NULL, *text = NULL;
  size_t size = 0;
  OK(percale_graph_export_bytes(engine, graph, NULL, "onnx", &bytes));
  percale_text_data(bytes, &size);
  OK(percale_graph_import_bytes(engine, "onnx", percale_text_data(bytes, NULL), size, &again));
  gives(again, 1, 8, 15);
  gives(again, 0, 8, 10);
  OK(percale_graph_describe(again, "summary", &text));
  CHECK(strstr(percale_text_data(text, NULL), "Assign") == NULL);
  percale_text_release(text);
  percale_text_release(bytes);
  percale_graph_release(again);

  OK(percale_variables_create(engine, graph, 0, &table));
  OK(percale_variables_assign(table, "w", value));
  OK(percale_graph_export_bytes(engine, graph, table, "onnx", &bytes));
  percale_text_data(bytes, &size);
  OK(percale_graph_import_bytes(engine, "onnx", percale_text_data(bytes, NULL), size, &again));
  gives(again, 1, 28, 40);
  percale_text_release(bytes);
  percale_graph_release(again);
  percale_variables_release(table);
  percale_tensor_release(value);
  percale_graph_release(graph);
}

static long file_size(const char* folder, const char* name, char* path) {
  long size = -1;
  FILE* file;
  sprintf(path, "%s/%s", folder, name);
  file = fopen(path, "rb");
  if (file == NULL) return -1;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  fclose(file);
  return size;
}

/* y = x + c with a constant and a variable of 4096 elements each. */
static percale_graph* large(void) {
  const int64_t many = 4096;
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_tensor* tensors[2] = {NULL, NULL};
  percale_value inputs[2], sum;
  int i, k;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, &many, 1, &inputs[0]));
  for (i = 0; i < 2; ++i) {
    OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, &many, 1, &tensors[i]));
    for (k = 0; k < 4096; ++k) ((float*)percale_tensor_get_data(tensors[i]))[k] = (float)(k + i);
  }
  OK(percale_builder_variable(builder, "v", tensors[0], &inputs[1]));
  sum = node(builder, "Add", "with_v", inputs, 2);
  inputs[0] = sum;
  OK(percale_builder_constant(builder, "c", tensors[1], &inputs[1]));
  sum = node(builder, "Add", "y", inputs, 2);
  OK(percale_builder_set_outputs(builder, &sum, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
  return graph;
}

static void elements_lie_beside_the_model_when_that_is_asked(const char* folder) {
  char path[4096], other[4096];
  percale_graph *graph = large(), *again = NULL;
  percale_variables* table = NULL;
  percale_tensor* value = NULL;
  percale_options* options = NULL;
  OK(percale_options_create("export", &options));
  OK(percale_options_set(options, "external_data", "always"));
  CHECK(file_size(folder, "beside.onnx", path) >= -1);
  OK(percale_graph_export(engine, graph, NULL, "onnx", options, path));
  CHECK(file_size(folder, "beside.onnx", path) < 1024);
  CHECK(file_size(folder, "beside.onnx.data", other) == 2 * 4096 * 4);
  OK(percale_graph_import(engine, "onnx", path, &again));
  OK(percale_variables_create(engine, again, 0, &table));
  CHECK(percale_variables_count(table) == 1); /* the constant has not become a variable */
  OK(percale_variables_value(table, "v", &value));
  CHECK(((const float*)percale_tensor_get_data(value))[4095] == 4095);
  percale_tensor_release(value);
  percale_variables_release(table);
  percale_graph_release(again);
  OK(percale_options_set(options, "external_data", "never"));
  remove(other);
  OK(percale_graph_export(engine, graph, NULL, "onnx", options, path));
  CHECK(file_size(folder, "beside.onnx", path) > 2 * 4096 * 4);
  CHECK(file_size(folder, "beside.onnx.data", other) == -1);
  FAILS(percale_options_set(options, "external_data", "perhaps"), PERCALE_OUT_OF_RANGE, "external_data");
  percale_options_release(options);
  remove(path);
  percale_graph_release(graph);
}

static percale_builder* with_input(percale_value* x) {
  const int64_t dims[2] = {2, 2};
  percale_builder* builder = NULL;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, x));
  return builder;
}

static percale_graph* finished(percale_builder* builder, percale_value y) {
  percale_graph* graph = NULL;
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

static void what_the_format_lacks_is_told_at_once(void) {
  percale_value x, a, b;
  percale_text* bytes = NULL;
  percale_builder* builder = with_input(&x);
  percale_graph* graph;
  a = node(builder, "percale:Cholesky", "a", &x, 1);
  b = node(builder, "percale:Cholesky", "b", &a, 1);
  (void)node(builder, "percale:MatrixInverse", "unused", &b, 1);
  graph = finished(builder, node(builder, "percale:CheckNumerics", "c", &b, 1));
  FAILS(percale_graph_export_bytes(engine, graph, NULL, "onnx", &bytes), PERCALE_UNIMPLEMENTED,
        "number of nodes in parentheses): percale:CheckNumerics (1), percale:Cholesky (2)");
  CHECK(bytes == NULL);
  FAILS(percale_graph_export_bytes(engine, graph, NULL, "tea", &bytes), PERCALE_UNIMPLEMENTED, "'tea'");
  REFUSES(percale_graph_export_bytes(NULL, graph, NULL, "onnx", &bytes), "engine");
  REFUSES(percale_graph_export_bytes(engine, NULL, NULL, "onnx", &bytes), "graph");
  REFUSES(percale_graph_export_bytes(engine, graph, NULL, NULL, &bytes), "format");
  REFUSES(percale_graph_export_bytes(engine, graph, NULL, "onnx", NULL), "out_bytes");
  REFUSES(percale_graph_export(engine, graph, NULL, "onnx", NULL, NULL), "path");
  FAILS(percale_graph_export(engine, graph, NULL, "onnx", NULL, "/nowhere/y.onnx"), PERCALE_UNIMPLEMENTED, "Cholesky");
  percale_graph_release(graph);
}

static void a_value_that_only_the_run_gives_a_variable_is_no_model(void) {
  const int64_t dims[2] = {2, 2};
  percale_value x, w, y = PERCALE_NO_VALUE;
  percale_text* bytes = NULL;
  percale_builder* builder = with_input(&x);
  percale_graph* graph;
  OK(percale_builder_variable_initialized(builder, "w", PERCALE_DTYPE_F32, dims, 2, "zeros", &w));
  graph = finished(builder, w);
  FAILS(percale_graph_export_bytes(engine, graph, NULL, "onnx", &bytes), PERCALE_FAILED_PRECONDITION,
        "'w' has no value yet");
  percale_graph_release(graph);
  builder = with_input(&x);
  OK(percale_builder_variable_initialized(builder, "w", PERCALE_DTYPE_F32, dims, 2, "zeros", &w));
  OK(percale_builder_node(builder, "percale:AssignAdd", "grow"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_string(builder, "variable", "w"));
  OK(percale_builder_finish_node(builder, 0, NULL));
  OK(percale_builder_node(builder, "percale:ReadVariable", "late"));
  OK(percale_builder_set_string(builder, "variable", "w"));
  OK(percale_builder_set_int(builder, "dtype", PERCALE_DTYPE_F32));
  OK(percale_builder_set_ints(builder, "shape", dims, 2));
  OK(percale_builder_finish_node(builder, 1, &y));
  graph = finished(builder, y);
  FAILS(percale_graph_export_bytes(engine, graph, NULL, "onnx", &bytes), PERCALE_FAILED_PRECONDITION,
        "'late' reads variable 'w' after the run has changed it");
  percale_graph_release(graph);
}

/* 12 levels of functions, each with four If nodes whose two branches call the level below: 8^12
 * uses of the innermost. */
static void graphs_that_would_multiply_are_refused(void) {
  enum { kLevels = 12, kUses = 4 };
  char names[kLevels][16];
  percale_value x, flag, y = PERCALE_NO_VALUE;
  percale_text* bytes = NULL;
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  int level, use;
  OK(percale_builder_create(engine, &builder));
  for (level = 0; level <= kLevels; ++level) {
    if (level < kLevels) {
      sprintf(names[level], "level%d", level);
      OK(percale_builder_begin_function(builder, names[level]));
    }
    OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, NULL, 0, &x));
    OK(percale_builder_input(builder, "flag", PERCALE_DTYPE_BOOL, NULL, 0, &flag));
    y = x;
    for (use = 0; use < kUses; ++use) {
      if (level == 0) {
        y = node(builder, "Neg", NULL, &y, 1);
        continue;
      }
      OK(percale_builder_node(builder, "If", NULL));
      OK(percale_builder_add_input(builder, flag));
      OK(percale_builder_add_input(builder, y));
      OK(percale_builder_add_input(builder, flag));
      OK(percale_builder_set_function(builder, "then_branch", names[level - 1]));
      OK(percale_builder_set_function(builder, "else_branch", names[level - 1]));
      OK(percale_builder_finish_node(builder, 1, &y));
    }
    OK(percale_builder_set_outputs(builder, &y, 1));
    if (level < kLevels) OK(percale_builder_end_function(builder));
  }
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  FAILS(percale_graph_export_bytes(engine, graph, NULL, "onnx", &bytes), PERCALE_RESOURCE_EXHAUSTED, "too many nodes");
  percale_graph_release(graph);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  OK(percale_engine_create(NULL, &engine));
  branches_and_variables_come_back();
  elements_lie_beside_the_model_when_that_is_asked(argv[1]);
  what_the_format_lacks_is_told_at_once();
  a_value_that_only_the_run_gives_a_variable_is_no_model();
  graphs_that_would_multiply_are_refused();
  percale_engine_release(engine);
  return check_done();
}
