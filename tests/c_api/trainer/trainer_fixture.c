#include "trainer_fixture.h"

#include <math.h>

percale_engine* engine = NULL;
char folder[3000];

percale_graph* make_graph(void) {
  const int64_t x_dims[2] = {-1, 2}, t_dims[2] = {-1, 1};
  percale_builder* builder = NULL;
  percale_graph* graph = NULL;
  percale_value x, t, y, d, square, outputs[2];
  OK(percale_builder_create(engine, &builder));
  OK(percale_builder_input(builder, "x", PERCALE_DTYPE_F32, x_dims, 2, &x));
  OK(percale_builder_input(builder, "t", PERCALE_DTYPE_F32, t_dims, 2, &t));
  OK(percale_builder_layer(builder, "Dense", "y"));
  OK(percale_builder_add_input(builder, x));
  OK(percale_builder_set_int(builder, "units", 1));
  OK(percale_builder_finish_node(builder, 1, &y));
  OK(percale_builder_node(builder, "Sub", NULL));
  OK(percale_builder_add_input(builder, y));
  OK(percale_builder_add_input(builder, t));
  OK(percale_builder_finish_node(builder, 1, &d));
  OK(percale_builder_node(builder, "Mul", NULL));
  OK(percale_builder_add_input(builder, d));
  OK(percale_builder_add_input(builder, d));
  OK(percale_builder_finish_node(builder, 1, &square));
  OK(percale_builder_node(builder, "ReduceMean", "loss"));
  OK(percale_builder_add_input(builder, square));
  OK(percale_builder_set_int(builder, "keepdims", 0));
  outputs[0] = y;
  OK(percale_builder_finish_node(builder, 1, &outputs[1]));
  OK(percale_builder_set_outputs(builder, outputs, 2));
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  return graph;
}

void make_tensors(percale_tensor** x, percale_tensor** t) {
  const int64_t x_dims[2] = {ROWS, 2}, t_dims[2] = {ROWS, 1};
  int i;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, x_dims, 2, x));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, t_dims, 2, t));
  for (i = 0; i < ROWS; ++i) {
    float *row = (float*)percale_tensor_get_data(*x) + 2 * i, *target = (float*)percale_tensor_get_data(*t) + i;
    row[0] = (float)(i % 5) / 5;
    row[1] = (float)(i % 8) / 8;
    *target = row[0] - 2 * row[1] + 0.5f;
  }
}

percale_dataset* make_data(void) {
  const char* const names[] = {"x", "t"};
  percale_tensor* tensors[2];
  percale_dataset* data = NULL;
  make_tensors(&tensors[0], &tensors[1]);
  OK(percale_dataset_from_tensors(engine, names, tensors, 2, &data));
  OK(percale_dataset_configure(data, 8, 3, 0));
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
  return data;
}

percale_trainer* make_trainer(const percale_graph* graph) {
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"sgd\", \"learning_rate\": 0.2, \"momentum\": 0.5}"));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set_int(options, "seed", 4));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  percale_options_release(options);
  return trainer;
}

percale_trainer* make_measured(const percale_graph* graph, const char* metrics, percale_dataset* validation) {
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set(options, "metrics", metrics));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  percale_options_release(options);
  return trainer;
}

void digest_of(percale_trainer* trainer, char* out, size_t room) {
  percale_variables* variables = NULL;
  percale_text* text = NULL;
  OK(percale_trainer_variables(trainer, &variables));
  OK(percale_variables_digest(variables, &text));
  snprintf(out, room, "%s", percale_text_data(text, NULL));
  percale_text_release(text);
  percale_variables_release(variables);
}

int32_t watch(void* user, const percale_progress* progress) {
  seen* mine = (seen*)user;
  CHECK(progress->struct_size == sizeof *progress && progress->step == percale_trainer_steps(mine->trainer));
  CHECK(progress->steps_in_epoch == 5 && progress->step_in_epoch >= 1 && progress->step_in_epoch <= 5);
  ++mine->steps;
  mine->epochs += progress->epoch_ended;
  mine->last_loss = progress->loss;
  mine->sum = progress->loss + (progress->step_in_epoch == 1 ? 0 : mine->sum);
  CHECK(fabs(progress->epoch_loss - mine->sum / (double)progress->step_in_epoch) <= 1e-5 * progress->epoch_loss);
  return progress->step == mine->stop_after;
}
