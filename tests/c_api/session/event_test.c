/* Tests asynchronous runs and their events. */
#include "session_fixture.h"

static int ready = 0;
static void count_ready(void* user) {
  CHECK(user == &ready);
  ++*(int*)user;
}
static int returned = 0;
static void count_returned(void* user, void* data) {
  CHECK(user == &returned && data != NULL);
  ++returned;
}

static void an_event_is_the_end_of_an_asynchronous_run(void) {
  const char* const x_name[] = {"x"};
  const char* const y_name[] = {"y"};
  float memory[4] = {1, 2, 3, 4};
  const int64_t dims[2] = {2, 2};
  percale_variables* variables = NULL;
  percale_graph* graph = make_graph(NULL);
  percale_session* session = make_session(graph, &variables);
  percale_tensor *x = NULL, *y = NULL;
  percale_event* event = NULL;
  int i;
  returned = 0;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, sizeof memory, count_returned, &returned, &x));
  OK(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
  percale_tensor_release(x);
  OK(percale_event_wait(event, PERCALE_FOREVER));
  CHECK(returned == 1); /* called during the wait */
  CHECK(percale_event_poll(event) == 1);
  OK(percale_event_wait(event, 0));
  OK(percale_event_result(event, 0, &y));
  CHECK(((float*)percale_tensor_get_data(y))[0] == 0.5f);
  percale_tensor_release(y);
  FAILS(percale_event_result(event, 1, &y), PERCALE_OUT_OF_RANGE, "has 1 results");
  ready = 0;
  OK(percale_event_on_ready(event, count_ready, &ready));
  CHECK(ready == 1);
  REFUSES(percale_event_on_ready(event, NULL, &ready), "callback");
  REFUSES(percale_event_result(NULL, 0, &y), "event");
  REFUSES(percale_event_result(event, 0, NULL), "out_tensor");
  REFUSES(percale_event_wait(NULL, 0), "event");
  REFUSES(percale_event_on_ready(NULL, count_ready, &ready), "event");
  CHECK(percale_event_retain(event) == event);
  percale_event_release(event);
  percale_event_release(event);
  percale_event_cancel(NULL);
  percale_event_release(NULL);
  CHECK(percale_event_poll(NULL) == 0 && percale_event_retain(NULL) == NULL);

  /* Events that are not waited for leak nothing. A failed run returns its status from the wait. */
  x = floats(kX, 2, 2, 2);
  for (i = 0; i < 50; ++i) {
    OK(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
    if (i % 2 == 0) percale_event_cancel(event);
    percale_event_release(event);
  }
  OK(percale_session_run_async(session, NULL, NULL, 0, y_name, 1, NULL, 0, PERCALE_FOREVER, &event));
  FAILS(percale_event_wait(event, PERCALE_FOREVER), PERCALE_INVALID_ARGUMENT, "x");
  FAILS(percale_event_result(event, 0, &y), PERCALE_INVALID_ARGUMENT, "x");
  percale_event_release(event);
  REFUSES(percale_session_run_async(NULL, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, &event), "session");
  REFUSES(percale_session_run_async(session, x_name, &x, 1, y_name, 1, NULL, 0, PERCALE_FOREVER, NULL), "out_event");
  percale_tensor_release(x);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
}

void test_events(void) { an_event_is_the_end_of_an_asynchronous_run(); }
