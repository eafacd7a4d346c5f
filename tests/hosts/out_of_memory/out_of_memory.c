/* Fails the k-th allocation, for every k, once or permanently. The call must end with
 * RESOURCE_EXHAUSTED, or succeed if it did not need the memory. It must leak nothing, and its
 * objects must be unchanged and continue to the same bits.
 * Usage: out_of_memory FOLDER [--stride N] [--only NAME] [--at K]
 *   FOLDER    exists and is writable
 *   --stride  only every N-th k, to save time
 *   --only    one of the scenarios
 *   --at      only this k, for a debugger (break on `refuse`) */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "failing_malloc.h"
#include "scenario.h"

/* The engine's thread releases memory of an asynchronous run a moment after the caller is
 * notified. Less than before is no error: a session without memory releases what it keeps for
 * later runs. */
static int settles_at(int64_t held) {
  const int64_t begin = host_now();
  while (failing_malloc_held() > held) {
    if (host_now() - begin > 1000000000) return 0;
  }
  return 1;
}

static void sweep(const scenario* s, int persistent, int64_t stride, int64_t only) {
  int64_t k, last = 0, tried = 0, spared = 0, held;
  int wrong = 0;
  percale_status* status = s->attempt();
  OK(status);
  s->use_afterwards(0);
  usleep(20000); /* see settles_at() */
  held = failing_malloc_held();
  for (k = only > 0 ? only : 1;; k += stride) {
    int64_t failed = 0;
    const int before = check_failures;
    const int64_t files = host_count_entries("/proc/self/fd");
    percale_code code;
    failing_malloc_begin(k, persistent);
    status = s->attempt();
    failing_malloc_end(&failed);
    code = percale_status_code(status);
    CHECK(code == PERCALE_RESOURCE_EXHAUSTED || code == PERCALE_OK);
    if (code != PERCALE_RESOURCE_EXHAUSTED && code != PERCALE_OK) {
      fprintf(stderr, "  %s: %s\n", percale_code_name(code), percale_status_message(status, NULL));
    }
    percale_status_release(status);
    CHECK(failed > 0 || code == PERCALE_OK);
    s->use_afterwards(code != PERCALE_OK);
    CHECK(settles_at(held));
    CHECK(host_count_entries("/proc/self/fd") == files);
    CHECK(percale_status_live_count() == 0);
    if (check_failures != before) {
      fprintf(stderr, "  %s, k = %lld, %s: holds %+lld\n", s->name, (long long)k, persistent ? "persistent" : "once",
              (long long)(failing_malloc_held() - held));
      held = failing_malloc_held();
      if (++wrong == 10) break;
    }
    if (failed == 0) break;
    ++tried;
    last = k;
    if (code == PERCALE_OK) ++spared;
    if (only > 0) break;
  }
  printf("%-32s %-10s covered k = 1..%lld", s->name, persistent ? "persistent" : "once", (long long)last);
  if (stride > 1) printf(" in steps of %lld", (long long)stride);
  printf(": %lld failures", (long long)tried);
  if (spared > 0) printf(", %lld of them not needed", (long long)spared);
  printf("\n");
  fflush(stdout);
}

int main(int argc, char** argv) {
  int64_t stride = 1, at = 0, start;
  const char* only = NULL;
  static const scenario* const tables[] = {model_scenarios, run_scenarios, host_scenarios, training_scenarios};
  const scenario* s;
  size_t i;
  int a;
  host_onednn = "off";
  if (!failing_malloc_works()) {
    printf("the allocator cannot be replaced in this build\n");
    return HOST_SKIPPED;
  }
  if (argc < 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  for (a = 2; a + 1 < argc; a += 2) {
    if (strcmp(argv[a], "--stride") == 0) stride = strtoll(argv[a + 1], NULL, 10);
    if (strcmp(argv[a], "--only") == 0) only = argv[a + 1];
    if (strcmp(argv[a], "--at") == 0) at = strtoll(argv[a + 1], NULL, 10);
  }
  /* Runs everything once first, because the C library allocates some memory permanently: buffers
   * of streams, descriptors of threads. */
  printf("each allocation of the library fails:\n");
  set_up();
  for (i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
    for (s = tables[i]; s->name != NULL; ++s) OK(s->attempt());
  }
  take_down();
  start = failing_malloc_held();
  set_up();
  for (i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
    for (s = tables[i]; s->name != NULL; ++s) {
      if (only != NULL && strcmp(only, s->name) != 0) continue;
      sweep(s, 0, s->coarse ? stride * 16 - 15 : stride, at);
      sweep(s, 1, s->coarse ? stride * 16 - 15 : stride, at);
    }
  }
  the_steps_were_the_same_as_without_failures();
  take_down();
  CHECK(failing_malloc_held() == start);
  if (failing_malloc_held() != start)
    fprintf(stderr, "  all in all: %+lld\n", (long long)(failing_malloc_held() - start));
  return check_done();
}
