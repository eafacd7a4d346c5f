/* Tests a trainer's options and the SPEC of a job. */
#include "trainer_fixture.h"

static void versions_are_published_when_the_option_says(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "publish", "2"));
  OK(percale_variables_create(engine, graph, 1, &variables));
  OK(percale_trainer_create(engine, graph, variables, options, &trainer));
  CHECK(percale_variables_version(variables) == 1);
  /* Five steps: saves after two, four and at the end. */
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  CHECK(percale_variables_version(variables) == 4);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  data = make_data();
  OK(percale_options_set(options, "publish", "hand"));
  OK(percale_trainer_create(engine, graph, variables, options, &trainer));
  OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
  CHECK(percale_variables_version(variables) == 4);
  OK(percale_trainer_publish(trainer));
  CHECK(percale_variables_version(variables) == 5);
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "publish", "late"));
  FAILS(percale_trainer_create(engine, graph, variables, options, &trainer), PERCALE_INVALID_ARGUMENT, "'late'");
  REFUSES(percale_trainer_publish(NULL), "trainer");
  percale_options_release(options);
  percale_variables_release(variables);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

static void options_say_how_it_trains(void) {
  percale_graph* graph = make_graph();
  percale_dataset *data = make_data(), *validation = make_data();
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_text* text = NULL;
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"lion\", \"learning_rate\": 0.01}"));
  OK(percale_options_set(options, "schedule", "{\"name\": \"plateau\", \"monitor\": \"val_loss\", \"patience\": 1}"));
  OK(percale_options_set(options, "groups", "[{\"pattern\": \"y/*\", \"learning_rate_factor\": 0.5}]"));
  OK(percale_options_set(options, "freeze", "y/bias,y/b*"));
  OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"val_loss\", \"patience\": 4}"));
  OK(percale_options_set_float(options, "ema", 0.5));
  OK(percale_options_set_float(options, "clip_each_norm", 1));
  OK(percale_options_set_int(options, "keep_last", 1));
  OK(percale_options_set(options, "recompute", "1000000"));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  OK(percale_trainer_fit(trainer, data, 3, NULL, NULL));
  OK(percale_trainer_history(trainer, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds,val_loss\n", 47) == 0);
  percale_text_release(text);
  OK(percale_trainer_describe(trainer, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"parameters\":3,\"trainable\":2,") != NULL);
  /* A million bytes suffice. */
  CHECK(strstr(percale_text_data(text, NULL), "\"recomputes\":false,") != NULL);
  percale_text_release(text);
  OK(percale_trainer_set_validation(trainer, NULL)); /* also after steps */
  percale_trainer_release(trainer);
  OK(percale_options_set_int(options, "accumulation", 3));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  percale_dataset_release(data);
  data = make_data();
  FAILS(percale_trainer_fit(trainer, data, 1, NULL, NULL), PERCALE_FAILED_PRECONDITION, "validation");
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  data = make_data();
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  /* Five batches: steps of three and of two. */
  OK(percale_trainer_fit(trainer, data, 1, NULL, NULL));
  CHECK(percale_trainer_steps(trainer) == 2);
  percale_trainer_release(trainer);
  trainer = NULL;
  {
    const char* const names[] = {"x", "t"};
    percale_tensor* batch[2];
    double loss = -1;
    int i;
    make_tensors(&batch[0], &batch[1]);
    OK(percale_options_set(options, "schedule", "constant"));
    OK(percale_options_set(options, "early_stopping", "{\"restore_best_weights\": true}"));
    OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
    for (i = 1; i <= 7; ++i) { /* steps of three batches */
      OK(percale_trainer_step(trainer, names, batch, 2, &loss));
      CHECK(loss > 0 && percale_trainer_steps(trainer) == i / 3);
    }
    FAILS(percale_trainer_save(trainer, "/nowhere"), PERCALE_FAILED_PRECONDITION, "1 of its 3");
    percale_tensor_release(batch[0]);
    percale_tensor_release(batch[1]);
    percale_trainer_release(trainer);
    trainer = NULL;
    OK(percale_options_set(options, "early_stopping", "{\"monitor\": \"val_loss\", \"patience\": 4}"));
  }
  OK(percale_options_set(options, "freeze", "z/*"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "'z/*'");
  OK(percale_options_set(options, "recompute", "sometimes"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "'sometimes'");
  OK(percale_options_set(options, "recompute", "10"));
  OK(percale_options_set(options, "freeze", ""));
  OK(percale_trainer_create(engine, graph, NULL, options, &trainer));
  OK(percale_trainer_set_validation(trainer, validation));
  FAILS(percale_trainer_fit(trainer, data, 1, NULL, NULL), PERCALE_RESOURCE_EXHAUSTED, "'recompute' allows 10");
  percale_trainer_release(trainer);
  trainer = NULL;
  OK(percale_options_set(options, "groups", "[], \"epochs\": 7"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "column 3");
  OK(percale_options_set(options, "groups", "[{"));
  FAILS(percale_trainer_create(engine, graph, NULL, options, &trainer), PERCALE_INVALID_ARGUMENT, "");
  REFUSES(percale_trainer_set_validation(NULL, data), "trainer");
  percale_options_release(options);
  percale_dataset_release(data);
  percale_dataset_release(validation);
  percale_graph_release(graph);
}

static void a_spec_is_refused_where_it_is_wrong(void) {
  static const char kSpec[] =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 1}], \"input_shape\": [2], \"loss\": \"mean_squared_error\", "
      "\"optimizr\": \"sgd\"}";
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  FAILS(percale_trainer_from_spec(engine, kSpec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer),
        PERCALE_INVALID_ARGUMENT, "optimizer");
  FAILS(percale_trainer_from_spec(engine, "{", 1, NULL, NULL, NULL, &trainer), PERCALE_INVALID_ARGUMENT, "line 1");
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "optimizer", "sgd"));
  FAILS(percale_trainer_from_spec(engine, kSpec, PERCALE_NUL_ENDED, NULL, NULL, options, &trainer),
        PERCALE_INVALID_ARGUMENT, "'optimizer' stands in the SPEC");
  percale_options_release(options);
  REFUSES(percale_trainer_from_spec(NULL, kSpec, 1, NULL, NULL, NULL, &trainer), "engine");
  REFUSES(percale_trainer_from_spec(engine, NULL, 1, NULL, NULL, NULL, &trainer), "spec");
  REFUSES(percale_trainer_from_spec(engine, kSpec, 1, NULL, NULL, NULL, NULL), "out_trainer");
  CHECK(trainer == NULL);
}

void test_options(void) {
  versions_are_published_when_the_option_says();
  options_say_how_it_trains();
  a_spec_is_refused_where_it_is_wrong();
}
