/* Tests sessions: runs, training steps of a graph, and variables. Every misuse returns an error.
 * main() also runs the tests of prepared calls, events and explanations. */
#include "session_fixture.h"

static void any_value_is_fetched_and_fed_by_name(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const char* const loss_name[] = {"loss"};
  const char* const yt_names[] = {"y", "t"};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = floats(kX, 2, 2, 2), *t = floats(kT, 2, 2, 1), *y = NULL, *loss = NULL, *feeds[2];
  percale_text* text = NULL;
  feeds[0] = x;
  OK(percale_session_run(session, x_name, feeds, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y));
  CHECK(percale_tensor_rank(y) == 2 && percale_tensor_get_dims(y)[0] == 2);
  CHECK(((float*)percale_tensor_get_data(y))[0] == 0.5f && ((float*)percale_tensor_get_data(y))[1] == 0.5f);
  feeds[0] = y;
  feeds[1] = t;
  OK(percale_session_run(session, yt_names, feeds, 2, loss_name, 1, NULL, 0, PERCALE_FOREVER, &loss));
  CHECK(*(float*)percale_tensor_get_data(loss) == (2.5f * 2.5f + 4.5f * 4.5f) / 2);
  OK(percale_session_stats(session, &text));
  CHECK(strstr(percale_text_data(text, NULL), "\"runs\":2") != NULL);
  percale_text_release(text);
  percale_tensor_release(x);
  percale_tensor_release(t);
  percale_tensor_release(y);
  percale_tensor_release(loss);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_run_tells_which_version_of_the_variables_it_read(void) {
  static const float kNew[2] = {1, 1};
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const char* const typo[] = {"yy"};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = floats(kX, 2, 2, 2), *next = floats(kNew, 2, 2, 1), *y = NULL;
  int64_t version = -1;
  OK(percale_session_run_versioned(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, &version));
  CHECK(version == 1 && ((float*)percale_tensor_get_data(y))[0] == 0.5f);
  percale_tensor_release(y);
  OK(percale_variables_assign(variables, "w", next));
  OK(percale_session_run_versioned(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, &version));
  CHECK(version == 2 && ((float*)percale_tensor_get_data(y))[0] == 4.0f);
  percale_tensor_release(y);
  FAILS(percale_session_run_versioned(session, x_name, &x, 1, typo, 1, NULL, 0, PERCALE_FOREVER, &y, &version),
        PERCALE_NOT_FOUND, "yy");
  CHECK(version == 0 && y == NULL);
  OK(percale_session_run_versioned(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, NULL));
  percale_tensor_release(y);
  FAILS(percale_session_run_versioned(NULL, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y, &version),
        PERCALE_INVALID_ARGUMENT, "session run: 'session' is NULL");
  percale_tensor_release(x);
  percale_tensor_release(next);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_run_that_is_misused_says_what_is_wrong(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  const char* const none[] = {NULL};
  const char* const typo[] = {"yy"};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session *session = make_session(graph, &variables), *none_session = NULL;
  percale_tensor *x = floats(kX, 2, 2, 2), *flat = floats(kX, 1, 4, 0), *y = NULL, *empty = NULL;
  FAILS(percale_session_run(session, x_name, &x, 1, typo, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_NOT_FOUND, "yy");
  FAILS(percale_session_run(session, x_name, &flat, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y),
        PERCALE_INVALID_ARGUMENT, "x");
  FAILS(percale_session_run(session, NULL, NULL, 0, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_INVALID_ARGUMENT,
        "x");
  FAILS(percale_session_run(session, x_name, &empty, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y),
        PERCALE_INVALID_ARGUMENT, "'feeds[0]' is NULL");
  FAILS(percale_session_run(session, none, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), PERCALE_INVALID_ARGUMENT,
        "'feed_names[0]' is NULL");
  REFUSES(percale_session_run(NULL, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), "session");
  REFUSES(percale_session_run(session, NULL, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), "feed_names");
  REFUSES(percale_session_run(session, x_name, NULL, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y), "feeds");
  REFUSES(percale_session_run(session, x_name, &x, 1, NULL, 1, NULL, 0, PERCALE_FOREVER, &y), "fetch_names");
  REFUSES(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 1, PERCALE_FOREVER, &y), "target_names");
  REFUSES(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, NULL), "out_fetches");
  REFUSES(percale_session_create(NULL, graph, variables, NULL, &none_session), "engine");
  REFUSES(percale_session_create(engine, NULL, variables, NULL, &none_session), "graph");
  REFUSES(percale_session_create(engine, graph, variables, NULL, NULL), "out_session");
  FAILS(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, 0, &y), PERCALE_DEADLINE_EXCEEDED, "");
  CHECK(y == NULL && none_session == NULL);
  percale_session_cancel(NULL);
  percale_session_cancel(session);
  OK(percale_session_run(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &y));
  percale_tensor_release(x);
  percale_tensor_release(flat);
  percale_tensor_release(y);
  percale_session_release(session);
  percale_session_release(NULL);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void a_step_trains_the_variables(void) {
  const char* const names[] = {"x", "t"};
  const char* const loss_name[] = {"loss"};
  const char* target = NULL;
  percale_graph* graph = make_graph(&target);
  percale_variables* variables = NULL;
  percale_session* session = make_session(graph, &variables);
  percale_tensor *feeds[2], *loss = NULL, *w = NULL;
  percale_text *before = NULL, *after = NULL;
  float first = 0, last = 0;
  int i;
  CHECK(target != NULL);
  feeds[0] = floats(kX, 2, 2, 2);
  feeds[1] = floats(kT, 2, 2, 1);
  OK(percale_variables_digest(variables, &before));
  for (i = 0; i < 20; ++i) {
    OK(percale_session_run(session, names, feeds, 2, loss_name, 1, &target, 1, PERCALE_FOREVER, &loss));
    last = *(float*)percale_tensor_get_data(loss);
    if (i == 0) first = last;
    percale_tensor_release(loss);
    loss = NULL;
  }
  CHECK(first == 13.25f && last < 3.0f);
  CHECK(percale_variables_version(variables) == 21);
  OK(percale_variables_digest(variables, &after));
  CHECK(strncmp(percale_text_data(after, NULL), "sha256:", 7) == 0);
  CHECK(strcmp(percale_text_data(before, NULL), percale_text_data(after, NULL)) != 0);
  OK(percale_variables_value(variables, "w", &w));
  CHECK(((float*)percale_tensor_get_data(w))[0] != 0.5f);
  percale_text_release(before);
  percale_text_release(after);
  percale_tensor_release(w);
  percale_tensor_release(feeds[0]);
  percale_tensor_release(feeds[1]);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

static void variables_are_read_and_assigned_by_name(void) {
  static const float kNew[2] = {7, 8};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *value = NULL, *next = floats(kNew, 2, 2, 1), *wrong = floats(kNew, 1, 2, 0);
  percale_text* text = NULL;
  CHECK(percale_variables_count(variables) == 1 && strcmp(percale_variables_get_name(variables, 0), "w") == 0);
  CHECK(percale_variables_get_name(variables, 1) == NULL && percale_variables_version(variables) == 1);
  OK(percale_variables_assign(variables, "w", next));
  ((float*)percale_tensor_get_data(next))[0] = 0; /* the table has its own copy */
  OK(percale_variables_value(variables, "w", &value));
  CHECK(((float*)percale_tensor_get_data(value))[0] == 7 && percale_variables_version(variables) == 2);
  percale_tensor_release(value);
  FAILS(percale_variables_assign(variables, "w", wrong), PERCALE_INVALID_ARGUMENT, "wanted f32 [2,1]");
  FAILS(percale_variables_value(variables, "ww", &value), PERCALE_NOT_FOUND, "did you mean 'w'");
  REFUSES(percale_variables_assign(NULL, "w", next), "variables");
  REFUSES(percale_variables_assign(variables, NULL, next), "name");
  REFUSES(percale_variables_assign(variables, "w", NULL), "value");
  REFUSES(percale_variables_value(NULL, "w", &value), "variables");
  REFUSES(percale_variables_value(variables, NULL, &value), "name");
  REFUSES(percale_variables_value(variables, "w", NULL), "out_tensor");
  REFUSES(percale_variables_digest(NULL, &text), "variables");
  REFUSES(percale_variables_digest(variables, NULL), "out_digest");
  percale_variables_release(variables);
  REFUSES(percale_variables_create(NULL, graph, 0, &variables), "engine");
  CHECK(percale_variables_count(NULL) == 0 && percale_variables_get_name(NULL, 0) == NULL);
  CHECK(percale_variables_version(NULL) == 0 && percale_variables_retain(NULL) == NULL);
  percale_variables_release(NULL);
  percale_tensor_release(next);
  percale_tensor_release(wrong);
  percale_session_release(session);
  percale_graph_release(graph);
}

int main(void) {
  OK(percale_engine_create(NULL, &engine));
  any_value_is_fetched_and_fed_by_name();
  a_run_tells_which_version_of_the_variables_it_read();
  a_run_that_is_misused_says_what_is_wrong();
  a_step_trains_the_variables();
  variables_are_read_and_assigned_by_name();
  test_calls();
  test_events();
  test_explanations();
  percale_engine_release(engine);
  return check_done();
}
