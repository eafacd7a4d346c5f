/* Checks that a memory limit is hard. With 5 % more than the planned peak everything runs. With 5
 * % less a run ends with RESOURCE_EXHAUSTED, and the session remains usable for smaller ones. */
#include "check.h"
#include "host.h"

enum { LARGE = 4096, SMALL = 64, STEPS = 3 };

/* The shared net with a training step as a target. */
static percale_graph* make_training_graph(percale_engine* engine, char target[64]) {
  percale_graph *net = NULL, *graph = NULL;
  percale_builder* builder = NULL;
  percale_value loss;
  const char* name = NULL;
  OK(host_make_graph(engine, &net));
  OK(percale_builder_from_graph(engine, net, &builder));
  OK(percale_builder_find_value(builder, "loss", &loss));
  OK(percale_builder_minimize(builder, loss, "adam", &name));
  snprintf(target, 64, "%s", name == NULL ? "" : name);
  OK(percale_builder_finish(builder, &graph));
  percale_builder_release(builder);
  percale_graph_release(net);
  return graph;
}

/* Runs some steps, each of which also computes y. Returns the first error. */
static percale_status* train(percale_session* session, percale_tensor* const batch[2], const char* target) {
  static const char* const feeds[2] = {"x", "t"};
  static const char* const fetches[2] = {"loss", "y"};
  percale_status* status = NULL;
  int i;
  for (i = 0; i < STEPS; ++i) {
    percale_tensor* results[2] = {NULL, NULL};
    TRY(percale_session_run(session, feeds, batch, 2, fetches, 2, &target, 1, PERCALE_FOREVER, results));
    percale_tensor_release(results[0]);
    percale_tensor_release(results[1]);
  }
out:
  return status;
}

typedef struct peaks {
  long long planned, measured;
} peaks;

static peaks peaks_of(percale_session* session) {
  percale_text* text = NULL;
  const char *planned, *measured;
  peaks out = {-1, -1};
  OK(percale_session_stats(session, &text));
  planned = strstr(percale_text_data(text, NULL), "\"planned_peak_bytes\":");
  measured = strstr(percale_text_data(text, NULL), "\"measured_peak_bytes\":");
  CHECK(planned != NULL && sscanf(planned, "\"planned_peak_bytes\":%lld", &out.planned) == 1);
  CHECK(measured != NULL && sscanf(measured, "\"measured_peak_bytes\":%lld", &out.measured) == 1);
  percale_text_release(text);
  return out;
}

/* One engine, session and table of variables. A limit of 0 means none. The engine's limit is added
 * to what it holds once the session exists. */
typedef struct world {
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_tensor *large[2], *small[2];
  char target[64];
  int64_t held; /* bytes held by the engine before any run */
} world;

static world make_world(int64_t engine_limit, int64_t session_limit) {
  world w;
  percale_options* options = NULL;
  memset(&w, 0, sizeof w);
  OK(host_make_engine(1, "memory_limit", engine_limit, &w.engine));
  w.graph = make_training_graph(w.engine, w.target);
  OK(percale_variables_create(w.engine, w.graph, 1, &w.variables));
  OK(host_make_batch(w.engine, LARGE, w.large));
  OK(host_make_batch(w.engine, SMALL, w.small));
  OK(percale_options_create("session", &options));
  OK(percale_options_set_int(options, "memory_limit", session_limit));
  OK(percale_session_create(w.engine, w.graph, w.variables, options, &w.session));
  percale_options_release(options);
  percale_engine_memory(w.engine, &w.held, NULL);
  return w;
}

static void end_world(world* w) {
  int64_t used = -1;
  percale_session_release(w->session);
  percale_tensor_release(w->large[0]);
  percale_tensor_release(w->large[1]);
  percale_tensor_release(w->small[0]);
  percale_tensor_release(w->small[1]);
  percale_variables_release(w->variables);
  percale_graph_release(w->graph);
  percale_engine_memory(w->engine, &used, NULL);
  CHECK(used == 0);
  percale_engine_release(w->engine);
}

static void runs_out(world* w) {
  FAILS(train(w->session, w->large, w->target), PERCALE_RESOURCE_EXHAUSTED, "memory limit");
  OK(train(w->session, w->small, w->target));
}

static void a_limit_is_the_planned_peak(void) {
  world w = make_world(0, 0);
  peaks seen;
  int64_t held = w.held, peak = 0;
  OK(train(w.session, w.large, w.target));
  seen = peaks_of(w.session);
  percale_engine_memory(w.engine, NULL, &peak);
  printf("planned peak %lld bytes, measured %lld (%+.2f %%), engine %lld\n", seen.planned, seen.measured,
         100.0 * (double)(seen.measured - seen.planned) / (double)seen.planned, (long long)(peak - held));
  CHECK(seen.planned > 1000000);
  CHECK(seen.measured <= seen.planned + seen.planned / 20 && seen.measured >= seen.planned - seen.planned / 20);
  CHECK(peak - held <= seen.planned + seen.planned / 20 && peak - held >= seen.planned - seen.planned / 20);
  end_world(&w);

  w = make_world(0, seen.planned + seen.planned / 20);
  OK(train(w.session, w.large, w.target));
  CHECK(peaks_of(w.session).measured <= seen.planned + seen.planned / 20);
  end_world(&w);
  w = make_world(0, seen.planned - seen.planned / 20);
  runs_out(&w);
  CHECK(peaks_of(w.session).measured <= seen.planned - seen.planned / 20);
  end_world(&w);

  w = make_world(held + seen.planned + seen.planned / 20, 0);
  OK(train(w.session, w.large, w.target));
  end_world(&w);
  w = make_world(held + seen.planned - seen.planned / 20, 0);
  runs_out(&w);
  end_world(&w);
}

/* Memory kept from earlier runs with other shapes is released. */
static void plans_of_other_shapes_do_not_fill_a_session(void) {
  world w = make_world(0, 0);
  peaks seen;
  int64_t rows;
  OK(train(w.session, w.large, w.target));
  seen = peaks_of(w.session);
  end_world(&w);
  w = make_world(0, seen.planned + seen.planned / 20);
  for (rows = LARGE; rows > LARGE - 5; --rows) {
    percale_tensor* batch[2];
    OK(host_make_batch(w.engine, rows, batch));
    OK(train(w.session, batch, w.target));
    percale_tensor_release(batch[0]);
    percale_tensor_release(batch[1]);
  }
  end_world(&w);
}

int main(void) {
  a_limit_is_the_planned_peak();
  plans_of_other_shapes_do_not_fill_a_session();
  return check_done();
}
