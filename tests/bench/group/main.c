/* One rank of a group that trains a SPEC; the others are processes of the same machine. Prints one
 * line of JSON: the median time of a step, what the group has cost, and the digest.
 * Usage: group SPEC.json DATA-FOLDER RANK SIZE TRANSPORT FIRST-PORT STEPS [OPTION=VALUE...]
 * A size of 1 trains alone. The transport is "tcp", the exchange of this program, or "plugin", that
 * of the library's plug-in. The environment's BENCH_PLUGINS is the engine's plugin_path. */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exchange.h"

enum { kWarm = 3, kMostSteps = 4096 };

/* The exchanges of the group since it was formed, and the model. */
typedef struct facts {
  double exchanges, bytes_sent, waited_seconds;
  double trainable; /* numbers of the model */
} facts;

typedef struct steps {
  const percale_trainer* trainer;
  int64_t wanted, count;
  double began, seconds[kMostSteps];
  facts before, after;
} steps;

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

/* The number behind a key, 0 if there is none. */
static double number_of(const char* json, const char* name) {
  char key[64];
  const char* at;
  snprintf(key, sizeof key, "\"%s\":", name);
  at = strstr(json, key);
  return at == NULL ? 0 : atof(at + strlen(key));
}

static facts facts_of(const percale_trainer* trainer) {
  percale_text* text = NULL;
  facts out;
  const char* description;
  ok(percale_trainer_describe(trainer, &text));
  description = percale_text_data(text, NULL);
  out.exchanges = number_of(description, "exchanges");
  out.bytes_sent = number_of(description, "bytes_sent");
  out.waited_seconds = number_of(description, "waited_seconds");
  out.trainable = number_of(description, "trainable");
  percale_text_release(text);
  return out;
}

/* Takes the times of the steps after the first one. */
static int32_t on_step(void* user, const percale_progress* progress) {
  steps* const s = user;
  const double time = now();
  (void)progress;
  if (s->count > 0) s->seconds[s->count - 1] = time - s->began;
  if (s->count == 0) s->before = facts_of(s->trainer);
  if (s->count == s->wanted) s->after = facts_of(s->trainer);
  s->began = now();
  return ++s->count > s->wanted;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static char* read_all(const char* path, size_t* size) {
  FILE* const file = fopen(path, "rb");
  char* out = NULL;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    exit(1);
  }
  *size = (size_t)ftell(file);
  rewind(file);
  out = malloc(*size + 1);
  if (out == NULL || fread(out, 1, *size, file) != *size) exit(1);
  fclose(file);
  return out;
}

/* Runs steps whose times do not count, then those that do. */
static void train(percale_trainer* trainer, steps* s, int64_t count) {
  s->wanted = count;
  s->count = 0;
  ok(percale_trainer_fit(trainer, NULL, 1 << 20, on_step, s));
}

/* Joins the group by the library's plug-in. */
static void join_by_plugin(percale_trainer* trainer, int rank, int size, int first_port) {
  percale_cluster* cluster = NULL;
  ok(percale_cluster_create(&cluster));
  for (int i = 0; i < size; ++i) {
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%d", first_port + i);
    ok(percale_cluster_add_task(cluster, "worker", i, address));
  }
  ok(percale_cluster_set_role(cluster, "worker", rank));
  ok(percale_trainer_join_cluster(trainer, cluster, -1));
  percale_cluster_release(cluster);
}

static void join(percale_trainer* trainer, const char* transport, int rank, int size, int first_port) {
  if (strcmp(transport, "plugin") == 0) {
    join_by_plugin(trainer, rank, size, first_port);
  } else {
    const percale_collective table = connect_ranks(rank, size, first_port);
    ok(percale_trainer_join(trainer, &table, NULL));
  }
}

int main(int argc, char** argv) {
  percale_options *engine_options = NULL, *options = NULL;
  percale_engine* engine = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_text* digest = NULL;
  static steps s;
  double total = 0;
  size_t size = 0;
  char* spec;
  int64_t count, i;
  if (argc < 8) {
    fprintf(stderr, "usage: %s SPEC.json DATA-FOLDER RANK SIZE TRANSPORT FIRST-PORT STEPS [OPTION=VALUE...]\n",
            argv[0]);
    return 2;
  }
  spec = read_all(argv[1], &size);
  count = atoll(argv[7]);
  if (count < 1 || count >= kMostSteps) return 2;
  ok(percale_options_create("engine", &engine_options));
  ok(percale_options_set(engine_options, "threads", "1"));
  if (getenv("BENCH_PLUGINS") != NULL) ok(percale_options_set(engine_options, "plugin_path", getenv("BENCH_PLUGINS")));
  ok(percale_engine_create(engine_options, &engine));
  ok(percale_options_create("trainer", &options));
  for (i = 8; i < argc; ++i) {
    char* const equals = strchr(argv[i], '=');
    if (equals == NULL) return 2;
    *equals = '\0';
    ok(percale_options_set(options, argv[i], equals + 1));
  }
  ok(percale_trainer_from_spec(engine, spec, size, NULL, argv[2], options, &trainer));
  if (atoi(argv[4]) > 1) join(trainer, argv[5], atoi(argv[3]), atoi(argv[4]), atoi(argv[6]));
  s.trainer = trainer;
  train(trainer, &s, kWarm);
  train(trainer, &s, count);
  for (i = 0; i < count; ++i) total += s.seconds[i];
  qsort(s.seconds, (size_t)count, sizeof *s.seconds, by_size);
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_variables_digest(variables, &digest));
  printf(
      "{\"step_seconds\": %.9f, \"trainable\": %.0f, \"exchanges\": %.2f, \"bytes_sent\": %.1f, "
      "\"waited_share\": %.5f, \"digest\": \"%s\"}\n",
      s.seconds[count / 2], s.after.trainable, (s.after.exchanges - s.before.exchanges) / (double)count,
      (s.after.bytes_sent - s.before.bytes_sent) / (double)count,
      (s.after.waited_seconds - s.before.waited_seconds) / total, percale_text_data(digest, NULL));
  return 0;
}
