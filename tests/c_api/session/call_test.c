/* Tests prepared calls: outputs of the caller, values that one run hands on to the next, deadlines
 * and cancellations. */
#include "session_fixture.h"

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

void test_calls(void) {
  a_prepared_call_writes_into_the_callers_outputs();
  a_prepared_call_hands_values_on();
}
