/* Checks that a host that loads, trains and unloads repeatedly has as much memory, as many threads
 * and as many open files at the end as at the beginning.
 * Usage: cycles FOLDER [CYCLES] */
#include <stdlib.h>

#include "check.h"
#include "host.h"

static char graph_path[4000], checkpoints[4000];

static void write_graph(void) {
  percale_engine* engine = NULL;
  percale_graph* graph = NULL;
  OK(host_make_engine(1, NULL, 0, &engine));
  OK(host_make_graph(engine, &graph));
  OK(percale_graph_save_file(graph, NULL, graph_path));
  percale_graph_release(graph);
  percale_engine_release(engine);
}

/* A host's complete use of the library: an engine with threads, a model from a file, training, a
 * checkpoint, serving. */
static void live(int save) {
  static const char* const names[2] = {"x", "t"};
  static const char* const fetch = "y";
  percale_engine* engine = NULL;
  percale_graph *graph = NULL, *model = NULL;
  percale_trainer* trainer = NULL;
  percale_dataset* data = NULL;
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_event* event = NULL;
  percale_tensor *batch[2], *y = NULL;
  OK(host_make_engine(3, NULL, 0, &engine));
  OK(percale_graph_load_file(engine, graph_path, &graph));
  OK(host_make_batch(engine, HOST_ROWS, batch));
  OK(percale_dataset_from_tensors(engine, names, batch, 2, &data));
  OK(percale_dataset_configure(data, 8, 1, 0));
  OK(host_make_trainer(engine, graph, &trainer));
  OK(percale_trainer_fit(trainer, data, 2, NULL, NULL));
  if (save) {
    OK(percale_trainer_save(trainer, checkpoints));
    OK(percale_trainer_restore(trainer, checkpoints));
  }
  OK(percale_trainer_variables(trainer, &variables));
  OK(percale_trainer_model(trainer, &model));
  OK(percale_session_create(engine, model, variables, NULL, &session));
  OK(percale_session_run_async(session, names, batch, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, &event));
  OK(percale_event_wait(event, PERCALE_FOREVER));
  OK(percale_event_result(event, 0, &y));
  percale_tensor_release(y);
  percale_event_release(event);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_graph_release(model);
  percale_graph_release(graph);
  percale_engine_release(engine);
}

enum { kRounds = 3 };

int main(int argc, char** argv) {
  const int64_t cycles = argc > 2 ? strtoll(argv[2], NULL, 10) : 100, warm_up = cycles / 5 + 60;
  int64_t i, files, threads, first = 0, last = 0, at_most = 0;
  int round, grew = 1;
  if (argc < 2) return 2;
  snprintf(graph_path, sizeof graph_path, "%s/cycles.percale", argv[1]);
  snprintf(checkpoints, sizeof checkpoints, "%s/cycles-checkpoints", argv[1]);
  host_remove_tree(checkpoints);
  write_graph();
  for (i = 0; i < warm_up; ++i) live(i % 10 == 0);
  files = host_count_entries("/proc/self/fd");
  threads = host_count_entries("/proc/self/task");
  /* The allocator may use more memory once; a leak grows in every round. */
  for (round = 0; round < kRounds && grew && check_failures == 0; ++round) {
    first = host_resident_bytes();
    for (i = 0; i < cycles && check_failures == 0; ++i) {
      live(i % 10 == 0);
      CHECK(host_count_entries("/proc/self/fd") == files);
      CHECK(host_count_entries("/proc/self/task") == threads);
      if (host_resident_bytes() > at_most) at_most = host_resident_bytes();
    }
    last = host_resident_bytes();
    printf("%lld cycles after %lld to warm up: resident %lld -> %lld bytes (at most %lld), %lld files, %lld threads\n",
           (long long)cycles, (long long)(warm_up + round * cycles), (long long)first, (long long)last,
           /* Without "." and "..". */
           (long long)at_most, (long long)files - 2, (long long)threads - 2);
    /* A leak of 400 bytes in each of 1,000 cycles exceeds this limit. */
    grew = last - first >= 320 * 1024 + 64 * cycles;
  }
  CHECK(!grew);
  return check_done();
}
