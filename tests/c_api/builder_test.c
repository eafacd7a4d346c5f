/* Tests builders: a mistake is reported by the call that makes it, and a failed call leaves the
 * builder unchanged. */
#include "check.h"

static percale_engine* engine = NULL;

static percale_builder* make(percale_value* x) {
  const int64_t dims[2] = {-1, 4};
  percale_builder* builder = NULL;
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, x));
  return builder;
}

static percale_value relu(percale_builder* builder, percale_value x, const char* name) {
  percale_value out = PERCALE_NO_VALUE;
  OK(percale_builder_node(builder, "Relu", name));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_finish_node(builder, 1, &out));
  return out;
}

static void shapes_are_known_while_building(void) {
  percale_value x, y;
  percale_dtype dtype = 0;
  int64_t dims[8];
  size_t rank = 0;
  percale_builder* builder = make(&x);
  y = relu(builder, x, "y");
  OK(percale_builder_value_type(builder, y, &dtype, dims, &rank));
  CHECK(dtype == PERCALE_DTYPE_F32 && rank == 2 && dims[0] == -1 && dims[1] == 4);
  FAILS(percale_builder_value_type(builder, 99, &dtype, dims, &rank), PERCALE_INVALID_ARGUMENT, "99 is no value");
  REFUSES(percale_builder_value_type(NULL, y, &dtype, dims, &rank), "builder");
  REFUSES(percale_builder_value_type(builder, y, NULL, dims, &rank), "out_dtype");
  REFUSES(percale_builder_value_type(builder, y, &dtype, NULL, &rank), "out_dims");
  REFUSES(percale_builder_value_type(builder, y, &dtype, dims, NULL), "out_rank");
  percale_builder_release(builder);
}

static void a_node_that_is_wrong_is_dropped(void) {
  percale_value x, y = 5;
  percale_builder* builder = make(&x);
  OK(percale_builder_node(builder, "Rellu", "r"));
  OK(percale_builder_add_input(builder, x));
  FAILS(percale_builder_finish_node(builder, 1, &y), PERCALE_NOT_FOUND, "did you mean 'Relu'");
  CHECK(y == PERCALE_NO_VALUE);
  OK(percale_builder_node(builder, "Relu", "r"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "alpha", 1));
  FAILS(percale_builder_finish_node(builder, 1, &y), PERCALE_INVALID_ARGUMENT, "alpha");
  OK(percale_builder_node(builder, "Relu", "r"));
  FAILS(percale_builder_add_input(builder, 77), PERCALE_INVALID_ARGUMENT, "77 is no value");
  OK(percale_builder_add_input(builder, x));
  FAILS(percale_builder_finish_node(builder, 1, &y), PERCALE_INVALID_ARGUMENT, "77 is no value");
  FAILS(percale_builder_finish_node(builder, 1, &y), PERCALE_FAILED_PRECONDITION, "no node was begun");
  FAILS(percale_builder_add_input(builder, x), PERCALE_FAILED_PRECONDITION, "no node was begun");
  FAILS(percale_builder_set_int(builder, "a", 1), PERCALE_FAILED_PRECONDITION, "no node was begun");
  y = relu(builder, x, "r");
  CHECK(y >= 0);
  percale_builder_release(builder);
}

static void what_was_begun_must_be_finished(void) {
  percale_value x, y;
  percale_graph* graph = NULL;
  percale_builder* builder = make(&x);
  OK(percale_builder_node(builder, "Relu", "r"));
  FAILS(percale_builder_node(builder, "Relu", "s"), PERCALE_FAILED_PRECONDITION, "Relu 'r' was begun");
  FAILS(percale_builder_begin_function(builder, "f"), PERCALE_FAILED_PRECONDITION, "was begun");
  FAILS(percale_builder_finish(builder, &graph), PERCALE_FAILED_PRECONDITION, "was begun");
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_begin_function(builder, "f"));
  FAILS(percale_builder_begin_function(builder, "f"), PERCALE_ALREADY_EXISTS, "'f'");
  FAILS(percale_builder_finish(builder, &graph), PERCALE_FAILED_PRECONDITION, "'f' was not ended");
  OK(percale_builder_end_function(builder));
  FAILS(percale_builder_end_function(builder), PERCALE_FAILED_PRECONDITION, "no function was begun");
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_graph_release(graph);
  /* The builder is empty now. */
  FAILS(percale_builder_set_outputs(builder, &y, 1), PERCALE_INVALID_ARGUMENT, "is no value");
  percale_builder_release(builder);
}

static void functions_are_closed(void) {
  percale_value x, inner, then_y, else_y, condition, y;
  const int64_t dims[2] = {-1, 4};
  percale_graph* graph = NULL;
  percale_builder* builder = make(&x);
  OK(percale_builder_begin_function(builder, "then"));
  FAILS(percale_builder_set_outputs(builder, &x, 1), PERCALE_INVALID_ARGUMENT, "functions are closed");
  OK(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, dims, 2, &inner));
  then_y = relu(builder, inner, "r");
  OK(percale_builder_set_outputs(builder, &then_y, 1));
  OK(percale_builder_end_function(builder));
  OK(percale_builder_begin_function(builder, "else"));
  OK(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, dims, 2, &else_y));
  OK(percale_builder_set_outputs(builder, &else_y, 1));
  OK(percale_builder_end_function(builder));
  OK(percale_builder_input(builder, "c", PERCALE_DTYPE_BOOL, NULL, 0, &condition));
  OK(percale_builder_node(builder, "If", "choice"));
  OK(percale_builder_add_input(builder, condition));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_function(builder, "then_branch", "then"));
  OK(percale_builder_set_function(builder, "else_branch", "else"));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_graph_release(graph);
  percale_builder_release(builder);
}

static void a_graph_is_gone_on_from(void) {
  percale_value x, y, again, grad;
  percale_text* text = NULL;
  percale_graph *graph = NULL, *more = NULL;
  percale_builder* builder = make(&x);
  y = relu(builder, x, "y");
  OK(percale_builder_rename(builder, y, "result"));
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  OK(percale_builder_from_graph(engine, graph, &builder));
  OK(percale_builder_find_value(builder, "result", &again));
  OK(percale_builder_find_value(builder, "x", &x));
  FAILS(percale_builder_find_value(builder, "none", &y), PERCALE_NOT_FOUND, "'none'");
  OK(percale_builder_gradients(builder, &again, 1, &x, 1, &grad));
  OK(percale_builder_set_outputs(builder, &grad, 1));
  OK(percale_builder_finish(builder, &more));
  OK(percale_graph_describe(more, "summary", &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"Relu\":1") != NULL);
  percale_text_release(text);
  OK(percale_graph_describe(more, "nodes", &text));
  percale_text_release(text);
  OK(percale_graph_draw(more, "svg", NULL, &text));
  CHECK(strncmp(percale_text_data(text, NULL), "<svg", 4) == 0);
  percale_text_release(text);
  OK(percale_graph_draw(more, "html", NULL, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"Relu\"") != NULL);
  percale_text_release(text);
  FAILS(percale_graph_draw(more, "oil", NULL, &text), PERCALE_INVALID_ARGUMENT, "wanted svg or html");
  FAILS(percale_graph_draw(more, "svg", "{}", &text), PERCALE_INVALID_ARGUMENT, "this is no trace");
  REFUSES(percale_graph_draw(NULL, "svg", NULL, &text), "graph");
  REFUSES(percale_graph_draw(more, NULL, NULL, &text), "format");
  REFUSES(percale_graph_draw(more, "svg", NULL, NULL), "out_text");
  FAILS(percale_graph_describe(more, "taste", &text), PERCALE_NOT_FOUND, "summary");
  CHECK(percale_graph_retain(more) == more);
  percale_graph_release(more);
  percale_graph_release(more);
  percale_graph_release(graph);
  percale_builder_release(builder);
}

static void layers_make_their_variables(void) {
  percale_value x, y = PERCALE_NO_VALUE;
  percale_graph* graph = NULL;
  percale_variables* variables = NULL;
  percale_builder* builder = make(&x);
  OK(percale_builder_layer(builder, "Dense", "fc"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "units", 3));
  OK(percale_builder_set_string(builder, "activation", "relu"));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_layer(builder, "Dense", "fc2"));
  OK(percale_builder_add_input(builder, y));
  OK(percale_builder_set_int(builder, "unit", 3));
  FAILS(percale_builder_finish_node(builder, 1, &x), PERCALE_INVALID_ARGUMENT, "units");
  OK(percale_builder_set_outputs(builder, &y, 1));
  OK(percale_builder_finish(builder, &graph));
  OK(percale_variables_create(engine, graph, 1, &variables));
  CHECK(percale_variables_count(variables) == 2);
  CHECK(strcmp(percale_variables_get_name(variables, 0), "fc/bias") == 0);
  CHECK(strcmp(percale_variables_get_name(variables, 1), "fc/kernel") == 0);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_builder_release(builder);
}

static void nothing_may_be_null(void) {
  const int64_t dims[1] = {2};
  float memory[2] = {1, 2};
  percale_value x, y;
  percale_builder *builder = make(&x), *other = NULL;
  percale_graph* graph = NULL;
  percale_tensor* tensor = NULL;
  const char* target = NULL;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 1, memory, sizeof memory, NULL, NULL, &tensor));
  REFUSES(percale_builder_create(NULL, &other), "engine");
  REFUSES(percale_builder_create(engine, NULL), "out_builder");
  REFUSES(percale_builder_from_graph(engine, NULL, &other), "graph");
  REFUSES(percale_builder_input(NULL, "a", PERCALE_DTYPE_F32, dims, 1, &y), "builder");
  REFUSES(percale_builder_input(builder, NULL, PERCALE_DTYPE_F32, dims, 1, &y), "name");
  REFUSES(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, NULL, 1, &y), "dims");
  REFUSES(percale_builder_input(builder, "a", PERCALE_DTYPE_F32, dims, 1, NULL), "out_value");
  FAILS(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 1, &y), PERCALE_ALREADY_EXISTS, "'x'");
  REFUSES(percale_builder_constant(builder, NULL, NULL, &y), "tensor");
  OK(percale_builder_constant(builder, NULL, tensor, &y));
  REFUSES(percale_builder_variable(builder, NULL, tensor, &y), "name");
  REFUSES(percale_builder_variable(builder, "v", NULL, &y), "initial");
  REFUSES(percale_builder_variable_initialized(builder, "v", PERCALE_DTYPE_F32, dims, 1, NULL, &y), "initializer");
  FAILS(percale_builder_variable_initialized(builder, "v", PERCALE_DTYPE_F32, dims, 1, "one", &y),
        PERCALE_INVALID_ARGUMENT, "ones");
  OK(percale_builder_variable_initialized(builder, "v", PERCALE_DTYPE_F32, dims, 1, "ones", &y));
  FAILS(percale_builder_variable(builder, "v", tensor, &y), PERCALE_ALREADY_EXISTS, "'v'");
  REFUSES(percale_builder_node(NULL, "Relu", NULL), "builder");
  REFUSES(percale_builder_node(builder, NULL, NULL), "op");
  REFUSES(percale_builder_layer(builder, NULL, NULL), "layer");
  OK(percale_builder_node(builder, "Relu", NULL));
  REFUSES(percale_builder_set_int(builder, NULL, 1), "attribute");
  REFUSES(percale_builder_set_string(builder, "a", NULL), "value");
  REFUSES(percale_builder_set_ints(builder, "a", NULL, 1), "value");
  REFUSES(percale_builder_set_floats(builder, "a", NULL, 1), "value");
  REFUSES(percale_builder_set_tensor(builder, "a", NULL), "value");
  REFUSES(percale_builder_set_function(builder, "a", NULL), "value");
  REFUSES(percale_builder_finish_node(builder, 1, &y), "attribute");
  REFUSES(percale_builder_finish_node(NULL, 1, &y), "builder");
  OK(percale_builder_node(builder, "Relu", NULL));
  OK(percale_builder_add_input(builder, x));
  REFUSES(percale_builder_finish_node(builder, 1, NULL), "out_values");
  REFUSES(percale_builder_begin_function(builder, NULL), "name");
  REFUSES(percale_builder_set_outputs(builder, NULL, 1), "values");
  REFUSES(percale_builder_rename(builder, x, NULL), "name");
  REFUSES(percale_builder_set_device(builder, NULL), "device");
  OK(percale_builder_set_device(builder, "cpu:0"));
  FAILS(percale_builder_control_dependency(builder, x, x), PERCALE_INVALID_ARGUMENT, "comes from no node");
  REFUSES(percale_builder_gradients(builder, NULL, 1, &x, 1, &y), "ys");
  REFUSES(percale_builder_gradients(builder, &x, 1, NULL, 1, &y), "xs");
  REFUSES(percale_builder_gradients(builder, &x, 1, &x, 1, NULL), "out_gradients");
  REFUSES(percale_builder_minimize(builder, x, NULL, &target), "optimizer");
  REFUSES(percale_builder_minimize(builder, x, "sgd", NULL), "out_target_name");
  FAILS(percale_builder_minimize(builder, x, "sdg", &target), PERCALE_INVALID_ARGUMENT, "sgd");
  REFUSES(percale_builder_finish(builder, NULL), "out_graph");
  REFUSES(percale_builder_finish(NULL, &graph), "builder");
  REFUSES(percale_graph_describe(NULL, "summary", NULL), "graph");
  CHECK(percale_graph_retain(NULL) == NULL && target == NULL && graph == NULL && other == NULL);
  percale_graph_release(NULL);
  percale_builder_release(NULL);
  percale_builder_release(builder);
  percale_tensor_release(tensor);
}

int main(void) {
  OK(percale_engine_create(NULL, &engine));
  shapes_are_known_while_building();
  a_node_that_is_wrong_is_dropped();
  what_was_begun_must_be_finished();
  functions_are_closed();
  a_graph_is_gone_on_from();
  layers_make_their_variables();
  nothing_may_be_null();
  percale_engine_release(engine);
  return check_done();
}
