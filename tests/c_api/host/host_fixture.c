#define _POSIX_C_SOURCE 200809L

#include "host_fixture.h"

#include <stdlib.h>

char folder[3000];

percale_graph* make_graph(percale_engine* engine) {
  const int64_t dims[2] = {ROWS, WIDE};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value x, y;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x));
  OK(percale_builder_layer(builder, "Dense", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "units", WIDE));
  OK(percale_builder_set_string(builder, "activation", "relu"));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_rename(builder, y, "y"));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

percale_variables* make_variables(percale_engine* engine, const percale_graph* graph) {
  percale_variables* variables = NULL;
  OK(percale_variables_create(engine, graph, 3, &variables));
  return variables;
}

percale_tensor* make_x(percale_engine* engine) {
  const int64_t dims[2] = {ROWS, WIDE};
  percale_tensor* x = NULL;
  int i;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 2, &x));
  for (i = 0; i < ROWS * WIDE; ++i) ((float*)percale_tensor_get_data(x))[i] = (float)(i % 97) / 97 - 0.4f;
  return x;
}

percale_options* engine_options(void) {
  percale_options* options = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set_int(options, "threads", 4));
  return options;
}

percale_engine* engine_of(percale_options* options) {
  percale_engine* engine = NULL;
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  return engine;
}

percale_status* run_model(percale_session* session, percale_tensor* x, percale_tensor** y) {
  const char *const feed = "x", *const fetch = "y";
  return percale_session_run(session, &feed, &x, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, y);
}

int same_tensor(const percale_tensor* a, const percale_tensor* b) {
  const size_t bytes = percale_tensor_bytes(a);
  return bytes > 0 && bytes == percale_tensor_bytes(b) &&
         memcmp(percale_tensor_get_data(a), percale_tensor_get_data(b), bytes) == 0;
}

unsigned char* contents(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  void* out = NULL;
  *size = 0;
  CHECK(file != NULL);
  if (file == NULL) return NULL;
  CHECK(fseek(file, 0, SEEK_END) == 0);
  *size = (size_t)ftell(file);
  rewind(file);
  CHECK(posix_memalign(&out, 64, *size + 64) == 0);
  CHECK(fread(out, 1, *size, file) == *size);
  fclose(file);
  return (unsigned char*)out;
}

const char* in_folder(const char* name) {
  static char path[4][4000];
  static int next = 0;
  char* out = path[next = (next + 1) % 4];
  snprintf(out, sizeof path[0], "%s/%s", folder, name);
  return out;
}

double metric(const percale_engine* engine, const char* key) {
  percale_text* json = NULL;
  char quoted[100];
  const char* found;
  double out = -1;
  OK(percale_engine_metrics(engine, &json));
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  found = strstr(percale_text_data(json, NULL), quoted);
  if (found != NULL) out = strtod(found + strlen(quoted), NULL);
  percale_text_release(json);
  return out;
}
