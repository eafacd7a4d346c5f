/* Threads, files and memory of the host; metrics. */
#include "scenario.h"

static int pool_ended = 0, reader_ended = 0, memory_ended = 0;

static percale_status* run_at_once(void* user, percale_task* task) {
  (void)user;
  percale_task_run(task);
  percale_task_release(task);
  return NULL;
}

static percale_status* size_of(void* user, const char* name, int64_t* out_size) {
  size_t size = 0;
  (void)user;
  (void)name;
  percale_text_data(graph_bytes, &size);
  *out_size = (int64_t)size;
  return NULL;
}

static percale_status* read_at(void* user, const char* name, int64_t offset, void* buffer, size_t size) {
  (void)user;
  (void)name;
  memcpy(buffer, percale_text_data(graph_bytes, NULL) + offset, size);
  return NULL;
}

static void count_end(void* user) { ++*(int*)user; }
static void count_deleted(void* user, void* data) {
  (void)data;
  ++*(int*)user;
}

/* The pool and the reader are released once if the library took them, and never if it did not. */
static percale_status* use_pool_and_files(void) {
  static const char* const feeds[1] = {"x"};
  static const char* const fetches[1] = {"y"};
  percale_thread_pool pool = {sizeof pool, &pool_ended, run_at_once};
  percale_reader reader = {sizeof reader, &reader_ended, size_of, read_at};
  percale_options* options = NULL;
  percale_engine* made = NULL;
  percale_graph* loaded = NULL;
  percale_variables* values = NULL;
  percale_session* runs = NULL;
  percale_event* event = NULL;
  percale_tensor* y = NULL;
  percale_status* status = NULL;
  int took_pool = 0, took_reader = 0;
  pool_ended = reader_ended = 0;
  TRY(percale_options_create("engine", &options));
  TRY(percale_options_set_int(options, "threads", 3));
  TRY(percale_options_set_thread_pool(options, &pool, count_end));
  took_pool = 1;
  TRY(percale_options_set_reader(options, &reader, count_end));
  took_reader = 1;
  TRY(percale_engine_create(options, &made));
  TRY(percale_graph_load_file(made, "host:model", &loaded));
  TRY(percale_variables_create(made, loaded, 1, &values));
  TRY(percale_session_create(made, loaded, values, NULL, &runs));
  TRY(host_run(runs, batch[0], &y));
  check_answer(y);
  percale_tensor_release(y);
  y = NULL;
  TRY(percale_session_run_async(runs, feeds, batch, 1, fetches, 1, NULL, 0, PERCALE_FOREVER, &event));
  TRY(percale_event_wait(event, PERCALE_FOREVER));
  TRY(percale_event_result(event, 0, &y));
  check_answer(y);
out:
  percale_tensor_release(y);
  percale_event_release(event);
  percale_session_release(runs);
  percale_variables_release(values);
  percale_graph_release(loaded);
  percale_engine_release(made);
  percale_options_release(options);
  CHECK(pool_ended == took_pool && reader_ended == took_reader);
  return status;
}

/* The memory is given back once if the library took it, and never if it did not. */
static percale_status* use_memory(void) {
  percale_graph* loaded = NULL;
  percale_status* status = NULL;
  size_t size = 0;
  int taken = 0;
  char* bytes = (char*)(uintptr_t)percale_text_data(graph_bytes, &size);
  memory_ended = 0;
  TRY(percale_graph_from_memory(engine, bytes, size, count_deleted, &memory_ended, NULL, &loaded));
  taken = 1;
out:
  percale_graph_release(loaded);
  CHECK(memory_ended == taken);
  return status;
}

static percale_status* trim_and_count(void) {
  percale_text* text = NULL;
  percale_status* status = NULL;
  CHECK(percale_engine_trim(engine) >= 0);
  TRY(percale_engine_metrics(engine, &text));
out:
  percale_text_release(text);
  return status;
}

const scenario host_scenarios[] = {{"thread pool and files", use_pool_and_files, a_run_gives_the_same_bits, 1},
                                   {"graph over memory", use_memory, a_run_gives_the_same_bits, 0},
                                   {"trim and metrics", trim_and_count, a_run_gives_the_same_bits, 0},
                                   {NULL, NULL, NULL, 0}};
