/* Percale's side of the benchmarks, a host that uses only percale.h.
 *     percale_worker THREADS [KEY=VALUE...]
 * KEY is an option of the engine, or else of its sessions and trainers.
 * Reads lines `WORKLOAD MILLISECONDS`, runs the workload for about that time, and answers
 * `NANOSECONDS CPU_NANOSECONDS` per iteration, or `error: ...`. `first:PATH` answers the time
 * from the engine's creation to the model's first result. `facts:WORKLOAD` answers the facts of
 * a trainer that has run, as JSON. `save:WORKLOAD` writes a result to result.npy. The peers
 * speak the same protocol (serve.py), so that turns.py can let them take turns. Files are
 * written to the current folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

percale_engine* engine;
static char** arguments; /* those that the engine does not know, up to NULL */

void ok(percale_status* status) {
  if (status == NULL) return;
  printf("error: %s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  exit(1);
}

double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static percale_status* set(percale_options* options, const char* argument) {
  const char* value = strchr(argument, '=');
  char key[64];
  if (value == NULL) printf("error: '%s' is not KEY=VALUE\n", argument), exit(1);
  snprintf(key, sizeof key, "%.*s", (int)(value - argument), argument);
  return percale_options_set(options, key, value + 1);
}

percale_options* session_options(void) {
  percale_options* options;
  ok(percale_options_create("session", &options));
  for (char** argument = arguments; *argument; ++argument) ok(set(options, *argument));
  return options;
}

percale_options* trainer_options(void) {
  percale_options* options;
  ok(percale_options_create("trainer", &options));
  ok(percale_options_set_int(options, "shards", 1));
  ok(percale_options_set(options, "publish", "hand"));
  for (char** argument = arguments; *argument; ++argument) ok(set(options, *argument));
  return options;
}

/* Takes the engine's options out of `rest`. */
static void make_engine(const char* threads, char** rest) {
  percale_options* options;
  char** kept = rest;
  arguments = rest;
  ok(percale_options_create("engine", &options));
  ok(percale_options_set(options, "threads", threads));
  for (; *rest; ++rest) {
    percale_status* status = set(options, *rest);
    if (percale_status_code(status) == PERCALE_NOT_FOUND) {
      percale_status_release(status);
      *kept++ = *rest;
    } else {
      ok(status);
    }
  }
  *kept = NULL;
  ok(percale_engine_create(options, &engine));
  percale_options_release(options);
}

size_t sizes(const workload* w, size_t least, int64_t* out) {
  const char* text = w->argument;
  size_t count = 0;
  for (char* end; *text && count < kMaxSizes; text = *end == ',' ? end + 1 : end) {
    out[count++] = strtoll(text, &end, 10);
    if (end == text || (*end != ',' && *end != '\0')) break;
  }
  if (*text || count < least) printf("error: %s: wanted %zu numbers or more\n", w->name, least), exit(1);
  return count;
}

/* True if the maker's name is all of `name`, or the part before its argument. */
static int fits(const maker* m, const char* name) {
  const size_t size = strlen(m->name);
  return strncmp(m->name, name, size) == 0 && (name[size] == '\0' || m->name[size - 1] == ':');
}

/* Returns NULL if there is no workload of that name. */
static workload* make(const char* name) {
  static const maker* const tables[] = {kGraphWorkloads, kModelWorkloads, kNetWorkloads, kOpWorkloads};
  const maker* m = NULL;
  workload* w;
  for (size_t i = 0; i < sizeof tables / sizeof *tables && (m == NULL || m->name == NULL); ++i) {
    for (m = tables[i]; m->name && !fits(m, name);) ++m;
  }
  if (m->name == NULL) return NULL;
  w = calloc(1, sizeof *w);
  if (w == NULL || (w->name = strdup(name)) == NULL) perror("memory"), exit(1);
  w->argument = w->name + strlen(m->name);
  m->make(w);
  return w;
}

static workload* find(workload* made, const char* name) {
  while (made && strcmp(made->name, name) != 0) made = made->next;
  return made;
}

static void tell_facts(const workload* w) {
  percale_text* text;
  if (w == NULL || w->trainer == NULL) {
    puts("error: no trainer of that name has run");
    return;
  }
  ok(percale_trainer_describe(w->trainer, &text));
  puts(percale_text_data(text, NULL));
  percale_text_release(text);
}

static void save_result(const workload* w) {
  if (w == NULL || w->fetches[0] == NULL) {
    puts("error: no call of that name has run");
    return;
  }
  ok(percale_tensor_save(w->fetches[0], "result.npy"));
  puts("result.npy");
}

int main(int argc, char** argv) {
  static char name[4096];
  workload* made = NULL;
  double milliseconds, begin = now(CLOCK_MONOTONIC);
  if (argc < 2) return fprintf(stderr, "usage: percale_worker THREADS [KEY=VALUE...]\n"), 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  make_engine(argv[1], argv + 2);
  while (scanf("%4095s %lf", name, &milliseconds) == 2) {
    int64_t done = 0, chunk = 1;
    double wall, cpu, elapsed;
    workload* w = find(made, name);
    if (strncmp(name, "facts:", 6) == 0) {
      tell_facts(find(made, name + 6));
      continue;
    }
    if (strncmp(name, "save:", 5) == 0) {
      save_result(find(made, name + 5));
      continue;
    }
    if (w == NULL) {
      if ((w = make(name)) == NULL) {
        printf("error: no workload '%s'\n", name);
        continue;
      }
      w->next = made, made = w;
    }
    if (strncmp(name, "first:", 6) == 0) {
      printf("%.1f %.1f\n", now(CLOCK_MONOTONIC) - begin, now(CLOCK_PROCESS_CPUTIME_ID));
      continue;
    }
    w->iterate(w); /* warm-up */
    wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    do { /* the clock is read rarely, so that it does not affect an empty run */
      for (int64_t k = 0; k < chunk; ++k) w->iterate(w);
      done += chunk;
      elapsed = now(CLOCK_MONOTONIC) - wall;
      if (elapsed < 1e5 * (double)done) chunk = chunk < 1024 ? 2 * chunk : chunk;
    } while (elapsed < milliseconds * 1e6);
    printf("%.1f %.1f\n", elapsed / (double)done, (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)done);
  }
  remove_files();
  return 0;
}
