/* Tests what a graph and a plan tell about themselves: types of values, explanations, drawings,
 * traces. */
#include "session_fixture.h"

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

void test_explanations(void) {
  a_graph_tells_the_types_of_its_values();
  a_plan_explains_itself_and_a_trace_records_it();
}
