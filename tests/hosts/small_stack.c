/* Checks that everything works on a thread with a stack of 128 KiB, the smallest size that common
 * runtimes use.
 * Usage: small_stack FOLDER */
#define _GNU_SOURCE
#include <pthread.h>

#include "check.h"
#include "host.h"

enum { STACK_BYTES = 128 * 1024 };

static char graph_path[4000], checkpoints[4000];

static percale_status* work(void) {
  percale_engine* engine = NULL;
  percale_graph *built = NULL, *graph = NULL, *model = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_tensor *batch[2] = {NULL, NULL}, *y = NULL;
  percale_text* text = NULL;
  percale_status* status = NULL;
  TRY(host_make_engine(2, NULL, 0, &engine));
  TRY(host_make_graph(engine, &built));
  TRY(percale_graph_save_file(built, NULL, graph_path));
  TRY(percale_graph_load_file(engine, graph_path, &graph));
  TRY(host_make_batch(engine, 256, batch));
  TRY(host_make_trainer(engine, graph, &trainer));
  TRY(host_step(trainer, batch));
  TRY(percale_trainer_save(trainer, checkpoints));
  TRY(percale_trainer_restore(trainer, checkpoints));
  TRY(percale_trainer_history(trainer, "svg", &text));
  percale_text_release(text);
  text = NULL;
  TRY(percale_engine_describe(engine, "ops", &text));
  TRY(percale_trainer_variables(trainer, &variables));
  TRY(percale_trainer_model(trainer, &model));
  TRY(percale_session_create(engine, model, variables, NULL, &session));
  TRY(host_run(session, batch[0], &y));
out:
  percale_text_release(text);
  percale_tensor_release(y);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_graph_release(model);
  percale_graph_release(graph);
  percale_graph_release(built);
  percale_engine_release(engine);
  return status;
}

static void* on_thread(void* unused) {
  (void)unused;
  return work();
}

int main(int argc, char** argv) {
  pthread_attr_t attributes;
  pthread_t thread;
  void* status = NULL;
  if (argc < 2) return 2;
  snprintf(graph_path, sizeof graph_path, "%s/small-stack.percale", argv[1]);
  snprintf(checkpoints, sizeof checkpoints, "%s/small-stack-checkpoints", argv[1]);
  host_remove_tree(checkpoints);
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0);
  if (pthread_create(&thread, &attributes, on_thread, NULL) != 0) return 2;
  pthread_join(thread, &status);
  OK((percale_status*)status);
  pthread_attr_destroy(&attributes);
  return check_done();
}
