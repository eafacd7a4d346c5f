#include "session_fixture.h"

percale_engine* engine = NULL;
const float kX[4] = {1, 2, 3, 4};
const float kT[2] = {3, 5};

percale_tensor* floats(const float* values, size_t rank, int64_t a, int64_t b) {
  const int64_t dims[2] = {a, b};
  percale_tensor* tensor = NULL;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, rank, &tensor));
  if (values != NULL) memcpy(percale_tensor_get_data(tensor), values, percale_tensor_bytes(tensor));
  return tensor;
}

percale_value node2(percale_builder* builder, const char* op, const char* name, percale_value a, percale_value b) {
  percale_value out = PERCALE_NO_VALUE;
  OK(percale_builder_node(builder, op, name));
  OK(percale_builder_add_input(builder, a));
  if (b != PERCALE_NO_VALUE) OK(percale_builder_add_input(builder, b));
  OK(percale_builder_finish_node(builder, 1, &out));
  return out;
}

percale_graph* make_graph(const char** target) {
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

percale_session* make_session(const percale_graph* graph, percale_variables** variables) {
  percale_session* session = NULL;
  OK(percale_variables_create(engine, graph, 0, variables));
  OK(percale_session_create(engine, graph, *variables, NULL, &session));
  return session;
}
