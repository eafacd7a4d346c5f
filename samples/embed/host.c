/* A host that knows nothing of Percale. It opens its modules with RTLD_LOCAL, lets them work in
 * parallel, closes the first, and repeats this until all are closed. That is one cycle; after
 * each one it prints the resources of the process.
 *   cc host.c -o host -ldl -lpthread && ./host 100 ./module.so ./other.so */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module.h"

enum { MOST = 8, ROOM = 512 };

typedef struct open_module {
  void* library;
  const work_module* module;
  pthread_t thread;
  int failed;
  char line[ROOM];
} open_module;

static int open_one(open_module* m, const char* path) {
  work_module_get_function get = NULL;
  m->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (m->library != NULL) *(void**)&get = dlsym(m->library, WORK_MODULE_GET);
  if (get == NULL) return fprintf(stderr, "%s\n", dlerror()), 0;
  m->module = get();
  return 1;
}

static void* work(void* user) {
  open_module* m = user;
  m->failed = m->module->work(m->line, sizeof m->line);
  return NULL;
}

/* Runs all modules at once. Returns true if all give the same result. */
static int work_side_by_side(open_module* modules, int count) {
  int i, good = 1;
  for (i = 0; i < count; ++i) pthread_create(&modules[i].thread, NULL, work, &modules[i]);
  for (i = 0; i < count; ++i) pthread_join(modules[i].thread, NULL);
  for (i = 0; i < count; ++i) {
    if (!modules[i].failed && strcmp(modules[i].line, modules[0].line) == 0) continue;
    fprintf(stderr, "%s: %s\n", modules[i].module->describe(), modules[i].line);
    good = 0;
  }
  return good;
}

static int entries(const char* folder) {
  DIR* open = opendir(folder);
  int count = -2; /* excludes "." and ".." */
  if (open == NULL) return -1;
  while (readdir(open) != NULL) ++count;
  closedir(open);
  return count;
}

static int lines(const char* path) {
  FILE* file = fopen(path, "r");
  int c, count = 0;
  if (file == NULL) return -1;
  while ((c = getc(file)) != EOF) count += c == '\n';
  fclose(file);
  return count;
}

static long resident(void) {
  long size = 0, pages = -1;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  if (fscanf(file, "%ld %ld", &size, &pages) != 2) pages = -1;
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

/* Returns the bytes that malloc() has allocated in the whole process, to detect small leaks of a
 * cycle. */
static size_t allocated(void) {
#if defined(__GLIBC__) && __GLIBC_MINOR__ >= 33
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

int main(int argc, char** argv) {
  const int count = argc - 2, cycles = argc > 1 ? atoi(argv[1]) : 0;
  char first[ROOM] = "";
  int cycle, i;
  if (count < 1 || count > MOST) return fprintf(stderr, "usage: host CYCLES MODULE...\n"), 2;
  for (cycle = 1; cycle <= cycles; ++cycle) {
    open_module modules[MOST];
    memset(modules, 0, sizeof modules);
    for (i = 0; i < count; ++i) {
      if (!open_one(&modules[i], argv[2 + i])) return 1;
      if (cycle == 1) printf("%s stands on %s\n", argv[2 + i], modules[i].module->describe());
    }
    for (i = 0; i < count; ++i) {
      if (!work_side_by_side(modules + i, count - i)) return 1;
      if (first[0] == 0) printf("%s\n", strcpy(first, modules[i].line));
      if (strcmp(first, modules[i].line) != 0) return fprintf(stderr, "cycle %d: %s\n", cycle, modules[i].line), 1;
      dlclose(modules[i].library);
    }
    for (i = 0; i < count; ++i) {
      if (dlopen(argv[2 + i], RTLD_NOW | RTLD_NOLOAD) == NULL) continue;
      return fprintf(stderr, "%s cannot be closed\n", argv[2 + i]), 1;
    }
    printf("cycle %d: threads %d, files %d, mappings %d, allocated %zu, resident %ld\n", cycle,
           entries("/proc/self/task"), entries("/proc/self/fd"), lines("/proc/self/maps"), allocated(), resident());
    fflush(stdout);
  }
  return 0;
}
