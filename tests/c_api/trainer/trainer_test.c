/* Runs the tests of trainers, and tests that NULL is rejected.
 * Usage: trainer_test FOLDER (exists and is writable) */
#include "trainer_fixture.h"

static void nothing_may_be_null(void) {
  percale_graph *graph = make_graph(), *model = NULL;
  percale_trainer *trainer = NULL, *other = NULL;
  percale_variables* variables = NULL;
  percale_text* text = NULL;
  REFUSES(percale_trainer_create(NULL, graph, NULL, NULL, &trainer), "engine");
  REFUSES(percale_trainer_create(engine, NULL, NULL, NULL, &trainer), "graph");
  REFUSES(percale_trainer_create(engine, graph, NULL, NULL, NULL), "out_trainer");
  OK(percale_trainer_create(engine, graph, NULL, NULL, &other));
  REFUSES(percale_trainer_fit(NULL, NULL, 1, NULL, NULL), "trainer");
  REFUSES(percale_trainer_evaluate(NULL, NULL, &text), "trainer");
  REFUSES(percale_trainer_evaluate(other, NULL, NULL), "out_json");
  REFUSES(percale_trainer_save(NULL, folder), "trainer");
  REFUSES(percale_trainer_save(other, NULL), "folder");
  REFUSES(percale_trainer_restore(NULL, folder), "trainer");
  REFUSES(percale_trainer_restore(other, NULL), "path");
  REFUSES(percale_trainer_model(NULL, &model), "trainer");
  REFUSES(percale_trainer_model(other, NULL), "out_graph");
  REFUSES(percale_trainer_variables(NULL, &variables), "trainer");
  REFUSES(percale_trainer_variables(other, NULL), "out_variables");
  REFUSES(percale_trainer_history(NULL, "csv", &text), "trainer");
  REFUSES(percale_trainer_history(other, NULL, &text), "format");
  REFUSES(percale_trainer_history(other, "csv", NULL), "out_text");
  REFUSES(percale_trainer_describe(NULL, &text), "trainer");
  REFUSES(percale_trainer_describe(other, NULL), "out_json");
  CHECK(percale_trainer_steps(NULL) == 0 && trainer == NULL && model == NULL && variables == NULL && text == NULL);
  percale_trainer_set_trace(NULL, NULL);
  percale_trainer_release(NULL);
  percale_trainer_release(other);
  percale_graph_release(graph);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  OK(percale_engine_create(NULL, &engine));
  test_steps();
  test_checkpoints();
  test_groups();
  test_clusters();
  test_losses_and_metrics();
  test_options();
  nothing_may_be_null();
  percale_engine_release(engine);
  return check_done();
}
