/* Checks that a prepared call allocates nothing once it is warm, on one thread and on two. */
#include "check.h"
#include "failing_malloc.h"
#include "host.h"

static percale_status* warm_calls(int64_t threads, int64_t* out_requests) {
  static const char *const feed = "x", *const fetch = "y";
  percale_engine* engine = NULL;
  percale_graph* graph = NULL;
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_call* call = NULL;
  percale_tensor *batch[2] = {NULL, NULL}, *y = NULL;
  percale_status* status = NULL;
  percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims;
  int64_t y_dims[8];
  size_t rank, y_rank;
  int64_t failed;
  int i;
  TRY(host_make_engine(threads, NULL, 0, &engine));
  TRY(host_make_graph(engine, &graph));
  TRY(host_make_batch(engine, 256, batch));
  TRY(percale_variables_create(engine, graph, 1, &variables));
  TRY(percale_session_create(engine, graph, variables, NULL, &session));
  dims = percale_tensor_get_dims(batch[0]);
  rank = percale_tensor_rank(batch[0]);
  TRY(percale_call_create(session, &feed, &dtype, &dims, &rank, 1, &fetch, 1, &call));
  TRY(percale_call_output_type(call, 0, &dtype, y_dims, &y_rank));
  TRY(percale_tensor_create(engine, dtype, y_dims, y_rank, &y));
  for (i = 0; i < 3; ++i) TRY(percale_call_run(call, batch, &y));
  failing_malloc_begin(0, 0);
  for (i = 0; i < 20 && status == NULL; ++i) status = percale_call_run(call, batch, &y);
  *out_requests = failing_malloc_end(&failed);
out:
  percale_tensor_release(y);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_call_release(call);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
  return status;
}

int main(void) {
  int64_t threads;
  host_onednn = "off";
  if (!failing_malloc_works()) {
    printf("the process's allocator cannot be replaced; run it in a build without a sanitizer\n");
    return HOST_SKIPPED;
  }
  for (threads = 1; threads <= 2; ++threads) {
    int64_t requests = -1;
    OK(warm_calls(threads, &requests));
    CHECK(requests == 0);
  }
  return check_done();
}
