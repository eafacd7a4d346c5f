/* Tests the versions of the variables that prepared calls and asynchronous runs tell. */
#include "check.h"

static percale_engine* engine = NULL;
static const char *const x_name[] = {"x"}, *const y_name[] = {"y"};

static percale_tensor* pair(float a, float b) {
  const int64_t dims[1] = {2};
  percale_tensor* tensor = NULL;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 1, &tensor));
  ((float*)percale_tensor_get_data(tensor))[0] = a;
  ((float*)percale_tensor_get_data(tensor))[1] = b;
  return tensor;
}

/* Returns y = x * w with a variable w of 1, 1, or with a constant. */
static percale_graph* make_graph(int with_variable) {
  const int64_t dims[1] = {2};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_tensor* ones = pair(1, 1);
  percale_value x, w, y;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &x));
  if (with_variable) {
    OK(percale_builder_variable(builder, "w", ones, &w));
  } else {
    OK(percale_builder_constant(builder, "w", ones, &w));
  }
  OK(percale_builder_node(builder, "Mul", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_add_input(builder, w));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  percale_tensor_release(ones);
  return graph;
}

static void assign(percale_variables* variables, float value) {
  percale_tensor* next = pair(value, value);
  OK(percale_variables_assign(variables, "w", next));
  percale_tensor_release(next);
}

static percale_call* prepare(percale_session* session) {
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t dims[1] = {2}, *const all_dims[] = {dims};
  const size_t rank = 1;
  percale_call* call = NULL;
  OK(percale_call_create(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, &call));
  return call;
}

static void a_call_tells_the_version_that_its_last_successful_run_read(void) {
  percale_graph* graph = make_graph(1);
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_call *call, *other;
  percale_tensor *x = pair(3, 4), *y = pair(0, 0), *wrong = NULL;
  const int64_t one[1] = {1};
  const float* result = (const float*)percale_tensor_get_data(y);
  OK(percale_variables_create(engine, graph, 0, &variables));
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, one, 1, &wrong));
  call = prepare(session);
  other = prepare(session);
  CHECK(percale_call_variables_version(call) == 0);
  OK(percale_call_run(call, &x, &y));
  CHECK(percale_call_variables_version(call) == 1 && result[1] == 4);
  assign(variables, 10);
  CHECK(percale_call_variables_version(call) == 1); /* no run has read the new one */
  OK(percale_call_run(call, &x, &y));
  CHECK(percale_call_variables_version(call) == 2 && result[1] == 40);
  CHECK(percale_call_variables_version(other) == 0); /* each call tells of its own runs */
  assign(variables, 100);
  FAILS(percale_call_run(call, &wrong, &y), PERCALE_INVALID_ARGUMENT, "'x'");
  FAILS(percale_call_run_until(call, &x, &y, 0, NULL), PERCALE_DEADLINE_EXCEEDED, "");
  CHECK(percale_call_variables_version(call) == 2);
  OK(percale_call_run_until(call, &x, &y, PERCALE_FOREVER, NULL));
  CHECK(percale_call_variables_version(call) == 3 && result[1] == 400);
  CHECK(percale_variables_version(variables) == 3);
  CHECK(percale_call_variables_version(NULL) == 0);
  percale_call_release(call);
  percale_call_release(other);
  percale_tensor_release(x);
  percale_tensor_release(y);
  percale_tensor_release(wrong);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static percale_event* start(percale_session* session, percale_tensor* x, int64_t timeout_ns) {
  percale_event* event = NULL;
  OK(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, timeout_ns, &event));
  return event;
}

static void an_event_tells_the_version_that_its_run_read(void) {
  percale_graph* graph = make_graph(1);
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_tensor *x = pair(3, 4), *y = NULL;
  percale_event *first, *second, *late;
  OK(percale_variables_create(engine, graph, 0, &variables));
  OK(percale_session_create(engine, graph, variables, NULL, &session));
  first = start(session, x, PERCALE_FOREVER);
  OK(percale_event_wait(first, PERCALE_FOREVER));
  assign(variables, 10);
  second = start(session, x, PERCALE_FOREVER);
  OK(percale_event_wait(second, PERCALE_FOREVER));
  assign(variables, 100);
  late = start(session, x, 0);
  FAILS(percale_event_wait(late, PERCALE_FOREVER), PERCALE_DEADLINE_EXCEEDED, "");
  CHECK(percale_event_variables_version(first) == 1);
  CHECK(percale_event_variables_version(second) == 2);
  CHECK(percale_event_variables_version(late) == 0);
  CHECK(percale_event_variables_version(NULL) == 0);
  OK(percale_event_result(second, 0, &y));
  CHECK(((const float*)percale_tensor_get_data(y))[1] == 40);
  percale_event_release(first);
  percale_event_release(second);
  percale_event_release(late);
  percale_tensor_release(x);
  percale_tensor_release(y);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_graph_without_variables_has_version_0(void) {
  percale_graph* graph = make_graph(0);
  percale_session* session = NULL;
  percale_tensor *x = pair(3, 4), *y = pair(0, 0);
  percale_call* call;
  percale_event* event;
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  call = prepare(session);
  OK(percale_call_run(call, &x, &y));
  CHECK(percale_call_variables_version(call) == 0 && ((const float*)percale_tensor_get_data(y))[1] == 4);
  event = start(session, x, PERCALE_FOREVER);
  OK(percale_event_wait(event, PERCALE_FOREVER));
  CHECK(percale_event_variables_version(event) == 0);
  percale_event_release(event);
  percale_call_release(call);
  percale_tensor_release(x);
  percale_tensor_release(y);
  percale_session_release(session);
  percale_graph_release(graph);
}

int main(void) {
  OK(percale_engine_create(NULL, &engine));
  a_call_tells_the_version_that_its_last_successful_run_read();
  an_event_tells_the_version_that_its_run_read();
  a_graph_without_variables_has_version_0();
  percale_engine_release(engine);
  return check_done();
}
