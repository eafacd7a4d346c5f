/* Serving while training: 8 threads send requests to a session at a steady rate, first alone,
 * then while a trainer trains the same variables and publishes every step. Prints p50 and p99 of
 * the latency of both. Checks that no call fails and that versions only grow. Its files are in
 * the current folder until it ends.
 * Usage: serving [SECONDS] [REQUESTS PER SECOND AND THREAD]
 * Exit code 1 if a check fails. */
#include <percale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, INPUT = 784, CLASSES = 10, MAX_SAMPLES = 1 << 20 };

static percale_engine* engine;
static percale_session* session;
static percale_variables* variables;
static percale_trainer* trainer;
static double seconds = 5, rate = 100;
static volatile int training;

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  exit(1);
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static percale_tensor* filled(const int64_t* dims, size_t rank) {
  percale_tensor* tensor;
  float* data;
  size_t i, count;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, rank, &tensor));
  data = percale_tensor_get_data(tensor);
  count = percale_tensor_bytes(tensor) / sizeof(float);
  for (i = 0; i < count; ++i) data[i] = (float)(i * 37 % 101) / 101 - 0.5f;
  return tensor;
}

typedef struct server {
  pthread_t thread;
  int number;
  size_t count;
  double* latency;
  const char* broken;
} server;

static void* serve(void* argument) {
  static const char* const feed = "x";
  server* mine = argument;
  const int64_t dims[2] = {1, INPUT};
  const int64_t* const feed_dims = dims;
  const size_t rank = 2;
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  percale_dtype out_dtype;
  int64_t out_dims[8], version = 0;
  size_t out_rank;
  percale_call* call;
  percale_tensor *in = filled(dims, 2), *out;
  const char* fetch;
  double next = now() + mine->number / rate / THREADS;
  const double end = now() + seconds;
  percale_graph* model;
  ok(percale_trainer_model(trainer, &model));
  fetch = percale_graph_get_output_name(model, 0);
  ok(percale_call_create(session, &feed, &dtype, &feed_dims, &rank, 1, &fetch, 1, &call));
  ok(percale_call_output_type(call, 0, &out_dtype, out_dims, &out_rank));
  ok(percale_tensor_create(engine, out_dtype, out_dims, out_rank, &out));
  while (next < end) {
    const double wait = next - now();
    double start;
    int64_t seen;
    if (wait > 0) usleep((useconds_t)(wait * 1e6));
    start = now();
    ok(percale_call_run(call, &in, &out));
    if (mine->count < MAX_SAMPLES) mine->latency[mine->count++] = now() - start;
    seen = percale_variables_version(variables);
    if (seen < version) mine->broken = "a version went backwards";
    version = seen;
    next += 1 / rate;
  }
  percale_call_release(call), percale_tensor_release(in), percale_tensor_release(out), percale_graph_release(model);
  return NULL;
}

static void* train(void* argument) {
  static const char* const names[] = {"x", "y"};
  const int64_t dims[2] = {64, INPUT};
  percale_tensor* batch[2];
  int64_t i;
  (void)argument;
  batch[0] = filled(dims, 2);
  ok(percale_tensor_create(engine, PERCALE_DTYPE_I64, dims, 1, &batch[1]));
  for (i = 0; i < dims[0]; ++i) ((int64_t*)percale_tensor_get_data(batch[1]))[i] = i % CLASSES;
  while (training) ok(percale_trainer_step(trainer, names, batch, 2, NULL));
  percale_tensor_release(batch[0]), percale_tensor_release(batch[1]);
  return NULL;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

/* Runs all threads for `seconds`; *out_p99 is in microseconds. */
static void measure(const char* what, double* out_p99) {
  static server servers[THREADS];
  static double all[THREADS * (size_t)65536];
  size_t total = 0;
  int i;
  const int64_t before = percale_variables_version(variables);
  memset(servers, 0, sizeof servers);
  for (i = 0; i < THREADS; ++i) {
    servers[i].number = i;
    servers[i].latency = malloc(MAX_SAMPLES * sizeof(double));
    pthread_create(&servers[i].thread, NULL, serve, &servers[i]);
  }
  for (i = 0; i < THREADS; ++i) {
    size_t k;
    pthread_join(servers[i].thread, NULL);
    if (servers[i].broken) fprintf(stderr, "%s\n", servers[i].broken), exit(1);
    for (k = 0; k < servers[i].count && total < sizeof all / sizeof *all; ++k) all[total++] = servers[i].latency[k];
    free(servers[i].latency);
  }
  qsort(all, total, sizeof *all, by_size);
  *out_p99 = all[total * 99 / 100] * 1e6;
  printf("%-22s %6zu calls, p50 %7.1f us, p99 %7.1f us, %lld versions published\n", what, total, all[total / 2] * 1e6,
         *out_p99, (long long)(percale_variables_version(variables) - before));
}

int main(int argc, char** argv) {
  const char* spec =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 512, \"activation\": \"relu\"},"
      "{\"layer\": \"Dense\", \"units\": 512, \"activation\": \"relu\"}, {\"layer\": \"Dense\", \"units\": 10}],"
      "\"batch_size\": 64, \"data\": {\"train\": {\"x\": \"x.npy\", \"y\": \"y.npy\"}},"
      "\"loss\": \"sparse_categorical_crossentropy\", \"from_logits\": true, \"optimizer\": \"adam\"}";
  const int64_t dims[2] = {64, INPUT};
  char folder[] = "percale-serving-XXXXXX", path[64];
  percale_options* options;
  percale_tensor *x, *y;
  percale_graph* model;
  pthread_t trainer_thread;
  double alone, beside;
  int i;
  if (argc > 1) seconds = atof(argv[1]);
  if (argc > 2) rate = atof(argv[2]);
  /* One compute thread: the trainer works on a core of its own. */
  ok(percale_options_create("engine", &options));
  ok(percale_options_set(options, "threads", "1"));
  ok(percale_engine_create(options, &engine));
  percale_options_release(options);
  if (mkdtemp(folder) == NULL) perror(folder), exit(1);
  x = filled(dims, 2);
  ok(percale_tensor_create(engine, PERCALE_DTYPE_I64, dims, 1, &y));
  for (i = 0; i < 64; ++i) ((int64_t*)percale_tensor_get_data(y))[i] = i % CLASSES;
  snprintf(path, sizeof path, "%s/x.npy", folder);
  ok(percale_tensor_save(x, path));
  snprintf(path, sizeof path, "%s/y.npy", folder);
  ok(percale_tensor_save(y, path));
  ok(percale_options_create("trainer", &options));
  ok(percale_options_set_int(options, "shards", 1));
  ok(percale_options_set(options, "publish", "step"));
  ok(percale_trainer_from_spec(engine, spec, strlen(spec), NULL, folder, options, &trainer));
  percale_options_release(options);
  remove(path);
  snprintf(path, sizeof path, "%s/x.npy", folder);
  remove(path), remove(folder);
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_trainer_model(trainer, &model));
  ok(percale_session_create(engine, model, variables, NULL, &session));

  measure("alone", &alone);
  training = 1;
  pthread_create(&trainer_thread, NULL, train, NULL);
  measure("while training", &beside);
  training = 0;
  pthread_join(trainer_thread, NULL);
  printf("p99 while training / alone: %.2f\n", beside / alone);

  percale_session_release(session), percale_graph_release(model), percale_variables_release(variables);
  percale_trainer_release(trainer), percale_tensor_release(x), percale_tensor_release(y),
      percale_engine_release(engine);
  return 0;
}
