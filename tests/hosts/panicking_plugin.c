/* Checks a plug-in in Rust that panics in its shape function, gradient, plan, and kernel on the
 * engine's threads. Each panic is returned as an error; the process and the engine continue.
 * Usage: panicking_plugin PLUGIN */
#include "check.h"

enum { COUNT = 40000 };

static percale_engine* engine;

static percale_status* add_node(percale_builder* builder, const char* op, percale_value* in, percale_value* out) {
  const int64_t dims[1] = {COUNT};
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, in));
  OK(percale_builder_node(builder, op, NULL));
  OK(percale_builder_add_input(builder, *in));
  return percale_builder_finish_node(builder, 1, out);
}

static void in_a_graph(void) {
  percale_builder* builder = NULL;
  percale_value in, out, gradient;
  OK(percale_builder_create(engine, &builder));
  FAILS(add_node(builder, "panics:InShape", &in, &out), PERCALE_INTERNAL, "the plug-in panicked: 1 dims are too many");
  percale_builder_release(builder);
  OK(percale_builder_create(engine, &builder));
  OK(add_node(builder, "panics:InRun", &in, &out));
  FAILS(percale_builder_gradients(builder, &out, 1, &in, 1, &gradient), PERCALE_INTERNAL,
        "the plug-in panicked: no slope");
  percale_builder_release(builder);
}

static percale_session* make_session(const char* op) {
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_value in, out;
  OK(percale_builder_create(engine, &builder));
  OK(add_node(builder, op, &in, &out));
  OK(percale_builder_rename(builder, out, "y"));
  OK(percale_builder_set_outputs(builder, &out, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  percale_graph_release(graph);
  percale_builder_release(builder);
  return session;
}

static percale_status* run(percale_session* session, percale_tensor* x, percale_tensor** out_y) {
  static const char *const feed = "x", *const fetch = "y";
  return percale_session_run(session, &feed, &x, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, out_y);
}

static void in_a_run(void) {
  const int64_t dims[1] = {COUNT};
  percale_session *planned = make_session("panics:InPlan"), *running = make_session("panics:InRun");
  percale_tensor *x = NULL, *y = NULL;
  int round, i;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 1, &x));
  FAILS(run(planned, x, &y), PERCALE_INTERNAL, "the plug-in panicked: no plan");
  for (round = 0; round < 3; ++round) {
    for (i = 0; i < COUNT; ++i) ((float*)percale_tensor_get_data(x))[i] = (float)(i + 1);
    OK(run(running, x, &y));
    CHECK(y != NULL && ((float*)percale_tensor_get_data(y))[COUNT - 1] == 2.0f * COUNT);
    percale_tensor_release(y);
    for (i = 0; i < COUNT; i += 5000) ((float*)percale_tensor_get_data(x))[i] = -1;
    FAILS(run(running, x, &y), PERCALE_INTERNAL, "InRun");
    CHECK(y == NULL);
  }
  percale_tensor_release(x);
  percale_session_release(planned);
  percale_session_release(running);
}

int main(int argc, char** argv) {
  percale_options* options = NULL;
  if (argc < 2) return 2;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "plugin_path", argv[1]));
  OK(percale_options_set_int(options, "threads", 3));
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  if (engine == NULL) return 1;
  in_a_graph();
  in_a_run();
  percale_engine_release(engine);
  return check_done();
}
