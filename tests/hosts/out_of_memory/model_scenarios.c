/* Engines, graphs, files, data. */
#include "scenario.h"

static percale_status* make_engine(void) {
  percale_engine* made = NULL;
  percale_status* status = host_make_engine(1, NULL, 0, &made);
  percale_engine_release(made);
  return status;
}

static percale_status* make_engine_with_threads(void) {
  percale_engine* made = NULL;
  percale_status* status = host_make_engine(3, NULL, 0, &made);
  percale_engine_release(made);
  return status;
}

static percale_status* describe_engine(void) {
  percale_text* text = NULL;
  percale_status* status = NULL;
  TRY(percale_engine_describe(engine, "info", &text));
out:
  percale_text_release(text);
  return status;
}

static percale_status* build(void) {
  percale_graph *made = NULL, *other = NULL;
  percale_status* status = NULL;
  TRY(host_make_graph(engine, &made));
  TRY(host_make_staged_graph(engine, &other));
out:
  percale_graph_release(made);
  percale_graph_release(other);
  return status;
}

static percale_status* load_bytes(void) {
  percale_graph* loaded = NULL;
  percale_status* status = NULL;
  size_t size = 0;
  const char* bytes = percale_text_data(graph_bytes, &size);
  TRY(percale_graph_load(engine, bytes, size, &loaded));
out:
  percale_graph_release(loaded);
  return status;
}

static percale_status* load_file(void) {
  percale_graph* loaded = NULL;
  percale_variables* made = NULL;
  percale_status* status = NULL;
  TRY(percale_graph_load_file(engine, graph_path, &loaded));
  TRY(percale_variables_create(engine, loaded, 1, &made));
out:
  percale_variables_release(made);
  percale_graph_release(loaded);
  return status;
}

static percale_status* save_graph(void) { return percale_graph_save_file(graph, variables, graph_path); }

static percale_status* export_model(void) {
  percale_text* bytes = NULL;
  percale_status* status = NULL;
  if (model_bytes == NULL) return NULL;
  TRY(percale_graph_export_bytes(engine, graph, variables, "onnx", &bytes));
out:
  percale_text_release(bytes);
  return status;
}

static percale_status* import_model(void) {
  percale_graph* made = NULL;
  percale_status* status = NULL;
  size_t size = 0;
  if (model_bytes == NULL) return NULL;
  percale_text_data(model_bytes, &size);
  TRY(percale_graph_import_bytes(engine, "onnx", percale_text_data(model_bytes, NULL), size, &made));
out:
  percale_graph_release(made);
  return status;
}

/* The file is complete, whatever the result of the attempt was. */
static void the_file_loads(int failed) {
  percale_graph* loaded = NULL;
  (void)failed;
  OK(percale_graph_load_file(engine, graph_path, &loaded));
  percale_graph_release(loaded);
}

static percale_status* draw_variables(void) {
  percale_variables* made = NULL;
  percale_status* status = percale_variables_create(engine, graph, 1, &made);
  percale_variables_release(made);
  return status;
}

static percale_status* move_values(void) {
  percale_status* status = NULL;
  TRY(percale_variables_save(variables, values_path));
  TRY(percale_variables_load(variables, values_path, 1));
  TRY(percale_tensor_save(answer, array_path));
out:
  return status;
}

static percale_status* load_array(void) {
  percale_tensor* loaded = NULL;
  percale_status* status = percale_tensor_load(engine, array_path, &loaded);
  percale_tensor_release(loaded);
  return status;
}

static int rows_ended = 0;
static void end_rows(void* user) {
  CHECK(user == &rows_ended);
  ++rows_ended;
}
static int32_t one_row(void* user, int64_t row, void* const* columns) {
  (void)user;
  *(float*)columns[0] = (float)row;
  return 0;
}

/* The row source is released once if the library accepted it, and never if it did not. */
static percale_status* make_rows(void) {
  static const char* const names[1] = {"x"};
  static const char* const others[1] = {"y"};
  static const percale_dtype dtypes[1] = {PERCALE_DTYPE_F32};
  static const int64_t* const no_dims[1] = {NULL};
  static const size_t ranks[1] = {0};
  percale_dataset *rows = NULL, *named = NULL;
  percale_tensor* column = NULL;
  percale_status* status = NULL;
  percale_dtype dtype = 0;
  int64_t dims[8];
  size_t rank = 0;
  int taken = 0;
  rows_ended = 0;
  TRY(percale_dataset_generator_owned(engine, names, dtypes, no_dims, ranks, 1, 4, one_row, &rows_ended, end_rows,
                                      &rows));
  taken = 1;
  TRY(percale_dataset_rename(rows, others, 1, &named));
  TRY(percale_dataset_column_type(named, 0, &dtype, dims, &rank));
  TRY(percale_dataset_configure(named, 4, -1, 0));
  TRY(percale_dataset_next(named, &column));
out:
  percale_tensor_release(column);
  percale_dataset_release(rows);
  CHECK(rows_ended == (taken && named == NULL));
  percale_dataset_release(named);
  CHECK(rows_ended == taken);
  return status;
}

const scenario model_scenarios[] = {
    {"engine", make_engine, a_run_gives_the_same_bits, 1},
    {"engine with threads", make_engine_with_threads, a_run_gives_the_same_bits, 1},
    {"describe", describe_engine, a_run_gives_the_same_bits, 0},
    {"build", build, a_run_gives_the_same_bits, 0},
    {"load from memory", load_bytes, a_run_gives_the_same_bits, 0},
    {"save a graph", save_graph, the_file_loads, 0},
    {"load from a file", load_file, the_file_loads, 0},
    {"export", export_model, a_run_gives_the_same_bits, 0},
    {"import", import_model, a_run_gives_the_same_bits, 0},
    {"variables", draw_variables, a_run_gives_the_same_bits, 0},
    {"save and load values", move_values, a_run_gives_the_same_bits, 0},
    {"load an array", load_array, a_run_gives_the_same_bits, 0},
    {"rows of a function", make_rows, a_run_gives_the_same_bits, 0},
    {NULL, NULL, NULL, 0},
};
