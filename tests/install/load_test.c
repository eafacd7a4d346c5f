/* Loading the library has no effect that a host could notice: no thread, no open file, no signal
 * handler, no change of locale, working directory or floating-point mode. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct state {
  int threads, files, rounding;
  char folder[4096], locale[256];
  void (*handlers[32])(int);
};

static int entries(const char* path) {
  int count = 0;
  DIR* folder = opendir(path);
  if (folder == NULL) return -1;
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static void look(struct state* state) {
  int i;
  memset(state, 0, sizeof *state);
  state->threads = entries("/proc/self/task");
  state->files = entries("/proc/self/fd");
  state->rounding = fegetround();
  if (getcwd(state->folder, sizeof state->folder) == NULL) state->folder[0] = '?';
  strncpy(state->locale, setlocale(LC_ALL, NULL), sizeof state->locale - 1);
  for (i = 1; i < 32; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0) state->handlers[i] = action.sa_handler;
  }
}

int main(int argc, char** argv) {
  static struct state before, after;
  void* library;
  if (argc != 2) return 2;
  look(&before);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  look(&after);
  if (memcmp(&before, &after, sizeof before) != 0) {
    fprintf(stderr, "threads %d -> %d, files %d -> %d, rounding %d -> %d, folder %s -> %s, locale %s -> %s\n",
            before.threads, after.threads, before.files, after.files, before.rounding, after.rounding, before.folder,
            after.folder, before.locale, after.locale);
    return 1;
  }
  return dlclose(library);
}
