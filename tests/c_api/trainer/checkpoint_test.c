/* Tests checkpoints: they resume with the same bits, reject another job, and keep the history and
 * the learning rate. */
#include <math.h>

#include "trainer_fixture.h"

static void a_checkpoint_goes_on_to_the_same_bits(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *whole = make_trainer(graph), *cut = make_trainer(graph), *resumed = make_trainer(graph);
  seen mine = {NULL, 0, 0, 7, 0, 0};
  char first[128], second[128], path[4000];
  snprintf(path, sizeof path, "%s/checkpoints", folder);
  OK(percale_trainer_fit(whole, data, 4, NULL, NULL));
  mine.trainer = cut;
  percale_dataset_release(data);
  data = make_data();
  OK(percale_trainer_fit(cut, data, 4, watch, &mine)); /* stops in the middle of the second epoch */
  CHECK(percale_trainer_steps(cut) == 7);
  OK(percale_trainer_save(cut, path));
  percale_dataset_release(data);
  data = make_data();
  OK(percale_trainer_restore(resumed, path));
  CHECK(percale_trainer_steps(resumed) == 7);
  OK(percale_trainer_fit(resumed, data, 4, NULL, NULL));
  digest_of(whole, first, sizeof first);
  digest_of(resumed, second, sizeof second);
  CHECK(strcmp(first, second) == 0 && strncmp(first, "sha256:", 7) == 0);
  FAILS(percale_trainer_restore(resumed, "/nowhere"), PERCALE_NOT_FOUND, "/nowhere");
  percale_trainer_release(whole);
  percale_trainer_release(cut);
  percale_trainer_release(resumed);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* The job in a checkpoint is compared with the trainer's: options at once, the data when it is
 * given. */
static void a_checkpoint_of_another_job_is_refused(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *first = make_trainer(graph), *second = NULL;
  percale_options* options = NULL;
  char path[4000], chosen[4100];
  snprintf(path, sizeof path, "%s/identity", folder);
  snprintf(chosen, sizeof chosen, "%s/step-5", path);
  OK(percale_trainer_lock_folder(first, path, 1));
  OK(percale_trainer_fit(first, data, 1, NULL, NULL));
  OK(percale_trainer_save(first, path));
  OK(percale_trainer_fit(first, data, 2, NULL, NULL));
  OK(percale_trainer_save(first, path));

  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"sgd\", \"learning_rate\": 0.1, \"momentum\": 0.5}"));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set_int(options, "shards", 2));
  OK(percale_options_set_int(options, "seed", 4));
  OK(percale_trainer_create(engine, graph, NULL, options, &second));
  FAILS(percale_trainer_restore(second, path), PERCALE_FAILED_PRECONDITION,
        "optimizer.learning_rate: the checkpoint has 0.2, but this job 0.1");
  FAILS(percale_trainer_lock_folder(second, path, 0), PERCALE_UNAVAILABLE, "is locked by this process");
  percale_trainer_release(first); /* also releases its lock */
  FAILS(percale_trainer_lock_folder(second, path, 0), PERCALE_ALREADY_EXISTS, "another run");
  percale_trainer_release(second);

  second = make_trainer(graph);
  OK(percale_trainer_restore(second, chosen));
  CHECK(percale_trainer_steps(second) == 5);
  OK(percale_trainer_lock_folder(second, path, 0));
  OK(percale_dataset_configure(data, 10, 3, 0));
  FAILS(percale_trainer_fit(second, data, 2, NULL, NULL), PERCALE_FAILED_PRECONDITION,
        "data.batch_size: the checkpoint has 8, but this job 10");
  OK(percale_dataset_configure(data, 8, 3, 0));
  OK(percale_trainer_fit(second, data, 2, NULL, NULL));
  CHECK(percale_trainer_steps(second) == 10);
  REFUSES(percale_trainer_lock_folder(NULL, path, 0), "trainer");
  REFUSES(percale_trainer_lock_folder(second, NULL, 0), "folder");
  percale_trainer_release(second);
  percale_options_release(options);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* The restored history keeps the columns of the trainer that saved it. */
static void a_checkpoint_goes_on_with_other_metrics(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *with = make_measured(graph, "[\"mse\", \"mae\"]", data),
                  *without = make_measured(graph, "mae", NULL);
  percale_trainer* again = make_measured(graph, "[\"mse\", \"mae\"]", data);
  percale_text* text = NULL;
  char path[4000], first[128], second[128];
  snprintf(path, sizeof path, "%s/metrics", folder);
  OK(percale_trainer_fit(with, data, 1, NULL, NULL));
  OK(percale_trainer_save(with, path));
  OK(percale_trainer_restore(without, path));
  CHECK(percale_trainer_steps(without) == 5);
  OK(percale_trainer_fit(without, data, 2, NULL, NULL));
  OK(percale_trainer_fit(with, data, 2, NULL, NULL));
  digest_of(with, first, sizeof first);
  digest_of(without, second, sizeof second);
  CHECK(strcmp(first, second) == 0);
  OK(percale_trainer_history(without, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL), "epoch,step,loss,learning_rate,seconds,mae\n", 42) == 0);
  CHECK(strstr(percale_text_data(text, NULL), "nan") == NULL);
  percale_text_release(text);
  snprintf(path, sizeof path, "%s/fewer", folder);
  OK(percale_trainer_save(without, path));
  OK(percale_trainer_restore(again, path));
  OK(percale_trainer_fit(again, data, 3, NULL, NULL));
  OK(percale_trainer_history(again, "csv", &text));
  CHECK(strncmp(percale_text_data(text, NULL),
                "epoch,step,loss,learning_rate,seconds,mse,mae,val_loss,val_mse,val_mae\n", 71) == 0);
  percale_text_release(text);
  percale_trainer_release(with);
  percale_trainer_release(without);
  percale_trainer_release(again);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

static void another_model_takes_over_by_name(void) {
  static const char *const from[] = {"y/*", ""}, *const to[] = {"z/*", "w"}, *const lost[] = {"q/*"};
  percale_graph* graph = make_graph();
  percale_trainer* trainer = make_trainer(graph);
  percale_variables* variables = NULL;
  char path[4000];
  int64_t loaded = -1;
  snprintf(path, sizeof path, "%s/taken", folder);
  OK(percale_trainer_save(trainer, path));
  OK(percale_variables_create(engine, graph, 9, &variables));
  OK(percale_variables_load_mapped(variables, path, from, to, 2, 1, &loaded));
  CHECK(loaded == 2); /* no rule covers y/kernel and y/bias */
  FAILS(percale_variables_load_mapped(variables, path, lost, from, 1, 0, &loaded), PERCALE_NOT_FOUND, "'q/");
  CHECK(loaded == 0);
  REFUSES(percale_variables_load_mapped(NULL, path, from, to, 2, 1, &loaded), "variables");
  REFUSES(percale_variables_load_mapped(variables, path, NULL, to, 2, 1, &loaded), "from");
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_graph_release(graph);
}

typedef struct {
  percale_trainer* trainer;
  double rates[10];
  size_t count;
} rates;

/* Halves the rate after each step. */
static int32_t halve(void* user, const percale_progress* progress) {
  rates* seen = user;
  if (seen->count < 10) seen->rates[seen->count++] = progress->learning_rate;
  OK(percale_trainer_set_learning_rate(seen->trainer, progress->learning_rate / 2));
  return 0;
}

static void the_learning_rate_is_set_between_steps_and_kept_in_checkpoints(void) {
  percale_graph* graph = make_graph();
  percale_dataset* data = make_data();
  percale_trainer *trainer = make_trainer(graph), *resumed = make_trainer(graph), *cycled = NULL;
  percale_options* options = NULL;
  percale_text* text = NULL;
  rates seen = {NULL, {0}, 0};
  char path[4000];
  size_t i;
  seen.trainer = trainer;
  OK(percale_trainer_fit(trainer, data, 1, halve, &seen));
  CHECK(seen.count == 5);
  for (i = 0; i < seen.count; ++i) CHECK(fabs(seen.rates[i] - 0.2 / (double)(1 << i)) < 1e-15);
  snprintf(path, sizeof path, "%s/rates", folder);
  OK(percale_trainer_save(trainer, path));
  OK(percale_trainer_restore(resumed, path));
  OK(percale_trainer_describe(resumed, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"learning_rate\":0.00625,") != NULL);
  percale_text_release(text);
  FAILS(percale_trainer_set_learning_rate(trainer, -1), PERCALE_INVALID_ARGUMENT, "the learning rate is -1");
  FAILS(percale_trainer_set_learning_rate(trainer, NAN), PERCALE_INVALID_ARGUMENT, "the learning rate is nan");
  REFUSES(percale_trainer_set_learning_rate(NULL, 1), "trainer");
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set(options, "loss", "loss"));
  OK(percale_options_set(
      options, "schedule",
      "[{\"name\": \"warm_up\", \"steps\": 3}, {\"name\": \"one_cycle\", \"max_learning_rate\": 1}]"));
  OK(percale_trainer_create(engine, graph, NULL, options, &cycled));
  FAILS(percale_trainer_set_learning_rate(cycled, 1), PERCALE_FAILED_PRECONDITION, "max_learning_rate");
  percale_options_release(options);
  percale_trainer_release(cycled);
  percale_trainer_release(trainer);
  percale_trainer_release(resumed);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

void test_checkpoints(void) {
  a_checkpoint_goes_on_to_the_same_bits();
  a_checkpoint_of_another_job_is_refused();
  a_checkpoint_goes_on_with_other_metrics();
  another_model_takes_over_by_name();
  the_learning_rate_is_set_between_steps_and_kept_in_checkpoints();
}
