/* Tests the losses and metrics that a trainer's options add to a graph. */
#include "trainer_fixture.h"

/* A SPEC's loss of y and t equals the graph's own. Several losses are added with their weights,
 * and each is reported. */
static void a_graph_has_a_loss_as_a_spec_has(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_options* options = NULL;
  percale_trainer *own = make_measured(graph, "mae", NULL), *trainer = NULL;
  percale_text* text = NULL;
  double loss = 0, wanted = 0, absolute = 0, sum = 0, first = 0, second = 0;
  OK(percale_trainer_evaluate(own, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf,\"mae\":%lf}", &wanted, &absolute) == 2);
  percale_text_release(text);
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set(options, "loss", "{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\"}"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf}", &loss) == 1);
  CHECK(wanted > 0 && loss > wanted * 0.99999 && loss < wanted * 1.00001);
  percale_text_release(text);
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  OK(percale_trainer_set_validation(trainer, data)); /* also after steps */
  OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds,val_loss\n", 47) == 0);
  percale_text_release(text);
  percale_trainer_release(trainer);
  OK(percale_options_set(options, "loss",
                         "[{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\"}, {\"name\": \"mae\", "
                         "\"predictions\": \"y\", \"labels\": \"t\", \"weight\": 0.5}]"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "two losses use the predictions 'y'");
  OK(percale_options_set(options, "loss",
                         "[{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\"}, {\"name\": \"mae\", "
                         "\"predictions\": \"t\", \"labels\": \"t\", \"weight\": 0.5}]"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf,\"y_loss\":%lf,\"t_loss\":%lf}", &sum, &first, &second) ==
        3);
  CHECK(first > wanted * 0.99999 && first < wanted * 1.00001 && second == 0 && sum > first * 0.99999 &&
        sum < first * 1.00001);
  percale_text_release(text);
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "loss", "{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"u\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_NOT_FOUND, "has no input 'u'");
  OK(percale_options_set(options, "loss", "{\"name\": \"mse\", \"predictions\": \"y\", \"label\": \"t\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "did you mean 'labels'");
  percale_trainer_release(own);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* The graph's loss is the mean squared error of y and t, so the metric gives the same number. */
static void a_graph_has_metrics_as_a_spec_has(void) {
  percale_graph* graph = make_graph();
  percale_dataset *data = make_data(), *validation = make_data();
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_text* text = NULL;
  double loss = 0, mse = 0, mae = -1;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "metrics",
                         "[\"mse\", {\"name\": \"distance\", \"metric\": \"mae\", \"predictions\": \"y\", "
                         "\"labels\": \"t\"}]"));
  OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"val_distance\", \"patience\": 9}"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf,\"mse\":%lf,\"distance\":%lf}", &loss, &mse, &mae) == 3);
  CHECK(loss > 0 && mse > loss * 0.99999 && mse < loss * 1.00001 && mae > 0 && mae * mae <= mse);
  percale_text_release(text);
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL),
                "epoch,step,loss,learning_rate,seconds,mse,distance,val_loss,val_mse,val_distance\n", 81) == 0);
  percale_text_release(text);
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"loss\"}"));
  OK(percale_options_set(options, "metrics", "mae"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "metrics", "maee"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "did you mean 'mae'");
  OK(percale_options_set(options, "metrics", "[\"mae\", \"mae\"]"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "two metrics have the name 'mae'");
  OK(percale_options_set(options, "metrics", "{\"name\": \"mae\", \"labels\": \"tt\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_NOT_FOUND, "metric 'mae'");
  OK(percale_options_set(options, "metrics", "{\"name\": \"mae\", \"predictions\": \"loss\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "does not need are none");
  OK(percale_options_set(options, "metrics", "{\"name\": \"mae\", \"label\": \"t\"}"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT,
        "did you mean 'labels'");
  CHECK(trainer == NULL);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_dataset_release(validation);
  percale_graph_release(graph);
}

/* The loss with weights for even and odd rows. The labels of odd rows are `off` larger. */
static double weighted_loss(percale_trainer* trainer, float even, float odd, float off) {
  const char* const names[] = {"x", "t", "w"};
  const int64_t dims[1] = {ROWS};
  percale_tensor* tensors[3];
  percale_dataset* data = NULL;
  percale_text* text = NULL;
  double loss = -1;
  int i;
  make_tensors(&tensors[0], &tensors[1]);
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 1, &tensors[2]));
  for (i = 0; i < ROWS; ++i) {
    ((float*)percale_tensor_get_data(tensors[2]))[i] = i % 2 == 0 ? even : odd;
    if (i % 2 != 0) ((float*)percale_tensor_get_data(tensors[1]))[i] += off;
  }
  OK(percale_dataset_from_tensors(engine, names, tensors, 3, &data));
  OK(percale_dataset_configure(data, 8, -1, 0));
  for (i = 0; i < 3; ++i) percale_tensor_release(tensors[i]);
  OK(percale_trainer_evaluate(trainer, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf", &loss) == 1);
  percale_text_release(text);
  percale_dataset_release(data);
  return loss;
}

static void a_loss_takes_the_weights_of_rows_from_an_input(void) {
  const int64_t w_dims[1] = {-1};
  percale_graph *graph = make_graph(), *weighted = NULL;
  percale_dataset* data = make_data();
  percale_builder* builder = NULL;
  percale_options* options = NULL;
  percale_trainer *own = make_measured(graph, "mae", NULL), *trainer = NULL;
  percale_text* text = NULL;
  percale_value w;
  double wanted = 0, whole, half;
  OK(percale_trainer_evaluate(own, data, &text));
  CHECK(sscanf(percale_text_data(text, NULL), "{\"loss\":%lf", &wanted) == 1);
  percale_text_release(text);
  OK(percale_builder_from_graph(engine, graph, &builder));
  OK(percale_builder_input(builder, "w", PERCALE_DTYPE_F32, w_dims, 1, &w));
  OK(percale_builder_finish(builder, &weighted));
  percale_builder_release(builder);
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss",
                         "{\"name\": \"mse\", \"predictions\": \"y\", \"labels\": \"t\", \"sample_weight\": \"w\"}"));
  OK(percale_trainer_create(engine, weighted, NULL, options, &trainer));
  whole = weighted_loss(trainer, 2, 2, 0);
  CHECK(wanted > 0 && whole > wanted * 0.99999 && whole < wanted * 1.00001);
  half = weighted_loss(trainer, 1, 0, 0);
  CHECK(half > 0 && half == weighted_loss(trainer, 1, 0, 100));
  CHECK(weighted_loss(trainer, 1, 1, 100) > whole);
  percale_trainer_release(trainer);
  percale_trainer_release(own);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_graph_release(weighted);
  percale_graph_release(graph);
}

void test_losses_and_metrics(void) {
  a_graph_has_a_loss_as_a_spec_has();
  a_loss_takes_the_weights_of_rows_from_an_input();
  a_graph_has_metrics_as_a_spec_has();
}
