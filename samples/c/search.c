#define _POSIX_C_SOURCE 200112L
/* Searches a good learning rate and width: six trainers run at once in one engine, each with a
 * memory quota. A trainer that exceeds its quota fails without affecting the others.
 *   search [MEGABYTES]      quota of a trainer, 8 by default
 * The data are the MNIST digits. The library looks them up. */
#include <percale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 6 };

typedef struct candidate {
  int units;
  double learning_rate;
  percale_engine* engine;
  const char* quota;
  char said[160]; /* the result, or the error */
  double accuracy;
} candidate;

static const char kSpec[] =
    "{\"model\": [{\"layer\": \"Flatten\"}, {\"layer\": \"Dense\", \"units\": %d, \"activation\": \"relu\"},"
    " {\"layer\": \"Dense\", \"units\": 10}], \"input_shape\": [28, 28, 1],"
    " \"loss\": \"sparse_categorical_crossentropy\", \"from_logits\": true, \"metrics\": [\"accuracy\"],"
    " \"optimizer\": {\"name\": \"adam\", \"learning_rate\": %g}, \"batch_size\": 128, \"shards\": 2, \"epochs\": 1,"
    " \"data\": {\"train\": {\"x\": \"train-images-idx3-ubyte\", \"y\": \"train-labels-idx1-ubyte\", \"scale\": "
    "0.00392156862745098},"
    " \"test\": {\"x\": \"t10k-images-idx3-ubyte\", \"y\": \"t10k-labels-idx1-ubyte\", \"scale\": "
    "0.00392156862745098}}}";

/* Stores an error. Returns true if there was none. */
static int fine(candidate* c, percale_status* status) {
  if (status == NULL) return 1;
  snprintf(c->said, sizeof c->said, "%s: %s", percale_code_name(percale_status_code(status)),
           percale_status_message(status, NULL));
  percale_status_release(status);
  return 0;
}

static void* try_one(void* argument) {
  candidate* c = argument;
  char spec[1200];
  percale_options* options = NULL;
  percale_trainer* trainer = NULL;
  percale_text* metrics = NULL;
  const int size = snprintf(spec, sizeof spec, kSpec, c->units, c->learning_rate);
  if (fine(c, percale_options_create("trainer", &options)) &&
      fine(c, percale_options_set(options, "memory_limit", c->quota)) &&
      fine(c, percale_trainer_from_spec(c->engine, spec, (size_t)size, NULL, NULL, options, &trainer)) &&
      fine(c, percale_trainer_fit(trainer, NULL, 0, NULL, NULL)) &&
      fine(c, percale_trainer_evaluate(trainer, NULL, &metrics))) {
    const char* found = strstr(percale_text_data(metrics, NULL), "\"accuracy\":");
    if (found) c->accuracy = strtod(found + strlen("\"accuracy\":"), NULL);
    snprintf(c->said, sizeof c->said, "accuracy %.4f", c->accuracy);
  }
  percale_text_release(metrics), percale_trainer_release(trainer), percale_options_release(options);
  return NULL;
}

int main(int argc, char** argv) {
  candidate candidates[CANDIDATES] = {{.units = 32, .learning_rate = 0.001},  {.units = 32, .learning_rate = 0.01},
                                      {.units = 128, .learning_rate = 0.001}, {.units = 128, .learning_rate = 0.003},
                                      {.units = 128, .learning_rate = 0.01},  {.units = 4096, .learning_rate = 0.001}};
  pthread_t threads[CANDIDATES];
  char quota[32];
  const candidate* best = NULL;
  percale_engine* engine;
  percale_status* status = percale_engine_create(NULL, &engine);
  int64_t used, peak;
  if (status != NULL) return fprintf(stderr, "search: %s\n", percale_status_message(status, NULL)), 1;
  snprintf(quota, sizeof quota, "%ld", (argc > 1 ? strtol(argv[1], NULL, 10) : 8) << 20);
  for (int i = 0; i < CANDIDATES; ++i) {
    candidates[i].engine = engine, candidates[i].quota = quota;
    if (pthread_create(&threads[i], NULL, try_one, &candidates[i]) != 0) return fputs("search: no thread\n", stderr), 1;
  }
  for (int i = 0; i < CANDIDATES; ++i) {
    const candidate* c = &candidates[i];
    pthread_join(threads[i], NULL);
    printf("%4d units, learning rate %-6g %s\n", c->units, c->learning_rate, c->said);
    if (c->accuracy > 0 && (best == NULL || c->accuracy > best->accuracy)) best = c;
  }
  percale_engine_memory(engine, &used, &peak);
  percale_engine_release(engine);
  if (best == NULL) return 1;
  printf("best: %d units, learning rate %g; the engine held %.0f MB at most\n", best->units, best->learning_rate,
         (double)peak / (1 << 20));
  return 0;
}
