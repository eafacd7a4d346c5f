/* Tests plug-ins: they are found by path, listed with their contents, and rejected with a reason;
 * their ops behave like built-in ones.
 * Usage: plugin_test DOUBLE_PLUGIN NULL_PLUGIN NO_PLUGIN MISNAMED_PLUGIN MISTAKEN_PLUGIN */
#define _XOPEN_SOURCE 700 /* mkdtemp, symlink */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static percale_engine* make(const char* path, const char* devices) {
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "plugin_path", path));
  OK(percale_options_set(options, "devices", devices));
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  return engine;
}

static int says(percale_engine* engine, const char* what, const char* words) {
  percale_text* text = NULL;
  int found;
  OK(percale_engine_describe(engine, what, &text));
  found = strstr(percale_text_data(text, NULL), words) != NULL;
  percale_text_release(text);
  return found;
}

static void an_op_of_a_plugin_is_an_op(const char* path) {
  static const char* const x_name[] = {"x"};
  static const char* const names[] = {"y", "gradient"};
  const int64_t dims[2] = {2, 3};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* const all_dims[] = {dims};
  const size_t rank = 2;
  float memory[6] = {1, -2, 3, -4, 5, -6};
  percale_engine* engine = make(path, "cpu:0");
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_tensor *x = NULL, *fetched[2] = {NULL, NULL};
  percale_text* text = NULL;
  percale_value in, outs[2];
  CHECK(says(engine, "info", "\"name\":\"double\",\"version\":\"1.2\""));
  CHECK(says(engine, "info", "double=1.2")); /* the fingerprint includes the plug-in */
  CHECK(says(engine, "ops", "\"name\":\"Double\",\"domain\":\"test\""));
  CHECK(says(engine, "kernels", "[\"double.c\"]") && says(engine, "kernels", "\"relu.never\","));
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &in));
  OK(percale_builder_node(builder, "test:Double", "bad"));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_set_int(builder, "pieces", 0));
  FAILS(percale_builder_finish_node(builder, 1, outs), PERCALE_INVALID_ARGUMENT, "Double 'bad': 'pieces' is 0");
  OK(percale_builder_node(builder, "test:Double", "twice"));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_finish_node(builder, 1, outs));
  OK(percale_builder_node(builder, "Relu", "y"));
  OK(percale_builder_add_input(builder, outs[0]));
  OK(percale_builder_finish_node(builder, 1, outs));
  OK(percale_builder_gradients(builder, outs, 1, &in, 1, &outs[1]));
  OK(percale_builder_rename(builder, outs[1], "gradient"));
  OK(percale_builder_set_outputs(builder, outs, 2));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, sizeof memory, NULL, NULL, &x));
  OK(percale_session_run(session, x_name, &x, 1, names, 2, NULL, 0, PERCALE_FOREVER, fetched));
  if (fetched[0] != NULL && fetched[1] != NULL) {
    const float *y = (const float*)percale_tensor_get_data(fetched[0]),
                *g = (const float*)percale_tensor_get_data(fetched[1]);
    CHECK(y[0] == 2 && y[1] == 0 && y[4] == 10 && g[0] == 2 && g[1] == 0 && g[4] == 2);
  }
  for (int again = 0; again < 2; ++again) { /* the first failed run has no effect on the second */
    percale_tensor* none[2] = {NULL, NULL};
    memory[0] = NAN;
    FAILS(percale_session_run(session, x_name, &x, 1, names, 2, NULL, 0, PERCALE_FOREVER, none), PERCALE_DATA_LOSS,
          "Double 'twice': the first element is NaN, wanted a number");
    memory[0] = 1;
    OK(percale_session_run(session, x_name, &x, 1, names, 2, NULL, 0, PERCALE_FOREVER, none));
    percale_tensor_release(none[0]);
    percale_tensor_release(none[1]);
  }
  OK(percale_session_explain(session, x_name, &dtype, all_dims, &rank, 1, names, 1, "kernels", &text));
  CHECK(strstr(percale_text_data(text, NULL), "double.c") != NULL);
  percale_text_release(text);
  percale_tensor_release(fetched[0]);
  percale_tensor_release(fetched[1]);
  percale_tensor_release(x);
  percale_session_release(session);
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_engine_release(engine);
}

/* Its own op keeps its kernel, but the library's ops do not use those of plug-ins. */
static void portable_numerics_exclude_kernels_and_devices_of_plugins(const char* path, const char* null_path) {
  static const char* const x_name[] = {"x"};
  static const char* const y_name[] = {"y"};
  const int64_t dims[1] = {8};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* const all_dims[] = {dims};
  const size_t rank = 1;
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_text* text = NULL;
  percale_value in, twice, y;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "plugin_path", path));
  OK(percale_options_set(options, "numerics", "portable"));
  OK(percale_engine_create(options, &engine));
  CHECK(says(engine, "info", "numerics=portable double=1.2") && !says(engine, "info", " isa="));
  CHECK(says(engine, "info", "\"unused_kernels\":\"numerics=portable\""));
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &in));
  OK(percale_builder_node(builder, "test:Double", "twice"));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_finish_node(builder, 1, &twice));
  OK(percale_builder_node(builder, "Relu", "y"));
  OK(percale_builder_add_input(builder, twice));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_rename(builder, y, "y"));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_session_explain(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "kernels", &text));
  CHECK(strstr(percale_text_data(text, NULL), "double.c") != NULL);
  CHECK(strstr(percale_text_data(text, NULL), "is a plug-in's, which numerics=portable excludes") != NULL);
  percale_text_release(text);
  percale_session_release(session);
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_engine_release(engine);
  OK(percale_options_set(options, "plugin_path", null_path));
  OK(percale_options_set(options, "devices", "cpu:0,null:0"));
  FAILS(percale_engine_create(options, &engine), PERCALE_FAILED_PRECONDITION,
        "null:0: this kind of device computes other bits than numerics=portable promises");
  percale_options_release(options);
}

static void a_device_of_a_plugin_can_be_opened(const char* path) {
  percale_engine* engine = make(path, "cpu:0,null:0");
  CHECK(percale_engine_device_count(engine) == 2);
  CHECK(strcmp(percale_engine_get_device_name(engine, 1), "null:0") == 0);
  percale_engine_release(engine);
}

/* y = 3x: the gradient reads the factor and gives it to the node that it emits. */
static void a_gradient_reads_and_emits_attributes(const char* path) {
  static const char* const x_name[] = {"x"};
  static const char* const name[] = {"gradient"};
  static const char* const labels[] = {"a", "b"};
  const int64_t dims[1] = {4};
  float memory[4] = {1, 2, 3, 4};
  percale_engine* engine = make(path, "cpu:0");
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_tensor *x = NULL, *fetched = NULL;
  percale_value in, y, gradient;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &in));
  OK(percale_builder_node(builder, "test:Double", "thrice"));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_set_float(builder, "factor", 3));
  OK(percale_builder_set_strings(builder, "labels", labels, 2));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_gradients(builder, &y, 1, &in, 1, &gradient));
  OK(percale_builder_rename(builder, gradient, "gradient"));
  OK(percale_builder_set_outputs(builder, &gradient, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, memory, sizeof memory, NULL, NULL, &x));
  OK(percale_session_run(session, x_name, &x, 1, name, 1, NULL, 0, PERCALE_FOREVER, &fetched));
  if (fetched != NULL) {
    const float* g = (const float*)percale_tensor_get_data(fetched);
    CHECK(g[0] == 3 && g[1] == 3 && g[2] == 3 && g[3] == 3);
  }
  percale_tensor_release(fetched);
  percale_tensor_release(x);
  percale_session_release(session);
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_engine_release(engine);
}

static void note_message(void* user, int32_t level, const char* message, size_t size) {
  (void)size;
  if (level == PERCALE_LOG_WARNING && strstr(message, "the first element is 99") != NULL) ++*(int*)user;
}

/* The reasons of a failed run have numbers of their own, so that a code is not taken for one. A
 * kernel writes to the engine's log. */
static void a_run_fails_for_known_reasons_and_logs(const char* path) {
  static const char* const x_name[] = {"x"};
  static const char* const name[] = {"y"};
  const int64_t dims[1] = {1};
  float memory[1] = {77};
  int noted = 0;
  percale_engine* engine = make(path, "cpu:0");
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_tensor *x = NULL, *fetched = NULL;
  percale_value in, y;
  percale_engine_set_log(engine, note_message, &noted);
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &in));
  OK(percale_builder_node(builder, "test:Double", "y"));
  OK(percale_builder_add_input(builder, in));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, memory, sizeof memory, NULL, NULL, &x));
  FAILS(percale_session_run(session, x_name, &x, 1, name, 1, NULL, 0, PERCALE_FOREVER, &fetched), PERCALE_INTERNAL,
        "Double 'y': a plug-in has failed the run with 11, which is no percale_run_error");
  memory[0] = 88;
  FAILS(percale_session_run(session, x_name, &x, 1, name, 1, NULL, 0, PERCALE_FOREVER, &fetched), PERCALE_OUT_OF_RANGE,
        "Double 'y': index 5 is out of range");
  CHECK(noted == 0);
  memory[0] = 99;
  OK(percale_session_run(session, x_name, &x, 1, name, 1, NULL, 0, PERCALE_FOREVER, &fetched));
  CHECK(noted == 1);
  percale_tensor_release(fetched);
  percale_tensor_release(x);
  percale_session_release(session);
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_engine_release(engine);
}

static void a_plugin_may_not_take_the_domain_of_the_library(const char* path) {
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "plugin_path", path));
  FAILS(percale_engine_create(options, &engine), PERCALE_FAILED_PRECONDITION,
        "op Double: the domain 'percale' cannot be a plug-in's");
  percale_options_release(options);
}

static void a_gradient_that_nobody_made_is_refused(const char* path) {
  const int64_t dims[1] = {3};
  percale_engine* engine = make(path, "cpu:0");
  percale_builder* builder = NULL;
  percale_value x, y, gradient;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  OK(percale_builder_node(builder, "test:Double", NULL));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_finish_node(builder, 1, &y));
  FAILS(percale_builder_gradients(builder, &y, 1, &x, 1, &gradient), PERCALE_INVALID_ARGUMENT,
        "set_input_gradient: 12345 is no value");
  percale_builder_release(builder);
  percale_engine_release(engine);
}

static void what_is_no_plugin_is_refused_with_its_reason(const char* path, const char* twice) {
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  char both[4096];
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "plugin_path", path));
  FAILS(percale_engine_create(options, &engine), PERCALE_FAILED_PRECONDITION, path);
  snprintf(both, sizeof both, "%s:%s", twice, twice);
  OK(percale_options_set(options, "plugin_path", both));
  FAILS(percale_engine_create(options, &engine), PERCALE_FAILED_PRECONDITION, "is loaded already");
  CHECK(engine == NULL);
  percale_options_release(options);
}

/* As a build folder has it, where a plug-in was built once and then no more. */
static void a_link_that_leads_nowhere_is_no_plugin(void) {
  char folder[] = "/tmp/percale_plugin_test_XXXXXX", link[128];
  percale_engine* engine;
  CHECK(mkdtemp(folder) != NULL);
  snprintf(link, sizeof link, "%s/libpercale_gone.so", folder);
  CHECK(symlink("/nowhere/libpercale_gone.so", link) == 0);
  engine = make(folder, "cpu:0");
  CHECK(engine != NULL && !says(engine, "info", "gone"));
  percale_engine_release(engine);
  unlink(link);
  rmdir(folder);
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  an_op_of_a_plugin_is_an_op(argv[1]);
  portable_numerics_exclude_kernels_and_devices_of_plugins(argv[1], argv[2]);
  a_device_of_a_plugin_can_be_opened(argv[2]);
  a_gradient_reads_and_emits_attributes(argv[1]);
  a_run_fails_for_known_reasons_and_logs(argv[1]);
  a_plugin_may_not_take_the_domain_of_the_library(argv[4]);
  a_gradient_that_nobody_made_is_refused(argv[5]);
  what_is_no_plugin_is_refused_with_its_reason(argv[3], argv[1]);
  a_link_that_leads_nowhere_is_no_plugin();
  return check_done();
}
