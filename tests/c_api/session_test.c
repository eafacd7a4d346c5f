/* Builds, runs, prepares, cancels and trains graphs by hand through the API. Every misuse returns
 * an error. */
#include <stdlib.h>

#include "check.h"

static percale_engine* engine = NULL;

static percale_tensor* floats(const float* values, size_t rank, int64_t a, int64_t b) {
  const int64_t dims[2] = {a, b};
  percale_tensor* tensor = NULL;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, rank, &tensor));
  if (values != NULL) memcpy(percale_tensor_get_data(tensor), values, percale_tensor_bytes(tensor));
  return tensor;
}

static percale_value node2(percale_builder* builder, const char* op, const char* name, percale_value a,
                           percale_value b) {
  percale_value out = PERCALE_NO_VALUE;
  OK(percale_builder_node(builder, op, name));
  OK(percale_builder_add_input(builder, a));
  if (b != PERCALE_NO_VALUE) OK(percale_builder_add_input(builder, b));
  OK(percale_builder_finish_node(builder, 1, &out));
  return out;
}

/* y = x * w + b with x [?,2], w [2,1] a variable, b a constant; loss = mean((y - t)^2). */
static percale_graph* make_graph(const char** target) {
  static const float kWeights[2] = {0.5f, -0.5f};
  static const float kBias[1] = {1.0f};
  const int64_t x_dims[2] = {-1, 2}, t_dims[2] = {-1, 1};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_tensor *weights = floats(kWeights, 2, 2, 1), *bias = floats(kBias, 1, 1, 0);
  percale_value x, t, w, b, y, difference, square, outputs[2];
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 2, &x));
  OK(percale_builder_input(builder, "t", PERCALE_DTYPE_F32, t_dims, 2, &t));
  OK(percale_builder_variable(builder, "w", weights, &w));
  OK(percale_builder_constant(builder, "b", bias, &b));
  y = node2(builder, "Add", "y", node2(builder, "MatMul", NULL, x, w), b);
  difference = node2(builder, "Sub", NULL, y, t);
  square = node2(builder, "Mul", NULL, difference, difference);
  OK(percale_builder_node(builder, "ReduceMean", "loss"));
  OK(percale_builder_add_input(builder, square));
  OK(percale_builder_set_int(builder, "keepdims", 0));
  outputs[0] = y;
  OK(percale_builder_finish_node(builder, 1, &outputs[1]));
  OK(percale_builder_set_outputs(builder, outputs, 2));
  if (target != NULL) {
    const char* name = NULL;
    OK(percale_builder_minimize(builder, outputs[1], "{\"name\":\"sgd\",\"learning_rate\":0.02}", &name));
    *target = name != NULL && strcmp(name, "train_step") == 0 ? "train_step" : NULL;
  }
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  percale_tensor_release(weights);
  percale_tensor_release(bias);
  return graph;
}

static const float kX[4] = {1, 2, 3, 4};
static const float kT[2] = {3, 5};

static percale_session* make_session(const percale_graph* graph, percale_variables** variables) {
  percale_session* session = NULL;
  OK(percale_variables_create(engine, graph, 0, variables));
  OK(percale_session_create(engine, graph, *variables, NULL, &session));
  return session;
}

static void any_value_is_fetched_and_fed_by_name(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const char* const loss_name[] = {"loss"};
  const char* const yt_names[] = {"y", "t"};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = floats(kX, 2, 2, 2), *t = floats(kT, 2, 2, 1), *y = NULL, *loss = NULL, *feeds[2];
  percale_text* text = NULL;
  feeds[0] = x;
  OK(percale_session_run(session, x_name, feeds, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y));
  CHECK(percale_tensor_rank(y) == 2 && percale_tensor_get_dims(y)[0] == 2);
  CHECK(((float*)percale_tensor_get_data(y))[0] == 0.5f && ((float*)percale_tensor_get_data(y))[1] == 0.5f);
  feeds[0] = y;
  feeds[1] = t;
  OK(percale_session_run(session, yt_names, feeds, 2, loss_name, 1, NULL, 0, PERCALE_FOREVER, &loss));
  CHECK(*(float*)percale_tensor_get_data(loss) == (2.5f * 2.5f + 4.5f * 4.5f) / 2);
  OK(percale_session_stats(session, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"runs\":2") != NULL);
  percale_text_release(text);
  percale_tensor_release(x);
  percale_tensor_release(t);
  percale_tensor_release(y);
  percale_tensor_release(loss);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_run_that_is_misused_says_what_is_wrong(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const char* const none[] = {NULL};
  const char* const typo[] = {"yy"};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session *session = make_session(graph, &variables), *none_session = NULL;
  percale_tensor *x = floats(kX, 2, 2, 2), *flat = floats(kX, 1, 4, 0), *y = NULL, *empty = NULL;
  FAILS(percale_session_run(session, x_name, &x, 1, typo, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_NOT_FOUND, "yy");
  FAILS(percale_session_run(session, x_name, &flat, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y),
        PERCALE_INVALID_ARGUMENT, "x");
  FAILS(percale_session_run(session, NULL, NULL, 0, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_INVALID_ARGUMENT,
        "x");
  FAILS(percale_session_run(session, x_name, &empty, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y),
        PERCALE_INVALID_ARGUMENT, "'feeds[0]' is NULL");
  FAILS(percale_session_run(session, none, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_INVALID_ARGUMENT,
        "'feed_names[0]' is NULL");
  REFUSES(percale_session_run(NULL, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), "session");
  REFUSES(percale_session_run(session, NULL, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), "feed_names");
  REFUSES(percale_session_run(session, x_name, NULL, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), "feeds");
  REFUSES(percale_session_run(session, x_name, &x, 1, NULL, 1, NULL, 0, PERCALE_FOREVER, &y), "fetch_names");
  REFUSES(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 1, PERCALE_FOREVER, &y), "target_names");
  REFUSES(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, NULL), "out_fetches");
  REFUSES(percale_session_create(NULL, graph, variables, NULL, &none_session), "engine");
  REFUSES(percale_session_create(engine, NULL, variables, NULL, &none_session), "graph");
  REFUSES(percale_session_create(engine, graph, variables, NULL, NULL), "out_session");
  FAILS(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, 0, &y), PERCALE_DEADLINE_EXCEEDED, "");
  CHECK(y == NULL && none_session == NULL);
  percale_session_cancel(NULL);
  percale_session_cancel(session);
  OK(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y));
  percale_tensor_release(x);
  percale_tensor_release(flat);
  percale_tensor_release(y);
  percale_session_release(session);
  percale_session_release(NULL);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_step_trains_the_variables(void) {
  const char* const names[] = {"x", "t"};
  const char* const loss_name[] = {"loss"};
  const char* target = NULL;
  percale_graph* graph = make_graph(&target);
  percale_variables* variables = NULL;
  percale_session* session = make_session(graph, &variables);
  percale_tensor *feeds[2], *loss = NULL, *w = NULL;
  percale_text *before = NULL, *after = NULL;
  float first = 0, last = 0;
  int i;
  CHECK(target != NULL);
  feeds[0] = floats(kX, 2, 2, 2);
  feeds[1] = floats(kT, 2, 2, 1);
  OK(percale_variables_digest(variables, &before));
  for (i = 0; i < 20; ++i) {
    OK(percale_session_run(session, names, feeds, 2, loss_name, 1, &target, 1, PERCALE_FOREVER, &loss));
    last = *(float*)percale_tensor_get_data(loss);
    if (i == 0) first = last;
    percale_tensor_release(loss);
    loss = NULL;
  }
  CHECK(first == 13.25f && last < 3.0f);
  CHECK(percale_variables_version(variables) == 21);
  OK(percale_variables_digest(variables, &after));
  CHECK(strncmp(percale_text_data(after, NULL), "sha256:", 7) == 0);
  CHECK(strcmp(percale_text_data(before, NULL), percale_text_data(after, NULL)) != 0);
  OK(percale_variables_value(variables, "w", &w));
  CHECK(((float*)percale_tensor_get_data(w))[0] != 0.5f);
  percale_text_release(before);
  percale_text_release(after);
  percale_tensor_release(w);
  percale_tensor_release(feeds[0]);
  percale_tensor_release(feeds[1]);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

/* y = x + s, where each run passes y as s to the next one. */
static void a_prepared_call_hands_values_on(void) {
  const char* const names[] = {"x", "s"};
  const char* const fetches[] = {"y", "z"};
  const percale_dtype dtypes[] = {PERCALE_DTYPE_F32, PERCALE_DTYPE_F32};
  const int64_t dims[2] = {2, 2};
  const int64_t* const all_dims[] = {dims, dims};
  const size_t ranks[] = {2, 2};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_session* session = NULL;
  percale_call* call = NULL;
  percale_value x, s, outputs[2];
  percale_tensor *one = floats(kX, 2, 2, 2), *y = floats(NULL, 2, 2, 2), *z = floats(NULL, 2, 2, 2), *inputs[2],
                 *results[2];
  int i;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x));
  OK(percale_builder_input(builder, "s", PERCALE_DTYPE_F32, dims, 2, &s));
  outputs[0] = node2(builder, "Add", "y", x, s);
  outputs[1] = node2(builder, "Neg", "z", outputs[0], PERCALE_NO_VALUE);
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_session_create(engine, graph, NULL, NULL, &session));
  OK(percale_call_create(session, names, dtypes, all_dims, ranks, 2, fetches, 2, &call));
  OK(percale_call_carry(call, 0, 1));
  inputs[0] = one, inputs[1] = NULL, results[0] = NULL, results[1] = z;
  FAILS(percale_call_run(call, inputs, results), PERCALE_FAILED_PRECONDITION, "the first run");
  inputs[1] = one;
  OK(percale_call_run(call, inputs, results));
  inputs[1] = NULL;
  for (i = 3; i < 6; ++i) {
    results[0] = i == 5 ? y : NULL;
    OK(percale_call_run(call, inputs, results));
    CHECK(((const float*)percale_tensor_get_data(z))[3] == (float)(-4 * i));
  }
  CHECK(((const float*)percale_tensor_get_data(y))[3] == 20);
  inputs[0] = NULL;
  FAILS(percale_call_run(call, inputs, results), PERCALE_INVALID_ARGUMENT, "the feed 'x' is NULL");
  results[1] = NULL, inputs[0] = one;
  FAILS(percale_call_run(call, inputs, results), PERCALE_INVALID_ARGUMENT, "the output for 'z' is NULL");
  FAILS(percale_call_carry(call, 2, 0), PERCALE_OUT_OF_RANGE, "no output 2");
  FAILS(percale_call_carry(call, 1, 2), PERCALE_OUT_OF_RANGE, "no feed 2");
  FAILS(percale_call_carry(call, 1, 1), PERCALE_INVALID_ARGUMENT, "handed on already");
  REFUSES(percale_call_carry(NULL, 0, 0), "call");
  percale_call_release(call);
  percale_session_release(session);
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_tensor_release(one);
  percale_tensor_release(y);
  percale_tensor_release(z);
}

static void a_prepared_call_writes_into_the_callers_outputs(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t dims[2] = {2, 2};
  const int64_t* const all_dims[] = {dims};
  const size_t rank = 2;
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = floats(kX, 2, 2, 2), *y = floats(NULL, 2, 2, 1), *wrong = floats(NULL, 2, 2, 2), *null = NULL;
  percale_call* call = NULL;
  percale_cancellation* cancellation = NULL;
  percale_dtype out_dtype = 0;
  int64_t out_dims[8];
  size_t out_rank = 0;
  int i;
  OK(percale_call_create(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, &call));
  OK(percale_call_output_type(call, 0, &out_dtype, out_dims, &out_rank));
  CHECK(out_dtype == PERCALE_DTYPE_F32 && out_rank == 2 && out_dims[0] == 2 && out_dims[1] == 1);
  for (i = 0; i < 3; ++i) {
    OK(percale_call_run(call, &x, &y));
    CHECK(((float*)percale_tensor_get_data(y))[1] == 0.5f);
    ((float*)percale_tensor_get_data(y))[1] = 0;
  }
  FAILS(percale_call_run(call, &x, &wrong), PERCALE_INVALID_ARGUMENT, "'y' is f32 [2,2], wanted f32 [2,1]");
  OK(percale_cancellation_create(&cancellation));
  CHECK(percale_cancellation_poll(cancellation) == 0 && percale_cancellation_poll(NULL) == 0);
  OK(percale_call_run_until(call, &x, &y, PERCALE_FOREVER, NULL));
  OK(percale_call_run_until(call, &x, &y, 10000000000, cancellation));
  CHECK(((float*)percale_tensor_get_data(y))[1] == 0.5f);
  FAILS(percale_call_run_until(call, &x, &y, 0, cancellation), PERCALE_DEADLINE_EXCEEDED, "deadline");
  /* A negative time limit other than -1 has expired; only -1 means no limit. */
  FAILS(percale_call_run_until(call, &x, &y, -2, NULL), PERCALE_DEADLINE_EXCEEDED, "deadline");
  FAILS(percale_call_run_until(call, &x, &y, INT64_MIN, NULL), PERCALE_DEADLINE_EXCEEDED, "deadline");
  percale_cancellation_cancel(cancellation);
  CHECK(percale_cancellation_poll(cancellation) == 1);
  FAILS(percale_call_run_until(call, &x, &y, PERCALE_FOREVER, cancellation), PERCALE_CANCELLED, "before the run");
  OK(percale_call_run(call, &x, &y)); /* a cancellation affects only calls that it is passed to */
  FAILS(percale_call_run_until(call, &x, &wrong, PERCALE_FOREVER, NULL), PERCALE_INVALID_ARGUMENT,
        "call run until: the output for 'y' is f32 [2,2]");
  REFUSES(percale_call_run_until(NULL, &x, &y, PERCALE_FOREVER, NULL), "call");
  REFUSES(percale_call_run_until(call, NULL, &y, PERCALE_FOREVER, NULL), "inputs");
  REFUSES(percale_cancellation_create(NULL), "out_cancellation");
  CHECK(percale_cancellation_retain(cancellation) == cancellation && percale_cancellation_retain(NULL) == NULL);
  percale_cancellation_release(cancellation);
  percale_cancellation_release(cancellation);
  percale_cancellation_release(NULL);
  percale_cancellation_cancel(NULL);
  FAILS(percale_call_run(call, &y, &y), PERCALE_INVALID_ARGUMENT, "'x' is f32 [2,1], wanted f32 [2,2]");
  FAILS(percale_call_run(call, &null, &y), PERCALE_INVALID_ARGUMENT, "the feed 'x' is NULL");
  FAILS(percale_call_run(call, &x, &null), PERCALE_INVALID_ARGUMENT, "the output for 'y' is NULL");
  FAILS(percale_call_output_type(call, 1, &out_dtype, out_dims, &out_rank), PERCALE_OUT_OF_RANGE, "no output 1");
  REFUSES(percale_call_run(NULL, &x, &y), "call");
  REFUSES(percale_call_run(call, NULL, &y), "inputs");
  REFUSES(percale_call_run(call, &x, NULL), "outputs");
  REFUSES(percale_call_output_type(NULL, 0, &out_dtype, out_dims, &out_rank), "call");
  REFUSES(percale_call_output_type(call, 0, NULL, out_dims, &out_rank), "out_dtype");
  percale_call_release(call);
  REFUSES(percale_call_create(NULL, x_name, &dtype, all_dims, &rank, 1, y_name, 1, &call), "session");
  REFUSES(percale_call_create(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, NULL), "out_call");
  REFUSES(percale_call_create(session, x_name, NULL, all_dims, &rank, 1, y_name, 1, &call), "feed_dtypes");
  REFUSES(percale_call_create(session, x_name, &dtype, NULL, &rank, 1, y_name, 1, &call), "feed_dims");
  REFUSES(percale_call_create(session, x_name, &dtype, all_dims, NULL, 1, y_name, 1, &call), "feed_ranks");
  CHECK(call == NULL);
  percale_call_release(NULL);
  percale_tensor_release(x);
  percale_tensor_release(y);
  percale_tensor_release(wrong);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_graph_tells_the_types_of_its_values(void) {
  percale_graph* graph = make_graph(NULL);
  percale_dtype dtype = 0;
  int64_t dims[8];
  size_t rank = 0;
  OK(percale_graph_value_type(graph, percale_graph_get_input_name(graph, 0), &dtype, dims, &rank));
  CHECK(dtype == PERCALE_DTYPE_F32 && rank == 2 && dims[0] == -1 && dims[1] == 2);
  OK(percale_graph_value_type(graph, percale_graph_get_output_name(graph, 0), &dtype, dims, &rank));
  CHECK(dtype == PERCALE_DTYPE_F32 && rank == 2 && dims[0] == -1 && dims[1] == 1);
  OK(percale_graph_value_type(graph, "loss", &dtype, dims, &rank));
  CHECK(dtype == PERCALE_DTYPE_F32 && rank == 0);
  OK(percale_graph_value_type(graph, "b", &dtype, dims, &rank)); /* a value within the graph */
  CHECK(rank == 1 && dims[0] == 1);
  FAILS(percale_graph_value_type(graph, "los", &dtype, dims, &rank), PERCALE_NOT_FOUND, "did you mean 'loss'");
  CHECK(dtype == 0 && rank == 0);
  REFUSES(percale_graph_value_type(NULL, "y", &dtype, dims, &rank), "graph");
  REFUSES(percale_graph_value_type(graph, NULL, &dtype, dims, &rank), "name");
  REFUSES(percale_graph_value_type(graph, "y", NULL, dims, &rank), "out_dtype");
  REFUSES(percale_graph_value_type(graph, "y", &dtype, NULL, &rank), "out_dims");
  REFUSES(percale_graph_value_type(graph, "y", &dtype, dims, NULL), "out_rank");
  percale_graph_release(graph);
}

static int ready = 0;
static void count_ready(void* user) {
  CHECK(user == &ready);
  ++*(int*)user;
}
static int returned = 0;
static void count_returned(void* user, void* data) {
  CHECK(user == &returned && data != NULL);
  ++returned;
}

static void an_event_is_the_end_of_an_asynchronous_run(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  float memory[4] = {1, 2, 3, 4};
  const int64_t dims[2] = {2, 2};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = NULL, *y = NULL;
  percale_event* event = NULL;
  int i;
  returned = 0;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, sizeof memory, count_returned, &returned, &x));
  OK(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
  percale_tensor_release(x);
  OK(percale_event_wait(event, PERCALE_FOREVER));
  CHECK(returned == 1); /* called during the wait */
  CHECK(percale_event_poll(event) == 1);
  OK(percale_event_wait(event, 0));
  OK(percale_event_result(event, 0, &y));
  CHECK(((float*)percale_tensor_get_data(y))[0] == 0.5f);
  percale_tensor_release(y);
  FAILS(percale_event_result(event, 1, &y), PERCALE_OUT_OF_RANGE, "has 1 results");
  ready = 0;
  OK(percale_event_on_ready(event, count_ready, &ready));
  CHECK(ready == 1);
  REFUSES(percale_event_on_ready(event, NULL, &ready), "callback");
  REFUSES(percale_event_result(NULL, 0, &y), "event");
  REFUSES(percale_event_result(event, 0, NULL), "out_tensor");
  REFUSES(percale_event_wait(NULL, 0), "event");
  REFUSES(percale_event_on_ready(NULL, count_ready, &ready), "event");
  CHECK(percale_event_retain(event) == event);
  percale_event_release(event);
  percale_event_release(event);
  percale_event_cancel(NULL);
  percale_event_release(NULL);
  CHECK(percale_event_poll(NULL) == 0 && percale_event_retain(NULL) == NULL);

  /* Events that are not waited for leak nothing. A failed run returns its status from the wait. */
  x = floats(kX, 2, 2, 2);
  for (i = 0; i < 50; ++i) {
    OK(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
    if (i % 2 == 0) percale_event_cancel(event);
    percale_event_release(event);
  }
  OK(percale_session_run_async(session, NULL, NULL, 0, y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
  FAILS(percale_event_wait(event, PERCALE_FOREVER), PERCALE_INVALID_ARGUMENT, "x");
  FAILS(percale_event_result(event, 0, &y), PERCALE_INVALID_ARGUMENT, "x");
  percale_event_release(event);
  REFUSES(percale_session_run_async(NULL, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &event), "session");
  REFUSES(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, NULL), "out_event");
  percale_tensor_release(x);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_plan_explains_itself_and_a_trace_records_it(void) {
  static const char* const kWhat[] = {"plan", "kernels", "passes"};
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t dims[2] = {2, 2};
  const int64_t* const all_dims[] = {dims};
  const size_t rank = 2;
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = floats(kX, 2, 2, 2), *y = NULL;
  percale_trace* trace = NULL;
  percale_text *text = NULL, *drawing = NULL;
  size_t i;
  for (i = 0; i < 3; ++i) {
    OK(percale_session_explain(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, kWhat[i], &text));
    CHECK(strlen(percale_text_data(text, NULL)) > 10);
    percale_text_release(text);
  }
  CHECK(percale_session_retain(session) == session);
  percale_session_release(session);
  FAILS(percale_session_explain(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "mood", &text),
        PERCALE_INVALID_ARGUMENT, "mood");
  REFUSES(percale_session_explain(NULL, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "plan", &text), "session");
  REFUSES(percale_session_explain(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, NULL, &text), "what");
  REFUSES(percale_session_explain(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "plan", NULL), "out_text");
  REFUSES(percale_session_stats(NULL, &text), "session");
  REFUSES(percale_session_stats(session, NULL), "out_json");
  REFUSES(percale_trace_create(NULL, &trace), "engine");
  REFUSES(percale_trace_create(engine, NULL), "out_trace");
  OK(percale_trace_create(engine, &trace));
  percale_session_set_trace(session, trace);
  OK(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y));
  percale_session_set_trace(session, NULL);
  percale_session_set_trace(NULL, trace);
  OK(percale_trace_json(trace, &text));
  CHECK(strstr(percale_text_data(text, NULL), "cpu:0") != NULL);
  OK(percale_session_draw(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "svg", percale_text_data(text, NULL),
                          &drawing));
  CHECK(strstr(percale_text_data(drawing, NULL), "in all") != NULL);
  percale_text_release(drawing);
  percale_text_release(text);
  FAILS(percale_session_draw(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "oil", NULL, &text),
        PERCALE_INVALID_ARGUMENT, "wanted svg or html");
  REFUSES(percale_session_draw(NULL, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "svg", NULL, &text), "session");
  REFUSES(percale_session_draw(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, NULL, NULL, &text), "format");
  REFUSES(percale_session_draw(session, x_name, &dtype, all_dims, &rank, 1, y_name, 1, "svg", NULL, NULL), "out_text");
  REFUSES(percale_trace_json(NULL, &text), "trace");
  REFUSES(percale_trace_json(trace, NULL), "out_json");
  percale_trace_release(trace);
  percale_trace_release(NULL);
  percale_tensor_release(x);
  percale_tensor_release(y);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void variables_are_read_and_assigned_by_name(void) {
  static const float kNew[2] = {7, 8};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *value = NULL, *next = floats(kNew, 2, 2, 1), *wrong = floats(kNew, 1, 2, 0);
  percale_text* text = NULL;
  CHECK(percale_variables_count(variables) == 1 && strcmp(percale_variables_get_name(variables, 0), "w") == 0);
  CHECK(percale_variables_get_name(variables, 1) == NULL && percale_variables_version(variables) == 1);
  OK(percale_variables_assign(variables, "w", next));
  ((float*)percale_tensor_get_data(next))[0] = 0; /* the table has its own copy */
  OK(percale_variables_value(variables, "w", &value));
  CHECK(((float*)percale_tensor_get_data(value))[0] == 7 && percale_variables_version(variables) == 2);
  percale_tensor_release(value);
  FAILS(percale_variables_assign(variables, "w", wrong), PERCALE_INVALID_ARGUMENT, "wanted f32 [2,1]");
  FAILS(percale_variables_value(variables, "ww", &value), PERCALE_NOT_FOUND, "did you mean 'w'");
  REFUSES(percale_variables_assign(NULL, "w", next), "variables");
  REFUSES(percale_variables_assign(variables, NULL, next), "name");
  REFUSES(percale_variables_assign(variables, "w", NULL), "value");
  REFUSES(percale_variables_value(NULL, "w", &value), "variables");
  REFUSES(percale_variables_value(variables, NULL, &value), "name");
  REFUSES(percale_variables_value(variables, "w", NULL), "out_tensor");
  REFUSES(percale_variables_digest(NULL, &text), "variables");
  REFUSES(percale_variables_digest(variables, NULL), "out_digest");
  percale_variables_release(variables);
  REFUSES(percale_variables_create(NULL, graph, 0, &variables), "engine");
  CHECK(percale_variables_count(NULL) == 0 && percale_variables_get_name(NULL, 0) == NULL);
  CHECK(percale_variables_version(NULL) == 0 && percale_variables_retain(NULL) == NULL);
  percale_variables_release(NULL);
  percale_tensor_release(next);
  percale_tensor_release(wrong);
  percale_session_release(session);
  percale_graph_release(graph);
}

static void a_run_tells_which_version_of_the_variables_it_read(void) {
  static const float kNew[2] = {1, 1};
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const char* const typo[] = {"yy"};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = floats(kX, 2, 2, 2), *next = floats(kNew, 2, 2, 1), *y = NULL;
  int64_t version = -1;
  OK(percale_session_run_versioned(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, &version));
  CHECK(version == 1 && ((float*)percale_tensor_get_data(y))[0] == 0.5f);
  percale_tensor_release(y);
  OK(percale_variables_assign(variables, "w", next));
  OK(percale_session_run_versioned(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, &version));
  CHECK(version == 2 && ((float*)percale_tensor_get_data(y))[0] == 4.0f);
  percale_tensor_release(y);
  FAILS(percale_session_run_versioned(session, x_name, &x, 1, typo, 1, NULL, 0, PERCALE_FOREVER, &y, &version),
        PERCALE_NOT_FOUND, "yy");
  CHECK(version == 0 && y == NULL);
  OK(percale_session_run_versioned(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, NULL));
  percale_tensor_release(y);
  FAILS(percale_session_run_versioned(NULL, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, &version),
        PERCALE_INVALID_ARGUMENT, "session run: 'session' is NULL");
  percale_tensor_release(x);
  percale_tensor_release(next);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

int main(void) {
  OK(percale_engine_create(NULL, &engine));
  any_value_is_fetched_and_fed_by_name();
  a_run_that_is_misused_says_what_is_wrong();
  a_step_trains_the_variables();
  a_prepared_call_writes_into_the_callers_outputs();
  a_prepared_call_hands_values_on();
  a_graph_tells_the_types_of_its_values();
  an_event_is_the_end_of_an_asynchronous_run();
  a_plan_explains_itself_and_a_trace_records_it();
  variables_are_read_and_assigned_by_name();
  a_run_tells_which_version_of_the_variables_it_read();
  percale_engine_release(engine);
  return check_done();
}
